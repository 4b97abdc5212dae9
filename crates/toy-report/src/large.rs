//! The part of a large module of the LLVM dialect that a page shows.
//!
//! Input: a module. Output: its text, in which the functions beyond [`MAX_SHOWN`] have no bodies, and the number of
//! lines in these bodies. Printing is most of the cost of a page of a large program. Invariants: the printed lines, and
//! the number of lines, are as in the module's own text; None for a module that cannot guarantee that: one whose
//! operations may take more than a line, or may refer to attributes by aliases, which are numbered in the whole module.

pub mod llvm;

use super::parts::{MAX_LINE, MAX_TEXT, Missing, indent};
use super::printed::may_have_alias;
use melior::ir::block::Block;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, Region, RegionLike, ValueLike};
use mlir_support::ir;
use mlir_support::session::{Printing, printed as printed_operation};
use toy_compiler::pipeline::Stage;

/// The bytes after which functions have no bodies. The lowest stages have by far the longest texts, of which a reader
/// sees the least.
const MAX_SHOWN: usize = MAX_TEXT / 2;

/// Smaller modules are printed as they are: they have few bytes beyond the limit, or none.
const LARGE: usize = 20_000;

pub fn printed(stage: Stage, module: &Module, operations: usize) -> Option<(String, Vec<Missing>)> {
    if stage != Stage::MlirLlvm || operations < LARGE {
        return None;
    }
    let mut text = head(module.as_operation())?;
    text.push('\n');
    let mut missing = Vec::new();
    let mut lines = 1;
    let mut shown = 0;
    for operation in ir::block_operations(module.body()) {
        let start = text.len();
        if shown <= MAX_SHOWN || ir::blocks(operation).is_empty() {
            indent(&print(operation), &mut text);
        } else {
            let more = lines_inside(operation)?;
            indent(&head(operation)?, &mut text);
            missing.push(Missing { line: lines, more });
            text.push_str("  }\n");
        }
        let added = &text[start..];
        if may_have_alias(added) {
            return None;
        }
        lines += added.lines().count();
        shown += added.lines().map(|line| line.len().min(MAX_LINE)).sum::<usize>();
    }
    text.push_str("}\n");
    Some((text, missing))
}

fn print(operation: OperationRef) -> String {
    printed_operation(
        operation,
        Printing { is_part: true, local_scope: true, ..Printing::default() },
    )
}

/// The first line of an operation with a body, from a copy without one.
fn head(operation: OperationRef) -> Option<String> {
    let region = Region::new();
    let entry = ir::blocks(operation).into_iter().next()?;
    let location = operation.location();
    let arguments = (0..entry.argument_count()).flat_map(|index| entry.argument(index));
    let arguments: Vec<_> = arguments.map(|argument| (argument.r#type(), location)).collect();
    region.append_block(Block::new(&arguments));
    let attributes: Vec<_> = operation.attributes().collect();
    let copy = OperationBuilder::new(ir::name(&operation), location)
        .add_attributes(&attributes)
        .add_regions([region])
        .build()
        .ok()?;
    let nowhere = Block::new(&[]);
    let text = print(nowhere.append_operation(copy));
    text.lines().next().filter(|line| line.ends_with('{')).map(str::to_owned)
}

/// The number of lines between the first and the last one of a function.
fn lines_inside(function: OperationRef) -> Option<usize> {
    let blocks = ir::blocks(function);
    let mut lines = blocks.len().checked_sub(1)?;
    for block in blocks {
        for operation in ir::block_operations(block) {
            if !takes_a_line(operation) {
                return None;
            }
            lines += 1;
        }
    }
    Some(lines)
}

/// The operations of the LLVM dialect that are always one line without an alias.
const ONE_LINE: &str = "\
    add alloca and ashr bitcast extractelement extractvalue fadd fcmp fdiv fmul fneg fpext \
    fptosi fptoui fptrunc freeze frem fsub getelementptr icmp insertelement insertvalue intr.exp \
    intr.fabs intr.floor intr.fmuladd intr.log intr.maximum intr.minimum intr.smax intr.smin \
    intr.sqrt intr.umax intr.umin intr.vector.reduce.fadd inttoptr lshr mlir.addressof \
    mlir.constant mlir.poison mlir.undef mlir.zero mul or ptrtoint return sdiv select sext shl \
    shufflevector sitofp srem sub trunc udiv uitofp unreachable urem xor zext";

/// True if an operation is one line, without an attribute that has an alias. Deny by default.
fn takes_a_line(operation: OperationRef) -> bool {
    let name = ir::name(&operation);
    let Some(name) = name.strip_prefix("llvm.") else { return false };
    match name {
        "br" | "cond_br" => !operation.has_attribute("loop_annotation"),
        "load" | "store" | "call" | "intr.memcpy" | "intr.memmove" | "intr.memset" => {
            let named = ["access_groups", "alias_scopes", "noalias_scopes", "tbaa"];
            !named.iter().any(|attribute| operation.has_attribute(attribute))
        }
        _ => ONE_LINE.split_whitespace().any(|other| other == name),
    }
}
