// Results as files or text.
//
// Input:  a tensor, and a name with `.npy` or `.csv` at its end, or none.
// Output: a file that is complete or not there at all, or text on standard output.

// A file under another name until it is complete. Anything but a regular file is written directly.
struct output {
    int file;
    bool is_special, has_failed;
    char path[TEXT], temporary[TEXT + 32];
    size_t size;
    char buffer[1 << 16];
};

static void flush(struct output *output)
{
    for (size_t done = 0; done < output->size && !output->has_failed;) {
        const long count = write(output->file, output->buffer + done, output->size - done);
        output->has_failed = count <= 0;
        done += count > 0 ? (size_t)count : 0;
    }
    output->size = 0;
}

static void put(struct output *output, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0 && !output->has_failed) {
        const size_t part = MIN(size, sizeof output->buffer - output->size);
        __builtin_memcpy(output->buffer + output->size, from, part);
        output->size += part;
        from += part;
        size -= part;
        if (output->size == sizeof output->buffer)
            flush(output);
    }
}

// The type of a file, as in `st_mode`; 0 if it does not exist.
static unsigned type_of(const char *path)
{
#ifdef __wasm__
    extern unsigned toy_type_of(const char *path);
    return toy_type_of(path);
#else
#ifdef __x86_64__
    enum { STATX = 332 };
#else
    enum { STATX = 291 };
#endif
    enum { WORKING_DIRECTORY = -100, TYPE = 1, MODE = 28 };
    char status[256] = {0};
    uint16_t mode = 0;
    if (syscall(STATX, WORKING_DIRECTORY, path, 0, TYPE, status) == 0)
        __builtin_memcpy(&mode, status + MODE, sizeof mode);
    return mode & 0170000;
#endif
}

static bool cannot_write(struct error *error, const char *path)
{
    return fail(error, CANNOT_WRITE, "cannot write `%s`: %s", path, reason());
}

static bool open_output(struct error *error, const char *path, struct output *output)
{
    enum { WRITE_ONLY = 1, CREATE = 0100, EXCLUSIVE = 0200, REGULAR = 0100000 };
    output->size = 0;
    output->has_failed = false;
    const unsigned type = type_of(path);
    output->is_special = type != 0 && type != REGULAR;
    // A link stays one.
    char *const real = type == REGULAR ? realpath(path, NULL) : NULL;
    snprintf(output->path, TEXT, "%s", real != NULL ? real : path);
    free(real);
    snprintf(output->temporary, sizeof output->temporary, "%s.%d.part", output->path, getpid());
    output->file = output->is_special ? open(path, WRITE_ONLY)
                                      : open(output->temporary, WRITE_ONLY | CREATE | EXCLUSIVE, 0666);
    return output->file >= 0 || cannot_write(error, path);
}

static bool close_output(struct error *error, struct output *output)
{
    flush(output);
    const bool is_closed = !output->has_failed;
    const bool is_written = is_closed || cannot_write(error, output->path);
    close(output->file);
    if (!is_written && !output->is_special)
        unlink(output->temporary);
    return is_written;
}

static void write_npy(struct output *output, const void *data, int64_t bytes, const int64_t *sizes, int64_t rank)
{
    char text[MAX_RANK * 16 + 128];
    enum { BEFORE = 10 };
    int end = snprintf(text, sizeof text, "{'descr': '<f%ld', 'fortran_order': False, 'shape': (", (long)bytes);
    for (int64_t d = 0; d < rank; d++)
        end += snprintf(text + end, sizeof text - (size_t)end, d + 1 < rank ? "%ld, " : "%ld,", (long)sizes[d]);
    end += snprintf(text + end, sizeof text - (size_t)end, "), }");
    while ((BEFORE + end + 1) % ALIGNMENT != 0)
        text[end++] = ' ';
    text[end++] = '\n';
    const uint8_t start[BEFORE] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)end, (uint8_t)(end >> 8)};
    put(output, start, BEFORE);
    put(output, text, (size_t)end);
    put(output, data, (size_t)(elements(sizes, rank) * bytes));
}

// A vector is a column.
static void write_csv(struct output *output, const double *data, const int64_t *sizes, int64_t rank)
{
    const int64_t columns = rank == 2 ? sizes[1] : 1, count = elements(sizes, rank);
    for (int64_t i = 0; i < count; i++) {
        char text[40];
        // The shortest digits that are read as this number.
        int size = 0;
        for (int digits = 15; digits <= 17; digits++) {
            size = data[i] != data[i] ? snprintf(text, sizeof text, "nan")
                                      : snprintf(text, sizeof text, "%.*g", digits, data[i]);
            if (strtod(text, NULL) == data[i])
                break;
        }
        text[size++] = (i + 1) % columns == 0 ? '\n' : ',';
        put(output, text, (size_t)size);
    }
}
