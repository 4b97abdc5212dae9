//! What several stages ask of a program. Nothing here changes one.

pub mod elementwise;
pub mod outline_chunk;
pub mod purity;
pub mod tensor_roots;
