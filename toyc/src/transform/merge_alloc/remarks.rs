//! What the pass says about buffers that it leaves as they are for want of knowledge.
//!
//! Input: the operations at which it stopped, each with a buffer. Output: one remark per operation,
//! with the places of its buffers. That a buffer is returned, or of no constant size, is no reason for
//! a remark: the program wants it so.

use super::ops::Why;
use crate::diagnostic::{Diagnostic, codes};
use crate::dialect::complaints::primary;
use crate::mlir::{Locations, raw};
use melior::ir::operation::{OperationLike, OperationRef};
use std::collections::HashMap;

/// Buffers whose places are shown; more are counted.
const SHOWN: usize = 3;

/// Where the pass stopped, in the order in which it did.
#[derive(Default)]
pub struct Stops<'c, 'a> {
    stops: Vec<Stop<'c, 'a>>,
    /// By the operation and the reason.
    index: HashMap<(usize, &'static str), usize>,
}

struct Stop<'c, 'a> {
    at: OperationRef<'c, 'a>,
    why: Why,
    allocations: Vec<OperationRef<'c, 'a>>,
}

impl<'c, 'a> Stops<'c, 'a> {
    /// Takes note of a buffer that is not merged, if there is something to say about it.
    pub fn add(&mut self, at: OperationRef<'c, 'a>, why: Why, allocation: OperationRef<'c, 'a>) {
        // Of too many uses, it says nothing which one was the last.
        let operation = match why {
            Why::Unknown | Why::UnknownRegion | Why::Branched => at.to_raw().ptr as usize,
            Why::TooFar => 0,
            _ => return,
        };
        let index = *self.index.entry((operation, why.text())).or_insert_with(|| {
            self.stops.push(Stop { at, why, allocations: Vec::new() });
            self.stops.len() - 1
        });
        self.stops[index].allocations.push(allocation);
    }

    pub fn remarks(&self, locations: &Locations) -> Vec<Diagnostic> {
        self.stops.iter().map(|stop| stop.remark(locations)).collect()
    }
}

impl Stop<'_, '_> {
    fn remark(&self, locations: &Locations) -> Diagnostic {
        let name = raw::name(&self.at);
        let (message, label) = match self.why {
            Why::Branched => (
                format!(
                    "`{name}` passes a buffer on to another block, which merge-alloc does not follow"
                ),
                "passed on here",
            ),
            Why::TooFar => (
                "more operations may use a buffer than merge-alloc looks at".to_owned(),
                "one of them",
            ),
            Why::UnknownRegion => (
                format!("`{name}` is not known to merge-alloc"),
                "it is not known when and how often this is executed",
            ),
            _ => (
                format!("`{name}` is not known to merge-alloc"),
                "it is not known what this does with a buffer",
            ),
        };
        let diagnostic = Diagnostic::remark(codes::LEFT_APART, message);
        let mut diagnostic = primary(diagnostic, self.at, label.to_owned(), locations);
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
