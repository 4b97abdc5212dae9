//! How MLIR lays an operation out in memory, measured by subtracting addresses.
//!
//! Input: MLIR on standard input, of any dialect. Output: for each operation, where its parts are,
//! in bytes from the operation itself, and how far it is from each to the next one. Numbers on the
//! command line: every operation that has operands gets so many of them, one number after the other.
//! No address is read from, and none is printed: they differ from run to run.

use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef, OperationResult};
use melior::ir::{RegionLike, ValueLike};
use std::io::Write;
use std::process::ExitCode;
use toy_compiler::mlir::ir;
use toy_compiler::source::Source;

fn main() -> ExitCode {
    let counts: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let text = std::io::read_to_string(std::io::stdin()).expect("standard input is text");
    let session = toy_compiler::dialect::new_session();
    session.allow_unregistered_dialects();
    let Some(module) = session.parse(&Source::new("-", text)) else {
        for diagnostic in session.take_diagnostics() {
            eprintln!("{}", diagnostic.message);
        }
        return ExitCode::FAILURE;
    };
    let mut output = String::new();
    for operation in ir::operations(module.as_operation()) {
        output += &format!("{}\n{}", ir::name(&operation), table(&parts(operation)));
        if operation.operand_count() > 0 {
            output += &resized(operation, &counts);
        }
    }
    match std::io::stdout().write_all(output.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The parts of an operation that can be seen from outside, each with its distance from it.
fn parts(operation: OperationRef) -> Vec<(isize, String)> {
    let start = operation.to_raw().ptr as usize;
    let distance = |address: usize| address.wrapping_sub(start) as isize;
    let mut parts = vec![(0, "the operation".to_owned())];
    for (index, result) in operation.results().enumerate() {
        let address = result.to_raw().ptr as usize;
        parts.push((distance(address), format!("result {index}{}", users(result))));
    }
    for (index, region) in operation.regions().enumerate() {
        parts.push((distance(region.to_raw().ptr as usize), format!("region {index}")));
    }
    for (index, address) in ir::operand_addresses(&operation).into_iter().enumerate() {
        parts.push((distance(address), format!("operand {index}")));
    }
    parts.sort();
    parts
}

/// The use list of a result, from its head.
fn users(result: OperationResult) -> String {
    let name =
        |(user, index): (OperationRef, usize)| format!("{} (operand {index})", ir::name(&user));
    let users: Vec<_> = ir::uses(result.into()).into_iter().map(name).collect();
    if users.is_empty() { String::new() } else { format!(", used by {}", users.join(", then ")) }
}

fn table(parts: &[(isize, String)]) -> String {
    let mut table = "  offset  to next\n".to_owned();
    for (index, (offset, part)) in parts.iter().enumerate() {
        let to_next = parts.get(index + 1).map(|(next, _)| (next - offset).to_string());
        table += &format!("{offset:>+8} {:>8}  {part}\n", to_next.unwrap_or_default());
    }
    table
}

/// Gives an operation other numbers of operands, all like its first, and says what becomes of them.
fn resized(operation: OperationRef, counts: &[usize]) -> String {
    let first = operation.operand(0).expect("it has an operand");
    let home = ir::operand_addresses(&operation)[0];
    let mut previous = home;
    let mut text = String::new();
    for count in counts.iter().filter(|count| **count > 0) {
        ir::mutable(operation).set_operands(&vec![first; *count]);
        let now = ir::operand_addresses(&operation)[0];
        let place = match now {
            _ if now == home => "behind the operation",
            _ if now == previous => "outside, where they were",
            _ => "outside, moved",
        };
        text += &format!("  operands: {count}, {place}\n");
        previous = now;
    }
    text
}
