//! Where each stage's program is written: to the file that `-o` names, the terminal, or a file named after
//! the input; the files of `--save-temps` are beside it.
//!
//! With `--report` the compilation continues after the requested stage, and nothing is written before it
//! has succeeded: until then the program of that stage is kept here.

use super::endings;
use super::function::Functions;
use crate::Stage;
use crate::codegen::link::{self, Link, LinkCommand, Linked};
use crate::codegen::target::{self, Machine};
use crate::command::cli::Options;
use crate::command::interrupt;
use crate::command::output::{self, Complete, Destination, put_in_place};
use crate::command::report::{self, Report};
use crate::compilation::{Compilation, Language, Observer, Program, timed};
use crate::memory_plan::{Format, MemoryPlan, PlanFile};
use mlir_support::session::Printing;
use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// Where each stage's program is written.
pub struct Outputs {
    /// Of the requested stage.
    destination: Option<Destination>,
    /// `prog` for `dir/prog.toy`: what files are named after.
    stem: PathBuf,
    from_stdin: bool,
    emit: Stage,
    printing: Printing,
    /// What `--function` asks for.
    pub functions: Option<Functions>,
    /// The form of a plan that is the output.
    plan_format: Option<Format>,
    linker: Option<String>,
    verbose: bool,
    /// The file of `--memory-plan`, and its contents once the stage is reached.
    plan_file: Option<PlanFile>,
    plan: RefCell<Option<String>>,
    /// The file of `--report`, and its contents.
    report: Option<(Destination, RefCell<Report>)>,
    /// With a report, the bytes of the requested stage.
    kept: RefCell<Option<(Destination, Vec<u8>)>>,
}

impl Outputs {
    pub fn new(options: &Options, path: &Path, source: &Source, is_mlir: bool) -> Diagnosed<Self> {
        let from_stdin = path.as_os_str() == "-";
        let stem = match path.file_stem() {
            Some(stem) if !from_stdin => PathBuf::from(stem),
            _ => PathBuf::from("a"),
        };
        let destination = options.output.as_deref().map(Destination::from_option);
        let outputs = Self {
            destination,
            stem,
            from_stdin,
            emit: options.emit,
            printing: printing(options),
            functions: Functions::new(options)?,
            plan_format: endings::plan_format(options.emit, options.output.as_deref()),
            linker: options.linker.clone(),
            verbose: options.verbose,
            plan_file: options.memory_plan.clone(),
            plan: RefCell::default(),
            report: options.report.as_deref().map(|path| {
                let target = options.target.clone().unwrap_or_else(target::host_triple);
                let report = Report::new(source, command(options), target, is_mlir);
                (Destination::from_option(path), RefCell::new(report))
            }),
            kept: RefCell::default(),
        };
        let file = match outputs.destination_of(options.emit) {
            Some(Destination::File(file)) => Some(file),
            _ => None,
        };
        let input = (!from_stdin).then_some(path);
        if file.as_ref().is_some_and(|file| input.is_some_and(|input| is_same(file, input))) {
            let message = format!("the output would overwrite the input `{}`", path.display());
            let diagnostic = Diagnostic::error(codes::NOT_AVAILABLE, message);
            return Err(diagnostic.help("name another output with -o").into());
        }
        outputs.check_plan(options.emit, input, file.as_deref())?;
        outputs.check_report(options.emit, input, file.as_deref())?;
        let is_linked = matches!(options.emit, Stage::Exe | Stage::Lib);
        if is_linked && outputs.destination == Some(Destination::Stdout) {
            let message = match options.emit {
                Stage::Lib => "a shared library cannot be written to standard output",
                _ => "an executable cannot be written to standard output",
            };
            let diagnostic = Diagnostic::error(codes::NOT_AVAILABLE, message);
            return Err(diagnostic.help("name a file with -o, or use -emit=obj").into());
        }
        let is_binary = matches!(options.emit, Stage::Obj | Stage::StaticLib);
        if is_binary && outputs.destination == Some(Destination::Stdout) {
            output::not_for_a_terminal("an object file")?;
        }
        Ok(outputs)
    }

    /// Checks that the compilation reaches the plan and that its file overwrites nothing.
    fn check_plan(
        &self,
        emit: Stage,
        input: Option<&Path>,
        output: Option<&Path>,
    ) -> Diagnosed<()> {
        let Some(PlanFile { path, .. }) = &self.plan_file else { return Ok(()) };
        if emit < Stage::Merged && self.report.is_none() {
            let message = format!("`{}` comes before the memory plan", emit.name());
            let diagnostic = Diagnostic::error(codes::NOT_AVAILABLE, message);
            return Err(diagnostic.help("ask for `merged` or a later stage").into());
        }
        overwrites_nothing("the memory plan", path, &[("input", input), ("output", output)])
    }

    /// Checks that the report overwrites nothing.
    fn check_report(
        &self,
        emit: Stage,
        input: Option<&Path>,
        output: Option<&Path>,
    ) -> Diagnosed<()> {
        let plan = self.plan_file.as_ref().map(|plan| plan.path.as_path());
        match &self.report {
            None => Ok(()),
            Some((Destination::File(path), _)) => overwrites_nothing(
                "the report",
                path,
                &[("input", input), ("output", output), ("memory plan", plan)],
            ),
            Some((Destination::Stdout, _)) => {
                if self.destination_of(emit).is_some_and(|main| main != Destination::Stdout) {
                    return Ok(());
                }
                let message = "the report and the output cannot both go to standard output";
                let diagnostic = Diagnostic::error(codes::NOT_AVAILABLE, message);
                Err(diagnostic.help("name a file for one of them").into())
            }
        }
    }

    /// The stage to advance to: the requested one, or a later one that the report or the plan needs.
    pub fn last_stage(&self) -> Stage {
        let report = self.report.as_ref().map(|_| Stage::Asm);
        let plan = self.plan_file.as_ref().map(|_| Stage::MemoryPlan);
        [report, plan].into_iter().flatten().fold(self.emit, Stage::max)
    }

    /// Whether there is a report, for which the compilation continues to assembly.
    pub fn has_report(&self) -> bool {
        self.report.is_some()
    }

    /// Adds to the report, if there is one.
    pub fn record(&self, add: impl FnOnce(&mut Report)) {
        if let Some((_, report)) = &self.report {
            add(&mut report.borrow_mut());
        }
    }

    /// Takes the plan, in the form of its file.
    pub fn keep_plan(&self, plan: &MemoryPlan) {
        self.plan.replace(self.plan_file.as_ref().map(|file| file.format.show(plan)));
    }

    /// Writes the requested plan and report under temporary names. They get their names after the main
    /// output, so that no file is left if one of them cannot be written.
    pub fn complete_extras(&self) -> Result<Vec<Complete>, Diagnostic> {
        let mut extras = Vec::new();
        if let (Some(file), Some(text)) = (&self.plan_file, self.plan.take()) {
            let file = Destination::File(file.path.clone());
            extras.push(file.complete(|out| out.write_all(text.as_bytes()))?);
        }
        if let Some((destination, report)) = &self.report {
            let report = report.borrow();
            let text = if destination.has_extension("json") {
                report::data(&report)
            } else {
                report::page(&report)
            };
            extras.push(destination.complete(|out| out.write_all(text.as_bytes()))?);
        }
        Ok(extras)
    }

    /// Writes everything that was kept, after the compilation has succeeded.
    pub fn finish(&self) -> Diagnosed<i32> {
        let extras = self.complete_extras()?;
        if let Some((destination, bytes)) = self.kept.take() {
            destination.write(|out| out.write_all(&bytes))?;
        }
        put_in_place(extras)?;
        Ok(0)
    }

    fn destination_of(&self, stage: Stage) -> Option<Destination> {
        let file =
            |extension: &str| Some(Destination::File(self.stem.with_added_extension(extension)));
        match (&self.destination, stage) {
            (Some(destination), _) => Some(destination.clone()),
            // One function is to be read, not to be assembled.
            (None, Stage::Asm) if self.functions.is_some() => Some(Destination::Stdout),
            (None, Stage::Asm) => file("s"),
            (None, Stage::Obj) => file("o"),
            (None, Stage::Header) => file("h"),
            (None, Stage::Rust) => file("rs"),
            (None, Stage::Python) => file("py"),
            (None, Stage::StaticLib) => self.library("a"),
            (None, Stage::Lib) => self.library("so"),
            (None, Stage::Exe) if self.from_stdin => file("out"),
            (None, Stage::Exe) => file(""),
            (None, Stage::Jit) => None,
            (None, _) => Some(Destination::Stdout),
        }
    }

    /// `libprog.so` for `prog.toy`.
    fn library(&self, extension: &str) -> Option<Destination> {
        let mut name = std::ffi::OsString::from("lib");
        name.push(self.stem.with_added_extension(extension));
        Some(Destination::File(name.into()))
    }

    /// Keeps the program of the requested stage until [`Outputs::finish`].
    pub fn keep(&self, stage: Stage, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) {
        let destination = self.destination_of(stage).unwrap_or(Destination::Stdout);
        let mut bytes = Vec::new();
        // Writing to memory does not fail.
        let _ = write(&mut bytes);
        self.kept.replace(Some((destination, bytes)));
    }

    /// The text that is written in place of the whole program: the functions that `--function` selects, or a plan in the
    /// form of its file.
    pub fn selected(&self, program: &Program) -> Option<Result<String, Diagnostic>> {
        if let (Program::MemoryPlan(plan), Some(format)) = (program, self.plan_format) {
            return Some(Ok(format.show(plan)));
        }
        self.functions.as_ref().map(|functions| functions.text(program, self.printing))
    }

    /// Writes the program at the requested stage.
    pub fn program(&self, compilation: &Compilation) -> Diagnosed<i32> {
        let destination = self.destination_of(self.emit).unwrap_or(Destination::Stdout);
        let selected = compilation.with_program(|program| self.selected(program)).flatten();
        let selected = selected.transpose()?;
        let extras = self.complete_extras()?;
        destination.write(|out| match &selected {
            Some(text) => out.write_all(text.as_bytes()),
            None => compilation.write(self.printing, out),
        })?;
        put_in_place(extras)?;
        Ok(0)
    }

    /// With --save-temps, writes a stage beside the output.
    pub fn save(
        &self,
        extension: &str,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Diagnosed<()> {
        Ok(Destination::File(self.temporary(extension)).write(write)?)
    }

    /// `dir/prog.EXTENSION` for an output `dir/prog`.
    fn temporary(&self, extension: &str) -> PathBuf {
        let base = match &self.destination {
            Some(Destination::File(file)) => file.with_extension(""),
            _ => self.stem.clone(),
        };
        base.with_added_extension(extension)
    }

    /// Links the executable or the shared library.
    pub fn linked(&self, compilation: &Compilation, observer: &mut dyn Observer) -> Diagnosed<i32> {
        let (Some(Destination::File(file)), Some(machine), Some(object)) =
            (self.destination_of(self.emit), compilation.machine(), compilation.object())
        else {
            return Ok(0);
        };
        timed(observer, "link", || self.link(&file, machine, object))?;
        Ok(0)
    }

    /// Writes the Python module with the shared library in it.
    pub fn python(&self, compilation: &Compilation, observer: &mut dyn Observer) -> Diagnosed<i32> {
        let (Some(destination), Some(machine), Some(object)) =
            (self.destination_of(self.emit), compilation.machine(), compilation.object())
        else {
            return Ok(0);
        };
        let cannot = |error: std::io::Error| link::cannot_write_temporary(&error);
        let make = || tempfile::Builder::new().prefix("toyc-").suffix(".so").tempfile();
        let (_library, path) = interrupt::temporary(make).map_err(cannot)?;
        let kind = Linked::Shared { name: None };
        timed(observer, "link", || self.run_linker(kind, &path, machine, object))?;
        let bytes = std::fs::read(&*path).map_err(cannot)?;
        let text = compilation.python_module(&bytes).unwrap_or_default();
        self.record(|report| report.made("module", text.len() as u64));
        let extras = self.complete_extras()?;
        destination.write(|out| out.write_all(text.as_bytes()))?;
        put_in_place(extras)?;
        Ok(0)
    }

    /// Links the object into a file.
    fn run_linker(
        &self,
        kind: Linked,
        file: &Path,
        machine: &Machine,
        object: &[u8],
    ) -> Result<(), Diagnostic> {
        let make = || tempfile::Builder::new().prefix("toyc-").suffix(".o").tempfile();
        let announce = |command: &LinkCommand| {
            if self.verbose {
                let _ = writeln!(std::io::stderr(), "{command}");
            }
        };
        let linker = self.linker.as_deref();
        let link = Link { machine, object, kind, output: file, linker };
        link::link(&link, || interrupt::temporary(make), announce, interrupt::run)
    }

    fn link(&self, file: &Path, machine: &Machine, object: &[u8]) -> Diagnosed<()> {
        let kind = match self.emit {
            Stage::Lib => Linked::Shared { name: file.file_name() },
            _ => Linked::Executable,
        };
        let extras = output::make_file(file, |linked| {
            self.run_linker(kind, linked, machine, object)?;
            self.record(|report| {
                let size = std::fs::metadata(linked).map_or(0, |file| file.len());
                report.made(if self.emit == Stage::Lib { "library" } else { "executable" }, size);
            });
            self.complete_extras()
        })?;
        Ok(put_in_place(extras)?)
    }
}

/// Err if a file of this path would take the place of one of the others.
fn overwrites_nothing(what: &str, path: &Path, others: &[(&str, Option<&Path>)]) -> Diagnosed<()> {
    for (other, taken) in others {
        if taken.is_some_and(|taken| is_same(taken, path)) {
            let message = format!("{what} would overwrite the {other} `{}`", path.display());
            let diagnostic = Diagnostic::error(codes::NOT_AVAILABLE, message);
            return Err(diagnostic.help("name another file").into());
        }
    }
    Ok(())
}

/// The command line as far as it says what the program becomes.
fn command(options: &Options) -> String {
    let input = options.input.as_deref().unwrap_or(Path::new("-")).display();
    let mut command = format!("toyc {input} -O{}", options.optimization_level());
    if let Some(language) = options.language {
        command += if language == Language::Toy { " -x toy" } else { " -x mlir" };
    }
    if options.debug_info {
        command += " -g";
    }
    if let Some(target) = &options.target {
        command += &format!(" --target {target}");
    }
    if let Some(cpu) = &options.cpu {
        command += &format!(" --cpu {cpu}");
    }
    if !options.features.is_empty() {
        command += &format!(" --features {}", options.features.join(","));
    }
    if let Some(kind) = &options.fast_math {
        command += &format!(" --fast-math={kind}");
    }
    if options.threads > 1 {
        command += &format!(" --threads {}", options.threads);
    }
    for export in &options.exports {
        command += &format!(" --export {}", link::quoted(export));
    }
    command
}

/// Whether two names are those of one file, there or not.
fn is_same(one: &Path, other: &Path) -> bool {
    output::place(one).is_ok_and(|one| output::place(other).is_ok_and(|other| one == other))
}

/// How MLIR is printed with these options.
pub fn printing(options: &Options) -> Printing {
    Printing { locations: options.print_locations, ..Printing::default() }
}
