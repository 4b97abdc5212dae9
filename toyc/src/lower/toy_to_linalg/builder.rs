//! Creates the operations that replace an operation of the Toy dialect, before it.
//!
//! Each method returns the value of the result; destinations are new tensors.

use crate::dialect::PRINT;
use crate::dialect::ops;
use crate::dialect::shape::{Shape, shape_of, tensor_type, unranked_type};
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, FloatAttribute,
    IntegerAttribute,
};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Block, BlockLike, Identifier, Location, Operation, Region};
use melior::ir::{RegionLike, Type, Value, ValueLike};
use mlir_support::linalg::{self, ElementWise};

/// Creates operations before the one that is being lowered.
pub struct Builder<'c, 'a> {
    pub context: &'c Context,
    pub before: OperationRef<'c, 'a>,
    pub location: Location<'c>,
}

impl<'c, 'a> Builder<'c, 'a> {
    pub fn insert(&self, operation: Operation<'c>) -> OperationRef<'c, 'a> {
        let block = self.before.block().expect("the operation is in a block");
        block.insert_operation_before(self.before, operation)
    }

    pub fn build(
        &self,
        name: &str,
        operands: &[Value<'c, '_>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Operation<'c> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(name, value)| (Identifier::new(self.context, name), *value))
            .collect();
        OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build()
            .expect("a well-formed operation")
    }

    fn result_type(&self) -> Type<'c> {
        ops::result(self.before).r#type()
    }

    /// The destination of the result: a new tensor without contents.
    fn empty(&self, ty: Type<'c>) -> Value<'c, 'a> {
        ops::result(self.insert(self.build("tensor.empty", &[], &[ty], &[], vec![])))
    }

    pub fn constant(&self) -> Value<'c, 'a> {
        let value = ops::attribute(&self.before, "value").expect("verified: it has a value");
        let ty = self.result_type();
        if let Some(element) = ops::large_splat(&self.before) {
            return self.fill(element);
        }
        ops::result(self.insert(self.build(
            "arith.constant",
            &[],
            &[ty],
            &[("value", value)],
            vec![],
        )))
    }

    /// A tensor of one repeated value, filled at run time.
    fn fill(&self, value: f64) -> Value<'c, 'a> {
        let f64 = Type::float64(self.context);
        let value = FloatAttribute::new(self.context, f64, value).into();
        let scalar = self.build("arith.constant", &[], &[f64], &[("value", value)], vec![]);
        let scalar = ops::result(self.insert(scalar));
        let ty = self.result_type();
        let destination = self.empty(ty);
        ops::result(self.insert(linalg::fill(self.context, self.location, scalar, destination)))
    }

    pub fn binary(
        &self,
        named: ElementWise,
        of_elements: &str,
        lhs: Value<'c, 'a>,
        rhs: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        if self.shape(lhs) == self.shape(rhs) {
            return self.element_wise(named, &[lhs, rhs]);
        }
        self.with_scalar(of_elements, lhs, rhs)
    }

    /// A named operation on operands that have the shape of the result.
    pub fn element_wise(&self, named: ElementWise, inputs: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        let destination = self.empty(self.result_type());
        let operation =
            linalg::element_wise(self.context, self.location, named, inputs, destination);
        ops::result(self.insert(operation))
    }

    /// An operation of a tensor and a scalar. The scalar is read for each element, so no tensor of
    /// copies is made.
    fn with_scalar(&self, name: &str, lhs: Value<'c, 'a>, rhs: Value<'c, 'a>) -> Value<'c, 'a> {
        let ty = self.result_type();
        let rank = self.shape(ops::result(self.before)).0.len();
        let dims: Vec<_> = (0..rank).map(|dim| format!("d{dim}")).collect();
        let dims = dims.join(", ");
        let attribute = |text: &str| Attribute::parse(self.context, text).expect("valid");
        let map = |value| match self.shape(value).0.is_empty() {
            true => attribute(&format!("affine_map<({dims}) -> ()>")),
            false => attribute(&format!("affine_map<({dims}) -> ({dims})>")),
        };
        let destination = self.empty(ty);
        let maps = [map(lhs), map(rhs), map(destination)];
        let parallel = vec![attribute("#linalg.iterator_type<parallel>"); rank];
        let attributes = [
            ("operandSegmentSizes", DenseI32ArrayAttribute::new(self.context, &[2, 1]).into()),
            ("indexing_maps", ArrayAttribute::new(self.context, &maps).into()),
            ("iterator_types", ArrayAttribute::new(self.context, &parallel).into()),
        ];
        let f64 = Type::float64(self.context);
        let block = Block::new(&[(f64, self.location); 3]);
        let element = |index| block.argument(index).expect("an element of each operand").into();
        let computed = self.build(name, &[element(0), element(1)], &[f64], &[], vec![]);
        let computed = ops::result(block.append_operation(computed));
        block.append_operation(self.build("linalg.yield", &[computed], &[], &[], vec![]));
        let region = Region::new();
        region.append_block(block);
        let operation = self.build(
            "linalg.generic",
            &[lhs, rhs, destination],
            &[ty],
            &attributes,
            vec![region],
        );
        ops::result(self.insert(operation))
    }

    pub fn elements(&self) -> Value<'c, 'a> {
        let f64 = Type::float64(self.context);
        let elements: Vec<_> = self
            .before
            .operands()
            .map(|element| self.build("tensor.extract", &[element], &[f64], &[], vec![]))
            .map(|extract| ops::result(self.insert(extract)))
            .collect();
        let ty = self.result_type();
        let tensor = self.build("tensor.from_elements", &elements, &[ty], &[], vec![]);
        ops::result(self.insert(tensor))
    }

    pub fn transpose(&self, operand: Value<'c, 'a>) -> Value<'c, 'a> {
        let rank = self.shape(operand).0.len();
        if rank < 2 {
            return operand;
        }
        let permutation: Vec<_> = (0..rank as i64).rev().collect();
        let permutation = DenseI64ArrayAttribute::new(self.context, &permutation).into();
        self.move_elements("linalg.transpose", operand, ("permutation", permutation))
    }

    pub fn reshape(&self, operand: Value<'c, 'a>) -> Value<'c, 'a> {
        let (from, to) = (self.shape(operand), self.shape(ops::result(self.before)));
        if from == to {
            return operand;
        }
        if from.0.is_empty() {
            let dimensions: Vec<_> = (0..to.0.len() as i64).collect();
            let dimensions = DenseI64ArrayAttribute::new(self.context, &dimensions).into();
            return self.move_elements("linalg.broadcast", operand, ("dimensions", dimensions));
        }
        // Through one dimension, which any two shapes of one element count share.
        let count = from.element_count().expect("verified: it fits");
        let flat = Shape(vec![count]);
        let flat_value = if from.0.len() == 1 {
            operand
        } else if to.0.is_empty() {
            return self.regroup("tensor.collapse_shape", operand, &from, &to);
        } else {
            self.regroup("tensor.collapse_shape", operand, &from, &flat)
        };
        match to.0.len() {
            0 => self.regroup("tensor.collapse_shape", flat_value, &flat, &to),
            1 => flat_value,
            _ => self.regroup("tensor.expand_shape", flat_value, &flat, &to),
        }
    }

    /// Collapses all dimensions into at most one, or expands one into all.
    fn regroup(&self, name: &str, value: Value<'c, 'a>, from: &Shape, to: &Shape) -> Value<'c, 'a> {
        let larger = from.0.len().max(to.0.len());
        let index = IntegerType::new(self.context, 64).into();
        let all: Vec<Attribute> =
            (0..larger as i64).map(|i| IntegerAttribute::new(index, i).into()).collect();
        let groups: Vec<Attribute> = if from.0.is_empty() || to.0.is_empty() {
            vec![]
        } else {
            vec![ArrayAttribute::new(self.context, &all).into()]
        };
        let groups = ArrayAttribute::new(self.context, &groups).into();
        let mut attributes = vec![("reassociation", groups)];
        let dims: Vec<_> = to.0.iter().map(|dim| *dim as i64).collect();
        if name == "tensor.expand_shape" {
            let dims = DenseI64ArrayAttribute::new(self.context, &dims).into();
            attributes.push(("static_output_shape", dims));
        }
        let ty = tensor_type(self.context, to);
        ops::result(self.insert(self.build(name, &[value], &[ty], &attributes, vec![])))
    }

    /// `linalg.transpose` or `linalg.broadcast`: elements move without change.
    fn move_elements(
        &self,
        name: &str,
        operand: Value<'c, 'a>,
        attribute: (&str, Attribute<'c>),
    ) -> Value<'c, 'a> {
        let ty = self.result_type();
        let destination = self.empty(ty);
        let f64 = Type::float64(self.context);
        let block = Block::new(&[(f64, self.location), (f64, self.location)]);
        let element = block.argument(0).expect("the element read").into();
        block.append_operation(
            OperationBuilder::new("linalg.yield", self.location)
                .add_operands(&[element])
                .build()
                .expect("a well-formed linalg.yield"),
        );
        let region = Region::new();
        region.append_block(block);
        let operation =
            self.build(name, &[operand, destination], &[ty], &[attribute], vec![region]);
        ops::result(self.insert(operation))
    }

    pub fn print(&self, operand: Value<'c, 'a>) {
        let unranked = unranked_type(self.context);
        let cast = self.insert(self.build("tensor.cast", &[operand], &[unranked], &[], vec![]));
        let argument = ops::result(cast);
        self.insert(ops::call(self.context, self.location, PRINT, &[argument], &[]));
    }

    fn shape(&self, value: Value) -> Shape {
        shape_of(value.r#type()).expect("specialized: every value is ranked")
    }
}
