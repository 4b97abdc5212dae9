//! Making operations, which [`Builder`](crate::Builder) inserts.

use melior::Context;
use melior::ir::operation::OperationBuilder;
use melior::ir::{Attribute, Identifier, Location, Operation, Region, Type, Value};

/// Attributes by their names.
pub fn named<'c>(
    context: &'c Context,
    attributes: &[(&str, Attribute<'c>)],
) -> Vec<(Identifier<'c>, Attribute<'c>)> {
    attributes.iter().map(|(name, value)| (Identifier::new(context, name), *value)).collect()
}

/// An operation that is not in a block yet.
///
/// # Panics
///
/// If MLIR does not make it: its name is unknown, or it lacks a part that its results are inferred from.
pub fn build<'c>(
    name: &str,
    location: Location<'c>,
    operands: &[Value<'c, '_>],
    results: &[Type<'c>],
    attributes: &[(Identifier<'c>, Attribute<'c>)],
    regions: Vec<Region<'c>>,
) -> Operation<'c> {
    OperationBuilder::new(name, location)
        .add_operands(operands)
        .add_results(results)
        .add_attributes(attributes)
        .add_regions_vec(regions)
        .build()
        .unwrap_or_else(|_| panic!("a well-formed {name}"))
}
