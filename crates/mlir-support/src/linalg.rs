//! Operations of linalg: [`input_count`] and [`Generic`] view existing operations; the builders here give named
//! operations the body that their name implies.
//!
//! Builders: input: scalars, tensors or buffers of numbers. Output: an operation that is not in a block yet; on tensors
//! its result has the type of the destination, on buffers it has none. Invariant: the operands are valid for the name.
//! MLIR, which makes the body, does not check that, so the builders check it, and panic if the operands do not match.

mod view;

pub use view::{Generic, IteratorKind, input_count};

use crate::ir;
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::{MemRefType, RankedTensorType};
use melior::ir::{Identifier, Location, Operation, Region, ShapedTypeLike, Type, TypeLike};
use melior::ir::{Value, ValueLike};
use melior::{Context, StringRef};

/// An element-wise operation on operands of the destination's shape and element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementWise {
    Add,
    Sub,
    Mul,
    Div,
    Negf,
}

impl ElementWise {
    const fn name(self) -> &'static str {
        match self {
            ElementWise::Add => "linalg.add",
            ElementWise::Sub => "linalg.sub",
            ElementWise::Mul => "linalg.mul",
            ElementWise::Div => "linalg.div",
            ElementWise::Negf => "linalg.negf",
        }
    }

    const fn input_count(self) -> usize {
        match self {
            ElementWise::Negf => 1,
            _ => 2,
        }
    }
}

/// An element-wise operation.
///
/// # Panics
///
/// If the number of inputs is wrong, or one has another rank or element type than the destination.
pub fn element_wise<'c>(
    context: &'c Context,
    location: Location<'c>,
    operation: ElementWise,
    inputs: &[Value<'c, '_>],
    destination: Value<'c, '_>,
) -> Operation<'c> {
    let needed = rank_and_element(destination);
    let fit = inputs.iter().all(|input| rank_and_element(*input) == needed);
    let is_float = needed.is_some_and(|(_, element)| element.is_float());
    assert!(fit && inputs.len() == operation.input_count(), "operands of {operation:?}");
    assert!(is_float, "{operation:?} of floating-point numbers");
    named(context, location, operation.name(), inputs, destination)
}

/// `linalg.matmul`: the destination plus the product of two matrices.
///
/// # Panics
///
/// If one of the three is not a matrix of floating-point numbers of one type.
pub fn matmul<'c>(
    context: &'c Context,
    location: Location<'c>,
    lhs: Value<'c, '_>,
    rhs: Value<'c, '_>,
    destination: Value<'c, '_>,
) -> Operation<'c> {
    let needed = rank_and_element(destination);
    let is_matrix = needed.is_some_and(|(rank, element)| rank == 2 && element.is_float());
    let fit = rank_and_element(lhs) == needed && rank_and_element(rhs) == needed;
    assert!(is_matrix && fit, "a product of matrices of one floating-point type");
    named(context, location, "linalg.matmul", &[lhs, rhs], destination)
}

/// `linalg.fill`: the destination with a scalar in every element.
///
/// # Panics
///
/// If the scalar has another type than the elements of the destination, or is not a number.
pub fn fill<'c>(
    context: &'c Context,
    location: Location<'c>,
    scalar: Value<'c, '_>,
    destination: Value<'c, '_>,
) -> Operation<'c> {
    let element = rank_and_element(destination).map(|(_, element)| element);
    assert!(element == Some(scalar.r#type()), "a fill with an element of the destination");
    assert!(element.is_some_and(is_number), "a fill with a number");
    named(context, location, "linalg.fill", &[scalar], destination)
}

/// The operation of this name; the caller has checked the operands.
fn named<'c>(
    context: &'c Context,
    location: Location<'c>,
    name: &str,
    inputs: &[Value<'c, '_>],
    destination: Value<'c, '_>,
) -> Operation<'c> {
    // SAFETY: the context is alive.
    let dialect = unsafe {
        mlir_sys::mlirContextGetOrLoadDialect(context.to_raw(), StringRef::new("linalg").to_raw())
    };
    assert!(!dialect.ptr.is_null(), "the dialect linalg is not registered");
    let segments = DenseI32ArrayAttribute::new(context, &[inputs.len() as i32, 1]).into();
    let ty = destination.r#type();
    let results = if ty.is_ranked_tensor() { vec![ty] } else { vec![] };
    let operation = OperationBuilder::new(name, location)
        .add_operands(inputs)
        .add_operands(&[destination])
        .add_results(&results)
        .add_attributes(&[(Identifier::new(context, "operandSegmentSizes"), segments)])
        .add_regions([Region::new()])
        .build()
        .expect("a well-formed named operation");
    // SAFETY: the dialect is loaded, and this is a named operation of it with its number of operands, of types that it
    // is defined for, and with one empty region. The reference to it ends before it moves.
    let inside = unsafe {
        mlir_sys::mlirLinalgFillBuiltinNamedOpRegion(operation.to_raw());
        ir::operations(OperationRef::from_raw(operation.to_raw()))
    };
    // MLIR gives the body the location of the first operand.
    for operation in inside {
        ir::mutable(operation).set_location(location);
    }
    operation
}

/// The rank and the element type of a tensor or buffer that has a rank.
fn rank_and_element<'c>(value: Value<'c, '_>) -> Option<(usize, Type<'c>)> {
    let ty = value.r#type();
    if ty.is_ranked_tensor() {
        let ty = RankedTensorType::try_from(ty).ok()?;
        return Some((ty.rank(), ty.element()));
    }
    let ty = MemRefType::try_from(ty).ok()?;
    Some((ty.rank(), ty.element()))
}

fn is_number(ty: Type) -> bool {
    ty.is_float() || ty.is_integer()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use melior::ir::{Block, BlockLike, RegionLike};

    /// Builds one operation on values of these types in a function of its own, and verifies it.
    fn built(types: [&str; 3], build: fn(&Context, &Block) -> bool) -> bool {
        let session = Session::new();
        session.load_dialects(&["func", "arith", "linalg"]);
        let context = session.context();
        let location = Location::unknown(context);
        let types = types.map(|ty| (Type::parse(context, ty).expect("a type"), location));
        build(context, &Block::new(&types))
    }

    fn argument<'c, 'a>(block: &'a Block<'c>, index: usize) -> Value<'c, 'a> {
        block.argument(index).expect("an argument").into()
    }

    fn add(context: &Context, block: &Block) -> bool {
        let [lhs, rhs, out] = [0, 1, 2].map(|index| argument(block, index));
        let location = Location::unknown(context);
        let add = element_wise(context, location, ElementWise::Add, &[lhs, rhs], out);
        let body = add.region(0).expect("a region").first_block().expect("a body");
        let first = body.first_operation().expect("an operation");
        add.verify() && ir::name(&first) == "arith.addf"
    }

    fn fill_second(context: &Context, block: &Block) -> bool {
        let location = Location::unknown(context);
        let fill = fill(context, location, argument(block, 0), argument(block, 1));
        fill.verify()
    }

    #[test]
    fn operations_on_tensors_and_buffers_are_valid() {
        for ty in ["tensor<2x3xf64>", "memref<2x3xf32>", "tensor<f64>", "memref<?xf64>"] {
            assert!(built([ty; 3], add), "{ty}");
        }
        assert!(built(["f64", "tensor<2xf64>", "f64"], fill_second));
        assert!(built(["i8", "memref<16xi8>", "i8"], fill_second));
    }

    fn multiply(context: &Context, block: &Block) -> bool {
        let [lhs, rhs, out] = [0, 1, 2].map(|index| argument(block, index));
        matmul(context, Location::unknown(context), lhs, rhs, out).verify()
    }

    #[test]
    fn matrices_are_multiplied() {
        assert!(built(["tensor<2x3xf64>", "tensor<3x4xf64>", "tensor<2x4xf64>"], multiply));
        assert!(!built(["tensor<2x3xf64>", "tensor<2x4xf64>", "tensor<2x4xf64>"], multiply));
    }

    #[test]
    #[should_panic(expected = "a product of matrices")]
    fn a_product_of_vectors_is_refused() {
        built(["tensor<2xf64>"; 3], multiply);
    }

    #[test]
    #[should_panic(expected = "operands of Add")]
    fn operands_of_another_rank_are_refused() {
        built(["tensor<2x3xf64>", "tensor<f64>", "tensor<2x3xf64>"], add);
    }

    #[test]
    #[should_panic(expected = "floating-point")]
    fn elements_that_are_not_numbers_are_refused() {
        built(["tensor<2xindex>"; 3], add);
    }

    #[test]
    #[should_panic(expected = "an element of the destination")]
    fn a_fill_with_a_scalar_of_another_type_is_refused() {
        built(["f32", "memref<2xf64>", "f32"], fill_second);
    }
}
