//! Translation from MLIR to LLVM: the LLVM dialect becomes an LLVM module that inkwell owns.

use crate::codegen::target::Machine;
use crate::codegen::{fatal, inline_limit};
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::values::{FastMathFlags, InstructionOpcode as Opcode};
use toy_diagnostics::{Diagnosed, Diagnostic};

/// Translates a module of the LLVM dialect. None: MLIR's diagnostics say why.
pub fn translate<'c>(
    module: &melior::ir::Module,
    context: &'c Context,
    machine: &Machine,
) -> Option<Module<'c>> {
    // SAFETY: the operation is live; the result is a new module in `context`, which owns
    // it, and 'c ties it to that context. The raw context type is the same in both.
    let llvm = unsafe {
        let raw = mlir_sys::mlirTranslateModuleToLLVMIR(
            module.as_operation().to_raw(),
            context.raw().cast(),
        );
        if raw.is_null() {
            return None;
        }
        Module::new(raw.cast())
    };
    // The translation sets neither, and every later step asks for both.
    llvm.set_triple(&machine.machine.get_triple());
    llvm.set_data_layout(&machine.machine.get_target_data().get_data_layout());
    machine.processor.mark(&llvm);
    if machine.contracts {
        allow_contraction(&llvm);
    }
    Some(llvm)
}

/// Lets the code generator make one operation of a product and the sum it is added to.
fn allow_contraction(module: &Module) {
    let instructions = module
        .get_functions()
        .flat_map(|function| function.get_basic_block_iter())
        .flat_map(|block| block.get_instructions());
    for instruction in instructions {
        let opcode = instruction.get_opcode();
        let is_part = matches!(opcode, Opcode::FAdd | Opcode::FSub | Opcode::FMul | Opcode::FNeg);
        if is_part && let Ok(flags) = instruction.get_fast_math_flags() {
            // Each of these can have the flag.
            let _ = instruction.set_fast_math_flags(flags | FastMathFlags::AllowContract);
        }
    }
}

/// Runs LLVM's optimizer at a level of 1 to 3; level 0 leaves the module alone.
pub fn optimize(module: &Module, machine: &Machine, level: u8) -> Diagnosed<()> {
    if level == 0 {
        return Ok(());
    }
    inline_limit::apply(module);
    run_passes(module, machine, &format!("default<O{level}>"))
}

/// Runs a pipeline of LLVM's new pass manager.
pub fn run_passes(module: &Module, machine: &Machine, passes: &str) -> Diagnosed<()> {
    let run = || module.run_passes(passes, &machine.machine, PassBuilderOptions::create());
    fatal::watched(module, run)?
        .map_err(|error| Diagnostic::internal(format!("LLVM's optimizer: {error}")).into())
}
