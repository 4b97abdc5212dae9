//! toy-unroll-turns: unrolls loops whose buffers take turns, so that each buffer keeps its place.
//!
//! Input: functions on buffers, after deallocation. Output: the same; a loop that permutes its buffers gets one copy
//! of its body per turn, after which each buffer is back in its place:
//!
//! ```mlir
//! scf.for %i = %c0 to %c10 step %c1                 scf.for %i = %c0 to %c10 step %c2
//!     iter_args(%x = %a, %y = %b) {          =>         iter_args(%x = %a, %y = %b) {
//!   linalg.add ins(%x) outs(%y)                       linalg.add ins(%a) outs(%b)
//!   scf.yield %y, %x                                  linalg.add ins(%b) outs(%a)
//! }                                                   scf.yield %a, %b
//!                                                   }
//! ```
//!
//! Why: all later passes, and LLVM, then see which buffer is read and which one is written, and that they do not
//! overlap. Otherwise the program checks this at run time, in front of each inner loop, or not at all.
//!
//! Deny by default. The loop has constant bounds, passes on all of its buffers and no others, calls no function
//! of the program (LLVM inlines functions that are called once), and is so small that [`MOST`] operations suffice for
//! all copies. Remaining iterations follow the loop.

use crate::dialect::ops::{callee, entry_block, is_buffer, symbol_name};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, Module, Type, Value, ValueLike};
use mlir_support::builder::{Builder, Insertion};
use mlir_support::control_flow::{carried, successors};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{constants, ir};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-unroll-turns",
    "Repeats the bodies of loops whose buffers take turns, so that each has one place in them",
    run,
);

/// The most operations in all copies of a body together.
const MOST: usize = 400;

/// The most iterations in the new body: two buffers swap, or three rotate.
const MOST_TURNS: usize = 3;

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = context.session.context();
    let functions = ir::block_operations(module.body()).into_iter();
    let defined: HashSet<String> = functions
        .filter(|function| entry_block(*function).is_some())
        .map(|function| symbol_name(&function))
        .collect();
    // Inner loops first: they enlarge the loops around them.
    for operation in ir::operations(module.as_operation()).into_iter().rev() {
        if let Some(turns) = Turns::of(operation, &defined) {
            turns.unroll(context);
        }
    }
    Ok(())
}

/// A loop whose buffers take turns.
struct Turns<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    body: BlockRef<'c, 'a>,
    from: i64,
    step: i64,
    iterations: i64,
    /// The iterations until all buffers are back in their places.
    turns: usize,
}

impl<'c, 'a> Turns<'c, 'a> {
    fn of(operation: OperationRef<'c, 'a>, defined: &HashSet<String>) -> Option<Self> {
        if ir::name(&operation) != "scf.for" {
            return None;
        }
        let [body] = ir::blocks(operation)[..] else { return None };
        let turns = turns_of(operation, body)?;
        let constant = |at| constants::index(ir::operand(operation, at));
        let (from, to, step) = (constant(0)?, constant(1)?, constant(2)?);
        let length = to.checked_sub(from)?;
        // Offsets of the body's indices do not overflow.
        let is_small = |value: i64| value.unsigned_abs() <= 1 << 32;
        if step < 1 || ![from, to, step].into_iter().all(is_small) || length < step * turns as i64 {
            return None;
        }
        let operations = ir::operations(operation);
        let calls = |operation: &OperationRef| match ir::name(operation) {
            "func.call" => callee(operation).is_none_or(|name| defined.contains(&name)),
            other => other.starts_with("func."),
        };
        if operations.len() * turns > MOST || operations.iter().any(calls) {
            return None;
        }
        let iterations = length / step + i64::from(length % step > 0);
        Some(Self { operation, body, from, step, iterations, turns })
    }

    fn unroll(&self, context: &'c Context) {
        let operations = ir::block_operations(self.body);
        let (Some((end, body)), Some(after)) =
            (operations.split_last(), self.operation.next_in_block())
        else {
            return;
        };
        let code = Builder::before(context, self.operation);
        let constant = |value: i64| code.integer(Type::index(context), value);
        let arguments = ir::arguments(self.body);
        let yielded: Vec<Value> = end.operands().collect();
        let again = |before, given: &[Value<'c, 'a>]| -> Vec<Value<'c, 'a>> {
            let given =
                arguments.iter().map(|argument| ir::id(*argument)).zip(given.iter().copied());
            let ends = yielded.iter().copied();
            Insertion::Before(before).copy(body, ends, given.collect()).1
        };

        // The other turns follow the first one in the body.
        let mut next = yielded.clone();
        for turn in 1..self.turns {
            let offset = constant(turn as i64 * self.step);
            let inside = code.at(Insertion::Before(*end));
            let at = inside.computed("arith.addi", &[arguments[0], offset]);
            next = again(*end, &[&[at], next.as_slice()].concat());
        }
        ir::set_operands(*end, &next);
        let whole = self.iterations / self.turns as i64 * self.turns as i64;
        let mut operands: Vec<Value> = self.operation.operands().collect();
        operands[1] = constant(self.from + whole * self.step);
        operands[2] = constant(self.turns as i64 * self.step);
        ir::set_operands(self.operation, &operands);

        // Remaining iterations follow the loop.
        let mut last: Vec<Value> = self.operation.results().map(Value::from).collect();
        let uses: Vec<_> = last.iter().map(|result| ir::uses(*result)).collect();
        for iteration in whole..self.iterations {
            let at = constant(self.from + iteration * self.step);
            last = again(after, &[&[at], last.as_slice()].concat());
        }
        for (uses, value) in uses.into_iter().zip(last) {
            ir::set_uses(&uses, value);
        }

        // Each buffer keeps its place.
        for (place, initial) in operands.into_iter().enumerate() {
            if is_buffer(initial.r#type()) {
                for value in successors(self.operation, place).unwrap_or_default() {
                    ir::replace_all_uses(value, initial);
                }
            }
        }
    }
}

/// The iterations until all buffers that a loop carries are back in their places; None if it does more than permute
/// them, needs more than [`MOST_TURNS`], or leaves them in place.
fn turns_of(operation: OperationRef, body: BlockRef) -> Option<usize> {
    let arguments = ir::arguments(body);
    let carried = arguments.get(carried(operation)?.arguments..)?;
    let end = ir::block_operations(body).pop()?;
    let yielded: Vec<Value> = end.operands().collect();
    let source =
        |at: usize| carried.iter().position(|argument| ir::id(*argument) == ir::id(yielded[at]));
    let buffers = (0..carried.len()).filter(|at| is_buffer(carried[*at].r#type()));
    let sources = buffers.map(|at| Some((at, source(at)?))).collect::<Option<Vec<_>>>()?;
    let from: HashMap<usize, usize> = sources.iter().copied().collect();
    let is_in_place = |turns: usize| {
        sources.iter().all(|(at, _)| {
            let origin = (0..turns).try_fold(*at, |at, _| from.get(&at).copied());
            origin == Some(*at)
        })
    };
    let turns = (1..=MOST_TURNS).find(|turns| is_in_place(*turns))?;
    (turns > 1).then_some(turns)
}
