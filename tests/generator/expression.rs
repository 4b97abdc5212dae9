//! Expressions of a given type.
//!
//! Input: the body so far and a type. Output: the text of an expression; where a struct needs a
//! literal that is not allowed there, a variable is defined first. Invariants: every operand of a
//! chain is stretched to the wanted shape, which all together have, so that parentheses affect
//! values but never shapes; most divisors are not 0.

use super::{Bindings, Body, Generator, Shape, Type, parts};
use std::fmt::Write;

impl Generator {
    /// `is_known`: true if the place determines the struct of a literal.
    pub(super) fn expression(
        &mut self,
        body: &mut Body,
        ty: &Type,
        depth: usize,
        is_known: bool,
    ) -> String {
        match ty {
            Type::Tensor(shape) => self.tensor(body, shape, depth),
            Type::Struct(index, fields) => self.structure(body, *index, fields, depth, is_known),
        }
    }

    /// In a program of f32, each value is converted, which is nothing for those that are f32 already.
    pub(super) fn tensor(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> String {
        let value = self.any_tensor(body, shape, depth);
        if self.is_single { format!("f32({value})") } else { value }
    }

    fn any_tensor(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> String {
        body.spend(1);
        let wrong = Shape::Fixed(self.dims());
        let shape = if self.random.chance(self.style.mistakes) { &wrong } else { shape };
        if depth > 0
            && self.style.builtins > 0
            && self.random.chance(self.style.builtins)
            && let Some(value) = self.builtin(body, shape, depth)
        {
            return value;
        }
        if depth > 0 {
            match self.random.below(9) {
                0..=2 => return self.binary(body, shape, depth),
                3 => {
                    return self.transposition(body, shape, depth);
                }
                4 => return format!("-{}", self.operand(body, shape, depth)),
                5 | 6 => {
                    let wanted = Type::Tensor(shape.clone());
                    if let Some(call) = self.call_with_result(body, &wanted, depth) {
                        return call;
                    }
                }
                _ => {}
            }
        }
        self.leaf(body, shape, depth)
    }

    fn binary(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> String {
        let (left, right) = self.stretched_pair(shape);
        let lhs = self.operand(body, &left, depth);
        let operator = self.random.pick(&["+", "-", "*", "+", "*", "/", "%"]);
        let rhs = match operator {
            // A scalar as well, if need be: then the left operand has the shape.
            "/" | "%" if left == *shape && self.random.chance(80) => {
                let divisor = self.divisor(&right);
                if self.is_single { format!("f32({divisor})") } else { divisor }
            }
            _ => self.operand(body, &right, depth),
        };
        let space = self.random.pick(&[" ", " ", " ", ""]);
        format!("{lhs}{space}{operator}{space}{rhs}")
    }

    /// Shapes that are stretched to a shape: both together have each of its sizes.
    pub(super) fn stretched_pair(&mut self, shape: &Shape) -> (Shape, Shape) {
        let other = self.stretched(shape);
        match (self.random.below(10), shape) {
            (0 | 1, _) => (other, shape.clone()),
            (2 | 3, _) => (shape.clone(), other),
            (4, Shape::Fixed(dims)) => {
                let one = |&size: &usize| match self.random.chance(50) {
                    true => (1, size),
                    false => (size, 1),
                };
                let (a, b) = dims.iter().map(one).unzip();
                (Shape::Fixed(a), Shape::Fixed(b))
            }
            _ => (shape.clone(), shape.clone()),
        }
    }

    /// A shape without some of the first dimensions of another one, and with sizes 1 among the others.
    pub(super) fn stretched(&mut self, shape: &Shape) -> Shape {
        let Shape::Fixed(dims) = shape else { return Shape::Fixed(Vec::new()) };
        let missing = match self.random.chance(30) {
            true => dims.len(),
            false => self.random.below(dims.len() + 1),
        };
        let size = |size: &usize| if self.random.chance(40) { 1 } else { *size };
        Shape::Fixed(dims[missing..].iter().map(size).collect())
    }

    fn transposition(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> String {
        if let Shape::Fixed(dims) = shape
            && !dims.is_empty()
            && self.random.chance(40)
        {
            let mut order: Vec<usize> = (0..dims.len()).collect();
            for at in (1..order.len()).rev() {
                order.swap(at, self.random.below(at + 1));
            }
            let mut of_operand = dims.clone();
            order.iter().zip(dims).for_each(|(at, size)| of_operand[*at] = *size);
            let operand = self.tensor(body, &Shape::Fixed(of_operand), depth - 1);
            let axes = order.iter().map(|at| self.axis_text(*at, dims.len()));
            return format!("transpose({operand}, {})", axes.collect::<Vec<_>>().join(", "));
        }
        format!("transpose({})", self.tensor(body, &shape.transposed(), depth - 1))
    }

    pub(super) fn operand(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> String {
        let operand = self.tensor(body, shape, depth - 1);
        // Without parentheses, precedence decides.
        if self.random.chance(50) { format!("({operand})") } else { operand }
    }

    /// A nonzero divisor, with the shape or a scalar.
    fn divisor(&mut self, shape: &Shape) -> String {
        match shape {
            Shape::Fixed(dims) if self.random.chance(50) => {
                self.literal_of(dims, &mut |generator| generator.divisor_number())
            }
            _ => self.divisor_number(),
        }
    }

    fn divisor_number(&mut self) -> String {
        let number = (1 + self.random.below(32)) as f64 / 4.0;
        match self.random.below(6) {
            0 => format!("-{number}"),
            1 => format!("{number}e{}", self.random.below(3)),
            _ => number.to_string(),
        }
    }

    fn structure(
        &mut self,
        body: &mut Body,
        index: usize,
        fields: &[Type],
        depth: usize,
        is_known: bool,
    ) -> String {
        body.spend(1);
        let wanted = Type::Struct(index, fields.to_vec());
        if depth > 0
            && self.random.chance(35)
            && let Some(call) = self.call_with_result(body, &wanted, depth)
        {
            return call;
        }
        let same = self.fitting(body, &wanted);
        if !same.is_empty() && self.random.chance(60) {
            return same[self.random.below(same.len())].clone();
        }
        let depth = depth.saturating_sub(1);
        let values: Vec<_> =
            fields.iter().map(|field| self.expression(body, field, depth, true)).collect();
        let literal = format!("{{{}}}", values.join(", "));
        if is_known {
            return if self.random.chance(10) { format!("({literal})") } else { literal };
        }
        let name = self.new_name(body, "s");
        let _ = writeln!(body.text, "  {} {name} = {literal};", self.structs[index].name);
        body.values.push((name.clone(), wanted));
        name
    }

    /// The values in scope that have the type.
    fn fitting(&mut self, body: &Body, wanted: &Type) -> Vec<String> {
        let places = self.places(body).into_iter().filter(|(_, ty)| ty == wanted);
        let mut same: Vec<_> = places.map(|(place, _)| place).collect();
        for place in &mut same {
            // Parentheses around a part of an access change nothing.
            if let Some((base, field)) = place.rsplit_once('.')
                && self.random.chance(10)
            {
                *place = format!("({base}).{field}");
            }
        }
        same
    }

    fn leaf(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> String {
        let same = self.fitting(body, &Type::Tensor(shape.clone()));
        if !same.is_empty() && self.random.chance(80) {
            return same[self.random.below(same.len())].clone();
        }
        match shape {
            Shape::Fixed(dims) if depth > 0 && !dims.is_empty() && self.random.chance(30) => {
                self.literal_of(dims, &mut |generator| generator.element(body, depth - 1))
            }
            Shape::Fixed(dims) => self.literal_of(dims, &mut |generator| generator.number()),
            // The parameter that introduced the variable has one of the two shapes.
            Shape::Variable(..) => match same.first() {
                Some(place) => place.clone(),
                None => {
                    let transposed = self.fitting(body, &Type::Tensor(shape.transposed()));
                    format!("transpose({})", transposed[0])
                }
            },
        }
    }

    fn literal_of(
        &mut self,
        dims: &[usize],
        element: &mut impl FnMut(&mut Generator) -> String,
    ) -> String {
        let Some((count, inner)) = dims.split_first() else { return element(self) };
        let items: Vec<_> = (0..*count).map(|_| self.literal_of(inner, element)).collect();
        format!("[{}]", items.join(", "))
    }

    /// A scalar of a literal.
    fn element(&mut self, body: &mut Body, depth: usize) -> String {
        if self.random.chance(60) {
            return self.number();
        }
        let value = self.tensor(body, &Shape::Fixed(Vec::new()), depth);
        // Only errors of shapes are wanted: a list would change the type of the literal's elements.
        let may_be_list = value.starts_with(['[', '(']);
        if may_be_list { format!("transpose({value})") } else { value }
    }

    fn number(&mut self) -> String {
        match self.random.below(16) {
            0 => self.random.pick(&["0", "0", "pi", "inf"]).to_owned(),
            1 => "1.".to_owned(),
            2 => format!("{}.{:06}", self.random.below(1000), self.random.below(1_000_000)),
            3 => format!("0.000000{}", self.random.below(1000)),
            4 => format!("{}", self.random.next()),
            5 => format!(".{}", self.random.below(1000)),
            6 => {
                let exponent = self.random.pick(&["e", "E", "e+", "e-", "E-"]);
                format!("{}{exponent}{}", self.random.below(100), self.random.below(6))
            }
            7 => format!("-{}.5e0{}", self.random.below(20), self.random.below(3)),
            _ => format!("{}", self.random.below(100) as f64 / 4.0),
        }
    }

    /// A call whose result, or a part of it, has the type.
    fn call_with_result(&mut self, body: &mut Body, wanted: &Type, depth: usize) -> Option<String> {
        let mut candidates: Vec<(usize, String, Bindings)> = Vec::new();
        for (index, function) in self.functions.iter().enumerate() {
            let parts = function.result.iter().flat_map(|result| parts(&self.structs, result));
            for (path, part) in parts {
                let mut bindings = vec![None; function.variables];
                if part.bind(wanted, &mut bindings) {
                    candidates.push((index, path, bindings));
                }
            }
        }
        if candidates.is_empty() {
            return None;
        }
        let (callee, path, bindings) = candidates.swap_remove(self.random.below(candidates.len()));
        let call = self.call(body, callee, bindings, depth)?;
        Some(format!("{call}{path}"))
    }

    pub(super) fn call(
        &mut self,
        body: &mut Body,
        callee: usize,
        bindings: Bindings,
        depth: usize,
    ) -> Option<String> {
        let cost = self.functions[callee].cost;
        if !body.can_spend(cost) {
            return None;
        }
        body.spend(cost);
        let counts = self.functions[callee].counts;
        let bindings: Vec<Shape> = bindings
            .into_iter()
            .map(|binding| binding.unwrap_or_else(|| self.some_shape(body)))
            .collect();
        let parameters = self.functions[callee].parameters.clone();
        let mut arguments: Vec<String> = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            if counts && index == 0 {
                arguments.push(self.random.below(4).to_string());
                continue;
            }
            // A variable may be given twice, and be updated in two ways. The count is a literal of f64.
            let is_again = index > usize::from(counts) && parameters[index - 1] == *parameter;
            let last = arguments.last().filter(|last| is_again && last.len() < 4).cloned();
            arguments.push(match last {
                Some(last) if self.random.chance(40) => last,
                _ => {
                    let wanted = parameter.bound(&bindings);
                    self.expression(body, &wanted, depth.saturating_sub(1), true)
                }
            });
        }
        Some(format!("{}({})", self.functions[callee].name, arguments.join(", ")))
    }
}
