//! The chapters of part one as the source of the crates that they build.
//!
//! Input: the folder of the tutorial. Output: for each step, the files that its reader has. The command `tutorial` writes
//! them; the suite builds and tests them. Invariant: all errors are sentences, and say where in a chapter.
//!
//! | module | contents |
//! |---|---|
//! | [`check`] | how far a reader's crate is |
//! | [`markdown`] | the blocks of a page |
//! | [`listings`] | the changes in the blocks of a chapter |
//! | [`rhythm`] | how much a reader types before something happens |
//! | [`steps`] | which steps there are, and which of them starts from which |

pub mod check;
pub mod listings;
pub mod markdown;
pub mod rhythm;
pub mod steps;

pub type Result<T> = std::result::Result<T, String>;

fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(message.into())
}
