//! Parts of tensors: the meaning of subscripts.
//!
//! Input: subscripts. Output: the elements that they mean, or an error at run time. Invariants: an index is checked to
//! be whole where it is computed, and to be in range where the part is read or written; bounds are constants, so
//! mistakes in them are errors of shapes.

use super::tensor::Tensor;
use super::{Interpreter, Stop, Variables};
use toy_compiler::source::Span;
use toy_compiler::syntax::ast::{Expr, Subscript};

/// Whole numbers below this are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A subscript.
pub enum Place {
    At(i64),
    Range(usize, usize),
}

/// Elements of a tensor: their positions, and the shape that they have together.
pub struct Places {
    pub dims: Vec<usize>,
    pub positions: Vec<usize>,
}

impl<'m> Interpreter<'m> {
    /// True if a condition holds: a scalar that is not 0, so NaN does.
    pub fn truth(&mut self, variables: &Variables<'m>, expr: &'m Expr) -> Result<bool, Stop> {
        Ok(self.scalar(variables, expr)? != 0.0)
    }

    pub fn scalar(&mut self, variables: &Variables<'m>, expr: &'m Expr) -> Result<f64, Stop> {
        let value = self.tensor(variables, expr)?;
        if !value.dims.is_empty() {
            return Err(Stop::Shapes(format!("{:?} instead of a scalar", value.dims)));
        }
        Ok(value.elements[0])
    }

    /// A whole number that is computed at run time.
    pub fn whole(
        &mut self,
        variables: &Variables<'m>,
        expr: &'m Expr,
        what: &str,
    ) -> Result<i64, Stop> {
        let value = self.scalar(variables, expr)?;
        if value.fract() == 0.0 && value.abs() < EXACT {
            return Ok(value as i64);
        }
        let number = in_message(value);
        let problem = if value.is_finite() && value.abs() >= EXACT {
            "is too large"
        } else {
            "is not a whole number"
        };
        self.failed(expr.span, format!("{what} {number} {problem}"))
    }

    /// A whole number that is a constant, from 0 on.
    pub fn constant(&mut self, variables: &Variables<'m>, expr: &'m Expr) -> Result<usize, Stop> {
        let value = self.scalar(variables, expr)?;
        if value.fract() == 0.0 && (0.0..EXACT).contains(&value) {
            return Ok(value as usize);
        }
        Err(Stop::Shapes(format!("{value} is no bound or size")))
    }

    /// A constant that names a dimension.
    pub fn axis(
        &mut self,
        variables: &Variables<'m>,
        expr: &'m Expr,
        dims: &[usize],
    ) -> Result<usize, Stop> {
        let value = self.scalar(variables, expr)?;
        let from_start = if value < 0.0 { value + dims.len() as f64 } else { value };
        if value.fract() == 0.0 && (0.0..dims.len() as f64).contains(&from_start) {
            return Ok(from_start as usize);
        }
        Err(Stop::Shapes(format!("{value} is no axis of {dims:?}")))
    }

    /// The values of subscripts.
    pub fn part(
        &mut self,
        variables: &Variables<'m>,
        subscripts: &'m [Subscript],
    ) -> Result<Vec<Place>, Stop> {
        let mut places = Vec::new();
        for subscript in subscripts {
            places.push(match subscript {
                Subscript::At(index) => Place::At(self.whole(variables, index, "index")?),
                Subscript::Range(from, to) => {
                    let from = self.constant(variables, from)?;
                    Place::Range(from, self.constant(variables, to)?)
                }
            });
        }
        Ok(places)
    }

    /// The elements that subscripts mean; `at` is the text with the subscripts.
    pub fn places(&self, tensor: &Tensor, part: &[Place], at: Span) -> Result<Places, Stop> {
        if part.len() > tensor.dims.len() {
            return Err(Stop::Shapes(format!("{} subscripts of {:?}", part.len(), tensor.dims)));
        }
        let mut dims = Vec::new();
        let mut positions = vec![0];
        for (number, size) in tensor.dims.iter().enumerate() {
            let (from, to, is_kept) = match part.get(number) {
                None => (0, *size, true),
                Some(Place::Range(from, to)) if from < to && to <= size => (*from, *to, true),
                Some(Place::Range(from, to)) => {
                    return Err(Stop::Shapes(format!("{from}:{to} of {size}")));
                }
                Some(Place::At(index)) => match usize::try_from(*index) {
                    Ok(index) if index < *size => (index, index + 1, false),
                    _ => {
                        let elements = if *size == 1 { "element" } else { "elements" };
                        let message = format!(
                            "index {index} is out of range: the dimension has {size} {elements}"
                        );
                        return self.failed(at, message);
                    }
                },
            };
            if is_kept {
                dims.push(to - from);
            }
            let inner = |position: &usize| {
                let start = position * size;
                (from..to).map(move |index| start + index)
            };
            positions = positions.iter().flat_map(inner).collect();
        }
        Ok(Places { dims, positions })
    }
}

/// A number as messages of a running program show it: with at most six decimals, unless it would look whole but is
/// not: then with as many as are needed.
fn in_message(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    let all = format!("{value:.6}");
    let shown = if value.is_finite() { all.trim_end_matches('0') } else { &all };
    match shown.strip_suffix('.') {
        Some("0" | "-0") if value != 0.0 => format!("{value:.0e}"),
        Some(_) if value.fract() != 0.0 => {
            let mut texts = (7..).map(|digits| format!("{value:.digits$}"));
            let is_whole = |text: &String| text.ends_with('0');
            texts.find(|text| !is_whole(text)).unwrap_or_default()
        }
        Some(whole) => whole.to_owned(),
        None => shown.to_owned(),
    }
}
