//! Shapes as MLIR types: ranked tensors of f64, and tensors whose shape is not inferred yet.

use melior::Context;
use melior::ir::r#type::{RankedTensorType, TypeLike};
use melior::ir::{ShapedTypeLike, Type};
use mlir_support::ir;
pub use toy_syntax::shape::{MAX_RANK, MAX_TENSOR_BYTES, Shape};

/// The kind of a tensor type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TensorKind {
    Unranked,
    Ranked(Shape),
    /// Not a tensor of f64 with known positive dimensions; the text says why.
    Invalid(String),
}

/// The type of tensors of this shape.
pub fn tensor_type<'c>(context: &'c Context, shape: &Shape) -> Type<'c> {
    RankedTensorType::new(&shape.0, Type::float64(context), None).into()
}

/// `tensor<*xf64>`: the type of a value whose shape is not inferred yet.
pub fn unranked_type(context: &Context) -> Type<'_> {
    // melior has no constructor for unranked tensors.
    Type::parse(context, "tensor<*xf64>").expect("a valid type")
}

pub fn is_unranked(ty: Type) -> bool {
    ty.is_unranked_tensor()
}

pub fn is_tensor(ty: Type) -> bool {
    ty.is_ranked_tensor() || ty.is_unranked_tensor()
}

/// The shape of a type that is a ranked tensor of f64 with known dimensions.
pub fn shape_of(ty: Type) -> Option<Shape> {
    match kind_of(ty) {
        TensorKind::Ranked(shape) => Some(shape),
        _ => None,
    }
}

/// Classifies a type for the verifier.
pub fn kind_of(ty: Type) -> TensorKind {
    if ty.is_unranked_tensor() {
        return match ir::element(ty).is_some_and(|element| element.is_f64()) {
            true => TensorKind::Unranked,
            false => TensorKind::Invalid(format!("`{}` is not a tensor of f64", ty)),
        };
    }
    if !ty.is_ranked_tensor() {
        return TensorKind::Invalid(format!("`{}` is not a tensor", ty));
    }
    let Ok(tensor) = RankedTensorType::try_from(ty) else {
        return TensorKind::Invalid(format!("`{}` is not a tensor", ty));
    };
    if !tensor.element().is_f64() {
        return TensorKind::Invalid(format!("`{}` has elements that are not f64", ty));
    }
    if tensor.encoding().is_some_and(|encoding| !ir::is_null(encoding)) {
        return TensorKind::Invalid(format!("`{}` has an encoding", ty));
    }
    if tensor.rank() > MAX_RANK {
        return TensorKind::Invalid(format!("it has more than {MAX_RANK} dimensions"));
    }
    let mut dims = Vec::with_capacity(tensor.rank());
    for index in 0..tensor.rank() {
        match tensor.dim_size(index) {
            Ok(melior::ir::r#type::DimSize::Static(0)) => {
                return TensorKind::Invalid(format!("`{}` has no elements", ty));
            }
            Ok(melior::ir::r#type::DimSize::Static(dim)) => dims.push(dim),
            _ => return TensorKind::Invalid(format!("`{}` has an unknown dimension", ty)),
        }
    }
    let shape = Shape(dims);
    if !shape.fits() {
        return TensorKind::Invalid(format!("`{}` is too large", ty));
    }
    TensorKind::Ranked(shape)
}

/// The shape of a product; None for operands that have none.
pub fn product(lhs: &Shape, rhs: &Shape) -> Option<Shape> {
    match (lhs.0.as_slice(), rhs.0.as_slice()) {
        ([k], [l]) => (k == l).then(|| Shape(Vec::new())),
        ([m, k], [l]) => (k == l).then(|| Shape(vec![*m])),
        ([k], [l, n]) => (k == l).then(|| Shape(vec![*n])),
        ([batch @ .., m, k], [other @ .., l, n]) if !batch.is_empty() || other.is_empty() => {
            (batch == other && k == l).then(|| Shape([batch, &[*m, *n]].concat()))
        }
        _ => None,
    }
}
