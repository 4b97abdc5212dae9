//! A room per stage: the folder has the name that `-emit=` knows, with `_` for `-`.
//!
//! Input of each room: the module of the stage before it. Output: the module of its own stage. Its `mod.rs` lists the
//! passes that lead there, [`toy::passes`] for example, and the definitions of the passes that are written in it.
//! Invariant: rooms share no code; what several of them ask is in [`crate::analysis`].

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
