//! The way back through branches and loops.
//!
//! A branch computes again, in the branch that has run, what its adjoint needs. A loop
//!
//! ```text
//! for i in 0..n { x = f(x, w); }
//! ```
//!
//! saves in each iteration the values that it carries and that its adjoint needs, on a **tape**, a tensor with a place
//! for each iteration:
//!
//! ```text
//! for i in 0..n { tape[i] = x; x = f(x, w); }
//! for k in 0..n { i = n - 1 - k; x = tape[i]; computes f(x, w) again; dx, dw = adjoint of f }
//! ```
//!
//! The cotangents of values from outside, like `w`, are carried by the loop and changed in place. Invariants: a tape has
//! a shape that is known; what needs no tape has none.

use super::activity::{blocks, carried_behind, from_outside, spread};
use super::bounds::{Plan, most_iterations};
use super::code::Code;
use super::cotangents::{Cotangent, Cotangents};
use super::reverse::{Reverse, Reversed};
use super::sums::{self, Iterations};
use super::tape::{self, count_of, index_of};
use super::{fail, sweep};
use crate::dialect::control::carried_name;
use crate::dialect::ops::{self, Kind, ToyBuilder};
use crate::dialect::shape::is_tensor;
use crate::dialect::structs::fields;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, Type, Value, ValueLike};
use mlir_support::builder::Insertion;
use mlir_support::control_flow::iterations;
use mlir_support::{Builder, constants, ir};
use std::collections::HashMap;
use toy_diagnostics::Diagnostic;

/// The name of a [`Counter`].
const COUNTER: &str = "$counter";

impl Reverse<'_> {
    /// An `scf.if`.
    pub(super) fn branch<'c, 'a>(
        &mut self,
        code: Code<'c, 'a, '_>,
        operation: OperationRef<'c, 'a>,
        cotangents: &mut Cotangents<'c, 'a>,
    ) -> Reversed {
        let given = cotangents.take_results(operation);
        let mut is_hidden = hides(operation) || given.iter().flatten().any(|it| it.is_hidden);
        let contents: Vec<_> =
            blocks(operation).into_iter().flat_map(ir::block_operations).collect();
        let outer = from_outside(&contents, |_| false, &self.active);
        if outer.is_empty() {
            return Ok(());
        }
        is_hidden |= outer.iter().any(|value| cotangents.is_hidden(*value));
        let before: Vec<_> = outer.iter().map(|value| cotangents.full(code, *value)).collect();
        let types: Vec<Type> = outer.iter().map(|value| value.r#type()).collect();
        let adjoint = code.builder.branched(ir::operand(operation, 0), &types);
        for region in 0..2 {
            let block = ir::blocks_of(adjoint, region)[0];
            let code = code.at(Insertion::AtEnd(block));
            let mut inside = Cotangents::default();
            for (value, before) in outer.iter().zip(&before) {
                if let Some(before) = before {
                    inside.set(*value, Cotangent { value: *before, is_hidden });
                }
            }
            let from = ir::blocks_of(operation, region)[0];
            let (copies, ends) = self.again(code, from, HashMap::new());
            for (end, given) in ends.iter().zip(&given) {
                if let Some(given) = given
                    && self.active.contains(&ir::id(*end))
                {
                    inside.add(code, *end, *given);
                }
            }
            self.block(code, &copies, &mut inside)?;
            let ends: Vec<Value> = outer.iter().map(|it| inside.full_or_zeros(code, *it)).collect();
            code.builder.op("scf.yield", &ends, &[], &[]);
        }
        for (value, result) in outer.into_iter().zip(adjoint.results()) {
            cotangents.set(value, Cotangent { value: result.into(), is_hidden });
        }
        Ok(())
    }

    /// Copies the contents of a block. Returns the copies, and what the terminator yields.
    fn again<'c, 'a>(
        &mut self,
        code: Code<'c, 'a, '_>,
        from: BlockRef<'c, 'a>,
        values: HashMap<usize, Value<'c, 'a>>,
    ) -> (Vec<OperationRef<'c, 'a>>, Vec<Value<'c, 'a>>) {
        let (copies, ends) = code.builder.at.copy_block(from, values);
        spread(&copies, &mut self.active);
        (copies, ends)
    }

    /// An `scf.for`; one that has been made for its tape saves all its iterations, and nothing else.
    pub(super) fn counted<'c, 'a>(
        &mut self,
        code: Code<'c, 'a, '_>,
        operation: OperationRef<'c, 'a>,
        cotangents: &mut Cotangents<'c, 'a>,
        is_planned: bool,
    ) -> Reversed {
        let looped = self.looped(code, operation, cotangents)?;
        let Loop { end, carried, useful, outer, is_hidden, most, count, .. } = &looped;
        let results: Vec<Value> = operation.results().map(Value::from).collect();
        let inits = useful.iter().map(|place| results[*place]).chain(outer.iter().copied());
        let inits: Vec<_> = inits.map(|value| cotangents.full_or_zeros(code, value)).collect();
        let (adjoint, popped) = self.adjoint(code, &looped, &inits)?;
        let block = ir::blocks_of(adjoint, 0)[0];

        let saved: Vec<usize> = (0..popped.len()).filter(|at| ir::has_uses(popped[*at])).collect();
        let stand_ins: Vec<_> = saved.iter().map(|place| popped[*place]).collect();
        let of_sums = if is_planned { adjoint.result_count() } else { useful.len() };
        let of_factors = sums::bytes(adjoint, of_sums, *most, &stand_ins);
        let bytes = tape::bytes(code, &stand_ins).saturating_add(of_factors);
        let plan = Plan { most: *most, start: 0, saved: bytes };
        if plan.all() > self.tape_memory && !is_planned {
            let is_saved = (0..popped.len()).map(|place| saved.contains(&place)).collect();
            let behind = carried_behind(&looped.inner, *end, carried, is_saved, |_| true);
            let starts = carried.iter().zip(behind).filter(|(_, it)| *it).map(|(value, _)| *value);
            let plan = Plan { start: tape::bytes(code, &starts.collect::<Vec<_>>()), ..plan };
            ir::erase(adjoint);
            return self.in_segments(code, operation, cotangents, plan);
        }
        if plan.all() > 0 {
            self.remarks.push(fail::taped(code, operation.location(), plan));
        }
        cotangents.take_results(operation);
        let operands: Vec<Value> = operation.operands().skip(3).collect();
        let turn = ir::arguments(block)[0];
        let number = |code: Code<'c, 'a, '_>| number_of_turn(code, *count, turn);
        let mut on_tape = Vec::new();
        if !saved.is_empty() {
            let first = ir::block_operations(block)[0];
            let popping = code.at(Insertion::Before(first));
            on_tape = tape::save(code, operation, (&popped, &saved), *most, (popping, &number))?;
        }
        let are_known = constants::index(*count) == i64::try_from(*most).ok();
        let iterations = Iterations { most: *most, are_known, number: &number, saved: &on_tape };
        let (of_inits, sums) = sums::taken_out(code, adjoint, of_sums, &iterations);
        let (of_inits, of_outer) = of_inits.split_at(useful.len());
        let cotangent = |value: Value<'c, 'a>| Cotangent { value, is_hidden: *is_hidden };
        for (value, result) in outer.iter().zip(of_outer) {
            cotangents.set(*value, cotangent(*result));
        }
        for (value, sum) in outer.iter().zip(sums) {
            sum.rest.into_iter().for_each(|rest| cotangents.set(*value, cotangent(rest)));
            for product in sum.products {
                cotangents.add(code, *value, cotangent(product));
            }
        }
        for (place, value) in useful.iter().zip(of_inits) {
            if self.active.contains(&ir::id(operands[*place])) {
                cotangents.add(code, operands[*place], cotangent(*value));
            }
        }
        Ok(())
    }

    /// The values of a loop that have cotangents; an error if its iterations have no bound.
    fn looped<'c, 'a>(
        &self,
        code: Code<'c, 'a, '_>,
        operation: OperationRef<'c, 'a>,
        cotangents: &Cotangents<'c, 'a>,
    ) -> Result<Loop<'c, 'a>, Box<Diagnostic>> {
        let range = [0, 1, 2].map(|place| ir::operand(operation, place));
        let [from, to, step] = range;
        let Some(most) = most_iterations(from, to, step) else {
            return Err(fail::bound(code, operation));
        };
        let count = match iterations(operation) {
            Some(count) => code.builder.index(count),
            None => count_of(code.builder, range),
        };
        let body = ir::blocks_of(operation, 0)[0];
        let carried = ir::arguments(body)[1..].to_vec();
        let mut inner = ir::block_operations(body);
        let outer = from_outside(&inner, |value| carried.contains(&value), &self.active);
        let end = inner.pop().expect("a loop has a terminator");
        let results = || operation.results().map(Value::from);
        let useful = results().map(|result| cotangents.has(result)).collect();
        let is_active = |value: Value| self.active.contains(&ir::id(value));
        let useful = carried_behind(&inner, end, &carried, useful, is_active);
        let useful = (0..useful.len()).filter(|place| useful[*place]).collect();
        let is_hidden = hides(operation)
            || results().chain(outer.iter().copied()).any(|value| cotangents.is_hidden(value));
        Ok(Loop { operation, inner, end, carried, useful, outer, is_hidden, most, count })
    }

    /// The adjoint of a loop, and a stand-in for each value that the loop carries.
    fn adjoint<'c, 'a>(
        &mut self,
        code: Code<'c, 'a, '_>,
        of: &Loop<'c, 'a>,
        inits: &[Value<'c, 'a>],
    ) -> Result<(OperationRef<'c, 'a>, Vec<Value<'c, 'a>>), Box<Diagnostic>> {
        let [zero, one] = [0, 1].map(|number| code.builder.index(number));
        let adjoint = code.builder.counted([zero, of.count, one], inits, &[]);
        let block = ir::blocks_of(adjoint, 0)[0];
        let arguments = ir::arguments(block);
        let code = code.at(Insertion::AtEnd(block));

        let range = [0, 2].map(|place| ir::operand(of.operation, place));
        let number = number_of_turn(code, of.count, arguments[0]);
        let body = ir::blocks_of(of.operation, 0)[0];
        let index = index_of(code.builder, number, range);
        let mut values = HashMap::from([(ir::id(ir::arguments(body)[0]), index)]);
        let mut popped = Vec::new();
        for argument in &of.carried {
            let value = stand_in(code, argument.r#type());
            values.insert(ir::id(*argument), value);
            if self.active.contains(&ir::id(*argument)) {
                self.active.insert(ir::id(value));
            }
            popped.push(value);
        }
        let (copies, ends) = self.again(code, body, values);
        let mut states = Cotangents::default();
        let cotangent =
            |value: &Value<'c, 'a>| Cotangent { value: *value, is_hidden: of.is_hidden };
        let (of_carried, of_outer) = arguments[1..].split_at(of.useful.len());
        for (value, state) in of.outer.iter().zip(of_outer) {
            states.set(*value, cotangent(state));
        }
        for (place, state) in of.useful.iter().zip(of_carried) {
            if self.active.contains(&ir::id(ends[*place])) {
                states.add(code, ends[*place], cotangent(state));
            }
        }
        self.block(code, &copies, &mut states)?;
        let next = of.useful.iter().map(|place| popped[*place]).chain(of.outer.iter().copied());
        let next: Vec<_> = next.map(|value| states.full_or_zeros(code, value)).collect();
        code.builder.op("scf.yield", &next, &[], &[]);
        sweep::block(code.builder, block);
        Ok((adjoint, popped))
    }

    /// An `scf.while` of a `for` that can be left: a loop over all its iterations, of which those after it was left do
    /// nothing.
    pub(super) fn repeated<'c, 'a>(
        &mut self,
        code: Code<'c, 'a, '_>,
        operation: OperationRef<'c, 'a>,
        cotangents: &mut Cotangents<'c, 'a>,
    ) -> Reversed {
        let Some(counter) = counter(operation) else { return Err(fail::bound(code, operation)) };
        let results = counted_while(code, operation, counter);
        self.instead(code, (operation, &results), cotangents, false)
    }

    /// Goes back through a loop that has been made for another one, whose results are its last ones.
    pub(super) fn instead<'c, 'a>(
        &mut self,
        code: Code<'c, 'a, '_>,
        (old, results): (OperationRef<'c, 'a>, &[Value<'c, 'a>]),
        cotangents: &mut Cotangents<'c, 'a>,
        is_planned: bool,
    ) -> Reversed {
        let given = cotangents.take_results(old);
        let of_old = &results[results.len() - given.len()..];
        for ((old, new), given) in old.results().zip(of_old).zip(given) {
            ir::replace_all_uses(old.into(), *new);
            given.into_iter().for_each(|given| cotangents.set(*new, given));
        }
        ir::erase(old);
        let looped = ir::defining_operation(results[0]).expect("a result of the loop");
        spread(&[looped], &mut self.active);
        self.counted(code, looped, cotangents, is_planned)
    }
}

/// An `scf.for`, and the values of it that have cotangents.
struct Loop<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    inner: Vec<OperationRef<'c, 'a>>,
    end: OperationRef<'c, 'a>,
    carried: Vec<Value<'c, 'a>>,
    /// The places of the carried values whose cotangents may differ from 0: of results that have one, and of values that
    /// these depend on in a later iteration.
    useful: Vec<usize>,
    /// The active values from outside.
    outer: Vec<Value<'c, 'a>>,
    is_hidden: bool,
    most: u64,
    count: Value<'c, 'a>,
}

/// The number of the iteration that an iteration of the adjoint goes back through, counted from 0.
fn number_of_turn<'c, 'a>(
    code: Code<'c, 'a, '_>,
    count: Value<'c, 'a>,
    turn: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let last = code.builder.computed("arith.subi", &[count, code.builder.index(1)]);
    code.builder.computed("arith.subi", &[last, turn])
}

/// The number that a `for` which can be left counts with.
struct Counter<'c, 'a> {
    place: usize,
    from: Value<'c, 'a>,
    step: Value<'c, 'a>,
    /// The most evaluations of the condition.
    most: u64,
}

/// The counter of an `scf.while` that is a `for`.
fn counter<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<Counter<'c, 'a>> {
    let place = (0..operation.operand_count())
        .find(|place| carried_name(operation, *place).as_deref() == Some(COUNTER))?;
    let counter = *ir::arguments(ir::blocks_of(operation, 0)[0]).get(place)?;
    let other = |name: &str| {
        let user = ir::users(counter).into_iter().find(|user| ir::name(user) == name)?;
        ir::operand_if_any(user, 1)
    };
    let (from, end, step) =
        (ir::operand(operation, place), other("arith.cmpi")?, other("arith.addi")?);
    Some(Counter { place, from, step, most: most_iterations(from, end, step)? + 1 })
}

/// A loop that carries whether it goes on, the values of the `while`, and its results. Returns its results. While it goes
/// on, its number counts the iterations, so that the bounds of loops in it are known.
fn counted_while<'c, 'a>(
    code: Code<'c, 'a, '_>,
    operation: OperationRef<'c, 'a>,
    counter: Counter<'c, 'a>,
) -> Vec<Value<'c, 'a>> {
    let code = code.at(Insertion::Before(operation));
    let range = [0, counter.most, 1].map(|number| code.builder.index(number));
    let states: Vec<Value> = operation.operands().collect();
    let results = operation.results().map(|result| stand_in(code, result.r#type()));
    let carried: Vec<_> = [code.builder.truth(true)]
        .into_iter()
        .chain(states.iter().copied())
        .chain(results)
        .collect();
    let [before, after] = [0, 1].map(|region| ir::blocks_of(operation, region)[0]);
    let copy = |builder: Builder<'c, 'a>, block, arguments: &[Value<'c, 'a>]| {
        let old = ir::arguments(block).into_iter().map(ir::id);
        builder.at.copy_block(block, old.zip(arguments.iter().copied()).collect()).1
    };
    code.builder.for_each(range, &carried, &[], |builder, turn, arguments| {
        let (goes_on, states) = (arguments[0], &arguments[1..1 + states.len()]);
        branches(builder, goes_on, arguments, |builder| {
            let mut counted = states.to_vec();
            counted[counter.place] = index_of(builder, turn, [counter.from, counter.step]);
            let turn = copy(builder, before, &counted);
            let (condition, forwarded) = turn.split_first().expect("a condition");
            let next =
                branches(builder, *condition, states, |builder| copy(builder, after, forwarded));
            [&[*condition], next.as_slice(), forwarded].concat()
        })
    })
}

/// `scf.if` with results, which keeps values if the condition does not hold.
fn branches<'c, 'a>(
    builder: Builder<'c, 'a>,
    condition: Value<'c, 'a>,
    otherwise: &[Value<'c, 'a>],
    body: impl FnOnce(Builder<'c, 'a>) -> Vec<Value<'c, 'a>>,
) -> Vec<Value<'c, 'a>> {
    let types: Vec<Type> = otherwise.iter().map(|value| value.r#type()).collect();
    let operation = builder.branched(condition, &types);
    builder.fill_region(operation, 0, "scf.yield", |builder, _| body(builder));
    builder.fill_region(operation, 1, "scf.yield", |_, _| otherwise.to_vec());
    operation.results().map(Value::from).collect()
}

/// True if the contents of an operation may hide something: also from what comes before it, in another iteration.
fn hides(operation: OperationRef) -> bool {
    ir::operations(operation)
        .iter()
        .any(|inner| matches!(Kind::of(inner), Some(Kind::Select)) || ops::callee(inner).is_some())
}

/// A value that another one takes the place of, or that is never read.
fn stand_in<'c, 'a>(code: Code<'c, 'a, '_>, ty: Type<'c>) -> Value<'c, 'a> {
    match is_tensor(ty) || fields(ty).is_some() {
        true => code.builder.typed(Kind::Unset, &[], ty, &[]),
        false => code.builder.integer(ty, 0),
    }
}
