//! Common subexpression elimination and dead code elimination on the Toy dialect, across functions.
//!
//! Input and output: a verified module, before or after shape inference; the program prints the
//! same. Functions are visited callees first, so one pass reaches the fixed point:
//!
//! | before | after | condition |
//! |---|---|---|
//! | equal operations | the first of them | pure; it dominates the others; memory allows it |
//! | equal calls | the first of them | the callee is pure ([`Purity`]); otherwise as for operations |
//! | dead operations, calls, branches and loops | nothing | they cannot fail and end; everything is inferred |
//! | functions with equal bodies | the first of them | private, everything is inferred |
//! | functions that are no longer called | nothing | private, everything is inferred |
//!
//! Operations are equal if their names, attributes, operands and result types are. Attributes are
//! compared as MLIR does, bit by bit: 0 is not -0. `a + b` is equal to `b + a`, and `a * b` to
//! `b * a`, and so for max and min: all are exact in IEEE 754 except for the payload of a NaN, which no Toy program can
//! observe.
//! Nothing is reassociated.
//!
//! *Memory:* a value that is kept for a second use occupies memory until then. Cheap equal operations and
//! calls are not merged if keeping the first would raise the peak memory use; expensive ones, such as trees
//! of calls, are always merged ([`memory`]).
//!
//! *Errors:* until everything is inferred, an operation may turn out to be an error. Either both of two equal
//! operations are errors or neither is, so merging them hides no error; erasing one would.
//!
//! MLIR's own `cse` asks operations for their effects, and IRDL cannot declare any in LLVM 22. Nor
//! does it analyze callees. Merged functions keep the name of the first, also in debuggers, as with any
//! optimizing compiler.
//!
//! Tutorial: chapter 5.

mod functions;
mod memory;
mod peak;
pub mod values;

use crate::analysis::purity::Purity;
use crate::dialect::gradients;
use crate::dialect::needs;
use crate::dialect::ops;
use functions::EqualFunctions;
pub use functions::{erase_uncalled, referenced};
use melior::ir::Module;
use memory::{Memory, Summaries};
use mlir_support::pass::{PassContext, PassDefinition};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-cse",
    "Merges equal Toy operations, calls and functions, and erases dead ones",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    if gradients::are_needed(module) {
        return Ok(());
    }
    let purity = Purity::of(module);
    let is_inferred = needs::is_inferred_everywhere(module);
    let mut equal = EqualFunctions::new(context.session.context());
    let mut summaries = Summaries::new();
    for function in &purity.callees_first {
        let steps = values::steps(*function);
        if is_inferred {
            equal.redirect(&steps);
        }
        let operations = values::operations(&steps);
        let mut memory = Memory::of(&operations, &summaries, is_inferred);
        let mut kept = values::merge(steps, &purity, &mut memory);
        if is_inferred {
            kept = values::erase_dead(kept, &purity);
            equal.add(*function);
        }
        let summary = memory.summary(&kept);
        summaries.insert(ops::symbol_name(function), summary);
    }
    if is_inferred {
        functions::erase_uncalled(module, &purity.called);
    }
    Ok(())
}
