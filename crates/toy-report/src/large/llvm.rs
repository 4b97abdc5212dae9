//! The part of a large module of LLVM IR that a page shows.
//!
//! Input: a module without debug information. Output: its text, in which the functions beyond [`MAX_LINES`] have no
//! bodies, and the number of lines in these bodies. Invariants: the printed lines, and the number of lines, are as in
//! the module's own text; the module is unchanged afterwards.
//!
//! LLVM prints a module or a function, and for each function it looks through the whole module first. So the module is
//! printed once, while the bodies that are not shown are somewhere else.

use super::MAX_SHOWN;
use crate::parts::Missing;
use inkwell::basic_block::BasicBlock;
use inkwell::module::Module;
use inkwell::values::{FunctionValue, InstructionOpcode};

/// The lines after which functions have no bodies: a line has some 40 bytes.
const MAX_LINES: usize = MAX_SHOWN / 40;

pub fn printed(module: &Module) -> (String, Vec<Missing>) {
    let mut shown = 0;
    let mut left_out = Vec::new();
    for function in module.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        let lines = lines_inside(function);
        let more = lines.filter(|_| shown > MAX_LINES);
        if more.is_none() {
            shown += lines.unwrap_or(0);
        }
        left_out.push((function, more));
    }
    // A place for bodies outside of their functions. Each body gets a new function, where no name is taken.
    let aside = module.get_context().create_module("aside");
    let hidden = left_out.iter().filter(|(_, more)| more.is_some());
    let hidden: Vec<_> = hidden.map(|(function, _)| Hidden::new(*function, &aside)).collect();
    let text = module.print_to_string();
    drop(hidden);
    without_stubs(&text.to_string_lossy(), left_out.iter().map(|(_, more)| *more))
}

/// A function whose body is in another one. Dropping it puts the body back.
struct Hidden<'c> {
    blocks: Vec<BasicBlock<'c>>,
    stub: BasicBlock<'c>,
}

impl<'c> Hidden<'c> {
    fn new(function: FunctionValue<'c>, aside: &Module<'c>) -> Self {
        let context = aside.get_context();
        let other = aside.add_function("", context.void_type().fn_type(&[], false), None);
        let place = context.append_basic_block(other, "");
        let blocks = function.get_basic_blocks();
        let stub = context.append_basic_block(function, "");
        let builder = context.create_builder();
        builder.position_at_end(stub);
        // It fails only if no block has been chosen.
        let _ = builder.build_unreachable();
        for block in &blocks {
            let _ = block.move_before(place);
        }
        Self { blocks, stub }
    }
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        for block in &self.blocks {
            // All of them have parents.
            let _ = block.move_before(self.stub);
        }
        // SAFETY: the block was made here; nothing branches to it, and nothing has kept it.
        let _ = unsafe { self.stub.delete() };
    }
}

/// The text without the lines that stand for bodies, and the places of these lines. `left_out` has, for each function
/// with a body in order, the number of lines in its own body, if it is left out.
fn without_stubs(
    text: &str,
    mut left_out: impl Iterator<Item = Option<usize>>,
) -> (String, Vec<Missing>) {
    let mut kept = String::with_capacity(text.len());
    let mut missing = Vec::new();
    let mut is_stub = false;
    let mut count = 0;
    for line in text.split_inclusive('\n') {
        if std::mem::take(&mut is_stub) {
            continue;
        }
        kept.push_str(line);
        if line.starts_with("define ")
            && let Some(more) = left_out.next().flatten()
        {
            missing.push(Missing { line: count, more });
            is_stub = true;
        }
        count += 1;
    }
    (kept, missing)
}

/// The number of lines between the first and the last one of a function; None if unknown.
fn lines_inside(function: FunctionValue) -> Option<usize> {
    let mut lines = 0;
    for (index, block) in function.get_basic_block_iter().enumerate() {
        // Before a block there are an empty line and its label. The first one has at most a label.
        lines += match index {
            0 => usize::from(!block.get_name().is_empty()),
            _ => 2,
        };
        for instruction in block.get_instructions() {
            lines += match instruction.get_opcode() {
                InstructionOpcode::CallBr
                | InstructionOpcode::Invoke
                | InstructionOpcode::LandingPad
                | InstructionOpcode::Switch => return None,
                _ => 1,
            };
        }
    }
    Some(lines)
}
