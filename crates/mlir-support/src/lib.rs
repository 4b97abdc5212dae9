//! The support that a compiler on MLIR needs beside melior: a session that owns the context, passes and their context,
//! rewrite patterns, a builder of operations, functions and calls, locations that lead back to the source, MLIR's
//! diagnostics as data, and the walks and edits that melior lacks.
//!
//! It knows MLIR's own dialects and no other. Guarantees: nothing made from a [`Session`]'s
//! context outlives the session (its methods tie the lifetimes that melior leaves free), MLIR's diagnostics are
//! collected and never printed by MLIR itself, and no Rust panic unwinds into C++ (callbacks only collect).

pub mod buffers;
pub mod builder;
pub mod call_graph;
pub mod constants;
pub mod control_flow;
pub mod errors;
pub mod func;
pub mod ir;
pub mod layout;
pub mod linalg;
pub mod location;
pub mod memo;
pub mod nesting;
pub mod pass;
mod pass_context;
pub mod range;
pub mod raw;

pub mod rewrite;
pub mod session;
pub mod symbols;
mod upstream;

pub use builder::Builder;
pub use location::{Located, Locations};
pub use pass::Pass;
pub use session::Session;
