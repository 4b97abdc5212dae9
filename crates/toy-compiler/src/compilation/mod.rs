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

mod backend;
mod config;
mod middle;
mod observer;

pub use backend::RUN;
pub use config::{Config, Language};
pub use observer::{Observer, Program};

use crate::Stage;
pub use crate::codegen::jit::{Arguments, Failure};
use crate::codegen::link::{Link, Linked};
use crate::codegen::target::{self, Machine};
use crate::codegen::{addresses, archive, link};
use crate::interface::{self, Export, Interface, header};
use crate::memory_plan::{MemoryPlan, NOT_MERGED};
pub use crate::pipeline::Remarks;
use middle::Middle;
use mlir_support::nesting;
use mlir_support::session::Printing;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Instant;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::text::counted;
use toy_diagnostics::{Diagnosed, Diagnostic, Severity, codes};
use toy_syntax::{ast, lexer};

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

    /// Advances the program to a stage, and notifies the observer of each event. Does nothing if the
    /// program is at that stage already.
    ///
    /// # Errors
    ///
    /// The errors in the program up to this stage. Also an error if the program is past the stage, or if an
    /// earlier call failed.
    pub fn advance_to(&mut self, stage: Stage, observer: &mut dyn Observer) -> Diagnosed<()> {
        self.check_order(stage)?;
        if self.stage.is_none() {
            target::check(&self.config.machine(stage))?;
        }
        self.check_exports(stage)?;
        if stage == Stage::Python && self.config.is_for_wasm() {
            let message = "Python cannot call a module of WebAssembly";
            let help = "-emit=lib makes one that JavaScript calls; without --target, -emit=python is for this machine";
            return Err(Diagnostic::not_available(message).help(help).into());
        }
        for next in Stage::ALL.iter().copied() {
            if Some(next) > self.stage && next <= stage && self.is_on_the_way(next, stage, observer)
            {
                self.has_failed = true;
                self.make(next, stage, observer)?;
                self.stage = Some(next);
                self.with_program(|program| observer.stage_reached(next, program))
                    .unwrap_or(Ok(()))?;
                self.has_failed = false;
            }
        }
        Ok(())
    }

    fn check_order(&self, stage: Stage) -> Result<(), Diagnostic> {
        if self.has_failed {
            return Err(Diagnostic::not_available("the compilation has failed before"));
        }
        if self.stage > Some(stage) {
            let message = format!("the program is beyond the stage `{}`", stage.name());
            return Err(Diagnostic::not_available(message));
        }
        if self.config.language == Language::Mlir && stage < Stage::Toy {
            let message = format!("MLIR input has no stage `{}`", stage.name());
            let help = "ask for `toy` or a later stage, or say -x toy if the input is Toy";
            return Err(Diagnostic::not_available(message).help(help));
        }
        Ok(())
    }

    /// Checks that a library's stage has exports, and a program's has none.
    fn check_exports(&self, stage: Stage) -> Result<(), Diagnostic> {
        let is_library = Stage::LIBRARY.contains(&stage);
        let (name, has_exports) = (stage.name(), !self.config.exports.is_empty());
        if is_library && !has_exports {
            let message = format!("`-emit={name}` needs functions to export");
            return Err(Diagnostic::error(codes::NO_EXPORT, message)
                .note("a library has functions for arguments of certain shapes")
                .help("name them: `--export 'f(2x3, 2x3)'`"));
        }
        if has_exports && (stage >= Stage::Exe || self.config.main.is_some()) {
            let maker = match self.config.main.is_some() {
                true => "--main".to_owned(),
                false => format!("-emit={name}"),
            };
            let message = format!("`{maker}` makes a program, which exports no functions");
            return Err(Diagnostic::error(codes::NO_EXPORT, message)
                .help("make a library with -emit=lib or -emit=staticlib, or leave out --export"));
        }
        Ok(())
    }

    /// True if the path to the requested stage includes `next`.
    fn is_on_the_way(&self, next: Stage, stage: Stage, observer: &dyn Observer) -> bool {
        let is_mlir = self.config.language == Language::Mlir;
        match next {
            Stage::Tokens | Stage::Ast | Stage::ToySource if is_mlir => false,
            Stage::StaticLib | Stage::Lib | Stage::Python => next == stage,
            Stage::Header | Stage::Rust => {
                let has_exports = !self.config.exports.is_empty();
                next == stage || (observer.wants(next) && has_exports)
            }
            Stage::Tokens | Stage::ToySource | Stage::MemoryPlan | Stage::Asm => {
                next == stage || observer.wants(next)
            }
            Stage::Obj | Stage::Exe => stage != Stage::Jit,
            _ => true,
        }
    }

    /// Produces the program of the next stage.
    fn make(&mut self, next: Stage, stage: Stage, observer: &mut dyn Observer) -> Diagnosed<()> {
        let is_plan_reachable = stage <= Stage::MemoryPlan || observer.wants(Stage::MemoryPlan);
        match next {
            Stage::Tokens => {
                let (tokens, diagnostics) =
                    timed(observer, "lex", || lexer::dump_tokens(&self.source));
                fail_on(diagnostics)?;
                self.made.insert(next, tokens.into_bytes());
            }
            // A tree can be shown whatever its names mean; the stages after it need them to be right.
            Stage::Ast => self.parse(stage, observer)?,
            Stage::ToySource => {}
            Stage::MemoryPlan => {
                self.plan = Some(timed(observer, "memory-plan", || self.memory_plan())?);
            }
            next if next <= Stage::MlirLlvm => {
                if self.middle.is_none() {
                    self.start_middle(stage, observer)?;
                }
                // Later stages cannot get back to the plan.
                if next == Stage::Merged && is_plan_reachable {
                    self.middle()?.record_plan();
                }
                let is_last = next == stage || next == Stage::MlirLlvm;
                let tree = self.tree.take();
                let result = self.middle()?.run(next, is_last, tree.as_ref(), observer);
                self.tree = tree;
                self.warnings.extend(fail_on(self.config.levels.apply(result?))?);
                if next == Stage::MlirLlvm && !self.config.entries().is_empty() {
                    let middle = self.middle.as_mut().ok_or_else(no_module)?;
                    self.interface = middle.interface(self.config.entries());
                    self.interface.threads = self.config.loop_threads();
                    if self.config.is_for_wasm() && stage > Stage::MlirLlvm {
                        addresses::check_interface(&self.interface)?;
                    }
                }
            }
            Stage::Llvm => {
                let middle = self.middle.as_mut().ok_or_else(no_module)?;
                self.machine = Some(backend::translate(middle, &self.config, stage, observer)?);
                if stage >= Stage::Exe {
                    backend::check_main(middle, &self.source)?;
                }
            }
            Stage::Asm | Stage::Obj => {
                let (middle, machine) = self.generated()?;
                let made = match next {
                    Stage::Asm => backend::assembly(middle, machine, observer)?,
                    _ => backend::object(middle, machine, stage == Stage::Python, observer)?,
                };
                self.made.insert(next, made);
            }
            Stage::Header => {
                let text = header::text(&self.interface, &self.source.name, self.name());
                self.made.insert(next, text.into_bytes());
            }
            Stage::Rust => {
                interface::rust::check(&self.interface)?;
                let text = interface::rust::text(&self.interface, &self.source.name);
                self.made.insert(next, text.into_bytes());
            }
            Stage::StaticLib => {
                let object = self.object().ok_or_else(no_module)?;
                let member = format!("{}.o", self.name());
                let made = timed(observer, "archive", || archive::archive(&member, object))?;
                self.made.insert(next, made);
            }
            _ => {}
        }
        Ok(())
    }

    /// Parses the source on the way to a stage.
    fn parse(&mut self, stage: Stage, observer: &mut dyn Observer) -> Diagnosed<()> {
        let checks = stage >= Stage::Toy;
        let analyze = match (checks, self.config.is_rootless()) {
            (true, false) => toy_syntax::analyze,
            (true, true) => toy_syntax::analyze_library,
            (false, _) => toy_syntax::parse,
        };
        let (mut tree, diagnostics) = timed(observer, "parse", || analyze(&self.source));
        let diagnostics = self.config.levels.apply(diagnostics);
        match fail_on(diagnostics) {
            Ok(warnings) => self.warnings.extend(warnings),
            Err(mut diagnostics) => {
                if stage >= Stage::Shapes {
                    let source = Arc::clone(&self.source);
                    let shapes = middle::shape_errors(source, &tree, &diagnostics, &self.config);
                    diagnostics.extend(shapes);
                    toy_syntax::in_order_of_text(&mut diagnostics);
                }
                return Err(diagnostics);
            }
        }
        if stage >= Stage::Shapes && self.config.entries().is_empty() {
            self.find_main(&mut tree)?;
        }
        self.tree = Some(tree);
        self.is_checked = checks;
        Ok(())
    }

    /// Lets a `main` with a result be called from outside. One with parameters has no shapes: it is an error, or only the
    /// rest of the program is checked.
    fn find_main(&mut self, tree: &mut ast::Module) -> Result<(), Diagnostic> {
        let Some(index) = tree.functions.iter().position(|it| it.name.text == "main") else {
            return Ok(());
        };
        if !tree.functions[index].parameters.is_empty() {
            if !self.config.only_checks {
                return Err(needs_arguments(&tree.functions[index]));
            }
            tree.functions[index] = toy_syntax::without_parameters(&tree.functions[index], tree);
        }
        if tree.functions[index].has_result() {
            self.config.main = Some(Export::main(Vec::new()));
        }
        Ok(())
    }

    fn start_middle(&mut self, stage: Stage, observer: &mut dyn Observer) -> Diagnosed<()> {
        let ignored = self.config.ignored_threads().into_iter().collect();
        self.warnings.extend(fail_on(self.config.levels.apply(ignored))?);
        match self.config.language {
            Language::Toy if !self.is_checked => self.parse(stage, observer)?,
            Language::Toy => {}
            Language::Mlir => {
                fail_on(nesting::check(&self.source).into_iter().collect())?;
                if self.config.entries().is_empty() && Export::is_in(&self.source.text) {
                    self.config.main = Some(Export::main(Vec::new()));
                }
            }
        }
        let source = Arc::clone(&self.source);
        let (tree, config) = (self.tree.as_ref(), &self.config);
        self.middle = Some(Middle::start(source, tree, config, stage, observer)?);
        Ok(())
    }

    /// The plan that merge-alloc has recorded. Without optimization this is the plan of another compilation: other
    /// passes, before merge-alloc and with it, decide which buffers there are.
    fn memory_plan(&mut self) -> Diagnosed<MemoryPlan> {
        if self.config.merges() {
            return Ok(self.middle()?.memory_plan());
        }
        let config = Config { optimization_level: 1, ..self.config.clone() };
        let mut merged = Self::new(Source::clone(&self.source), config);
        merged.advance_to(Stage::MemoryPlan, &mut ())?;
        let plan = merged.plan.unwrap_or_default();
        Ok(MemoryPlan { merged: false, note: Some(NOT_MERGED.to_owned()), ..plan })
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

/// The error about a `main` whose arguments are not known.
fn needs_arguments(main: &ast::Function) -> Diagnostic {
    let names: Vec<_> = main.parameters.iter().map(|it| it.name.text.as_str()).collect();
    let message = format!("`main` needs {}", counted(names.len() as u64, "argument"));
    let label = format!(
        "the {} not known",
        if names.len() == 1 { "shape of this is" } else { "shapes of these are" }
    );
    let shapes = vec!["2x3"; names.len()].join(", ");
    let span = main.parameters.iter().map(|it| it.span).reduce(Span::to).unwrap_or_default();
    Diagnostic::error(codes::BAD_MAIN, message).label(span, label).help(format!(
        "run it with a number or a file of numbers for each, as in `toyc run FILE {}`, or give their shapes: \
         `--main 'main({shapes})'`",
        names.iter().map(|name| format!("{name}.npy")).collect::<Vec<_>>().join(" ")
    ))
}

/// The error of a method that needs a later stage.
fn no_module() -> Diagnostic {
    Diagnostic::not_available("the program has not reached the stage that this needs")
}

/// Runs a step and notifies the observer.
pub fn timed<T>(observer: &mut dyn Observer, step: &str, work: impl FnOnce() -> T) -> T {
    observer.step_started(step);
    let start = Instant::now();
    let result = work();
    observer.step_ended(step, start.elapsed());
    result
}

/// Fails if one of the diagnostics is an error; otherwise returns them.
fn fail_on(diagnostics: Vec<Diagnostic>) -> Diagnosed<Vec<Diagnostic>> {
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        Err(diagnostics)
    } else {
        Ok(diagnostics)
    }
}
