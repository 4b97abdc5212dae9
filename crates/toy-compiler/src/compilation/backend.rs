//! The stages from LLVM IR on: assembly, an object file, a run in memory.
//!
//! Input: the module of the last MLIR stage. Output: bytes, or an exit status. Invariant: assembly is made
//! from a copy, because the program goes on from it; the object file is the last thing made of the module.

use super::middle::Middle;
use super::{Config, Observer, Program, no_module, timed};
use crate::Stage;
use crate::codegen::jit::{self, Arguments, Failure};
use crate::codegen::target::{self, Machine};
use crate::codegen::{addresses, object, runtime, translate};
use crate::interface::runtime::PROGRAM;
use inkwell::context::Context;
use mlir_support::errors;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// Translates to LLVM IR and runs LLVM's optimizer, on the way to a stage. Returns the machine to generate code for.
pub fn translate(
    middle: &mut Middle,
    config: &Config,
    stage: Stage,
    observer: &mut dyn Observer,
) -> Diagnosed<Machine> {
    let level = config.optimization_level;
    let machine = target::machine(&config.machine(stage), level)?;
    middle.with_dependent_mut(|owner, inner| {
        let Some(module) = inner.module.take() else { return Err(no_module().into()) };
        owner.session.register_llvm_translation();
        let context = owner.llvm.get_or_init(Context::create);
        let translate = || translate::translate(&module, context, &machine);
        let llvm = timed(observer, "translate", translate)
            .ok_or_else(|| errors::translation(&owner.session, &inner.passes.locations))?;
        drop(module);
        if level > 0 {
            let program = Program::Llvm { module: &llvm, level: None, is_final: false };
            observer.stage_reached(Stage::Llvm, &program)?;
        }
        timed(observer, "optimize", || translate::optimize(&llvm, &machine, level))?;
        if machine.architecture.is_wasm() {
            addresses::check(&llvm)?;
        }
        inner.llvm = Some(llvm);
        Diagnosed::Ok(())
    })?;
    Ok(machine)
}

/// Generates assembly, which calls the runtime and does not contain it.
pub fn assembly(
    middle: &Middle,
    machine: &Machine,
    observer: &mut dyn Observer,
) -> Diagnosed<Vec<u8>> {
    middle.with_llvm(|llvm, _| {
        // A copy is used: the code generator changes the module, and would then produce another object.
        let copy = llvm.clone();
        runtime::call_runtime(&copy)?;
        timed(observer, "assembly", || object::assembly(&copy, machine))
    })
}

/// Generates an object file, perhaps for the library of a module of Python.
pub fn object(
    middle: &Middle,
    machine: &Machine,
    is_for_python: bool,
    observer: &mut dyn Observer,
) -> Diagnosed<Vec<u8>> {
    middle.with_llvm(|llvm, context| {
        timed(observer, "runtime", || runtime::link(llvm, context, machine, is_for_python))?;
        timed(observer, "object", || object::object(llvm, machine))
    })
}

/// Runs the program.
pub fn run(
    middle: &mut Middle,
    machine: &Machine,
    level: u8,
    arguments: &Arguments,
    observer: &mut dyn Observer,
) -> Diagnosed<(i32, Option<Failure>)> {
    middle.with_dependent_mut(|_, inner| {
        let Some(llvm) = inner.llvm.take() else { return Err(no_module().into()) };
        timed(observer, RUN, || jit::run(llvm, machine, level, arguments))
    })
}

/// The step in which the program itself runs.
pub const RUN: &str = "run";

/// Checks the entry point of executables and the JIT: a `main` without parameters that returns a status, or one of ours
/// with the command line.
pub fn check_main(middle: &Middle, source: &Source) -> Diagnosed<()> {
    middle.with_llvm(|llvm, _| {
        let main = llvm.get_function("main").filter(|main| main.count_basic_blocks() > 0);
        let end = Span::at(source.text.len() as u32);
        let ty = main.map(|main| main.get_type()).ok_or_else(|| {
            Diagnostic::error(codes::NO_MAIN, "the program has no `main` function")
                .label(end, "the program ends here without one")
                .help("add `func.func @main() { ... }`, or make an object file with -emit=obj")
        })?;
        let status = ty.get_return_type().is_some_and(|t| t.is_int_type());
        let is_ours = ty.count_param_types() == 2 && llvm.get_function(PROGRAM).is_some();
        if (ty.count_param_types() > 0 && !is_ours) || !status {
            let message = "`main` must take nothing, and return nothing or an integer";
            let help = "an integer is the program's exit status; print other results in `main`";
            return Err(Diagnostic::error(codes::BAD_MAIN, message).help(help).into());
        }
        Ok(())
    })
}
