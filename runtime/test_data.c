// Reads damaged files with data.c: each is refused with a message or read, and nothing outside of it is touched.
//
// Input: the number of files, and a seed. Files are right ones with some changes: bytes replaced, inserted, removed, or
// all after a place. Build with -DTOY_JIT, with -fsanitize=address,undefined, and with mmap as test_mmap, whose memory
// has exactly the size of the file.

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct error {
    int code;
    char text[8192];
};
int64_t toy_data_shape(const char *text, const int64_t **sizes, int64_t *bytes, struct error *error);

void *test_mmap(void *start, size_t size, int protection, int flags, int file, long offset)
{
    (void)start, (void)protection, (void)flags, (void)offset;
    char *const memory = malloc(size);
    lseek(file, 0, SEEK_SET);
    if (memory != NULL && read(file, memory, size) == (ssize_t)size)
        return memory;
    free(memory);
    return (void *)-1;
}

int test_munmap(void *start, size_t size)
{
    (void)size;
    free(start);
    return 0;
}

static uint64_t state;

static size_t any(size_t limit)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (size_t)(state % limit);
}

struct file {
    char bytes[4096];
    size_t size;
};

static struct file npy(int version, const char *header, size_t data)
{
    struct file file = {.size = version == 1 ? 10 : 12};
    const size_t length = strlen(header);
    memcpy(file.bytes, "\x93NUMPY", 6);
    file.bytes[6] = (char)version;
    file.bytes[8] = (char)length;
    memcpy(file.bytes + file.size, header, length);
    file.size += length + data;
    return file;
}

static struct file table(const char *text)
{
    struct file file = {.size = strlen(text)};
    memcpy(file.bytes, text, file.size);
    return file;
}

static void replace(struct file *file, size_t place, size_t removed, const char *with, size_t size)
{
    if (place > file->size)
        place = file->size;
    if (removed > file->size - place)
        removed = file->size - place;
    if (file->size - removed + size > sizeof file->bytes)
        return;
    memmove(file->bytes + place + size, file->bytes + place + removed, file->size - place - removed);
    memcpy(file->bytes + place, with, size);
    file->size = file->size - removed + size;
}

static void damage(struct file *file)
{
    static const char *const pieces[] = {"(",  ")",  "{",  "}",  "'",  ",", ":",   "<f8", ">i4", "|O",    "True",  "99999999999999999999",
                                         "\n", "\r", "\"", ";",  "\t", " ", "nan", "1e",  "-",   "descr", "shape", "L"};
    // Most of what can go wrong is at the start.
    const size_t place = any(any(4) == 0 ? file->size + 1 : 130);
    const char *const piece = pieces[any(sizeof pieces / sizeof *pieces)];
    const char byte = (char)any(256);
    switch (any(6)) {
    case 0:
        replace(file, place, 1, &byte, 1);
        break;
    case 1:
        replace(file, place, 0, piece, strlen(piece));
        break;
    case 2:
        replace(file, place, 1 + any(8), piece, strlen(piece));
        break;
    case 3:
        replace(file, place, 1 + any(8), "", 0);
        break;
    case 4:
        replace(file, place, file->size, "", 0);
        break;
    default:
        replace(file, file->size, 0, &byte, 1);
    }
}

int main(int count, char **arguments)
{
    const long runs = count > 1 ? atol(arguments[1]) : 1000;
    state = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    const struct file right[] = {
        npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", 48),
        npy(2, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3, 4), }\n", 96),
        npy(3, "{'descr': '|b1', 'fortran_order': True, 'shape': (17, 3), }\n", 51),
        npy(1, "{'shape': (5,), 'descr': '<i8', 'fortran_order': False}", 40),
        npy(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (), }\n", 2),
        table("a,b,c\n1,2,3\n-4e5,nan,.5\n"),
        table("\xef\xbb\xbf\"x;y\";z\r\n1;2\r\n3;4\r\n"),
        table("1\t2\n3\t4\n\n"),
    };
    long read = 0;
    for (long run = 0; run < runs; run++) {
        const size_t which = any(sizeof right / sizeof *right);
        struct file file = right[which];
        for (size_t changes = any(4); changes > 0; changes--)
            damage(&file);
        char name[64];
        snprintf(name, sizeof name, "%ld.%s", run, which < 5 ? "npy" : "csv");
        const int out = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (out < 0 || write(out, file.bytes, file.size) != (ssize_t)file.size)
            return 2;
        close(out);
        static struct error error;
        error.code = 0;
        error.text[0] = 0;
        const int64_t *sizes = NULL;
        int64_t bytes;
        const int64_t rank = toy_data_shape(name, &sizes, &bytes, &error);
        unlink(name);
        read += rank >= 0;
        if (rank < 0 ? error.text[0] == 0 || error.code != 540 : rank > 256) {
            fprintf(stderr, "file %ld: rank %ld, error %d\n", run, (long)rank, error.code);
            return 1;
        }
    }
    printf("%ld of %ld were read\n", read, runs);
    return read < runs / 10;
}
