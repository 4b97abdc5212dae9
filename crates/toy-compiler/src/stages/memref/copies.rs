//! Remarks about the copies that bufferization makes, and about what it does in place.
//!
//! Two passes, around One-Shot Bufferize, and only if such remarks are asked for:
//!
//! * [`MARK`], before it: a clone of the module is analyzed by One-Shot itself, which says of each operand whether it
//!   is written in place, and if not, which write and which read of an old value are the reason. Updates in place
//!   become remarks here. What is known about copies becomes part of the operations' locations ([`mark`]): One-Shot
//!   gives a copy the location of the operation that needs it.
//! * [`REPORT`], before merge-alloc: the copies that are left become remarks, and the locations become what they were.
//!
//! The analysis alone does not say what is copied: a buffer that is not reused need not be copied if its
//! contents are dead, and later passes remove copies. The copies alone do not say why.
//!
//! Tutorial: chapter 8.

mod analysis;
mod mark;
mod report;
mod words;

use mlir_support::pass::PassDefinition;

pub const MARK: PassDefinition = PassDefinition::wrapping(
    "toy-mark-copies",
    "Notes in locations why bufferization will copy tensors, and says what it will update in place",
    analysis::run,
);

pub const REPORT: PassDefinition = PassDefinition::new(
    "toy-report-copies",
    "Says which copies bufferization has made and why, by what toy-mark-copies has noted",
    report::run,
);
