//! Operations in place: random functions on buffers print the same with `toy-in-place` and without.
//!
//! Input: seeds ([`crate::random`] says which and how many). Each program has functions that call each other, with
//! element-wise and other operations, copies, aliases, loops and branches. It runs unchanged, with the pass alone, and
//! with the pass before merge-alloc with poison, whose result is verified. Invariant: every element that is read has
//! been written before.

use crate::random::variable;
use crate::tools::{Job, Outcome, fail, toyc, trial};
use libtest_mimic::{Failed, Trial};
use memory_planner::random::SplitMix64;
use std::fmt::Write;

/// Programs of a batch, which are one module.
const BATCH: u64 = 20;

pub fn trials() -> Vec<Trial> {
    let first = variable("TOYC_RANDOM_SEED", 0);
    let end = first + variable("TOYC_RANDOM_COUNT", 400).div_ceil(10);
    let batches = (first..end).step_by(BATCH as usize);
    let random = batches.map(|start| {
        let name = format!("in_place/random/{start}-{}", end.min(start + BATCH) - 1);
        trial(name, move || batch(start, end.min(start + BATCH)))
    });
    random.collect()
}

fn batch(start: u64, end: u64) -> Outcome {
    let mut saved = 0;
    for seed in start..end {
        let program = Generator::program(seed);
        let changed = opt(&program, &["--toy-in-place"])?;
        let merged = opt(
            &changed,
            &[
                "--merge-alloc=poison call-trees compact stack=4096",
                "--lower-affine",
                "--convert-scf-to-cf",
            ],
        )?;
        opt(&merged, &["--verify-merged-allocs"])?;
        let expected = run(&program, "-O0")?;
        for (what, text, level) in
            [("in place", &changed, "-O0"), ("merged", &merged, "-O0"), ("all", &program, "-O2")]
        {
            let found = run(text, level)?;
            if found != expected {
                return fail(format!(
                    "seed {seed}, {what}: {found}\ninstead of {expected}\n{program}\n{text}"
                ));
            }
        }
        saved += program.matches("memref.alloc").count() - changed.matches("memref.alloc").count();
    }
    let least = (end - start) as usize;
    if saved < least { fail(format!("only {saved} buffers are saved")) } else { Ok(()) }
}

fn opt(program: &str, options: &[&str]) -> Result<String, Failed> {
    let run = Job::new(env!("CARGO_BIN_EXE_toy-opt"), [&["-"], options].concat())
        .stdin(program.as_bytes().to_vec())
        .run()?;
    Ok(String::from_utf8_lossy(&run.exits(0)?.stdout).into_owned())
}

fn run(program: &str, level: &str) -> Result<String, Failed> {
    let run = toyc(["-x", "mlir", "-", "-emit=jit", level]).stdin(program.as_bytes().to_vec());
    Ok(String::from_utf8_lossy(&run.run()?.exits(0)?.stdout).into_owned())
}

/// The type of a function's arguments: two are read and one is written; some functions read its contents first.
const TYPE: &str = "memref<3x3xf64>";
const ARGUMENTS: &str = "memref<3x3xf64>, memref<3x3xf64>, memref<3x3xf64>";

struct Generator {
    random: SplitMix64,
    text: String,
    names: usize,
}

impl Generator {
    fn program(seed: u64) -> String {
        let mut generator = Self { random: SplitMix64(seed), text: String::new(), names: 0 };
        generator.text += "func.func private @toy_print(memref<*xf64> {bufferization.access = \"read\"}) \
                           attributes {llvm.emit_c_interface}\n";
        let functions = 1 + generator.random.below(4) as usize;
        for number in 0..functions {
            let _ = writeln!(
                generator.text,
                "func.func private @f{number}(%x: {TYPE}, %y: {TYPE}, %o: {TYPE}) {{"
            );
            let mut filled = vec!["%x".to_owned(), "%y".to_owned()];
            generator.block(&mut filled, number, 5, 2);
            let (op, a, b) = (generator.operator(), generator.one(&filled), generator.one(&filled));
            let _ = writeln!(
                generator.text,
                "{op} ins({a}, {b} : {TYPE}, {TYPE}) outs(%o : {TYPE})\nreturn\n}}"
            );
        }
        generator.text += "func.func @main() {\n%k = arith.constant 1.5 : f64\n%c0 = arith.constant 0 : index\n\
                           %c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n%h = arith.constant 0.5 : f64\n";
        let mut filled = Vec::new();
        for value in ["%k", "%h"] {
            let name = generator.alloc();
            let _ =
                writeln!(generator.text, "linalg.fill ins({value} : f64) outs({name} : {TYPE})");
            let _ = writeln!(generator.text, "memref.store %k, {name}[%c1, %c2] : {TYPE}");
            let _ = writeln!(generator.text, "memref.store %h, {name}[%c0, %c1] : {TYPE}");
            filled.push(name);
        }
        generator.block(&mut filled, functions, 8, 2);
        let last = filled.last().cloned().unwrap_or_default();
        let other = generator.one(&filled);
        for name in [last, other] {
            generator.print(&name);
        }
        generator.text += "return\n}\n";
        generator.text
    }

    fn one(&mut self, names: &[String]) -> String {
        // The last ones more often: they die soon.
        let back = self.random.below(3).min(self.random.below(names.len() as u64));
        names[names.len() - 1 - back as usize].clone()
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn alloc(&mut self) -> String {
        let name = self.name();
        let aligned = if self.random.below(4) == 0 { " {alignment = 64 : i64}" } else { "" };
        let _ = writeln!(self.text, "{name} = memref.alloc(){aligned} : {TYPE}");
        name
    }

    fn operator(&mut self) -> &'static str {
        ["linalg.add", "linalg.sub", "linalg.max"][self.random.below(3) as usize]
    }

    fn print(&mut self, name: &str) {
        let cast = self.name();
        let _ = writeln!(
            self.text,
            "{cast} = memref.cast {name} : {TYPE} to memref<*xf64>\n\
             func.call @toy_print({cast}) : (memref<*xf64>) -> ()"
        );
    }

    /// Some statements, which add to `filled`; `callable` functions come before.
    fn block(&mut self, filled: &mut Vec<String>, callable: usize, most: u64, depth: u32) {
        for _ in 0..1 + self.random.below(most) {
            let (a, b) = (self.one(filled), self.one(filled));
            match self.random.below(12) {
                0 | 1 => {
                    let (new, op) = (self.alloc(), self.operator());
                    let _ = writeln!(
                        self.text,
                        "{op} ins({a}, {b} : {TYPE}, {TYPE}) outs({new} : {TYPE})"
                    );
                    filled.push(new);
                }
                2 => {
                    let new = self.alloc();
                    let _ = writeln!(self.text, "memref.copy {a}, {new} : {TYPE} to {TYPE}");
                    filled.push(new);
                }
                3 => {
                    let new = self.alloc();
                    let _ = writeln!(
                        self.text,
                        "linalg.transpose ins({a} : {TYPE}) outs({new} : {TYPE}) permutation = [1, 0]"
                    );
                    filled.push(new);
                }
                4 | 5 => {
                    // Each operand is transposed or not; the contents of the result are read or not.
                    let new = self.alloc();
                    let _ = writeln!(self.text, "memref.copy {b}, {new} : {TYPE} to {TYPE}");
                    let new = if self.random.below(3) == 0 { new } else { self.alloc() };
                    let reads = self.text.lines().last().is_some_and(|line| line.contains("copy"));
                    let map = |turned: bool| {
                        format!("affine_map<(i, j) -> ({})>", if turned { "j, i" } else { "i, j" })
                    };
                    let maps = [self.random.below(4) == 0, self.random.below(4) == 0];
                    let third = if reads { "%old" } else { "%q" };
                    let _ = writeln!(
                        self.text,
                        "linalg.generic {{indexing_maps = [{}, {}, {}], iterator_types = [\"parallel\", \"parallel\"]}} \
                         ins({a}, {b} : {TYPE}, {TYPE}) outs({new} : {TYPE}) {{\n^bb0(%p: f64, %q: f64, %old: f64):\n\
                         %s = arith.subf %p, {third} : f64\n%t = arith.addf %s, %q : f64\nlinalg.yield %t : f64\n}}",
                        map(maps[0]),
                        map(maps[1]),
                        map(false),
                    );
                    filled.push(new);
                }
                6..=8 if callable > 0 => {
                    let callee = self.random.below(callable as u64);
                    let new = self.alloc();
                    let _ = writeln!(
                        self.text,
                        "func.call @f{callee}({a}, {b}, {new}) : ({ARGUMENTS}) -> ()"
                    );
                    filled.push(new);
                }
                9 if depth > 0 => {
                    let (from, to, step) = (self.name(), self.name(), self.name());
                    let index = self.name();
                    let _ = writeln!(
                        self.text,
                        "{from} = arith.constant 0 : index\n{to} = arith.constant 2 : index\n\
                         {step} = arith.constant 1 : index\nscf.for {index} = {from} to {to} step {step} {{"
                    );
                    self.inner(filled, callable, depth);
                }
                10 if depth > 0 => {
                    let condition = self.name();
                    let value = self.random.below(2) == 0;
                    let _ = writeln!(
                        self.text,
                        "{condition} = arith.constant {value}\nscf.if {condition} {{"
                    );
                    self.inner(filled, callable, depth);
                }
                _ => self.print(&a),
            }
        }
    }

    /// A region, whose results go into a buffer that was filled before.
    fn inner(&mut self, filled: &[String], callable: usize, depth: u32) {
        let mut own = filled.to_vec();
        self.block(&mut own, callable, 4, depth - 1);
        let (from, to) = (self.one(&own), self.one(filled));
        if from != to && !["%x", "%y"].contains(&to.as_str()) {
            let _ = writeln!(self.text, "memref.copy {from}, {to} : {TYPE} to {TYPE}");
        }
        self.text += "}\n";
    }
}
