//! Builds tensors of vectors by inserting one vector at a time.
//!
//! Input: functions on tensors. Output: the same without `tensor.from_elements` of anything but numbers: each
//! of its operands is inserted into a `tensor.empty`.

use crate::dialect::ops;
use melior::Context;
use melior::dialect::arith;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{BlockLike, Module, ShapedTypeLike, Type, TypeLike, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition, Workaround};
use mlir_support::raw;
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-insert-vectors",
    "Replaces tensor.from_elements of vectors by one insertion for each vector",
    run,
)
.working_around(Workaround {
    issue: "`tensor.from_elements` of constant vectors is folded to `dense<\"\">`, a list of strings whose elements read as zeros",
    since: "22.1",
    delete_when: "the fold ignores elements that are not numbers: tests/filecheck/known_bugs/vector_elements.mlir passes without it",
});

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let is_found = |operation: OperationRef| raw::name(&operation) == "tensor.from_elements";
    if !raw::any(module.as_operation(), is_found) {
        return Ok(());
    }
    for operation in raw::operations(module.as_operation()) {
        if !is_found(operation) {
            continue;
        }
        if let Some(shape) = shape_of_vectors(ops::result(operation).r#type()) {
            insert_one_by_one(context.session.context(), operation, &shape);
        }
    }
    Ok(())
}

/// The shape of a tensor whose elements are vectors.
fn shape_of_vectors(ty: Type) -> Option<Vec<i64>> {
    let tensor = RankedTensorType::try_from(ty).ok().filter(|ty| ty.element().is_vector())?;
    let size = |index| match tensor.dim_size(index) {
        Ok(DimSize::Static(size)) => i64::try_from(size).ok(),
        _ => None,
    };
    (0..tensor.rank()).map(size).collect()
}

fn insert_one_by_one<'c>(context: &'c Context, operation: OperationRef<'c, '_>, shape: &[i64]) {
    let Some(block) = operation.block() else { return };
    let location = operation.location();
    let insert = |new| ops::result(block.insert_operation_before(operation, new));
    let ty = ops::result(operation).r#type();
    let build = |name: &str, operands: &[Value<'c, '_>]| {
        OperationBuilder::new(name, location)
            .add_operands(operands)
            .add_results(&[ty])
            .build()
            .expect("a well-formed operation on tensors")
    };
    let largest = shape.iter().copied().max().unwrap_or(0);
    let numbers: Vec<Value> = (0..largest)
        .map(|number| IntegerAttribute::new(Type::index(context), number).into())
        .map(|number| insert(arith::constant(context, number, location)))
        .collect();
    let mut tensor = insert(build("tensor.empty", &[]));
    let mut indices = vec![0; shape.len()];
    for element in operation.operands() {
        let places = indices.iter().map(|index| numbers[*index as usize]);
        let operands: Vec<Value> = [element, tensor].into_iter().chain(places).collect();
        tensor = insert(build("tensor.insert", &operands));
        // The next index, the last dimension varying fastest.
        for (index, size) in indices.iter_mut().zip(shape).rev() {
            *index += 1;
            if *index < *size {
                break;
            }
            *index = 0;
        }
    }
    raw::replace_all_uses(ops::result(operation), tensor);
    raw::erase(operation);
}
