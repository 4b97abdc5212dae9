//! Element-wise operations: on tensors `linalg`, on scalars `arith` and `math`.
//!
//! Operands that are stretched to the shape of the result are not copied: an element is read once and used for each
//! element of the result, and other operands are indexed by the dimensions that they have ([`super::stretched`]).

use super::stretched::Stretched;
use crate::dialect::control::{self, Predicate};
use crate::dialect::ops;
use crate::dialect::shape::{
    Element as Number, element_of_type, element_type, shape_of, tensor_type, type_of,
};
use crate::dialect::table::Scalar;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, Value, ValueLike};
use mlir_support::builder::{Builder, ElementWise, OEQ, OGE, OGT, OLE, OLT, UNE};
use mlir_support::constants;
use mlir_support::linalg::IteratorKind;
use std::cmp::Ordering;

/// The computation of one element; None for an attribute that Toy does not have.
#[derive(Clone, Copy)]
enum Element {
    Operation(&'static str),
    Compare(Predicate),
    Select,
    Remainder,
    Round,
    Convert(Number),
}

fn element(operation: OperationRef, scalar: Scalar) -> Option<Element> {
    Some(match scalar {
        Scalar::Operation(name) => Element::Operation(name),
        Scalar::Function => {
            control::function(operation)?.operation().map_or(Element::Round, Element::Operation)
        }
        Scalar::Compare => Element::Compare(control::predicate(operation)?),
        Scalar::Select => Element::Select,
        Scalar::Remainder => Element::Remainder,
        Scalar::Convert => Element::Convert(control::element(operation)?),
    })
}

impl Element {
    /// Other types than f64 are computed in it and rounded where the result is exact.
    fn compute<'c, 'a>(self, code: Builder<'c, 'a>, operands: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        let is_wide = matches!(self, Element::Remainder | Element::Round);
        let number = element_of_type(operands[0].r#type()).unwrap_or_default();
        if is_wide && number != Number::DEFAULT {
            let wide: Vec<_> =
                operands.iter().map(|it| converted(code, *it, Number::DEFAULT)).collect();
            return converted(code, self.compute(code, &wide), number);
        }
        match self {
            Element::Operation(name) => code.computed(name, operands),
            Element::Convert(element) => converted(code, operands[0], element),
            Element::Compare(predicate) => {
                let predicate = match predicate {
                    Predicate::Lt => OLT,
                    Predicate::Le => OLE,
                    Predicate::Gt => OGT,
                    Predicate::Ge => OGE,
                    Predicate::Eq => OEQ,
                    Predicate::Ne => UNE,
                };
                let holds = code.compare(predicate, [operands[0], operands[1]]);
                code.value("arith.uitofp", &[holds], operands[0].r#type(), &[])
            }
            Element::Select => {
                let holds = code.is_not_zero(operands[0]);
                code.computed("arith.select", &[holds, operands[1], operands[2]])
            }
            Element::Remainder => remainder(code, operands[0], operands[1]),
            Element::Round => rounded(code, operands[0]),
        }
    }

    /// The operation of linalg with a name of its own.
    fn named(self) -> Option<ElementWise> {
        let Element::Operation(name) = self else { return None };
        Some(match name {
            "arith.addf" => ElementWise::Add,
            "arith.subf" => ElementWise::Sub,
            "arith.mulf" => ElementWise::Mul,
            "arith.divf" => ElementWise::Div,
            "arith.negf" => ElementWise::Negf,
            _ => return None,
        })
    }
}

/// Lowers an element-wise operation.
pub fn lower<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    scalar: Scalar,
) -> Option<Value<'c, 'a>> {
    let element = element(operation, scalar)?;
    let operands: Vec<Value> = operation.operands().collect();
    let ty = ops::result(operation).r#type();
    let shape = shape_of(ty)?.0;
    if shape.is_empty() {
        let numbers: Vec<_> = operands.iter().map(|scalar| code.element_of(*scalar)).collect();
        return Some(code.scalar(element.compute(code, &numbers)));
    }
    if let Some(named) = element.named()
        && operands.iter().all(|operand| shape_of(operand.r#type()).is_some_and(|it| it.0 == shape))
    {
        let destination = code.empty(ty);
        return Some(ops::result(code.element_wise(named, &operands, destination)));
    }
    let operands: Vec<_> = operands.iter().map(|it| Stretched::of(code, *it, &shape, 0)).collect();
    let dims: Vec<_> = (0..shape.len()).collect();
    let tensors: Vec<_> = operands.iter().filter_map(Stretched::indexed).collect();
    let iterators = vec![IteratorKind::Parallel; shape.len()];
    let destination = code.empty(ty);
    let result = code.generic(&iterators, &tensors, (destination, &dims), |code, elements| {
        let mut elements = elements.iter().copied();
        let values: Vec<_> = operands
            .iter()
            .map(|it| it.number().unwrap_or_else(|| elements.next().expect("one per tensor")))
            .collect();
        element.compute(code, &values)
    });
    Some(result)
}

/// A number converted to another element type: the nearest one.
pub fn converted<'c, 'a>(
    code: Builder<'c, 'a>,
    number: Value<'c, 'a>,
    element: Number,
) -> Value<'c, 'a> {
    let (from, ty) =
        (element_of_type(number.r#type()).unwrap_or_default(), element_type(code.context, element));
    let name = match from.bytes().cmp(&element.bytes()) {
        Ordering::Less => "arith.extf",
        Ordering::Equal => return number,
        Ordering::Greater => "arith.truncf",
    };
    code.value(name, &[number], ty, &[])
}

/// A tensor with its elements converted.
pub fn of_element<'c, 'a>(
    code: Builder<'c, 'a>,
    tensor: Value<'c, 'a>,
    element: Number,
) -> Value<'c, 'a> {
    let mut ty = type_of(tensor.r#type()).expect("specialized: every value is ranked");
    if ty.element == element {
        return tensor;
    }
    ty.element = element;
    mapped(code, tensor, tensor_type(code.context, &ty), |code, number| {
        converted(code, number, element)
    })
}

/// A tensor of a type with a function of each element of another tensor.
pub fn mapped<'c, 'a>(
    code: Builder<'c, 'a>,
    tensor: Value<'c, 'a>,
    ty: Type<'c>,
    function: impl Fn(Builder<'c, 'a>, Value<'c, 'a>) -> Value<'c, 'a>,
) -> Value<'c, 'a> {
    let rank = shape_of(ty).map_or(0, |shape| shape.0.len());
    if rank == 0 {
        return code.scalar(function(code, code.element_of(tensor)));
    }
    let dims: Vec<_> = (0..rank).collect();
    let (iterators, empty) = (vec![IteratorKind::Parallel; rank], code.empty(ty));
    let inputs = [(tensor, dims.as_slice())];
    code.generic(&iterators, &inputs, (empty, &dims), |code, elements| function(code, elements[0]))
}

/// The nearest whole number, of two the even one. Not `math.roundeven`: where the processor has no instruction for it, it
/// is a function that not every C library has. From 2^52 on, all numbers are whole, and adding it rounds.
fn rounded<'c, 'a>(code: Builder<'c, 'a>, number: Value<'c, 'a>) -> Value<'c, 'a> {
    let ty = number.r#type();
    let large = code.float(ty, Number::DEFAULT.exact() / 2.0);
    let size = code.computed("math.absf", &[number]);
    let sum = code.computed("arith.addf", &[size, large]);
    let whole = code.computed("arith.subf", &[sum, large]);
    let whole = code.value("math.copysign", &[whole, number], ty, &[]);
    code.computed("arith.select", &[code.compare(OLT, [size, large]), whole, number])
}

/// The remainder with the sign of the divisor: the C library's has the sign of the dividend, and is exact.
fn remainder<'c, 'a>(
    code: Builder<'c, 'a>,
    of: Value<'c, 'a>,
    divisor: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let rest = code.computed("arith.remf", &[of, divisor]);
    let zero = code.float(rest.r#type(), 0.0);
    let next = code.computed("arith.addf", &[rest, divisor]);
    let is_negative = code.compare(OLT, [rest, zero]);
    if constants::float(divisor).is_some_and(|divisor| divisor > 0.0) {
        // Adding 0 makes 0 of -0.
        let rest = code.computed("arith.select", &[is_negative, next, rest]);
        return code.computed("arith.addf", &[rest, zero]);
    }
    let is_below = code.compare(OLT, [divisor, zero]);
    let differs = code.computed("arith.xori", &[is_negative, is_below]);
    let signed = code.computed("arith.select", &[differs, next, rest]);
    let no_rest = code.value("math.copysign", &[zero, divisor], rest.r#type(), &[]);
    code.computed("arith.select", &[code.is_not_zero(rest), signed, no_rest])
}
