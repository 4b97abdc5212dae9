// Drives the runtime's threads as LLVM's code does, and checks that each iteration is run exactly once.
//
//     cc -O2 -pthread -DPROCESSORS=255 runtime/test_threads.c runtime/threads.c -o test_threads && ./test_threads
//
// Teams of many sizes one after another, from several threads at a time, nested, in a child of fork; loops of no
// iterations, of fewer than there are threads, and of more. Exit status 0 or 1.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void region(int32_t *thread, int32_t *zero, void *captured);

extern void __kmpc_push_num_threads(void *where, int32_t thread, int32_t count);
extern void __kmpc_fork_call(void *where, int32_t arguments, region *region, ...);
extern void __kmpc_for_static_init_8u(void *where, int32_t thread, int32_t schedule, int32_t *is_last,
                                      uint64_t *lower, uint64_t *upper, int64_t *stride,
                                      int64_t increment, int64_t chunk);
extern void __kmpc_for_static_fini(void *where, int32_t thread);
extern void __kmpc_barrier(void *where, int32_t thread);
extern int32_t __kmpc_global_thread_num(void *where);

struct loop {
    uint64_t count;
    uint8_t *hits;
    // True if each iteration runs a loop of its own.
    int nested;
    // The number of threads in the last iteration.
    int last;
};

static int failures(uint64_t count, int threads, int nested);

static void body(int32_t *thread, int32_t *zero, void *captured)
{
    struct loop *loop = captured;
    uint64_t lower = 0, upper = loop->count - 1;
    int64_t stride;
    int32_t is_last = 0;
    __kmpc_for_static_init_8u(NULL, *thread, 34, &is_last, &lower, &upper, &stride, 1, 0);
    for (uint64_t i = 0, share = upper - lower + 1; i < share; i++) {
        loop->hits[lower + i]++;
        if (loop->nested && failures(i % 7, 3, 0) != 0)
            loop->hits[lower + i] += 2;
    }
    __kmpc_for_static_fini(NULL, *thread);
    __atomic_add_fetch(&loop->last, is_last, __ATOMIC_RELAXED);
    __kmpc_barrier(NULL, __kmpc_global_thread_num(NULL));
    // After the barrier, every thread sees what all have done.
    for (uint64_t i = 0; i < loop->count; i++)
        if (loop->hits[i] != 1)
            *zero = 1;
    if (*zero != 0)
        __atomic_add_fetch(&loop->last, 100, __ATOMIC_RELAXED);
}

// Runs a loop with a team; returns true if something was wrong.
static int failures(uint64_t count, int threads, int nested)
{
    struct loop loop = { count, calloc(count + 1, 1), nested, 0 };
    __kmpc_push_num_threads(NULL, __kmpc_global_thread_num(NULL), threads);
    __kmpc_fork_call(NULL, 1, body, &loop);
    int failed = loop.last != (count > 0) || loop.hits[count] != 0;
    for (uint64_t i = 0; i < count; i++)
        failed |= loop.hits[i] != 1;
    free(loop.hits);
    return failed;
}

static long many(int rounds)
{
    long failed = 0;
    for (int i = 0; i < rounds; i++)
        failed += failures((uint64_t)i % 41, 1 + i % 6, i % 10 == 0);
    return failed;
}

static void *one_of_several(void *result)
{
    *(long *)result = many(500);
    return NULL;
}

int main(void)
{
    long failed = many(2000) + failures(1000, 255, 0) + failures(1000, 100000, 0);
    pthread_t threads[4];
    long results[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, one_of_several, &results[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        failed += results[i];
    }
    pid_t child = fork();
    if (child == 0)
        exit(many(200) != 0);
    int status = 1;
    waitpid(child, &status, 0);
    failed += status != 0;
    if (failed != 0)
        printf("%ld loops went wrong\n", failed);
    return failed != 0;
}
