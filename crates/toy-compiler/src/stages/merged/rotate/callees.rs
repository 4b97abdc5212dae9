//! The memory that called functions write to.
//!
//! Input: the functions of a module on buffers. Output: for each, the arguments it may write to, and a flag for
//! writes to anything but its own allocations. Deny by default: a write through a value whose memory is not known may
//! go anywhere, and functions that call themselves may write to everything.

use crate::dialect::ops::{attribute, callee, entry_block, is_buffer, is_function, symbol_name};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Value, ValueLike};
use merge_alloc::analysis::effects::{self, Effect};
use mlir_support::linalg::input_count;
use mlir_support::{call_graph, ir};
use std::collections::{HashMap, HashSet};

/// The memory that a value refers to.
pub enum Origin<'c, 'a> {
    Constant,
    Allocation(Value<'c, 'a>),
    /// An argument of the function, by number.
    Argument(usize),
}

/// The memory effects of the functions of a module.
pub struct Callees {
    /// The names of constant globals.
    constants: HashSet<String>,
    /// For each function that writes to nothing but arguments and its own allocations: which arguments.
    written: HashMap<String, HashSet<usize>>,
}

impl Callees {
    /// `readers`: declared functions that write to no buffer.
    pub fn of(
        operations: &[OperationRef],
        constants: HashSet<String>,
        readers: impl Iterator<Item = String>,
    ) -> Self {
        let written = readers.map(|name| (name, HashSet::new())).collect();
        let mut found = Self { constants, written };
        let functions: Vec<_> = operations.iter().copied().filter(is_function).collect();
        let names: Vec<_> = functions.iter().map(symbol_name).collect();
        let numbers: HashMap<&str, usize> =
            names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
        let callees_of = |function: &OperationRef| -> Vec<usize> {
            let calls = ir::operations(*function).into_iter().filter_map(|it| callee(&it));
            calls.filter_map(|name| numbers.get(name.as_str()).copied()).collect()
        };
        let callees: Vec<_> = functions.iter().map(callees_of).collect();
        for number in call_graph::order(&callees).callees_first {
            if let Some(written) = found.written_by(functions[number]) {
                found.written.insert(names[number].clone(), written);
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
                    match self.origin(function, value)? {
                        Origin::Argument(number) => drop(written.insert(number)),
                        Origin::Allocation(_) => {}
                        Origin::Constant => return None,
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

    /// The origin of a value, through views; None if it is unknown.
    pub fn origin<'c, 'a>(
        &self,
        function: OperationRef<'c, 'a>,
        mut value: Value<'c, 'a>,
    ) -> Option<Origin<'c, 'a>> {
        loop {
            let Some(definition) = ir::defining_operation(value) else {
                let entry = entry_block(function)?;
                let argument = (0..entry.argument_count()).find(|index| {
                    entry
                        .argument(*index)
                        .is_ok_and(|argument| argument.to_raw().ptr == value.to_raw().ptr)
                });
                return argument.map(Origin::Argument);
            };
            match ir::name(&definition) {
                "memref.alloc" | "memref.alloca" => return Some(Origin::Allocation(value)),
                "memref.get_global" => {
                    let name = attribute(&definition, "name").and_then(ir::symbol_value)?;
                    return self.constants.contains(&name).then_some(Origin::Constant);
                }
                name if name.starts_with("memref.")
                    && matches!(effects::of_operand(definition, 0), Effect::Alias(_)) =>
                {
                    value = definition.operand(0).ok()?;
                }
                _ => return None,
            }
        }
    }
}
