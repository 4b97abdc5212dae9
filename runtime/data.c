// Data for a program whose `main` has parameters or a result: its arguments are numbers and files of numbers, its
// results become files or text.
//
// Input:  the program's command line, a table of its parameters and results, and its function for these shapes.
// Output: the exit status; results are printed or written to files, which are complete or not there at all.
//
// Part of an executable only if it needs it, as bitcode beside runtime.c and by the same rules (no headers, nothing but
// the C library), and part of the compiler, which reads the files for their shapes before it compiles, and whose
// `toyc run` is the same code. Files are not trusted: sizes are compared with the file before anything is allocated.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct _IO_FILE FILE;
extern FILE *stdout;
extern int fflush(FILE *stream);
extern int open(const char *path, int flags, ...);
extern int close(int file);
extern long read(int file, void *data, size_t size);
extern long write(int file, const void *data, size_t size);
extern long lseek(int file, long offset, int whence);
extern int dup(int file);
extern int dup2(int from, int to);
extern int rename(const char *from, const char *to);
extern int unlink(const char *path);
extern int access(const char *path, int mode);
extern char *realpath(const char *path, char *resolved);
extern int getpid(void);
extern long syscall(long number, ...);
extern void *mmap(void *start, size_t size, int protection, int flags, int file, long offset);
extern int munmap(void *start, size_t size);
extern void *malloc(size_t size);
extern void *realloc(void *memory, size_t size);
extern void free(void *memory);
extern void qsort(void *start, size_t count, size_t size, int (*compare)(const void *, const void *));
extern double strtod(const char *text, char **end);
extern int snprintf(char *out, size_t size, const char *format, ...);
extern int vsnprintf(char *out, size_t size, const char *format, __builtin_va_list arguments);
extern char *strerror(int error);
extern int *__errno_location(void);
extern size_t strlen(const char *text);
extern int strcmp(const char *a, const char *b);
extern int strncasecmp(const char *a, const char *b, size_t size);
extern int memcmp(const void *a, const void *b, size_t size);
extern void *memchr(const void *start, int byte, size_t size);
extern char *strstr(const char *text, const char *part);
struct time {
    long seconds, nanoseconds;
};
extern int clock_gettime(int clock, struct time *time);

// Of runtime.c.
extern void *toy_aligned_alloc(uint64_t alignment, uint64_t size);
extern int toy_run(int (*program)(void))
#ifndef TOY_JIT
    __asm__("toy.run")
#endif
    ;
struct toy_tensor {
    int64_t rank;
    const struct toy_descriptor *descriptor;
};
extern void toy_export_print(const struct toy_tensor *tensor);
extern void toy_export_print_text(const char *text, uint64_t size);
extern int toy_export_print_begin(void);
extern int toy_export_print_end(int had_failed);

enum { MAX_RANK = 256, ALIGNMENT = 64, TEXT = 4096 };
#define MAX_ELEMENTS ((int64_t)1 << 37) // The language's limit is 2^40 bytes.
#define MIN(a, b) ((a) < (b) ? (a) : (b))

// The first error: the number of its code, and the message.
struct error {
    int code;
    char text[2 * TEXT];
};
enum { CANNOT_WRITE = 2, BAD_DATA = 540, BAD_ARGUMENTS = 541 };

static __attribute__((format(printf, 3, 4), cold)) bool fail(struct error *error, int code, const char *format, ...)
{
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    __builtin_va_end(arguments);
    error->code = code;
    return false;
}

// `strerror` is not for threads, and the compiler is a process with several; an error is rare.
static const char *reason(void)
{
    return strerror(*__errno_location());
}

// As much memory, from the beginning of a line of the cache on, and never none.
static void *memory(uint64_t size)
{
    return toy_aligned_alloc(ALIGNMENT, (size + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
}

// A tensor in memory, row by row.
struct tensor {
    double *data;
    int64_t rank;
    int64_t sizes[MAX_RANK];
    bool is_csv;
    int64_t bytes;   // Of each element where it comes from, if that has floating-point numbers of a size; else 0.
    int64_t inexact; // Elements that no double is equal to.
};

static int64_t elements(const int64_t *sizes, int64_t rank)
{
    int64_t count = 1;
    for (int64_t d = 0; d < rank; d++)
        count *= sizes[d];
    return count;
}

// `2x3`, as messages write it.
static const char *shape(char out[TEXT], const int64_t *sizes, int64_t rank)
{
    int end = snprintf(out, TEXT, rank == 0 ? "scalar" : "");
    for (int64_t d = 0; d < rank && end < TEXT - 32; d++)
        end += snprintf(out + end, (size_t)(TEXT - end), d == 0 ? "%ld" : "x%ld", (long)sizes[d]);
    return out;
}

// The words before a shape in a sentence.
static const char *has(int64_t rank)
{
    return rank == 0 ? "is a " : "has the shape ";
}

#include "data/files.c"
#include "data/npy.c"
#include "data/csv.c"
#include "data/arguments.c"
#include "data/results.c"
#include "data/program.c"
#include "data/command.c"
