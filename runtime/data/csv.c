// Tables as text, and numbers in them.
//
// Input:  the bytes of a `.csv` file, with commas, semicolons or tabs, quotes, and perhaps a line of names.
// Output: a matrix or a vector, or the line and the column of what is wrong.

// Reads a number that is the whole text, without its spaces. (strtod also reads hexadecimal numbers and `nan(...)`.)
static bool read_number(const char *text, size_t size, double *number)
{
    while (size > 0 && *text == ' ')
        text++, size--;
    while (size > 0 && text[size - 1] == ' ')
        size--;
    // Up to 15 digits, of which 22 or fewer are behind the point: exact, but for one rounding.
    static const double powers[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const size_t sign = size > 0 && (*text == '-' || *text == '+');
    uint64_t digits = 0;
    size_t point = size, at = sign;
    for (; at < size && at < sign + 16; at++) {
        if (text[at] >= '0' && text[at] <= '9')
            digits = 10 * digits + (uint64_t)(text[at] - '0');
        else if (text[at] == '.' && point == size)
            point = at;
        else
            break;
    }
    const size_t behind = point < size ? size - point - 1 : 0;
    if (at == size && size > sign + (point < size) && size - sign <= 15 + (point < size)) {
        *number = (double)digits / powers[behind];
        if (*text == '-')
            *number = -*number;
        return true;
    }
    char copy[512];
    if (size == 0 || size >= sizeof copy)
        return false;
    static const char *const words[] = {"nan", "inf", "infinity"};
    bool is_word = false;
    for (int i = 0; i < 3; i++)
        is_word |= size - sign == strlen(words[i]) && strncasecmp(text + sign, words[i], size - sign) == 0;
    for (size_t i = sign; i < size && !is_word; i++)
        if (memchr("0123456789.eE+-", text[i], 15) == NULL)
            return false;
    __builtin_memcpy(copy, text, size);
    copy[size] = 0;
    char *end;
    *number = strtod(copy, &end);
    return end == copy + size;
}

// A place in a table, and where its lines and cells end.
struct cells {
    const char *at, *end, *line_start;
    int64_t line;
    char separator;
};

// The end of the cell at the current place. A separator in quotes belongs to the cell.
static const char *cell_end(const struct cells *cells)
{
    bool is_quoted = false;
    const char *at = cells->at;
    for (; at < cells->end && (is_quoted || *at != cells->separator) && *at != '\n' && *at != '\r'; at++)
        is_quoted ^= *at == '"';
    return at;
}

// Skips the ends of lines; true if there were any, or the text ends.
static bool next_line(struct cells *cells)
{
    const char *const before = cells->at;
    while (cells->at < cells->end && (*cells->at == '\n' || *cells->at == '\r')) {
        const bool is_end = *cells->at++ == '\n' || cells->at == cells->end || *cells->at != '\n';
        if (is_end) {
            cells->line++;
            cells->line_start = cells->at;
        }
    }
    return cells->at == cells->end || cells->at != before;
}

static bool is_number(const char *start, const char *end, double *number)
{
    if (end - start > 1 && *start == '"' && end[-1] == '"')
        start++, end--;
    return read_number(start, (size_t)(end - start), number);
}

// True if a cell is neither empty nor begins like a number.
static bool is_name(const char *start, const char *end)
{
    while (start < end && (*start == ' ' || *start == '"'))
        start++;
    return start < end && memchr("0123456789+-.", *start, 13) == NULL;
}

// Skips the first line if all of its cells are names. Also finds the separator.
static void skip_names(struct cells *cells)
{
    static const char separators[] = "\t;,";
    const char *line_end = cells->at;
    while (line_end < cells->end && *line_end != '\n' && *line_end != '\r')
        line_end++;
    struct cells first = *cells;
    first.end = line_end;
    for (int i = 0; i < 3; i++) {
        first.at = cells->at;
        first.separator = cells->separator = separators[i];
        if (cell_end(&first) != line_end)
            break;
    }
    double number;
    for (first.at = cells->at;; first.at++) {
        const char *const end = cell_end(&first);
        if (!is_name(first.at, end) || is_number(first.at, end, &number))
            return;
        first.at = end;
        if (end == line_end)
            break;
    }
    cells->at = line_end;
    next_line(cells);
}

static bool read_csv(struct error *error, const char *path, struct bytes file, struct tensor *tensor)
{
    struct cells cells = {file.start, file.start + file.size, file.start, 1, ','};
    if (file.size >= 3 && memcmp(file.start, "\xef\xbb\xbf", 3) == 0)
        cells.at = cells.line_start = file.start + 3;
    next_line(&cells);
    skip_names(&cells);
    // No cell is without an end.
    size_t most = 1;
    for (const char *at = cells.at; at < cells.end; at++)
        most += *at == cells.separator || *at == '\n' || *at == '\r';
    if ((uint64_t)most > (uint64_t)MAX_ELEMENTS)
        return fail(error, BAD_DATA, "`%s` has too many cells", path);
    int64_t count = 0, rows = 0, columns = 0;
    while (cells.at < cells.end) {
        int64_t column = 0;
        do {
            if (column > 0)
                cells.at++;
            const char *const end = cell_end(&cells);
            const long place = cells.at - cells.line_start + 1;
            double number;
            if (!is_number(cells.at, end, &number)) {
                const char *visible = cells.at;
                while (visible < end && *visible == ' ')
                    visible++;
                if (visible == end)
                    return fail(error, BAD_DATA, "%s:%ld:%ld: cell %ld is empty", path, (long)cells.line, place,
                                (long)column + 1);
                const int length = (int)MIN(end - cells.at, 40);
                const char *const why = rows == 0 && column > 0 ? " (names of columns have no numbers among them)"
                                        : memchr(visible, ' ', (size_t)(end - visible)) != NULL
                                            ? " (cells are separated by commas, semicolons or tabs)"
                                            : "";
                return fail(error, BAD_DATA, "%s:%ld:%ld: `%.*s` is not a number%s", path, (long)cells.line, place,
                            length, cells.at, why);
            }
            if (rows > 0 && column == columns)
                return fail(error, BAD_DATA, "%s:%ld:%ld: this row has more than %ld cells, as the first one has", path,
                            (long)cells.line, place, (long)columns);
            if (tensor->data == NULL)
                tensor->data = memory(most * 8);
            tensor->data[count++] = number;
            column++;
            cells.at = end;
        } while (cells.at < cells.end && *cells.at == cells.separator);
        if (rows++ == 0)
            columns = column;
        if (column < columns)
            return fail(error, BAD_DATA, "%s:%ld:%ld: this row has %ld cell%s, but the first one has %ld", path,
                        (long)cells.line, (long)(cells.at - cells.line_start + 1), (long)column, column == 1 ? "" : "s",
                        (long)columns);
        next_line(&cells);
    }
    if (rows == 0)
        return fail(error, BAD_DATA, "`%s` has no numbers", path);
    tensor->is_csv = true;
    tensor->rank = columns == 1 ? 1 : 2;
    tensor->sizes[0] = rows;
    tensor->sizes[1] = columns;
    return true;
}
