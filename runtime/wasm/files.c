// Files and texts, for data.c.
//
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
