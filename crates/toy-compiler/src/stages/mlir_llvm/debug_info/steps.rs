//! The line numbers of instructions without a counterpart in the source.
//!
//! A debugger stops where the line changes, so an instruction between two of one line must have the same
//! line. Operations that only prepare operands (constants, descriptors) do not become code to stop at, and
//! have the line of their use, which may come later.

use crate::dialect::ops;
use melior::Context;
use melior::ir::Location;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use mlir_support::{ir, location};
use std::collections::HashSet;

/// Gives some operations the line of the previous one: frees, which always have the line of the `return`
/// after deallocation, and markers of values that are older (`given`).
pub fn place(function: OperationRef, given: &HashSet<usize>) {
    let mut last = None;
    for operation in ir::operations(function) {
        let is_free = ops::callee(&operation).as_deref() == Some("free");
        if !is_free && !given.contains(&ir::id(operation)) {
            last = step(operation).or(last);
            continue;
        }
        let Some(last) = last else { continue };
        ir::mutable(operation).set_location(last);
        let operands: Vec<_> = operation.operands().collect();
        for definition in operands.into_iter().filter_map(ir::defining_operation) {
            if !is_step(definition) {
                ir::mutable(definition).set_location(last);
            }
        }
    }
}

/// Removes the lines of everything before the first statement: up to the last marker of a parameter, or of
/// another value that is passed to the function. `own` are the other markers.
pub fn end_prologue<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
    given: &HashSet<usize>,
    own: &HashSet<usize>,
) {
    let entry = ops::entry_block(function).map(ir::block_operations).unwrap_or_default();
    let is_statement = |operation: &OperationRef| {
        own.contains(&ir::id(*operation))
            || (is_step(*operation) && !given.contains(&ir::id(*operation)))
    };
    let start = entry.iter().take_while(|operation| !is_statement(operation)).count();
    let last = entry[..start].iter().rposition(|operation| given.contains(&ir::id(*operation)));
    for operation in entry.iter().take(last.map_or(0, |last| last + 1)) {
        ir::mutable(*operation).set_location(Location::unknown(context));
    }
}

/// The branches to loops that are the first step on their line. They do not become code, so the first
/// instruction on the line would be in the loop, and a debugger would stop in every iteration. An instruction
/// is needed before them.
pub fn starts_of_loops<'c, 'a>(function: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let line = |location| location::place(location).map(|place| (place.file, place.start.0));
    let mut starts = Vec::new();
    for block in ir::blocks(function) {
        let operations = ir::block_operations(block);
        let Some((branch, body)) = operations.split_last() else { continue };
        let last = body.iter().rev().copied().find_map(step).and_then(line);
        let own = line(branch.location());
        // A branch that is alone in its block becomes code.
        if ir::name(branch) == "llvm.br" && own.is_some() && last.is_some() && own != last {
            starts.push(*branch);
        }
    }
    starts
}

/// The location of an operation at which a debugger may stop.
fn step<'c>(operation: OperationRef<'c, '_>) -> Option<Location<'c>> {
    let location = operation.location();
    (is_step(operation) && location::place(location).is_some()).then_some(location)
}

fn is_step(operation: OperationRef) -> bool {
    ![
        "llvm.mlir.constant",
        "llvm.mlir.addressof",
        "llvm.mlir.undef",
        "llvm.mlir.poison",
        "llvm.mlir.zero",
        "llvm.insertvalue",
        "llvm.extractvalue",
    ]
    .contains(&ir::name(&operation))
}
