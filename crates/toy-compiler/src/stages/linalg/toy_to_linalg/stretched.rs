//! Operands that are stretched to the shape of a result, without a copy.
//!
//! Input: a tensor, and a shape that it fits: aligned at the last dimension, each of its dimensions has the size there,
//! or 1. Output: its number, if it has one element, or a tensor with the dimension of the result for each of its
//! own. Dimensions of size 1 are dropped: `tensor.collapse_shape`, which canonicalization folds with the reshape that
//! has made them.
//!
//! ```text
//!   3 x 4             all dimensions      (d0, d1)
//!       4   to 3 x 4  a row for each d0   (d1)
//!   3 x 1             a column            (d0), without the other dimension
//!   1 x 1             a number
//! ```

use crate::dialect::shape::shape_of;
use melior::ir::{Value, ValueLike};
use mlir_support::builder::Builder;
use mlir_support::ir;

pub enum Stretched<'c, 'a> {
    Number(Value<'c, 'a>),
    Tensor(Value<'c, 'a>, Vec<usize>),
}

impl<'c, 'a> Stretched<'c, 'a> {
    /// An operand for a result of a shape. Of its last dimensions, `kept` stay whatever their size.
    pub fn of(code: Builder<'c, 'a>, operand: Value<'c, 'a>, shape: &[u64], kept: usize) -> Self {
        let own = shape_of(operand.r#type()).expect("specialized: every value is ranked").0;
        if own == shape {
            return Self::Tensor(operand, (0..own.len()).collect());
        }
        let is_kept = |at: usize| own[at] != 1 || at + kept >= own.len();
        let places: Vec<usize> = (0..own.len()).filter(|at| is_kept(*at)).collect();
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            return Self::Number(code.element_of(operand));
        };
        // The value may have more dimensions than the part that it fills.
        let dims = places.iter().map(|at| at + shape.len() - own.len()).collect();
        if places.len() == own.len() {
            return Self::Tensor(operand, dims);
        }
        let sizes: Vec<u64> = places.iter().map(|at| own[*at]).collect();
        if let Some(expanded) = ir::defined_by(operand, "tensor.expand_shape") {
            let source = ir::operand(expanded, 0);
            if shape_of(source.r#type()).is_some_and(|shape| shape.0 == sizes) {
                return Self::Tensor(source, dims);
            }
        }
        let groups = places.iter().enumerate().map(|(index, at)| {
            let from = if at == first { 0 } else { *at };
            let to = if at == last { own.len() } else { places[index + 1] };
            (from..to).collect()
        });
        let groups: Vec<Vec<usize>> = groups.collect();
        Self::Tensor(code.regrouped(operand, &groups, &sizes), dims)
    }

    pub fn number(&self) -> Option<Value<'c, 'a>> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Tensor(..) => None,
        }
    }

    /// The tensor, and its indices.
    pub fn indexed(&self) -> Option<(Value<'c, 'a>, &[usize])> {
        match self {
            Self::Number(_) => None,
            Self::Tensor(tensor, dims) => Some((*tensor, dims)),
        }
    }
}
