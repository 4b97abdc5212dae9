//! Where each buffer lies: all buffers of a function in one allocation, its arena.
//!
//! In: functions on memrefs. Out: the same functions, in which buffers are parts of an
//! arena. Two buffers share bytes if they are never needed at the same time. The smallest
//! arena is a puzzle of rectangles, bytes by time, and no fast way is known to solve it
//! for all programs. To place the largest buffers first comes close.

use crate::dialect::{self, functions, name, operations, result};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::{DimSize, MemRefType};
use melior::ir::{Attribute, BlockLike, BlockRef, Module, ShapedTypeLike, Type};
use melior::ir::{Value, ValueLike};
use melior::{Context, IrRewriter};
use std::cmp::Reverse;
use std::collections::HashMap;

/// A buffer begins where a line of the cache does.
const ALIGNMENT: u64 = 64;

/// Operations whose result is another name for the buffer of their operand.
const VIEWS: [&str; 2] = ["memref.cast", "memref.reshape"];

/// A buffer. Times are numbers of operations in the body of the function.
struct Buffer<'c, 'a> {
    allocation: OperationRef<'c, 'a>,
    size: u64,
    first: usize,
    last: usize,
    /// It gets a name that we cannot follow, and stays as it is.
    escapes: bool,
    offset: u64,
}

impl Buffer<'_, '_> {
    fn end(&self) -> u64 {
        self.offset + self.size
    }

    fn meets(&self, other: &Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// Plans the memory of all functions and returns the plans as pictures.
pub fn plan<'c>(context: &'c Context, module: &Module<'c>) -> String {
    let mut text = String::new();
    for (name, body) in functions(module) {
        let mut buffers = lifetimes(body);
        buffers.retain(|buffer| !buffer.escapes);
        place(&mut buffers);
        if let Some(size) = buffers.iter().map(Buffer::end).max() {
            text += &picture(&name, &buffers, size);
            rewrite(context, body, &buffers, size);
        }
    }
    text
}

/// The buffers that a function allocates.
fn lifetimes<'c, 'a>(body: BlockRef<'c, 'a>) -> Vec<Buffer<'c, 'a>> {
    let mut buffers: Vec<Buffer> = Vec::new();
    // Which of them a value is.
    let mut owners: HashMap<usize, usize> = HashMap::new();
    for (time, operation) in operations(body).into_iter().enumerate() {
        let is_view = VIEWS.contains(&name(operation).as_str());
        for value in operation.operands() {
            let Some(index) = owners.get(&key(value)).copied() else { continue };
            if is_view {
                owners.insert(key(result(operation)), index);
            }
            buffers[index].last = time;
            buffers[index].escapes |= !is_view && renames(operation);
        }
        if let Some(size) = size(operation) {
            owners.insert(key(result(operation)), buffers.len());
            let (allocation, first, last) = (operation, time, time);
            let (escapes, offset) = (false, 0);
            buffers.push(Buffer { allocation, size, first, last, escapes, offset });
        }
    }
    buffers
}

/// A value is known by its address.
fn key(value: Value) -> usize {
    value.to_raw().ptr as usize
}

/// Whether an operand may be known by another name from here on.
fn renames(operation: OperationRef) -> bool {
    operation.result_count() > 0 || name(operation) == "func.return"
}

/// The bytes of an allocation.
fn size(operation: OperationRef) -> Option<u64> {
    let ty = operation.results().next().filter(|_| name(operation) == "memref.alloc")?;
    let ty = MemRefType::try_from(ty.r#type()).ok()?;
    let size = |index| match ty.dim_size(index) {
        Ok(DimSize::Static(size)) => Some(size),
        _ => None,
    };
    let element: u64 = 8;
    let bytes =
        (0..ty.rank()).try_fold(element, |bytes, index| Some(bytes * size(index)?));
    Some(bytes?.next_multiple_of(ALIGNMENT))
}

/// Chooses the offsets: for the largest buffer first, and for each the lowest at which it
/// is in the way of none that has one.
fn place(buffers: &mut [Buffer]) {
    buffers.sort_by_key(|buffer| Reverse(buffer.size));
    for index in 0..buffers.len() {
        let (placed, rest) = buffers.split_at_mut(index);
        let buffer = &mut rest[0];
        let meeting = placed.iter().filter(|other| other.meets(buffer));
        let mut taken: Vec<_> =
            meeting.map(|other| (other.offset, other.end())).collect();
        taken.sort();
        for (start, end) in taken {
            if buffer.end() <= start {
                break;
            }
            buffer.offset = buffer.offset.max(end);
        }
    }
}

/// One allocation for all, and a view of it instead of each.
fn rewrite<'c>(
    context: &'c Context,
    body: BlockRef<'c, '_>,
    buffers: &[Buffer<'c, '_>],
    size: u64,
) {
    let attribute =
        |text: String| Attribute::parse(context, &text).expect("the text is valid");
    let bytes =
        Type::parse(context, &format!("memref<{size}xi8>")).expect("the text is valid");
    let location = buffers[0].allocation.location();
    let mut arena = dialect::operation("memref.alloc", &[], &[bytes], location);
    arena.set_attribute("alignment", attribute(format!("{ALIGNMENT} : i64")));
    let arena = result(body.insert_operation(0, arena));
    for Buffer { allocation, offset, .. } in buffers {
        let (index, location) = (Type::index(context), allocation.location());
        let mut start = dialect::operation("arith.constant", &[], &[index], location);
        start.set_attribute("value", attribute(format!("{offset} : index")));
        let start = result(body.insert_operation_before(*allocation, start));
        let ty = result(*allocation).r#type();
        let view = dialect::operation("memref.view", &[arena, start], &[ty], location);
        let view = body.insert_operation_before(*allocation, view);
        let rewriter = IrRewriter::from_op(*allocation);
        rewriter.as_rewriter_base().replace_op_with_operation(*allocation, view);
    }
}

/// A line for each buffer, with time from left to right.
fn picture(name: &str, buffers: &[Buffer], size: u64) -> String {
    const WIDTH: usize = 60;
    let sum: u64 = buffers.iter().map(|buffer| buffer.size).sum();
    let start = buffers.iter().map(|buffer| buffer.first).min().unwrap_or(0);
    let end = buffers.iter().map(|buffer| buffer.last).max().unwrap_or(0) + 1;
    // An operation is one column, if there are not too many.
    let column = |time: usize| (time - start) * WIDTH.min(end - start) / (end - start);
    let mut text =
        format!("{name}: {size} bytes for {} buffers of {sum}\n", buffers.len());
    let mut rows: Vec<_> = buffers.iter().collect();
    rows.sort_by_key(|buffer| (buffer.offset, buffer.first));
    for buffer in rows {
        let (from, to) = (column(buffer.first), column(buffer.last + 1));
        let bar = " ".repeat(from) + &"#".repeat((to - from).max(1));
        text += &format!("{:>9} to {:<9} {bar}\n", buffer.offset, buffer.end());
    }
    text
}
