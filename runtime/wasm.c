// The C library of a module of WebAssembly: the functions that runtime.c and data.c use of one, and those that LLVM's
// code for WebAssembly calls. runtime.c includes this file.
//
// Input:  the functions that the host gives the module, in its import module `toy` (host.mjs and files.mjs in
//         crates/toy-compiler/src/interface/javascript). They get addresses in the module's memory and return -1 where
//         something fails.
// Output: as much of the C library as the runtime asks for: `FILE` has one stream, `snprintf` the conversions that occur
//         there, and `longjmp` leaves the module for good.

#define HOST(name) __attribute__((import_module("toy"), import_name(name)))
HOST("write") extern int host_write(int file, const void *data, size_t size);
HOST("exit") extern _Noreturn void host_exit(int status);

#include "wasm/memory.c"
#include "wasm/output.c"
#include "wasm/arithmetic.c"
#include "wasm/files.c"
