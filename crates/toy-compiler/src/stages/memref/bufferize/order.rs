//! Orders and names the globals that bufferization creates for constants, depending on the program alone.
//!
//! Input: a bufferized module, and the symbols it had before. Output: the same, with the new globals in
//! front, in the reverse order of their first uses, each with the location of its first use; globals of one
//! type are numbered in the order of their first uses. Reason: One-Shot Bufferize of LLVM 22 visits
//! functions that do not call each other in the order of a hash table of addresses
//! (`getFuncOpsOrderedByCalls`), so that the same program is bufferized differently from run to run.

use crate::dialect::ops;
use melior::Context;
use melior::ir::attribute::{FlatSymbolRefAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockLike, Module};
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// The names of a module's symbols.
pub fn symbols(module: &Module) -> HashSet<String> {
    ir::block_operations(module.body()).iter().map(ops::symbol_name).collect()
}

/// Orders and renames the globals whose names are not among the old symbols.
pub fn restore<'c>(context: &'c Context, module: &Module<'c>, old: &HashSet<String>) {
    let globals: HashMap<String, OperationRef> = ir::block_operations(module.body())
        .into_iter()
        .filter(|operation| ir::name(operation) == "memref.global")
        .map(|global| (ops::symbol_name(&global), global))
        .filter(|(name, _)| !old.contains(name))
        .collect();
    if globals.is_empty() {
        return;
    }
    let mut uses: Vec<(String, OperationRef)> = Vec::new();
    for operation in ir::operations(module.as_operation()) {
        let symbol = (ir::name(&operation) == "memref.get_global")
            .then(|| ops::attribute(&operation, "name").and_then(ir::symbol_value));
        if let Some(symbol) = symbol.flatten().filter(|symbol| globals.contains_key(symbol)) {
            uses.push((symbol, operation));
        }
    }
    let names = in_order(context, module, &globals, &uses, old);
    for (symbol, operation) in uses {
        if names[&symbol] != symbol {
            let name = FlatSymbolRefAttribute::new(context, &names[&symbol]).into();
            ir::set_attribute(operation, "name", name);
        }
    }
}

/// Moves and renames the globals that are used; their new names by their old ones.
fn in_order<'c>(
    context: &'c Context,
    module: &Module<'c>,
    globals: &HashMap<String, OperationRef<'c, '_>>,
    uses: &[(String, OperationRef<'c, '_>)],
    old: &HashSet<String>,
) -> HashMap<String, String> {
    let mut names: HashMap<String, String> = HashMap::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut taken = old.clone();
    for (symbol, first_use) in uses {
        if names.contains_key(symbol) {
            continue;
        }
        let base = without_number(symbol);
        let number = numbers.entry(base).or_default();
        let mut name = base.to_owned();
        while !taken.insert(name.clone()) {
            name = format!("{base}_{number}");
            *number += 1;
        }
        let mut global = ir::mutable(globals[symbol]);
        global.set_location(first_use.location());
        global.set_attribute("sym_name", StringAttribute::new(context, &name).into());
        if let Some(first) = module.body().first_operation() {
            global.move_before(first);
        }
        names.insert(symbol.clone(), name);
    }
    names
}

/// `__constant_2xf64` for `__constant_2xf64_3_1`: strips the suffixes that made the name unique, in a group
/// and in the module.
fn without_number(mut name: &str) -> &str {
    while let Some((base, number)) = name.rsplit_once('_')
        && base.contains("constant_")
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        name = base;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_not_part_of_names() {
        for (name, base) in [
            ("__constant_2xf64", "__constant_2xf64"),
            ("__constant_2xf64_0", "__constant_2xf64"),
            ("__constant_xf64_12", "__constant_xf64"),
            ("__constant_xf64_12_3", "__constant_xf64"),
            ("__constant_3xvector<2xi1>_1", "__constant_3xvector<2xi1>"),
            ("__constant_", "__constant_"),
        ] {
            assert_eq!(without_number(name), base);
        }
    }
}
