//! The chain of operations that ends in a materialized tensor, and where in it a destination can be set.
//!
//! Input: a materialization. Output: the operations that get an empty tensor, the first operation around one of them
//! in the block of the materialization, and the end of the last operation that may use the result. Invariants: the
//! whole chain is in that block or nested in it, so that it is executed if and only if the materialization is; each
//! tensor of the chain but the last has one use.

use super::{MATERIALIZE, Text};
use crate::analysis::tensor_roots::{is_tensor, only_reads};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, Value, ValueLike};
use mlir_support::control_flow::{around, carried, predecessor_values, result_number};
use mlir_support::ir;
use mlir_support::linalg::input_count;
use std::collections::HashSet;

/// The most operations of a chain, and uses of its result.
const LONG: usize = 256;

pub struct Chain<'c, 'a> {
    /// The operations that begin in an empty tensor, and the numbers of their operands.
    pub starts: Vec<(OperationRef<'c, 'a>, usize)>,
    /// The first operation of the block in which something is written.
    pub first: OperationRef<'c, 'a>,
    /// The numbers of the operations from the first one to the last use of the result, with nested operations.
    pub range: std::ops::Range<usize>,
}

impl<'c: 'a, 'a> Chain<'c, 'a> {
    pub fn of(
        materialize: OperationRef<'c, 'a>,
        source: Value<'c, 'a>,
        text: &Text<'c, 'a, '_>,
    ) -> Option<Self> {
        let block = materialize.block()?;
        let starts = starts(source)?;
        let around = |(start, _): &(OperationRef<'c, 'a>, usize)| around(*start, block);
        let firsts: Option<Vec<_>> = starts.iter().map(around).collect();
        let numbered = firsts?.into_iter().map(|first| Some((text.number(first)?, first)));
        let numbered: Option<Vec<_>> = numbered.collect();
        let (start, first) = numbered?.into_iter().min_by_key(|(number, _)| *number)?;
        let end = end(source, materialize, block, text)?;
        Some(Self { starts, first, range: start..end })
    }
}

/// The operations with an empty tensor that the chain begins with; None if there are none, or if a tensor of the
/// chain is used elsewhere.
fn starts<'c: 'a, 'a>(source: Value<'c, 'a>) -> Option<Vec<(OperationRef<'c, 'a>, usize)>> {
    let mut starts = Vec::new();
    let mut pending = vec![source];
    let mut seen = 0;
    while let Some(value) = pending.pop() {
        seen += 1;
        if seen > LONG {
            return None;
        }
        let Some(definition) = ir::defining_operation(value) else { continue };
        let number = result_number(definition, value)?;
        let operand = match ir::name(&definition) {
            "scf.if" => {
                pending.extend(predecessor_values(value)?);
                continue;
            }
            "tensor.insert" | "tensor.insert_slice" => 1,
            "scf.for" | "scf.forall" => carried(definition)?.operands + number,
            name if name.starts_with("linalg.") => match input_count(definition) {
                Some(inputs) => inputs + number,
                None => continue,
            },
            _ => continue,
        };
        let Some(from) = ir::operand_if_any(definition, operand).filter(is_tensor) else {
            continue;
        };
        let is_empty = ir::defining_operation(from)
            .is_some_and(|definition| ir::name(&definition) == "tensor.empty");
        if is_empty && from.r#type() == source.r#type() {
            starts.push((definition, operand));
        } else if ir::uses(from).len() == 1 {
            pending.push(from);
        }
    }
    (!starts.is_empty()).then_some(starts)
}

/// The number after the last operation that may read the result; None if the result has an unknown use.
fn end<'c: 'a, 'a>(
    source: Value<'c, 'a>,
    materialize: OperationRef<'c, 'a>,
    block: BlockRef<'c, 'a>,
    text: &Text<'c, 'a, '_>,
) -> Option<usize> {
    let after = |operation| Some(text.number(operation)? + 1 + ir::operations(operation).len());
    let mut end = after(materialize)?;
    let mut pending = vec![source];
    let mut seen = HashSet::new();
    while let Some(value) = pending.pop() {
        for (user, operand) in ir::uses(value) {
            if seen.len() > LONG {
                return None;
            }
            seen.insert((ir::id(user), operand));
            match ir::name(&user) {
                // The results may be the same memory.
                "tensor.cast"
                | "tensor.extract_slice"
                | "tensor.expand_shape"
                | "tensor.collapse_shape" => pending.extend(user.results().map(Value::from)),
                MATERIALIZE if operand == 0 && user.result_count() == 0 => {}
                // A tensor that is inserted is copied.
                "tensor.insert_slice" | "tensor.parallel_insert_slice" if operand == 0 => {}
                _ if only_reads(user, operand) => {}
                // It is the destination itself.
                MATERIALIZE if ir::id(user) == ir::id(materialize) => {}
                _ => return None,
            }
            end = end.max(after(around(user, block)?)?);
        }
    }
    Some(end)
}
