//! Remarks about the copies that bufferization makes, and about updates that it does in place.
//!
//! Two passes, around One-Shot Bufferize, and only if such remarks are requested:
//!
//! * [`MARK`], before it: One-Shot itself analyzes a clone of the module and reports for each operand whether it is
//!   written in place, and if not, the write and the read of an old value that prevent it. Updates in place become
//!   remarks here. The reasons for copies become part of the operations' locations ([`mark`]): One-Shot gives a copy
//!   the location of the operation that needs it.
//! * [`REPORT`], before merge-alloc: the remaining copies become remarks, and the locations get their old values back.
//!
//! The analysis alone does not tell which values are copied: a buffer that is not reused need not be copied if its
//! contents are dead, and later passes remove copies. The copies alone do not tell why.
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
