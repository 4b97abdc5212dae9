//! malloc for Rust, MLIR and LLVM alike, at half the cost of glibc's (`malloc.c`).
//!
//! A command that wants it says `use fast_malloc as _;` in its `main.rs`. A library must not: the memory
//! of a process is for the program to manage.

use libmimalloc_sys as _;
