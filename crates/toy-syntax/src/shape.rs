//! Types of tensors, and the shape rules of the language.
//!
//! Input: the dimensions of operands. Output: the dimensions of results, or `None` for operands that
//! the language rejects. Invariant: no arithmetic overflows.

use crate::element::Element;
use std::fmt;

/// The type of a tensor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorType {
    /// The type of each element.
    pub element: Element,
    /// The dimensions.
    pub shape: Shape,
}

/// The dimensions of a ranked tensor, outermost first; empty for a scalar.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape(pub Vec<u64>);

/// The most dimensions of a tensor: for more, LLVM takes minutes to generate code.
pub const MAX_RANK: usize = 256;

/// The most bytes of a tensor: well within the address space of both targets.
pub const MAX_TENSOR_BYTES: u64 = 1 << 40;

impl TensorType {
    /// The size in memory; `None` if it overflows.
    pub fn bytes(&self) -> Option<u64> {
        self.shape.element_count()?.checked_mul(self.element.bytes())
    }

    /// True if such a tensor is within [`MAX_TENSOR_BYTES`].
    pub fn fits(&self) -> bool {
        self.bytes().is_some_and(|bytes| bytes <= MAX_TENSOR_BYTES)
    }

    /// As the argument of `--export` is written: `()` for rank 0.
    pub fn argument(&self) -> String {
        self.with_element(if self.is_scalar() { "()".to_owned() } else { self.shape.to_string() })
    }

    fn with_element(&self, shape: String) -> String {
        match self.element {
            Element::DEFAULT => shape,
            other => format!("{shape} {}", other.name()),
        }
    }

    /// True for a tensor of rank 0.
    pub fn is_scalar(&self) -> bool {
        self.shape.0.is_empty()
    }

    /// The type as part of a symbol name: the shape's, after the letters of an element that is not the default.
    pub fn symbol(&self) -> String {
        match self.element.suffix() {
            "" => self.shape.symbol(),
            letters => format!("{letters}x{}", self.shape.symbol()),
        }
    }
}

/// A tensor whose element type is not written.
impl From<Shape> for TensorType {
    fn from(shape: Shape) -> Self {
        Self { element: Element::DEFAULT, shape }
    }
}

impl Shape {
    /// The number of elements; `None` if it overflows.
    pub fn element_count(&self) -> Option<u64> {
        self.0.iter().try_fold(1u64, |count, dim| count.checked_mul(*dim))
    }

    /// The shape as part of a symbol name: `2x3`, `2`, `s` for a scalar.
    pub fn symbol(&self) -> String {
        if self.0.is_empty() {
            return "s".to_owned();
        }
        self.0.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
    }

    /// The result shape of an elementwise operation: the dimensions are aligned at the
    /// last one, and one that is missing or of size 1 takes the size of the other.
    /// `None` if the shapes do not fit.
    pub fn broadcast(&self, other: &Shape) -> Option<Shape> {
        self.misfit(other).is_none().then(|| {
            let (long, short) =
                if self.0.len() < other.0.len() { (other, self) } else { (self, other) };
            let missing = long.0.len() - short.0.len();
            let size = |(at, dim): (usize, &u64)| match at.checked_sub(missing) {
                Some(at) if *dim == 1 => short.0[at],
                _ => *dim,
            };
            Shape(long.0.iter().enumerate().map(size).collect())
        })
    }

    /// The last dimension in which two shapes do not fit, counted from the end, with its two sizes.
    pub fn misfit(&self, other: &Shape) -> Option<(usize, [u64; 2])> {
        let pairs = self.0.iter().rev().zip(other.0.iter().rev());
        let mut pairs = pairs.enumerate().map(|(at, (a, b))| (at + 1, [*a, *b]));
        pairs.find(|(_, [a, b])| a != b && ![*a, *b].contains(&1))
    }

    /// True if a value of this shape fills the other one, which keeps its size: more dimensions than the other's
    /// are of size 1.
    pub fn fills(&self, other: &Shape) -> bool {
        let more = self.0.len().saturating_sub(other.0.len());
        let (more, own) = self.0.split_at(more);
        more.iter().all(|dim| *dim == 1)
            && Shape(own.to_vec()).broadcast(other).is_some_and(|shape| shape == *other)
    }

    /// The dimensions in reverse order.
    pub fn transposed(&self) -> Shape {
        Shape(self.0.iter().rev().copied().collect())
    }

    /// The dimensions in another order.
    pub fn permuted(&self, dims: &[usize]) -> Shape {
        Shape(dims.iter().map(|dim| self.0[*dim]).collect())
    }

    /// True if `toy.reshape` may turn this shape into the other: the same number of elements, or a
    /// scalar, which fills any shape.
    pub fn reshapes_to(&self, other: &Shape) -> bool {
        self.0.is_empty() || self.element_count() == other.element_count()
    }
}

/// The shape, before the name of an element that is not the default: `2x3 f32`.
impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.with_element(self.shape.to_string()))
    }
}

/// As `--export` writes it: `2x3`, `2` for rank 1, `scalar` for rank 0.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0.as_slice() {
            [] => f.write_str("scalar"),
            _ => f.write_str(&self.symbol()),
        }
    }
}
