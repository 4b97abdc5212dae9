//! The program's data layout: MLIR's dialect `dlti`.

use crate::ir;
use melior::ir::operation::{OperationLike, OperationRef};

/// True if an operation around a function, the function itself or one inside has its own specification for the type
/// `index`. Without one an index has 64 bits.
pub fn is_index_changed<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    inside: &[OperationRef<'c, 'a>],
) -> bool {
    let around = std::iter::successors(Some(function), |operation| operation.parent_operation());
    around.chain(inside.iter().copied()).any(|operation| has_index_entry(&operation))
}

fn has_index_entry(operation: &OperationRef) -> bool {
    // The attribute may have any name, and MLIR asks only operations with regions. Compares the text, because LLVM 22's
    // C API cannot ask a specification for its entries. A word with another meaning counts as an index, too.
    operation.region_count() > 0
        && operation.attributes().any(|(_, attribute)| {
            ir::attribute_dialect(attribute) == "dlti" && attribute.to_string().contains("index")
        })
}
