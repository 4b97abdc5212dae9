//! Dead argument elimination: erases parameters that are never read, and the computations of their arguments.
//!
//! Input and output: a verified module in which everything is inferred, on tensors; any other is left
//! alone. The program prints the same. An unread parameter would be a buffer of the caller, live until the
//! call, and LLVM can no longer see at that level that it is never read.
//!
//! Callees are visited before their callers. In each function, arguments for erased parameters of callees
//! are removed first; then dead operations, which are pure ([`purity`](crate::analysis::purity)): an operation that
//! prints or may not terminate stays. Parameters without uses after that are erased, too. So a parameter
//! that is only passed to a function that does not read it is erased as well.
//!
//! Deny by default. A function loses parameters if all of this holds:
//!
//! * it is private, has a body, and only the attributes that every function has;
//! * every reference to it is a `func.call` in a function of the module, in no region of anything
//!   but `scf`, without argument attributes;
//! * it is in no cycle of calls;
//! * the parameter is a tensor or a struct.
//!
//! MLIR's `remove-dead-values` does this for operations with known effects; IRDL cannot declare any in LLVM
//! 22. It is for optimization only: debuggers show parameters.
//!
//! Tutorial: chapter 5.

use crate::analysis::purity::{Purity, is_call};
use crate::dialect::needs;
use crate::dialect::ops::{self, entry_block};
use crate::dialect::structs::is_of_dialect;
use crate::stages::toy::cse::{erase_uncalled, referenced, values};
use melior::Context;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, BlockLike, Module, TypeLike, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::symbols::References;
use mlir_support::{ir, raw};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-dead-arguments",
    "Erases parameters that nothing reads, and what is computed for them",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let functions = ir::block_operations(module.body());
    let may_lose = |function: &OperationRef| is_plain(function) && has_parameters(*function);
    if !functions.iter().any(may_lose) || !needs::is_inferred_everywhere(module) {
        return Ok(());
    }
    let purity = Purity::of(module);
    let calls = Calls::of(module, &purity);
    // The indices of the erased parameters, by function name.
    let mut lost: HashMap<String, Vec<usize>> = HashMap::new();
    // The callees of the functions visited so far.
    let mut called = HashSet::new();
    for function in &purity.callees_first {
        let operations = values::operations(&values::steps(*function));
        for call in operations.iter().filter(|operation| is_call(operation)) {
            let Some(callee) = ops::callee(call) else { continue };
            if let Some(places) = lost.get(&callee) {
                let operands: Vec<Value> = without(call.operands().collect(), places);
                ir::set_operands(*call, &operands);
            }
            called.insert(callee);
        }
        values::erase_dead(operations, &purity);
        let name = ops::symbol_name(function);
        // A function that was called before it was visited is in a cycle of calls.
        if may_lose(function) && !called.contains(&name) && calls.are_all_of(&name) {
            let places = unread(*function);
            if !places.is_empty() {
                drop_parameters(context.session.context(), *function, &places);
                lost.insert(name, places);
            }
        }
    }
    erase_uncalled(module, &purity.called);
    Ok(())
}

/// True if a function is private, has a body, and only the usual attributes.
fn is_plain(function: &OperationRef) -> bool {
    const KNOWN: [&str; 7] = [
        "sym_name",
        "function_type",
        "sym_visibility",
        "arg_attrs",
        "res_attrs",
        "no_inline",
        "toy.specialization",
    ];
    let is_known = |name: &str| KNOWN.contains(&name);
    ops::is_function(function)
        && ops::is_private(function)
        && function.attributes().all(|(name, _)| name.as_string_ref().as_str().is_ok_and(is_known))
}

fn has_parameters(function: OperationRef) -> bool {
    entry_block(function).is_some_and(|block| block.argument_count() > 0)
}

/// The indices of the parameters without uses.
fn unread(function: OperationRef) -> Vec<usize> {
    let Some(block) = entry_block(function) else { return Vec::new() };
    let is_unread = |place: &usize| {
        block.argument(*place).is_ok_and(|argument| {
            let ty = argument.r#type();
            let is_value = ty.is_ranked_tensor() || ty.is_unranked_tensor() || is_of_dialect(ty);
            is_value && !ir::has_uses(argument.into())
        })
    };
    (0..block.argument_count()).filter(is_unread).collect()
}

fn drop_parameters<'c>(context: &'c Context, function: OperationRef<'c, '_>, places: &[usize]) {
    let (Some(block), Some(old)) = (entry_block(function), ops::function_type(&function)) else {
        return;
    };
    let attributes = ops::attribute(&function, "arg_attrs").map(ArrayAttribute::try_from);
    if let Some(Ok(attributes)) = attributes {
        let all: Vec<Attribute> =
            (0..attributes.len()).flat_map(|place| attributes.element(place)).collect();
        let left = ArrayAttribute::new(context, &without(all, places));
        ir::set_attribute(function, "arg_attrs", left.into());
    }
    let inputs = without(ops::inputs(old), places);
    let new = ops::function_type_of(context, &inputs, &ops::results(old));
    ir::set_attribute(function, "function_type", new);
    // SAFETY: the pass keeps the places of parameters only, no values.
    places.iter().rev().for_each(|place| unsafe { raw::erase_argument(block, *place) });
}

/// A list without the elements at some indices.
fn without<T>(list: Vec<T>, places: &[usize]) -> Vec<T> {
    let list = list.into_iter().enumerate();
    list.filter(|(place, _)| places.binary_search(place).is_err()).map(|(_, item)| item).collect()
}

/// The calls of and references to functions.
struct Calls {
    /// The number of calls that the pass visits, and of all references.
    visited: HashMap<String, usize>,
    all: HashMap<String, usize>,
    elsewhere: References,
}

impl Calls {
    fn of(module: &Module, purity: &Purity) -> Self {
        let count = |operations: &[OperationRef]| {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for call in operations.iter().filter(|operation| is_call(operation)) {
                let name = ops::callee(call).unwrap_or_default();
                *counts.entry(name).or_default() += 1;
            }
            counts
        };
        let mut visited = Vec::new();
        for function in &purity.callees_first {
            visited.extend(values::operations(&values::steps(*function)));
        }
        visited.retain(|operation| !operation.has_attribute("arg_attrs"));
        let all = ir::operations(module.as_operation());
        Self { visited: count(&visited), all: count(&all), elsewhere: referenced(&all) }
    }

    /// True if all references to a function are calls that the pass visits.
    fn are_all_of(&self, name: &str) -> bool {
        self.visited.get(name) == self.all.get(name) && !self.elsewhere.mention(name)
    }
}
