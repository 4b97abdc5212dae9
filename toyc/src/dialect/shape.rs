//! Tensor shapes as the Toy dialect uses them: the dimensions of a ranked tensor type of f64.

use melior::Context;
use melior::ir::r#type::{RankedTensorType, TypeLike};
use melior::ir::{ShapedTypeLike, Type};
use std::fmt;

/// The dimensions of a ranked tensor, outermost first; empty for a scalar.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape(pub Vec<u64>);

/// What is known about a tensor type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TensorKind {
    Unranked,
    Ranked(Shape),
    /// Not a tensor of f64 with known positive dimensions; the text says why.
    Invalid(String),
}

/// The most dimensions of one tensor: code for more takes LLVM minutes.
pub const MAX_RANK: usize = 256;

/// The most bytes of one tensor: what still fits the address space of either target with room.
pub const MAX_TENSOR_BYTES: u64 = 1 << 40;

impl Shape {
    /// The number of elements, or None where it overflows.
    pub fn element_count(&self) -> Option<u64> {
        self.0.iter().try_fold(1u64, |count, dim| count.checked_mul(*dim))
    }

    /// Whether a tensor of this shape is within [`MAX_TENSOR_BYTES`].
    pub fn fits(&self) -> bool {
        self.element_count().and_then(|n| n.checked_mul(8)).is_some_and(|n| n <= MAX_TENSOR_BYTES)
    }

    /// As part of a function's name: `2x3`, `2`, `s` for a scalar.
    pub fn symbol(&self) -> String {
        if self.0.is_empty() {
            return "s".to_owned();
        }
        self.0.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
    }

    /// The shape of an element-wise operation's result: both operands have it, or one of them has it
    /// and the other one is a scalar. None if they do not fit together.
    pub fn broadcast<'s>(&'s self, other: &'s Shape) -> Option<&'s Shape> {
        match (self.0.is_empty(), other.0.is_empty()) {
            (true, _) => Some(other),
            (_, true) => Some(self),
            _ => (self == other).then_some(self),
        }
    }

    pub fn transposed(&self) -> Shape {
        Shape(self.0.iter().rev().copied().collect())
    }

    pub fn tensor_type<'c>(&self, context: &'c Context) -> Type<'c> {
        RankedTensorType::new(&self.0, Type::float64(context), None).into()
    }

    /// Whether `toy.reshape` may turn this shape into the other: the same number of elements, or a
    /// scalar, which fills any shape.
    pub fn reshapes_to(&self, other: &Shape) -> bool {
        self.0.is_empty() || self.element_count() == other.element_count()
    }
}

/// `2x3`; `<2>` for rank 1, which would read as a number; `scalar` for rank 0.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0.as_slice() {
            [] => f.write_str("scalar"),
            [dim] => write!(f, "<{dim}>"),
            _ => f.write_str(&self.symbol()),
        }
    }
}

/// `tensor<*xf64>`: the type of a value whose shape is not inferred yet.
pub fn unranked_type(context: &Context) -> Type<'_> {
    // melior has no constructor for unranked tensors.
    Type::parse(context, "tensor<*xf64>").expect("a valid type")
}

pub fn is_unranked(r#type: Type) -> bool {
    r#type.is_unranked_tensor()
}

pub fn is_tensor(r#type: Type) -> bool {
    r#type.is_ranked_tensor() || r#type.is_unranked_tensor()
}

/// The shape of a type that is a ranked tensor of f64 with known dimensions.
pub fn shape_of(r#type: Type) -> Option<Shape> {
    match kind_of(r#type) {
        TensorKind::Ranked(shape) => Some(shape),
        _ => None,
    }
}

/// Classifies a type for the verifier.
pub fn kind_of(r#type: Type) -> TensorKind {
    if r#type.is_unranked_tensor() {
        return match r#type.to_string().as_str() {
            "tensor<*xf64>" => TensorKind::Unranked,
            other => TensorKind::Invalid(format!("`{other}` is not a tensor of f64")),
        };
    }
    if !r#type.is_ranked_tensor() {
        return TensorKind::Invalid(format!("`{}` is not a tensor", r#type));
    }
    let Ok(tensor) = RankedTensorType::try_from(r#type) else {
        return TensorKind::Invalid(format!("`{}` is not a tensor", r#type));
    };
    if !tensor.element().is_f64() {
        return TensorKind::Invalid(format!("`{}` has elements that are not f64", r#type));
    }
    if tensor.encoding().is_some_and(|encoding| encoding.to_string() != "<<NULL ATTRIBUTE>>") {
        return TensorKind::Invalid(format!("`{}` has an encoding", r#type));
    }
    if tensor.rank() > MAX_RANK {
        return TensorKind::Invalid(format!("it has more than {MAX_RANK} dimensions"));
    }
    let mut dims = Vec::with_capacity(tensor.rank());
    for index in 0..tensor.rank() {
        match tensor.dim_size(index) {
            Ok(melior::ir::r#type::DimSize::Static(0)) => {
                return TensorKind::Invalid(format!("`{}` has no elements", r#type));
            }
            Ok(melior::ir::r#type::DimSize::Static(dim)) => dims.push(dim),
            _ => return TensorKind::Invalid(format!("`{}` has an unknown dimension", r#type)),
        }
    }
    let shape = Shape(dims);
    if !shape.fits() {
        return TensorKind::Invalid(format!("`{}` is too large", r#type));
    }
    TensorKind::Ranked(shape)
}
