//! Turns scalars into numbers: a carried, yielded, passed or returned `tensor<f64>` becomes `f64`.
//!
//! Input: linalg on tensors. Output: the same, where loops carry, branches yield, and private functions take and
//! return `f64` instead of `tensor<f64>`, with `tensor.extract` and `tensor.from_elements` at the borders; where
//! both meet, they are folded away. A tensor becomes a buffer on the heap, a number stays in a register: without
//! this, a loop that counts allocates in each iteration.
//!
//! ```mlir
//! %r = scf.for ... iter_args(%n = %t) -> tensor<f64>     %0 = tensor.extract %t[]
//!                                                    =>  %r = scf.for ... iter_args(%n = %0) -> f64
//! ```
//!
//! Deny by default: a function keeps its signature unless it is private, has a body, and is only called, by
//! `func.call`. Among operations with regions, only `scf` operations that forward values in one block change.
//! Invariant: values for debuggers stay tensors, which live until the end of their block.
//!
//! Tutorial: chapter 16.

use crate::dialect::ops;
use crate::dialect::shape::{TensorType, type_of};
use crate::runtime_calls::markers;
use melior::Context;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Attribute, BlockLike, BlockRef, Module, Type, Value, ValueLike};
use mlir_support::builder::{Builder, Insertion};
use mlir_support::control_flow::forwarded;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::symbols::References;
use mlir_support::{constants, ir};
use std::collections::HashSet;
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-scalars",
    "Makes numbers of tensors of rank 0 that are carried, passed or returned",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let operations = ir::operations(module.as_operation());
    let context = context.session.context();
    let scalars = Scalars { context, changed: changed(&operations) };
    for operation in &operations {
        scalars.visit(*operation);
    }
    // With the new operations.
    let operations = ir::operations(module.as_operation());
    for operation in &operations {
        fold(context, *operation);
    }
    operations.into_iter().rev().for_each(erase_dead);
    Ok(())
}

/// The names of the functions whose signatures may change.
fn changed(operations: &[OperationRef]) -> HashSet<String> {
    let private: HashSet<_> = operations
        .iter()
        .filter(|operation| ops::is_function(*operation) && ops::is_private(*operation))
        .filter(|function| ops::entry_block(**function).is_some())
        .filter(|function| !function.has_attribute("llvm.emit_c_interface"))
        .filter(|function| ops::function_type(*function).is_some_and(has_scalars))
        .map(ops::symbol_name)
        .collect();
    if private.is_empty() {
        return private;
    }
    let references = References::besides_calls(operations.iter().copied());
    private.into_iter().filter(|name| !references.mention(name)).collect()
}

fn has_scalars(ty: melior::ir::r#type::FunctionType) -> bool {
    ops::inputs(ty).into_iter().chain(ops::results(ty)).any(is_scalar)
}

/// True if a type is a tensor of rank 0: `tensor<f64>`.
fn is_scalar(ty: Type) -> bool {
    number(ty).is_some()
}

/// The type of the element of a scalar; None for a type of another kind.
fn number<'c>(ty: Type<'c>) -> Option<Type<'c>> {
    type_of(ty).filter(TensorType::is_scalar).and_then(|_| ir::element(ty))
}

struct Scalars<'c> {
    context: &'c Context,
    /// The functions whose signatures change.
    changed: HashSet<String>,
}

impl<'c> Scalars<'c> {
    fn visit(&self, operation: OperationRef<'c, '_>) {
        match ir::name(&operation) {
            "func.func" if self.changed.contains(&ops::symbol_name(&operation)) => {
                self.signature(operation);
            }
            "func.call"
                if ops::callee(&operation).is_some_and(|name| self.changed.contains(&name)) =>
            {
                self.operands(operation);
                self.results(operation);
            }
            "func.return" => {
                let function = operation.parent_operation().map(|parent| ops::symbol_name(&parent));
                if function.is_some_and(|name| self.changed.contains(&name)) {
                    self.operands(operation);
                }
            }
            "scf.for" | "scf.while" => {
                self.operands(operation);
                self.arguments(operation);
                self.results(operation);
            }
            "scf.if" | "scf.index_switch" | "scf.execute_region" => self.results(operation),
            "scf.condition" | "scf.yield" => self.operands(operation),
            _ => {}
        }
    }

    /// Gives a function numbers as parameters and results.
    fn signature(&self, function: OperationRef<'c, '_>) {
        let (Some(ty), Some(block)) = (ops::function_type(&function), ops::entry_block(function))
        else {
            return;
        };
        self.forget_attributes(function, &ops::inputs(ty));
        let number = |ty: Type<'c>| number(ty).unwrap_or(ty);
        let inputs: Vec<_> = ops::inputs(ty).into_iter().map(number).collect();
        let results: Vec<_> = ops::results(ty).into_iter().map(number).collect();
        let ty = ops::function_type_of(self.context, &inputs, &results);
        ir::set_attribute(function, "function_type", ty);
        self.block_arguments(block);
    }

    /// Drops bufferization's attributes, which need tensors.
    fn forget_attributes(&self, function: OperationRef<'c, '_>, inputs: &[Type<'c>]) {
        let old = ops::attribute(&function, "arg_attrs").map(ArrayAttribute::try_from);
        let Some(Ok(old)) = old else { return };
        let all: Vec<Attribute> = inputs
            .iter()
            .enumerate()
            .filter_map(|(index, ty)| Some((old.element(index).ok()?, *ty)))
            .map(|(attribute, ty)| match DictionaryAttribute::try_from(attribute) {
                Ok(old) if is_scalar(ty) => {
                    let entries: Vec<_> = (0..old.len())
                        .filter_map(|index| old.element(index).ok())
                        .filter(|(name, _)| {
                            let name = name.as_string_ref();
                            !name.as_str().is_ok_and(|name| name.starts_with("bufferization."))
                        })
                        .collect();
                    DictionaryAttribute::new(self.context, &entries).into()
                }
                _ => attribute,
            })
            .collect();
        ir::set_attribute(function, "arg_attrs", ArrayAttribute::new(self.context, &all).into());
    }

    /// Forwards numbers instead of scalars.
    fn operands(&self, operation: OperationRef<'c, '_>) {
        let code = Builder::before(self.context, operation);
        let all = 0..operation.operand_count();
        for index in forwarded(operation).unwrap_or(all) {
            let operand = ir::operand(operation, index);
            if number(operand.r#type()).is_some() {
                ir::mutable(operation).set_operand(index, code.extract(operand, &[]));
            }
        }
    }

    /// Changes the block arguments of an operation's regions.
    fn arguments(&self, operation: OperationRef<'c, '_>) {
        for region in 0..operation.region_count() {
            ir::blocks_of(operation, region).into_iter().for_each(|it| self.block_arguments(it));
        }
    }

    fn block_arguments(&self, block: BlockRef<'c, '_>) {
        let arguments = ir::arguments(block);
        for index in (0..arguments.len()).rev() {
            let argument = arguments[index];
            if !is_scalar(argument.r#type()) {
                continue;
            }
            let uses = ir::uses(argument);
            let tensor = self.tensor(argument);
            // The block owns the tensor now, so it must be kept for the debugger.
            let marker = uses.iter().find(|(user, _)| user.has_attribute(markers::VARIABLE));
            if let (Some((marker, _)), Some(end)) = (marker, block.terminator())
                && let Some(name) = ops::callee(marker)
            {
                Builder::before(self.context, end).call(&name, &[tensor], &[]);
            }
        }
    }

    fn results(&self, operation: OperationRef<'c, '_>) {
        operation.results().map(Value::from).filter(|it| is_scalar(it.r#type())).for_each(|it| {
            self.tensor(it);
        });
    }

    /// Turns a value into a number, and gives its users a tensor of it.
    fn tensor<'a>(&self, value: Value<'c, 'a>) -> Value<'c, 'a>
    where
        'c: 'a,
    {
        let uses = ir::uses(value);
        // The pass gives the same type to all that forward the value.
        value.set_type(number(value.r#type()).expect("a scalar"));
        let at = Insertion::after_definition(value);
        let tensor = Builder::new(self.context, at, value.location()).scalar(value);
        for (user, index) in uses {
            ir::mutable(user).set_operand(index, tensor);
        }
        tensor
    }
}

/// Folds the `tensor.extract` of an element that is known.
fn fold<'c>(context: &'c Context, operation: OperationRef<'c, '_>) {
    if ir::name(&operation) != "tensor.extract" || operation.operand_count() != 1 {
        return;
    }
    if let Some(number) = element(context, operation) {
        ir::replace_all_uses(ops::result(operation), number);
    }
}

/// The only element of the tensor that a `tensor.extract` reads, if it is known as a number.
fn element<'c, 'a>(context: &'c Context, extract: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    let tensor = ir::operand(extract, 0);
    let definition = ir::defining_operation(tensor)?;
    match ir::name(&definition) {
        "tensor.from_elements" => Some(ir::operand(definition, 0)),
        "arith.constant" => {
            let ty = number(tensor.r#type())?;
            let code = Builder::before(context, extract).located(definition.location());
            Some(code.float(ty, constants::element(tensor)?))
        }
        _ => None,
    }
}

/// Erases an unused operation that makes a scalar tensor, or reads one.
fn erase_dead(operation: OperationRef) {
    const PURE: [&str; 3] = ["tensor.from_elements", "tensor.extract", "arith.constant"];
    let values = operation.operands().chain(operation.results().map(Into::into));
    let is_of_scalar = values.map(|value| value.r#type()).any(is_scalar);
    if PURE.contains(&ir::name(&operation)) && is_of_scalar {
        ir::erase_if_unused(operation);
    }
}
