// Tensors: printing them, and copying between strided ones.
//
// Input:  MLIR's unranked memref descriptor, of any rank, offset and strides.
// Output: the bytes that nested loops over printf("%f ") would write, with a newline after each index of every
//         dimension but the last; or the elements of another tensor of the same sizes.

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
