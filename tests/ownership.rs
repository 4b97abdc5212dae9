//! Who frees what: random programs of functions that share buffers, against a run in which nothing is
//! freed at all.
//!
//! Input: seeds, in batches that are compiled as one module. The reference skips merge-alloc and deallocation,
//! and the frees of the program itself are removed ([`without_freeing`]), so it cannot share a failure of
//! those stages. Each batch is run by the JIT at -O0 and -O2, unmerged and merged, and some of them as an
//! executable under valgrind: no leak, no invalid access, no double free. A failure shows the seed
//! with its program.
//!
//! The variables of [`crate::random`] choose the seeds and their number, here half of it: 200 programs
//! in the suite.

mod generator;

use crate::memory::valgrind;
use crate::merge_alloc::programs::{lines, lines_of};
use crate::programs::build;
use crate::random::{Tally, variable};
use crate::tools::{Outcome, fail, scratch, trial};
use generator::module;
use libtest_mimic::{Failed, Trial};
use std::ops::Range;
use toy_compiler::mlir::pass::PassContext;
use toy_compiler::mlir::session::{Printing, print_module};
use toy_compiler::mlir::{Locations, Pass, ir};
use toy_compiler::pipeline::{PipelineOptions, Stage, passes};
use toy_compiler::source::Source;

/// Programs of a module.
const BATCH: u64 = 25;

/// One batch in this many is also an executable under valgrind, in turn at -O0 and -O2.
const CHECKED: u64 = 2;

pub fn trials() -> Vec<Trial> {
    let first = variable("TOYC_RANDOM_SEED", 0);
    let end = first + variable("TOYC_RANDOM_COUNT", 400).div_ceil(2);
    let batches = (first..end).step_by(BATCH as usize).map(|start| start..end.min(start + BATCH));
    let name = |seeds: &Range<u64>| format!("ownership/random/{}-{}", seeds.start, seeds.end - 1);
    batches.map(|seeds| trial(name(&seeds), move || batch(seeds))).collect()
}

fn batch(seeds: Range<u64>) -> Outcome {
    let mut tally = Tally::new("ownership");
    tally.add("ownership-programs", seeds.end - seeds.start);
    if let Err(failure) = compare(&seeds) {
        let mut failed = false;
        for seed in seeds.clone() {
            let one = seed..seed + 1;
            if let Err(failure) = compare(&one) {
                failed = true;
                if !tally.failed(seed, "mlir", module(one).as_bytes(), &failure)? {
                    break;
                }
            }
        }
        if !failed {
            tally.failed(seeds.start, "mlir", module(seeds).as_bytes(), &failure)?;
        }
    }
    tally.finish()
}

fn compare(seeds: &Range<u64>) -> Outcome {
    let text = module(seeds.clone());
    let expected = lines(&without_freeing(&text)?, seeds, &["-emit=jit", "-O0"])?;
    let judge = |what: &str, found: Vec<String>| {
        let wrong = seeds.clone().zip(found.iter().zip(&expected)).find(|(_, (a, b))| a != b);
        match wrong {
            Some((seed, (found, expected))) => {
                fail(format!("seed {seed}, {what}: {found} instead of {expected}"))
            }
            None => Ok(()),
        }
    };
    for options in [
        &["-emit=jit", "-O0"] as &[_],
        &["-emit=jit", "-O2"],
        &["-emit=jit", "-O2", "--merge-alloc=poison call-trees"],
    ] {
        judge(&options.join(" "), lines(&text, seeds, options)?)?;
    }
    let number = seeds.start / BATCH;
    if number.is_multiple_of(CHECKED) || seeds.end - seeds.start < BATCH {
        let level = ["-O0", "-O2"][(number / CHECKED % 2) as usize];
        let directory = scratch(&format!("ownership/{}-{}", seeds.start, seeds.end));
        let source = directory.join("programs.mlir");
        std::fs::write(&source, &text)?;
        let executable = directory.join("programs");
        build(&source, &executable, level, None)?;
        let found = valgrind(&executable)?.exits(0)?.stdout;
        judge(&format!("valgrind {level}"), lines_of(&found, seeds)?)?;
        std::fs::remove_dir_all(&directory)?;
    }
    Ok(())
}

/// A program in the LLVM dialect that never frees anything: it skips merge-alloc and deallocation, and its own frees
/// are removed.
pub fn without_freeing(text: &str) -> Result<String, Failed> {
    let session = toy_compiler::dialect::new_session();
    let source = Source::new("test.mlir", text);
    let context = PassContext::new(&session, Locations { source: &source, file: "test.mlir" });
    let wrong = || Failed::from(format!("{:?}\n{text}", session.take_diagnostics()));
    let mut module = session.parse(&source).ok_or_else(wrong)?;
    for stage in [Stage::Memref, Stage::Loops, Stage::MlirLlvm] {
        for pass in Pass::applicable(passes(stage, &PipelineOptions::default()), &module) {
            pass.run(&context, &mut module).map_err(|diagnostics| format!("{diagnostics:?}"))?;
        }
        if stage == Stage::Memref {
            let mut frees = ir::operations(module.as_operation());
            frees.retain(|operation| ir::name(operation) == "memref.dealloc");
            frees.into_iter().for_each(ir::erase);
        }
    }
    if !session.verify(&module) {
        return Err(wrong());
    }
    let mut printed = Vec::new();
    print_module(&module, Printing::default(), &mut printed)?;
    Ok(String::from_utf8(printed)?)
}
