//! Element-wise operations: on tensors `linalg`, on scalars `arith` and `math`.
//!
//! A scalar among tensors is read once and used for each element, so that no tensor of copies is made.

use crate::dialect::control::{self, Function, Predicate};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::shape_of;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::builder::{Builder, ElementWise, OEQ, OGE, OGT, OLE, OLT, UNE};
use mlir_support::linalg::IteratorKind;

/// The scalar computation of an element-wise operation.
#[derive(Clone, Copy)]
pub enum Scalar {
    Operation(&'static str),
    Compare(Predicate),
    Select,
}

/// The scalar computation of an operation; None if it is not element-wise.
pub fn of(operation: OperationRef, kind: Kind) -> Option<Scalar> {
    Some(match kind {
        Kind::Add => Scalar::Operation("arith.addf"),
        Kind::Sub => Scalar::Operation("arith.subf"),
        Kind::Mul => Scalar::Operation("arith.mulf"),
        Kind::Div => Scalar::Operation("arith.divf"),
        Kind::Neg => Scalar::Operation("arith.negf"),
        Kind::Max => Scalar::Operation("arith.maximumf"),
        Kind::Min => Scalar::Operation("arith.minimumf"),
        Kind::Pow => Scalar::Operation("math.powf"),
        Kind::Math => Scalar::Operation(match control::function(operation)? {
            Function::Exp => "math.exp",
            Function::Log => "math.log",
            Function::Sqrt => "math.sqrt",
            Function::Sin => "math.sin",
            Function::Cos => "math.cos",
            Function::Tanh => "math.tanh",
            Function::Abs => "math.absf",
            Function::Floor => "math.floor",
        }),
        Kind::Compare => Scalar::Compare(control::predicate(operation)?),
        Kind::Select => Scalar::Select,
        _ => return None,
    })
}

impl Scalar {
    fn compute<'c, 'a>(self, code: Builder<'c, 'a>, operands: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        match self {
            Scalar::Operation(name) => code.computed(name, operands),
            Scalar::Compare(predicate) => {
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
            Scalar::Select => {
                let holds = code.is_not_zero(operands[0]);
                code.computed("arith.select", &[holds, operands[1], operands[2]])
            }
        }
    }

    /// The operation of linalg with a name of its own.
    fn named(self) -> Option<ElementWise> {
        let Scalar::Operation(name) = self else { return None };
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
) -> Value<'c, 'a> {
    let operands: Vec<Value> = operation.operands().collect();
    let ty = ops::result(operation).r#type();
    let rank = |value: Value| shape_of(value.r#type()).map_or(0, |shape| shape.0.len());
    let rank_of_result = rank(ops::result(operation));
    if rank_of_result == 0 {
        let numbers: Vec<_> = operands.iter().map(|scalar| code.element_of(*scalar)).collect();
        return code.scalar(scalar.compute(code, &numbers));
    }
    if let Some(named) = scalar.named()
        && operands.iter().all(|operand| rank(*operand) > 0)
    {
        let destination = code.empty(ty);
        return ops::result(code.element_wise(named, &operands, destination));
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
    code.generic(&iterators, &tensors, (destination, &dims), |code, elements| {
        let mut elements = elements.iter().copied();
        let values: Vec<_> = numbers
            .iter()
            .map(|number| number.unwrap_or_else(|| elements.next().expect("one per tensor")))
            .collect();
        scalar.compute(code, &values)
    })
}
