//! Random programs of buffers that several functions share, from a seed.
//!
//! Input: seeds. Output: one module with functions `f_SEED_N` for each, and a `main` that calls the last of them and
//! prints a line for each seed: a checksum of everything that was read, in which every bit counts. The functions return
//! arguments, views of them, globals, new buffers, one of several, values that a loop carries, and results of other
//! functions, through casts; some free their own buffers by hand. Some buffers are views of bytes, at an offset, so
//! that their elements do not begin where the freed memory does. Callers write through the buffers they get and read
//! the ones they passed. Invariants: the same seed gives the same functions; nothing is read before it is written or
//! after it is freed by hand; a buffer that is freed by hand is not used again, and is freed on every path.

use crate::generator::Random;
use std::fmt::Write;

/// The types of buffers, with the suffix of the functions that read and write them.
const TYPES: [(&str, &str); 4] = [
    ("plain", "memref<4xf64>"),
    ("grid", "memref<2x2xf64>"),
    ("tail", "memref<2xf64, strided<[1], offset: 2>>"),
    ("open", "memref<?xf64>"),
];
const PLAIN: usize = 0;
const GRID: usize = 1;
const TAIL: usize = 2;
const OPEN: usize = 3;

/// The parameters of each function besides two buffers.
const MORE: &str = "%p: i1, %q: i1, %n: index, %sum: memref<i64>";
const MORE_TYPES: &str = "i1, i1, index, memref<i64>";

/// A module with the programs of some seeds.
pub fn module(seeds: impl Iterator<Item = u64>) -> String {
    let mut text = shared();
    let mut calls = String::new();
    for seed in seeds {
        let (functions, last) = program(seed);
        text += &functions;
        for (p, q, n) in [("p", "q", 3), ("q", "p", 2), ("p", "p", 0)] {
            let _ = writeln!(
                calls,
                "call @start_{seed}(%{p}, %{q}, %n{n}, %sum) : ({MORE_TYPES}) -> ()"
            );
        }
        text += &start(seed, last);
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

/// Code that all programs use: reading and writing, and the end of a program.
fn shared() -> String {
    let mut text = crate::merge_alloc::generator::REPORT.to_owned();
    for (name, ty) in TYPES {
        let indices = if name == "grid" { ["%i0, %i0", "%i1, %i1"] } else { ["%i0", "%i1"] };
        let _ = writeln!(
            text,
            "func.func private @read_{name}(%a: {ty}, %sum: memref<i64>) {{
%i0 = arith.constant 0 : index
%i1 = arith.constant 1 : index
%k = arith.constant 1000003 : i64
%h = memref.load %sum[] : memref<i64>
%x = memref.load %a[{0}] : {ty}
%y = memref.load %a[{1}] : {ty}
%v = arith.bitcast %x : f64 to i64
%w = arith.bitcast %y : f64 to i64
%1 = arith.muli %h, %k : i64
%2 = arith.addi %1, %v : i64
%3 = arith.muli %2, %k : i64
%4 = arith.addi %3, %w : i64
memref.store %4, %sum[] : memref<i64>
return
}}
func.func private @write_{name}(%a: {ty}, %x: f64) {{
%i0 = arith.constant 0 : index
%i1 = arith.constant 1 : index
%half = arith.constant 0.5 : f64
%y = memref.load %a[{1}] : {ty}
%z = arith.mulf %y, %half : f64
%s = arith.addf %z, %x : f64
memref.store %s, %a[{0}] : {ty}
memref.store %x, %a[{1}] : {ty}
return
}}",
            indices[0], indices[1]
        );
    }
    text
}

/// Calls the last function of a program, writes through its result and reads everything.
fn start(seed: u64, last: &Function) -> String {
    let (name, ty) = TYPES[last.ty];
    format!(
        "func.func private @start_{seed}(%p: i1, %q: i1, %n: index, %sum: memref<i64>) {{
%x = arith.constant 1.25 : f64
%a = memref.alloc() : memref<4xf64>
%b = memref.alloc() : memref<4xf64>
linalg.fill ins(%x : f64) outs(%a : memref<4xf64>)
linalg.fill ins(%x : f64) outs(%b : memref<4xf64>)
%r = call {}(%a, %b, %p, %q, %n, %sum) : (memref<4xf64>, memref<4xf64>, {MORE_TYPES}) -> {ty}
call @write_{name}(%r, %x) : ({ty}, f64) -> ()
call @read_plain(%a, %sum) : (memref<4xf64>, memref<i64>) -> ()
call @read_plain(%b, %sum) : (memref<4xf64>, memref<i64>) -> ()
call @read_{name}(%r, %sum) : ({ty}, memref<i64>) -> ()
return
}}
",
        last.name
    )
}

fn program(seed: u64) -> (String, &'static Function) {
    let mut generator = Generator {
        seed,
        random: Random::new(seed ^ 0x0a11_a5ed),
        text: String::new(),
        names: 0,
        buffers: Vec::new(),
        functions: Vec::new(),
        budget: 0,
    };
    let _ = writeln!(
        generator.text,
        "memref.global \"private\" @global_{seed} : memref<4xf64> = dense<[3.0, 1.0, 4.0, 1.5]>"
    );
    for number in 0..2 + generator.random.below(4) {
        generator.function(number);
    }
    let last = generator.functions.pop().expect("there are at least two");
    (generator.text, Box::leak(Box::new(last)))
}

/// A buffer in sight.
#[derive(Clone)]
struct Buffer {
    name: String,
    ty: usize,
}

/// A function to call.
#[derive(Clone)]
struct Function {
    name: String,
    ty: usize,
    /// True if the result is always a new buffer.
    is_fresh: bool,
}

struct Generator {
    seed: u64,
    random: Random,
    text: String,
    names: usize,
    buffers: Vec<Buffer>,
    functions: Vec<Function>,
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

    /// A function of two buffers that returns one; it may call those before it, and itself.
    fn function(&mut self, number: usize) {
        let name = format!("@f_{}_{number}", self.seed);
        let is_fresh = self.random.chance(20);
        let ty = if is_fresh { PLAIN } else { [0, 0, 0, 1, 2, 3][self.random.below(6)] };
        let private = if self.random.chance(80) { "private " } else { "" };
        let plain = TYPES[PLAIN].1;
        self.line(format_args!(
            "func.func {private}{name}(%a: {plain}, %b: {plain}, {MORE}) -> {} {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%x = arith.constant {number}.75 : f64",
            TYPES[ty].1
        ));
        self.buffers = ["%a", "%b"].map(|name| Buffer { name: name.to_owned(), ty: PLAIN }).into();
        self.budget = 12;
        let blocks = !is_fresh && self.random.chance(15);
        let count = 2 + self.random.below(5);
        self.statements(count, 0);
        if !is_fresh && ty == PLAIN && self.random.chance(25) {
            self.recursion(&name);
        }
        if blocks {
            let early = self.of(ty);
            let t = TYPES[ty].1;
            self.line(format_args!("cf.cond_br %q, ^early, ^late\n^early:"));
            self.line(format_args!("return {} : {t}\n^late:", early.name));
        }
        let result = if is_fresh {
            let new = self.allocate();
            self.statements(1, 1);
            new
        } else {
            self.of(ty)
        };
        self.line(format_args!("return {} : {}\n}}", result.name, TYPES[ty].1));
        self.buffers.clear();
        self.functions.push(Function { name, ty, is_fresh });
    }

    fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            if self.budget > 0 {
                self.budget -= 1;
                self.statement(depth);
            }
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth < 2 { 26 } else { 18 }) {
            0 => _ = self.allocate(),
            1 => _ = self.parts(),
            2..=4 => self.write(),
            5 | 6 => self.read(),
            7 | 8 => self.select(),
            9 | 10 => {
                let ty = self.random.below(TYPES.len());
                let plain = self.of(PLAIN);
                let view = self.viewed(plain, ty);
                self.buffers.push(view);
            }
            11..=13 => self.call(),
            14 => self.global(),
            15 | 16 => self.by_hand(),
            17 => self.again(),
            18..=20 => self.branch(depth),
            21 | 22 => self.repeat(depth),
            23 | 24 => self.repeat_while(depth),
            _ => self.grow(),
        }
    }

    fn any(&mut self) -> Buffer {
        let at = self.random.below(self.buffers.len());
        self.buffers[at].clone()
    }

    /// A buffer of a type: one in sight, or a view of one.
    fn of(&mut self, ty: usize) -> Buffer {
        let fitting: Vec<_> = self.buffers.iter().filter(|b| b.ty == ty).cloned().collect();
        if !fitting.is_empty() {
            return fitting[self.random.below(fitting.len())].clone();
        }
        let plain = self.of(PLAIN);
        self.viewed(plain, ty)
    }

    /// A plain buffer as one of another type.
    fn viewed(&mut self, plain: Buffer, ty: usize) -> Buffer {
        let (new, name, from, to) = (self.name(), plain.name, TYPES[PLAIN].1, TYPES[ty].1);
        match ty {
            GRID => self.line(format_args!(
                "{new} = memref.expand_shape {name} [[0, 1]] output_shape [2, 2] : {from} into {to}"
            )),
            TAIL => {
                self.line(format_args!("{new} = memref.subview {name}[2] [2] [1] : {from} to {to}"))
            }
            OPEN => self.line(format_args!("{new} = memref.cast {name} : {from} to {to}")),
            _ => return Buffer { name, ty },
        }
        Buffer { name: new, ty }
    }

    fn allocate(&mut self) -> Buffer {
        if self.random.chance(40) {
            return self.parts();
        }
        let (new, plain) = (self.name(), TYPES[PLAIN].1);
        self.line(format_args!("{new} = memref.alloc() : {plain}"));
        self.line(format_args!("linalg.fill ins(%x : f64) outs({new} : {plain})"));
        let buffer = Buffer { name: new, ty: PLAIN };
        self.buffers.push(buffer.clone());
        buffer
    }

    /// One to three views of new bytes, which may overlap; the last one.
    fn parts(&mut self) -> Buffer {
        let bytes = self.name();
        self.line(format_args!("{bytes} = memref.alloc() : memref<160xi8>"));
        let mut last = self.part(&bytes);
        for _ in 0..self.random.below(3) {
            last = self.part(&bytes);
        }
        last
    }

    /// A view of bytes, or of a view of them, at an offset.
    fn part(&mut self, bytes: &str) -> Buffer {
        let [at, inner, new] = std::array::from_fn(|_| self.name());
        let plain = TYPES[PLAIN].1;
        match self.random.below(3) {
            0 => {
                let eight = self.name();
                self.line(format_args!("{eight} = arith.constant 8 : index"));
                self.line(format_args!("{at} = arith.muli %n, {eight} : index"));
            }
            _ => {
                let offset = self.random.below(9) * 8;
                self.line(format_args!("{at} = arith.constant {offset} : index"));
            }
        }
        if self.random.chance(30) {
            self.line(format_args!(
                "{inner} = memref.view {bytes}[{at}][] : memref<160xi8> to memref<96xi8>
{new} = memref.view {inner}[{at}][] : memref<96xi8> to {plain}"
            ));
        } else {
            self.line(format_args!(
                "{new} = memref.view {bytes}[{at}][] : memref<160xi8> to {plain}"
            ));
        }
        self.line(format_args!("linalg.fill ins(%x : f64) outs({new} : {plain})"));
        let buffer = Buffer { name: new, ty: PLAIN };
        self.buffers.push(buffer.clone());
        buffer
    }

    /// A buffer under another name, at its start or as its tail.
    fn again(&mut self) {
        let ty = [PLAIN, TAIL][self.random.below(2)];
        let (from, new) = (self.of(PLAIN), self.name());
        let (offset, size) = if ty == TAIL { (2, 2) } else { (0, 4) };
        self.line(format_args!(
            "{new} = memref.reinterpret_cast {} to offset: [{offset}], sizes: [{size}], strides: [1] : {} to {}",
            from.name, TYPES[PLAIN].1, TYPES[ty].1
        ));
        self.buffers.push(Buffer { name: new, ty });
    }

    fn write(&mut self) {
        let Buffer { name, ty } = self.any();
        let (value, number, (suffix, t)) = (self.name(), self.random.below(90), TYPES[ty]);
        self.line(format_args!("{value} = arith.constant {number}.5 : f64"));
        self.line(format_args!("func.call @write_{suffix}({name}, {value}) : ({t}, f64) -> ()"));
    }

    fn read(&mut self) {
        let buffer = self.any();
        self.read_of(&buffer);
    }

    fn read_of(&mut self, buffer: &Buffer) {
        let (suffix, t) = TYPES[buffer.ty];
        self.line(format_args!(
            "func.call @read_{suffix}({}, %sum) : ({t}, memref<i64>) -> ()",
            buffer.name
        ));
    }

    fn select(&mut self) {
        let a = self.any();
        let (b, new, p) = (self.of(a.ty), self.name(), ["%p", "%q"][self.random.below(2)]);
        self.line(format_args!(
            "{new} = arith.select {p}, {}, {} : {}",
            a.name, b.name, TYPES[a.ty].1
        ));
        self.buffers.push(Buffer { name: new, ty: a.ty });
    }

    fn global(&mut self) {
        let (new, seed) = (self.name(), self.seed);
        self.line(format_args!("{new} = memref.get_global @global_{seed} : memref<4xf64>"));
        self.buffers.push(Buffer { name: new, ty: PLAIN });
    }

    fn call(&mut self) {
        if self.functions.is_empty() {
            return self.write();
        }
        let callee = self.functions[self.random.below(self.functions.len())].clone();
        let (a, b) = (self.of(PLAIN), self.of(PLAIN));
        let result = self.call_of(&callee, &a, &b);
        self.buffers.push(result);
    }

    fn call_of(&mut self, callee: &Function, a: &Buffer, b: &Buffer) -> Buffer {
        let (new, plain) = (self.name(), TYPES[PLAIN].1);
        let (p, q) = [("%p", "%q"), ("%q", "%p")][self.random.below(2)];
        self.line(format_args!(
            "{new} = func.call {}({}, {}, {p}, {q}, %n, %sum) : ({plain}, {plain}, {MORE_TYPES}) -> {}",
            callee.name, a.name, b.name, TYPES[callee.ty].1
        ));
        Buffer { name: new, ty: callee.ty }
    }

    /// The function calls itself with one less, and the arguments exchanged.
    fn recursion(&mut self, name: &str) {
        let (a, b) = (self.of(PLAIN), self.of(PLAIN));
        let [new, last, less, inner] = std::array::from_fn(|_| self.name());
        let plain = TYPES[PLAIN].1;
        self.line(format_args!(
            "{last} = arith.cmpi eq, %n, %c0 : index
{new} = scf.if {last} -> {plain} {{
scf.yield {} : {plain}
}} else {{
{less} = arith.subi %n, %c1 : index
{inner} = func.call {name}({}, {}, %q, %p, {less}, %sum) : ({plain}, {plain}, {MORE_TYPES}) -> {plain}
scf.yield {inner} : {plain}
}}",
            a.name, b.name, a.name
        ));
        self.buffers.push(Buffer { name: new, ty: PLAIN });
    }

    /// Statements in a region of their own, then the output of `last`.
    fn region(&mut self, depth: usize, last: impl FnOnce(&mut Self)) {
        let before = self.buffers.len();
        let count = 1 + self.random.below(3);
        self.statements(count, depth + 1);
        last(self);
        self.buffers.truncate(before);
    }

    fn yields(&mut self, depth: usize, ty: usize) {
        self.region(depth, |generator| {
            let value = generator.of(ty);
            generator.line(format_args!("scf.yield {} : {}", value.name, TYPES[ty].1));
        });
    }

    fn branch(&mut self, depth: usize) {
        let (new, p, ty) =
            (self.name(), ["%p", "%q"][self.random.below(2)], self.random.below(TYPES.len()));
        self.line(format_args!("{new} = scf.if {p} -> {} {{", TYPES[ty].1));
        self.yields(depth, ty);
        self.line(format_args!("}} else {{"));
        self.yields(depth, ty);
        self.line(format_args!("}}"));
        self.buffers.push(Buffer { name: new, ty });
    }

    /// A loop that carries two buffers, which change places, stay, or are replaced.
    fn repeat(&mut self, depth: usize) {
        let [new, variable, y, z] = std::array::from_fn(|_| self.name());
        let (a, b, t) = (self.of(PLAIN), self.of(PLAIN), TYPES[PLAIN].1);
        self.line(format_args!(
            "{new}:2 = scf.for {variable} = %c0 to %n step %c1 iter_args({y} = {}, {z} = {}) -> ({t}, {t}) {{",
            a.name, b.name
        ));
        let before = self.buffers.len();
        self.buffers.extend([&y, &z].map(|name| Buffer { name: name.clone(), ty: PLAIN }));
        let swaps = self.random.chance(40);
        self.region(depth, |generator| {
            let (c, d) = match swaps {
                true => (z, y),
                false => (generator.of(PLAIN).name, generator.of(PLAIN).name),
            };
            generator.line(format_args!("scf.yield {c}, {d} : {t}, {t}"));
        });
        self.buffers.truncate(before);
        self.line(format_args!("}}"));
        self.buffers.extend([0, 1].map(|at| Buffer { name: format!("{new}#{at}"), ty: PLAIN }));
    }

    /// The same with `scf.while`.
    fn repeat_while(&mut self, depth: usize) {
        let [new, i, y, z, j, v, w, k, next] = std::array::from_fn(|_| self.name());
        let (a, b, t) = (self.of(PLAIN), self.of(PLAIN), TYPES[PLAIN].1);
        self.line(format_args!(
            "{new}:3 = scf.while ({i} = %c0, {y} = {}, {z} = {}) : (index, {t}, {t}) -> (index, {t}, {t}) {{
{k} = arith.cmpi ult, {i}, %n : index
scf.condition({k}) {i}, {z}, {y} : index, {t}, {t}
}} do {{
^bb0({j}: index, {v}: {t}, {w}: {t}):",
            a.name, b.name
        ));
        let before = self.buffers.len();
        self.buffers.extend([&v, &w].map(|name| Buffer { name: name.clone(), ty: PLAIN }));
        self.region(depth, |generator| {
            let (c, d) = (generator.of(PLAIN).name, generator.of(PLAIN).name);
            generator.line(format_args!(
                "{next} = arith.addi {j}, %c1 : index
scf.yield {next}, {c}, {d} : index, {t}, {t}"
            ));
        });
        self.buffers.truncate(before);
        self.line(format_args!("}}"));
        self.buffers.extend([1, 2].map(|at| Buffer { name: format!("{new}#{at}"), ty: PLAIN }));
    }

    /// A loop that frees the buffer that it carries and carries a new one on; its result is freed, or used.
    fn grow(&mut self) {
        let [new, variable, y, z, first] = std::array::from_fn(|_| self.name());
        let (from, t) = (self.of(PLAIN), TYPES[PLAIN].1);
        self.line(format_args!(
            "{first} = memref.alloc() : {t}
memref.copy {}, {first} : {t} to {t}
{new} = scf.for {variable} = %c0 to %n step %c1 iter_args({y} = {first}) -> {t} {{
{z} = memref.alloc() : {t}
linalg.add ins({y}, {y} : {t}, {t}) outs({z} : {t})
memref.dealloc {y} : {t}
scf.yield {z} : {t}
}}",
            from.name
        ));
        let grown = Buffer { name: new, ty: PLAIN };
        if self.random.chance(50) {
            self.buffers.push(grown);
        } else {
            self.read_of(&grown);
            self.line(format_args!("memref.dealloc {} : {t}", grown.name));
        }
    }

    /// A buffer that nothing else uses is passed around and freed.
    fn by_hand(&mut self) {
        let t = TYPES[PLAIN].1;
        let fresh: Vec<_> = self.functions.iter().filter(|f| f.is_fresh).cloned().collect();
        let buffer = if !fresh.is_empty() && self.random.chance(50) {
            let (a, b) = (self.of(PLAIN), self.of(PLAIN));
            let callee = fresh[self.random.below(fresh.len())].clone();
            self.call_of(&callee, &a, &b)
        } else {
            let before = self.buffers.len();
            let buffer = self.allocate();
            self.buffers.truncate(before);
            buffer
        };
        if !self.functions.is_empty() && self.random.chance(40) {
            // The result may be the buffer: it is read before the buffer is freed.
            let callee = self.functions[self.random.below(self.functions.len())].clone();
            let other = self.of(PLAIN);
            let result = self.call_of(&callee, &buffer, &other);
            self.read_of(&result);
        }
        let Buffer { name, .. } = &buffer;
        match self.random.below(4) {
            0 => {
                let consume = format!("@consume_{}", self.seed);
                if !self.text.contains(&format!("func.func private {consume}(")) {
                    let function = format!(
                        "func.func private {consume}(%a: {t}, %sum: memref<i64>) {{
func.call @read_plain(%a, %sum) : ({t}, memref<i64>) -> ()
memref.dealloc %a : {t}
return
}}\n"
                    );
                    self.text.insert_str(0, &function);
                }
                self.line(format_args!(
                    "func.call {consume}({name}, %sum) : ({t}, memref<i64>) -> ()"
                ));
            }
            1 => {
                self.line(format_args!("scf.if %p {{\nmemref.dealloc {name} : {t}\n}} else {{"));
                self.read_of(&buffer);
                self.line(format_args!("memref.dealloc {name} : {t}\n}}"));
            }
            2 => {
                let (open, back) = (self.name(), self.name());
                let o = TYPES[OPEN].1;
                self.line(format_args!("{open} = memref.cast {name} : {t} to {o}"));
                self.line(format_args!("{back} = memref.cast {open} : {o} to {t}"));
                self.line(format_args!("memref.dealloc {back} : {t}"));
            }
            _ => {
                self.read_of(&buffer);
                self.line(format_args!("memref.dealloc {name} : {t}"));
            }
        }
    }
}
