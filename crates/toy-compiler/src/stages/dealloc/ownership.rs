//! Buffer ownership: prepares functions for upstream's ownership-based deallocation and checks its result.
//!
//! Upstream's pass runs with `private-function-dynamic-ownership`: private functions return one extra bit per buffer,
//! which is 1 if the caller owns it. So a function may return an argument, a view of one, or a global, and a write
//! through the result is seen in the original. Public functions have no such bit: by convention, their callers own the
//! results. Hence:
//!
//! * [`make_private`]: in a program with a `main`, every other function becomes private.
//! * [`prepare`]: a public function returns a copy of a buffer that it may not own, and of one that it returns twice.
//!   A buffer that cannot be copied is rejected (E0407). The pass copies former tensors itself; `toyc.tensor_results`
//!   lists them. Functions whose
//!   address is taken must keep their type, so they are public while the pass runs. The pass rejects
//!   functions that free buffers, so deallocations in the input are marked or dropped ([`by_hand`]).
//! * [`settle`]: removes the marks, and rejects copies that the pass inserted because a buffer had no
//!   known owner.
//!
//! Input: functions on buffers, each of one block. Output: the same, before and after the pass. Invariant:
//! these passes communicate through the IR only: `toyc.private` on a function, `toyc.given` on a
//! `bufferization.clone` of the input, `bufferization.manual_deallocation`.
//!
//! Tutorial: chapter 10.

mod by_hand;
mod consumed;
mod decided;
mod flow;

use crate::dialect::ops::{self, definitions, is_buffer};
use crate::stages::memref::deallocate;
use crate::stages::memref::results::{TENSOR_RESULTS, result_types};
use crate::stages::memref::unreachable::has_several_blocks;
use flow::{Flow, Function, Source};
use melior::ir::attribute::{DenseI64ArrayAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Attribute, Module, Type, ValueLike};
use mlir_support::control_flow::around;
use mlir_support::pass::{PassContext, PassDefinition, run_upstream};
use mlir_support::symbols::References;
use mlir_support::{Locations, buffers, ir};
use std::collections::{BTreeSet, HashSet};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// Upstream's attribute for an allocation or deallocation that its pass ignores.
const MANUAL: &str = "bufferization.manual_deallocation";

/// The attribute of a private function that is public while the pass runs.
const PRIVATE: &str = "toyc.private";

/// The attribute of a copy that was in the input.
const GIVEN: &str = "toyc.given";

pub const MAKE_PRIVATE: PassDefinition = PassDefinition::new(
    "toy-make-private",
    "Makes all functions except `main` private, if there is a `main`",
    make_private,
);

pub const REPORT: PassDefinition = PassDefinition::new(
    "toy-report-ownership",
    "Says which buffers are freed only if the program finds out that they are its own to free",
    decided::run,
);

/// In a program, only `main` is called from outside.
pub fn make_private<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let functions = definitions(module);
    if !functions.iter().any(|function| ops::symbol_name(function) == "main") {
        return Ok(());
    }
    let private = StringAttribute::new(context.session.context(), "private").into();
    for function in functions {
        if ops::symbol_name(&function) != "main" && !ops::is_private(&function) {
            ir::set_attribute(function, "sym_visibility", private);
            ir::remove_attribute(function, TENSOR_RESULTS);
        }
    }
    Ok(())
}

pub const EXPAND_RESHAPES: PassDefinition = PassDefinition::wrapping(
    "toy-expand-reshapes",
    "Replaces `memref.reshape` by casts of a single buffer",
    expand_reshapes,
);

/// `memref.reshape` has two buffer operands, so deallocation cannot tell who owns its result. A cast has one.
pub fn expand_reshapes<'c>(context: &PassContext<'c>, module: &mut Module<'c>) -> Diagnosed<()> {
    if ir::any(module.as_operation(), |op| ir::name(&op) == "memref.reshape") {
        run_upstream(context, module, "func.func(memref-expand)")?;
    }
    Ok(())
}

pub const PREPARE: PassDefinition = PassDefinition::new(
    "toy-prepare-ownership",
    "Marks what the input frees itself; lets public functions return copies of buffers they may not own",
    prepare,
);

/// Right before ownership-based deallocation.
pub fn prepare<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let functions = definitions(module);
    for function in &functions {
        if ir::any(*function, has_several_blocks) {
            return Err(vec![not_structured(*function, &context.locations)]);
        }
    }
    let (mut has_frees, mut has_stored) = (false, false);
    for operation in ir::operations(module.as_operation()) {
        match ir::name(&operation) {
            "memref.dealloc" => has_frees = true,
            "memref.generic_atomic_rmw" => {
                return Err(vec![atomic(operation, &context.locations)]);
            }
            "bufferization.clone" => {
                ir::set_attribute(operation, GIVEN, Attribute::unit(context.session.context()));
            }
            "memref.store" => has_stored |= is_buffer(ir::operand(operation, 0).r#type()),
            _ => {}
        }
    }
    if has_stored {
        check_stored(&flow_of(module), &context.locations)?;
    }
    let returns_buffers =
        |function: &OperationRef| result_types(*function).into_iter().any(is_buffer);
    if !has_frees && !functions.iter().any(returns_buffers) {
        return Ok(());
    }
    let mut flow = flow_of(module);
    if copy_others(context, &flow)? {
        flow = flow_of(module);
    }
    let decision = by_hand::decide(&flow, &context.locations)?;
    let unit = Attribute::unit(context.session.context());
    for function in &flow.functions {
        if function.is_exported && ops::is_private(&function.operation) {
            ir::remove_attribute(function.operation, "sym_visibility");
            ir::set_attribute(function.operation, PRIVATE, unit);
        }
    }
    decision.automatic.into_iter().for_each(|alloc| ir::remove_attribute(alloc, MANUAL));
    decision.manual.into_iter().for_each(|operation| ir::set_attribute(operation, MANUAL, unit));
    decision.dropped.into_iter().for_each(ir::erase);
    Ok(())
}

/// The buffer sources of all functions of a module.
fn flow_of<'c, 'a>(module: &'a Module<'c>) -> Flow<'c, 'a> {
    let referenced = referenced(module);
    let functions = definitions(module).into_iter().map(|operation| {
        let name = ops::symbol_name(&operation);
        let is_referenced = referenced.as_ref().is_none_or(|names| names.contains(&name));
        let is_exported = is_referenced || !ops::is_private(&operation);
        Function { operation, name, operations: ir::operations(operation), is_exported }
    });
    Flow::new(functions.collect())
}

pub const SETTLE: PassDefinition = PassDefinition::new(
    "toy-settle-ownership",
    "Removes the marks of toy-prepare-ownership; rejects copies of buffers without a known owner",
    settle,
);

/// Right after ownership-based deallocation.
pub fn settle<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let private = StringAttribute::new(context.session.context(), "private").into();
    for function in definitions(module) {
        let may_copy =
            !ops::is_private(&function) && result_types(function).into_iter().any(is_buffer);
        ir::remove_attribute(function, TENSOR_RESULTS);
        if function.has_attribute(PRIVATE) {
            ir::remove_attribute(function, PRIVATE);
            ir::set_attribute(function, "sym_visibility", private);
        }
        for operation in ir::operations(function) {
            match ir::name(&operation) {
                "memref.alloc" | "memref.dealloc" => ir::remove_attribute(operation, MANUAL),
                "bufferization.clone" if operation.has_attribute(GIVEN) => {
                    ir::remove_attribute(operation, GIVEN);
                }
                "bufferization.clone" if !may_copy => {
                    return Err(vec![without_owner(operation, &context.locations)]);
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Lets public functions return copies of buffers that they may not own, and of buffers that they return twice. Returns
/// true if there are any.
fn copy_others<'c: 'a, 'a>(context: &PassContext<'c>, flow: &Flow<'c, 'a>) -> Diagnosed<bool> {
    let (mut copies, mut mistakes) = (Vec::new(), Vec::new());
    for function in flow.functions.iter().filter(|function| function.is_exported) {
        for (index, what) in not_its_own(flow, function) {
            let returns = function.operations.iter().filter(|it| ir::name(*it) == "func.return");
            for end in returns.copied() {
                if deallocate::is_copyable(ir::operand(end, index).r#type()) {
                    copies.push((end, index));
                } else {
                    mistakes.push(not_copyable(function, what, end, &context.locations));
                }
            }
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    for (end, index) in &copies {
        let copy = deallocate::copy(context, *end, ir::operand(*end, *index));
        ir::mutable(*end).set_operand(*index, copy);
    }
    Ok(!copies.is_empty())
}

/// The results of a public function that may be buffers which it does not own, or the same buffer as an earlier result,
/// with a description of each.
fn not_its_own(flow: &Flow, function: &Function) -> Vec<(usize, &'static str)> {
    let tensors = ops::attribute(&function.operation, TENSOR_RESULTS);
    let tensors = tensors.and_then(|list| DenseI64ArrayAttribute::try_from(list).ok());
    let is_value = |index: usize| {
        let list = tensors.as_ref();
        list.is_some_and(|list| (0..list.len()).any(|at| list.element(at) == Ok(index as i64)))
    };
    let (mut owned, mut others) = (BTreeSet::new(), Vec::new());
    for (index, values) in function.returned() {
        if is_value(index) {
            continue;
        }
        let mut sources: Vec<Source> = Vec::new();
        let mut what = None;
        for value in &values {
            for source in flow.sources(*value) {
                match source {
                    Source::Argument(_) => what = what.or(Some("one of its arguments")),
                    Source::Foreign => what = what.or(Some("a global, or memory on the stack")),
                    Source::Allocated(_) | Source::Owned(_) => sources.push(source),
                }
            }
        }
        let repeats = sources.iter().any(|source| owned.contains(source));
        others.extend(what.or(repeats.then_some("another result")).map(|what| (index, what)));
        owned.extend(sources);
    }
    others
}

fn not_copyable(
    function: &Function,
    what: &str,
    end: OperationRef,
    locations: &Locations,
) -> Diagnostic {
    let message = format!("`@{}` may return {what}, and its callers are not known", function.name);
    let diagnostic = Diagnostic::error(codes::UNKNOWN_OWNER, message);
    let label = "a caller would assume that it owns this buffer, and no copy has its type";
    locations.label(diagnostic, end.location(), label).help(if ops::is_private(&function.operation) {
        "its address is taken: return a buffer without a layout, or call it by its name only"
    } else {
        "return a buffer with a rank and without a layout, or make it private, `func.func private`"
    })
}

fn not_structured(function: OperationRef, locations: &Locations) -> Diagnostic {
    let name = ops::symbol_name(&function);
    let message = format!("the blocks of `@{name}` cannot be written as `scf` operations");
    let diagnostic = Diagnostic::error(codes::MLIR_REJECTED, message).help(
        "end all blocks that do not branch in the same operation, as `lift-cf-to-scf` asks for",
    );
    let label = "deallocation needs structured control flow";
    locations.label(diagnostic, function.location(), label)
}

/// Upstream's pass rejects regions other than control flow, and no other operation is equivalent.
fn atomic(operation: OperationRef, locations: &Locations) -> Diagnostic {
    let message = "`memref.generic_atomic_rmw` cannot be compiled together with deallocation";
    let diagnostic = Diagnostic::error(codes::MLIR_REJECTED, message).help(
        "use `memref.atomic_rmw`; or, where there is one thread, `memref.load` and `memref.store`",
    );
    let label = "ownership-based deallocation does not look into its region";
    locations.label(diagnostic, operation.location(), label)
}

/// Rejects buffers of this program that are stored in other buffers, if they may be freed before those: where their
/// variables end. Buffers from outside, globals and those on the stack are not freed here.
fn check_stored(flow: &Flow, locations: &Locations) -> Diagnosed<()> {
    let is_buffer_of_buffers = |ty: Type| ir::element(ty).is_some_and(is_buffer);
    for function in &flow.functions {
        let returns_table = result_types(function.operation).into_iter().any(is_buffer_of_buffers);
        for store in function.operations.iter().filter(|it| ir::name(*it) == "memref.store") {
            let [stored, table] = [0, 1].map(|at| ir::operand(*store, at));
            if !is_buffer(stored.r#type()) {
                continue;
            }
            let table = ir::defining_operation(buffers::base(table)).filter(|_| !returns_table);
            let is_freed_later = |address: usize| {
                let alloc = function.operations.iter().find(|it| ir::id(**it) == address);
                let block = alloc.and_then(|alloc| alloc.block());
                block.zip(table).is_some_and(|(block, table)| around(table, block).is_some())
            };
            let is_kept = |source: &Source| match source {
                Source::Allocated(address) | Source::Owned(address) => is_freed_later(*address),
                Source::Argument(_) => function.is_exported,
                Source::Foreign => true,
            };
            if !flow.sources(stored).iter().all(is_kept) {
                let message = "a buffer that is stored in another one has no known owner";
                let diagnostic = Diagnostic::error(codes::UNKNOWN_OWNER, message)
                    .note("toyc would free this one first: the other one is needed for longer")
                    .help("allocate it where the other one is, or store its elements instead");
                return Err(vec![locations.label(diagnostic, store.location(), "stored here")]);
            }
        }
    }
    Ok(())
}

fn without_owner(copy: OperationRef, locations: &Locations) -> Diagnostic {
    let message = "the owner of this buffer is not known";
    let diagnostic = Diagnostic::error(codes::UNKNOWN_OWNER, message)
        .note("it may be one of several buffers, and nothing says which one it is at run time")
        .help("choose between buffers with `arith.select` or `scf.if`");
    locations.label(diagnostic, copy.location(), "it is passed on here")
}

/// The names of functions with references other than calls; None: perhaps all.
fn referenced(module: &Module) -> Option<HashSet<String>> {
    let operations = ir::operations(module.as_operation());
    let is_callee = |op: &OperationRef, name: &str| name == "callee" && ir::name(op) == "func.call";
    References::of(operations, is_callee).names()
}
