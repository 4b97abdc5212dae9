//! The driver: one run of the `toyc` command.
//!
//! Input: the parsed command line. Output: the exit code; all files and terminal output are written here or in
//! [`crate::output`]. A [`Compilation`] does the work; options that request more than its result are [observers].
//! Invariant: after an error nothing is run and no output is written; files that `--save-temps` has already written
//! stay.

mod data;
pub mod explain;
mod extensions;
pub mod function;
pub mod instruments;
mod listing;
pub mod manuals;
mod observers;
pub mod outputs;
pub mod process;
mod progress;
pub mod reporter;
pub mod supervise;
pub mod trace;
mod version;

use crate::cli::{self, Form, Options};
use crate::output::{Destination, put_in_place};
use crate::{capture, command_tree, facts, input, interrupt, usage};
use mlir_support::Pass;
use outputs::Outputs;
use reporter::{Failure, Reporter};
use std::io::Write;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use toy_compiler::Stage;
use toy_compiler::compilation::{Compilation, Config, Language};
use toy_compiler::interface::Export;
use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnosed, Diagnostic, Severity};

/// The most bytes of a program whose page has shapes beside the names: they are from a compilation of their own.
const MAX_HINTED: usize = 100_000;

/// Runs the compiler; returns the exit code of the `toyc` command.
pub fn run(options: &Options) -> ExitCode {
    let reporter = Arc::new(Reporter::new(options.form));
    if let Some(answer) = answer(options) {
        return show(answer, &reporter);
    }
    process::run(&reporter, || compile_and_report(options, &reporter))
}

/// Checks several programs, one after the other, or standard input without files; the exit code is 1 if there are
/// errors in one of them.
pub fn check(mut options: Options, files: &[PathBuf]) -> ExitCode {
    let reporter = Arc::new(Reporter::new(options.form));
    if let Some(answer) = answer(&options) {
        return show(answer, &reporter);
    }
    if files.is_empty() {
        return process::run(&reporter, || compile_and_report(&options, &reporter));
    }
    let mut result = ExitCode::SUCCESS;
    // A worker gets all files.
    if files.iter().any(|file| is_mlir(&options, file))
        && let Some(code) = process::delegate(&reporter)
    {
        return code;
    }
    for file in files {
        options.input = Some(file.clone());
        let code = process::run(&reporter, || compile_and_report(&options, &reporter));
        if code != ExitCode::SUCCESS {
            result = code;
        }
    }
    result
}

/// Shows the answer to a question that needs no program.
pub fn answer_with(answer: impl FnOnce() -> Result<String, Diagnostic>) -> ExitCode {
    show(answer(), &Reporter::new(Form::DEFAULT))
}

/// Shows an answer, or the reason why there is none.
pub fn show(answer: Result<String, Diagnostic>, reporter: &Reporter) -> ExitCode {
    let print = |text: String| Destination::Stdout.write(|out| out.write_all(text.as_bytes()));
    match answer.and_then(print) {
        Ok(()) => ExitCode::SUCCESS,
        Err(diagnostic) => reporter.fail(&diagnostic.into(), 1),
    }
}

/// The answer to `--version`, `--print` or `--explain`, which need no program.
fn answer(options: &Options) -> Option<Result<String, Diagnostic>> {
    if options.version {
        return Some(Ok(version::text(options.verbose)));
    }
    if let Some(list) = options.print {
        return Some(listing::of(list, options.target.as_deref()));
    }
    options.explain.as_deref().map(|code| explain::page(code).map(explain::shown))
}

fn compile_and_report(options: &Options, reporter: &Reporter) -> ExitCode {
    let path = options.input.as_deref().unwrap_or(Path::new("-"));
    if is_mlir(options, path)
        && let Some(code) = process::delegate(reporter)
    {
        return code;
    }
    work(options, path, reporter).unwrap_or_else(|failure| reporter.fail(&failure, 1))
}

fn work(options: &Options, path: &Path, reporter: &Reporter) -> Result<ExitCode, Failure> {
    let (source, bytecode) = match is_mlir(options, path) {
        true => input::read_module(path)?,
        false => (input::read(path)?, None),
    };
    if options.input.is_none() && source.text.is_empty() && bytecode.is_none() {
        // More likely a forgotten file name than an empty program.
        return Ok(usage::show(&command_tree::no_input(), options.form.error_format));
    }
    show_ignored(options, reporter)?;
    let config = match config(options, path) {
        Ok(config) => Config { bytecode, ..config },
        Err(diagnostics) => return Err(Failure { diagnostics, source: Some(source) }),
    };
    if options.dump_pass_pipeline {
        let passes: Vec<_> = config.passes(options.last_stage()).iter().map(Pass::text).collect();
        let _ = writeln!(std::io::stderr(), "builtin.module({})", passes.join(","));
    }
    let mut idle = idle_passes(options, &config);
    idle.extend(idle_remarks(options, &config));
    show_warnings(idle, options, reporter)?;
    // Never dropped: the process ends soon, and for a small program dropping is 5 % of the work.
    let mut compilation = ManuallyDrop::new(Compilation::new(source, config));
    match compile(options, path, &mut compilation, reporter) {
        Ok(status) => Ok(ExitCode::from(status as u8)),
        Err(diagnostics) => {
            let diagnostics = compilation.with_warnings(diagnostics);
            let source = compilation.source();
            let source = Some(Source::new(&*source.name, &*source.text));
            Err(Failure { diagnostics, source })
        }
    }
}

/// Shows warnings about options that have no effect; Err if they are errors.
fn show_ignored(options: &Options, reporter: &Reporter) -> Diagnosed<()> {
    let help = "`toyc check` writes nothing; `toyc build` makes a file";
    let of_checks = options.ignored.iter().map(|it| Diagnostic::no_effect(it).help(help));
    show_warnings(of_checks.collect(), options, reporter)
}

/// Warnings about passes to be shown that do not run on the way to the stage.
fn idle_passes(options: &Options, config: &Config) -> Vec<Diagnostic> {
    if options.named_passes().next().is_none() {
        return Vec::new();
    }
    let last = options.last_stage();
    let passes = config.passes(last);
    let runs = |name: &str| passes.iter().any(|pass| pass.name() == name);
    let warning = |(option, pass): (&str, &String)| {
        let level = options.optimization_level();
        Diagnostic::no_effect(format!("{option} {pass}"))
            .help(format!("with -O{level}, the pass does not run on the way to `{}`", last.name()))
    };
    options.named_passes().filter(|(_, pass)| !runs(pass)).map(warning).collect()
}

/// Warnings about remarks that no pass gives on the way to the stage.
fn idle_remarks(options: &Options, config: &Config) -> Vec<Diagnostic> {
    let last = options.last_stage();
    let warning = |value: &String| {
        let remarks = cli::remarks(std::slice::from_ref(value));
        let first = config.first_remarks(remarks);
        if first.is_some_and(|first| first <= last) {
            return None;
        }
        let help = match first {
            Some(first) => format!("the pass runs on the way to -emit={}", first.name()),
            None => "-O1 and higher run the pass".to_owned(),
        };
        Some(Diagnostic::no_effect(format!("-R {value}")).help(help))
    };
    options.remarks.iter().filter_map(warning).collect()
}

/// Shows warnings; Err if they are errors.
fn show_warnings(
    warnings: Vec<Diagnostic>,
    options: &Options,
    reporter: &Reporter,
) -> Diagnosed<()> {
    let shown = options.levels.apply(warnings);
    if shown.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(shown);
    }
    reporter.show(&shown, None);
    Ok(())
}

/// Advances to the requested stage and writes its output. The result is the exit status: 0, or the status of a program
/// run by the JIT.
fn compile(
    options: &Options,
    path: &Path,
    compilation: &mut Compilation,
    reporter: &Reporter,
) -> Diagnosed<i32> {
    let emit = options.emit;
    let out = Outputs::new(options, path, compilation.source(), is_mlir(options, path))?;
    let ignored = extensions::warning(emit, options.output.as_deref());
    show_warnings(ignored.into_iter().collect(), options, reporter)?;
    if let Some(Some(path)) = &options.time_passes {
        trace::check(path.clone())?;
    }
    let mut observers = observers::of(&out, compilation);
    let last = options.last_stage();
    compilation.advance_to(last, &mut observers)?;
    if let Some(file) = options.output.as_ref().filter(|_| emit == Stage::Jit)
        && compilation.config().main.is_none()
    {
        let warning = Diagnostic::no_effect(format!("-o {}", file.display()));
        let help = "`main` has no result, and the program runs in memory; -emit=exe makes a file";
        show_warnings(vec![warning.help(help)], options, reporter)?;
    }
    // Before the program prints anything.
    let warnings = compilation.take_warnings();
    reporter.show(&warnings, Some(compilation.source()));
    out.record(|report| report.diagnostics(&warnings, compilation.source()));
    out.record(|report| report.hints = hints(compilation));
    match emit {
        _ if options.only_checks => Ok(0),
        Stage::Jit => {
            // A program may run forever: everything that does not depend on it is written before.
            put_in_place(out.complete_extras()?)?;
            let arguments =
                data::arguments(options, compilation.config().main.is_some(), out.planned());
            let mut run = || {
                let run = || compilation.run_with(&arguments, &mut observers);
                interrupt::ended_by_closed_pipes(run)
            };
            if !out.has_report() {
                return run();
            }
            let start = Instant::now();
            let (status, printed) = capture::stdout_copy(toy_report::MAX_OUTPUT, run);
            let (status, time) = (status?, start.elapsed());
            drop(observers);
            out.record(|report| report.ran(&printed.start, printed.length, status, time));
            put_in_place(out.complete_extras()?)?;
            Ok(status)
        }
        Stage::Python => out.python(compilation, &mut observers),
        Stage::Exe | Stage::Lib => out.linked(compilation, &mut observers),
        _ if last > emit || out.has_report() => out.finish(),
        _ => out.program(compilation),
    }
}

/// The shapes beside the names of variables. Only a program in Toy has any.
fn hints(compilation: &Compilation) -> Vec<(u32, u32, String)> {
    let (source, config) = (compilation.source(), compilation.config());
    match config.language {
        Language::Toy if source.text.len() <= MAX_HINTED => {
            toy_lsp::hints(&source.text, facts::of(source, config.clone()).0)
        }
        _ => Vec::new(),
    }
}

/// The configuration of the compilation.
fn config(options: &Options, path: &Path) -> Diagnosed<Config> {
    Ok(Config {
        language: if is_mlir(options, path) { Language::Mlir } else { Language::Toy },
        optimization_level: options.optimization_level(),
        debug_info: options.debug_info,
        target: options.target.clone(),
        cpu: options.cpu.clone(),
        features: options.features.join(","),
        contracts: options.fast_math.is_some(),
        threads: options.threads,
        tape_memory: options.tape_memory,
        watches_loops: options.watch_loops,
        // The output goes to a linker, which may add callers of public functions.
        is_library: matches!(options.emit, Stage::Llvm | Stage::Asm | Stage::Obj),
        exports: Export::parse_all(&options.exports)?,
        main: data::main(options)?,
        only_checks: options.only_checks,
        verify_each: options.verify_each,
        merge_alloc: options.merge_alloc.clone(),
        levels: options.levels.clone(),
        remarks: options.remarks(),
        location_file: location_file(options, path),
        bytecode: None,
    })
}

fn is_mlir(options: &Options, path: &Path) -> bool {
    match options.language {
        Some(language) => language == Language::Mlir,
        None => path.extension().is_some_and(|extension| extension == "mlir"),
    }
}

/// The file name inside locations: absolute for debuggers, which may run elsewhere.
fn location_file(options: &Options, path: &Path) -> Option<String> {
    let absolute = || std::fs::canonicalize(path).ok()?.to_str().map(str::to_owned);
    if options.debug_info { absolute() } else { None }
}
