//! Reading and updating parts of tensors.
//!
//! An element is `tensor.extract` and `tensor.insert`, any other part a slice: bufferization decides if an update
//! copies its tensor. Every index is checked first ([`super::checks`]).

use super::checks;
use super::stretched::Stretched;
use crate::dialect::control::{self, Subscript};
use crate::dialect::inference::parts::{count, nth};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::shape_of;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::builder::{Builder, Offset};
use mlir_support::linalg::IteratorKind;
use mlir_support::{Locations, constants};

/// The part that the subscripts of a `toy.read` or `toy.update` select.
struct Part<'c, 'a> {
    tensor: Value<'c, 'a>,
    offsets: Vec<Offset<'c, 'a>>,
    sizes: Vec<u64>,
    strides: Vec<i64>,
    /// The sizes of the dimensions that are kept.
    shape: Vec<u64>,
    /// The indices, if the part is an element.
    element: Option<Vec<Value<'c, 'a>>>,
}

impl Part<'_, '_> {
    /// True if the part is all of the tensor.
    fn is_whole(&self) -> bool {
        let is_in_order = self.strides.iter().all(|stride| *stride > 0);
        is_in_order && shape_of(self.tensor.r#type()).is_some_and(|shape| shape.0 == self.shape)
    }
}

impl<'c, 'a> Part<'c, 'a> {
    fn slice(&self, code: Builder<'c, 'a>) -> Value<'c, 'a> {
        code.strided_slice(self.tensor, &self.offsets, &self.sizes, &self.strides, &self.shape)
    }
}

/// Lowers a `toy.read`.
pub fn read<'c, 'a>(
    code: Builder<'c, 'a>,
    files: &Locations,
    operation: OperationRef<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let part = part(code, files, operation)?;
    if part.is_whole() {
        return Some(part.tensor);
    }
    Some(match &part.element {
        Some(indices) => code.scalar(code.extract(part.tensor, indices)),
        None => part.slice(code),
    })
}

/// Lowers a `toy.update`.
pub fn update<'c, 'a>(
    code: Builder<'c, 'a>,
    files: &Locations,
    operation: OperationRef<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let part = part(code, files, operation)?;
    let value = operation.operand(0).ok()?;
    if let Some(indices) = &part.element {
        let number = code.element_of(value);
        let operands = [&[number, part.tensor], indices.as_slice()].concat();
        return Some(code.value("tensor.insert", &operands, part.tensor.r#type(), &[]));
    }
    let is_whole = part.is_whole();
    let value = match Stretched::of(code, value, &part.shape, 0) {
        Stretched::Number(number) => {
            // The part itself is filled, in place.
            let old = part.slice(code);
            ops::result(code.fill(number, old))
        }
        Stretched::Tensor(value, dims) => {
            let all: Vec<usize> = (0..part.shape.len()).collect();
            let value = match dims == all {
                true => value,
                false => {
                    // The rows of a whole tensor have nothing to do with the old ones.
                    let old = match is_whole {
                        true => code.empty(part.tensor.r#type()),
                        false => part.slice(code),
                    };
                    let iterators = vec![IteratorKind::Parallel; all.len()];
                    let value = [(value, dims.as_slice())];
                    code.generic(&iterators, &value, (old, &all), |_, elements| elements[0])
                }
            };
            // One-Shot Bufferize 22 does not terminate if a tensor is inserted into all of itself after a branch.
            if is_whole {
                return Some(value);
            }
            value
        }
    };
    Some(code.with_strided_slice(value, part.tensor, &part.offsets, &part.sizes, &part.strides))
}

fn part<'c, 'a>(
    code: Builder<'c, 'a>,
    files: &Locations,
    operation: OperationRef<'c, 'a>,
) -> Option<Part<'c, 'a>> {
    let tensor = control::subscripted(operation)?;
    let dims = shape_of(tensor.r#type())?.0;
    let mut indices = control::indices(operation).into_iter();
    let place = checks::place(files, operation.location());
    let mut part = Part {
        tensor,
        offsets: Vec::new(),
        sizes: Vec::new(),
        strides: Vec::new(),
        shape: Vec::new(),
        element: Some(Vec::new()),
    };
    let mut subscripts = control::subscripts(operation)?.into_iter();
    for dim in dims {
        let offset = |index| match constants::size(index) {
            Some(known) if known < dim => Offset::Known(known),
            _ => Offset::At(index),
        };
        let (offset, size, stride) = match subscripts.next() {
            Some(subscript @ (Subscript::At | Subscript::Nth(_))) => {
                let index = match subscript {
                    Subscript::Nth(at) => code.index(nth(at, dim)?),
                    _ => indices.next()?,
                };
                checks::in_range(code, &place, index, dim);
                if let Some(element) = &mut part.element {
                    element.push(index);
                }
                part.offsets.push(offset(index));
                part.sizes.push(1);
                part.strides.push(1);
                continue;
            }
            Some(Subscript::Slice(from, to, step)) => {
                (Offset::Known(u64::try_from(from).ok()?), count(from, to, step)?, step)
            }
            Some(Subscript::Sized(length)) => {
                let (index, length) = (indices.next()?, u64::try_from(length).ok()?);
                checks::window_in_range(code, &place, index, length, dim);
                (offset(index), length, 1)
            }
            Some(Subscript::Range(_) | Subscript::Window) => return None,
            None => (Offset::Known(0), dim, 1),
        };
        part.element = None;
        part.offsets.push(offset);
        part.sizes.push(size);
        part.strides.push(stride);
        part.shape.push(size);
    }
    let result = ops::result(operation).r#type();
    // An update gives the whole tensor.
    let is_update = Kind::of(&operation) == Some(Kind::Update);
    let fits = is_update || shape_of(result).is_some_and(|shape| shape.0 == part.shape);
    fits.then_some(part)
}
