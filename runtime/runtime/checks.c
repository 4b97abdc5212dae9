// Texts and numbers that programs print, and the ends of programs whose checks fail.
//
// Input:  texts as the compiler writes them, numbers and indices.
// Output: on stdout what is printed; on standard error the message of a failed check, with its place. In a library a
//         failed check leaves the function that was called (`escape`).

static bool print_bytes(const char *text, word size)
{
    return size == 0 || fwrite(text, 1, (size_t)size, output_stream()) == size;
}

static bool print_number(const char *text, word size, double number)
{
    char buffer[ELEMENT_LIMIT];
    uint64_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    const char *end = format.is_set ? put_formatted(buffer, bits, format.width) : put_f64(buffer, bits);
    return print_bytes(text, size) && print_bytes(buffer, (size_t)(end - buffer));
}

static bool can_print(void)
{
    if (!output_failed && !exit_handler_registered)
        exit_handler_registered = atexit(report_failure_at_exit) == 0;
    return !output_failed;
}

// print of texts.
void toy_print_text(const char *text, word size) NAMED("toy.print_text");
void toy_print_text(const char *text, word size)
{
    if (can_print())
        output_failed = !print_bytes(text, size);
}

// print of a number, after a text.
void toy_print_number(const char *text, word size, double number) NAMED("toy.print_number");
void toy_print_number(const char *text, word size, double number)
{
    if (can_print())
        output_failed = !print_number(text, size, number);
}

// Sets the form of the numbers that follow; -1 digits are the usual form.
void toy_print_format(const char *text, word size, int64_t digits, int64_t width) NAMED("toy.print_format");
void toy_print_format(const char *text, word size, int64_t digits, int64_t width)
{
    (void)text;
    (void)size;
    format.is_set = digits >= 0;
    format.digits = (unsigned)digits;
    format.width = (unsigned)width;
}

// A message: a text, and its additions.
struct message {
    char *end;
    char buffer[2 * ELEMENT_LIMIT];
};

static void add(struct message *message, const char *text)
{
    while (*text != 0)
        *message->end++ = *text++;
}

static void add_integer(struct message *message, int64_t value)
{
    if (value < 0)
        *message->end++ = '-';
    message->end = put_integer(message->end, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

// A number that is close to a whole one, with enough digits to show that it is not whole: the distance has one.
static void add_almost_whole(struct message *message, uint64_t bits)
{
    const uint64_t half = UINT64_C(1) << 51;
    const int exponent = (int)(bits >> 52 & 0x7ff);
    const uint64_t mantissa = (bits & (2 * half - 1)) | (exponent != 0 ? 2 * half : 0);
    // The number is mantissa / 2^shift, its distance from the nearest whole one is distance / 2^shift.
    int shift = 1075 - (exponent != 0 ? exponent : 1);
    uint64_t whole = shift < 64 ? mantissa >> shift : 0;
    uint64_t distance = shift < 64 ? mantissa - (whole << shift) : mantissa;
    const bool is_below = shift < 64 && distance > UINT64_C(1) << (shift - 1);
    if (is_below)
        distance = (UINT64_C(1) << shift) - distance;
    // Times ten, until it is rounded to a digit; near 0, until it has one.
    const bool is_near_0 = whole == 0 && !is_below;
    int digits = 0;
    while (shift > 61 || distance < UINT64_C(1) << (shift - !is_near_0)) {
        distance *= 5;
        shift--;
        digits++;
        if (distance >> 58 != 0) {
            distance >>= 4;
            shift -= 4;
        }
    }
    uint64_t digit = (distance + (UINT64_C(1) << (shift - 1))) >> shift;
    if (bits >> 63 != 0)
        *message->end++ = '-';
    if (is_near_0) {
        if (digit == 10) {
            digit = 1;
            digits--;
        }
        add_integer(message, (int64_t)digit);
        add(message, "e-");
        add_integer(message, digits);
        return;
    }
    add_integer(message, (int64_t)whole);
    *message->end++ = '.';
    for (int place = 1; place < digits; place++)
        *message->end++ = is_below ? '9' : '0';
    add_integer(message, (int64_t)(is_below ? 10 - digit : digit));
}

// A number that is not whole, without the zeros at its end.
static void add_number(struct message *message, uint64_t bits)
{
    char *end = put_f64(message->end, bits);
    const bool is_finite = (bits >> 52 & 0x7ff) != 0x7ff;
    while (is_finite && end[-1] == '0')
        end--;
    if (is_finite && end[-1] == '.')
        add_almost_whole(message, bits);
    else
        message->end = end;
}

// The values that a check has found wrong.
struct values {
    int64_t index, size;
    double number;
};

// Ends the program, whose output comes before the message. A function of a library returns to its caller instead.
static _Noreturn __attribute__((noinline, cold)) void fail(int code, struct place place, const struct message *message,
                                                           struct values values)
{
    const size_t length = (size_t)(message->end - message->buffer);
    fflush(output_stream());
    if (escape != NULL)
        keep(code, place, message->buffer, length, values.index, values.size, values.number);
#ifdef TOY_JIT
    const bool is_said = redirected == NULL;
#else
    const bool is_said = escape == NULL || toy_last_error == NULL;
#endif
    if (is_said) {
        static const char error[] = ": error: ";
        const size_t path = (size_t)(after(place.file) - place.file) - 1;
        if (path > 0) {
            write(2, place.file, path);
            write(2, ":", 1);
            write(2, place.line, (size_t)(after(place.line) - place.line) - 1);
            write(2, error, sizeof error - 1);
        }
        write(2, message->buffer, length);
    }
    if (escape != NULL)
        longjmp(escape, 1);
    exit(1);
}

#define MESSAGE(message, place) \
    struct message message;     \
    message.end = message.buffer; \
    add(&message, place.words)

// The size of the texts that these functions get is that of all strings in it.
_Noreturn void toy_fail(const char *text, word size) NAMED("toy.fail");
_Noreturn __attribute__((cold)) void toy_fail(const char *text, word size)
{
    (void)size;
    const struct place place = place_of(text);
    MESSAGE(message, place);
    fail(STEP_OF_ZERO, place, &message, (struct values){0, 0, 0});
}

_Noreturn void toy_fail_whole(const char *text, word size, double number) NAMED("toy.fail_whole");
_Noreturn __attribute__((cold)) void toy_fail_whole(const char *text, word size, double number)
{
    (void)size;
    const struct place place = place_of(text);
    MESSAGE(message, place);
    uint64_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    const unsigned exponent = bits >> 52 & 0x7ff;
    // From 2^53 on, all numbers are whole, but some whole numbers are missing.
    if (exponent >= 1023 + 53 && exponent != 0x7ff) {
        message.end = put_f64(message.end, bits) - 7;
        add(&message, " is too large\n");
    } else {
        add_number(&message, bits);
        add(&message, " is not a whole number\n");
    }
    fail(NOT_WHOLE, place, &message, (struct values){0, 0, number});
}

_Noreturn void toy_fail_range(const char *text, word size, int64_t index, int64_t count) NAMED("toy.fail_range");
_Noreturn __attribute__((cold)) void toy_fail_range(const char *text, word size, int64_t index, int64_t count)
{
    (void)size;
    const struct place place = place_of(text);
    MESSAGE(message, place);
    add_integer(&message, index);
    add(&message, " is out of range: the dimension has ");
    add_integer(&message, count);
    add(&message, count == 1 ? " element" : " elements");
    if (index < 0 && index >= -count)
        add(&message, "; a computed index does not count from the end");
    add(&message, "\n");
    fail(OUT_OF_RANGE, place, &message, (struct values){index, count, 0});
}
