// Output, loops that are watched, and the end of the program.

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
