//! The same program with line tables.
//!
//! Input: a module of the LLVM dialect, compiled without `-g`. Output: LLVM IR and assembly that differ
//! from the program's own only in debug information, which says where its lines come from. Invariant:
//! the program is not touched; if anything goes wrong, there is no twin, and nothing is said about it.

use crate::codegen::target::Machine;
use crate::codegen::{object, runtime, translate};
use crate::mlir::pass::PassContext;
use crate::mlir::raw;
use crate::pipeline;
use melior::ir::Module;

pub struct Twin<'c> {
    module: inkwell::module::Module<'c>,
    context: &'c inkwell::context::Context,
}

impl<'c> Twin<'c> {
    pub fn new<'m>(
        passes: &PassContext<'m>,
        module: &Module<'m>,
        context: &'c inkwell::context::Context,
        machine: &Machine,
    ) -> Option<Self> {
        let copy = Module::from_operation(raw::clone(module.as_operation()))?;
        let made = pipeline::DEBUG_LINES.iter().try_for_each(|pass| pass.run(passes, &copy));
        let module = made.ok().and_then(|()| translate::translate(&copy, context, machine));
        // What there is to say about the copy was said about the program.
        passes.session.take_diagnostics();
        module.map(|module| Self { module, context })
    }

    pub fn text(&self) -> String {
        self.module.print_to_string().to_string()
    }

    /// The twin after the optimizer.
    pub fn optimized(self, machine: &Machine, level: u8) -> Option<Self> {
        translate::optimize(&self.module, machine, level).ok()?;
        Some(self)
    }

    /// The assembly, with the runtime.
    pub fn assembly(self, machine: &Machine) -> Option<String> {
        runtime::link(&self.module, self.context, machine).ok()?;
        let bytes = object::assembly(&self.module, machine).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
