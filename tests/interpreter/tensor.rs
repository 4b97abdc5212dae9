//! The tensors of the interpreter and their operations.
//!
//! Input: tensors. Output: a tensor, or an error about their shapes. Invariants: elements are in
//! row-major order, as many as the dimensions say; each operation is one IEEE operation on each
//! element, never fused with another.

use super::Stop;
use std::fmt::Write;
use toyc::syntax::ast::BinaryOperator;

#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// None for a scalar.
    pub dims: Vec<usize>,
    pub elements: Vec<f64>,
}

impl Tensor {
    pub fn scalar(value: f64) -> Self {
        Self { dims: vec![], elements: vec![value] }
    }

    /// Element by element; a scalar goes with each element of the other operand.
    pub fn combined(self, operator: BinaryOperator, rhs: &Tensor) -> Result<Tensor, Stop> {
        let apply = |a: f64, b: f64| match operator {
            BinaryOperator::Add => a + b,
            BinaryOperator::Sub => a - b,
            BinaryOperator::Mul => a * b,
            BinaryOperator::Div => a / b,
            _ => unreachable!("{}", operator.symbol()),
        };
        let (lhs, rhs) = match (self.dims.is_empty(), rhs.dims.is_empty()) {
            (true, false) => (self.reshaped(rhs.dims.clone(), usize::MAX)?, rhs.clone()),
            (false, true) => {
                let rhs = rhs.clone().reshaped(self.dims.clone(), usize::MAX)?;
                (self, rhs)
            }
            _ => (self, rhs.clone()),
        };
        if lhs.dims != rhs.dims {
            return Err(Stop::Shapes(format!("shapes {:?} and {:?}", lhs.dims, rhs.dims)));
        }
        let elements = lhs.elements.iter().zip(&rhs.elements).map(|(a, b)| apply(*a, *b)).collect();
        Ok(Tensor { dims: lhs.dims, elements })
    }

    pub fn negated(self) -> Tensor {
        Tensor { dims: self.dims, elements: self.elements.iter().map(|element| -element).collect() }
    }

    /// The same elements under another shape; a scalar fills it, if it has at most so many elements.
    pub fn reshaped(self, dims: Vec<usize>, most: usize) -> Result<Tensor, Stop> {
        let count = dims.iter().fold(1usize, |count, dim| count.saturating_mul(*dim));
        if self.dims.is_empty() {
            if count > most {
                return Err(Stop::TooMuch);
            }
            return Ok(Tensor { dims, elements: vec![self.elements[0]; count] });
        }
        if self.elements.len() != count {
            return Err(Stop::Shapes(format!("{:?} reshaped to {dims:?}", self.dims)));
        }
        Ok(Tensor { dims, elements: self.elements })
    }

    /// Reverses the dimensions: element (i, j, ..., k) moves to (k, ..., j, i).
    pub fn transposed(&self) -> Tensor {
        let dims: Vec<usize> = self.dims.iter().rev().copied().collect();
        let mut elements = Vec::with_capacity(self.elements.len());
        for position in 0..self.elements.len() {
            // The index in the result, last dimension first, is the index in the operand, first
            // dimension first.
            let (mut rest, mut offset) = (position, 0);
            let mut index = Vec::new();
            for dim in dims.iter().rev() {
                index.push(rest % dim);
                rest /= dim;
            }
            for (dim, index) in self.dims.iter().zip(&index) {
                offset = offset * dim + index;
            }
            elements.push(self.elements[offset]);
        }
        Tensor { dims, elements }
    }

    /// `%f ` for each element, a newline after each index of every dimension but the last.
    pub fn print(&self, output: &mut String) {
        for (position, element) in self.elements.iter().enumerate() {
            let number = if element.is_nan() { "nan".to_owned() } else { format!("{element:.6}") };
            let _ = write!(output, "{number} ");
            let mut block = 1;
            for dim in self.dims.iter().skip(1).rev() {
                block *= dim;
                if (position + 1) % block == 0 {
                    output.push('\n');
                }
            }
        }
    }
}
