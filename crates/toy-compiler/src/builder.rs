//! Writes operations of `arith`, `tensor`, `linalg`, `math` and `scf`.
//!
//! Each method inserts one operation, or one with its region, and returns its result.

use crate::dialect::ops::{self, Insertion};
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, FloatAttribute,
    IntegerAttribute,
};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, Block, BlockLike, BlockRef, Identifier, Location, Operation, Region};
use melior::ir::{RegionLike, ShapedTypeLike, Type, Value, ValueLike};
use mlir_support::{Locations, ir, linalg};

/// An insertion point for operations, with their place in the source.
#[derive(Clone, Copy)]
pub struct Code<'c, 'a> {
    pub context: &'c Context,
    pub at: Insertion<'c, 'a>,
    pub location: Location<'c>,
    /// The file names in messages of running programs.
    pub files: Locations<'c>,
}

/// An operand of a `linalg.generic`: the dimensions of the iteration that index it.
pub type Indexed<'c, 'a, 'd> = (Value<'c, 'a>, &'d [usize]);

/// A dimension of an iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Iterator {
    Parallel,
    Reduction,
}

/// An offset of a slice.
#[derive(Clone, Copy)]
pub enum Offset<'c, 'a> {
    Known(u64),
    At(Value<'c, 'a>),
}

/// MLIR's placeholder for a number that is an operand.
const DYNAMIC: i64 = i64::MIN;

impl<'c, 'a> Code<'c, 'a> {
    pub fn insert(&self, operation: Operation<'c>) -> OperationRef<'c, 'a> {
        self.at.insert(operation)
    }

    pub fn operation(
        &self,
        name: &str,
        operands: &[Value<'c, '_>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
        regions: Vec<Region<'c>>,
    ) -> OperationRef<'c, 'a> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(name, value)| (Identifier::new(self.context, name), *value))
            .collect();
        let operation = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build()
            .expect("a well-formed operation");
        self.insert(operation)
    }

    /// An operation of one result, without regions.
    pub fn value(
        &self,
        name: &str,
        operands: &[Value<'c, '_>],
        result: Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
    ) -> Value<'c, 'a> {
        ops::result(self.operation(name, operands, &[result], attributes, vec![]))
    }

    // --- numbers ---

    /// An operation on numbers; the result has the type of the last one.
    pub fn number(&self, name: &str, operands: &[Value<'c, '_>]) -> Value<'c, 'a> {
        let last = operands.last().expect("an operation on at least one number");
        self.value(name, operands, last.r#type(), &[])
    }

    /// A number of a type.
    pub fn constant(&self, ty: Type<'c>, value: f64) -> Value<'c, 'a> {
        let value = FloatAttribute::new(self.context, ty, value).into();
        self.value("arith.constant", &[], ty, &[("value", value)])
    }

    pub fn index(&self, value: u64) -> Value<'c, 'a> {
        let ty = Type::index(self.context);
        let value = IntegerAttribute::new(ty, value as i64).into();
        self.value("arith.constant", &[], ty, &[("value", value)])
    }

    /// An index and a constant.
    pub fn plus(&self, index: Value<'c, 'a>, constant: u64) -> Value<'c, 'a> {
        if constant == 0 {
            return index;
        }
        self.value("arith.addi", &[index, self.index(constant)], index.r#type(), &[])
    }

    /// A vector of numbers.
    pub fn vector_of(&self, numbers: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        self.context.get_or_load_dialect("vector");
        let ty = Type::vector(&[numbers.len() as u64], numbers[0].r#type());
        self.value("vector.from_elements", numbers, ty, &[])
    }

    /// The numbers of a vector.
    pub fn elements_of_vector(&self, vector: Value<'c, 'a>, count: u64) -> Vec<Value<'c, 'a>> {
        let element = |at| {
            let position = DenseI64ArrayAttribute::new(self.context, &[at as i64]).into();
            self.value(
                "vector.extract",
                &[vector],
                element(vector),
                &[("static_position", position)],
            )
        };
        (0..count).map(element).collect()
    }

    /// Neighbors in a vector, as a vector.
    pub fn part_of_vector(&self, vector: Value<'c, 'a>, first: u64, count: u64) -> Value<'c, 'a> {
        let i64 = IntegerType::new(self.context, 64).into();
        let list = |number: u64| {
            let number = IntegerAttribute::new(i64, number as i64).into();
            ArrayAttribute::new(self.context, &[number]).into()
        };
        let attributes = [("offsets", list(first)), ("sizes", list(count)), ("strides", list(1))];
        let ty = Type::vector(&[count], element(vector));
        self.value("vector.extract_strided_slice", &[vector], ty, &attributes)
    }

    /// A vector of elements of two vectors of its length: the indices of the first start at 0, the second's follow.
    pub fn shuffle(&self, pair: [Value<'c, 'a>; 2], elements: &[usize]) -> Value<'c, 'a> {
        let elements: Vec<_> = elements.iter().map(|element| *element as i64).collect();
        let mask = DenseI64ArrayAttribute::new(self.context, &elements).into();
        self.value("vector.shuffle", &pair, pair[0].r#type(), &[("mask", mask)])
    }

    /// `arith.cmpf` or `arith.cmpi` with the number of its predicate.
    pub fn compare(
        &self,
        name: &str,
        predicate: i64,
        operands: [Value<'c, '_>; 2],
    ) -> Value<'c, 'a> {
        let i64 = IntegerType::new(self.context, 64).into();
        let predicate = IntegerAttribute::new(i64, predicate).into();
        self.value(name, &operands, self.truth_type(), &[("predicate", predicate)])
    }

    pub fn truth_type(&self) -> Type<'c> {
        IntegerType::new(self.context, 1).into()
    }

    /// Compares a number with 0: true if it differs, false for a NaN.
    pub fn is_not_zero(&self, number: Value<'c, '_>) -> Value<'c, 'a> {
        self.compare("arith.cmpf", UNE, [number, self.constant(number.r#type(), 0.0)])
    }

    // --- tensors ---

    /// The only element of a scalar.
    pub fn element_of(&self, scalar: Value<'c, 'a>) -> Value<'c, 'a> {
        let definition = ir::defining_operation(scalar);
        if let Some(definition) = definition {
            if ir::name(&definition) == "tensor.from_elements" {
                return ir::operand(definition, 0);
            }
            if ir::name(&definition) == "arith.constant"
                && let Some(value) = ops::attribute(&definition, "value")
                && let Some([value]) = ir::dense_floats(value, 1).as_deref()
            {
                return self.constant(element(scalar), *value);
            }
        }
        self.extract(scalar, &[])
    }

    pub fn scalar(&self, number: Value<'c, '_>) -> Value<'c, 'a> {
        let ty = tensor_type(number.r#type(), &[]);
        self.value("tensor.from_elements", &[number], ty, &[])
    }

    pub fn extract(&self, tensor: Value<'c, '_>, indices: &[Value<'c, '_>]) -> Value<'c, 'a> {
        self.value("tensor.extract", &[&[tensor], indices].concat(), element(tensor), &[])
    }

    /// A new tensor without contents.
    pub fn empty(&self, ty: Type<'c>) -> Value<'c, 'a> {
        self.value("tensor.empty", &[], ty, &[])
    }

    /// A new tensor with a number in every element.
    pub fn filled(&self, ty: Type<'c>, number: Value<'c, '_>) -> Value<'c, 'a> {
        self.fill_of(number, self.empty(ty))
    }

    /// A destination with a number in every element.
    pub fn fill_of(&self, number: Value<'c, '_>, destination: Value<'c, '_>) -> Value<'c, 'a> {
        ops::result(self.insert(linalg::fill(self.context, self.location, number, destination)))
    }

    /// `tensor.extract_slice`: a part of another one, of the rank that the shape has.
    pub fn slice(
        &self,
        tensor: Value<'c, '_>,
        offsets: &[Offset<'c, '_>],
        sizes: &[u64],
        shape: &[u64],
    ) -> Value<'c, 'a> {
        let (indices, attributes) = self.slice_attributes(offsets, sizes, 1);
        let operands = [&[tensor], indices.as_slice()].concat();
        let ty = tensor_type(element(tensor), shape);
        self.value("tensor.extract_slice", &operands, ty, &attributes)
    }

    /// `tensor.insert_slice`: a tensor with a part replaced.
    pub fn with_slice(
        &self,
        part: Value<'c, '_>,
        tensor: Value<'c, '_>,
        offsets: &[Offset<'c, '_>],
        sizes: &[u64],
    ) -> Value<'c, 'a> {
        let (indices, attributes) = self.slice_attributes(offsets, sizes, 2);
        let operands = [&[part, tensor], indices.as_slice()].concat();
        self.value("tensor.insert_slice", &operands, tensor.r#type(), &attributes)
    }

    fn slice_attributes<'b>(
        &self,
        offsets: &[Offset<'c, 'b>],
        sizes: &[u64],
        tensors: usize,
    ) -> (Vec<Value<'c, 'b>>, Vec<(&'static str, Attribute<'c>)>) {
        let mut indices = Vec::new();
        let known = offsets.iter().map(|offset| match offset {
            Offset::Known(offset) => *offset as i64,
            Offset::At(index) => {
                indices.push(*index);
                DYNAMIC
            }
        });
        let offsets: Vec<_> = known.collect();
        let sizes: Vec<_> = sizes.iter().map(|size| *size as i64).collect();
        let array = |values: &[i64]| DenseI64ArrayAttribute::new(self.context, values).into();
        let mut segments = vec![1; tensors];
        segments.extend([indices.len() as i32, 0, 0]);
        let attributes = vec![
            ("static_offsets", array(&offsets)),
            ("static_sizes", array(&sizes)),
            ("static_strides", array(&vec![1; sizes.len()])),
            ("operandSegmentSizes", DenseI32ArrayAttribute::new(self.context, &segments).into()),
        ];
        (indices, attributes)
    }

    /// Groups neighboring dimensions: `tensor.collapse_shape`, or `tensor.expand_shape` to a shape of more.
    pub fn regrouped(
        &self,
        tensor: Value<'c, '_>,
        groups: &[Vec<usize>],
        shape: &[u64],
    ) -> Value<'c, 'a> {
        let i64 = IntegerType::new(self.context, 64).into();
        let group = |group: &Vec<usize>| -> Attribute<'c> {
            let all: Vec<Attribute> =
                group.iter().map(|at| IntegerAttribute::new(i64, *at as i64).into()).collect();
            ArrayAttribute::new(self.context, &all).into()
        };
        let groups: Vec<_> = groups.iter().map(group).collect();
        let groups = ArrayAttribute::new(self.context, &groups).into();
        let mut attributes = vec![("reassociation", groups)];
        let rank = RankedTensorType::try_from(tensor.r#type()).map_or(0, |ty| ty.rank());
        let name = if rank < shape.len() {
            let dims: Vec<_> = shape.iter().map(|dim| *dim as i64).collect();
            let dims = DenseI64ArrayAttribute::new(self.context, &dims).into();
            attributes.push(("static_output_shape", dims));
            "tensor.expand_shape"
        } else {
            "tensor.collapse_shape"
        };
        self.value(name, &[tensor], tensor_type(element(tensor), shape), &attributes)
    }

    // --- operations with regions ---

    /// `linalg.generic`: `body` gets the elements of the inputs and of the destination, and computes the new one.
    pub fn generic(
        &self,
        iterators: &[Iterator],
        inputs: &[Indexed<'c, 'a, '_>],
        destination: Indexed<'c, 'a, '_>,
        body: impl FnOnce(Code<'c, 'a>, &[Value<'c, 'a>]) -> Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let attribute = |text: &str| Attribute::parse(self.context, text).expect("valid");
        let dims = |list: &mut dyn std::iter::Iterator<Item = usize>| {
            list.map(|dim| format!("d{dim}")).collect::<Vec<_>>().join(", ")
        };
        let all = dims(&mut (0..iterators.len()));
        let operands: Vec<_> = inputs.iter().copied().chain([destination]).collect();
        let maps: Vec<_> = operands
            .iter()
            .map(|(_, indices)| dims(&mut indices.iter().copied()))
            .map(|indices| attribute(&format!("affine_map<({all}) -> ({indices})>")))
            .collect();
        let kinds: Vec<_> = iterators
            .iter()
            .map(|kind| match kind {
                Iterator::Parallel => attribute("#linalg.iterator_type<parallel>"),
                Iterator::Reduction => attribute("#linalg.iterator_type<reduction>"),
            })
            .collect();
        let segments = DenseI32ArrayAttribute::new(self.context, &[inputs.len() as i32, 1]);
        let attributes = [
            ("operandSegmentSizes", segments.into()),
            ("indexing_maps", ArrayAttribute::new(self.context, &maps).into()),
            ("iterator_types", ArrayAttribute::new(self.context, &kinds).into()),
        ];
        let values: Vec<_> = operands.iter().map(|(value, _)| *value).collect();
        let arguments: Vec<_> = values.iter().map(|value| element(*value)).collect();
        let region = self.region(&arguments);
        let results = [destination.0.r#type()];
        let generic =
            self.operation("linalg.generic", &values, &results, &attributes, vec![region]);
        self.write_body(generic, 0, "linalg.yield", |code, elements| vec![body(code, elements)]);
        ops::result(generic)
    }

    /// `scf.for` over indices: `body` gets the index and the carried values, and returns the next ones.
    pub fn for_each(
        &self,
        (from, to, step): (u64, u64, u64),
        carried: &[Value<'c, 'a>],
        body: impl FnOnce(Code<'c, 'a>, Value<'c, 'a>, &[Value<'c, 'a>]) -> Vec<Value<'c, 'a>>,
    ) -> Vec<Value<'c, 'a>> {
        let operands = [&[self.index(from), self.index(to), self.index(step)], carried].concat();
        let types: Vec<_> = carried.iter().map(|value| value.r#type()).collect();
        let region = self.region(&[&[Type::index(self.context)], types.as_slice()].concat());
        let operation = self.operation("scf.for", &operands, &types, &[], vec![region]);
        self.write_body(operation, 0, "scf.yield", |code, arguments| {
            body(code, arguments[0], &arguments[1..])
        });
        operation.results().map(Into::into).collect()
    }

    /// `scf.if` without results and without another branch.
    pub fn when(&self, condition: Value<'c, '_>, body: impl FnOnce(Code<'c, 'a>)) {
        let regions = vec![self.region(&[]), Region::new()];
        let operation = self.operation("scf.if", &[condition], &[], &[], regions);
        self.write_body(operation, 0, "scf.yield", |code, _| {
            body(code);
            vec![]
        });
    }

    fn region(&self, arguments: &[Type<'c>]) -> Region<'c> {
        let arguments: Vec<_> = arguments.iter().map(|ty| (*ty, self.location)).collect();
        let region = Region::new();
        region.append_block(Block::new(&arguments));
        region
    }

    fn write_body(
        &self,
        operation: OperationRef<'c, 'a>,
        region: usize,
        terminator: &str,
        body: impl FnOnce(Code<'c, 'a>, &[Value<'c, 'a>]) -> Vec<Value<'c, 'a>>,
    ) {
        let block: BlockRef<'c, 'a> = ir::blocks_of(operation, region)[0];
        let arguments: Vec<Value> = (0..block.argument_count())
            .map(|at| block.argument(at).expect("within the count").into())
            .collect();
        let code = Code { at: Insertion::AtEnd(block), ..*self };
        let results = body(code, &arguments);
        code.operation(terminator, &results, &[], &[], vec![]);
    }
}

/// The type of tensors of a shape.
pub fn tensor_type<'c>(element: Type<'c>, shape: &[u64]) -> Type<'c> {
    RankedTensorType::new(shape, element, None).into()
}

/// The type of the elements of a tensor or a vector.
pub fn element<'c>(value: Value<'c, '_>) -> Type<'c> {
    ir::element(value.r#type()).expect("a tensor or a vector")
}

/// The predicates of `arith.cmpf`: ordered, but for "not equal", which holds for a NaN.
pub const OEQ: i64 = 1;
pub const OGT: i64 = 2;
pub const OGE: i64 = 3;
pub const OLT: i64 = 4;
pub const OLE: i64 = 5;
pub const UNE: i64 = 13;

/// Predicates of `arith.cmpi`.
pub const EQ: i64 = 0;
pub const UGE: i64 = 9;
