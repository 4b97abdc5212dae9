//! Small operations that rewriting inserts.
//!
//! Input: a place, and an operation or a number. Output: the operation, or its value.

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::{BlockLike, Identifier, Location, Operation, Type, Value};
use mlir_support::func::result;

pub fn insert_before<'c, 'a>(old: OperationRef<'c, 'a>, new: Operation<'c>) -> Value<'c, 'a> {
    let block = old.block().expect("an allocation is in a block");
    result(block.insert_operation_before(old, new))
}

pub fn index_constant<'c>(
    context: &'c Context,
    location: Location<'c>,
    value: u64,
) -> Operation<'c> {
    let index = Type::index(context);
    let value = IntegerAttribute::new(index, value as i64).into();
    OperationBuilder::new("arith.constant", location)
        .add_attributes(&[(Identifier::new(context, "value"), value)])
        .add_results(&[index])
        .build()
        .expect("a well-formed arith.constant")
}
