//! Loops that carry tensors: the compiler agrees with an interpreter of values on random programs.
//!
//! Input: seeds, in batches that are compiled as one module. A program is data ([`program`]): [`emit`]
//! writes it as MLIR, [`interpret`] runs it without the compiler. Each batch is run at all levels, and every
//! eighth one as executables under valgrind, too. Whether a level accepts a program is part of the comparison.
//! A failure shows the seeds, each with its program.
//!
//! The variables of [`crate::random`] choose the seeds and their number, here two fifths of it: 160 programs in
//! the suite.

mod emit;
mod interpret;
mod make;
mod program;

use crate::memory::valgrind;
use crate::programs::build;
use crate::random::{Tally, variable};
use crate::tools::{Outcome, fail, scratch, toyc, trial};
use libtest_mimic::Trial;
use std::ops::Range;

/// Programs of a module.
const BATCH: u64 = 20;

/// One batch in this many is run under valgrind.
const CHECKED: u64 = 8;

const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

/// This replaces `toy.print`: a function that works on Toy values may not call itself.
const PRINT: &str = "func.func private @toy_print(tensor<*xf64> {bufferization.access = \"read\"}) \
                     attributes {llvm.emit_c_interface}\n";

pub fn trials() -> Vec<Trial> {
    let first = variable("TOYC_RANDOM_SEED", 0);
    let end = first + (variable("TOYC_RANDOM_COUNT", 400) * 2).div_ceil(5);
    let batches = (first..end).step_by(BATCH as usize).map(|start| start..end.min(start + BATCH));
    let name = |seeds: &Range<u64>| format!("tensor_loops/{}-{}", seeds.start, seeds.end - 1);
    let mut trials = vec![trial("tensor_loops/most_seeds_are_tests", most_seeds_are_tests)];
    trials.extend(batches.map(|seeds| trial(name(&seeds), move || batch(seeds))));
    trials
}

fn batch(seeds: Range<u64>) -> Outcome {
    let mut tally = Tally::new("tensor_loops");
    if let Err(failure) = compare(&seeds, &mut tally) {
        // Each by itself, to find the failing one.
        let mut failed = false;
        for seed in seeds.clone() {
            if let Err(failure) = compare(&(seed..seed + 1), &mut Tally::new("tensor_loops")) {
                failed = true;
                let (text, _) = module(&(seed..seed + 1));
                if !tally.failed(seed, "mlir", text.as_bytes(), &failure)? {
                    break;
                }
            }
        }
        if !failed {
            tally.failed(seeds.start, "mlir", module(&seeds).0.as_bytes(), &failure)?;
        }
    }
    tally.finish()
}

/// The programs of the seeds that have one, and their outputs, each after its seed.
fn module(seeds: &Range<u64>) -> (String, Vec<Vec<f64>>) {
    let (mut text, mut calls, mut expected) = (PRINT.to_owned(), String::new(), Vec::new());
    for seed in seeds.clone() {
        let program = make::program(seed);
        let Some(printed) = interpret::run(&program) else { continue };
        expected.push([vec![-0.5, seed as f64], printed].concat());
        let name = format!("p{seed}");
        text += &emit::program(&program, &name);
        let main = program.functions.len() - 1;
        calls += &format!(
            "%s{seed} = arith.constant dense<[-0.5, {seed}.0]> : tensor<2xf64>
\"toy.print\"(%s{seed}) : (tensor<2xf64>) -> ()
func.call @{name}_{main}(%zero) : (index) -> ()\n"
        );
    }
    text += &format!("func.func @main() {{\n%zero = arith.constant 0 : index\n{calls}return\n}}\n");
    (text, expected)
}

fn compare(seeds: &Range<u64>, tally: &mut Tally) -> Outcome {
    let (text, expected) = module(seeds);
    tally.add("programs", expected.len() as u64);
    for level in LEVELS {
        let run = toyc(["-x", "mlir", "-", "-emit=jit", level]).stdin(text.clone()).run()?;
        judge(level, &run.exits(0)?.stdout, &expected)?;
        tally.add("runs", expected.len() as u64);
    }
    if !(seeds.start / BATCH).is_multiple_of(CHECKED) {
        return Ok(());
    }
    let directory = scratch(&format!("tensor_loops/{}-{}", seeds.start, seeds.end));
    let source = directory.join("programs.mlir");
    std::fs::write(&source, &text)?;
    for level in ["-O0", "-O2"] {
        let executable = directory.join(level);
        build(&source, &executable, level, None)?;
        judge(&format!("valgrind {level}"), &valgrind(&executable)?.exits(0)?.stdout, &expected)?;
        tally.add("checked", expected.len() as u64);
    }
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}

/// Compares the outputs of all programs with the expected ones.
fn judge(what: &str, printed: &[u8], expected: &[Vec<f64>]) -> Outcome {
    let printed = String::from_utf8_lossy(printed);
    let mut numbers = printed.split_whitespace();
    for program in expected {
        let found: Vec<_> = numbers.by_ref().take(program.len()).collect();
        let wanted: Vec<_> = program.iter().map(|number| format!("{number:.6}")).collect();
        // The compiler keeps the sign of a zero, the interpreter as well.
        if found != wanted {
            let seed = program[1];
            return fail(format!("{what}, seed {seed}:\n  prints {found:?}\n  wanted {wanted:?}"));
        }
    }
    if numbers.next().is_some() { fail(format!("{what}: more is printed")) } else { Ok(()) }
}

/// Few programs run for too long, and most of them carry tensors.
fn most_seeds_are_tests() -> Outcome {
    let (text, expected) = module(&(0..200));
    let loops = text.matches("scf.for").count() + text.matches("scf.while").count();
    let blocks = text.matches("cf.cond_br").count();
    if expected.len() > 150 && loops > 300 && blocks > 100 {
        return Ok(());
    }
    fail(format!("{} programs, {loops} loops, {blocks} loops of blocks", expected.len()))
}
