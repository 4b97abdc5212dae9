//! Builds loops on vectors, in front of the operation that they replace.
//!
//! A builder is an insertion point. Constants and values that do not change in the nest are built once, in
//! front of it.

use super::nest::{Nest, Operand};
use crate::dialect::ops::result;
use crate::stages::loops::parallel_loops::{PARALLEL, THREAD_PRIVATE};
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, BoolAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute,
    IntegerAttribute, StringAttribute,
};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{
    Attribute, Block, BlockLike, BlockRef, Identifier, Location, Operation, Region, RegionLike,
    ShapedTypeLike, Type, Value, ValueLike,
};
use mlir_support::ir;
use std::cell::RefCell;
use std::collections::HashMap;

/// The state that the builders of one nest share.
pub struct Shared<'c, 'a> {
    pub context: &'c Context,
    location: Location<'c>,
    /// The operation that is replaced: loops are inserted in front of it.
    before: OperationRef<'c, 'a>,
    /// The constant 0, in front of the nest: operations outside of it are inserted in front of this.
    zero: OperationRef<'c, 'a>,
    /// The first block of the function.
    entry: BlockRef<'c, 'a>,
    element: Type<'c>,
    /// True if threads may run its loops.
    has_threads: bool,
    indices: RefCell<HashMap<u64, Value<'c, 'a>>>,
    /// Values from outside as vectors, by address and length.
    broadcasts: RefCell<HashMap<(usize, u64), Value<'c, 'a>>>,
}

/// A place in the nest.
#[derive(Clone, Copy)]
pub struct Builder<'s, 'c, 'a> {
    pub shared: &'s Shared<'c, 'a>,
    place: Place<'c, 'a>,
    /// The alignment of vectors in non-temporal stores; None for other stores.
    past_caches: Option<u64>,
    /// The number of elements that the next loop computes, if its iterations are independent.
    elements: Option<u64>,
}

#[derive(Clone, Copy)]
enum Place<'c, 'a> {
    Before(OperationRef<'c, 'a>),
    /// The end of a loop's body.
    Inside(BlockRef<'c, 'a>),
}

impl<'c, 'a> Shared<'c, 'a> {
    pub fn new(
        context: &'c Context,
        nest: &Nest<'c, 'a>,
        entry: BlockRef<'c, 'a>,
        has_threads: bool,
    ) -> Self {
        let zero = index_constant(context, nest.operation.location(), 0);
        let block = nest.operation.block().expect("an operation of a program");
        let zero = block.insert_operation_before(nest.operation, zero);
        Self {
            zero,
            entry,
            context,
            location: nest.operation.location(),
            before: nest.operation,
            element: nest.element,
            has_threads,
            indices: RefCell::new(HashMap::from([(0, result(zero))])),
            broadcasts: RefCell::default(),
        }
    }

    pub fn builder(&self) -> Builder<'_, 'c, 'a> {
        Builder {
            shared: self,
            place: Place::Before(self.before),
            past_caches: None,
            elements: None,
        }
    }

    /// The type of a number of elements.
    pub fn vector(&self, length: u64) -> Type<'c> {
        if length == 1 { self.element } else { Type::vector(&[length], self.element) }
    }

    fn name(&self, name: &str) -> Identifier<'c> {
        Identifier::new(self.context, name)
    }

    fn integer(&self, value: u64) -> Attribute<'c> {
        IntegerAttribute::new(IntegerType::new(self.context, 64).into(), value as i64).into()
    }
}

impl<'s, 'c, 'a> Builder<'s, 'c, 'a> {
    /// In front of the whole nest.
    fn outside(self) -> Self {
        Builder { place: Place::Before(self.shared.zero), ..self }
    }

    fn insert(self, builder: OperationBuilder<'c>) -> OperationRef<'c, 'a> {
        let operation = builder.build().expect("a well-formed operation");
        match self.place {
            Place::Inside(block) => block.append_operation(operation),
            Place::Before(other) => {
                let block = other.block().expect("an operation of a program");
                block.insert_operation_before(other, operation)
            }
        }
    }

    fn start(self, name: &str) -> OperationBuilder<'c> {
        OperationBuilder::new(name, self.shared.location)
    }

    /// An operation like another one, on other operands.
    pub fn like(
        self,
        operation: OperationRef<'c, '_>,
        operands: &[Value<'c, '_>],
        ty: Type<'c>,
    ) -> Value<'c, 'a> {
        let attributes: Vec<_> = operation.attributes().collect();
        let builder = OperationBuilder::new(ir::name(&operation), operation.location());
        let builder = builder.add_operands(operands).add_attributes(&attributes);
        result(self.insert(builder.add_results(&[ty])))
    }

    /// A copy of a constant, in front of the nest.
    pub fn constant_like(self, constant: OperationRef<'c, '_>) -> Value<'c, 'a> {
        self.outside().like(constant, &[], self.shared.element)
    }

    /// A constant index.
    pub fn index(self, value: u64) -> Value<'c, 'a> {
        if let Some(known) = self.shared.indices.borrow().get(&value) {
            return *known;
        }
        let new = index_constant(self.shared.context, self.shared.location, value);
        let block = self.shared.zero.block().expect("an operation of a program");
        let new = result(block.insert_operation_before(self.shared.zero, new));
        self.shared.indices.borrow_mut().insert(value, new);
        new
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
        let index = Type::index(self.shared.context);
        result(self.insert(self.start(name).add_operands(&[a, b]).add_results(&[index])))
    }

    /// Zeros that LLVM does not know to be zeros: it then takes the element at an index plus one of them for
    /// another element.
    pub fn unknown_zeros(self, count: usize) -> Vec<Value<'c, 'a>> {
        let context = self.shared.context;
        if count > 0 {
            context.get_or_load_dialect("llvm");
        }
        let mut zeros = Vec::new();
        let integer = IntegerType::new(context, 64).into();
        let text = |text| StringAttribute::new(context, text).into();
        while zeros.len() < count {
            // Each is made of the last one by no instruction at all.
            let cast = |value: Value<'c, 'a>, ty| {
                let cast = self.start("arith.index_cast").add_operands(&[value]);
                result(self.insert(cast.add_results(&[ty])))
            };
            let last = zeros.last().copied().unwrap_or(self.index(0));
            let last = cast(last, integer);
            let copy = self.start("llvm.inline_asm").add_operands(&[last]).add_attributes(&[
                (self.shared.name("asm_string"), text("")),
                (self.shared.name("constraints"), text("=r,0")),
            ]);
            let copy = result(self.insert(copy.add_results(&[integer])));
            zeros.push(cast(copy, Type::index(context)));
        }
        zeros
    }

    /// A loop; `body` builds its contents, given its index.
    pub fn each(
        self,
        [from, to, step]: [Value<'c, 'a>; 3],
        body: impl FnOnce(Builder<'s, 'c, 'a>, Value<'c, 'a>),
    ) {
        let location = self.shared.location;
        let region = Region::new();
        region.append_block(Block::new(&[(Type::index(self.shared.context), location)]));
        let mut builder = self.start("scf.for").add_operands(&[from, to, step]);
        if let Some(elements) = self.elements {
            let elements = (self.shared.name(PARALLEL), self.shared.integer(elements));
            builder = builder.add_attributes(&[elements]);
        }
        let operation = self.insert(builder.add_regions([region]));
        let block = ir::blocks(operation)[0];
        let inside = Builder { place: Place::Inside(block), elements: None, ..self };
        body(inside, block.argument(0).expect("a loop has an index").into());
        inside.insert(self.start("scf.yield"));
    }

    /// A loop that carries values; `body` builds its contents, given its index and the values, and returns
    /// the values for the next iteration. Returns the last ones.
    pub fn each_with(
        self,
        [from, to, step]: [Value<'c, 'a>; 3],
        carried: &[Value<'c, 'a>],
        body: impl FnOnce(Builder<'s, 'c, 'a>, Value<'c, 'a>, &[Value<'c, 'a>]) -> Vec<Value<'c, 'a>>,
    ) -> Vec<Value<'c, 'a>> {
        let location = self.shared.location;
        let types: Vec<_> = carried.iter().map(|value| value.r#type()).collect();
        let index = (Type::index(self.shared.context), location);
        let arguments = types.iter().map(|ty| (*ty, location));
        let arguments: Vec<_> = std::iter::once(index).chain(arguments).collect();
        let region = Region::new();
        region.append_block(Block::new(&arguments));
        let operands = [&[from, to, step], carried].concat();
        let builder = self.start("scf.for").add_operands(&operands).add_results(&types);
        let operation = self.insert(builder.add_regions([region]));
        let block = ir::blocks(operation)[0];
        let inside = Builder { place: Place::Inside(block), elements: None, ..self };
        let argument = |at| block.argument(at).expect("an argument for each value").into();
        let carried: Vec<_> = (1..=types.len()).map(argument).collect();
        let next = body(inside, argument(0), &carried);
        inside.insert(inside.start("scf.yield").add_operands(&next));
        (0..types.len()).map(|at| operation.result(at).expect("a carried value").into()).collect()
    }

    /// A number as a vector.
    pub fn splat(self, value: Value<'c, 'a>, length: u64) -> Value<'c, 'a> {
        if length == 1 {
            return value;
        }
        let builder = self.start("vector.broadcast").add_operands(&[value]);
        result(self.insert(builder.add_results(&[self.shared.vector(length)])))
    }

    /// Consecutive elements of a buffer, from an index on.
    pub fn load(
        self,
        buffer: Value<'c, 'a>,
        indices: &[Value<'c, 'a>],
        length: u64,
    ) -> Value<'c, 'a> {
        let operands: Vec<_> = std::iter::once(buffer).chain(indices.iter().copied()).collect();
        let name = if length == 1 { "memref.load" } else { "vector.load" };
        let builder = self.start(name).add_operands(&operands);
        result(self.insert(builder.add_results(&[self.shared.vector(length)])))
    }

    /// Prefetches a line.
    pub fn prefetch(self, buffer: Value<'c, 'a>, indices: &[Value<'c, 'a>]) {
        let operands: Vec<_> = [buffer].into_iter().chain(indices.iter().copied()).collect();
        let context = self.shared.context;
        let hint = IntegerAttribute::new(IntegerType::new(context, 32).into(), 2);
        self.insert(self.start("memref.prefetch").add_operands(&operands).add_attributes(&[
            (self.shared.name("isWrite"), BoolAttribute::new(context, false).into()),
            (self.shared.name("localityHint"), hint.into()),
            (self.shared.name("isDataCache"), BoolAttribute::new(context, true).into()),
        ]));
    }

    /// Single elements as a vector.
    pub fn vector_of(self, elements: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        if let [element] = elements {
            return *element;
        }
        let builder = self.start("vector.from_elements").add_operands(elements);
        result(self.insert(builder.add_results(&[self.shared.vector(elements.len() as u64)])))
    }

    /// Writes consecutive elements to a buffer.
    pub fn store(
        self,
        value: Value<'c, 'a>,
        buffer: Value<'c, 'a>,
        indices: &[Value<'c, 'a>],
        length: u64,
    ) {
        let operands: Vec<_> = [value, buffer].into_iter().chain(indices.iter().copied()).collect();
        let name = if length == 1 { "memref.store" } else { "vector.store" };
        let builder = self.start(name).add_operands(&operands);
        self.insert(match self.past_caches {
            Some(alignment) if length > 1 => builder.add_attributes(&[
                (
                    self.shared.name("nontemporal"),
                    BoolAttribute::new(self.shared.context, true).into(),
                ),
                (self.shared.name("alignment"), self.shared.integer(alignment)),
            ]),
            _ => builder,
        });
    }

    /// The same place; the iterations of the next loop are independent of each other.
    pub fn parallel(self, elements: Option<u64>) -> Self {
        Self { elements, ..self }
    }

    /// The same place; vectors are stored non-temporally, aligned to a number of bytes.
    pub fn past_caches(self, alignment: u64) -> Self {
        Self { past_caches: Some(alignment), ..self }
    }

    /// Elements from the start of a buffer to the first one whose address is a multiple of `alignment`.
    pub fn misalignment(
        self,
        buffer: Value<'c, 'a>,
        alignment: u64,
        element_bytes: u64,
    ) -> Value<'c, 'a> {
        let index = Type::index(self.shared.context);
        let address = self.start("memref.extract_aligned_pointer_as_index").add_operands(&[buffer]);
        let address = result(self.insert(address.add_results(&[index])));
        let negative = self.on_indices("arith.subi", self.index(0), address);
        let bytes = self.on_indices("arith.andi", negative, self.index(alignment - 1));
        self.on_indices("arith.divui", bytes, self.index(element_bytes))
    }

    /// Runs the first body if an index is 0, and the second if it is not.
    pub fn if_zero(
        self,
        index: Value<'c, 'a>,
        one: impl FnOnce(Builder<'s, 'c, 'a>),
        other: impl FnOnce(Builder<'s, 'c, 'a>),
    ) {
        let context = self.shared.context;
        // 0: equal.
        let predicate = [(self.shared.name("predicate"), self.shared.integer(0))];
        let compare = self.start("arith.cmpi").add_operands(&[index, self.index(0)]);
        let compare = compare.add_attributes(&predicate);
        let is_zero = compare.add_results(&[IntegerType::new(context, 1).into()]);
        let is_zero = result(self.insert(is_zero));
        let regions = [(); 2].map(|()| {
            let region = Region::new();
            region.append_block(Block::new(&[]));
            region
        });
        let builder = self.start("scf.if").add_operands(&[is_zero]).add_regions(regions);
        let operation = self.insert(builder);
        let blocks = [0, 1].map(|region| ir::blocks_of(operation, region)[0]);
        let inside = blocks.map(|block| Builder { place: Place::Inside(block), ..self });
        one(inside[0]);
        other(inside[1]);
        for inside in inside {
            inside.insert(inside.start("scf.yield"));
        }
    }

    /// A buffer on the stack, at the start of the function: loops around the nest do not make more of them.
    pub fn stack_buffer(self, sizes: &[u64]) -> Value<'c, 'a> {
        let sizes: Vec<_> = sizes.iter().map(|size| *size as i64).collect();
        let ty = MemRefType::new(self.shared.element, &sizes, None, None).into();
        let alignment = (self.shared.name("alignment"), self.shared.integer(64));
        let private = (self.shared.name(THREAD_PRIVATE), Attribute::unit(self.shared.context));
        let attributes: Vec<_> =
            std::iter::once(alignment).chain(self.shared.has_threads.then_some(private)).collect();
        let segments = DenseI32ArrayAttribute::new(self.shared.context, &[0, 0]).into();
        let segments = [(self.shared.name("operandSegmentSizes"), segments)];
        let builder = self.start("memref.alloca").add_attributes(&attributes);
        let alloca = builder.add_attributes(&segments).add_results(&[ty]).build();
        let alloca = alloca.expect("a well-formed memref.alloca");
        result(self.shared.entry.insert_operation(0, alloca))
    }

    /// A value from outside the nest as a vector.
    pub fn broadcast(self, value: Value<'c, 'a>, length: u64) -> Value<'c, 'a> {
        if length == 1 {
            return value;
        }
        let key = (ir::id(value), length);
        if let Some(known) = self.shared.broadcasts.borrow().get(&key) {
            return *known;
        }
        let builder = self.start("vector.broadcast").add_operands(&[value]);
        let builder = builder.add_results(&[self.shared.vector(length)]);
        let new = result(self.outside().insert(builder));
        self.shared.broadcasts.borrow_mut().insert(key, new);
        new
    }

    /// The element of a scalar, read in front of the nest.
    pub fn scalar(self, operand: &Operand<'c, 'a>) -> Value<'c, 'a> {
        self.outside().load(operand.buffer, &[], 1)
    }

    /// Elements of two vectors, by number.
    pub fn shuffle(self, a: Value<'c, 'a>, b: Value<'c, 'a>, mask: &[i64]) -> Value<'c, 'a> {
        let attribute = DenseI64ArrayAttribute::new(self.shared.context, mask).into();
        let builder = self.start("vector.shuffle").add_operands(&[a, b]);
        let builder = builder.add_attributes(&[(self.shared.name("mask"), attribute)]);
        result(self.insert(builder.add_results(&[self.shared.vector(mask.len() as u64)])))
    }

    /// Some elements of a vector.
    pub fn part(self, vector: Value<'c, 'a>, from: u64, count: u64, of: u64) -> Value<'c, 'a> {
        if count == of {
            return vector;
        }
        if count > 1 {
            let mask: Vec<_> = (from..from + count).map(|at| at as i64).collect();
            return self.shuffle(vector, vector, &mask);
        }
        let position = DenseI64ArrayAttribute::new(self.shared.context, &[from as i64]).into();
        let builder = self.start("vector.extract").add_operands(&[vector]);
        let builder = builder.add_attributes(&[(self.shared.name("static_position"), position)]);
        result(self.insert(builder.add_results(&[self.shared.element])))
    }

    /// The buffer of an operand with the dimensions of the nest: each group of dimensions becomes one.
    pub fn collapse(self, operand: &Operand<'c, 'a>) -> Value<'c, 'a> {
        let (buffer, groups) = (operand.buffer, &operand.groups);
        let Ok(ty) = MemRefType::try_from(buffer.r#type()) else { return buffer };
        if groups.len() == ty.rank() {
            return buffer;
        }
        let context = self.shared.context;
        let sizes = ir::static_sizes(ty).unwrap_or_default();
        let of_group = |group: &Vec<usize>| group.iter().map(|at| sizes[*at]).product::<u64>();
        let collapsed: Vec<_> = groups.iter().map(|group| of_group(group) as i64).collect();
        let collapsed = MemRefType::new(self.shared.element, &collapsed, None, None);
        let groups = groups.iter().map(|group| {
            let group = group.iter().map(|at| self.shared.integer(*at as u64));
            ArrayAttribute::new(context, &group.collect::<Vec<_>>()).into()
        });
        let groups = ArrayAttribute::new(context, &groups.collect::<Vec<_>>()).into();
        let builder = self.start("memref.collapse_shape").add_operands(&[buffer]);
        let builder = builder.add_attributes(&[(self.shared.name("reassociation"), groups)]);
        result(self.outside().insert(builder.add_results(&[collapsed.into()])))
    }
}

fn index_constant<'c>(context: &'c Context, location: Location<'c>, value: u64) -> Operation<'c> {
    let index = Type::index(context);
    let attribute = IntegerAttribute::new(index, value as i64).into();
    OperationBuilder::new("arith.constant", location)
        .add_attributes(&[(Identifier::new(context, "value"), attribute)])
        .add_results(&[index])
        .build()
        .expect("a well-formed arith.constant")
}
