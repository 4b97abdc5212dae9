//! The functions of a library as C sees them, around the entry functions in the LLVM dialect.
//!
//! Input: a module of the LLVM dialect with entry functions, whose results and temporaries are parameters
//! (`merged/workspace.rs`). Output: the same with the three functions of the
//! [interface](crate::interface) for each of them; the entry function is internal.
//!
//! The functions that C calls take plain pointers of any caller. They check that the pointers are to doubles and
//! that nothing overlaps written memory; only then they may tell LLVM that nothing does. They round the start of
//! the workspace up, store arguments passed by value, and call the entry function:
//!
//! ```text
//! f ──────▶ f$in ──▶ f$export    with memory from the stack or from malloc
//! f_in ───▶ f$in                 with the caller's memory
//! ```
//!
//! Both call an internal function, so that no other library's function of the same name is called instead. Each
//! has an alias, the symbol that the header and the bindings call.
//!
//! Deny by default: an entry function that may allocate, directly or not, is an error: the program would end where
//! memory ends. Printing operations call a function without a state instead of the usual one. A check that fails
//! returns to `f$in`, which then returns a status: there is nothing to free on the way.

mod text;

use crate::dialect::{PRINT, ops};
use crate::interface::record::{self, Record};
use crate::interface::runtime::{self, PRINT_STATELESS};
use crate::interface::{Shape, WORKSPACE_ALIGNMENT};
use crate::runtime_calls::texts;
use crate::stages::loops::versions;
use melior::ir::attribute::{FlatSymbolRefAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Attribute, BlockLike, Location, Module, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{errors, ir, raw};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-export-interface",
    "Makes the functions that C calls for the exported ones",
    run,
);

/// The functions that allocate in compiled programs.
const ALLOCATING: [&str; 4] = ["malloc", "aligned_alloc", "calloc", "realloc"];

/// The attributes in which operations use symbols.
const USES: [&str; 2] = ["callee", "global_name"];

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let functions: HashMap<String, OperationRef> = ir::block_operations(module.body())
        .into_iter()
        .filter(|operation| ir::name(operation) == "llvm.func")
        .map(|function| (ops::symbol_name(&function), function))
        .collect();
    let mut entries: Vec<(OperationRef, Record)> = ir::block_operations(module.body())
        .into_iter()
        .filter_map(|operation| record::of(&operation).map(|record| (operation, record)))
        .collect();
    let mut diagnostics = Vec::new();
    let mut checked = HashSet::new();
    for (entry, record) in &mut entries {
        match uses(*entry, &functions) {
            // A program may allocate, and ends where memory ends.
            Uses { allocation: Some(allocation), .. } if !record.function.is_program => {
                let recursion = recursion_of(allocation, &functions);
                diagnostics.push(allocates(context, record, allocation, recursion));
            }
            Uses { prints, checks, .. } => {
                record.function.prints = prints;
                if checks {
                    checked.insert(record.function.c_name.clone());
                }
            }
        }
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    // The program may have been read at this level.
    if entries.is_empty() || functions.contains_key(runtime::PROGRAM) {
        return Ok(());
    }
    make_room(context, module, &entries)?;
    print_without_state(context, module);
    let text = text::of(&context.locations, &entries, &checked);
    let made = context.session.parse(&Source::new("interface", &text));
    let Some(made) = made else {
        return Err(errors::verification(context, "the C interface", true));
    };
    add(context, module, &made, &entries);
    let internal = Attribute::parse(context.session.context(), "#llvm.linkage<internal>");
    for (entry, record) in &entries {
        record::set(context.session.context(), *entry, record);
        ir::set_attribute(*entry, "linkage", internal.expect("an attribute of the LLVM dialect"));
        let name = ops::symbol_name(entry);
        let versions =
            functions.values().filter(|it| versions::function_of(*it) == Some(name.clone()));
        for function in versions.chain([entry]) {
            let attributes = entry_attributes(*function, record);
            let attributes = Attribute::parse(context.session.context(), &attributes);
            ir::set_attribute(*function, "arg_attrs", attributes.expect("a list of dictionaries"));
        }
    }
    Ok(())
}

/// The library functions that a function uses, directly or not.
#[derive(Default)]
struct Uses<'c, 'a> {
    prints: bool,
    /// True if one of its checks may fail.
    checks: bool,
    allocation: Option<OperationRef<'c, 'a>>,
}

fn uses<'c, 'a>(
    entry: OperationRef<'c, 'a>,
    functions: &HashMap<String, OperationRef<'c, 'a>>,
) -> Uses<'c, 'a> {
    let print = format!("_mlir_ciface_{PRINT}");
    let mut result = Uses::default();
    for (operation, name) in symbols_used(entry, functions) {
        let is_text =
            [texts::PRINT_TEXT, texts::PRINT_NUMBER, texts::PRINT_FORMAT].contains(&name.as_str());
        result.prints |= name == print || is_text;
        result.checks |= texts::CHECKS.contains(&name.as_str());
        if ALLOCATING.contains(&name.as_str()) {
            result.allocation.get_or_insert(operation);
        }
    }
    result
}

/// The operations that use a symbol in a function, and in the functions whose symbols they use.
fn symbols_used<'c, 'a>(
    entry: OperationRef<'c, 'a>,
    functions: &HashMap<String, OperationRef<'c, 'a>>,
) -> Vec<(OperationRef<'c, 'a>, String)> {
    let mut used = Vec::new();
    let mut seen = HashSet::new();
    let mut pending = vec![entry];
    while let Some(function) = pending.pop() {
        for operation in ir::operations(function) {
            let Some(name) = used_symbol(&operation) else { continue };
            if let Some(callee) = functions.get(&name)
                && seen.insert(name.clone())
            {
                pending.push(*callee);
            }
            used.push((operation, name));
        }
    }
    used
}

/// The symbol that an operation uses.
fn used_symbol(operation: &OperationRef) -> Option<String> {
    USES.iter().find_map(|name| ops::attribute(operation, name).and_then(ir::symbol_value))
}

/// The name of the function that contains an operation, if that function may call itself, directly or not.
fn recursion_of(
    operation: OperationRef,
    functions: &HashMap<String, OperationRef>,
) -> Option<String> {
    let mut function = operation.parent_operation()?;
    while ir::name(&function) != "llvm.func" {
        function = function.parent_operation()?;
    }
    let own = ops::symbol_name(&function);
    let calls_itself = symbols_used(function, functions).iter().any(|(_, name)| *name == own);
    // The suffix that upstream adds to a name begins with a `$`.
    calls_itself.then(|| own.split('$').next().unwrap_or_default().to_owned())
}

/// The error about an allocation; `recursion` is the function that it is in if that calls itself.
fn allocates(
    context: &PassContext,
    record: &Record,
    allocation: OperationRef,
    recursion: Option<String>,
) -> Diagnostic {
    let message = format!(
        "the exported function `{}` needs memory that is not planned before it runs",
        record.function.signature
    );
    let diagnostic = Diagnostic::error(codes::BAD_EXPORT_MEMORY, message);
    let label = match &recursion {
        Some(function) => {
            format!("each call of `{function}` needs memory of its own for this tensor")
        }
        None => "this memory is allocated when the function runs".to_owned(),
    };
    let diagnostic = context.locations.label(diagnostic, allocation.location(), label);
    let note = "callers of an exported function give it all of its memory";
    match recursion {
        Some(function) => diagnostic
            .note(format!("{note}, and how often `{function}` calls itself is not known before"))
            .help(
                "write the recursion as a `for` or `while` loop, whose variables are the same memory in each turn; \
                 or let it pass and return numbers only",
            ),
        None => diagnostic
            .note(note)
            .help("use tensors of known sizes, and allocate nothing in loops and branches"),
    }
}

/// The names of the functions that are made for an entry function.
fn made_names(record: &Record) -> Vec<String> {
    let function = &record.function;
    if function.is_program {
        return vec![text::inner(&function.c_name), "main".to_owned()];
    }
    vec![
        function.c_name.clone(),
        text::inner(&function.c_name),
        function.in_workspace(),
        function.workspace_size(),
        function.checked(),
        function.checked_in_workspace(),
    ]
}

/// Renames functions that have a name which one in C is to have. In MLIR, there may be some.
fn make_room(
    context: &PassContext,
    module: &Module,
    entries: &[(OperationRef, Record)],
) -> Diagnosed<()> {
    let wanted: HashSet<_> = entries.iter().flat_map(|(_, record)| made_names(record)).collect();
    let operations = ir::block_operations(module.body());
    let taken = operations.iter().filter(|op| wanted.contains(&ops::symbol_name(*op)));
    let mut renamed = HashMap::new();
    for operation in taken {
        let name = ops::symbol_name(operation);
        if ir::blocks(*operation).is_empty() {
            let message = format!("`{name}` cannot be the name of an exported function");
            return Err(Diagnostic::error(codes::BAD_EXPORT_NAME, message)
                .note("the program calls another function of this name")
                .help("choose a name: `--export 'NAME=...'`")
                .into());
        }
        let mut new = format!("{name}$own");
        while operations.iter().any(|other| ops::symbol_name(other) == new) {
            new.push('$');
        }
        renamed.insert(name, new);
    }
    if !renamed.is_empty() {
        rename(context, module, &renamed);
    }
    Ok(())
}

/// Lets everything that prints call the functions without a state.
fn print_without_state(context: &PassContext, module: &Module) {
    let stateless = [
        (format!("_mlir_ciface_{PRINT}"), PRINT_STATELESS),
        (texts::PRINT_TEXT.to_owned(), runtime::PRINT_TEXT),
        (texts::PRINT_NUMBER.to_owned(), runtime::PRINT_NUMBER),
    ];
    let stateless = stateless.map(|(old, new)| (old, new.to_owned()));
    rename(context, module, &HashMap::from(stateless));
}

/// Gives symbols other names, where they are defined and where they are used.
fn rename(context: &PassContext, module: &Module, names: &HashMap<String, String>) {
    let context = context.session.context();
    for operation in ir::operations(module.as_operation()) {
        if let Some(new) = names.get(&ops::symbol_name(&operation)) {
            ir::set_attribute(operation, "sym_name", StringAttribute::new(context, new).into());
        }
        for attribute in USES {
            let old = ops::attribute(&operation, attribute).and_then(ir::symbol_value);
            if let Some(new) = old.and_then(|old| names.get(&old)) {
                let new = FlatSymbolRefAttribute::new(context, new).into();
                ir::set_attribute(operation, attribute, new);
            }
        }
    }
}

/// Moves functions into the module, but for those that it has.
fn add<'c>(
    context: &PassContext<'c>,
    module: &Module<'c>,
    made: &Module<'c>,
    entries: &[(OperationRef<'c, '_>, Record)],
) {
    let unknown = Location::unknown(context.session.context());
    let mut taken: HashSet<_> =
        ir::block_operations(module.body()).iter().map(ops::symbol_name).collect();
    let places: HashMap<_, _> = entries
        .iter()
        .flat_map(|(entry, record)| {
            made_names(record).into_iter().map(|name| (name, entry.location()))
        })
        .collect();
    for function in ir::block_operations(made.body()) {
        let name = ops::symbol_name(&function);
        if !taken.insert(name.clone()) {
            continue;
        }
        for operation in ir::operations(function) {
            ir::mutable(operation).set_location(unknown);
        }
        ir::mutable(function).set_location(places.get(&name).copied().unwrap_or(unknown));
        // SAFETY: nothing else refers to it, and it becomes part of the module.
        module.body().append_operation(unsafe { raw::detach(function) });
    }
}

/// The attributes of the parameters of an entry function, or of a version of it: no two of the buffers overlap. A
/// parameter is a descriptor, whose second pointer is to the elements and before its offset, or that pointer alone.
fn entry_attributes(function: OperationRef, record: &Record) -> String {
    let parameters = ops::entry_block(function).map(ir::arguments).unwrap_or_default();
    let is_pointer: Vec<_> =
        parameters.iter().map(|it| ir::pointer_space(it.r#type()).is_some()).collect();
    let is_buffer =
        |at: &usize| is_pointer[*at] && is_pointer.get(at + 1..at + 3) != Some(&[true, false]);
    let workspace =
        (0..is_pointer.len()).rfind(is_buffer).filter(|_| record.function.workspace > 0);
    let attributes = |at: usize| match at {
        at if Some(at) == workspace => {
            format!("{{llvm.noalias, llvm.align = {WORKSPACE_ALIGNMENT} : i64}}")
        }
        at if is_buffer(&at) => "{llvm.noalias}".to_owned(),
        _ => "{}".to_owned(),
    };
    format!("[{}]", (0..is_pointer.len()).map(attributes).collect::<Vec<_>>().join(", "))
}

/// The sizes of the buffers that an entry function takes, but for the workspace.
fn buffers(record: &Record) -> Vec<&Shape> {
    let parameters = record.function.parameters.iter().map(|value| &value.ty.shape);
    parameters.chain(&record.buffers).collect()
}
