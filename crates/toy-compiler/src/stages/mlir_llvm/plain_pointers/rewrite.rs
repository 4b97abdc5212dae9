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
use melior::ir::operation::{OperationMutLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Module, Type, Value, ValueLike};
use mlir_support::{Builder, ir};
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
        for (input, argument) in inputs.iter_mut().zip(ir::arguments(entry)) {
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
        let code = self.before(operation);
        let attributes: Vec<_> = [("ordering", code.number(0))]
            .into_iter()
            .chain(vector_access(code, operation, &ty))
            .collect();
        if is_load {
            let result = ops::result(operation);
            let load = code.value("llvm.load", &[address], result.r#type(), &attributes);
            ir::replace_all_uses(result, load);
        } else {
            let value = ir::operand(operation, 0);
            code.op("llvm.store", &[value, address], &[], &attributes);
        }
        self.replaced.push(operation);
    }

    /// The address of a buffer as an index.
    fn address_as_index(&mut self, operation: OperationRef<'c, 'a>) {
        let buffer = ir::operand(operation, 0);
        if plain(buffer.r#type()).is_none() {
            return;
        }
        let address = self.address(buffer, operation);
        let code = self.before(operation);
        let number = code.value("llvm.ptrtoint", &[address], self.i64, &[]);
        let index = Type::index(self.context);
        let index = code.value("arith.index_cast", &[number], index, &[]);
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
        let code = self.before(operation);
        let bytes = code.llvm_constant(self.i64, bytes);
        let is_volatile = [("isVolatile", code.flag(false))];
        code.op("llvm.intr.memcpy", &[to, from, bytes], &[], &is_volatile);
        self.replaced.push(operation);
    }

    fn free(&mut self, operation: OperationRef<'c, 'a>) {
        let buffer = ir::operand(operation, 0);
        if self.is_pointer(buffer) {
            let address = self.address(buffer, operation);
            self.allocates = true;
            self.before(operation).llvm_call("free", &[address], &[]);
            self.replaced.push(operation);
        }
    }

    /// Passes addresses for parameters that have become pointers.
    fn call(&mut self, operation: OperationRef<'c, 'a>) {
        let function =
            ops::callee(&operation).and_then(|callee| self.plan.functions.get(&callee).copied());
        let Some(entry) = function.and_then(ops::entry_block) else { return };
        for (index, parameter) in ir::arguments(entry).into_iter().enumerate() {
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
        let code = self.before(operation);
        let address = match ir::name(&operation) {
            "memref.alloc" => {
                let Some(bytes) = plain(result.r#type()).and_then(|ty| ty.bytes()) else { return };
                self.allocates = true;
                let bytes = code.llvm_constant(self.i64, bytes);
                ops::result(code.llvm_call("malloc", &[bytes], &[self.pointer]))
            }
            "memref.get_global" => {
                let Some(name) = ops::attribute(&operation, "name").and_then(ir::symbol_value)
                else {
                    return;
                };
                code.address_of(&name)
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

    fn before(&self, operation: OperationRef<'c, 'a>) -> Builder<'c, 'a> {
        Builder::before(self.context, operation)
    }
}

/// The attributes of an access to a vector: it is aligned as an element is, unless it says otherwise.
fn vector_access<'c>(
    code: Builder<'c, '_>,
    operation: OperationRef<'c, '_>,
    ty: &Plain<'c>,
) -> Vec<(&'static str, Attribute<'c>)> {
    if !ir::name(&operation).starts_with("vector.") {
        return Vec::new();
    }
    let own = ops::attribute(&operation, "alignment");
    let alignment = own.unwrap_or_else(|| code.number(ty.size as i64));
    let is_set = |value: &Attribute<'c>| !ir::is_false(*value);
    let nontemporal = ops::attribute(&operation, "nontemporal").filter(is_set);
    let nontemporal = nontemporal.map(|_| ("nontemporal", Attribute::unit(code.context)));
    nontemporal.into_iter().chain([("alignment", alignment)]).collect()
}
