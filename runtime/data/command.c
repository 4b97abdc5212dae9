// The run of the program, once or for `--benchmark`.
//
// Input:  a program with its arguments.
// Output: its results, or the times of its runs; the exit status.

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
