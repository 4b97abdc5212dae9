// The last failure of a thread, which callers in other languages read.
//
// Input:  a check that has failed, with its place as the compiler writes it, or memory that is missing.
// Output: `struct toy_error`, as headers of libraries declare it.

// The place to which a failed check returns, instead of ending the process: a function of the C library saves the
// registers there. One per thread.
static _Thread_local void *escape;
extern int _setjmp(void *registers) __attribute__((returns_twice));
extern _Noreturn void longjmp(void *registers, int value);

// The last failure of a thread, as headers of libraries declare it and bindings read it.
struct toy_error {
    int code; // 0 if nothing has failed, the status, or the check that failed, which is from 16 on.
    int line, column;
    const char *file, *function, *message, *text;
    int64_t index, size;
    double number;
};
enum { NO_MEMORY = 1, CANNOT_PRINT = 4, OUT_OF_RANGE = 16, NOT_WHOLE, STEP_OF_ZERO, TOO_DEEP };
enum { TEXT_SIZE = 2048 };
static _Thread_local struct toy_error last_error;
static _Thread_local char last_text[TEXT_SIZE];

#ifdef TOY_JIT
const struct toy_error *toy_last_error(void)
{
    return &last_error;
}
#else
// Every library defines it as a weak symbol, which calls `toy_export_error`: where a linker leaves one for several
// libraries, all of them write where the caller reads. A program does not define it.
extern struct toy_error *toy_last_error(void) __attribute__((weak));
extern char *getenv(const char *name);
#endif

// The place of a check, and the first words of its message, as the compiler writes them: strings, one after the other.
struct place {
    const char *file, *function, *line, *column, *words;
};

static const char *after(const char *string)
{
    while (*string != 0)
        string++;
    return string + 1;
}

static struct place place_of(const char *text)
{
    struct place place;
    place.file = text;
    place.function = after(place.file);
    place.line = after(place.function);
    place.column = after(place.line);
    place.words = after(place.column);
    return place;
}

static int number_in(const char *digits)
{
    int number = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        number = 10 * number + (*digits - '0');
    return number;
}

// As much of a string as there is room for; the text stays a string.
static char *put_string(char *out, const char *string)
{
    while (*string != 0 && out < last_text + TEXT_SIZE - 1)
        *out++ = *string++;
    *out = 0;
    return out;
}

// A text without a place and words.
static const char nowhere[] = "\0" "\0" "0\0" "0\0";

// Keeps a failure; of the message, what is before the end of its line.
static __attribute__((noinline, cold)) void keep(int code, struct place place, const char *message, size_t length,
                                                 int64_t index, int64_t size, double number)
{
    struct toy_error error = {code, number_in(place.line), number_in(place.column), place.file, place.function,
                              NULL, last_text, index, size, number};
    char *out = last_text;
    // A very long path keeps its end.
    const size_t path = (size_t)(after(place.file) - place.file) - 1;
    if (path > 0) {
        out = put_string(out, place.file + (path > TEXT_SIZE / 2 ? path - TEXT_SIZE / 2 : 0));
        out = put_string(put_string(out, ":"), place.line);
        out = put_string(put_string(out, ":"), place.column);
        out = put_string(out, ": ");
    }
    out = put_string(out, "error: ");
    error.message = out;
    for (; length > 0 && *message != '\n' && out < last_text + TEXT_SIZE - 1; length--)
        *out++ = *message++;
    *out = 0;
#ifdef TOY_JIT
    last_error = error;
#else
    if (toy_last_error == NULL)
        return;
    *toy_last_error() = error;
    const char *const asked = getenv("TOY_SHOW_ERRORS");
    if (asked != NULL && *asked != 0) {
        *out++ = '\n';
        write(2, last_text, (size_t)(out - last_text));
        out[-1] = 0;
    }
#endif
}
