//! Moves consecutive operations into a new function.
//!
//! Input: a chunk of operations of one block. Output: a function with their copy, and a call that replaces
//! them. The function takes the values that the chunk uses as parameters and returns the values that are used
//! after it. Constants, and tensors without contents, are copied into the function instead.

use crate::dialect::ops::{self, Kind};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{Block, BlockLike, Location, Operation, Type, Value, ValueLike};
use mlir_support::Builder;
use mlir_support::{constants, ir, raw};
use std::collections::{HashMap, HashSet};

/// The result of [`outline`].
pub struct Outlined<'c, 'a> {
    /// The new function; the caller puts it into the module.
    pub function: Operation<'c>,
    /// Its call, where the chunk was.
    pub call: OperationRef<'c, 'a>,
    /// The values of the chunk that the results of the call replace, in order.
    pub results: Vec<Value<'c, 'a>>,
}

/// Moves consecutive operations of a block, including nested ones, into a new function, and replaces them
/// by a call. `about` makes the operations that the function begins with for each of its parameters;
/// their first operand is replaced by the parameter.
pub fn outline<'c, 'a>(
    context: &'c Context,
    chunk: &[OperationRef<'c, 'a>],
    symbol: &str,
    about: impl Fn(Value<'c, '_>) -> Vec<Operation<'c>>,
) -> Outlined<'c, 'a> {
    let location = chunk[0].location();
    let end = chunk.last().map_or(location, |last| last.location());
    let Crossing { parameters, constants, results } = Crossing::of(chunk);

    // The call first, while the chunk still marks the insertion point.
    let result_types: Vec<Type> = results.iter().map(|(value, _)| value.r#type()).collect();
    let call = Builder::before(context, chunk[0]).call(symbol, &parameters, &result_types);
    for ((value, users), replacement) in results.iter().zip(call.results()) {
        for user in users {
            ir::mutable(*user).replace_uses_of_with(*value, replacement.into());
        }
    }

    let arguments: Vec<(Type, Location)> =
        parameters.iter().map(|value| (value.r#type(), value.location())).collect();
    let body = Block::new(&arguments);
    let mut mapping: HashMap<_, Value> = HashMap::new();
    for (index, parameter) in parameters.iter().enumerate() {
        mapping.insert(ir::id(*parameter), body.argument(index).expect("a parameter").into());
    }
    for constant in &constants {
        let Some(definition) = ir::defining_operation(*constant) else { continue };
        let copy = body.append_operation(ir::clone(definition));
        mapping.insert(ir::id(*constant), ops::result(copy));
    }
    for value in parameters.iter().chain(&constants) {
        for first in about(*value) {
            let first = body.append_operation(first);
            ir::mutable(first).set_operand(0, mapping[&ir::id(*value)]);
        }
    }
    for operation in chunk {
        // SAFETY: the caller inserts the function with this body into the same module.
        let operation = body.append_operation(unsafe { raw::detach(*operation) });
        for operation in [vec![operation], ir::operations(operation)].concat() {
            for index in 0..operation.operand_count() {
                let operand = operation.operand(index).expect("within the count");
                if let Some(value) = mapping.get(&ir::id(operand)) {
                    ir::mutable(operation).set_operand(index, *value);
                }
            }
        }
    }
    let returned: Vec<Value> = results.iter().map(|(value, _)| *value).collect();
    body.append_operation(ops::return_op(end, &returned));
    let inputs: Vec<Type> = arguments.iter().map(|(ty, _)| *ty).collect();
    let ty = FunctionType::new(context, &inputs, &result_types);
    let function = ops::function(context, location, symbol, ty, Some(body), true);
    Outlined { function, call, results: returned }
}

/// The values that cross the boundaries of a chunk.
pub struct Crossing<'c, 'a> {
    /// The values defined before it, without constants.
    pub parameters: Vec<Value<'c, 'a>>,
    constants: Vec<Value<'c, 'a>>,
    /// The values used after it, with their users.
    pub results: Vec<(Value<'c, 'a>, Vec<OperationRef<'c, 'a>>)>,
}

impl<'c: 'a, 'a> Crossing<'c, 'a> {
    pub fn of(chunk: &[OperationRef<'c, 'a>]) -> Self {
        let all: Vec<_> = chunk
            .iter()
            .flat_map(|operation| [vec![*operation], ir::operations(*operation)].concat())
            .collect();
        let inside: HashSet<_> = all.iter().map(|operation| operation.to_raw().ptr).collect();
        let is_inside = |operation: &OperationRef| inside.contains(&operation.to_raw().ptr);
        let mut parameters: Vec<Value> = Vec::new();
        let mut constants: Vec<Value> = Vec::new();
        let mut seen = HashSet::new();
        for operand in all.iter().flat_map(|operation| operation.operands()) {
            let definition = ir::defining_operation(operand);
            let home = definition.or_else(|| ir::argument_block(operand).parent_operation());
            if home.is_some_and(|home| is_inside(&home)) || !seen.insert(ir::id(operand)) {
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
                let users = ir::users(result.into());
                (result.into(), users.into_iter().filter(|user| !is_inside(user)).collect())
            })
            .filter(|(_, users): &(Value, Vec<OperationRef>)| !users.is_empty())
            .collect();
        Self { parameters, constants, results }
    }
}

/// True if an operation is copied rather than passed: it has no operands and no contents to overwrite.
pub fn is_constant(operation: OperationRef) -> bool {
    let is_new = || ir::name(&operation) == "tensor.empty" && operation.operand_count() == 0;
    let is_tape = || operation.has_attribute(ops::TAPE);
    let is_toy = Kind::of(&operation) == Some(Kind::Constant);
    is_toy || constants::is_constant(operation) || is_new() || is_tape()
}
