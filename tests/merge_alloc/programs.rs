//! Random programs of buffers: loops that hand buffers on, branches that yield them, views, selects.
//!
//! Input: a seed. Each program prints the same without merge-alloc (-O0), with it (-O2), with the
//! document's planner, and with whole call trees sharing; every tenth one is run by valgrind, too. Every buffer is filled where it is
//! allocated, and conditions and numbers of iterations are arguments, so that nothing is folded away.

use crate::generator::Random;
use crate::memory::valgrind;
use crate::programs::build;
use crate::tools::{Outcome, Run, fail, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::fmt::Write;

const BATCH: u64 = 10;

pub fn trials() -> Vec<Trial> {
    let variable = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let first: u64 = variable("TOYC_RANDOM_SEED").unwrap_or(0);
    let count = variable("TOYC_RANDOM_COUNT").unwrap_or(400) / 10;
    let starts = (first..first + count.max(BATCH)).step_by(BATCH as usize);
    starts.map(|start| trial(format!("merge_alloc/random/{start}"), move || batch(start))).collect()
}

fn batch(start: u64) -> Outcome {
    let mut views = 0;
    for seed in start..start + BATCH {
        let program = program(seed);
        let expected = run(&program, &["-emit=jit", "-O0"])?.exits(0)?;
        let merged = run(&program, &["-emit=merged", "-O2"])?.exits(0)?;
        views += String::from_utf8_lossy(&merged.stdout).matches("memref.view").count();
        for options in [
            &["-O2"][..],
            &["-O1", "--merge-alloc=planner=chunk-hot alignment=8"],
            &["-O1", "--merge-alloc=call-trees"],
        ] {
            let found = run(&program, &[options, &["-emit=jit"]].concat())?.exits(0)?;
            if found.stdout != expected.stdout {
                let (found, expected) = (found.stdout, expected.stdout);
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                return fail(format!(
                    "seed {seed} prints\n{}\ninstead of\n{}\n{program}",
                    text(&found),
                    text(&expected)
                ));
            }
        }
        if seed == start {
            let directory = scratch(&format!("merge_alloc/random/{seed}"));
            let source = directory.join("program.mlir");
            std::fs::write(&source, &program)?;
            build(&source, &directory.join("program"), "-O2", None)?;
            valgrind(&directory.join("program"))?.exits(0)?.prints(expected.stdout)?;
        }
    }
    if views < 20 {
        return fail("hardly anything was merged");
    }
    Ok(())
}

fn run(program: &str, options: &[&str]) -> Result<Run, Failed> {
    toyc([&["-x", "mlir", "-"], options].concat()).stdin(program.as_bytes().to_vec()).run()
}

/// Buffers that branches, loops and selects hand on, merged, are freed once.
pub fn frees_once() -> Outcome {
    let directory = scratch("merge_alloc/frees_once");
    for seed in 1_000_000..1_000_006 {
        let source = directory.join(format!("{seed}.mlir"));
        std::fs::write(&source, program(seed))?;
        for level in ["-O0", "-O2"] {
            let executable = directory.join(format!("{seed}{level}"));
            build(&source, &executable, level, None)?;
            valgrind(&executable)?.exits(0)?;
        }
    }
    Ok(())
}

/// A buffer in sight: its name and the number of its elements.
type Buffer = (String, usize);

struct Generator {
    random: Random,
    text: String,
    names: usize,
    buffers: Vec<Buffer>,
    /// Views without the first element of a buffer with so many.
    views: Vec<Buffer>,
    budget: usize,
}

pub fn program(seed: u64) -> String {
    let mut generator = Generator {
        random: Random::new(seed),
        text: String::new(),
        names: 0,
        buffers: Vec::new(),
        views: Vec::new(),
        budget: 80,
    };
    for _ in 0..3 {
        generator.allocate();
    }
    generator.statements(14, 0);
    generator.print();
    format!(
        "func.func private @toy_print(memref<*xf64> {{bufferization.access = \"read\"}}) attributes {{llvm.emit_c_interface}}
func.func private @twice(%a: memref<3xf64>, %b: memref<3xf64>) {{
  %t = memref.alloc() : memref<3xf64>
  linalg.add ins(%a, %b : memref<3xf64>, memref<3xf64>) outs(%t : memref<3xf64>)
  linalg.add ins(%t, %a : memref<3xf64>, memref<3xf64>) outs(%b : memref<3xf64>)
  return
}}
func.func private @f(%p: i1, %q: i1, %n0: index, %n1: index, %n2: index, %n3: index) {{
{}return
}}
func.func @main() {{
  %p = arith.constant true
  %q = arith.constant false
  %n0 = arith.constant 0 : index
  %n1 = arith.constant 1 : index
  %n2 = arith.constant 2 : index
  %n3 = arith.constant 3 : index
  call @f(%p, %q, %n0, %n1, %n2, %n3) : (i1, i1, index, index, index, index) -> ()
  call @f(%q, %p, %n0, %n1, %n3, %n2) : (i1, i1, index, index, index, index) -> ()
  return
}}
",
        generator.text
    )
}

fn of(size: usize) -> String {
    format!("memref<{size}xf64>")
}

impl Generator {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn line(&mut self, line: std::fmt::Arguments) {
        let _ = writeln!(self.text, "{line}");
    }

    /// Some buffer in sight, of this size if it matters.
    fn buffer(&mut self, size: Option<usize>) -> Buffer {
        let fitting: Vec<&Buffer> =
            self.buffers.iter().filter(|buffer| size.is_none_or(|size| size == buffer.1)).collect();
        // The last ones are the likelier.
        let at = fitting.len().saturating_sub(1 + self.random.below(5));
        match fitting.get(at) {
            Some(buffer) => (*buffer).clone(),
            None => self.allocate_of(size.unwrap_or(3)),
        }
    }

    fn number(&mut self) -> String {
        let (name, value) = (self.name(), self.random.below(9));
        self.line(format_args!("{name} = arith.constant {value}.0 : f64"));
        name
    }

    fn allocate(&mut self) -> Buffer {
        let size = [2, 3, 3, 5, 12][self.random.below(5)];
        self.allocate_of(size)
    }

    fn allocate_of(&mut self, size: usize) -> Buffer {
        let (name, value) = (self.name(), self.number());
        self.line(format_args!("{name} = memref.alloc() : {}", of(size)));
        self.line(format_args!("linalg.fill ins({value} : f64) outs({name} : {})", of(size)));
        self.buffers.push((name.clone(), size));
        (name, size)
    }

    fn print(&mut self) {
        let ((buffer, size), cast) = (self.buffer(None), self.name());
        self.line(format_args!("{cast} = memref.cast {buffer} : {} to memref<*xf64>", of(size)));
        self.line(format_args!("func.call @toy_print({cast}) : (memref<*xf64>) -> ()"));
    }

    fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            // What is allocated next takes the memory of what nobody seems to need any more.
            if self.random.chance(30) {
                self.allocate();
            }
            match self.random.below(if depth < 3 { 17 } else { 11 }) {
                0 | 1 => {
                    self.allocate();
                }
                2 | 3 => {
                    let (to, size) = self.buffer(None);
                    let (a, b) = (self.buffer(Some(size)).0, self.buffer(Some(size)).0);
                    let t = of(size);
                    self.line(format_args!("linalg.add ins({a}, {b} : {t}, {t}) outs({to} : {t})"));
                }
                4 => {
                    let (to, size) = self.buffer(None);
                    let (from, t) = (self.buffer(Some(size)).0, of(size));
                    if from != to {
                        self.line(format_args!("memref.copy {from}, {to} : {t} to {t}"));
                    }
                }
                5 | 6 => self.print(),
                7 => {
                    let ((buffer, size), name) = (self.buffer(None), self.name());
                    self.line(format_args!(
                        "{name} = memref.subview {buffer}[1] [{}] [1] : {} to {}",
                        size - 1,
                        of(size),
                        part_of(size)
                    ));
                    self.views.push((name, size));
                }
                8 => {
                    if !self.views.is_empty() {
                        let (view, size) = self.views[self.random.below(self.views.len())].clone();
                        let value = self.number();
                        let t = part_of(size);
                        self.line(format_args!(
                            "linalg.fill ins({value} : f64) outs({view} : {t})"
                        ));
                    }
                }
                9 => {
                    let (a, size) = self.buffer(None);
                    let (b, name) = (self.buffer(Some(size)).0, self.name());
                    let condition = self.random.pick(&["%p", "%q"]).to_owned();
                    self.line(format_args!(
                        "{name} = arith.select {condition}, {a}, {b} : {}",
                        of(size)
                    ));
                    self.buffers.push((name, size));
                }
                10 => {
                    let (a, b) = (self.buffer(Some(3)).0, self.buffer(Some(3)).0);
                    self.line(format_args!(
                        "func.call @twice({a}, {b}) : (memref<3xf64>, memref<3xf64>) -> ()"
                    ));
                }
                11 | 12 => self.repeat(depth),
                13 => self.repeat_while(depth),
                14 => self.switch(depth),
                _ => self.branch(depth),
            }
        }
    }

    /// Statements in a region of their own; the result is what `last` makes at its end.
    fn region<T>(&mut self, depth: usize, last: impl FnOnce(&mut Self) -> T) -> T {
        let (buffers, views) = (self.buffers.len(), self.views.len());
        let count = 1 + self.random.below(5);
        self.statements(count, depth + 1);
        let result = last(self);
        self.buffers.truncate(buffers);
        self.views.truncate(views);
        result
    }

    fn repeat(&mut self, depth: usize) {
        let variable = self.name();
        let count = self.random.pick(&["%n0", "%n1", "%n2", "%n3"]).to_owned();
        let head = format!("scf.for {variable} = %n0 to {count} step %n1");
        if self.random.chance(40) {
            self.line(format_args!("{head} {{"));
            self.region(depth, |_| ());
            self.line(format_args!("}}"));
            return;
        }
        let (a, size) = self.buffer(None);
        let (b, t) = (self.buffer(Some(size)).0, of(size));
        let (result, x, y) = (self.name(), self.name(), self.name());
        self.line(format_args!(
            "{result}:2 = {head} iter_args({x} = {a}, {y} = {b}) -> ({t}, {t}) {{"
        ));
        let before = self.buffers.len();
        self.buffers.extend([(x.clone(), size), (y.clone(), size)]);
        let swap = self.random.chance(50);
        self.region(depth, |generator| {
            let (c, d) = if swap {
                (y, x)
            } else {
                (generator.buffer(Some(size)).0, generator.buffer(Some(size)).0)
            };
            generator.line(format_args!("scf.yield {c}, {d} : {t}, {t}"));
        });
        self.buffers.truncate(before);
        self.line(format_args!("}}"));
        self.buffers.extend([(format!("{result}#0"), size), (format!("{result}#1"), size)]);
    }

    /// A loop with statements before its condition and after it, which hands on a buffer.
    fn repeat_while(&mut self, depth: usize) {
        let (buffer, size) = self.buffer(None);
        let t = of(size);
        let [result, count, x, more, y, next] = std::array::from_fn(|_| self.name());
        let limit = self.random.pick(&["%n0", "%n1", "%n2", "%n3"]).to_owned();
        self.line(format_args!(
            "{result}:2 = scf.while ({count} = %n0, {x} = {buffer}) : (index, {t}) -> (index, {t}) {{
             {more} = arith.cmpi slt, {count}, {limit} : index"
        ));
        let before = self.buffers.len();
        self.buffers.push((x, size));
        self.region(depth, |generator| {
            let passed = generator.buffer(Some(size)).0;
            generator.line(format_args!("scf.condition({more}) {count}, {passed} : index, {t}"));
        });
        self.buffers.truncate(before);
        self.line(format_args!("}} do {{\n^bb0({next}: index, {y}: {t}):"));
        self.buffers.push((y, size));
        let sum = self.name();
        self.line(format_args!("{sum} = arith.addi {next}, %n1 : index"));
        self.region(depth, |generator| {
            let passed = generator.buffer(Some(size)).0;
            generator.line(format_args!("scf.yield {sum}, {passed} : index, {t}"));
        });
        self.buffers.truncate(before);
        self.line(format_args!("}}"));
        self.buffers.push((format!("{result}#1"), size));
    }

    fn switch(&mut self, depth: usize) {
        let (_, size) = self.buffer(None);
        let (result, t) = (self.name(), of(size));
        let value = self.random.pick(&["%n1", "%n2", "%n3"]).to_owned();
        self.line(format_args!("{result} = scf.index_switch {value} -> {t}"));
        for head in ["case 1 {", "case 2 {", "default {"] {
            self.line(format_args!("{head}"));
            self.region(depth, |generator| {
                let yielded = generator.buffer(Some(size)).0;
                generator.line(format_args!("scf.yield {yielded} : {t}"));
            });
            self.line(format_args!("}}"));
        }
        self.buffers.push((result, size));
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.random.pick(&["%p", "%q"]).to_owned();
        if self.random.chance(40) {
            self.line(format_args!("scf.if {condition} {{"));
            self.region(depth, |_| ());
            self.line(format_args!("}}"));
            return;
        }
        let (_, size) = self.buffer(None);
        let (result, t) = (self.name(), of(size));
        self.line(format_args!("{result} = scf.if {condition} -> ({t}) {{"));
        for end in ["} else {", "}"] {
            self.region(depth, |generator| {
                let yielded = generator.buffer(Some(size)).0;
                generator.line(format_args!("scf.yield {yielded} : {t}"));
            });
            self.line(format_args!("{end}"));
        }
        self.buffers.push((result, size));
    }
}

/// A buffer without its first element.
fn part_of(size: usize) -> String {
    format!("memref<{}xf64, strided<[1], offset: 1>>", size - 1)
}
