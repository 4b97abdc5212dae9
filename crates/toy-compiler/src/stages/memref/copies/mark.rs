//! The reasons for an operation's copies, as metadata of its location.
//!
//! `loc(fused<["toyc.copies", "tensor.insert", ["1", "`x`", "line 8 writes it", loc(...), "written here"]]>[loc(...)])`:
//! the name of the operation, then for each operand that is not written in place its number, its name, the reason
//! for the copy, and labels. Input may contain anything of this form; reading it checks every part.

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use melior::ir::{Attribute, Location};
use mlir_support::ir;

const TAG: &str = "toyc.copies";

/// The reasons for copies of operands of an operation.
#[derive(Default)]
pub struct Mark<'c> {
    /// The name of the operation; empty if the analysis knows nothing about it.
    pub operation: String,
    pub reasons: Vec<Reason<'c>>,
}

/// The reason for the copy of an operand.
pub struct Reason<'c> {
    pub operand: usize,
    /// The operand's name in a message.
    pub subject: String,
    pub because: String,
    pub labels: Vec<(Location<'c>, String)>,
}

impl<'c> Mark<'c> {
    /// The location with the mark.
    pub fn put(&self, context: &'c Context, location: Location<'c>) -> Location<'c> {
        let text = |text: &str| Attribute::from(StringAttribute::new(context, text));
        let reasons = self.reasons.iter().map(|reason| {
            let head = [&reason.operand.to_string(), &reason.subject, &reason.because]
                .map(|part| text(part));
            let labels =
                reason.labels.iter().flat_map(|(at, label)| [at.to_attribute(), text(label)]);
            ArrayAttribute::new(context, &head.into_iter().chain(labels).collect::<Vec<_>>()).into()
        });
        let all: Vec<Attribute> =
            [text(TAG), text(&self.operation)].into_iter().chain(reasons).collect();
        Location::fused(context, &[location], ArrayAttribute::new(context, &all).into())
    }

    /// The mark of a location, and the location without it.
    pub fn take(location: Location<'c>) -> Option<(Self, Location<'c>)> {
        if !location.is_fused() || location.fused_num_locations() != 1 {
            return None;
        }
        let all = elements(location.fused_metadata())?;
        let [tag, operation, reasons @ ..] = all.as_slice() else { return None };
        if ir::string_value(*tag)? != TAG {
            return None;
        }
        let reasons = reasons.iter().map(|reason| Reason::read(*reason)).collect::<Option<_>>()?;
        let mark = Self { operation: ir::string_value(*operation)?, reasons };
        Some((mark, location.fused_location(0)))
    }
}

impl<'c> Reason<'c> {
    fn read(attribute: Attribute<'c>) -> Option<Self> {
        let all = elements(attribute)?;
        let [operand, subject, because, labels @ ..] = all.as_slice() else { return None };
        let label = |pair: &[Attribute<'c>]| {
            let [at, label] = pair else { return None };
            Some((ir::location_value(*at)?, ir::string_value(*label)?))
        };
        Some(Self {
            operand: ir::string_value(*operand)?.parse().ok()?,
            subject: ir::string_value(*subject)?,
            because: ir::string_value(*because)?,
            labels: labels.chunks(2).map(label).collect::<Option<_>>()?,
        })
    }
}

fn elements(attribute: Attribute) -> Option<Vec<Attribute>> {
    if ir::is_null(attribute) {
        return None;
    }
    let array = ArrayAttribute::try_from(attribute).ok()?;
    (0..array.len()).map(|index| array.element(index).ok()).collect()
}
