//! The functions of a library as C sees them, around the entry functions in the LLVM dialect.
//!
//! Input: a module of the LLVM dialect with entry functions, whose results and temporaries are parameters
//! (`transform/exports.rs`). Output: the same with the three functions of the
//! [interface](crate::interface) for each of them; the entry function is internal.
//!
//! What C calls takes plain pointers of any caller. It checks that they are pointers to doubles and that
//! nothing overlaps what is written; only then it may tell LLVM that nothing does. It rounds the start of
//! the workspace up, stores what was passed by value, and calls the entry function:
//!
//! ```text
//! f ──────▶ f$in ──▶ f$export    with memory from the stack or from malloc
//! f_in ───▶ f$in                 with the caller's memory
//! ```
//!
//! Both call an internal function, so that no other library's function of the same name is called instead. Each
//! has an alias, the symbol that the header and the bindings call.
//!
//! Deny by default: an entry function that may allocate, directly or not, is an error: the program would
//! end where memory ends. What prints calls a function without a state instead of the usual one. A check that fails
//! returns to `f$in`, which then returns a status: there is nothing to free on the way.

use crate::dialect::{PRINT, ops};
use crate::interface::record::{self, Record};
use crate::interface::runtime::{
    self, ALLOCATE, ESCAPE, FREE, PRINT_BEGIN, PRINT_END, PRINT_STATELESS,
};
use crate::interface::{
    BAD_POINTER, CANNOT_PRINT, CHECK_FAILED, OUT_OF_MEMORY, OVERLAP, Shape, WORKSPACE_ALIGNMENT,
};
use crate::lower::texts;
use melior::ir::attribute::{FlatSymbolRefAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Attribute, BlockLike, Location, Module};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{errors, raw};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-export-interface",
    "Makes the functions that C calls for the exported ones",
    run,
);

/// The most bytes of a workspace on the stack; a larger one is allocated.
const STACK: u64 = 4096;

/// The bytes in which the C library saves registers, and more: 312 on AArch64.
const REGISTERS: u64 = 512;

/// The functions that allocate in compiled programs.
const ALLOCATING: [&str; 4] = ["malloc", "aligned_alloc", "calloc", "realloc"];

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let functions: HashMap<String, OperationRef> = raw::block_operations(module.body())
        .into_iter()
        .filter(|operation| raw::name(operation) == "llvm.func")
        .map(|function| (ops::symbol_name(&function), function))
        .collect();
    let mut entries: Vec<(OperationRef, Record)> = raw::block_operations(module.body())
        .into_iter()
        .filter_map(|operation| record::of(&operation).map(|record| (operation, record)))
        .collect();
    let mut diagnostics = Vec::new();
    let mut checked = HashSet::new();
    for (entry, record) in &mut entries {
        match uses(*entry, &functions) {
            Uses { allocation: Some(allocation), .. } => {
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
    if entries.is_empty() {
        return Ok(());
    }
    make_room(context, module, &entries)?;
    print_without_state(context, module);
    let text = text(&entries, &checked);
    let made = context.session.parse(&Source::new("interface", &text));
    let Some(made) = made else {
        return Err(errors::verification(context, "the C interface", true));
    };
    add(context, module, &made, &entries);
    let internal = Attribute::parse(context.session.context(), "#llvm.linkage<internal>");
    for (entry, record) in &entries {
        record::set(context.session.context(), *entry, record);
        raw::set_attribute(*entry, "linkage", internal.expect("an attribute of the LLVM dialect"));
        let attributes = Attribute::parse(context.session.context(), &entry_attributes(record));
        raw::set_attribute(*entry, "arg_attrs", attributes.expect("a list of dictionaries"));
    }
    Ok(())
}

/// What a function uses, directly or not.
#[derive(Default)]
struct Uses<'c, 'a> {
    prints: bool,
    /// Whether a check of it may fail.
    checks: bool,
    allocation: Option<OperationRef<'c, 'a>>,
}

fn uses<'c, 'a>(
    entry: OperationRef<'c, 'a>,
    functions: &HashMap<String, OperationRef<'c, 'a>>,
) -> Uses<'c, 'a> {
    let print = format!("_mlir_ciface_{PRINT}");
    let mut result = Uses::default();
    let mut seen = HashSet::new();
    let mut pending = vec![entry];
    while let Some(function) = pending.pop() {
        for operation in raw::operations(function) {
            let Some(name) = used_symbol(&operation) else { continue };
            let is_text = [texts::PRINT_TEXT, texts::PRINT_NUMBER].contains(&name.as_str());
            result.prints |= name == print || is_text;
            result.checks |= texts::ALL.contains(&name.as_str()) && !is_text;
            if ALLOCATING.contains(&name.as_str()) {
                result.allocation.get_or_insert(operation);
            }
            if let Some(callee) = functions.get(&name)
                && seen.insert(name)
            {
                pending.push(*callee);
            }
        }
    }
    result
}

/// The symbol that an operation uses.
fn used_symbol(operation: &OperationRef) -> Option<String> {
    let names = ["callee", "global_name"];
    names.iter().find_map(|name| ops::attribute(operation, name).and_then(raw::symbol_value))
}

/// What the function is called that an operation is in, if that function may call itself, directly or not.
fn recursion_of(
    operation: OperationRef,
    functions: &HashMap<String, OperationRef>,
) -> Option<String> {
    let mut function = operation.parent_operation()?;
    while raw::name(&function) != "llvm.func" {
        function = function.parent_operation()?;
    }
    let own = ops::symbol_name(&function);
    let mut seen = HashSet::new();
    let mut pending = vec![function];
    while let Some(function) = pending.pop() {
        for name in raw::operations(function).iter().filter_map(used_symbol) {
            if name == own {
                // What upstream adds to a name comes after a `$`.
                return Some(own.split('$').next().unwrap_or_default().to_owned());
            }
            if let Some(callee) = functions.get(&name)
                && seen.insert(name)
            {
                pending.push(*callee);
            }
        }
    }
    None
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
    let diagnostic = match context.locations.span(allocation.location()) {
        Some(span) => diagnostic.label(span, label),
        None => diagnostic,
    };
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
fn made_names(record: &Record) -> [String; 6] {
    let function = &record.function;
    [
        function.c_name.clone(),
        inner(&function.c_name),
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
    let operations = raw::block_operations(module.body());
    let taken = operations.iter().filter(|op| wanted.contains(&ops::symbol_name(*op)));
    let mut renamed = HashMap::new();
    for operation in taken {
        let name = ops::symbol_name(operation);
        if raw::blocks(*operation).is_empty() {
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
        let symbol = StringAttribute::new(context.session.context(), &new);
        raw::set_attribute(*operation, "sym_name", symbol.into());
        renamed.insert(name, new);
    }
    if renamed.is_empty() {
        return Ok(());
    }
    for operation in raw::operations(module.as_operation()) {
        for attribute in ["callee", "global_name"] {
            let old = ops::attribute(&operation, attribute).and_then(raw::symbol_value);
            if let Some(new) = old.and_then(|old| renamed.get(&old)) {
                let new = FlatSymbolRefAttribute::new(context.session.context(), new);
                raw::set_attribute(operation, attribute, new.into());
            }
        }
    }
    Ok(())
}

/// Lets everything that prints call the functions without a state.
fn print_without_state(context: &PassContext, module: &Module) {
    let context = context.session.context();
    let replaced = HashMap::from([
        (format!("_mlir_ciface_{PRINT}"), PRINT_STATELESS),
        (texts::PRINT_TEXT.to_owned(), runtime::PRINT_TEXT),
        (texts::PRINT_NUMBER.to_owned(), runtime::PRINT_NUMBER),
    ]);
    for operation in raw::operations(module.as_operation()) {
        if raw::name(&operation) == "llvm.func" {
            if let Some(new) = replaced.get(&ops::symbol_name(&operation)) {
                let name = StringAttribute::new(context, new).into();
                raw::set_attribute(operation, "sym_name", name);
            }
        } else if let Some(new) = ops::callee(&operation).and_then(|old| replaced.get(&old)) {
            let callee = FlatSymbolRefAttribute::new(context, new).into();
            raw::set_attribute(operation, "callee", callee);
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
        raw::block_operations(module.body()).iter().map(ops::symbol_name).collect();
    let places: HashMap<_, _> = entries
        .iter()
        .flat_map(|(entry, record)| made_names(record).map(|name| (name, entry.location())))
        .collect();
    for function in raw::block_operations(made.body()) {
        let name = ops::symbol_name(&function);
        if !taken.insert(name.clone()) {
            continue;
        }
        for operation in raw::operations(function) {
            raw::mutable(operation).set_location(unknown);
        }
        raw::mutable(function).set_location(places.get(&name).copied().unwrap_or(unknown));
        // SAFETY: nothing else refers to it, and it becomes part of the module.
        module.body().append_operation(unsafe { raw::detach(function) });
    }
}

/// The attributes of an entry function's parameters: no two of them overlap.
fn entry_attributes(record: &Record) -> String {
    let mut lists = Vec::new();
    let mut buffer = |rank: usize, attributes: &str| {
        lists.push("{}".to_owned());
        lists.push(format!("{{{attributes}}}"));
        lists.extend(std::iter::repeat_n("{}".to_owned(), 1 + 2 * rank));
    };
    buffers(record).iter().for_each(|shape| buffer(shape.0.len(), "llvm.noalias"));
    if record.function.workspace > 0 {
        buffer(1, &format!("llvm.noalias, llvm.align = {WORKSPACE_ALIGNMENT} : i64"));
    }
    format!("[{}]", lists.join(", "))
}

/// The sizes of the buffers that an entry function takes, but for the workspace.
fn buffers(record: &Record) -> Vec<&Shape> {
    let parameters = record.function.parameters.iter().map(|value| &value.shape);
    parameters.chain(&record.buffers).collect()
}

/// The functions of all entries, in MLIR's syntax.
fn text(entries: &[(OperationRef, Record)], checked: &HashSet<String>) -> String {
    let mut text = format!(
        "llvm.func @{ALLOCATE}(i64) -> !llvm.ptr\nllvm.func @{FREE}(!llvm.ptr)\n\
         llvm.func @{PRINT_BEGIN}() -> i32\nllvm.func @{PRINT_END}(i32) -> i32\n"
    );
    if !checked.is_empty() {
        // Its calls return a second time where a check fails.
        text += &format!(
            "llvm.func @{ESCAPE}(!llvm.ptr) -> !llvm.ptr\n\
             llvm.func @_setjmp(!llvm.ptr) -> i32 attributes {{passthrough = [\"returns_twice\", \"nounwind\"]}}\n"
        );
    }
    for (entry, record) in entries {
        let checks = checked.contains(&record.function.c_name);
        // Writing to a string does not fail.
        let _ = write_functions(&mut text, &ops::symbol_name(entry), record, checks);
    }
    text
}

/// The name of the function that both others call.
fn inner(c_name: &str) -> String {
    format!("{c_name}$in")
}

fn write_functions(
    out: &mut String,
    entry: &str,
    record: &Record,
    checks: bool,
) -> std::fmt::Result {
    let function = &record.function;
    let parameters: Vec<(String, &str)> = function
        .parameters
        .iter()
        .enumerate()
        .map(|(index, value)| {
            (format!("%p{index}"), if value.is_scalar() { "f64" } else { "!llvm.ptr" })
        })
        .chain((0..function.results.len()).map(|index| (format!("%r{index}"), "!llvm.ptr")))
        .collect();
    let workspace = ("%workspace".to_owned(), "!llvm.ptr");
    let with_workspace: Vec<_> = parameters.iter().cloned().chain([workspace]).collect();
    let typed = |list: &[(String, &str)]| {
        list.iter().map(|(name, ty)| format!("{name}: {ty}")).collect::<Vec<_>>().join(", ")
    };
    let types = with_workspace.iter().map(|(_, ty)| *ty).collect::<Vec<_>>().join(", ");
    let names = |list: &[(String, &str)]| {
        list.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let inner = inner(&function.c_name);
    let call = format!("llvm.call @\"{inner}\"({}) : ({types}) -> i32", names(&with_workspace));

    write_entry(out, entry, record)?;
    writeln!(out, "llvm.func internal @\"{inner}\"({}) -> i32 {{", typed(&with_workspace))?;
    write_inner(out, entry, record, checks)?;
    writeln!(
        out,
        "}}\nllvm.func @{}({}) -> i32 {{",
        function.in_workspace(),
        typed(&with_workspace)
    )?;
    writeln!(out, "%0 = {call}\nllvm.return %0 : i32\n}}")?;
    writeln!(out, "llvm.func @{}() -> i64 {{", function.workspace_size())?;
    let size = function.workspace;
    writeln!(out, "%0 = llvm.mlir.constant({size} : i64) : i64\nllvm.return %0 : i64\n}}")?;
    writeln!(out, "llvm.func @{}({}) -> i32 {{", function.c_name, typed(&parameters))?;
    match size {
        0 => writeln!(out, "%workspace = llvm.mlir.zero : !llvm.ptr\n%0 = {call}")?,
        1..=STACK => writeln!(
            out,
            "%size = llvm.mlir.constant({size} : i64) : i64\n\
             %workspace = llvm.alloca %size x i8 {{alignment = 16 : i64}} : (i64) -> !llvm.ptr\n%0 = {call}"
        )?,
        _ => writeln!(
            out,
            "%size = llvm.mlir.constant({size} : i64) : i64\n\
             %workspace = llvm.call @{ALLOCATE}(%size) : (i64) -> !llvm.ptr\n\
             %null = llvm.mlir.zero : !llvm.ptr\n\
             %failed = llvm.icmp \"eq\" %workspace, %null : !llvm.ptr\n\
             llvm.cond_br %failed, ^none, ^some\n\
             ^none:\n\
             %code = llvm.mlir.constant({} : i32) : i32\n\
             llvm.return %code : i32\n\
             ^some:\n\
             %0 = {call}\n\
             llvm.call @{FREE}(%workspace) : (!llvm.ptr) -> ()",
            OUT_OF_MEMORY.code
        )?,
    }
    writeln!(out, "llvm.return %0 : i32\n}}")?;
    write_alias(out, &function.checked(), &function.c_name, &parameters)?;
    write_alias(out, &function.checked_in_workspace(), &function.in_workspace(), &with_workspace)
}

/// A second symbol of a function.
fn write_alias(
    out: &mut String,
    alias: &str,
    function: &str,
    parameters: &[(String, &str)],
) -> std::fmt::Result {
    let types: Vec<_> = parameters.iter().map(|(_, ty)| *ty).collect();
    let types = types.join(", ").replace("!llvm.", "");
    writeln!(
        out,
        "llvm.mlir.alias external @{alias} : !llvm.func<i32 ({types})> {{\n\
         %0 = llvm.mlir.addressof @{function} : !llvm.ptr\nllvm.return %0 : !llvm.ptr\n}}"
    )
}

/// The declaration of an entry function.
fn write_entry(out: &mut String, entry: &str, record: &Record) -> std::fmt::Result {
    let mut types: Vec<String> =
        buffers(record).iter().map(|shape| descriptor(shape.0.len())).collect();
    if record.function.workspace > 0 {
        types.push(descriptor(1));
    }
    writeln!(out, "llvm.func @\"{entry}\"({})", types.join(", "))
}

/// The parameters that a buffer becomes: two pointers, an offset, sizes and strides.
fn descriptor(rank: usize) -> String {
    format!("!llvm.ptr, !llvm.ptr, i64{}", ", i64".repeat(2 * rank))
}

/// Memory that a function reads or writes: the name of the pointer, and the bytes.
struct Range {
    name: String,
    bytes: u64,
    is_written: bool,
}

/// The body of the function that checks and calls the entry function.
fn write_inner(out: &mut String, entry: &str, record: &Record, checks: bool) -> std::fmt::Result {
    let function = &record.function;
    let mut ranges = Vec::new();
    for (index, value) in function.parameters.iter().enumerate() {
        if !value.is_scalar() {
            let name = format!("p{index}");
            ranges.push(Range { name, bytes: value.bytes(), is_written: false });
        }
    }
    for (index, value) in function.results.iter().enumerate() {
        let name = format!("r{index}");
        ranges.push(Range { name, bytes: value.bytes(), is_written: true });
    }
    if function.workspace > 0 {
        let name = "workspace".to_owned();
        ranges.push(Range { name, bytes: function.workspace, is_written: true });
    }
    writeln!(
        out,
        "%zero = llvm.mlir.constant(0 : i64) : i64\n%one = llvm.mlir.constant(1 : i64) : i64\n\
         %seven = llvm.mlir.constant(7 : i64) : i64\n%success = llvm.mlir.constant(0 : i32) : i32\n\
         %bad = llvm.mlir.constant({} : i32) : i32\n%overlap = llvm.mlir.constant({} : i32) : i32",
        BAD_POINTER.code, OVERLAP.code
    )?;
    write_checks(out, &ranges)?;
    // Scalars that were passed by value.
    for (index, value) in function.parameters.iter().enumerate() {
        if value.is_scalar() {
            writeln!(
                out,
                "%s{index} = llvm.alloca %one x f64 : (i64) -> !llvm.ptr\n\
                 llvm.store %p{index}, %s{index} : f64, !llvm.ptr"
            )?;
        }
    }
    if function.prints {
        writeln!(out, "%before = llvm.call @{PRINT_BEGIN}() : () -> i32")?;
    }
    if checks {
        writeln!(
            out,
            "%registers_bytes = llvm.mlir.constant({REGISTERS} : i64) : i64\n\
             %registers = llvm.alloca %registers_bytes x i8 {{alignment = 16 : i64}} : (i64) -> !llvm.ptr\n\
             %previous = llvm.call @{ESCAPE}(%registers) : (!llvm.ptr) -> !llvm.ptr\n\
             %failed_code = llvm.mlir.constant({} : i32) : i32\n\
             %jumped = llvm.call @_setjmp(%registers) : (!llvm.ptr) -> i32\n\
             %has_failed = llvm.icmp \"ne\" %jumped, %success : i32\n\
             llvm.cond_br %has_failed, ^failed, ^run\n^run:",
            CHECK_FAILED.code
        )?;
    }
    write_call(out, entry, record)?;
    if checks {
        writeln!(out, "llvm.call @{ESCAPE}(%previous) : (!llvm.ptr) -> !llvm.ptr")?;
    }
    if function.prints {
        debug_assert_eq!(CANNOT_PRINT.code, 4, "the runtime returns it");
        writeln!(out, "%status = llvm.call @{PRINT_END}(%before) : (i32) -> i32")?;
        writeln!(out, "llvm.return %status : i32")?;
    } else {
        writeln!(out, "llvm.return %success : i32")?;
    }
    if checks {
        writeln!(
            out,
            "^failed:\nllvm.call @{ESCAPE}(%previous) : (!llvm.ptr) -> !llvm.ptr\n\
             llvm.return %failed_code : i32"
        )?;
    }
    writeln!(out, "^bad:\nllvm.return %bad : i32\n^overlap:\nllvm.return %overlap : i32")
}

/// Branches away if a pointer is not one to doubles, or if something overlaps what is written.
fn write_checks(out: &mut String, ranges: &[Range]) -> std::fmt::Result {
    let mut conditions = Vec::new();
    for Range { name, bytes, .. } in ranges {
        writeln!(
            out,
            "%{name}_start = llvm.ptrtoint %{name} : !llvm.ptr to i64\n\
             %{name}_bytes = llvm.mlir.constant({bytes} : i64) : i64\n\
             %{name}_end = llvm.add %{name}_start, %{name}_bytes : i64\n\
             %{name}_null = llvm.icmp \"eq\" %{name}_start, %zero : i64"
        )?;
        conditions.push(format!("%{name}_null"));
        if name != "workspace" {
            writeln!(
                out,
                "%{name}_low = llvm.and %{name}_start, %seven : i64\n\
                 %{name}_odd = llvm.icmp \"ne\" %{name}_low, %zero : i64"
            )?;
            conditions.push(format!("%{name}_odd"));
        }
    }
    write_branch(out, &conditions, "bad", "pointers")?;
    conditions.clear();
    for (index, first) in ranges.iter().enumerate() {
        for second in ranges[index + 1..].iter().filter(|range| range.is_written) {
            let (a, b) = (&first.name, &second.name);
            writeln!(
                out,
                "%{a}_{b}_0 = llvm.icmp \"ult\" %{a}_start, %{b}_end : i64\n\
                 %{a}_{b}_1 = llvm.icmp \"ult\" %{b}_start, %{a}_end : i64\n\
                 %{a}_{b} = llvm.and %{a}_{b}_0, %{a}_{b}_1 : i1"
            )?;
            conditions.push(format!("%{a}_{b}"));
        }
    }
    write_branch(out, &conditions, "overlap", "ranges")
}

/// Branches to a block if one of some conditions holds.
fn write_branch(
    out: &mut String,
    conditions: &[String],
    target: &str,
    name: &str,
) -> std::fmt::Result {
    let Some((first, rest)) = conditions.split_first() else { return Ok(()) };
    let mut last = first.clone();
    for (index, condition) in rest.iter().enumerate() {
        writeln!(out, "%{name}_{index} = llvm.or {last}, {condition} : i1")?;
        last = format!("%{name}_{index}");
    }
    writeln!(out, "llvm.cond_br {last}, ^{target}, ^{name}\n^{name}:")
}

/// Calls the entry function with a descriptor for each buffer.
fn write_call(out: &mut String, entry: &str, record: &Record) -> std::fmt::Result {
    let function = &record.function;
    let mut pointers: Vec<String> = function
        .parameters
        .iter()
        .enumerate()
        .map(|(index, value)| format!("%{}{index}", if value.is_scalar() { 's' } else { 'p' }))
        .chain((0..function.results.len()).map(|index| format!("%r{index}")))
        .collect();
    let mut shapes: Vec<Shape> = buffers(record).into_iter().cloned().collect();
    if function.workspace > 0 {
        let slack = WORKSPACE_ALIGNMENT - 1;
        writeln!(
            out,
            "%slack = llvm.mlir.constant({slack} : i64) : i64\n\
             %mask = llvm.mlir.constant(-{WORKSPACE_ALIGNMENT} : i64) : i64\n\
             %above = llvm.add %workspace_start, %slack : i64\n\
             %aligned = llvm.and %above, %mask : i64\n\
             %skipped = llvm.sub %aligned, %workspace_start : i64\n\
             %arena = llvm.getelementptr %workspace[%skipped] : (!llvm.ptr, i64) -> !llvm.ptr, i8"
        )?;
        pointers.push("%arena".to_owned());
        shapes.push(Shape(vec![function.workspace - slack]));
    }
    let (mut arguments, mut types) = (Vec::new(), Vec::new());
    for (buffer, (pointer, shape)) in pointers.iter().zip(&shapes).enumerate() {
        let mut strides = vec![1; shape.0.len()];
        for dim in (1..shape.0.len()).rev() {
            strides[dim - 1] = strides[dim] * shape.0[dim];
        }
        arguments.extend([pointer.clone(), pointer.clone()]);
        let numbers = [0].iter().chain(&shape.0).chain(&strides);
        for (index, number) in numbers.enumerate() {
            writeln!(out, "%b{buffer}_{index} = llvm.mlir.constant({number} : i64) : i64")?;
            arguments.push(format!("%b{buffer}_{index}"));
        }
        types.push(descriptor(shape.0.len()));
    }
    writeln!(out, "llvm.call @\"{entry}\"({}) : ({}) -> ()", arguments.join(", "), types.join(", "))
}
