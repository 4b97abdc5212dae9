//! Walks, queries and edits of a program, where melior 0.27 has none or has them with an error that prints the operation.
//!
//! The functions are safe together with melior's: references into a module borrow it, and nothing here frees an
//! operation while a reference to it exists: erased operations wait ([`erase`]), and an upstream pass, which frees at
//! once, takes the only borrow of the module ([`run_upstream`](crate::pass::run_upstream)). Functions that cannot know
//! their caller's references are `unsafe`, in [`raw`](crate::raw). One gap is melior's: an operation can be given
//! operands that do not outlive it.

mod attributes;
mod build;
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
pub use build::*;
pub use edit::*;
pub use graveyard::{erase, erase_if_unused, release};
pub use identity::*;
pub use print::*;
pub use types::*;
pub use values::*;
pub use walk::*;
