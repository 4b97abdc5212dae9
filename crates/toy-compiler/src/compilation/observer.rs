//! The events of a compilation, for reports, dumps and timing.
//!
//! Input: events in order. Invariants: an observer reads the program and does not change it; it can request stages
//! that would be skipped ([`Observer::wants`]), and end the compilation by an error ([`Observer::stage_reached`]).

use crate::Stage;
use crate::codegen::target::Machine;
use crate::memory_plan::{self, MemoryPlan};
use melior::ir::Module;
use mlir_support::pass::PassContext;
use mlir_support::session::{Printing, print_module};
use std::io::{self, Write};
use std::time::{Duration, Instant};
use toy_diagnostics::Diagnosed;
use toy_diagnostics::source::Source;
use toy_syntax::{ast, dump, unparse};

/// Receives the events of a compilation. Every method does nothing by default.
pub trait Observer {
    /// True to produce a stage that the path to the requested one could skip: [`Stage::Tokens`],
    /// [`Stage::ToySource`], [`Stage::MemoryPlan`], [`Stage::Header`] and [`Stage::Asm`].
    fn wants(&self, _stage: Stage) -> bool {
        false
    }

    /// A step begins: a pass, or something like `parse` or `optimize`.
    fn step_started(&mut self, _step: &str) {}

    /// The step ended, successfully or not.
    fn step_ended(&mut self, _step: &str, _time: Duration) {}

    /// The tree was lowered, or the input parsed: the module before the first pass.
    fn module_started(&mut self, _module: &Module) {}

    /// A pass is going to run.
    fn pass_started(&mut self, _pass: &str, _module: &Module) {}

    /// A pass has succeeded.
    fn pass_ended(&mut self, _pass: &str, _module: &Module) {}

    /// A pass has failed: the module at that point. It need not be valid, and nothing is compiled from it.
    fn pass_failed(&mut self, _pass: &str, _module: &Module) {}

    /// The program has reached a stage.
    ///
    /// # Errors
    ///
    /// An error of the observer (a file that cannot be written, for instance) ends the compilation.
    fn stage_reached(&mut self, _stage: Stage, _program: &Program) -> Diagnosed<()> {
        Ok(())
    }
}

/// Ignores every event.
impl Observer for () {}

/// Notifies several observers in order.
impl Observer for Vec<Box<dyn Observer + '_>> {
    fn wants(&self, stage: Stage) -> bool {
        self.iter().any(|observer| observer.wants(stage))
    }

    fn step_started(&mut self, step: &str) {
        self.iter_mut().for_each(|observer| observer.step_started(step));
    }

    fn step_ended(&mut self, step: &str, time: Duration) {
        self.iter_mut().for_each(|observer| observer.step_ended(step, time));
    }

    fn module_started(&mut self, module: &Module) {
        self.iter_mut().for_each(|observer| observer.module_started(module));
    }

    fn pass_started(&mut self, pass: &str, module: &Module) {
        self.iter_mut().for_each(|observer| observer.pass_started(pass, module));
    }

    fn pass_ended(&mut self, pass: &str, module: &Module) {
        self.iter_mut().for_each(|observer| observer.pass_ended(pass, module));
    }

    fn pass_failed(&mut self, pass: &str, module: &Module) {
        self.iter_mut().for_each(|observer| observer.pass_failed(pass, module));
    }

    fn stage_reached(&mut self, stage: Stage, program: &Program) -> Diagnosed<()> {
        self.iter_mut().try_for_each(|observer| observer.stage_reached(stage, program))
    }
}

/// The program at a stage.
#[non_exhaustive]
pub enum Program<'p, 'c> {
    /// The tree of [`Stage::Ast`] and [`Stage::ToySource`].
    Tree {
        tree: &'p ast::Module,
        source: &'p Source,
        is_source: bool,
    },
    /// One of [`Stage::MLIR`].
    Module {
        module: &'p Module<'c>,
        passes: &'p PassContext<'c>,
    },
    MemoryPlan(&'p MemoryPlan),
    /// LLVM IR as translated, or after the optimizer at a level. The last one is final.
    Llvm {
        module: &'p inkwell::module::Module<'c>,
        level: Option<u8>,
        is_final: bool,
    },
    /// Assembly, without the runtime.
    Assembly {
        text: &'p [u8],
        machine: &'p Machine,
    },
    /// The text or the bytes of any other stage: tokens, bindings, an object file, an archive of one.
    Bytes(&'p [u8]),
}

impl Program<'_, '_> {
    /// Writes the program as `-emit=` prints it.
    ///
    /// # Errors
    ///
    /// The errors of `out`.
    pub fn write(&self, printing: Printing, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Program::Tree { tree, is_source: true, .. } => {
                out.write_all(unparse::unparse(tree).as_bytes())
            }
            // It may be much longer than the program, so it is never held as a whole.
            Program::Tree { tree, source, .. } => {
                formatted(out, |text| dump::dump_to(tree, source, text))
            }
            Program::Module { module, .. } => print_module(module, printing, out),
            Program::MemoryPlan(plan) => out.write_all(memory_plan::text(plan).as_bytes()),
            Program::Llvm { module, .. } => {
                out.write_all(module.print_to_string().to_string().as_bytes())
            }
            Program::Assembly { text: bytes, .. } | Program::Bytes(bytes) => out.write_all(bytes),
        }
    }
}

/// Lets text be formatted into a byte stream; an error of the stream is returned unchanged.
fn formatted(
    out: &mut dyn Write,
    format: impl FnOnce(&mut dyn std::fmt::Write) -> std::fmt::Result,
) -> io::Result<()> {
    struct Adapter<'o> {
        out: &'o mut dyn Write,
        result: io::Result<()>,
    }
    impl std::fmt::Write for Adapter<'_> {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.result = self.out.write_all(text.as_bytes());
            self.result.as_ref().map(|_| ()).map_err(|_| std::fmt::Error)
        }
    }
    let mut adapter = Adapter { out, result: Ok(()) };
    let formatted = format(&mut adapter);
    adapter.result?;
    formatted.map_err(io::Error::other)
}

/// Runs a step and notifies the observer.
pub fn timed<T>(observer: &mut dyn Observer, step: &str, work: impl FnOnce() -> T) -> T {
    observer.step_started(step);
    let start = Instant::now();
    let result = work();
    observer.step_ended(step, start.elapsed());
    result
}
