//! merge-alloc with what the compiler knows about its own runtime.
//!
//! The pass is that of the crate `merge-alloc`, which knows no runtime.

use crate::diagnostic::Diagnosed;
use crate::lower::toy_to_linalg::PRINT;
use crate::mlir::pass::PassContext;
pub use ::merge_alloc::*;
use melior::ir::Module;

/// The pass. It is told that printing calls nothing of the program.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>, options: &Options) -> Diagnosed<()> {
    let mut options = options.clone();
    options.leaf_functions.push(PRINT.to_owned());
    ::merge_alloc::run(context, module, &options)
}
