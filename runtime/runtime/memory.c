// The allocation functions of compiled programs, in place of malloc, aligned_alloc and free.
//
// Input:  a size of 64 bits for every target.
// Output: memory, or the end of the program with a message that names the size. A library reports it instead.

// Reports the memory needed, since nothing else in the program does. exit() flushes its output.
static _Noreturn __attribute__((noinline, cold)) void fail_without_memory(word size)
{
    static const char start[] = "toy: out of memory: ", needed[] = " bytes are needed at once";
    static const char program[] = ", this program has ", already[] = " already";
    static const char machine[] = ", and this machine has ", help[] = "\n`toyc -emit=memory-plan` shows what for\n";
    char message[sizeof start + sizeof needed + sizeof program + sizeof already + sizeof machine + sizeof help + 60];
    char *end = message;
#define ADD(text) (__builtin_memcpy(end, text, sizeof text - 1), end += sizeof text - 1)
    ADD(start);
    end = put_integer(end, size);
    ADD(needed);
    const size_t all = memory_of_machine(), own = memory_of_process();
    const bool is_too_much = size > all, are_too_much = !is_too_much && own > all - size;
    if (are_too_much) {
        ADD(program);
        end = put_integer(end, own);
        ADD(already);
    }
    if (is_too_much || are_too_much) {
        ADD(machine);
        end = put_integer(end, all);
    }
    ADD(help);
#undef ADD
#ifdef TOY_JIT
    keep(NO_MEMORY, place_of(nowhere), message + 5, (size_t)(end - message) - 5, 0, (int64_t)size, 0);
    if (redirected != NULL && escape != NULL)
        longjmp(escape, 1);
#endif
    write(2, message, (size_t)(end - message));
    exit(1);
}

// The allocation functions of compiled programs, in place of malloc and aligned_alloc: a
// program that continues without memory would only crash. Some allocators promise more than
// the machine has, and the system then kills the process without a word: that is refused.
static inline void *checked(void *memory, size_t size)
{
    if (memory == NULL && size != 0)
        fail_without_memory(size);
    if (size >= COUNTED / 2)
        count(memory, 1);
    return memory;
}

static bool fits(word size)
{
    const size_t all = memory_of_machine();
    return size <= all && memory_of_process() <= all - size;
}

static __attribute__((noinline, cold)) void look_at_machine(word size)
{
    __atomic_store_n(&unseen, 0, __ATOMIC_RELAXED);
    if (fits(size))
        return;
    give_back();
    if (!fits(size))
        fail_without_memory(size);
}

static inline void check_size(word size)
{
    if (size < COUNTED)
        return;
    const word sum = __atomic_load_n(&unseen, __ATOMIC_RELAXED) + size;
    __atomic_store_n(&unseen, (size_t)sum, __ATOMIC_RELAXED);
    if (sum > MODEST)
        look_at_machine(size);
}

void *toy_malloc(word size)
{
    check_size(size);
    return checked(malloc((size_t)size), (size_t)size);
}

void *toy_aligned_alloc(word wide_alignment, word wide_size)
{
    check_size(wide_size);
    const size_t alignment = (size_t)wide_alignment, size = (size_t)wide_size;
    return checked(size < LARGE || alignment > HUGE_PAGE ? aligned_alloc(alignment, size) : allocate_large(size), size);
}

void toy_free(void *memory)
{
    count(memory, -1);
    free(memory);
}
