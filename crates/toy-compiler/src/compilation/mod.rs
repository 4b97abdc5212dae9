//! One compilation, stage by stage.
//!
//! Input: a [`Source`] and a [`Config`]. Output: the program at the requested stage, or diagnostics. Invariants: a
//! compilation owns all of its state; it prints only the output of [`Compilation::run`], and writes only the
//! executable of [`Compilation::link`]; several may run in one process, each on its own thread. After an error it
//! keeps its stage and advances no further.
//!
//! The stages; those in parentheses are skipped unless an observer wants them:
//!
//! ```text
//! (tokens) ast (toy-source) toy shapes linalg memref merged (memory-plan) dealloc loops mlir-llvm llvm
//!          ┌──▶ (asm) obj ▶ exe
//!     llvm ┴──▶ (asm) jit
//! ```
//!
//! A `main` with parameters or a result is called like an export, by a `main` of the LLVM dialect that reads arguments
//! and writes results. With [exports](Config::exports), the output is a library: `header` follows `mlir-llvm`, and
//! `staticlib` and `lib` follow `obj`.

mod advance;
mod backend;
mod config;
mod middle;
mod observer;

pub use backend::RUN;
pub use config::{Config, Language};
pub use observer::{Observer, Program, timed};

use crate::Stage;
pub use crate::codegen::jit::{Arguments, Failure};
use crate::codegen::link;
use crate::codegen::link::{Link, Linked};
use crate::codegen::target::Machine;
use crate::interface::{self, Interface};
use crate::memory_plan::MemoryPlan;
pub use crate::pipeline::Remarks;
use middle::Middle;
use mlir_support::session::Printing;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnosed, Diagnostic, Severity};
use toy_syntax::ast;

/// A compilation that advances from stage to stage.
///
/// LLVM and MLIR recurse over the program: if it has more than a few thousand operations, compile it on a thread
/// with a large stack ([`crate::with_large_stack`]).
pub struct Compilation {
    config: Config,
    source: Arc<Source>,
    /// The stage of the program; None before the first one.
    stage: Option<Stage>,
    tree: Option<ast::Module>,
    /// True if names and types of the tree were checked.
    is_checked: bool,
    middle: Option<Middle>,
    plan: Option<MemoryPlan>,
    interface: Interface,
    /// The machine that code is generated for.
    machine: Option<Machine>,
    /// The programs of the stages at which they are text or bytes.
    made: BTreeMap<Stage, Vec<u8>>,
    warnings: Vec<Diagnostic>,
    has_failed: bool,
    /// The error that ended the program when it ran.
    failure: Option<Failure>,
}

impl Compilation {
    pub fn new(source: Source, config: Config) -> Self {
        Self {
            config,
            source: Arc::new(source),
            stage: None,
            tree: None,
            is_checked: false,
            middle: None,
            plan: None,
            interface: Interface::default(),
            machine: None,
            made: BTreeMap::new(),
            warnings: Vec::new(),
            has_failed: false,
            failure: None,
        }
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The stage that the program has reached.
    pub fn stage(&self) -> Option<Stage> {
        self.stage
    }

    /// Errors of a stage together with the warnings of earlier stages, in the order of the source.
    pub fn with_warnings(&mut self, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let mut all = self.take_warnings();
        all.extend(errors);
        if all.iter().any(|diagnostic| diagnostic.severity == Severity::Warning) {
            toy_syntax::in_order_of_text(&mut all);
        }
        all
    }

    /// Warnings and remarks since the last call, in the order of the text.
    pub fn take_warnings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.warnings)
    }

    fn middle(&mut self) -> Result<&mut Middle, Diagnostic> {
        self.middle.as_mut().ok_or_else(no_module)
    }

    /// The program as LLVM IR, and its machine.
    fn generated(&mut self) -> Result<(&mut Middle, &Machine), Diagnostic> {
        self.middle.as_mut().zip(self.machine.as_ref()).ok_or_else(no_module)
    }

    /// Passes the program to a function; None before the first stage.
    pub fn with_program<T>(&self, look: impl FnOnce(&Program) -> T) -> Option<T> {
        match self.stage? {
            stage @ (Stage::Ast | Stage::ToySource) => {
                let is_source = stage == Stage::ToySource;
                let tree = self.tree.as_ref()?;
                Some(look(&Program::Tree { tree, source: &self.source, is_source }))
            }
            Stage::MemoryPlan => Some(look(&Program::MemoryPlan(self.plan.as_ref()?))),
            Stage::Asm => {
                let machine = self.machine.as_ref()?;
                Some(look(&Program::Assembly { text: self.made.get(&Stage::Asm)?, machine }))
            }
            stage @ (Stage::Tokens | Stage::Header | Stage::Rust | Stage::StaticLib) => {
                Some(look(&Program::Bytes(self.made.get(&stage)?)))
            }
            Stage::Obj | Stage::Lib | Stage::Python | Stage::Exe => {
                Some(look(&Program::Bytes(self.object()?)))
            }
            _ => self.middle.as_ref()?.with_program(look),
        }
    }

    /// Writes the program as `-emit=` shows it: text, or the bytes of an object file.
    ///
    /// # Errors
    ///
    /// The errors of `out`.
    pub fn write(&self, printing: Printing, out: &mut dyn Write) -> io::Result<()> {
        self.with_program(|program| program.write(printing, out)).unwrap_or(Ok(()))
    }

    /// The object file, from [`Stage::Obj`] on.
    pub fn object(&self) -> Option<&[u8]> {
        self.made.get(&Stage::Obj).map(Vec::as_slice)
    }

    /// The machine that code is generated for, from [`Stage::Llvm`] on.
    pub fn machine(&self) -> Option<&Machine> {
        self.machine.as_ref()
    }

    /// The exported functions, from [`Stage::MlirLlvm`] on; empty without [exports](Config::exports).
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The program's name: the name of its file without folders and extension.
    fn name(&self) -> &str {
        let stem = Path::new(&self.source.name).file_stem().and_then(|stem| stem.to_str());
        stem.filter(|stem| stem.chars().any(char::is_alphanumeric)).unwrap_or("a")
    }

    /// The text of the Python module at [`Stage::Python`]; `library` are the bytes of the shared library that
    /// [`Compilation::link`] makes. None before that stage.
    pub fn python_module(&self, library: &[u8]) -> Option<String> {
        let triple = &self.machine().filter(|_| self.stage == Some(Stage::Python))?.triple;
        Some(interface::python::text(&self.interface, &self.source.name, triple, library))
    }

    /// The files beside a module of WebAssembly, by their extensions; `module` is the module's file without folders.
    pub fn files_beside(&self, module: &str) -> Vec<(&'static str, String)> {
        let is_module = self.machine().is_some_and(|machine| machine.architecture.is_wasm());
        if is_module && matches!(self.stage, Some(Stage::Exe | Stage::Lib)) {
            interface::javascript::files(&self.interface, &self.source.name, module)
        } else {
            Vec::new()
        }
    }

    /// Links the object file into an executable, or at [`Stage::Lib`] into a shared library; `linker` is a C
    /// compiler driver; None is the default one. Its commands are run by `spawn`,
    /// [`std::process::Command::output`] for instance.
    ///
    /// # Errors
    ///
    /// The linker's errors; also an error before [`Stage::Exe`].
    pub fn link(
        &self,
        output: &Path,
        linker: Option<&str>,
        spawn: impl FnMut(&mut Command) -> io::Result<Output>,
    ) -> Diagnosed<()> {
        let kind = match self.stage {
            Some(Stage::Lib | Stage::Python) => Linked::Shared { name: output.file_name() },
            _ => Linked::Executable,
        };
        let (machine, object) = self.machine().zip(self.object()).ok_or_else(no_module)?;
        let temporary = || Ok(tempfile::Builder::new().suffix(".o").tempfile()?.into_parts());
        let exports = self.interface.symbols();
        let link = Link { machine, object, kind, output, exports: &exports, linker };
        Ok(link::link(&link, temporary, |_| {}, spawn)?)
    }

    /// Runs the program in this process; the result is its exit status. It prints to the standard output of the
    /// process: see [`crate::run`] for the details.
    ///
    /// # Errors
    ///
    /// If the program is not at [`Stage::Jit`], or uses a symbol that does not exist.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Diagnosed<i32> {
        self.run_with(&Arguments::default(), observer)
    }

    /// The error that ended the program when it ran last, if one did.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// The same as [`Compilation::run`] with arguments.
    ///
    /// # Errors
    ///
    /// The errors of that one.
    pub fn run_with(
        &mut self,
        arguments: &Arguments,
        observer: &mut dyn Observer,
    ) -> Diagnosed<i32> {
        if self.stage != Some(Stage::Jit) {
            return Err(no_module().into());
        }
        let level = self.config.optimization_level;
        let (middle, machine) = self.generated()?;
        let (status, failure) = backend::run(middle, machine, level, arguments, observer)?;
        self.failure = failure;
        Ok(status)
    }
}

/// The error of a method that needs a later stage.
fn no_module() -> Diagnostic {
    Diagnostic::not_available("the program has not reached the stage that this needs")
}

/// Fails if one of the diagnostics is an error; otherwise returns them.
fn fail_on(diagnostics: Vec<Diagnostic>) -> Diagnosed<Vec<Diagnostic>> {
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        Err(diagnostics)
    } else {
        Ok(diagnostics)
    }
}
