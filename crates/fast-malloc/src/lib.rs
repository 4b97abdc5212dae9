//! malloc for Rust, MLIR and LLVM alike, at half the cost of glibc's (`malloc.c`).
//!
//! A command that wants it says `use fast_malloc as _;` in its `main.rs`. A library must not: the program
//! manages the memory of its process. Nor must toy-opt, which runs any pass: if an MLIR pass frees an
//! operation twice, glibc ends the process, and mimalloc goes on with corrupt memory.

use libmimalloc_sys as _;
