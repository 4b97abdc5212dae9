//! Which arguments a function may return.
//!
//! Input: the graphs of all functions. Output: pairs of a function and an argument's number. A function
//! that is only declared may return all of them. Without this the memory that a function works in, and
//! that its caller passes, would look as if it was in use as long as the result.

use super::graph::{Graph, arguments};
use super::names::{definitions, flows, is_return};
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::func::{callee, entry_block, symbol_name};
use mlir_support::raw;
use std::collections::{HashMap, HashSet, VecDeque};

/// A function by the address of the module around it and its name in that.
pub type Function = (usize, String);

/// What the functions of a module return, and of modules in it.
pub struct Returned {
    defined: HashSet<Function>,
    returned: HashSet<(Function, usize)>,
}

impl Returned {
    /// Starts with nothing and goes on as long as a function turns out to return more.
    pub fn of<'c, 'a>(functions: &[(OperationRef<'c, 'a>, Graph<'c, 'a>)]) -> Self {
        let named = functions.iter();
        let names: Vec<_> =
            named.map(|(function, _)| (module_around(*function), symbol_name(function))).collect();
        let mut callers: HashMap<Function, Vec<usize>> = HashMap::new();
        for (number, (_, graph)) in functions.iter().enumerate() {
            for callee in graph.operations.iter().filter_map(|call| called(*call)) {
                callers.entry(callee).or_default().push(number);
            }
        }
        let defined = names.iter().cloned().collect();
        let mut all = Self { defined, returned: HashSet::new() };
        let mut pending: VecDeque<_> = (0..functions.len()).collect();
        let mut is_pending = vec![true; functions.len()];
        while let Some(number) = pending.pop_front() {
            is_pending[number] = false;
            let (function, graph) = &functions[number];
            let mut is_news = false;
            for argument in all.returned_by(*function, graph) {
                is_news |= all.returned.insert((names[number].clone(), argument));
            }
            let callers = callers.get(&names[number]).filter(|_| is_news);
            for caller in callers.into_iter().flatten() {
                if !std::mem::replace(&mut is_pending[*caller], true) {
                    pending.push_back(*caller);
                }
            }
        }
        all
    }

    /// Whether a result of a call may be this operand of it.
    pub fn may_be_result(&self, call: OperationRef, operand: usize) -> bool {
        match called(call) {
            Some(callee) => {
                !self.defined.contains(&callee) || self.returned.contains(&(callee, operand))
            }
            None => true,
        }
    }

    /// The arguments that a function may return, as far as is known.
    fn returned_by(&self, function: OperationRef, graph: &Graph) -> Vec<usize> {
        let returns = graph.operations.iter().filter(|operation| is_return(**operation));
        let returned: HashSet<_> =
            returns.flat_map(|operation| operation.operands()).map(raw::id).collect();
        let Some(block) = entry_block(function).filter(|_| !returned.is_empty()) else {
            return Vec::new();
        };
        let born = HashSet::new();
        let all = graph.operations.iter().map(|operation| definitions(*operation, &born, self));
        let flows = flows(graph, &all.collect::<Vec<_>>());
        let is_returned = |start: usize| {
            let mut seen = HashSet::from([start]);
            let mut pending = vec![start];
            while let Some(value) = pending.pop() {
                if returned.contains(&value) {
                    return true;
                }
                let next = flows.get(&value).into_iter().flatten().copied();
                pending.extend(next.filter(|next| seen.insert(*next)));
            }
            false
        };
        let arguments = arguments(block).into_iter().enumerate();
        arguments.filter(|(_, value)| is_returned(raw::id(*value))).map(|(at, _)| at).collect()
    }
}

/// The function that a call calls: its name means the one in the same module.
pub fn called(call: OperationRef) -> Option<Function> {
    Some((module_around(call), callee(&call)?))
}

/// The address of the innermost module around an operation.
pub fn module_around(operation: OperationRef) -> usize {
    let mut around =
        std::iter::successors(operation.parent_operation(), |at| at.parent_operation());
    let module = around.find(|at| raw::name(at).ends_with(".module"));
    module.map_or(0, raw::id)
}
