//! Tensor types as MLIR types: ranked tensors, and tensors whose shape is not inferred yet.

use melior::Context;
use melior::ir::r#type::{RankedTensorType, TypeLike};
use melior::ir::{ShapedTypeLike, Type};
use mlir_support::ir;
pub use toy_syntax::element::Element;
pub use toy_syntax::shape::{MAX_RANK, MAX_TENSOR_BYTES, Shape, TensorType};

/// The kind of a tensor type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TensorKind {
    Unranked(Element),
    Ranked(TensorType),
    /// Not a tensor of one of Toy's element types with known positive dimensions; the text says why.
    Invalid(String),
}

/// The MLIR type of an element.
pub fn element_type(context: &Context, element: Element) -> Type<'_> {
    match element {
        Element::F64 => Type::float64(context),
        Element::F32 => Type::float32(context),
    }
}

/// The element that an MLIR type is.
pub fn element_of_type(ty: Type) -> Option<Element> {
    Element::ALL.into_iter().find(|element| match element {
        Element::F64 => ty.is_f64(),
        Element::F32 => ty.is_f32(),
    })
}

/// The element of a tensor type, ranked or not; the default one for any other type.
pub fn element_of(ty: Type) -> Element {
    let element = is_tensor(ty).then(|| ir::element(ty).and_then(element_of_type)).flatten();
    element.unwrap_or_default()
}

/// The MLIR type of tensors.
pub fn tensor_type<'c>(context: &'c Context, ty: &TensorType) -> Type<'c> {
    RankedTensorType::new(&ty.shape.0, element_type(context, ty.element), None).into()
}

/// `tensor<*xf64>`: the type of a value whose shape is not inferred yet.
pub fn unranked_type(context: &Context, element: Element) -> Type<'_> {
    // melior has no constructor for unranked tensors.
    Type::parse(context, &format!("tensor<*x{}>", element.name())).expect("a valid type")
}

/// The type of tensors of a shape, with the elements of a type.
pub fn with_shape(ty: Type, shape: Shape) -> TensorType {
    TensorType { element: element_of(ty), shape }
}

pub fn is_unranked(ty: Type) -> bool {
    ty.is_unranked_tensor()
}

pub fn is_tensor(ty: Type) -> bool {
    ty.is_ranked_tensor() || ty.is_unranked_tensor()
}

/// A type that is a ranked tensor with known dimensions.
pub fn type_of(ty: Type) -> Option<TensorType> {
    match kind_of(ty) {
        TensorKind::Ranked(ty) => Some(ty),
        _ => None,
    }
}

/// The shape of a type that is a ranked tensor with known dimensions.
pub fn shape_of(ty: Type) -> Option<Shape> {
    type_of(ty).map(|ty| ty.shape)
}

/// Classifies a type for the verifier.
pub fn kind_of(ty: Type) -> TensorKind {
    if ty.is_unranked_tensor() {
        return match ir::element(ty).and_then(element_of_type) {
            Some(element) => TensorKind::Unranked(element),
            None => TensorKind::Invalid(format!("`{ty}` is not a tensor of {}", Element::names())),
        };
    }
    if !ty.is_ranked_tensor() {
        return TensorKind::Invalid(format!("`{}` is not a tensor", ty));
    }
    let Ok(tensor) = RankedTensorType::try_from(ty) else {
        return TensorKind::Invalid(format!("`{}` is not a tensor", ty));
    };
    let Some(element) = element_of_type(tensor.element()) else {
        return TensorKind::Invalid(format!(
            "`{ty}` has elements of another type than {}",
            Element::names()
        ));
    };
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
    let found = TensorType { element, shape: Shape(dims) };
    if !found.fits() {
        return TensorKind::Invalid(format!("`{}` is too large", ty));
    }
    TensorKind::Ranked(found)
}

/// The shape of a product; None for operands that have none.
pub fn product(lhs: &Shape, rhs: &Shape) -> Option<Shape> {
    match (lhs.0.as_slice(), rhs.0.as_slice()) {
        ([k], [l]) => (k == l).then(|| Shape(Vec::new())),
        ([m, k], [l]) => (k == l).then(|| Shape(vec![*m])),
        ([k], [l, n]) => (k == l).then(|| Shape(vec![*n])),
        ([batch @ .., m, k], [other @ .., l, n]) => {
            let batch = Shape(batch.to_vec()).broadcast(&Shape(other.to_vec()))?;
            (k == l).then(|| Shape([batch.0.as_slice(), &[*m, *n]].concat()))
        }
        _ => None,
    }
}
