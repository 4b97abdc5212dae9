//! The destination of each stage's program: the file that `-o` names, the terminal, or a file named after the input;
//! the files of `--save-temps` are beside it.
//!
//! With `--report` the compilation continues after the requested stage, and nothing is written before it
//! has succeeded: until then the program of that stage is kept here.

mod identity;
mod link;

use super::extensions;
use super::function::Functions;
use crate::cli::Options;
use crate::output::{self, Complete, Destination, put_in_place};
use identity::Identity;
use mlir_support::session::Printing;
use std::cell::{Cell, RefCell};
use std::io::Write;
use std::path::{Path, PathBuf};
use toy_compiler::Stage;
use toy_compiler::codegen::link::quoted;
use toy_compiler::codegen::target;
use toy_compiler::compilation::{Compilation, Language, Program};
use toy_compiler::interface::javascript;
use toy_compiler::memory_plan::MemoryPlan;
use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnosed, Diagnostic};
use toy_report::Report;

/// The destination of each stage's program.
pub struct Outputs<'o> {
    pub options: &'o Options,
    /// The destination of the requested stage.
    destination: Option<Destination>,
    /// `prog` for `dir/prog.toy`: the stem of file names.
    stem: PathBuf,
    from_stdin: bool,
    /// The functions that `--function` selects.
    pub functions: Option<Functions>,
    /// The contents of the file of `--memory-plan`, once the stage is reached.
    plan: RefCell<Option<String>>,
    /// The header beside a shared library, once its stage is reached.
    header: RefCell<Vec<u8>>,
    /// The files beside a module of WebAssembly, by their extensions, once it is linked.
    beside: RefCell<Vec<(&'static str, String)>>,
    /// The bytes of the plan.
    planned: Cell<u64>,
    /// The file of `--report`, and its contents.
    report: Option<(Destination, RefCell<Report>)>,
    /// With a report, the bytes of the requested stage.
    kept: RefCell<Option<(Destination, Vec<u8>)>>,
}

impl<'o> Outputs<'o> {
    pub fn new(
        options: &'o Options,
        path: &Path,
        source: &Source,
        is_mlir: bool,
    ) -> Diagnosed<Self> {
        let from_stdin = path.as_os_str() == "-";
        let stem = match path.file_stem() {
            Some(stem) if !from_stdin => PathBuf::from(stem),
            _ => PathBuf::from("a"),
        };
        let outputs = Self {
            options,
            destination: options.output.as_deref().map(Destination::from_option),
            stem,
            from_stdin,
            functions: Functions::new(options)?,
            plan: RefCell::default(),
            header: RefCell::default(),
            beside: RefCell::default(),
            planned: Cell::default(),
            report: options.report.as_deref().map(|path| {
                let target = options.target.clone().unwrap_or_else(target::host_triple);
                let report = Report::new(source, command(options), target, is_mlir);
                (Destination::from_option(path), RefCell::new(report))
            }),
            kept: RefCell::default(),
        };
        outputs.check_plan()?;
        outputs.check_report()?;
        if !options.only_checks {
            outputs.check_files()?;
        }
        let is_linked = matches!(options.emit, Stage::Exe | Stage::Lib);
        if is_linked && outputs.destination == Some(Destination::Stdout) {
            let message = match options.emit {
                Stage::Lib => "a shared library cannot be written to standard output",
                _ => "an executable cannot be written to standard output",
            };
            let help = "name a file with -o, or use -emit=obj";
            return Err(Diagnostic::not_available(message).help(help).into());
        }
        let is_binary = matches!(options.emit, Stage::Obj | Stage::StaticLib);
        if is_binary && outputs.destination == Some(Destination::Stdout) {
            output::not_for_a_terminal("an object file")?;
        }
        Ok(outputs)
    }

    /// Checks that the compilation reaches the plan.
    fn check_plan(&self) -> Result<(), Diagnostic> {
        let emit = self.options.emit;
        if self.options.memory_plan.is_none() || emit >= Stage::Merged || self.report.is_some() {
            return Ok(());
        }
        let message = format!("`{}` comes before the memory plan", emit.name());
        Err(Diagnostic::not_available(message).help("ask for `merged` or a later stage"))
    }

    /// Checks that the report does not go where the output goes.
    fn check_report(&self) -> Result<(), Diagnostic> {
        let is_stdout = |it: Destination| it == Destination::Stdout;
        let report = self.report.as_ref().map(|(destination, _)| destination.clone());
        let output = self.destination_of(self.options.emit);
        if !report.is_some_and(is_stdout) || !output.is_none_or(is_stdout) {
            return Ok(());
        }
        let message = "the report and the output cannot both go to standard output";
        Err(Diagnostic::not_available(message).help("name a file for one of them"))
    }

    /// Checks that no file that is going to be written is the input or another output.
    fn check_files(&self) -> Result<(), Diagnostic> {
        let options = self.options;
        let input = options.input.as_deref().filter(|_| !self.from_stdin);
        let identity = input.map_or_else(Identity::of_stdin, Identity::of);
        let mut files = vec![("input", input.unwrap_or(Path::new("-")).to_owned(), identity)];
        let plan = options.memory_plan.as_ref().map(|plan| plan.path.clone());
        let trace = options.time_passes.as_ref().and_then(Option::as_deref);
        let report = self.report.as_ref().map(|(destination, _)| destination.clone());
        let mut written = vec![
            ("output", self.destination_of(options.emit)),
            ("header", self.header_beside().map(Destination::File)),
            ("memory plan", plan.map(Destination::File)),
            ("report", report),
            ("trace", trace.map(Destination::from_option)),
        ];
        let beside = self.extensions_beside().iter().map(|it| self.beside_module(it));
        written.extend(beside.map(|file| ("host", file.map(Destination::File))));
        if options.save_temps {
            let extensions = Stage::ALL.iter().filter_map(|stage| self.temporary_extension(*stage));
            let file = |extension: String| Destination::File(self.temporary(&extension));
            let temporary = |extension| ("file of --save-temps", Some(file(extension)));
            written.extend(extensions.map(temporary));
        }
        for (what, destination) in written {
            let Some(Destination::File(path)) = destination else { continue };
            let identity = Identity::of(&path);
            if let Some((other, taken, _)) = files.iter().find(|(.., it)| it.is(&identity)) {
                let message =
                    format!("the {what} would overwrite the {other} `{}`", taken.display());
                return Err(Diagnostic::not_available(message).help(match what {
                    "output" => "name another output with -o",
                    "file of --save-temps" => {
                        "it is named after the output: name another one with -o"
                    }
                    _ => "name another file",
                }));
            }
            files.push((what, path, identity));
        }
        Ok(())
    }

    /// The extension of the file in which --save-temps keeps a stage; None if the stage is not kept.
    pub fn temporary_extension(&self, stage: Stage) -> Option<String> {
        if stage == self.options.emit || stage > self.options.last_stage() {
            return None;
        }
        Some(match stage {
            Stage::Llvm => "ll".to_owned(),
            Stage::Asm => "s".to_owned(),
            Stage::Obj => "o".to_owned(),
            _ if Stage::MLIR.contains(&stage) => format!("{}.mlir", stage.name()),
            _ => return None,
        })
    }

    /// True if there is a report, for which the compilation continues to assembly.
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
        self.planned.set(if plan.merged { plan.allocated().1 as u64 } else { 0 });
        self.plan.replace(self.options.memory_plan.as_ref().map(|file| file.format.show(plan)));
    }

    /// Takes the header of a shared library.
    pub fn keep_header(&self, text: &[u8]) {
        self.header.replace(text.to_owned());
    }

    /// The file of the header beside a shared library: `dir/prog.h` for `dir/libprog.so`.
    pub fn header_beside(&self) -> Option<PathBuf> {
        if self.options.emit != Stage::Lib || self.is_wasm() {
            return None;
        }
        let Some(Destination::File(library)) = self.destination_of(Stage::Lib) else { return None };
        let stem = library.file_stem()?.to_str()?;
        let name = stem.strip_prefix("lib").unwrap_or(stem);
        Some(library.with_file_name(format!("{name}.h")))
    }

    /// True if the target is WebAssembly.
    fn is_wasm(&self) -> bool {
        let target = self.options.target.as_deref();
        target::architecture(target).is_ok_and(|(architecture, _)| architecture.is_wasm())
    }

    /// The extensions of the files beside a module of WebAssembly.
    fn extensions_beside(&self) -> &'static [&'static str] {
        match self.options.emit {
            Stage::Exe if self.is_wasm() => javascript::BESIDE_PROGRAM,
            Stage::Lib if self.is_wasm() => javascript::BESIDE_LIBRARY,
            _ => &[],
        }
    }

    /// `dir/prog.mjs` for `dir/prog.wasm`.
    fn beside_module(&self, extension: &str) -> Option<PathBuf> {
        match self.destination_of(self.options.emit)? {
            Destination::File(module) => Some(module.with_extension(extension)),
            Destination::Stdout => None,
        }
    }

    /// The bytes of the kept plan.
    pub fn planned(&self) -> u64 {
        self.planned.get()
    }

    /// Writes the header beside a library, the requested plan and report under temporary names. They get their names after the main
    /// output, so that no file is left if one of them cannot be written.
    pub fn complete_extras(&self) -> Result<Vec<Complete>, Diagnostic> {
        let mut extras = Vec::new();
        if let (Some(file), Some(text)) = (&self.options.memory_plan, self.plan.take()) {
            let file = Destination::File(file.path.clone());
            extras.push(file.complete(|out| out.write_all(text.as_bytes()))?);
        }
        if let Some(file) = self.header_beside() {
            let text = self.header.take();
            extras.push(Destination::File(file).complete(|out| out.write_all(&text))?);
        }
        for (extension, text) in self.beside.take() {
            let Some(file) = self.beside_module(extension) else { continue };
            extras.push(Destination::File(file).complete(|out| out.write_all(text.as_bytes()))?);
        }
        if let Some((destination, report)) = &self.report {
            let report = report.borrow();
            let text = if destination.has_extension("json") {
                toy_report::data(&report)
            } else {
                toy_report::page(&report)
            };
            extras.push(destination.complete(|out| out.write_all(text.as_bytes()))?);
        }
        Ok(extras)
    }

    /// Writes everything that was kept, after the compilation has succeeded.
    pub fn finish(&self) -> Diagnosed<i32> {
        match self.kept.take() {
            Some((destination, bytes)) => self.write(&destination, |out| out.write_all(&bytes)),
            None => Ok(put_in_place(self.complete_extras()?).map(|()| 0)?),
        }
    }

    /// The options of printing MLIR that correspond to the command line.
    pub fn printing(&self) -> Printing {
        Printing { locations: self.options.print_locations, ..Printing::default() }
    }

    fn destination_of(&self, stage: Stage) -> Option<Destination> {
        let file =
            |extension: &str| Some(Destination::File(self.stem.with_added_extension(extension)));
        match (&self.destination, stage) {
            (Some(destination), _) => Some(destination.clone()),
            // One function is meant for reading, not for assembling.
            (None, Stage::Asm) if self.functions.is_some() => Some(Destination::Stdout),
            (None, Stage::Asm) => file("s"),
            (None, Stage::Obj) => file("o"),
            (None, Stage::Header) => file("h"),
            (None, Stage::Rust) => file("rs"),
            (None, Stage::Python) => file("py"),
            (None, Stage::StaticLib) => self.library("a"),
            (None, Stage::Lib | Stage::Exe) if self.is_wasm() => file("wasm"),
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

    /// The text that is written in place of the whole program: the functions that `--function` selects, or a plan in
    /// the form of its file.
    pub fn selected(&self, program: &Program) -> Option<Result<String, Diagnostic>> {
        let Options { emit, output, .. } = self.options;
        if let Program::MemoryPlan(plan) = program
            && let Some(format) = extensions::plan_format(*emit, output.as_deref())
        {
            return Some(Ok(format.show(plan)));
        }
        self.functions.as_ref().map(|functions| functions.text(program, self.printing()))
    }

    /// Writes the program at the requested stage.
    pub fn program(&self, compilation: &Compilation) -> Diagnosed<i32> {
        let destination = self.destination_of(self.options.emit).unwrap_or(Destination::Stdout);
        let selected = compilation.with_program(|program| self.selected(program)).flatten();
        let selected = selected.transpose()?;
        self.write(&destination, |out| match &selected {
            Some(text) => out.write_all(text.as_bytes()),
            None => compilation.write(self.printing(), out),
        })
    }

    /// Writes the output, with the plan and the report.
    fn write(
        &self,
        destination: &Destination,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Diagnosed<i32> {
        let extras = self.complete_extras()?;
        destination.write(write)?;
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
}

/// The part of the command line that determines the program.
fn command(options: &Options) -> String {
    let input = options.input.as_deref().unwrap_or(Path::new("-")).display();
    let mut words = vec![format!("toyc {input} -O{}", options.optimization_level())];
    words.extend(options.language.map(|language| match language {
        Language::Toy => "-x toy".to_owned(),
        Language::Mlir => "-x mlir".to_owned(),
    }));
    words.extend(options.debug_info.then(|| "-g".to_owned()));
    words.extend(options.target.iter().map(|target| format!("--target {target}")));
    words.extend(options.cpu.iter().map(|cpu| format!("--cpu {cpu}")));
    if !options.features.is_empty() {
        words.push(format!("--features {}", options.features.join(",")));
    }
    words.extend(options.fast_math.iter().map(|kind| format!("--fast-math={kind}")));
    words.extend(options.tape_memory.map(|bytes| format!("--tape-memory {bytes}")));
    words.extend((options.threads > 1).then(|| format!("--threads {}", options.threads)));
    words.extend(options.main.iter().map(|it| format!("--main {}", quoted(it))));
    words.extend(options.exports.iter().map(|it| format!("--export {}", quoted(it))));
    words.join(" ")
}
