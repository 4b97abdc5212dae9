//! Markers of the variables of the program, from linalg on tensors down to the LLVM dialect.
//!
//! Input: `toy.variable` on a tensor. Output: a call of a function that does not exist, one for each
//! type, which only reads its argument. Every pass leaves such a call in its place and keeps its argument
//! alive, however tensors are lowered:
//!
//! ```mlir
//! func.call @toy_variable.2x3(%t) {toy.variable = {name = "t", shape = array<i64: 2, 3>}} : ...
//! ```
//!
//! A value that the function computes gets a second call, without the attribute, before the end of the
//! block: until then, it is not freed. In the LLVM dialect, the stage `mlir-llvm` replaces the calls by records
//! for the debugger, or [`erase`] erases them: no executable has one.
//!
//! The names contain a `.`, so they cannot collide with the names of users or specializations.

use super::runtime::reader;
use crate::dialect::ops;
use crate::dialect::shape::{Element, TensorType, tensor_type, type_of};
use melior::Context;
use melior::ir::attribute::{DenseI64ArrayAttribute, DictionaryAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Identifier, Module, Value, ValueLike};
use mlir_support::constants::is_constant;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Builder, ir};
use std::collections::{BTreeMap, HashSet};
use toy_diagnostics::Diagnosed;

/// The prefix of the names of the functions.
const PREFIX: &str = "toy_variable.";

/// The attribute with the variable that a call marks.
pub const VARIABLE: &str = "toy.variable";

/// The markers of a module while they are created.
#[derive(Default)]
pub struct Markers {
    types: BTreeMap<String, TensorType>,
    /// The values that are kept alive until the end of their block.
    kept: HashSet<usize>,
}

impl Markers {
    /// Makes the calls for a `toy.variable` on a tensor.
    pub fn mark<'c>(&mut self, context: &'c Context, variable: OperationRef<'c, '_>) {
        let Ok(value) = variable.operand(0) else { return };
        let (Some(ty), Some(block)) = (type_of(value.r#type()), variable.block()) else {
            return;
        };
        let name = format!("{PREFIX}{}", ty.symbol());
        let dims: Vec<i64> = ty.shape.0.iter().map(|dim| *dim as i64).collect();
        let dims = DenseI64ArrayAttribute::new(context, &dims).into();
        let mut said: Vec<_> = variable.attributes().collect();
        said.push((Identifier::new(context, "shape"), dims));
        if ty.element != Element::DEFAULT {
            let element = StringAttribute::new(context, ty.element.name()).into();
            said.push((Identifier::new(context, "element"), element));
        }
        let said = DictionaryAttribute::new(context, &said);
        let call = Builder::before(context, variable).call(&name, &[value], &[]);
        ir::set_attribute(call, VARIABLE, said.into());
        if let Some(end) = block.terminator()
            && is_freed(value)
            && self.kept.insert(ir::id(value))
        {
            Builder::before(context, end).call(&name, &[value], &[]);
        }
        self.types.insert(name, ty);
    }

    /// Declares the functions that are called.
    pub fn declare(self, context: &Context, module: &Module) {
        if self.types.is_empty() {
            return;
        }
        let declared: HashSet<_> =
            ir::block_operations(module.body()).iter().map(ops::symbol_name).collect();
        for (name, ty) in self.types {
            if !declared.contains(&name) {
                let function = reader(context, &name, tensor_type(context, &ty));
                module.body().insert_operation(0, function);
            }
        }
    }
}

/// True if the function may free the value: arguments belong to the caller, and constants are never freed.
fn is_freed(value: Value) -> bool {
    ir::defining_operation(value).is_some_and(|definition| !is_constant(definition))
}

/// The calls in a module of the LLVM dialect, and the declarations of the called functions.
pub struct Marked<'c, 'a> {
    pub calls: Vec<OperationRef<'c, 'a>>,
    declarations: Vec<OperationRef<'c, 'a>>,
}

impl<'c, 'a> Marked<'c, 'a> {
    pub fn of(module: &'a Module<'c>) -> Self {
        let mut declarations = ir::block_operations(module.body());
        declarations.retain(is_declaration);
        let mut calls = Vec::new();
        if !declarations.is_empty() {
            let names: HashSet<_> = declarations.iter().map(ops::symbol_name).collect();
            calls = ir::operations(module.as_operation());
            calls.retain(|operation| {
                ir::name(operation) == "llvm.call"
                    && operation.result_count() == 0
                    && ops::callee(operation).is_some_and(|callee| names.contains(&callee))
            });
        }
        Self { calls, declarations }
    }

    /// Erases the calls, and the declarations without other uses.
    pub fn erase(self, module: &Module) {
        if self.declarations.is_empty() {
            return;
        }
        self.calls.into_iter().for_each(ir::erase);
        // Reading all attributes of an operation is slow, so only those that can name a function are read.
        let mut used = HashSet::new();
        for operation in ir::operations(module.as_operation()) {
            let names = match ir::name(&operation) {
                "llvm.call" | "llvm.invoke" => ["callee"].as_slice(),
                "llvm.mlir.addressof" => &["global_name"],
                "llvm.mlir.global_ctors" => &["ctors"],
                "llvm.mlir.global_dtors" => &["dtors"],
                "llvm.mlir.alias" | "llvm.mlir.ifunc" | "llvm.func" => &["personality", "resolver"],
                _ => continue,
            };
            for value in names.iter().filter_map(|name| ops::attribute(&operation, name)) {
                ir::symbols(value, &mut used, &mut Vec::new());
            }
        }
        let is_unused = |function: &OperationRef| !used.contains(&ops::symbol_name(function));
        self.declarations.into_iter().filter(is_unused).for_each(ir::erase);
    }
}

fn is_declaration(operation: &OperationRef) -> bool {
    ir::name(operation) == "llvm.func"
        && ir::blocks(*operation).is_empty()
        && ops::symbol_name(operation).starts_with(PREFIX)
}

pub const DROP_VARIABLES: PassDefinition =
    PassDefinition::new("toy-drop-variables", "Erases the markers of variables", erase);

/// The pass that erases the calls, for programs without debug information.
pub fn erase(_: &PassContext, module: &Module) -> Diagnosed<()> {
    Marked::of(module).erase(module);
    Ok(())
}

/// The address of the elements that a call gets: its only operand, or the second of those that a memref has
/// become. The offset is ignored: it is 0 where the layout is the identity.
pub fn address<'c, 'a>(call: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    let index = usize::from(call.operand_count() > 1);
    let address = call.operand(index).ok()?;
    (ir::pointer_space(address.r#type()) == Some(0)).then_some(address)
}
