//! Running MLIR's passes.

use melior::ir::Module;
use melior::pass::PassManager;
use melior::{Context, utility};

/// Runs a list of passes. MLIR itself says what goes wrong in one.
pub fn run(context: &Context, module: &mut Module, passes: &str) -> Result<(), String> {
    utility::register_all_passes();
    let manager = PassManager::new(context);
    let passes = format!("builtin.module({passes})");
    utility::parse_pass_pipeline(manager.as_operation_pass_manager(), &passes)
        .map_err(|error| error.to_string())?;
    manager.run(module).map_err(|error| error.to_string())
}
