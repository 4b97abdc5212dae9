//! `scf`: loops and branches.

use super::Builder;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Region, Type, Value, ValueLike};

impl<'c, 'a> Builder<'c, 'a> {
    /// `scf.for` from, to, with a step: `body` gets the index and the carried values, and returns the next ones.
    pub fn for_each(
        self,
        range: [Value<'c, 'a>; 3],
        carried: &[Value<'c, 'a>],
        attributes: &[(&str, Attribute<'c>)],
        body: impl FnOnce(Self, Value<'c, 'a>, &[Value<'c, 'a>]) -> Vec<Value<'c, 'a>>,
    ) -> Vec<Value<'c, 'a>> {
        let operation = self.counted(range, carried, attributes);
        self.fill_region(operation, 0, "scf.yield", |code, arguments| {
            body(code, arguments[0], &arguments[1..])
        });
        operation.results().map(Into::into).collect()
    }

    /// `scf.for` with an empty body.
    pub fn counted(
        self,
        range: [Value<'c, 'a>; 3],
        carried: &[Value<'c, 'a>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> OperationRef<'c, 'a> {
        let operands = [range.as_slice(), carried].concat();
        let types: Vec<_> = carried.iter().map(|value| value.r#type()).collect();
        let region = self.region(&[&[Type::index(self.context)], types.as_slice()].concat());
        self.op_with_regions("scf.for", &operands, &types, attributes, vec![region])
    }

    /// `scf.if` with two empty branches, and results of these types.
    pub fn branched(self, condition: Value<'c, '_>, results: &[Type<'c>]) -> OperationRef<'c, 'a> {
        let regions = vec![self.region(&[]), self.region(&[])];
        self.op_with_regions("scf.if", &[condition], results, &[], regions)
    }

    /// `scf.if` without results and without another branch.
    pub fn when(self, condition: Value<'c, '_>, body: impl FnOnce(Self)) {
        let regions = vec![self.region(&[]), Region::new()];
        let operation = self.op_with_regions("scf.if", &[condition], &[], &[], regions);
        self.branch(operation, 0, body);
    }

    /// `scf.if` without results.
    pub fn either(
        self,
        condition: Value<'c, '_>,
        one: impl FnOnce(Self),
        other: impl FnOnce(Self),
    ) {
        let operation = self.branched(condition, &[]);
        self.branch(operation, 0, one);
        self.branch(operation, 1, other);
    }

    fn branch(self, operation: OperationRef<'c, 'a>, region: usize, body: impl FnOnce(Self)) {
        self.fill_region(operation, region, "scf.yield", |code, _| {
            body(code);
            vec![]
        });
    }
}
