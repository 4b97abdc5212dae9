//! Random well-typed Toy programs, from a seed.
//!
//! Input: a seed and a style. Output: the text of a program. Invariants: the same seed gives the
//! same text; the program is well-typed unless mistakes are asked for, then it may not be; it ends
//! (functions only call functions generated before them), prints something, and is small.
//!
//! Functions are generic: the shape of a parameter is a variable of the function's signature,
//! possibly transposed, or a fixed shape. Expressions are generated from the shape they shall have.

use std::fmt::Write;

/// SplitMix64: small, good enough, and the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

#[derive(Clone, Copy)]
pub struct Style {
    /// How many of a hundred operands get a shape of their own.
    pub mistakes: usize,
    pub max_functions: usize,
    pub max_statements: usize,
}

pub const WELL_TYPED: Style = Style { mistakes: 0, max_functions: 5, max_statements: 7 };
pub const WITH_MISTAKES: Style = Style { mistakes: 3, max_functions: 4, max_statements: 5 };

/// What is known about the shape of a value inside a generic function.
#[derive(Clone, PartialEq, Debug)]
enum Shape {
    Fixed(Vec<usize>),
    /// A variable of the signature; the flag says transposed.
    Variable(usize, bool),
}

impl Shape {
    fn transposed(&self) -> Shape {
        match self {
            Shape::Fixed(dims) => Shape::Fixed(dims.iter().rev().copied().collect()),
            Shape::Variable(index, flag) => Shape::Variable(*index, !flag),
        }
    }
}

/// A function that later ones may call.
struct Function {
    name: String,
    parameters: Vec<Shape>,
    result: Option<Shape>,
    variables: usize,
    /// How many operations a call of it runs, roughly.
    cost: usize,
}

struct Generator {
    random: Random,
    style: Style,
    functions: Vec<Function>,
}

/// The body that is being generated.
#[derive(Default)]
struct Body {
    text: String,
    /// The variables in scope.
    values: Vec<(String, Shape)>,
    names: usize,
    cost: usize,
}

/// Programs that run longer than this test nothing more.
const MAX_COST: usize = 2_000;

pub fn program(seed: u64, style: Style) -> String {
    let mut generator = Generator { random: Random::new(seed), style, functions: Vec::new() };
    let count = generator.random.below(style.max_functions);
    let mut texts = Vec::new();
    for index in 0..count {
        texts.push(generator.function(index));
    }
    texts.push(generator.main());
    // A function may be defined after the functions that call it.
    for index in (1..texts.len()).rev() {
        texts.swap(index, generator.random.below(index + 1));
    }
    texts.join("\n")
}

impl Generator {
    fn function(&mut self, index: usize) -> String {
        let variables = self.random.below(3);
        let mut parameters: Vec<_> = (0..variables).map(|v| Shape::Variable(v, false)).collect();
        for _ in 0..self.random.below(3) {
            let shape = if variables > 0 && self.random.chance(60) {
                Shape::Variable(self.random.below(variables), self.random.chance(30))
            } else {
                Shape::Fixed(self.dims())
            };
            parameters.push(shape);
        }
        let mut body = Body::default();
        let mut names = Vec::new();
        for shape in &parameters {
            let name = body.new_name("p");
            names.push(name.clone());
            body.values.push((name, shape.clone()));
        }
        self.statements(&mut body);
        let result = self.random.chance(75).then(|| self.some_shape(&body));
        match &result {
            Some(shape) => {
                let value = self.expression(&mut body, shape, 2);
                let _ = writeln!(body.text, "  return {value};");
            }
            None if self.random.chance(30) => body.text.push_str("  return;\n"),
            None => {}
        }
        if self.random.chance(5) && body.text.contains("return") {
            body.text.push_str("  print(7);\n");
        }
        let name = format!("f{index}");
        let text = format!("def {name}({}) {{\n{}}}\n", names.join(", "), body.text);
        self.functions.push(Function { name, parameters, result, variables, cost: body.cost + 1 });
        text
    }

    fn main(&mut self) -> String {
        let mut body = Body::default();
        self.statements(&mut body);
        self.statements(&mut body);
        let shape = self.some_shape(&body);
        let value = self.expression(&mut body, &shape, 2);
        let _ = writeln!(body.text, "  print({value});");
        // Where there may be mistakes, all of them shall be met: the interpreter only sees what runs.
        let callees = if self.style.mistakes > 0 { self.functions.len() } else { 0 };
        for callee in 0..callees {
            body.cost = 0;
            let bindings = vec![None; self.functions[callee].variables];
            if let Some(call) = self.call(&mut body, callee, bindings, 1) {
                let _ = writeln!(body.text, "  {call};");
            }
        }
        for index in 0..body.values.len() {
            if self.random.chance(40) {
                let _ = writeln!(body.text, "  print({});", body.values[index].0);
            }
        }
        format!("def main() {{\n{}}}\n", body.text)
    }

    fn statements(&mut self, body: &mut Body) {
        for _ in 0..1 + self.random.below(self.style.max_statements) {
            self.statement(body);
        }
    }

    fn statement(&mut self, body: &mut Body) {
        match self.random.below(10) {
            0..=3 => {
                let shape = self.some_shape(body);
                let value = self.expression(body, &shape, 3);
                let name = body.new_name("v");
                let _ = writeln!(body.text, "  var {name} = {value};");
                body.values.push((name, shape));
            }
            4 | 5 => self.declaration_with_shape(body),
            6 | 7 => {
                let shape = self.some_shape(body);
                let value = self.expression(body, &shape, 2);
                let _ = writeln!(body.text, "  print({value});");
            }
            8 => {
                let shape = self.some_shape(body);
                let value = self.expression(body, &shape, 2);
                let _ = writeln!(body.text, "  {value};");
            }
            _ => {
                let void: Vec<_> = (0..self.functions.len())
                    .filter(|f| self.functions[*f].result.is_none())
                    .collect();
                if let Some(callee) = void.get(self.random.below(void.len().max(1))).copied() {
                    let bindings = vec![None; self.functions[callee].variables];
                    if let Some(call) = self.call(body, callee, bindings, 2) {
                        let _ = writeln!(body.text, "  {call};");
                    }
                }
            }
        }
    }

    /// `var x<...> = e`: the same shape, another one of as many elements, or a filled one.
    fn declaration_with_shape(&mut self, body: &mut Body) {
        let dims = self.dims();
        let from = match self.random.below(4) {
            0 => vec![],
            1 => dims.clone(),
            _ => self.regrouped(&dims),
        };
        let value = self.expression(body, &Shape::Fixed(from), 2);
        let name = body.new_name("r");
        let list: Vec<_> = dims.iter().map(usize::to_string).collect();
        let _ = writeln!(body.text, "  var {name}<{}> = {value};", list.join(", "));
        body.values.push((name, Shape::Fixed(dims)));
    }

    /// Other dimensions with as many elements.
    fn regrouped(&mut self, dims: &[usize]) -> Vec<usize> {
        let mut rest: usize = dims.iter().product();
        let mut result = Vec::new();
        while result.len() < 4 {
            let divisors: Vec<_> =
                (1..=rest).filter(|divisor| rest.is_multiple_of(*divisor)).collect();
            let divisor = divisors[self.random.below(divisors.len())];
            result.push(divisor);
            rest /= divisor;
            if rest == 1 && self.random.chance(60) {
                break;
            }
        }
        if rest > 1 {
            result.push(rest);
        }
        result
    }

    fn dims(&mut self) -> Vec<usize> {
        let rank = [0, 0, 1, 1, 2, 2, 2, 3, 3, 4][self.random.below(10)];
        (0..rank).map(|_| 1 + self.random.below(if rank > 2 { 3 } else { 4 })).collect()
    }

    /// Mostly a shape that something in scope has.
    fn some_shape(&mut self, body: &Body) -> Shape {
        if !body.values.is_empty() && self.random.chance(75) {
            let shape = body.values[self.random.below(body.values.len())].1.clone();
            return if self.random.chance(25) { shape.transposed() } else { shape };
        }
        Shape::Fixed(self.dims())
    }

    fn expression(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> String {
        body.cost += 1;
        let wrong = Shape::Fixed(self.dims());
        let shape = if self.random.chance(self.style.mistakes) { &wrong } else { shape };
        if depth > 0 {
            match self.random.below(8) {
                0 | 1 => {
                    let lhs = self.operand(body, shape, depth);
                    let rhs = self.operand(body, shape, depth);
                    return format!("{lhs} {} {rhs}", ["+", "*"][self.random.below(2)]);
                }
                2 => {
                    return format!(
                        "transpose({})",
                        self.expression(body, &shape.transposed(), depth - 1)
                    );
                }
                3 | 4 => {
                    if let Some(call) = self.call_with_result(body, shape, depth) {
                        return call;
                    }
                }
                _ => {}
            }
        }
        self.leaf(body, shape)
    }

    fn operand(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> String {
        let operand = self.expression(body, shape, depth - 1);
        // Without brackets, precedence decides; every operand has the same shape.
        if self.random.chance(50) { format!("({operand})") } else { operand }
    }

    fn leaf(&mut self, body: &mut Body, shape: &Shape) -> String {
        let fitting = |shape: &Shape| -> Vec<String> {
            let values = body.values.iter().filter(|(_, known)| known == shape);
            values.map(|(name, _)| name.clone()).collect()
        };
        let same = fitting(shape);
        if !same.is_empty() && self.random.chance(80) {
            return same[self.random.below(same.len())].clone();
        }
        match shape {
            Shape::Fixed(dims) => self.literal(dims),
            // The parameter that introduced the variable has one of the two shapes.
            Shape::Variable(..) => match same.first() {
                Some(name) => name.clone(),
                None => format!("transpose({})", fitting(&shape.transposed())[0]),
            },
        }
    }

    fn literal(&mut self, dims: &[usize]) -> String {
        let Some((count, inner)) = dims.split_first() else { return self.number() };
        let items: Vec<_> = (0..*count).map(|_| self.literal(inner)).collect();
        format!("[{}]", items.join(", "))
    }

    fn number(&mut self) -> String {
        match self.random.below(12) {
            0 => "0".to_owned(),
            1 => "1.".to_owned(),
            2 => format!("{}.{:06}", self.random.below(1000), self.random.below(1_000_000)),
            3 => format!("0.000000{}", self.random.below(1000)),
            4 => format!("{}", self.random.next()),
            _ => format!("{}", self.random.below(100) as f64 / 4.0),
        }
    }

    fn call_with_result(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> Option<String> {
        let candidates: Vec<_> = (0..self.functions.len())
            .filter(|f| match &self.functions[*f].result {
                Some(Shape::Variable(..)) => true,
                Some(result) => result == shape,
                None => false,
            })
            .collect();
        let callee = *candidates.get(self.random.below(candidates.len()))?;
        let mut bindings = vec![None; self.functions[callee].variables];
        if let Some(Shape::Variable(index, flag)) = self.functions[callee].result {
            bindings[index] = Some(if flag { shape.transposed() } else { shape.clone() });
        }
        self.call(body, callee, bindings, depth)
    }

    fn call(
        &mut self,
        body: &mut Body,
        callee: usize,
        bindings: Vec<Option<Shape>>,
        depth: usize,
    ) -> Option<String> {
        if body.cost + self.functions[callee].cost > MAX_COST {
            return None;
        }
        body.cost += self.functions[callee].cost;
        let bindings: Vec<Shape> = bindings
            .into_iter()
            .map(|binding| binding.unwrap_or_else(|| self.some_shape(body)))
            .collect();
        let arguments: Vec<_> = self.functions[callee].parameters.clone();
        let arguments: Vec<_> = arguments
            .into_iter()
            .map(|parameter| {
                let shape = match parameter {
                    Shape::Variable(index, false) => bindings[index].clone(),
                    Shape::Variable(index, true) => bindings[index].transposed(),
                    fixed => fixed,
                };
                self.expression(body, &shape, depth.saturating_sub(1))
            })
            .collect();
        Some(format!("{}({})", self.functions[callee].name, arguments.join(", ")))
    }
}

impl Body {
    fn new_name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }
}
