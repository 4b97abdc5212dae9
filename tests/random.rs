//! Random programs: the compiler agrees with the interpreter on all of them.
//!
//! Input: seeds; TOYC_RANDOM_SEED is the first one (0), TOYC_RANDOM_COUNT the number of programs of
//! the largest group (200, or 400 with TOYC_TEST_ALL=1); the others are proportional. Each test takes a range of seeds, so that
//! tests run in parallel. A failure shows its seed and its program. Invariant: without the
//! variables every run tests the same programs. `tests/fuzz` tests others for a given time.

mod canonical;
mod gradients;
mod tally;
mod ways;

use self::Check::{Each, Together};
use crate::generator::{self, Style};
use crate::interpreter::{self, Stop};
use crate::memory::together::{self, Part};
use crate::programs::{Cross, build_with};
use crate::tools::{Job, Outcome, Run, fail, is_exhaustive, toyc, trial, trial_unless};
use crate::wasm;
use libtest_mimic::{Failed, Trial};
use std::ops::Range;
pub use tally::Tally;

const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// The largest group has all seeds.
const GROUPS: [Group; 11] = [
    Group { name: "jit", make: well_typed, check: Each(jit), percent: 100, batch: 20 },
    Group { name: "mistakes", make: with_mistakes, check: Each(mistakes), percent: 50, batch: 20 },
    Group { name: "broken", make: broken, check: Each(disposed), percent: 50, batch: 20 },
    Group {
        name: "canonical",
        make: either,
        check: Each(canonical::check),
        percent: 100,
        batch: 20,
    },
    Group {
        name: "executable",
        make: well_typed,
        check: Together(executables),
        percent: 10,
        batch: 5,
    },
    Group { name: "stages", make: well_typed, check: Each(stages), percent: 10, batch: 5 },
    Group {
        name: "flow",
        make: control_flow,
        check: Each(jit_in_many_ways),
        percent: 100,
        batch: 20,
    },
    Group {
        name: "flow_broken",
        make: broken_flow,
        check: Each(disposed_flow),
        percent: 50,
        batch: 20,
    },
    Group {
        name: "flow_executable",
        make: control_flow,
        check: Together(executables),
        percent: 10,
        batch: 5,
    },
    Group { name: "flow_stages", make: control_flow, check: Each(stages), percent: 10, batch: 5 },
    Group {
        name: "gradients",
        make: gradients::program,
        check: Each(gradients::check),
        percent: 50,
        batch: 20,
    },
];

const EMULATED: [Group; 2] = [
    Group { name: "emulated", make: well_typed, check: Each(emulated), percent: 10, batch: 5 },
    Group {
        name: "flow_emulated",
        make: control_flow,
        check: Each(emulated),
        percent: 10,
        batch: 5,
    },
];

/// Programs in Node, as modules of WebAssembly.
const MODULES: [Group; 2] = [
    Group { name: "wasm", make: well_typed, check: Each(module), percent: 10, batch: 5 },
    Group { name: "flow_wasm", make: control_flow, check: Each(module), percent: 10, batch: 5 },
];

#[derive(Clone, Copy)]
struct Group {
    name: &'static str,
    make: fn(u64) -> Vec<u8>,
    check: Check,
    /// The percentage of seeds.
    percent: u64,
    /// Seeds of one test.
    batch: u64,
}

#[derive(Clone, Copy)]
enum Check {
    Each(fn(&Sample, &mut Tally) -> Outcome),
    Together(fn(&[Sample], &mut Tally) -> Result<Failures, Failed>),
}

/// Seeds, each with why its program fails.
type Failures = Vec<(u64, Failed)>;

/// A program with its expected result.
pub struct Sample {
    seed: u64,
    program: Vec<u8>,
    expected: Result<String, Stop>,
}

impl Sample {
    fn new(seed: u64, program: Vec<u8>) -> Self {
        let expected = match std::str::from_utf8(&program) {
            Ok(text) => interpreter::run(text),
            Err(_) => Err(Stop::Wrong("E0003", "the input is not UTF-8 text".to_owned())),
        };
        Self { seed, program, expected }
    }

    fn output(&self) -> &str {
        match &self.expected {
            Ok(output) | Err(Stop::Failed { output, .. }) => output,
            Err(_) => "",
        }
    }

    /// Fails unless a run does the same as the interpreter.
    fn agrees(&self, run: Run) -> Outcome {
        match &self.expected {
            Err(Stop::Failed { message, line, .. }) => {
                let says = format!(":{line}: error: {message}\n");
                run.exits(1)?.prints(self.output())?.says(&says)?;
            }
            _ => {
                run.exits(0)?.prints(self.output())?.silent()?;
            }
        }
        Ok(())
    }

    /// True if there is an output, even if an error at run time ends it.
    fn runs(&self) -> bool {
        matches!(self.expected, Ok(_) | Err(Stop::Failed { .. }))
    }

    fn is_test(&self) -> bool {
        !matches!(&self.expected, Err(Stop::TooMuch))
    }
}

pub fn trials() -> Vec<Trial> {
    let first = variable("TOYC_RANDOM_SEED", 0);
    let count = count();
    let mut trials = vec![trial("random/same_seed_same_program", same_seed_same_program)];
    trials.push(trial("random/styles_make_what_they_shall", styles_make_what_they_shall));
    trials.push(trial("random/every_construct_is_made", every_construct_is_made));
    for group in GROUPS {
        for seeds in group.batches(first, count) {
            let name = format!("random/{}/{}-{}", group.name, seeds.start, seeds.end - 1);
            trials.push(trial(name, move || group.run(seeds)));
        }
    }
    for group in EMULATED {
        for seeds in group.batches(first, count) {
            let name = format!("random/{}/{}-{}", group.name, seeds.start, seeds.end - 1);
            trials.push(Cross::other().trial(name, move |_| group.run(seeds)));
        }
    }
    for group in MODULES {
        for seeds in group.batches(first, count) {
            let name = format!("random/{}/{}-{}", group.name, seeds.start, seeds.end - 1);
            trials.push(trial_unless(wasm::missing(), name, move || group.run(seeds)));
        }
    }
    trials
}

/// The number of programs of the largest group.
pub fn count() -> u64 {
    variable("TOYC_RANDOM_COUNT", if is_exhaustive() { 400 } else { 200 })
}

pub fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

impl Group {
    fn batches(self, first: u64, count: u64) -> impl Iterator<Item = Range<u64>> {
        let end = first + (count * self.percent).div_ceil(100);
        let starts = (first..end).step_by(self.batch as usize);
        starts.map(move |start| start..end.min(start + self.batch))
    }

    /// Checks the program of each seed.
    fn run(self, seeds: Range<u64>) -> Outcome {
        let mut tally = Tally::new(self.name);
        let samples = seeds.map(|seed| Sample::new(seed, (self.make)(seed)));
        let (samples, skipped): (Vec<_>, Vec<_>) = samples.partition(Sample::is_test);
        tally.add("programs", (samples.len() + skipped.len()) as u64);
        tally.add("skipped", skipped.len() as u64);
        let failures = match self.check {
            Together(check) => check(&samples, &mut tally)?,
            Each(check) => {
                let failure =
                    |sample: &Sample| Some((sample.seed, check(sample, &mut tally).err()?));
                samples.iter().filter_map(failure).collect()
            }
        };
        for (seed, failure) in failures {
            if !tally.failed(seed, "toy", &(self.make)(seed), &failure)? {
                break;
            }
        }
        tally.finish()
    }
}

fn generated(seed: u64, style: Style) -> Vec<u8> {
    generator::program(seed, style).into_bytes()
}

fn well_typed(seed: u64) -> Vec<u8> {
    generated(seed, generator::WELL_TYPED)
}

fn with_mistakes(seed: u64) -> Vec<u8> {
    generated(seed, generator::WITH_MISTAKES)
}

fn broken(seed: u64) -> Vec<u8> {
    without_arguments(generator::mutation::broken(seed), seed)
}

/// The program, or a valid one in place of one whose `main` has got parameters: it would need arguments.
fn without_arguments(program: Vec<u8>, seed: u64) -> Vec<u8> {
    let text = String::from_utf8_lossy(&program);
    let mut mains =
        text.split("main").skip(1).filter_map(|rest| rest.trim_start().strip_prefix('('));
    match mains.any(|rest| !rest.trim_start().starts_with(')')) {
        true => well_typed(seed),
        false => program,
    }
}

fn control_flow(seed: u64) -> Vec<u8> {
    generated(seed, generator::CONTROL_FLOW)
}

fn broken_flow(seed: u64) -> Vec<u8> {
    without_arguments(generator::mutation::broken_control_flow(seed), seed)
}

fn either(seed: u64) -> Vec<u8> {
    [well_typed, broken, control_flow, broken_flow][(seed % 4) as usize](seed)
}

fn run_jit(sample: &Sample, level: &str, tally: &mut Tally) -> Result<Run, Failed> {
    tally.count(format!("jit{level}"));
    toyc(["-w", "-x", "toy", "-", "-emit=jit", level]).stdin(sample.program.clone()).run()
}

fn jit(sample: &Sample, tally: &mut Tally) -> Outcome {
    must_run(sample, tally)?;
    LEVELS.iter().try_for_each(|level| sample.agrees(run_jit(sample, level, tally)?))
}

/// Runs it poisoned, without merging, and at the other levels as well, in turn.
fn jit_in_many_ways(sample: &Sample, tally: &mut Tally) -> Outcome {
    must_run(sample, tally)?;
    ways::of(sample.seed).into_iter().try_for_each(|way| {
        tally.count(format!("jit{}", way.name));
        let job = toyc(["-w", "-x", "toy", "-", "-emit=jit"].iter().chain(way.options));
        sample.agrees(job.stdin(sample.program.clone()).run()?)
    })
}

fn must_run(sample: &Sample, tally: &mut Tally) -> Outcome {
    if !sample.runs() {
        return fail(format!("not well-typed: {:?}", sample.expected));
    }
    if sample.expected.is_err() {
        tally.count("failing");
    }
    Ok(())
}

/// Programs that may be wrong: then a diagnostic about shapes, and nothing printed.
fn mistakes(sample: &Sample, tally: &mut Tally) -> Outcome {
    match &sample.expected {
        Ok(_) => jit(sample, tally),
        Err(Stop::Shapes(_)) => {
            tally.count("diagnosed");
            LEVELS.iter().try_for_each(|level| diagnosed(sample, level, "[E03", tally))?;
            let [plain, optimized] = LEVELS.map(|level| run_jit(sample, level, tally));
            let (plain, optimized) = (plain?.stderr, optimized?);
            if optimized.stderr == plain {
                return Ok(());
            }
            optimized.complain(format!("another diagnostic than with -O0:\n{plain}"))
        }
        Err(stop) => fail(format!("not an error of shapes: {stop:?}")),
    }
}

/// Programs that may be anything: invalid ones are diagnosed, valid ones run.
fn disposed(sample: &Sample, tally: &mut Tally) -> Outcome {
    // No more than one run of each: the effects of the levels are tested elsewhere.
    let level = LEVELS[(sample.seed % 2) as usize];
    match &sample.expected {
        Ok(_) | Err(Stop::Failed { .. }) => {
            tally.count("accepted");
            sample.agrees(run_jit(sample, level, tally)?)
        }
        Err(stop) => {
            tally.count("diagnosed");
            let code = match stop {
                Stop::Wrong(code, _) => format!("[{code}]"),
                _ => "[E03".to_owned(),
            };
            diagnosed(sample, level, &code, tally)
        }
    }
}

/// The same for programs with branches, in which the interpreter does not see errors in code that does not run.
fn disposed_flow(sample: &Sample, tally: &mut Tally) -> Outcome {
    let level = LEVELS[(sample.seed % 2) as usize];
    if sample.runs() && run_jit(sample, level, tally)?.stderr.contains("[E03") {
        tally.count("stricter");
        return diagnosed(sample, level, "[E03", tally);
    }
    disposed(sample, tally)
}

fn diagnosed(sample: &Sample, level: &str, code: &str, tally: &mut Tally) -> Outcome {
    let run = run_jit(sample, level, tally)?.diagnosed(code)?;
    // MLIR, the linker and toyc itself have no reason to complain about a Toy program.
    for unfounded in ["[E04", "[E05", "[E09", "panicked"] {
        if run.stderr.contains(unfounded) {
            return run.complain(format!("unexpected `{unfounded}` on stderr"));
        }
    }
    Ok(())
}

/// Executables of programs: those that run to the end go into one run of valgrind, which takes longer to start than most
/// of them take to run. The others do not free what they have allocated by then.
fn executables(samples: &[Sample], tally: &mut Tally) -> Result<Failures, Failed> {
    let (mut failures, mut parts, mut folders) = (Failures::new(), Vec::new(), Vec::new());
    for sample in samples {
        let directory = tally.scratch(sample.seed);
        let source = directory.join("program.toy");
        std::fs::write(&source, &sample.program)?;
        for way in ways::of(sample.seed) {
            tally.count(format!("executable{}", way.name));
            if sample.expected.is_ok() {
                let name = format!("{}{}", sample.seed, way.name);
                let (source, expected) = (source.clone(), sample.output().into());
                parts.push(Part { name, source, options: way.options, expected });
                continue;
            }
            let executable = directory.join(format!("program{}", way.name));
            build_with(&source, &executable, way.options, None)
                .and_then(|()| sample.agrees(Job::new(&executable, [""; 0]).run()?))
                .unwrap_or_else(|failure| failures.push((sample.seed, failure)));
        }
        folders.push(directory);
    }
    if let Some(folder) = folders.first() {
        for (name, failure) in together::failures(&parts, folder) {
            let seed = name.split('-').next().and_then(|seed| seed.parse().ok());
            failures.push((seed.unwrap_or_default(), format!("{name}: {failure}").into()));
        }
    }
    if failures.is_empty() {
        folders.iter().try_for_each(std::fs::remove_dir_all)?;
    }
    Ok(failures)
}

fn emulated(sample: &Sample, tally: &mut Tally) -> Outcome {
    let cross = Cross::other();
    let directory = tally.scratch(sample.seed);
    let source = directory.join("program.toy");
    std::fs::write(&source, &sample.program)?;
    for way in ways::of(sample.seed) {
        tally.count(format!("emulated{}", way.name));
        let executable = directory.join(format!("program{}", way.name));
        build_with(&source, &executable, way.options, Some(cross.triple))?;
        sample.agrees(Job::new(cross.emulator, [&executable]).run()?)?;
    }
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}

fn module(sample: &Sample, tally: &mut Tally) -> Outcome {
    let directory = tally.scratch(sample.seed);
    let source = directory.join("program.toy");
    std::fs::write(&source, &sample.program)?;
    for way in ways::of(sample.seed) {
        tally.count(format!("wasm{}", way.name));
        let module = directory.join(format!("program{}.wasm", way.name));
        // Every other program has watched loops.
        let watched: &[&str] = if sample.seed % 2 == 1 { &["--watch-loops"] } else { &[] };
        let options = [way.options, watched].concat();
        build_with(&source, &module, &options, Some(wasm::TARGET))?;
        sample.agrees(Job::new("node", [module.with_extension("mjs")]).run()?)?;
    }
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}

/// Each stage is accepted as input again and means the same; every other program at -O2.
fn stages(sample: &Sample, tally: &mut Tally) -> Outcome {
    let level = LEVELS[(sample.seed % 2) as usize];
    let directory = tally.scratch(sample.seed);
    // One compilation keeps them all; the last one is its output.
    toyc(["-w", "-x", "toy", "-", "-emit=mlir-llvm", level, "--save-temps", "-o", "program"])
        .current_dir(&directory)
        .stdin(sample.program.clone())
        .run()?
        .exits(0)?
        .silent()?;
    for stage in ["toy", "shapes", "linalg", "memref", "merged", "dealloc", "loops", "mlir-llvm"] {
        tally.count(format!("stages{level}"));
        let kept = directory.join(format!("program.{stage}.mlir"));
        let text =
            std::fs::read(if stage == "mlir-llvm" { directory.join("program") } else { kept })?;
        let run = toyc(["-x", "mlir", "-", "-emit=jit", level]).stdin(text).run()?;
        let status = i32::from(sample.expected.is_err());
        if run.stdout != sample.output().as_bytes() || run.status != Some(status) {
            return run.complain(format!("after the stage `{stage}` at {level}"));
        }
    }
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}

fn same_seed_same_program() -> Outcome {
    for make in [well_typed, broken, control_flow, broken_flow] {
        if make(1) != make(1) || make(1) == make(2) {
            return fail("the generator is not a function of its seed");
        }
    }
    Ok(())
}

/// The constructs in programs with control flow: every construct of the language, exchanges of variables and mutual
/// recursion among them.
const CONSTRUCTS: [&str; 66] = [
    "if (",
    "else if",
    "else {",
    "while (",
    "for ",
    "..-1",
    "..3",
    "&&",
    "||",
    "!",
    " < ",
    "<=",
    " > ",
    ">=",
    "==",
    "!=",
    " @ ",
    "sum(",
    "axis =",
    "exp(",
    "log(",
    "sqrt(",
    "sin(",
    "cos(",
    "tanh(",
    "abs(",
    "floor(",
    "round(",
    "trunc(",
    "sign(",
    "mean(",
    "prod(",
    "any(",
    "all(",
    "argmax(",
    "argmin(",
    "cumsum(",
    "sort(",
    "digits =",
    "width =",
    " % ",
    "max(",
    "min(",
    "pow(",
    "where(",
    "range(",
    "shape(",
    "transpose(",
    "print(\"",
    "end =",
    "struct ",
    "f0(n - 1",
    "f0_other(n - 1",
    "f1(n - 1",
    "[0:",
    ":2",
    "] = ",
    "var t",
    "return;",
    "<2, 2>",
    "all = {",
    " * ",
    " / ",
    " + ",
    " - ",
    "-",
];

fn every_construct_is_made() -> Outcome {
    let texts: Vec<_> = (0..400).map(control_flow).collect();
    let texts: Vec<_> = texts.iter().map(|text| String::from_utf8_lossy(text)).collect();
    let count = |construct: &str| texts.iter().filter(|text| text.contains(construct)).count();
    let missing: Vec<_> = CONSTRUCTS.into_iter().filter(|construct| count(construct) < 4).collect();
    if missing.is_empty() { Ok(()) } else { fail(format!("hardly ever generated: {missing:?}")) }
}

/// Few programs are skipped, and of each style there are good ones and bad ones.
fn styles_make_what_they_shall() -> Outcome {
    let of = |make: fn(u64) -> Vec<u8>, is_wanted: fn(&Sample) -> bool| {
        (0..100).filter(|seed| is_wanted(&Sample::new(*seed, make(*seed)))).count()
    };
    let is_diagnosed: fn(&Sample) -> bool = |sample| sample.is_test() && sample.expected.is_err();
    let is_accepted: fn(&Sample) -> bool = |sample| sample.is_test() && sample.expected.is_ok();
    for (style, make, is_wanted, at_least) in [
        ("well-typed programs", well_typed as fn(u64) -> Vec<u8>, is_accepted, 90),
        ("programs with mistakes", with_mistakes, is_diagnosed, 20),
        ("programs without mistakes", with_mistakes, is_accepted, 20),
        ("broken programs", broken, is_diagnosed, 20),
        ("unbroken programs", broken, is_accepted, 10),
        ("programs with control flow", control_flow, is_accepted, 90),
        ("broken programs with control flow", broken_flow, is_diagnosed, 20),
    ] {
        let count = of(make, is_wanted);
        if count < at_least {
            return fail(format!("only {count} {style} of 100"));
        }
    }
    Ok(())
}
