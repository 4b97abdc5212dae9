//! The arguments that a function may return.
//!
//! Input: the graphs of all functions. Output: pairs of a function and an argument's number. A function that is only
//! declared may return all of them. Without this the memory that a function works in, and that its caller passes, would
//! seem to be in use as long as the result. So [`definitions`] and [`flows`], the paths of a function's values, depend
//! on the values that its callees return.

use super::bits::solve;
use super::graph::{self, Graph, arguments};
use melior::ir::Value;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::func::{callee, entry_block, symbol_name};
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// A function by the address of the module around it and its name in that.
pub type Function = (usize, String);

/// The arguments that the functions of a module return, and of modules in it.
pub struct Returned {
    defined: HashSet<Function>,
    returned: HashSet<(Function, usize)>,
}

impl Returned {
    /// Starts with nothing and repeats while a function turns out to return more.
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
        solve(functions.len(), 0.., |number, again| {
            let (function, graph) = &functions[number];
            let mut is_news = false;
            for argument in all.returned_by(*function, graph) {
                is_news |= all.returned.insert((names[number].clone(), argument));
            }
            let callers = callers.get(&names[number]).filter(|_| is_news);
            callers.into_iter().flatten().for_each(|caller| again(*caller));
        });
        all
    }

    /// True if a result of a call may be this operand of it.
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
            returns.flat_map(|operation| operation.operands()).map(ir::id).collect();
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
        arguments.filter(|(_, value)| is_returned(ir::id(*value))).map(|(at, _)| at).collect()
    }
}

/// Results of an operation, each with the operands that it may be.
pub type Definitions<'c, 'a> = Vec<(Value<'c, 'a>, Vec<Value<'c, 'a>>)>;

/// The results of an operation that may be one of its operands. Results of an operation with regions are arguments of
/// the code after it.
pub fn definitions<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    born: &HashSet<usize>,
    returned: &Returned,
) -> Definitions<'c, 'a> {
    if operation.region_count() > 0 {
        return Vec::new();
    }
    let results = graph::buffers(operation.results().map(Value::from)).into_iter();
    let sources = |result: Value| match ir::name(&operation) {
        // A new buffer.
        _ if born.contains(&ir::id(result)) => Vec::new(),
        // The other operand is the shape.
        "memref.reshape" => operation.operands().take(1).collect(),
        "func.call" => {
            let operands = operation.operands().enumerate();
            let all = operands.filter(|(at, _)| returned.may_be_result(operation, *at));
            graph::buffers(all.map(|(_, operand)| operand))
        }
        _ => graph::buffers(operation.operands()),
    };
    results.map(|result| (result, sources(result))).collect()
}

/// The values that each value may become, by addresses.
pub fn flows(graph: &Graph, definitions: &[Definitions]) -> HashMap<usize, Vec<usize>> {
    let mut flows: HashMap<usize, Vec<usize>> = HashMap::new();
    for (to, from) in definitions.iter().flatten() {
        for from in from {
            flows.entry(ir::id(*from)).or_default().push(ir::id(*to));
        }
    }
    let edges = graph.nodes.iter().flat_map(|node| &node.next);
    for (to, from) in edges.flat_map(|edge| &edge.passes) {
        flows.entry(ir::id(*from)).or_default().push(ir::id(*to));
    }
    flows
}

/// True if an operation ends a function.
pub fn is_return(operation: OperationRef) -> bool {
    ["func.return", "gpu.return"].contains(&ir::name(&operation))
}

/// The function that a call calls: its name means the one in the same module.
pub fn called(call: OperationRef) -> Option<Function> {
    Some((module_around(call), callee(&call)?))
}

/// The address of the innermost module around an operation.
pub fn module_around(operation: OperationRef) -> usize {
    let mut around =
        std::iter::successors(operation.parent_operation(), |at| at.parent_operation());
    let module = around.find(|at| ir::name(at).ends_with(".module"));
    module.map_or(0, ir::id)
}
