//! Shapes across functions: one copy of a function for each combination of its arguments'
//! shapes, starting with `main`. In the result, every shape is known.

use crate::dialect::{
    self, blocks, callee, nested, operations, result_shape, shape_of, symbol, tensor_type,
};
use crate::errors::Diagnostic;
use crate::source::Source;
use melior::Context;
use melior::dialect::func;
use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::{
    Block, BlockLike, BlockRef, Location, Module, Operation, Type, ValueLike,
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
    /// All of the original, also those in regions.
    operations: Vec<OperationRef<'c, 'm>>,
    /// How many of them have been copied.
    next: usize,
    /// What the values of the original are in the copy.
    values: HashMap<*const c_void, Value<'c>>,
    block: Block<'c>,
    /// The blocks of regions that are still to be filled, the next one last.
    inner: Vec<BlockRef<'c, 'c>>,
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
        copy.next += 1;
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
                        return Err(
                            error.help("the shape of its result would depend on itself")
                        );
                    }
                    // This call is looked at again when the copy is done.
                    None => {
                        copy.next -= 1;
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
            "scf.if" | "scf.while" => copy.enter(operation),
            "scf.yield" | "scf.condition" => copy.leave(operation),
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
        let body = blocks(function)[0];
        let values = HashMap::from_iter(arguments_of(body, &block));
        Self { key, operations: nested(body), next: 0, values, block, inner: vec![] }
    }

    /// Where operations go.
    fn here(&self) -> &Block<'c> {
        self.inner.last().map_or(&self.block, |block| block)
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
            return self.copied(operation, operands);
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

    fn append(
        &mut self,
        original: OperationRef<'c, 'm>,
        copy: Operation<'c>,
    ) -> OperationRef<'c, 'c> {
        let copy = self.here().append_operation(copy);
        self.copied(original, copy.results().map(|result| result.into()).collect());
        copy
    }

    fn copied(&mut self, original: OperationRef<'c, 'm>, values: Vec<Value<'c>>) {
        for (result, value) in original.results().zip(values) {
            self.values.insert(result.to_raw().ptr, value);
        }
    }

    /// Begins a branch or a loop. A loop carries values of the shapes that it starts with.
    fn enter(&mut self, operation: OperationRef<'c, 'm>) {
        let (name, operands) = (dialect::name(operation), self.operands(operation));
        let location = operation.location();
        let arguments = operands.iter().map(|operand| (operand.r#type(), location));
        let arguments = arguments.filter(|_| name == "scf.while").collect::<Vec<_>>();
        let results: Vec<_> = operation.results().map(|result| result.r#type()).collect();
        let copy = dialect::structure(&name, &operands, &results, &arguments, location);
        let copy = self.append(operation, copy);
        for (old, new) in blocks(operation).into_iter().zip(blocks(copy)) {
            self.values.extend(arguments_of(old, &new));
        }
        self.inner.extend(blocks(copy).into_iter().rev());
    }

    /// Ends a region. What it hands on are the results, so now their shapes are known.
    fn leave(&mut self, end: OperationRef<'c, 'm>) {
        let (name, operands) = (dialect::name(end), self.operands(end));
        let copy = dialect::operation(&name, &operands, &[], end.location());
        let copy = self.here().append_operation(copy);
        self.inner.pop();
        let Some(whole) = copy.parent_operation().filter(|_| name == "scf.yield") else {
            return;
        };
        whole
            .results()
            .zip(operands)
            .for_each(|(result, operand)| result.set_type(operand.r#type()));
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

/// The arguments of a block, and what they are in its copy.
fn arguments_of<'c>(
    original: BlockRef<'c, '_>,
    copy: &Block<'c>,
) -> Vec<(*const c_void, Value<'c>)> {
    (0..copy.argument_count())
        .map(|index| {
            let (old, new) = (original.argument(index), copy.argument(index));
            let (old, new) = (old.expect("a parameter"), new.expect("an argument"));
            (old.to_raw().ptr, new.into())
        })
        .collect()
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
