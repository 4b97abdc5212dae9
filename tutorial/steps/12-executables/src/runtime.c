// What executables need besides their own code: a start, memory, and printing.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The `main` of the Toy program.
void toy_main(void);

int main(void)
{
    toy_main();
    if (fflush(stdout) == 0)
        return 0;
    fprintf(stderr, "error: the output cannot be written\n");
    return 1;
}

void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size)
{
    void *memory = aligned_alloc(alignment, size);
    if (memory == NULL) {
        fprintf(stderr, "error: there is no memory for %zu bytes\n", size);
        exit(1);
    }
    return memory;
}

void _mlir_memref_to_llvm_free(void *memory)
{
    free(memory);
}

// How MLIR passes a tensor of any shape: its rank, and where the rest is.
struct descriptor {
    const double *allocated, *aligned;
    int64_t offset, sizes[];
};

struct unranked {
    int64_t rank;
    const struct descriptor *tensor;
};

// A row is a line, and a matrix ends with an empty line if there are several.
static const double *show(int64_t rank, const int64_t *sizes, const double *next)
{
    if (rank == 0) {
        // A NaN has a sign, which means nothing.
        printf("%f ", isnan(*next) ? NAN : *next);
        return next + 1;
    }
    for (int64_t i = 0; i < *sizes; i++) {
        next = show(rank - 1, sizes + 1, next);
        if (rank > 1)
            putchar('\n');
    }
    return next;
}

void _mlir_ciface_toy_print(const struct unranked *print)
{
    const struct descriptor *tensor = print->tensor;
    show(print->rank, tensor->sizes, tensor->aligned + tensor->offset);
}
