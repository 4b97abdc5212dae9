// The threads of programs that are compiled with --threads: the few functions of the OpenMP runtime's
// interface (kmp.h of LLVM) that LLVM calls for `omp.parallel` and `omp.wsloop`.
//
// Input:  a region, as a function that each thread of a team calls, and the bounds of a loop in it.
// Output: every thread of the team has run the region, with its share of the loop, when
//         __kmpc_fork_call returns. Each thread gets one run of consecutive iterations, as
//         OpenMP's static schedule deals them; their number depends on the team alone.
//
// Invariants:
//   * The threads are kept: they are started when a team first needs them, wait for the next region,
//     and end when the program or the shared library with this code does.
//   * Everything may be called from any thread. One team is at work at a time; a region that comes
//     meanwhile, or within another, is run by its own thread alone. If a thread cannot be started, the
//     team is smaller, and it never has more threads than there are processors: they would wait for
//     each other. Results do not depend on it: iterations are independent.
//   * A child of fork has the thread that called fork, and starts its own.
//
// The rules of runtime.c hold: no headers, because a cross target's may be missing, and nothing but the
// C library is called. For the JIT there is one copy in the compiler.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern long syscall(long number, ...);
extern int pthread_create(unsigned long *thread, const void *attributes, void *(*start)(void *),
                          void *argument);
extern int pthread_join(unsigned long thread, void **result);
extern int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

#if defined(__x86_64__)
#define SYS_FUTEX 202
#define SYS_SCHED_GETAFFINITY 204
#define PAUSE() __builtin_ia32_pause()
// Non-temporal stores are not ordered before later ones.
#define FENCE() __builtin_ia32_sfence()
#elif defined(__aarch64__)
#define SYS_FUTEX 98
#define SYS_SCHED_GETAFFINITY 123
#define PAUSE() __asm__ volatile("yield")
#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#error "the numbers of the system calls"
#endif
enum { FUTEX_WAIT_PRIVATE = 128, FUTEX_WAKE_PRIVATE = 129 };

enum {
    // Threads of a team at most. It has to fit into the low bits of a signal.
    MOST = 255,
    TEAM_BITS = 8,
    // The number of looks before sleeping: some microseconds, about the cost of going to sleep.
    SPINS = 2000,
};

typedef void Region(int32_t *thread, int32_t *zero, void *captured);

static struct {
    // True if a team is at work, or being put together.
    uint32_t busy;
    // The number of the region at work, and in the low bits the size of its team.
    uint32_t signal;
    // The workers of the team that have not finished.
    uint32_t unfinished;
    uint32_t stopping;
    Region *region;
    void *captured;
    // The threads that have been started, without the calling thread: it is number 0 of its team.
    uint32_t workers;
    unsigned long threads[MOST];
    bool watches_fork;
    // The barrier: the number of threads that have arrived, and the number of times that all have.
    uint32_t arrived;
    uint32_t passed;
} pool;

// This thread's number in its team, the team's size (0: no team), and its request for the next team.
static _Thread_local int32_t number;
static _Thread_local uint32_t team;
static _Thread_local int32_t requested;

static uint32_t load(uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void wake(uint32_t *word)
{
    syscall(SYS_FUTEX, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

// Waits until the word is no longer `old`, and returns its value.
static uint32_t wait_while(uint32_t *word, uint32_t old)
{
    for (int spin = 0; spin < SPINS; spin++) {
        if (load(word) != old)
            return load(word);
        PAUSE();
    }
    while (load(word) == old)
        syscall(SYS_FUTEX, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
    return load(word);
}

// The processors that this program may use; a test may say how many.
static uint32_t processors(void)
{
#ifdef PROCESSORS
    return PROCESSORS;
#else
    static uint32_t known;
    if (load(&known) == 0) {
        uint64_t mask[128] = { 0 };
        long bytes = syscall(SYS_SCHED_GETAFFINITY, 0, sizeof mask, mask);
        uint32_t count = bytes > 0 ? 0 : MOST;
        for (long i = 0; i < bytes / 8; i++)
            for (uint64_t word = mask[i]; word != 0; word &= word - 1)
                count++;
        __atomic_store_n(&known, count, __ATOMIC_RELEASE);
    }
    return load(&known);
#endif
}

static void run(Region *region, void *captured, int32_t as, uint32_t of)
{
    int32_t zero = 0;
    int32_t outer_number = number;
    uint32_t outer_team = team;
    number = as;
    team = of;
    region(&as, &zero, captured);
    FENCE();
    number = outer_number;
    team = outer_team;
}

static void *work(void *argument)
{
    // Its number and the signal before the first one that it has to follow.
    uint64_t start = (uint64_t)(uintptr_t)argument;
    uint32_t index = (uint32_t)(start >> 32);
    uint32_t seen = (uint32_t)start;
    for (;;) {
        seen = wait_while(&pool.signal, seen);
        if (load(&pool.stopping))
            return NULL;
        uint32_t size = seen & MOST;
        // The team waits for its members: what they read belongs to the signal they have seen.
        if (index >= size)
            continue;
        run(pool.region, pool.captured, (int32_t)index, size);
        if (__atomic_sub_fetch(&pool.unfinished, 1, __ATOMIC_ACQ_REL) == 0)
            wake(&pool.unfinished);
    }
}

static void forget_workers(void)
{
    pool.workers = 0;
    pool.arrived = 0;
    __atomic_store_n(&pool.busy, team > 0, __ATOMIC_RELEASE);
}

// Starts threads until there are as many as wanted. Returns their number.
static uint32_t start_workers(uint32_t wanted)
{
    if (!pool.watches_fork)
        pool.watches_fork = pthread_atfork(NULL, NULL, forget_workers) == 0;
    while (pool.workers < wanted && pool.watches_fork) {
        uint64_t start = (uint64_t)(pool.workers + 1) << 32 | load(&pool.signal);
        void *argument = (void *)(uintptr_t)start;
        if (pthread_create(&pool.threads[pool.workers], NULL, work, argument) != 0)
            break;
        pool.workers++;
    }
    return pool.workers < wanted ? pool.workers : wanted;
}

static void next_signal(uint32_t size)
{
    uint32_t count = (load(&pool.signal) >> TEAM_BITS) + 1;
    __atomic_store_n(&pool.signal, count << TEAM_BITS | size, __ATOMIC_RELEASE);
    wake(&pool.signal);
}

// At the end of the program or of the shared library: the code of the threads may be unmapped next.
__attribute__((destructor)) static void stop_workers(void)
{
    __atomic_store_n(&pool.stopping, 1, __ATOMIC_RELEASE);
    next_signal(0);
    for (uint32_t i = 0; i < pool.workers; i++)
        pthread_join(pool.threads[i], NULL);
    pool.workers = 0;
}

// The number of threads of the next team that the calling thread forks.
void __kmpc_push_num_threads(void *where, int32_t thread, int32_t count)
{
    (void)where, (void)thread;
    requested = count;
}

// Runs a region with a team. LLVM passes at most one further argument: the captured values.
void __kmpc_fork_call(void *where, int32_t arguments, Region *region, ...)
{
    (void)where;
    void *captured = NULL;
    if (arguments > 0) {
        __builtin_va_list list;
        __builtin_va_start(list, region);
        captured = __builtin_va_arg(list, void *);
        __builtin_va_end(list);
    }
    uint32_t wanted = requested < 1 ? 1 : requested > MOST ? MOST : (uint32_t)requested;
    requested = 0;
    if (wanted > processors())
        wanted = processors();
    if (wanted == 1 || team > 0 || load(&pool.stopping)
        || __atomic_exchange_n(&pool.busy, 1, __ATOMIC_ACQ_REL) != 0) {
        run(region, captured, 0, 1);
        return;
    }
    uint32_t helpers = start_workers(wanted - 1);
    if (helpers > 0) {
        pool.region = region;
        pool.captured = captured;
        __atomic_store_n(&pool.unfinished, helpers, __ATOMIC_RELEASE);
        next_signal(helpers + 1);
    }
    run(region, captured, 0, helpers + 1);
    for (uint32_t left = load(&pool.unfinished); left != 0; left = load(&pool.unfinished))
        wait_while(&pool.unfinished, left);
    __atomic_store_n(&pool.busy, 0, __ATOMIC_RELEASE);
}

// The share of the calling thread of the iterations `*lower` to `*upper`, both included.
void __kmpc_for_static_init_8u(void *where, int32_t thread, int32_t schedule, int32_t *is_last,
                               uint64_t *lower, uint64_t *upper, int64_t *stride, int64_t increment,
                               int64_t chunk)
{
    (void)where, (void)thread, (void)schedule, (void)increment, (void)chunk;
    uint64_t size = team > 0 ? team : 1;
    uint64_t index = team > 0 ? (uint64_t)number : 0;
    // The upper bound of an empty loop is one below the lower one, if need be by wrapping around.
    uint64_t count = *upper - *lower + 1;
    uint64_t least = count / size;
    uint64_t more = count % size;
    uint64_t first = index * least + (index < more ? index : more);
    uint64_t share = least + (index < more);
    *is_last = share > 0 && first + share == count;
    *upper = *lower + first + share - 1;
    *lower += first;
    *stride = (int64_t)count;
}

void __kmpc_for_static_fini(void *where, int32_t thread)
{
    (void)where, (void)thread;
}

// Waits for all threads of the team.
void __kmpc_barrier(void *where, int32_t thread)
{
    (void)where, (void)thread;
    if (team <= 1)
        return;
    uint32_t before = load(&pool.passed);
    if (__atomic_add_fetch(&pool.arrived, 1, __ATOMIC_ACQ_REL) == team) {
        __atomic_store_n(&pool.arrived, 0, __ATOMIC_RELEASE);
        __atomic_add_fetch(&pool.passed, 1, __ATOMIC_ACQ_REL);
        wake(&pool.passed);
    } else {
        wait_while(&pool.passed, before);
    }
}

int32_t __kmpc_global_thread_num(void *where)
{
    (void)where;
    return number;
}
