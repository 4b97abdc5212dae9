struct toy_error {
    int code;             /* 0: nothing has failed; the status, or for TOY_CHECK_FAILED the check */
    int line, column;     /* in the program in Toy; 0 if unknown */
    const char *file;     /* that program */
    const char *function; /* with the shapes of its arguments */
    const char *message;  /* without the place */
    const char *text;     /* FILE:LINE:COLUMN: error: MESSAGE */
    int64_t index, size;  /* of TOY_OUT_OF_RANGE; for TOY_OUT_OF_MEMORY, `size` bytes */
    double number;        /* of TOY_NOT_WHOLE */
};
#ifdef __cplusplus
extern "C"
#endif
const struct toy_error *toy_last_error(void);
#endif

