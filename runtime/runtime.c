// The functions that compiled programs call: printing a tensor, texts and numbers and reporting failed output,
// allocating memory or exiting with a message, ending with a message if a check fails, functions of the C library,
// copying between strided memrefs, and conversions of 16-bit numbers for which the processor has no instruction.
//
// Input:  MLIR's unranked memref descriptor of f64 elements, any rank, offset and strides.
// Output: on stdio's `stdout`, the bytes that nested loops over printf("%f ") would write, with a
//         newline after each index of every dimension but the last.
//
// One source for all uses: LLVM bitcode that is linked into every program (for any target whose pointers have 64
// bits, and for wasm32), and native code in the compiler itself for the JIT. Hence the rules of this file:
//   * no libc headers, since a cross target's may be missing: the few functions used are declared
//     here; nothing else is called, libgcc included, so that `cc prog.o` links (128-bit integers are
//     only multiplied, compared and shifted by constants: other operations may become calls);
//   * a size that a program passes has 64 bits for every target (`word`), also where a pointer has 32;
//   * no floating-point arithmetic and no allocation: formatting is exact integer arithmetic;
//   * several copies may live in one process (one per object file, internalized). They share
//     stdout and nothing else, and each copy reports its own failures.
// Toy programs have one thread; the state below is not guarded. In the compiler (TOY_JIT) each thread
// has its own. Libraries, whose functions are called from any thread, use only functions named toy_export_... (and
// copies and conversions), which keep no state but the last failure of each thread, and the form of printed numbers, which
// each thread has for one `print`.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A size in a program.
typedef uint64_t word;

// glibc's and musl's own tag, so that the declarations also agree with <stdio.h>.
typedef struct _IO_FILE FILE;
extern FILE *stdout;
extern size_t fwrite(const void *data, size_t size, size_t count, FILE *stream);
extern int fflush(FILE *stream);
extern int ferror(FILE *stream);
extern int atexit(void (*handler)(void));
extern long write(int descriptor, const void *data, size_t size);
extern int open(const char *path, int flags, ...);
extern long read(int descriptor, void *data, size_t size);
extern int close(int descriptor);
extern _Noreturn void _exit(int status);
extern _Noreturn void exit(int status);
extern void *malloc(size_t size);
extern void free(void *memory);
extern void *aligned_alloc(size_t alignment, size_t size);
extern size_t malloc_usable_size(void *memory);
extern int madvise(void *start, size_t size, int advice);
#ifdef __wasm__
#include "wasm.c"
#endif

#ifdef TOY_JIT
// In the compiler, each program runs on the thread of its compilation.
#define STATE static _Thread_local
// The destination of this thread's output, if it is not stdout.
STATE FILE *redirected;

void toy_redirect(FILE *stream)
{
    redirected = stream;
}

static inline FILE *output_stream(void)
{
    return redirected != NULL ? redirected : stdout;
}

extern int fcntl(int descriptor, int command, ...);
extern int dup2(int from, int to);
// Rust's standard library opens /dev/null for writing in place of a closed standard output, so that failed output would
// not be reported. This function opens it before, for reading.
__attribute__((constructor)) static void keep_closed_output_unwritable(void)
{
    enum { F_GETFD = 1, STANDARD_OUTPUT = 1 };
    if (fcntl(STANDARD_OUTPUT, F_GETFD) != -1)
        return;
    const int file = open("/dev/null", 0);
    if (file < 0 || file == STANDARD_OUTPUT)
        return;
    dup2(file, STANDARD_OUTPUT);
    close(file);
}

// The compiler's malloc may keep memory that programs have freed. Not every C library has the function.
extern int malloc_trim(size_t kept) __attribute__((weak));
static inline void give_back(void)
{
    if (malloc_trim != NULL)
        malloc_trim(0);
}
#else
#define STATE static
#define output_stream() stdout
// Large memory goes back to the system when it is freed.
#define give_back() ((void)0)
#endif

STATE bool exit_handler_registered;
STATE bool output_failed;
STATE bool failure_returned;

// Flushes stdout. Returns 1 if that or any earlier output failed, else 0. The caller reports a failure returned here:
// it is not reported again at exit.
int toy_flush(void)
{
    if (fflush(output_stream()) != 0)
        output_failed = true;
    failure_returned = output_failed;
    return output_failed;
}

// libc flushes stdio after all exit handlers have run and ignores failures, so this flush is the last
// one that can report its failure.
static void report_failure_at_exit(void)
{
    if (failure_returned || toy_flush() == 0)
        return;
    // _exit skips libc's own flush: keep what a C host wrote to its other streams.
    fflush(NULL);
    static const char message[] = "toy: cannot write to standard output\n";
    write(2, message, sizeof message - 1);
    _exit(1); // An exit handler must not call exit().
}

#ifndef __wasm__
// Large memory is in huge pages, where the system has them on request (Linux, `madvise`): writing to new memory then
// takes a fault for each 2 MiB and not for each 4 KiB, which is half of the time of simple loops.
#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE (2 * HUGE_PAGE)
#define MADV_HUGEPAGE 14

// Not inlined: LLVM knows it only by its attributes.
__attribute__((malloc, noinline, assume_aligned(1 << 21))) static void *allocate_large(size_t size)
{
    if (size > SIZE_MAX - HUGE_PAGE)
        return NULL;
    const size_t rounded = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    void *const memory = aligned_alloc(HUGE_PAGE, rounded);
    // Without huge pages it is as good as before. The last page is not requested if it is not full.
    if (memory != NULL)
        madvise(memory, size & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
    return memory;
}

#else
#define HUGE_PAGE 64
#define LARGE SIZE_MAX
#define allocate_large(size) malloc(size)
#endif

#ifndef __wasm__
// Linux's data about the memory of the machine, and room for fields of later versions.
struct system_information {
    long uptime;
    unsigned long loads[3], ram, free_ram, shared_ram, buffers, swap, free_swap;
    unsigned short processes;
    unsigned long high_ram, free_high_ram;
    unsigned unit;
    char more[256];
};
extern int sysinfo(struct system_information *information);

// The value of a line like `RssAnon:    1024 kB`, in bytes; 0 without the line.
static size_t bytes_in_line(const char *text, const char *name)
{
    for (; *text != 0; text++) {
        size_t length = 0;
        while (name[length] != 0 && text[length] == name[length])
            length++;
        if (name[length] != 0)
            continue;
        size_t kilobytes = 0;
        for (text += length; *text == ' ' || *text == '\t'; text++)
            ;
        for (; *text >= '0' && *text <= '9'; text++)
            kilobytes = 10 * kilobytes + (size_t)(*text - '0');
        return kilobytes << 10;
    }
    return 0;
}

// The start of a file; empty if it cannot be read.
enum { FILE_START = 4096 };
static void read_start(const char *path, char text[FILE_START])
{
    const int file = open(path, 0);
    const long length = file < 0 ? 0 : read(file, text, FILE_START - 1);
    if (file >= 0)
        close(file);
    text[length < 0 ? 0 : length] = 0;
}

// The memory that this process has written to and still holds, in bytes; 0 if unknown.
static size_t written_memory(void)
{
    char text[FILE_START];
    read_start("/proc/self/status", text);
    return bytes_in_line(text, "\nRssAnon:") + bytes_in_line(text, "\nVmSwap:");
}

// The limit in a file of a control group; SIZE_MAX without one.
static size_t limit_in_file(const char *path)
{
    char text[FILE_START];
    read_start(path, text);
    size_t limit = 0;
    for (const char *digit = text; *digit >= '0' && *digit <= '9'; digit++)
        limit = 10 * limit + (size_t)(*digit - '0');
    return limit == 0 ? SIZE_MAX : limit;
}

// The limit of the control groups that this process is in: of version 2, and in containers of version 1.
static size_t limit_of_groups(void)
{
    static const char root[] = "/sys/fs/cgroup", name[] = "/memory.max";
    size_t limit = limit_in_file("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    char text[FILE_START], path[FILE_START + sizeof root + sizeof name];
    read_start("/proc/self/cgroup", text);
    const char *from = text;
    while (*from != 0 && !(from[0] == '0' && from[1] == ':' && (from == text || from[-1] == '\n')))
        from++;
    char *end = path + sizeof root - 1;
    __builtin_memcpy(path, root, sizeof root - 1);
    if (*from != 0)
        for (from += 3; *from != 0 && *from != '\n'; from++)
            *end++ = *from;
    for (;;) {
        __builtin_memcpy(end, name, sizeof name);
        const size_t found = limit_in_file(path);
        limit = found < limit ? found : limit;
        if (end <= path + sizeof root - 1)
            return limit;
        do
            end--;
        while (*end != '/');
    }
}

// The memory that this process may have, in bytes, or the most that can be requested if that is unknown.
static size_t memory_of_machine(void)
{
    struct system_information information;
    char text[FILE_START];
    read_start("/proc/meminfo", text);
    const size_t available = bytes_in_line(text, "MemAvailable:");
    size_t most = sysinfo(&information) == 0 ? (information.ram + information.swap) * information.unit : SIZE_MAX;
    if (available != 0) {
        const size_t left = available + bytes_in_line(text, "SwapFree:") + written_memory();
        most = left < most ? left : most;
    }
    const size_t limit = limit_of_groups();
    return limit < most ? limit : most;
}

#else
static size_t written_memory(void)
{
    return memory_in_use();
}

// A module's addresses have 32 bits.
static size_t memory_of_machine(void)
{
    return MEMORY_LIMIT;
}
#endif

// The large memory that the program has requested and not freed, in bytes, written or not.
STATE int64_t asked;
enum { COUNTED = 64 * 1024 };

static inline void count(void *memory, int sign)
{
    const size_t size = memory == NULL ? 0 : malloc_usable_size(memory);
    if (size >= COUNTED)
        __atomic_add_fetch(&asked, sign * (int64_t)size, __ATOMIC_RELAXED);
}

// The memory that this process had written before it began to run the program.
STATE size_t memory_before;

// The memory that this process holds or has requested.
static size_t memory_of_process(void)
{
    const size_t written = written_memory();
    const int64_t program = __atomic_load_n(&asked, __ATOMIC_RELAXED);
    const size_t promised = memory_before + (program > 0 ? (size_t)program : 0);
    return written > promised ? written : promised;
}

// Up to this size, memory is requested without a look at the machine.
#define MODEST ((size_t)256 << 20)

// The memory requested since the last look. Threads may lose each other's requests; then the look is later.
STATE size_t unseen;

static _Noreturn void fail_without_memory(word size);

// The place to which a failed check returns, instead of ending the process: a function of the C library saves the
// registers there. One per thread.
static _Thread_local void *escape;
extern int _setjmp(void *registers) __attribute__((returns_twice));
extern _Noreturn void longjmp(void *registers, int value);

// The last failure of a thread, as headers of libraries declare it and bindings read it.
struct toy_error {
    int code; // 0 if nothing has failed, the status, or the check that failed, which is from 16 on.
    int line, column;
    const char *file, *function, *message, *text;
    int64_t index, size;
    double number;
};
enum { NO_MEMORY = 1, CANNOT_PRINT = 4, OUT_OF_RANGE = 16, NOT_WHOLE, STEP_OF_ZERO, TOO_DEEP };
enum { TEXT_SIZE = 2048 };
static _Thread_local struct toy_error last_error;
static _Thread_local char last_text[TEXT_SIZE];

#ifdef TOY_JIT
const struct toy_error *toy_last_error(void)
{
    return &last_error;
}
#else
// Every library defines it as a weak symbol, which calls `toy_export_error`: where a linker leaves one for several
// libraries, all of them write where the caller reads. A program does not define it.
extern struct toy_error *toy_last_error(void) __attribute__((weak));
extern char *getenv(const char *name);
#endif

// The place of a check, and the first words of its message, as the compiler writes them: strings, one after the other.
struct place {
    const char *file, *function, *line, *column, *words;
};

static const char *after(const char *string)
{
    while (*string != 0)
        string++;
    return string + 1;
}

static struct place place_of(const char *text)
{
    struct place place;
    place.file = text;
    place.function = after(place.file);
    place.line = after(place.function);
    place.column = after(place.line);
    place.words = after(place.column);
    return place;
}

static int number_in(const char *digits)
{
    int number = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        number = 10 * number + (*digits - '0');
    return number;
}

// As much of a string as there is room for; the text stays a string.
static char *put_string(char *out, const char *string)
{
    while (*string != 0 && out < last_text + TEXT_SIZE - 1)
        *out++ = *string++;
    *out = 0;
    return out;
}

// A text without a place and words.
static const char nowhere[] = "\0" "\0" "0\0" "0\0";

// Keeps a failure; of the message, what is before the end of its line.
static __attribute__((noinline, cold)) void keep(int code, struct place place, const char *message, size_t length,
                                                 int64_t index, int64_t size, double number)
{
    struct toy_error error = {code, number_in(place.line), number_in(place.column), place.file, place.function,
                              NULL, last_text, index, size, number};
    char *out = last_text;
    // A very long path keeps its end.
    const size_t path = (size_t)(after(place.file) - place.file) - 1;
    if (path > 0) {
        out = put_string(out, place.file + (path > TEXT_SIZE / 2 ? path - TEXT_SIZE / 2 : 0));
        out = put_string(put_string(out, ":"), place.line);
        out = put_string(put_string(out, ":"), place.column);
        out = put_string(out, ": ");
    }
    out = put_string(out, "error: ");
    error.message = out;
    for (; length > 0 && *message != '\n' && out < last_text + TEXT_SIZE - 1; length--)
        *out++ = *message++;
    *out = 0;
#ifdef TOY_JIT
    last_error = error;
#else
    if (toy_last_error == NULL)
        return;
    *toy_last_error() = error;
    const char *const asked = getenv("TOY_SHOW_ERRORS");
    if (asked != NULL && *asked != 0) {
        *out++ = '\n';
        write(2, last_text, (size_t)(out - last_text));
        out[-1] = 0;
    }
#endif
}

// The allocation functions of compiled programs, in place of malloc and aligned_alloc: a
// program that continues without memory would only crash. Some allocators promise more than
// the machine has, and the system then kills the process without a word: that is refused.
static inline void *checked(void *memory, size_t size)
{
    if (memory == NULL && size != 0)
        fail_without_memory(size);
    if (size >= COUNTED / 2)
        count(memory, 1);
    return memory;
}

static bool fits(word size)
{
    const size_t all = memory_of_machine();
    return size <= all && memory_of_process() <= all - size;
}

static __attribute__((noinline, cold)) void look_at_machine(word size)
{
    __atomic_store_n(&unseen, 0, __ATOMIC_RELAXED);
    if (fits(size))
        return;
    give_back();
    if (!fits(size))
        fail_without_memory(size);
}

static inline void check_size(word size)
{
    if (size < COUNTED)
        return;
    const word sum = __atomic_load_n(&unseen, __ATOMIC_RELAXED) + size;
    __atomic_store_n(&unseen, (size_t)sum, __ATOMIC_RELAXED);
    if (sum > MODEST)
        look_at_machine(size);
}

void *toy_malloc(word size)
{
    check_size(size);
    return checked(malloc((size_t)size), (size_t)size);
}

void *toy_aligned_alloc(word wide_alignment, word wide_size)
{
    check_size(wide_size);
    const size_t alignment = (size_t)wide_alignment, size = (size_t)wide_size;
    return checked(size < LARGE || alignment > HUGE_PAGE ? aligned_alloc(alignment, size) : allocate_large(size), size);
}

void toy_free(void *memory)
{
    count(memory, -1);
    free(memory);
}

#define ROW(tens) tens "0" tens "1" tens "2" tens "3" tens "4" tens "5" tens "6" tens "7" tens "8" tens "9"
static const char digit_pairs[] =
    ROW("0") ROW("1") ROW("2") ROW("3") ROW("4") ROW("5") ROW("6") ROW("7") ROW("8") ROW("9");

static inline void put_2_digits(char *out, uint32_t value)
{
    __builtin_memcpy(out, digit_pairs + 2 * value, 2);
}

static inline void put_4_digits(char *out, uint32_t value)
{
    put_2_digits(out, value / 100);
    put_2_digits(out + 2, value % 100);
}

// `value` < 10000, without leading zeros. Returns the end, as all put_ functions below do.
static inline char *put_up_to_4_digits(char *out, uint32_t value)
{
    if (value < 10) {
        *out = (char)('0' + value);
        return out + 1;
    }
    if (value >= 1000) {
        put_4_digits(out, value);
        return out + 4;
    }
    if (value >= 100)
        *out++ = (char)('0' + value / 100);
    put_2_digits(out, value % 100);
    return out + 2;
}

static inline char *put_integer(char *out, uint64_t value)
{
    uint32_t groups[5]; // Of four digits, the least significant first.
    int count = 0;
    for (; value >= 10000; value /= 10000)
        groups[count++] = (uint32_t)(value % 10000);
    out = put_up_to_4_digits(out, (uint32_t)value);
    for (; count > 0; out += 4)
        put_4_digits(out, groups[--count]);
    return out;
}

// mantissa * 2^shift with mantissa < 2^53 and 0 <= shift <= 971: up to 309 digits, exactly.
static __attribute__((noinline)) char *put_big_integer(char *out, uint64_t mantissa, unsigned shift)
{
    uint32_t limbs[33] = {0}; // Little-endian; 1024 bits, and room for three limbs at the highest shift.
    unsigned count = shift / 32;
    const uint64_t low = (mantissa & 0xffffffff) << shift % 32;
    const uint64_t high = ((mantissa >> 32) << shift % 32) + (low >> 32);
    limbs[count++] = (uint32_t)low;
    limbs[count++] = (uint32_t)high;
    limbs[count++] = (uint32_t)(high >> 32);

    // Nine decimal digits at a time, the least significant first.
    uint32_t chunks[35];
    unsigned chunk_count = 0;
    while (count > 0) {
        uint64_t remainder = 0;
        for (unsigned i = count; i-- > 0;) {
            const uint64_t dividend = remainder << 32 | limbs[i];
            limbs[i] = (uint32_t)(dividend / 1000000000);
            remainder = dividend % 1000000000;
        }
        chunks[chunk_count++] = (uint32_t)remainder;
        while (count > 0 && limbs[count - 1] == 0)
            count--;
    }

    out = put_integer(out, chunks[--chunk_count]);
    while (chunk_count-- > 0) {
        *out++ = (char)('0' + chunks[chunk_count] / 100000000);
        put_4_digits(out, chunks[chunk_count] / 10000 % 10000);
        put_4_digits(out + 4, chunks[chunk_count] % 10000);
        out += 8;
    }
    return out;
}

// Reports the memory needed, since nothing else in the program does. exit() flushes its output.
static _Noreturn __attribute__((noinline, cold)) void fail_without_memory(word size)
{
    static const char start[] = "toy: out of memory: ", needed[] = " bytes are needed at once";
    static const char program[] = ", this program has ", already[] = " already";
    static const char machine[] = ", and this machine has ", help[] = "\n`toyc -emit=memory-plan` shows what for\n";
    char message[sizeof start + sizeof needed + sizeof program + sizeof already + sizeof machine + sizeof help + 60];
    char *end = message;
#define ADD(text) (__builtin_memcpy(end, text, sizeof text - 1), end += sizeof text - 1)
    ADD(start);
    end = put_integer(end, size);
    ADD(needed);
    const size_t all = memory_of_machine(), own = memory_of_process();
    const bool is_too_much = size > all, are_too_much = !is_too_much && own > all - size;
    if (are_too_much) {
        ADD(program);
        end = put_integer(end, own);
        ADD(already);
    }
    if (is_too_much || are_too_much) {
        ADD(machine);
        end = put_integer(end, all);
    }
    ADD(help);
#undef ADD
#ifdef TOY_JIT
    keep(NO_MEMORY, place_of(nowhere), message + 5, (size_t)(end - message) - 5, 0, (int64_t)size, 0);
    if (redirected != NULL && escape != NULL)
        longjmp(escape, 1);
#endif
    write(2, message, (size_t)(end - message));
    exit(1);
}

// The longest number: sign, 309 digits, point, 17 digits, and the space after it.
enum { MOST_DIGITS = 17, ELEMENT_LIMIT = 1 + 309 + 1 + MOST_DIGITS + 1 };

// 10^6 * fraction / 2^shift, rounded half to even. 0 < fraction < 2^shift and shift < 74.
static inline uint32_t round_to_millionths(uint64_t fraction, unsigned shift)
{
    // Make it a fraction of unit * 2^64: then the quotient is at a fixed place in the product.
    const unsigned excess = shift > 64 ? shift - 64 : 0;
    const uint64_t unit = UINT64_C(1) << excess;
    fraction <<= 64 + excess - shift;
    const unsigned __int128 product = (unsigned __int128)fraction * 1000000;
    const uint64_t high = (uint64_t)(product >> 64);
    const uint32_t quotient = (uint32_t)(high >> excess);
    const unsigned __int128 one = (unsigned __int128)unit << 64;
    const unsigned __int128 twice_rest = ((unsigned __int128)(high & (unit - 1)) << 64 | (uint64_t)product) << 1;
    return quotient + ((twice_rest > one) | ((twice_rest == one) & quotient));
}

// 10^digits * fraction / 2^shift, rounded half to even; without digits, ties go to 1 if `is_odd`. 0 < fraction < 2^53 and
// fraction < 2^shift.
static uint64_t round_fraction(uint64_t fraction, unsigned shift, unsigned digits, bool is_odd)
{
    uint64_t unit = 1;
    for (unsigned i = 0; i < digits; i++)
        unit *= 10;
    if (shift > 53 + 57) // 10^17 < 2^57: less than half of the last digit.
        return 0;
    const unsigned __int128 product = (unsigned __int128)fraction * unit;
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product, quotient;
    // The rest, from its first bit on.
    if (shift > 64) {
        const unsigned more = shift - 64;
        quotient = high >> more;
        high = high << (64 - more) | low >> more;
        low <<= 64 - more;
    } else if (shift == 64) {
        quotient = high;
        high = low;
        low = 0;
    } else {
        quotient = high << (64 - shift) | low >> shift;
        high = low << (64 - shift);
        low = 0;
    }
    const uint64_t half = UINT64_C(1) << 63;
    const bool is_tie = high == half && low == 0;
    return quotient + (is_tie ? (digits == 0 ? is_odd : (quotient & 1) != 0) : high >= half);
}

// The output of printf("%.*f") in the default rounding mode: round-half-even of the exact value. Only a NaN never shows a
// sign. Inlined, so that six digits have code of their own.
static inline __attribute__((always_inline)) char *put_rounded(char *out, uint64_t bits, unsigned digits)
{
    const uint64_t implicit_bit = UINT64_C(1) << 52;
    const uint64_t stored = bits & (implicit_bit - 1);
    const unsigned exponent = bits >> 52 & 0x7ff;
    if (exponent == 0x7ff && stored != 0) {
        // Without the sign, which depends on the machine and on the optimizer's folding.
        __builtin_memcpy(out, "nan", 3);
        return out + 3;
    }
    *out = '-';
    out += bits >> 63; // A branch on the sign of arbitrary data would be mispredicted half the time.
    if (exponent == 0x7ff) {
        __builtin_memcpy(out, "inf", 3);
        return out + 3;
    }
    // |x| = mantissa * 2^(exponent - 1075), except for zero and the denormals, which have no implicit
    // bit; but they are far too small to show.
    const uint64_t mantissa = stored | implicit_bit;
    uint64_t parts = 0;
    if (exponent > 1075 + 11) {
        out = put_big_integer(out, mantissa, exponent - 1075);
    } else if (exponent >= 1075) {
        out = put_integer(out, mantissa << (exponent - 1075)); // Below 2^64.
    } else {
        const unsigned shift = 1075 - exponent;
        uint64_t whole = 0;
        uint64_t fraction = mantissa; // of 2^shift
        if (shift < 53) {
            whole = mantissa >> shift;
            fraction = mantissa & ((UINT64_C(1) << shift) - 1);
        }
        uint64_t unit = 1;
        for (unsigned i = 0; i < digits; i++)
            unit *= 10;
        if (fraction != 0) {
            if (digits != 6)
                parts = round_fraction(fraction, shift, digits, (whole & 1) != 0);
            else if (shift < 74) // From 74 on |x| < 2^-21, less than half a millionth.
                parts = round_to_millionths(fraction, shift);
            if (parts == unit) {
                parts = 0;
                whole++;
            }
        }
        out = put_integer(out, whole);
    }

    if (digits == 0)
        return out;
    *out = '.';
    if (digits == 6) {
        put_2_digits(out + 1, (uint32_t)parts / 10000);
        put_4_digits(out + 3, (uint32_t)parts % 10000);
    } else {
        for (unsigned i = digits; i > 0; parts /= 10)
            out[i--] = (char)('0' + parts % 10);
    }
    return out + 1 + digits;
}

static inline char *put_f64(char *out, uint64_t bits)
{
    return put_rounded(out, bits, 6);
}

// The form of the numbers that a `print` with `digits` or `width` writes; it is as before at the end of the `print`.
static _Thread_local struct {
    bool is_set;
    unsigned digits, width;
} format;

// A number in this form, with blanks before it.
static __attribute__((noinline)) char *put_formatted(char *out, uint64_t bits, unsigned width)
{
    char *end = put_rounded(out, bits, format.digits);
    const unsigned length = (unsigned)(end - out);
    if (length >= width)
        return end;
    for (unsigned i = 1; i <= length; i++)
        out[width - i] = end[-(int)i];
    for (unsigned i = 0; i < width - length; i++)
        out[i] = ' ';
    return out + width;
}

// MLIR's descriptors; sizes[rank] and then strides[rank] are in one array.
struct toy_tensor {
    int64_t rank;
    struct toy_descriptor {
        void *allocated;
        const double *aligned;
        int64_t offset;
        int64_t sizes_and_strides[];
    } *descriptor;
};

// Large enough that stdio passes it on to write(2) without copying most of it. On the stack: no
// allocation, and no state shared with other code that prints.
enum { BUFFER_SIZE = 32 * 1024 };

struct output {
    char *end;
    bool is_formatted;
    unsigned width;
    bool measures; // Nothing is written: `width` becomes that of the longest number.
    char buffer[BUFFER_SIZE];
};

static bool hand_over(struct output *output)
{
    const size_t size = (size_t)(output->end - output->buffer);
    output->end = output->buffer;
    return fwrite(output->buffer, 1, size, output_stream()) == size;
}

// Makes room for `size` more bytes. False if output failed: then printing stops.
static inline bool reserve(struct output *output, size_t size)
{
    return (size_t)(output->buffer + BUFFER_SIZE - output->end) >= size || hand_over(output);
}

// Positions wrap around like the machine's addresses: where there is no element, they may be invalid.
static bool print_row(struct output *output, const double *base, uint64_t position, int64_t count, int64_t stride)
{
    for (int64_t i = 0; i < count; i++) {
        if (!reserve(output, ELEMENT_LIMIT))
            return false;
        uint64_t bits;
        __builtin_memcpy(&bits, base + (int64_t)position, sizeof bits);
        position += (uint64_t)stride;
        char *end = output->is_formatted ? put_formatted(output->end, bits, output->width) : put_f64(output->end, bits);
        if (output->measures) {
            output->width = (unsigned)(end - output->end);
            continue;
        }
        *end = ' ';
        output->end = end + 1;
    }
    return true;
}

// An odometer over all dimensions but the last instead of recursion, so that no rank is too high.
static bool print_rows(struct output *output, const struct toy_descriptor *tensor, int64_t rank)
{
    const int64_t *sizes = tensor->sizes_and_strides;
    const int64_t *strides = sizes + rank;
    uint64_t position = (uint64_t)tensor->offset;
    if (rank == 0)
        return print_row(output, tensor->aligned, position, 1, 0);

    // Inside the first empty dimension nothing is printed, while the dimensions around it still print
    // their newlines: it takes the place of the row.
    int64_t outer = 0;
    while (outer < rank - 1 && sizes[outer] > 0)
        outer++;
    int64_t index[outer + 1]; // One more than needed: C has no empty arrays.
    for (int64_t d = 0; d < outer; d++)
        index[d] = 0;
    while (true) {
        if (!print_row(output, tensor->aligned, position, sizes[outer], strides[outer]))
            return false;
        int64_t d = outer;
        while (true) {
            if (d-- == 0)
                return true;
            if (!output->measures) {
                if (!reserve(output, 1))
                    return false;
                *output->end++ = '\n';
            }
            position += (uint64_t)strides[d];
            if (++index[d] < sizes[d])
                break;
            index[d] = 0;
            position -= (uint64_t)sizes[d] * (uint64_t)strides[d];
        }
    }
}

static bool print_tensor(const struct toy_tensor *tensor)
{
    struct output output;
    output.end = output.buffer;
    output.is_formatted = format.is_set;
    output.width = format.width;
    // The columns of a matrix are aligned.
    output.measures = format.is_set && tensor->rank > 1;
    if (output.measures)
        print_rows(&output, tensor->descriptor, tensor->rank);
    output.measures = false;
    return print_rows(&output, tensor->descriptor, tensor->rank) && hand_over(&output);
}

void _mlir_ciface_toy_print(const struct toy_tensor *tensor)
{
    if (output_failed)
        return;
    if (!exit_handler_registered)
        exit_handler_registered = atexit(report_failure_at_exit) == 0; // Otherwise the next print tries again.
    output_failed = !print_tensor(tensor);
}

// --- texts, numbers and checks ---
//
// The names of these functions in compiled programs contain a `.`, which a name in Toy cannot contain.
#define NAMED(name) __asm__(name)

static bool print_bytes(const char *text, word size)
{
    return size == 0 || fwrite(text, 1, (size_t)size, output_stream()) == size;
}

static bool print_number(const char *text, word size, double number)
{
    char buffer[ELEMENT_LIMIT];
    uint64_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    const char *end = format.is_set ? put_formatted(buffer, bits, format.width) : put_f64(buffer, bits);
    return print_bytes(text, size) && print_bytes(buffer, (size_t)(end - buffer));
}

static bool can_print(void)
{
    if (!output_failed && !exit_handler_registered)
        exit_handler_registered = atexit(report_failure_at_exit) == 0;
    return !output_failed;
}

// print of texts.
void toy_print_text(const char *text, word size) NAMED("toy.print_text");
void toy_print_text(const char *text, word size)
{
    if (can_print())
        output_failed = !print_bytes(text, size);
}

// print of a number, after a text.
void toy_print_number(const char *text, word size, double number) NAMED("toy.print_number");
void toy_print_number(const char *text, word size, double number)
{
    if (can_print())
        output_failed = !print_number(text, size, number);
}

// Sets the form of the numbers that follow; -1 digits are the usual form.
void toy_print_format(const char *text, word size, int64_t digits, int64_t width) NAMED("toy.print_format");
void toy_print_format(const char *text, word size, int64_t digits, int64_t width)
{
    (void)text;
    (void)size;
    format.is_set = digits >= 0;
    format.digits = (unsigned)digits;
    format.width = (unsigned)width;
}

// A message: a text, and its additions.
struct message {
    char *end;
    char buffer[2 * ELEMENT_LIMIT];
};

static void add(struct message *message, const char *text)
{
    while (*text != 0)
        *message->end++ = *text++;
}

static void add_integer(struct message *message, int64_t value)
{
    if (value < 0)
        *message->end++ = '-';
    message->end = put_integer(message->end, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

// A number that is close to a whole one, with enough digits to show that it is not whole: the distance has one.
static void add_almost_whole(struct message *message, uint64_t bits)
{
    const uint64_t half = UINT64_C(1) << 51;
    const int exponent = (int)(bits >> 52 & 0x7ff);
    const uint64_t mantissa = (bits & (2 * half - 1)) | (exponent != 0 ? 2 * half : 0);
    // The number is mantissa / 2^shift, its distance from the nearest whole one is distance / 2^shift.
    int shift = 1075 - (exponent != 0 ? exponent : 1);
    uint64_t whole = shift < 64 ? mantissa >> shift : 0;
    uint64_t distance = shift < 64 ? mantissa - (whole << shift) : mantissa;
    const bool is_below = shift < 64 && distance > UINT64_C(1) << (shift - 1);
    if (is_below)
        distance = (UINT64_C(1) << shift) - distance;
    // Times ten, until it is rounded to a digit; near 0, until it has one.
    const bool is_near_0 = whole == 0 && !is_below;
    int digits = 0;
    while (shift > 61 || distance < UINT64_C(1) << (shift - !is_near_0)) {
        distance *= 5;
        shift--;
        digits++;
        if (distance >> 58 != 0) {
            distance >>= 4;
            shift -= 4;
        }
    }
    uint64_t digit = (distance + (UINT64_C(1) << (shift - 1))) >> shift;
    if (bits >> 63 != 0)
        *message->end++ = '-';
    if (is_near_0) {
        if (digit == 10) {
            digit = 1;
            digits--;
        }
        add_integer(message, (int64_t)digit);
        add(message, "e-");
        add_integer(message, digits);
        return;
    }
    add_integer(message, (int64_t)whole);
    *message->end++ = '.';
    for (int place = 1; place < digits; place++)
        *message->end++ = is_below ? '9' : '0';
    add_integer(message, (int64_t)(is_below ? 10 - digit : digit));
}

// A number that is not whole, without the zeros at its end.
static void add_number(struct message *message, uint64_t bits)
{
    char *end = put_f64(message->end, bits);
    const bool is_finite = (bits >> 52 & 0x7ff) != 0x7ff;
    while (is_finite && end[-1] == '0')
        end--;
    if (is_finite && end[-1] == '.')
        add_almost_whole(message, bits);
    else
        message->end = end;
}

// The values that a check has found wrong.
struct values {
    int64_t index, size;
    double number;
};

// Ends the program, whose output comes before the message. A function of a library returns to its caller instead.
static _Noreturn __attribute__((noinline, cold)) void fail(int code, struct place place, const struct message *message,
                                                           struct values values)
{
    const size_t length = (size_t)(message->end - message->buffer);
    fflush(output_stream());
    if (escape != NULL)
        keep(code, place, message->buffer, length, values.index, values.size, values.number);
#ifdef TOY_JIT
    const bool is_said = redirected == NULL;
#else
    const bool is_said = escape == NULL || toy_last_error == NULL;
#endif
    if (is_said) {
        static const char error[] = ": error: ";
        const size_t path = (size_t)(after(place.file) - place.file) - 1;
        if (path > 0) {
            write(2, place.file, path);
            write(2, ":", 1);
            write(2, place.line, (size_t)(after(place.line) - place.line) - 1);
            write(2, error, sizeof error - 1);
        }
        write(2, message->buffer, length);
    }
    if (escape != NULL)
        longjmp(escape, 1);
    exit(1);
}

#define MESSAGE(message, place) \
    struct message message;     \
    message.end = message.buffer; \
    add(&message, place.words)

// The size of the texts that these functions get is that of all strings in it.
_Noreturn void toy_fail(const char *text, word size) NAMED("toy.fail");
_Noreturn __attribute__((cold)) void toy_fail(const char *text, word size)
{
    (void)size;
    const struct place place = place_of(text);
    MESSAGE(message, place);
    fail(STEP_OF_ZERO, place, &message, (struct values){0, 0, 0});
}

_Noreturn void toy_fail_whole(const char *text, word size, double number) NAMED("toy.fail_whole");
_Noreturn __attribute__((cold)) void toy_fail_whole(const char *text, word size, double number)
{
    (void)size;
    const struct place place = place_of(text);
    MESSAGE(message, place);
    uint64_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    const unsigned exponent = bits >> 52 & 0x7ff;
    // From 2^53 on, all numbers are whole, but some whole numbers are missing.
    if (exponent >= 1023 + 53 && exponent != 0x7ff) {
        message.end = put_f64(message.end, bits) - 7;
        add(&message, " is too large\n");
    } else {
        add_number(&message, bits);
        add(&message, " is not a whole number\n");
    }
    fail(NOT_WHOLE, place, &message, (struct values){0, 0, number});
}

_Noreturn void toy_fail_range(const char *text, word size, int64_t index, int64_t count) NAMED("toy.fail_range");
_Noreturn __attribute__((cold)) void toy_fail_range(const char *text, word size, int64_t index, int64_t count)
{
    (void)size;
    const struct place place = place_of(text);
    MESSAGE(message, place);
    add_integer(&message, index);
    add(&message, " is out of range: the dimension has ");
    add_integer(&message, count);
    add(&message, count == 1 ? " element" : " elements");
    if (index < 0 && index >= -count)
        add(&message, "; a computed index does not count from the end");
    add(&message, "\n");
    fail(OUT_OF_RANGE, place, &message, (struct values){index, count, 0});
}

// The lowest address to which the stack of this thread may grow, with room for the program's calls. Unknown at first:
// then every address is too low.
static _Thread_local uintptr_t stack_limit = UINTPTR_MAX;
enum { STACK_RESERVE = 256 * 1024 };

#ifdef __wasm__
// The function that was entered last: the engine has a stack of its own, and does not say where it ends.
static const char *entered = nowhere;

static void measure_stack(void)
{
    stack_limit = lowest_stack() + STACK_RESERVE;
}
#else
// The C library's own description of a thread; it is smaller than this.
union thread_attributes {
    char bytes[256];
    long alignment;
};
extern unsigned long pthread_self(void);
extern int pthread_getattr_np(unsigned long thread, union thread_attributes *attributes);
extern int pthread_attr_getstack(const union thread_attributes *attributes, void **address, size_t *size);
extern int pthread_attr_destroy(union thread_attributes *attributes);

static void measure_stack(void)
{
    union thread_attributes attributes;
    void *lowest;
    size_t length;
    stack_limit = 0; // If nothing is known, nothing is checked.
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &lowest, &length) == 0)
        stack_limit = (uintptr_t)lowest + (length > 2 * STACK_RESERVE ? STACK_RESERVE : length / 2);
    pthread_attr_destroy(&attributes);
}
#endif

static _Noreturn void fail_too_deep(const char *text)
{
    const struct place place = place_of(text);
    MESSAGE(message, place);
    fail(TOO_DEEP, place, &message, (struct values){0, 0, 0});
}

static __attribute__((noinline, cold)) void check_stack(const char *text, uintptr_t frame)
{
    if (stack_limit == UINTPTR_MAX)
        measure_stack();
    if (frame >= stack_limit)
        return;
    fail_too_deep(text);
}

// The stack of a program whose functions call themselves, so that the depth of calls is the same however it is run.
#define STACK_SIZE ((size_t)128 << 20)

#ifdef TOY_JIT
// Runs a program, on as much of this stack as an executable has. Its allocations are lost if it fails.
int toy_run(int (*program)(void))
{
    _Alignas(16) char registers[512];
    void *const previous = escape;
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    memory_before = written_memory();
    asked = 0;
    last_error.code = 0;
    measure_stack();
    if (frame - stack_limit > STACK_SIZE - STACK_RESERVE)
        stack_limit = frame - (STACK_SIZE - STACK_RESERVE);
    escape = registers;
    const int status = _setjmp(registers) == 0 ? program() : 1;
    escape = previous;
    stack_limit = UINTPTR_MAX;
    return status;
}
#elif defined(__wasm__)
int toy_run(int (*program)(void)) NAMED("toy.run");
int toy_run(int (*program)(void))
{
    return program();
}

// Called by the host where the engine's stack ended.
_Noreturn void toy_too_deep(void)
{
    fail_too_deep(entered);
}
#else
extern int pthread_attr_init(union thread_attributes *attributes);
extern int pthread_attr_setstacksize(union thread_attributes *attributes, size_t size);
extern int pthread_create(unsigned long *thread, const union thread_attributes *attributes,
                          void *(*start)(void *), void *argument);
extern int pthread_join(unsigned long thread, void **result);

struct start {
    int (*program)(void);
    int status;
};

static void *start(void *argument)
{
    struct start *start = argument;
    start->status = start->program();
    return NULL;
}

// Runs a program on a stack of its own; if there is no room for it, on the process's stack.
int toy_run(int (*program)(void)) NAMED("toy.run");
int toy_run(int (*program)(void))
{
    struct start the_start = {program, 1};
    union thread_attributes attributes;
    unsigned long thread;
    if (pthread_attr_init(&attributes) != 0)
        return program();
    const bool is_started = pthread_attr_setstacksize(&attributes, STACK_SIZE) == 0
                            && pthread_create(&thread, &attributes, start, &the_start) == 0;
    pthread_attr_destroy(&attributes);
    if (!is_started)
        return program();
    pthread_join(thread, NULL);
    return the_start.status;
}
#endif

// At the start of each function that may call itself.
extern inline void toy_enter(const char *text, word size) NAMED("toy.enter");
extern inline __attribute__((always_inline)) void toy_enter(const char *text, word size)
{
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    (void)size;
#ifdef __wasm__
    entered = text;
#endif
    if (__builtin_expect(frame < stack_limit, 0))
        check_stack(text, frame);
}

// The number of the version of functions that this processor can run (crates/toy-compiler/src/stages/loops/versions.rs):
// 0 for any, 1 for x86-64-v3, 2 for x86-64-v4, or a lower one that TOYC_CPU names: `x86-64`, `x86-64-v2`, and so on. Other
// texts in it are ignored, because a library has nobody to tell. Called by the loader, before any other function.
int toy_find_processor(void) NAMED("toy.find_processor");
#if defined(__x86_64__)
#include <cpuid.h>

extern char *getenv(const char *name);

// The registers A, B, C and D of the instruction `cpuid`. Without operands, which LLVM takes long to read: this file is
// compiled with every program.
__attribute__((naked, noinline)) static void ask(unsigned topic, unsigned registers[4])
{
    __asm__("pushq %rbx\n\tmovl %edi, %eax\n\txorl %ecx, %ecx\n\tcpuid\n\tmovl %eax, (%rsi)\n\tmovl %ebx, 4(%rsi)\n\t"
            "movl %ecx, 8(%rsi)\n\tmovl %edx, 12(%rsi)\n\tpopq %rbx\n\tretq");
}

// The registers that the system keeps for each thread.
__attribute__((naked, noinline)) static unsigned kept(void)
{
    __asm__("xorl %ecx, %ecx\n\txgetbv\n\tretq");
}

// The instructions of a level: bits of a register for a topic. The order is that of the levels; `xgetbv` needs OSXSAVE.
static const struct {
    unsigned level, topic, at, bits, kept;
} needed[] = {
    {1, 1, 2, bit_SSE3 | bit_SSSE3 | bit_FMA | bit_CMPXCHG16B | bit_SSE4_1 | bit_SSE4_2 | bit_MOVBE | bit_POPCNT
                  | bit_OSXSAVE | bit_AVX | bit_F16C, 0x06},
    {1, 0x80000001, 2, bit_LAHF_LM | bit_LZCNT, 0x06},
    {1, 7, 1, bit_AVX2 | bit_BMI | bit_BMI2, 0x06},
    {2, 7, 1, bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | 1u << 31, 0xe6},
};

__attribute__((cold)) int toy_find_processor(void)
{
    static const char known[] = "x86-64-v";
    unsigned most = 2, registers[4];
    const char *name = getenv("TOYC_CPU");
    if (name != NULL) {
        unsigned at = 0;
        while (at < sizeof known - 1 && name[at] == known[at])
            at++;
        if (at == 6 && name[at] == 0)
            most = 0;
        if (at == 8 && name[at] >= '1' && name[at] <= '3' && name[at + 1] == 0)
            most = name[at] == '3';
    }
    for (unsigned at = 0; at < sizeof needed / sizeof *needed; at++) {
        ask(needed[at].topic & 0x80000000, registers);
        if (needed[at].level > most || registers[0] < needed[at].topic)
            return (int)needed[at].level - 1;
        ask(needed[at].topic, registers);
        if (~registers[needed[at].at] & needed[at].bits || ~kept() & needed[at].kept)
            return (int)needed[at].level - 1;
    }
    return 2;
}
#else
int toy_find_processor(void)
{
    return 0;
}
#endif

// The functions that a library calls. A stream remembers that it has failed; since other parts of the process write to
// it, too, only a failure during the call counts.
void toy_export_print(const struct toy_tensor *tensor)
{
    print_tensor(tensor);
}

void toy_export_print_text(const char *text, word size)
{
    print_bytes(text, size);
}

void toy_export_print_number(const char *text, word size, double number)
{
    print_number(text, size, number);
}

void *toy_export_escape(void *registers)
{
    void *const previous = escape;
    escape = registers;
    return previous;
}

int toy_export_print_begin(void)
{
    return ferror(output_stream());
}

// The status of the function.
int toy_export_print_end(int had_failed)
{
    static const char message[] = "cannot write to standard output";
    const bool has_flushed = fflush(output_stream()) == 0;
    if (has_flushed && (ferror(output_stream()) == 0 || had_failed != 0))
        return 0;
    keep(CANNOT_PRINT, place_of(nowhere), message, sizeof message - 1, 0, 0, 0);
    return CANNOT_PRINT;
}

// Keeps that a function has returned a status without having begun: the words of the text say why. With a size, so
// many bytes are missing.
__attribute__((cold)) void toy_export_refuse(const char *text, word size, int status, int64_t bytes)
{
    (void)size;
    const struct place place = place_of(text);
    MESSAGE(message, place);
    if (bytes != 0) {
        add_integer(&message, bytes);
        add(&message, " bytes are needed at once");
    }
    keep(status, place, message.buffer, (size_t)(message.end - message.buffer), 0, bytes, 0);
}

// The library's own memory for the last error.
struct toy_error *toy_export_error(void)
{
    return &last_error;
}

void *toy_export_allocate(word size)
{
    return size > SIZE_MAX ? NULL : size < LARGE ? malloc((size_t)size) : allocate_large((size_t)size);
}

void toy_export_free(void *memory)
{
    free(memory);
}

// MLIR's `memrefCopy`, for strided memory. It recurses once per dimension, except for the last one, which
// is a loop, or one block if its elements follow each other. Of the element type, only the size in bytes is known.
static void copy_elements(char *to, const char *from, int64_t rank, const int64_t *sizes,
                          const int64_t *to_strides, const int64_t *from_strides, int64_t size)
{
    if (rank == 0 || (rank == 1 && to_strides[0] == 1 && from_strides[0] == 1)) {
        __builtin_memcpy(to, from, (size_t)(rank == 0 ? size : sizes[0] * size));
        return;
    }
    for (int64_t i = 0; i < sizes[0]; i++) {
        copy_elements(to, from, rank - 1, sizes + 1, to_strides + 1, from_strides + 1, size);
        to += to_strides[0] * size;
        from += from_strides[0] * size;
    }
}

void toy_memref_copy(int64_t element_size, const struct toy_tensor *from, const struct toy_tensor *to)
{
    const int64_t rank = from->rank;
    const int64_t *sizes = from->descriptor->sizes_and_strides;
    for (int64_t d = 0; d < rank; d++)
        if (sizes[d] == 0)
            return;
    copy_elements((char *)to->descriptor->aligned + to->descriptor->offset * element_size,
                  (const char *)from->descriptor->aligned + from->descriptor->offset * element_size, rank,
                  sizes, to->descriptor->sizes_and_strides + rank, sizes + rank, element_size);
}

// LLVM's code for x86-64 and WebAssembly calls these functions to convert 16-bit numbers; AArch64 has instructions. A compiler's
// own library may lack them (GCC's has the functions of `bf16` from version 13 on), so they are here. Older versions of
// GCC do not have the type `__bf16` either; with them the file is tested without it.
#if defined(__x86_64__) || defined(__wasm__)

#ifdef __wasm__
// There, these numbers are passed as their bits, and clang has no types for them.
#define _Float16 uint16_t
#define __bf16 uint16_t
#endif

// The bits of a number in a narrower format, rounded to nearest, ties to even. A format is given by the
// number of bits of its fraction and of its exponent. A NaN stays a NaN, with as many of its bits as
// fit, and becomes quiet.
static uint16_t narrowed(uint64_t bits, int fraction_bits, int exponent_bits, int to_fraction_bits,
                         int to_exponent_bits)
{
    const uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    const int all_ones = (1 << exponent_bits) - 1;
    const int exponent = (int)(bits >> fraction_bits) & all_ones;
    const uint64_t sign = (bits >> (fraction_bits + exponent_bits)) << (to_fraction_bits + to_exponent_bits);
    const uint64_t infinity = ((UINT64_C(1) << to_exponent_bits) - 1) << to_fraction_bits;
    if (exponent == all_ones && fraction != 0) {
        const uint64_t quiet = UINT64_C(1) << (to_fraction_bits - 1);
        return (uint16_t)(sign | infinity | quiet | fraction >> (fraction_bits - to_fraction_bits));
    }
    if (exponent == all_ones)
        return (uint16_t)(sign | infinity);
    const uint64_t significand = exponent != 0 ? fraction | UINT64_C(1) << fraction_bits : fraction;
    // The exponent as the other format encodes it. Below 1 it is encoded as 0, and the fraction is shifted.
    const int bias = all_ones >> 1, to_bias = ((1 << to_exponent_bits) - 1) >> 1;
    const int to_exponent = (exponent != 0 ? exponent : 1) - bias + to_bias;
    int dropped = fraction_bits - to_fraction_bits;
    if (to_exponent < 1)
        dropped += 1 - to_exponent;
    if (dropped > fraction_bits + 2)
        dropped = fraction_bits + 2; // Less than half of the smallest number.
    const uint64_t rest = significand & ((UINT64_C(1) << dropped) - 1);
    const uint64_t half = UINT64_C(1) << (dropped - 1);
    uint64_t result = significand >> dropped;
    if (rest > half || (rest == half && (result & 1) != 0))
        result++;
    // The leading one of the significand adds one to the exponent, and so does rounding up to a power of
    // two.
    if (to_exponent > 1)
        result += (uint64_t)(to_exponent - 1) << to_fraction_bits;
    return (uint16_t)(sign | (result < infinity ? result : infinity));
}

static uint16_t narrowed_float(float value, int to_fraction_bits, int to_exponent_bits)
{
    const union { float value; uint32_t bits; } from = {value};
    return narrowed(from.bits, 23, 8, to_fraction_bits, to_exponent_bits);
}

static uint16_t narrowed_double(double value, int to_fraction_bits, int to_exponent_bits)
{
    const union { double value; uint64_t bits; } from = {value};
    return narrowed(from.bits, 52, 11, to_fraction_bits, to_exponent_bits);
}

_Float16 __truncsfhf2(float value)
{
    const union { uint16_t bits; _Float16 value; } to = {narrowed_float(value, 10, 5)};
    return to.value;
}

_Float16 __truncdfhf2(double value)
{
    const union { uint16_t bits; _Float16 value; } to = {narrowed_double(value, 10, 5)};
    return to.value;
}

float __extendhfsf2(_Float16 value)
{
    const union { _Float16 value; uint16_t bits; } from = {value};
    const uint32_t sign = (uint32_t)(from.bits >> 15) << 31;
    const uint32_t exponent = from.bits >> 10 & 31;
    uint32_t fraction = (uint32_t)(from.bits & 1023) << 13;
    union { uint32_t bits; float value; } to;
    if (exponent == 31) {
        to.bits = sign | 255u << 23 | (fraction != 0 ? 1u << 22 | fraction : 0);
    } else if (exponent != 0) {
        to.bits = sign | (exponent + 127 - 15) << 23 | fraction;
    } else if (fraction == 0) {
        to.bits = sign;
    } else {
        // Denormals have no implicit leading one in their 16 bits; here they get one.
        uint32_t to_exponent = 1 + 127 - 15;
        for (; (fraction & 1u << 23) == 0; fraction <<= 1)
            to_exponent--;
        to.bits = sign | to_exponent << 23 | (fraction & ((1u << 23) - 1));
    }
    return to.value;
}

#if defined(__clang__) || __GNUC__ >= 13
__bf16 __truncsfbf2(float value)
{
    const union { uint16_t bits; __bf16 value; } to = {narrowed_float(value, 7, 8)};
    return to.value;
}

__bf16 __truncdfbf2(double value)
{
    const union { uint16_t bits; __bf16 value; } to = {narrowed_double(value, 7, 8)};
    return to.value;
}
#endif
#endif
