//! Debug information: functions, lines, variables.
//!
//! Input: a module of the LLVM dialect whose operations have locations, with [`markers`](crate::runtime_calls::markers) if the variables
//! are to be shown. Output: the location of every function of the program is fused with a DWARF
//! subprogram, and the markers become debug records of the variables. Invariants: declarations have no
//! subprogram, and neither have functions that the lowering creates, so that no debugger shows them as
//! part of the program; all specializations of `f` are called `f` followed by their shapes in angle
//! brackets ([`names`]), as if they were instances of a template, which gdb finds under `f`.
//!
//! | file | task |
//! |---|---|
//! | [`definitions`] | the text of MLIR's debug attributes, and parsing it |
//! | [`names`] | the names of functions |
//! | [`variables`], [`slots`](super::slots) | from markers to stack slots and debug records |
//! | [`steps`] | corrections of line numbers, where stepping would be confusing |
//!
//! Call sites, and operations from another file than their function, are left to MLIR's own pass, which
//! then finds a subprogram on every function.
//!
//! Tutorial: chapter 13.

mod definitions;
mod names;
mod steps;
mod variables;

use crate::dialect::ops;
use crate::runtime_calls::markers::Marked;
use definitions::Definitions;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Attribute, Location, Module};
use mlir_support::ir;
use mlir_support::location::{self, Place};
use mlir_support::pass::{PassContext, PassDefinition, run_upstream};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;
use variables::Variables;

/// MLIR's pass, which skips functions that have a subprogram.
const SCOPES: &str = "ensure-debug-info-scope-on-llvm-func{emission-kind=Full}";

/// The pass for optimized programs: functions and lines.
pub const LINES: PassDefinition = PassDefinition::wrapping(
    "toy-debug-lines",
    "Adds debug information about functions and lines",
    |context, module| run(context, module, false),
);

/// The pass for programs that are optimized neither here nor later: they are also changed so that a debugger
/// can show the variables and step from line to line.
pub const VARIABLES: PassDefinition = PassDefinition::wrapping(
    "toy-debug-variables",
    "Adds debug information about functions, lines and variables; keeps variables on the stack",
    |context, module| run(context, module, true),
);

fn run<'c>(
    context: &PassContext<'c>,
    module: &mut Module<'c>,
    shows_variables: bool,
) -> Diagnosed<()> {
    let functions = functions(module);
    for function in &functions {
        name_file(context, function.operation);
    }
    let marked = Marked::of(module);
    let mut calls: HashMap<usize, Vec<OperationRef>> = HashMap::new();
    for call in &marked.calls {
        if let Some(function) = call.parent_operation() {
            calls.entry(ir::id(function)).or_default().push(*call);
        }
    }
    let mut definitions = Definitions::default();
    let mut described = Vec::new();
    for function in functions {
        let calls = calls.remove(&ir::id(function.operation)).unwrap_or_default();
        if has_subprogram(function.operation.location()) {
            continue;
        }
        forget_records(function.operation);
        let place = named(context, function.place);
        let name = names::shown(&ops::symbol_name(&function.operation));
        let subprogram = definitions.subprogram(&name, &place, is_internal(function.operation));
        let variables = Variables::of(&calls, &subprogram, &place, &mut definitions);
        described.push((function.operation, subprogram, variables));
    }
    let attributes = definitions.read(context.session);
    for (function, subprogram, variables) in described {
        describe(context, function, attributes[&subprogram]);
        if shows_variables {
            variables.show(context.session.context(), function, &attributes);
        }
    }
    marked.erase(module);
    if needs_scopes(module) {
        run_upstream(context, module, SCOPES)?;
        let known: HashSet<_> =
            self::functions(module).iter().map(|f| ir::id(f.operation)).collect();
        for operation in ir::block_operations(module.body()) {
            if ir::name(&operation) == "llvm.func" && !known.contains(&ir::id(operation)) {
                let unknown = Location::unknown(context.session.context());
                ir::mutable(operation).set_location(unknown);
            }
        }
    }
    Ok(())
}

/// A function of the program.
struct Function<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    place: Place,
}

/// The functions that are in a file: those with a body, except wrappers that the lowering makes for C.
fn functions<'c, 'a>(module: &'a Module<'c>) -> Vec<Function<'c, 'a>> {
    let mut operations = ir::block_operations(module.body());
    operations.retain(|operation| ir::name(operation) == "llvm.func");
    let has_body: HashMap<_, _> = operations
        .iter()
        .map(|function| (ops::symbol_name(function), !ir::blocks(*function).is_empty()))
        .collect();
    let is_wrapper = |name: &str| {
        let wrapped =
            name.strip_prefix("_mlir_ciface_").is_some_and(|of| has_body.contains_key(of));
        wrapped || has_body.get(&format!("_mlir_ciface_{name}")) == Some(&false)
    };
    operations
        .into_iter()
        .filter(|function| {
            let name = ops::symbol_name(function);
            has_body[&name] && !is_wrapper(&name)
        })
        .filter_map(|operation| {
            let own = location::place(operation.location());
            let inside = || {
                let mut operations = ir::operations(operation).into_iter();
                operations.find_map(|operation| location::place(operation.location()))
            };
            Some(Function { operation, place: own.or_else(inside)? })
        })
        .collect()
}

fn describe<'c>(context: &PassContext<'c>, function: OperationRef<'c, '_>, with: Attribute<'c>) {
    let location = Location::fused(context.session.context(), &[function.location()], with);
    ir::mutable(function).set_location(location);
}

/// True if a location already has a subprogram, as in the output of this pass.
fn has_subprogram(location: Location) -> bool {
    if !location.is_fused() || ir::is_null(location.fused_metadata()) {
        return false;
    }
    // This checks the text: LLVM 22's C API creates subprograms, but cannot test if an attribute is one.
    location.fused_metadata().to_string().starts_with("#llvm.di_subprogram")
}

/// True if there are operations whose scope is not the enclosing function.
fn needs_scopes(module: &Module) -> bool {
    functions(module).into_iter().any(|function| {
        ir::operations(function.operation).iter().any(|operation| {
            let location = operation.location();
            location.is_call_site()
                || location::place(location).is_some_and(|place| place.file != function.place.file)
        })
    })
}

/// Erases records of a subprogram that the function has lost: the text of a module has locations only on
/// request.
fn forget_records(function: OperationRef) {
    for operation in ir::operations(function) {
        if ir::name(&operation).starts_with("llvm.intr.dbg.") {
            ir::erase(operation);
        }
    }
}

fn is_internal(function: OperationRef) -> bool {
    ops::attribute(&function, "linkage")
        .is_some_and(|linkage| ir::is_written(linkage, "#llvm.linkage<internal>"))
}

/// A place, with the name of the input file where MLIR has none: it calls all text in memory `-`.
fn named(context: &PassContext, place: Place) -> Place {
    if place.file == "-" {
        return Place { file: context.locations.file.to_owned(), ..place };
    }
    place
}

/// Names the file in the locations of a function and its operations.
fn name_file<'c>(context: &PassContext<'c>, function: OperationRef<'c, '_>) {
    if context.locations.file == "-" {
        return;
    }
    for operation in [vec![function], ir::operations(function)].concat() {
        let location = operation.location();
        if !location.is_file_line_col_range() {
            continue;
        }
        if let Some(place) = location::place(location).filter(|place| place.file == "-") {
            let location = location::at(context.session.context(), &named(context, place));
            ir::mutable(operation).set_location(location);
        }
    }
}
