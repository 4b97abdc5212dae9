//! The functions that C calls, as text of the LLVM dialect.
//!
//! Input: the entry functions with their records, and the ones that may fail a check at run time. Output: a module with
//! four functions for each: two that C calls, with memory of their own and with the caller's; the size of that memory;
//! and the inner function of both, which checks the pointers and calls the entry function. A program has the inner one,
//! and a `main` that passes it to the runtime, with a table of its parameters and results. Invariants: the inner one
//! writes nothing before the pointers have passed; each way out returns a status and leaves nothing allocated.

use super::buffers;
use crate::dialect::ops;
use crate::interface::record::Record;
use crate::interface::runtime::{
    ALLOCATE, ERROR, ESCAPE, FREE, LAST_ERROR, PRINT_BEGIN, PRINT_END, PROGRAM, REFUSE,
};
use crate::interface::{
    BAD_POINTER, CANNOT_PRINT, CHECK_FAILED, Element, Function, OUT_OF_MEMORY, OVERLAP, Shape,
    Status, Value, WORKSPACE_ALIGNMENT,
};
use crate::runtime_calls::texts::{Site, quoted};
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::Locations;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

/// The maximum size in bytes of a workspace on the stack; a larger one is allocated.
const STACK: u64 = 4096;

/// The bytes in which the C library saves registers, and more: 312 on AArch64.
const REGISTERS: u64 = 512;

/// The functions of all entries, in MLIR's syntax.
pub fn of(
    files: &Locations,
    entries: &[(OperationRef, Record)],
    checked: &HashSet<String>,
) -> String {
    let mut text = format!(
        "llvm.func @{ALLOCATE}(i64) -> !llvm.ptr\nllvm.func @{FREE}(!llvm.ptr)\n\
         llvm.func @{PRINT_BEGIN}() -> i32\nllvm.func @{PRINT_END}(i32) -> i32\n\
         llvm.func @{REFUSE}(i32, i64)\n"
    );
    if !entries.iter().any(|(_, record)| record.function.is_program) {
        // Linkers leave one of the weak functions, so that libraries of one program share the last error of a thread.
        // A program has none, and says its errors.
        text += &format!(
            "llvm.func @{ERROR}() -> !llvm.ptr\nllvm.func weak @{LAST_ERROR}() -> !llvm.ptr {{\n\
             %0 = llvm.call @{ERROR}() : () -> !llvm.ptr\nllvm.return %0 : !llvm.ptr\n}}\n"
        );
    }
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
        let site = Site::new(files, entry.location(), &record.function.signature);
        let _ = write_functions(&mut text, &ops::symbol_name(entry), record, &site, checks);
    }
    text
}

/// The name of the function that both others call.
pub fn inner(c_name: &str) -> String {
    format!("{c_name}$in")
}

fn write_functions(
    out: &mut String,
    entry: &str,
    record: &Record,
    site: &Site,
    checks: bool,
) -> std::fmt::Result {
    let function = &record.function;
    let parameters: Vec<(String, &str)> = function
        .parameters
        .iter()
        .enumerate()
        .map(|(index, value)| {
            (
                format!("%p{index}"),
                if value.is_scalar() { value.ty.element.name() } else { "!llvm.ptr" },
            )
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
    write_inner(out, entry, record, site, checks)?;
    if function.is_program {
        return write_program(out, function, &parameters, &call);
    }
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
             {}\n\
             llvm.return %code : i32\n\
             ^some:\n\
             %0 = {call}\n\
             llvm.call @{FREE}(%workspace) : (!llvm.ptr) -> ()",
            OUT_OF_MEMORY.code,
            refusal(site, OUT_OF_MEMORY, "%code", "%size")
        )?,
    }
    writeln!(out, "llvm.return %0 : i32\n}}")?;
    write_alias(out, &function.checked(), &function.c_name, &parameters)?;
    write_alias(out, &function.checked_in_workspace(), &function.in_workspace(), &with_workspace)
}

/// The `main` of a program, and the function that it passes to the runtime: its parameters are a list of pointers to the
/// values, and the workspace.
fn write_program(
    out: &mut String,
    function: &Function,
    parameters: &[(String, &str)],
    call: &str,
) -> std::fmt::Result {
    let table = table(function);
    writeln!(
        out,
        "}}\nllvm.func internal @toy.call(%values: !llvm.ptr, %workspace: !llvm.ptr) -> i32 {{"
    )?;
    for (index, (name, ty)) in parameters.iter().enumerate() {
        writeln!(
            out,
            "%a{index} = llvm.getelementptr %values[{index}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr"
        )?;
        match *ty {
            "!llvm.ptr" => writeln!(out, "{name} = llvm.load %a{index} : !llvm.ptr -> !llvm.ptr")?,
            number => writeln!(
                out,
                "%v{index} = llvm.load %a{index} : !llvm.ptr -> !llvm.ptr\n\
                 {name} = llvm.load %v{index} : !llvm.ptr -> {number}"
            )?,
        }
    }
    writeln!(
        out,
        "%0 = {call}\nllvm.return %0 : i32\n}}\n\
         llvm.mlir.global internal constant @toy.table({}) : !llvm.array<{} x i8>\n\
         llvm.func @{PROGRAM}(i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32\n\
         llvm.func @main(%count: i32, %arguments: !llvm.ptr) -> i32 {{\n\
         %table = llvm.mlir.addressof @toy.table : !llvm.ptr\n\
         %call = llvm.mlir.addressof @toy.call : !llvm.ptr\n\
         %0 = llvm.call @{PROGRAM}(%count, %arguments, %table, %call) : \
         (i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32\nllvm.return %0 : i32\n}}",
        quoted(&table),
        table.len()
    )
}

/// The runtime's table of a program: a line with its signature; one with the size of its workspace and the numbers of
/// parameters and results; and one for each of those, with its name, the bytes of an element, rank and sizes.
fn table(function: &Function) -> String {
    let (parameters, results) = (&function.parameters, &function.results);
    let mut text = format!(
        "{}\n{} {} {}\n",
        function.signature,
        function.workspace,
        parameters.len(),
        results.len()
    );
    for value in parameters.iter().chain(results) {
        let (name, shape) = (name(value), &value.ty.shape);
        let sizes: String = shape.0.iter().map(|size| format!(" {size}")).collect();
        text += &format!("{name} {} {}{sizes}\n", value.ty.element.bytes(), shape.0.len());
    }
    text
}

/// The name of a value as Toy writes it, `p.re`; of a result that is a struct, only the field's.
fn name(value: &Value) -> String {
    let fields = value.path.fields.iter().map(|field| field.name.as_str());
    let is_field = value.path.name == "result" && !value.path.fields.is_empty();
    let names = (!is_field).then_some(value.path.name.as_str()).into_iter().chain(fields);
    names.collect::<Vec<_>>().join(".")
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
    /// The alignment that is checked; 1 for any address.
    alignment: u64,
    is_written: bool,
}

/// The body of the function that checks and calls the entry function.
fn write_inner(
    out: &mut String,
    entry: &str,
    record: &Record,
    site: &Site,
    checks: bool,
) -> std::fmt::Result {
    let function = &record.function;
    let range = |name, value: &Value, is_written| {
        let (bytes, alignment) = (value.bytes(), value.ty.element.bytes());
        Range { name, bytes, alignment, is_written }
    };
    let inputs = function.parameters.iter().enumerate().filter(|(_, value)| !value.is_scalar());
    let inputs = inputs.map(|(index, value)| range(format!("p{index}"), value, false));
    let results = function.results.iter().enumerate();
    let results = results.map(|(index, value)| range(format!("r{index}"), value, true));
    let mut ranges: Vec<_> = inputs.chain(results).collect();
    if function.workspace > 0 {
        let name = "workspace".to_owned();
        ranges.push(Range { name, bytes: function.workspace, alignment: 1, is_written: true });
    }
    writeln!(
        out,
        "%zero = llvm.mlir.constant(0 : i64) : i64\n%one = llvm.mlir.constant(1 : i64) : i64\n\
         {}%success = llvm.mlir.constant(0 : i32) : i32\n\
         %bad = llvm.mlir.constant({} : i32) : i32\n%overlap = llvm.mlir.constant({} : i32) : i32",
        low_bits(),
        BAD_POINTER.code,
        OVERLAP.code
    )?;
    write_checks(out, &ranges)?;
    // Scalars that were passed by value.
    for (index, value) in function.parameters.iter().enumerate() {
        if value.is_scalar() {
            let number = value.ty.element.name();
            writeln!(
                out,
                "%s{index} = llvm.alloca %one x {number} : (i64) -> !llvm.ptr\n\
                 llvm.store %p{index}, %s{index} : {number}, !llvm.ptr"
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
    for (status, name) in [(BAD_POINTER, "bad"), (OVERLAP, "overlap")] {
        let refusal = refusal(site, status, &format!("%{name}"), "%zero");
        writeln!(out, "^{name}:\n{refusal}\nllvm.return %{name} : i32")?;
    }
    Ok(())
}

/// Keeps the reason why a function returns a status before it has begun.
fn refusal(site: &Site, status: Status, code: &str, bytes: &str) -> String {
    // The sentence after it says what has been computed.
    let words = status.meaning.split(';').next().unwrap_or_default();
    let words = if status == OUT_OF_MEMORY { "out of memory: " } else { words };
    let attributes = site.attributes(words);
    format!("llvm.call @{REFUSE}({code}, {bytes}) {{{attributes}}} : (i32, i64) -> ()")
}

/// Constants with the bits that are 0 in an address of an element.
fn low_bits() -> String {
    let sizes: BTreeSet<_> = Element::ALL.into_iter().map(Element::bytes).collect();
    let constant = |size| format!("%low_{size} = llvm.mlir.constant({} : i64) : i64\n", size - 1);
    sizes.into_iter().map(constant).collect()
}

/// Branches away if a pointer is not to numbers, or if a range overlaps written memory.
fn write_checks(out: &mut String, ranges: &[Range]) -> std::fmt::Result {
    let mut conditions = Vec::new();
    for Range { name, bytes, alignment, .. } in ranges {
        writeln!(
            out,
            "%{name}_start = llvm.ptrtoint %{name} : !llvm.ptr to i64\n\
             %{name}_bytes = llvm.mlir.constant({bytes} : i64) : i64\n\
             %{name}_end = llvm.add %{name}_start, %{name}_bytes : i64\n\
             %{name}_null = llvm.icmp \"eq\" %{name}_start, %zero : i64"
        )?;
        conditions.push(format!("%{name}_null"));
        if *alignment > 1 {
            writeln!(
                out,
                "%{name}_low = llvm.and %{name}_start, %low_{alignment} : i64\n\
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
