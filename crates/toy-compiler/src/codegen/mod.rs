//! From MLIR's LLVM dialect to machine code: translation, optimization, objects, executables, JIT.
//!
//! Input: a verified module of the LLVM dialect. Output: LLVM IR as text, an assembly or object
//! file that needs nothing but the C library, an archive, an executable, a shared library, or a run in memory. Invariants: the
//! target triple and the data layout are set before anything looks at the module; all targets
//! take the same code paths; executables are linked by the C compiler driver of the target, modules by LLVM's linker.
//!
//! Tutorial: chapters 12 and 13.

pub mod addresses;
pub mod architecture;
pub mod archive;
pub mod data;
pub mod fatal;
pub mod inline_limit;
pub mod jit;
pub mod library;
pub mod link;
pub mod math;
pub mod object;
pub mod processor;
pub mod runtime;
pub mod small_floats;
pub mod target;
pub mod translate;
