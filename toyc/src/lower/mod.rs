//! From one representation to the next: [`ast_to_toy`] makes the Toy dialect from the tree,
//! [`toy_to_linalg`] makes linalg on tensors from the Toy dialect, [`entry_point`] finishes the
//! LLVM dialect, [`debug_info`] describes it for debuggers. [`markers`] are what the last one finds
//! of the program's variables.

pub mod ast_to_toy;
pub mod debug_info;
pub mod entry_point;
mod literal;
pub mod markers;
pub mod toy_to_linalg;
