//! The functions of random programs, called from C with the shapes of the program's own calls and larger ones.

use super::{Library, at, driver};
use crate::generator::{self, Style};
use crate::interpreter::{self, Stop};
use crate::processors;
use crate::programs::Cross;
use crate::random::{Tally, count, variable};
use crate::tools::{Job, Outcome, fail, scratch, trial};
use libtest_mimic::{Failed, Trial};
use toy_compiler::diagnostic::{Diagnostic, Severity};
use toy_compiler::interface::{Argument, Export};
use toy_compiler::source::Source;
use toy_compiler::{Config, Stage};

/// Programs of one test.
const BATCH: u64 = 4;

pub fn trials() -> Vec<Trial> {
    let first = variable("TOYC_RANDOM_SEED", 0);
    let count = count().div_ceil(20);
    let mut trials = Vec::new();
    for start in (first..first + count).step_by(BATCH as usize) {
        let seeds = start..(first + count).min(start + BATCH);
        let name = format!("exports/random/{}-{}", seeds.start, seeds.end - 1);
        trials.push(trial(name, move || random(seeds)));
    }
    let name = "exports/random/emulated".to_owned();
    trials.push(Cross::other().trial(name, move |cross| emulated(first, cross)));
    trials
}

/// The specializations that a program's own calls make, as exports, and the same for larger shapes.
pub fn exports_of(text: &str) -> Result<Vec<Export>, Failed> {
    let compiled =
        toy_compiler::compile(Source::new("program.toy", text), Config::default(), Stage::Shapes)
            .map_err(|found| format!("{found:?}"))?;
    let text = compiled.text();
    let attribute = "toy.specialization = \"";
    let keys = text.lines().filter_map(|line| line.split_once(attribute)?.1.split('"').next());
    let mut exports: Vec<Export> = Vec::new();
    for (index, key) in keys.enumerate() {
        for scale in [1, 9 + 8 * (index as u64 % 4)] {
            let Ok(mut export) = Export::parse(key) else { continue };
            scaled(&mut export.arguments, scale);
            let named = format!("f{}={}", exports.len(), export.call());
            exports.push(Export::parse(&named).map_err(|d| d.message)?);
        }
    }
    exports.truncate(MAX_EXPORTS);
    Ok(exports)
}

/// The most functions of one random library.
const MAX_EXPORTS: usize = 16;

/// Makes dimensions other than 1 larger; equal ones stay equal.
fn scaled(arguments: &mut [Argument], scale: u64) {
    for argument in arguments {
        match argument {
            Argument::Tensor(tensor) => {
                for dim in tensor.shape.0.iter_mut().filter(|dim| **dim > 1) {
                    *dim = *dim * scale - scale / 2;
                }
            }
            Argument::Struct(fields) => scaled(fields, scale),
        }
    }
}

/// Divides exports into ones that work and ones for shapes that do not fit, without those too large for a test.
fn divided(text: &str, exports: Vec<Export>) -> (Vec<Export>, Vec<Export>) {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for export in exports {
        match interpreter::call(text, &export.function, &export.arguments, driver::element) {
            Ok(_) => good.push(export),
            Err(Stop::Shapes(_)) => bad.push(export),
            Err(_) => {}
        }
    }
    (good, bad)
}

/// Every other program has control flow.
pub fn style(seed: u64) -> Style {
    if seed.is_multiple_of(2) { generator::WELL_TYPED } else { generator::CONTROL_FLOW }
}

/// The functions of random programs agree with the interpreter; shapes that do not fit are the same errors as in a
/// call.
fn random(seeds: std::ops::Range<u64>) -> Outcome {
    let mut tally = Tally::new("exports");
    for seed in seeds {
        let text = generator::program(seed, style(seed));
        tally.count("programs");
        if let Err(failure) = check_random(seed, &text, &mut tally)
            && !tally.failed(seed, "toy", text.as_bytes(), &failure)?
        {
            break;
        }
    }
    tally.finish()
}

fn check_random(seed: u64, text: &str, tally: &mut Tally) -> Outcome {
    let (good, bad) = divided(text, exports_of(text)?);
    for export in &bad {
        tally.count("diagnosed");
        let config = Config { exports: vec![export.clone()], ..Config::default() };
        match toy_compiler::compile(Source::new("library.toy", text), config, Stage::Header) {
            Err(found) if errors(&found).all(|code| code.starts_with("E03")) => {}
            Err(found) => return fail(format!("{}: {found:?}", export.text)),
            Ok(_) => return fail(format!("{}: not diagnosed", export.text)),
        }
    }
    if good.is_empty() {
        return Ok(());
    }
    for level in [0, 2, 3] {
        let directory = scratch(&format!("exports/random/{seed}"));
        let mut config = at(level);
        // All processors that run here, in turn.
        let cpus = processors::runnable();
        let cpu = cpus[(seed as usize + usize::from(level)) % cpus.len()];
        config.cpu = (level >= 2).then(|| cpu.to_owned());
        let (good, declined): (Vec<_>, Vec<_>) =
            good.iter().cloned().partition(|export| !is_declined(text, export, &config));
        tally.add(format!("declined-O{level}"), declined.len() as u64);
        if good.is_empty() {
            continue;
        }
        Library::with(text, &good, config, &directory)?.check()?;
        good.iter().for_each(|_| tally.count(format!("functions-O{level}")));
    }
    Ok(())
}

/// True if the compiler rightly declines to export a function that the interpreter can call, in programs with control
/// flow only: code that does not run in this call has wrong shapes, or a function that calls itself needs memory that
/// depends on the depth of its calls.
pub fn is_declined(text: &str, export: &Export, config: &Config) -> bool {
    let has = |part: &str| text.lines().any(|line| line.trim_start().starts_with(part));
    // The generator's functions that call themselves count with their first parameter.
    let recurs = text.lines().any(|line| line.starts_with("def ") && line.contains("(n"));
    if !(recurs || ["if ", "while ", "for "].into_iter().any(has)) {
        return false;
    }
    let mut config = config.clone();
    config.exports = vec![export.clone()];
    match toy_compiler::compile(Source::new("library.toy", text), config, Stage::Header) {
        Ok(_) => false,
        Err(found) => {
            errors(&found).all(|code| code.starts_with("E03") || (recurs && code == "E0535"))
        }
    }
}

/// The codes of the errors among diagnostics.
fn errors(diagnostics: &[Diagnostic]) -> impl Iterator<Item = &'static str> {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| d.code.id)
}

fn emulated(first: u64, cross: Cross) -> Outcome {
    for seed in first..first + BATCH {
        let text = generator::program(seed, style(seed));
        let (mut good, _) = divided(&text, exports_of(&text)?);
        let directory = scratch(&format!("exports/emulated/{seed}"));
        let target = format!("{}-linux-gnu", cross.architecture);
        let mut config = at(2);
        config.target = Some(target.clone());
        good.retain(|export| !is_declined(&text, export, &config));
        if good.is_empty() {
            continue;
        }
        let library = Library::with(&text, &good, config, &directory)?;
        let driver = library.driver(&format!("{target}-gcc"), &["-static"])?;
        Job::new(cross.emulator, [driver]).run()?.exits(0)?.prints(&library.expected)?;
    }
    Ok(())
}
