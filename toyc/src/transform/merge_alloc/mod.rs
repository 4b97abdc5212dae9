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
//!   that the options name. (Threads share the memory of a workgroup, and parts of it are used again only
//!   behind a barrier, which this pass does not know. So it asks for `reuse=none` where the space is
//!   called `workgroup`. Of spaces that are numbers, such as NVVM's 3, do not name one that is such
//!   memory without `reuse=none`.) It must not escape: not be returned, stored, freed by hand, passed to the
//!   next iteration of the loop that allocates it, turned into a number, or given to an operation that
//!   is not in the table of [`ops`] or to a function that does one of these. For what is not merged
//!   because something is not known, there is a remark ([`remarks`]).
//! * Functions are `func.func` and `gpu.func`, in the module or in modules in it. All others, and what is
//!   in other operations, stay as they are.
//! * A *scope* is the body of a function or of `scf.forall`, `scf.parallel`, `affine.parallel`,
//!   `memref.alloca_scope`. Loops and branches are none: what they allocate moves out of them, to
//!   the first block of the scope.
//! * A *tick* is an operation's number in the order of the text. A buffer is in use from its first
//!   access to its last, and all through every loop that it is used in, unless it is allocated and used
//!   nowhere else but in there. A branch is in use only from the first access in it to the last one. In
//!   a region of several blocks, a buffer is in use all the time unless one block alone allocates and
//!   uses it. Two buffers in use at one tick never overlap.
//! * With the option `call-trees` a private function gets its merged allocation from its callers, for
//!   whom it is a buffer in use at the tick of the call ([`call_tree`]): what is allocated at the top
//!   of a call tree serves all of it.
//! * Offsets are multiples of the option `alignment` and of what the allocation and its elements ask
//!   for, and the elements of whatever type the memory is used as. With the option `compact`, smaller
//!   buffers ask for the next power of two of their size instead of `alignment`, and for no more than
//!   malloc's 16: several share a cache line.
//! * With the option `stack` a small merged allocation is on the stack, where that is safe ([`stack`]).
//! * A scope whose buffers together take more bytes than memory has stays as it is, and so does a function
//!   whose buffers have more uses than anybody wants to follow ([`alias`]). There is a remark.
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
pub(crate) mod ops;
pub mod options;
pub mod plan;
mod poison;
mod remarks;
pub mod rewrite;
pub(crate) mod sizes;
pub mod stack;

use crate::diagnostic::Diagnosed;
use crate::dialect::ops::entry_block;
use crate::memory_plan::collect;
use crate::mlir::pass::{PassContext, PassDefinition, Prepared};
use crate::mlir::{Locations, raw};
use alias::Captures;
use body::Body;
use call_tree::CallTrees;
use lifetime::{Input, LifetimeTracer, Ticks, Traces};
use melior::ir::Module;
use melior::ir::operation::OperationRef;
use options::{Mode, Options};
use plan::{MemoryPlanner, Offline, Schedule};
use rewrite::{Annotate, Rewriter, Views};
use sizes::Layout;
use stack::Stack;

pub const PASS: PassDefinition = PassDefinition::configurable(
    "merge-alloc",
    "Merges the buffers of a function, or of call trees, into one allocation",
    options::OPTIONS,
    configure,
)
.also_on_functions();

fn configure(options: &str, on_functions: bool) -> Result<Prepared, String> {
    let mut options = Options::parse(options).map_err(|problem| problem.message)?;
    if on_functions && options.call_trees == Some(true) {
        return Err("`call-trees` is for `merge-alloc` on the whole module".to_owned());
    }
    options.is_nested = on_functions;
    Ok(Box::new(move |context, module| run(context, module, &options)))
}

/// The stages that can be replaced.
pub struct Stages<'s> {
    pub tracer: &'s dyn LifetimeTracer,
    pub planner: &'s dyn MemoryPlanner,
    pub rewriter: &'s dyn Rewriter,
}

/// The pass with the stages that the options ask for.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>, options: &Options) -> Diagnosed<()> {
    let rewriter: &dyn Rewriter = match options.mode {
        Mode::Merge => &Views { poison: options.poison, on_heap: options.is_compact() },
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
    let mut tables = symbol_tables(module, options.is_nested);
    for function in tables.iter().flatten() {
        rewrite::forget(*function);
    }
    let allocates =
        |function| raw::any(function, |operation| raw::name(&operation) == "memref.alloc");
    if !tables.iter().flatten().any(|function| allocates(*function)) {
        return Ok(());
    }
    let mut scopes = 0;
    let tables: Vec<Vec<Body>> = tables
        .drain(..)
        .map(|table| table.into_iter().map(|function| Body::new(function, &mut scopes)).collect())
        .collect();
    // What is planned at the bottom of a call tree is a buffer of the functions above: without
    // plans there are no sizes.
    let whole_trees = options.call_trees == Some(true) && options.mode != Mode::Analyze;
    let on_stack = options.stack.unwrap_or(0) > 0 && options.mode != Mode::Analyze;
    let uses = if whole_trees || on_stack {
        call_tree::other_uses(tables.iter().flatten(), module.as_operation())
    } else {
        None
    };
    let stack = match (&uses, options.stack) {
        (Some(uses), Some(most)) if on_stack => Stack::of(&tables, uses, most),
        _ => Stack::default(),
    };
    for bodies in &tables {
        let call_trees = match &uses {
            Some(uses) if whole_trees => CallTrees::of(bodies, uses),
            _ => CallTrees::none(bodies),
        };
        run_on_table(context, bodies, call_trees, &stack, options, stages)?;
    }
    Ok(())
}

/// The functions with bodies, by the symbol tables they are in: those of the module, and of modules in
/// it unless only the own ones are asked for.
fn symbol_tables<'c, 'a>(module: &'a Module<'c>, own_only: bool) -> Vec<Vec<OperationRef<'c, 'a>>> {
    let mut tables = Vec::new();
    let mut pending = vec![module.body()];
    while let Some(body) = pending.pop() {
        let (mut functions, mut inner) = (Vec::new(), Vec::new());
        for operation in raw::block_operations(body) {
            match raw::name(&operation) {
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
fn run_on_table<'c>(
    context: &PassContext<'c>,
    bodies: &[Body<'c, '_>],
    mut call_trees: CallTrees,
    stack: &Stack,
    options: &Options,
    stages: &Stages,
) -> Diagnosed<()> {
    let captures = Captures::of(bodies);
    for number in call_trees.order.clone() {
        let body = &bodies[number];
        let locations = &context.locations;
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
            schedules = plan_all(&mut traces, stages, options, locations)?;
            for (trace, schedule) in traces.traces.iter_mut().zip(&schedules) {
                trace.on_stack =
                    stack::may_hold(trace, stack.room(body)) && schedule.total <= stack.room(body);
                if trace.is_workspace {
                    let layout = Layout { size: schedule.total, alignment: trace.alignment() };
                    call_trees.set_workspace(body.function, layout);
                }
            }
        }
        let remarks = traces.stops.remarks(alias::budget(body), locations);
        context.remarks.borrow_mut().extend(remarks);
        if let Some(records) = &context.records {
            let plan = collect::plan(body, &traces, &schedules, locations);
            records.borrow_mut().push(Box::new(plan));
        }
        stages.rewriter.rewrite(context.session.context(), traces, &schedules);
    }
    Ok(())
}

/// Stage 3 for the traces of a function. What takes more bytes than memory has is given up, except for
/// memory that functions are called with.
fn plan_all<'c, 'a>(
    traces: &mut Traces<'c, 'a>,
    stages: &Stages,
    options: &Options,
    locations: &Locations,
) -> Diagnosed<Vec<Schedule>> {
    let mut schedules = Vec::new();
    for mut trace in std::mem::take(&mut traces.traces) {
        let mut schedule = stages.planner.plan(&trace, options, locations)?;
        if schedule.is_none() {
            let Some(rest) = traces.give_up(trace) else { continue };
            trace = rest;
            schedule = stages.planner.plan(&trace, options, locations)?;
        }
        let schedule = schedule.ok_or_else(|| plan::too_large(&trace, options, locations))?;
        plan::check(&trace, &schedule, options)?;
        traces.traces.push(trace);
        schedules.push(schedule);
    }
    Ok(schedules)
}
