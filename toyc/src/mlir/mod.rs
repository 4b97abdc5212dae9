//! MLIR as the rest of toyc sees it: a session that owns the context, passes, locations, and the
//! few raw calls melior has no safe wrapper for.
//!
//! This is the only place of the front and middle end with `unsafe`. What the others rely on:
//! nothing made from a [`Session`]'s context outlives the session (its methods tie the lifetimes
//! that melior leaves free), MLIR's diagnostics are collected and never printed by MLIR itself,
//! and no Rust panic unwinds into C++ (callbacks only collect).

pub mod capture;
pub mod errors;
pub mod location;
pub mod nesting;
pub mod pass;
pub mod raw;
pub mod rewrite;
pub mod session;

pub use location::Locations;
pub use pass::Pass;
pub use session::Session;
