//! Copies between buffers with strides become linalg, and so loops.
//!
//! Input: functions on buffers. Output: the same, with a `linalg.copy` in place of each `memref.copy` of numbers whose
//! elements do not all follow each other, there or here:
//!
//! ```mlir
//! memref.copy %row_parts, %a : memref<8x4xf64, strided<[16, 1]>> to memref<8x4xf64>
//! ```
//!
//! Other copies are one `memcpy`. These would be calls of the runtime, which knows neither the sizes nor the type of the
//! elements. LLVM makes vectors of the loops.
//!
//! Invariant: the same elements are copied, and the buffers do not overlap, as `memref.copy` asks for.

use super::loop_nests::is_contiguous;
use melior::ir::r#type::MemRefType;
use melior::ir::{Module, ShapedTypeLike, TypeLike, ValueLike};
use mlir_support::builder::Builder;
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-strided-copies",
    "Makes loops of copies whose elements do not follow each other",
    run,
);

fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for operation in ir::operations(module.as_operation()) {
        if ir::name(&operation) != "memref.copy" {
            continue;
        }
        let buffers = [0, 1].map(|at| ir::operand(operation, at));
        let types = buffers.map(|buffer| MemRefType::try_from(buffer.r#type()).ok());
        let [Some(from), Some(to)] = types else { continue };
        let is_number = from.element().is_float() || from.element().is_integer();
        if is_number && !(is_contiguous(from) && is_contiguous(to)) {
            let code = Builder::before(context.session.context(), operation);
            code.copy_elements(buffers[0], buffers[1]);
            ir::erase(operation);
        }
    }
    Ok(())
}
