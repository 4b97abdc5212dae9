//! merge-alloc: the buffers of a function become parts of one allocation, and share its memory where their
//! lifetimes allow it.
//!
//! Input: a module with functions on buffers, after bufferization and before deallocation. Output: the same with one
//! `memref.alloc` of bytes per scope and memory space, and a `memref.view` of it instead of each merged allocation. All
//! other allocations stay as they are.
//!
//! [`merge`] and [`check`] work on any melior `Context` and `Module`; the [README](https://docs.rs/crate/merge-alloc) has
//! an example. [`PASS`] and [`VERIFY`] are the same as passes of `mlir-support`.
//!
//! [`Options`] are the options of the pass, typed or as MLIR writes them. For a buffer that is not merged because an
//! operation is unknown, there is a remark in the pass context; the pass's decisions are a [`MemoryPlan`] ([`plan`]) if
//! the context collects records. [`run_with`] takes other implementations of the [`stages`], and [`analysis`] serves
//! other passes on buffers, too.
//!
//! # How it works
//!
//! The pass follows "Compile-time memref.alloc Scheduling and Merging" (llvm-project pull request 95882), in four
//! steps. The last three are traits ([`stages`]):
//!
//! 1. aliases ([`analysis::alias`]): the names of a buffer, the operations that access it, and its escape;
//! 2. lifetimes ([`stages::LifetimeTracer`]): the ticks in which it is in use;
//! 3. offsets ([`stages::OffsetPlanner`]): the place of each buffer in the merged allocation;
//! 4. rewriting ([`stages::Rewriter`]): the changed program, or attributes that describe the plan.
//!
//! # The rules
//!
//! * *Mergeable* ([`mergeable`]) is a `memref.alloc` without operands, of static sizes, with at least one element of a
//!   type of known size, with the identity layout, in the default memory space or one that the options name. (Threads
//!   share the memory of a workgroup, and may reuse a part of it only after a barrier, which this pass does not know.
//!   So it requires `reuse=none` where the space is called `workgroup`. Where such memory is a number, as NVVM's 3,
//!   give `reuse=none` yourself.) It must not escape: not be returned, stored, freed by hand, passed to the next
//!   iteration of the loop that allocates it, turned into a number, or given to an operation that is not in the table
//!   of [`analysis::effects`] or to a function that does one of these. If a buffer is not merged because something is
//!   unknown, there is a remark ([`remarks`]).
//! * Functions are `func.func` and `gpu.func`, in the module or in modules in it. All others, and the contents of other
//!   operations, stay as they are.
//! * A *scope* is the body of a function or of `scf.forall`, `scf.parallel`, `affine.parallel`, `memref.alloca_scope`.
//!   Loops and branches are not scopes: their allocations move out of them, to the first block of the scope.
//! * A *tick* is an operation's number in the order of the text. A buffer is in use from its first access to its last,
//!   and all through every loop that it is used in, unless it is allocated and used only in the loop. A branch is in
//!   use only from the first access in it to the last one. In a region of several blocks, a buffer is in use all the
//!   time unless a single block allocates and uses it. Two buffers in use at one tick never overlap.
//! * An operation that overwrites all of a buffer begins another one, if the names made before are not used any more; a
//!   buffer that each iteration of a loop begins with overwriting belongs to the iteration. The results of exclusive
//!   branches are one buffer, if they have one type.
//! * With the option `call-trees` a private function gets its merged allocation from its callers, for whom it is a
//!   buffer in use at the tick of the call ([`call_tree`]): the allocation at the top of a call tree serves all of it.
//! * Offsets are multiples of the option `alignment`, and of the alignment of the allocation, of its elements and of
//!   the elements of all types that the memory is used as. With the option `compact`, smaller buffers are aligned to
//!   the next power of two of their size instead of `alignment`, and to no more than malloc's 16, so that several share
//!   a cache line. So are buffers that `alignment` would make a sixteenth larger, and all buffers where the plan would
//!   otherwise need more memory than without merging ([`padding`]).
//! * With the option `stagger` buffers of 128 KiB and more begin at least 256 bytes apart within a page, where that
//!   takes few bytes, and not more than without merging ([`stagger`]).
//! * With the option `stack` a small merged allocation is on the stack, where that is safe ([`stack`]).
//! * A scope whose buffers together exceed the address space stays as it is, and so does a function whose buffers have
//!   more uses than the budget allows to follow ([`analysis::alias`]). There is a remark.
//!
//! Invariants: running the pass again changes nothing; the same input gives the same output; time is
//! linear in the length of the function, planning aside.
//!
//! Assumptions: a function without a body neither keeps nor frees its arguments, as upstream's deallocation assumes,
//! too. The pass does not assume that such a function calls nothing of the module, unless [`Options::leaf_functions`]
//! names it.
//!
//! Tutorial: chapter 9.

#![deny(missing_docs)]

pub mod analysis;
mod by_hand;
mod call_tree;
mod mergeable;
mod options;
mod padding;
pub mod plan;
mod poison;
mod remarks;
mod scope;
mod stack;
pub mod stages;
mod stagger;
mod standalone;
mod verify;

pub use options::{Mode, OPTIONS, Options, Reuse};
pub use plan::MemoryPlan;
pub use standalone::{Error, Merged, check, merge};
pub use verify::{PASS as VERIFY, run as verify};

use analysis::alias::{self, Captures};
use analysis::body::Body;
use analysis::calls;
use call_tree::CallTrees;
use melior::Context;
use melior::ir::Module;
use melior::ir::operation::OperationRef;
use mlir_support::func::entry_block;
use mlir_support::pass::{PassContext, PassDefinition, Prepared};
use mlir_support::{Locations, ir};
use plan::collect;
use stack::Stack;
use stages::{
    Annotate, Input, Offline, Rewriter, Schedule, Stages, Ticks, Traces, Views, offsets, rewrite,
};
use std::any::Any;
use toy_diagnostics::{Diagnosed, Diagnostic};

/// The pass for textual pipelines.
pub const PASS: PassDefinition = PassDefinition::configurable(
    "merge-alloc",
    "Merges the buffers of a function, or of call trees, into one allocation",
    options::OPTIONS,
    configure,
)
.also_on_functions();

fn configure(options: &str, on_functions: bool) -> Result<Prepared, String> {
    let options = Options::configured(options, on_functions)?;
    Ok(Box::new(move |context, module| run(context, module, &options)))
}

/// The pass, with the stages that the options select.
///
/// # Errors
///
/// The merged allocation is larger than [`Options::capacity`], a function's callers would have to pass more bytes than
/// can be addressed, or with [`Options::strict`] an operation is not in the table.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>, options: &Options) -> Diagnosed<()> {
    default_stages(options, |stages| run_with(context, module, options, stages))
}

/// Calls `work` with the stages that the options ask for.
fn default_stages<T>(options: &Options, work: impl FnOnce(&Stages) -> T) -> T {
    let rewriter: &dyn Rewriter = match options.mode {
        Mode::Merge => &Views { poison: options.poison, on_heap: options.is_compact() },
        Mode::Analyze | Mode::Plan => &Annotate,
    };
    work(&Stages { tracer: &Ticks, planner: &Offline::new(options.planner), rewriter })
}

/// The remarks of a run and, if they are asked for, the plans of its functions.
#[derive(Default)]
struct Outcome {
    remarks: Vec<Diagnostic>,
    plans: Option<Vec<MemoryPlan>>,
}

/// The pass with other stages; the plan is checked.
///
/// # Errors
///
/// The errors of [`run`] and of the stages, and an internal error for a schedule in which buffers overlap.
pub fn run_with<'c>(
    context: &PassContext<'c>,
    module: &Module<'c>,
    options: &Options,
    stages: &Stages,
) -> Diagnosed<()> {
    let melior = context.session.context();
    let mut outcome =
        Outcome { plans: context.records.is_some().then(Vec::new), ..Outcome::default() };
    let result = run_on(melior, &context.locations, module, options, stages, &mut outcome);
    context.remarks.borrow_mut().extend(outcome.remarks);
    if let Some(records) = &context.records {
        let plans = outcome.plans.into_iter().flatten().map(|plan| Box::new(plan) as Box<dyn Any>);
        records.borrow_mut().extend(plans);
    }
    result
}

fn run_on<'c>(
    context: &'c Context,
    locations: &Locations,
    module: &Module<'c>,
    options: &Options,
    stages: &Stages,
    outcome: &mut Outcome,
) -> Diagnosed<()> {
    let mut tables = symbol_tables(module, options.is_nested);
    for function in tables.iter().flatten() {
        rewrite::forget(*function);
    }
    let allocates =
        |function| ir::any(function, |operation| ir::name(&operation) == "memref.alloc");
    if !tables.iter().flatten().any(|function| allocates(*function)) {
        return Ok(());
    }
    let mut scopes = 0;
    let tables: Vec<Vec<Body>> = tables
        .drain(..)
        .map(|table| table.into_iter().map(|function| Body::new(function, &mut scopes)).collect())
        .collect();
    // A plan at the bottom of a call tree is a buffer of the functions above: only plans have sizes.
    let whole_trees = options.call_trees == Some(true) && options.mode != Mode::Analyze;
    let on_stack = options.stack.unwrap_or(0) > 0 && options.mode != Mode::Analyze;
    let uses = if whole_trees || on_stack {
        calls::other_uses(tables.iter().flatten(), module.as_operation())
    } else {
        None
    };
    let stack = match (&uses, options.stack) {
        (Some(uses), Some(most)) if on_stack => {
            Stack::of(&tables, uses, &options.leaf_functions, most)
        }
        _ => Stack::default(),
    };
    for bodies in &tables {
        let call_trees = match &uses {
            Some(uses) if whole_trees => CallTrees::of(bodies, uses),
            _ => CallTrees::none(bodies),
        };
        let tree = Table { context, locations, options, stages, stack: &stack };
        tree.run(bodies, call_trees, outcome)?;
    }
    Ok(())
}

/// The functions with bodies, by their symbol tables: the functions of the module, and unless `own_only`, of the
/// modules in it.
fn symbol_tables<'c, 'a>(module: &'a Module<'c>, own_only: bool) -> Vec<Vec<OperationRef<'c, 'a>>> {
    let mut tables = Vec::new();
    let mut pending = vec![module.body()];
    while let Some(body) = pending.pop() {
        let (mut functions, mut inner) = (Vec::new(), Vec::new());
        for operation in ir::block_operations(body) {
            match ir::name(&operation) {
                "func.func" | "gpu.func" => functions.push(operation),
                "builtin.module" | "gpu.module" if !own_only => inner.push(operation),
                _ => {}
            }
        }
        functions.retain(|function| entry_block(*function).is_some());
        tables.push(functions);
        // In the order of the text.
        pending.extend(inner.into_iter().rev().filter_map(entry_block));
    }
    tables
}

/// The pass on functions that may call each other.
struct Table<'c, 'r> {
    context: &'c Context,
    locations: &'r Locations<'r>,
    options: &'r Options,
    stages: &'r Stages<'r>,
    stack: &'r Stack,
}

impl<'c> Table<'c, '_> {
    fn run(
        &self,
        bodies: &[Body<'c, '_>],
        mut call_trees: CallTrees,
        outcome: &mut Outcome,
    ) -> Diagnosed<()> {
        let Self { context, locations, options, stages, stack } = *self;
        let captures = Captures::of(bodies);
        for number in call_trees.order.clone() {
            let body = &bodies[number];
            let mut traces = stages.tracer.trace(&Input {
                body,
                captures: &captures,
                call_trees: &call_trees,
                takes_workspace: call_trees.takes_workspace(number),
                stack: stack.room(body),
                options,
                locations,
            })?;
            let mut schedules = Vec::new();
            if options.mode != Mode::Analyze {
                schedules = self.plan(&mut traces)?;
                for (trace, schedule) in traces.traces.iter_mut().zip(&schedules) {
                    let room = stack.room(body);
                    trace.on_stack = stack::may_hold(trace, room) && schedule.total <= room;
                    if trace.is_workspace {
                        let workspace = padding::workspace(trace, schedule, options);
                        call_trees.set_workspace(body.function, workspace);
                    }
                }
            }
            outcome.remarks.extend(traces.stops.remarks(alias::budget(body), locations));
            if let Some(plans) = &mut outcome.plans {
                plans.push(collect::plan(body, &traces, &schedules, locations));
            }
            stages.rewriter.rewrite(context, traces, &schedules);
        }
        Ok(())
    }

    /// Offsets for the traces of a function. Traces that exceed the address space are not merged, except for memory
    /// that functions are called with.
    fn plan(&self, traces: &mut Traces) -> Diagnosed<Vec<Schedule>> {
        let Self { options, locations, .. } = *self;
        let plan = |trace: &mut _| padding::plan(self.stages.planner, trace, options, locations);
        let mut schedules = Vec::new();
        for mut trace in std::mem::take(&mut traces.traces) {
            let mut schedule = plan(&mut trace)?;
            if schedule.is_none() {
                let Some(rest) = traces.give_up(trace) else { continue };
                trace = rest;
                schedule = plan(&mut trace)?;
            }
            let schedule =
                schedule.ok_or_else(|| offsets::too_large(&trace, options, locations))?;
            offsets::check(&trace, &schedule, options)?;
            traces.traces.push(trace);
            schedules.push(schedule);
        }
        Ok(schedules)
    }
}

/// The example of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
