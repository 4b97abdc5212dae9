//! The tensors of the interpreter and their operations.
//!
//! Input: tensors. Output: a tensor, or an error about their shapes. Invariants: elements are in
//! row-major order, as many as the dimensions say; each operation is one IEEE operation on each
//! element, never fused with another, in the order of the language.

use super::Stop;
use super::parts::Places;
use std::fmt::Write;
use toy_compiler::syntax::ast::BinaryOperator;

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

    /// The scalar 1 or 0.
    pub fn truth(holds: bool) -> Self {
        Self::scalar(f64::from(u8::from(holds)))
    }

    pub fn combined(self, operator: BinaryOperator, rhs: &Tensor) -> Result<Tensor, Stop> {
        let truth = |holds: bool| f64::from(u8::from(holds));
        let apply: &dyn Fn(f64, f64) -> f64 = match operator {
            BinaryOperator::Add => &|a, b| a + b,
            BinaryOperator::Sub => &|a, b| a - b,
            BinaryOperator::Mul => &|a, b| a * b,
            BinaryOperator::Div => &|a, b| a / b,
            BinaryOperator::Less => &|a, b| truth(a < b),
            BinaryOperator::LessEqual => &|a, b| truth(a <= b),
            BinaryOperator::Greater => &|a, b| truth(a > b),
            BinaryOperator::GreaterEqual => &|a, b| truth(a >= b),
            BinaryOperator::Equal => &|a, b| truth(a == b),
            BinaryOperator::NotEqual => &|a, b| truth(a != b),
            BinaryOperator::MatMul => return self.product(rhs),
            BinaryOperator::And | BinaryOperator::Or => {
                return super::unchecked("an operator that evaluates its operands itself");
            }
        };
        self.zipped(rhs, apply)
    }

    /// Element by element; a scalar goes with each element of the other operand.
    pub fn zipped(self, rhs: &Tensor, apply: impl Fn(f64, f64) -> f64) -> Result<Tensor, Stop> {
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

    pub fn mapped(self, apply: impl Fn(f64) -> f64) -> Tensor {
        let elements = self.elements.iter().map(|element| apply(*element)).collect();
        Tensor { dims: self.dims, elements }
    }

    /// `@`: matrices add in the order of k, products with a vector eight interleaved partial sums.
    fn product(self, rhs: &Tensor) -> Result<Tensor, Stop> {
        let (a, b) = (&self.dims, &rhs.dims);
        let wrong = || Err(Stop::Shapes(format!("{a:?} @ {b:?}")));
        let (rank, rank_b) = (a.len(), b.len());
        let is_batch = rank >= 2 && rank == rank_b && a[..rank - 2] == b[..rank - 2];
        let with_vector = matches!((rank, rank_b), (1, 1) | (1, 2) | (2, 1));
        if !is_batch && !with_vector {
            return wrong();
        }
        // A vector on the left is a row, on the right a column.
        let (rows, depth) = if rank == 1 { (1, a[0]) } else { (a[rank - 2], a[rank - 1]) };
        let (depth_b, columns) =
            if rank_b == 1 { (b[0], 1) } else { (b[rank_b - 2], b[rank_b - 1]) };
        if depth != depth_b {
            return wrong();
        }
        let batches: usize = if is_batch { a[..rank - 2].iter().product() } else { 1 };
        let mut elements = Vec::new();
        for batch in 0..batches {
            for row in 0..rows {
                for column in 0..columns {
                    let terms = (0..depth).map(|k| {
                        let left = self.elements[(batch * rows + row) * depth + k];
                        left * rhs.elements[(batch * depth + k) * columns + column]
                    });
                    elements.push(match with_vector {
                        true => super::builtins::interleaved(terms),
                        false => terms.fold(0.0, |sum, term| sum + term),
                    });
                }
            }
        }
        let mut dims = if is_batch { a[..rank - 2].to_vec() } else { Vec::new() };
        if rank > 1 {
            dims.push(rows);
        }
        if rank_b > 1 {
            dims.push(columns);
        }
        Ok(Tensor { dims, elements })
    }

    pub fn read(&self, places: &Places) -> Tensor {
        let elements = places.positions.iter().map(|position| self.elements[*position]);
        Tensor { dims: places.dims.clone(), elements: elements.collect() }
    }

    /// The tensor with these elements replaced; a scalar fills them.
    pub fn updated(mut self, places: &Places, value: &Tensor) -> Result<Tensor, Stop> {
        let is_scalar = value.dims.is_empty();
        if !is_scalar && value.dims != places.dims {
            return Err(Stop::Shapes(format!("{:?} in place of {:?}", value.dims, places.dims)));
        }
        for (number, position) in places.positions.iter().enumerate() {
            self.elements[*position] = value.elements[if is_scalar { 0 } else { number }];
        }
        Ok(self)
    }

    /// The same elements in another shape; a scalar fills it, if it has at most `most` elements.
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
        for (position, number) in self.words().into_iter().enumerate() {
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

    /// `%f` for each element.
    pub fn words(&self) -> Vec<String> {
        let word = |element: &f64| {
            if element.is_nan() { "nan".to_owned() } else { format!("{element:.6}") }
        };
        self.elements.iter().map(word).collect()
    }
}

/// IEEE 754-2019: NaN is larger than all, and 0 larger than -0.
pub fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b && a == 0.0 {
        return if a.is_sign_negative() { b } else { a };
    }
    if a > b { a } else { b }
}

/// Like [`maximum`], but -0 is smaller than 0.
pub fn minimum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b && a == 0.0 {
        return if a.is_sign_negative() { a } else { b };
    }
    if a < b { a } else { b }
}
