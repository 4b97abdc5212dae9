// The C library of a module of WebAssembly: the functions that runtime.c and data.c use of one, and those that LLVM's
// code for WebAssembly calls. runtime.c includes this file.
//
// Input:  the functions that the host gives the module, in its import module `toy` (host.mjs and files.mjs in
//         crates/toy-compiler/src/interface/javascript). They get addresses in the module's memory and return -1 where
//         something fails.
// Output: as much of the C library as the runtime asks for: `FILE` has one stream, `snprintf` the conversions that occur
//         there, and `longjmp` leaves the module for good.

#define HOST(name) __attribute__((import_module("toy"), import_name(name)))
HOST("write") extern int host_write(int file, const void *data, size_t size);
HOST("exit") extern _Noreturn void host_exit(int status);

// --- memory ---

// The most that the runtime promises a program: all addresses but those of the last page, so that no end is 0.
#define MEMORY_LIMIT ((size_t)0xffff0000)

// Symbols that the linker sets.
extern char __heap_base, __stack_low;

static size_t memory_in_use(void)
{
    return __builtin_wasm_memory_size(0) << 16;
}

static uintptr_t lowest_stack(void)
{
    return (uintptr_t)&__stack_low;
}

// A block begins with a unit that has its size, with this unit, and while it is free the next free block. Memory for a
// program is a number of units, so that it begins at a multiple of 64.
enum { UNIT = 64 };
struct block {
    size_t size;
    struct block *next;
};

// The free blocks, in the order of their addresses.
static struct block *holes;

// Adds a free block, and joins it with its neighbors.
static void add_hole(struct block *block)
{
    struct block *before = NULL, *after = holes;
    for (; after != NULL && after < block; after = after->next)
        before = after;
    block->next = after;
    if (after != NULL && (char *)block + block->size == (char *)after) {
        block->size += after->size;
        block->next = after->next;
    }
    if (before == NULL) {
        holes = block;
    } else if ((char *)before + before->size == (char *)block) {
        before->size += block->size;
        before->next = block->next;
    } else {
        before->next = block;
    }
}

// Asks the engine for more memory. At first, what is behind the program's data is free.
static bool grow(size_t size)
{
    enum { PAGE = 1 << 16 };
    static bool has_begun;
    uintptr_t start = memory_in_use();
    if (!has_begun) {
        has_begun = true;
        start = ((uintptr_t)&__heap_base + UNIT - 1) & -(uintptr_t)UNIT;
    }
    const size_t pages = (size + PAGE - 1) / PAGE;
    if (memory_in_use() > MEMORY_LIMIT - pages * PAGE || __builtin_wasm_memory_grow(0, pages) == SIZE_MAX)
        return false;
    struct block *const block = (struct block *)start;
    block->size = memory_in_use() - start;
    add_hole(block);
    return true;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (size > MEMORY_LIMIT / 2 + MEMORY_LIMIT / 4 || alignment > MEMORY_LIMIT / 8)
        return NULL;
    const size_t mask = (alignment > UNIT ? alignment : UNIT) - 1;
    const size_t needed = UNIT + ((size + UNIT - 1) & -(size_t)UNIT);
    do {
        for (struct block **at = &holes; *at != NULL; at = &(*at)->next) {
            struct block *const hole = *at;
            const uintptr_t end = (uintptr_t)hole + hole->size;
            const uintptr_t start = (((uintptr_t)hole + UNIT + mask) & ~mask) - UNIT;
            if (start >= end || end - start < needed)
                continue;
            struct block *const block = (struct block *)start, *const rest = (struct block *)(start + needed);
            struct block *next = hole->next;
            if (end - start > needed) {
                rest->size = end - start - needed;
                rest->next = next;
                next = rest;
            }
            if (block != hole) {
                hole->size = start - (uintptr_t)hole;
                hole->next = next;
            } else {
                *at = next;
            }
            block->size = needed;
            return (char *)block + UNIT;
        }
    } while (grow(needed + mask));
    return NULL;
}

void *malloc(size_t size)
{
    return aligned_alloc(UNIT, size);
}

void free(void *memory)
{
    if (memory != NULL)
        add_hole((struct block *)((char *)memory - UNIT));
}

size_t malloc_usable_size(void *memory)
{
    return ((struct block *)((char *)memory - UNIT))->size - UNIT;
}

void *realloc(void *memory, size_t size)
{
    void *const larger = malloc(size);
    const size_t old = memory == NULL ? 0 : malloc_usable_size(memory);
    if (larger != NULL && memory != NULL) {
        __builtin_memcpy(larger, memory, old < size ? old : size);
        free(memory);
    }
    return larger;
}

// --- output, and the end ---

struct _IO_FILE {
    size_t size;
    bool has_failed;
    char buffer[8192];
};
static FILE output_file;
FILE *stdout = &output_file;

static bool write_whole(const char *data, size_t size)
{
    while (size > 0) {
        const int written = host_write(1, data, size);
        if (written <= 0)
            return false;
        data += written;
        size -= (size_t)written;
    }
    return true;
}

int fflush(FILE *stream)
{
    if (stream == NULL)
        return 0;
    stream->has_failed |= !write_whole(stream->buffer, stream->size);
    stream->size = 0;
    return stream->has_failed ? -1 : 0;
}

int ferror(FILE *stream)
{
    return stream->has_failed;
}

static bool is_at_once;

// The host calls it to get all output as soon as it is printed: a program that is stopped prints no more.
void toy_print_at_once(void)
{
    is_at_once = true;
}

size_t fwrite(const void *data, size_t size, size_t count, FILE *stream)
{
    size *= count;
    if (size > sizeof stream->buffer - stream->size && fflush(stream) != 0)
        return 0;
    if (size > sizeof stream->buffer) {
        stream->has_failed = !write_whole(data, size);
        return stream->has_failed ? 0 : count;
    }
    __builtin_memcpy(stream->buffer + stream->size, data, size);
    stream->size += size;
    return is_at_once && fflush(stream) != 0 ? 0 : count;
}

long write(int file, const void *data, size_t size)
{
    return host_write(file, data, size);
}

// Begins an iteration of a loop, with its line. The host is told, and returns how many iterations later it is told again.
HOST("loop") extern int host_loop(int line);
void toy_loop(int line) __asm__("toy.loop");
void toy_loop(int line)
{
    static int left = 1;
    if (--left == 0)
        left = host_loop(line);
}

static void (*exit_handler)(void);

int atexit(void (*handler)(void))
{
    exit_handler = handler;
    return 0;
}

void _exit(int status)
{
    host_exit(status);
}

// The host calls it with the status of `main`.
void exit(int status)
{
    if (exit_handler != NULL)
        exit_handler();
    fflush(stdout);
    host_exit(status);
}

int _setjmp(void *registers)
{
    (void)registers;
    return 0;
}

// A failed check in a function that the host has called: the host reads the last error.
void longjmp(void *registers, int value)
{
    (void)registers;
    host_exit(value);
}

char *getenv(const char *name)
{
    (void)name;
    return NULL;
}

// --- what LLVM's code calls ---

void *memcpy(void *to, const void *from, size_t size)
{
    return __builtin_memcpy(to, from, size);
}

void *memmove(void *to, const void *from, size_t size)
{
    return __builtin_memmove(to, from, size);
}

void *memset(void *start, int byte, size_t size)
{
    return __builtin_memset(start, byte, size);
}

// The product of two numbers of 128 bits, from 32 bits each.
__int128 __multi3(__int128 a, __int128 b)
{
    const uint64_t x = (uint64_t)a, y = (uint64_t)b, low = 0xffffffff;
    const uint64_t first = (x & low) * (y & low);
    const uint64_t second = (x >> 32) * (y & low) + (first >> 32);
    const uint64_t third = (x & low) * (y >> 32) + (second & low);
    const uint64_t high = (x >> 32) * (y >> 32) + (second >> 32) + (third >> 32)
                          + x * (uint64_t)((unsigned __int128)b >> 64) + y * (uint64_t)((unsigned __int128)a >> 64);
    return (__int128)((unsigned __int128)high << 64 | third << 32 | (first & low));
}

// The remainder of x / y with the sign of x, exactly: long division of the mantissas, bit by bit.
double fmod(double x, double y)
{
    const uint64_t sign = UINT64_C(1) << 63, one = UINT64_C(1) << 52, infinity = UINT64_C(0x7ff) << 52;
    uint64_t a, b;
    __builtin_memcpy(&a, &x, sizeof a);
    __builtin_memcpy(&b, &y, sizeof b);
    const uint64_t of_x = a & sign;
    a &= ~sign;
    b &= ~sign;
    if (a >= infinity || b > infinity || b == 0)
        return (x * y) / (x * y);
    if (a < b)
        return x;
    int64_t exponent = (int64_t)(a >> 52), least = (int64_t)(b >> 52);
    a = exponent == 0 ? a : (a & (one - 1)) | one;
    b = least == 0 ? b : (b & (one - 1)) | one;
    exponent += exponent == 0;
    least += least == 0;
    for (; exponent > least; exponent--) {
        a = a >= b ? a - b : a;
        a <<= 1;
    }
    a = a >= b ? a - b : a;
    while (a != 0 && a < one && exponent > 1) {
        a <<= 1;
        exponent--;
    }
    a = a >= one ? (a & (one - 1)) | (uint64_t)exponent << 52 : a;
    a |= of_x;
    __builtin_memcpy(&x, &a, sizeof x);
    return x;
}

float fmodf(float x, float y)
{
    return (float)fmod((double)x, (double)y);
}

size_t strlen(const char *text)
{
    size_t size = 0;
    while (text[size] != 0)
        size++;
    return size;
}

// --- files and texts, for data.c ---

// Names are whole, in the host's terms; -1 is a failure, which `host_reason` explains.
HOST("open") extern int host_open(const char *path, size_t size, int writes);
HOST("read") extern int host_read(int file, void *data, size_t size);
HOST("close") extern int host_close(int file);
HOST("type") extern unsigned host_type(const char *path, size_t size);
HOST("access") extern int host_access(const char *path, size_t size, int mode);
HOST("rename") extern int host_rename(const char *from, size_t size, const char *to, size_t to_size);
HOST("unlink") extern int host_unlink(const char *path, size_t size);
HOST("copy") extern int host_copy(int from, int to);
HOST("reason") extern size_t host_reason(char *out, size_t room);
HOST("now") extern double host_now(void);
// The number that a text is, and a number with so many significant digits.
HOST("number") extern double host_number(const char *text, size_t size);
HOST("digits") extern size_t host_digits(char *out, size_t room, int digits, double number);

int open(const char *path, int flags, ...)
{
    return host_open(path, strlen(path), (flags & 1) != 0);
}

long read(int file, void *data, size_t size)
{
    return host_read(file, data, size);
}

int close(int file)
{
    return host_close(file);
}

// The type of a file, as in `st_mode`; 0 if it does not exist.
unsigned toy_type_of(const char *path)
{
    return host_type(path, strlen(path)) & 0170000;
}

int access(const char *path, int mode)
{
    return host_access(path, strlen(path), mode);
}

int rename(const char *from, const char *to)
{
    return host_rename(from, strlen(from), to, strlen(to));
}

int unlink(const char *path)
{
    return host_unlink(path, strlen(path));
}

int dup2(int from, int to)
{
    return host_copy(from, to);
}

int dup(int file)
{
    return host_copy(file, -1);
}

// Files are read, and not mapped.
long lseek(int file, long offset, int whence)
{
    (void)file, (void)offset, (void)whence;
    return -1;
}

void *mmap(void *start, size_t size, int protection, int flags, int file, long offset)
{
    (void)start, (void)size, (void)protection, (void)flags, (void)file, (void)offset;
    return (void *)-1;
}

int munmap(void *start, size_t size)
{
    (void)start, (void)size;
    return -1;
}

// Without links, a path is the file's.
char *realpath(const char *path, char *resolved)
{
    (void)path, (void)resolved;
    return NULL;
}

int getpid(void)
{
    return 1;
}

int *__errno_location(void)
{
    static int number;
    return &number;
}

char *strerror(int error)
{
    static char text[256];
    (void)error;
    text[host_reason(text, sizeof text - 1)] = 0;
    return text;
}

struct time {
    long seconds, nanoseconds;
};

int clock_gettime(int clock, struct time *time)
{
    (void)clock;
    const double now = host_now();
    time->seconds = (long)(now / 1e3);
    time->nanoseconds = (long)((now - (double)time->seconds * 1e3) * 1e6);
    return 0;
}

// The text is a number from its start to its end.
double strtod(const char *text, char **end)
{
    const size_t size = strlen(text);
    const double number = host_number(text, size);
    if (end != NULL)
        *end = (char *)text + (number == number || text[size - 1] == 'n' || text[size - 1] == 'N' ? size : 0);
    return number;
}

int strcmp(const char *a, const char *b)
{
    while (*a != 0 && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

int strncasecmp(const char *a, const char *b, size_t size)
{
    for (; size > 0; a++, b++, size--) {
        const int x = *a >= 'A' && *a <= 'Z' ? *a + 32 : *a, y = *b >= 'A' && *b <= 'Z' ? *b + 32 : *b;
        if (x != y || x == 0)
            return x - y;
    }
    return 0;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a, *y = b;
    for (; size > 0 && *x == *y; size--)
        x++, y++;
    return size == 0 ? 0 : *x - *y;
}

void *memchr(const void *start, int byte, size_t size)
{
    const unsigned char *at = start;
    for (; size > 0; at++, size--)
        if (*at == (unsigned char)byte)
            return (void *)at;
    return NULL;
}

char *strchr(const char *text, int byte)
{
    return memchr(text, byte, strlen(text) + 1);
}

char *strstr(const char *text, const char *part)
{
    for (; strlen(text) >= strlen(part); text++)
        if (memcmp(text, part, strlen(part)) == 0)
            return (char *)text;
    return NULL;
}

// A heap: its root is the largest element.
void qsort(void *start, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    char *const all = start;
    for (size_t built = count / 2, end = count; end > 1;) {
        if (built > 0)
            built--;
        else
            end--;
        for (size_t byte = 0; built == 0 && end < count && byte < size; byte++) {
            const char kept = all[byte];
            all[byte] = all[end * size + byte];
            all[end * size + byte] = kept;
        }
        for (size_t root = built, child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && compare(all + child * size, all + (child + 1) * size) < 0)
                child++;
            if (compare(all + root * size, all + child * size) >= 0)
                break;
            for (size_t byte = 0; byte < size; byte++) {
                const char kept = all[root * size + byte];
                all[root * size + byte] = all[child * size + byte];
                all[child * size + byte] = kept;
            }
        }
    }
}

// The conversions of data.c: `%s`, `%.*s`, `%d`, `%04d`, `%ld`, `%zu`, `%.*g` and `%.6g`, and the precision in digits.
int vsnprintf(char *out, size_t room, const char *format, __builtin_va_list arguments)
{
    size_t length = 0;
    for (; *format != 0; format++) {
        char digits[64];
        const char *part = format;
        size_t size = 1;
        if (*format == '%') {
            int width = 0, precision = -1;
            for (format++; *format >= '0' && *format <= '9'; format++)
                width = 10 * width + *format - '0';
            if (*format == '.') {
                precision = 0;
                if (*++format == '*')
                    precision = __builtin_va_arg(arguments, int), format++;
                for (; *format >= '0' && *format <= '9'; format++)
                    precision = 10 * precision + *format - '0';
            }
            if (*format == 'l' || *format == 'z')
                format++;
            part = digits;
            if (*format == 's') {
                part = __builtin_va_arg(arguments, const char *);
                for (size = 0; (precision < 0 || size < (size_t)precision) && part[size] != 0;)
                    size++;
            } else if (*format == 'g') {
                size = host_digits(digits, sizeof digits, precision, __builtin_va_arg(arguments, double));
            } else {
                const long number = __builtin_va_arg(arguments, long);
                const bool is_negative = *format == 'd' && number < 0;
                unsigned long rest = is_negative ? -(unsigned long)number : (unsigned long)number;
                char *end = digits + sizeof digits;
                do
                    *--end = (char)('0' + rest % 10);
                while ((rest /= 10) != 0);
                while (digits + sizeof digits - end < width)
                    *--end = '0';
                if (is_negative)
                    *--end = '-';
                part = end;
                size = (size_t)(digits + sizeof digits - end);
            }
        }
        for (; size > 0; size--, part++, length++)
            if (length + 1 < room)
                out[length] = *part;
    }
    if (room > 0)
        out[length < room ? length : room - 1] = 0;
    return (int)length;
}

int snprintf(char *out, size_t room, const char *format, ...)
{
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    const int length = vsnprintf(out, room, format, arguments);
    __builtin_va_end(arguments);
    return length;
}
