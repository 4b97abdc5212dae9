//! Constants as globals of the LLVM dialect, and the declarations of the C library's functions.

use super::super::analyze::Plan;
use super::super::plain;
use crate::dialect::ops;
use melior::Context;
use melior::dialect::llvm::r#type::array;
use melior::ir::attribute::{IntegerAttribute, StringAttribute, TypeAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, BlockLike, Identifier, Location, Module, Operation, Region, Type};
use mlir_support::ir;

/// Lowers the constants of the plan to globals of the LLVM dialect, as upstream does.
pub fn lower<'c>(context: &'c Context, module: &Module<'c>, plan: &Plan<'c, '_>) {
    let name = |name| Identifier::new(context, name);
    let linkage = || Attribute::parse(context, "#llvm.linkage<private>").expect("valid");
    let i32 = IntegerType::new(context, 32).into();
    for global in ir::block_operations(module.body()) {
        let symbol = ops::symbol_name(&global);
        let is_global = ir::name(&global) == "memref.global";
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
        ir::erase(global);
    }
}

/// Declares `malloc` and `free`, unless they are declared already.
pub fn declare_allocation<'c>(context: &'c Context, module: &Module<'c>) {
    let name = |name| Identifier::new(context, name);
    let names: Vec<_> = ir::block_operations(module.body()).iter().map(ops::symbol_name).collect();
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
