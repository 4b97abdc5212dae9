//! Shapes across functions: one copy of a function for each combination of its arguments'
//! shapes, starting with `main`. In the result, every shape is known.

use crate::dialect::{
    self, callee, operations, result_shape, shape_of, symbol, tensor_type,
};
use crate::errors::Diagnostic;
use crate::source::Source;
use melior::Context;
use melior::dialect::func;
use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::{
    Block, BlockLike, Location, Module, Operation, RegionLike, Type, ValueLike,
};
use std::collections::HashMap;
use std::ffi::c_void;

type Value<'c> = melior::ir::Value<'c, 'c>;

/// A function and the shapes of its arguments.
type Key = (String, Vec<Vec<u64>>);

/// A copy that was asked for; one that was not is not in the table.
enum State<'c> {
    /// It is being made: a call of it now is a recursion.
    Busy,
    Done(Vec<Type<'c>>),
}

/// A copy that is being made.
struct Copy<'c, 'm> {
    key: Key,
    operations: Vec<OperationRef<'c, 'm>>,
    /// How many of them have been copied.
    next: usize,
    /// What the values of the original are in the copy.
    values: HashMap<*const c_void, Value<'c>>,
    block: Block<'c>,
}

/// The program with a function for each combination of shapes.
pub fn specialize<'c>(
    context: &'c Context,
    module: &Module<'c>,
    source: &Source,
) -> Result<Module<'c>, Diagnostic> {
    let originals = operations(module.body()).into_iter();
    let originals: HashMap<String, OperationRef> =
        originals.map(|function| (symbol(function), function)).collect();
    let specialized = Module::new(Location::unknown(context));
    let main = ("main".to_string(), vec![]);
    let mut states = HashMap::from([(main.clone(), State::Busy)]);
    // The last copy waits for nothing, each of the others for the one after it.
    let mut stack = vec![Copy::new(context, originals["main"], main)];
    while let Some(copy) = stack.last_mut() {
        let operation = copy.operations[copy.next];
        match dialect::name(operation).as_str() {
            "toy.generic_call" => {
                let key = (callee(operation), copy.shapes(operation));
                match states.get(&key) {
                    Some(State::Done(results)) => {
                        copy.call(context, operation, &key, results)
                    }
                    Some(State::Busy) => {
                        let span = source.span(operation.location());
                        let message = format!("`{}` calls itself", key.0);
                        let error = Diagnostic::new(span, message);
                        return Err(error.help("nothing would end the recursion"));
                    }
                    // This call is looked at again when the copy is done.
                    None => {
                        states.insert(key.clone(), State::Busy);
                        stack.push(Copy::new(context, originals[&key.0], key));
                    }
                }
            }
            "func.return" => {
                let Some(copy) = stack.pop() else { break };
                let (key, function, results) = copy.finish(context, operation);
                specialized.body().insert_operation(0, function);
                states.insert(key, State::Done(results));
            }
            _ => copy.operation(context, operation),
        }
    }
    Ok(specialized)
}

impl<'c, 'm> Copy<'c, 'm> {
    fn new(context: &'c Context, function: OperationRef<'c, 'm>, key: Key) -> Self {
        let types = key.1.iter().map(|shape| tensor_type(context, shape));
        let arguments: Vec<_> = types.map(|ty| (ty, function.location())).collect();
        let block = Block::new(&arguments);
        let body = function.region(0).ok().and_then(|region| region.first_block());
        let body = body.expect("a function has a body");
        let mut values = HashMap::new();
        for index in 0..arguments.len() {
            let (old, new) = (body.argument(index), block.argument(index));
            let (old, new) = (old.expect("a parameter"), new.expect("an argument"));
            values.insert(old.to_raw().ptr, new.into());
        }
        Self { key, operations: operations(body), next: 0, values, block }
    }

    fn operands(&self, operation: OperationRef<'c, 'm>) -> Vec<Value<'c>> {
        operation.operands().map(|operand| self.values[&operand.to_raw().ptr]).collect()
    }

    /// The shapes of the operands.
    fn shapes(&self, operation: OperationRef<'c, 'm>) -> Vec<Vec<u64>> {
        let types = self.operands(operation).into_iter().map(|operand| operand.r#type());
        types.map(|ty| shape_of(ty).expect("all shapes in a copy are known")).collect()
    }

    /// Copies an operation that calls nothing.
    fn operation(&mut self, context: &'c Context, operation: OperationRef<'c, 'm>) {
        let (name, operands) = (dialect::name(operation), self.operands(operation));
        if name == "toy.cast" {
            // There is nothing more to say of the shape than the operand does.
            return self.copied(operation, Some(operands[0]));
        }
        let results = operation.results().map(|result| result.r#type());
        let results: Vec<Type> = match result_shape(&name, &self.shapes(operation)) {
            Some(shape) => vec![tensor_type(context, &shape)],
            None => results.collect(),
        };
        let attributes: Vec<_> = operation.attributes().collect();
        let copy = OperationBuilder::new(&name, operation.location())
            .add_attributes(&attributes)
            .add_operands(&operands)
            .add_results(&results)
            .build()
            .expect("the original has all parts");
        self.append(operation, copy);
    }

    fn call(
        &mut self,
        context: &'c Context,
        operation: OperationRef<'c, 'm>,
        key: &Key,
        results: &[Type<'c>],
    ) {
        let callee = FlatSymbolRefAttribute::new(context, &symbol_of(key));
        let operands = self.operands(operation);
        let call = func::call(context, callee, &operands, results, operation.location());
        self.append(operation, call);
    }

    fn append(&mut self, original: OperationRef<'c, 'm>, copy: Operation<'c>) {
        let copy = self.block.append_operation(copy);
        self.copied(original, copy.result(0).ok().map(|result| result.into()));
    }

    fn copied(&mut self, original: OperationRef<'c, 'm>, value: Option<Value<'c>>) {
        if let (Ok(result), Some(value)) = (original.result(0), value) {
            self.values.insert(result.to_raw().ptr, value);
        }
        self.next += 1;
    }

    /// The function, and the types of its results.
    fn finish(
        self,
        context: &'c Context,
        end: OperationRef<'c, 'm>,
    ) -> (Key, Operation<'c>, Vec<Type<'c>>) {
        let results = self.operands(end);
        let types: Vec<Type> = results.iter().map(|result| result.r#type()).collect();
        self.block.append_operation(func::r#return(&results, end.location()));
        let name = symbol_of(&self.key);
        let function =
            dialect::function(context, &name, self.block, &types, end.location());
        (self.key, function, types)
    }
}

/// `multiply_transpose$2x3$2x3`; `s` stands for a scalar.
fn symbol_of((name, shapes): &Key) -> String {
    let text = |shape: &Vec<u64>| match shape.is_empty() {
        true => "s".to_string(),
        false => shape.iter().map(u64::to_string).collect::<Vec<_>>().join("x"),
    };
    match shapes.is_empty() {
        true if name == "main" => name.clone(),
        true => format!("{name}$void"),
        false => {
            format!("{name}${}", shapes.iter().map(text).collect::<Vec<_>>().join("$"))
        }
    }
}
