//! `tensor`: elements, slices and shapes of ranked tensors.

use super::Builder;
use crate::constants;
use crate::func::result;
use crate::ir;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Attribute, ShapedTypeLike, Type, Value, ValueLike};

/// An offset of a slice.
#[derive(Clone, Copy)]
pub enum Offset<'c, 'a> {
    Known(u64),
    At(Value<'c, 'a>),
}

/// MLIR's placeholder for a number that is an operand.
const DYNAMIC: i64 = i64::MIN;

impl<'c, 'a> Builder<'c, 'a> {
    /// The only element of a tensor; it is not read again if it is known.
    pub fn element_of(self, scalar: Value<'c, 'a>) -> Value<'c, 'a> {
        if let Some(made) = ir::defined_by(scalar, "tensor.from_elements") {
            return ir::operand(made, 0);
        }
        match constants::element(scalar) {
            Some(value) => self.float(element(scalar), value),
            None => {
                let rank = RankedTensorType::try_from(scalar.r#type()).map_or(0, |ty| ty.rank());
                self.extract(scalar, &(0..rank).map(|_| self.index(0)).collect::<Vec<_>>())
            }
        }
    }

    /// A tensor of rank 0.
    pub fn scalar(self, number: Value<'c, '_>) -> Value<'c, 'a> {
        self.value("tensor.from_elements", &[number], tensor_type(number.r#type(), &[]), &[])
    }

    pub fn extract(self, tensor: Value<'c, '_>, indices: &[Value<'c, '_>]) -> Value<'c, 'a> {
        self.value("tensor.extract", &[&[tensor], indices].concat(), element(tensor), &[])
    }

    /// A new tensor without contents.
    pub fn empty(self, ty: Type<'c>) -> Value<'c, 'a> {
        self.value("tensor.empty", &[], ty, &[])
    }

    /// `bufferization.alloc_tensor`: a new tensor in memory of its own, with the elements of another one if that is given.
    pub fn alloc_tensor(self, ty: Type<'c>, copied: Option<Value<'c, '_>>) -> Value<'c, 'a> {
        let copied: Vec<_> = copied.into_iter().collect();
        // No dynamic sizes, perhaps a copy, no size hint.
        let segments = [("operandSegmentSizes", self.segments(&[0, copied.len() as i32, 0]))];
        self.value("bufferization.alloc_tensor", &copied, ty, &segments)
    }

    /// A new tensor with a number in every element.
    pub fn filled(self, ty: Type<'c>, number: Value<'c, '_>) -> Value<'c, 'a> {
        result(self.fill(number, self.empty(ty)))
    }

    /// `tensor.extract_slice`: a part of another one, of the rank that the shape has.
    pub fn slice(
        self,
        tensor: Value<'c, '_>,
        offsets: &[Offset<'c, '_>],
        sizes: &[u64],
        shape: &[u64],
    ) -> Value<'c, 'a> {
        self.extracted(tensor, offsets, sizes, &vec![1; sizes.len()], shape)
    }

    /// The same with distances between the elements, of the same rank.
    pub fn strided_slice(
        self,
        tensor: Value<'c, '_>,
        offsets: &[Offset<'c, '_>],
        sizes: &[u64],
        strides: &[i64],
    ) -> Value<'c, 'a> {
        self.extracted(tensor, offsets, sizes, strides, sizes)
    }

    fn extracted(
        self,
        tensor: Value<'c, '_>,
        offsets: &[Offset<'c, '_>],
        sizes: &[u64],
        strides: &[i64],
        shape: &[u64],
    ) -> Value<'c, 'a> {
        let (indices, attributes) = self.slice_attributes(offsets, sizes, strides, 1);
        let operands = [&[tensor], indices.as_slice()].concat();
        self.value("tensor.extract_slice", &operands, reshaped(tensor, shape), &attributes)
    }

    /// `tensor.insert_slice`: a tensor with a part replaced.
    pub fn with_slice(
        self,
        part: Value<'c, '_>,
        tensor: Value<'c, '_>,
        offsets: &[Offset<'c, '_>],
        sizes: &[u64],
    ) -> Value<'c, 'a> {
        self.with_strided_slice(part, tensor, offsets, sizes, &vec![1; sizes.len()])
    }

    /// The same with distances between the elements.
    pub fn with_strided_slice(
        self,
        part: Value<'c, '_>,
        tensor: Value<'c, '_>,
        offsets: &[Offset<'c, '_>],
        sizes: &[u64],
        strides: &[i64],
    ) -> Value<'c, 'a> {
        let (indices, attributes) = self.slice_attributes(offsets, sizes, strides, 2);
        let operands = [&[part, tensor], indices.as_slice()].concat();
        self.value("tensor.insert_slice", &operands, tensor.r#type(), &attributes)
    }

    fn slice_attributes<'b>(
        self,
        offsets: &[Offset<'c, 'b>],
        sizes: &[u64],
        strides: &[i64],
        tensors: usize,
    ) -> (Vec<Value<'c, 'b>>, [(&'static str, Attribute<'c>); 4]) {
        let mut indices = Vec::new();
        let known = offsets.iter().map(|offset| match offset {
            Offset::Known(offset) => *offset as i64,
            Offset::At(index) => {
                indices.push(*index);
                DYNAMIC
            }
        });
        let offsets: Vec<_> = known.collect();
        let mut segments = vec![1; tensors];
        segments.extend([indices.len() as i32, 0, 0]);
        let attributes = [
            ("static_offsets", self.numbers(&offsets)),
            ("static_sizes", self.numbers(&signed(sizes))),
            ("static_strides", self.numbers(strides)),
            ("operandSegmentSizes", self.segments(&segments)),
        ];
        (indices, attributes)
    }

    /// Groups neighboring dimensions: `tensor.collapse_shape`, or `tensor.expand_shape` to a shape of more.
    pub fn regrouped(
        self,
        tensor: Value<'c, '_>,
        groups: &[Vec<usize>],
        shape: &[u64],
    ) -> Value<'c, 'a> {
        let mut attributes = vec![("reassociation", self.groups(groups))];
        let rank = RankedTensorType::try_from(tensor.r#type()).map_or(0, |ty| ty.rank());
        let name = if rank < shape.len() {
            attributes.push(("static_output_shape", self.numbers(&signed(shape))));
            "tensor.expand_shape"
        } else {
            "tensor.collapse_shape"
        };
        self.value(name, &[tensor], reshaped(tensor, shape), &attributes)
    }
}

fn signed(sizes: &[u64]) -> Vec<i64> {
    sizes.iter().map(|size| *size as i64).collect()
}

/// The type of the elements of a tensor or a vector.
pub fn element<'c>(tensor: Value<'c, '_>) -> Type<'c> {
    ir::element(tensor.r#type()).expect("a tensor has elements")
}

/// The type of tensors of an element and a shape.
pub fn tensor_type<'c>(element: Type<'c>, shape: &[u64]) -> Type<'c> {
    RankedTensorType::new(shape, element, None).into()
}

/// The type of a tensor of the same elements with another shape.
fn reshaped<'c>(tensor: Value<'c, '_>, shape: &[u64]) -> Type<'c> {
    tensor_type(element(tensor), shape)
}
