//! Accesses to a destination by other operations.
//!
//! Input: a destination and a range of operations. Output: true if certainly none of them accesses it, except for the
//! chain that is computed in it. Deny by default: an operation that is not in the tables accesses everything.

use super::chain::Chain;
use super::{MATERIALIZE, Text};
use crate::analysis::alias::may_overlap;
use crate::analysis::tensor_roots::{Roots, is_tensor};
use crate::dialect::enums::is_mathematics;
use crate::dialect::ops;
use crate::stages::memref::own_outs::element_wise;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::control_flow::initial;
use mlir_support::{buffers, ir};
use std::collections::HashSet;

/// The most operations to inspect for one destination.
const MOST: usize = 1000;

pub struct Destination<'c, 'a> {
    pub value: Value<'c, 'a>,
    /// False for a tensor.
    pub is_buffer: bool,
}

impl<'c: 'a, 'a> Destination<'c, 'a> {
    /// True if only the chain accesses the destination while its result is needed.
    pub fn is_free(
        &self,
        text: &Text<'c, 'a, '_>,
        materialize: OperationRef<'c, 'a>,
        chain: &Chain<'c, 'a>,
    ) -> bool {
        let mut range = chain.range.clone();
        if !self.is_buffer
            && let Some(last) = text.number(materialize)
        {
            // Later operations read the result, and One-Shot keeps track of that.
            range.end = last;
        }
        if range.len() > MOST {
            return false;
        }
        let Some(operations) = text.operations.get(range.clone()) else { return false };
        // Tensors that are in no buffer of the function are not in this one.
        let reads_buffers = !self.is_buffer
            || text.buffers.len() > MOST
            || text.buffers.iter().any(|buffer| may_overlap(*buffer, self.value, true));
        let own = Roots::of(self.value);
        let is_outside =
            |loop_: OperationRef| !text.number(loop_).is_some_and(|number| range.contains(&number));
        operations.iter().filter(|other| ir::id(**other) != ir::id(materialize)).all(|other| {
            self.leaves_alone(text, *other)
                && other.operands().enumerate().all(|(at, operand)| {
                    if is_tensor(&operand) {
                        !reads_buffers
                            || self.is_read_where_written(*other, at, chain)
                            || self.is_not_in(operand, &own, &is_outside)
                    } else {
                        !self.is_buffer
                            || !ops::is_buffer(operand.r#type())
                            || is_name_only(*other)
                            || !may_overlap(operand, self.value, ir::name(other) == MATERIALIZE)
                    }
                })
        })
    }

    /// True if an operation that begins the chain reads each element of the destination before it writes that element.
    fn is_read_where_written(
        &self,
        operation: OperationRef<'c, 'a>,
        at: usize,
        chain: &Chain<'c, 'a>,
    ) -> bool {
        let tensor = ir::operand(operation, at);
        let whole = match ir::defining_operation(tensor) {
            Some(tensor) if ir::name(&tensor) == "bufferization.to_tensor" => {
                tensor.operand(0).ok()
            }
            _ => Some(tensor),
        };
        whole.is_some_and(|whole| ir::id(whole) == ir::id(self.value))
            && chain.starts.iter().any(|(start, _)| ir::id(*start) == ir::id(operation))
            && element_wise(operation).is_some_and(|(_, same)| same.contains(&at))
    }

    /// True if a tensor is in other memory.
    fn is_not_in(
        &self,
        tensor: Value<'c, 'a>,
        own: &Roots<'c, 'a>,
        is_outside: &dyn Fn(OperationRef) -> bool,
    ) -> bool {
        let mut pending = vec![tensor];
        let mut seen = HashSet::new();
        while let Some(tensor) = pending.pop() {
            if !seen.insert(ir::id(tensor)) {
                continue;
            }
            let roots = Roots::of(tensor);
            if roots.is_unknown || own.is_unknown || seen.len() > MOST {
                return false;
            }
            for root in roots.values {
                let is_own = if self.is_buffer {
                    ops::is_buffer(root.r#type()) && may_overlap(root, self.value, true)
                } else {
                    own.values.iter().any(|own| ir::id(*own) == ir::id(root))
                };
                if is_own {
                    return false;
                }
                let Some(home) = ir::home(root).filter(|home| !ops::is_function(&home.parent))
                else {
                    continue;
                };
                // In a loop of the range, later carried values are operands of operations in the range, too.
                let is_known = ["scf.for", "scf.forall"].contains(&ir::name(&home.parent));
                let before = initial(root).filter(|_| is_known && !is_outside(home.parent));
                let Some(before) = before else { return false };
                pending.push(before);
            }
        }
        true
    }

    /// True if an operation accesses only the memory of its operands.
    fn leaves_alone(&self, text: &Text, operation: OperationRef) -> bool {
        const OTHERS: [&str; 2] = ["cf.assert", "func.return"];
        const DIALECTS: [&str; 5] = ["affine", "bufferization", "index", "memref", "vector"];
        let name = ir::name(&operation);
        !self.is_buffer
            || is_of_tensors(name)
            || DIALECTS.contains(&dialect(name))
            || OTHERS.contains(&name)
            || ops::callee(&operation).is_some_and(|callee| text.isolated.contains(&callee))
    }
}

/// True for operations that access only the memory of their operands.
fn is_of_tensors(name: &str) -> bool {
    ["arith", "linalg", "math", "scf", "tensor"].contains(&dialect(name)) || is_mathematics(name)
}

fn dialect(name: &str) -> &str {
    name.split('.').next().unwrap_or("")
}

/// True if a function accesses only the memory of its tensors.
pub fn computes_tensors(function: OperationRef) -> bool {
    let others = |inner: OperationRef| {
        let name = ir::name(&inner);
        !is_of_tensors(name) && name != "func.return"
    };
    ops::entry_block(function).is_some() && !ir::any(function, others)
}

/// True if an operation makes a view of memory, with the same elements in it, and accesses no other memory.
pub fn is_view(operation: OperationRef) -> bool {
    let is_memory = |value: Value| ops::is_buffer(value.r#type()) || is_tensor(&value);
    buffers::view_source(operation).is_some() && !operation.operands().skip(1).any(is_memory)
}

/// True if an operation names memory without accessing it. Tensors are followed where they are used.
fn is_name_only(operation: OperationRef) -> bool {
    let name = ir::name(&operation);
    is_view(operation) || ["bufferization.to_tensor", "memref.dim"].contains(&name)
}
