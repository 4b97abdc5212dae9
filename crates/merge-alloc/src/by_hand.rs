//! Functions that free memory by hand.
//!
//! Input: functions. Output: the names of the functions that manage their memory themselves, and of the functions that
//! call a function that frees memory it has not allocated.

use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::{func, ir};
use std::collections::HashSet;

/// The names of functions that manage their memory themselves: deallocation leaves them alone.
pub fn managing_memory(functions: &[OperationRef]) -> HashSet<String> {
    let those = |is_one: fn(OperationRef) -> bool| -> HashSet<String> {
        functions.iter().filter(|it| is_one(**it)).map(func::symbol_name).collect()
    };
    let mut hidden = those(manages_memory);
    // A caller of a function that frees memory it has not allocated frees by hand, too.
    let mut freeing = those(frees_of_others);
    let mut before = 0;
    while freeing.len() > before {
        before = freeing.len();
        for function in functions {
            let calls = ir::operations(*function);
            if calls.iter().filter_map(func::callee).any(|callee| freeing.contains(&callee)) {
                freeing.insert(func::symbol_name(function));
            }
        }
    }
    hidden.extend(freeing);
    hidden
}

/// True if a function frees a buffer that it has not allocated itself.
fn frees_of_others(function: OperationRef) -> bool {
    ir::operations(function).iter().any(|operation| {
        if ir::name(operation) != "memref.dealloc" {
            return false;
        }
        let definition = operation.operand(0).ok().and_then(ir::defining_operation);
        definition.is_none_or(|definition| ir::name(&definition) != "memref.alloc")
    })
}

fn manages_memory(function: OperationRef) -> bool {
    ir::blocks(function).len() > 1
        || ir::operations(function).iter().any(|op| ir::name(op) == "memref.dealloc")
}
