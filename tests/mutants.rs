//! Mutants: programs of MLIR with a few changes that keep their types valid mean the same at -O0 and at -O2.
//!
//! Input: the texts of the stages of Toy programs, and the `.mlir` files of the suite that have a `main`. Output: each
//! is changed by [`mutate`], printed and verified; then it is compiled and run without optimization and with it, within
//! limits of time and memory. Invariants: both runs print the same and fail in the same way, or the program is refused
//! without optimization; none is an internal error, a crash or longer than its limit. The seeds come from
//! [`crate::random`].

mod mutate;
mod tree;

use crate::filecheck;
use crate::random::{Tally, variable};
use crate::tools::{Job, Outcome, Run, TOYC, fail, files, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::ffi::OsStr;
use std::ops::Range;
use std::path::PathBuf;
use toy_compiler::mlir::session::{Printing, print_module};
use toy_compiler::source::Source;

/// The stages whose texts are changed; some others are as low as LLVM.
const STAGES: [&str; 6] = ["toy", "shapes", "linalg", "memref", "merged", "dealloc"];

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

/// The number of mutants of one text.
const PER_TEXT: u64 = 5;

/// Mutants of one test.
const BATCH: u64 = 25;

/// The percentage of seeds.
const PERCENT: u64 = 75;

/// The bytes of the longest text that is changed: a longer one is compiled for more than the limit of a run.
const LONGEST: usize = 200_000;

/// The bytes that a run may print; a longer output comes from an endless loop.
const MOST_PRINTED: usize = 1_000_000;

pub fn trials() -> Vec<Trial> {
    let first = variable("TOYC_RANDOM_SEED", 0);
    let end = first + (variable("TOYC_RANDOM_COUNT", 400) * PERCENT).div_ceil(100);
    let starts = (first..end).step_by(BATCH as usize);
    let batch = |start: u64| {
        let seeds = start..end.min(start + BATCH);
        let name = format!("random/mutants/{}-{}", seeds.start, seeds.end - 1);
        trial(name, move || run(seeds))
    };
    let mut trials: Vec<_> = starts.map(batch).collect();
    trials.push(trial("mutants/the_tree_prints_what_it_reads", the_tree_prints_what_it_reads));
    trials
}

fn run(seeds: Range<u64>) -> Outcome {
    let mut tally = Tally::new("mutants");
    let mut text = None;
    let mut of = None;
    for seed in seeds {
        let origin = seed / PER_TEXT;
        if of != Some(origin) {
            (of, text) = (Some(origin), original(origin)?);
        }
        let mutant = text.as_ref().and_then(|text| mutate::mutant(text, seed));
        let Some(mutant) = mutant else {
            tally.count("without");
            continue;
        };
        tally.count("mutants");
        if generic(&mutant).is_none() {
            tally.count("invalid");
            continue;
        }
        match check(&mutant) {
            Ok(what) => tally.count(what),
            Err(failure) => {
                if !tally.failed(seed, "mlir", mutant.as_bytes(), &failure)? {
                    break;
                }
            }
        }
    }
    tally.finish()
}

/// The text that mutants come from, in the generic form.
fn original(number: u64) -> Result<Option<String>, Failed> {
    // Neighboring numbers are of other programs, and of other stages.
    let of = |files: Vec<PathBuf>| {
        files[(number.wrapping_mul(7919) % files.len() as u64) as usize].clone()
    };
    if number % 7 == 6 {
        let mut files = filecheck::files();
        files.retain(|file| file.extension().is_some_and(|it| it == "mlir"));
        let text = std::fs::read_to_string(of(files))?;
        let mut programs = text.split("\n// -----").filter(|text| text.contains("@main("));
        let Some(program) = programs.next().and_then(generic) else { return Ok(None) };
        // Some programs cannot run.
        return Ok((jit(&program, "-O0")?.status == Some(0)).then_some(program));
    }
    let mut programs = files("tests/programs", &["toy"]);
    programs.extend(files("examples", &["toy"]));
    let stage = format!("-emit={}", STAGES[(number / 7 % 6) as usize]);
    let level = LEVELS[(number / 42 % 3) as usize];
    let run = toyc([OsStr::new(&stage), level.as_ref(), "-w".as_ref(), of(programs).as_os_str()])
        .run()?;
    Ok(generic(&run.out()).filter(|text| text.len() <= LONGEST))
}

/// A valid program in the generic form.
fn generic(text: &str) -> Option<String> {
    let session = toy_compiler::dialect::new_session();
    let source = Source::new("mutant.mlir", text);
    let module = session.parse(&source)?;
    let locations = toy_compiler::mlir::Locations { source: &source, file: &source.name };
    let is_valid = session.verify(&module)
        && toy_compiler::dialect::verify::verify(&module, &locations).is_empty();
    let mut printed = Vec::new();
    let printing = Printing { generic: true, ..Printing::default() };
    print_module(&module, printing, &mut printed).ok()?;
    is_valid.then(|| String::from_utf8_lossy(&printed).into_owned())
}

/// True if a mutant does the same with optimization and without.
fn check(mutant: &str) -> Result<&'static str, Failed> {
    let plain = without_internal_error(jit(mutant, "-O0")?)?;
    let is_endless = plain.stderr.contains("ended by a kill") || plain.stdout.len() >= MOST_PRINTED;
    if is_endless || plain.stderr.contains("recursion") {
        return Ok("endless");
    }
    if plain.stderr.contains("[E0504]") {
        return plain.complain("a crash without optimization");
    }
    // Refused code may be dead, and gone with optimization.
    if plain.stdout.is_empty() && plain.stderr.contains("error[E") {
        return Ok("refused");
    }
    let optimized = without_internal_error(jit(mutant, "-O2")?)?;
    let lines = |run: &Run| run.out().replace("-nan", "nan");
    if lines(&plain) != lines(&optimized) || plain.status != optimized.status {
        let stderr = &plain.stderr;
        return optimized.complain(format!("-O0 does this:\n{}{stderr}", plain.out()));
    }
    Ok("ran")
}

fn without_internal_error(run: Run) -> Result<Run, Failed> {
    let is_one = run.stderr.contains("panicked") || run.stderr.contains("[E0900]");
    if is_one { run.complain("an internal error") } else { Ok(run) }
}

fn jit(mutant: &str, level: &str) -> Result<Run, Failed> {
    let command = format!(
        "ulimit -t 2 -v 8000000; set -o pipefail; {TOYC} -w -x mlir - -emit=jit {level} | head -c {MOST_PRINTED}"
    );
    // Seconds of the processor are few; a busy machine takes longer for them.
    Job::new("bash", ["-c", &command]).stdin(mutant).limit(300).run()
}

fn the_tree_prints_what_it_reads() -> Outcome {
    for number in 0..14 {
        let Some(text) = original(number)? else { continue };
        let Some((mut printed, module)) = tree::parse(&text) else {
            return fail(format!("not read:\n{text}"));
        };
        module.print(&mut printed);
        if generic(&printed).as_ref() != Some(&text) {
            return fail(format!("it was:\n{text}\nit is:\n{printed}"));
        }
    }
    Ok(())
}
