//! Random programs whose loops pass on new buffers: they print the same with and without
//! toy-rotate-buffers, merge-alloc and deallocation.
//!
//! Input: seeds, in batches that are compiled as one module. The reference frees nothing and runs none of
//! our passes on buffers. A batch is then run with rotation only, and through the whole pipeline
//! with poison; the first batch is also run under valgrind, which counts leaks.

use super::generator::module_of_turns;
use super::programs::lines;
use super::with_pass;
use crate::memory::valgrind;
use crate::programs::build;
use crate::random::{Tally, variable};
use crate::tools::{Job, Outcome, fail, root, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::ops::Range;
use toy_compiler::mlir::Pass;
use toy_compiler::pipeline::{PipelineOptions, Stage, passes};
use toy_compiler::stages::merged::rotate;

const BATCH: u64 = 50;

/// The first seed; other tests do not use these.
const FIRST: u64 = 3_000_000;

pub fn trials() -> Vec<Trial> {
    let first = FIRST + variable("TOYC_RANDOM_SEED", 0);
    let end = first + variable("TOYC_RANDOM_COUNT", 200).div_ceil(4);
    let batches = (first..end).step_by(BATCH as usize).map(|start| start..end.min(start + BATCH));
    let name = |seeds: &Range<u64>| format!("merge_alloc/turns/{}-{}", seeds.start, seeds.end - 1);
    batches.map(|seeds| trial(name(&seeds), move || batch(seeds))).collect()
}

/// Everyday loops print the same as without deallocation, lose nothing, and take as many allocations as there are
/// arenas and buffers of C's library; more where other things cost some.
pub fn everyday_loops_rotate_their_buffers() -> Outcome {
    for (name, most) in [
        ("branch", 2),
        ("fibonacci", 2),
        ("in_a_loop", 36),
        ("jacobi", 2),
        // Its inner loop does not rotate. The caller gives its slots, so they are never owned, but upstream's
        // deallocation does not see this: it asks at run time, with five allocations.
        ("nested", 80),
        ("power", 2),
        ("returned", 15),
        ("while", 2),
    ] {
        let source = root().join(format!("tests/merge_alloc/turns/{name}.mlir"));
        let unfreed = unfreed(&std::fs::read_to_string(&source)?)?;
        let run = toyc(["-x", "mlir", "-", "-emit=jit"]).stdin(unfreed.into_bytes()).run()?;
        let expected = run.exits(0)?.stdout;
        let directory = scratch(&format!("merge_alloc/everyday/{name}"));
        for level in ["-O0", "-O1", "-O2"] {
            let executable = directory.join(level);
            build(&source, &executable, level, None)?;
            valgrind(&executable)?.exits(0)?.prints(expected.clone())?;
        }
        let counted = Job::new("valgrind", [directory.join("-O1")]).run()?;
        let counted = counted.stderr;
        let allocations = counted.split("total heap usage: ").nth(1);
        let allocations = allocations.and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
        if allocations.is_none_or(|allocations| allocations > most) {
            return fail(format!("{name}: {allocations:?} allocations, not {most}\n{counted}"));
        }
    }
    Ok(())
}

fn batch(seeds: Range<u64>) -> Outcome {
    let mut tally = Tally::new("rotation");
    tally.add("rotated-programs", seeds.end - seeds.start);
    if let Err(failure) = compare(&seeds, &mut tally) {
        let mut failed = false;
        for seed in seeds.clone() {
            let one = seed..seed + 1;
            if let Err(failure) = compare(&one, &mut Tally::new("rotation")) {
                failed = true;
                if !tally.failed(seed, "mlir", module_of_turns(one).as_bytes(), &failure)? {
                    break;
                }
            }
        }
        if !failed {
            tally.failed(seeds.start, "mlir", module_of_turns(seeds).as_bytes(), &failure)?;
        }
    }
    tally.finish()
}

fn compare(seeds: &Range<u64>, tally: &mut Tally) -> Outcome {
    let text = module_of_turns(seeds.clone());
    let expected = lines(&unfreed(&text)?, seeds, &["-emit=jit"])?;
    let judge = |what: &str, found: Vec<String>| {
        let wrong = seeds.clone().zip(found.iter().zip(&expected)).find(|(_, (a, b))| a != b);
        match wrong {
            Some((seed, (found, expected))) => {
                fail(format!("seed {seed}, {what}: {found} instead of {expected}"))
            }
            None => Ok(()),
        }
    };
    let rotated = with_pass(&text, "", |context, module, _| rotate::run(context, module))?;
    tally.add("allocations-before", text.matches("memref.alloc(").count() as u64);
    tally.add("allocations-after", rotated.matches("memref.alloc(").count() as u64);
    judge("rotated only", lines(&unfreed(&rotated)?, seeds, &["-emit=jit"])?)?;
    for options in [&["-emit=jit", "-O1"][..], &["-emit=jit", "-O2", "--merge-alloc=poison"]] {
        judge(&options.join(" "), lines(&text, seeds, options)?)?;
        tally.add("rotated-runs", seeds.end - seeds.start);
    }
    if seeds.start % (8 * BATCH) == FIRST % (8 * BATCH) {
        let directory = scratch(&format!("merge_alloc/turns/{}", seeds.start));
        let (source, executable) = (directory.join("programs.mlir"), directory.join("programs"));
        std::fs::write(&source, &text)?;
        build(&source, &executable, "-O1", None)?;
        let found = valgrind(&executable)?.exits(0)?.stdout;
        judge("under valgrind", String::from_utf8_lossy(&found).lines().map(Into::into).collect())?;
    }
    Ok(())
}

/// The program in the LLVM dialect, without deallocation.
fn unfreed(text: &str) -> Result<String, Failed> {
    with_pass(text, "", |context, module, _| {
        for stage in [Stage::Loops, Stage::MlirLlvm] {
            for pass in Pass::applicable(passes(stage, &PipelineOptions::default()), module) {
                pass.run(context, module)?;
            }
        }
        Ok(())
    })
}
