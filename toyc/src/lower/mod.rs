//! Lowerings: [`ast_to_toy`] translates the syntax tree to the Toy dialect, [`toy_to_linalg`]
//! lowers that to linalg on tensors, [`entry_point`] finishes the LLVM dialect, and [`debug_info`]
//! adds debug information. [`exports`] makes the entry functions of a library, and [`c_interface`] what C
//! calls. [`markers`] carry the variables of the program to the debug information, [`texts`] the texts of the program and
//! its messages to the LLVM dialect. [`math_calls`] calls the C library. [`scalars`] makes
//! numbers of what loops carry and functions pass.

pub mod ast_to_toy;
pub mod c_interface;
pub mod debug_info;
pub mod entry_point;
pub mod exports;
mod literal;
pub mod markers;
pub mod math_calls;
pub mod scalars;
pub mod texts;
pub mod toy_to_linalg;
