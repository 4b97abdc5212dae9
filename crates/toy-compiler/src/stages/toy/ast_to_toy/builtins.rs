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
use crate::dialect::control::{
    self, Function, IndexUse, Layout, Part, Predicate, Reduction, Subscript, scalar_type,
};
use crate::dialect::evaluate::{Evaluated, evaluate};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Element, unranked_type};
use melior::ir::{BlockLike, BlockRef, Value};
use toy_diagnostics::source::Span;
use toy_syntax::ast::{Call, Expr, ExprKind};
use toy_syntax::types;

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
        if let Some(value) = self.shaped(scope, call, span) {
            return Some(value);
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
        let block = scope.block;
        // A comparison with 0.
        let compared = |predicate, x| {
            self.compared(block, predicate, [x, self.number(block, 0.0, span)], span)
        };
        match (name, &mut operands[..]) {
            ("sign", [x]) => {
                let signs = [Predicate::Gt, Predicate::Lt].map(|predicate| compared(predicate, *x));
                let is_number = self.compared(block, Predicate::Eq, [*x, *x], span);
                let sign = self.pure(block, Kind::Sub, span, &signs);
                return Some(self.pure(block, Kind::Select, span, &[is_number, sign, *x]));
            }
            ("any", [operand, ..]) => *operand = compared(Predicate::Ne, *operand),
            ("all", [operand, ..]) => *operand = compared(Predicate::Eq, *operand),
            ("sort", [_]) => operands.push(self.number(block, -1.0, span)),
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
            "any" => compared(Predicate::Ne, result),
            "all" => compared(Predicate::Eq, result),
            _ => result,
        })
    }

    fn compared<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        predicate: Predicate,
        operands: [Value<'c, 'a>; 2],
        span: Span,
    ) -> Value<'c, 'a> {
        let unranked = unranked_type(self.context, Element::DEFAULT);
        let location = self.location(span);
        append(block, control::compare(self.context, location, predicate, operands, unranked))
    }

    fn small<'a>(&self, scope: &mut Scope<'c, 'a, 's>, expr: &'s Expr) -> i64 {
        known(self.value(scope, expr))
    }

    /// The builtins whose arguments are sizes, in operations that exist; a join of tensors.
    fn shaped<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        call: &'s Call,
        span: Span,
    ) -> Option<Value<'c, 'a>> {
        let (arguments, block) = (call.arguments.as_slice(), scope.block);
        let op = |kind, operands: &[Value<'c, 'a>]| self.pure(block, kind, span, operands);
        let number = |value| self.number(block, value, span);
        Some(match (call.callee.text.as_str(), arguments) {
            ("zeros" | "ones", sizes) => {
                let fill = number(if call.callee.text == "ones" { 1.0 } else { 0.0 });
                self.reshape(scope, fill, sizes, false, span)
            }
            ("reshape", [value, sizes @ ..]) => {
                let value = self.value(scope, value);
                self.reshape(scope, value, sizes, true, span)
            }
            // The diagonal of n rows and columns is every element number n + 1.
            ("eye", [n]) => {
                let n = self.value(scope, n);
                let zeros = self.reshape_to(block, number(0.0), &[n, n], false, span);
                let count = op(Kind::Mul, &[n, n]);
                let flat = self.reshape_to(block, zeros, &[count], false, span);
                let step = op(Kind::Add, &[n, number(1.0)]);
                let (context, location) = (self.context, self.location(span));
                let step = control::to_index(context, location, step, IndexUse::Bound);
                let diagonal = [Subscript::Range([false, false, true])];
                let unranked = unranked_type(context, Element::DEFAULT);
                let step = append(block, step);
                let operands = (number(1.0), flat);
                let ones =
                    control::update(context, location, operands, &diagonal, &[step], unranked);
                self.reshape_to(block, append(block, ones), &[n, n], false, span)
            }
            // As many as -floor((a - b) / s): rounded up.
            ("range", [_, _, ..]) => {
                let values = self.values(scope, arguments);
                let distance = op(Kind::Sub, &[values[0], values[1]]);
                let steps = values.get(2).map(|step| op(Kind::Div, &[distance, *step]));
                let (context, location) = (self.context, self.location(span));
                let unranked = unranked_type(context, Element::DEFAULT);
                let steps = steps.unwrap_or(distance);
                let steps = control::math(context, location, Function::Floor, steps, unranked);
                let range = op(Kind::Range, &[op(Kind::Neg, &[append(block, steps)])]);
                let scaled = values.get(2).map(|step| op(Kind::Mul, &[range, *step]));
                op(Kind::Add, &[scaled.unwrap_or(range), values[0]])
            }
            // As NumPy: the last number is b itself.
            ("linspace", [_, _, _]) => {
                let values = self.values(scope, arguments);
                let scalar = |value| {
                    append(
                        block,
                        ops::pure(
                            "toy.reshape",
                            self.location(span),
                            &[value],
                            scalar_type(self.context),
                        ),
                    )
                };
                let (first, last) = (scalar(values[0]), scalar(values[1]));
                let steps = op(Kind::Max, &[op(Kind::Sub, &[values[2], number(1.0)]), number(1.0)]);
                let range = op(Kind::Range, &[values[2]]);
                let step = op(Kind::Div, &[op(Kind::Sub, &[last, first]), steps]);
                let value = op(Kind::Add, &[op(Kind::Mul, &[range, step]), first]);
                let is_last = self.compared(block, Predicate::Eq, [range, steps], span);
                op(Kind::Select, &[is_last, last, value])
            }
            ("concat", parts) => {
                let mut operands = self.values(scope, parts);
                self.unify(block, &mut operands, parts.iter());
                let axis = match call.named.first() {
                    Some((_, axis)) => self.value(scope, axis),
                    None => number(0.0),
                };
                op(Kind::Join, &[&[axis], operands.as_slice()].concat())
            }
            _ => return None,
        })
    }

    /// The tensors of a value, each field with its name: `from.x:`.
    fn printed<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        (value, ty): (Value<'c, 'a>, types::Type<'s>),
        path: &str,
        span: Span,
    ) -> Vec<(Option<String>, Value<'c, 'a>)> {
        let types::Type::Struct(definition) = ty else {
            return vec![((!path.is_empty()).then(|| format!("{path}:")), value)];
        };
        let dot = if path.is_empty() { "" } else { "." };
        let fields = definition.fields.iter().enumerate();
        let printed = fields.flat_map(|(index, field)| {
            let inner = self.types.named(field.ty.as_ref());
            let value = self.field_of(scope, value, index, span);
            let path = format!("{path}{dot}{}", field.name.text);
            self.printed(scope, (value, inner), &path, span)
        });
        printed.collect()
    }

    /// One value as upstream prints it; several, and texts, with a `toy.print_values`.
    fn print<'a>(&self, scope: &mut Scope<'c, 'a, 's>, call: &'s Call, span: Span) {
        let location = self.location(span);
        if let [argument] = &call.arguments[..]
            && !matches!(argument.kind, ExprKind::String(_))
            && call.named.is_empty()
            && let types::Type::Tensor = self.types.of(argument, &scope.types)
        {
            let value = self.value(scope, argument);
            scope.block.append_operation(ops::print(location, value));
            return;
        }
        let (mut values, mut expressions, mut format) = (Vec::new(), Vec::new(), Vec::new());
        for argument in &call.arguments {
            if let ExprKind::String(text) = &argument.kind {
                format.push(Part::Text(text.clone()));
                continue;
            }
            let value = self.value(scope, argument);
            let ty = self.types.of(argument, &scope.types);
            for (name, value) in self.printed(scope, (value, ty), "", argument.span) {
                format.extend(name.map(Part::Text));
                format.push(Part::Value);
                values.push(value);
                expressions.push(argument);
            }
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
