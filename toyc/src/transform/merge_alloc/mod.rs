//! merge-alloc: the buffers of a scope become parts of one allocation, and share its memory where
//! their lifetimes allow it.
//!
//! Input: functions on buffers, after bufferization and before deallocation. Output: the same with
//! one `memref.alloc` of bytes per scope and memory space, and a `memref.view` of it in the place of
//! each allocation that could be merged. All others are left as they are. The pass is the one that
//! "Compile-time memref.alloc Scheduling and Merging" (llvm-project pull request 95882) describes, in
//! four stages, each in its file; the last three are traits, so that they can be replaced:
//!
//! 1. [`alias`]: what a buffer may be called, what accesses it, and where it escapes;
//! 2. [`lifetime`]: the ticks in which it is in use;
//! 3. [`plan`]: its offset in the merged allocation;
//! 4. [`rewrite`]: the changed program, or attributes that say what would change.
//!
//! The rules:
//!
//! * *Mergeable* ([`mergeable`]) is a `memref.alloc` without operands, of static sizes, with at least
//!   one element of a type of known size, with the identity layout, in the default memory space or one
//!   that the options name. It must not escape: not be returned, stored, freed by hand, passed to the
//!   next iteration of the loop that allocates it, turned into a number, or given to an operation that
//!   is not in the table of [`ops`] or to a function that does one of these.
//! * A *scope* is the body of a function or of `scf.forall`, `scf.parallel`, `affine.parallel`,
//!   `memref.alloca_scope`. Loops and branches are none: what they allocate moves out of them. A scope
//!   of several blocks is not touched.
//! * A *tick* is an operation's number in the order of the text. A buffer is in use from its first
//!   access to its last, and all through every loop or branch that it is used in, unless it is
//!   allocated and used nowhere else but in there. Two buffers in use at one tick never overlap.
//! * With the option `call-trees` a private function gets its merged allocation from its callers, for
//!   whom it is a buffer in use at the tick of the call ([`call_tree`]): what is allocated at the top
//!   of a call tree serves all of it.
//! * Offsets are multiples of the option `alignment` and of what the allocation and its elements ask
//!   for.
//!
//! Invariants: running the pass again changes nothing; the same input gives the same output; time is
//! linear in the length of the function, planning aside.
//!
//! Tutorial: chapter 9.

pub mod alias;
pub(crate) mod body;
pub mod call_tree;
pub mod lifetime;
mod mergeable;
mod ops;
pub mod options;
pub mod plan;
mod poison;
pub mod rewrite;
mod sizes;

use crate::diagnostic::Diagnosed;
use crate::dialect::ops::{entry_block, is_function};
use crate::memory_plan::collect;
use crate::mlir::pass::PassContext;
use crate::mlir::raw;
use alias::Captures;
use body::Body;
use call_tree::CallTrees;
use lifetime::{Input, LifetimeTracer, Ticks};
use melior::ir::Module;
use options::{Mode, Options};
use plan::{MemoryPlanner, Offline};
use rewrite::{Annotate, Rewriter, Views};
use sizes::Layout;

/// The stages that can be replaced.
pub struct Stages<'s> {
    pub tracer: &'s dyn LifetimeTracer,
    pub planner: &'s dyn MemoryPlanner,
    pub rewriter: &'s dyn Rewriter,
}

/// The pass with the options of the context.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    run_with_options(context, module, &context.merge_alloc)
}

/// The pass with the stages that the options ask for.
pub fn run_with_options<'c>(
    context: &PassContext<'c>,
    module: &Module<'c>,
    options: &Options,
) -> Diagnosed<()> {
    let rewriter: &dyn Rewriter = match options.mode {
        Mode::Merge => &Views { poison: options.poison },
        Mode::Analyze | Mode::Plan => &Annotate,
    };
    let stages = Stages { tracer: &Ticks, planner: &Offline::new(options.planner), rewriter };
    run_with(context, module, options, &stages)
}

/// The pass with stages of one's own.
pub fn run_with<'c>(
    context: &PassContext<'c>,
    module: &Module<'c>,
    options: &Options,
    stages: &Stages,
) -> Diagnosed<()> {
    let functions: Vec<_> = raw::block_operations(module.body())
        .into_iter()
        .filter(|operation| is_function(operation) && entry_block(*operation).is_some())
        .collect();
    let allocates =
        |function| raw::any(function, |operation| raw::name(&operation) == "memref.alloc");
    if !functions.iter().any(|function| allocates(*function)) {
        return Ok(());
    }
    let mut scopes = 0;
    let bodies: Vec<_> =
        functions.into_iter().map(|function| Body::new(function, &mut scopes)).collect();
    let captures = Captures::of(&bodies);
    // What is planned at the bottom of a call tree is a buffer of the functions above: without
    // plans there are no sizes.
    let whole_trees = options.call_trees == Some(true) && options.mode != Mode::Analyze;
    let mut call_trees = match whole_trees {
        true => CallTrees::of(&bodies, module.as_operation()),
        false => CallTrees::none(&bodies),
    };
    for number in call_trees.order.clone() {
        let body = &bodies[number];
        let locations = &context.locations;
        let traces = stages.tracer.trace(&Input {
            body,
            captures: &captures,
            call_trees: &call_trees,
            takes_workspace: call_trees.takes_workspace(number),
            options,
            locations,
        })?;
        let mut schedules = Vec::new();
        if options.mode != Mode::Analyze {
            for trace in &traces.traces {
                let schedule = stages.planner.plan(trace, options, locations)?;
                plan::check(trace, &schedule, options)?;
                if trace.is_workspace {
                    let layout = Layout { size: schedule.total, alignment: trace.alignment() };
                    call_trees.set_workspace(body.function, layout);
                }
                schedules.push(schedule);
            }
        }
        if let Some(plan) = &context.memory_plan {
            collect::add(&mut plan.borrow_mut(), body, &traces, &schedules, locations);
        }
        stages.rewriter.rewrite(context.session.context(), traces, &schedules);
    }
    Ok(())
}
