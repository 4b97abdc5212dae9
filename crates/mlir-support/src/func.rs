//! Functions, calls and attributes: builders and accessors for the elements of every program on MLIR.
//!
//! Builders are melior's, from plain texts and types. Accessors return None where an operation does not have the
//! requested element.

use crate::ir::{self, build};
use melior::Context;
use melior::dialect::func;
use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Block, BlockRef, Identifier, Location, Module, Operation, Region};
use melior::ir::{RegionLike, Type, TypeLike, Value};
use std::collections::HashMap;

pub fn return_op<'c>(location: Location<'c>, operands: &[Value<'c, '_>]) -> Operation<'c> {
    func::r#return(operands, location)
}

/// `func.func`; without a body it is a declaration.
pub fn function<'c>(
    context: &'c Context,
    location: Location<'c>,
    name: &str,
    ty: FunctionType<'c>,
    body: Option<Block<'c>>,
    is_private: bool,
) -> Operation<'c> {
    let region = Region::new();
    if let Some(block) = body {
        region.append_block(block);
    }
    let private = StringAttribute::new(context, "private").into();
    let visibility = [(Identifier::new(context, "sym_visibility"), private)];
    let attributes = if is_private { &visibility[..] } else { &[] };
    let name = StringAttribute::new(context, name);
    func::func(context, name, TypeAttribute::new(ty.into()), region, attributes, location)
}

/// A private declaration with the type and the attributes of a function.
pub fn declaration_of<'c>(context: &'c Context, function: OperationRef<'c, '_>) -> Operation<'c> {
    let private = StringAttribute::new(context, "private").into();
    let visibility = Identifier::new(context, "sym_visibility");
    let attributes: Vec<_> = function
        .attributes()
        .filter(|(name, _)| *name != visibility)
        .chain([(visibility, private)])
        .collect();
    build("func.func", function.location(), &[], &[], &attributes, vec![Region::new()])
}

pub fn is_function<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> bool {
    ir::name(operation) == "func.func"
}

/// The functions of a module itself, with and without bodies.
pub fn functions<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    ir::block_operations(module.body()).into_iter().filter(is_function).collect()
}

/// The functions of a module itself that have a body.
pub fn definitions<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let mut functions = functions(module);
    functions.retain(|function| entry_block(*function).is_some());
    functions
}

/// The calls among functions: for each, the numbers of those that it calls, once per call.
pub fn callees(functions: &[OperationRef]) -> Vec<Vec<usize>> {
    let numbers = functions.iter().enumerate().map(|(at, function)| (symbol_name(function), at));
    let numbers: HashMap<String, usize> = numbers.collect();
    let callee = |call: OperationRef| numbers.get(&callee(&call)?).copied();
    let callees = |function: &OperationRef| {
        ir::operations(*function).into_iter().filter_map(callee).collect()
    };
    functions.iter().map(callees).collect()
}

pub fn symbol_name<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> String {
    string_attribute(operation, "sym_name").unwrap_or_default()
}

pub fn is_private<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> bool {
    string_attribute(operation, "sym_visibility").is_some_and(|text| text == "private")
}

/// The text of a string attribute, if there is one.
pub fn string_attribute<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
    name: &str,
) -> Option<String> {
    ir::string_value(attribute(operation, name)?)
}

/// An attribute; if it is missing, melior's accessor formats the whole operation, and this one does not.
pub fn attribute<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
    name: &str,
) -> Option<Attribute<'c>> {
    if !operation.has_attribute(name) {
        return None;
    }
    operation.attribute(name).ok()
}

/// `name` of `callee = @name` in a call; None for nested symbols.
pub fn callee<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> Option<String> {
    ir::symbol_value(attribute(operation, "callee")?)
}

pub fn function_type<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
) -> Option<FunctionType<'c>> {
    let attribute = attribute(operation, "function_type")?;
    FunctionType::try_from(TypeAttribute::try_from(attribute).ok()?.value()).ok()
}

pub fn inputs<'c>(ty: FunctionType<'c>) -> Vec<Type<'c>> {
    (0..ty.input_count()).filter_map(|index| ty.input(index).ok()).collect()
}

pub fn results<'c>(ty: FunctionType<'c>) -> Vec<Type<'c>> {
    (0..ty.result_count()).filter_map(|index| ty.result(index).ok()).collect()
}

/// The entry block of a function; None for a declaration.
pub fn entry_block<'c, 'a>(function: OperationRef<'c, 'a>) -> Option<BlockRef<'c, 'a>> {
    ir::blocks(function).first().copied()
}

/// The result of an operation with one result.
pub fn result<'c, 'a>(operation: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    operation.result(0).expect("an operation with a result").into()
}

/// The same function type with other inputs and results.
pub fn function_type_of<'c>(
    context: &'c Context,
    inputs: &[Type<'c>],
    results: &[Type<'c>],
) -> Attribute<'c> {
    TypeAttribute::new(FunctionType::new(context, inputs, results).into()).into()
}

/// True if a type is a buffer type.
pub fn is_buffer(ty: Type) -> bool {
    ty.is_mem_ref() || ty.is_unranked_mem_ref()
}

/// True if two types are the same type object of the context.
pub fn same_type(a: Type, b: Type) -> bool {
    a.to_raw().ptr == b.to_raw().ptr
}
