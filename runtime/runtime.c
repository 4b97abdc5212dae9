// The functions that compiled programs call. Here is what all of them share: what they use of the C library, and
// standard output, whose failures are reported. The rest is in files that this one includes, in an order in which none
// uses a later one:
//
//   machine.c       the memory of the machine and of this process, and huge pages
//   failure.c       the last failure, for callers in other languages
//   digits.c        numbers as text
//   memory.c        allocation, or an end with a message
//   tensors.c       printing tensors, and copying between strided ones
//   checks.c        printing texts and numbers, and the ends of failed checks
//   stack.c         the stack of functions that call themselves
//   processor.c     the version of functions that a processor can run
//   exports.c       what libraries call
//   small_floats.c  conversions of 16-bit numbers
//
// One source for all uses: LLVM bitcode that is linked into every program (for any target whose pointers have 64
// bits, and for wasm32), and native code in the compiler itself for the JIT. Hence the rules of this file:
//   * no libc headers, since a cross target's may be missing: the few functions used are declared
//     here; nothing else is called, libgcc included, so that `cc prog.o` links (128-bit integers are
//     only multiplied, compared and shifted by constants: other operations may become calls);
//   * a size that a program passes has 64 bits for every target (`word`), also where a pointer has 32;
//   * no floating-point arithmetic and no allocation: formatting is exact integer arithmetic;
//   * several copies may live in one process (one per object file, internalized). They share
//     stdout and nothing else, and each copy reports its own failures.
// Toy programs have one thread; the state below is not guarded. In the compiler (TOY_JIT) each thread
// has its own. Libraries, whose functions are called from any thread, use only functions named toy_export_... (and
// copies and conversions), which keep no state but the last failure of each thread, and the form of printed numbers, which
// each thread has for one `print`.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A size in a program.
typedef uint64_t word;

// glibc's and musl's own tag, so that the declarations also agree with <stdio.h>.
typedef struct _IO_FILE FILE;
extern FILE *stdout;
extern size_t fwrite(const void *data, size_t size, size_t count, FILE *stream);
extern int fflush(FILE *stream);
extern int ferror(FILE *stream);
extern int atexit(void (*handler)(void));
extern long write(int descriptor, const void *data, size_t size);
extern int open(const char *path, int flags, ...);
extern long read(int descriptor, void *data, size_t size);
extern int close(int descriptor);
extern _Noreturn void _exit(int status);
extern _Noreturn void exit(int status);
extern void *malloc(size_t size);
extern void free(void *memory);
extern void *aligned_alloc(size_t alignment, size_t size);
extern size_t malloc_usable_size(void *memory);
extern int madvise(void *start, size_t size, int advice);
#ifdef __wasm__
#include "wasm.c"
#endif

#ifdef TOY_JIT
// In the compiler, each program runs on the thread of its compilation.
#define STATE static _Thread_local
// The destination of this thread's output, if it is not stdout.
STATE FILE *redirected;

void toy_redirect(FILE *stream)
{
    redirected = stream;
}

static inline FILE *output_stream(void)
{
    return redirected != NULL ? redirected : stdout;
}

extern int fcntl(int descriptor, int command, ...);
extern int dup2(int from, int to);
// Rust's standard library opens /dev/null for writing in place of a closed standard output, so that failed output would
// not be reported. This function opens it before, for reading.
__attribute__((constructor)) static void keep_closed_output_unwritable(void)
{
    enum { F_GETFD = 1, STANDARD_OUTPUT = 1 };
    if (fcntl(STANDARD_OUTPUT, F_GETFD) != -1)
        return;
    const int file = open("/dev/null", 0);
    if (file < 0 || file == STANDARD_OUTPUT)
        return;
    dup2(file, STANDARD_OUTPUT);
    close(file);
}

// The compiler's malloc may keep memory that programs have freed. Not every C library has the function.
extern int malloc_trim(size_t kept) __attribute__((weak));
static inline void give_back(void)
{
    if (malloc_trim != NULL)
        malloc_trim(0);
}
#else
#define STATE static
#define output_stream() stdout
// Large memory goes back to the system when it is freed.
#define give_back() ((void)0)
#endif

STATE bool exit_handler_registered;
STATE bool output_failed;
STATE bool failure_returned;

// Flushes stdout. Returns 1 if that or any earlier output failed, else 0. The caller reports a failure returned here:
// it is not reported again at exit.
int toy_flush(void)
{
    if (fflush(output_stream()) != 0)
        output_failed = true;
    failure_returned = output_failed;
    return output_failed;
}

// libc flushes stdio after all exit handlers have run and ignores failures, so this flush is the last
// one that can report its failure.
static void report_failure_at_exit(void)
{
    if (failure_returned || toy_flush() == 0)
        return;
    // _exit skips libc's own flush: keep what a C host wrote to its other streams.
    fflush(NULL);
    static const char message[] = "toy: cannot write to standard output\n";
    write(2, message, sizeof message - 1);
    _exit(1); // An exit handler must not call exit().
}

// The names of functions in compiled programs contain a `.`, which a name in Toy cannot contain.
#define NAMED(name) __asm__(name)

#include "runtime/machine.c"
#include "runtime/failure.c"
#include "runtime/digits.c"
#include "runtime/memory.c"
#include "runtime/tensors.c"
#include "runtime/checks.c"
#include "runtime/stack.c"
#include "runtime/processor.c"
#include "runtime/exports.c"
#include "runtime/small_floats.c"
