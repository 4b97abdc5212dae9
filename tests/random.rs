//! Random programs: the compiler agrees with the interpreter on all of them.
//!
//! Input: seeds; TOYC_RANDOM_SEED is the first one (0), TOYC_RANDOM_COUNT the number of programs of
//! the largest group (400), the other groups follow it. Each test takes a range of seeds, so that
//! tests run in parallel. A failure shows its seed and its program. Invariant: without the
//! variables every run tests the same programs.

use crate::generator::{self, Style};
use crate::interpreter;
use crate::memory::valgrind;
use crate::programs::{Cross, build};
use crate::tools::{Job, Outcome, fail, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::ops::Range;

/// Seeds of one test.
const BATCH: u64 = 20;

pub fn trials() -> Vec<Trial> {
    let first = variable("TOYC_RANDOM_SEED", 0);
    let count = variable("TOYC_RANDOM_COUNT", 400);
    let mut trials = vec![trial("random/same_seed_same_program", same_seed_same_program)];
    for seeds in batches(first, count) {
        let name = format!("random/jit/{}-{}", seeds.start, seeds.end - 1);
        trials.push(trial(name, move || each(seeds, generator::WELL_TYPED, jit)));
    }
    for seeds in batches(first, count.div_ceil(2)) {
        let name = format!("random/mistakes/{}-{}", seeds.start, seeds.end - 1);
        trials.push(trial(name, move || each(seeds, generator::WITH_MISTAKES, mistakes)));
    }
    for seeds in batches(first, count.div_ceil(10)) {
        let name = format!("random/executable/{}-{}", seeds.start, seeds.end - 1);
        trials.push(trial(name, move || each(seeds, generator::WELL_TYPED, executable)));
    }
    for seeds in batches(first, count.div_ceil(10)) {
        let cross = Cross::other();
        let name = format!("random/{}/{}-{}", cross.architecture, seeds.start, seeds.end - 1);
        trials.push(cross.trial(name, move |cross| {
            each(seeds, generator::WELL_TYPED, |seed, program, expected| {
                emulated(seed, program, expected, cross)
            })
        }));
    }
    for seeds in batches(first, count.div_ceil(10)) {
        let name = format!("random/stages/{}-{}", seeds.start, seeds.end - 1);
        trials.push(trial(name, move || each(seeds, generator::WELL_TYPED, stages)));
    }
    trials
}

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn batches(first: u64, count: u64) -> impl Iterator<Item = Range<u64>> {
    let end = first + count;
    (first..end).step_by(BATCH as usize).map(move |start| start..end.min(start + BATCH))
}

/// What the interpreter says about a program: its output, or its first mistake.
type Expected = Result<String, String>;

/// Runs a check on the program of each seed.
fn each(
    seeds: Range<u64>,
    style: Style,
    check: impl Fn(u64, &str, &Expected) -> Result<(), Failed>,
) -> Outcome {
    for seed in seeds {
        let program = generator::program(seed, style);
        let expected = interpreter::run(&program);
        if style.mistakes == 0
            && let Err(mistake) = &expected
        {
            return fail(format!("seed {seed} is not well-typed: {mistake}\n{program}"));
        }
        // The sign of a NaN depends on the machine and the optimizer; C prints it.
        if expected.as_ref().is_ok_and(|output| output.contains("nan")) {
            continue;
        }
        if let Err(failure) = check(seed, &program, &expected) {
            let message = failure.message().unwrap_or_default();
            return fail(format!("seed {seed}: {message}\n--- program ---\n{program}"));
        }
    }
    Ok(())
}

fn jit(_seed: u64, program: &str, expected: &Expected) -> Outcome {
    for level in ["-O0", "-O2"] {
        let run = toyc(["-w", "-x", "toy", "-", "-emit=jit", level]).stdin(program).run()?;
        run.exits(0)?.prints(output(expected))?.silent()?;
    }
    Ok(())
}

/// Programs that may be wrong: then a diagnostic about shapes, and nothing printed.
fn mistakes(seed: u64, program: &str, expected: &Expected) -> Outcome {
    if expected.is_ok() {
        return jit(seed, program, expected);
    }
    for level in ["-O0", "-O2"] {
        let run = toyc(["-w", "-x", "toy", "-", "-emit=jit", level]).stdin(program).run()?;
        run.diagnosed("[E03")?;
    }
    Ok(())
}

fn executable(seed: u64, program: &str, expected: &Expected) -> Outcome {
    let directory = scratch(&format!("random/executable/{seed}"));
    let source = directory.join("program.toy");
    std::fs::write(&source, program)?;
    for level in ["-O0", "-O2"] {
        let executable = directory.join(format!("program{level}"));
        build(&source, &executable, level, None)?;
        valgrind(&executable)?.exits(0)?.prints(output(expected))?;
    }
    Ok(())
}

fn emulated(seed: u64, program: &str, expected: &Expected, cross: Cross) -> Outcome {
    let directory = scratch(&format!("random/{}/{seed}", cross.architecture));
    let source = directory.join("program.toy");
    std::fs::write(&source, program)?;
    for level in ["-O0", "-O2"] {
        let executable = directory.join(format!("program{level}"));
        build(&source, &executable, level, Some(cross.triple))?;
        Job::new(cross.emulator, [&executable]).run()?.exits(0)?.prints(output(expected))?;
    }
    Ok(())
}

/// Each stage is accepted as input again and means the same.
fn stages(_seed: u64, program: &str, expected: &Expected) -> Outcome {
    for stage in ["toy", "shapes", "linalg", "memref", "dealloc", "loops", "mlir-llvm"] {
        for level in ["-O0", "-O2"] {
            let emit = format!("-emit={stage}");
            let text = toyc(["-w", "-x", "toy", "-", &emit, level]).stdin(program).run()?;
            let text = text.exits(0)?.silent()?.stdout;
            let run = toyc(["-x", "mlir", "-", "-emit=jit", level]).stdin(text).run()?;
            if run.stdout != output(expected).as_bytes() || run.status != Some(0) {
                return run.complain(format!("after the stage `{stage}` at {level}"));
            }
        }
    }
    Ok(())
}

fn output(expected: &Expected) -> &str {
    expected.as_deref().unwrap_or_default()
}

fn same_seed_same_program() -> Outcome {
    let twice = |seed| {
        let programs = [0, 1].map(|_| generator::program(seed, generator::WELL_TYPED));
        (programs[0] == programs[1]).then(|| programs[0].clone())
    };
    match (twice(1), twice(2)) {
        (Some(one), Some(two)) if one != two => Ok(()),
        _ => fail("the generator is not a function of its seed"),
    }
}
