//! The IR is the only state between passes: a pass depends on the text of the program alone.
//!
//! Input: every program of the FileCheck suite. Each goes through the pipeline twice, pass by pass: once in
//! memory, and once as text that is printed after each pass and parsed before the next. Both must give the
//! same text after each pass, and be rejected by the same one. There are two forms of text: the
//! generic one with locations loses nothing; the usual one, without locations, is what
//! `toy-opt A | toy-opt B` exchanges. With that one, a pass of ours that changes the program also starts in a
//! context that no other pass has seen. Cut at any place, the pipeline makes the same. The programs take turns at the
//! forms and levels; with TOYC_TEST_ALL=1, each goes through all of them.
//!
//! Every pass of ours also runs on every text that another one makes, wherever the pipeline has it, and with every
//! option: it makes a valid program or says why not, and no other pass rejects its output.

use crate::filecheck;
use crate::tools::{Outcome, fail, files, has_turn, root, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::path::Path;
use toy_compiler::diagnostic::{Diagnosed, Severity};
use toy_compiler::mlir::pass::{OptionValue, PassContext, PassDefinition};
use toy_compiler::mlir::session::{Printing, print_module};
use toy_compiler::mlir::{Locations, Pass, Session};
use toy_compiler::pipeline::{PipelineOptions, Stage, passes};
use toy_compiler::source::Source;
use toy_compiler::stages::toy::ast_to_toy;

/// The files are divided among this many tests.
const PARTS: usize = 3;

/// The programs whose texts are all given to every pass.
const PROGRAMS: usize = 15;

/// Longer texts, as of a function with many specializations, are not parsed for every pass: it would take minutes.
const LONGEST: usize = 40_000;

/// Each program is cut at every fourth place; the programs take turns at the offset.
const CUTS: usize = 4;

/// The values of options that are numbers; passes refuse those they do not allow.
const NUMBERS: [u64; 12] = [0, 1, 3, 8, 16, 31, 64, 128, 255, 256, 1024, 1 << 30];

/// A program that some of MLIR 22's passes turn into a module that its verifier rejects: ownership-based deallocation
/// asks for the base of a buffer with a layout that has none.
const INVALID_BETWEEN_PASSES: &str = "merge_alloc/types.mlir";

/// A pass before which the program is not valid: IRDL wants one type for all arguments of the calls that the pass
/// replaces, and specialization has given each its own.
const BEFORE_GRADIENTS: &str = "toy-differentiate";

/// The attribute of such a call.
const OF_GRADIENTS: &str = "gradient = array";

/// The form of the program between passes.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Generic, with locations, from which debug information is made.
    Exact,
    /// The form of toy-opt; each pass of ours that changes the program runs in a new context.
    Usual,
}

/// The forms, with levels.
const WAYS: [(&str, Form, u8); 3] =
    [("exact", Form::Exact, 0), ("exact", Form::Exact, 2), ("usual", Form::Usual, 2)];

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (turn, (name, form, level)) in WAYS.into_iter().enumerate() {
        for part in 0..PARTS {
            trials.push(trial(format!("one_state/{name}/O{level}/{part}"), move || {
                check_part(part, turn, level, form)
            }));
        }
    }
    for part in 0..PARTS {
        trials.push(trial(format!("one_state/every_pass/{part}"), move || every_pass(part)));
        trials.push(trial(format!("one_state/cut/{part}"), move || cuts(part)));
    }
    trials.push(trial("one_state/options", every_option));
    trials
}

/// The check that a part makes of each program.
fn each_program(
    part: usize,
    mut check: impl FnMut(&Source, &PipelineOptions) -> Result<(), String>,
) -> Outcome {
    let mut programs = files("tests/programs", &["toy"]);
    programs.extend(files("examples", &["toy"]));
    // A text is parsed for every pass: short programs suffice.
    programs.retain(|file| file.metadata().is_ok_and(|data| data.len() < 1200));
    let share = programs.len() / PROGRAMS;
    for (index, file) in programs.into_iter().step_by(share).enumerate() {
        if index % PARTS != part {
            continue;
        }
        let name = file.display().to_string();
        let source = Source::new(&name, std::fs::read_to_string(&file)?);
        let options = PipelineOptions { level: (index % 3) as u8, ..PipelineOptions::default() };
        let options =
            PipelineOptions { merge_alloc: options.merge_alloc.for_whole_program(), ..options };
        if let Err(failure) = check(&source, &options) {
            return fail(format!("{name}, -O{}: {failure}", options.level));
        }
    }
    Ok(())
}

/// The passes of all stages.
fn pipeline(options: &PipelineOptions) -> Vec<Pass> {
    Stage::MLIR.iter().flat_map(|stage| passes(*stage, options)).collect()
}

/// The texts before the first pass and after each one that changes the program.
fn texts(source: &Source, options: &PipelineOptions) -> Vec<String> {
    let session = toy_compiler::dialect::new_session();
    let context = PassContext::new(&session, Locations { source, file: &source.name });
    let Some(mut module) = start(&session, source, false) else { return Vec::new() };
    let mut texts = vec![printed(&module, Form::Usual)];
    for pass in pipeline(options) {
        if pass.run(&context, &mut module).is_err() {
            break;
        }
        let text = printed(&module, Form::Usual);
        if texts.last() != Some(&text) {
            texts.push(text);
        }
    }
    texts
}

/// Every pass of ours on every text of some programs.
fn every_pass(part: usize) -> Outcome {
    each_program(part, |source, options| {
        let session = toy_compiler::dialect::new_session();
        let context = PassContext::new(&session, Locations { source, file: &source.name });
        let mut failures = BTreeMap::new();
        let is_usable = |text: &String| text.len() < LONGEST && !text.contains(OF_GRADIENTS);
        for text in texts(source, options).into_iter().filter(is_usable) {
            for pass in toy_compiler::passes::all() {
                if let Err(why) = makes_valid(&context, &text, &Pass::Own(pass)) {
                    failures.entry(pass.name).or_insert(why);
                }
            }
        }
        let mut failures = failures.into_iter().map(|(name, why)| format!("{name} {why}"));
        failures.next().map_or(Ok(()), |first| Err(failures.fold(first, |all, one| all + &one)))
    })
}

/// True if a pass makes a valid program of a text, or rejects it with a diagnostic.
fn makes_valid(context: &PassContext, text: &str, pass: &Pass) -> Result<(), String> {
    let session = context.session;
    let Some(mut module) = parsed(session, text) else {
        return Err(format!("cannot read {:?}:\n{text}", session.take_diagnostics()));
    };
    if let Pass::Own(PassDefinition { requirement: Some(it), .. }) = pass
        && (it.check)(pass.name(), context, &module).is_err()
    {
        session.take_diagnostics();
        return Ok(());
    }
    let result = pass.run(context, &mut module);
    context.remarks.take();
    session.take_diagnostics();
    if result.is_ok() && !is_valid(context, &module) {
        return Err(format!("makes an invalid program of this:\n{text}"));
    }
    if result.is_err_and(|said| said.is_empty()) {
        return Err(format!("does not say why it rejects this:\n{text}"));
    }
    Ok(())
}

/// The passes up to one, a text, and the other passes make the same as all of them in one go.
fn cuts(part: usize) -> Outcome {
    let mut turn = 0;
    each_program(part, |source, options| {
        let locations = Locations { source, file: &source.name };
        let session = toy_compiler::dialect::new_session();
        let context = PassContext::new(&session, locations);
        let all = pipeline(options);
        let Some(mut module) = start(&session, source, false) else { return Ok(()) };
        let mut parts = Vec::new();
        for (place, pass) in all.iter().enumerate() {
            // All programs together are cut at every place, each of them at some.
            if (place + turn) % CUTS == part % CUTS {
                parts.push((place, printed(&module, Form::Exact)));
            }
            if pass.run(&context, &mut module).is_err() {
                return Ok(());
            }
        }
        turn += 1;
        let whole = printed(&module, Form::Exact);
        for (place, text) in parts {
            let at = all[place].name();
            let mut module = parsed(&session, &text)
                .ok_or_else(|| format!("cannot read before {at}:\n{text}"))?;
            for pass in &all[place..] {
                pass.run(&context, &mut module).map_err(|said| {
                    format!("cut before {at}, {}: {said:?}\n{text}", pass.name())
                })?;
            }
            let rest = printed(&module, Form::Exact);
            if rest != whole {
                let difference = difference(&whole, &rest);
                return Err(format!("cut before {at}: {difference}\n{text}"));
            }
        }
        Ok(())
    })
}

/// Every option of every pass, with every kind of value.
fn every_option() -> Outcome {
    let session = toy_compiler::dialect::new_session();
    for pass in toy_compiler::passes::all().filter(|pass| !pass.options.is_empty()) {
        let folder = match pass.name {
            "toy-loop-nests" => "loop_nests",
            "toy-parallel-loops" | "toy-openmp" => "threads",
            _ => "merge_alloc",
        };
        let mut texts = vec![Source::new("sums.mlir", SUMS)];
        for file in files(&format!("tests/filecheck/{folder}"), &["mlir"]).iter().take(6) {
            let programs = programs_of(file, &file.display().to_string())?;
            texts.extend(programs.into_iter().filter(|source| {
                let context = PassContext::new(&session, Locations { source, file: "" });
                session.parse(source).is_some_and(|module| is_valid(&context, &module))
            }));
        }
        session.take_diagnostics();
        for option in pass.options {
            let values: Vec<String> = match option.value {
                OptionValue::Flag => vec!["true".into(), "false".into()],
                OptionValue::Number => NUMBERS.iter().map(u64::to_string).collect(),
                OptionValue::OneOf(names) => names().into_iter().map(str::to_owned).collect(),
                OptionValue::Attributes => vec!["1".into(), "1,\"far\"".into()],
                OptionValue::Names => vec!["f".into(), "f,g".into()],
            };
            for value in values {
                let text = format!("{}={value}", option.name);
                if pass.prepare(&text, false).is_err() {
                    continue;
                }
                let configured = Pass::Configured(pass, text.clone());
                for source in &texts {
                    let context =
                        PassContext::new(&session, Locations { source, file: &source.name });
                    let outcome = makes_valid(&context, &source.text, &configured);
                    outcome.or_else(|why| fail(format!("{} {text} {why}", pass.name)))?;
                }
            }
        }
    }
    Ok(())
}

/// Sums of rows of numbers of both sizes.
const SUMS: &str = "
func.func @f64(%m: memref<40x33xf64>, %sums: memref<40xf64>) {
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                  iterator_types = [\"parallel\", \"reduction\"]}
      ins(%m : memref<40x33xf64>) outs(%sums : memref<40xf64>) {
  ^bb0(%x: f64, %sum: f64):
    %0 = arith.addf %sum, %x : f64
    linalg.yield %0 : f64
  }
  return
}
func.func @f32(%m: memref<300x130xf32>, %sums: memref<300xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                  iterator_types = [\"parallel\", \"reduction\"]}
      ins(%m : memref<300x130xf32>) outs(%sums : memref<300xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %0 = arith.addf %sum, %x : f32
    linalg.yield %0 : f32
  }
  return
}
";

fn check_part(part: usize, turn: usize, level: u8, form: Form) -> Outcome {
    let (mut failures, mut programs, mut finished) = (Vec::new(), 0, 0);
    for (number, file) in filecheck::files().into_iter().skip(part).step_by(PARTS).enumerate() {
        if !has_turn(number, turn, WAYS.len()) {
            continue;
        }
        let name = file.strip_prefix(root()).unwrap_or(&file).display().to_string();
        for (index, source) in programs_of(&file, &name)?.into_iter().enumerate() {
            match check(&source, level, form) {
                Ok(None) => {}
                Ok(Some(reached_the_end)) => {
                    programs += 1;
                    finished += usize::from(reached_the_end);
                }
                Err(failure) => failures.push(format!("{name}, program {index}: {failure}")),
            }
        }
    }
    // Most programs of the suite are whole ones.
    if failures.is_empty() && finished * 2 < programs || programs < 20 {
        failures.push(format!("only {finished} of {programs} programs went through all passes"));
    }
    if failures.is_empty() { Ok(()) } else { fail(failures.join("\n\n")) }
}

/// The modules of a file; a `.mlir` file may have several, divided by lines.
fn programs_of(file: &Path, name: &str) -> Result<Vec<Source>, Failed> {
    let text = std::fs::read_to_string(file)?;
    if file.extension().is_some_and(|extension| extension == "toy") {
        return Ok(vec![Source::new(name, text)]);
    }
    Ok(text.split("\n// -----").map(|text| Source::new(name, text)).collect())
}

/// True if the program went through all passes; None if it is not a program.
fn check(source: &Source, level: u8, form: Form) -> Result<Option<bool>, String> {
    let options = PipelineOptions {
        level,
        // Debug information is made from locations.
        debug_info: form == Form::Exact,
        ..PipelineOptions::default()
    };
    let options =
        PipelineOptions { merge_alloc: options.merge_alloc.for_whole_program(), ..options };
    let locations = Locations { source, file: &source.name };
    let session = toy_compiler::dialect::new_session();
    let context = PassContext::new(&session, locations);
    let Some(mut module) = start(&session, source, options.shows_variables()) else {
        return Ok(None);
    };
    if !is_valid(&context, &module) {
        return Ok(None);
    }
    let mut text = printed(&module, form);
    let other = toy_compiler::dialect::new_session();
    let other = PassContext::new(&other, locations);
    if parsed(other.session, &text).is_none() {
        // A function without a name, say, which only the generic form can write down.
        return Ok(None);
    }
    for stage in Stage::MLIR {
        for pass in Pass::applicable(passes(stage, &options), &module) {
            let name = pass.name();
            let is_excepted = (name == BEFORE_GRADIENTS
                || source.name.ends_with(INVALID_BETWEEN_PASSES))
                && !session.verify(&module);
            let result = pass.run(&context, &mut module);
            drop(session.take_diagnostics());
            drop(context.remarks.take());
            let before = std::mem::replace(&mut text, printed(&module, form));
            // The output of a pass that changes something must be known in a new context, too.
            let is_alone = form == Form::Usual && !matches!(pass, Pass::Upstream(_));
            let pieces = if is_alone && (result.is_err() || text != before) {
                let session = toy_compiler::dialect::new_session();
                on_text(&PassContext::new(&session, locations), &before, &pass, form)
            } else {
                on_text(&other, &before, &pass, form)
            };
            if let Err(why) = &pieces
                && !is_excepted
            {
                return Err(format!("-O{level}, before {name}: {why}\n{before}"));
            }
            match (result, pieces) {
                (Ok(()), Err(_)) => {}
                (Ok(()), Ok(Ok(pieces))) if text == pieces => {}
                (Ok(()), Ok(Ok(pieces)))
                    if form == Form::Usual && without_lines(&text) == without_lines(&pieces) => {}
                (Ok(()), Ok(Ok(pieces))) => {
                    let difference = difference(&text, &pieces);
                    return Err(format!("-O{level}: {name} differs: {difference}\n{before}"));
                }
                (Err(_), Ok(Err(_)) | Err(_)) => return Ok(Some(false)),
                (result, pieces) => {
                    let (one, pieces) = (result.is_ok(), pieces.is_ok_and(|ran| ran.is_ok()));
                    return Err(format!(
                        "-O{level}: {name} succeeds in one go: {one}, in pieces: {pieces}\n{before}"
                    ));
                }
            }
        }
        if !is_valid(&context, &module) {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

/// The module that the pipeline starts with, if the text is one.
fn start<'s>(
    session: &'s Session,
    source: &Source,
    shows_variables: bool,
) -> Option<melior::ir::Module<'s>> {
    if source.name.ends_with(".mlir") {
        let module = session.parse(source);
        drop(session.take_diagnostics());
        return module;
    }
    let (program, diagnostics) = toy_compiler::syntax::analyze(source);
    let has_errors = diagnostics.iter().any(|said| said.severity == Severity::Error);
    let locations = Locations { source, file: &source.name };
    (!has_errors).then(|| ast_to_toy::lower(session, &program, &locations, shows_variables))
}

fn is_valid(context: &PassContext, module: &melior::ir::Module) -> bool {
    let is_valid = context.session.verify(module)
        && toy_compiler::dialect::verify::verify(module, &context.locations).is_empty();
    drop(context.session.take_diagnostics());
    is_valid
}

/// The text after a pass has run on a text; Err: that is not the text of a module.
fn on_text(
    context: &PassContext,
    text: &str,
    pass: &Pass,
    form: Form,
) -> Result<Diagnosed<String>, String> {
    let session = context.session;
    let Some(mut module) = parsed(session, text) else {
        return Err(format!("not a valid module: {:?}", session.take_diagnostics()));
    };
    let result = pass.run(context, &mut module);
    drop(session.take_diagnostics());
    drop(context.remarks.take());
    Ok(result.map(|()| printed(&module, form)))
}

fn parsed<'s>(session: &'s Session, text: &str) -> Option<melior::ir::Module<'s>> {
    session.parse(&Source::new("piece.mlir", text))
}

fn printed(module: &melior::ir::Module, form: Form) -> String {
    let is_exact = form == Form::Exact;
    let printing = Printing { locations: is_exact, generic: is_exact, ..Printing::default() };
    let mut text = Vec::new();
    print_module(module, printing, &mut text).expect("writing into memory does not fail");
    String::from_utf8_lossy(&text).into_owned()
}

/// The text without the places of checks, which come from locations.
fn without_lines(text: &str) -> String {
    let mut parts = text.split("toy.place = \"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('"').map_or(part, |(_, rest)| rest))
}

/// The first lines that differ.
fn difference(one: &str, pieces: &str) -> String {
    let mut lines = one.lines().zip(pieces.lines());
    match lines.find(|(one, pieces)| one != pieces) {
        Some((one, pieces)) => format!("\n  in one go: {one}\n  in pieces: {pieces}"),
        None => format!("{} lines and {}", one.lines().count(), pieces.lines().count()),
    }
}
