//! Applies the plan in program order, so that an address is defined before its uses.
//!
//! Input: a module and its plan. Output: the module with pointers for the buffers of the plan. Operations that
//! are replaced are erased at the end, the last ones first.
//!
//! | file | task |
//! |---|---|
//! | [`address`] | the addresses of buffers and their elements |
//! | [`globals`] | the module's definitions and declarations |

mod address;
mod globals;

use super::analyze::{Plan, Use, makes_pointer, use_of};
use super::{Plain, plain};
use crate::dialect::ops;
use address::{DYNAMIC, constant_index};
use melior::Context;
use melior::ir::attribute::{
    BoolAttribute, DenseI32ArrayAttribute, FlatSymbolRefAttribute, IntegerAttribute,
};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, BlockLike, Identifier, Module, Operation, Type, Value, ValueLike};
use mlir_support::ir;
use std::collections::HashMap;

pub fn rewrite<'c>(context: &'c Context, module: &Module<'c>, plan: &Plan<'c, '_>) {
    let mut rewriter = Rewriter {
        context,
        plan,
        pointer: Type::parse(context, "!llvm.ptr").expect("a valid type"),
        i64: IntegerType::new(context, 64).into(),
        addresses: HashMap::new(),
        indices: HashMap::new(),
        template: None,
        parameters: Vec::new(),
        replaced: Vec::new(),
        allocates: false,
    };
    for function in plan.functions.values() {
        rewriter.signature(*function);
    }
    for operation in &plan.operations {
        rewriter.operation(*operation);
    }
    let Rewriter { replaced, parameters, allocates, pointer, .. } = rewriter;
    replaced.into_iter().rev().for_each(ir::erase);
    // Last, because the element types are read from the memref types until then.
    parameters.into_iter().for_each(|parameter| parameter.set_type(pointer));
    globals::lower(context, module, plan);
    if allocates {
        globals::declare_allocation(context, module);
    }
}

struct Rewriter<'c, 'p, 'a> {
    context: &'c Context,
    plan: &'p Plan<'c, 'a>,
    pointer: Type<'c>,
    i64: Type<'c>,
    /// The addresses of the buffers visited so far.
    addresses: HashMap<usize, Value<'c, 'a>>,
    /// Each index as an i64.
    indices: HashMap<usize, Value<'c, 'a>>,
    /// Contains the operation that [`offset`](Self::offset) clones.
    template: Option<Module<'c>>,
    /// The parameters that become pointers.
    parameters: Vec<Value<'c, 'a>>,
    replaced: Vec<OperationRef<'c, 'a>>,
    /// True if calls of `malloc` or `free` were created.
    allocates: bool,
}

impl<'c, 'a> Rewriter<'c, '_, 'a> {
    fn is_pointer(&self, value: Value<'c, 'a>) -> bool {
        self.plan.pointers.contains(&ir::id(value))
    }

    /// Updates the type of a function whose parameters become pointers.
    fn signature(&mut self, function: OperationRef<'c, 'a>) {
        let (Some(entry), Some(ty)) = (ops::entry_block(function), ops::function_type(&function))
        else {
            return;
        };
        let mut inputs = ops::inputs(ty);
        for (index, input) in inputs.iter_mut().enumerate() {
            let Ok(argument) = entry.argument(index) else { return };
            let argument: Value = argument.into();
            if self.is_pointer(argument) {
                *input = self.pointer;
                self.parameters.push(argument);
                self.addresses.insert(ir::id(argument), argument);
            }
        }
        let ty = ops::function_type_of(self.context, &inputs, &ops::results(ty));
        ir::set_attribute(function, "function_type", ty);
    }

    fn operation(&mut self, operation: OperationRef<'c, 'a>) {
        match ir::name(&operation) {
            "memref.load" | "memref.store" | "vector.load" | "vector.store" => {
                self.access(operation)
            }
            "memref.extract_aligned_pointer_as_index" => self.address_as_index(operation),
            "memref.copy" => self.copy(operation),
            "memref.dealloc" => self.free(operation),
            "func.call" => self.call(operation),
            _ if makes_pointer(operation) => self.definition(operation),
            _ => {}
        }
    }

    fn access(&mut self, operation: OperationRef<'c, 'a>) {
        let is_load = ir::name(&operation).ends_with(".load");
        let at = usize::from(!is_load);
        let buffer = ir::operand(operation, at);
        let Some(ty) = plain(buffer.r#type()) else { return };
        if !matches!(use_of(operation, at), Use::Address) {
            return;
        }
        let address = self.element(operation, buffer, &ty, at + 1);
        let builder = OperationBuilder::new(
            if is_load { "llvm.load" } else { "llvm.store" },
            operation.location(),
        )
        .add_attributes(&[self.integer("ordering", 0)])
        .add_attributes(&self.vector_access(operation, &ty));
        if is_load {
            let ty = ops::result(operation).r#type();
            let load = self.insert(operation, builder.add_operands(&[address]).add_results(&[ty]));
            ir::replace_all_uses(ops::result(operation), ops::result(load));
        } else {
            let value = ir::operand(operation, 0);
            self.insert(operation, builder.add_operands(&[value, address]));
        }
        self.replaced.push(operation);
    }

    /// The attributes of an access to a vector: it is aligned as an element is, unless it says otherwise.
    fn vector_access(
        &self,
        operation: OperationRef<'c, 'a>,
        ty: &Plain<'c>,
    ) -> Vec<(Identifier<'c>, Attribute<'c>)> {
        if !ir::name(&operation).starts_with("vector.") {
            return Vec::new();
        }
        let alignment = self.integer("alignment", ty.size as i64);
        let alignment = match ops::attribute(&operation, "alignment") {
            Some(own) => (alignment.0, own),
            None => alignment,
        };
        let is_set = |value: &Attribute<'c>| !ir::is_false(*value);
        let nontemporal = ops::attribute(&operation, "nontemporal").filter(is_set);
        let nontemporal =
            nontemporal.map(|_| (self.name("nontemporal"), Attribute::unit(self.context)));
        nontemporal.into_iter().chain([alignment]).collect()
    }

    /// The address of a buffer as an index.
    fn address_as_index(&mut self, operation: OperationRef<'c, 'a>) {
        let buffer = ir::operand(operation, 0);
        if plain(buffer.r#type()).is_none() {
            return;
        }
        let address = self.address(buffer, operation);
        let number = OperationBuilder::new("llvm.ptrtoint", operation.location())
            .add_operands(&[address])
            .add_results(&[self.i64]);
        let number = ops::result(self.insert(operation, number));
        let index = OperationBuilder::new("arith.index_cast", operation.location())
            .add_operands(&[number])
            .add_results(&[Type::index(self.context)]);
        let index = ops::result(self.insert(operation, index));
        ir::replace_all_uses(ops::result(operation), index);
        self.replaced.push(operation);
    }

    /// `memref.copy` between buffers of one plain type.
    fn copy(&mut self, operation: OperationRef<'c, 'a>) {
        if !matches!(use_of(operation, 0), Use::Address) {
            return;
        }
        let [from, to] = [0, 1].map(|index| ir::operand(operation, index));
        let Some(bytes) = plain(from.r#type()).and_then(|ty| ty.bytes()) else { return };
        let [from, to] = [from, to].map(|buffer| self.address(buffer, operation));
        let bytes = self.constant(operation, bytes);
        let builder = OperationBuilder::new("llvm.intr.memcpy", operation.location())
            .add_operands(&[to, from, bytes])
            .add_attributes(&[(
                self.name("isVolatile"),
                BoolAttribute::new(self.context, false).into(),
            )]);
        self.insert(operation, builder);
        self.replaced.push(operation);
    }

    fn free(&mut self, operation: OperationRef<'c, 'a>) {
        let buffer = ir::operand(operation, 0);
        if self.is_pointer(buffer) {
            let address = self.address(buffer, operation);
            self.library_call(operation, "free", address, None);
            self.replaced.push(operation);
        }
    }

    /// Passes addresses for parameters that have become pointers.
    fn call(&mut self, operation: OperationRef<'c, 'a>) {
        let function =
            ops::callee(&operation).and_then(|callee| self.plan.functions.get(&callee).copied());
        let Some(entry) = function.and_then(ops::entry_block) else { return };
        for index in 0..operation.operand_count() {
            let Ok(parameter) = entry.argument(index) else { return };
            let parameter: Value = parameter.into();
            if self.is_pointer(parameter) {
                let address = self.address(ir::operand(operation, index), operation);
                ir::mutable(operation).set_operand(index, address);
            }
        }
    }

    fn definition(&mut self, operation: OperationRef<'c, 'a>) {
        let result: Value = ops::result(operation);
        if !self.is_pointer(result) {
            return;
        }
        let address = match ir::name(&operation) {
            "memref.alloc" => {
                let Some(bytes) = plain(result.r#type()).and_then(|ty| ty.bytes()) else { return };
                let bytes = self.constant(operation, bytes);
                let call = self.library_call(operation, "malloc", bytes, Some(self.pointer));
                ops::result(call)
            }
            "memref.get_global" => {
                let Some(name) = ops::attribute(&operation, "name").and_then(ir::symbol_value)
                else {
                    return;
                };
                let symbol = FlatSymbolRefAttribute::new(self.context, &name).into();
                let builder = OperationBuilder::new("llvm.mlir.addressof", operation.location())
                    .add_attributes(&[(self.name("global_name"), symbol)])
                    .add_results(&[self.pointer]);
                ops::result(self.insert(operation, builder))
            }
            "memref.view" => {
                let base = self.address(ir::operand(operation, 0), operation);
                let offset = ir::operand(operation, 1);
                let byte = IntegerType::new(self.context, 8).into();
                match constant_index(offset) {
                    Some(0) => base,
                    Some(constant) => self.offset(operation, &[base], &[constant], byte),
                    None => {
                        let offset = self.index(offset);
                        self.offset(operation, &[base, offset], &[DYNAMIC], byte)
                    }
                }
            }
            _ => self.address(ir::operand(operation, 0), operation),
        };
        self.addresses.insert(ir::id(result), address);
        self.replaced.push(operation);
    }

    fn library_call(
        &mut self,
        operation: OperationRef<'c, 'a>,
        name: &str,
        argument: Value<'c, 'a>,
        result: Option<Type<'c>>,
    ) -> OperationRef<'c, 'a> {
        self.allocates = true;
        let callee = FlatSymbolRefAttribute::new(self.context, name).into();
        let builder = OperationBuilder::new("llvm.call", operation.location())
            .add_operands(&[argument])
            .add_attributes(&[
                (self.name("callee"), callee),
                (
                    self.name("operandSegmentSizes"),
                    DenseI32ArrayAttribute::new(self.context, &[1, 0]).into(),
                ),
                (
                    self.name("op_bundle_sizes"),
                    DenseI32ArrayAttribute::new(self.context, &[]).into(),
                ),
            ])
            .add_results(result.as_slice());
        self.insert(operation, builder)
    }

    fn constant(&mut self, operation: OperationRef<'c, 'a>, value: i64) -> Value<'c, 'a> {
        let value = IntegerAttribute::new(self.i64, value).into();
        let builder = OperationBuilder::new("llvm.mlir.constant", operation.location())
            .add_attributes(&[(self.name("value"), value)])
            .add_results(&[self.i64]);
        ops::result(self.insert(operation, builder))
    }

    fn insert(
        &self,
        before: OperationRef<'c, 'a>,
        builder: OperationBuilder<'c>,
    ) -> OperationRef<'c, 'a> {
        insert(before, builder.build().expect("a well-formed operation"))
    }

    fn integer(&self, name: &str, value: i64) -> (Identifier<'c>, Attribute<'c>) {
        (self.name(name), IntegerAttribute::new(self.i64, value).into())
    }

    fn name(&self, name: &str) -> Identifier<'c> {
        Identifier::new(self.context, name)
    }
}

fn insert<'c, 'a>(before: OperationRef<'c, 'a>, new: Operation<'c>) -> OperationRef<'c, 'a> {
    let block = before.block().expect("an operation of a program is in a block");
    block.insert_operation_before(before, new)
}
