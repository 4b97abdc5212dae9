// The command line of a program: its parameters, its options, and `--help`.
//
// Input:  the table of the parameters and results that the compiler writes (`struct program`), and the arguments.
// Output: the parameters' memory, or a message with a code.

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
