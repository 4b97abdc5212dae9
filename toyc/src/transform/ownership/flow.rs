//! Where a buffer may come from: through views, casts, branches, loops and calls.
//!
//! Input: functions on buffers. Output: [`Flow::sources`] of a value, the places where what it
//! refers to may have been allocated or taken over from. Invariant: the answer is never too small. What an operation
//! is not known for, it may do: each of its results may be any of its operands and anything that
//! one of its regions ends with.

use crate::dialect::ops;
use crate::mlir::raw;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, Value, ValueLike};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// One place that a buffer may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A `memref.alloc` (its address) of the same function.
    Allocated(usize),
    /// Something that hands over what it returns to its user, such as a call (its address).
    Owned(usize),
    /// An argument of the function.
    Argument(usize),
    /// Neither owned nor from an argument: a global, the stack, memory.
    Foreign,
}

/// What a function returns as one of its results.
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
    /// Everything inside, outer operations before inner ones.
    pub operations: Vec<OperationRef<'c, 'a>>,
    /// Whether it may be called from where this pass cannot look.
    pub is_exported: bool,
}

impl<'c, 'a> Function<'c, 'a> {
    /// The operands of its `func.return`s, together for each result.
    pub fn returned(&self) -> BTreeMap<usize, Vec<Value<'c, 'a>>> {
        let mut returned: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for operation in &self.operations {
            if raw::name(operation) == "func.return" {
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

    /// The function of the module, with a body, that an operation calls.
    pub fn callee(&self, call: &OperationRef) -> Option<&Function<'c, 'a>> {
        let name = ops::callee(call).filter(|_| raw::name(call) == "func.call")?;
        self.by_name.get(&name).map(|at| &self.functions[*at])
    }

    /// Grows the summaries until they are right for recursive functions as well.
    fn summarize(&mut self) {
        let returned: Vec<_> = self.functions.iter().map(Function::returned).collect();
        for function in &self.functions {
            let count = ops::function_type(&function.operation).map_or(0, |ty| ty.result_count());
            // By the convention for functions that others may call, the caller owns what they return.
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

    /// Where the buffer may come from that a value refers to.
    pub fn sources(&self, value: Value<'c, 'a>) -> BTreeSet<Source> {
        let mut sources = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut stack = vec![value];
        while let Some(value) = stack.pop() {
            if is_buffer(value) && seen.insert(key(value)) {
                self.step(value, &mut stack, &mut sources);
            }
        }
        sources
    }

    /// Adds what a value is taken from, or its source.
    fn step(
        &self,
        value: Value<'c, 'a>,
        stack: &mut Vec<Value<'c, 'a>>,
        sources: &mut BTreeSet<Source>,
    ) {
        let Some(operation) = raw::defining_operation(value) else {
            return step_argument(value, stack, sources);
        };
        let index = operation.results().position(|result| key(result.into()) == key(value));
        let index = index.unwrap_or(0);
        let address = operation.to_raw().ptr as usize;
        match raw::name(&operation) {
            "memref.alloc" => _ = sources.insert(Source::Allocated(address)),
            "memref.alloca" | "memref.get_global" | "memref.load" => {
                sources.insert(Source::Foreign);
            }
            // What it allocates replaces what it is given.
            "memref.realloc" | "bufferization.clone" => {
                sources.insert(Source::Owned(address));
                stack.extend(operation.operands());
            }
            "func.call" => {
                let summaries = ops::callee(&operation).and_then(|name| self.summaries.get(&name));
                let Some(summary) = summaries.and_then(|all| all.get(index)) else {
                    sources.insert(Source::Owned(address));
                    return;
                };
                if summary.owned {
                    sources.insert(Source::Owned(address));
                }
                if summary.foreign {
                    sources.insert(Source::Foreign);
                }
                let arguments = summary.arguments.iter();
                stack.extend(arguments.filter_map(|number| operation.operand(*number).ok()));
            }
            "func.call_indirect" => _ = sources.insert(Source::Owned(address)),
            "scf.for" => {
                stack.extend(operation.operand(3 + index));
                stack.extend(ends(operation, 0).filter_map(|end| end.operand(index).ok()));
            }
            "scf.while" => {
                stack.extend(ends(operation, 0).filter_map(|end| end.operand(1 + index).ok()));
            }
            "scf.if" | "scf.index_switch" | "scf.execute_region" | "memref.alloca_scope" => {
                let regions = 0..operation.region_count();
                let ends = regions.flat_map(|region| ends(operation, region));
                stack.extend(ends.filter_map(|end| end.operand(index).ok()));
            }
            _ => {
                let before = stack.len();
                stack.extend(all_inputs(operation));
                // Made of something else, such as a pointer.
                if stack.len() == before {
                    sources.insert(Source::Foreign);
                }
            }
        }
    }
}

/// The same for an argument of a block.
fn step_argument<'c: 'a, 'a>(
    value: Value<'c, 'a>,
    stack: &mut Vec<Value<'c, 'a>>,
    sources: &mut BTreeSet<Source>,
) {
    let Some(raw::Home { parent, region, block: at, blocks, argument: number }) = raw::home(value)
    else {
        return;
    };
    if at > 0 {
        // Any branch to this block; which operand becomes which argument, only the branch knows.
        let last = |block| raw::block_operations(block).last().copied();
        stack.extend(blocks.into_iter().filter_map(last).flat_map(all_inputs));
        return;
    }
    match raw::name(&parent) {
        "func.func" => _ = sources.insert(Source::Argument(number)),
        "scf.for" if number > 0 => {
            stack.extend(parent.operand(2 + number));
            stack.extend(ends(parent, 0).filter_map(|end| end.operand(number - 1).ok()));
        }
        "scf.while" if region == 0 => {
            stack.extend(parent.operand(number));
            stack.extend(ends(parent, 1).filter_map(|end| end.operand(number).ok()));
        }
        "scf.while" => {
            stack.extend(ends(parent, 0).filter_map(|end| end.operand(1 + number).ok()));
        }
        _ => stack.extend(all_inputs(parent)),
    }
}

/// The operations that end a region: the last ones of its blocks that do not branch to another one.
fn ends<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    region: usize,
) -> impl Iterator<Item = OperationRef<'c, 'a>> {
    let blocks: Vec<BlockRef> = raw::blocks_of(operation, region);
    let last = |block: BlockRef<'c, 'a>| raw::block_operations(block).last().copied();
    blocks.into_iter().filter_map(last).filter(|end| end.successor_count() == 0)
}

/// The buffers that go into an operation, and those that its regions end with.
fn all_inputs<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let regions = 0..operation.region_count();
    let ends = regions.flat_map(|region| ends(operation, region));
    let inputs = ends.flat_map(|end| end.operands().collect::<Vec<_>>());
    operation.operands().chain(inputs).filter(|value| is_buffer(*value)).collect()
}

pub fn is_buffer(value: Value) -> bool {
    ops::is_buffer(value.r#type())
}

fn key(value: Value) -> usize {
    value.to_raw().ptr as usize
}
