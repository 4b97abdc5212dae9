//! Lets element-wise operations overwrite an operand that is dead after them.
//!
//! Input: functions on buffers, before merge-alloc. Output: the same with fewer `memref.alloc`: if the
//! last operation that reads a buffer is element-wise, and is the first that writes another buffer of the
//! same type, the two become one. The operations and their order do not change.
//!
//! * *Element-wise* is a `linalg.generic` of parallel iterators, a named operation of linalg of this kind,
//!   or a `memref.copy`: each element of the result depends on the element of the operand at the same
//!   index, both are accessed in the same order (identity maps), and the previous contents of the result
//!   are not read. Transpositions and broadcasts are not element-wise.
//! * A call is element-wise in two of its arguments if the callee, including its own callees, reads the
//!   one for the last time no later than it first writes the other, with an operation that is
//!   element-wise in them.
//! * The operand is a buffer that is allocated in the block of the operation and does not escape. The
//!   result is another such buffer, or an argument of a private function all of whose callers are known
//!   and pass distinct memory.
//!
//! Deny by default: buffers that are accessed in between through an alias, in a region of an operation, by
//! an unknown operation, or in a function of several blocks, are left alone. The effects of operations on
//! buffers are in merge-alloc's table, and aliases are followed by merge-alloc's first stage.
//!
//! Tutorial: chapter 9.

use crate::analysis::elementwise::{self, Pairs};
use crate::dialect::ops::{self, callee, entry_block, is_private, result, same_type, symbol_name};
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{BlockLike, Module, ShapedTypeLike, Value, ValueLike};
use merge_alloc::analysis::alias::{self, Captures};
use merge_alloc::analysis::body::Body;
use merge_alloc::analysis::calls::{self, Calls};
use merge_alloc::analysis::overwrites::overwrites;
use mlir_support::buffers::{self, Origin};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;

/// The pairs of arguments in which calls are element-wise, by function name.
type Summaries = HashMap<String, Pairs>;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-in-place",
    "Makes element-wise operations overwrite operands that are not used again",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let functions = ops::definitions(module);
    let allocates = |function| ir::any(function, |op| ir::name(&op) == "memref.alloc");
    if !functions.iter().any(|function| allocates(*function)) {
        return Ok(());
    }
    let mut scopes = 0;
    let bodies: Vec<_> = functions.into_iter().map(|f| Body::new(f, &mut scopes)).collect();
    let Some(uses) = calls::other_uses(bodies.iter(), module.as_operation()) else {
        return Ok(());
    };
    let captures = Captures::of(&bodies);
    let unshared = unshared_arguments(&bodies, &uses, &captures);
    let mut summaries = Summaries::new();
    // Callees first: their summaries are needed when a call is visited.
    for number in Calls::of(&bodies).order().callees_first {
        let body = &bodies[number];
        if body.several_blocks {
            continue;
        }
        let name = symbol_name(&body.function);
        let mut function = Function::of(body, &captures, unshared.get(&name));
        function.share(context, &summaries);
        let summary = function.summary(&summaries);
        if !summary.is_empty() {
            summaries.insert(name, summary);
        }
        for gone in function.copies.into_iter().chain(function.gone) {
            ir::erase(gone);
        }
    }
    Ok(())
}

/// The buffer arguments for which every caller passes its own allocation, and no other argument of the
/// same call aliases it.
fn unshared_arguments(
    bodies: &[Body],
    uses: &HashSet<String>,
    captures: &Captures,
) -> HashMap<String, HashSet<usize>> {
    let mut unshared: HashMap<String, HashSet<usize>> = HashMap::new();
    for body in bodies {
        let name = symbol_name(&body.function);
        if is_private(&body.function) && !uses.contains(&name) {
            let count = entry_block(body.function).map_or(0, |block| block.argument_count());
            unshared.insert(name, (0..count).collect());
        }
    }
    for body in bodies {
        // The allocations of the function by address: true if the allocation does not escape.
        let mut kept: HashMap<usize, bool> = HashMap::new();
        let mut budget = alias::budget(body);
        for call in body.entries.iter().map(|entry| entry.operation) {
            if ir::name(&call) != "func.call" {
                continue;
            }
            let Some(unshared) = callee(&call).and_then(|callee| unshared.get_mut(&callee)) else {
                continue;
            };
            let roots: Vec<_> = call.operands().map(root).collect();
            unshared.retain(|index| {
                let Some(Some(own)) = roots.get(*index) else { return false };
                let mut others = roots.iter().enumerate().filter(|(other, _)| other != index);
                let is_alone =
                    others.all(|(_, other)| other.is_some_and(|other| !is_same(other, *own)));
                is_alone
                    && *kept.entry(ir::id(*own)).or_insert_with(|| {
                        let definition = ir::defining_operation(*own)
                            .filter(|definition| ir::name(definition) == "memref.alloc");
                        let entry = definition.and_then(|definition| body.find(definition));
                        let reach = entry.map(|_| alias::follow(body, *own, entry, &mut budget));
                        let reach = reach.and_then(Result::ok);
                        reach.is_some_and(|reach| captures.first(&reach.calls).is_none())
                    })
            });
        }
    }
    unshared
}

/// The allocation, global or function argument that a value is, or is a view of; a value that is not a
/// buffer is its own root. None: it may be one of several, or anything.
fn root<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    if ops::is_buffer(value.r#type()) {
        buffers::origin(value).map(Origin::value)
    } else {
        Some(value)
    }
}

fn is_same(a: Value, b: Value) -> bool {
    a.to_raw().ptr == b.to_raw().ptr
}

/// A buffer whose accesses are all known.
struct Buffer<'c, 'a> {
    value: Value<'c, 'a>,
    /// The entry of its allocation; None for an argument.
    allocation: Option<usize>,
    accesses: Vec<usize>,
    /// The alignment that other operations assume or rely on, besides the allocation's.
    alignment: u64,
}

/// A function of one block, and its buffers.
struct Function<'b, 'c, 'a> {
    body: &'b Body<'c, 'a>,
    /// The buffers by the address of the value.
    buffers: HashMap<usize, Buffer<'c, 'a>>,
    /// The arguments that are among the buffers, with their numbers.
    arguments: Vec<(usize, Value<'c, 'a>)>,
    /// The arguments that may become other buffers as well.
    unshared: HashSet<usize>,
    /// Copies of buffers to themselves, and allocations without uses.
    copies: Vec<OperationRef<'c, 'a>>,
    gone: Vec<OperationRef<'c, 'a>>,
}

impl<'b, 'c, 'a> Function<'b, 'c, 'a> {
    fn of(body: &'b Body<'c, 'a>, captures: &Captures, unshared: Option<&HashSet<usize>>) -> Self {
        let mut function = Self {
            body,
            buffers: HashMap::new(),
            arguments: Vec::new(),
            unshared: unshared.cloned().unwrap_or_default(),
            copies: Vec::new(),
            gone: Vec::new(),
        };
        let mut budget = alias::budget(body);
        let mut add = |value: Value<'c, 'a>, allocation| {
            let reach = alias::follow(body, value, allocation, &mut budget).ok();
            let reach = reach.filter(|reach| captures.first(&reach.calls).is_none())?;
            let alignment = reach.alignment.max(captures.alignment(&reach.calls));
            let accesses = reach.accesses;
            let buffer = Buffer { value, allocation, accesses, alignment };
            function.buffers.insert(ir::id(value), buffer);
            Some(())
        };
        let block = entry_block(body.function);
        for index in 0..block.map_or(0, |block| block.argument_count()) {
            let Some(Ok(argument)) = block.map(|block| block.argument(index)) else { continue };
            let value: Value = argument.into();
            if is_plain(value) && add(value, None).is_some() {
                function.arguments.push((index, value));
            }
        }
        for (entry, at) in body.entries.iter().enumerate() {
            if ir::name(&at.operation) == "memref.alloc"
                && at.operation.operand_count() == 0
                && is_plain(result(at.operation))
            {
                add(result(at.operation), Some(entry));
            }
        }
        function
    }

    /// Merges the buffers of element-wise operations.
    fn share(&mut self, context: &PassContext<'c>, summaries: &Summaries) {
        for at in 0..self.body.entries.len() {
            let operation = self.body.entries[at].operation;
            let pairs = elementwise::pairs(operation, summaries);
            for &(from, to) in &pairs {
                let operand = |index| operation.operand(index).ok();
                let (Some(from), Some(to)) = (operand(from), operand(to)) else { continue };
                if self.is_last_of(at, from) && self.is_first_of(at, to) {
                    let is_alone = self.is_alone(operation, from, to, &pairs);
                    if is_alone && self.fits(from, to) {
                        self.unite(context, from, to);
                        if elementwise::is_copy(operation) {
                            self.copies.push(operation);
                        }
                    }
                }
            }
        }
    }

    /// True if a buffer is allocated in the same execution of an operation's block, and not accessed after
    /// the operation.
    fn is_last_of(&self, at: usize, value: Value) -> bool {
        let Some(buffer) = self.buffers.get(&ir::id(value)) else { return false };
        buffer.allocation.is_some_and(|allocation| self.is_beside(at, allocation))
            && buffer.accesses.iter().all(|access| {
                let around = self.body.child_of(self.body.entries[at].parent, *access);
                around.is_some_and(|around| around < at || (around == at && *access == at))
            })
    }

    /// Likewise for a buffer that is not accessed before the operation; it may be an argument.
    fn is_first_of(&self, at: usize, value: Value) -> bool {
        let Some(buffer) = self.buffers.get(&ir::id(value)) else { return false };
        let is_here = match buffer.allocation {
            Some(allocation) => self.is_beside(at, allocation),
            None => {
                let mut own = self.arguments.iter().filter(|(_, own)| is_same(*own, value));
                self.body.entries[at].parent.is_none()
                    && own.any(|(index, _)| self.unshared.contains(index))
            }
        };
        is_here && self.is_accessed_from(at, buffer)
    }

    fn is_accessed_from(&self, at: usize, buffer: &Buffer) -> bool {
        buffer.accesses.iter().all(|access| {
            let around = self.body.child_of(self.body.entries[at].parent, *access);
            around.is_some_and(|around| around > at || (around == at && *access == at))
        })
    }

    /// True if an allocation is in the same block as an operation.
    fn is_beside(&self, at: usize, allocation: usize) -> bool {
        let [here, there] = [at, allocation].map(|entry| &self.body.entries[entry]);
        // With several blocks in a region, the order of execution is unknown.
        let is_line = here.parent.is_none_or(|parent| !self.body.entries[parent].several_blocks);
        here.parent == there.parent && is_line
    }

    /// True if these pairs are the only uses of two buffers in an operation, without aliases.
    fn is_alone(&self, operation: OperationRef, from: Value, to: Value, pairs: &Pairs) -> bool {
        let writes: Vec<_> = (0..operation.operand_count())
            .filter(|index| operation.operand(*index).is_ok_and(|value| is_same(value, to)))
            .collect();
        let [write] = writes.as_slice() else { return false };
        operation.operands().enumerate().all(|(index, operand)| match root(operand) {
            None => false,
            Some(root) if is_same(root, to) => index == *write,
            Some(root) if is_same(root, from) => {
                is_same(operand, from) && pairs.contains(&(index, *write))
            }
            Some(_) => true,
        })
    }

    /// True if one buffer can replace two.
    fn fits(&self, from: Value, to: Value) -> bool {
        let is_argument = self.buffers[&ir::id(to)].allocation.is_none();
        same_type(from.r#type(), to.r#type())
            && !is_same(from, to)
            && !(is_argument && self.buffers[&ir::id(from)].alignment > 1)
    }

    /// Replaces two buffers by one.
    fn unite(&mut self, context: &PassContext<'c>, from: Value<'c, 'a>, to: Value<'c, 'a>) {
        let (Some(from), Some(to)) =
            (self.buffers.remove(&ir::id(from)), self.buffers.remove(&ir::id(to)))
        else {
            return;
        };
        let is_from = from.allocation.is_some() && from.allocation < to.allocation;
        let (mut kept, other) = if is_from { (from, to) } else { (to, from) };
        ir::replace_all_uses(other.value, kept.value);
        if let Some(allocation) = other.allocation {
            let gone = self.body.entries[allocation].operation;
            if let Some(allocation) = kept.allocation {
                align_as(context, self.body.entries[allocation].operation, gone);
            }
            self.gone.push(gone);
        }
        kept.accesses.extend(other.accesses);
        kept.alignment = kept.alignment.max(other.alignment);
        self.buffers.insert(ir::id(kept.value), kept);
    }

    /// The pairs of arguments in which a call of the function is element-wise.
    fn summary(&self, summaries: &Summaries) -> Pairs {
        let mut summary = Pairs::new();
        for (to, written) in &self.arguments {
            let buffer = &self.buffers[&ir::id(*written)];
            let tops =
                buffer.accesses.iter().filter_map(|access| self.body.child_of(None, *access));
            let Some(at) = tops.min().filter(|_| buffer.alignment == 1) else { continue };
            let operation = self.body.entries[at].operation;
            let pairs = elementwise::pairs(operation, summaries);
            // It is overwritten completely.
            let is_write = operation.operands().enumerate().any(|(index, operand)| {
                is_same(operand, *written)
                    && (overwrites(operation, index) || pairs.iter().any(|(_, to)| *to == index))
            });
            if !is_write || !self.is_accessed_from(at, buffer) {
                continue;
            }
            for (from, read) in &self.arguments {
                let source = &self.buffers[&ir::id(*read)];
                let is_before = source.accesses.iter().all(|access| {
                    let top = self.body.child_of(None, *access);
                    top.is_some_and(|top| top < at || (top == at && *access == at))
                });
                if from != to
                    && is_before
                    && source.alignment == 1
                    && same_type(read.r#type(), written.r#type())
                    && self.is_alone(operation, *read, *written, &pairs)
                {
                    summary.insert((*from, *to));
                }
            }
        }
        summary
    }
}

/// True if a buffer has a static shape and the identity layout.
fn is_plain(value: Value) -> bool {
    MemRefType::try_from(value.r#type())
        .is_ok_and(|ty| ty.has_static_shape() && ir::has_identity_layout(ty))
}

/// Raises the alignment of an allocation to another allocation's.
fn align_as<'c>(context: &PassContext<'c>, kept: OperationRef<'c, '_>, gone: OperationRef) {
    let of = |operation: OperationRef| {
        let value = ops::attribute(&operation, "alignment")?;
        IntegerAttribute::try_from(value).ok().map(|value| value.value())
    };
    if let Some(wanted) = of(gone)
        && of(kept).is_none_or(|own| own < wanted)
    {
        let ty = IntegerType::new(context.session.context(), 64).into();
        ir::set_attribute(kept, "alignment", IntegerAttribute::new(ty, wanted).into());
    }
}
