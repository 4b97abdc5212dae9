//! The effects of a function on its buffers, also for passes outside of this crate.
//!
//! * [`body`]: a function as tables of operations, in program order;
//! * [`effects`]: the effects of each operation on its buffer operands, and its kind of regions;
//! * [`alias`]: the names of a buffer, the operations that access it, and the operation at which it escapes;
//! * [`calls`]: the functions of a symbol table and their callers;
//! * [`overwrites`]: the operations that overwrite a buffer completely;
//! * [`sizes`]: the bytes and the alignment of a buffer.
//!
//! Deny by default: an operation that is not in the table of [`effects`] makes a buffer escape.

pub mod alias;
pub mod body;
pub mod calls;
pub mod effects;
pub mod overwrites;
pub mod sizes;
