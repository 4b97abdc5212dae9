//! The arguments that functions divide into buffers, as merge-alloc's call trees do.
//!
//! Input: the graphs of all functions. Output: pairs of a function and an argument's number: the function looks
//! into it with `memref.view`, or passes it to a function that does. Two calls of it that run at once need two
//! allocations. A function that is only declared divides nothing.

use super::graph::{Graph, arguments};
use super::returned::{Function, called, module_around};
use melior::ir::Value;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::func::{entry_block, symbol_name};
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// The arguments that functions of a module, and of modules in it, divide.
pub struct Workspaces(HashSet<(Function, usize)>);

impl Workspaces {
    pub fn of<'c, 'a>(functions: &[(OperationRef<'c, 'a>, Graph<'c, 'a>)]) -> Self {
        let mut pending = Vec::new();
        // For an argument of a callee, the arguments of callers that are passed for it.
        let mut passed: HashMap<_, Vec<_>> = HashMap::new();
        for (function, graph) in functions {
            let name = (module_around(*function), symbol_name(function));
            let arguments = entry_block(*function).map(arguments).unwrap_or_default();
            let numbers = arguments.iter().enumerate().map(|(number, it)| (ir::id(*it), number));
            let numbers: HashMap<_, _> = numbers.collect();
            let own = |value| {
                let number = numbers.get(&ir::id(without_casts(value)))?;
                Some((name.clone(), *number))
            };
            for operation in &graph.operations {
                if ir::name(operation) == "memref.view" {
                    pending.extend(own(ir::operand(*operation, 0)));
                } else if let Some(callee) = called(*operation) {
                    for (number, value) in operation.operands().enumerate() {
                        let passed = passed.entry((callee.clone(), number)).or_default();
                        passed.extend(own(value));
                    }
                }
            }
        }
        let mut all = HashSet::new();
        while let Some(argument) = pending.pop() {
            pending.extend(passed.remove(&argument).into_iter().flatten());
            all.insert(argument);
        }
        Self(all)
    }

    /// True if an operation is a call of a function that divides this operand.
    pub fn is_divided(&self, operation: OperationRef, operand: usize) -> bool {
        called(operation).is_some_and(|callee| self.0.contains(&(callee, operand)))
    }

    /// The values, by their addresses, that a function divides into buffers or passes to a function that does.
    pub fn divided_by(&self, graph: &Graph) -> HashSet<usize> {
        let mut divided = HashSet::new();
        for operation in &graph.operations {
            for (number, value) in operation.operands().enumerate() {
                let is_viewed = number == 0 && ir::name(operation) == "memref.view";
                if is_viewed {
                    divided.insert(ir::id(value));
                } else if self.is_divided(*operation, number) {
                    divided.insert(ir::id(without_casts(value)));
                }
            }
        }
        divided
    }
}

fn without_casts<'c: 'a, 'a>(mut value: Value<'c, 'a>) -> Value<'c, 'a> {
    while let Some(cast) = ir::defining_operation(value)
        && ir::name(&cast) == "memref.cast"
    {
        value = ir::operand(cast, 0);
    }
    value
}
