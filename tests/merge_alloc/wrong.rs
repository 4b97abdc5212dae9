//! The tests of merge-alloc can fail: random programs that are merged wrongly on purpose.
//!
//! Input: random programs, and a faulty stage of merge-alloc. Output: programs that print wrong results,
//! because of `poison`, and errors of verify-merged-allocs. Invariant: every program that prints a wrong
//! result is rejected.

use super::generator::module;
use super::programs::{lines, merge};
use crate::tools::{Outcome, fail};
use melior::Context;
use toy_compiler::diagnostic::Diagnosed;
use toy_compiler::dialect::ops::symbol_name;
use toy_compiler::stages::merged::merge_alloc;
use toy_compiler::stages::merged::merge_alloc::stages::Stages;
use toy_compiler::stages::merged::merge_alloc::stages::{Input, LifetimeTracer, Ticks, Traces};
use toy_compiler::stages::merged::merge_alloc::stages::{Offline, Schedule};
use toy_compiler::stages::merged::merge_alloc::stages::{Rewriter, Views};

const SEEDS: std::ops::Range<u64> = 2_000_000..2_000_060;

/// Believes that every buffer is dead after half of its life.
struct Hasty;

impl LifetimeTracer for Hasty {
    fn trace<'c, 'a>(&self, input: &Input<'_, 'c, 'a>) -> Diagnosed<Traces<'c, 'a>> {
        let mut traces = Ticks.trace(input)?;
        for buffer in traces.traces.iter_mut().flat_map(|trace| &mut trace.buffers) {
            buffer.last = buffer.first + (buffer.last - buffer.first) / 2;
        }
        Ok(traces)
    }
}

pub fn shortened_lifetimes_are_caught() -> Outcome {
    caught(&Hasty, &Views { poison: true, ..Views::default() })
}

/// Moves one buffer of each function onto another one that is in use at the same time.
struct Mover;

impl Rewriter for Mover {
    fn rewrite<'c>(&self, context: &'c Context, traces: Traces<'c, '_>, schedules: &[Schedule]) {
        let schedules = traces.traces.iter().zip(schedules).map(|(trace, schedule)| {
            let mut offsets = schedule.offsets.clone();
            let name = symbol_name(&trace.scope.owner);
            let buffers = &trace.buffers;
            let pairs = (0..buffers.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
            let pairs: Vec<_> = pairs
                .filter(|(one, other)| {
                    let (one, other) = (&buffers[*one], &buffers[*other]);
                    one.first <= other.last && other.first <= one.last
                })
                .collect();
            if name.starts_with("f_") && !pairs.is_empty() {
                let (one, other) =
                    pairs[name.bytes().map(usize::from).sum::<usize>() % pairs.len()];
                offsets[one] = offsets[other] / buffers[one].alignment * buffers[one].alignment;
            }
            let ends = offsets.iter().zip(buffers).map(|(offset, buffer)| offset + buffer.size);
            let total = ends.max().unwrap_or(0).max(schedule.total);
            Schedule { offsets, total, lower_bound: 0, staggered: 0 }
        });
        let schedules: Vec<_> = schedules.collect();
        Views { poison: true, ..Views::default() }.rewrite(context, traces, &schedules);
    }
}

pub fn moved_buffers_are_caught() -> Outcome {
    caught(&Ticks, &Mover)
}

fn caught(tracer: &dyn LifetimeTracer, rewriter: &dyn Rewriter) -> Outcome {
    let text = module(SEEDS);
    let expected = lines(&text, &SEEDS, &["-emit=jit", "-O0"])?;
    let merged = merge(&text, "", |context, module, options| {
        let planner = &Offline::new(options.planner);
        let stages = Stages { tracer, planner, rewriter };
        merge_alloc::run_with(context, module, options, &stages)
    })?;
    let found = lines(&merged.text, &SEEDS, &["-emit=jit", "-O0"])?;
    let (mut different, mut complained) = (0, 0);
    for (seed, (found, expected)) in SEEDS.zip(found.into_iter().zip(expected)) {
        let of_program = |complaint: &String| {
            complaint.contains(&format!("`f_{seed}`")) || complaint.contains(&format!("`g_{seed}_"))
        };
        let is_caught = merged.lowered.iter().any(of_program);
        // The graph of structured control flow has more paths, but no fewer.
        if is_caught && !merged.structured.iter().any(of_program) {
            return fail(format!("only after lowering is the program {seed} found wrong"));
        }
        complained += usize::from(is_caught);
        if found != expected {
            different += 1;
            if !is_caught {
                return fail(format!("the faulty program {seed} is not rejected"));
            }
        }
    }
    if different < 10 || complained < 20 {
        let all = SEEDS.count();
        return fail(format!("{different} of {all} are different, {complained} found wrong"));
    }
    Ok(())
}
