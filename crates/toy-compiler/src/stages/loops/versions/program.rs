//! The functions that get versions, and their copies.
//!
//! Input: the functions of a program, their calls, and the work of their loop nests. Output: for each function, how many of
//! [`VERSIONS`] it gets, and the copies. A function gets a version if its loops compute enough operations on elements, as
//! often as the program is known to call it, and with it the functions with loops that it calls: versions call each other
//! without a choice, which costs a nanosecond. Invariant: at most [`MOST_OPERATIONS`] operations are copied, the rest of a
//! larger program has no versions.

use super::choice::{NUMBER, make_choice};
use super::processors::{
    ANYWHERE, BASELINE, PROCESSOR, VERSIONS, make_version, mark, version_name, without_processor,
};
use super::work::Work;
use crate::dialect::ops;
use melior::Context;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::builder::{Builder, Insertion};
use mlir_support::control_flow::{is_loop, iterations};
use mlir_support::{call_graph, ir};
use std::collections::HashMap;

/// A guess for loops whose number of iterations is not known.
const ITERATIONS: u64 = 16;

/// The most operations that are copied: compiling them takes a second or so.
const MOST_OPERATIONS: usize = 20_000;

/// The functions with bodies, and their calls.
pub struct Program<'c, 'a> {
    functions: Vec<OperationRef<'c, 'a>>,
    /// The numbers of the functions by their names, and by their operations.
    names: HashMap<String, usize>,
    numbers: HashMap<usize, usize>,
    /// The calls in each function.
    calls: Vec<Vec<Call>>,
    /// How often each function runs, as far as it is known.
    runs: Vec<u64>,
    symbols: Vec<String>,
}

/// A call of a function by its number.
struct Call {
    callee: usize,
    /// How often it runs for each run of the caller.
    times: u64,
}

impl<'c, 'a> Program<'c, 'a> {
    pub fn of(module: &'a Module<'c>, operations: &[OperationRef<'c, 'a>]) -> Self {
        let functions = ops::definitions(module);
        let names = functions.iter().enumerate().map(|(at, it)| (ops::symbol_name(it), at));
        let numbers = functions.iter().enumerate().map(|(at, it)| (ir::id(*it), at));
        let symbols = ir::block_operations(module.body()).iter().map(ops::symbol_name).collect();
        let (names, numbers) = (names.collect(), numbers.collect());
        let runs = functions.iter().map(|of| u64::from(!ops::is_private(of))).collect();
        let calls = functions.iter().map(|_| Vec::new()).collect();
        let mut program = Self { functions, names, numbers, calls, runs, symbols };
        for operation in operations {
            let callee = ops::callee(operation).and_then(|name| program.names.get(&name).copied());
            if let Some(callee) = callee
                && let Some((caller, times)) = program.place(*operation)
            {
                program.calls[caller].push(Call { callee, times });
            }
        }
        let callees = |calls: &Vec<Call>| calls.iter().map(|call| call.callee).collect();
        let callees: Vec<_> = program.calls.iter().map(callees).collect();
        for caller in call_graph::order(&callees).callees_first.into_iter().rev() {
            for call in &program.calls[caller] {
                let times = program.runs[caller].saturating_mul(call.times);
                program.runs[call.callee] = program.runs[call.callee].saturating_add(times);
            }
        }
        program
    }

    /// The function around an operation, and how often the operation runs for each run of the function.
    fn place(&self, operation: OperationRef<'c, 'a>) -> Option<(usize, u64)> {
        let mut runs: u64 = 1;
        let mut around = operation.parent_operation()?;
        loop {
            if let Some(function) = self.numbers.get(&ir::id(around)) {
                return Some((*function, runs));
            }
            if is_loop(&around) {
                runs = runs.saturating_mul(iterations(around).unwrap_or(ITERATIONS));
            }
            around = around.parent_operation()?;
        }
    }

    /// How many of [`VERSIONS`] each function gets.
    pub fn counts(&self, nests: &[(OperationRef<'c, 'a>, Work)]) -> Vec<usize> {
        let mut counts = vec![0; self.functions.len()];
        for version in &VERSIONS {
            let gains = nests.iter().filter(|(_, work)| work.computes || !version.computes);
            let mut all = vec![0u64; counts.len()];
            for (nest, work) in gains {
                let Some((function, times)) = self.place(*nest) else { continue };
                let operations = work.operations.saturating_mul(times);
                let operations = operations.saturating_mul(self.runs[function]);
                all[function] = all[function].saturating_add(operations);
            }
            let mut pending: Vec<_> =
                (0..all.len()).filter(|of| all[*of] >= version.least).collect();
            let mut is_reached = vec![false; all.len()];
            while let Some(function) = pending.pop() {
                if !std::mem::replace(&mut is_reached[function], true) {
                    pending.extend(self.calls[function].iter().map(|call| call.callee));
                }
            }
            for (nest, _) in nests {
                let Some((function, _)) = self.place(*nest) else { continue };
                let is_for_one = self.functions[function].has_attribute(PROCESSOR);
                if std::mem::take(&mut is_reached[function]) && !is_for_one {
                    counts[function] += 1;
                }
            }
        }
        counts
    }

    /// True if the copies are not too many, and their names are free.
    pub fn has_room(&self, counts: &[usize]) -> bool {
        let copied = counts.iter().zip(&self.functions).filter(|(count, _)| **count > 0);
        let operations = copied.map(|(count, function)| count * ir::operations(*function).len());
        let is_free =
            |symbol: &String| without_processor(symbol) == symbol && !symbol.starts_with(NUMBER);
        operations.sum::<usize>() <= MOST_OPERATIONS && self.symbols.iter().all(is_free)
    }

    pub fn make_versions(&self, context: &'c Context, counts: &[usize]) {
        for dialect in ["arith", "llvm", "scf"] {
            context.get_or_load_dialect(dialect);
        }
        // Functions with the same versions call each other without a choice.
        let mut chooses: Vec<_> = self.functions.iter().map(|it| !ops::is_private(it)).collect();
        for (calls, count) in self.calls.iter().zip(counts) {
            for Call { callee, .. } in calls {
                chooses[*callee] |= *count != counts[*callee];
            }
        }
        let with_versions = (0..counts.len()).filter(|of| counts[*of] > 0);
        for of in with_versions.clone() {
            let (function, mut last) = (self.functions[of], self.functions[of]);
            for version in &VERSIONS[..counts[of]] {
                let copy = Insertion::After(last).insert(ir::clone(function));
                make_version(context, copy, version.cpu);
                mark(context, copy, version);
                self.call_versions(context, copy, version.cpu, |it| counts[it] == counts[of]);
                last = copy;
            }
        }
        for of in with_versions.clone() {
            let code = Builder::before(context, self.functions[of]);
            ir::set_attribute(self.functions[of], ANYWHERE, code.unit());
            let has_name = |it: usize| chooses[it] && counts[it] == counts[of];
            self.call_versions(context, self.functions[of], BASELINE, has_name);
        }
        for of in with_versions.filter(|of| chooses[*of]) {
            make_choice(context, self.functions[of], counts[of]);
        }
    }

    /// Lets a version call versions for the same processor.
    fn call_versions(
        &self,
        context: &'c Context,
        version: OperationRef<'c, 'a>,
        cpu: &str,
        has_version: impl Fn(usize) -> bool,
    ) {
        for call in ir::operations(version) {
            let Some(callee) = ops::callee(&call) else { continue };
            if self.names.get(&callee).is_some_and(|of| has_version(*of)) {
                let name = Builder::before(context, call).symbol(&version_name(&callee, cpu));
                ir::set_attribute(call, "callee", name);
            }
        }
    }
}
