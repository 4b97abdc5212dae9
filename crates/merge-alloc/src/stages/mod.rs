//! The stages of the pass that can be replaced, and what they hand to each other.
//!
//! | stage | trait | gives | done by |
//! |---|---|---|---|
//! | when buffers are in use | [`LifetimeTracer`] | [`Traces`] | [`Ticks`] |
//! | where they go | [`OffsetPlanner`] | [`Schedule`] | [`Offline`] |
//! | what becomes of the program | [`Rewriter`] | the new program | [`Views`], [`Annotate`] |
//!
//! What comes before them, the aliases of buffers, is in [`analysis`](crate::analysis). Invariant: the
//! offsets of every planner are checked before a rewriter gets them.

pub(crate) mod builder;
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
    /// When each buffer is in use.
    pub tracer: &'s dyn LifetimeTracer,
    /// Where each buffer goes.
    pub planner: &'s dyn OffsetPlanner,
    /// What becomes of the program.
    pub rewriter: &'s dyn Rewriter,
}
