//! Remarks about buffers that are not merged because the pass does not know something.
//!
//! Input: the operations at which it stopped, each with a buffer; if it gives up on a whole function or scope, this is
//! the operation. Output: one remark per operation, with the places of its buffers. There is no remark about a buffer
//! that is returned or has a dynamic size: that is the program's intent.

use crate::analysis::alias::{WORK, WORK_PER_OPERATION};
use crate::analysis::effects::EscapeReason;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::{Locations, ir};
use std::collections::HashMap;
use toy_diagnostics::{Diagnostic, codes};

/// Buffers whose places are shown; more are counted.
const SHOWN: usize = 3;

/// The operations at which the pass stopped, in this order.
#[derive(Default)]
pub struct Stops<'c, 'a> {
    stops: Vec<Stop<'c, 'a>>,
    /// The position of each stop, by the operation and the reason.
    index: HashMap<(usize, EscapeReason), usize>,
}

struct Stop<'c, 'a> {
    at: OperationRef<'c, 'a>,
    reason: EscapeReason,
    allocations: Vec<OperationRef<'c, 'a>>,
}

impl<'c, 'a> Stops<'c, 'a> {
    /// Notes a buffer that is not merged, if that deserves a remark.
    pub fn add(
        &mut self,
        at: OperationRef<'c, 'a>,
        reason: EscapeReason,
        allocation: OperationRef<'c, 'a>,
    ) {
        use EscapeReason::{Branched, BudgetExhausted, TooLarge};
        if !reason.is_unknown() && ![Branched, BudgetExhausted, TooLarge].contains(&reason) {
            return;
        }
        let operation = ir::id(at);
        let index = *self.index.entry((operation, reason)).or_insert_with(|| {
            self.stops.push(Stop { at, reason, allocations: Vec::new() });
            self.stops.len() - 1
        });
        self.stops[index].allocations.push(allocation);
    }

    /// The remarks about a function, in which `followed` uses of buffers could be followed.
    pub fn remarks(&self, followed: u64, locations: &Locations) -> Vec<Diagnostic> {
        self.stops.iter().map(|stop| stop.remark(followed, locations)).collect()
    }
}

impl Stop<'_, '_> {
    fn remark(&self, followed: u64, locations: &Locations) -> Diagnostic {
        let name = ir::name(&self.at);
        let (message, label) = match self.reason {
            EscapeReason::Branched => (
                format!(
                    "`{name}` passes a buffer on to another block, which merge-alloc does not follow"
                ),
                "passed on here",
            ),
            EscapeReason::BudgetExhausted => (
                format!(
                    "the buffers of this function have more uses than the {followed} that merge-alloc follows"
                ),
                "uses under all names of all buffers count",
            ),
            EscapeReason::TooLarge => (
                "the buffers of this scope need more bytes than memory has".to_owned(),
                "one allocation for all of them is not possible",
            ),
            EscapeReason::UnknownResult => (
                format!("`{name}` has a result in which merge-alloc cannot follow a buffer"),
                "the result may be the buffer, and has another type",
            ),
            EscapeReason::Elements => (
                format!("`{name}` makes elements of a buffer whose size is not known"),
                "it is not known how to align the buffer for this",
            ),
            EscapeReason::UnknownRegion => (
                format!("`{name}` is not known to merge-alloc"),
                "it is not known when and how often this is executed",
            ),
            _ => (
                format!("`{name}` is not known to merge-alloc"),
                "it is not known what this does with a buffer",
            ),
        };
        let diagnostic = Diagnostic::remark(codes::LEFT_APART, message);
        let mut diagnostic = locations.at(self.at).label(diagnostic, label);
        if self.reason == EscapeReason::BudgetExhausted {
            let limit = format!(
                "the limit is {WORK}, and {WORK_PER_OPERATION} per operation other than allocations, views and constants"
            );
            diagnostic = diagnostic.note(limit).help(
                "divide the function, or let fewer selects, branches and loops choose between many buffers",
            );
        }
        for allocation in self.allocations.iter().take(SHOWN) {
            if let Some(span) = locations.span(allocation.location()) {
                diagnostic = diagnostic.label(span, "this buffer stays as it is");
            }
        }
        match self.allocations.len().saturating_sub(SHOWN) {
            0 => diagnostic,
            1 => diagnostic.note("one more buffer stays as it is"),
            more => diagnostic.note(format!("{more} more buffers stay as they are")),
        }
    }
}
