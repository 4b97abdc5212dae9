/* Calls functions of kernels.toy. The header says what they take and return. */

#include "kernels.h"
#include <stdio.h>
#include <string.h>

static int failed(const char *name, int status)
{
    if (status != TOY_OK)
        fprintf(stderr, "%s: status %d\n", name, status);
    return status != TOY_OK;
}

int main(void)
{
    /* Scalars are values, tensors arrays, row by row. The result is where we say. */
    const double target[2][3] = {{1, 2, 3}, {4, 5, 6}};
    double x[2][3] = {{0}}, next[2][3];
    for (int i = 0; i < 10; i++) {
        if (failed("step", step(&x[0][0], &target[0][0], 0.5, &next[0][0])))
            return 1;
        memcpy(x, next, sizeof x);
    }
    printf("after 10 steps: %.4f ... %.4f\n", x[0][0], x[1][2]);

    /* The same without malloc: we give the memory for temporaries, here from the stack. */
    double result[3][2];
    char workspace[products_WORKSPACE + 1];
    if (failed("products", products_in(&target[0][0], &x[0][0], &result[0][0], workspace)))
        return 1;
    printf("the largest product: %.4f\n", result[2][1]);

    /* A struct is its tensors, one after the other. */
    double re, im;
    if (failed("multiply", multiply(1, 2, 3, 4, &re, &im)))
        return 1;
    printf("(1 + 2i)(3 + 4i) = %g + %gi\n", re, im);

    /* What a Toy function prints is on standard output, in order. */
    if (failed("show", show(&result[0][0])))
        return 1;

    /* What cannot work is said, and nothing is written. */
    printf("the result over an argument: status %d\n", step(&x[0][0], &target[0][0], 0.5, &x[0][0]));
    return 0;
}
