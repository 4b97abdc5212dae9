//! toy-opt: runs passes over MLIR, as `mlir-opt` does, with toyc's passes among them.
//!
//! Input: the arguments of the command. Output: the exit code: 0, 1 for an input with errors, 2 for
//! a command line with errors; the resulting modules go to standard output or a file. Invariants:
//! all passes are known and their options valid before anything is read or run; output is written
//! as a whole and only if there was no error; our passes see only modules that both verifiers accept.

mod chunks;
mod cli;
mod passes;
mod pipeline;
mod verify_diagnostics;

use crate::cli::ErrorFormat;
use crate::driver::function::Functions;
use crate::driver::instruments::{InstrumentationOptions, Instruments};
use crate::driver::reporter::{Failure, Reporter};
use crate::driver::{self, process, trace};
use crate::input;
use crate::output::{self, Destination};
use cli::Options;
use melior::ir::Module;
use mlir_support::pass::{self, PassContext, PassDefinition};
use mlir_support::session::{MlirDiagnostic, print_module, write_bytecode};
use mlir_support::{Locations, Session, errors, nesting};
use passes::Step;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use toy_compiler::compilation::Program;
use toy_compiler::dialect::spelling::SPELLING;
use toy_compiler::dialect::verify;
use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// Runs the command with the arguments after its name.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.peekable();
    if let Some(file) = arguments.peek().and_then(|first| cli::planner(first)) {
        let arguments = file.into_iter().chain(arguments.skip(1));
        return ExitCode::from(memory_planner::command::run(arguments));
    }
    let (options, error) = cli::parse(arguments);
    let reporter = Arc::new(Reporter::new(options.form));
    if let Some(error) = error {
        return reporter.fail(&error.into(), 2);
    }
    let answers: [(bool, fn() -> String); 4] = [
        (options.help, cli::help),
        (options.version, version),
        (options.list_passes, passes::list),
        (options.show_dialects, dialects),
    ];
    match answers.iter().find(|(is_wanted, _)| *is_wanted) {
        Some((_, answer)) => driver::show(Ok(answer()), &reporter),
        None => process::run(&reporter, || work(&options, &reporter)),
    }
}

/// A session that knows every dialect, MLIR's and Toy's.
fn new_session() -> Session {
    let session = toy_compiler::dialect::new_session();
    session.register_all_dialects();
    session
}

fn dialects() -> String {
    new_session().dialects(&["toy"]).join("\n") + "\n"
}

fn version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("toy-opt {} (LLVM {major}.{minor}.{patch})\n", env!("CARGO_PKG_VERSION"))
}

fn work(options: &Options, reporter: &Reporter) -> ExitCode {
    if let Some(code) = process::delegate(reporter) {
        return code;
    }
    if let Some(name) = &options.help_pass {
        return match passes::help(name.trim_start_matches('-')) {
            Ok(page) => driver::show(Ok(page), reporter),
            Err(diagnostic) => reporter.fail(&diagnostic.into(), 2),
        };
    }
    let steps = match steps(options) {
        Ok(steps) => steps,
        Err(failure) => return reporter.fail(&failure, 2),
    };
    if options.dump_pass_pipeline {
        let _ = writeln!(std::io::stderr(), "{}", passes::pipeline_text(&steps));
    }
    let (source, bytecode) = match input::read_module(options.input()) {
        Ok(input) => input,
        Err(failure) => return reporter.fail(&failure, 1),
    };
    match run_on_chunks(options, &steps, &source, bytecode, reporter) {
        Ok(()) => ExitCode::SUCCESS,
        Err(diagnostics) => reporter.fail(&Failure { diagnostics, source: Some(source) }, 1),
    }
}

/// The passes of the command line.
fn steps(options: &Options) -> Result<Vec<Step>, Failure> {
    let steps = passes::resolve(&options.passes, options.allow_unregistered)?;
    let InstrumentationOptions { print_before, print_after, .. } = &options.instruments;
    passes::check_shown(print_before.iter().chain(print_after), &steps)?;
    Ok(steps)
}

/// Err: the diagnostics that have not been shown yet.
fn run_on_chunks(
    options: &Options,
    steps: &[Step],
    source: &Source,
    bytecode: Option<&'static [u8]>,
    reporter: &Reporter,
) -> Diagnosed<()> {
    if options.emit_bytecode && options.output.as_deref().is_none_or(|file| file == "-") {
        output::not_for_a_terminal("bytecode")?;
    }
    if let Some(Some(trace)) = &options.instruments.time_passes {
        trace::check(trace.clone())?;
    }
    let mut instruments = Instruments::new(InstrumentationOptions {
        printing: options.printing(),
        shows_progress: options.form.error_format == ErrorFormat::Human,
        ..options.instruments.clone()
    });
    let mut output = Vec::new();
    let mut succeeded = true;
    let chunks = chunks::split(source, options.split_input);
    for (index, range) in chunks.iter().enumerate() {
        if index > 0 {
            output.extend_from_slice(format!("{}\n", chunks::MARKER).as_bytes());
        }
        let chunk = chunks::chunk(source, range.clone());
        let mut reported = Vec::new();
        let input = (&chunk, bytecode);
        let result = run_on_chunk(options, steps, input, &mut instruments, &mut reported);
        let locations = Locations { source: &chunk, file: &chunk.name };
        let (diagnostics, is_good) = match options.verify_diagnostics {
            Some(strictness) => {
                let messages: Vec<_> =
                    reported.iter().flat_map(|reported| reported.messages(&locations)).collect();
                let errors = verify_diagnostics::compare(&chunk, &messages, strictness);
                let is_good = errors.is_empty();
                (errors, is_good)
            }
            None => (
                reported.into_iter().map(|reported| reported.diagnostic(&locations)).collect(),
                result.is_some(),
            ),
        };
        reporter.show(&diagnostics, Some(source));
        succeeded &= is_good;
        output.extend(result.unwrap_or_default());
    }
    if !succeeded {
        return Err(Vec::new());
    }
    let destination =
        options.output.as_deref().map_or(Destination::Stdout, Destination::from_option);
    Ok(destination.write(|out| out.write_all(&output))?)
}

/// One module: parses it, runs the passes, prints it. None if there was an error.
fn run_on_chunk(
    options: &Options,
    steps: &[Step],
    (source, bytecode): (&Source, Option<&'static [u8]>),
    instruments: &mut Instruments,
    reported: &mut Vec<Reported>,
) -> Option<Vec<u8>> {
    let session = instruments.time("start MLIR", new_session);
    if options.allow_unregistered {
        session.allow_unregistered_dialects();
    }
    let locations = Locations { source, file: &source.name };
    let context = PassContext::new(&session, locations);
    if let Some(diagnostic) = nesting::check(source) {
        reported.push(Reported::Ours(diagnostic));
        return None;
    }
    let module = instruments.time("parse", || match (bytecode, named_file(options)) {
        (Some(bytes), _) => session.parse_bytecode(bytes),
        (None, Some(name)) => session.parse_file(name),
        (None, None) => session.parse(source),
    });
    drain_diagnostics(&session, codes::MLIR_SYNTAX, reported, module.is_some(), || {
        errors::silent_rejection(&session, &source.text)
    });
    let mut module = module?;
    // Our passes rely on it; upstream's passes may break it.
    let mut is_verified = verify_both(&context, &module, None, reported)?;
    instruments.started(&module);
    for step in steps {
        instruments.print_before(step.name(), &module);
        match step {
            Step::Upstream(text) => {
                let verify = options.verify_each;
                let run = || pass::run_pipeline(&session, &mut module, text, verify);
                let succeeded = instruments.time(text, run);
                drain_diagnostics(&session, codes::MLIR_REJECTED, reported, succeeded, || {
                    let message = "MLIR failed to run this pass and reported no error";
                    Diagnostic::error(codes::MLIR_REJECTED, message)
                });
                if !succeeded {
                    note_pass(reported, text);
                    return None;
                }
                is_verified = false;
            }
            Step::Own(PassDefinition { name, requirement, .. }, run, _) => {
                if !is_verified {
                    verify_both(&context, &module, None, reported)?;
                }
                let run = || {
                    requirement.map_or(Ok(()), |needed| (needed.check)(name, &context, &module))?;
                    run(&context, &mut module)
                };
                let result = instruments.time(name, run);
                reported.extend(context.remarks.take().into_iter().map(Reported::Ours));
                if let Err(diagnostics) = result {
                    reported.extend(diagnostics.into_iter().map(Reported::Ours));
                    return None;
                }
                if options.verify_each {
                    verify_both(&context, &module, Some(name), reported)?;
                }
                is_verified = options.verify_each;
            }
        }
        instruments.print_after(step.name(), &module);
    }
    if let Some(name) = &options.function {
        let functions = Functions::named(name);
        functions.note_module(None, &module);
        let program = Program::Module { module: &module, passes: &context };
        return match functions.text(&program, options.printing()) {
            Ok(text) => Some(text.into_bytes()),
            Err(diagnostic) => {
                reported.push(Reported::Ours(diagnostic));
                None
            }
        };
    }
    let mut text = Vec::new();
    // Writing into memory does not fail.
    let write = || match options.emit_bytecode {
        true => write_bytecode(&module, &mut text),
        false => print_module(&module, options.printing(), &mut text),
    };
    instruments.time("print", write).ok()?;
    Some(text)
}

/// The file to parse by name, so that printed locations have it. A chunk of a file and a stream that can
/// be read only once have no name for MLIR.
fn named_file(options: &Options) -> Option<&str> {
    let input = options.input();
    let is_stdin = input.as_os_str() == "-";
    let is_wanted = options.printing().locations && !options.split_input && !is_stdin;
    input.to_str().filter(|name| is_wanted && Path::new(name).is_file())
}

/// Runs both verifiers; `Some(true)` if they accept the module. After a pass of ours, an error is a bug in toyc, except
/// for shapes that do not fit, which are an error of the program.
fn verify_both(
    context: &PassContext,
    module: &Module,
    after: Option<&str>,
    reported: &mut Vec<Reported>,
) -> Option<bool> {
    if !context.session.verify(module) {
        let diagnostics = errors::verification(context, after.unwrap_or(""), after.is_some());
        reported.extend(diagnostics.into_iter().map(Reported::Ours));
        return None;
    }
    let diagnostics = verify::verify(module, &context.locations);
    let is_good = diagnostics.is_empty();
    reported.extend(diagnostics.into_iter().map(|diagnostic| {
        Reported::Ours(match after {
            Some(pass) if !verify::SHAPE_ERRORS.contains(&diagnostic.code) => {
                errors::internal(diagnostic, pass)
            }
            _ => diagnostic,
        })
    }));
    is_good.then_some(true)
}

/// A diagnostic about a module, from MLIR or from our own checks and passes.
enum Reported {
    Mlir(MlirDiagnostic, toy_diagnostics::Code, Option<String>),
    Ours(Diagnostic),
}

impl Reported {
    fn diagnostic(self, locations: &Locations) -> Diagnostic {
        match self {
            Reported::Ours(diagnostic) => diagnostic,
            Reported::Mlir(reported, code, pass) => {
                let diagnostic = errors::convert(&reported, locations, code, Some(SPELLING));
                match pass {
                    Some(pass) => diagnostic.note(format!("in the pass `{pass}`")),
                    None => diagnostic,
                }
            }
        }
    }

    fn messages(&self, locations: &Locations) -> Vec<verify_diagnostics::Message> {
        match self {
            Reported::Ours(diagnostic) => verify_diagnostics::of_ours(diagnostic),
            Reported::Mlir(reported, ..) => verify_diagnostics::of_mlir(reported, locations),
        }
    }
}

/// Moves MLIR's diagnostics to `reported`. If a step failed and MLIR reported no error, adds `otherwise()`.
fn drain_diagnostics(
    session: &Session,
    code: toy_diagnostics::Code,
    reported: &mut Vec<Reported>,
    succeeded: bool,
    otherwise: impl FnOnce() -> Diagnostic,
) {
    let drained = session.take_diagnostics();
    if !succeeded && !drained.iter().any(MlirDiagnostic::is_error) {
        reported.push(Reported::Ours(otherwise()));
    }
    reported.extend(drained.into_iter().map(|drained| Reported::Mlir(drained, code, None)));
}

/// Adds to MLIR's errors the pass that reported them.
fn note_pass(reported: &mut [Reported], pass: &str) {
    for diagnostic in reported {
        match diagnostic {
            Reported::Mlir(error, _, of) if error.is_error() => *of = Some(pass.to_owned()),
            _ => {}
        }
    }
}
