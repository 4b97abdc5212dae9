//! Analyses that several stages share. They do not change the program.

pub mod alias;
pub mod elementwise;
pub mod purity;
pub mod tensor_roots;
