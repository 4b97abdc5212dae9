//! Constants as globals of the LLVM dialect, and the declarations of the C library's functions.

use super::super::analyze::Plan;
use super::super::plain;
use crate::dialect::ops;
use melior::Context;
use melior::dialect::llvm::r#type::array;
use melior::ir::attribute::{IntegerAttribute, StringAttribute, TypeAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Module, Region, Type};
use mlir_support::{Builder, ir};

/// Lowers the constants of the plan to globals of the LLVM dialect, as upstream does.
pub fn lower<'c>(context: &'c Context, module: &Module<'c>, plan: &Plan<'c, '_>) {
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
        let attributes = [
            ("addr_space", IntegerAttribute::new(i32, 0).into()),
            ("constant", Attribute::unit(context)),
            ("global_type", TypeAttribute::new(array).into()),
            ("linkage", linkage()),
            ("sym_name", StringAttribute::new(context, &symbol).into()),
            ("value", value),
        ];
        let code = Builder::before(context, global);
        code.op_with_regions("llvm.mlir.global", &[], &[], &attributes, vec![Region::new()]);
        ir::erase(global);
    }
}

/// Declares `malloc` and `free`, unless they are declared already.
pub fn declare_allocation<'c>(context: &'c Context, module: &Module<'c>) {
    let names: Vec<_> = ir::block_operations(module.body()).iter().map(ops::symbol_name).collect();
    for (symbol, ty) in [("free", "!llvm.func<void (ptr)>"), ("malloc", "!llvm.func<ptr (i64)>")] {
        if names.iter().any(|name| name == symbol) {
            continue;
        }
        let ty = Type::parse(context, ty).expect("a valid type");
        let external = Attribute::parse(context, "#llvm.linkage<external>").expect("valid");
        let attributes = [
            ("function_type", TypeAttribute::new(ty).into()),
            ("linkage", external),
            ("sym_name", StringAttribute::new(context, symbol).into()),
        ];
        let code = Builder::at_start(context, module.body());
        code.op_with_regions("llvm.func", &[], &[], &attributes, vec![Region::new()]);
    }
}
