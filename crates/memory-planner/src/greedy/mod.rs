//! Planners that place every buffer once.
//!
//! | module | order of placement | place |
//! |---|---|---|
//! | [`chunk`] | time | the chunk rules of the merge-alloc proposal |
//! | [`by_time`] | time | lowest or smallest gap between the live buffers |
//! | [`two_ends`] | time | below a fixed height, from the bottom or from the top |
//! | [`by_order`] | any | lowest gap that fits |
//! | [`skyline`] | lowest offset first | on top of the placed buffers |
//!
//! [`gaps`] keeps the free memory of the planners in order of time, [`ranges`] the occupied memory
//! of [`by_order`].

pub mod by_order;
pub mod by_time;
pub mod chunk;
pub mod gaps;
pub mod ranges;
pub mod skyline;
pub mod two_ends;
