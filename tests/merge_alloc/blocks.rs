//! Random functions of several blocks, which form cycles that a counter ends.
//!
//! Input: a seed. Some buffers are allocated in the first block, others in later ones; blocks use the buffers that
//! dominate them, and pass some on as arguments. The pass merges all it can; the program prints the same before and
//! after.

use super::with_pass;
use crate::generator::Random;
use crate::tools::{Outcome, Run, fail, toyc};
use libtest_mimic::Failed;
use std::fmt::Write;
use toy_compiler::diagnostic::Diagnostic;
use toy_compiler::mlir::pass::run_pipeline;

const BUFFER: &str = "memref<3xf64>";

/// The passes to the LLVM dialect that keep blocks as they are; toyc's own turns them into regions. They free nothing.
const LOWERING: &str = "convert-linalg-to-loops,convert-scf-to-cf,finalize-memref-to-llvm,\
                        convert-func-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,\
                        reconcile-unrealized-casts";

pub fn random_blocks_print_the_same() -> Outcome {
    let mut views = 0;
    for seed in 0..20 {
        let program = program(seed);
        let merged = super::merged(&program, "alignment=8")?;
        views += merged.matches("memref.view").count();
        let (expected, found) = (run(&program)?, run(&merged)?);
        if expected.stdout != found.stdout || expected.stdout.is_empty() {
            return fail(format!("seed {seed}:\n{program}\n{merged}"));
        }
    }
    if views < 50 { fail(format!("only {views} views")) } else { Ok(()) }
}

fn run(program: &str) -> Result<Run, Failed> {
    let lowered = with_pass(program, "", |context, module, _| {
        let succeeded = run_pipeline(context.session, module, LOWERING, true);
        succeeded.then_some(()).ok_or_else(|| vec![Diagnostic::internal("not lowered")])
    })?;
    toyc(["-x", "mlir", "-", "-emit=jit"]).stdin(lowered.into_bytes()).run()?.exits(0)
}

struct Generator {
    random: Random,
    text: String,
    names: usize,
}

fn program(seed: u64) -> String {
    let mut generator = Generator { random: Random::new(seed), text: String::new(), names: 0 };
    generator.function();
    format!(
        "func.func private @toy_print(memref<*xf64> {{bufferization.access = \"read\"}}) attributes {{llvm.emit_c_interface}}
func.func private @f(%n: index) {{
{}}}
func.func @main() {{
  %n = arith.constant 7 : index
  call @f(%n) : (index) -> ()
  return
}}
",
        generator.text
    )
}

impl Generator {
    fn line(&mut self, line: std::fmt::Arguments) {
        let _ = writeln!(self.text, "  {line}");
    }

    fn allocate(&mut self) -> String {
        self.names += 1;
        let (name, value) = (format!("%v{}", self.names), self.random.below(9));
        self.line(format_args!("{name}f = arith.constant {value}.0 : f64"));
        self.line(format_args!("{name} = memref.alloc() : {BUFFER}"));
        self.line(format_args!("linalg.fill ins({name}f : f64) outs({name} : {BUFFER})"));
        name
    }

    fn pick(&mut self, buffers: &[String]) -> String {
        buffers[self.random.below(buffers.len())].clone()
    }

    fn statements(&mut self, buffers: &[String]) {
        for _ in 0..self.random.below(3) {
            let (a, b, to) = (self.pick(buffers), self.pick(buffers), self.pick(buffers));
            self.line(format_args!(
                "linalg.sub ins({a}, {b} : {BUFFER}, {BUFFER}) outs({to} : {BUFFER})"
            ));
        }
        let (buffer, cast) = (self.pick(buffers), self.names + 1);
        self.names += 1;
        self.line(format_args!("%c{cast} = memref.cast {buffer} : {BUFFER} to memref<*xf64>"));
        self.line(format_args!("func.call @toy_print(%c{cast}) : (memref<*xf64>) -> ()"));
    }

    /// Each block has a second half, reached by a branch: it is dominated by more than its own values.
    fn function(&mut self) {
        let blocks = 2 + self.random.below(3);
        for (name, value) in [("%zero", 0), ("%one", 1), ("%two", 2)] {
            self.line(format_args!("{name} = arith.constant {value} : index"));
        }
        let first: Vec<_> = (0..5 + self.random.below(4)).map(|_| self.allocate()).collect();
        let passed = self.pick(&first);
        self.line(format_args!("cf.br ^b0(%n, {passed} : index, {BUFFER})"));
        for block in 0..blocks {
            self.line(format_args!("^b{block}(%n{block}: index, %x{block}: {BUFFER}):"));
            let mut visible = first.clone();
            visible.push(format!("%x{block}"));
            for _ in 0..self.random.below(3) {
                visible.push(self.allocate());
                self.statements(&visible);
            }
            self.statements(&visible);
            self.line(format_args!("%z{block} = arith.cmpi eq, %n{block}, %zero : index"));
            self.line(format_args!("cf.cond_br %z{block}, ^end, ^c{block}"));
            self.line(format_args!("^c{block}:"));
            if self.random.chance(50) {
                visible.push(self.allocate());
            }
            self.statements(&visible);
            let other = self.random.below(blocks);
            self.line(format_args!("%m{block} = arith.subi %n{block}, %one : index"));
            self.line(format_args!("%r{block} = arith.remui %n{block}, %two : index"));
            self.line(format_args!("%o{block} = arith.cmpi eq, %r{block}, %zero : index"));
            let mut target = |to: usize| {
                let buffer = self.pick(&visible);
                format!("^b{to}(%m{block}, {buffer} : index, {BUFFER})")
            };
            // One of the branches leads to the next block, so that all are reached.
            let (then, otherwise) = (target((block + 1) % blocks), target(other));
            self.line(format_args!("cf.cond_br %o{block}, {then}, {otherwise}"));
        }
        self.line(format_args!("^end:"));
        self.statements(&first);
        self.line(format_args!("return"));
    }
}
