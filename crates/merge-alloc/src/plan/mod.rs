//! The memory plan of a program as data.
//!
//! Input: the results and decisions of merge-alloc's stages ([`collect`]), so that the plan shows exactly the rewritten
//! program. Output: a [`MemoryPlan`]. Invariants: names and source lines are printable; within an arena every name is
//! unique; everything is in the order of the program's text.

pub mod collect;
mod names;

pub use names::clipped;

use crate::analysis::sizes::loads;
use serde::Serialize;

/// The places of a program's buffers in memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MemoryPlan {
    /// The name of the program's file.
    pub input: String,
    /// True if the program is compiled like this; otherwise this is the plan of the first level that merges.
    pub merged: bool,
    /// The reason why it is not, for readers; the text and the picture show it.
    #[serde(skip)]
    pub note: Option<String>,
    /// The merged allocations.
    pub arenas: Vec<Arena>,
    /// The allocations that are not merged.
    pub untouched: Vec<Untouched>,
}

/// A merged allocation of one scope and one memory space.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arena {
    /// The function that it is in.
    pub function: String,
    /// The operation in the function that is the scope; None for the function itself.
    pub scope: Option<String>,
    /// None is the default memory space.
    pub space: Option<String>,
    /// The bytes of all buffers, each in memory of its own.
    pub before: u64,
    /// The bytes of the merged allocation.
    pub after: u64,
    /// No plan takes fewer bytes.
    pub lower_bound: u64,
    /// The bytes of the merged allocation that only keep the starts of large buffers apart within a page.
    pub staggered: u64,
    /// True if callers pass the memory: then it is a buffer of theirs.
    #[serde(rename = "workspace")]
    pub is_workspace: bool,
    /// True if it is on the stack; otherwise, and unless callers pass it, it is on the heap.
    #[serde(rename = "stack")]
    pub on_stack: bool,
    /// In the order of the text; there is at least one.
    pub buffers: Vec<PlannedBuffer>,
    /// The loops during which buffers are in use, outer ones before inner ones.
    pub loops: Vec<Repeated>,
    /// The number of the scope in the text.
    #[serde(skip)]
    pub order: i64,
}

/// Operations that are repeated, in every iteration of a loop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Repeated {
    /// The first tick.
    pub first: u64,
    /// The last tick.
    pub last: u64,
    /// The line of the loop.
    pub line: Option<u32>,
}

/// A buffer in a merged allocation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlannedBuffer {
    /// The name for readers: a variable, an SSA name, or an expression.
    pub name: String,
    /// Its type in MLIR.
    #[serde(rename = "type")]
    pub ty: String,
    /// The size in bytes.
    pub size: u64,
    /// Its offset is a multiple of this.
    pub alignment: u64,
    /// Its offset in the merged allocation.
    pub offset: u64,
    /// Its offset if no memory were shared.
    pub offset_before: u64,
    /// The first operation that uses it, and the last one.
    pub first: UseSite,
    /// The last operation that uses it.
    pub last: UseSite,
    /// Its source in the program.
    pub source: Option<SourcePlace>,
    /// The element-wise operations that read it and write it: their results need no buffer of their own.
    pub in_place: Vec<UseSite>,
    /// The function that is called with it and has its buffers there.
    pub workspace_of: Option<String>,
    /// True if it keeps what a loop has computed, for a gradient.
    pub tape: bool,
}

/// The start of a tape's name, which its location carries into plans.
pub const TAPE: &str = "tape";

/// An operation that uses a buffer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UseSite {
    /// Its number in the order of the function's text.
    pub tick: u64,
    /// The name of the operation.
    pub operation: String,
    /// The line of the program that it comes from.
    pub line: Option<u32>,
}

/// A place in the program; lines and columns are 1-based, columns count bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourcePlace {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The line, or the part of a long one that begins at the column.
    pub text: String,
}

/// An allocation that stays as it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Untouched {
    /// The function that allocates.
    pub function: String,
    /// The name for readers: a variable, an SSA name, or an expression.
    pub name: String,
    /// Its type in MLIR.
    #[serde(rename = "type")]
    pub ty: String,
    /// The reason, as a clause.
    pub reason: String,
    /// Its source in the program.
    pub source: Option<SourcePlace>,
    /// The number of the function's scope in the text.
    #[serde(skip)]
    pub order: i64,
}

impl MemoryPlan {
    /// The note about a plan that was not applied; None for one that was.
    pub fn shown_note(&self) -> Option<&str> {
        let default = || "the program is not compiled like this";
        (!self.merged).then(|| self.note.as_deref().unwrap_or_else(default))
    }

    /// The number of merged allocations, their bytes, and the bytes of these on the stack; memory that callers pass is
    /// part of the callers' allocations.
    pub fn allocated(&self) -> (usize, u128, u128) {
        let own: Vec<_> = self.arenas.iter().filter(|arena| !arena.is_workspace).collect();
        let bytes = |arena: &&Arena| u128::from(arena.after);
        let on_stack = own.iter().copied().filter(|arena| arena.on_stack);
        (own.len(), own.iter().copied().map(|a| bytes(&a)).sum(), on_stack.map(|a| bytes(&a)).sum())
    }
}

impl Arena {
    /// The function, and the scope and the memory space if they are not the usual ones.
    pub fn title(&self) -> String {
        let scope = self.scope.as_ref().map_or(String::new(), |scope| format!(", {scope}"));
        let space = self.space.as_ref();
        let space = space.map_or(String::new(), |space| format!(", memory space {space}"));
        let function = if self.function.is_empty() { "\"\"" } else { &self.function };
        // Names of functions contain the shapes of all parts of a struct.
        names::clipped(&format!("{function}{scope}{space}"), 72)
    }

    /// The number of results that are computed in the memory of an operand.
    pub fn in_place(&self) -> usize {
        self.buffers.iter().map(|buffer| buffer.in_place.len()).sum()
    }

    /// The bytes of all tapes.
    pub fn tapes(&self) -> u64 {
        self.buffers.iter().filter(|buffer| buffer.tape).map(|buffer| buffer.size).sum()
    }

    /// The percentage of memory that merging saves, rounded down.
    pub fn saved(&self) -> u64 {
        let saved = u128::from(self.before.saturating_sub(self.after));
        (saved * 100 / u128::from(self.before.max(1))) as u64
    }

    /// The first tick and the last one of all buffers.
    pub fn ticks(&self) -> (u64, u64) {
        let first = self.buffers.iter().map(|buffer| buffer.first.tick).min();
        let last = self.buffers.iter().map(|buffer| buffer.last.tick).max();
        (first.unwrap_or(0), last.unwrap_or(0))
    }

    /// The bytes in use: from each of these ticks on, up to the next. The last are 0.
    pub fn live(&self) -> Vec<(u64, u64)> {
        self.live_in_units_of(1)
    }

    /// The bytes in use if every buffer takes a multiple of some bytes.
    pub fn live_in_units_of(&self, unit: u64) -> Vec<(u64, u64)> {
        let changes = self.buffers.iter().flat_map(|buffer| {
            let size = i128::from(round_up(buffer.size, unit));
            [(buffer.first.tick, size), (buffer.last.tick + 1, -size)]
        });
        let mut live = Vec::<(u64, u64)>::new();
        for (tick, bytes) in loads(changes) {
            let now = u64::try_from(bytes).unwrap_or(u64::MAX);
            match live.last_mut().filter(|last| last.0 == tick) {
                Some(last) => last.1 = now,
                None => live.push((tick, now)),
            }
        }
        live.dedup_by_key(|(_, bytes)| *bytes);
        live
    }

    /// The unit of which all offsets are multiples.
    pub fn unit(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.alignment).min().unwrap_or(1).max(1)
    }

    /// The first tick at which the most bytes are in use, and these bytes.
    pub fn peak(&self) -> (u64, u64) {
        let live = self.live();
        let most = live.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
        live.into_iter().find(|(_, bytes)| *bytes == most).unwrap_or((0, 0))
    }
}

/// The next multiple of a unit; `u64::MAX` if there is none.
pub fn round_up(number: u64, unit: u64) -> u64 {
    number.checked_next_multiple_of(unit).unwrap_or(u64::MAX)
}
