//! Splits large literals: a `toy.from_elements` of thousands of elements becomes several of at most
//! [`LIMIT`] elements each, joined by `tensor.concat`.
//!
//! Input and output: a Toy module in which everything is inferred and nothing is a struct. Why: all
//! elements of a literal are live at once, each in its own buffer, and if [`super::outline`] cuts the
//! function in between, they are parameters. Each part is placed right after the last of its elements,
//! so that only parts, not elements, are live after it.

use crate::dialect::needs;
use crate::dialect::ops::{self, Insertion, Kind, ToyBuilder};
use crate::dialect::shape::{Shape, shape_of, tensor_type, with_shape};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Module, Type, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Builder, ir};
use std::collections::HashMap;
use toy_diagnostics::Diagnosed;

/// The maximum number of operands of an operation created here. Measured: a larger limit costs time in
/// passes that are quadratic in the parameters of a function, a smaller one costs copies.
const LIMIT: usize = 50;

pub const PASS: PassDefinition =
    PassDefinition::new("toy-split-literals", "Splits literals of thousands of elements", run)
        .requiring(needs::TENSORS);

/// The pass.
pub fn run(context: &PassContext, module: &Module) -> Diagnosed<()> {
    let operations = ir::operations(module.as_operation());
    let is_scalar = |operation: &OperationRef| {
        let shape = operation.operand(0).ok().and_then(|operand| shape_of(operand.r#type()));
        shape.is_some_and(|shape| shape.0.is_empty())
    };
    let is_large = |operation: &&OperationRef| {
        operation.operand_count() > LIMIT
            && Kind::of(*operation) == Some(Kind::FromElements)
            && is_scalar(operation)
    };
    let literals: Vec<_> = operations.iter().filter(is_large).copied().collect();
    if literals.is_empty() {
        return Ok(());
    }
    let order: HashMap<_, _> =
        operations.iter().enumerate().map(|(index, op)| (ir::id(op), index)).collect();
    for literal in literals {
        split(context.session.context(), literal, &order);
    }
    Ok(())
}

fn split<'c>(context: &'c Context, literal: OperationRef<'c, '_>, order: &HashMap<usize, usize>) {
    let elements: Vec<Value> = literal.operands().collect();
    let mut parts: Vec<Value> = elements
        .chunks(LIMIT)
        .map(|chunk| {
            let ty = vector_type(context, literal, chunk.len() as u64);
            let at = after(chunk, literal, order);
            Builder::new(context, at, literal.location()).typed(Kind::FromElements, chunk, ty, &[])
        })
        .collect();
    while parts.len() > 1 {
        parts = parts.chunks(LIMIT).map(|chunk| concat(context, literal, chunk)).collect();
    }
    let result = ops::result(literal);
    let code = Builder::before(context, literal);
    ir::replace_all_uses(result, code.typed(Kind::Reshape, &parts, result.r#type(), &[]));
    ir::erase(literal);
}

/// The place after the last definition of some values, or in front of the literal if they are not defined in its
/// block.
fn after<'c, 'a>(
    values: &[Value<'c, 'a>],
    literal: OperationRef<'c, 'a>,
    order: &HashMap<usize, usize>,
) -> Insertion<'c, 'a> {
    let last = values
        .iter()
        .filter_map(|value| ir::defining_operation(*value))
        .filter(|definition| definition.block() == literal.block())
        .max_by_key(|definition| order.get(&ir::id(definition)));
    last.map_or(Insertion::Before(literal), Insertion::After)
}

/// The type of a vector of elements of a literal.
fn vector_type<'c>(context: &'c Context, literal: OperationRef<'c, '_>, count: u64) -> Type<'c> {
    tensor_type(context, &with_shape(ops::result(literal).r#type(), Shape(vec![count])))
}

/// Concatenates vectors.
fn concat<'c, 'a>(
    context: &'c Context,
    literal: OperationRef<'c, 'a>,
    parts: &[Value<'c, 'a>],
) -> Value<'c, 'a> {
    let length = |part: &Value| shape_of(part.r#type()).and_then(|shape| shape.element_count());
    let ty = vector_type(context, literal, parts.iter().filter_map(length).sum());
    let code = Builder::before(context, literal);
    code.value("tensor.concat", parts, ty, &[("dim", code.number(0))])
}
