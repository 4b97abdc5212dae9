//! The pass's options as data: their defaults, and the alignment that they require.
//!
//! | file | contents |
//! |---|---|
//! | [`text`] | options in the syntax of MLIR, `{name=value name}`, and their help |
//! | [`lists`] | the lists in that text, with brackets and quotes |

mod lists;
mod text;

use crate::analysis::sizes::{self, HEAP};
use memory_planner::Planner;
pub use text::OPTIONS;

/// The options of merging: the defaults are changed field by field, or come from a text ([`Options::parse`]).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The last step of the pass.
    pub mode: Mode,
    /// The planner that finds the offsets.
    pub planner: Planner,
    /// The most bytes that a merged allocation may have; more is an error.
    pub capacity: Option<u64>,
    /// The least alignment of a merged buffer, a power of two.
    pub alignment: u64,
    /// True if a buffer smaller than `alignment` is aligned only to the next power of two of its size, and to no more
    /// than malloc's alignment, without an explicit alignment where malloc's is enough. Other buffers are aligned less
    /// where merging would otherwise cost memory. None: unset, which is false.
    pub compact: Option<bool>,
    /// True if large buffers begin apart within a page. None: unset, which is false.
    pub stagger: Option<bool>,
    /// Scopes with fewer allocations stay as they are. None: two, or one if the memory is on the stack.
    pub min_allocs: Option<usize>,
    /// The most bytes of a merged allocation on the stack, where the stack is safe. None: unset, which is 0.
    pub stack: Option<u64>,
    /// The memory spaces to merge in besides the default one, as MLIR prints them.
    pub memory_spaces: Vec<String>,
    /// The buffers that may share memory.
    pub reuse: Reuse,
    /// True if an operation that is not in the table is an error instead of a reason not to merge.
    pub strict: bool,
    /// True if functions get the memory of their temporaries from their callers. None: unset, which is false.
    pub call_trees: Option<bool>,
    /// True if the pass is nested under `func.func` in a pipeline: then it sees the functions of the module itself, one
    /// at a time.
    pub is_nested: bool,
    /// Declared functions that call nothing of the module, such as functions that print. Other functions without a body
    /// may call anything.
    pub leaf_functions: Vec<String>,
    /// True if merged buffers are overwritten before their first access, to find errors of a plan.
    pub poison: bool,
}

/// The last step of the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Lifetimes, as attributes.
    Analyze,
    /// Lifetimes and offsets, as attributes.
    Plan,
    /// The changed program.
    Merge,
}

/// The buffers that may share memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// No two: one allocation, in which each buffer has memory of its own.
    None,
    /// Buffers whose lifetimes do not overlap.
    Ticks,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::Merge,
            planner: Planner::Portfolio,
            capacity: None,
            alignment: 64,
            compact: None,
            stagger: None,
            min_allocs: None,
            stack: None,
            memory_spaces: Vec::new(),
            reuse: Reuse::Ticks,
            strict: false,
            call_trees: None,
            is_nested: false,
            leaf_functions: Vec::new(),
            poison: false,
        }
    }
}

impl Options {
    /// The alignment of a buffer of this size, as far as the options say. Compact buffers are aligned as malloc aligns
    /// them when they are not merged, if they are small or a larger alignment would cost much.
    pub fn alignment_of(&self, size: u64) -> u64 {
        match size.checked_next_power_of_two() {
            Some(next) if self.is_compact() && next <= self.alignment => next.min(HEAP),
            _ if self.is_compact() && !sizes::alignment_is_cheap(size, self.alignment) => {
                HEAP.min(self.alignment)
            }
            _ => self.alignment,
        }
    }

    /// True if [`Options::compact`] is on.
    pub fn is_compact(&self) -> bool {
        self.compact == Some(true)
    }

    /// The options for a whole program that runs on a heap like this machine's: unset options become call trees,
    /// compact buffers and small allocations on the stack. By itself the pass is more careful.
    #[must_use]
    pub fn for_whole_program(mut self) -> Self {
        self.call_trees.get_or_insert(true);
        // Many tensors are smaller than a cache line.
        self.compact.get_or_insert(true);
        self.stack.get_or_insert(STACK);
        self
    }
}

/// The most bytes that a function may have on the stack unless the options say otherwise: little of the 8 MiB that a
/// thread usually has, and of the 128 KiB of a small one.
const STACK: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_buffers_are_aligned_as_malloc_does_it() {
        let alignment = |text, size| Options::parse(text).map(|options| options.alignment_of(size));
        for (text, size, expected) in [
            ("", 8, 64),
            ("compact=false", 8, 64),
            ("compact", 8, 8),
            ("compact", 24, 16),
            ("compact", 48, 16),
            ("compact", 65, 16),
            ("compact", 128, 64),
            ("compact", 1032, 64),
            ("compact", u64::MAX, 64),
            ("compact alignment=16", 24, 16),
            ("compact alignment=256", 65, 16),
            ("compact alignment=8", 24, 8),
        ] {
            assert_eq!(alignment(text, size), Ok(expected), "{text} {size}");
        }
    }
}
