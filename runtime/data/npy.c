// Files of NumPy.
//
// Input:  the bytes of a `.npy` file, in versions 1 to 3 of the format, of real numbers and booleans in either order of bytes.
// Output: a tensor of doubles or floats, or the reason why there is none. Sizes are compared with the file first.

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
