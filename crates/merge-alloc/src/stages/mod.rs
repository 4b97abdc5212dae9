//! The stages of the pass that can be replaced, and the data that they hand to each other.
//!
//! | stage | trait | output | implementation |
//! |---|---|---|---|
//! | lifetimes of buffers | [`LifetimeTracer`] | [`Traces`] | [`Ticks`] |
//! | places of buffers | [`OffsetPlanner`] | [`Schedule`] | [`Offline`] |
//! | the changed program | [`Rewriter`] | the new program | [`Views`], [`Annotate`] |
//!
//! The step before them, the aliases of buffers, is in [`analysis`](crate::analysis). Invariant: the offsets of every
//! planner are checked before a rewriter gets them.

pub(crate) mod gaps;
pub(crate) mod lifetime;
pub(crate) mod offsets;
pub(crate) mod rewrite;
pub(crate) mod trace;
pub(crate) mod twins;

pub use crate::call_tree::CallTrees;
pub use crate::remarks::Stops;
pub use crate::scope::Scope;
pub use lifetime::{Input, LifetimeTracer, Ticks, Traces};
pub use offsets::{Offline, OffsetPlanner, Schedule};
pub use rewrite::{Annotate, Rewriter, Views};
pub use trace::{Guest, Trace, TracedBuffer};

/// One implementation for each stage, for [`run_with`](crate::run_with).
pub struct Stages<'s> {
    /// Finds the lifetime of each buffer.
    pub tracer: &'s dyn LifetimeTracer,
    /// Finds the offset of each buffer.
    pub planner: &'s dyn OffsetPlanner,
    /// Changes the program.
    pub rewriter: &'s dyn Rewriter,
}
