//! Splits large functions: a body of thousands of operations becomes a chain of calls of functions
//! of at most [`LIMIT`] operations each.
//!
//! Input and output: a Toy module whose values are all ranked. Why: several of upstream's passes
//! take time or memory quadratic in the size of one block. One-Shot Bufferize and the deallocation
//! passes do in its operations, and SCF to control flow does in its loops (6.8 GB for 4,000 in
//! LLVM 22). In bounded blocks all of them are linear in the size of the program.
//!
//! A part gets the values it uses as parameters and returns the values used after it. Constants
//! are copied into each part that uses them instead. If the calls are still too many, they are
//! split again, so that the depth is logarithmic. Before that, [`super::schedule`] moves
//! computations towards their uses, so that few values cross a cut. What is written in linalg is split by
//! [`super::outline_tensors`].
//!
//! Tutorial: chapter 7.

use crate::diagnostic::Diagnosed;
use crate::dialect::ops::{self, Kind};
use crate::mlir::pass::PassContext;
use crate::mlir::raw;
use crate::transform::purity::Purity;
use crate::transform::schedule;
use melior::Context;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{Block, BlockLike, Location, Module, Operation, Type, Value, ValueLike};
use std::collections::{HashMap, HashSet};

/// The most operations of one block, constants not counted. Measured: smaller costs calls, larger
/// costs time in the quadratic passes; the total is flat between 50 and 200.
const LIMIT: usize = 100;

/// The pass.
pub fn run(context: &PassContext, module: &Module) -> Diagnosed<()> {
    let context = context.session.context();
    let purity = Purity::of(module);
    for function in raw::block_operations(module.body()) {
        if ops::is_function(&function) {
            let name = ops::symbol_name(&function);
            let mut parts = 0;
            for block in raw::blocks(function) {
                let operations = raw::block_operations(block);
                if operations.len() > LIMIT && operations.iter().all(is_movable_or_return) {
                    schedule::sink(block, &operations, &purity);
                }
            }
            while split(context, module, function, &name, &mut parts) {}
        }
    }
    Ok(())
}

/// Splits the body of a function into calls if it is too large. False: nothing (more) to do.
fn split<'c>(
    context: &'c Context,
    module: &Module<'c>,
    function: OperationRef<'c, '_>,
    name: &str,
    parts: &mut usize,
) -> bool {
    let blocks = raw::blocks(function);
    let [block] = blocks.as_slice() else { return false };
    let operations = raw::block_operations(*block);
    let Some((_terminator, body)) = operations.split_last() else { return false };
    let body: Vec<_> = body.iter().copied().filter(|op| !is_constant(*op)).collect();
    if body.len() <= LIMIT || !operations.iter().all(is_movable_or_return) {
        return false;
    }
    for chunk in body.chunks(LIMIT) {
        let symbol = format!("{name}$part{parts}");
        *parts += 1;
        module.body().append_operation(outline(context, chunk, &symbol));
    }
    for operation in raw::block_operations(*block) {
        if is_constant(operation) && !raw::has_uses(ops::result(operation)) {
            raw::erase(operation);
        }
    }
    true
}

/// Only what we know to be free of regions and of values that are not tensors.
fn is_movable_or_return(operation: &OperationRef) -> bool {
    Kind::of(operation).is_some()
        || ["func.call", "func.return", "tensor.concat"].contains(&raw::name(operation))
}

/// Moves consecutive operations of a block, with all that is nested in them, into a new function, the result, and leaves a
/// call of it behind.
pub fn outline<'c>(
    context: &'c Context,
    chunk: &[OperationRef<'c, '_>],
    symbol: &str,
) -> Operation<'c> {
    let location = chunk[0].location();
    let Crossing { parameters, constants, results } = Crossing::of(chunk);

    // The call first, while the chunk still marks its place.
    let result_types: Vec<Type> = results.iter().map(|(value, _)| value.r#type()).collect();
    let call = ops::call(context, location, symbol, &parameters, &result_types);
    let block = chunk[0].block().expect("the chunk is in a block");
    let call = block.insert_operation_before(chunk[0], call);
    for ((value, users), replacement) in results.iter().zip(call.results()) {
        for user in users {
            raw::mutable(*user).replace_uses_of_with(*value, raw::value_of(replacement.into()));
        }
    }

    let arguments: Vec<(Type, Location)> =
        parameters.iter().map(|value| (value.r#type(), value.location())).collect();
    let body = Block::new(&arguments);
    let mut mapping: HashMap<_, Value> = HashMap::new();
    for (index, parameter) in parameters.iter().enumerate() {
        mapping.insert(key(*parameter), body.argument(index).expect("a parameter").into());
    }
    for constant in constants {
        let Some(definition) = raw::defining_operation(constant) else { continue };
        let copy = body.append_operation(raw::clone(definition));
        mapping.insert(key(constant), raw::value_of(ops::result(copy)));
    }
    for operation in chunk {
        let operation = body.append_operation(raw::detach(*operation));
        for operation in [vec![operation], raw::operations(operation)].concat() {
            for index in 0..operation.operand_count() {
                let operand = operation.operand(index).expect("within the count");
                if let Some(value) = mapping.get(&key(operand)) {
                    raw::mutable(operation).set_operand(index, raw::value_of(*value));
                }
            }
        }
    }
    let returned: Vec<Value> = results.iter().map(|(value, _)| *value).collect();
    body.append_operation(ops::return_op(location, &returned));
    let inputs: Vec<Type> = arguments.iter().map(|(r#type, _)| *r#type).collect();
    let r#type = FunctionType::new(context, &inputs, &result_types);
    ops::function(context, location, symbol, r#type, Some(body), true)
}

/// The values on the borders of a chunk.
pub struct Crossing<'c, 'a> {
    /// What is defined before it, without constants.
    pub parameters: Vec<Value<'c, 'a>>,
    constants: Vec<Value<'c, 'a>>,
    /// What is used after it, and by which operations.
    pub results: Vec<(Value<'c, 'a>, Vec<OperationRef<'c, 'a>>)>,
}

impl<'c: 'a, 'a> Crossing<'c, 'a> {
    pub fn of(chunk: &[OperationRef<'c, 'a>]) -> Self {
        let all: Vec<_> = chunk
            .iter()
            .flat_map(|operation| [vec![*operation], raw::operations(*operation)].concat())
            .collect();
        let inside: HashSet<_> = all.iter().map(|operation| operation.to_raw().ptr).collect();
        let is_inside = |operation: &OperationRef| inside.contains(&operation.to_raw().ptr);
        let mut parameters: Vec<Value> = Vec::new();
        let mut constants: Vec<Value> = Vec::new();
        let mut seen = HashSet::new();
        for operand in all.iter().flat_map(|operation| operation.operands()) {
            let definition = raw::defining_operation(operand);
            let home = definition.or_else(|| raw::argument_block(operand).parent_operation());
            if home.is_some_and(|home| is_inside(&home)) || !seen.insert(key(operand)) {
                continue;
            }
            let list = match definition {
                Some(op) if is_constant(op) => &mut constants,
                _ => &mut parameters,
            };
            list.push(operand);
        }
        let results = chunk
            .iter()
            .flat_map(|operation| operation.results())
            .map(|result| {
                let users = raw::users(result.into());
                (result.into(), users.into_iter().filter(|user| !is_inside(user)).collect())
            })
            .filter(|(_, users): &(Value, Vec<OperationRef>)| !users.is_empty())
            .collect();
        Self { parameters, constants, results }
    }
}

/// What is copied rather than passed on: it needs nothing and has no contents that a write could change.
pub fn is_constant(operation: OperationRef) -> bool {
    let is_new = || raw::name(&operation) == "tensor.empty" && operation.operand_count() == 0;
    Kind::of(&operation) == Some(Kind::Constant)
        || raw::name(&operation) == "arith.constant"
        || is_new()
}

fn key(value: Value) -> usize {
    value.to_raw().ptr as usize
}
