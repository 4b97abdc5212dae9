//! Finds numbers that are whole, and their bounds: ranges of values through loops, branches and calls.
//!
//! Input: a module. Output: a [`Fact`] for each value of type `f64`, `index` or `i64`. A value starts as never
//! computed, and operations update their results until nothing changes; a range that grows three times, as a
//! counter's does, is widened to any exact number, and then to any number. So each value changes a few times, and
//! each of these changes costs work linear in the size of the program.
//!
//! Deny by default: results of operations that are not in the table below, arguments of their blocks, and
//! parameters and results of functions that others may call are any numbers.

use crate::dialect::ops;
use crate::dialect::shape::{Element, element_of_type};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, Type, TypeLike, Value, ValueLike};
use mlir_support::control_flow::successors;
use mlir_support::range::{Range, Relation, is_divisor};
use mlir_support::symbols::References;
use mlir_support::{constants, ir};
use std::collections::{HashMap, HashSet, VecDeque};

/// A fact about a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fact {
    /// It is not computed, as far as known.
    Never,
    Within(Range),
    Any,
}

/// The times a range may grow before it is widened.
const GROWS: u8 = 3;

/// A function with a body, all of whose callers are known if it is private.
pub struct Function<'c, 'a> {
    pub operation: OperationRef<'c, 'a>,
    /// Its operations, outer ones first.
    pub body: Vec<OperationRef<'c, 'a>>,
    /// All its calls are `func.call`s in the module.
    pub is_known: bool,
    /// Its calls, and the functions that contain them.
    pub calls: Vec<(OperationRef<'c, 'a>, usize)>,
    results: Vec<Fact>,
}

pub struct Ranges<'c, 'a> {
    pub functions: Vec<Function<'c, 'a>>,
    pub named: HashMap<String, usize>,
    facts: HashMap<usize, (Fact, u8)>,
}

impl<'c, 'a> Ranges<'c, 'a> {
    pub fn of(module: &'a Module<'c>) -> Self {
        let mut this = Self::functions(module);
        let mut queue: VecDeque<usize> = (0..this.functions.len()).collect();
        let mut is_queued = vec![true; queue.len()];
        while let Some(at) = queue.pop_front() {
            is_queued[at] = false;
            for again in this.visit_function(at) {
                if !is_queued[again] {
                    is_queued[again] = true;
                    queue.push_back(again);
                }
            }
        }
        this
    }

    fn functions(module: &'a Module<'c>) -> Self {
        let operations = ir::operations(module.as_operation());
        let references = References::besides_calls(operations.iter().copied());
        let functions: Vec<_> = operations
            .into_iter()
            .filter(|operation| {
                ops::is_function(operation) && ops::entry_block(*operation).is_some()
            })
            .map(|operation| Function {
                operation,
                body: ir::operations(operation),
                is_known: ops::is_private(&operation)
                    && !operation.has_attribute("llvm.emit_c_interface")
                    && !references.mention(&ops::symbol_name(&operation)),
                calls: Vec::new(),
                results: vec![
                    Fact::Never;
                    ops::function_type(&operation).map_or(0, |ty| ty.result_count())
                ],
            })
            .collect();
        let named: HashMap<_, _> = functions
            .iter()
            .enumerate()
            .map(|(at, it)| (ops::symbol_name(&it.operation), at))
            .collect();
        let mut this = Self { functions, named, facts: HashMap::new() };
        for at in 0..this.functions.len() {
            for operation in this.functions[at].body.clone() {
                if let Some(callee) = this.callee(operation) {
                    this.functions[callee].calls.push((operation, at));
                }
            }
            let function = &this.functions[at];
            let known = usize::from(function.is_known);
            for block in ir::blocks(function.operation).into_iter().skip(known) {
                ir::arguments(block).into_iter().for_each(|argument| this.set_any(argument));
            }
        }
        this
    }

    /// The function that a `func.call` calls, if its callers are known.
    pub fn callee(&self, operation: OperationRef<'c, 'a>) -> Option<usize> {
        if ir::name(&operation) != "func.call" {
            return None;
        }
        let at = *self.named.get(&ops::callee(&operation)?)?;
        self.functions[at].is_known.then_some(at)
    }

    pub fn fact(&self, value: Value) -> Fact {
        if !is_tracked(value.r#type()) {
            return Fact::Any;
        }
        self.facts.get(&ir::id(value)).map_or(Fact::Never, |(fact, _)| *fact)
    }

    pub fn range(&self, value: Value) -> Option<Range> {
        match self.fact(value) {
            Fact::Within(range) => Some(range),
            Fact::Never | Fact::Any => None,
        }
    }

    /// True if an `arith.fptosi` converts only whole numbers, so that integers can be computed instead.
    pub fn makes_integer(&self, conversion: OperationRef<'c, 'a>) -> bool {
        let is_i64 = ir::signless_width(ops::result(conversion).r#type()) == Some(64);
        let range = self.range(self.converted(conversion));
        is_i64 && range.is_some_and(|range| range.is_integer())
    }

    /// The number that an `arith.fptosi` converts, without the check that it is not too large.
    pub fn converted(&self, conversion: OperationRef<'c, 'a>) -> Value<'c, 'a> {
        let number = ir::operand(conversion, 0);
        let select = ir::defining_operation(number);
        select.and_then(|select| self.clamped(select)).unwrap_or(number)
    }

    /// True if an `f64` is an integer, or never computed.
    pub fn is_plain_integer(&self, value: Value) -> bool {
        is_number(value.r#type())
            && match self.fact(value) {
                Fact::Never => true,
                Fact::Within(range) => range.is_plain_integer(),
                Fact::Any => false,
            }
    }

    /// Gives a new value the fact of another one with the same numbers.
    pub fn set_same(&mut self, value: Value, other: Value) {
        if let Some(fact) = self.facts.get(&ir::id(other)).copied() {
            self.facts.insert(ir::id(value), fact);
        }
    }

    /// Visits a function until nothing in it changes; returns the functions that this affects.
    fn visit_function(&mut self, at: usize) -> HashSet<usize> {
        let body = std::mem::take(&mut self.functions[at].body);
        let mut concerned = HashSet::new();
        let mut changes = true;
        while changes {
            changes = false;
            for operation in &body {
                changes |= self.visit(at, *operation, &mut concerned);
            }
        }
        self.functions[at].body = body;
        concerned
    }

    /// True if the operation changed a fact about a value.
    fn visit(
        &mut self,
        at: usize,
        operation: OperationRef<'c, 'a>,
        concerned: &mut HashSet<usize>,
    ) -> bool {
        let mut changes = self.other_blocks(operation);
        match ir::name(&operation) {
            "scf.for" => {
                let Some(block) = ir::blocks_of(operation, 0).first().copied() else {
                    return changes;
                };
                let [from, to] = [0, 1].map(|place| self.fact(ir::operand(operation, place)));
                let variable = match (from, to) {
                    _ if operation.has_attribute("unsignedCmp") => Fact::Any,
                    (Fact::Never, _) | (_, Fact::Never) => Fact::Never,
                    (Fact::Within(from), Fact::Within(to)) if from.low < to.high => {
                        fact(Range::of_integers(from.low, to.high - 1.0))
                    }
                    // Not executed at all.
                    (Fact::Within(_), Fact::Within(_)) => Fact::Never,
                    _ => Fact::Any,
                };
                changes |= block.argument(0).is_ok_and(|it| self.join(it.into(), variable));
                changes |= self.pass_on(operation);
            }
            "scf.while" | "scf.condition" | "scf.yield" => changes |= self.pass_on(operation),
            // Its branches yield its results.
            "scf.if" | "scf.index_switch" | "scf.execute_region" => {}
            "func.call" => {
                let Some(callee) = self.callee(operation) else {
                    return changes | self.give_up(operation);
                };
                let entry = ops::entry_block(self.functions[callee].operation);
                let parameters = entry.map(ir::arguments).unwrap_or_default();
                for (passed, parameter) in operation.operands().zip(parameters) {
                    if self.join(parameter, self.fact(passed)) {
                        concerned.insert(callee);
                    }
                }
                for place in 0..operation.result_count() {
                    let returned =
                        self.functions[callee].results.get(place).copied().unwrap_or(Fact::Any);
                    changes |= self.result(operation, place, returned);
                }
            }
            "func.return" => {
                for place in 0..operation.operand_count() {
                    let returned = self.fact(ir::operand(operation, place));
                    let Some(old) = self.functions[at].results.get_mut(place) else { continue };
                    let joined = join(*old, returned);
                    // The changes of the returned value are counted already.
                    if joined != *old {
                        *old = joined;
                        concerned
                            .extend(self.functions[at].calls.iter().map(|(_, caller)| *caller));
                    }
                }
            }
            name if operation.result_count() == 1 => {
                let made = self.made(name, operation);
                changes |= self.result(operation, 0, made);
            }
            _ => changes |= self.give_up(operation),
        }
        changes
    }

    /// The fact about the result of an operation that follows from its operands.
    fn made(&self, name: &str, operation: OperationRef<'c, 'a>) -> Fact {
        if operation.region_count() == 0
            && operation.operands().any(|it| self.fact(it) == Fact::Never)
        {
            return Fact::Never;
        }
        fact(self.made_of_ranges(name, operation))
    }

    fn made_of_ranges(&self, name: &str, operation: OperationRef<'c, 'a>) -> Option<Range> {
        let range = |place| self.range(operation.operand(place).ok()?);
        match name {
            "arith.constant" => constant(ops::result(operation)),
            "arith.index_cast" | "arith.sitofp" => range(0),
            "arith.uitofp" | "arith.extui" => {
                let is_truth = ir::signless_width(ir::operand(operation, 0).r#type()) == Some(1);
                is_truth.then(|| Range::of_integers(0.0, 1.0))?
            }
            "arith.fptosi" => Some(range(0)?.truncated()),
            "arith.addf" => match self.remainder(operation) {
                Some((of, divisor)) => {
                    Some(Range { minus_zero: false, ..self.range(of)?.remainder(divisor)? })
                }
                None => range(0)?.sum(range(1)?),
            },
            // Bounds must not be rounded, as integers are not.
            "arith.addi" => range(0)?.sum(range(1)?).filter(|sum| sum.is_integer()),
            "arith.subi" => {
                range(0)?.difference(range(1)?).filter(|difference| difference.is_integer())
            }
            "arith.subf" => match self.remainder(operation) {
                Some((of, divisor)) => self.range(of)?.remainder(divisor),
                None => range(0)?.difference(range(1)?),
            },
            "arith.muli" => {
                let product =
                    range(0)?.product(range(1)?).filter(|product| product.is_integer())?;
                Some(Range { minus_zero: false, ..product })
            }
            "arith.mulf" => range(0)?.product(range(1)?),
            // A product that is exact may as well be rounded.
            "math.fma" => {
                let product = range(0)?.product(range(1)?).filter(|product| product.is_integer());
                product?.sum(range(2)?)
            }
            "arith.divf" => range(0)?.quotient(range(1)?),
            "arith.negf" => Some(range(0)?.negated()),
            "math.absf" => Some(range(0)?.abs()),
            "math.floor" => Some(range(0)?.floor()),
            "arith.maximumf" | "arith.maxnumf" | "arith.maxsi" => Some(range(0)?.max(range(1)?)),
            "arith.minimumf" | "arith.minnumf" | "arith.minsi" => Some(range(0)?.min(range(1)?)),
            "arith.select" => match self.clamped(operation) {
                Some(number) => self.range(number),
                None => Some(range(1)?.join(range(2)?)),
            },
            _ => None,
        }
    }

    /// The `x` and the `c` of `x % c`, or of an `arith.subf` that is `x - c * floor(x / c)`.
    pub fn remainder(&self, operation: OperationRef<'c, 'a>) -> Option<(Value<'c, 'a>, f64)> {
        match ir::name(&operation) {
            "arith.subf" => self.written_remainder(operation),
            "arith.addf" => self.operators_remainder(operation),
            _ => None,
        }
    }

    /// The same of `x % c` as it is lowered: with the rest `r` of `arith.remf`, `(r < 0 ? r + c : r) + 0`.
    fn operators_remainder(&self, sum: OperationRef<'c, 'a>) -> Option<(Value<'c, 'a>, f64)> {
        let is_zero = |value| constants::float(value).is_some_and(|it| it.to_bits() == 0);
        let choice = ir::defined_by(ir::operand(sum, 0), "arith.select")?;
        let rest = ir::operand(choice, 2);
        let division = ir::defined_by(rest, "arith.remf")?;
        let (number, by) = (ir::operand(division, 0), ir::operand(division, 1));
        let compare = ir::defined_by(ir::operand(choice, 0), "arith.cmpf")?;
        let next = ir::defined_by(ir::operand(choice, 1), "arith.addf")?;
        let is_operator = is_zero(ir::operand(sum, 1))
            && Relation::of(compare) == Some(Relation::Less)
            && ir::operand(compare, 0) == rest
            && is_zero(ir::operand(compare, 1))
            && ir::operand(next, 0) == rest
            && ir::operand(next, 1) == by;
        let divisor = constants::float(by).filter(|divisor| is_divisor(*divisor))?;
        (is_operator && self.range(number)?.remainder(divisor).is_some())
            .then_some((number, divisor))
    }

    fn written_remainder(&self, difference: OperationRef<'c, 'a>) -> Option<(Value<'c, 'a>, f64)> {
        let number = ir::operand(difference, 0);
        let product = ir::defined_by(ir::operand(difference, 1), "arith.mulf")?;
        [0, 1].into_iter().find_map(|place| {
            let divisor = self.range(ir::operand(product, 1 - place))?.single()?;
            let floor = ir::defined_by(ir::operand(product, place), "math.floor")?;
            let quotient = ir::defined_by(ir::operand(floor, 0), "arith.divf")?;
            let is_same = ir::operand(quotient, 0) == number
                && self.range(ir::operand(quotient, 1))?.single() == Some(divisor);
            (is_same && is_divisor(divisor) && self.range(number)?.remainder(divisor).is_some())
                .then_some((number, divisor))
        })
    }

    /// The number that an `arith.select` selects if it fits in an integer, if that is known.
    pub fn clamped(&self, select: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
        if ir::name(&select) != "arith.select" {
            return None;
        }
        let (condition, number) = (ir::operand(select, 0), ir::operand(select, 1));
        let range = self.range(number).filter(|range| range.is_integer())?;
        let both = ir::defined_by(condition, "arith.andi")?;
        let is_true = |place| {
            let compare = ir::defined_by(ir::operand(both, place), "arith.cmpf")?;
            let relation = Relation::of(compare)?;
            let is_of_number = ir::operand(compare, 0) == number;
            is_of_number.then(|| range.compare(relation, self.range(ir::operand(compare, 1))?))?
        };
        (is_true(0) == Some(true) && is_true(1) == Some(true)).then_some(number)
    }

    /// Passes facts about operands on to the block arguments and the results that they become.
    fn pass_on(&mut self, operation: OperationRef<'c, 'a>) -> bool {
        let mut changes = false;
        for (place, operand) in operation.operands().enumerate() {
            let passed = self.fact(operand);
            for value in successors(operation, place).unwrap_or_default() {
                changes |= self.join(value, passed);
            }
        }
        changes
    }

    fn result(&mut self, of: OperationRef<'c, 'a>, place: usize, passed: Fact) -> bool {
        of.result(place).is_ok_and(|result| self.join(result.into(), passed))
    }

    /// Gives up on the results of an operation: they may be any number.
    fn give_up(&mut self, operation: OperationRef<'c, 'a>) -> bool {
        let mut changes = false;
        for result in operation.results() {
            changes |= self.join(result.into(), Fact::Any);
        }
        changes
    }

    /// Gives up on block arguments, except in the first block of an operation in the table.
    fn other_blocks(&mut self, operation: OperationRef<'c, 'a>) -> bool {
        const KNOWN: [&str; 5] =
            ["scf.for", "scf.while", "scf.if", "scf.index_switch", "scf.execute_region"];
        let known = usize::from(KNOWN.contains(&ir::name(&operation)));
        let mut changes = false;
        for region in 0..operation.region_count() {
            for block in ir::blocks_of(operation, region).into_iter().skip(known) {
                for argument in ir::arguments(block) {
                    changes |= self.join(argument, Fact::Any);
                }
            }
        }
        changes
    }

    fn set_any(&mut self, value: Value) {
        self.facts.insert(ir::id(value), (Fact::Any, 0));
    }

    /// True if the fact changed.
    fn join(&mut self, value: Value, passed: Fact) -> bool {
        if !is_tracked(value.r#type()) {
            return false;
        }
        let (old, grown) = self.facts.get(&ir::id(value)).copied().unwrap_or((Fact::Never, 0));
        let mut joined = join(old, passed);
        if joined == old {
            return false;
        }
        if let (Fact::Within(old), Fact::Within(new)) = (old, joined)
            && grown >= GROWS
        {
            joined = Fact::Within(new.widened(old));
        }
        if grown > 2 * GROWS {
            joined = Fact::Any;
        }
        self.facts.insert(ir::id(value), (joined, grown + 1));
        true
    }
}

fn join(one: Fact, other: Fact) -> Fact {
    match (one, other) {
        (Fact::Never, other) => other,
        (one, Fact::Never) => one,
        (Fact::Within(one), Fact::Within(other)) => Fact::Within(one.join(other)),
        _ => Fact::Any,
    }
}

fn fact(range: Option<Range>) -> Fact {
    range.map_or(Fact::Any, Fact::Within)
}

fn constant(value: Value) -> Option<Range> {
    if let Some(value) = constants::float(value) {
        return Range::constant(value);
    }
    Range::of_integer(constants::integer(value)?)
}

/// True for the type of numbers that ranges describe: Toy's default one.
pub fn is_number(ty: Type) -> bool {
    element_of_type(ty) == Some(Element::DEFAULT)
}

/// True if values of a type have ranges.
fn is_tracked(ty: Type) -> bool {
    ty.is_index() || is_number(ty) || ir::signless_width(ty) == Some(64)
}
