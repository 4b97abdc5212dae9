//! Random programs of buffers, from a seed.
//!
//! Input: seeds. Output: one module with a function `f_SEED` for each, its helpers `g_SEED_N`, and a `main` that calls
//! them all and prints one line for each: a checksum of everything the program has read, in which every bit counts.
//! Invariants: the same seed gives the same function in any module; nothing is read before it is written, and a
//! function ends.
//!
//! Conditions and numbers of iterations are arguments, so that nothing is folded. Sizes are not
//! multiples of the alignment, and there are several element types.

mod control;
mod operations;
mod turns;
mod views;

use crate::generator::Random;
use std::fmt::Write;

pub const ELEMENTS: [&str; 5] = ["f64", "f32", "i8", "i32", "index"];

/// A module with the programs of some seeds.
pub fn module(seeds: impl Iterator<Item = u64>) -> String {
    module_of(seeds, false)
}

/// The same with programs that are mostly loops whose iterations pass new buffers on. No function returns a buffer.
pub fn module_of_turns(seeds: impl Iterator<Item = u64>) -> String {
    module_of(seeds, true)
}

fn module_of(seeds: impl Iterator<Item = u64>, is_turns: bool) -> String {
    let mut text = shared();
    let mut calls = String::new();
    for seed in seeds {
        text += &program(seed, is_turns);
        for (p, q, m, n) in [("p", "q", "2", "3"), ("q", "p", "3", "2")] {
            let _ = writeln!(
                calls,
                "call @f_{seed}(%{p}, %{q}, %n0, %n1, %n{m}, %n{n}, %sum) : (i1, i1, index, index, \
                 index, index, memref<i64>) -> ()"
            );
        }
        calls += "call @report(%sum) : (memref<i64>) -> ()\n";
    }
    let constants: String =
        (0..4).map(|n| format!("%n{n} = arith.constant {n} : index\n")).collect();
    text + &format!(
        "func.func @main() {{
{constants}%p = arith.constant true
%q = arith.constant false
%sum = memref.alloc() : memref<i64>
%zero = arith.constant 0 : i64
memref.store %zero, %sum[] : memref<i64>
{calls}return
}}
"
    )
}

/// The end of a program, which prints its checksum in two halves.
pub const REPORT: &str =
    "func.func private @toy_print(memref<*xf64> {bufferization.access = \"read\"}) \
                    attributes {llvm.emit_c_interface}
func.func private @report(%sum: memref<i64>) {
%i0 = arith.constant 0 : index
%i1 = arith.constant 1 : index
%zero = arith.constant 0 : i64
%half = arith.constant 32 : i64
%all = memref.load %sum[] : memref<i64>
%high = arith.shrsi %all, %half : i64
%cut = arith.trunci %all : i64 to i32
%low = arith.sitofp %cut : i32 to f64
%up = arith.sitofp %high : i64 to f64
%line = memref.alloca() : memref<1x2xf64>
memref.store %up, %line[%i0, %i0] : memref<1x2xf64>
memref.store %low, %line[%i0, %i1] : memref<1x2xf64>
%cast = memref.cast %line : memref<1x2xf64> to memref<*xf64>
call @toy_print(%cast) : (memref<*xf64>) -> ()
memref.store %zero, %sum[] : memref<i64>
return
}
";

/// Code that all programs use: the end of a program, which prints its checksum in two halves, and functions that return
/// their argument.
fn shared() -> String {
    let mut text = REPORT.to_owned();
    for element in ELEMENTS {
        let _ = writeln!(
            text,
            "func.func private @same_{element}(%a: memref<*x{element}>) -> memref<*x{element}> {{
return %a : memref<*x{element}>
}}"
        );
    }
    text
}

fn program(seed: u64, is_turns: bool) -> String {
    let mut random = Random::new(seed);
    let kinds = (0..3).map(|_| Kind::random(&mut random)).collect();
    let mut generator = Generator {
        seed,
        is_turns,
        random,
        text: String::new(),
        names: 0,
        kinds,
        buffers: Vec::new(),
        fresh: Vec::new(),
        helpers: Vec::new(),
        budget: 0,
    };
    for number in 0..generator.random.below(3) {
        generator.helper(number);
    }
    let helpers = std::mem::take(&mut generator.text);
    generator.budget = 14 + generator.random.below(20);
    generator.allocate();
    generator.allocate();
    let count = 4 + generator.random.below(8);
    generator.statements(count, 0);
    generator.read();
    generator.read();
    format!(
        "{helpers}func.func private @f_{seed}(%p: i1, %q: i1, %n0: index, %n1: index, %n2: index, \
         %n3: index, %sum: memref<i64>) {{\n{}return\n}}\n",
        generator.text
    )
}

/// Elements and sizes.
#[derive(Clone, PartialEq)]
struct Kind {
    element: &'static str,
    sizes: Vec<usize>,
}

impl Kind {
    fn random(random: &mut Random) -> Self {
        let element = ELEMENTS[random.below(ELEMENTS.len())];
        let sizes: &[&[usize]] = &[&[1], &[3], &[5], &[6], &[13], &[2, 3], &[3, 5], &[1, 2], &[17]];
        Self { element, sizes: sizes[random.below(sizes.len())].to_vec() }
    }

    /// The type with the identity layout.
    fn r#type(&self) -> String {
        let sizes: String = self.sizes.iter().map(|size| format!("{size}x")).collect();
        format!("memref<{sizes}{}>", self.element)
    }

    fn count(&self) -> usize {
        self.sizes.iter().product()
    }

    fn is_float(&self) -> bool {
        self.element.starts_with('f')
    }
}

/// A buffer in sight that has been written.
#[derive(Clone)]
struct Buffer {
    name: String,
    kind: Kind,
    /// The type with its layout.
    r#type: String,
}

impl Buffer {
    fn new(name: String, kind: Kind) -> Self {
        let r#type = kind.r#type();
        Self { name, kind, r#type }
    }

    fn is_plain(&self) -> bool {
        self.r#type == self.kind.r#type()
    }
}

/// A function of the program to call.
#[derive(Clone)]
struct Helper {
    name: String,
    kind: Kind,
    /// True if it returns a buffer: its argument, or one of its own.
    returns: bool,
}

struct Generator {
    seed: u64,
    is_turns: bool,
    random: Random,
    text: String,
    names: usize,
    /// The kinds of most buffers of this program.
    kinds: Vec<Kind>,
    buffers: Vec<Buffer>,
    /// Visible buffers that have not been written yet, at least not here.
    fresh: Vec<Buffer>,
    helpers: Vec<Helper>,
    budget: usize,
}

impl Generator {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn line(&mut self, line: std::fmt::Arguments) {
        let _ = writeln!(self.text, "{line}");
    }

    /// A buffer in sight that satisfies a condition; the last ones are the likelier.
    fn find(&mut self, condition: impl Fn(&Buffer) -> bool) -> Option<Buffer> {
        let fitting: Vec<&Buffer> =
            self.buffers.iter().filter(|buffer| condition(buffer)).collect();
        let back = self.random.below(6).min(self.random.below(fitting.len().max(1)));
        fitting.len().checked_sub(1 + back).map(|at| fitting[at].clone())
    }

    fn any(&mut self) -> Buffer {
        match self.find(|_| true) {
            Some(buffer) => buffer,
            None => self.allocate(),
        }
    }

    fn of(&mut self, kind: &Kind) -> Buffer {
        match self.find(|buffer| buffer.kind == *kind) {
            Some(buffer) => buffer,
            None => self.allocate_of(kind.clone()),
        }
    }

    /// A buffer with the identity layout.
    fn plain(&mut self, kind: &Kind) -> Buffer {
        match self.find(|buffer| buffer.kind == *kind && buffer.is_plain()) {
            Some(buffer) => buffer,
            None => self.allocate_of(kind.clone()),
        }
    }

    fn kind(&mut self) -> Kind {
        let at = self.random.below(self.kinds.len());
        self.kinds[at].clone()
    }

    fn condition(&mut self) -> &'static str {
        ["%p", "%q"][self.random.below(2)]
    }

    fn count(&mut self) -> &'static str {
        ["%n0", "%n1", "%n2", "%n2", "%n3"][self.random.below(5)]
    }

    fn number(&mut self, kind: &Kind) -> String {
        let (name, value) = (self.name(), self.random.below(100));
        let point = if kind.is_float() { ".5" } else { "" };
        self.line(format_args!("{name} = arith.constant {value}{point} : {}", kind.element));
        name
    }

    fn allocate(&mut self) -> Buffer {
        let kind = self.kind();
        self.allocate_of(kind)
    }

    fn allocate_of(&mut self, kind: Kind) -> Buffer {
        let buffer = self.allocate_only(kind);
        self.write(&buffer);
        buffer
    }

    fn allocate_only(&mut self, kind: Kind) -> Buffer {
        let name = self.name();
        let alignment = match self.random.below(12) {
            0 => " {alignment = 4 : i64}",
            1 => " {alignment = 32 : i64}",
            2 => " {alignment = 256 : i64}",
            _ => "",
        };
        self.line(format_args!("{name} = memref.alloc(){alignment} : {}", kind.r#type()));
        Buffer::new(name, kind)
    }

    /// Writes all of a buffer, so that it can be read from here on.
    fn write(&mut self, buffer: &Buffer) {
        let source = self.find(|source| source.kind == buffer.kind && source.is_plain());
        let t = &buffer.r#type;
        match source {
            Some(source) if self.random.chance(30) => {
                self.line(format_args!("memref.copy {}, {} : {t} to {t}", source.name, buffer.name))
            }
            _ => {
                let value = self.number(&buffer.kind);
                let element = buffer.kind.element;
                self.line(format_args!(
                    "linalg.fill ins({value} : {element}) outs({} : {t})",
                    buffer.name
                ));
            }
        }
        self.buffers.push(buffer.clone());
    }

    fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth < 3 { 34 } else { 22 }) {
            0..=2 => {
                self.allocate();
            }
            3 => {
                let kind = self.kind();
                let buffer = self.allocate_only(kind);
                self.fresh.push(buffer);
            }
            4 | 5 => {
                if !self.fresh.is_empty() {
                    let at = self.random.below(self.fresh.len());
                    let buffer = self.fresh[at].clone();
                    self.write(&buffer);
                }
            }
            6..=9 => self.combine(),
            10 => self.copy(),
            11..=13 => self.read(),
            14 => self.element(),
            15..=19 => self.alias(),
            20 | 21 => self.call(),
            _ => self.control(depth),
        }
    }

    /// A function that works with two buffers, in buffers of its own, and may return one.
    fn helper(&mut self, number: usize) {
        let kind = self.kind();
        let name = format!("@g_{}_{number}", self.seed);
        let (t, returns) = (kind.r#type(), self.random.chance(50) && !self.is_turns);
        let result = if returns { format!(" -> {t}") } else { String::new() };
        self.line(format_args!(
            "func.func private {name}(%a: {t}, %b: {t}, %p: i1, %q: i1, %n0: index, %n1: index, \
             %n2: index, %n3: index, %sum: memref<i64>){result} {{"
        ));
        let arguments = ["%a", "%b"].map(|name| Buffer::new(name.to_owned(), kind.clone()));
        self.buffers = arguments.to_vec();
        self.budget = 8;
        let count = 2 + self.random.below(4);
        self.statements(count, 1);
        if returns {
            let result = match self.random.chance(40) {
                true => arguments[self.random.below(2)].clone(),
                false => self.plain(&kind),
            };
            self.line(format_args!("return {} : {t}\n}}", result.name));
        } else {
            self.line(format_args!("return\n}}"));
        }
        self.buffers.clear();
        self.fresh.clear();
        self.helpers.push(Helper { name, kind, returns });
    }

    fn call(&mut self) {
        if self.helpers.is_empty() {
            return self.alias();
        }
        let helper = self.helpers[self.random.below(self.helpers.len())].clone();
        let (a, b) = (self.plain(&helper.kind).name, self.plain(&helper.kind).name);
        let t = helper.kind.r#type();
        let (p, n) = (self.condition(), self.count());
        let call = format!(
            "func.call {}({a}, {b}, {p}, %q, %n0, %n1, %n2, {n}, %sum) : ({t}, {t}, i1, i1, index, \
             index, index, index, memref<i64>)",
            helper.name
        );
        if helper.returns {
            let result = self.name();
            self.line(format_args!("{result} = {call} -> {t}"));
            self.buffers.push(Buffer::new(result, helper.kind));
        } else {
            self.line(format_args!("{call} -> ()"));
        }
    }
}
