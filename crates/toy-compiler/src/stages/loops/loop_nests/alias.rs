//! Checks if two buffers of an operation share memory.
//!
//! A buffer is followed through views to its *root*, an allocation, a global or an argument, with the offset
//! in bytes that the views add up to.
//!
//! Iterations of parallel loops have no order, so that an operation may read an element of its result only at
//! the index it writes; merge-alloc and `toy-in-place` ensure this. This analysis is about views of one root,
//! where it can be checked.

use crate::dialect::ops;
use melior::ir::r#type::MemRefType;
use melior::ir::{Value, ValueLike};
use merge_alloc::analysis::sizes;
use mlir_support::{constants, ir};

/// The overlap of two buffers of an operation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Overlap {
    /// They share no byte, or have different roots: then the elements that they share have the same index.
    Apart,
    /// They start at the same byte.
    Same,
    /// They may overlap in any way.
    Unknown,
}

/// The overlap of two buffers of an operation.
pub fn overlap(a: Value, b: Value) -> Overlap {
    let [a, b] = [a, b].map(Place::of);
    if a.root != b.root {
        return Overlap::Apart;
    }
    let (Some(from_a), Some(from_b), Some(size_a), Some(size_b)) =
        (a.offset, b.offset, a.size, b.size)
    else {
        return Overlap::Unknown;
    };
    match () {
        () if from_a == from_b && size_a == size_b => Overlap::Same,
        () if from_a + size_a <= from_b || from_b + size_b <= from_a => Overlap::Apart,
        () => Overlap::Unknown,
    }
}

struct Place {
    /// The address of the root.
    root: usize,
    offset: Option<u64>,
    size: Option<u64>,
}

impl Place {
    fn of(buffer: Value) -> Self {
        let size = MemRefType::try_from(buffer.r#type()).ok().and_then(sizes::of_buffer);
        let mut root = buffer;
        let mut offset = Some(0u64);
        while let Some(definition) = ir::defining_operation(root) {
            match ir::name(&definition) {
                "memref.alloc" | "memref.alloca" | "memref.get_global" => {}
                "memref.view" => {
                    let shift = constants::size(ir::operand(definition, 1));
                    offset =
                        offset.zip(shift).and_then(|(offset, shift)| offset.checked_add(shift));
                    root = ir::operand(definition, 0);
                    continue;
                }
                "memref.expand_shape" | "memref.collapse_shape" | "memref.cast"
                    if is_plain(ir::operand(definition, 0)) =>
                {
                    root = ir::operand(definition, 0);
                    continue;
                }
                _ => offset = None,
            }
            break;
        }
        // Two uses of one global are two operations.
        let global = ir::defined_by(root, "memref.get_global");
        let name = global.and_then(|global| ops::attribute(&global, "name"));
        Self {
            root: name.map_or(ir::id(root), ir::id),
            offset,
            size: size.map(|layout| layout.size),
        }
    }
}

fn is_plain(buffer: Value) -> bool {
    MemRefType::try_from(buffer.r#type()).is_ok_and(ir::has_identity_layout)
}
