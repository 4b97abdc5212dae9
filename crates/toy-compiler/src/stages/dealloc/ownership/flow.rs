//! The possible sources of a buffer, through views, casts, branches, loops and calls.
//!
//! Input: functions on buffers. Output: [`Flow::sources`] of a value: the places where the buffer may have
//! been allocated or received. Invariant: the answer is never too small. Each result of an unknown operation
//! may be any of its operands and any value that a terminator of its regions passes.

use crate::dialect::ops;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::control_flow::{result_number, terminators};
use mlir_support::{buffers, ir};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One possible source of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A `memref.alloc` (its address) of the same function.
    Allocated(usize),
    /// An operation that transfers ownership of its result, such as a call (its address).
    Owned(usize),
    /// An argument of the function.
    Argument(usize),
    /// Neither owned nor an argument: a global, the stack, or loaded from memory.
    Foreign,
}

/// The possible sources of one result of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Summary {
    owned: bool,
    foreign: bool,
    arguments: BTreeSet<usize>,
}

/// The functions of a module that have a body.
pub struct Flow<'c, 'a> {
    pub functions: Vec<Function<'c, 'a>>,
    by_name: HashMap<String, usize>,
    summaries: HashMap<String, Vec<Summary>>,
}

pub struct Function<'c, 'a> {
    pub operation: OperationRef<'c, 'a>,
    pub name: String,
    /// All nested operations, in pre-order.
    pub operations: Vec<OperationRef<'c, 'a>>,
    /// True if it may have callers outside of the module, or indirect ones.
    pub is_exported: bool,
}

impl<'c, 'a> Function<'c, 'a> {
    /// The operands of all its `func.return`s, by result.
    pub fn returned(&self) -> BTreeMap<usize, Vec<Value<'c, 'a>>> {
        let mut returned: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for operation in &self.operations {
            if ir::name(operation) == "func.return" {
                for (index, value) in operation.operands().enumerate() {
                    if is_buffer(value) {
                        returned.entry(index).or_default().push(value);
                    }
                }
            }
        }
        returned
    }
}

impl<'c, 'a> Flow<'c, 'a> {
    pub fn new(functions: Vec<Function<'c, 'a>>) -> Self {
        let by_name = functions.iter().enumerate().map(|(at, f)| (f.name.clone(), at)).collect();
        let mut flow = Self { functions, by_name, summaries: HashMap::new() };
        flow.summarize();
        flow
    }

    /// The callee of an operation, if it is a function of the module with a body.
    pub fn callee(&self, call: &OperationRef) -> Option<&Function<'c, 'a>> {
        let name = ops::callee(call).filter(|_| ir::name(call) == "func.call")?;
        self.by_name.get(&name).map(|at| &self.functions[*at])
    }

    /// Computes the summaries as a fixed point, because functions may be recursive.
    fn summarize(&mut self) {
        let returned: Vec<_> = self.functions.iter().map(Function::returned).collect();
        for function in &self.functions {
            let count = ops::function_type(&function.operation).map_or(0, |ty| ty.result_count());
            // By convention, the caller of a public function owns the results.
            let owned = function.is_exported;
            let summary = Summary { owned, ..Summary::default() };
            self.summaries.insert(function.name.clone(), vec![summary; count]);
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (at, returned) in returned.iter().enumerate() {
                let function = &self.functions[at];
                for (index, values) in returned.iter().filter(|_| !function.is_exported) {
                    let mut summary = Summary::default();
                    for source in values.iter().flat_map(|value| self.sources(*value)) {
                        match source {
                            Source::Allocated(_) | Source::Owned(_) => summary.owned = true,
                            Source::Argument(number) => _ = summary.arguments.insert(number),
                            Source::Foreign => summary.foreign = true,
                        }
                    }
                    let known = self.summaries.get_mut(&function.name);
                    let Some(known) = known.and_then(|known| known.get_mut(*index)) else {
                        continue;
                    };
                    changed |= *known != summary;
                    *known = summary;
                }
            }
        }
    }

    /// The possible sources of the buffer that a value refers to.
    pub fn sources(&self, value: Value<'c, 'a>) -> BTreeSet<Source> {
        let mut sources = BTreeSet::new();
        buffers::trace(value, |value| {
            let mut inputs = self.step(value, &mut sources);
            inputs.retain(|input| is_buffer(*input));
            inputs
        });
        sources
    }

    /// One step backward: the values that a value may be equal to. Adds its own source.
    fn step(&self, value: Value<'c, 'a>, sources: &mut BTreeSet<Source>) -> Vec<Value<'c, 'a>> {
        let inputs = buffers::sources(value);
        let Some(operation) = ir::defining_operation(value) else {
            return inputs.unwrap_or_else(|| step_argument(value, sources));
        };
        let address = ir::id(operation);
        match ir::name(&operation) {
            "memref.alloc" => _ = sources.insert(Source::Allocated(address)),
            "memref.alloca" | "memref.get_global" | "memref.load" => {
                sources.insert(Source::Foreign);
            }
            // The result is a new buffer that replaces the operand.
            "memref.realloc" | "bufferization.clone" => {
                sources.insert(Source::Owned(address));
                return operation.operands().collect();
            }
            "func.call" => {
                let summaries = ops::callee(&operation).and_then(|name| self.summaries.get(&name));
                let index = result_number(operation, value);
                let Some(summary) = summaries.zip(index).and_then(|(all, at)| all.get(at)) else {
                    sources.insert(Source::Owned(address));
                    return vec![];
                };
                sources.extend(summary.owned.then_some(Source::Owned(address)));
                sources.extend(summary.foreign.then_some(Source::Foreign));
                let arguments = summary.arguments.iter();
                return arguments.filter_map(|at| ir::operand_if_any(operation, *at)).collect();
            }
            "func.call_indirect" => _ = sources.insert(Source::Owned(address)),
            _ => {
                let inputs = inputs.unwrap_or_else(|| all_inputs(operation));
                // It has no buffer operand: it is made from a pointer, for example.
                if inputs.is_empty() {
                    sources.insert(Source::Foreign);
                }
                return inputs;
            }
        }
        vec![]
    }
}

/// One step backward from an argument of a function, or of a block whose predecessors are not known.
fn step_argument<'c: 'a, 'a>(
    value: Value<'c, 'a>,
    sources: &mut BTreeSet<Source>,
) -> Vec<Value<'c, 'a>> {
    match ir::home(value) {
        // Any buffer operand of any branch to this block: which operand becomes which argument depends on the branch.
        Some(home) if home.block > 0 => {
            let last = |block| ir::block_operations(block).last().copied();
            home.blocks.into_iter().filter_map(last).flat_map(all_inputs).collect()
        }
        Some(home) if ops::is_function(&home.parent) => {
            sources.insert(Source::Argument(home.argument));
            vec![]
        }
        home => home.map(|home| all_inputs(home.parent)).unwrap_or_default(),
    }
}

/// The buffer operands of an operation and of its regions' terminators.
fn all_inputs<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let regions = 0..operation.region_count();
    let ends = regions.flat_map(|region| terminators(operation, region));
    let inputs = ends.flat_map(|end| end.operands().collect::<Vec<_>>());
    operation.operands().chain(inputs).filter(|value| is_buffer(*value)).collect()
}

pub fn is_buffer(value: Value) -> bool {
    ops::is_buffer(value.r#type())
}
