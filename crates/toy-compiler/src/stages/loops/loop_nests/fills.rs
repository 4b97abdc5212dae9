//! Products that start with a number: they need not read it from the result.
//!
//! Input: the operations that get loops, in the order of the program, with their classes. Output: for each product
//! that writes its result once, the operation right in front of it that fills the result, and the number. The fill
//! becomes part of the product: for large results of few additions, two of three passes through memory are saved.
//!
//! Invariant: between the fill and the product nothing has an effect, and the product adds to the filled result.

use super::Class;
use super::nest::Nest;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, Value};
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// The fills that are part of products.
#[derive(Default)]
pub struct Fills<'c, 'a> {
    /// The start value of each product, by the product's address.
    starts: HashMap<usize, Value<'c, 'a>>,
    fills: HashSet<usize>,
}

impl<'c, 'a> Fills<'c, 'a> {
    /// True if products fill the result of this operation.
    pub fn are_part_of_products(&self, nest: &Nest) -> bool {
        self.fills.contains(&ir::id(nest.operation))
    }

    /// The start value of a product, if it is not in its result.
    pub fn start(&self, nest: &Nest) -> Option<Value<'c, 'a>> {
        self.starts.get(&ir::id(nest.operation)).copied()
    }
}

pub fn before_products<'c, 'a>(
    planned: &[(Nest<'c, 'a>, BlockRef<'c, 'a>, Class)],
) -> Fills<'c, 'a> {
    let mut found = Fills::default();
    for pair in planned.windows(2) {
        let [(fill, ..), (nest, _, Class::Product(product))] = pair else { continue };
        if !fill.inputs.is_empty()
            || fill.reduced.is_some()
            || fill.output.buffer != nest.output.buffer
            || !product.is_one_block(nest)
            || !is_right_before(fill.operation, nest.operation)
        {
            continue;
        }
        let Some(end) = ir::block_operations(fill.body).pop() else { continue };
        let number = ir::operand(end, 0);
        let is_outside = ir::defining_operation(number).is_some_and(|definition| {
            definition.block().is_some_and(|block| block.to_raw().ptr != fill.body.to_raw().ptr)
        });
        if is_outside {
            found.fills.insert(ir::id(fill.operation));
            found.starts.insert(ir::id(nest.operation), number);
        }
    }
    found
}

/// True if an operation is in front of another one with nothing that has an effect in between.
fn is_right_before<'c, 'a>(operation: OperationRef<'c, 'a>, later: OperationRef<'c, 'a>) -> bool {
    const HARMLESS: [&str; 6] = [
        "arith.constant",
        "memref.alloc",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.get_global",
        "memref.view",
    ];
    let mut at = operation.next_in_block();
    while let Some(next) = at {
        if ir::id(next) == ir::id(later) {
            return true;
        }
        if !HARMLESS.contains(&ir::name(&next)) {
            return false;
        }
        at = next.next_in_block();
    }
    false
}
