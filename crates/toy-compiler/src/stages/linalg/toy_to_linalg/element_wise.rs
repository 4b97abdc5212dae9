//! Element-wise operations: on tensors `linalg`, on scalars `arith` and `math`.
//!
//! A scalar among tensors is read once and used for each element, so that no tensor of copies is made.

use crate::dialect::control::{self, Predicate};
use crate::dialect::ops;
use crate::dialect::shape::shape_of;
use crate::dialect::table::Scalar;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::builder::{Builder, ElementWise, OEQ, OGE, OGT, OLE, OLT, UNE};
use mlir_support::linalg::IteratorKind;

/// The computation of one element; None for an attribute that Toy does not have.
#[derive(Clone, Copy)]
enum Element {
    Operation(&'static str),
    Compare(Predicate),
    Select,
}

fn element(operation: OperationRef, scalar: Scalar) -> Option<Element> {
    Some(match scalar {
        Scalar::Operation(name) => Element::Operation(name),
        Scalar::Function => Element::Operation(control::function(operation)?.operation()),
        Scalar::Compare => Element::Compare(control::predicate(operation)?),
        Scalar::Select => Element::Select,
    })
}

impl Element {
    fn compute<'c, 'a>(self, code: Builder<'c, 'a>, operands: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        match self {
            Element::Operation(name) => code.computed(name, operands),
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
    let rank = |value: Value| shape_of(value.r#type()).map_or(0, |shape| shape.0.len());
    let rank_of_result = rank(ops::result(operation));
    if rank_of_result == 0 {
        let numbers: Vec<_> = operands.iter().map(|scalar| code.element_of(*scalar)).collect();
        return Some(code.scalar(element.compute(code, &numbers)));
    }
    if let Some(named) = element.named()
        && operands.iter().all(|operand| rank(*operand) > 0)
    {
        let destination = code.empty(ty);
        return Some(ops::result(code.element_wise(named, &operands, destination)));
    }
    // The numbers of scalars, in the places of their elements.
    let numbers: Vec<_> = operands
        .iter()
        .map(|operand| (rank(*operand) == 0).then(|| code.element_of(*operand)))
        .collect();
    let dims: Vec<_> = (0..rank_of_result).collect();
    let tensors: Vec<_> = operands
        .iter()
        .filter(|operand| rank(**operand) > 0)
        .map(|operand| (*operand, dims.as_slice()))
        .collect();
    let iterators = vec![IteratorKind::Parallel; rank_of_result];
    let destination = code.empty(ty);
    let result = code.generic(&iterators, &tensors, (destination, &dims), |code, elements| {
        let mut elements = elements.iter().copied();
        let values: Vec<_> = numbers
            .iter()
            .map(|number| number.unwrap_or_else(|| elements.next().expect("one per tensor")))
            .collect();
        element.compute(code, &values)
    });
    Some(result)
}
