//! Programs as MLIR: linalg and tensor operations, structured control flow, and loops of blocks.
//!
//! Input: a program and its name. Output: its functions, `NAME_0` and so on.

use super::program::{
    Block, Condition, Depth, Function, Loop, Operator, Program, SIZE, SLICE, Scalar, Selector,
    Statement, Style, Var,
};
use std::fmt::Write;

/// The type of all variables.
const T: &str = "tensor<3xf64>";
const _: () = assert!(SIZE == 3, "as T says");

pub fn program(program: &Program, name: &str) -> String {
    let mut text = String::new();
    for (number, function) in program.functions.iter().enumerate() {
        let mut emitter = Emitter { text: String::new(), name, temporaries: 0, program };
        emitter.function(number, function);
        text += &emitter.text;
    }
    text
}

struct Emitter<'p> {
    text: String,
    name: &'p str,
    temporaries: usize,
    program: &'p Program,
}

fn list(variables: &[Var]) -> String {
    variables.iter().map(|variable| format!("%v{variable}")).collect::<Vec<_>>().join(", ")
}

fn types(count: usize) -> String {
    vec![T; count].join(", ")
}

/// `%v1, %v2 = ` of an operation with several results.
fn define(outs: &[Var]) -> String {
    if outs.is_empty() { String::new() } else { list(outs) + " = " }
}

/// `%v1 : T, ...` after a successor or `scf.yield`.
fn typed(variables: &[Var]) -> String {
    let pairs = format!("{} : {}", list(variables), types(variables.len()));
    if variables.is_empty() { String::new() } else { pairs }
}

/// `%v1: T, ...` of a block or a function.
fn parameters(variables: &[Var]) -> String {
    variables.iter().map(|variable| format!("%v{variable}: {T}")).collect::<Vec<_>>().join(", ")
}

macro_rules! line {
    ($self:ident, $($format:tt)*) => {{
        let line = format!($($format)*);
        let _ = writeln!($self.text, "{line}");
    }};
}

impl Emitter<'_> {
    /// A name that is new in the function.
    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    fn function(&mut self, number: usize, function: &Function) {
        let private = if function.is_public { "" } else { "private " };
        let comma = if function.parameters.is_empty() { "" } else { ", " };
        line!(
            self,
            "func.func {private}@{}_{number}(%depth: index{comma}{}) -> ({}) {{",
            self.name,
            parameters(&function.parameters),
            types(function.returned.len())
        );
        for constant in 0..=8 {
            line!(self, "%c{constant} = arith.constant {constant} : index");
        }
        self.all(&function.body, true);
        line!(self, "return {}\n}}", typed(&function.returned));
    }

    fn all(&mut self, body: &[Statement], is_function: bool) {
        for statement in body {
            self.statement(statement, is_function);
        }
    }

    fn block(&mut self, block: &Block) {
        self.all(&block.body, false);
        line!(self, "scf.yield {}", typed(&block.yielded));
    }

    fn number(&mut self, number: i32) -> String {
        let name = self.temporary();
        line!(self, "%{name} = arith.constant {number}.0 : f64");
        name
    }

    fn empty(&mut self) -> String {
        let name = self.temporary();
        line!(self, "%{name} = tensor.empty() : {T}");
        name
    }

    fn condition(&mut self, condition: Condition) -> String {
        let element = self.temporary();
        line!(self, "%{element} = tensor.extract %v{}[%c{}] : {T}", condition.tensor, condition.at);
        let below = self.number(condition.below);
        let name = self.temporary();
        line!(self, "%{name} = arith.cmpf olt, %{element}, %{below} : f64");
        name
    }

    fn statement(&mut self, statement: &Statement, is_function: bool) {
        match statement {
            Statement::Fill(out, number) => {
                let (number, empty) = (self.number(*number), self.empty());
                line!(
                    self,
                    "%v{out} = linalg.fill ins(%{number} : f64) outs(%{empty} : {T}) -> {T}"
                );
            }
            Statement::Constant(out, numbers) => {
                let numbers: Vec<_> = numbers.iter().map(|number| format!("{number}.0")).collect();
                line!(self, "%v{out} = arith.constant dense<[{}]> : {T}", numbers.join(", "));
            }
            Statement::FromElements(out, numbers) => {
                let names: Vec<_> =
                    numbers.iter().map(|it| "%".to_owned() + &self.number(*it)).collect();
                line!(self, "%v{out} = tensor.from_elements {} : {T}", names.join(", "));
            }
            Statement::Elementwise(out, operator, operands, place) => {
                let place = place.map_or_else(|| self.empty(), |place| format!("v{place}"));
                let name = match operator {
                    Operator::Add => "add",
                    Operator::Subtract => "sub",
                    Operator::Max => "max",
                };
                line!(
                    self,
                    "%v{out} = linalg.{name} ins({}) outs(%{place} : {T}) -> {T}",
                    typed(operands)
                );
            }
            Statement::Accumulate(out, a, place) => line!(
                self,
                "%v{out} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, \
                 affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]}} ins(%v{a} : {T}) \
                 outs(%v{place} : {T}) {{ ^bb0(%x: f64, %y: f64):\n\
                 %s = arith.addf %x, %y : f64\nlinalg.yield %s : f64 }} -> {T}"
            ),
            Statement::Insert(out, scalar, into, at) => {
                let scalar = match scalar {
                    Scalar::Number(number) => self.number(*number),
                    Scalar::Element(tensor, at) => {
                        let (element, one, sum) =
                            (self.temporary(), self.number(1), self.temporary());
                        line!(self, "%{element} = tensor.extract %v{tensor}[%c{at}] : {T}");
                        line!(self, "%{sum} = arith.addf %{element}, %{one} : f64");
                        sum
                    }
                };
                line!(self, "%v{out} = tensor.insert %{scalar} into %v{into}[%c{at}] : {T}");
            }
            Statement::Slice(out, (from, start), (into, at)) => {
                let part = self.temporary();
                line!(
                    self,
                    "%{part} = tensor.extract_slice %v{from}[{start}] [{SLICE}] [1] : {T} to tensor<{SLICE}xf64>"
                );
                line!(
                    self,
                    "%v{out} = tensor.insert_slice %{part} into %v{into}[{at}] [{SLICE}] [1] : tensor<{SLICE}xf64> into {T}"
                );
            }
            Statement::Select(out, condition, a, b) => {
                let condition = self.condition(*condition);
                line!(self, "%v{out} = arith.select %{condition}, %v{a}, %v{b} : {T}");
            }
            Statement::Same(out, a) => {
                let open = self.temporary();
                line!(self, "%{open} = tensor.cast %v{a} : {T} to tensor<?xf64>");
                line!(self, "%v{out} = tensor.cast %{open} : tensor<?xf64> to {T}");
            }
            Statement::Print(a) => {
                let open = self.temporary();
                line!(self, "%{open} = tensor.cast %v{a} : {T} to tensor<*xf64>");
                line!(self, "func.call @toy_print(%{open}) : (tensor<*xf64>) -> ()");
            }
            Statement::Call(outs, callee, arguments, depth) => {
                let depth = match depth {
                    Depth::Number(number) => format!("%c{number}"),
                    Depth::Less => {
                        let less = self.temporary();
                        line!(self, "%{less} = arith.subi %depth, %c1 : index");
                        format!("%{less}")
                    }
                };
                let comma = if arguments.is_empty() { "" } else { ", " };
                line!(
                    self,
                    "{}func.call @{}_{callee}({depth}{comma}{}) : (index{comma}{}) -> ({})",
                    define(outs),
                    self.name,
                    list(arguments),
                    types(arguments.len()),
                    types(self.program.functions[*callee].returned.len())
                );
            }
            Statement::Branches(outs, selector, blocks) => self.branches(outs, *selector, blocks),
            Statement::Region(outs, block) => {
                line!(self, "{}scf.execute_region -> ({}) {{", define(outs), types(outs.len()));
                self.block(block);
                line!(self, "}}");
            }
            Statement::For(outs, trips, carried, block) => {
                let pairs: Vec<_> = carried.arguments.iter().zip(&carried.initial).collect();
                let pairs: Vec<_> = pairs.iter().map(|(a, b)| format!("%v{a} = %v{b}")).collect();
                let i = self.temporary();
                line!(
                    self,
                    "{}scf.for %{i} = %c0 to %c{trips} step %c1 iter_args({}) -> ({}) {{",
                    define(outs),
                    pairs.join(", "),
                    types(outs.len())
                );
                self.block(block);
                line!(self, "}}");
            }
            Statement::Loop(outs, whole) => match whole.style {
                Style::While { counter_first } => self.scf_while(outs, whole, counter_first),
                Style::Blocks if is_function => self.loop_of_blocks(outs, whole),
                Style::Blocks => {
                    let results = types(outs.len());
                    line!(self, "{}scf.execute_region -> ({results}) {{", define(outs));
                    let inner: Vec<_> = outs.iter().map(|out| out + 100_000).collect();
                    self.loop_of_blocks(&inner, whole);
                    line!(self, "scf.yield {}", typed(&inner));
                    line!(self, "}}");
                }
            },
        }
    }

    fn branches(&mut self, outs: &[Var], selector: Selector, blocks: &[Block]) {
        let results = types(outs.len());
        let condition = match selector {
            Selector::If(condition) => self.condition(condition),
            Selector::Deep => {
                let name = self.temporary();
                line!(self, "%{name} = arith.cmpi ne, %depth, %c0 : index");
                name
            }
            Selector::Switch(a, b) => {
                let mut sum = "c0".to_owned();
                for condition in [a, b] {
                    let (holds, next) = (self.condition(condition), self.temporary());
                    let one = self.temporary();
                    line!(self, "%{one} = arith.select %{holds}, %c1, %c0 : index");
                    line!(self, "%{next} = arith.addi %{sum}, %{one} : index");
                    sum = next;
                }
                line!(self, "{}scf.index_switch %{sum} -> {results}", define(outs));
                for (number, block) in blocks.iter().enumerate() {
                    if number + 1 == blocks.len() {
                        line!(self, "default {{");
                    } else {
                        line!(self, "case {number} {{");
                    }
                    self.block(block);
                    line!(self, "}}");
                }
                return;
            }
        };
        line!(self, "{}scf.if %{condition} -> ({results}) {{", define(outs));
        self.block(&blocks[0]);
        line!(self, "}} else {{");
        self.block(&blocks[1]);
        line!(self, "}}");
    }

    /// The condition to go on: the number of the trip, and `until`.
    fn go_on(&mut self, counter: &str, whole: &Loop) -> String {
        let name = self.temporary();
        line!(self, "%{name} = arith.cmpi ult, %{counter}, %c{} : index", whole.trips);
        let Some(until) = whole.until else { return name };
        let (until, truth) = (self.condition(until), self.temporary());
        let (not, both) = (self.temporary(), self.temporary());
        line!(self, "%{truth} = arith.constant true");
        line!(self, "%{not} = arith.xori %{until}, %{truth} : i1");
        line!(self, "%{both} = arith.andi %{name}, %{not} : i1");
        both
    }

    fn next(&mut self, counter: &str) -> String {
        let next = self.temporary();
        line!(self, "%{next} = arith.addi %{counter}, %c1 : index");
        next
    }

    fn scf_while(&mut self, outs: &[Var], whole: &Loop, counter_first: bool) {
        let with = |counter: &str, rest: String| match (rest.as_str(), counter_first) {
            ("", _) => counter.to_owned(),
            (_, true) => format!("{counter}, {rest}"),
            (_, false) => format!("{rest}, {counter}"),
        };
        let (last, i, j) = (self.temporary(), self.temporary(), self.temporary());
        let pairs: Vec<_> = whole.carried.arguments.iter().zip(&whole.carried.initial).collect();
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| format!("%v{a} = %v{b}")).collect();
        let results = with("index", types(outs.len()));
        line!(
            self,
            "{} = scf.while ({}) : ({}) -> ({results}) {{",
            with(&format!("%{last}"), list(outs)),
            with(&format!("%{i} = %c0"), pairs.join(", ")),
            with("index", types(pairs.len())),
        );
        self.all(&whole.head.body, false);
        let go_on = self.go_on(&i, whole);
        let forwarded = with(&format!("%{i}"), list(&whole.head.yielded));
        line!(self, "scf.condition(%{go_on}) {forwarded} : {results}\n}} do {{");
        line!(self, "^bb0({}):", with(&format!("%{j}: index"), parameters(&whole.forwarded)));
        self.all(&whole.body.body, false);
        let next = self.next(&j);
        line!(
            self,
            "scf.yield {} : {}\n}}",
            with(&format!("%{next}"), list(&whole.body.yielded)),
            with("index", types(pairs.len()))
        );
    }

    fn loop_of_blocks(&mut self, outs: &[Var], whole: &Loop) {
        let (label, i) = (self.temporary(), self.temporary());
        // The counter is the last argument.
        let pass = |variables: &[Var], counter: &str| {
            let comma = if variables.is_empty() { "" } else { ", " };
            let (list, types) = (list(variables), types(variables.len()));
            format!("({list}{comma}%{counter} : {types}{comma}index)")
        };
        let exits = |variables: &[Var]| match variables {
            [] => String::new(),
            variables => format!("({})", typed(variables)),
        };
        let comma = if whole.carried.arguments.is_empty() { "" } else { ", " };
        line!(self, "cf.br ^head_{label}{}", pass(&whole.carried.initial, "c0"));
        line!(self, "^head_{label}({}{comma}%{i}: index):", parameters(&whole.carried.arguments));
        self.all(&whole.head.body, false);
        let go_on = self.go_on(&i, whole);
        let (inner, out) = (exits(&whole.head.yielded), exits(&whole.head.yielded));
        line!(self, "cf.cond_br %{go_on}, ^body_{label}{inner}, ^exit_{label}{out}");
        let arguments = |variables: &[Var]| match variables {
            [] => String::new(),
            variables => format!("({})", parameters(variables)),
        };
        line!(self, "^body_{label}{}:", arguments(&whole.forwarded));
        self.all(&whole.body.body, false);
        let next = self.next(&i);
        line!(self, "cf.br ^head_{label}{}", pass(&whole.body.yielded, &next));
        line!(self, "^exit_{label}{}:", arguments(outs));
    }
}
