//! Passes over the Toy dialect and over memrefs: one pass, one file, its rules in the file's head.

pub mod bufferize;
pub mod canonicalize;
pub mod copies;
pub mod cse;
pub mod dead_arguments;
pub mod destinations;
pub mod exports;
pub mod flatten;
pub mod fusion_fences;
pub mod in_place;
pub mod indirect_calls;
pub mod inline;
pub mod large;
pub mod loop_nests;
pub mod merge_alloc;
pub mod own_arguments;
pub mod own_copies;
pub mod own_outs;
pub mod ownership;
pub mod parallel_loops;
pub mod plain_pointers;
pub mod purity;
pub mod rotate;
pub mod schedule;
pub mod specialize;
pub mod tensor_roots;
pub mod unroll_turns;
/// verify-merged-allocs, the checker of merge-alloc.
pub mod verify_merged {
    pub use merge_alloc::verify as run;
}
pub mod whole_numbers;
pub mod workarounds;
