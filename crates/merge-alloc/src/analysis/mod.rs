//! What a function does with its buffers, for passes that have to know it too.
//!
//! * [`body`]: a function as tables of operations, in program order;
//! * [`effects`]: what each operation does with a buffer it is given, and with its regions;
//! * [`alias`]: the names of a buffer, the operations that access it, and where it escapes;
//! * [`calls`]: the functions of a symbol table and who calls them;
//! * [`overwrites`]: which operations overwrite a buffer completely;
//! * [`sizes`]: the bytes and the alignment of a buffer.
//!
//! Deny by default: an operation that is not in the table of [`effects`] makes a buffer escape.

pub mod alias;
pub mod body;
pub mod calls;
pub mod effects;
pub mod overwrites;
pub mod sizes;
