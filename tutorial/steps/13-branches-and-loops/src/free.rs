//! Who frees a buffer: its owner, when the owner ends.
//!
//! In: functions that allocate. Out: the same functions, which also free. A buffer belongs
//! to the block that allocates it, until that gives it away, as a result for instance.
//! MLIR follows each of them. Where it depends on how the program runs whose a buffer is,
//! a flag goes along with the buffer that says so.

use crate::passes;
use melior::Context;
use melior::ir::Module;

const PASSES: &str = "
    ownership-based-buffer-deallocation,
    canonicalize,
    buffer-deallocation-simplification,
    bufferization-lower-deallocations,
    cse,
    canonicalize";

pub fn free(context: &Context, module: &mut Module) -> Result<(), String> {
    passes::run(context, module, PASSES)
}
