//! The buffers that a tensor may share after bufferization, computed before it.
//!
//! Input: a tensor of a structured program (after lift-cf-to-scf). Output: its roots, the values whose
//! buffers the tensor may be bufferized to without a copy. Two tensors without a common root never share
//! a buffer. The result of an operation that writes has a buffer that no other live tensor uses, because
//! One-Shot Bufferize copies otherwise: such a result is a root. An unknown operation may return any of
//! its operands, and one with regions any value at all.

use crate::dialect::ops::{self};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, TypeLike, Value, ValueLike};
use mlir_support::control_flow::{Kind, initial, kind};
use mlir_support::linalg::input_count;
use mlir_support::{buffers, ir};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// The buffers that a tensor may share.
#[derive(Default)]
pub struct Roots<'c, 'a> {
    pub values: Vec<Value<'c, 'a>>,
    /// It may be read-only memory, for example a constant.
    pub is_read_only: bool,
    /// It may share any buffer.
    pub is_unknown: bool,
}

impl<'c: 'a, 'a> Roots<'c, 'a> {
    pub fn of(tensor: Value<'c, 'a>) -> Self {
        let mut roots = Self::default();
        buffers::trace(tensor, |value| roots.visit(value));
        roots
    }

    /// Adds a value if it is a root; the results are the values whose roots it shares.
    fn visit(&mut self, value: Value<'c, 'a>) -> Vec<Value<'c, 'a>> {
        let Some(definition) = ir::defining_operation(value) else {
            self.values.push(value);
            return vec![];
        };
        let name = ir::name(&definition);
        // A loop has a rule of its own below, or is unknown.
        if matches!(kind(&definition), None | Some(Kind::Branch | Kind::Once))
            && let Some(sources) = buffers::sources(value)
        {
            return sources;
        }
        let tensors = || definition.operands().filter(is_tensor).collect();
        match name {
            "arith.constant" => self.is_read_only = true,
            "bufferization.to_tensor" => {
                self.is_read_only |= !definition.has_attribute("writable");
                self.values.extend(ir::operand_if_any(definition, 0));
            }
            // New, or overwritten completely.
            "tensor.empty"
            | "tensor.insert"
            | "tensor.from_elements"
            | "tensor.generate"
            | "tensor.splat"
            | "tensor.pad"
            | "tensor.concat"
            | "bufferization.alloc_tensor" => self.values.push(value),
            // Inserting a slice that is already there writes nothing.
            "tensor.insert_slice" => {
                self.values.push(value);
                return ir::operand_if_any(definition, 1).into_iter().collect();
            }
            // Other results of a loop have no other owner: `distinct_yields` and One-Shot ensure that.
            "scf.for" | "scf.while" => {
                self.values.push(value);
                return initial(value).into_iter().collect();
            }
            "bufferization.materialize_in_destination"
            | "scf.forall"
            | "func.call"
            | "func.call_indirect" => {
                self.values.push(value);
                return tensors();
            }
            // An operation with several results may have one destination for two of them.
            name if name.starts_with("linalg.") => {
                self.values.push(value);
                if definition.result_count() > 1 {
                    self.values.extend(tensors());
                }
            }
            _ => {
                self.values.extend(definition.results().map(Value::from));
                self.is_unknown |= definition.region_count() > 0;
                return tensors();
            }
        }
        vec![]
    }
}

/// True if an operation only reads an operand, without creating an alias.
pub fn only_reads(operation: OperationRef, operand: usize) -> bool {
    match ir::name(&operation) {
        "tensor.extract" | "tensor.dim" => true,
        name if name.starts_with("linalg.") && name != "linalg.yield" => {
            input_count(operation).is_some_and(|inputs| operand < inputs)
        }
        _ => false,
    }
}

pub fn is_tensor(value: &Value) -> bool {
    value.r#type().is_tensor()
}

/// True if a block argument, or the result of an operation, is in one of the regions of `outer`.
pub fn is_inside(value: Value, outer: OperationRef) -> bool {
    let definition = ir::defining_operation(value);
    let mut at =
        definition.map_or_else(|| owner(value), |definition| definition.parent_operation());
    while let Some(operation) = at {
        if operation.to_raw().ptr == outer.to_raw().ptr {
            return true;
        }
        at = operation.parent_operation();
    }
    false
}

/// The operation whose block has this argument; None for results.
pub fn owner<'c, 'a>(value: Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    if ir::defining_operation(value).is_some() {
        return None;
    }
    ir::argument_block(value).parent_operation()
}

/// The functions that may call themselves, directly or not, and functions on paths between them.
pub fn recursive<'c: 'a, 'a>(functions: &[OperationRef<'c, 'a>]) -> HashSet<String> {
    let callees = ops::callees(functions);
    let calls = callees.iter().enumerate();
    let edges: Vec<_> = calls.flat_map(|(from, to)| to.iter().map(move |to| (from, *to))).collect();
    let backwards: Vec<_> = edges.iter().map(|(from, to)| (*to, *from)).collect();
    let between = &reaching_a_cycle(&edges) & &reaching_a_cycle(&backwards);
    between.into_iter().map(|function| ops::symbol_name(&functions[function])).collect()
}

/// The nodes of a graph that remain after repeatedly removing nodes without successors.
pub fn reaching_a_cycle<N: Copy + Eq + Hash>(edges: &[(N, N)]) -> HashSet<N> {
    let mut predecessors: HashMap<N, Vec<N>> = HashMap::new();
    let mut successors: HashMap<N, usize> = HashMap::new();
    for (from, to) in edges {
        predecessors.entry(*to).or_default().push(*from);
        *successors.entry(*from).or_default() += 1;
        successors.entry(*to).or_default();
    }
    let mut last: Vec<N> =
        successors.iter().filter(|(_, count)| **count == 0).map(|(node, _)| *node).collect();
    while let Some(node) = last.pop() {
        successors.remove(&node);
        for predecessor in predecessors.remove(&node).unwrap_or_default() {
            if let Some(count) = successors.get_mut(&predecessor) {
                *count -= 1;
                if *count == 0 {
                    last.push(predecessor);
                }
            }
        }
    }
    successors.into_keys().collect()
}
