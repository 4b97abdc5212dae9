// Arguments of the command line.
//
// Input:  a text: a number, or the name of a file.
// Output: a tensor. In `toyc run`, each is read once: first for its shape, and then for the program.

// The arguments that this thread has read: `toyc run` looks at each for its shape, and then runs the program with it.
struct argument {
    struct argument *next;
    const char *text;
    struct tensor tensor;
    double number;
};
static _Thread_local struct argument *known;

static bool ends_with(const char *path, const char *extension)
{
    const size_t size = strlen(path), of_extension = strlen(extension);
    return size > of_extension && strncasecmp(path + size - of_extension, extension, of_extension) == 0;
}

// The tensor of an argument: a number, or a file. The text must stay.
static const struct tensor *read_argument(struct error *error, const char *text)
{
    for (struct argument *argument = known; argument != NULL; argument = argument->next)
        if (strcmp(argument->text, text) == 0)
            return &argument->tensor;
    struct argument *const argument = memory(sizeof *argument);
    struct tensor *const tensor = &argument->tensor;
    tensor->data = NULL;
    tensor->rank = 0;
    tensor->is_csv = false;
    tensor->bytes = 0;
    tensor->inexact = 0;
    const size_t size = strlen(text);
    const bool is_text = ends_with(text, ".csv") || ends_with(text, ".tsv");
    struct bytes file = {NULL, 0, false};
    bool is_read = false;
    if (read_number(text, size, &argument->number)) {
        tensor->data = &argument->number;
        is_read = true;
    } else if (read_file(error, text, &file)) {
        is_read = is_text ? read_csv(error, text, file, tensor) : read_npy(error, text, file, tensor);
    } else if (memchr(text, '.', size) == NULL && memchr(text, '/', size) == NULL) {
        fail(error, BAD_ARGUMENTS, "the argument `%s` is neither a number nor the name of a .npy or .csv file", text);
    }
    const char *const data = (const char *)tensor->data;
    const bool is_in_file = data >= file.start && data < file.start + file.size;
    if (!is_in_file)
        release(&file);
    if (!is_read) {
        if (!is_in_file)
            free(tensor->data);
        free(argument);
        return NULL;
    }
    char *const copy = malloc(size + 1);
    if (copy == NULL)
        return NULL;
    __builtin_memcpy(copy, text, size + 1);
    argument->text = copy;
    argument->next = known;
    known = argument;
    return tensor;
}

#ifdef TOY_JIT
// For the compiler: the rank of an argument; its sizes, and the bytes of an element. Or -1.
int64_t toy_data_shape(const char *text, const int64_t **sizes, int64_t *bytes,
                       struct error *error)
{
    const struct tensor *const tensor = read_argument(error, text);
    if (tensor == NULL)
        return -1;
    *sizes = tensor->sizes;
    *bytes = tensor->bytes;
    return tensor->rank;
}
#endif
