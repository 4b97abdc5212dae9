//! The same program with line tables.
//!
//! Input: a module of the LLVM dialect, compiled without `-g`. Output: LLVM IR and assembly that differ
//! from the program's own only in debug information, from which the origin of each line is read. Invariant:
//! the program is not changed; if any step fails, there is no twin and no diagnostic.

use inkwell::context::Context;
use melior::ir::Module;
use mlir_support::ir;
use mlir_support::pass::PassContext;
use toy_compiler::codegen::target::Machine;
use toy_compiler::codegen::{object, runtime, translate};
use toy_compiler::stages::mlir_llvm::DEBUG_LINES;

pub struct Twin {
    /// LLVM IR as translated.
    pub text: String,
    /// The same after the optimizer.
    pub optimized: String,
    /// The assembly.
    pub assembly: String,
}

impl Twin {
    pub fn new<'m>(
        passes: &PassContext<'m>,
        module: &Module<'m>,
        machine: &Machine,
        level: u8,
    ) -> Option<Self> {
        let mut copy = Module::from_operation(ir::clone(module.as_operation()))?;
        let made = DEBUG_LINES.iter().try_for_each(|pass| pass.run(passes, &mut copy));
        passes.session.register_llvm_translation();
        let context = Context::create();
        let module = made.ok().and_then(|()| translate::translate(&copy, &context, machine));
        // Diagnostics about the copy repeat those about the program.
        passes.session.take_diagnostics();
        let module = module?;
        let text = module.print_to_string().to_string();
        translate::optimize(&module, machine, level).ok()?;
        let optimized = module.print_to_string().to_string();
        runtime::call_runtime(&module).ok()?;
        let assembly = object::assembly(&module, machine).ok()?;
        Some(Self { text, optimized, assembly: String::from_utf8_lossy(&assembly).into_owned() })
    }
}
