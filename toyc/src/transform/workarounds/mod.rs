//! Work-arounds for bugs of LLVM 22.1: these passes would be unnecessary if upstream's passes were correct.
//!
//! | file | issue | since | delete when |
//! |---|---|---|---|
//! | [`allocated`] | deallocation compares addresses of elements, which are others in a `memref.view` with an offset | 22.1 | it compares allocated pointers |
//! | [`atomic_products`] | the conversion to the LLVM dialect leaves `memref.atomic_rmw` of products as it is | 22.1 | `memref-expand` or the conversion handles them |
//! | [`deallocate`] | a function that returns one tensor twice: One-Shot Bufferize miscompiles its callers, buffer-results-to-out-params crashes (llvm-project issue 219492) | 22.1.8 | both accept such functions |
//! | [`distinct_yields`] | `allow-return-allocs-from-loops` assumes that loops yield distinct buffers; results of `scf.index_switch` are assumed to be new | 22.1.8 | tests/filecheck/tensor_loops passes without it |
//! | [`free_early`] | optimize-allocation-liveness takes numbers returned by calls for views, and misses some views | 22.1 | the pass asks the aliasing interfaces |
//! | [`free_descriptors`] | finalize-memref-to-llvm allocates the descriptor of an unranked buffer on the stack where it is made, in each iteration of a loop | 22.1 | it does so in the entry block |
//! | [`freeze_poison`] | ownership-based deallocation compares the addresses of `ub.poison` buffers, and may free a buffer twice | 22.1.8 | lift-cf-to-scf passes no poison buffers on |
//! | [`inline_scopes`] | finalize-memref-to-llvm creates invalid IR for `memref.alloca_scope` with buffer results; convert-scf-to-cf fails in the scopes of convert-scf-to-openmp | 22.1 | both lower these scopes |
//! | [`mod@unreachable`] | lift-cf-to-scf gives up on regions whose blocks end in `unreachable` and in other terminators | 22.1 | it handles them |
//! | [`vector_elements`] | `tensor.from_elements` of constant vectors is folded to `dense<"">` | 22.1 | the fold ignores elements that are not numbers |
//!
//! Other work-arounds are next to the code they belong to: `bufferize` (symbol tables rebuilt for each
//! call; the order of functions), `lower::entry_point` (memory spaces in finalize-memref-to-llvm, locations
//! of globals), and `KEEP_LOOP_TYPES` in the pipeline (a pattern that keeps the sizes of loops).

pub mod allocated;
pub mod atomic_products;
pub mod deallocate;
pub mod distinct_yields;
pub mod free_descriptors;
pub mod free_early;
pub mod freeze_poison;
pub mod inline_scopes;
pub mod unreachable;
pub mod vector_elements;
