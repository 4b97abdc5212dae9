// Compares the runtime's output, byte for byte, with the output of nested loops over printf("%f "), and checks that
// failed output is reported.
//
//     cc -O2 runtime/test_runtime.c runtime/runtime.c -o test_runtime && ./test_runtime [SCALE [SEED]]
//
// SCALE multiplies the number of random values (default 1: a few seconds). Exit status 0 or 1.

#define _GNU_SOURCE
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct toy_tensor {
    int64_t rank;
    void *descriptor;
};
extern void _mlir_ciface_toy_print(const struct toy_tensor *tensor);
extern void toy_print_format(const char *text, size_t size, int64_t digits, int64_t width) __asm__("toy.print_format");
extern int toy_flush(void);

enum { MAX_RANK = 256 };

static long compared;
static long failures;

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    if (++failures >= 20) {
        fprintf(stderr, "test_runtime: too many failures\n");
        _exit(1);
    }
}

// splitmix64
static uint64_t random_state;
static uint64_t random_bits(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
static int64_t random_below(int64_t limit) { return (int64_t)(random_bits() % (uint64_t)limit); }
static double random_unit(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void toy_print(double *data, int64_t offset, int64_t rank, const int64_t *sizes, const int64_t *strides)
{
    int64_t descriptor[3 + 2 * MAX_RANK];
    descriptor[0] = 0; // The runtime does not read `allocated`.
    memcpy(&descriptor[1], &data, sizeof data);
    descriptor[2] = offset;
    memcpy(&descriptor[3], sizes, (size_t)rank * sizeof *sizes);
    memcpy(&descriptor[3 + rank], strides, (size_t)rank * sizeof *strides);
    _mlir_ciface_toy_print(&(struct toy_tensor){rank, descriptor});
}

// ---------------------------------------------------------------------------------------------
// Values: collected into a batch, printed as one tensor of rank 1.

enum { BATCH = 8192 };
static double batch[BATCH];
static int batch_size;

// The runtime's output goes to memory.
static char *captured;
static size_t captured_size;

// Of -1 digits, the usual form: like `%f`.
static void check_batch_with(int digits, int width)
{
    rewind(stdout);
    toy_print_format("", 0, digits, width);
    toy_print(batch, 0, 1, &(int64_t){batch_size}, &(int64_t){1});
    toy_print_format("", 0, -1, 0);
    fflush(stdout); // Sets captured and captured_size.

    const char *at = captured;
    const char *end = captured + captured_size;
    for (int i = 0; i < batch_size; i++) {
        char expected[400];
        // printf shows the sign of a NaN, toy_print does not.
        const double value = __builtin_isnan(batch[i]) ? __builtin_nan("") : batch[i];
        const size_t size = (size_t)snprintf(expected, sizeof expected, "%*.*f ", width, digits, value);
        if ((size_t)(end - at) < size || memcmp(at, expected, size) != 0) {
            fail("%a, %d digits: printf writes `%s`, toy_print `%.*s`", batch[i], digits, expected,
                 (int)(end - at < (long)size + 3 ? end - at : (long)size + 3), at);
            // The rest would not line up.
            at = end;
            break;
        }
        at += size;
    }
    if (at != end)
        fail("%ld bytes too many behind a batch", (long)(end - at));
    compared += batch_size;
}

// As usual, and in one of the forms with digits and width.
static void check_batch(void)
{
    static int digits, width;
    check_batch_with(-1, 0);
    check_batch_with(digits, width);
    digits = (digits + 5) % 18;
    width = (width + 7) % 40;
    batch_size = 0;
}

static void check(double value)
{
    batch[batch_size++] = value;
    if (batch_size == BATCH)
        check_batch();
}

// The value, its negative, and the neighbors of both.
static void check_around(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int64_t d = -2; d <= 2; d++) {
        check(from_bits(bits + (uint64_t)d));
        check(-from_bits(bits + (uint64_t)d));
    }
}

static void check_values(long scale)
{
    for (int i = -100000; i <= 100000; i++)
        check(i);
    for (int j = 0; j < 128 * 2000; j++) // Ties in the seventh decimal place.
        check(j / 128.0);
    for (int j = 0; j < 250000; j++) // As near to a tie as a binary number can be.
        check((j + .5) * 1e-6);
    for (int e = -1074; e < 1024; e++) {
        check_around(__builtin_ldexp(1, e));
        check_around(__builtin_ldexp(1, e) * 1.5);
        check_around(__builtin_ldexp(1, e) * 1.1);
    }
    double power = 1;
    for (int e = 0; e < 309; e++, power *= 10) { // Where the number of digits changes.
        check_around(power);
        check_around(power / 2);
        check_around(1 / power);
    }
    static const double special[] = {
        0.0, DBL_MIN, DBL_MAX, DBL_TRUE_MIN, DBL_EPSILON, 0.9999995, 0.9999994, 0.99999949999999995, 9.9999995,
        99999999.9999995, 5e-7, 4.9999999999999998e-7, 1.5e-6, 2.5e-6, 0.5, 1.0000005, 0x1p52 + .5, 0x1p52 - .5,
        0x1p51 + .25, 0x1p51 + .75, 0x1p53, 0x1p53 - 1, 0x1p63, 0x1p64, 0x1p64 - 2048, 1e22, 1e23, 1e25, 1.234e-7,
        123456789012345678.0, __builtin_inf(),
    };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        check_around(special[i]);
    check(__builtin_nan(""));
    check(-__builtin_nan(""));

    for (long i = 0; i < 600000 * scale; i++)
        check(random_unit());
    for (long i = 0; i < 300000 * scale; i++) // All magnitudes that matter, both signs.
        check((random_bits() & 1 ? 1 : -1) * __builtin_ldexp(random_unit(), (int)random_below(110) - 40));
    for (long i = 0; i < 300000 * scale; i++) // Exact ties and their neighbours: odd * 2^-k, few bits.
        check((double)(random_bits() >> (12 + random_below(52))) * __builtin_ldexp(1, -(int)random_below(30)));
    for (long i = 0; i < 300000 * scale; i++) // Integers of every length.
        check((double)(random_bits() >> random_below(64)));
    for (long i = 0; i < 150000 * scale; i++)
        check(from_bits(random_bits()));
    for (long i = 0; i < 20000 * scale; i++) // Denormals.
        check(from_bits(random_bits() & 0x800fffffffffffff));
    check_batch();
}

// ---------------------------------------------------------------------------------------------
// Tensors

static FILE *expected_stream;
static char *expected;
static size_t expected_size;

static void expect_loops(const double *data, uint64_t at, int64_t rank, const int64_t *sizes, const int64_t *strides)
{
    if (rank == 0) {
        fprintf(expected_stream, "%f ", data[(int64_t)at]);
        compared++;
        return;
    }
    for (int64_t i = 0; i < sizes[0]; i++) {
        expect_loops(data, at + (uint64_t)i * (uint64_t)strides[0], rank - 1, sizes + 1, strides + 1);
        if (rank > 1)
            fputc('\n', expected_stream);
    }
}

static void check_tensor(double *data, int64_t offset, int64_t rank, const int64_t *sizes, const int64_t *strides)
{
    rewind(stdout);
    toy_print(data, offset, rank, sizes, strides);
    fflush(stdout);
    rewind(expected_stream);
    expect_loops(data, (uint64_t)offset, rank, sizes, strides);
    fflush(expected_stream);
    if (captured_size != expected_size || memcmp(captured, expected, expected_size) != 0) {
        fprintf(stderr, "rank %ld, shape", (long)rank);
        for (int64_t d = 0; d < rank; d++)
            fprintf(stderr, " %ld", (long)sizes[d]);
        fail(": expected `%.*s`, got `%.*s`", (int)expected_size, expected, (int)captured_size, captured);
    }
}

static void check_tensors(void)
{
    enum { ELEMENTS = 4096 };
    static double data[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        data[i] = i % 7 == 0 ? random_unit() : i % 11 == 0 ? __builtin_ldexp(random_unit(), 900) : i;
    int64_t sizes[MAX_RANK], strides[MAX_RANK];

    for (int round = 0; round < 6000; round++) {
        const int64_t rank = round % 6;
        const int64_t limit = rank <= 3 ? 6 : 4;
        for (int64_t d = 0; d < rank; d++) {
            sizes[d] = random_below(8) == 0 ? 0 : 1 + random_below(limit);
            strides[d] = random_below(161) - 80; // Padded, overlapping, broadcast, backwards.
        }
        check_tensor(data, ELEMENTS / 2 + random_below(40), rank, sizes, strides);
    }

    // Ranks beyond any fixed limit; every dimension but a few has size 1.
    for (int round = 0; round < 40; round++) {
        const int64_t rank = 150 + random_below(MAX_RANK - 150 + 1);
        for (int64_t d = 0; d < rank; d++) {
            sizes[d] = 1;
            strides[d] = random_below(100);
        }
        for (int i = 0; i < 5; i++)
            sizes[random_below(rank)] = 2 + random_below(2);
        if (round % 4 == 3)
            sizes[random_below(rank)] = 0;
        check_tensor(data, 0, rank, sizes, strides);
    }

    // Empty dimensions: nothing is read, so neither data nor valid strides are needed.
    static const int64_t empty[][3] = {{0, 3, 2}, {2, 0, 3}, {2, 3, 0}, {0, 0, 0}, {2, 0, 0}, {3, 1, 0}};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        for (int64_t rank = 1; rank <= 3; rank++) {
            bool is_empty = false;
            for (int64_t d = 0; d < rank; d++)
                is_empty |= empty[i][d] == 0;
            if (is_empty)
                check_tensor(NULL, 0, rank, empty[i], (int64_t[3]){INT64_MAX, INT64_MIN, INT64_MAX});
        }

    // More newlines than the buffer holds, and rows that end anywhere in it.
    check_tensor(NULL, 0, 2, (int64_t[2]){100000, 0}, (int64_t[2]){1, 1});
    check_tensor(data, 0, 2, (int64_t[2]){20000, 1}, (int64_t[2]){0, 1});
    check_tensor(data, 0, 2, (int64_t[2]){100, ELEMENTS}, (int64_t[2]){0, 1});
    data[0] = -DBL_MAX;
    check_tensor(data, 0, 1, (int64_t[1]){10000}, (int64_t[1]){0});
}

// ---------------------------------------------------------------------------------------------
// Failures: in child processes, which print and exit.

static double ones[100000];

static void print_ones(int64_t count) { toy_print(ones, 0, 1, &count, &(int64_t){1}); }

static void child_small(void) { print_ones(3); exit(0); }
static void child_large(void) { print_ones(100000); print_ones(100000); exit(0); }
static void child_many(void) { for (int i = 0; i < 100000; i++) print_ones(1); exit(0); }
static void child_flush(void) { print_ones(3); exit(10 + toy_flush()); }
static void child_large_flush(void) { print_ones(100000); exit(10 + toy_flush() * toy_flush()); }
static void child_silent(void) { exit(0); }

static void check_child(const char *name, void (*run)(void), const char *path, int status, const char *message)
{
    int messages[2];
    if (pipe(messages) != 0)
        abort();
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(messages[1], 2);
        close(messages[0]);
        close(messages[1]);
        if (path == NULL)
            close(1);
        else
            dup2(open(path, O_WRONLY), 1);
        run();
    }
    close(messages[1]);
    char text[200] = {0};
    const ssize_t size = read(messages[0], text, sizeof text - 1);
    close(messages[0]);
    int result;
    if (size < 0 || waitpid(child, &result, 0) != child)
        abort();
    if (!WIFEXITED(result) || WEXITSTATUS(result) != status || strcmp(text, message) != 0)
        fail("%s into %s: exit status %d, message `%s`", name, path ? path : "nothing",
             WIFEXITED(result) ? WEXITSTATUS(result) : -WTERMSIG(result), text);
}

static void check_failures(void)
{
    static const char message[] = "toy: cannot write to standard output\n";
    static const char *const bad[] = {"/dev/full", NULL}; // NULL: stdout is closed.
    for (int i = 0; i < 2; i++) {
        check_child("a small tensor", child_small, bad[i], 1, message);
        check_child("large tensors", child_large, bad[i], 1, message);
        check_child("many tensors", child_many, bad[i], 1, message);
        check_child("toy_flush", child_flush, bad[i], 11, "");
        check_child("toy_flush after failure", child_large_flush, bad[i], 11, "");
        check_child("no print", child_silent, bad[i], 0, "");
    }
    check_child("a small tensor", child_small, "/dev/null", 0, "");
    check_child("large tensors", child_large, "/dev/null", 0, "");
    check_child("toy_flush", child_flush, "/dev/null", 10, "");
}

// ---------------------------------------------------------------------------------------------
// Conversions of 16-bit numbers.

#if defined(__x86_64__)

extern _Float16 __truncsfhf2(float value);
extern _Float16 __truncdfhf2(double value);
extern float __extendhfsf2(_Float16 value);
#if defined(__clang__) || __GNUC__ >= 13
#define HAS_BF16
extern __bf16 __truncsfbf2(float value);
extern __bf16 __truncdfbf2(double value);
#endif

struct format {
    int fraction_bits, min_exponent, max_exponent;
};

static const struct format half_format = {10, -14, 15}, bfloat_format = {7, -126, 127};

// The value of 16 bits, computed by arithmetic.
static double meaning(uint16_t bits, struct format format)
{
    const int exponent = (bits & 0x7fff) >> format.fraction_bits;
    const int fraction = bits & ((1 << format.fraction_bits) - 1);
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == format.max_exponent - format.min_exponent + 2)
        return fraction != 0 ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, format.min_exponent - format.fraction_bits);
    return sign * ldexp(fraction + (1 << format.fraction_bits),
                        exponent - 1 + format.min_exponent - format.fraction_bits);
}

// The nearest number of a format, by arithmetic; all divisions are by powers of two, hence exact.
static double nearest(double value, struct format format)
{
    if (value == 0 || !isfinite(value))
        return value;
    const int exponent = ilogb(value) > format.min_exponent ? ilogb(value) : format.min_exponent;
    const double scaled = ldexp(value, format.fraction_bits - exponent);
    const double rounded = ldexp(nearbyint(scaled), exponent - format.fraction_bits);
    return fabs(rounded) >= ldexp(1, format.max_exponent + 1) ? copysign(INFINITY, value) : rounded;
}

static void check_bits(const char *function, double value, uint16_t bits, struct format format)
{
    const double wanted = nearest(value, format), found = meaning(bits, format);
    compared++;
    const bool is_same = isnan(wanted) ? isnan(found) : wanted == found;
    if (!is_same || !signbit(value) != !(bits >> 15))
        fail("%s of %a gives %04x, %a, not %a", function, value, bits, found, wanted);
    // A signaling NaN must become quiet.
    if (isnan(value) && (bits >> (format.fraction_bits - 1) & 1) == 0)
        fail("%s of a NaN gives one that signals, %04x", function, bits);
}

#define BITS(call)                                                                                        \
    ({                                                                                                    \
        const __typeof__(call) result = call;                                                             \
        uint16_t bits;                                                                                    \
        memcpy(&bits, &result, sizeof bits);                                                              \
        bits;                                                                                             \
    })

static void check_conversions(double value)
{
    check_bits("__truncdfhf2", value, BITS(__truncdfhf2(value)), half_format);
    check_bits("__truncsfhf2", (float)value, BITS(__truncsfhf2((float)value)), half_format);
#ifdef HAS_BF16
    check_bits("__truncdfbf2", value, BITS(__truncdfbf2(value)), bfloat_format);
    check_bits("__truncsfbf2", (float)value, BITS(__truncsfbf2((float)value)), bfloat_format);
#endif
}

static void check_small_numbers(long scale)
{
    for (uint32_t bits = 0; bits < 1 << 16; bits++) {
        const uint16_t short_bits = (uint16_t)bits;
        _Float16 half;
        memcpy(&half, &short_bits, sizeof half);
        const float found = __extendhfsf2(half);
        const double wanted = meaning(short_bits, half_format);
        compared++;
        if (isnan(wanted) ? !isnan(found) : found != wanted || !signbit(found) != !signbit(wanted))
            fail("__extendhfsf2 of %04x gives %a, not %a", bits, found, wanted);
        // Each number, the midpoint between it and the next one, and the neighbors of the midpoint.
        for (int i = 0; i < 2; i++) {
            const struct format format = i == 0 ? half_format : bfloat_format;
            const double number = meaning(short_bits, format);
            const double between = (number + meaning((uint16_t)(bits + 1), format)) / 2;
            check_conversions(number);
            check_conversions(between);
            check_conversions(nextafter(between, INFINITY));
            check_conversions(nextafter(between, -INFINITY));
            check_conversions(nextafterf((float)between, INFINITY));
            check_conversions(nextafterf((float)between, -INFINITY));
        }
    }
    for (long i = 0; i < scale * 300000; i++) {
        const uint64_t bits = random_bits();
        const uint32_t single_bits = (uint32_t)(bits >> 20);
        double value;
        float single;
        memcpy(&value, &bits, sizeof value);
        memcpy(&single, &single_bits, sizeof single);
        check_conversions(value);
        check_conversions(single);
    }
}

#else

static void check_small_numbers(long scale)
{
    (void)scale;
}

#endif

// ---------------------------------------------------------------------------------------------

int main(int argc, char **argv)
{
    const long scale = argc > 1 ? atol(argv[1]) : 1;
    random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

    check_failures(); // First, while stdout is the real one.

    FILE *const terminal = stdout;
    stdout = open_memstream(&captured, &captured_size);
    expected_stream = open_memstream(&expected, &expected_size);
    if (stdout == NULL || expected_stream == NULL)
        abort();
    check_values(scale);
    check_tensors();
    check_small_numbers(scale);
    if (toy_flush() != 0)
        fail("toy_flush failed on a good stream");
    fclose(stdout);
    fclose(expected_stream);
    free(captured);
    free(expected);
    stdout = terminal;

    printf("test_runtime: %ld values compared, %ld failures\n", compared, failures);
    return failures != 0;
}
