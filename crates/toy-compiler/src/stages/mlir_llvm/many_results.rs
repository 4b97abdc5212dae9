//! Functions with many results return them in memory.
//!
//! Input: functions without structured control flow. Output: the same, but a private function with more than [`MOST`]
//! numbers as results stores them into words that its caller has on the stack:
//!
//! ```text
//! func @f(%x: f64) -> (f64, ... 100 times)   ─▶   func @f(%x: f64, %results: !llvm.ptr)
//! %r:100 = call @f(%x)                       ─▶   call @f(%x, %slot)
//!                                                 %r0 = llvm.load %slot ...
//! ```
//!
//! Parts that `toy-outline` has cut out of a function return hundreds, as do functions of large structs. Several results
//! are one value in LLVM, a struct made by inserting them one by one. IPSCCP keeps what it knows of each field of each of
//! these structs: 13 s for two functions of 400 results, where the code generator puts them into memory anyway.
//!
//! Functions that are called or return inside of other operations stay as they are: a thread needs words of its own.

use super::slots;
use crate::dialect::ops;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, Type, Value, ValueLike};
use mlir_support::builder::{Builder, Insertion};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition, Workaround};
use mlir_support::symbols::References;
use std::collections::HashSet;
use toy_diagnostics::Diagnosed;

/// More results than this are returned in memory.
const MOST: usize = 16;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-many-results",
    "Returns many numbers in memory of the caller, not as a struct",
    run,
)
.working_around(Workaround {
    issue: "LLVM's IPSCCP takes time with the square of the fields of a struct, for each time that one of them changes",
    since: "22.1",
    delete_when: "the program of `bench/programs.py branches 480` takes less than two seconds at -O2 without it",
});

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let operations = ir::operations(module.as_operation());
    let changed = changed(&operations);
    if changed.is_empty() {
        return Ok(());
    }
    context.session.context().get_or_load_dialect("llvm");
    for operation in operations {
        let code = Builder::before(context.session.context(), operation);
        let around = || operation.parent_operation().map(|around| ops::symbol_name(&around));
        match ir::name(&operation) {
            "func.func" if changed.contains(&ops::symbol_name(&operation)) => {
                add_parameter(code, operation)
            }
            "func.return" if around().is_some_and(|name| changed.contains(&name)) => {
                store(code, operation)
            }
            "func.call" if ops::callee(&operation).is_some_and(|name| changed.contains(&name)) => {
                load(code, operation);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The names of the functions that change.
fn changed(operations: &[OperationRef]) -> HashSet<String> {
    let has_many = |function: &OperationRef| {
        let results = ops::function_type(function).map(ops::results).unwrap_or_default();
        results.into_iter().filter(|ty| is_number(*ty)).count() > MOST
    };
    let may_change = |function: &OperationRef| {
        let attributes = ["res_attrs", "arg_attrs", "llvm.emit_c_interface"];
        ops::is_private(function)
            && ops::entry_block(*function).is_some()
            && !attributes.into_iter().any(|name| function.has_attribute(name))
    };
    let functions = operations.iter().filter(|it| ops::is_function(*it) && has_many(it));
    let mut names: HashSet<_> =
        functions.filter(|it| may_change(it)).map(ops::symbol_name).collect();
    if names.is_empty() {
        return names;
    }
    let references = References::besides_calls(operations.iter().copied());
    names.retain(|name| !references.mention(name));
    let calls = operations.iter().filter(|operation| ir::name(*operation) == "func.call");
    let is_deeper =
        |call: &&OperationRef| call.parent_operation().is_none_or(|it| !ops::is_function(&it));
    for name in calls.filter(is_deeper).filter_map(ops::callee) {
        names.remove(&name);
    }
    names
}

/// A type of a value that fits into a word.
fn is_number(ty: Type) -> bool {
    ir::float_width(ty).or_else(|| ir::signless_width(ty)).is_some_and(|bits| bits <= 64)
}

/// Gives a function the address of its results in place of the results that are numbers.
fn add_parameter<'c>(code: Builder<'c, '_>, function: OperationRef<'c, '_>) {
    let (Some(ty), Some(block)) = (ops::function_type(&function), ops::entry_block(function))
    else {
        return;
    };
    let inputs: Vec<_> = ops::inputs(ty).into_iter().chain([code.pointer_type()]).collect();
    let others: Vec<_> = ops::results(ty).into_iter().filter(|ty| !is_number(*ty)).collect();
    let ty = ops::function_type_of(code.context, &inputs, &others);
    ir::set_attribute(function, "function_type", ty);
    block.add_argument(code.pointer_type(), function.location());
}

/// Stores the numbers that a function returns.
fn store<'c: 'a, 'a>(code: Builder<'c, 'a>, end: OperationRef<'c, 'a>) {
    let function = end.parent_operation();
    let Some(block) = function.and_then(ops::entry_block) else { return };
    let Some(slot) = ir::arguments(block).pop() else { return };
    let (numbers, others): (Vec<Value>, Vec<Value>) =
        end.operands().partition(|value| is_number(value.r#type()));
    for (word, number) in numbers.into_iter().enumerate() {
        slots::store(code, number, slot, word);
    }
    ir::set_operands(end, &others);
}

/// Replaces a call by one that stores its numbers, and its results by what it has stored.
fn load<'c: 'a, 'a>(code: Builder<'c, 'a>, call: OperationRef<'c, 'a>) {
    let caller = call.parent_operation();
    let Some(block) = caller.and_then(ops::entry_block) else { return };
    let (numbers, others): (Vec<Value>, Vec<Value>) =
        call.results().map(Value::from).partition(|value| is_number(value.r#type()));
    let Some(first) = ir::block_operations(block).first().copied() else { return };
    let start = code.at(Insertion::Before(first));
    let one = start.llvm_constant(start.i64_type(), 1);
    let slot = slots::alloca(start, one, numbers.len());
    let operands: Vec<Value> = call.operands().chain([slot]).collect();
    let types: Vec<_> = others.iter().map(|other| other.r#type()).collect();
    let new = code.like(call, &operands, &types);
    for (old, new) in others.into_iter().zip(new.results()) {
        ir::replace_all_uses(old, new.into());
    }
    for (word, old) in numbers.into_iter().enumerate().filter(|(_, old)| ir::has_uses(*old)) {
        let address = slots::address(code, slot, word);
        ir::replace_all_uses(old, code.value("llvm.load", &[address], old.r#type(), &[]));
    }
    ir::erase(call);
}
