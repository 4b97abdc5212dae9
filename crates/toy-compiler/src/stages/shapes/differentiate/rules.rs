//! The rules: for each operation of Toy, the cotangents of its operands from the cotangent of its result.
//!
//! Input: an operation, with the cotangent of its result. Output: contributions to the cotangents of the operands that
//! depend on the parameters. The rules of element-wise operations are here, with r the result, g its cotangent:
//!
//! | operation | contributions | where several are possible |
//! |---|---|---|
//! | `x + y` | g, g | |
//! | `x - y` | g, -g | |
//! | `x * y` | g y, g x | |
//! | `x / y` | g / y, -(g / y) r | |
//! | `-x` | -g | |
//! | `x % y` | g, -g times the quotient, rounded down | |
//! | `max(x, y)`, `min(x, y)` | g to the one that it is | to x, if they are equal |
//! | `pow(x, y)` | g y x^(y-1), g r log x | 0 where y is 0; 0 where x is 0 |
//! | `where(c, x, y)` | g where c holds, g elsewhere | |
//! | `exp`, `log`, `sin`, `cos`, `tanh` | g r, g / x, g cos x, -g sin x, g (1 - r r) | |
//! | `sqrt` | g / 2 / r | 0 at 0 |
//! | `abs` | g, -g | 0 at 0 |
//! | `floor`, `round`, `trunc`, comparisons, `stop` | none | |
//!
//! [`tensors`] has those that move elements, [`reductions`] those that combine them.

mod reductions;
mod tensors;

use super::code::{Code, shape};
use super::cotangents::{Cotangent, Cotangents, stretched, unstretched};
use crate::dialect::control::{self, Function, Predicate, Reduction};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::element_of;
use melior::ir::operation::OperationRef;
use melior::ir::{Value, ValueLike};
use mlir_support::ir;
use std::collections::HashSet;

/// True if no result of an operation changes with its operands, but in jumps.
pub fn is_constant(operation: OperationRef, kind: Kind) -> bool {
    use Function::{Floor, Round, Trunc};
    use Reduction::{ArgMax, ArgMin};
    match kind {
        Kind::Compare | Kind::Stop | Kind::Truth | Kind::ToIndex | Kind::Shape | Kind::Range => {
            true
        }
        Kind::Math => matches!(control::function(operation), Some(Floor | Round | Trunc)),
        Kind::Reduce => matches!(control::reduction(operation), Some(ArgMax | ArgMin)),
        _ => false,
    }
}

/// One operation with its cotangent.
pub struct Step<'c, 'a, 'l, 'm> {
    pub code: Code<'c, 'a, 'l>,
    pub operation: OperationRef<'c, 'a>,
    pub cotangent: Cotangent<'c, 'a>,
    pub cotangents: &'m mut Cotangents<'c, 'a>,
    /// The values that depend on the parameters.
    pub active: &'m HashSet<usize>,
}

impl<'c, 'a> Step<'c, 'a, '_, '_> {
    /// Adds the contributions; returns false if the operation has no rule.
    pub fn run(&mut self, kind: Kind) -> bool {
        match kind {
            Kind::Add => {
                self.give(0, |_, g| g);
                self.give(1, |_, g| g);
            }
            Kind::Sub => {
                self.give(0, |_, g| g);
                self.give(1, |it, g| g.with(it.code.neg(g.value)));
            }
            Kind::Mul => {
                self.give(0, |it, g| g.times(it.code, it.operand(1)));
                self.give(1, |it, g| g.times(it.code, it.operand(0)));
            }
            Kind::Div => self.quotient(),
            Kind::Neg => self.give(0, |it, g| g.with(it.code.neg(g.value))),
            Kind::Rem => self.remainder(),
            Kind::Max => self.chosen(Predicate::Ge),
            Kind::Min => self.chosen(Predicate::Le),
            Kind::Pow => self.power(),
            Kind::Select => {
                self.cotangent.is_hidden = true;
                self.masked([1, 2], |it| it.operand(0));
            }
            Kind::Math => self.function(),
            Kind::Convert => {
                self.give(0, |it, g| g.with(convert(it.code, g.value, it.operand(0))));
            }
            Kind::Transpose => self.transpose(),
            Kind::Reshape => self.reshape(),
            Kind::FromElements => self.elements(),
            Kind::Join => self.join(),
            Kind::Read => self.read(),
            Kind::Update => self.update(),
            Kind::StructCreate => self.structure(),
            Kind::StructAccess => self.field(),
            Kind::Matmul => self.product(),
            Kind::Reduce => self.reduction(),
            // Their results have no cotangents.
            Kind::Cast
            | Kind::Constant
            | Kind::StructConstant
            | Kind::Unset
            | Kind::Compare
            | Kind::Truth
            | Kind::FromTruth
            | Kind::ToIndex
            | Kind::FromIndex
            | Kind::Shape
            | Kind::Range
            | Kind::Stop => {}
            // Specialization leaves none of these, and the copy of the function has no variables and prints nothing.
            Kind::GenericCall
            | Kind::Assign
            | Kind::ReduceAxis
            | Kind::ReshapeTo
            | Kind::Variable
            | Kind::Print
            | Kind::PrintValues => return false,
        }
        true
    }

    fn operand(&self, place: usize) -> Value<'c, 'a> {
        // Casts are before operands of different types.
        ops::source(ir::operand(self.operation, place))
    }

    fn result(&self) -> Value<'c, 'a> {
        ops::result(self.operation)
    }

    fn wants(&self, place: usize) -> bool {
        self.active.contains(&ir::id(self.operand(place)))
    }

    /// The cotangent in the shape of the result.
    fn full(&self) -> Value<'c, 'a> {
        stretched(self.code, self.cotangent.value, self.result())
    }

    /// Adds the contribution to an operand that may have been stretched.
    fn give(
        &mut self,
        place: usize,
        contribution: impl FnOnce(&Self, Cotangent<'c, 'a>) -> Cotangent<'c, 'a>,
    ) {
        if !self.wants(place) {
            return;
        }
        let given = contribution(self, self.cotangent);
        let operand = self.operand(place);
        let (from, to) = (shape(self.result()), shape(operand));
        let value = unstretched(self.code, given.value, &from, &to);
        self.cotangents.add(self.code, operand, given.with(value));
    }

    /// Adds a contribution in the shape of the operand.
    fn put(&mut self, place: usize, value: Value<'c, 'a>) {
        let more = self.cotangent.with(value);
        self.cotangents.add(self.code, self.operand(place), more);
    }

    fn quotient(&mut self) {
        self.give(0, |it, g| g.over(it.code, it.operand(1)));
        self.give(1, |it, g| {
            let q = g.over(it.code, it.operand(1));
            let q = q.times(it.code, it.result());
            q.with(it.code.neg(q.value))
        });
    }

    fn remainder(&mut self) {
        self.give(0, |_, g| g);
        self.give(1, |it, g| {
            let code = it.code;
            let whole = code.div(code.sub(it.operand(0), it.result()), it.operand(1));
            let whole = code.math(Function::Round, whole);
            let product = g.times(code, whole);
            g.with(code.neg(product.value))
        });
    }

    /// The first operand where it is chosen, the second one elsewhere.
    fn chosen(&mut self, is_first: Predicate) {
        self.masked([0, 1], |it| it.code.compare(is_first, it.operand(0), it.operand(1)));
    }

    /// The cotangent where a condition holds, for the first of two operands, and elsewhere, for the second one.
    fn masked(&mut self, places: [usize; 2], condition: impl FnOnce(&Self) -> Value<'c, 'a>) {
        let wanted = places.map(|place| self.wants(place));
        if wanted == [false, false] {
            return;
        }
        let condition = condition(self);
        for (number, place) in places.into_iter().enumerate() {
            self.give(place, |it, g| {
                let zero = it.code.number(0.0, g.value);
                let value = match number {
                    0 => it.code.select(condition, g.value, zero),
                    _ => it.code.select(condition, zero, g.value),
                };
                g.with(value)
            });
        }
    }

    fn power(&mut self) {
        self.give(0, |it, g| {
            let (code, x, y) = (it.code, it.operand(0), it.operand(1));
            let less = code.sub(y, code.number(1.0, y));
            let slope = code.mul(y, code.toy(Kind::Pow, &[x, less], &[]));
            if is_nonzero(y) {
                return g.times(code, slope);
            }
            let zero = code.number(0.0, y);
            let has_slope = code.compare(Predicate::Ne, y, zero);
            g.times(code, code.select(has_slope, slope, zero))
        });
        self.give(1, |it, g| {
            let (code, x, r) = (it.code, it.operand(0), it.result());
            let zero = code.number(0.0, x);
            let slope = code.mul(r, code.math(Function::Log, x));
            let has_slope = code.compare(Predicate::Ne, x, zero);
            g.times(code, code.select(has_slope, slope, code.number(0.0, r)))
        });
    }

    fn function(&mut self) {
        let Some(function) = control::function(self.operation) else { return };
        self.give(0, |it, g| {
            let (code, x, r) = (it.code, it.operand(0), it.result());
            match function {
                Function::Exp => g.times(code, r),
                Function::Log => g.over(code, x),
                Function::Sin => g.times(code, code.math(Function::Cos, x)),
                Function::Cos => {
                    let g = g.times(code, code.math(Function::Sin, x));
                    g.with(code.neg(g.value))
                }
                Function::Tanh => g.times(code, code.sub(code.number(1.0, r), code.mul(r, r))),
                Function::Sqrt => {
                    let half = g.with(code.mul(g.value, code.number(0.5, r)));
                    let slope = half.over(code, r);
                    let zero = code.number(0.0, r);
                    let has_slope = code.compare(Predicate::Ne, r, zero);
                    g.with(code.select(has_slope, slope.value, zero))
                }
                Function::Abs => {
                    let zero = code.number(0.0, x);
                    let [above, below] =
                        [Predicate::Gt, Predicate::Lt].map(|it| code.compare(it, x, zero));
                    g.with(code.mul(g.value, code.sub(above, below)))
                }
                // Constant but for jumps.
                Function::Floor | Function::Round | Function::Trunc => g,
            }
        });
    }
}

/// A tensor in the element type of another one.
fn convert<'c, 'a>(
    code: Code<'c, 'a, '_>,
    value: Value<'c, 'a>,
    like: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let element = element_of(like.r#type());
    if element_of(value.r#type()) == element {
        return value;
    }
    let element = ("element", code.builder.text(element.name()));
    code.toy(Kind::Convert, &[value], &[element])
}

/// True if a value is a constant whose elements are not 0.
fn is_nonzero(value: Value) -> bool {
    let constant = ir::defined_by(value, Kind::Constant.name());
    let count = shape(value).element_count().and_then(|count| usize::try_from(count).ok());
    let numbers = constant
        .zip(count)
        .and_then(|(constant, count)| ir::dense_floats(ops::attribute(&constant, "value")?, count));
    numbers.is_some_and(|numbers| numbers.iter().all(|number| *number != 0.0))
}
