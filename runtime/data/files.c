// Files: their bytes, mapped if they are regular ones, and what they are.

// The bytes of a file; those of a regular one are mapped, and a write to them would not reach the file.
struct bytes {
    char *start;
    size_t size;
    bool is_mapped;
};

static void release(struct bytes *bytes)
{
    if (bytes->is_mapped)
        munmap(bytes->start, bytes->size);
    else
        free(bytes->start);
}

static bool read_stream(struct error *error, const char *path, int file, struct bytes *bytes)
{
    size_t room = 0;
    while (true) {
        if (bytes->size == room) {
            char *const larger = realloc(bytes->start, room = room == 0 ? 1 << 16 : 2 * room);
            if (larger == NULL)
                return fail(error, BAD_DATA, "there is no memory for `%s`", path);
            bytes->start = larger;
        }
        const long count = read(file, bytes->start + bytes->size, room - bytes->size);
        if (count < 0)
            return fail(error, BAD_DATA, "cannot read `%s`: %s", path, reason());
        if (count == 0)
            return bytes->size != 0 || fail(error, BAD_DATA, "`%s` is empty", path);
        bytes->size += (size_t)count;
    }
}

static bool read_file(struct error *error, const char *path, struct bytes *bytes)
{
    enum { READ_ONLY = 0, AT_END = 2, FROM_START = 0, READ_AND_WRITE = 3, PRIVATE = 2 };
    const int file = open(path, READ_ONLY);
    if (file < 0)
        return fail(error, BAD_DATA, "cannot read `%s`: %s", path, reason());
    const long size = lseek(file, 0, AT_END);
    *bytes = (struct bytes){NULL, 0, false};
    bool is_read = true;
    void *const start = size <= 0 ? (void *)-1 : mmap(NULL, (size_t)size, READ_AND_WRITE, PRIVATE, file, 0);
    if (start != (void *)-1) {
        *bytes = (struct bytes){start, (size_t)size, true};
    } else {
        lseek(file, 0, FROM_START);
        is_read = read_stream(error, path, file, bytes);
    }
    close(file);
    return is_read;
}
