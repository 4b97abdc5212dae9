// The stack of programs whose functions call themselves.
//
// Input:  `toy.enter` at the start of each such function, and `toy.run` around the program.
// Output: an end with a message before the stack is full, on a stack of STACK_SIZE bytes where threads exist.

// The lowest address to which the stack of this thread may grow, with room for the program's calls. Unknown at first:
// then every address is too low.
static _Thread_local uintptr_t stack_limit = UINTPTR_MAX;
enum { STACK_RESERVE = 256 * 1024 };

#ifdef __wasm__
// The function that was entered last: the engine has a stack of its own, and does not say where it ends.
static const char *entered = nowhere;

static void measure_stack(void)
{
    stack_limit = lowest_stack() + STACK_RESERVE;
}
#else
// The C library's own description of a thread; it is smaller than this.
union thread_attributes {
    char bytes[256];
    long alignment;
};
extern unsigned long pthread_self(void);
extern int pthread_getattr_np(unsigned long thread, union thread_attributes *attributes);
extern int pthread_attr_getstack(const union thread_attributes *attributes, void **address, size_t *size);
extern int pthread_attr_destroy(union thread_attributes *attributes);

static void measure_stack(void)
{
    union thread_attributes attributes;
    void *lowest;
    size_t length;
    stack_limit = 0; // If nothing is known, nothing is checked.
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &lowest, &length) == 0)
        stack_limit = (uintptr_t)lowest + (length > 2 * STACK_RESERVE ? STACK_RESERVE : length / 2);
    pthread_attr_destroy(&attributes);
}
#endif

static _Noreturn void fail_too_deep(const char *text)
{
    const struct place place = place_of(text);
    MESSAGE(message, place);
    fail(TOO_DEEP, place, &message, (struct values){0, 0, 0});
}

static __attribute__((noinline, cold)) void check_stack(const char *text, uintptr_t frame)
{
    if (stack_limit == UINTPTR_MAX)
        measure_stack();
    if (frame >= stack_limit)
        return;
    fail_too_deep(text);
}

// The stack of a program whose functions call themselves, so that the depth of calls is the same however it is run.
#define STACK_SIZE ((size_t)128 << 20)

#ifdef TOY_JIT
// Runs a program, on as much of this stack as an executable has. Its allocations are lost if it fails.
int toy_run(int (*program)(void))
{
    _Alignas(16) char registers[512];
    void *const previous = escape;
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    memory_before = written_memory();
    asked = 0;
    last_error.code = 0;
    measure_stack();
    if (frame - stack_limit > STACK_SIZE - STACK_RESERVE)
        stack_limit = frame - (STACK_SIZE - STACK_RESERVE);
    escape = registers;
    const int status = _setjmp(registers) == 0 ? program() : 1;
    escape = previous;
    stack_limit = UINTPTR_MAX;
    return status;
}
#elif defined(__wasm__)
int toy_run(int (*program)(void)) NAMED("toy.run");
int toy_run(int (*program)(void))
{
    return program();
}

// Called by the host where the engine's stack ended.
_Noreturn void toy_too_deep(void)
{
    fail_too_deep(entered);
}
#else
extern int pthread_attr_init(union thread_attributes *attributes);
extern int pthread_attr_setstacksize(union thread_attributes *attributes, size_t size);
extern int pthread_create(unsigned long *thread, const union thread_attributes *attributes,
                          void *(*start)(void *), void *argument);
extern int pthread_join(unsigned long thread, void **result);

struct start {
    int (*program)(void);
    int status;
};

static void *start(void *argument)
{
    struct start *start = argument;
    start->status = start->program();
    return NULL;
}

// Runs a program on a stack of its own; if there is no room for it, on the process's stack.
int toy_run(int (*program)(void)) NAMED("toy.run");
int toy_run(int (*program)(void))
{
    struct start the_start = {program, 1};
    union thread_attributes attributes;
    unsigned long thread;
    if (pthread_attr_init(&attributes) != 0)
        return program();
    const bool is_started = pthread_attr_setstacksize(&attributes, STACK_SIZE) == 0
                            && pthread_create(&thread, &attributes, start, &the_start) == 0;
    pthread_attr_destroy(&attributes);
    if (!is_started)
        return program();
    pthread_join(thread, NULL);
    return the_start.status;
}
#endif

// At the start of each function that may call itself. Clang warns of private names here where this file is included.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wstatic-in-inline"
#endif
extern inline void toy_enter(const char *text, word size) NAMED("toy.enter");
extern inline __attribute__((always_inline)) void toy_enter(const char *text, word size)
{
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    (void)size;
#ifdef __wasm__
    entered = text;
#endif
    if (__builtin_expect(frame < stack_limit, 0))
        check_stack(text, frame);
}
