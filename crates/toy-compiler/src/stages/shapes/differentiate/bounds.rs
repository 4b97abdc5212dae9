//! The most iterations of a loop: what its tape has room for; and the bytes of that.
//!
//! Input: an `scf.for` of Toy, whose step is positive. Output: a bound that holds whatever the parameters are, from
//! constants and the bounds of the loops around it; None if there is none.

use crate::dialect::control::{self, Function};
use crate::dialect::evaluate::{Evaluated, evaluate};
use crate::dialect::ops::Kind;
use melior::ir::Value;
use mlir_support::ir;
use mlir_support::range::{self, Range};

/// Operations after one another in the computation of a bound.
const NESTED: u32 = 32;

/// The most iterations from one index to another one, with a constant step.
pub fn most_iterations(from: Value, to: Value, step: Value) -> Option<u64> {
    let (from, to, step) = (index(from, NESTED)?, index(to, NESTED)?, index(step, NESTED)?);
    let step = step.single().filter(|step| *step >= 1.0)?;
    Some(((to.high - from.low) / step).ceil().max(0.0) as u64)
}

fn index(value: Value, nested: u32) -> Option<Range> {
    let nested = nested.checked_sub(1)?;
    range::of_index(value, nested, &|value| known(value, nested))
}

/// The index of a loop, or of a computed number.
fn known(value: Value, nested: u32) -> Option<Range> {
    if let Some(definition) = ir::defining_operation(value) {
        let operand = |place| index(ir::operand(definition, place), nested);
        return match (Kind::of(&definition), ir::name(&definition)) {
            (Some(Kind::ToIndex), _) => number(ir::operand(definition, 0), nested),
            (None, "arith.muli") => operand(0)?.product(operand(1)?),
            (None, "arith.minsi") => Some(operand(0)?.min(operand(1)?)),
            // The count of a loop whose step is not 1.
            (None, "arith.divsi") => Some(operand(0)?.quotient(operand(1)?)?.truncated()),
            _ => None,
        };
    }
    let home =
        ir::home(value).filter(|it| ir::name(&it.parent) == "scf.for" && it.argument == 0)?;
    let [from, to] = [0, 1].map(|place| index(ir::operand(home.parent, place), nested));
    let (low, high) = (from?.low, to?.high - 1.0);
    Range::of_integers(low, high.max(low))
}

/// A scalar that is computed from constants and indices.
fn number(value: Value, nested: u32) -> Option<Range> {
    if let Evaluated::Number(number) = evaluate(value) {
        return Range::constant(number);
    }
    let nested = nested.checked_sub(1)?;
    let definition = ir::defining_operation(value)?;
    let operand = |place| number(ir::operand(definition, place), nested);
    match Kind::of(&definition)? {
        Kind::FromIndex => index(ir::operand(definition, 0), nested),
        Kind::Add => operand(0)?.sum(operand(1)?),
        Kind::Sub => operand(0)?.difference(operand(1)?),
        Kind::Mul => operand(0)?.product(operand(1)?),
        Kind::Div => operand(0)?.quotient(operand(1)?),
        Kind::Neg => Some(operand(0)?.negated()),
        Kind::Max => Some(operand(0)?.max(operand(1)?)),
        Kind::Min => Some(operand(0)?.min(operand(1)?)),
        Kind::Math if control::function(definition)? == Function::Floor => {
            Some(operand(0)?.floor())
        }
        _ => None,
    }
}

/// The memory of a loop.
#[derive(Clone, Copy)]
pub struct Plan {
    /// The most iterations of the loop.
    pub most: u64,
    /// The bytes from which an iteration can begin.
    pub start: u64,
    /// The bytes that the way back through an iteration needs.
    pub saved: u64,
}

impl Plan {
    /// The bytes if every iteration is saved.
    pub fn all(self) -> u64 {
        self.most.saturating_mul(self.saved)
    }

    /// The bytes if the values before every so many iterations are saved.
    pub fn bytes(self, every: u64) -> u64 {
        let starts = self.most.div_ceil(every).saturating_mul(self.start);
        starts.saturating_add(every.saturating_mul(self.saved))
    }

    /// The largest number of iterations that fit, since few long segments take less time than many short ones; or those
    /// that need the least bytes.
    pub fn every(self, memory: u64) -> Result<u64, u64> {
        // The bytes fall up to about the root, and grow from there on.
        let root = (self.most.saturating_mul(self.start) / self.saved.max(1)).isqrt();
        let least = (2..=root + 2).rev().min_by_key(|every| self.bytes(*every)).unwrap_or(2);
        let largest = self.most.min(memory / self.saved.max(1));
        let fits = |every: &u64| self.bytes(*every) <= memory;
        (least..=largest.max(least)).rev().find(fits).ok_or(least)
    }
}
