//! The tensors of the interpreter and their operations.
//!
//! Input: tensors. Output: a tensor, or an error about their shapes. Invariants: elements are in
//! row-major order, as many as the dimensions say; each operation is one IEEE operation on each
//! element, never fused with another, in the order of the language.

use super::Stop;
use super::gradients::width_of;
use super::parts::Places;
use std::fmt::Write;
use toy_compiler::syntax::ast::BinaryOperator;

#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// None for a scalar.
    pub dims: Vec<usize>,
    /// Numbers of f32 as the f64 that they are equal to.
    pub elements: Vec<f64>,
    /// True for f32.
    pub is_single: bool,
    /// While gradients are computed: the coefficients of the elements but the first ones, see [`super::jet`].
    pub slopes: Vec<Vec<f64>>,
}

/// The nearest f32 if the number is to be one.
pub fn rounded(number: f64, is_single: bool) -> f64 {
    if is_single { f64::from(number as f32) } else { number }
}

/// True if operands that are combined are f32: tensors agree, and scalars adapt to them; scalars alone are f64 if they
/// differ.
pub fn are_single(operands: &[&Tensor]) -> Result<bool, Stop> {
    let mut tensors = operands.iter().filter(|it| !it.dims.is_empty());
    let Some(first) = tensors.next() else {
        return Ok(operands.iter().all(|it| it.is_single));
    };
    match tensors.all(|it| it.is_single == first.is_single) {
        true => Ok(first.is_single),
        false => Err(Stop::Shapes("elements of f32 and f64".to_owned())),
    }
}

/// The `digits` and the `width` of a `print` that has one of them.
#[derive(Clone, Copy)]
pub struct Layout {
    pub digits: usize,
    pub width: usize,
}

impl Tensor {
    /// A tensor of f64.
    pub fn new(dims: Vec<usize>, elements: Vec<f64>) -> Self {
        Self { dims, elements, is_single: false, slopes: Vec::new() }
    }

    pub fn scalar(value: f64) -> Self {
        Self::new(vec![], vec![value])
    }

    /// The same with elements of f32, or of f64.
    pub fn converted(self, is_single: bool) -> Self {
        let elements = self.elements.iter().map(|it| rounded(*it, is_single)).collect();
        Self { dims: self.dims, elements, is_single, slopes: self.slopes }
    }

    /// The scalar 1 or 0.
    pub fn truth(holds: bool) -> Self {
        Self::scalar(f64::from(u8::from(holds)))
    }

    pub fn combined(self, operator: BinaryOperator, rhs: &Tensor) -> Result<Tensor, Stop> {
        let result = self.clone().without_slopes().values(operator, &rhs.without_slopes())?;
        result.with_slopes_of(operator, &self, rhs)
    }

    fn values(self, operator: BinaryOperator, rhs: &Tensor) -> Result<Tensor, Stop> {
        let truth = |holds: bool| f64::from(u8::from(holds));
        let apply: &dyn Fn(f64, f64) -> f64 = match operator {
            BinaryOperator::Add => &|a, b| a + b,
            BinaryOperator::Sub => &|a, b| a - b,
            BinaryOperator::Mul => &|a, b| a * b,
            BinaryOperator::Div => &|a, b| a / b,
            BinaryOperator::Rem => &remainder,
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

    /// Element by element, with both operands stretched to one shape.
    pub fn zipped(self, rhs: &Tensor, apply: impl Fn(f64, f64) -> f64) -> Result<Tensor, Stop> {
        let dims = stretched(&self.dims, &rhs.dims)?;
        let is_single = are_single(&[&self, rhs])?;
        let fit = |one: &Tensor| Ok::<_, Stop>(one.stretched(&dims)?.converted(is_single));
        let (lhs, rhs) = (fit(&self)?, fit(rhs)?);
        let elements = lhs.elements.iter().zip(&rhs.elements).map(|(a, b)| apply(*a, *b)).collect();
        Ok(Tensor::new(dims, elements).converted(is_single))
    }

    /// The tensor with its elements repeated along dimensions that it lacks or has with size 1.
    pub fn stretched(&self, dims: &[usize]) -> Result<Tensor, Stop> {
        let wrong = || Err(Stop::Shapes(format!("{:?} for {dims:?}", self.dims)));
        let more = self.dims.len().saturating_sub(dims.len());
        let (ones, own) = self.dims.split_at(more);
        if ones.iter().any(|dim| *dim != 1) || stretched(own, dims)? != dims {
            return wrong();
        }
        let count = dims.iter().fold(1usize, |count, dim| count.saturating_mul(*dim));
        if count > super::MAX_ELEMENTS {
            return Err(Stop::TooMuch);
        }
        let missing = dims.len() - own.len();
        let element = |position: usize| {
            // The index of the result, last dimension first.
            let (mut rest, mut offset, mut step) = (position, 0, 1);
            for (at, dim) in dims.iter().enumerate().rev() {
                let (index, size) = (rest % dim, at.checked_sub(missing).map_or(1, |at| own[at]));
                rest /= dim;
                offset += if size == 1 { 0 } else { index * step };
                step *= size;
            }
            self.elements[offset]
        };
        let elements = (0..count).map(element).collect();
        let result = Tensor::new(dims.to_vec(), elements).converted(self.is_single);
        result.linear(self, |it| it.stretched(dims))
    }

    pub fn mapped(self, apply: impl Fn(f64) -> f64) -> Tensor {
        let elements = self.elements.iter().map(|element| apply(*element)).collect();
        Tensor::new(self.dims, elements).converted(self.is_single)
    }

    /// `@`: matrices add in the order of k, products with a vector eight interleaved partial sums.
    fn product(self, rhs: &Tensor) -> Result<Tensor, Stop> {
        let (a, b) = (&self.dims, &rhs.dims);
        let is_single = are_single(&[&self, rhs])?;
        let wrong = || Err(Stop::Shapes(format!("{a:?} @ {b:?}")));
        let (rank, rank_b) = (a.len(), b.len());
        let is_batch = rank >= 2 && rank_b >= 2;
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
        let mut dims = Vec::new();
        let (mut lhs, mut rhs) = (self.clone(), rhs.clone());
        if is_batch {
            dims = stretched(&a[..rank - 2], &b[..rank_b - 2])?;
            lhs = lhs.stretched(&[dims.as_slice(), &[rows, depth]].concat())?;
            rhs = rhs.stretched(&[dims.as_slice(), &[depth, columns]].concat())?;
        }
        let batches: usize = dims.iter().product();
        let mut elements = Vec::new();
        for batch in 0..batches {
            for row in 0..rows {
                for column in 0..columns {
                    let terms = (0..depth).map(|k| {
                        let left = lhs.elements[(batch * rows + row) * depth + k];
                        (left, rhs.elements[(batch * depth + k) * columns + column])
                    });
                    let fused = |sum: f64, (left, right): (f64, f64)| match is_single {
                        true => f64::from((left as f32).mul_add(right as f32, sum as f32)),
                        false => left.mul_add(right, sum),
                    };
                    elements.push(match with_vector {
                        true => super::builtins::interleaved(terms, is_single, fused),
                        false => terms.fold(0.0, fused),
                    });
                }
            }
        }
        if rank > 1 {
            dims.push(rows);
        }
        if rank_b > 1 {
            dims.push(columns);
        }
        Ok(Tensor::new(dims, elements).converted(is_single))
    }

    pub fn read(&self, places: &Places) -> Tensor {
        let of = |from: &[f64]| places.positions.iter().map(|at| from[*at]).collect();
        let slopes = self.slopes.iter().map(|slopes| of(slopes)).collect();
        let (dims, elements) = (places.dims.clone(), of(&self.elements));
        Tensor { dims, elements, is_single: self.is_single, slopes }
    }

    /// The tensor with these elements replaced by a value that is stretched to them.
    pub fn updated(mut self, places: &Places, value: &Tensor) -> Result<Tensor, Stop> {
        if !value.dims.is_empty() && value.is_single != self.is_single {
            return Err(Stop::Shapes("a part of another element type".to_owned()));
        }
        let value = value.stretched(&places.dims)?.converted(self.is_single);
        let slope = |place| {
            let mut slopes = self.coefficients(place);
            let new = value.coefficients(place);
            places.positions.iter().zip(new).for_each(|(at, slope)| slopes[*at] = slope);
            slopes
        };
        self.slopes = (1..width_of([&self, &value])).map(slope).collect();
        for (position, element) in places.positions.iter().zip(value.elements) {
            self.elements[*position] = element;
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
            let elements = vec![self.elements[0]; count];
            let slopes = self.slopes.iter().map(|slopes| vec![slopes[0]; count]).collect();
            return Ok(Tensor { dims, elements, is_single: self.is_single, slopes });
        }
        if self.elements.len() != count {
            return Err(Stop::Shapes(format!("{:?} reshaped to {dims:?}", self.dims)));
        }
        Ok(Tensor { dims, ..self })
    }

    /// The dimensions in this order: index k of the result is index `order[k]` of the operand.
    pub fn transposed(&self, order: &[usize]) -> Tensor {
        let dims: Vec<usize> = order.iter().map(|dim| self.dims[*dim]).collect();
        let from = |position: usize| {
            let mut rest = position;
            let mut index = vec![0; dims.len()];
            for (dim, size) in order.iter().zip(&dims).rev() {
                index[*dim] = rest % size;
                rest /= size;
            }
            self.dims.iter().zip(&index).fold(0, |at, (size, index)| at * size + index)
        };
        let of = |all: &[f64]| (0..all.len()).map(|at| all[from(at)]).collect();
        let slopes = self.slopes.iter().map(|slopes| of(slopes)).collect();
        let elements = of(&self.elements);
        Tensor { dims, elements, is_single: self.is_single, slopes }
    }

    /// A number and a blank for each element, a newline after each index of every dimension but the last.
    pub fn print(&self, layout: Option<Layout>, output: &mut String) {
        let mut words = self.words(layout);
        if layout.is_some() && self.dims.len() > 1 {
            let widest = words.iter().map(String::len).max().unwrap_or(0);
            words.iter_mut().for_each(|word| *word = format!("{word:>widest$}"));
        }
        for (position, number) in words.into_iter().enumerate() {
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

    /// Each element as a text, without a layout like `%f`.
    pub fn words(&self, layout: Option<Layout>) -> Vec<String> {
        let Layout { digits, width } = layout.unwrap_or(Layout { digits: 6, width: 0 });
        let word = |element: &f64| {
            let word = match element.is_nan() {
                true => "nan".to_owned(),
                false => format!("{element:.digits$}"),
            };
            format!("{word:>width$}")
        };
        self.elements.iter().map(word).collect()
    }
}

/// The shape that two others are stretched to: aligned at the last dimension, sizes are equal, or one is 1.
pub fn stretched(a: &[usize], b: &[usize]) -> Result<Vec<usize>, Stop> {
    let rank = a.len().max(b.len());
    let size =
        |dims: &[usize], at: usize| (at + dims.len()).checked_sub(rank).map_or(1, |at| dims[at]);
    (0..rank)
        .map(|at| match (size(a, at), size(b, at)) {
            (1, size) | (size, 1) => Ok(size),
            (one, other) if one == other => Ok(one),
            _ => Err(Stop::Shapes(format!("shapes {a:?} and {b:?}"))),
        })
        .collect()
}

/// As Python's `%`: the exact remainder, with the sign of the divisor.
fn remainder(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest == 0.0 {
        0.0f64.copysign(b)
    } else if rest.is_sign_negative() != b.is_sign_negative() {
        rest + b
    } else {
        rest
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
