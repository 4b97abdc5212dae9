//! Calls of builtin functions.
//!
//! Constants (an axis, the length of a range) are operands here: specialization computes them when the
//! shapes are known. Three builtins are made of other operations:
//!
//! | call | becomes |
//! |---|---|
//! | `any(x)` | the number of elements that are not 0, is not 0 |
//! | `all(x)` | the number of elements that are 0, is 0 |
//! | `sign(x)` | `(x > 0) - (x < 0)` where x is a number, and x, a NaN, elsewhere |

use super::scope::Scope;
use super::{Lowering, append};
use crate::dialect::control::{self, Function, Layout, Part, Predicate, Reduction, scalar_type};
use crate::dialect::evaluate::{Evaluated, evaluate};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Element, unranked_type};
use melior::Context;
use melior::ir::{BlockLike, BlockRef, Location, Operation, Value};
use toy_diagnostics::source::Span;
use toy_syntax::ast::{Call, Expr, ExprKind};

impl<'c, 's> Lowering<'c, 's> {
    pub fn builtin<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        call: &'s Call,
        span: Span,
    ) -> Option<Value<'c, 'a>> {
        let name = call.callee.text.as_str();
        if name == "print" {
            self.print(scope, call, span);
            return None;
        }
        let mut operands = self.values(scope, &call.arguments);
        let mut keep = false;
        for (name, value) in &call.named {
            let value = self.value(scope, value);
            match name.text.as_str() {
                "keep" => keep = known(value) != 0,
                _ => operands.push(value),
            }
        }
        let (context, location) = (self.context, self.location(span));
        let make = Make { context, block: scope.block, location };
        match (name, &mut operands[..]) {
            ("sign", [operand]) => return Some(make.sign(*operand)),
            ("any", [operand, ..]) => *operand = make.compared(Predicate::Ne, *operand),
            ("all", [operand, ..]) => *operand = make.compared(Predicate::Eq, *operand),
            ("sort", [_]) => operands.push(make.number(-1.0)),
            _ => {}
        }
        let unranked = unranked_type(context, Element::DEFAULT);
        if let ("transpose", [_, axes @ ..]) = (name, &mut operands[..]) {
            self.unify(scope.block, axes, call.arguments[1..].iter());
        }
        // `max(x, axis = 0)` is not the `max` of two tensors.
        let kind = Kind::of_builtin(name, operands.len()).filter(|_| call.named.is_empty());
        let operation = match (kind, &operands[..]) {
            (Some(kind), operands) => {
                let ty = if kind == Kind::Shape { scalar_type(context) } else { unranked };
                ops::pure(kind.name(), location, operands, ty)
            }
            (None, operands) => match (reduction(name), Function::named(name), operands) {
                (Some(kind), _, [operand]) => {
                    let is_scalar = !keep && !kind.keeps_all();
                    let ty = if is_scalar { scalar_type(context) } else { unranked };
                    control::reduce(context, location, (kind, keep), *operand, None, ty)
                }
                (Some(kind), _, [operand, axis]) => {
                    let operands = [*operand, *axis];
                    control::reduce_axis(context, location, (kind, keep), operands, unranked)
                }
                (_, Some(function), [operand]) => {
                    control::math(context, location, function, *operand, unranked)
                }
                _ => return None,
            },
        };
        let result = append(scope.block, operation);
        Some(match name {
            "any" => make.compared(Predicate::Ne, result),
            "all" => make.compared(Predicate::Eq, result),
            _ => result,
        })
    }

    fn small<'a>(&self, scope: &mut Scope<'c, 'a, 's>, expr: &'s Expr) -> i64 {
        known(self.value(scope, expr))
    }

    /// One value as upstream prints it; several, and texts, with a `toy.print_values`.
    fn print<'a>(&self, scope: &mut Scope<'c, 'a, 's>, call: &'s Call, span: Span) {
        let location = self.location(span);
        if let [argument] = &call.arguments[..]
            && !matches!(argument.kind, ExprKind::String(_))
            && call.named.is_empty()
        {
            let value = self.value(scope, argument);
            scope.block.append_operation(ops::print(location, value));
            return;
        }
        let (mut values, mut expressions, mut format) = (Vec::new(), Vec::new(), Vec::new());
        for argument in &call.arguments {
            format.push(match &argument.kind {
                ExprKind::String(text) => Part::Text(text.clone()),
                _ => {
                    values.push(self.value(scope, argument));
                    expressions.push(argument);
                    Part::Value
                }
            });
        }
        let (mut end, mut layout) = (None, Layout::default());
        for (name, value) in &call.named {
            match (name.text.as_str(), &value.kind) {
                ("end", ExprKind::String(text)) => end = Some(text.as_str()),
                ("digits", _) => layout.digits = Some(self.small(scope, value)),
                ("width", _) => layout.width = Some(self.small(scope, value)),
                _ => {}
            }
        }
        self.unify(scope.block, &mut values, expressions.into_iter());
        let print = control::print_values(self.context, location, (&format, layout, end), &values);
        scope.block.append_operation(print);
    }
}

/// The reduction that a builtin is made of.
fn reduction(name: &str) -> Option<Reduction> {
    match name {
        "any" | "all" => Some(Reduction::Sum),
        name => Reduction::named(name),
    }
}

/// The number of a checked argument: a constant that no shape is part of.
fn known(value: Value) -> i64 {
    match evaluate(value) {
        Evaluated::Number(number) => number as i64,
        Evaluated::Open | Evaluated::Runtime(_) => 0,
    }
}

/// Makes the operations of which builtins are made.
#[derive(Clone, Copy)]
struct Make<'c, 'a> {
    context: &'c Context,
    block: BlockRef<'c, 'a>,
    location: Location<'c>,
}

impl<'c, 'a> Make<'c, 'a> {
    fn insert(self, operation: Operation<'c>) -> Value<'c, 'a> {
        append(self.block, operation)
    }

    fn number(self, number: f64) -> Value<'c, 'a> {
        let ty = scalar_type(self.context);
        self.insert(ops::constant(self.context, self.location, ty, ops::dense(ty, &[number])))
    }

    fn compare(self, predicate: Predicate, operands: [Value<'c, '_>; 2]) -> Value<'c, 'a> {
        let ty = unranked_type(self.context, Element::DEFAULT);
        self.insert(control::compare(self.context, self.location, predicate, operands, ty))
    }

    /// A comparison with 0.
    fn compared(self, predicate: Predicate, operand: Value<'c, '_>) -> Value<'c, 'a> {
        self.compare(predicate, [operand, self.number(0.0)])
    }

    fn sign(self, x: Value<'c, 'a>) -> Value<'c, 'a> {
        let ty = unranked_type(self.context, Element::DEFAULT);
        let pure = |name, operands: &[Value<'c, 'a>]| {
            self.insert(ops::pure(name, self.location, operands, ty))
        };
        let signs = [Predicate::Gt, Predicate::Lt].map(|predicate| self.compared(predicate, x));
        let sign = pure("toy.sub", &signs);
        pure("toy.select", &[self.compare(Predicate::Eq, [x, x]), sign, x])
    }
}
