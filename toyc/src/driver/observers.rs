//! Options that request more than the result: each is one small observer of the compilation.
//!
//! | option | observer |
//! |---|---|
//! | `--time-passes`, `--print-ir-after`; also the current step for diagnostics about crashes | [`Instruments`] |
//! | `--function`; with `--print-ir-after` | [`Functions`], [`PrintFunctions`] |
//! | `--save-temps` | [`SaveTemps`] |
//! | `--memory-plan`, `--benchmark` | [`KeepPlan`] |
//! | `--report` | [`Record`] |
//! | `--report`, or `--memory-plan` with an earlier stage | [`KeepOutput`] |

use super::function::Functions;
use super::instruments::{self, InstrumentationOptions, Instruments};
use super::outputs::Outputs;
use melior::ir::Module;
use mlir_support::{Locations, ir};
use std::io::Write;
use std::time::Duration;
use toy_compiler::Stage;
use toy_compiler::codegen::target;
use toy_compiler::compilation::{Compilation, Config, Observer, Program};
use toy_diagnostics::Diagnosed;
use toy_diagnostics::source::Source;
use toy_report::{MAX_COPIED, MAX_TWIN, Report, Twin};

/// The observers that the options request.
pub fn of<'o>(out: &'o Outputs<'o>, compilation: &Compilation) -> Vec<Box<dyn Observer + 'o>> {
    let options = out.options;
    let mut observers: Vec<Box<dyn Observer + 'o>> =
        vec![Box::new(Instruments::new(InstrumentationOptions::from(options)))];
    if let Some(functions) = &out.functions {
        observers.push(Box::new(functions));
        observers.push(Box::new(PrintFunctions { out, functions }));
    }
    if options.save_temps {
        observers.push(Box::new(SaveTemps(out)));
    }
    if options.memory_plan.is_some() || options.benchmark > 0 {
        observers.push(Box::new(KeepPlan(out)));
    }
    if out.header_beside().is_some() {
        observers.push(Box::new(KeepHeader(out)));
    }
    if out.has_report() {
        let config = compilation.config();
        let file = config.location_file.clone();
        observers.push(Box::new(Record {
            out,
            file: file.unwrap_or_else(|| compilation.source().name.clone()),
            source: Source::new(&*compilation.source().name, &*compilation.source().text),
            config: config.clone(),
            twin: None,
            is_large: false,
            has_plan: true,
        }));
    }
    if options.last_stage() > options.emit || out.has_report() {
        observers.push(Box::new(KeepOutput(out)));
    }
    observers
}

/// Prints the functions that `--function` selects before and after the passes that the options name.
struct PrintFunctions<'o> {
    out: &'o Outputs<'o>,
    functions: &'o Functions,
}

impl PrintFunctions<'_> {
    fn print(&self, when: &str, pass: &str, module: &Module) {
        if let Some(text) = self.functions.in_module(module, self.out.printing()) {
            let text = format!("{}{text}", instruments::heading(when, pass));
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }
}

impl Observer for PrintFunctions<'_> {
    fn pass_started(&mut self, pass: &str, module: &Module) {
        if self.out.options.print_ir_before.iter().any(|name| name == pass) {
            self.print("before", pass, module);
        }
    }

    fn pass_ended(&mut self, pass: &str, module: &Module) {
        if self.out.options.prints_after(pass) {
            self.print("after", pass, module);
        }
    }
}

/// Writes the program of every stage to a file beside the output.
struct SaveTemps<'o>(&'o Outputs<'o>);

impl Observer for SaveTemps<'_> {
    fn wants(&self, stage: Stage) -> bool {
        // The JIT produces no assembly.
        let with_assembly = [Stage::Obj, Stage::StaticLib, Stage::Lib, Stage::Exe];
        stage == Stage::Asm && with_assembly.contains(&self.0.options.emit)
    }

    fn stage_reached(&mut self, stage: Stage, program: &Program) -> Diagnosed<()> {
        let is_final = !matches!(program, Program::Llvm { is_final: false, .. });
        let Some(extension) = self.0.temporary_extension(stage).filter(|_| is_final) else {
            return Ok(());
        };
        self.0.save(&extension, |out| program.write(self.0.printing(), out))
    }
}

/// Keeps the memory plan for its file.
struct KeepPlan<'o>(&'o Outputs<'o>);

impl Observer for KeepPlan<'_> {
    fn wants(&self, stage: Stage) -> bool {
        stage == Stage::MemoryPlan
    }

    fn stage_reached(&mut self, _: Stage, program: &Program) -> Diagnosed<()> {
        if let Program::MemoryPlan(plan) = program {
            self.0.keep_plan(plan);
        }
        Ok(())
    }
}

/// Keeps the header for the file beside a shared library.
struct KeepHeader<'o>(&'o Outputs<'o>);

impl Observer for KeepHeader<'_> {
    fn wants(&self, stage: Stage) -> bool {
        stage == Stage::Header
    }

    fn stage_reached(&mut self, stage: Stage, program: &Program) -> Diagnosed<()> {
        if let (Stage::Header, Program::Bytes(text)) = (stage, program) {
            self.0.keep_header(text);
        }
        Ok(())
    }
}

/// Keeps the program of the requested stage: the compilation continues for the report or the plan, and
/// nothing is written before it has succeeded.
struct KeepOutput<'o>(&'o Outputs<'o>);

impl Observer for KeepOutput<'_> {
    fn wants(&self, stage: Stage) -> bool {
        stage == self.0.options.emit
    }

    fn stage_reached(&mut self, stage: Stage, program: &Program) -> Diagnosed<()> {
        let is_final = !matches!(program, Program::Llvm { is_final: false, .. });
        if self.wants(stage) && is_final && stage < Stage::Lib {
            let selected = self.0.selected(program).transpose()?;
            self.0.keep(stage, |out| match &selected {
                Some(text) => out.write_all(text.as_bytes()),
                None => program.write(self.0.printing(), out),
            });
        }
        Ok(())
    }
}

/// Passes everything to the report.
struct Record<'o> {
    out: &'o Outputs<'o>,
    /// The name of the program's file in locations.
    file: String,
    source: Source,
    config: Config,
    twin: Option<Twin>,
    /// True if a twin, and assembly that nothing else requests, would cost too much.
    is_large: bool,
    /// True if there is a plan for the page.
    has_plan: bool,
}

impl Observer for Record<'_> {
    fn wants(&self, stage: Stage) -> bool {
        match stage {
            Stage::Tokens => true,
            Stage::MemoryPlan => self.has_plan,
            Stage::Asm => !self.is_large,
            _ => false,
        }
    }

    fn step_ended(&mut self, step: &str, time: Duration) {
        self.out.record(|report| report.step(step, time));
    }

    fn module_started(&mut self, module: &Module) {
        self.out.record(|report| report.start(module, &self.locations()));
    }

    fn pass_started(&mut self, pass: &str, module: &Module) {
        self.out.record(|report| report.before_pass(pass, module, &self.locations()));
    }

    fn pass_ended(&mut self, _: &str, module: &Module) {
        self.out.record(|report| report.after_pass(module, &self.locations()));
    }

    fn stage_reached(&mut self, stage: Stage, program: &Program) -> Diagnosed<()> {
        if let Program::Module { module, .. } = program {
            let has_more = |limit| ir::has_more_operations(module.as_operation(), limit);
            match stage {
                // If buffers are not merged, a plan is made of a copy.
                Stage::Memref if !self.config.merges() && has_more(MAX_COPIED) => {
                    self.has_plan = false;
                    self.out.record(Report::no_plan);
                }
                Stage::MlirLlvm => self.is_large = has_more(MAX_TWIN),
                _ => {}
            }
        }
        if let Program::Module { module, passes } = program
            && stage == Stage::MlirLlvm
            && !(self.config.debug_info || self.is_large)
        {
            // Only line tables tell where instructions come from; a program without them gets a twin with them.
            let level = self.config.optimization_level;
            let selection = self.config.machine(self.out.options.last_stage());
            let machine = target::machine(&selection, level).ok();
            self.twin = machine.and_then(|machine| Twin::new(passes, module, &machine, level));
        }
        self.out.record(|report| self.add(report, stage, program));
        Ok(())
    }
}

impl Record<'_> {
    fn locations(&self) -> Locations<'_> {
        Locations { source: &self.source, file: &self.file }
    }

    fn add(&self, report: &mut Report, stage: Stage, program: &Program) {
        let (twin, debug_info) = (self.twin.as_ref(), self.config.debug_info);
        match program {
            Program::Bytes(text) if stage == Stage::Tokens => {
                report.tokens(&String::from_utf8_lossy(text));
            }
            Program::Tree { tree, source, is_source: false } => report.tree(tree, source),
            Program::Module { module, .. } => report.module(stage, module, &self.locations()),
            Program::MemoryPlan(plan) => report.plan(plan),
            Program::Llvm { module, level, is_final } if stage == Stage::Llvm => {
                if self.is_large && !debug_info {
                    report.large_llvm(module, *level);
                } else {
                    let located = twin.map(|twin| match level {
                        None => twin.text.as_str(),
                        Some(_) => twin.optimized.as_str(),
                    });
                    let text = module.print_to_string();
                    let text = text.to_string_lossy();
                    let located = located.or_else(|| debug_info.then_some(&*text));
                    report.llvm(&text, located, &self.file, *level);
                }
                if *is_final && self.is_large && self.out.options.last_stage() > Stage::Asm {
                    report.no_assembly();
                }
            }
            Program::Assembly { text, .. } if stage == Stage::Asm => {
                let text = String::from_utf8_lossy(text);
                let located = twin.map(|twin| twin.assembly.as_str());
                let located = located.or_else(|| debug_info.then_some(&*text));
                report.assembly(&text, located);
            }
            Program::Bytes(bytes) if stage == Stage::Obj => {
                report.made("object file", bytes.len() as u64);
            }
            _ => {}
        }
    }
}
