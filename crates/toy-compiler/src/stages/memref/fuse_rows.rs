//! Computes what depends on reductions of rows a few rows at a time, while the rows are in the cache.
//!
//! Input: linalg on tensors, after element-wise fusion and before reductions are loops. Output: the same, with a loop
//! over tiles of rows in place of a group of operations that follow each other:
//!
//! ```mlir
//! %m = linalg.generic max(%a)        ‖           for each 4 rows of %a:
//! %e = linalg.generic exp(%a - %m)   ‖              %m = max(rows)        4 numbers
//! %s = linalg.generic sum(%e)        ‖    =>        %e = exp(rows - %m)   4 rows, in a cache
//! %r = linalg.generic %e / %s        ‖              %s = sum(%e)
//!                                                   %r[rows] = %e / %s
//! ```
//!
//! The bodies are those of the operations, in their order, on slices of their operands. Values that are used only in
//! the group have the size of a tile: the memory of `%e` is 4 rows. If the number of rows is not a multiple of a
//! tile's, the last rows come after the loop.
//!
//! A **group** has one dimension of rows: dimension 0 of every result, along which no operation reduces; an operand has
//! it as its dimension 0, or does not have it. So row `i` of a result needs row `i` of the group's other results. A
//! group is worth a loop if it has a reduction of rows, and reads or makes one matrix twice.
//!
//! Invariants: the same operations on the same elements; only operations without effects are moved, downwards, and none
//! past one that could write their operands in place. Deny by default: an operation of another form ends a group.
//!
//! Upstream's `transform.structured.fuse` tiles one consumer with its producers; it neither finds groups nor gives a
//! value of the middle back, and its last tile has a size that is known at run time.

use crate::dialect::ops;
use crate::dialect::shape::shape_of;
use crate::stages::linalg::toy_to_linalg::reductions::combined;
use crate::stages::memref::reductions::body::indexed_dimensions;
use crate::stages::memref::reductions::{OPTIONS, PARALLEL, is_parallel};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, Module, Value, ValueLike};
use mlir_support::builder::{Builder, Offset, element, tensor_type};
use mlir_support::ir;
use mlir_support::linalg::{Generic, IteratorKind};
use mlir_support::pass::{PassContext, PassDefinition};
use std::collections::{BTreeMap, HashMap, HashSet};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::configurable(
    "toy-fuse-rows",
    "Computes what depends on reductions of rows a few rows at a time",
    OPTIONS,
    |options, _| {
        let parallel = is_parallel(options)?;
        Ok(Box::new(move |context, module| run(context, module, parallel)))
    },
);

/// A matrix with at most this many elements is in the nearest cache anyway.
const NEAR: u64 = 1 << 12;

/// The least and the most elements of a tile: fewer are not worth loops over vectors, and more are not in the cache.
const TILE: [u64; 2] = [1 << 10, 1 << 15];

/// Tiles have a multiple of this many rows, as many as a reduction combines at once.
const ROWS: u64 = 4;

/// The most operations between the first and the last one of a group.
const STRETCH: usize = 100;

const EXPAND: &str = "tensor.expand_shape";
const RESHAPES: [&str; 2] = [EXPAND, "tensor.collapse_shape"];

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>, parallel: bool) -> Diagnosed<()> {
    let operations = ir::operations(module.as_operation());
    let is_seed = |it: &OperationRef| Generic::of(*it).is_some_and(|it| combined(&it).is_some());
    let seeds = operations.into_iter().filter(is_seed);
    let mut blocks: Vec<BlockRef> = seeds.filter_map(|seed| seed.block()).collect();
    let mut known = HashSet::new();
    blocks.retain(|block| known.insert(ir::id(*block)));
    for block in blocks {
        context.session.load_dialects(&["arith", "scf"]);
        let operations = ir::block_operations(block);
        let mut is_fused = vec![false; operations.len()];
        for seed in 0..operations.len() {
            if is_fused[seed] || !is_seed(&operations[seed]) {
                continue;
            }
            let Some(mut group) = Group::around(&operations, seed) else { continue };
            group.members.keys().for_each(|at| is_fused[*at] = true);
            let code = Builder::before(context.session.context(), operations[group.last()]);
            group.fuse(code, parallel);
        }
    }
    Ok(())
}

/// An operation that computes rows from rows.
struct Member<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    result: Value<'c, 'a>,
    shape: Vec<u64>,
    /// For each operand, true if its dimension 0 counts the rows.
    has_rows: Vec<bool>,
    /// The iterations of one row.
    per_row: u64,
}

impl<'c, 'a> Member<'c, 'a> {
    fn of(operation: OperationRef<'c, 'a>) -> Option<Self> {
        if operation.result_count() != 1 {
            return None;
        }
        let result = ops::result(operation);
        let shape = shape_of(result.r#type())?.0;
        shape.first()?;
        if RESHAPES.contains(&ir::name(&operation)) {
            let source = shape_of(ir::operand(operation, 0).r#type())?.0;
            let keeps_rows = source.first() == Some(&shape[0]) && shape[0] > 1;
            let has_rows = vec![true];
            return keeps_rows.then_some(Self { operation, result, shape, has_rows, per_row: 1 });
        }
        let generic = Generic::of(operation)?;
        let row = *generic.dimensions(generic.inputs)?.first()?;
        let mut sizes = vec![1; generic.iterators.len()];
        let mut has_rows = Vec::new();
        for at in 0..operation.operand_count() {
            let dimensions = generic.dimensions(at)?;
            for (dimension, size) in
                dimensions.iter().zip(shape_of(ir::operand(operation, at).r#type())?.0)
            {
                sizes[*dimension] = size;
            }
            if dimensions.iter().skip(1).any(|dimension| *dimension == row) {
                return None;
            }
            has_rows.push(dimensions.first() == Some(&row));
        }
        sizes[row] = 1;
        // A product's tiles are not rows.
        let is_known = generic.is_parallel() || combined(&generic).is_some();
        let is_plain = is_known
            && generic.iterators[row] == IteratorKind::Parallel
            && !indexed_dimensions(generic.body).contains(&row);
        is_plain.then(|| Self {
            operation,
            result,
            shape,
            has_rows,
            per_row: sizes.iter().fold(1, |all: u64, size| all.saturating_mul(*size)),
        })
    }

    /// The operands that have a row for each row of the result.
    fn rows_of(&self) -> impl Iterator<Item = Value<'c, 'a>> {
        self.operation.operands().zip(&self.has_rows).filter(|(_, has)| **has).map(|(it, _)| it)
    }
}

/// Operations of one block on the same rows, by their places in the block.
struct Group<'o, 'c, 'a> {
    operations: &'o [OperationRef<'c, 'a>],
    places: HashMap<usize, usize>,
    members: BTreeMap<usize, Member<'c, 'a>>,
    rows: u64,
}

impl<'o, 'c, 'a> Group<'o, 'c, 'a> {
    /// The group of a reduction, if it is worth a loop.
    fn around(operations: &'o [OperationRef<'c, 'a>], seed: usize) -> Option<Self> {
        let start = seed.saturating_sub(STRETCH);
        let end = operations.len().min(seed + STRETCH);
        let places = (start..end).map(|at| (ir::id(operations[at]), at)).collect();
        let member = Member::of(operations[seed])?;
        let (rows, elements) = (member.shape[0], member.shape[0].saturating_mul(member.per_row));
        if elements <= NEAR {
            return None;
        }
        let mut group = Self { operations, places, members: BTreeMap::new(), rows };
        group.join(seed, member);
        for (at, operation) in operations.iter().enumerate().take(end).skip(seed + 1) {
            match Member::of(*operation).filter(|member| group.takes(member)) {
                Some(member) => group.join(at, member),
                None if group.is_read_by(*operation) || !may_be_between(operation) => break,
                None => {}
            }
        }
        group.is_worth_it().then_some(group)
    }

    /// True if an operation computes rows from rows of members, and needs no others.
    fn takes(&self, member: &Member<'c, 'a>) -> bool {
        let mut needs_all = member.operation.operands().zip(&member.has_rows);
        member.shape[0] == self.rows
            && member.rows_of().any(|it| self.made_by(it).is_some())
            && !needs_all.any(|(it, has_rows)| !has_rows && self.made_by(it).is_some())
    }

    /// True if an operation, or one in its regions, uses a member's result.
    fn is_read_by(&self, operation: OperationRef<'c, 'a>) -> bool {
        let mut all = std::iter::once(operation).chain(ir::operations(operation));
        all.any(|it| it.operands().any(|it| self.made_by(it).is_some()))
    }

    /// The place of the member that makes a value.
    fn made_by(&self, value: Value<'c, 'a>) -> Option<usize> {
        let place = self.place(value)?;
        self.members.contains_key(&place).then_some(place)
    }

    fn place(&self, value: Value<'c, 'a>) -> Option<usize> {
        self.places.get(&ir::id(ir::defining_operation(value)?)).copied()
    }

    /// Adds an operation, and those that make its operands if nothing else uses them before it.
    fn join(&mut self, at: usize, member: Member<'c, 'a>) {
        let mut pending = vec![(at, member)];
        while let Some((place, member)) = pending.pop() {
            let makers: Vec<_> = member.rows_of().filter_map(|it| self.place(it)).collect();
            self.members.insert(place, member);
            for maker in makers.into_iter().filter(|it| !self.members.contains_key(it)) {
                let operation = self.operations[maker];
                let Some(producer) = Member::of(operation).filter(|it| it.shape[0] == self.rows)
                else {
                    continue;
                };
                let is_later = |user: OperationRef| {
                    let place = self.places.get(&ir::id(user));
                    place.is_some_and(|place| self.members.contains_key(place) || *place > at)
                };
                let first = self.first();
                if ir::users(producer.result).into_iter().all(is_later)
                    && (maker..first).all(|at| may_be_between(&self.operations[at]))
                {
                    pending.push((maker, producer));
                }
            }
        }
    }

    fn first(&self) -> usize {
        *self.members.keys().next().expect("a group has a seed")
    }

    fn last(&self) -> usize {
        *self.members.keys().next_back().expect("a group has a seed")
    }

    /// True if two members go through one matrix, and the tiles are many.
    fn is_worth_it(&self) -> bool {
        let mut seen = HashSet::new();
        let computing =
            self.members.values().filter(|it| !RESHAPES.contains(&ir::name(&it.operation)));
        let is_read_again = computing.map(|member| {
            let mut matrices: Vec<_> = member.rows_of().chain([member.result]).collect();
            matrices.retain(|it| {
                shape_of(it.r#type()).is_some_and(|it| it.0[1..].iter().any(|size| *size > 1))
            });
            let ids: HashSet<_> =
                matrices.into_iter().map(|it| ir::id(before_reshapes(it))).collect();
            ids.into_iter().filter(|id| !seen.insert(*id)).count() > 0
        });
        is_read_again.collect::<Vec<_>>().contains(&true) && self.tile().is_some()
    }

    /// The rows of a tile.
    fn tile(&self) -> Option<u64> {
        let per_row = self.members.values().map(|member| member.per_row).max()?;
        let [least, most] = TILE;
        let tile = match least.div_ceil(per_row).next_multiple_of(ROWS) {
            tile if tile.saturating_mul(per_row) <= most => tile,
            _ => most / per_row,
        };
        (tile > 0 && self.rows >= 2 * tile).then_some(tile)
    }

    /// Builds the loop in place of the last member; if `parallel`, with the number of elements that it computes.
    fn fuse(&mut self, code: Builder<'c, 'a>, parallel: bool) {
        let reshapes = self.take_last_reshapes();
        let tile = self.tile().expect("the group is worth it");
        let is_kept = |it: &&Member| !ir::users(it.result).into_iter().all(|it| self.has(it));
        let kept: Vec<_> = self.members.values().filter(is_kept).collect();
        let empty = |member: &&Member<'c, 'a>| {
            code.located(member.operation.location()).empty(member.result.r#type())
        };
        let whole = self.rows / tile * tile;
        let range = [0, whole, tile].map(|it| code.index(it));
        let carried: Vec<_> = kept.iter().map(empty).collect();
        let per_row: u64 = self.members.values().map(|member| member.per_row).sum();
        let elements = (PARALLEL, code.number(self.rows.saturating_mul(per_row).cast_signed()));
        let attributes = if parallel { vec![elements] } else { vec![] };
        let mut results = code.for_each(range, &carried, &attributes, |code, first, carried| {
            self.rows(code, Offset::At(first), tile, (&kept, carried))
        });
        if whole < self.rows {
            results = self.rows(code, Offset::Known(whole), self.rows - whole, (&kept, &results));
        }
        for (member, result) in kept.iter().zip(results) {
            ir::replace_all_uses(member.result, result);
        }
        for reshape in reshapes {
            ir::replace_all_uses(
                ops::result(reshape),
                ops::result(code.insert(ir::clone(reshape))),
            );
            ir::erase(reshape);
        }
        for member in self.members.values().rev() {
            let operands: Vec<_> = member.operation.operands().collect();
            ir::erase(member.operation);
            let empty = operands.into_iter().filter_map(|it| ir::defined_by(it, "tensor.empty"));
            empty.for_each(ir::erase_if_unused);
        }
    }

    /// True if an operation is a member.
    fn has(&self, operation: OperationRef<'c, 'a>) -> bool {
        self.places.get(&ir::id(operation)).is_some_and(|it| self.members.contains_key(it))
    }

    /// Takes the reshapes that no member needs: they are of whole results, after the loop, whose rows are then computed
    /// in place.
    fn take_last_reshapes(&mut self) -> Vec<OperationRef<'c, 'a>> {
        let mut reshapes = Vec::new();
        for at in self.members.keys().rev().copied().collect::<Vec<_>>() {
            let member = &self.members[&at];
            let is_needed = ir::users(member.result).into_iter().any(|it| self.has(it));
            if RESHAPES.contains(&ir::name(&member.operation)) && !is_needed {
                reshapes.insert(0, member.operation);
                self.members.remove(&at);
            }
        }
        reshapes
    }

    /// Computes some rows. Returns what is carried with these rows of the members that are kept.
    fn rows(
        &self,
        code: Builder<'c, 'a>,
        first: Offset<'c, 'a>,
        count: u64,
        (kept, carried): (&[&Member<'c, 'a>], &[Value<'c, 'a>]),
    ) -> Vec<Value<'c, 'a>> {
        let place_of = |rank: usize| {
            let mut offsets = vec![Offset::Known(0); rank];
            offsets[0] = first;
            offsets
        };
        let shape_here = |of: Value<'c, 'a>| {
            let mut shape = shape_of(of.r#type()).expect("recognized").0;
            shape[0] = count;
            shape
        };
        let slice = |of: Value<'c, 'a>| {
            let shape = shape_here(of);
            code.slice(of, &place_of(shape.len()), &shape, &shape)
        };
        let mut here: HashMap<usize, Value<'c, 'a>> = HashMap::new();
        let mut results = carried.to_vec();
        for member in self.members.values() {
            let at = kept.iter().position(|it| ir::id(it.result) == ir::id(member.result));
            // The memory plan names a buffer by its place.
            let code = code.located(member.operation.location());
            let destinations = Generic::of(member.operation).map(|it| it.inputs);
            let mut operands = Vec::new();
            for (number, operand) in member.operation.operands().enumerate() {
                let is_new = Some(number) == destinations
                    && ir::defined_by(operand, "tensor.empty").is_some();
                operands.push(match (member.has_rows[number], at) {
                    (false, _) => operand,
                    (true, Some(at)) if is_new => slice(results[at]),
                    (true, _) if is_new => {
                        code.empty(tensor_type(element(operand), &shape_here(operand)))
                    }
                    (true, _) => *here.entry(ir::id(operand)).or_insert_with(|| slice(operand)),
                });
            }
            let shape = shape_here(member.result);
            let copy = code.insert(ir::clone(member.operation));
            ir::set_operands(copy, &operands);
            let result = ops::result(copy);
            result.set_type(tensor_type(element(result), &shape));
            if ir::name(&copy) == EXPAND {
                let sizes: Vec<_> = shape.iter().map(|size| size.cast_signed()).collect();
                ir::set_attribute(copy, "static_output_shape", code.numbers(&sizes));
            }
            here.insert(ir::id(member.result), result);
        }
        // After the last use of the rows, which are then computed in place.
        for (member, whole) in kept.iter().zip(&mut results) {
            let shape = shape_here(member.result);
            let code = code.located(member.operation.location());
            let rows = here[&ir::id(member.result)];
            *whole = code.with_slice(rows, *whole, &place_of(shape.len()), &shape);
        }
        results
    }
}

/// The tensor whose elements a value has in another shape.
fn before_reshapes<'c: 'a, 'a>(value: Value<'c, 'a>) -> Value<'c, 'a> {
    let reshaped = |it: &Value<'c, 'a>| {
        let reshape = ir::defining_operation(*it).filter(|it| RESHAPES.contains(&ir::name(it)))?;
        Some(ir::operand(reshape, 0))
    };
    std::iter::successors(Some(value), reshaped).last().unwrap_or(value)
}

/// True if an operation between those of a group writes nothing, in place either.
fn may_be_between(operation: &OperationRef) -> bool {
    let name = ir::name(operation);
    ["linalg.generic", "tensor.empty", "tensor.extract"].contains(&name)
        || RESHAPES.contains(&name)
        || name.starts_with("arith.")
        || name.starts_with("math.")
}
