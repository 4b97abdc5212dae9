//! The driver: walks the stages of the pipeline and stops at the one asked for.
//!
//! Input: the parsed command line. Output: the exit code; everything written to files and terminals
//! is written here or in [`crate::output`]. Invariant: after an error nothing is run and no output
//! is written.

mod explain;
pub mod instruments;
mod outputs;
pub mod process;
pub mod report;
pub mod supervise;

use crate::cli::{self, Language, Options};
use crate::codegen::{jit, object, runtime, target, translate};
use crate::diagnostic::{Diagnosed, Diagnostic, Severity, codes};
use crate::dialect::{self, verify};
use crate::input;
use crate::lower::ast_to_toy;
use crate::memory_plan::{self, MemoryPlan, collect};
use crate::mlir::pass::PassContext;
use crate::mlir::{Locations, Pass, errors, nesting, raw};
use crate::output::{Destination, put_in_place};
use crate::pipeline::{PipelineOptions, Stage, passes};
use crate::report::Twin;
use crate::source::{Source, Span};
use crate::syntax;
use crate::transform::{in_place, merge_alloc, specialize};
use inkwell::module::Module as LlvmModule;
use instruments::Instruments;
use melior::ir::Module;
use outputs::Outputs;
use report::Reporter;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Runs the compiler; the exit code is that of the `toyc` command.
pub fn run(options: &Options) -> ExitCode {
    let reporter = Arc::new(Reporter::new(options.error_format, options.color));
    if let Some(answer) = answer(options) {
        let print = |text: String| Destination::Stdout.write(|out| out.write_all(text.as_bytes()));
        return match answer.and_then(print) {
            Ok(()) => ExitCode::SUCCESS,
            Err(diagnostic) => {
                reporter.show(&[diagnostic], None);
                ExitCode::from(1)
            }
        };
    }
    process::run(&reporter, || compile_and_report(options, &reporter))
}

/// What there is to say about toyc itself, if it was asked for.
fn answer(options: &Options) -> Option<Result<String, Diagnostic>> {
    if options.version {
        let (major, minor, patch) = inkwell::support::get_llvm_version();
        let version = env!("CARGO_PKG_VERSION");
        return Some(Ok(format!("toyc {version} (LLVM {major}.{minor}.{patch})\n")));
    }
    options.explain.as_deref().map(|code| explain::page(code).map(str::to_owned))
}

fn compile_and_report(options: &Options, reporter: &Reporter) -> ExitCode {
    let path = options.input.as_deref().unwrap_or(Path::new("-"));
    if is_mlir(options, path)
        && let Some(code) = process::delegate(reporter)
    {
        return code;
    }
    let source = match input::read(path) {
        Ok(source) => source,
        Err(unreadable) => {
            reporter.show(&[unreadable.diagnostic], unreadable.source.as_ref());
            return ExitCode::from(1);
        }
    };
    if options.input.is_none() && source.text.is_empty() {
        // More likely a command that lacks the name of its program than an empty program.
        let _ = cli::no_input().print();
        return ExitCode::from(2);
    }
    let mut warnings = Warnings { pending: Vec::new(), reporter, source: &source };
    match compile(options, path, &source, &mut warnings) {
        Ok(status) => ExitCode::from(status as u8),
        Err(diagnostics) => {
            warnings.pending.extend(diagnostics);
            if warnings.pending.iter().any(|d| d.severity == Severity::Warning) {
                syntax::in_order_of_text(&mut warnings.pending);
            }
            warnings.show();
            ExitCode::from(1)
        }
    }
}

/// Warnings wait for the errors that later stages may find, until there is something to show for the
/// program: they are read before what it prints, and beside the errors.
struct Warnings<'c> {
    pending: Vec<Diagnostic>,
    reporter: &'c Reporter,
    source: &'c Source,
}

impl Warnings<'_> {
    /// Unless a report has the walk go on: there may be errors to come.
    fn show_before_output(&mut self, out: &Outputs) {
        if !out.has_report() {
            self.show();
        }
    }

    fn show(&mut self) {
        self.reporter.show(&std::mem::take(&mut self.pending), Some(self.source));
    }
}

/// The pipeline. The result is the exit status, which only a program run by the JIT chooses.
fn compile(
    options: &Options,
    path: &Path,
    source: &Source,
    warnings: &mut Warnings,
) -> Diagnosed<i32> {
    let emit = options.emit;
    let out = Outputs::new(options, path, source, is_mlir(options, path))?;
    let mut instruments = Instruments::new(options.into());
    if is_mlir(options, path) {
        if emit < Stage::Toy {
            return Err(vec![no_tokens(emit)]);
        }
    } else if emit == Stage::Tokens || out.has_report() {
        let (text, diagnostics) = instruments.time("lex", || syntax::lexer::dump_tokens(source));
        if emit == Stage::Tokens {
            fail_on(diagnostics)?;
            if out.text(Stage::Tokens, &text)? {
                return Ok(0);
            }
        }
        out.record(&mut instruments, |report| report.tokens(&text));
    }

    let program = if is_mlir(options, path) {
        None
    } else {
        // A tree can be shown whatever its names mean; everything after it needs them to be right.
        let is_all = emit < Stage::Toy && !out.has_report();
        let analyze = if is_all { syntax::parse } else { syntax::analyze };
        let (program, diagnostics) = instruments.time("parse", || analyze(source));
        warnings.pending = fail_on(options.levels.apply(diagnostics))?;
        if emit == Stage::Ast && out.tree(&program, source)? {
            return Ok(0);
        }
        if emit == Stage::ToySource && out.text(emit, &syntax::unparse::unparse(&program))? {
            return Ok(0);
        }
        out.record(&mut instruments, |report| report.tree(&program, source));
        Some(program)
    };

    // Never taken apart: the command ends soon, and for a small program that would be 5 % of the work.
    let session = ManuallyDrop::new(instruments.time("start MLIR", dialect::session_for_toy));
    let file = location_file(options, source);
    let locations = Locations { source, file: &file };
    let mut context = PassContext::new(&session, locations);
    let wants_plan = emit == Stage::MemoryPlan || options.memory_plan.is_some() || out.has_report();
    context.records = wants_plan.then(RefCell::default);
    let context = context;
    let settings = PipelineOptions {
        level: options.optimization_level(),
        debug_info: options.debug_info,
        is_linked: matches!(emit, Stage::Llvm | Stage::Asm | Stage::Obj),
        merge_alloc: options.merge_alloc.clone().for_whole_program(),
    };
    let module = match &program {
        Some(program) => {
            let shows_variables = settings.shows_variables();
            instruments
                .time("lower", || ast_to_toy::lower(&session, program, &locations, shows_variables))
        }
        None => {
            fail_on(nesting::check(source).into_iter().collect())?;
            instruments
                .time("parse", || session.parse(source))
                .ok_or_else(|| errors::syntax(&session, &locations))?
        }
    };
    let is_ours = program.is_some();
    let shape_mistakes = verify(&context, &module, "lower", is_ours)?;
    // Shape inference of the program as it is written. It gets a program of its own, because the stages
    // up to it are still to be shown.
    let infer = || match &program {
        Some(program) => {
            let copy = ast_to_toy::lower(&session, program, &locations, false);
            specialize::run(&context, &copy)
        }
        None => session.parse(source).map_or(Ok(()), |module| specialize::run(&context, &module)),
    };
    if is_ours && !shape_mistakes.is_empty() {
        // It says which of them are ever reached, and knows more of the kind.
        infer()?;
    }
    out.record(&mut instruments, |report| report.start(&module));
    for stage in Stage::MLIR {
        if stage == Stage::Linalg {
            dialect::load_lowered(&session);
        }
        let passes = passes(stage, &settings);
        // What our passes make of Toy programs is valid, which a build without optimization checks: in
        // large programs, it takes an eighth of the time. What MLIR's make of any other input may not
        // be, but for these two stages it is found out at the next one that is verified.
        let is_last = emit == stage || stage == Stage::MlirLlvm;
        let is_next = passes.is_empty() || matches!(stage, Stage::Dealloc | Stage::Loops);
        let verifies = is_last || options.verifies_each() || (!is_ours && !is_next);
        for pass in Pass::applicable(passes, &module) {
            let result = instruments.time(pass.name(), || pass.run(&context, &module));
            if result.is_err() && stage == Stage::Shapes && settings.level > 0 {
                // Where equal expressions were merged, a mistake in them is found at one place only.
                infer()?;
            }
            result?;
            let remarks = context.remarks.take();
            warnings.pending.extend(remarks.into_iter().filter(|_| options.shows_remarks()));
            instruments.print_after(pass.name(), &module);
            out.record(&mut instruments, |report| report.after_pass(&module));
        }
        if verifies {
            verify(&context, &module, &stage.name(), true)?;
        }
        if stage == Stage::Merged && wants_plan {
            let plan =
                instruments.time("memory-plan", || memory_plan(&context, &module, &settings))?;
            out.keep_plan(&plan);
            out.record(&mut instruments, |report| report.plan(&plan));
            if emit == Stage::MemoryPlan {
                warnings.show_before_output(&out);
                if out.text(emit, &memory_plan::text(&plan))? {
                    return Ok(0);
                }
            }
        }
        out.record(&mut instruments, |report| report.module(stage, &module, &locations));
        if emit == stage {
            warnings.show_before_output(&out);
            if out.module(stage, &module, options)? {
                return Ok(0);
            }
        }
        out.save_module(stage, &module, options)?;
    }

    warnings.show();
    let level = options.optimization_level();
    let machine = target::machine(options.target.as_deref(), level)?;
    session.register_llvm_translation();
    let llvm_context = inkwell::context::Context::create();
    let llvm = instruments
        .time("translate", || translate::translate(&module, &llvm_context, &machine))
        .ok_or_else(|| errors::translation(&session, &locations))?;
    // Where instructions come from, only line tables say; a program without has a twin with them.
    let twin = || Twin::new(&context, &module, &llvm_context, &machine);
    let twin = if out.has_report() && !options.debug_info { twin() } else { None };
    drop(module);
    let record_llvm = |instruments: &mut Instruments, twin: &Option<Twin>, level| {
        out.record(instruments, |report| {
            let located = twin.as_ref().map(Twin::text);
            report.llvm(&llvm.print_to_string().to_string(), located.as_deref(), &file, level);
        });
    };
    record_llvm(&mut instruments, &twin, None);
    instruments.time("optimize", || translate::optimize(&llvm, &machine, level))?;
    let twin = twin.and_then(|twin| twin.optimized(&machine, level));
    if level > 0 {
        record_llvm(&mut instruments, &twin, Some(level));
    }
    if emit == Stage::Llvm && out.text(Stage::Llvm, &llvm.print_to_string().to_string())? {
        return Ok(0);
    }
    out.save(Stage::Llvm, || llvm.print_to_string().to_string())?;
    if emit >= Stage::Exe {
        check_main(&llvm, source)?;
    }
    let own = runtime::defined(&llvm);
    let record_assembly = |instruments: &mut Instruments, all: &LlvmModule, assembly: &[u8]| {
        out.record(instruments, |report| {
            let located = twin.and_then(|twin| twin.assembly(&machine));
            let mut others = runtime::defined(all);
            others.retain(|name| !own.contains(name));
            report.assembly(&String::from_utf8_lossy(assembly), located.as_deref(), &others);
        });
    };
    if emit == Stage::Jit {
        if out.has_report() {
            // The JIT has the runtime from this process, and makes no assembly.
            let copy = llvm.clone();
            runtime::link(&copy, &llvm_context, &machine)?;
            let assembly = instruments.time("assembly", || object::assembly(&copy, &machine))?;
            record_assembly(&mut instruments, &copy, &assembly);
        }
        put_in_place(out.complete_extras()?)?;
        return instruments.time(supervise::RUN, || jit::run(llvm, &machine, level));
    }
    instruments.time("runtime", || runtime::link(&llvm, &llvm_context, &machine))?;
    if emit == Stage::Asm || options.save_temps || out.has_report() {
        // Of a copy: the code generator changes the module, and then would make another object of it.
        let copy = (emit > Stage::Asm).then(|| llvm.clone());
        let copy = copy.as_ref().unwrap_or(&llvm);
        let assembly = instruments.time("assembly", || object::assembly(copy, &machine))?;
        record_assembly(&mut instruments, copy, &assembly);
        if emit == Stage::Asm && out.bytes(Stage::Asm, &assembly)? {
            return Ok(0);
        }
        out.save(Stage::Asm, || String::from_utf8_lossy(&assembly).into_owned())?;
    }
    if emit <= Stage::Asm {
        return out.finish();
    }
    let object = instruments.time("object", || object::object(&llvm, &machine))?;
    out.record(&mut instruments, |report| report.made("object file", object.len() as u64));
    if emit == Stage::Obj {
        return if out.bytes(Stage::Obj, &object)? { Ok(0) } else { out.finish() };
    }
    instruments.time("link", || out.executable(&object, &machine, options))
}

/// What merge-alloc has noted about the module; if it has not run, what it would do.
fn memory_plan<'c>(
    context: &PassContext<'c>,
    module: &Module<'c>,
    settings: &PipelineOptions,
) -> Diagnosed<MemoryPlan> {
    let merged = settings.level > 0;
    if !merged && let Some(copy) = Module::from_operation(raw::clone(module.as_operation())) {
        in_place::run(context, &copy)?;
        merge_alloc::run(context, &copy, &settings.merge_alloc)?;
        // They are about what is not done.
        context.remarks.take();
    }
    let records = context.records.as_ref().map(RefCell::take).unwrap_or_default();
    let mut plan = collect::whole(records);
    plan.input = context.locations.source.name.clone();
    plan.merged = merged;
    plan.note = (!merged).then(|| memory_plan::NOT_MERGED.to_owned());
    Ok(plan)
}

/// MLIR's verifier and the Toy dialect's own. Whatever they find in a program of ours is our fault,
/// except for mistakes about shapes, which are the result: they count if the code is reached.
fn verify(
    context: &PassContext,
    module: &Module,
    stage: &str,
    is_ours: bool,
) -> Diagnosed<Vec<Diagnostic>> {
    if !context.session.verify(module) {
        return Err(errors::verification(context, stage, is_ours));
    }
    let diagnostics = verify::verify(module, &context.locations);
    if !is_ours {
        return fail_on(diagnostics);
    }
    let is_about_shapes = |d: &Diagnostic| verify::SHAPE_MISTAKES.contains(&d.code);
    let (shapes, others): (Vec<_>, Vec<_>) = diagnostics.into_iter().partition(is_about_shapes);
    fail_on(others.into_iter().map(|d| errors::internal(d, stage)).collect())?;
    Ok(shapes)
}

/// An executable and the JIT start at a `main` of no parameters with a status as its result.
fn check_main(llvm: &LlvmModule, source: &Source) -> Diagnosed<()> {
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

/// Stops if there is any error among the diagnostics; otherwise they are the result.
fn fail_on(diagnostics: Vec<Diagnostic>) -> Diagnosed<Vec<Diagnostic>> {
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        Err(diagnostics)
    } else {
        Ok(diagnostics)
    }
}
