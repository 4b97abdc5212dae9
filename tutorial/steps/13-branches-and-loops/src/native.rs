//! From LLVM's dialect to files: LLVM IR, assembly, and executables for this machine or
//! for another one.

use crate::{jit, passes};
use inkwell::OptimizationLevel::{Default as Optimized, None as Plain};
use inkwell::context::Context as Llvm;
use inkwell::module::Module as Program;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::FileType::{Assembly, Object};
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode};
use inkwell::targets::{Target, TargetMachine, TargetTriple};
use melior::ir::Module;
use melior::{Context, utility};
use std::path::Path;
use std::process::Command;

/// C code that is part of every executable.
const RUNTIME: &str = include_str!("runtime.c");

/// Which line of the source each instruction comes from.
const LINES: &str = "ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly}";

/// The machine that code is for.
pub struct Machine {
    machine: TargetMachine,
    optimize: bool,
    debug: bool,
}

impl Machine {
    /// Without a name, it is this machine. With `debug`, a debugger shows lines.
    pub fn new(name: Option<&str>, optimize: bool, debug: bool) -> Result<Self, String> {
        Target::initialize_x86(&InitializationConfig::default());
        Target::initialize_aarch64(&InitializationConfig::default());
        let triple =
            name.map_or_else(TargetMachine::get_default_triple, TargetTriple::create);
        let level = if optimize { Optimized } else { Plain };
        let machine = Target::from_triple(&triple).ok().and_then(|target| {
            target.create_target_machine(
                &triple,
                "",
                "",
                level,
                RelocMode::PIC,
                CodeModel::Default,
            )
        });
        let machine = machine.ok_or_else(|| {
            format!("there is no code for `{}`", name.unwrap_or("this machine"))
        })?;
        Ok(Self { machine, optimize, debug })
    }

    /// The text of LLVM IR.
    pub fn llvm(&self, context: &Context, module: &mut Module) -> Result<String, String> {
        let llvm = Llvm::create();
        Ok(self.translate(&llvm, context, module)?.print_to_string().to_string())
    }

    pub fn assembly(
        &self,
        context: &Context,
        module: &mut Module,
    ) -> Result<String, String> {
        let llvm = Llvm::create();
        let program = self.translate(&llvm, context, module)?;
        let text = self.machine.write_to_memory_buffer(&program, Assembly);
        let text = text.map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(text.as_slice()).trim_end_matches('\0').to_string())
    }

    /// Writes an executable.
    pub fn link(
        &self,
        context: &Context,
        module: &mut Module,
        output: &Path,
    ) -> Result<(), String> {
        let llvm = Llvm::create();
        let program = self.translate(&llvm, context, module)?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let [object, runtime] =
            ["program.o", "runtime.c"].map(|name| folder.path().join(name));
        let written = self.machine.write_to_file(&program, Object, &object);
        written.map_err(|error| error.to_string())?;
        std::fs::write(&runtime, RUNTIME).map_err(|error| error.to_string())?;
        // The C compiler of the machine knows where its libraries are.
        let mut compiler = self.compiler();
        compiler.args([&object, &runtime]).arg("-o").arg(output);
        match compiler.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err("the program cannot be linked".to_string()),
            Err(error) => Err(format!("{:?}: {error}", compiler.get_program())),
        }
    }

    fn compiler(&self) -> Command {
        let triple = self.machine.get_triple();
        if triple == TargetMachine::get_default_triple() {
            return Command::new("cc");
        }
        let triple = triple.as_str().to_string_lossy();
        let architecture = triple.split('-').next().unwrap_or_default();
        let mut compiler = Command::new(format!("{architecture}-linux-gnu-gcc"));
        // It does not need the libraries of that machine when it runs.
        compiler.arg("-static");
        compiler
    }

    /// From loops to LLVM IR.
    fn translate<'l>(
        &self,
        llvm: &'l Llvm,
        context: &Context,
        module: &mut Module,
    ) -> Result<Program<'l>, String> {
        jit::lower(context, module)?;
        if self.debug {
            passes::run(context, module, LINES)?;
        }
        utility::register_all_llvm_translations(context);
        let operation = module.as_operation().to_raw();
        // SAFETY: the operation is alive, and what comes back is a new module in `llvm`.
        let program = unsafe {
            let program =
                mlir_sys::mlirTranslateModuleToLLVMIR(operation, llvm.raw().cast());
            if program.is_null() {
                return Err("LLVM IR has no words for this".to_string());
            }
            Program::new(program.cast())
        };
        program.set_triple(&self.machine.get_triple());
        program.set_data_layout(&self.machine.get_target_data().get_data_layout());
        // The runtime has the `main` that C starts with, and calls this one.
        if let Some(main) = program.get_function("main") {
            main.as_global_value().set_name("toy_main");
        }
        if self.optimize {
            let options = PassBuilderOptions::create();
            let optimized = program.run_passes("default<O2>", &self.machine, options);
            optimized.map_err(|error| error.to_string())?;
        }
        Ok(program)
    }
}
