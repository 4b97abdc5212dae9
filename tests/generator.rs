//! Random well-typed Toy programs, from a seed.
//!
//! Input: a seed and a style. Output: the text of a program. Invariants: the same seed gives the same text; the program
//! is well-typed unless errors are requested: then shapes may be incompatible; it ends (functions only call functions
//! generated before them, or themselves and each other with a smaller number, and a loop's counter is assigned nowhere
//! else), prints something, and is small.
//!
//! Functions are generic: the shapes of parameters, and of the fields of parameters, are variables
//! of the function's signature, possibly transposed, or fixed. Expressions are generated from the
//! requested type. [`mutation`] makes invalid programs from valid ones.

mod builtins;
mod control;
mod expression;
pub mod mutation;
mod parts;
mod types;
mod updates;

use memory_planner::random::SplitMix64;
use std::fmt::Write;
use types::{Bindings, Shape, Struct, Type, parts};

/// Random choices from a seed, the same everywhere.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

#[derive(Clone, Copy)]
pub struct Style {
    /// The percentage of operands with a shape of their own.
    pub mistakes: usize,
    pub max_structs: usize,
    pub max_functions: usize,
    pub max_statements: usize,
    /// The percentage of statements that are branches, loops, assignments, or print several values; if it is not 0,
    /// functions may also call themselves, and return in branches.
    pub control: usize,
    /// The percentage of operations that are builtins, products, comparisons and subscripts.
    pub builtins: usize,
    /// The percentage of programs that may fail at run time.
    pub failures: usize,
}

/// Programs of straight lines.
pub const WELL_TYPED: Style = Style {
    mistakes: 0,
    max_structs: 3,
    max_functions: 5,
    max_statements: 7,
    control: 0,
    builtins: 0,
    failures: 0,
};
/// Shapes are wrong whether or not a statement runs, so all of them do.
pub const WITH_MISTAKES: Style =
    Style { mistakes: 3, max_functions: 4, max_statements: 5, ..WELL_TYPED };
pub const CONTROL_FLOW: Style = Style { control: 45, builtins: 35, failures: 12, ..WELL_TYPED };
/// Programs for [`mutation`].
const SHORT: Style = Style { max_functions: 3, max_statements: 4, ..WELL_TYPED };
const SHORT_CONTROL_FLOW: Style = Style { control: 45, builtins: 35, ..SHORT };

/// A function that later ones may call.
struct Function {
    name: String,
    parameters: Vec<Type>,
    result: Option<Type>,
    variables: usize,
    /// The number of operations that a call of it runs, roughly.
    cost: usize,
    /// True if the first parameter is a small number that counts recursive calls.
    counts: bool,
}

struct Generator {
    random: Random,
    style: Style,
    structs: Vec<Struct>,
    functions: Vec<Function>,
    /// True if the program may fail at run time.
    may_fail: bool,
    /// True if the program computes with f32.
    is_single: bool,
}

/// The body that is being generated.
struct Body {
    text: String,
    /// The variables in scope.
    values: Vec<(String, Type)>,
    names: usize,
    cost: usize,
    /// The definitions of variables, and their costs. Names keep their values, so the same text is the same value
    /// again.
    definitions: Vec<(String, Type, usize)>,
    /// The variables that only the generator's own statements assign, with the numbers that they may be.
    counters: Vec<(String, std::ops::Range<i64>)>,
    /// The number of times that the statement runs, roughly.
    rounds: usize,
    /// The blocks around the statement.
    depth: usize,
    /// The type that the function returns, if any, in branches and loops, too; None if it only returns at its end.
    result: Option<Option<Type>>,
    /// The loops around the statement, each with the text that precedes its `continue`.
    loops: Vec<String>,
}

impl Default for Body {
    fn default() -> Self {
        Self {
            text: String::new(),
            values: Vec::new(),
            names: 0,
            cost: 0,
            definitions: Vec::new(),
            counters: Vec::new(),
            rounds: 1,
            depth: 0,
            result: None,
            loops: Vec::new(),
        }
    }
}

impl Body {
    fn spend(&mut self, cost: usize) {
        self.cost += cost * self.rounds;
    }

    fn can_spend(&self, cost: usize) -> bool {
        self.cost + cost * self.rounds <= MAX_COST
    }
}

/// Programs that run longer than this test nothing more.
const MAX_COST: usize = 2_000;

pub fn program(seed: u64, style: Style) -> String {
    let mut random = Random::new(seed);
    let may_fail = style.failures > 0 && random.chance(style.failures);
    let (structs, functions) = (Vec::new(), Vec::new());
    // One in four programs computes with f32.
    let is_single = seed % 4 == 3;
    let mut generator = Generator { random, style, structs, functions, may_fail, is_single };
    for _ in 0..generator.random.below(style.max_structs + 1) {
        let next = Struct::random(&mut generator.random, &generator.structs);
        generator.structs.push(next);
    }
    let structs = &generator.structs;
    let mut texts: Vec<_> = structs.iter().map(|item| item.text(structs)).collect();
    for index in 0..generator.random.below(style.max_functions) {
        let text = generator.function(index);
        if generator.random.chance(20) && text.matches("def ").count() == 1 {
            texts.push(generator.copy_of(&text));
        }
        texts.push(text);
    }
    texts.push(generator.main());
    // Structs and functions may be defined after those that use them.
    for index in (1..texts.len()).rev() {
        texts.swap(index, generator.random.below(index + 1));
    }
    texts.join("\n")
}

impl Generator {
    fn function(&mut self, index: usize) -> String {
        if self.style.control > 0 && self.random.chance(30) {
            return self.recursive_function(index);
        }
        if self.style.control > 0 && !self.structs.is_empty() && self.random.chance(20) {
            return self.updating_function(index);
        }
        let variables = self.random.below(3);
        let parameters = self.parameters(variables);
        let mut body = Body::default();
        let (_, list) = self.named(&mut body, &parameters, false);
        let early = self.style.control > 0 && self.random.chance(40);
        let result = if early { self.early_result(&mut body) } else { None };
        self.statements(&mut body);
        let result = match result {
            Some(result) => result,
            None => self.random.chance(75).then(|| self.some_type(&body)),
        };
        match &result {
            Some(ty) => {
                let value = self.expression(&mut body, ty, 2, false);
                let _ = writeln!(body.text, "  return {value};");
            }
            None if self.random.chance(30) => body.text.push_str("  return;\n"),
            None => {}
        }
        if self.random.chance(5) && body.text.contains("return") {
            body.text.push_str("  print(7);\n");
        }
        let name = format!("f{index}");
        let text = format!("def {name}({list}) {{\n{}}}\n", body.text);
        let cost = body.cost + 1;
        self.functions.push(Function { name, parameters, result, variables, cost, counts: false });
        text
    }

    /// The names of parameters, which come into scope, and their list. The first one is `n` if it counts calls.
    fn named(
        &mut self,
        body: &mut Body,
        parameters: &[Type],
        counts: bool,
    ) -> (Vec<String>, String) {
        let (mut list, mut names) = (Vec::new(), Vec::new());
        for (number, parameter) in parameters.iter().enumerate() {
            let is_counter = counts && number == 0;
            let name = if is_counter { "n".to_owned() } else { self.new_name(body, "p") };
            list.push(match parameter {
                Type::Tensor(_) => name.clone(),
                Type::Struct(index, _) => format!("{} {name}", self.structs[*index].name),
            });
            body.values.push((name.clone(), parameter.clone()));
            names.push(name);
        }
        (names, list.join(", "))
    }

    /// The function generated last, under another name.
    fn copy_of(&mut self, text: &str) -> String {
        let last = self.functions.last().expect("one was generated");
        let name = format!("{}_copy", last.name);
        let text = text.replacen(&last.name, &name, 1);
        let (parameters, result) = (last.parameters.clone(), last.result.clone());
        let (variables, cost, counts) = (last.variables, last.cost, last.counts);
        self.functions.push(Function { name, parameters, result, variables, cost, counts });
        text
    }

    /// Parameters that mention each of the variables.
    fn parameters(&mut self, variables: usize) -> Vec<Type> {
        let mut parameters = Vec::new();
        for _ in 0..self.random.below(3) {
            let shape = |generator: &mut Generator| {
                if variables > 0 && generator.random.chance(60) {
                    let variable = generator.random.below(variables);
                    return Shape::Variable(variable, generator.random.chance(30));
                }
                Shape::Fixed(generator.dims())
            };
            parameters.push(match self.structs.len() {
                count if count > 0 && self.random.chance(50) => {
                    let index = self.random.below(count);
                    self.new_struct(index, &shape)
                }
                _ => Type::Tensor(shape(self)),
            });
        }
        for variable in 0..variables {
            if !parameters.iter().any(|parameter| parameter.mentions(variable)) {
                parameters.insert(0, Type::Tensor(Shape::Variable(variable, false)));
            }
        }
        parameters
    }

    fn main(&mut self) -> String {
        let returns = self.style.control > 0 && self.random.chance(10);
        let mut body = Body { result: returns.then_some(None), ..Body::default() };
        self.statements(&mut body);
        self.statements(&mut body);
        let ty = Type::Tensor(self.some_shape(&body));
        let value = self.expression(&mut body, &ty, 2, false);
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
        for (place, ty) in self.places(&body) {
            if matches!(ty, Type::Tensor(_)) && self.random.chance(40) {
                let _ = writeln!(body.text, "  print({place});");
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
        if self.style.control > 0 && self.random.chance(self.style.control) {
            return self.control(body);
        }
        match self.random.below(14) {
            12 | 13 if !body.definitions.is_empty() => self.repetition(body),
            0..=3 => {
                let ty = self.some_type(body);
                self.definition(body, &ty);
            }
            4 | 5 => self.definition_with_shape(body),
            6 | 7 => {
                let shape = self.some_shape(body);
                let value = self.expression(body, &Type::Tensor(shape), 2, false);
                let _ = writeln!(body.text, "  print({value});");
            }
            8 => {
                let ty = self.some_type(body);
                let value = self.expression(body, &ty, 2, false);
                let _ = writeln!(body.text, "  {value};");
            }
            9 => {
                let void: Vec<_> = (0..self.functions.len())
                    .filter(|f| self.functions[*f].result.is_none())
                    .collect();
                if let Some(callee) = void.get(self.random.below(void.len())).copied() {
                    let bindings = vec![None; self.functions[callee].variables];
                    if let Some(call) = self.call(body, callee, bindings, 2) {
                        let _ = writeln!(body.text, "  {call};");
                    }
                }
            }
            10 if self.random.chance(50) => {
                body.text.push_str(self.random.pick(&["  # var x = [\n", "  ;\n", "\n"]))
            }
            _ => {
                if !self.structs.is_empty() {
                    let ty = self.some_struct(body);
                    self.definition(body, &ty);
                }
            }
        }
    }

    /// `var x = e` or `Struct x = e`
    fn definition(&mut self, body: &mut Body, ty: &Type) {
        let typed = match ty {
            Type::Struct(index, _) if self.random.chance(75) => Some(*index),
            _ => None,
        };
        let cost = body.cost;
        let value = self.expression(body, ty, 3, typed.is_some());
        if typed.is_none() {
            let cost = (body.cost - cost) / body.rounds;
            body.definitions.push((value.clone(), ty.clone(), cost));
        }
        let name = self.new_name(body, "v");
        let keyword = typed.map_or("var", |index| &self.structs[index].name);
        let _ = writeln!(body.text, "  {keyword} {name} = {value};");
        body.values.push((name, ty.clone()));
    }

    /// An expression that has been computed before, as a variable of its own or for nothing.
    fn repetition(&mut self, body: &mut Body) {
        let (value, ty, cost) = body.definitions[self.random.below(body.definitions.len())].clone();
        if !body.can_spend(cost) {
            return;
        }
        body.spend(cost);
        if self.random.chance(25) {
            let _ = writeln!(body.text, "  {value};");
            return;
        }
        let name = self.new_name(body, "v");
        let _ = writeln!(body.text, "  var {name} = {value};");
        body.values.push((name, ty));
    }

    /// `var x<...> = e`: the same shape, another one of as many elements, or a filled one.
    fn definition_with_shape(&mut self, body: &mut Body) {
        let dims = self.dims();
        let from = match self.random.below(4) {
            0 => vec![],
            1 => dims.clone(),
            _ => self.regrouped(&dims),
        };
        let value = self.expression(body, &Type::Tensor(Shape::Fixed(from)), 2, false);
        let name = self.new_name(body, "r");
        let list = self.sizes(body, &dims);
        let _ = writeln!(body.text, "  var {name}<{list}> = {value};");
        body.values.push((name, Type::Tensor(Shape::Fixed(dims))));
    }

    /// Other dimensions with as many elements.
    pub(super) fn regrouped(&mut self, dims: &[usize]) -> Vec<usize> {
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
        let shapes: Vec<_> = self
            .places(body)
            .into_iter()
            .filter_map(|(_, ty)| match ty {
                Type::Tensor(shape) => Some(shape),
                Type::Struct(..) => None,
            })
            .collect();
        if !shapes.is_empty() && self.random.chance(75) {
            let shape = shapes[self.random.below(shapes.len())].clone();
            return if self.random.chance(25) { shape.transposed() } else { shape };
        }
        Shape::Fixed(self.dims())
    }

    fn some_type(&mut self, body: &Body) -> Type {
        if !self.structs.is_empty() && self.random.chance(25) {
            return self.some_struct(body);
        }
        Type::Tensor(self.some_shape(body))
    }

    /// Mostly a struct that something in scope is.
    fn some_struct(&mut self, body: &Body) -> Type {
        let places = self.places(body).into_iter().map(|(_, ty)| ty);
        let known: Vec<_> = places.filter(|place| matches!(place, Type::Struct(..))).collect();
        if !known.is_empty() && self.random.chance(60) {
            return known[self.random.below(known.len())].clone();
        }
        let index = self.random.below(self.structs.len());
        self.new_struct(index, &|generator: &mut Generator| generator.some_shape(body))
    }

    /// The struct with shapes for its tensors.
    fn new_struct(&mut self, index: usize, shape: &impl Fn(&mut Generator) -> Shape) -> Type {
        let fields: Vec<_> = self.structs[index].fields.iter().map(|field| field.1).collect();
        let types = fields.into_iter().map(|field| match field {
            Some(inner) => self.new_struct(inner, shape),
            None => Type::Tensor(shape(self)),
        });
        Type::Struct(index, types.collect())
    }

    /// Everything that can be named: the variables and their fields.
    fn places(&self, body: &Body) -> Vec<(String, Type)> {
        let values = body.values.iter().flat_map(|(name, ty)| {
            let parts = parts(&self.structs, ty).into_iter();
            parts.map(move |(path, part)| (format!("{name}{path}"), part.clone()))
        });
        values.collect()
    }

    fn new_name(&mut self, body: &mut Body, prefix: &str) -> String {
        body.names += 1;
        // The names of variables are unique.
        if self.random.chance(6) {
            let functions = self.functions.iter().map(|function| &function.name);
            let structs = self.structs.iter().map(|item| &item.name);
            let is_free = |name: &&String| body.values.iter().all(|(known, _)| known != *name);
            let free: Vec<&String> = functions.chain(structs).filter(is_free).collect();
            if !free.is_empty() {
                return self.random.pick(&free).clone();
            }
        }
        format!("{prefix}{}", body.names)
    }
}
