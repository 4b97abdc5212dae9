//! Builds loops on vectors, in front of the operation that they replace.
//!
//! A [`NestBuilder`] is a [`Builder`] in one nest: constants and values that do not change in the nest are built once,
//! in front of it.

use super::nest::{Nest, Operand};
use crate::dialect::ops::result;
use crate::stages::loops::parallel_loops::{PARALLEL, THREAD_PRIVATE};
use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationRef;
use melior::ir::r#type::MemRefType;
use melior::ir::{Attribute, BlockRef, ShapedTypeLike, Type, Value, ValueLike};
use mlir_support::builder::{Builder, EQ, Insertion, vector_type};
use mlir_support::ir;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;

/// The state that the builders of one nest share.
pub struct Shared<'c, 'a> {
    /// In front of the operation that is replaced.
    before: Builder<'c, 'a>,
    /// In front of the nest: of its constant 0.
    outside: Builder<'c, 'a>,
    /// The first block of the function.
    entry: BlockRef<'c, 'a>,
    element: Type<'c>,
    /// True if threads may run its loops.
    has_threads: bool,
    indices: RefCell<HashMap<u64, Value<'c, 'a>>>,
    /// Values from outside as vectors, by address and length.
    broadcasts: RefCell<HashMap<(usize, u64), Value<'c, 'a>>>,
    /// The buffers of operands with the dimensions of the nest, by the address of the body's argument.
    buffers: RefCell<HashMap<usize, Value<'c, 'a>>>,
}

/// A place in the nest.
#[derive(Clone, Copy)]
pub struct NestBuilder<'s, 'c, 'a> {
    shared: &'s Shared<'c, 'a>,
    code: Builder<'c, 'a>,
    /// The alignment of vectors in non-temporal stores; None for other stores.
    past_caches: Option<u64>,
    /// The number of elements that the next loop computes, if its iterations are independent.
    elements: Option<u64>,
}

impl<'c, 'a> Shared<'c, 'a> {
    pub fn new(
        context: &'c Context,
        nest: &Nest<'c, 'a>,
        entry: BlockRef<'c, 'a>,
        has_threads: bool,
    ) -> Self {
        let before = Builder::before(context, nest.operation);
        let zero = before.index(0);
        let first = ir::defining_operation(zero).expect("a constant");
        Self {
            before,
            outside: before.at(Insertion::Before(first)),
            entry,
            element: nest.element,
            has_threads,
            indices: RefCell::new(HashMap::from([(0, zero)])),
            broadcasts: RefCell::default(),
            buffers: RefCell::default(),
        }
    }

    pub fn builder(&self) -> NestBuilder<'_, 'c, 'a> {
        NestBuilder { shared: self, code: self.before, past_caches: None, elements: None }
    }
}

impl<'c, 'a> Deref for NestBuilder<'_, 'c, 'a> {
    type Target = Builder<'c, 'a>;

    fn deref(&self) -> &Builder<'c, 'a> {
        &self.code
    }
}

impl<'s, 'c, 'a> NestBuilder<'s, 'c, 'a> {
    /// In front of the whole nest.
    fn outside(self) -> Self {
        self.inside(self.shared.outside)
    }

    /// Another place; the next loop there has an order.
    fn inside(self, code: Builder<'c, 'a>) -> Self {
        Self { code, elements: None, ..self }
    }

    /// The type of a number of elements.
    fn vector_type(self, length: u64) -> Type<'c> {
        vector_type(self.shared.element, length)
    }

    /// An operation of the body on vectors.
    pub fn vectorized(
        self,
        operation: OperationRef<'c, '_>,
        operands: &[Value<'c, '_>],
        length: u64,
    ) -> Value<'c, 'a> {
        result(self.like(operation, operands, &[vector_type(result(operation).r#type(), length)]))
    }

    /// A copy of a constant, in front of the nest.
    pub fn constant_like(self, constant: OperationRef<'c, '_>) -> Value<'c, 'a> {
        self.outside().vectorized(constant, &[], 1)
    }

    /// A constant index, in front of the nest.
    pub fn index(self, value: u64) -> Value<'c, 'a> {
        let known = self.shared.indices.borrow().get(&value).copied();
        known.unwrap_or_else(|| {
            let new = self.shared.outside.index(value);
            self.shared.indices.borrow_mut().insert(value, new);
            new
        })
    }

    /// An index and a constant.
    pub fn plus(self, index: Value<'c, 'a>, constant: u64) -> Value<'c, 'a> {
        if constant == 0 {
            return index;
        }
        let known = self.shared.indices.borrow();
        let other = known.iter().find(|(_, other)| **other == index).map(|(value, _)| *value);
        drop(known);
        match other {
            Some(value) => self.index(value + constant),
            None => self.on_indices("arith.addi", index, self.index(constant)),
        }
    }

    /// An operation on two indices.
    pub fn on_indices(self, name: &str, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.computed(name, &[a, b])
    }

    /// An index, but not more than another one.
    pub fn at_most(self, index: Value<'c, 'a>, most: Value<'c, 'a>) -> Value<'c, 'a> {
        self.on_indices("arith.minui", index, most)
    }

    pub fn difference(self, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.on_indices("arith.subi", a, b)
    }

    /// Zeros that LLVM does not know to be zeros: it then takes the element at an index plus one of them for
    /// another element.
    pub fn unknown_zeros(self, count: usize) -> Vec<Value<'c, 'a>> {
        if count > 0 {
            self.context.get_or_load_dialect("llvm");
        }
        let mut zeros = Vec::new();
        let integer = self.i64_type();
        let text = |text| StringAttribute::new(self.context, text).into();
        let assembly = [("asm_string", text("")), ("constraints", text("=r,0"))];
        while zeros.len() < count {
            // Each is made of the last one by no instruction at all.
            let cast = |value, ty| self.value("arith.index_cast", &[value], ty, &[]);
            let last = zeros.last().copied().unwrap_or(self.index(0));
            let copy = self.value("llvm.inline_asm", &[cast(last, integer)], integer, &assembly);
            zeros.push(cast(copy, Type::index(self.context)));
        }
        zeros
    }

    /// A loop; `body` builds its contents, given its index.
    pub fn each(self, range: [Value<'c, 'a>; 3], body: impl FnOnce(Self, Value<'c, 'a>)) {
        self.each_with(range, &[], |builder, index, _| {
            body(builder, index);
            vec![]
        });
    }

    /// A loop that carries values; `body` builds its contents, given its index and the values, and returns
    /// the values for the next iteration. Returns the last ones.
    pub fn each_with(
        self,
        range: [Value<'c, 'a>; 3],
        carried: &[Value<'c, 'a>],
        body: impl FnOnce(Self, Value<'c, 'a>, &[Value<'c, 'a>]) -> Vec<Value<'c, 'a>>,
    ) -> Vec<Value<'c, 'a>> {
        let elements = self.elements.map(|elements| (PARALLEL, self.number(elements as i64)));
        self.for_each(range, carried, elements.as_slice(), |code, index, carried| {
            body(self.inside(code), index, carried)
        })
    }

    /// A loop over parts of a range, given where each begins and ends; a single part needs no loop. The last part may be
    /// shorter unless the parts are `even`.
    pub fn parts(
        self,
        [from, to]: [u64; 2],
        part: u64,
        body: impl FnOnce(Self, [Value<'c, 'a>; 2]),
    ) {
        let range = [from, to].map(|value| self.index(value));
        if to - from <= part {
            return body(self, range);
        }
        self.parts_between(range, part, (to - from).is_multiple_of(part), body);
    }

    /// A loop over parts of a range that is not empty.
    pub fn parts_between(
        self,
        [from, end]: [Value<'c, 'a>; 2],
        part: u64,
        are_even: bool,
        body: impl FnOnce(Self, [Value<'c, 'a>; 2]),
    ) {
        self.each([from, end, self.index(part)], |builder, from| {
            let to = builder.plus(from, part);
            let to = if are_even { to } else { builder.at_most(to, end) };
            body(builder, [from, to]);
        });
    }

    /// Loops over all elements of some dimensions, given the indices of the others.
    pub fn nested(
        self,
        dimensions: &[usize],
        sizes: &[u64],
        mut indices: Vec<Value<'c, 'a>>,
        body: &mut dyn FnMut(Self, &[Value<'c, 'a>]),
    ) {
        let Some((first, rest)) = dimensions.split_first() else { return body(self, &indices) };
        let range = [0, sizes[*first], 1].map(|value| self.index(value));
        self.each(range, |builder, index| {
            indices[*first] = index;
            builder.nested(rest, sizes, indices, body);
        });
    }

    /// A value from outside the nest as a vector.
    pub fn broadcast(self, value: Value<'c, 'a>, length: u64) -> Value<'c, 'a> {
        let key = (ir::id(value), length);
        let known = self.shared.broadcasts.borrow().get(&key).copied();
        known.unwrap_or_else(|| {
            let new = self.outside().splat(value, length);
            self.shared.broadcasts.borrow_mut().insert(key, new);
            new
        })
    }

    /// Consecutive elements of a buffer, from an index on.
    pub fn load(
        self,
        buffer: Value<'c, 'a>,
        indices: &[Value<'c, 'a>],
        length: u64,
    ) -> Value<'c, 'a> {
        let operands = [&[buffer], indices].concat();
        let name = if length == 1 { "memref.load" } else { "vector.load" };
        self.value(name, &operands, self.vector_type(length), &[])
    }

    /// Prefetches a line.
    pub fn prefetch(self, buffer: Value<'c, 'a>, indices: &[Value<'c, 'a>]) {
        let hint = Attribute::parse(self.context, "2 : i32").expect("valid");
        let (is_write, is_data) = (self.flag(false), self.flag(true));
        let attributes = [("isWrite", is_write), ("localityHint", hint), ("isDataCache", is_data)];
        self.op("memref.prefetch", &[&[buffer], indices].concat(), &[], &attributes);
    }

    /// Single elements as a vector.
    pub fn vector_of(self, elements: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        match elements {
            [element] => *element,
            _ => self.code.vector_of(elements),
        }
    }

    /// Writes consecutive elements to a buffer.
    pub fn store(
        self,
        value: Value<'c, 'a>,
        buffer: Value<'c, 'a>,
        indices: &[Value<'c, 'a>],
        length: u64,
    ) {
        let name = if length == 1 { "memref.store" } else { "vector.store" };
        let attributes = match self.past_caches {
            Some(alignment) if length > 1 => {
                let alignment = self.number(alignment as i64);
                vec![("nontemporal", self.flag(true)), ("alignment", alignment)]
            }
            _ => vec![],
        };
        self.op(name, &[&[value, buffer], indices].concat(), &[], &attributes);
    }

    /// The elements of a vector without the first ones, as vectors: calls `each` with the place and the length of each.
    pub fn rest(
        self,
        vector: Value<'c, 'a>,
        length: u64,
        skip: u64,
        mut each: impl FnMut(u64, Value<'c, 'a>, u64),
    ) {
        let mut from = skip;
        while from < length {
            // The largest vector that starts here: the rest ends at a power of two.
            let part = if from == 0 { length } else { 1 << from.trailing_zeros() };
            each(from, self.part(vector, from, part, length), part);
            from += part;
        }
    }

    /// The same place; the iterations of the next loop are independent of each other.
    pub fn parallel(self, elements: Option<u64>) -> Self {
        Self { elements, ..self }
    }

    /// The same place; vectors are stored non-temporally, aligned to a number of bytes.
    pub fn past_caches(self, alignment: Option<u64>) -> Self {
        Self { past_caches: alignment, ..self }
    }

    /// Elements from the start of a buffer to the first one whose address is a multiple of `alignment`.
    pub fn misalignment(
        self,
        buffer: Value<'c, 'a>,
        alignment: u64,
        element_bytes: u64,
    ) -> Value<'c, 'a> {
        let index = Type::index(self.context);
        let address = self.value("memref.extract_aligned_pointer_as_index", &[buffer], index, &[]);
        let negative = self.difference(self.index(0), address);
        let bytes = self.on_indices("arith.andi", negative, self.index(alignment - 1));
        self.on_indices("arith.divui", bytes, self.index(element_bytes))
    }

    /// Runs the first body if an index is 0, and the second if it is not.
    pub fn if_zero(self, index: Value<'c, 'a>, one: impl FnOnce(Self), other: impl FnOnce(Self)) {
        let is_zero = self.compare(EQ, [index, self.index(0)]);
        let at = |code| Self { code, ..self };
        self.either(is_zero, |code| one(at(code)), |code| other(at(code)));
    }

    /// A buffer on the stack, at the start of the function: loops around the nest do not make more of them.
    pub fn stack_buffer(self, sizes: &[u64]) -> Value<'c, 'a> {
        let sizes: Vec<_> = sizes.iter().map(|size| *size as i64).collect();
        let ty = MemRefType::new(self.shared.element, &sizes, None, None).into();
        let alignment = ("alignment", self.number(64));
        let private = (THREAD_PRIVATE, Attribute::unit(self.context));
        let segments = ("operandSegmentSizes", self.segments(&[0, 0]));
        let private = self.shared.has_threads.then_some(private);
        let attributes: Vec<_> = [alignment].into_iter().chain(private).chain([segments]).collect();
        let start = self.at(Insertion::AtStart(self.shared.entry));
        start.value("memref.alloca", &[], ty, &attributes)
    }

    /// The element of a scalar, read in front of the nest.
    pub fn scalar(self, operand: &Operand<'c, 'a>) -> Value<'c, 'a> {
        self.outside().load(operand.buffer, &[], 1)
    }

    /// Some elements of a vector.
    pub fn part(self, vector: Value<'c, 'a>, from: u64, count: u64, of: u64) -> Value<'c, 'a> {
        if count == of {
            return vector;
        }
        if count == 1 {
            return self.element_of_vector(vector, from);
        }
        let mask: Vec<_> = (from..from + count).map(|at| at as i64).collect();
        self.shuffle([vector, vector], &mask)
    }

    /// The buffer of an operand with the dimensions of the nest: each group of dimensions becomes one.
    pub fn collapse(self, operand: &Operand<'c, 'a>) -> Value<'c, 'a> {
        let key = ir::id(operand.argument);
        let known = self.shared.buffers.borrow().get(&key).copied();
        known.unwrap_or_else(|| {
            let new = self.outside().collapsed(operand);
            self.shared.buffers.borrow_mut().insert(key, new);
            new
        })
    }

    pub fn collapse_all<'n>(self, operands: impl IntoIterator<Item = &'n Operand<'c, 'a>>)
    where
        'c: 'n,
        'a: 'n,
    {
        operands.into_iter().for_each(|operand| {
            self.collapse(operand);
        });
    }

    fn collapsed(self, operand: &Operand<'c, 'a>) -> Value<'c, 'a> {
        let (buffer, groups) = (operand.buffer, &operand.groups);
        let Ok(ty) = MemRefType::try_from(buffer.r#type()) else { return buffer };
        if groups.len() == ty.rank() {
            return buffer;
        }
        let sizes = ir::static_sizes(ty).unwrap_or_default();
        let of_group = |group: &Vec<usize>| group.iter().map(|at| sizes[*at]).product::<u64>();
        let collapsed: Vec<_> = groups.iter().map(|group| of_group(group) as i64).collect();
        let offset = ir::strided(ty.into()).and_then(|ty| ty.offset);
        let is_part = !ir::has_identity_layout(ty);
        let layout = is_part.then(|| contiguous(self.context, &collapsed, offset));
        let collapsed = MemRefType::new(self.shared.element, &collapsed, layout, None).into();
        let groups = [("reassociation", self.groups(groups))];
        self.value("memref.collapse_shape", &[buffer], collapsed, &groups)
    }

    /// The elements of an operand from an index of the nest on.
    pub fn read(
        self,
        operand: &Operand<'c, 'a>,
        indices: &[Value<'c, 'a>],
        length: u64,
    ) -> Value<'c, 'a> {
        self.load(self.collapse(operand), &operand.indices(indices), length)
    }

    /// Writes elements of an operand from an index of the nest on.
    pub fn write(
        self,
        value: Value<'c, 'a>,
        operand: &Operand<'c, 'a>,
        indices: &[Value<'c, 'a>],
        length: u64,
    ) {
        self.store(value, self.collapse(operand), &operand.indices(indices), length);
    }

    /// Prefetches the line of an operand's element.
    pub fn ask_for(self, operand: &Operand<'c, 'a>, indices: &[Value<'c, 'a>]) {
        self.prefetch(self.collapse(operand), &operand.indices(indices));
    }
}

/// The layout of contiguous elements from an offset on.
fn contiguous<'c>(context: &'c Context, sizes: &[i64], offset: Option<i64>) -> Attribute<'c> {
    let offset = offset.map_or("?".to_owned(), |offset| offset.to_string());
    let stride = |at: usize| sizes[at + 1..].iter().product::<i64>().to_string();
    let strides = (0..sizes.len()).map(stride).collect::<Vec<_>>().join(", ");
    let layout = format!("strided<[{strides}], offset: {offset}>");
    Attribute::parse(context, &layout).expect("a layout")
}

/// A place in the nest, with the index of each dimension there.
#[derive(Clone)]
pub struct Place<'s, 'c, 'a> {
    pub builder: NestBuilder<'s, 'c, 'a>,
    pub indices: Vec<Value<'c, 'a>>,
}

impl<'s, 'c, 'a> Place<'s, 'c, 'a> {
    /// The same with another index of a dimension.
    pub fn at(&self, dimension: usize, index: Value<'c, 'a>) -> Self {
        let mut place = self.clone();
        place.indices[dimension] = index;
        place
    }

    /// Some elements further on along a dimension.
    pub fn on(&self, dimension: usize, elements: u64) -> Self {
        self.at(dimension, self.builder.plus(self.indices[dimension], elements))
    }

    /// The same indices further inside of the nest.
    pub fn inside(&self, builder: NestBuilder<'s, 'c, 'a>) -> Self {
        Self { builder, ..self.clone() }
    }

    /// The elements of an operand from here on.
    pub fn read(&self, operand: &Operand<'c, 'a>, length: u64) -> Value<'c, 'a> {
        self.builder.read(operand, &self.indices, length)
    }

    /// Prefetches the line of an operand's element.
    pub fn ask_for(&self, operand: &Operand<'c, 'a>) {
        self.builder.ask_for(operand, &self.indices);
    }
}
