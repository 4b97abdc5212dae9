//! Passes for large programs: they split long functions, so that upstream passes that are quadratic in a block
//! or a function stay linear in the program. Small programs pass through unchanged.

pub mod outline;
pub mod outline_chunk;
pub mod outline_tensors;
pub mod split_literals;
