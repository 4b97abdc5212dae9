//! The function that a derivative begins with: a copy, with the functions that it calls inside of it.
//!
//! Input: a function with known shapes. Output: a copy under another name, which prints nothing, and has no calls but of
//! functions that call themselves or are large. Invariant: all its operations do nothing but compute.

use super::Functions;
use super::activity::blocks;
use crate::dialect::ops::{self, Kind};
use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockLike, Module};
use mlir_support::{builder, control_flow, ir};
use std::collections::HashSet;

/// A copy with more operations inlines no more calls.
const MOST: usize = 4000;

/// A copy of a function, at the end of the module.
pub fn of<'c, 'a>(
    (context, module): (&'c Context, &'a Module<'c>),
    functions: &Functions<'c, 'a>,
    function: OperationRef<'c, 'a>,
    (symbol, readable): (&str, &str),
) -> OperationRef<'c, 'a> {
    let text = |text: &str| StringAttribute::new(context, text).into();
    let copy = module.body().append_operation(ir::clone(function));
    for name in copy.attributes().map(|(name, _)| name).collect::<Vec<_>>() {
        if let Ok(name) = name.as_string_ref().as_str()
            && !["sym_name", "function_type"].contains(&name)
        {
            ir::remove_attribute(copy, name);
        }
    }
    ir::set_attribute(copy, "sym_name", text(symbol));
    ir::set_attribute(copy, "sym_visibility", text("private"));
    ir::set_attribute(copy, "toy.specialization", text(readable));
    inline(functions, copy, &ops::symbol_name(&function));
    silence(copy);
    ir::operations(copy).into_iter().filter(control_flow::is_loop).for_each(fields_outside);
    copy
}

/// Puts the contents of functions in place of calls, in the order of the calls.
fn inline<'c, 'a>(functions: &Functions<'c, 'a>, copy: OperationRef<'c, 'a>, of: &str) {
    let mut size = ir::operations(copy).len();
    // Each call with the functions that it is in.
    let is_call = |it: &OperationRef| ir::name(it) == "func.call";
    let calls = ir::operations(copy).into_iter().filter(is_call);
    let mut pending: Vec<_> = calls.map(|call| (call, vec![of.to_owned()])).collect();
    pending.reverse();
    while let Some((call, mut path)) = pending.pop() {
        let Some(callee) = ops::callee(&call).filter(|callee| !path.contains(callee)) else {
            continue;
        };
        let Some(function) = functions.get(&callee).copied() else { continue };
        let [body] = ir::blocks(function)[..] else { continue };
        let count = ir::operations(function).len() - 1;
        if size + count > MOST {
            continue;
        }
        size += count;
        let copies = builder::inline(call, body);
        path.push(callee);
        let inner = copies.into_iter().flat_map(|it| [vec![it], ir::operations(it)].concat());
        let calls: Vec<_> = inner.filter(is_call).map(|call| (call, path.clone())).collect();
        pending.extend(calls.into_iter().rev());
    }
}

/// Erases what prints, and what is for debuggers.
pub fn silence(function: OperationRef) {
    for operation in ir::operations(function) {
        if matches!(Kind::of(&operation), Some(Kind::Print | Kind::PrintValues | Kind::Variable)) {
            ir::erase(operation);
        }
    }
}

/// True if a function may print, or do anything else but compute, in a call, too.
pub fn acts(functions: &Functions, function: OperationRef) -> bool {
    let (mut pending, mut seen) = (vec![function], vec![ops::symbol_name(&function)]);
    while let Some(function) = pending.pop() {
        for operation in ir::operations(function) {
            if Kind::of(&operation).is_some_and(|kind| !kind.is_pure() && kind != Kind::Variable) {
                return true;
            }
            if let Some(callee) = ops::callee(&operation)
                && !seen.contains(&callee)
            {
                pending.extend(functions.get(&callee).copied());
                seen.push(callee);
            }
        }
    }
    false
}

/// Reads the fields of structs from outside before a loop: each has a cotangent of its own then.
fn fields_outside(operation: OperationRef) {
    let inner = ir::operations(operation);
    let mut own: HashSet<usize> = inner.iter().flat_map(|it| it.results()).map(ir::id).collect();
    let blocks = inner.iter().chain([&operation]).flat_map(|it| blocks(*it));
    own.extend(blocks.flat_map(ir::arguments).map(ir::id));
    for access in inner {
        if Kind::of(&access) == Some(Kind::StructAccess)
            && !own.contains(&ir::id(ir::operand(access, 0)))
        {
            ir::mutable(access).move_before(operation);
            own.remove(&ir::id(ops::result(access)));
        }
    }
}
