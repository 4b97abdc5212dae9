// The functions that a library calls: printing, failures and memory.
//
// Input:  as those that a program calls, from any thread.
// Output: the same; a failure is returned, and does not end the process. A stream remembers that it has failed; since
//         other parts of the process write to it, too, only a failure during the call counts.

void toy_export_print(const struct toy_tensor *tensor)
{
    print_tensor(tensor);
}

void toy_export_print_text(const char *text, word size)
{
    print_bytes(text, size);
}

void toy_export_print_number(const char *text, word size, double number)
{
    print_number(text, size, number);
}

void *toy_export_escape(void *registers)
{
    void *const previous = escape;
    escape = registers;
    return previous;
}

int toy_export_print_begin(void)
{
    return ferror(output_stream());
}

// The status of the function.
int toy_export_print_end(int had_failed)
{
    static const char message[] = "cannot write to standard output";
    const bool has_flushed = fflush(output_stream()) == 0;
    if (has_flushed && (ferror(output_stream()) == 0 || had_failed != 0))
        return 0;
    keep(CANNOT_PRINT, place_of(nowhere), message, sizeof message - 1, 0, 0, 0);
    return CANNOT_PRINT;
}

// Keeps that a function has returned a status without having begun: the words of the text say why. With a size, so
// many bytes are missing.
__attribute__((cold)) void toy_export_refuse(const char *text, word size, int status, int64_t bytes)
{
    (void)size;
    const struct place place = place_of(text);
    MESSAGE(message, place);
    if (bytes != 0) {
        add_integer(&message, bytes);
        add(&message, " bytes are needed at once");
    }
    keep(status, place, message.buffer, (size_t)(message.end - message.buffer), 0, bytes, 0);
}

// The library's own memory for the last error.
struct toy_error *toy_export_error(void)
{
    return &last_error;
}

void *toy_export_allocate(word size)
{
    return size > SIZE_MAX ? NULL : size < LARGE ? malloc((size_t)size) : allocate_large((size_t)size);
}

void toy_export_free(void *memory)
{
    free(memory);
}
