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
    /// The sizes of the dimensions that are kept.
    shape: Vec<u64>,
    /// The ranges of these dimensions, if there are steps. They are a slice of the slice without steps: LLVM 22 cannot
    /// tell which dimensions a slice drops if it has steps, too.
    steps: Option<Steps>,
    /// The indices, if the part is an element.
    element: Option<Vec<Value<'c, 'a>>>,
}

/// The first indices of ranges, their numbers of elements, and their steps.
#[derive(Default)]
struct Steps {
    offsets: Vec<u64>,
    sizes: Vec<u64>,
    strides: Vec<i64>,
}

impl<'c, 'a> Part<'c, 'a> {
    /// True if the part is all of the tensor, but for steps.
    fn is_whole(&self) -> bool {
        shape_of(self.tensor.r#type()).is_some_and(|shape| shape.0 == self.shape)
    }

    /// The part, but for steps.
    fn slice(&self, code: Builder<'c, 'a>) -> Value<'c, 'a> {
        code.slice(self.tensor, &self.offsets, &self.sizes, &self.shape)
    }
}

impl Steps {
    fn offsets<'c, 'a>(&self) -> Vec<Offset<'c, 'a>> {
        self.offsets.iter().copied().map(Offset::Known).collect()
    }

    /// The slice of a value of this shape. One that is all of it, backwards, is a copy: where it is inserted into the
    /// part that the value is read from, One-Shot Bufferize 22 takes it for that part itself.
    fn of<'c, 'a>(
        &self,
        code: Builder<'c, 'a>,
        value: Value<'c, 'a>,
        shape: &[u64],
    ) -> Value<'c, 'a> {
        let slice = code.strided_slice(value, &self.offsets(), &self.sizes, &self.strides);
        if self.sizes != shape {
            return slice;
        }
        code.alloc_tensor(slice.r#type(), Some(slice))
    }
}

/// True if a part has steps.
pub fn has_steps(operation: OperationRef) -> bool {
    let has_step = |it: &Subscript| matches!(it, Subscript::Slice(_, _, step) if *step != 1);
    matches!(Kind::of(&operation), Some(Kind::Read | Kind::Update))
        && control::subscripts(operation).is_some_and(|them| them.iter().any(has_step))
}

/// Lowers a `toy.read`.
pub fn read<'c, 'a>(
    code: Builder<'c, 'a>,
    files: &Locations,
    operation: OperationRef<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let part = part(code, files, operation)?;
    let slice = match &part.element {
        _ if part.is_whole() => part.tensor,
        Some(indices) => code.scalar(code.extract(part.tensor, indices)),
        None => part.slice(code),
    };
    Some(part.steps.map_or(slice, |steps| steps.of(code, slice, &part.shape)))
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
    let slice = || if is_whole { part.tensor } else { part.slice(code) };
    let old =
        || part.steps.as_ref().map_or_else(&slice, |steps| steps.of(code, slice(), &part.shape));
    let shape = part.steps.as_ref().map_or(&part.shape, |steps| &steps.sizes);
    let all: Vec<usize> = (0..shape.len()).collect();
    let stretched = Stretched::of(code, value, shape, 0);
    let is_number = matches!(stretched, Stretched::Number(_));
    let value = match stretched {
        // The part itself is filled, in place.
        Stretched::Number(number) if part.steps.is_none() => {
            ops::result(code.fill(number, part.slice(code)))
        }
        Stretched::Number(number) => ops::result(code.fill(number, old())),
        Stretched::Tensor(value, dims) if dims == all => value,
        Stretched::Tensor(value, dims) => {
            // The rows of a whole tensor have nothing to do with the old ones.
            let old = match is_whole && part.steps.is_none() {
                true => code.empty(part.tensor.r#type()),
                false => old(),
            };
            let iterators = vec![IteratorKind::Parallel; all.len()];
            let value = [(value, dims.as_slice())];
            code.generic(&iterators, &value, (old, &all), |_, elements| elements[0])
        }
    };
    let value = match &part.steps {
        None => value,
        // Backwards; see below.
        Some(steps) if steps.sizes == part.shape => steps.of(code, value, &part.shape),
        Some(steps) => {
            let offsets = steps.offsets();
            code.with_strided_slice(value, slice(), &offsets, &steps.sizes, &steps.strides)
        }
    };
    // One-Shot Bufferize 22 does not terminate if a tensor is inserted into all of itself after a branch.
    if is_whole && (part.steps.is_some() || !is_number) {
        return Some(value);
    }
    Some(code.with_slice(value, part.tensor, &part.offsets, &part.sizes))
}

fn part<'c, 'a>(
    code: Builder<'c, 'a>,
    files: &Locations,
    operation: OperationRef<'c, 'a>,
) -> Option<Part<'c, 'a>> {
    let tensor = control::subscripted(operation)?;
    let dims = shape_of(tensor.r#type())?.0;
    let site = checks::site(files, operation);
    let mut part = Part {
        tensor,
        offsets: Vec::new(),
        sizes: Vec::new(),
        shape: Vec::new(),
        steps: None,
        element: Some(Vec::new()),
    };
    let mut steps = Steps::default();
    let mut subscripts = control::indexed(operation)?.into_iter();
    for dim in dims {
        let all = || (Subscript::Slice(0, dim as i64, 1), Vec::new());
        let (subscript, indices) = subscripts.next().unwrap_or_else(all);
        let index = indices.first().copied();
        let offset = |index| match constants::size(index) {
            Some(known) if known < dim => Offset::Known(known),
            _ => Offset::At(index),
        };
        let (offset, size, step) = match subscript {
            Subscript::At | Subscript::Nth(_) => {
                let index = match subscript {
                    Subscript::Nth(at) => code.index(nth(at, dim)?),
                    _ => index?,
                };
                checks::in_range(code, &site, index, dim);
                if let Some(element) = &mut part.element {
                    element.push(index);
                }
                part.offsets.push(offset(index));
                part.sizes.push(1);
                continue;
            }
            Subscript::Slice(from, to, step) => {
                let (from, count) = (u64::try_from(from).ok()?, count(from, to, step)?);
                match step {
                    1 => (Offset::Known(from), count, None),
                    _ => (Offset::Known(0), dim, Some((from, count, step))),
                }
            }
            Subscript::Sized(length) => {
                let (index, length) = (index?, u64::try_from(length).ok()?);
                checks::window_in_range(code, &site, index, length, dim);
                (offset(index), length, None)
            }
            Subscript::Range(_) | Subscript::Window => return None,
        };
        part.element = None;
        part.offsets.push(offset);
        part.sizes.push(size);
        part.shape.push(size);
        let (first, count, step) = step.unwrap_or((0, size, 1));
        steps.offsets.push(first);
        steps.sizes.push(count);
        steps.strides.push(step);
    }
    let shape = steps.sizes.clone();
    part.steps = steps.strides.iter().any(|step| *step != 1).then_some(steps);
    let result = ops::result(operation).r#type();
    // An update gives the whole tensor.
    let is_update = Kind::of(&operation) == Some(Kind::Update);
    let fits = is_update || shape_of(result).is_some_and(|it| it.0 == shape);
    fits.then_some(part)
}
