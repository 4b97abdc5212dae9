//! The remarks about copies.
//!
//! Input: buffers, with the marks of [`super::mark`] in locations. Output: the same, without marks; one
//! remark for each copy that a mark explains. A copy that only moves contents to their place (an inserted part, or
//! a result in the caller's memory) cannot be avoided, and gets no remark.

use super::mark::{Mark, Reason};
use super::words::{self, MAYBE};
use crate::dialect::{control, ops};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Location, Module, Value};
use mlir_support::errors::primary;
use mlir_support::pass::PassContext;
use mlir_support::{control_flow, ir};
use std::collections::HashMap;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let operations = ir::operations(module.as_operation());
    let order = operations.iter().enumerate().map(|(place, operation)| (ir::id(*operation), place));
    let order: HashMap<usize, usize> = order.collect();
    let mut remarks: Vec<Diagnostic> = Vec::new();
    for operation in &operations {
        if ir::name(operation) == "memref.copy"
            && let Some((mark, location)) = Mark::take(operation.location())
            && let Some(remark) =
                (Copy { copy: *operation, order: &order }).remark(context, mark, location)
            && !remarks.contains(&remark)
        {
            remarks.push(remark);
        }
    }
    // In source order.
    remarks.sort_by_key(|remark| remark.labels.first().map(|label| label.span.start));
    context.remarks.borrow_mut().extend(remarks);
    for operation in operations {
        if let Some((_, location)) = Mark::take(operation.location()) {
            ir::mutable(operation).set_location(location);
        }
    }
    Ok(())
}

struct Copy<'c, 'a> {
    copy: OperationRef<'c, 'a>,
    order: &'a HashMap<usize, usize>,
}

impl<'c, 'a> Copy<'c, 'a> {
    fn remark(
        &self,
        context: &PassContext<'c>,
        mark: Mark<'c>,
        location: Location<'c>,
    ) -> Option<Diagnostic> {
        let target = ir::operand(self.copy, 1);
        if !self.is_fresh(target) {
            return None;
        }
        let Reason { subject, because, labels, .. } = match mark.reasons.is_empty() {
            false => self.reason(mark.reasons),
            true => self.handed_on(target).or_else(|| self.made_distinct(&mark.operation))?,
        };
        let subject = words::with_size(&subject, words::bytes(target));
        let says_so = because.starts_with("each iteration");
        let repeated =
            if self.is_in_loop() && !says_so { " in each iteration of a loop" } else { "" };
        let message = format!("{subject} is copied here{repeated}: {because}");
        let mut remark = Diagnostic::remark(codes::COPIED, message);
        remark = match context.locations.span(location) {
            Some(span) => remark.label(span, "the copy is made for this"),
            None => primary(remark, self.copy, String::new(), &context.locations),
        };
        for (at, label) in labels {
            remark = context.locations.label(remark, at, label);
        }
        Some(words::in_function(remark, self.copy))
    }

    /// True if the target is a new buffer, which gets its first contents here.
    fn is_fresh(&self, target: Value<'c, 'a>) -> bool {
        let place = |operation| self.order.get(&ir::id(operation)).copied();
        let Some(allocation) = ir::defining_operation(target) else { return false };
        let is_same_block = || {
            let [one, other] = [allocation, self.copy].map(|at| at.block());
            one.zip(other).is_some_and(|(one, other)| one.to_raw().ptr == other.to_raw().ptr)
        };
        ir::name(&allocation) == "memref.alloc"
            && is_same_block()
            && ir::users(target).into_iter().all(|user| place(user) >= place(self.copy))
    }

    /// The reason of the operand that the copy is for.
    fn reason(&self, mut reasons: Vec<Reason<'c>>) -> Reason<'c> {
        if reasons.len() > 1 {
            let target = ir::operand(self.copy, 1);
            let users = ir::uses(target).into_iter();
            let same = |user: &OperationRef<'c, 'a>| user.location() == self.copy.location();
            let operands: Vec<_> =
                users.filter(|(user, _)| same(user)).map(|(_, operand)| operand).collect();
            reasons.retain(|reason| operands.contains(&reason.operand));
        }
        match reasons.len() {
            1 => reasons.remove(0),
            _ => general(),
        }
    }

    /// The reason if the copy is for the next iteration of a loop.
    fn handed_on(&self, target: Value<'c, 'a>) -> Option<Reason<'c>> {
        let (end, place) = ir::uses(target)
            .into_iter()
            .find(|(user, _)| matches!(ir::name(user), "scf.yield" | "scf.condition"))?;
        let repeated = end.parent_operation()?;
        if ir::name(&end) == "scf.condition" {
            return Some(Reason {
                because: "each iteration of the loop hands it from the condition to the body"
                    .to_owned(),
                ..general()
            });
        }
        let first = control_flow::carried(repeated)?.arguments;
        let names = control::carried_names(repeated, end.operand_count());
        let name = |place: usize| names.as_ref()?.get(place).map(|name| format!("`{name}`"));
        let source = ir::home(ir::operand(self.copy, 0))
            .filter(|home| ir::id(home.parent) == ir::id(repeated))
            .and_then(|home| home.argument.checked_sub(first));
        let because = match (source.and_then(name), source, name(place)) {
            (Some(from), _, Some(to)) if from != to => {
                format!("each iteration of the loop hands {from} on as the next {to}")
            }
            (_, Some(_), _) => {
                "each iteration of the loop hands one variable on as another".to_owned()
            }
            (_, None, Some(to)) => {
                format!("each iteration of the loop hands it on as the next {to}, and {MAYBE}")
            }
            (_, None, None) => format!("each iteration of the loop hands it on, and {MAYBE}"),
        };
        Some(Reason {
            subject: source.and_then(name).unwrap_or(general().subject),
            because,
            ..general()
        })
    }

    /// The reason for a copy that is made before bufferization, because values must be in different buffers. Copies
    /// for other operations only change the layout.
    fn made_distinct(&self, operation: &str) -> Option<Reason<'c>> {
        let source = ir::defining_operation(ir::operand(self.copy, 0));
        let is_constant = source.is_some_and(|source| ir::name(&source) == "memref.get_global");
        match operation {
            "func.return" if is_constant => {
                let because = "it is a constant, and the caller may write what it gets".to_owned();
                Some(Reason { because, ..general() })
            }
            "func.return" | "scf.yield" | "scf.condition" | "bufferization.alloc_tensor" => {
                Some(general())
            }
            _ => None,
        }
    }

    fn is_in_loop(&self) -> bool {
        let parents = std::iter::successors(self.copy.parent_operation(), |inner| {
            inner.parent_operation().filter(|_| !ops::is_function(inner))
        });
        parents.into_iter().any(|parent| control_flow::is_loop(&parent))
    }
}

/// The reason if nothing more is known.
fn general<'c>() -> Reason<'c> {
    Reason { operand: 0, subject: "a tensor".to_owned(), because: MAYBE.to_owned(), labels: vec![] }
}
