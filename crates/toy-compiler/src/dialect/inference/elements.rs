//! The element types of results, and of operands that meet.
//!
//! Input: an operation with the types of its operands. Output: the element type of its result, and the one that operands
//! which are combined share. The rules of the language:
//!
//! | operands | element type |
//! |---|---|
//! | tensors of one dimension or more | they have the same, or it is an error |
//! | scalars beside them | the tensors' type, which specialization converts the scalars to |
//! | scalars alone | the one of all, or the default one if they differ; the 0 that `sign`, `any` and `all` compare with adapts |
//!
//! Invariant: an operand whose shape is not known yet says nothing about its elements.

use crate::dialect::control::{self, Reduction};
use crate::dialect::ops::{self, Kind, source};
use crate::dialect::shape::{Element, TensorType, element_of, type_of};
use crate::dialect::shape_errors;
use crate::dialect::table::ShapeRule;
use melior::ir::ValueLike;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::{Located, func, ir};
use std::ops::Range;
use toy_diagnostics::Diagnostic;

/// The places of the operands that have to have one element type.
pub fn combined(operation: OperationRef, kind: Kind) -> Range<usize> {
    let count = operation.operand_count();
    match kind.definition().shape {
        // The condition only chooses.
        ShapeRule::ElementWise if kind == Kind::Select => 1..count,
        ShapeRule::ElementWise | ShapeRule::Product | ShapeRule::List => 0..count,
        // The value, and the tensor that it is put into.
        ShapeRule::Update => 0..2,
        ShapeRule::AlongAxis => 1..count,
        ShapeRule::Written
        | ShapeRule::OfOperand
        | ShapeRule::Transposed
        | ShapeRule::Reduced
        | ShapeRule::ReducedAxis
        | ShapeRule::Read
        | ShapeRule::Range
        | ShapeRule::Sizes
        | ShapeRule::Axis
        | ShapeRule::Truth
        | ShapeRule::Index => 0..0,
    }
}

/// The element type that the operands share, or get; an error for tensors that differ.
pub fn common(at: Located, kind: Kind) -> Result<Element, Box<Diagnostic>> {
    let known: Vec<_> =
        combined(*at, kind).filter_map(|place| Some((place, operand_type(*at, place)?))).collect();
    let mut tensors = known.iter().filter(|(_, ty)| !ty.is_scalar());
    let Some((first, ty)) = tensors.next() else {
        let adapts = |place: usize| {
            let operand = ir::operand_if_any(*at, place).and_then(ir::defining_operation);
            operand.is_some_and(|it| ops::attribute(&it, ops::ADAPTS).is_some())
        };
        let mut all = known.iter().filter(|(place, _)| !adapts(*place)).map(|(_, ty)| ty.element);
        let first = all.next().unwrap_or_default();
        return Ok(if all.all(|element| element == first) { first } else { Element::DEFAULT });
    };
    match tensors.find(|(_, other)| other.element != ty.element) {
        Some((second, other)) => {
            Err(shape_errors::element_types(at, [(*first, ty), (*second, other)]).into())
        }
        None => Ok(ty.element),
    }
}

/// True if the operands have the element type that they share.
pub fn are_common(at: Located, kind: Kind) -> bool {
    common(at, kind).is_ok_and(|element| {
        let mut types = combined(*at, kind).filter_map(|place| operand_type(*at, place));
        types.all(|ty| ty.element == element)
    })
}

/// The element type of the result.
pub fn of_result(at: Located, kind: Kind) -> Element {
    if kind == Kind::Convert {
        return control::element(*at).unwrap_or_default();
    }
    // Places are exact.
    let is_place = matches!(control::reduction(*at), Some(Reduction::ArgMax | Reduction::ArgMin));
    match kind.definition().shape {
        ShapeRule::Written if kind != Kind::Reshape => element_of(func::result(*at).r#type()),
        ShapeRule::Reduced | ShapeRule::ReducedAxis if is_place => Element::DEFAULT,
        ShapeRule::Axis | ShapeRule::Truth | ShapeRule::Index | ShapeRule::Range => {
            Element::DEFAULT
        }
        _ if !combined(*at, kind).is_empty() => common(at, kind).unwrap_or_default(),
        _ => operand_type(*at, 0).map(|ty| ty.element).unwrap_or_default(),
    }
}

fn operand_type(operation: OperationRef, place: usize) -> Option<TensorType> {
    type_of(source(ir::operand_if_any(operation, place)?).r#type())
}
