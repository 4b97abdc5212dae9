//! The raw calls: small functions over MLIR's C API that melior 0.27 has no safe form of.
//!
//! Safe functions here are sound with whatever melior's safe ones give: references into a module borrow
//! it, and nothing here frees what they refer to while they do: erased operations wait ([`erase`]), and an
//! upstream pass, which frees at once, asks for the only borrow of the module
//! ([`run_upstream`](crate::pass::run_upstream)). Functions that cannot know what their caller refers to are
//! `unsafe`. What remains open is melior's: an operation may be given operands that do not outlive it.

mod attributes;
mod edit;
mod graveyard;
mod identity;
mod print;
#[cfg(test)]
mod tests;
mod types;
mod values;
mod walk;

pub use attributes::*;
pub use edit::*;
pub use graveyard::{erase, release};
pub use identity::*;
pub use print::*;
pub use types::*;
pub use values::*;
pub use walk::*;
