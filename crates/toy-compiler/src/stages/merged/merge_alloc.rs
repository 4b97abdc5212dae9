//! merge-alloc, configured for the compiler's runtime.
//!
//! The pass is from the crate `merge-alloc`, which knows no runtime.

use crate::dialect::PRINT;
use crate::runtime_calls::runtime;
pub use ::merge_alloc::*;
use melior::ir::Module;
use mlir_support::pass::{PassContext, PassDefinition, Prepared};
use toy_diagnostics::Diagnosed;

/// The crate's pass, configured here.
pub const PASS: PassDefinition = ::merge_alloc::PASS.configured_by(configure);

/// The passes of the crate.
pub const DEFINED: &[PassDefinition] = &[PASS, VERIFY];

fn configure(options: &str, on_functions: bool) -> Result<Prepared, String> {
    let options = Options::configured(options, on_functions)?;
    Ok(Box::new(move |context, module| run(context, module, &options)))
}

/// The pass. It assumes that printing and failing do not call back into the program.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>, options: &Options) -> Diagnosed<()> {
    let mut options = options.clone();
    options.leaf_functions.push(PRINT.to_owned());
    options.leaf_functions.extend(runtime::ALL.map(str::to_owned));
    ::merge_alloc::run(context, module, &options)
}
