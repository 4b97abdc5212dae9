#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! | module | what it turns into what |
//! |---|---|
//! | [`model`] | buffers, limits, plans and errors: plain data |
//! | [`instance`] | buffers into components of items in normal form |
//! | [`greedy`] | components into offsets, each item placed once |
//! | [`exact`] | components into better offsets, or proofs that there are none |
//! | [`portfolio`] | all of these into the default planner |
//! | [`planner`] | the planners by name |
//! | [`mod@verify`] | buffers and offsets into a peak or a fault, independently |
//! | [`csv`], [`command`] | files and the command line |
//! | [`budget`], [`orders`], [`random`] | work units, orders of items, random numbers |

#![forbid(unsafe_code)]

pub mod budget;
pub mod command;
pub mod csv;
pub mod exact;
pub mod greedy;
pub mod instance;
pub mod model;
pub mod orders;
pub mod planner;
pub mod portfolio;
pub mod random;
pub mod reorder;
pub mod verify;

pub use model::{Buffer, Limits, Plan, PlanError, Status};
pub use planner::{Planner, plan};
pub use verify::{Fault, verify};
