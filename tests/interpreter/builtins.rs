//! Evaluates the builtins.
//!
//! Input: a call of a builtin. Output: its value, or text. Invariant: the additions of sums and products are in the
//! order that the language gives them; `exp` and its like are those of `toy-math`.

use super::gradients::{slopes, width_of};
use super::jet::Jet;
use super::tensor::{Layout, Tensor, are_single, maximum, minimum, rounded, stretched};
use super::{Interpreter, MAX_ELEMENTS, Stop, Value, Variables, unchecked};
use std::cmp::Ordering;
use toy_compiler::syntax::ast::{Call, Expr, ExprKind};

impl<'m> Interpreter<'m> {
    pub fn builtin(
        &mut self,
        variables: &Variables<'m>,
        name: &str,
        call: &'m Call,
    ) -> Result<Option<Value<'m>>, Stop> {
        let named = |wanted: &str| call.named.iter().find(|(name, _)| name.text == wanted);
        let axis = named("axis").map(|(_, axis)| axis);
        let result = match (name, call.arguments.as_slice()) {
            ("print", [argument])
                if !matches!(argument.kind, ExprKind::String(_)) && call.named.is_empty() =>
            {
                match self.value(variables, argument)? {
                    Value::Tensor(tensor) => tensor.print(None, &mut self.output),
                    value => self.print(with_names(&value, ""), (None, None)),
                }
                return Ok(None);
            }
            ("print", arguments) => {
                let end = named("end").and_then(|(_, end)| match &end.kind {
                    ExprKind::String(text) => Some(text.as_str()),
                    _ => None,
                });
                // All arguments are evaluated before anything is printed.
                let mut values = Vec::new();
                for argument in arguments {
                    match &argument.kind {
                        ExprKind::String(text) => values.push(Err(text.clone())),
                        _ => values.extend(with_names(&self.value(variables, argument)?, "")),
                    }
                }
                let mut layout = None;
                for (name, set) in [("digits", 0), ("width", 1)] {
                    let Some((_, value)) = named(name) else { continue };
                    let value = self.constant(variables, value)?;
                    let layout = layout.get_or_insert(Layout { digits: 6, width: 0 });
                    *[&mut layout.digits, &mut layout.width][set] = value;
                }
                self.print(values, (layout, end));
                return Ok(None);
            }
            ("transpose", [operand, axes @ ..]) => {
                let operand = self.tensor(variables, operand)?;
                let rank = operand.dims.len();
                let axes = axes.iter().map(|axis| self.axis(variables, axis, &operand.dims));
                let mut order = axes.collect::<Result<Vec<_>, _>>()?;
                if call.arguments.len() == 1 {
                    order = (0..rank).rev().collect();
                }
                if order.len() != rank || (0..rank).any(|dim| !order.contains(&dim)) {
                    return Err(Stop::Shapes(format!("axes {order:?} of {:?}", operand.dims)));
                }
                operand.transposed(&order)
            }
            (
                "sum" | "max" | "min" | "mean" | "prod" | "any" | "all" | "argmax" | "argmin",
                [operand, rest @ ..],
            ) if !matches!(name, "max" | "min") || rest.is_empty() => {
                let operand = self.tensor(variables, operand)?;
                let keep = match named("keep") {
                    Some((_, keep)) => self.scalar(variables, keep)? != 0.0,
                    None => false,
                };
                self.reduced(variables, name, operand, (axis.or(rest.first()), keep))?
            }
            ("cumsum" | "sort", [operand, rest @ ..]) => {
                let mut operand = self.tensor(variables, operand)?;
                let axis = match axis.or(rest.first()) {
                    Some(axis) => self.axis(variables, axis, &operand.dims)?,
                    None if name == "sort" => match operand.dims.len() {
                        0 => return Err(Stop::Shapes("sort of a scalar".to_owned())),
                        rank => rank - 1,
                    },
                    None => {
                        operand.dims = vec![operand.elements.len()];
                        0
                    }
                };
                let inner: usize = operand.dims[axis + 1..].iter().product();
                let size = operand.dims[axis];
                for first in
                    (0..operand.elements.len()).filter(|at| (at / inner).is_multiple_of(size))
                {
                    let place = |k: usize| first + k * inner;
                    let mut line: Vec<f64> =
                        (0..size).map(|k| operand.elements[place(k)]).collect();
                    if name == "sort" {
                        let mut order: Vec<usize> = (0..size).collect();
                        order.sort_by(|a, b| ascending(&line[*a], &line[*b]));
                        for slopes in &mut operand.slopes {
                            let old: Vec<f64> = (0..size).map(|k| slopes[place(k)]).collect();
                            (0..size).for_each(|k| slopes[place(k)] = old[order[k]]);
                        }
                        line.sort_by(ascending);
                    } else {
                        for slopes in &mut operand.slopes {
                            (1..size).for_each(|k| slopes[place(k)] += slopes[place(k - 1)]);
                        }
                        (1..size).for_each(|k| {
                            line[k] = rounded(line[k] + line[k - 1], operand.is_single)
                        });
                    }
                    (0..size).for_each(|k| operand.elements[place(k)] = line[k]);
                }
                operand
            }
            ("max" | "min" | "pow", [a, b]) => {
                let a = self.tensor(variables, a)?;
                let b = self.tensor(variables, b)?;
                let is_single = are_single(&[&a, &b])?;
                let power = |x: f64, y: f64| f64::from(toy_math::powf(x as f32, y as f32));
                let result = a.clone().zipped(
                    &b,
                    match name {
                        "max" => maximum,
                        "min" => minimum,
                        _ if is_single => power,
                        _ => toy_math::pow,
                    },
                )?;
                result.with_slopes_of_pair(name, &a, &b)?
            }
            ("where", [condition, a, b]) => {
                let condition = self.tensor(variables, condition)?;
                let a = self.tensor(variables, a)?;
                let b = self.tensor(variables, b)?;
                let dims = stretched(&stretched(&condition.dims, &a.dims)?, &b.dims)?;
                let is_single = are_single(&[&a, &b])?;
                let fit = |one: Tensor| one.stretched(&dims);
                let (condition, a, b) = (fit(condition)?, fit(a)?, fit(b)?);
                let pick = |place| {
                    let branches = a.coefficients(place).into_iter().zip(b.coefficients(place));
                    let picked = condition.elements.iter().zip(branches);
                    picked.map(|(holds, (a, b))| if *holds != 0.0 { a } else { b }).collect()
                };
                let slopes = (1..width_of([&a, &b])).map(pick).collect();
                Tensor { slopes, ..Tensor::new(dims, pick(0)).converted(is_single) }
            }
            ("range", [count]) => {
                let count = self.constant(variables, count)?;
                match count {
                    0 => return Err(Stop::Shapes("no elements".to_owned())),
                    _ if count > MAX_ELEMENTS => return Err(Stop::TooMuch),
                    _ => {}
                }
                Tensor::new(vec![count], (0..count).map(|k| k as f64).collect())
            }
            ("range", [from, to, step @ ..]) => {
                let from = self.scalar_tensor(variables, from)?;
                let to = self.scalar_tensor(variables, to)?;
                let step =
                    step.first().map(|step| self.scalar_tensor(variables, step)).transpose()?;
                // The difference of two numbers of f32 is f32, too.
                let distance = to.zipped(&from, |to, from| to - from)?;
                let steps = match &step {
                    Some(step) => distance.zipped(step, |distance, step| distance / step)?,
                    None => distance,
                };
                let (from, step) = (from.elements[0], step.map_or(1.0, |step| step.elements[0]));
                let count = steps.elements[0].ceil();
                match count {
                    _ if count.is_nan() || count < 1.0 => {
                        return Err(Stop::Shapes("no elements".to_owned()));
                    }
                    _ if count > MAX_ELEMENTS as f64 => return Err(Stop::TooMuch),
                    _ => {}
                }
                let elements = (0..count as usize).map(|k| k as f64 * step + from).collect();
                Tensor::new(vec![count as usize], elements)
            }
            ("linspace", [from, to, count]) => {
                let from = self.scalar_tensor(variables, from)?;
                let to = self.scalar_tensor(variables, to)?;
                let count = self.sizes(variables, std::slice::from_ref(count), None)?[0];
                let steps = if count == 1 { 1.0 } else { count as f64 - 1.0 };
                let distance = to.clone().zipped(&from, |to, from| to - from)?;
                let step = distance.elements[0] / steps;
                let (from, to) = (from.elements[0], to.elements[0]);
                let mut elements: Vec<f64> = (0..count).map(|k| k as f64 * step + from).collect();
                if count > 1 {
                    elements[count - 1] = to;
                }
                Tensor::new(vec![count], elements)
            }
            ("zeros" | "ones", sizes) => {
                let dims = self.sizes(variables, sizes, None)?;
                let fill = if name == "ones" { 1.0 } else { 0.0 };
                Tensor::scalar(fill).reshaped(dims, MAX_ELEMENTS)?
            }
            ("eye", [count]) => {
                let count = self.sizes(variables, std::slice::from_ref(count), None)?[0];
                let element = |at| if at / count == at % count { 1.0 } else { 0.0 };
                let elements = (0..count * count).map(element).collect();
                Tensor::new(vec![count, count], elements)
            }
            ("reshape", [value, sizes @ ..]) => {
                let value = self.tensor(variables, value)?;
                let dims = self.sizes(variables, sizes, Some(value.elements.len()))?;
                value.reshaped(dims, MAX_ELEMENTS)?
            }
            ("concat", parts) => {
                let parts: Vec<Tensor> = parts
                    .iter()
                    .map(|part| self.tensor(variables, part))
                    .collect::<Result<_, _>>()?;
                let axis = match axis {
                    Some(axis) => self.axis(variables, axis, &parts[0].dims)?,
                    None if parts[0].dims.is_empty() => {
                        return Err(Stop::Shapes("a scalar is joined".to_owned()));
                    }
                    None => 0,
                };
                joined(&parts, axis)?
            }
            ("shape", [operand, axis]) => {
                let operand = self.tensor(variables, operand)?;
                let axis = self.axis(variables, axis, &operand.dims)?;
                Tensor::scalar(operand.dims[axis] as f64)
            }
            ("stop", [operand]) => self.tensor(variables, operand)?.without_slopes(),
            ("f32" | "f64", [operand]) => self.tensor(variables, operand)?.converted(name == "f32"),
            (name, [operand]) => {
                let function: fn(f64) -> f64 = match name {
                    "exp" => toy_math::exp,
                    "log" => toy_math::log,
                    "sqrt" => f64::sqrt,
                    "sin" => toy_math::sin,
                    "cos" => toy_math::cos,
                    "tanh" => toy_math::tanh,
                    "abs" => f64::abs,
                    "floor" => f64::floor,
                    "round" => f64::round_ties_even,
                    "trunc" => f64::trunc,
                    "sign" => |x| match x.partial_cmp(&0.0) {
                        Some(order) => f64::from(order as i8),
                        None => x,
                    },
                    _ => return unchecked("an unknown builtin"),
                };
                // The others are exact, or rounding twice is rounding once.
                let other = |x: f32| function(x.into()) as f32;
                let single: &dyn Fn(f32) -> f32 = match name {
                    "exp" => &toy_math::expf,
                    "log" => &toy_math::logf,
                    "sin" => &toy_math::sinf,
                    "cos" => &toy_math::cosf,
                    "tanh" => &toy_math::tanhf,
                    _ => &other,
                };
                let operand = self.tensor(variables, operand)?;
                let result = operand.clone();
                let result = match operand.is_single {
                    true => result.mapped(|x| single(x as f32).into()),
                    false => result.mapped(function),
                };
                result.with_slopes_of_function(name, &operand)
            }
            _ => return unchecked("a builtin with other arguments"),
        };
        self.counted(result).map(Some)
    }

    fn reduced(
        &mut self,
        variables: &Variables<'m>,
        name: &str,
        operand: Tensor,
        (axis, keep): (Option<&'m Expr>, bool),
    ) -> Result<Tensor, Stop> {
        let axis = axis.map(|axis| self.axis(variables, axis, &operand.dims)).transpose()?;
        // Places are f64.
        let is_single = operand.is_single && !matches!(name, "argmax" | "argmin");
        let width = width_of([&operand]);
        let jets = if width > 1 { operand.jets(width) } else { Vec::new() };
        let Some(axis) = axis else {
            let elements = vec![reduce(name, &operand.elements, operand.is_single, true)];
            let slopes = slopes(&[Jet::reduced(name, &jets.iter().collect::<Vec<_>>())]);
            let dims = vec![1; if keep { operand.dims.len() } else { 0 }];
            return Ok(Tensor { dims, elements, is_single, slopes });
        };
        let is_last = axis + 1 == operand.dims.len();
        let inner: usize = operand.dims[axis + 1..].iter().product();
        let size = operand.dims[axis];
        let mut dims = operand.dims;
        dims.splice(axis..=axis, keep.then_some(1));
        let count = dims.iter().product::<usize>();
        let line = |position: usize| {
            let start = position / inner * size * inner + position % inner;
            (0..size).map(move |k| start + k * inner)
        };
        let one = |position: usize| {
            let elements: Vec<f64> = line(position).map(|at| operand.elements[at]).collect();
            reduce(name, &elements, operand.is_single, is_last)
        };
        let jet = |position: usize| {
            let line: Vec<&Jet> = line(position).filter_map(|at| jets.get(at)).collect();
            Jet::reduced(name, &line)
        };
        let slopes = slopes(&(0..count).map(jet).collect::<Vec<_>>());
        Ok(Tensor { dims, elements: (0..count).map(one).collect(), is_single, slopes })
    }

    /// Strings, scalars and lists share a line; other tensors have lines of their own.
    fn print(
        &mut self,
        values: Vec<Result<Tensor, String>>,
        (layout, end): (Option<Layout>, Option<&str>),
    ) {
        // The text between the last value and the next one, on the same line or on another one.
        let mut between = ["", ""];
        for value in values {
            let word = match value {
                Err(text) => text,
                Ok(tensor) if tensor.dims.is_empty() => tensor.words(layout).remove(0),
                Ok(tensor) => {
                    let is_list = tensor.dims.len() == 1;
                    self.output.push_str(between[usize::from(!is_list)]);
                    tensor.print(layout, &mut self.output);
                    between = if is_list { ["", "\n"] } else { ["", ""] };
                    continue;
                }
            };
            self.output.push_str(std::mem::replace(&mut between, [" ", "\n"])[0]);
            self.output.push_str(&word);
        }
        match end {
            Some(end) => self.output.push_str(end),
            None => self.output.push_str(between[1]),
        }
    }
}

/// The tensors of a value; before each field, a text with its name.
fn with_names(value: &Value, path: &str) -> Vec<Result<Tensor, String>> {
    match value {
        Value::Tensor(tensor) if path.is_empty() => vec![Ok(tensor.clone())],
        Value::Tensor(tensor) => vec![Err(format!("{path}:")), Ok(tensor.clone())],
        Value::Struct(_, fields) => {
            let dot = if path.is_empty() { "" } else { "." };
            let fields = fields.iter();
            fields
                .flat_map(|(name, field)| with_names(field, &format!("{path}{dot}{name}")))
                .collect()
        }
    }
}

/// Tensors one after the other along an axis.
pub fn joined(parts: &[Tensor], axis: usize) -> Result<Tensor, Stop> {
    let mut dims = parts[0].dims.clone();
    dims[axis] = 0;
    for part in parts {
        let mut others = part.dims.clone();
        let size = others.get(axis).copied().unwrap_or(0);
        if let Some(size) = others.get_mut(axis) {
            *size = dims[axis];
        }
        if others != dims {
            return Err(Stop::Shapes(format!("{:?} joined along {axis}", part.dims)));
        }
        dims[axis] += size;
    }
    let outer: usize = dims[..axis].iter().product();
    let all = |place| {
        let mut all = Vec::new();
        for index in 0..outer {
            for part in parts {
                let inner: usize = part.dims[axis..].iter().product();
                all.extend(&part.coefficients(place)[index * inner..(index + 1) * inner]);
            }
        }
        all
    };
    let slopes = (1..width_of(parts)).map(all).collect();
    let is_single = parts[0].is_single;
    if parts.iter().any(|part| part.is_single != is_single) {
        return Err(Stop::Shapes("elements of f32 and f64 are joined".to_owned()));
    }
    Ok(Tensor { dims, elements: all(0), is_single, slopes })
}

/// Reduces the elements in this order; a sum in eight parts, or one by one.
fn reduce(name: &str, elements: &[f64], is_single: bool, in_parts: bool) -> f64 {
    let rounded = |number| rounded(number, is_single);
    match name {
        "sum" if in_parts => {
            interleaved(elements.iter(), is_single, |sum, term| rounded(sum + term))
        }
        "sum" => elements.iter().fold(0.0, |sum, element| rounded(sum + element)),
        "mean" => {
            let sum = reduce("sum", elements, is_single, in_parts);
            rounded(sum / rounded(elements.len() as f64))
        }
        "prod" => {
            let mut parts = vec![1.0; if in_parts { 8 } else { 1 }];
            for (number, element) in elements.iter().enumerate() {
                let part = number % parts.len();
                parts[part] = rounded(parts[part] * element);
            }
            parts[1..].iter().fold(parts[0], |product, part| rounded(product * part))
        }
        "any" => f64::from(u8::from(elements.iter().any(|element| *element != 0.0))),
        "all" => f64::from(u8::from(elements.iter().all(|element| *element != 0.0))),
        "argmax" | "argmin" => {
            let is_better = |a: f64, b: f64| if name == "argmax" { a > b } else { a < b };
            let better = |best: usize, at: usize| {
                let (old, new) = (elements[best], elements[at]);
                let is_new = !old.is_nan() && (new.is_nan() || is_better(new, old));
                if is_new { at } else { best }
            };
            (1..elements.len()).fold(0, better) as f64
        }
        "max" => elements[1..].iter().fold(elements[0], |max, element| maximum(max, *element)),
        _ => elements[1..].iter().fold(elements[0], |min, element| minimum(min, *element)),
    }
}

/// NaNs are last, and equal numbers keep their order.
fn ascending(a: &f64, b: &f64) -> Ordering {
    a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Eight interleaved partial sums, which are added in their order.
pub fn interleaved<T>(
    terms: impl Iterator<Item = T>,
    is_single: bool,
    next: impl Fn(f64, T) -> f64,
) -> f64 {
    let mut partial = [0.0; 8];
    for (number, term) in terms.enumerate() {
        partial[number % 8] = next(partial[number % 8], term);
    }
    partial[1..].iter().fold(partial[0], |sum, part| rounded(sum + part, is_single))
}
