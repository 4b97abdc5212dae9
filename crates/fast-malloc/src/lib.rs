//! malloc for Rust, MLIR and LLVM alike, at half the cost of glibc's (`malloc.c`).
//!
//! A command that wants it says `use fast_malloc as _;` in its `main.rs`. A library must not: the memory
//! of a process is for the program to manage. And toy-opt, which runs any pass, must not, either: where a
//! pass of MLIR's frees an operation twice, glibc ends the process, and mimalloc lets it go on with garbage.

use libmimalloc_sys as _;
