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
        let operands = [range.as_slice(), carried].concat();
        let types: Vec<_> = carried.iter().map(|value| value.r#type()).collect();
        let region = self.region(&[&[Type::index(self.context)], types.as_slice()].concat());
        let operation =
            self.op_with_regions("scf.for", &operands, &types, attributes, vec![region]);
        self.fill_region(operation, 0, "scf.yield", |code, arguments| {
            body(code, arguments[0], &arguments[1..])
        });
        operation.results().map(Into::into).collect()
    }

    /// `scf.if` without results and without another branch.
    pub fn when(self, condition: Value<'c, '_>, body: impl FnOnce(Self)) {
        let operation = self.branches(condition, [self.region(&[]), Region::new()]);
        self.branch(operation, 0, body);
    }

    /// `scf.if` without results.
    pub fn either(
        self,
        condition: Value<'c, '_>,
        one: impl FnOnce(Self),
        other: impl FnOnce(Self),
    ) {
        let operation = self.branches(condition, [(); 2].map(|()| self.region(&[])));
        self.branch(operation, 0, one);
        self.branch(operation, 1, other);
    }

    fn branches(self, condition: Value<'c, '_>, regions: [Region<'c>; 2]) -> OperationRef<'c, 'a> {
        self.op_with_regions("scf.if", &[condition], &[], &[], regions.into())
    }

    fn branch(self, operation: OperationRef<'c, 'a>, region: usize, body: impl FnOnce(Self)) {
        self.fill_region(operation, region, "scf.yield", |code, _| {
            body(code);
            vec![]
        });
    }
}
