//! The one way to make operations: an insertion point and a location.
//!
//! Input: the name, operands, result types and attributes of an operation. Output: the operation, inserted. The methods
//! for the operations of MLIR's own dialects are in the modules beside this one, a module for each dialect; every other
//! operation is built by [`Builder::op`] or [`Builder::value`]. Invariant: the dialect of an operation is loaded, and
//! the caller gives it the parts that the dialect requires: the builder panics where MLIR refuses to make the operation,
//! and MLIR's verifier checks the rest.

mod arith;
mod linalg;
mod llvm;
mod memref;
mod scf;
mod tensor;
mod vector;

pub use arith::{EQ, OEQ, OGE, OGT, OLE, OLT, SGE, SGT, SLT, UGE, UGT, UNE};
pub use linalg::{ElementWise, Indexed};
pub use tensor::{Offset, element, tensor_type};
pub use vector::vector_type;

use crate::func::result;
use crate::ir;
pub use crate::ir::{build, named};
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, BoolAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute,
    FlatSymbolRefAttribute, IntegerAttribute, StringAttribute,
};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Block, BlockLike, BlockRef, Location, Operation, Region};
use melior::ir::{RegionLike, Type, Value, ValueLike};
use std::collections::HashMap;

/// An insertion point.
#[derive(Clone, Copy)]
pub enum Insertion<'c, 'a> {
    /// At the start of a block: a later operation is before an earlier one.
    AtStart(BlockRef<'c, 'a>),
    /// At the end of a block.
    AtEnd(BlockRef<'c, 'a>),
    Before(OperationRef<'c, 'a>),
    /// Right behind an operation: a later operation is before an earlier one.
    After(OperationRef<'c, 'a>),
}

impl<'c, 'a> Insertion<'c, 'a> {
    /// Right after the definition of a value, which is in a block: after the operation whose result it is, or at the
    /// start of the block whose argument it is.
    pub fn after_definition(value: Value<'c, 'a>) -> Self {
        match ir::defining_operation(value) {
            Some(definition) => Insertion::After(definition),
            None => Insertion::AtStart(ir::argument_block(value)),
        }
    }

    pub fn insert(self, operation: Operation<'c>) -> OperationRef<'c, 'a> {
        let block_of =
            |other: OperationRef<'c, 'a>| other.block().expect("the operation is in a block");
        match self {
            Insertion::AtStart(block) => block.insert_operation(0, operation),
            Insertion::AtEnd(block) => block.append_operation(operation),
            Insertion::Before(next) => block_of(next).insert_operation_before(next, operation),
            Insertion::After(last) => block_of(last).insert_operation_after(last, operation),
        }
    }

    /// Copies operations to this place. `values` has the values here for values of the originals. Returns the copies, and
    /// the values here for `ends`.
    pub fn copy(
        self,
        operations: &[OperationRef<'c, 'a>],
        ends: impl Iterator<Item = Value<'c, 'a>>,
        mut values: HashMap<usize, Value<'c, 'a>>,
    ) -> (Vec<OperationRef<'c, 'a>>, Vec<Value<'c, 'a>>) {
        let here = |value: Value<'c, 'a>, values: &HashMap<usize, Value<'c, 'a>>| {
            values.get(&ir::id(value)).copied().unwrap_or(value)
        };
        let mut copies = Vec::new();
        for operation in operations {
            let copy = self.insert(ir::clone(*operation));
            // Operations in its regions use these values, too.
            for inner in std::iter::once(copy).chain(ir::operations(copy)) {
                let operands: Vec<_> = inner.operands().map(|it| here(it, &values)).collect();
                ir::set_operands(inner, &operands);
            }
            for (old, new) in operation.results().zip(copy.results()) {
                values.insert(ir::id(old), new.into());
            }
            copies.push(copy);
        }
        (copies, ends.map(|it| here(it, &values)).collect())
    }

    /// The same of the contents of a block, with the values here for the operands of its terminator, which is not copied.
    pub fn copy_block(
        self,
        block: BlockRef<'c, 'a>,
        values: HashMap<usize, Value<'c, 'a>>,
    ) -> (Vec<OperationRef<'c, 'a>>, Vec<Value<'c, 'a>>) {
        let mut operations = ir::block_operations(block);
        let end = operations.pop().expect("the block has a terminator");
        self.copy(&operations, end.operands(), values)
    }
}

/// Replaces a call by the contents of the function, which is this block. Returns the copies.
pub fn inline<'c, 'a>(
    call: OperationRef<'c, 'a>,
    body: BlockRef<'c, 'a>,
) -> Vec<OperationRef<'c, 'a>> {
    let parameters = ir::arguments(body).into_iter().map(ir::id);
    let arguments = parameters.zip(call.operands()).collect();
    let (copies, results) = Insertion::Before(call).copy_block(body, arguments);
    for (old, new) in call.results().zip(results) {
        ir::replace_all_uses(old.into(), new);
    }
    ir::erase(call);
    copies
}

/// An insertion point for operations, with their location.
#[derive(Clone, Copy)]
pub struct Builder<'c, 'a> {
    pub context: &'c Context,
    pub at: Insertion<'c, 'a>,
    pub location: Location<'c>,
}

impl<'c, 'a> Builder<'c, 'a> {
    pub fn new(context: &'c Context, at: Insertion<'c, 'a>, location: Location<'c>) -> Self {
        Self { context, at, location }
    }

    /// In front of an operation, with its location.
    pub fn before(context: &'c Context, operation: OperationRef<'c, 'a>) -> Self {
        Self::new(context, Insertion::Before(operation), operation.location())
    }

    /// At the start of a block, without a location.
    pub fn at_start(context: &'c Context, block: BlockRef<'c, 'a>) -> Self {
        Self::new(context, Insertion::AtStart(block), Location::unknown(context))
    }

    /// The same place, for operations with another location.
    pub fn located(self, location: Location<'c>) -> Self {
        Self { location, ..self }
    }

    /// Another place, with the same location.
    pub fn at(self, at: Insertion<'c, 'a>) -> Self {
        Self { at, ..self }
    }

    pub fn insert(self, operation: Operation<'c>) -> OperationRef<'c, 'a> {
        self.at.insert(operation)
    }

    /// An operation without regions.
    pub fn op(
        self,
        name: &str,
        operands: &[Value<'c, '_>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> OperationRef<'c, 'a> {
        self.op_with_regions(name, operands, results, attributes, vec![])
    }

    pub fn op_with_regions(
        self,
        name: &str,
        operands: &[Value<'c, '_>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
        regions: Vec<Region<'c>>,
    ) -> OperationRef<'c, 'a> {
        let attributes = named(self.context, attributes);
        self.insert(build(name, self.location, operands, results, &attributes, regions))
    }

    /// `func.call`.
    pub fn call(
        self,
        callee: &str,
        arguments: &[Value<'c, '_>],
        results: &[Type<'c>],
    ) -> OperationRef<'c, 'a> {
        self.op("func.call", arguments, results, &[("callee", self.symbol(callee))])
    }

    /// An operation of one result, without regions.
    pub fn value(
        self,
        name: &str,
        operands: &[Value<'c, '_>],
        ty: Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
    ) -> Value<'c, 'a> {
        result(self.op(name, operands, &[ty], attributes))
    }

    /// An operation whose result has the type of its last operand.
    pub fn computed(self, name: &str, operands: &[Value<'c, '_>]) -> Value<'c, 'a> {
        let ty = operands.last().expect("an operand").r#type();
        self.value(name, operands, ty, &[])
    }

    /// An operation with the name, the attributes and the location of another one, without regions.
    pub fn like(
        self,
        operation: OperationRef<'c, '_>,
        operands: &[Value<'c, '_>],
        results: &[Type<'c>],
    ) -> OperationRef<'c, 'a> {
        let attributes: Vec<_> = operation.attributes().collect();
        let (name, location) = (ir::name(&operation), operation.location());
        self.insert(build(name, location, operands, results, &attributes, vec![]))
    }

    /// A region of one block with arguments of these types.
    pub fn region(self, arguments: &[Type<'c>]) -> Region<'c> {
        let arguments: Vec<_> = arguments.iter().map(|ty| (*ty, self.location)).collect();
        let region = Region::new();
        region.append_block(Block::new(&arguments));
        region
    }

    /// Fills the block of a region: `body` gets its arguments and returns the operands of the terminator.
    pub fn fill_region(
        self,
        operation: OperationRef<'c, 'a>,
        region: usize,
        terminator: &str,
        body: impl FnOnce(Self, &[Value<'c, 'a>]) -> Vec<Value<'c, 'a>>,
    ) {
        let block = ir::blocks_of(operation, region)[0];
        let inside = self.at(Insertion::AtEnd(block));
        let results = body(inside, &ir::arguments(block));
        inside.op(terminator, &results, &[], &[]);
    }

    // --- attributes ---

    pub fn i64_type(self) -> Type<'c> {
        IntegerType::new(self.context, 64).into()
    }

    /// An integer of 64 bits.
    pub fn number(self, value: i64) -> Attribute<'c> {
        IntegerAttribute::new(self.i64_type(), value).into()
    }

    pub fn flag(self, value: bool) -> Attribute<'c> {
        BoolAttribute::new(self.context, value).into()
    }

    pub fn unit(self) -> Attribute<'c> {
        Attribute::unit(self.context)
    }

    pub fn text(self, text: &str) -> Attribute<'c> {
        StringAttribute::new(self.context, text).into()
    }

    pub fn list(self, attributes: impl IntoIterator<Item = Attribute<'c>>) -> Attribute<'c> {
        let attributes: Vec<_> = attributes.into_iter().collect();
        ArrayAttribute::new(self.context, &attributes).into()
    }

    pub fn symbol(self, name: &str) -> Attribute<'c> {
        FlatSymbolRefAttribute::new(self.context, name).into()
    }

    /// `array<i64: ...>`.
    pub fn numbers(self, values: &[i64]) -> Attribute<'c> {
        DenseI64ArrayAttribute::new(self.context, values).into()
    }

    /// `array<i32: ...>`, of `operandSegmentSizes` for instance.
    pub fn segments(self, values: &[i32]) -> Attribute<'c> {
        DenseI32ArrayAttribute::new(self.context, values).into()
    }

    /// The `reassociation` of dimensions that become one, or come of one.
    pub fn groups(self, groups: &[Vec<usize>]) -> Attribute<'c> {
        let number = |at: &usize| self.number(*at as i64);
        self.list(groups.iter().map(|group| self.list(group.iter().map(number))))
    }
}
