//! The updates of variables, for remarks about them.
//!
//! Input: tensors, before bufferization. Output: the same; a function has the attribute [`UPDATES`] with the location
//! and the description of each update. An update in place often leaves no operation of its own: in
//! `x[i] = x[i] / 2`, the quotient is written to its place in `x`. `toy-report-copies` takes the attribute away.
//!
//! Tutorial: chapter 8.

use crate::dialect::ops;
use crate::dialect::shape::type_of;
use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Location, Module, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{ir, location};
use toy_diagnostics::Diagnosed;

const UPDATES: &str = "toyc.updates";

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-note-updates",
    "Notes which variables are updated, for the remarks of toy-report-copies",
    run,
);

/// An update of a part of a variable.
pub struct Update<'c> {
    pub location: Location<'c>,
    /// The variable in a message: `` `x` (8 KB) ``.
    pub subject: String,
}

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = context.session.context();
    for function in ops::definitions(module) {
        let updates = ir::operations(function).into_iter().filter_map(Update::of);
        let updates = updates.map(|update| {
            let subject = StringAttribute::new(context, &update.subject).into();
            let update: [Attribute; 2] = [update.location.to_attribute(), subject];
            ArrayAttribute::new(context, &update).into()
        });
        let updates: Vec<Attribute> = updates.collect();
        ir::set_attribute(function, UPDATES, ArrayAttribute::new(context, &updates).into());
    }
    Ok(())
}

impl<'c> Update<'c> {
    fn of(operation: OperationRef<'c, '_>) -> Option<Self> {
        if !matches!(ir::name(&operation), "tensor.insert" | "tensor.insert_slice") {
            return None;
        }
        let name = location::name(operation.location())?;
        let bytes = type_of(ir::operand(operation, 1).r#type()).and_then(|ty| ty.bytes());
        let subject = with_size(&format!("`{name}`"), bytes);
        Some(Self { location: operation.location(), subject })
    }

    /// Input may contain any attribute of this name.
    fn read(attribute: Attribute<'c>) -> Option<Self> {
        let [location, subject] = elements(attribute)?[..] else { return None };
        Some(Self { location: ir::location_value(location)?, subject: ir::string_value(subject)? })
    }
}

/// Removes the attribute of a function, and returns the updates in it.
pub fn take<'c>(function: OperationRef<'c, '_>) -> Vec<Update<'c>> {
    let updates = ops::attribute(&function, UPDATES).and_then(elements).unwrap_or_default();
    ir::remove_attribute(function, UPDATES);
    updates.into_iter().filter_map(Update::read).collect()
}

fn elements(attribute: Attribute) -> Option<Vec<Attribute>> {
    let array = ArrayAttribute::try_from(attribute).ok()?;
    (0..array.len()).map(|index| array.element(index).ok()).collect()
}

/// The subject with the size of its type: `` `x` (8 MB) ``.
pub fn with_size(subject: &str, bytes: Option<u64>) -> String {
    match bytes {
        Some(bytes) => format!("{subject} ({})", size(bytes)),
        None => subject.to_owned(),
    }
}

/// `96 bytes`, `8 KB`, `1.5 MB`: rounded to a tenth.
fn size(bytes: u64) -> String {
    let units = [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "KB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let tenths = (u128::from(bytes) * 10 + u128::from(unit) / 2) / u128::from(unit);
            match (tenths / 10, tenths % 10) {
                (whole, 0) => format!("{whole} {name}"),
                (whole, tenth) => format!("{whole}.{tenth} {name}"),
            }
        }
        None if bytes == 1 => "1 byte".to_owned(),
        None => format!("{bytes} bytes"),
    }
}
