//! Gradients by forward mode: dual numbers.
//!
//! Input: a function and its arguments. Output: its gradient, one element after the other: the function runs with a
//! slope of 1 at one element of a parameter, and each operation computes the slope of its result from the slopes of its
//! operands. The compiler goes the other way through the program, so the two share no rule. Invariant: slopes are f64.

use super::tensor::{Tensor, maximum, minimum};
use super::{Interpreter, Stop, Value, Variables, unchecked};
use toy_compiler::syntax::ast::{BinaryOperator, Call, Derivative, Function, Name};

impl<'m> Interpreter<'m> {
    /// The value, if it is wanted, and the gradients.
    pub fn derivative(
        &mut self,
        function: &'m Function,
        arguments: &Variables<'m>,
        derivative: &Derivative,
    ) -> Result<Vec<Value<'m>>, Stop> {
        // Slopes have no slopes: gradients of gradients are not for this oracle.
        if arguments.values().any(has_slopes) {
            return Err(Stop::TooMuch);
        }
        let mut results = Vec::new();
        if derivative.with_value() {
            results.extend(self.silently(function, arguments.clone())?);
        }
        for number in derivative.parameters() {
            let name = function.parameters[number].name.text.as_str();
            let mut gradient = arguments[name].clone();
            let count = count(&gradient);
            let mut slopes = Vec::new();
            for element in 0..count {
                let mut arguments = arguments.clone();
                seed(arguments.get_mut(name).expect("a parameter"), element, &mut 0);
                match self.silently(function, arguments)? {
                    Some(Value::Tensor(result)) if result.dims.is_empty() => {
                        slopes.push(result.slope()[0]);
                    }
                    _ => return Err(Stop::Shapes("a gradient of a tensor".to_owned())),
                }
            }
            replace(&mut gradient, &mut slopes.into_iter());
            results.push(gradient);
        }
        Ok(results)
    }

    /// Several results, in the struct that the context says.
    pub fn structure_of_derivative(
        &mut self,
        variables: &Variables<'m>,
        call: &'m Call,
        ty: &'m Name,
    ) -> Result<Value<'m>, Stop> {
        let (Some(derivative), definition) = (&call.derivative, self.structs[ty.text.as_str()])
        else {
            return unchecked("no derivative");
        };
        let callee = self.functions[call.callee.text.as_str()];
        let mut values = Variables::new();
        for (parameter, argument) in callee.parameters.iter().zip(&call.arguments) {
            let value = self.value_of(variables, argument, parameter.ty.as_ref())?;
            values.insert(&parameter.name.text, value);
        }
        let results = self.derivative(callee, &values, derivative)?;
        let names = definition.fields.iter().map(|field| field.name.text.as_str());
        Ok(Value::Struct(definition, names.zip(results).collect()))
    }

    /// Runs a function that prints nothing.
    fn silently(
        &mut self,
        function: &'m Function,
        arguments: Variables<'m>,
    ) -> Result<Option<Value<'m>>, Stop> {
        let length = self.output.len();
        let result = self.run(function, arguments);
        self.output.truncate(length);
        result
    }
}

fn has_slopes(value: &Value) -> bool {
    match value {
        Value::Tensor(tensor) => tensor.slopes.is_some(),
        Value::Struct(_, fields) => fields.iter().any(|(_, field)| has_slopes(field)),
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Tensor(tensor) => tensor.elements.len(),
        Value::Struct(_, fields) => fields.iter().map(|(_, field)| count(field)).sum(),
    }
}

/// Gives the element with a number the slope 1, and all others 0.
fn seed(value: &mut Value, element: usize, before: &mut usize) {
    match value {
        Value::Tensor(tensor) => {
            let mut slopes = vec![0.0; tensor.elements.len()];
            let place = element.checked_sub(*before).filter(|place| *place < slopes.len());
            place.into_iter().for_each(|place| slopes[place] = 1.0);
            *before += slopes.len();
            tensor.slopes = Some(slopes);
        }
        Value::Struct(_, fields) => {
            fields.iter_mut().for_each(|(_, field)| seed(field, element, before));
        }
    }
}

/// Replaces all elements of a value.
fn replace(value: &mut Value, by: &mut impl Iterator<Item = f64>) {
    match value {
        Value::Tensor(tensor) => {
            tensor.elements.iter_mut().zip(by).for_each(|(element, new)| *element = new);
        }
        Value::Struct(_, fields) => {
            // Not `for_each` with a generic iterator by value: it is shared.
            for (_, field) in fields {
                replace(field, by);
            }
        }
    }
}

impl Tensor {
    pub fn without_slopes(&self) -> Tensor {
        Tensor { slopes: None, ..self.clone() }
    }

    /// The slope of each element.
    pub fn slope(&self) -> Vec<f64> {
        self.slopes.clone().unwrap_or_else(|| vec![0.0; self.elements.len()])
    }

    /// The slopes as a tensor.
    fn of_slopes(&self) -> Tensor {
        Tensor::new(self.dims.clone(), self.slope())
    }

    /// The slopes of an operation that is linear are what it makes of slopes.
    pub fn linear(
        self,
        operand: &Tensor,
        operation: impl Fn(&Tensor) -> Result<Tensor, Stop>,
    ) -> Result<Tensor, Stop> {
        let slopes = operand.slopes.is_some().then(|| operation(&operand.of_slopes()));
        Ok(Tensor { slopes: slopes.transpose()?.map(|slopes| slopes.elements), ..self })
    }

    pub fn negated(self) -> Tensor {
        let slopes = self.slopes.as_ref().map(|slopes| slopes.iter().map(|it| -it).collect());
        Tensor { slopes, ..self.mapped(|element| -element) }
    }

    pub fn with_slopes_of(
        self,
        operator: BinaryOperator,
        a: &Tensor,
        b: &Tensor,
    ) -> Result<Tensor, Stop> {
        if operator == BinaryOperator::MatMul {
            if a.slopes.is_none() && b.slopes.is_none() {
                return Ok(self);
            }
            let plain = |it: &Tensor| it.without_slopes().converted(false);
            let one = a.of_slopes().combined(operator, &plain(b))?;
            let other = plain(a).combined(operator, &b.of_slopes())?;
            let slopes = one.elements.iter().zip(&other.elements).map(|(a, b)| a + b).collect();
            return Ok(Tensor { slopes: Some(slopes), ..self });
        }
        self.slopes_of_two(a, b, |[a, b, r], [da, db]| match operator {
            BinaryOperator::Add => da + db,
            BinaryOperator::Sub => da - db,
            BinaryOperator::Mul => da * b + a * db,
            BinaryOperator::Div => (da - r * db) / b,
            BinaryOperator::Rem => da - db * ((a - r) / b).round(),
            _ => 0.0,
        })
    }

    /// The slopes of `max`, `min` and `pow`.
    pub fn with_slopes_of_pair(self, name: &str, a: &Tensor, b: &Tensor) -> Result<Tensor, Stop> {
        self.slopes_of_two(a, b, |[a, b, r], [da, db]| match name {
            "max" => {
                if a == b || maximum(a, b) == a {
                    da
                } else {
                    db
                }
            }
            "min" => {
                if a == b || minimum(a, b) == a {
                    da
                } else {
                    db
                }
            }
            _ => {
                let by_a =
                    if b == 0.0 || da == 0.0 { 0.0 } else { da * b * toy_math::pow(a, b - 1.0) };
                let by_b = if a == 0.0 || db == 0.0 { 0.0 } else { db * r * toy_math::log(a) };
                by_a + by_b
            }
        })
    }

    fn slopes_of_two(
        self,
        a: &Tensor,
        b: &Tensor,
        slope: impl Fn([f64; 3], [f64; 2]) -> f64,
    ) -> Result<Tensor, Stop> {
        if a.slopes.is_none() && b.slopes.is_none() {
            return Ok(self);
        }
        let (a, b) = (a.stretched(&self.dims)?, b.stretched(&self.dims)?);
        let (das, dbs) = (a.slope(), b.slope());
        let one = |at: usize| {
            slope([a.elements[at], b.elements[at], self.elements[at]], [das[at], dbs[at]])
        };
        let slopes = Some((0..self.elements.len()).map(one).collect());
        Ok(Tensor { slopes, ..self })
    }

    /// The slopes of a function of each element.
    pub fn with_slopes_of_function(self, name: &str, operand: &Tensor) -> Tensor {
        let Some(slopes) = &operand.slopes else { return self };
        let slope = |at: usize| {
            let (x, r) = (operand.elements[at], self.elements[at]);
            let derivative = match name {
                "exp" => r,
                "log" => 1.0 / x,
                "sqrt" => {
                    if x == 0.0 {
                        0.0
                    } else {
                        0.5 / r
                    }
                }
                "sin" => toy_math::cos(x),
                "cos" => -toy_math::sin(x),
                "tanh" => 1.0 - r * r,
                "abs" => {
                    if x > 0.0 {
                        1.0
                    } else if x < 0.0 {
                        -1.0
                    } else {
                        0.0
                    }
                }
                _ => 0.0,
            };
            slopes[at] * derivative
        };
        let slopes = Some((0..slopes.len()).map(slope).collect());
        Tensor { slopes, ..self }
    }
}

/// The slope of a reduction of elements.
pub fn slope_of_reduction(name: &str, elements: &[f64], slopes: &[f64]) -> f64 {
    match name {
        "sum" => slopes.iter().sum(),
        "mean" => slopes.iter().sum::<f64>() / slopes.len() as f64,
        "prod" => {
            let others = |at: usize| {
                let all = elements.iter().enumerate();
                all.filter(|(other, _)| *other != at).map(|(_, it)| it).product::<f64>()
            };
            slopes.iter().enumerate().map(|(at, slope)| slope * others(at)).sum()
        }
        "max" | "min" => {
            let is_better = |a: f64, b: f64| if name == "max" { a > b } else { a < b };
            let better = |best: usize, at: usize| {
                if is_better(elements[at], elements[best]) { at } else { best }
            };
            slopes[(1..elements.len()).fold(0, better)]
        }
        _ => 0.0,
    }
}
