//! Prepares recursive functions for One-Shot Bufferize.
//!
//! One-Shot analyzes callees before callers. It knows nothing about a call in a cycle, and assumes that it writes
//! all its arguments: a tensor that a recursive function only reads would be copied in every call.
//!
//! Input: functions on tensors. Output: the same, in which calls in a cycle have another callee: a declaration
//! that says which arguments are only read ([`cut`]). After One-Shot, [`join`] restores their callees. The
//! declarations are correct whatever [`Readers`] finds: the function itself may not write these arguments, so
//! One-Shot copies them in it where necessary.

use super::{add_to_arguments, is_divided};
use crate::dialect::ops::{self, attribute, callee, symbol_name};
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, BoolAttribute, FlatSymbolRefAttribute, StringAttribute,
};
use melior::ir::operation::OperationRef;
use melior::ir::{BlockLike, Module, TypeLike, Value};
use mlir_support::linalg::input_count;
use mlir_support::{call_graph, control_flow, ir};
use std::collections::{HashMap, HashSet};

/// The function that each declaration stands for, by their names.
pub type Cut = HashMap<String, String>;

/// Gives calls in a cycle a declaration as callee, where the function only reads some of its tensors.
pub fn cut<'c>(context: &'c Context, module: &Module<'c>) -> Cut {
    let functions = ops::functions(module);
    let mut cut = Cut::new();
    if is_divided(&functions) {
        // There, all functions only read their arguments, and are marked so.
        return cut;
    }
    let names: Vec<_> = functions.iter().map(symbol_name).collect();
    let numbers: HashMap<_, _> =
        names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    let number_of = |call: &OperationRef| numbers.get(callee(call)?.as_str()).copied();
    let calls: Vec<Vec<_>> = functions
        .iter()
        .map(|function| {
            let calls = ir::operations(*function).into_iter();
            calls.filter_map(|call| Some((number_of(&call)?, call))).collect()
        })
        .collect();
    let callees: Vec<Vec<_>> =
        calls.iter().map(|calls| calls.iter().map(|(callee, _)| *callee).collect()).collect();
    let in_cycle = call_graph::order(&callees).in_cycle;
    if !in_cycle.contains(&true) {
        return cut;
    }
    let readers = Readers::of(&functions, &numbers);
    let mut stand_ins: Vec<Option<String>> = vec![None; functions.len()];
    for (number, function) in functions.iter().enumerate().filter(|(number, _)| in_cycle[*number]) {
        let is_read = |argument| readers.only_reads(number, argument);
        let tensors = tensors(*function);
        if !tensors.iter().any(|argument| is_read(*argument)) {
            continue;
        }
        let mut name = format!("{}$called", names[number]);
        while numbers.contains_key(name.as_str()) {
            name.push('$');
        }
        let mut declaration = ops::declaration_of(context, *function);
        let no = BoolAttribute::new(context, false).into();
        let read = StringAttribute::new(context, "read").into();
        let mut function = ir::mutable(*function);
        add_to_arguments(context, &mut function, "bufferization.writable", no, is_read);
        add_to_arguments(context, &mut declaration, "bufferization.access", read, is_read);
        let declaration = module.body().insert_operation(0, declaration);
        let symbol = StringAttribute::new(context, &name).into();
        ir::set_attribute(declaration, "sym_name", symbol);
        cut.insert(name.clone(), names[number].clone());
        stand_ins[number] = Some(name);
    }
    for (_, call) in
        calls.iter().enumerate().filter(|(caller, _)| in_cycle[*caller]).flat_map(|it| it.1)
    {
        let stand_in = number_of(call).and_then(|number| stand_ins[number].as_ref());
        if let Some(name) = stand_in {
            let symbol = FlatSymbolRefAttribute::new(context, name).into();
            ir::set_attribute(*call, "callee", symbol);
        }
    }
    cut
}

/// Restores the callees of calls.
pub fn join<'c>(context: &'c Context, module: &Module<'c>, cut: &Cut) {
    if cut.is_empty() {
        return;
    }
    for operation in ir::operations(module.as_operation()) {
        if let Some(name) = callee(&operation).and_then(|callee| cut.get(&callee)) {
            let symbol = FlatSymbolRefAttribute::new(context, name).into();
            ir::set_attribute(operation, "callee", symbol);
        }
    }
    for operation in ir::block_operations(module.body()) {
        if ops::is_function(&operation) && cut.contains_key(&symbol_name(&operation)) {
            ir::erase(operation);
        }
    }
}

/// The numbers of the arguments that are tensors.
fn tensors(function: OperationRef) -> Vec<usize> {
    let inputs = ops::function_type(&function).map(ops::inputs).unwrap_or_default();
    inputs.iter().enumerate().filter(|(_, ty)| ty.is_tensor()).map(|(index, _)| index).collect()
}

/// An argument: the number of its function, and its number there.
type Argument = (usize, usize);

/// The arguments that functions may write, directly or through other functions.
struct Readers {
    written: HashSet<Argument>,
}

impl Readers {
    fn of(functions: &[OperationRef], numbers: &HashMap<&str, usize>) -> Self {
        let mut pending = Vec::new();
        // For each argument, the arguments of callers that are passed to it.
        let mut sources: HashMap<Argument, Vec<Argument>> = HashMap::new();
        for (number, function) in functions.iter().enumerate() {
            for index in tensors(*function) {
                let own = (number, index);
                let argument = ops::entry_block(*function)
                    .and_then(|block| block.argument(index).ok().map(Value::from));
                let passed = match argument {
                    Some(argument) => passed_to(argument, numbers),
                    None => says_that_it_reads(*function, index).then(Vec::new),
                };
                match passed {
                    Some(passed) => {
                        passed.into_iter().for_each(|to| sources.entry(to).or_default().push(own));
                    }
                    None => pending.push(own),
                }
            }
        }
        let mut written = HashSet::new();
        while let Some(argument) = pending.pop() {
            if written.insert(argument) {
                pending.extend(sources.remove(&argument).into_iter().flatten());
            }
        }
        Self { written }
    }

    fn only_reads(&self, function: usize, argument: usize) -> bool {
        !self.written.contains(&(function, argument))
    }
}

/// True if a declaration marks an argument as only read.
fn says_that_it_reads(function: OperationRef, index: usize) -> bool {
    let said = attribute(&function, "arg_attrs").and_then(|all| ArrayAttribute::try_from(all).ok());
    let said = said.and_then(|all| all.element(index).ok());
    let access = said.and_then(|said| ir::entry(said, "bufferization.access"));
    access.and_then(ir::string_value).is_some_and(|access| access == "read")
}

/// The arguments of functions that a tensor is passed on to; None if it is written right here, or has an unknown
/// use.
fn passed_to(argument: Value, numbers: &HashMap<&str, usize>) -> Option<Vec<Argument>> {
    let mut passed = Vec::new();
    let mut seen = HashSet::from([ir::id(argument)]);
    let mut pending = vec![argument];
    while let Some(value) = pending.pop() {
        for (user, operand) in ir::uses(value) {
            let aliases = match use_of(user, operand)? {
                Use::Reads => continue,
                Use::Passes => {
                    passed.push((*numbers.get(callee(&user)?.as_str())?, operand));
                    continue;
                }
                Use::Names(aliases) => aliases,
            };
            pending.extend(aliases.into_iter().filter(|it| seen.insert(ir::id(it))));
        }
    }
    Some(passed)
}

/// The use of a tensor by an operation that does not write it.
enum Use<'c, 'a> {
    Reads,
    /// To a function, as an argument.
    Passes,
    /// These values may be the tensor, or parts of it.
    Names(Vec<Value<'c, 'a>>),
}

fn use_of<'c: 'a, 'a>(user: OperationRef<'c, 'a>, operand: usize) -> Option<Use<'c, 'a>> {
    Some(match (ir::name(&user), operand) {
        (
            "tensor.extract" | "tensor.dim" | "tensor.insert_slice" | "bufferization.alloc_tensor",
            0,
        ) => Use::Reads,
        (
            "tensor.cast"
            | "tensor.extract_slice"
            | "tensor.expand_shape"
            | "tensor.collapse_shape"
            | "tensor.reshape",
            0,
        )
        | ("arith.select", 1 | 2) => Use::Names(vec![ops::result(user)]),
        ("func.call", _) => Use::Passes,
        (name, _) if name.starts_with("linalg.") && name != "linalg.yield" => {
            (operand < input_count(user)?).then_some(Use::Reads)?
        }
        _ => Use::Names(control_flow::successors(user, operand)?),
    })
}
