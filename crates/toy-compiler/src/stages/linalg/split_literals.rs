//! Splits large literals: a `toy.from_elements` of thousands of elements becomes several of at most
//! [`LIMIT`] elements each, joined by `tensor.concat`.
//!
//! Input and output: a Toy module in which everything is inferred and nothing is a struct. Why: all
//! elements of a literal are live at once, each in its own buffer, and if [`super::outline`] cuts the
//! function in between, they are parameters. Each part is placed right after the last of its elements,
//! so that only parts, not elements, are live after it.

use crate::dialect::needs;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Shape, shape_of, tensor_type, with_shape};
use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{BlockLike, Identifier, Module, Operation, Type, Value, ValueLike};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
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
    let is_large = |operation: &&OperationRef| {
        operation.operand_count() > LIMIT && Kind::of(*operation) == Some(Kind::FromElements)
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
            let part = ops::from_elements(literal.location(), chunk, ty);
            insert_after(chunk, part, literal, order)
        })
        .collect();
    while parts.len() > 1 {
        parts = parts
            .chunks(LIMIT)
            .map(|chunk| {
                let whole = concat(context, literal, chunk);
                insert_after(&[], whole, literal, order)
            })
            .collect();
    }
    let result = ops::result(literal);
    let reshape = ops::pure("toy.reshape", literal.location(), &parts, result.r#type());
    ir::replace_all_uses(result, insert_after(&[], reshape, literal, order));
    ir::erase(literal);
}

/// Inserts an operation after the last definition of some values, or in front of the literal if they
/// are not defined in its block.
fn insert_after<'c, 'a>(
    values: &[Value<'c, 'a>],
    operation: Operation<'c>,
    literal: OperationRef<'c, 'a>,
    order: &HashMap<usize, usize>,
) -> Value<'c, 'a> {
    let block = literal.block().expect("the operation is in a block");
    let last = values
        .iter()
        .filter_map(|value| ir::defining_operation(*value))
        .filter(|definition| definition.block() == Some(block))
        .max_by_key(|definition| order.get(&ir::id(definition)));
    let inserted = match last {
        Some(last) => block.insert_operation_after(last, operation),
        None => block.insert_operation_before(literal, operation),
    };
    ops::result(inserted)
}

/// The type of a vector of elements of a literal.
fn vector_type<'c>(context: &'c Context, literal: OperationRef<'c, '_>, count: u64) -> Type<'c> {
    tensor_type(context, &with_shape(ops::result(literal).r#type(), Shape(vec![count])))
}

/// Concatenates vectors.
fn concat<'c>(
    context: &'c Context,
    literal: OperationRef<'c, '_>,
    parts: &[Value<'c, '_>],
) -> Operation<'c> {
    let length = |part: &Value| shape_of(part.r#type()).and_then(|shape| shape.element_count());
    let count = parts.iter().filter_map(length).sum();
    let dim = IntegerAttribute::new(IntegerType::new(context, 64).into(), 0).into();
    OperationBuilder::new("tensor.concat", literal.location())
        .add_operands(parts)
        .add_results(&[vector_type(context, literal, count)])
        .add_attributes(&[(Identifier::new(context, "dim"), dim)])
        .build()
        .expect("a well-formed tensor.concat")
}
