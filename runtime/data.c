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

// --- files ---

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

// --- .npy ---

// The elements of a file: `f`, `i`, `u` or `b`, and their size in bytes.
struct elements {
    char kind;
    int size;
};

// The rest of a header.
struct header {
    const char *at, *end;
};

static bool eat(struct header *header, char wanted)
{
    while (header->at < header->end && (*header->at == ' ' || *header->at == '\n'))
        header->at++;
    if (header->at == header->end || *header->at != wanted)
        return false;
    header->at++;
    return true;
}

// A string in quotes; NULL if there is none.
static const char *quoted(struct header *header, size_t *size)
{
    const char quote = eat(header, '\'') ? '\'' : '"';
    if (quote == '"' && !eat(header, '"'))
        return NULL;
    const char *const start = header->at;
    const char *const end = memchr(start, quote, (size_t)(header->end - start));
    if (end == NULL)
        return NULL;
    *size = (size_t)(end - start);
    header->at = end + 1;
    return start;
}

static bool word(struct header *header, const char *text)
{
    const size_t size = strlen(text);
    eat(header, 0);
    if ((size_t)(header->end - header->at) < size || memcmp(header->at, text, size) != 0)
        return false;
    header->at += size;
    return true;
}

// Reads the sizes after `(`. False also if there are too many or a size is too large.
static bool read_sizes(struct header *header, struct tensor *tensor)
{
    int64_t count = 1;
    for (tensor->rank = 0; !eat(header, ')'); tensor->rank++) {
        int64_t size = 0;
        const char *const start = header->at;
        while (header->at < header->end && *header->at >= '0' && *header->at <= '9' && size <= MAX_ELEMENTS)
            size = 10 * size + (*header->at++ - '0');
        eat(header, 'L'); // Of Python 2.
        if (header->at == start || tensor->rank == MAX_RANK || size > MAX_ELEMENTS)
            return false;
        if (size != 0 && count > MAX_ELEMENTS / size)
            return false;
        count *= size;
        tensor->sizes[tensor->rank] = size;
        if (!eat(header, ',') && (header->at == header->end || *header->at != ')'))
            return false;
    }
    return true;
}

static bool read_type(struct error *error, const char *path, const char *text, size_t size, struct elements *of)
{
    static const char readable[] = "f8, f4, integers of 1 to 8 bytes and b1 can be read";
    const char order = size > 0 ? text[0] : 0;
    const int bytes = size == 3 ? text[2] - '0' : 0;
    of->kind = size > 1 ? text[1] : 0;
    of->size = bytes;
    const bool is_power = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    const bool is_known = (of->kind == 'f' && (bytes == 4 || bytes == 8)) || (of->kind == 'b' && bytes == 1)
                          || ((of->kind == 'i' || of->kind == 'u') && is_power);
    if (of->kind == 'O')
        return fail(error, BAD_DATA, "`%s` has elements of type object, not numbers: %s", path, readable);
    if (is_known && order == '>' && bytes > 1)
        return fail(error, BAD_DATA, "`%s` has big-endian elements: convert it with `x.astype('<%.2s')`", path, text + 1);
    if (is_known && (order == '<' || order == '|' || order == '>'))
        return true;
    return fail(error, BAD_DATA, "`%s` has elements of type `%.*s`: %s", path, (int)MIN(size, 20), text, readable);
}

static bool read_header(struct error *error, const char *path, struct header *header, struct tensor *tensor,
                        struct elements *of, bool *is_fortran)
{
    bool has_type = false, has_order = false, has_shape = false;
    bool is_fine = eat(header, '{');
    while (is_fine && !eat(header, '}')) {
        size_t size = 0;
        const char *const key = quoted(header, &size);
        is_fine = key != NULL && eat(header, ':');
        if (is_fine && size == 5 && memcmp(key, "descr", 5) == 0) {
            if (eat(header, '['))
                return fail(error, BAD_DATA, "`%s` has elements of several fields, not numbers", path);
            const char *const type = quoted(header, &size);
            is_fine = has_type = type != NULL;
            if (is_fine && !read_type(error, path, type, size, of))
                return false;
        } else if (is_fine && size == 13 && memcmp(key, "fortran_order", 13) == 0) {
            *is_fortran = word(header, "True");
            is_fine = has_order = *is_fortran || word(header, "False");
        } else if (is_fine && size == 5 && memcmp(key, "shape", 5) == 0) {
            is_fine = has_shape = eat(header, '(') && read_sizes(header, tensor);
            if (!is_fine)
                return fail(error, BAD_DATA, "`%s` has a shape that is too large, or cannot be read", path);
        } else {
            is_fine = false;
        }
        if (is_fine && !eat(header, ',') && (header->at == header->end || *header->at != '}'))
            is_fine = false;
    }
    eat(header, 0);
    if (is_fine && has_type && has_order && has_shape && header->at == header->end)
        return true;
    return fail(error, BAD_DATA, "`%s` has a header that cannot be read", path);
}

// An element as a double.
static inline double element(const char *from, struct elements of, int64_t *inexact)
{
#define AS(type)                                       \
    ({                                                 \
        type value;                                    \
        __builtin_memcpy(&value, from, sizeof value); \
        value;                                         \
    })
    if (of.kind == 'f')
        return of.size == 8 ? AS(double) : (double)AS(float);
    if (of.kind == 'b')
        return AS(uint8_t) != 0;
    if (of.size < 8) {
        const bool has_sign = of.kind == 'i';
        if (of.size == 4)
            return has_sign ? (double)AS(int32_t) : (double)AS(uint32_t);
        if (of.size == 2)
            return has_sign ? (double)AS(int16_t) : (double)AS(uint16_t);
        return has_sign ? (double)AS(int8_t) : (double)AS(uint8_t);
    }
    const uint64_t bits = AS(uint64_t);
    const bool is_negative = of.kind == 'i' && bits >> 63 != 0;
    const uint64_t size = is_negative ? -bits : bits;
    *inexact += size != 0 && size >> __builtin_ctzll(size) >> 53 != 0;
    return is_negative ? -(double)size : (double)size;
#undef AS
}

// Copies elements to rows. In Fortran's order the first index is next to the next one: the inner loop reads some of
// those and writes as many rows.
static void convert(struct tensor *tensor, const char *from, struct elements of, bool is_fortran)
{
    const int64_t count = elements(tensor->sizes, tensor->rank);
    if (!is_fortran || tensor->rank < 2) {
        for (int64_t i = 0; i < count; i++)
            tensor->data[i] = element(from + i * of.size, of, &tensor->inexact);
        return;
    }
    enum { ROWS = 16 };
    const int64_t *const sizes = tensor->sizes, first = sizes[0], rest = count / first;
    for (int64_t row = 0; row < first; row += ROWS) {
        int64_t index[MAX_RANK] = {0}, position = 0;
        for (int64_t i = 0; i < rest; i++) {
            for (int64_t j = row; j < MIN(row + ROWS, first); j++)
                tensor->data[j * rest + i] = element(from + (j + position) * of.size, of, &tensor->inexact);
            // The next index of the other dimensions, the last one first; `stride` is in elements of the file.
            int64_t stride = count;
            for (int64_t d = tensor->rank - 1; d > 0; d--) {
                stride /= sizes[d];
                position += stride;
                if (++index[d] < sizes[d])
                    break;
                position -= stride * sizes[d];
                index[d] = 0;
            }
        }
    }
}

static const char magic[] = "\x93NUMPY";

static bool read_npy(struct error *error, const char *path, struct bytes file, struct tensor *tensor)
{
    const uint8_t *const start = (const uint8_t *)file.start;
    if (file.size >= 4 && memcmp(start, "PK\3\4", 4) == 0)
        return fail(error, BAD_DATA, "`%s` is an archive, as .npz is: save each of its arrays as a .npy file", path);
    if (file.size < 6 || memcmp(start, magic, 6) != 0)
        return fail(error, BAD_DATA, "`%s` is not a .npy file", path);
    const bool is_first = file.size >= 12 && start[6] == 1;
    if (file.size >= 12 && (start[6] < 1 || start[6] > 3))
        return fail(error, BAD_DATA, "`%s` is a .npy file of version %d: 1 to 3 can be read", path, start[6]);
    const size_t before = is_first ? 10 : 12;
    size_t length = 0;
    for (size_t i = before; file.size >= 12 && i-- > 8;)
        length = length << 8 | start[i];
    if (file.size < 12 || file.size - before < length)
        return fail(error, BAD_DATA, "`%s` is truncated: it ends in its header", path);
    struct header header = {file.start + before, file.start + before + length};
    struct elements of = {0, 0};
    bool is_fortran = false;
    if (!read_header(error, path, &header, tensor, &of, &is_fortran))
        return false;
    char text[TEXT];
    const int64_t count = elements(tensor->sizes, tensor->rank);
    const size_t there = file.size - before - length;
    const uint64_t wanted = (uint64_t)count * (uint64_t)of.size;
    if (there != wanted)
        return fail(error, BAD_DATA, "`%s` is %s: its header (%s) says %zu bytes of data, but there are %zu", path,
                    there < wanted ? "truncated" : "too long", shape(text, tensor->sizes, tensor->rank), (size_t)wanted, there);
    if (count == 0)
        return fail(error, BAD_DATA, "`%s` has no elements (its shape is %s), but a tensor has at least one", path,
                    shape(text, tensor->sizes, tensor->rank));
    char *const data = file.start + before + length;
    tensor->bytes = of.kind == 'f' ? of.size : 0;
    if (of.kind == 'f' && of.size == 8 && (!is_fortran || tensor->rank < 2) && (uintptr_t)data % 8 == 0) {
        tensor->data = (double *)data;
        return true;
    }
    tensor->data = memory((uint64_t)count * 8);
    convert(tensor, data, of, is_fortran);
    return true;
}

// --- numbers as text ---

// Reads a number that is the whole text, without its spaces. (strtod also reads hexadecimal numbers and `nan(...)`.)
static bool read_number(const char *text, size_t size, double *number)
{
    while (size > 0 && *text == ' ')
        text++, size--;
    while (size > 0 && text[size - 1] == ' ')
        size--;
    // Up to 15 digits, of which 22 or fewer are behind the point: exact, but for one rounding.
    static const double powers[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const size_t sign = size > 0 && (*text == '-' || *text == '+');
    uint64_t digits = 0;
    size_t point = size, at = sign;
    for (; at < size && at < sign + 16; at++) {
        if (text[at] >= '0' && text[at] <= '9')
            digits = 10 * digits + (uint64_t)(text[at] - '0');
        else if (text[at] == '.' && point == size)
            point = at;
        else
            break;
    }
    const size_t behind = point < size ? size - point - 1 : 0;
    if (at == size && size > sign + (point < size) && size - sign <= 15 + (point < size)) {
        *number = (double)digits / powers[behind];
        if (*text == '-')
            *number = -*number;
        return true;
    }
    char copy[512];
    if (size == 0 || size >= sizeof copy)
        return false;
    static const char *const words[] = {"nan", "inf", "infinity"};
    bool is_word = false;
    for (int i = 0; i < 3; i++)
        is_word |= size - sign == strlen(words[i]) && strncasecmp(text + sign, words[i], size - sign) == 0;
    for (size_t i = sign; i < size && !is_word; i++)
        if (memchr("0123456789.eE+-", text[i], 15) == NULL)
            return false;
    __builtin_memcpy(copy, text, size);
    copy[size] = 0;
    char *end;
    *number = strtod(copy, &end);
    return end == copy + size;
}

// --- .csv ---

// A place in a table, and where its lines and cells end.
struct cells {
    const char *at, *end, *line_start;
    int64_t line;
    char separator;
};

// The end of the cell at the current place. A separator in quotes belongs to the cell.
static const char *cell_end(const struct cells *cells)
{
    bool is_quoted = false;
    const char *at = cells->at;
    for (; at < cells->end && (is_quoted || *at != cells->separator) && *at != '\n' && *at != '\r'; at++)
        is_quoted ^= *at == '"';
    return at;
}

// Skips the ends of lines; true if there were any, or the text ends.
static bool next_line(struct cells *cells)
{
    const char *const before = cells->at;
    while (cells->at < cells->end && (*cells->at == '\n' || *cells->at == '\r')) {
        const bool is_end = *cells->at++ == '\n' || cells->at == cells->end || *cells->at != '\n';
        if (is_end) {
            cells->line++;
            cells->line_start = cells->at;
        }
    }
    return cells->at == cells->end || cells->at != before;
}

static bool is_number(const char *start, const char *end, double *number)
{
    if (end - start > 1 && *start == '"' && end[-1] == '"')
        start++, end--;
    return read_number(start, (size_t)(end - start), number);
}

// True if a cell is neither empty nor begins like a number.
static bool is_name(const char *start, const char *end)
{
    while (start < end && (*start == ' ' || *start == '"'))
        start++;
    return start < end && memchr("0123456789+-.", *start, 13) == NULL;
}

// Skips the first line if all of its cells are names. Also finds the separator.
static void skip_names(struct cells *cells)
{
    static const char separators[] = "\t;,";
    const char *line_end = cells->at;
    while (line_end < cells->end && *line_end != '\n' && *line_end != '\r')
        line_end++;
    struct cells first = *cells;
    first.end = line_end;
    for (int i = 0; i < 3; i++) {
        first.at = cells->at;
        first.separator = cells->separator = separators[i];
        if (cell_end(&first) != line_end)
            break;
    }
    double number;
    for (first.at = cells->at;; first.at++) {
        const char *const end = cell_end(&first);
        if (!is_name(first.at, end) || is_number(first.at, end, &number))
            return;
        first.at = end;
        if (end == line_end)
            break;
    }
    cells->at = line_end;
    next_line(cells);
}

static bool read_csv(struct error *error, const char *path, struct bytes file, struct tensor *tensor)
{
    struct cells cells = {file.start, file.start + file.size, file.start, 1, ','};
    if (file.size >= 3 && memcmp(file.start, "\xef\xbb\xbf", 3) == 0)
        cells.at = cells.line_start = file.start + 3;
    next_line(&cells);
    skip_names(&cells);
    // No cell is without an end.
    size_t most = 1;
    for (const char *at = cells.at; at < cells.end; at++)
        most += *at == cells.separator || *at == '\n' || *at == '\r';
    if ((uint64_t)most > (uint64_t)MAX_ELEMENTS)
        return fail(error, BAD_DATA, "`%s` has too many cells", path);
    int64_t count = 0, rows = 0, columns = 0;
    while (cells.at < cells.end) {
        int64_t column = 0;
        do {
            if (column > 0)
                cells.at++;
            const char *const end = cell_end(&cells);
            const long place = cells.at - cells.line_start + 1;
            double number;
            if (!is_number(cells.at, end, &number)) {
                const char *visible = cells.at;
                while (visible < end && *visible == ' ')
                    visible++;
                if (visible == end)
                    return fail(error, BAD_DATA, "%s:%ld:%ld: cell %ld is empty", path, (long)cells.line, place,
                                (long)column + 1);
                const int length = (int)MIN(end - cells.at, 40);
                const char *const why = rows == 0 && column > 0 ? " (names of columns have no numbers among them)"
                                        : memchr(visible, ' ', (size_t)(end - visible)) != NULL
                                            ? " (cells are separated by commas, semicolons or tabs)"
                                            : "";
                return fail(error, BAD_DATA, "%s:%ld:%ld: `%.*s` is not a number%s", path, (long)cells.line, place,
                            length, cells.at, why);
            }
            if (rows > 0 && column == columns)
                return fail(error, BAD_DATA, "%s:%ld:%ld: this row has more than %ld cells, as the first one has", path,
                            (long)cells.line, place, (long)columns);
            if (tensor->data == NULL)
                tensor->data = memory(most * 8);
            tensor->data[count++] = number;
            column++;
            cells.at = end;
        } while (cells.at < cells.end && *cells.at == cells.separator);
        if (rows++ == 0)
            columns = column;
        if (column < columns)
            return fail(error, BAD_DATA, "%s:%ld:%ld: this row has %ld cell%s, but the first one has %ld", path,
                        (long)cells.line, (long)(cells.at - cells.line_start + 1), (long)column, column == 1 ? "" : "s",
                        (long)columns);
        next_line(&cells);
    }
    if (rows == 0)
        return fail(error, BAD_DATA, "`%s` has no numbers", path);
    tensor->is_csv = true;
    tensor->rank = columns == 1 ? 1 : 2;
    tensor->sizes[0] = rows;
    tensor->sizes[1] = columns;
    return true;
}

// --- arguments ---

// The arguments that this thread has read: `toyc run` looks at each for its shape, and then runs the program with it.
struct argument {
    struct argument *next;
    const char *text;
    struct tensor tensor;
    double number;
};
static _Thread_local struct argument *known;

static bool ends_with(const char *path, const char *extension)
{
    const size_t size = strlen(path), of_extension = strlen(extension);
    return size > of_extension && strncasecmp(path + size - of_extension, extension, of_extension) == 0;
}

// The tensor of an argument: a number, or a file. The text must stay.
static const struct tensor *read_argument(struct error *error, const char *text)
{
    for (struct argument *argument = known; argument != NULL; argument = argument->next)
        if (strcmp(argument->text, text) == 0)
            return &argument->tensor;
    struct argument *const argument = memory(sizeof *argument);
    struct tensor *const tensor = &argument->tensor;
    tensor->data = NULL;
    tensor->rank = 0;
    tensor->is_csv = false;
    tensor->bytes = 0;
    tensor->inexact = 0;
    const size_t size = strlen(text);
    const bool is_text = ends_with(text, ".csv") || ends_with(text, ".tsv");
    struct bytes file = {NULL, 0, false};
    bool is_read = false;
    if (read_number(text, size, &argument->number)) {
        tensor->data = &argument->number;
        is_read = true;
    } else if (read_file(error, text, &file)) {
        is_read = is_text ? read_csv(error, text, file, tensor) : read_npy(error, text, file, tensor);
    } else if (memchr(text, '.', size) == NULL && memchr(text, '/', size) == NULL) {
        fail(error, BAD_ARGUMENTS, "the argument `%s` is neither a number nor the name of a .npy or .csv file", text);
    }
    const char *const data = (const char *)tensor->data;
    const bool is_in_file = data >= file.start && data < file.start + file.size;
    if (!is_in_file)
        release(&file);
    if (!is_read) {
        if (!is_in_file)
            free(tensor->data);
        free(argument);
        return NULL;
    }
    char *const copy = malloc(size + 1);
    if (copy == NULL)
        return NULL;
    __builtin_memcpy(copy, text, size + 1);
    argument->text = copy;
    argument->next = known;
    known = argument;
    return tensor;
}

#ifdef TOY_JIT
// For the compiler: the rank of an argument; its sizes, and the bytes of an element. Or -1.
int64_t toy_data_shape(const char *text, const int64_t **sizes, int64_t *bytes,
                       struct error *error)
{
    const struct tensor *const tensor = read_argument(error, text);
    if (tensor == NULL)
        return -1;
    *sizes = tensor->sizes;
    *bytes = tensor->bytes;
    return tensor->rank;
}
#endif

// --- results ---

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

// --- the program ---

// A parameter or a result, with elements of 8 bytes, doubles, or of 4, floats.
struct value {
    char name[TEXT / 4];
    int64_t bytes, rank, sizes[MAX_RANK];
};

struct program {
    const char *name;      // Of the command.
    const char *signature; // `f(2x3, scalar)`
    size_t workspace;
    int64_t parameters, results;
    struct value *values; // Parameters, then results.
    const void **data;    // Of each.
    const char *output;   // NULL: text.
    int (*call)(const void **data, void *workspace);
    void *memory; // The workspace.
};

static int64_t next_number(const char **table)
{
    int64_t number = 0;
    while (**table >= '0' && **table <= '9')
        number = 10 * number + (*(*table)++ - '0');
    (*table)++;
    return number;
}

static const char *next_word(const char **table, char *out, size_t size)
{
    while (**table != ' ' && **table != '\n') {
        if (size > 1)
            *out++ = **table, size--;
        (*table)++;
    }
    (*table)++;
    *out = 0;
    return out;
}

// Reads the compiler's table: the signature's line, then `WORKSPACE PARAMETERS RESULTS`, then a line for each of these:
// its name, the bytes of an element, rank and sizes.
static void read_table(struct program *program, const char *table)
{
    program->signature = table;
    while (*table++ != '\n')
        ;
    program->workspace = (size_t)next_number(&table);
    program->parameters = next_number(&table);
    program->results = next_number(&table);
    const size_t count = (size_t)(program->parameters + program->results);
    program->values = memory(count * sizeof *program->values);
    program->data = memory(count * sizeof *program->data);
    for (size_t i = 0; i < count; i++) {
        struct value *const value = &program->values[i];
        next_word(&table, value->name, sizeof value->name);
        value->bytes = next_number(&table);
        value->rank = next_number(&table);
        for (int64_t d = 0; d < value->rank; d++)
            value->sizes[d] = next_number(&table);
    }
}

static int say(const struct program *program, const char *kind, const struct error *error)
{
    char text[3 * TEXT];
    int size = error->code != 0
                   ? snprintf(text, sizeof text, "%s: %s[E%04d]: %s\n", program->name, kind, error->code, error->text)
                   : snprintf(text, sizeof text, "%s: %s: %s\n", program->name, kind, error->text);
    fflush(stdout);
    write(2, text, (size_t)MIN(size, (int)sizeof text - 1));
    return 1;
}

static void help(const struct program *program)
{
    char line[3 * TEXT], text[TEXT];
#define PRINT(...) write(1, line, (size_t)MIN(snprintf(line, sizeof line, __VA_ARGS__), (int)sizeof line - 1))
    PRINT("Usage: %s [OPTIONS]", program->name);
    for (int64_t i = 0; i < program->parameters; i++)
        PRINT(" %s", program->values[i].name);
    PRINT("\n\n%.*s, compiled from Toy\n\nArguments:\n", (int)((const char *)strstr(program->signature, "\n") - program->signature),
          program->signature);
    for (int64_t i = 0; i < program->parameters; i++) {
        const struct value *const value = &program->values[i];
        PRINT(value->rank == 0 ? "  %s: a number\n" : "  %s: a .npy or .csv file of %s numbers\n", value->name,
              shape(text, value->sizes, value->rank));
    }
    if (program->results > 0)
        PRINT("\nResults:\n");
    for (int64_t i = program->parameters; i < program->parameters + program->results; i++)
        PRINT("  %s: %s\n", program->values[i].name, shape(text, program->values[i].sizes, program->values[i].rank));
    PRINT("\nOptions:\n%s  --benchmark=N  run N times, and show the minimum and the median of the times\n"
          "  --help         show this\n",
          program->results == 0  ? ""
          : program->results > 1 ? "  -o FILE        write .npy or .csv files, or `-`: text; `{}` in FILE is the name of a result\n"
                                 : "  -o FILE        write the result to a .npy or .csv file, or `-`: text\n");
#undef PRINT
}

// True if a tensor has the shape of a parameter. A table of one row or column is also a vector, and of one number also
// a scalar.
static bool fits(const struct tensor *tensor, const struct value *value)
{
    if (tensor->is_csv && elements(tensor->sizes, tensor->rank) == elements(value->sizes, value->rank)) {
        const int64_t columns = tensor->rank == 2 ? tensor->sizes[1] : 1;
        if (value->rank < 2)
            return columns == 1 || tensor->sizes[0] == 1;
        return value->rank == 2 && value->sizes[1] == columns;
    }
    return tensor->rank == value->rank
           && memcmp(tensor->sizes, value->sizes, (size_t)tensor->rank * sizeof *tensor->sizes) == 0;
}

// The elements of a parameter, from doubles.
static const void *narrowed(const struct value *value, const double *data)
{
    if (value->bytes == sizeof *data)
        return data;
    const int64_t count = elements(value->sizes, value->rank);
    float *const numbers = memory((uint64_t)count * sizeof *numbers);
    for (int64_t i = 0; i < count; i++)
        numbers[i] = (float)data[i];
    return numbers;
}

// The elements of a result as doubles, for `release_widened`.
static const double *widened(const struct value *value, const void *data)
{
    if (value->bytes == sizeof(double))
        return data;
    const int64_t count = elements(value->sizes, value->rank);
    double *const numbers = memory((uint64_t)count * sizeof *numbers);
    for (int64_t i = 0; i < count; i++)
        numbers[i] = (double)((const float *)data)[i];
    return numbers;
}

static void release_widened(const struct value *value, const double *numbers)
{
    if (value->bytes != sizeof *numbers)
        free((void *)(uintptr_t)numbers);
}

static bool take_arguments(struct error *error, struct program *program, char *const *arguments, int64_t count)
{
    if (count != program->parameters) {
        char names[TEXT];
        int end = snprintf(names, TEXT, program->parameters == 0 ? "" : ": ");
        for (int64_t i = 0; i < program->parameters && end < TEXT - TEXT / 4 - 8; i++)
            end += snprintf(names + end, (size_t)(TEXT - end), i == 0 ? "`%s`" : ", `%s`", program->values[i].name);
        return fail(error, BAD_ARGUMENTS, "%ld argument%s needed%s, but %ld %s given", (long)program->parameters,
                    program->parameters == 1 ? " is" : "s are", names, (long)count, count == 1 ? "is" : "are");
    }
    for (int64_t i = 0; i < count; i++) {
        char found[TEXT], wanted[TEXT];
        const struct value *const value = &program->values[i];
        const struct tensor *const tensor = read_argument(error, arguments[i]);
        if (tensor == NULL)
            return false;
        if (!fits(tensor, value))
            return fail(error, BAD_ARGUMENTS, "`%s` %s%s, but `%s` of this program %s%s", arguments[i], has(tensor->rank),
                        shape(found, tensor->sizes, tensor->rank), value->name, has(value->rank),
                        shape(wanted, value->sizes, value->rank));
        if (tensor->inexact != 0) {
            struct error note = {0, ""};
            fail(&note, 0, "%ld integer%s of `%s` beyond 2^53 %s rounded", (long)tensor->inexact,
                 tensor->inexact == 1 ? "" : "s", arguments[i], tensor->inexact == 1 ? "was" : "were");
            say(program, "note", &note);
        }
        if (tensor->bytes > value->bytes)
            return fail(error, BAD_ARGUMENTS,
                        "`%s` has elements of f%ld, and `%s` of this program is f%ld: convert it with `x.astype('<f%ld')`",
                        arguments[i], (long)tensor->bytes * 8, value->name, (long)value->bytes * 8, (long)value->bytes);
        program->data[i] = narrowed(value, tensor->data);
    }
    return true;
}

// The file of a result: `{}` in the name is the result's name.
static void path_of(const struct program *program, int64_t result, char path[TEXT])
{
    const struct value *const value = &program->values[program->parameters + result];
    size_t end = 0;
    for (const char *at = program->output; *at != 0 && end < TEXT - sizeof value->name;) {
        if (at[0] == '{' && at[1] == '}') {
            end += (size_t)snprintf(path + end, TEXT - end, "%s", value->name);
            at += 2;
        } else {
            path[end++] = *at++;
        }
    }
    path[end] = 0;
}

// True if a file of this name can be made: a long computation must not end with a folder that is not there.
static bool check_place(struct error *error, const char *path)
{
    enum { SEARCH = 1, WRITE = 2, FOLDER = 0040000, REGULAR = 0100000 };
    const unsigned type = type_of(path);
    if (type == FOLDER)
        return fail(error, CANNOT_WRITE, "cannot write `%s`: it is a directory", path);
    if (type != 0 && type != REGULAR)
        return access(path, WRITE) == 0 || cannot_write(error, path);
    char folder[TEXT];
    size_t size = strlen(path);
    while (size > 0 && path[size - 1] != '/')
        size--;
    snprintf(folder, sizeof folder, "%.*s.", (int)size, path);
    return access(folder, WRITE | SEARCH) == 0 || cannot_write(error, path);
}

static bool check_output(struct error *error, const struct program *program)
{
    const char *const output = program->output;
    if (output == NULL || strcmp(output, "-") == 0) {
        return output == NULL || program->results > 0
               || fail(error, BAD_ARGUMENTS, "the program has no result to be written to `%s`", output);
    }
    if (program->results == 0)
        return fail(error, BAD_ARGUMENTS, "the program has no result to be written to `%s`", output);
    if (strlen(output) >= TEXT / 2)
        return fail(error, BAD_ARGUMENTS, "the name of the output is too long");
    if (!ends_with(output, ".npy") && !ends_with(output, ".csv"))
        return fail(error, BAD_ARGUMENTS, "`%s` is neither a .npy nor a .csv file, nor `-` for text", output);
    if (program->results > 1 && strstr(output, "{}") == NULL)
        return fail(error, BAD_ARGUMENTS, "%ld results need %ld files: write `{}` in the name, as in `-o 'out-{}.npy'`",
                    (long)program->results, (long)program->results);
    for (int64_t i = program->parameters; ends_with(output, ".csv") && i < program->parameters + program->results; i++)
        if (program->values[i].rank > 2)
            return fail(error, BAD_ARGUMENTS, "`%s` of %ld dimensions is not a table: write a .npy file",
                        program->values[i].name, (long)program->values[i].rank);
    for (int64_t i = 0; i < program->results; i++) {
        char path[TEXT];
        path_of(program, i, path);
        if (!check_place(error, path))
            return false;
    }
    return true;
}

static bool print_results(struct error *error, const struct program *program)
{
    const int before = toy_export_print_begin();
    for (int64_t i = program->parameters; i < program->parameters + program->results; i++) {
        const struct value *const value = &program->values[i];
        const double *const numbers = widened(value, program->data[i]);
        struct toy_descriptor {
            const double *allocated, *aligned;
            int64_t offset, sizes_and_strides[2 * MAX_RANK];
        } descriptor;
        descriptor.allocated = descriptor.aligned = numbers;
        descriptor.offset = 0;
        int64_t stride = 1;
        for (int64_t d = value->rank - 1; d >= 0; d--) {
            descriptor.sizes_and_strides[d] = value->sizes[d];
            descriptor.sizes_and_strides[value->rank + d] = stride;
            stride *= value->sizes[d];
        }
        if (program->results > 1) {
            toy_export_print_text(value->name, strlen(value->name));
            toy_export_print_text(" =\n", 3);
        }
        const struct toy_tensor tensor = {value->rank, (const void *)&descriptor};
        toy_export_print(&tensor);
        release_widened(value, numbers);
        if (value->rank < 2)
            toy_export_print_text("\n", 1);
    }
    return toy_export_print_end(before) == 0 || fail(error, CANNOT_WRITE, "cannot write to standard output");
}

// Writes all files before the first one gets its name.
static bool write_results(struct error *error, const struct program *program)
{
    struct output *const outputs = memory((uint64_t)program->results * sizeof(struct output));
    int64_t written = 0;
    bool is_fine = true;
    for (; written < program->results && is_fine; written++) {
        const struct value *const value = &program->values[program->parameters + written];
        char path[TEXT];
        path_of(program, written, path);
        struct output *const output = &outputs[written];
        is_fine = open_output(error, path, output);
        if (!is_fine)
            break;
        const void *const data = program->data[program->parameters + written];
        if (ends_with(path, ".npy")) {
            write_npy(output, data, value->bytes, value->sizes, value->rank);
        } else {
            const double *const numbers = widened(value, data);
            write_csv(output, numbers, value->sizes, value->rank);
            release_widened(value, numbers);
        }
        is_fine = close_output(error, output);
        if (!is_fine)
            break;
    }
    for (int64_t i = 0; i < written; i++) {
        if (outputs[i].is_special)
            continue;
        if (is_fine && rename(outputs[i].temporary, outputs[i].path) != 0)
            is_fine = cannot_write(error, outputs[i].path);
        if (!is_fine)
            unlink(outputs[i].temporary);
    }
    return is_fine;
}

// --- benchmarks ---

static double now(void)
{
    struct time time;
    clock_gettime(1, &time);
    return (double)time.seconds * 1e3 + (double)time.nanoseconds / 1e6;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Runs a program some times; the output of the first run is kept, that of the others is not. Returns the first status
// that is not 0.
int toy_benchmark(int (*program)(void), int64_t runs, int64_t planned)
{
    enum { WRITE_ONLY = 1 };
    double *const times = malloc((size_t)runs * sizeof *times);
    if (times == NULL)
        return 1;
    int status = 0, output = -1;
    for (int64_t i = 0; i < runs && status == 0; i++) {
        if (i == 1) {
            fflush(stdout);
            output = dup(1);
            const int nowhere = open("/dev/null", WRITE_ONLY);
            if (output >= 0 && nowhere >= 0)
                dup2(nowhere, 1);
            close(nowhere);
        }
        const double start = now();
        status = toy_run(program);
        times[i] = now() - start;
    }
    if (output >= 0) {
        fflush(stdout);
        dup2(output, 1);
        close(output);
    }
    if (status == 0) {
        qsort(times, (size_t)runs, sizeof *times, by_size);
        const double median = (times[(runs - 1) / 2] + times[runs / 2]) / 2;
        char text[256];
        const int size = snprintf(text, sizeof text, "%ld run%s: minimum %.6g ms, median %.6g ms; %ld bytes planned\n",
                                  (long)runs, runs == 1 ? "" : "s", times[0], median, (long)planned);
        fflush(stdout);
        write(2, text, (size_t)size);
    }
    free(times);
    return status;
}

// --- the command ---

// The program that runs: in the compiler on this thread, in an executable on one that it starts.
#ifdef TOY_JIT
static _Thread_local struct program *running;
#else
static struct program *running;
#endif

static int call(void)
{
    return running->call(running->data, running->memory);
}

// Reads the options; returns the number of other arguments, which it moves to the front, or -1.
static int64_t read_options(struct error *error, struct program *program, int count, char **arguments, int64_t *runs)
{
    int64_t others = 0;
    bool is_end = false;
    for (int i = 1; i < count; i++) {
        char *const text = arguments[i];
        double number;
        if (is_end || text[0] != '-' || text[1] == 0 || read_number(text, strlen(text), &number)) {
            arguments[others++] = text;
        } else if (strcmp(text, "--") == 0) {
            is_end = true;
        } else if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
            help(program);
            *runs = -1;
            return 0;
        } else if (text[1] == 'o' && (text[2] != 0 || i + 1 < count)) {
            program->output = text[2] != 0 ? text + 2 : arguments[++i];
        } else if (strlen(text) > 12 && memcmp(text, "--benchmark=", 12) == 0
                   && read_number(text + 12, strlen(text + 12), &number) && number >= 1 && number <= 1e6
                   && number == (double)(int64_t)number) {
            *runs = (int64_t)number;
        } else {
            fail(error, BAD_ARGUMENTS, text[1] == 'o' ? "a file is missing after `%s`, as in `-o out.npy`"
                                                      : "`%s` is not an option: `--help` shows them", text);
            return -1;
        }
    }
    return others;
}

// Runs a program with the arguments of its command line.
int toy_program(int count, char **arguments, const char *table, int (*function)(const void **data, void *workspace))
    __asm__("toy.program");
int toy_program(int count, char **arguments, const char *table, int (*function)(const void **data, void *workspace))
{
    struct program program = {.name = count > 0 ? arguments[0] : "toy", .output = NULL, .call = function};
    struct error error = {.code = 0};
    for (const char *at = program.name; *at != 0; at++)
        if (*at == '/' && at[1] != 0)
            program.name = at + 1;
    read_table(&program, table);
    int64_t runs = 0;
    const int64_t others = read_options(&error, &program, count, arguments, &runs);
    if (runs < 0)
        return 0;
    if (others < 0 || !check_output(&error, &program) || !take_arguments(&error, &program, arguments, others))
        return say(&program, "error", &error);
    for (int64_t i = program.parameters; i < program.parameters + program.results; i++) {
        const struct value *const value = &program.values[i];
        program.data[i] = memory((uint64_t)(elements(value->sizes, value->rank) * value->bytes));
    }
    program.memory = memory(program.workspace);
    running = &program;
    const int status = runs > 0 ? toy_benchmark(call, runs, (int64_t)program.workspace) : toy_run(call);
    enum { CANNOT_PRINT = 4, CHECK_FAILED = 5 };
    if (status == CANNOT_PRINT)
        fail(&error, CANNOT_WRITE, "cannot write to standard output");
    else if (status != 0 && status != CHECK_FAILED)
        fail(&error, 900, "the program returned %d", status);
    const bool is_text = program.output == NULL || strcmp(program.output, "-") == 0;
    if (status != 0 || !(is_text ? print_results : write_results)(&error, &program))
        return error.code != 0 ? say(&program, "error", &error) : 1;
    return 0;
}
