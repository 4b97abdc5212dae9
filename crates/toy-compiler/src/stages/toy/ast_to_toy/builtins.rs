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

use super::expressions::compared;
use super::scope::Scope;
use super::subscripts::checked_index;
use crate::dialect::control::{
    self, Function, IndexUse, Layout, Part, Predicate, Reduction, Subscript,
};
use crate::dialect::evaluate::{Evaluated, evaluate};
use crate::dialect::ops::{Kind, ToyBuilder, scalar_type};
use crate::dialect::shape::Element;
use melior::ir::Value;
use mlir_support::Builder;
use toy_diagnostics::source::Span;
use toy_syntax::ast::{Call, ExprKind};
use toy_syntax::types;

impl<'c, 'a, 's> Scope<'c, 'a, 's> {
    pub fn builtin(&mut self, call: &'s Call, span: Span) -> Option<Value<'c, 'a>> {
        let name = call.callee.text.as_str();
        if name == "print" {
            self.print(call, span);
            return None;
        }
        if let Some(value) = self.shaped(call, span) {
            return Some(value);
        }
        let mut operands = self.values(&call.arguments);
        let mut keep = false;
        for (name, value) in &call.named {
            let value = self.value(value);
            match name.text.as_str() {
                "keep" => keep = known(value) != 0,
                _ => operands.push(value),
            }
        }
        let code = self.code(span);
        // A comparison with 0, which has the element type of x.
        let with_zero = |predicate, x| compared(code, predicate, [x, code.adapting_zero()]);
        match (name, &mut operands[..]) {
            ("sign", [x]) => {
                let signs = [Predicate::Gt, Predicate::Lt].map(|it| with_zero(it, *x));
                let is_number = compared(code, Predicate::Eq, [*x, *x]);
                let sign = code.pure(Kind::Sub, &signs);
                return Some(code.pure(Kind::Select, &[is_number, sign, *x]));
            }
            ("any", [operand, ..]) => *operand = with_zero(Predicate::Ne, *operand),
            ("all", [operand, ..]) => *operand = with_zero(Predicate::Eq, *operand),
            ("sort", [_]) => operands.push(code.scalar_constant(-1.0)),
            ("transpose", [_, axes @ ..]) => self.unify(axes, call.arguments[1..].iter()),
            _ => {}
        }
        // `max(x, axis = 0)` is not the `max` of two tensors.
        let kind = Kind::of_builtin(name, operands.len()).filter(|_| call.named.is_empty());
        let result = match (kind, reduction(name), Function::named(name)) {
            (Some(kind), ..) => code.pure(kind, &operands),
            (None, Some(reduction), _) => reduced(code, (reduction, keep), &operands),
            (None, None, Some(function)) => applied(code, function, operands[0]),
            (None, None, None) => {
                let element = ("element", code.text(Element::named(name)?.name()));
                code.toy(Kind::Convert, &operands, &[element])
            }
        };
        Some(match name {
            "any" => with_zero(Predicate::Ne, result),
            "all" => with_zero(Predicate::Eq, result),
            _ => result,
        })
    }

    /// The builtins whose arguments are sizes, in operations that exist; a join of tensors.
    fn shaped(&mut self, call: &'s Call, span: Span) -> Option<Value<'c, 'a>> {
        let (arguments, code) = (call.arguments.as_slice(), self.code(span));
        let number = |value| code.scalar_constant(value);
        let op = |kind, operands: &[Value<'c, 'a>]| code.pure(kind, operands);
        Some(match (call.callee.text.as_str(), arguments) {
            ("zeros", sizes) => self.reshape(number(0.0), sizes, false, span),
            ("ones", sizes) => self.reshape(number(1.0), sizes, false, span),
            ("reshape", [value, sizes @ ..]) => {
                let value = self.value(value);
                self.reshape(value, sizes, true, span)
            }
            // The diagonal of n rows and columns is every element number n + 1.
            ("eye", [n]) => {
                let n = self.value(n);
                let zeros = op(Kind::ReshapeTo, &[number(0.0), n, n]);
                let count = op(Kind::Mul, &[n, n]);
                let flat = op(Kind::ReshapeTo, &[zeros, count]);
                let step = op(Kind::Add, &[n, number(1.0)]);
                let step = checked_index(code, step, IndexUse::Bound);
                let diagonal = [Subscript::Range([false, false, true])];
                let diagonal = control::subscripts_attribute(code, &diagonal);
                let ones = code.toy(Kind::Update, &[number(1.0), flat, step], &[diagonal]);
                op(Kind::ReshapeTo, &[ones, n, n])
            }
            // As many as -floor((a - b) / s): rounded up.
            ("range", [_, _, ..]) => {
                let values = self.values(arguments);
                let distance = op(Kind::Sub, &[values[0], values[1]]);
                let steps = values.get(2).map(|step| op(Kind::Div, &[distance, *step]));
                let steps = applied(code, Function::Floor, steps.unwrap_or(distance));
                let range = op(Kind::Range, &[op(Kind::Neg, &[steps])]);
                let scaled = values.get(2).map(|step| op(Kind::Mul, &[range, *step]));
                op(Kind::Add, &[scaled.unwrap_or(range), values[0]])
            }
            // As NumPy: the last number is b itself.
            ("linspace", [_, _, _]) => {
                let values = self.values(arguments);
                let scalar =
                    |value| code.typed(Kind::Reshape, &[value], scalar_type(code.context), &[]);
                let (first, last) = (scalar(values[0]), scalar(values[1]));
                let steps = op(Kind::Max, &[op(Kind::Sub, &[values[2], number(1.0)]), number(1.0)]);
                let range = op(Kind::Range, &[values[2]]);
                let step = op(Kind::Div, &[op(Kind::Sub, &[last, first]), steps]);
                let value = op(Kind::Add, &[op(Kind::Mul, &[range, step]), first]);
                let is_last = compared(code, Predicate::Eq, [range, steps]);
                op(Kind::Select, &[is_last, last, value])
            }
            ("concat", parts) => {
                let mut operands = self.values(parts);
                self.unify(&mut operands, parts.iter());
                let axis = match call.named.first() {
                    Some((_, axis)) => self.value(axis),
                    None => number(0.0),
                };
                op(Kind::Join, &[&[axis], operands.as_slice()].concat())
            }
            _ => return None,
        })
    }

    /// The tensors of a value, each field with its name: `from.x:`.
    fn printed(
        &self,
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
            let value = self.field_of(value, index, span);
            let path = format!("{path}{dot}{}", field.name.text);
            self.printed((value, inner), &path, span)
        });
        printed.collect()
    }

    /// One value as upstream prints it; several, and texts, with a `toy.print_values`.
    fn print(&mut self, call: &'s Call, span: Span) {
        if let [argument] = &call.arguments[..]
            && !matches!(argument.kind, ExprKind::String(_))
            && call.named.is_empty()
            && let types::Type::Tensor = self.types.of(argument, &self.variables)
        {
            let value = self.value(argument);
            self.code(span).op("toy.print", &[value], &[], &[]);
            return;
        }
        let (mut values, mut expressions, mut format) = (Vec::new(), Vec::new(), Vec::new());
        for argument in &call.arguments {
            if let ExprKind::String(text) = &argument.kind {
                format.push(Part::Text(text.clone()));
                continue;
            }
            let value = self.value(argument);
            let ty = self.types.of(argument, &self.variables);
            for (name, value) in self.printed((value, ty), "", argument.span) {
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
                ("digits", _) => layout.digits = Some(known(self.value(value))),
                ("width", _) => layout.width = Some(known(self.value(value))),
                _ => {}
            }
        }
        self.unify(&mut values, expressions.into_iter());
        let code = self.code(span);
        let attributes = control::print_attributes(code, &format, layout, end);
        code.toy_operation(Kind::PrintValues, &values, &[], &attributes);
    }
}

/// `toy.reduce` of all elements, or `toy.reduce_axis` along an axis, a constant expression; what is reduced may be kept,
/// with size 1.
fn reduced<'c, 'a>(
    code: Builder<'c, 'a>,
    (reduction, keep): (Reduction, bool),
    operands: &[Value<'c, 'a>],
) -> Value<'c, 'a> {
    let mut attributes = vec![("kind", code.text(reduction.name()))];
    attributes.extend(keep.then(|| ("keep", code.unit())));
    match operands.len() {
        1 if keep || reduction.keeps_all() => code.toy(Kind::Reduce, operands, &attributes),
        1 => code.typed(Kind::Reduce, operands, scalar_type(code.context), &attributes),
        _ => code.toy(Kind::ReduceAxis, operands, &attributes),
    }
}

/// `toy.math`.
fn applied<'c, 'a>(
    code: Builder<'c, 'a>,
    function: Function,
    operand: Value<'c, 'a>,
) -> Value<'c, 'a> {
    code.toy(Kind::Math, &[operand], &[("function", code.text(function.name()))])
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
