//! The driver: walks the stages of the pipeline and stops at the one asked for.
//!
//! Input: the parsed command line. Output: the exit code; everything written to files and terminals
//! is written here or in [`crate::output`]. Invariant: after an error nothing is run and no output
//! is written.

mod instruments;

use crate::cli::{Color, ErrorFormat, Language, Options};
use crate::codegen::{jit, link, object, runtime, target, translate};
use crate::diagnostic::{Diagnosed, Diagnostic, Severity, codes, render};
use crate::dialect::verify;
use crate::input;
use crate::lower::ast_to_toy;
use crate::mlir::pass::PassContext;
use crate::mlir::session::print_module;
use crate::mlir::{Locations, Pass, Session, errors, nesting};
use crate::output::{self, Destination};
use crate::pipeline::{PipelineOptions, Stage, passes};
use crate::source::{Source, Span};
use crate::syntax;
use crate::transform::specialize;
use instruments::Instruments;
use melior::ir::Module;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Stack for the compiler: LLVM and MLIR recurse over what they compile. Only what is used of it
/// is ever backed by memory.
const STACK_BYTES: usize = 1 << 30;

/// Runs the compiler; the exit code is that of the `toyc` command.
pub fn run(options: &Options) -> ExitCode {
    if options.version {
        let (major, minor, patch) = inkwell::support::get_llvm_version();
        return written(Destination::Stdout.write(|out| {
            writeln!(out, "toyc {} (LLVM {major}.{minor}.{patch})", env!("CARGO_PKG_VERSION"))
        }));
    }
    let work = || compile_and_report(options);
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    std::thread::scope(|scope| match thread.spawn_scoped(scope, work) {
        Ok(handle) => handle.join().unwrap_or(ExitCode::from(101)),
        Err(_) => work(),
    })
}

fn compile_and_report(options: &Options) -> ExitCode {
    let path = options.input.as_deref().unwrap_or(Path::new("-"));
    let source = match input::read(path) {
        Ok(source) => source,
        Err(unreadable) => {
            report(&[unreadable.diagnostic], unreadable.source.as_ref(), options);
            return ExitCode::from(1);
        }
    };
    match compile(options, path, &source) {
        Ok(status) => ExitCode::from(status as u8),
        Err(diagnostics) => {
            report(&diagnostics, Some(&source), options);
            ExitCode::from(1)
        }
    }
}

/// The pipeline. The result is the exit status, which only a program run by the JIT chooses.
fn compile(options: &Options, path: &Path, source: &Source) -> Diagnosed<i32> {
    let emit = options.emit;
    let out = Outputs::new(options, path)?;
    let mut instruments = Instruments::new(options);
    if is_mlir(options, path) {
        if emit < Stage::Toy {
            return Err(vec![no_tokens(emit)]);
        }
    } else if emit == Stage::Tokens {
        let (text, diagnostics) = syntax::lexer::dump_tokens(source);
        fail_on(diagnostics)?;
        return out.text(Stage::Tokens, &text);
    }

    let program = if is_mlir(options, path) {
        None
    } else {
        // A tree can be shown whatever its names mean; everything after it needs them to be right.
        let analyze = if emit == Stage::Ast { syntax::parse } else { syntax::analyze };
        let (program, diagnostics) = instruments.time("parse", || analyze(source));
        fail_on(diagnostics)?;
        if emit == Stage::Ast {
            return out.tree(&program, source);
        }
        Some(program)
    };

    let session = instruments.time("start MLIR", Session::new);
    let file = location_file(options, source);
    let locations = Locations { source, file: &file };
    let context = PassContext { session: &session, locations, hidden: Default::default() };
    let module = match &program {
        Some(program) => {
            instruments.time("lower", || ast_to_toy::lower(&session, program, &locations))
        }
        None => {
            fail_on(nesting::check(source).into_iter().collect())?;
            instruments
                .time("parse", || session.parse(source))
                .ok_or_else(|| errors::syntax(&session, &locations))?
        }
    };
    drop(program);
    let is_ours = !is_mlir(options, path);
    verify(&context, &module, "lower", is_ours).map_err(|found| {
        // Shape inference knows more mistakes of this kind: all of them in one run.
        let inferred = specialize::run(&context, &module).err().unwrap_or_default();
        if found.iter().all(is_about_shapes) { merged(inferred, found) } else { found }
    })?;
    let settings =
        PipelineOptions { level: options.optimization_level(), debug_info: options.debug_info };
    for stage in Stage::MLIR {
        for pass in Pass::applicable(passes(stage, settings), &module) {
            instruments.time(pass.name(), || pass.run(&context, &module))?;
            instruments.print_after(pass.name(), &module);
        }
        verify(&context, &module, &stage.name(), true)?;
        if emit == stage {
            return out.module(stage, &module, options);
        }
        out.save_module(stage, &module, options)?;
    }

    let level = options.optimization_level();
    let machine = target::machine(options.target.as_deref(), level).map_err(one)?;
    session.register_llvm_translation();
    let llvm_context = inkwell::context::Context::create();
    let llvm = instruments
        .time("translate", || translate::translate(&module, &llvm_context, &machine))
        .ok_or_else(|| errors::translation(&session, &locations))?;
    drop(module);
    instruments.time("optimize", || translate::optimize(&llvm, &machine, level)).map_err(one)?;
    if emit == Stage::Llvm {
        return out.text(Stage::Llvm, &llvm.print_to_string().to_string());
    }
    out.save(Stage::Llvm, || llvm.print_to_string().to_string())?;
    if emit >= Stage::Exe {
        check_main(&llvm, source)?;
    }
    if emit == Stage::Jit {
        return jit::run(llvm, &machine, level);
    }
    instruments.time("runtime", || runtime::link(&llvm, &llvm_context, &machine)).map_err(one)?;
    if emit == Stage::Asm || options.save_temps {
        let assembly = instruments.time("assembly", || object::assembly(&llvm, &machine));
        let assembly = assembly.map_err(one)?;
        if emit == Stage::Asm {
            return out.bytes(Stage::Asm, &assembly);
        }
        out.save(Stage::Asm, || String::from_utf8_lossy(&assembly).into_owned())?;
    }
    let object = instruments.time("object", || object::object(&llvm, &machine)).map_err(one)?;
    if emit == Stage::Obj {
        return out.bytes(Stage::Obj, &object);
    }
    instruments.time("link", || out.executable(&object, &machine, options))
}

/// MLIR's verifier and the Toy dialect's own. Whatever they find in a program of ours is our fault.
fn verify(context: &PassContext, module: &Module, stage: &str, is_ours: bool) -> Diagnosed<()> {
    if !context.session.verify(module) {
        return Err(errors::verification(context, stage, is_ours));
    }
    let mut diagnostics = verify::verify(module, &context.locations);
    if is_ours {
        for diagnostic in diagnostics.iter_mut().filter(|d| !is_about_shapes(d)) {
            *diagnostic = errors::internal(diagnostic.clone(), stage);
        }
    }
    fail_on(diagnostics)
}

/// Whether a diagnostic of the Toy verifier is about the user's program, not about our IR.
fn is_about_shapes(diagnostic: &Diagnostic) -> bool {
    [codes::SHAPE_MISMATCH, codes::ELEMENT_COUNT].contains(&diagnostic.code)
}

/// Two lists in the order of the text; of two complaints at one place, the first list's.
fn merged(mut first: Vec<Diagnostic>, second: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let place = |diagnostic: &Diagnostic| diagnostic.labels.first().map(|label| label.span);
    let new = |d: &Diagnostic| !first.iter().any(|other| place(other) == place(d));
    let second: Vec<_> = second.into_iter().filter(new).collect();
    first.extend(second);
    first.sort_by_key(place);
    first
}

/// An executable and the JIT start at a `main` of no parameters with a status as its result.
fn check_main(llvm: &inkwell::module::Module, source: &Source) -> Diagnosed<()> {
    let end = source.text.len();
    let Some(main) = llvm.get_function("main").filter(|main| main.count_basic_blocks() > 0) else {
        let diagnostic = Diagnostic::error(codes::NO_MAIN, "the program has no `main` function")
            .label(Span::new(end, end), "the program ends here without one")
            .help("add `func.func @main() { ... }`, or make an object file with -emit=obj");
        return Err(vec![diagnostic]);
    };
    let r#type = main.get_type();
    let status = r#type.get_return_type().is_some_and(|t| t.is_int_type());
    if r#type.count_param_types() > 0 || !status {
        let message = "`main` must take nothing and return nothing";
        return Err(vec![Diagnostic::error(codes::BAD_MAIN, message)]);
    }
    Ok(())
}

fn is_mlir(options: &Options, path: &Path) -> bool {
    match options.language {
        Some(language) => language == Language::Mlir,
        None => path.extension().is_some_and(|extension| extension == "mlir"),
    }
}

fn no_tokens(emit: Stage) -> Diagnostic {
    Diagnostic::error(codes::NOT_AVAILABLE, format!("MLIR input has no stage `{}`", emit.name()))
        .help("ask for `toy` or a later stage, or say -x toy if the input is Toy")
}

/// The file name inside locations: absolute for debuggers, which may run elsewhere.
fn location_file(options: &Options, source: &Source) -> String {
    let absolute = || std::fs::canonicalize(&source.name).ok()?.to_str().map(str::to_owned);
    let absolute = if options.debug_info { absolute() } else { None };
    absolute.unwrap_or_else(|| source.name.clone())
}

fn one(diagnostic: Diagnostic) -> Vec<Diagnostic> {
    vec![diagnostic]
}

/// Stops if there is any error among the diagnostics.
fn fail_on(diagnostics: Vec<Diagnostic>) -> Diagnosed<()> {
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        Err(diagnostics)
    } else {
        Ok(())
    }
}

/// Where each stage's program goes.
struct Outputs {
    /// Of the stage asked for.
    destination: Option<Destination>,
    /// `prog` for `dir/prog.toy`: what files are named after.
    stem: PathBuf,
    from_stdin: bool,
    save_temps: bool,
}

impl Outputs {
    fn new(options: &Options, path: &Path) -> Diagnosed<Self> {
        let from_stdin = path.as_os_str() == "-";
        let stem = match path.file_stem() {
            Some(stem) if !from_stdin => PathBuf::from(stem),
            _ => PathBuf::from("a"),
        };
        let destination = options.output.as_deref().map(Destination::from_option);
        let outputs = Self { destination, stem, from_stdin, save_temps: options.save_temps };
        if let Some(Destination::File(file)) = outputs.destination_of(options.emit)
            && let (Ok(input), Ok(output)) = (path.canonicalize(), file.canonicalize())
            && input == output
        {
            let message = format!("the output would overwrite the input `{}`", path.display());
            let diagnostic = Diagnostic::error(codes::NOT_AVAILABLE, message);
            return Err(one(diagnostic.help("name another output with -o")));
        }
        if options.emit == Stage::Exe && outputs.destination == Some(Destination::Stdout) {
            let message = "an executable cannot be written to standard output";
            let diagnostic = Diagnostic::error(codes::NOT_AVAILABLE, message);
            return Err(one(diagnostic.help("name a file with -o, or use -emit=obj")));
        }
        Ok(outputs)
    }

    fn destination_of(&self, stage: Stage) -> Option<Destination> {
        let file =
            |extension: &str| Some(Destination::File(self.stem.with_extension_added(extension)));
        match (&self.destination, stage) {
            (Some(destination), _) => Some(destination.clone()),
            (None, Stage::Asm) => file("s"),
            (None, Stage::Obj) => file("o"),
            (None, Stage::Exe) if self.from_stdin => file("out"),
            (None, Stage::Exe) => file(""),
            (None, Stage::Jit) => None,
            (None, _) => Some(Destination::Stdout),
        }
    }

    fn text(&self, stage: Stage, text: &str) -> Diagnosed<i32> {
        self.bytes(stage, text.as_bytes())
    }

    fn bytes(&self, stage: Stage, bytes: &[u8]) -> Diagnosed<i32> {
        let destination = self.destination_of(stage).unwrap_or(Destination::Stdout);
        destination.write(|out| out.write_all(bytes)).map_err(one)?;
        Ok(0)
    }

    /// The tree's text may be quadratic in the program, so it is never held as a whole.
    fn tree(&self, program: &syntax::ast::Module, source: &Source) -> Diagnosed<i32> {
        let destination = self.destination_of(Stage::Ast).unwrap_or(Destination::Stdout);
        destination
            .write(|out| {
                output::formatted(out, |text| syntax::dump::dump_to(program, source, text))
            })
            .map_err(one)?;
        Ok(0)
    }

    fn module(&self, stage: Stage, module: &Module, options: &Options) -> Diagnosed<i32> {
        let destination = self.destination_of(stage).unwrap_or(Destination::Stdout);
        destination.write(|out| print_module(module, options.print_locations, out)).map_err(one)?;
        Ok(0)
    }

    fn save_module(&self, stage: Stage, module: &Module, options: &Options) -> Diagnosed<()> {
        if !self.save_temps {
            return Ok(());
        }
        let file = Destination::File(self.temporary(&format!("{}.mlir", stage.name())));
        file.write(|out| print_module(module, options.print_locations, out)).map_err(one)
    }

    /// With --save-temps, writes a text stage beside the output.
    fn save(&self, stage: Stage, text: impl FnOnce() -> String) -> Diagnosed<()> {
        if !self.save_temps {
            return Ok(());
        }
        let extension = if stage == Stage::Llvm { "ll" } else { "s" };
        let file = Destination::File(self.temporary(extension));
        file.write(|out| out.write_all(text().as_bytes())).map_err(one)
    }

    /// `dir/prog.EXTENSION` for an output `dir/prog`.
    fn temporary(&self, extension: &str) -> PathBuf {
        let base = match &self.destination {
            Some(Destination::File(file)) => file.with_extension(""),
            _ => self.stem.clone(),
        };
        base.with_extension_added(extension)
    }

    fn executable(
        &self,
        object: &[u8],
        machine: &target::Machine,
        options: &Options,
    ) -> Diagnosed<i32> {
        let Some(Destination::File(file)) = self.destination_of(Stage::Exe) else {
            return Ok(0);
        };
        if self.save_temps {
            let kept = Destination::File(self.temporary("o"));
            kept.write(|out| out.write_all(object)).map_err(one)?;
        }
        let cannot = |error: std::io::Error| one(output::cannot_write("a temporary file", &error));
        let mut temporary =
            tempfile::Builder::new().prefix("toyc-").suffix(".o").tempfile().map_err(cannot)?;
        temporary.write_all(object).map_err(cannot)?;
        output::make_file(&file, |executable| {
            let linker = options.linker.as_deref();
            let command = link::command(machine, temporary.path(), executable, linker);
            if options.verbose {
                eprintln!("{command}");
            }
            link::run(&command, machine)
        })
        .map_err(one)?;
        Ok(0)
    }
}

trait WithExtensionAdded {
    fn with_extension_added(&self, extension: &str) -> PathBuf;
}

impl WithExtensionAdded for PathBuf {
    /// `x.y` and `z` give `x.y.z`; an empty extension changes nothing.
    fn with_extension_added(&self, extension: &str) -> PathBuf {
        let mut path = self.clone().into_os_string();
        if !extension.is_empty() {
            path.push(".");
            path.push(extension);
        }
        path.into()
    }
}

/// Shows diagnostics on standard error.
fn report(diagnostics: &[Diagnostic], source: Option<&Source>, options: &Options) {
    let mut text = match options.error_format {
        ErrorFormat::Short => render::render_short(diagnostics, source),
        ErrorFormat::Human => render::render(diagnostics, source, use_color(options.color)),
    };
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    if options.error_format == ErrorFormat::Human && errors > 1 {
        text.push_str(&format!("{errors} errors\n"));
    }
    // Nowhere is left to say that standard error cannot be written.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn use_color(color: Color) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            !no_color && std::io::stderr().is_terminal()
        }
    }
}

fn written(result: Result<(), Diagnostic>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(diagnostic) => {
            eprint!("{}", render::render(&[diagnostic], None, false));
            ExitCode::from(1)
        }
    }
}
