//! Gradients by forward mode: dual numbers.
//!
//! Input: a function and its arguments. Output: its gradient, one element after the other: the function runs with a
//! slope of 1 at one element of a parameter, and each operation computes the slope of its result from the slopes of its
//! operands. If these have slopes already, because the function is called by one whose gradient is computed, then slopes
//! have slopes ([`Jet`]). The compiler goes the other way through the program, so the two share no rule. Invariant: slopes
//! are f64.

use super::jet::Jet;
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
        let mut results = Vec::new();
        if derivative.with_value() {
            results.extend(self.silently(function, arguments.clone())?);
        }
        // A function knows nothing but its arguments, so no others have slopes that matter.
        let width = arguments.values().map(width).max().unwrap_or(1);
        for number in derivative.parameters() {
            let name = function.parameters[number].name.text.as_str();
            let mut gradient = arguments[name].clone();
            let count = count(&gradient);
            let mut slopes = Vec::new();
            for element in 0..count {
                let mut arguments = arguments.clone();
                let argument = arguments.get_mut(name).expect("a parameter");
                seed(argument, width, element, &mut 0);
                match self.silently(function, arguments)? {
                    Some(Value::Tensor(result)) if result.dims.is_empty() => {
                        let jet = result.jets(2 * width).remove(0);
                        slopes.push(Jet(jet.0[width..].to_vec()));
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

/// The most coefficients of an element.
fn width(value: &Value) -> usize {
    match value {
        Value::Tensor(tensor) => tensor.slopes.len() + 1,
        Value::Struct(_, fields) => fields.iter().map(|(_, field)| width(field)).max().unwrap_or(1),
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Tensor(tensor) => tensor.elements.len(),
        Value::Struct(_, fields) => fields.iter().map(|(_, field)| count(field)).sum(),
    }
}

/// Gives the element with a number the slope 1 with a new variable, and all others 0.
fn seed(value: &mut Value, width: usize, element: usize, before: &mut usize) {
    match value {
        Value::Tensor(tensor) => {
            let zeros = vec![0.0; tensor.elements.len()];
            tensor.slopes.resize(2 * width - 1, zeros);
            let place = element.checked_sub(*before).filter(|it| *it < tensor.elements.len());
            place.into_iter().for_each(|place| tensor.slopes[width - 1][place] = 1.0);
            *before += tensor.elements.len();
        }
        Value::Struct(_, fields) => {
            fields.iter_mut().for_each(|(_, field)| seed(field, width, element, before));
        }
    }
}

/// Replaces all elements of a value.
fn replace(value: &mut Value, by: &mut impl Iterator<Item = Jet>) {
    match value {
        Value::Tensor(tensor) => {
            let jets: Vec<Jet> = by.take(tensor.elements.len()).collect();
            tensor.elements = jets.iter().map(Jet::value).collect();
            tensor.slopes = slopes(&jets);
        }
        Value::Struct(_, fields) => {
            // Not `for_each` with a generic iterator by value: it is shared.
            for (_, field) in fields {
                replace(field, by);
            }
        }
    }
}

/// The slopes of numbers, as a tensor has them.
pub fn slopes(jets: &[Jet]) -> Vec<Vec<f64>> {
    let width = jets.first().map_or(1, |jet| jet.0.len());
    (1..width).map(|place| jets.iter().map(|jet| jet.0[place]).collect()).collect()
}

/// The most coefficients of an element of some tensors.
pub fn width_of<'t>(tensors: impl IntoIterator<Item = &'t Tensor>) -> usize {
    tensors.into_iter().map(|tensor| tensor.slopes.len() + 1).max().unwrap_or(1)
}

impl Tensor {
    pub fn without_slopes(&self) -> Tensor {
        Tensor { slopes: Vec::new(), ..self.clone() }
    }

    /// The coefficients of all elements that have a place: the elements, or a slope of them.
    pub fn coefficients(&self, place: usize) -> Vec<f64> {
        match place.checked_sub(1) {
            None => self.elements.clone(),
            Some(slope) => {
                let zeros = || vec![0.0; self.elements.len()];
                self.slopes.get(slope).cloned().unwrap_or_else(zeros)
            }
        }
    }

    /// The elements with so many coefficients.
    pub fn jets(&self, width: usize) -> Vec<Jet> {
        let all: Vec<_> = (0..width).map(|place| self.coefficients(place)).collect();
        let jet = |at: usize| Jet(all.iter().map(|one| one[at]).collect());
        (0..self.elements.len()).map(jet).collect()
    }

    /// The slopes of an operation that is linear are what it makes of slopes.
    pub fn linear(
        self,
        operand: &Tensor,
        operation: impl Fn(&Tensor) -> Result<Tensor, Stop>,
    ) -> Result<Tensor, Stop> {
        let one = |slope: &Vec<f64>| {
            let made = operation(&Tensor::new(operand.dims.clone(), slope.clone()))?;
            Ok(made.elements)
        };
        Ok(Tensor { slopes: operand.slopes.iter().map(one).collect::<Result<_, _>>()?, ..self })
    }

    pub fn negated(self) -> Tensor {
        let one = |slope: &Vec<f64>| slope.iter().map(|it| -it).collect();
        let slopes = self.slopes.iter().map(one).collect();
        Tensor { slopes, ..self.mapped(|element| -element) }
    }

    pub fn with_slopes_of(
        self,
        operator: BinaryOperator,
        a: &Tensor,
        b: &Tensor,
    ) -> Result<Tensor, Stop> {
        if operator == BinaryOperator::MatMul {
            return self.with_slopes_of_product(a, b);
        }
        self.slopes_of_two(a, b, |[x, y], value| {
            Jet::of_two([x, y], value, &|[a, b, r]| {
                let number = |number| a.constant(number);
                match operator {
                    BinaryOperator::Add => [number(1.0), number(1.0)],
                    BinaryOperator::Sub => [number(1.0), number(-1.0)],
                    BinaryOperator::Mul => [b.clone(), a.clone()],
                    BinaryOperator::Div => [&number(1.0) / b, -&(r / b)],
                    BinaryOperator::Rem => {
                        let quotient = ((a.value() - r.value()) / b.value()).round();
                        [number(1.0), number(-quotient)]
                    }
                    _ => [number(0.0), number(0.0)],
                }
            })
        })
    }

    /// Each coefficient is a sum of products of those whose variables are its own.
    fn with_slopes_of_product(self, a: &Tensor, b: &Tensor) -> Result<Tensor, Stop> {
        let part = |it: &Tensor, place| Tensor::new(it.dims.clone(), it.coefficients(place));
        let mut slopes = Vec::new();
        for place in 1..width_of([a, b]) {
            let mut slope = vec![0.0; self.elements.len()];
            for of_a in (0..=place).filter(|of_a| of_a & place == *of_a) {
                let product =
                    part(a, of_a).combined(BinaryOperator::MatMul, &part(b, place ^ of_a))?;
                slope.iter_mut().zip(product.elements).for_each(|(sum, more)| *sum += more);
            }
            slopes.push(slope);
        }
        Ok(Tensor { slopes, ..self })
    }

    /// The slopes of `max`, `min` and `pow`.
    pub fn with_slopes_of_pair(self, name: &str, a: &Tensor, b: &Tensor) -> Result<Tensor, Stop> {
        self.slopes_of_two(a, b, |[x, y], value| {
            let (a, b) = (x.value(), y.value());
            let is_first = match name {
                "max" => a == b || maximum(a, b) == a,
                "min" => a == b || minimum(a, b) == a,
                _ => return x.power(y, value),
            };
            if is_first { x.clone() } else { y.clone() }
        })
    }

    fn slopes_of_two(
        self,
        a: &Tensor,
        b: &Tensor,
        operation: impl Fn([&Jet; 2], f64) -> Jet,
    ) -> Result<Tensor, Stop> {
        let width = width_of([a, b]);
        if width == 1 {
            return Ok(self);
        }
        let (a, b) = (a.stretched(&self.dims)?.jets(width), b.stretched(&self.dims)?.jets(width));
        let pairs = a.iter().zip(&b).zip(&self.elements);
        let jets: Vec<Jet> = pairs.map(|((a, b), value)| operation([a, b], *value)).collect();
        Ok(Tensor { slopes: slopes(&jets), ..self })
    }

    /// The slopes of a function of each element.
    pub fn with_slopes_of_function(self, name: &str, operand: &Tensor) -> Tensor {
        let width = width_of([operand]);
        if width == 1 {
            return self;
        }
        let jets = operand.jets(width);
        let pairs = jets.iter().zip(&self.elements);
        let jets: Vec<Jet> = pairs.map(|(x, value)| x.function(name, *value)).collect();
        Tensor { slopes: slopes(&jets), ..self }
    }
}
