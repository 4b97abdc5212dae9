//! Parts of tensors: the meaning of subscripts.
//!
//! Input: subscripts. Output: the elements that they mean, or an error at run time. Invariants: an index is checked to
//! be whole where it is computed, and to be in range where the part is read or written; bounds are constants, so
//! mistakes in them are errors of shapes.

use super::tensor::Tensor;
use super::{Interpreter, Stop, Variables};
use toy_compiler::source::Span;
use toy_compiler::syntax::ast::{Expr, ExprKind, Subscript};
use toy_compiler::syntax::window;

/// Whole numbers below this are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A subscript.
pub enum Place {
    At(i64),
    /// An index that is written as a negative number.
    FromEnd(i64),
    /// The first index, the one at which it ends, and the step, as far as they are given.
    Range([Option<i64>; 3]),
    /// A first index and a number of elements.
    Window(i64, i64),
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
        Ok(self.scalar_tensor(variables, expr)?.elements[0])
    }

    /// A scalar with its element type.
    pub fn scalar_tensor(
        &mut self,
        variables: &Variables<'m>,
        expr: &'m Expr,
    ) -> Result<Tensor, Stop> {
        let value = self.tensor(variables, expr)?;
        if !value.dims.is_empty() {
            return Err(Stop::Shapes(format!("{:?} instead of a scalar", value.dims)));
        }
        Ok(value)
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
        Err(Stop::Shapes(format!("{value} is not a bound or size")))
    }

    /// A whole number that is a constant.
    fn bound(&mut self, variables: &Variables<'m>, expr: &'m Expr) -> Result<i64, Stop> {
        let value = self.scalar(variables, expr)?;
        if value.fract() == 0.0 && value.abs() < EXACT {
            return Ok(value as i64);
        }
        Err(Stop::Shapes(format!("{value} is not a bound")))
    }

    /// The sizes of a tensor; one of them may be -1 if a value with so many elements gets them.
    pub fn sizes(
        &mut self,
        variables: &Variables<'m>,
        sizes: &'m [Expr],
        count: Option<usize>,
    ) -> Result<Vec<usize>, Stop> {
        let sizes: Vec<i64> =
            sizes.iter().map(|size| self.bound(variables, size)).collect::<Result<_, _>>()?;
        let others: i64 = sizes.iter().filter(|size| **size != -1).product();
        let size = |size: &i64| match (size, count) {
            (-1, Some(count)) if others > 0 => Ok(count / others as usize),
            (1.., _) => Ok(*size as usize),
            _ => Err(Stop::Shapes(format!("a size of {size}"))),
        };
        sizes.iter().map(size).collect()
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
                Subscript::At(Expr { kind: ExprKind::Number(number), .. }) if *number < 0.0 => {
                    Place::FromEnd(*number as i64)
                }
                Subscript::At(index) => Place::At(self.whole(variables, index, "index")?),
                Subscript::Range(slice) => {
                    let is_pure = |name: &str| self.types.builtin(name).is_some();
                    if let (Some(from), Some(terms)) =
                        (&slice.from, window::length(slice, &is_pure))
                    {
                        let first = self.whole(variables, from, "index")?;
                        let mut length = 0;
                        for (is_negative, term) in terms {
                            let term = self.bound(variables, term)?;
                            length += if is_negative { -term } else { term };
                        }
                        places.push(Place::Window(first, length));
                        continue;
                    }
                    let mut parts = [None; 3];
                    for (part, given) in parts.iter_mut().zip([&slice.from, &slice.to, &slice.step])
                    {
                        let given = given.as_ref().map(|given| self.bound(variables, given));
                        *part = given.transpose()?;
                    }
                    Place::Range(parts)
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
            let whole = *size as i64;
            let out_of_range = |words: &str, index: i64| {
                let elements = if *size == 1 { "element" } else { "elements" };
                let is_from_end = (-whole..0).contains(&index);
                let why =
                    if is_from_end { "; a computed index does not count from the end" } else { "" };
                format!("{words} {index} is out of range: the dimension has {size} {elements}{why}")
            };
            let window = |first: i64, length: i64| {
                let index = if first < 0 { first } else { first + length - 1 };
                match length {
                    1 => out_of_range("index", index),
                    _ => out_of_range(&format!("a range of {length} elements with index"), index),
                }
            };
            let (chosen, is_kept): (Vec<i64>, bool) = match part.get(number) {
                None => ((0..whole).collect(), true),
                Some(Place::At(index)) if (0..whole).contains(index) => (vec![*index], false),
                Some(Place::At(index)) => return self.failed(at, out_of_range("index", *index)),
                Some(Place::FromEnd(index)) => (vec![index + whole], false),
                Some(Place::Range(parts)) => (range(*parts, whole)?, true),
                Some(Place::Window(_, length)) if !(1..=whole).contains(length) => {
                    return Err(Stop::Shapes(format!("{length} of {size}")));
                }
                Some(Place::Window(first, length)) if *first < 0 || first + length > whole => {
                    return self.failed(at, window(*first, *length));
                }
                Some(Place::Window(first, length)) => ((*first..first + length).collect(), true),
            };
            if chosen.iter().any(|index| !(0..whole).contains(index)) {
                return Err(Stop::Shapes(format!("{chosen:?} of {size}")));
            }
            if is_kept {
                dims.push(chosen.len());
            }
            let inner = |position: &usize| {
                let start = position * size;
                chosen.iter().map(move |index| start + *index as usize)
            };
            positions = positions.iter().flat_map(inner).collect();
        }
        Ok(Places { dims, positions })
    }
}

/// The indices of a range, one after the other.
fn range([from, to, step]: [Option<i64>; 3], size: i64) -> Result<Vec<i64>, Stop> {
    let wrong = || Stop::Shapes(format!("{from:?}:{to:?}:{step:?} of {size}"));
    let step = step.unwrap_or(1);
    let from_end = |bound: i64| if bound < 0 { bound + size } else { bound };
    let first = from.map_or(if step < 0 { size - 1 } else { 0 }, from_end);
    let end = to.map(from_end);
    if step == 0 || end.is_some_and(|end| !(0..=size).contains(&end)) {
        return Err(wrong());
    }
    let end = end.unwrap_or(if step < 0 { -1 } else { size });
    let mut indices = Vec::new();
    let mut next = first;
    while if step > 0 { next < end } else { next > end } {
        indices.push(next);
        next += step;
    }
    if indices.is_empty() { Err(wrong()) } else { Ok(indices) }
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
