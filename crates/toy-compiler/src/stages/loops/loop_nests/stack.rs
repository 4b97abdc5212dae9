//! The limit on the stack that a program's loops may take.
//!
//! Input: the sizes of buffers, in the order of the program. Output: the buffers that fit. Invariant: all functions may
//! be active at once, each of them once, and of its versions only one; the loops of one function run one after the other.

use melior::ir::BlockRef;
use mlir_support::ir;
use std::collections::HashMap;

/// All buffers of a program together, in bytes.
const MOST: u64 = 1 << 20;

/// The limit for a program whose functions call themselves: less than the check at their start leaves free.
const MOST_IN_RECURSION: u64 = 128 << 10;

/// The rest of the stack.
pub struct Stack {
    left: u64,
    /// The number of elements in the buffer that the products of a function share, by its first block and the size
    /// of an element.
    shared: HashMap<(usize, u64), u64>,
}

impl Stack {
    pub fn new(recurs: bool) -> Self {
        Self { left: if recurs { MOST_IN_RECURSION } else { MOST }, shared: HashMap::new() }
    }

    /// Takes a number of bytes, if there are as many.
    pub fn take(&mut self, bytes: u64) -> bool {
        let rest = self.left.checked_sub(bytes);
        self.left = rest.unwrap_or(self.left);
        rest.is_some()
    }

    /// Takes bytes, and the function's shared buffer with at least these elements, if there is room for both.
    pub fn take_shared(
        &mut self,
        bytes: u64,
        function: BlockRef,
        [elements, element_bytes]: [u64; 2],
    ) -> bool {
        let so_far = self.shared_elements(function, element_bytes);
        let is_taken = self.take(bytes + elements.saturating_sub(so_far) * element_bytes);
        if is_taken {
            self.shared.insert(key(function, element_bytes), so_far.max(elements));
        }
        is_taken
    }

    /// The size of a function's shared buffer.
    pub fn shared_elements(&self, function: BlockRef, element_bytes: u64) -> u64 {
        self.shared.get(&key(function, element_bytes)).copied().unwrap_or(0)
    }
}

fn key(function: BlockRef, element_bytes: u64) -> (usize, u64) {
    (ir::id(function), element_bytes)
}
