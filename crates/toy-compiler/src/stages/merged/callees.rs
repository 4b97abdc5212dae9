//! The memory that called functions write to.
//!
//! Input: the functions of a module on buffers. Output: for each, the arguments it may write to, and a flag for
//! writes to anything but its own allocations. Deny by default: a write through a value whose memory is not known may
//! go anywhere, and functions that call themselves may write to everything.

use crate::dialect::ops::{
    attribute, callee, callees, entry_block, function_type, inputs, is_buffer, is_function,
    symbol_name,
};
use melior::ir::ValueLike;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use merge_alloc::analysis::effects::{self, Effect};
use mlir_support::buffers::{self, Origin};
use mlir_support::linalg::input_count;
use mlir_support::{call_graph, ir};
use std::collections::{HashMap, HashSet};

/// The memory effects of the functions of a module.
pub struct Callees {
    /// The names of constant globals.
    constants: HashSet<String>,
    /// For each function that writes to nothing but arguments and its own allocations: which arguments.
    written: HashMap<String, HashSet<usize>>,
}

impl Callees {
    pub fn of(operations: &[OperationRef]) -> Self {
        let is_constant = |global: &&OperationRef| {
            ir::name(*global) == "memref.global" && global.has_attribute("constant")
        };
        let constants = operations.iter().filter(is_constant).map(symbol_name).collect();
        let readers = operations.iter().filter(|function| only_reads(function));
        let written = readers.map(|name| (symbol_name(name), HashSet::new())).collect();
        let mut found = Self { constants, written };
        let functions: Vec<_> = operations.iter().copied().filter(is_function).collect();
        for number in call_graph::order(&callees(&functions)).callees_first {
            if let Some(written) = found.written_by(functions[number]) {
                found.written.insert(symbol_name(&functions[number]), written);
            }
        }
        found
    }

    /// The arguments that a function may write to; None if it may write to other memory.
    fn written_by(&self, function: OperationRef) -> Option<HashSet<usize>> {
        entry_block(function)?;
        let mut written = HashSet::new();
        for operation in ir::operations(function) {
            if self.may_write_elsewhere(&operation) {
                return None;
            }
            for (index, value) in operation.operands().enumerate() {
                if is_buffer(value.r#type()) && self.writes(operation, index) {
                    match buffers::origin(value)? {
                        Origin::Argument(_, number) => drop(written.insert(number)),
                        Origin::Allocation(_) => {}
                        Origin::Global(_) => return None,
                    }
                }
            }
        }
        Some(written)
    }

    /// True if an operation calls a function that may write to other memory than its arguments.
    pub fn may_write_elsewhere(&self, operation: &OperationRef) -> bool {
        match ir::name(operation) {
            "func.call" => callee(operation).is_none_or(|name| !self.written.contains_key(&name)),
            name => name.ends_with(".call") || name.ends_with(".call_indirect"),
        }
    }

    /// True if an operation may write to the buffer that is its operand.
    pub fn writes(&self, operation: OperationRef, operand: usize) -> bool {
        match (ir::name(&operation), operand) {
            ("memref.copy" | "vector.transfer_read" | "vector.maskedload" | "vector.gather", 0)
            | (
                "memref.load" | "memref.prefetch" | "affine.load" | "affine.vector_load"
                | "affine.prefetch" | "vector.load" | "memref.reshape",
                _,
            ) => false,
            ("func.call", _) => {
                let written = callee(&operation).and_then(|callee| self.written.get(&callee));
                written.is_none_or(|written| written.contains(&operand))
            }
            (name, _) if name.starts_with("linalg.") => {
                input_count(operation).is_none_or(|inputs| operand >= inputs)
            }
            _ => matches!(
                effects::of_operand(operation, operand),
                Effect::Access | Effect::Call(_) | Effect::Escape(_)
            ),
        }
    }

    /// True if a buffer is a constant.
    pub fn is_constant(&self, origin: Origin) -> bool {
        let Origin::Global(global) = origin else { return false };
        let name = attribute(&global, "name").and_then(ir::symbol_value);
        name.is_some_and(|name| self.constants.contains(&name))
    }
}

/// True if a function is a declaration whose buffer arguments are all `bufferization.access = "read"`.
fn only_reads(function: &OperationRef) -> bool {
    if !is_function(function) || entry_block(*function).is_some() {
        return false;
    }
    let Some(ty) = function_type(function) else { return false };
    // `[{bufferization.access = "read"}, {}]`: one dictionary for each argument.
    let said = attribute(function, "arg_attrs").and_then(|all| ArrayAttribute::try_from(all).ok());
    let access = |at| ir::entry(said?.element(at).ok()?, "bufferization.access");
    inputs(ty).iter().enumerate().all(|(at, input)| {
        !is_buffer(*input)
            || access(at).and_then(ir::string_value).is_some_and(|access| access == "read")
    })
}
