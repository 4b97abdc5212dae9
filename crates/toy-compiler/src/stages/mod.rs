//! A folder per stage, named as in `-emit=`, with `_` for `-`.
//!
//! Input of each folder: the module of the previous stage. Output: the module of its own stage. Its `mod.rs` lists
//! the passes that lead there, [`toy::passes`] for example, and the definitions of the passes that are written in it.
//! Invariant: a stage uses what an earlier one defines, never a later one; shared analyses are in [`crate::analysis`].

pub mod dealloc;
pub mod linalg;
pub mod loops;
pub mod memref;
pub mod merged;
pub mod mlir_llvm;
mod options;
pub mod shapes;
pub mod toy;

pub use options::{PipelineOptions, Remarks};

use mlir_support::Pass;

/// The passes if a condition holds.
fn when(condition: bool, passes: &[Pass]) -> Vec<Pass> {
    if condition { passes.to_vec() } else { vec![] }
}
