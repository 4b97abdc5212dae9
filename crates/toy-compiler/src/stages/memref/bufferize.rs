//! One-Shot Bufferize in groups of functions, without upstream's cost per function.
//!
//! Input: functions on tensors. Output: the same functions on memrefs, results included. For every
//! call, One-Shot Bufferize of LLVM 22 rebuilds the symbol table of the whole module (fixed
//! upstream in January 2026, llvm-project pull request 176909): 10,000 functions take 25 s. So the
//! functions of a large module are bufferized in groups, each in a separate module in which
//! the other functions are declarations. Functions on both sides of such a cut rely on one rule:
//! no function writes to its arguments. It holds because the callee is told that its arguments are
//! not writable and the caller that they are only read. (Toy's functions never write to one.)
//!
//! A new allocation of several cache lines is aligned to one ([`align`]); allocations in the input are
//! unchanged.
//!
//! A tensor that a recursive function only reads is not copied for the call ([`recursion`]).
//!
//! Constants become globals named after their type; equal ones of different groups are merged,
//! different ones of one name are renamed. Their order depends on the program alone ([`order`]).
//!
//! Tutorial: chapter 8.

mod order;
mod recursion;

use crate::dialect::ops;
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, BoolAttribute, DictionaryAttribute, FlatSymbolRefAttribute, IntegerAttribute,
    StringAttribute,
};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{Attribute, BlockLike, Identifier, Location, Module, Operation, ValueLike};
use merge_alloc::analysis::sizes;
use mlir_support::pass::{PassContext, PassDefinition, run_upstream};
use mlir_support::{ir, raw};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;

/// Functions and loops take and return buffers without strides, so that their types always match. Loops may
/// yield new buffers, which is correct after [`crate::stages::memref::distinct_yields`]. Alignment is left to [`align`].
const ONE_SHOT: &str = concat!(
    "one-shot-bufferize{bufferize-function-boundaries=true buffer-alignment=0 ",
    "function-boundary-type-conversion=identity-layout-map ",
    "unknown-type-conversion=identity-layout-map ",
    "allow-return-allocs-from-loops=true}",
);

/// The size of a cache line in bytes.
const CACHE_LINE: u64 = 64;

/// The attribute of allocations of the input that do not request an alignment.
const UNALIGNED: &str = "toyc.unaligned";

/// The number of functions in one group; modules with at most twice as many are not divided.
const GROUP: usize = 128;

pub const PASS: PassDefinition = PassDefinition::wrapping(
    "toy-one-shot-bufferize",
    "Runs one-shot-bufferize across function boundaries, in groups of functions for large modules",
    run,
)
.standing_in_for("one-shot-bufferize");

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &mut Module<'c>) -> Diagnosed<()> {
    for old in allocations(module) {
        if !old.has_attribute("alignment") {
            ir::set_attribute(old, UNALIGNED, Attribute::unit(context.session.context()));
        }
    }
    let symbols = order::symbols(module);
    bufferize(context, module)?;
    order::restore(context.session.context(), module, &symbols);
    align(context.session.context(), module);
    Ok(())
}

fn allocations<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let mut operations = ir::operations(module.as_operation());
    operations.retain(|operation| ir::name(operation) == "memref.alloc");
    operations
}

/// Aligns new buffers to a cache line, for vectorized loops. Small ones keep malloc's alignment: they would
/// become much larger, since the size of an aligned allocation is rounded up to a multiple of its
/// alignment.
fn align<'c>(context: &'c Context, module: &Module<'c>) {
    for allocation in allocations(module) {
        if allocation.has_attribute(UNALIGNED) {
            ir::remove_attribute(allocation, UNALIGNED);
            continue;
        }
        let ty = MemRefType::try_from(ops::result(allocation).r#type()).ok();
        let is_small = ty.and_then(sizes::of_buffer).is_some_and(|layout| {
            layout.size < CACHE_LINE || !sizes::alignment_is_cheap(layout.size, CACHE_LINE)
        });
        if !is_small && !allocation.has_attribute("alignment") {
            let value = IntegerType::new(context, 64).into();
            let value = IntegerAttribute::new(value, CACHE_LINE as i64).into();
            ir::set_attribute(allocation, "alignment", value);
        }
    }
}

fn bufferize<'c>(context: &PassContext<'c>, module: &mut Module<'c>) -> Diagnosed<()> {
    let functions = ops::functions(module);
    if !is_divided(&functions) {
        let cut = recursion::cut(context.session.context(), module);
        run_upstream(context, module, ONE_SHOT)?;
        recursion::join(context.session.context(), module, &cut);
        return Ok(());
    }
    let declarations = declarations(context.session.context(), &functions);
    let mut globals = Globals::of(module);
    let (with_body, without): (Vec<_>, Vec<_>) =
        functions.into_iter().partition(|function| ops::entry_block(*function).is_some());
    without.into_iter().for_each(ir::erase);
    // SAFETY: the functions are put back, bufferized, and no reference to them is left: this function's
    // references end here, and the module is borrowed by it alone.
    let detach = |function| unsafe { raw::detach(function) };
    let mut functions = by_calls(with_body).into_iter().map(detach).collect::<Vec<_>>().into_iter();
    while functions.len() > 0 {
        let group: Vec<_> = functions.by_ref().take(GROUP).collect();
        let mut part = context.session.new_module(Location::unknown(context.session.context()));
        move_into(context, &part, group, &declarations);
        run_upstream(context, &mut part, ONE_SHOT)?;
        globals.move_back(context.session.context(), &part, module);
    }
    Ok(())
}

/// True if the functions are bufferized in groups.
fn is_divided(functions: &[OperationRef]) -> bool {
    let bodies = functions.iter().filter(|function| ops::entry_block(**function).is_some());
    bodies.count() > 2 * GROUP
}

/// Functions in the order in which they are first called, so that callers and callees are in one
/// group where possible.
fn by_calls<'c, 'a>(functions: Vec<OperationRef<'c, 'a>>) -> Vec<OperationRef<'c, 'a>> {
    let by_name: HashMap<_, _> =
        functions.iter().map(|function| (ops::symbol_name(function), *function)).collect();
    let mut seen = HashSet::new();
    let mut ordered = Vec::with_capacity(functions.len());
    for root in functions {
        let mut stack = vec![root];
        while let Some(function) = stack.pop() {
            if !seen.insert(ops::symbol_name(&function)) {
                continue;
            }
            ordered.push(function);
            let callees: Vec<_> = ir::operations(function).iter().filter_map(ops::callee).collect();
            stack.extend(callees.iter().rev().filter_map(|callee| by_name.get(callee)));
        }
    }
    ordered
}

/// A declaration of every function, by name, whose arguments are marked as only read.
fn declarations<'c>(
    context: &'c Context,
    functions: &[OperationRef<'c, '_>],
) -> HashMap<String, Operation<'c>> {
    functions
        .iter()
        .map(|function| {
            let mut declaration = ops::declaration_of(context, *function);
            if ops::entry_block(*function).is_some() {
                let read = StringAttribute::new(context, "read").into();
                add_to_arguments(context, &mut declaration, "bufferization.access", read, |_| true);
            }
            (ops::symbol_name(function), declaration)
        })
        .collect()
}

/// Sets an attribute on some arguments of a function.
fn add_to_arguments<'c: 'a, 'a>(
    context: &'c Context,
    function: &mut impl OperationMutLike<'c, 'a>,
    name: &str,
    value: Attribute<'c>,
    is_meant: impl Fn(usize) -> bool,
) {
    let count = ops::function_type(function).map_or(0, |ty| ty.input_count());
    let existing = ops::attribute(function, "arg_attrs")
        .and_then(|attribute| ArrayAttribute::try_from(attribute).ok());
    let name = Identifier::new(context, name);
    let all: Vec<Attribute> = (0..count)
        .map(|index| {
            let mut entries = Vec::from_iter(is_meant(index).then_some((name, value)));
            let old = existing.and_then(|array| array.element(index).ok());
            if let Some(old) = old.and_then(|old| DictionaryAttribute::try_from(old).ok()) {
                let old = (0..old.len()).filter_map(|index| old.element(index).ok());
                entries.extend(old.filter(|(other, _)| !is_meant(index) || *other != name));
            }
            DictionaryAttribute::new(context, &entries).into()
        })
        .collect();
    function.set_attribute("arg_attrs", ArrayAttribute::new(context, &all).into());
}

/// Moves functions into a new module and declares their other callees there.
fn move_into<'c>(
    context: &PassContext<'c>,
    part: &Module<'c>,
    group: Vec<Operation<'c>>,
    declarations: &HashMap<String, Operation<'c>>,
) {
    let context = context.session.context();
    let inside: HashSet<_> = group.iter().map(ops::symbol_name).collect();
    for mut function in group {
        let no = BoolAttribute::new(context, false).into();
        add_to_arguments(context, &mut function, "bufferization.writable", no, |_| true);
        part.body().append_operation(function);
    }
    let mut declared = HashSet::new();
    for callee in ir::operations(part.as_operation()).iter().filter_map(ops::callee) {
        let declaration = declarations.get(&callee);
        if let Some(declaration) = declaration.filter(|_| !inside.contains(&callee))
            && declared.insert(callee)
        {
            part.body().insert_operation(declared.len() - 1, declaration.clone());
        }
    }
}

/// The symbols that the parts share, to merge the parts again.
struct Globals {
    names: HashSet<String>,
    /// The name of the global with this type and these contents (addresses of attributes).
    by_contents: HashMap<[usize; 2], String>,
    /// Functions that are only declared; true if their declaration has been moved back.
    external: HashMap<String, bool>,
}

impl Globals {
    fn of(module: &Module) -> Self {
        let operations = ir::block_operations(module.body());
        let external = operations
            .iter()
            .filter(|operation| {
                ops::is_function(*operation) && ops::entry_block(**operation).is_none()
            })
            .map(|function| (ops::symbol_name(function), false))
            .collect();
        let names = operations.iter().map(ops::symbol_name).collect();
        Self { names, by_contents: HashMap::new(), external }
    }

    /// Moves all definitions and new declarations of a part into the module.
    fn move_back<'c>(&mut self, context: &'c Context, part: &Module<'c>, module: &Module<'c>) {
        self.rename(context, part);
        for operation in ir::block_operations(part.body()) {
            let name = ops::symbol_name(&operation);
            // SAFETY: it becomes part of the module, which outlives the part and all references to it.
            let detach = || unsafe { raw::detach(operation) };
            if ir::name(&operation) == "memref.global" {
                if self.names.insert(name) {
                    module.body().insert_operation(0, detach());
                }
            } else if ops::entry_block(operation).is_some() {
                module.body().append_operation(detach());
            } else if self.external.get(&name) == Some(&false) {
                self.external.insert(name, true);
                module.body().insert_operation(0, detach());
            }
        }
    }

    /// Gives the globals of a part the names that their contents have, or will have, in the module.
    fn rename<'c>(&mut self, context: &'c Context, part: &Module<'c>) {
        let mut renamed = HashMap::new();
        for operation in ir::block_operations(part.body()) {
            if ir::name(&operation) != "memref.global" {
                continue;
            }
            let contents = ["type", "initial_value"]
                .map(|name| ops::attribute(&operation, name).map_or(0, ir::id));
            let old = ops::symbol_name(&operation);
            let new = self.by_contents.get(&contents).cloned().unwrap_or_else(|| self.fresh(&old));
            self.by_contents.insert(contents, new.clone());
            let symbol = StringAttribute::new(context, &new).into();
            ir::set_attribute(operation, "sym_name", symbol);
            renamed.insert(old, new);
        }
        for operation in ir::operations(part.as_operation()) {
            if ir::name(&operation) != "memref.get_global" {
                continue;
            }
            let symbol = ops::attribute(&operation, "name").and_then(ir::symbol_value);
            if let Some(new) = symbol.and_then(|symbol| renamed.get(&symbol)) {
                let new = FlatSymbolRefAttribute::new(context, new).into();
                ir::set_attribute(operation, "name", new);
            }
        }
    }

    fn fresh(&self, name: &str) -> String {
        let taken = |name: &String| {
            self.names.contains(name) || self.by_contents.values().any(|other| other == name)
        };
        if !taken(&name.to_owned()) {
            return name.to_owned();
        }
        let numbered = (self.by_contents.len()..).map(|number| format!("{name}_{number}"));
        numbered.into_iter().find(|name| !taken(name)).expect("numbers do not end")
    }
}
