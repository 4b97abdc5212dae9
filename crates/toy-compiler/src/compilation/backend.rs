//! The stages from LLVM IR on: assembly, an object file, an executable, a run in memory.
//!
//! Input: the module of the last MLIR stage. Output: the artifacts. Invariant: assembly is made
//! from a copy, because the program goes on from it; the object file is the last thing made of the module.

use super::middle::Middle;
use super::{Config, Observer, Program, no_module, timed};
use crate::Stage;
use crate::codegen::link::{Link, Linked};
use crate::codegen::target::{self, Machine};
use crate::codegen::{archive, jit, link, object, runtime, translate};
use inkwell::context::Context;
use inkwell::module::Module as LlvmModule;
use mlir_support::errors;
use std::io;
use std::path::Path;
use std::process::{Command, Output};
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// The artifacts of the LLVM module.
#[derive(Default)]
pub struct Artifacts {
    pub machine: Option<Machine>,
    assembly: Option<Vec<u8>>,
    pub object: Option<Vec<u8>>,
    pub archive: Option<Vec<u8>>,
}

impl Artifacts {
    /// Translates to LLVM IR and runs LLVM's optimizer, on the way to a stage.
    pub fn translate(
        &mut self,
        middle: &mut Middle,
        config: &Config,
        stage: Stage,
        observer: &mut dyn Observer,
    ) -> Diagnosed<()> {
        let level = config.optimization_level;
        let machine = &*self.machine.insert(target::machine(&config.machine(stage), level)?);
        middle.with_dependent_mut(|owner, inner| {
            let Some(module) = inner.module.take() else { return Err(no_module().into()) };
            owner.session.register_llvm_translation();
            let context = owner.llvm.get_or_init(Context::create);
            let translate = || translate::translate(&module, context, machine);
            let llvm = timed(observer, "translate", translate)
                .ok_or_else(|| errors::translation(&owner.session, &inner.passes.locations))?;
            drop(module);
            if level > 0 {
                let program = Program::Llvm { module: &llvm, level: None, is_final: false };
                observer.stage_reached(Stage::Llvm, &program)?;
            }
            timed(observer, "optimize", || translate::optimize(&llvm, machine, level))?;
            inner.llvm = Some(llvm);
            Ok(())
        })
    }

    /// Checks the entry point of executables and the JIT: a `main` without parameters that returns a status.
    pub fn check_main(&self, middle: &Middle, source: &Source) -> Diagnosed<()> {
        middle.with_llvm(|llvm, _| check_main(llvm, source))
    }

    /// Generates assembly, which calls the runtime and does not contain it.
    pub fn assemble(&mut self, middle: &Middle, observer: &mut dyn Observer) -> Diagnosed<()> {
        let Self { machine: Some(machine), .. } = self else { return Err(no_module().into()) };
        middle.with_llvm(|llvm, _| {
            // A copy is used: the code generator changes the module, and would then produce another object.
            let copy = llvm.clone();
            runtime::call_runtime(&copy)?;
            let assemble = || object::assembly(&copy, machine);
            self.assembly = Some(timed(observer, "assembly", assemble)?);
            Ok(())
        })
    }

    /// Generates an object file.
    pub fn make_object(&mut self, middle: &Middle, observer: &mut dyn Observer) -> Diagnosed<()> {
        let Self { machine: Some(machine), .. } = self else { return Err(no_module().into()) };
        middle.with_llvm(|llvm, context| {
            timed(observer, "runtime", || runtime::link(llvm, context, machine))?;
            self.object = Some(timed(observer, "object", || object::object(llvm, machine))?);
            Ok(())
        })
    }

    /// Makes an archive of the object file, which gets a name there.
    pub fn make_archive(&mut self, member: &str, observer: &mut dyn Observer) -> Diagnosed<()> {
        let Some(object) = &self.object else { return Err(no_module().into()) };
        self.archive = Some(timed(observer, "archive", || archive::archive(member, object))?);
        Ok(())
    }

    /// Links the object file.
    pub fn link(
        &self,
        output: &Path,
        kind: Linked,
        linker: Option<&str>,
        spawn: impl FnMut(&mut Command) -> io::Result<Output>,
    ) -> Diagnosed<()> {
        let (Some(machine), Some(object)) = (&self.machine, &self.object) else {
            return Err(no_module().into());
        };
        let temporary = || Ok(tempfile::Builder::new().suffix(".o").tempfile()?.into_parts());
        let link = Link { machine, object, kind, output, linker };
        Ok(link::link(&link, temporary, |_| {}, spawn)?)
    }

    /// Runs the program.
    pub fn run(
        &mut self,
        middle: &mut Middle,
        level: u8,
        observer: &mut dyn Observer,
    ) -> Diagnosed<i32> {
        let Self { machine: Some(machine), .. } = self else { return Err(no_module().into()) };
        middle.with_dependent_mut(|_, inner| {
            let Some(llvm) = inner.llvm.take() else { return Err(no_module().into()) };
            timed(observer, RUN, || jit::run(llvm, machine, level))
        })
    }

    /// The assembly, for observers.
    pub fn assembly(&self) -> Option<Program<'_, '_>> {
        let (Some(text), Some(machine)) = (&self.assembly, &self.machine) else { return None };
        Some(Program::Assembly { text, machine })
    }
}

/// The step in which the program itself runs.
pub const RUN: &str = "run";

fn check_main(llvm: &LlvmModule, source: &Source) -> Diagnosed<()> {
    let end = source.text.len();
    let Some(main) = llvm.get_function("main").filter(|main| main.count_basic_blocks() > 0) else {
        let diagnostic = Diagnostic::error(codes::NO_MAIN, "the program has no `main` function")
            .label(Span::new(end, end), "the program ends here without one")
            .help("add `func.func @main() { ... }`, or make an object file with -emit=obj");
        return Err(vec![diagnostic]);
    };
    let ty = main.get_type();
    let status = ty.get_return_type().is_some_and(|t| t.is_int_type());
    if ty.count_param_types() > 0 || !status {
        let message = "`main` must take nothing and return nothing";
        return Err(vec![Diagnostic::error(codes::BAD_MAIN, message)]);
    }
    Ok(())
}
