//! Applies the plan in program order, so that an address is defined before its uses.
//!
//! Operations that are replaced are erased at the end, the last ones first.

use super::analyze::{Plan, Use, id, makes_pointer, use_of};
use super::{Plain, plain};
use crate::dialect::ops;
use melior::Context;
use melior::dialect::llvm::r#type::{array, r#struct};
use melior::ir::attribute::{
    BoolAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, FlatSymbolRefAttribute,
    IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{
    Attribute, BlockLike, Identifier, Location, Module, Operation, Region, Type, Value, ValueLike,
};
use mlir_support::raw;
use std::collections::HashMap;

/// The flags of `llvm.getelementptr` are a property without an attribute, so only the parser can
/// set them. They are those of upstream's lowering of a load.
const TEMPLATE: &str = "llvm.func @template(%base: !llvm.ptr, %index: i64) -> !llvm.ptr {
  %address = llvm.getelementptr inbounds|nuw %base[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.return %address : !llvm.ptr
}";

/// In `rawConstantIndices`: the index is an operand.
const DYNAMIC: i32 = i32::MIN;

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
    replaced.into_iter().rev().for_each(raw::erase);
    // Last, because the element types are read from the memref types until then.
    parameters.into_iter().for_each(|parameter| parameter.set_type(pointer));
    globals(context, module, plan);
    if allocates {
        declare_allocation(context, module);
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
    /// Whether calls of `malloc` or `free` were created.
    allocates: bool,
}

impl<'c, 'a> Rewriter<'c, '_, 'a> {
    fn is_pointer(&self, value: Value<'c, 'a>) -> bool {
        self.plan.pointers.contains(&id(value))
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
                self.addresses.insert(id(argument), argument);
            }
        }
        let ty = ops::function_type_of(self.context, &inputs, &ops::results(ty));
        raw::set_attribute(function, "function_type", ty);
    }

    fn operation(&mut self, operation: OperationRef<'c, 'a>) {
        match raw::name(&operation) {
            "memref.load" | "memref.store" | "vector.load" | "vector.store" => {
                self.access(operation)
            }
            "memref.copy" => self.copy(operation),
            "memref.dealloc" => self.free(operation),
            "func.call" => self.call(operation),
            _ if makes_pointer(operation) => self.definition(operation),
            _ => {}
        }
    }

    fn access(&mut self, operation: OperationRef<'c, 'a>) {
        let is_load = raw::name(&operation).ends_with(".load");
        let at = usize::from(!is_load);
        let buffer = raw::operand(operation, at);
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
            raw::replace_all_uses(ops::result(operation), ops::result(load));
        } else {
            let value = raw::operand(operation, 0);
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
        if !raw::name(&operation).starts_with("vector.") {
            return Vec::new();
        }
        let alignment = self.integer("alignment", ty.size as i64);
        let alignment = match ops::attribute(&operation, "alignment") {
            Some(own) => (alignment.0, own),
            None => alignment,
        };
        let is_set = |value: &Attribute<'c>| !raw::is_false(*value);
        let nontemporal = ops::attribute(&operation, "nontemporal").filter(is_set);
        let nontemporal =
            nontemporal.map(|_| (self.name("nontemporal"), Attribute::unit(self.context)));
        nontemporal.into_iter().chain([alignment]).collect()
    }

    /// The address of the element whose indices are the operands from `first` on.
    fn element(
        &mut self,
        operation: OperationRef<'c, 'a>,
        buffer: Value<'c, 'a>,
        ty: &Plain<'c>,
        first: usize,
    ) -> Value<'c, 'a> {
        let address = self.address(buffer, operation);
        let rank = ty.sizes.len();
        if rank == 0 {
            return address;
        }
        let mut operands = vec![address];
        let mut constants = Vec::with_capacity(rank);
        for index in (first..first + rank).map(|at| raw::operand(operation, at)) {
            match constant_index(index) {
                Some(constant) => constants.push(constant),
                None => {
                    operands.push(self.index(index));
                    constants.push(DYNAMIC);
                }
            }
        }
        // The first index steps over whole rows, so the type is that of the remaining dimensions.
        let row = self.array(ty, 1);
        self.offset(operation, &operands, &constants, row)
    }

    /// Builds `llvm.getelementptr`: `operands` are the base and the indices that are dynamic in `constants`.
    fn offset(
        &mut self,
        operation: OperationRef<'c, 'a>,
        operands: &[Value<'c, 'a>],
        constants: &[i32],
        element: Type<'c>,
    ) -> Value<'c, 'a> {
        let context = self.context;
        let parse = || Module::parse(context, TEMPLATE).expect("valid");
        let template = self.template.get_or_insert_with(parse);
        let function = raw::block_operations(template.body())[0];
        let mut new = raw::clone(raw::operations(function)[0]);
        new.set_operands(operands);
        new.set_attribute("elem_type", TypeAttribute::new(element).into());
        let constants = DenseI32ArrayAttribute::new(context, constants).into();
        new.set_attribute("rawConstantIndices", constants);
        new.set_location(operation.location());
        ops::result(insert(operation, new))
    }

    /// The LLVM array type of the dimensions from `from` on.
    fn array(&self, ty: &Plain<'c>, from: usize) -> Type<'c> {
        ty.sizes[from..].iter().rev().fold(ty.element, |ty, size| array(ty, *size as u32))
    }

    /// An index as an i64; the conversion is placed after its definition and shared by all uses.
    fn index(&mut self, index: Value<'c, 'a>) -> Value<'c, 'a> {
        if let Some(known) = self.indices.get(&id(index)) {
            return *known;
        }
        let location = self.location_of(index);
        let cast = OperationBuilder::new("arith.index_cast", location)
            .add_operands(&[index])
            .add_results(&[self.i64]);
        let cast = self.insert_after(index, cast);
        self.indices.insert(id(index), cast);
        cast
    }

    /// The address of a buffer's elements, read from the descriptor if the buffer stays a memref.
    fn address(&mut self, buffer: Value<'c, 'a>, user: OperationRef<'c, 'a>) -> Value<'c, 'a> {
        if let Some(known) = self.addresses.get(&id(buffer)) {
            return *known;
        }
        let rank = plain(buffer.r#type()).map_or(0, |ty| ty.sizes.len());
        let mut fields = vec![self.pointer, self.pointer, self.i64];
        if rank > 0 {
            fields.extend([array(self.i64, rank as u32); 2]);
        }
        let descriptor = r#struct(self.context, &fields, false);
        let location = user.location();
        let cast = OperationBuilder::new("builtin.unrealized_conversion_cast", location)
            .add_operands(&[buffer])
            .add_results(&[descriptor]);
        let cast = self.insert_after(buffer, cast);
        let position = DenseI64ArrayAttribute::new(self.context, &[1]).into();
        let extract = OperationBuilder::new("llvm.extractvalue", location)
            .add_operands(&[cast])
            .add_attributes(&[(self.name("position"), position)])
            .add_results(&[self.pointer]);
        let address = self.insert_after(cast, extract);
        self.addresses.insert(id(buffer), address);
        address
    }

    /// `memref.copy` between buffers of one plain type.
    fn copy(&mut self, operation: OperationRef<'c, 'a>) {
        if !matches!(use_of(operation, 0), Use::Address) {
            return;
        }
        let [from, to] = [0, 1].map(|index| raw::operand(operation, index));
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
        let buffer = raw::operand(operation, 0);
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
                let address = self.address(raw::operand(operation, index), operation);
                raw::mutable(operation).set_operand(index, address);
            }
        }
    }

    fn definition(&mut self, operation: OperationRef<'c, 'a>) {
        let result: Value = ops::result(operation);
        if !self.is_pointer(result) {
            return;
        }
        let address = match raw::name(&operation) {
            "memref.alloc" => {
                let Some(bytes) = plain(result.r#type()).and_then(|ty| ty.bytes()) else { return };
                let bytes = self.constant(operation, bytes);
                let call = self.library_call(operation, "malloc", bytes, Some(self.pointer));
                ops::result(call)
            }
            "memref.get_global" => {
                let Some(name) = ops::attribute(&operation, "name").and_then(raw::symbol_value)
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
                let base = self.address(raw::operand(operation, 0), operation);
                let offset = raw::operand(operation, 1);
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
            _ => self.address(raw::operand(operation, 0), operation),
        };
        self.addresses.insert(id(result), address);
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

    fn location_of(&self, value: Value<'c, 'a>) -> Location<'c> {
        let definition = raw::defining_operation(value);
        definition.map_or(Location::unknown(self.context), |operation| operation.location())
    }

    fn insert(
        &self,
        before: OperationRef<'c, 'a>,
        builder: OperationBuilder<'c>,
    ) -> OperationRef<'c, 'a> {
        insert(before, builder.build().expect("a well-formed operation"))
    }

    /// Inserts an operation of one result right after the definition of a value.
    fn insert_after(&self, value: Value<'c, 'a>, builder: OperationBuilder<'c>) -> Value<'c, 'a> {
        let operation = builder.build().expect("a well-formed operation");
        let inserted = raw::insert_after_definition(value, operation);
        ops::result(inserted)
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

/// An index that is a constant of at most 31 bits.
fn constant_index(index: Value) -> Option<i32> {
    let definition = raw::defining_operation(index)?;
    if raw::name(&definition) != "arith.constant" {
        return None;
    }
    let value = IntegerAttribute::try_from(ops::attribute(&definition, "value")?).ok()?.value();
    i32::try_from(value).ok().filter(|value| *value >= 0)
}

/// Lowers the constants of the plan to globals of the LLVM dialect, as upstream does.
fn globals<'c>(context: &'c Context, module: &Module<'c>, plan: &Plan<'c, '_>) {
    let name = |name| Identifier::new(context, name);
    let linkage = || Attribute::parse(context, "#llvm.linkage<private>").expect("valid");
    let i32 = IntegerType::new(context, 32).into();
    for global in raw::block_operations(module.body()) {
        let symbol = ops::symbol_name(&global);
        let is_global = raw::name(&global) == "memref.global";
        if !is_global || !plan.globals.contains_key(&symbol) {
            continue;
        }
        let attributes = ["type", "initial_value"].map(|name| ops::attribute(&global, name));
        let [Some(ty), Some(value)] = attributes else { continue };
        let Some(ty) = TypeAttribute::try_from(ty).ok().and_then(|ty| plain(ty.value())) else {
            continue;
        };
        let array = ty.sizes.iter().rev().fold(ty.element, |ty, size| array(ty, *size as u32));
        let new: Operation = OperationBuilder::new("llvm.mlir.global", global.location())
            .add_attributes(&[
                (name("addr_space"), IntegerAttribute::new(i32, 0).into()),
                (name("constant"), Attribute::unit(context)),
                (name("global_type"), TypeAttribute::new(array).into()),
                (name("linkage"), linkage()),
                (name("sym_name"), StringAttribute::new(context, &symbol).into()),
                (name("value"), value),
            ])
            .add_regions([Region::new()])
            .build()
            .expect("a well-formed llvm.mlir.global");
        module.body().insert_operation_before(global, new);
        raw::erase(global);
    }
}

/// Declares `malloc` and `free`, unless they are declared already.
fn declare_allocation<'c>(context: &'c Context, module: &Module<'c>) {
    let name = |name| Identifier::new(context, name);
    let names: Vec<_> = raw::block_operations(module.body()).iter().map(ops::symbol_name).collect();
    for (symbol, ty) in [("free", "!llvm.func<void (ptr)>"), ("malloc", "!llvm.func<ptr (i64)>")] {
        if names.iter().any(|name| name == symbol) {
            continue;
        }
        let ty = Type::parse(context, ty).expect("a valid type");
        let external = Attribute::parse(context, "#llvm.linkage<external>").expect("valid");
        let declaration = OperationBuilder::new("llvm.func", Location::unknown(context))
            .add_attributes(&[
                (name("function_type"), TypeAttribute::new(ty).into()),
                (name("linkage"), external),
                (name("sym_name"), StringAttribute::new(context, symbol).into()),
            ])
            .add_regions([Region::new()])
            .build()
            .expect("a well-formed llvm.func");
        module.body().insert_operation(0, declaration);
    }
}
