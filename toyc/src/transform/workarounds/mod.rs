//! Work-arounds for bugs of LLVM 22.1: passes that would not be there if upstream's passes were right.
//!
//! | file | issue | since | delete when |
//! |---|---|---|---|
//! | [`deallocate`] | a function that returns one tensor twice: One-Shot Bufferize miscompiles its callers, buffer-results-to-out-params crashes (llvm-project issue 219492) | 22.1.8 | both accept such functions |
//! | [`distinct_yields`] | `allow-return-allocs-from-loops` trusts that loops hand on different buffers; results of `scf.index_switch` are taken for new ones | 22.1.8 | tests/filecheck/tensor_loops passes without it |
//! | [`free_early`] | optimize-allocation-liveness takes numbers returned by calls for views, and does not see some views | 22.1 | the pass asks the aliasing interfaces |
//! | [`freeze_poison`] | ownership-based deallocation compares the addresses of `ub.poison` buffers, and may free a buffer twice | 22.1.8 | lift-cf-to-scf passes no poison buffers on |
//! | [`inline_scopes`] | finalize-memref-to-llvm makes invalid IR of `memref.alloca_scope` with buffers as results | 22.1 | it lowers the results of the scope |
//! | [`mod@unreachable`] | lift-cf-to-scf gives up on regions whose blocks end in `unreachable` and in something else | 22.1 | it handles them |
//! | [`vector_elements`] | `tensor.from_elements` of constant vectors is folded to `dense<"">` | 22.1 | the fold leaves elements alone that are not numbers |
//!
//! Elsewhere, because they belong to what is around them: `bufferize` (symbol tables made anew for each
//! call; the order of functions), `lower::entry_point` (memory spaces in finalize-memref-to-llvm, locations
//! of globals), and `KEEP_LOOP_TYPES` in the pipeline (a pattern that keeps the sizes of loops).

pub mod deallocate;
pub mod distinct_yields;
pub mod free_early;
pub mod freeze_poison;
pub mod inline_scopes;
pub mod unreachable;
pub mod vector_elements;
