//! toy-own-copies: a part of a buffer is not copied to itself.
//!
//! Input: functions on buffers, right after bufferization. Output: the same without a `memref.copy` whose two operands
//! are the same part of the same buffer. One-Shot Bufferize computes values in place that are inserted into a tensor,
//! and leaves the insertion as a copy between two subviews that are equal, but not one value:
//!
//! ```mlir
//! %a = memref.subview %x[4] [4] [1]
//! linalg.generic ins(%y) outs(%a)
//! %b = memref.subview %x[4] [4] [1]
//! memref.copy %a, %b
//! ```

use melior::ir::Module;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{buffers, ir};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition =
    PassDefinition::new("toy-own-copies", "Removes copies of parts of buffers to themselves", run);

/// The pass.
pub fn run<'c>(_: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for operation in ir::operations(module.as_operation()) {
        if ir::name(&operation) == "memref.copy"
            && buffers::is_same_part(ir::operand(operation, 0), ir::operand(operation, 1))
        {
            ir::erase(operation);
        }
    }
    Ok(())
}
