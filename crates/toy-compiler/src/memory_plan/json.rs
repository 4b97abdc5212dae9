//! The plan for tools.
//!
//! Output: one JSON object:
//!
//! ```text
//! { "version": 1,             the version of this format, which may gain fields
//!   "input": "prog.toy",
//!   "merged": true,           false: the program is not compiled like this (-O0)
//!   "arenas": [               one for each merged allocation
//!     { "function": "main",
//!       "scope": null,        or the operation in the function that is the scope
//!       "space": null,        or the text of the memory space
//!       "before": 192,        bytes, with memory of its own for each buffer
//!       "after": 96,          bytes of the merged allocation
//!       "lower_bound": 96,    no plan takes fewer
//!       "staggered": 0,       bytes that keep the starts of large buffers apart within a page
//!       "workspace": false,   true: callers pass the memory, it is a buffer of theirs
//!       "stack": false,       true: it is on the stack
//!       "buffers": [
//!         { "name": "a * b", "type": "memref<2x2xf64>",
//!           "size": 32, "alignment": 64,
//!           "offset": 64,     in the merged allocation
//!           "offset_before": 128,
//!           "first": { "tick": 7, "operation": "linalg.mul", "line": 3 },
//!           "last": { ... },  in use from the first to the last tick, both inclusive
//!           "source": { "line": 3, "column": 10, "text": "return a * b;" },   or null
//!           "in_place": [{ "tick": 8, ... }],    the operations that read it and write it
//!           "workspace_of": null,       or the function that is called with it and works in it
//!           "tape": false } ],          true: it keeps what a loop has computed, for a gradient
//!       "loops": [{ "first": 7, "last": 9, "line": 4 }],   ticks that each iteration repeats
//!       "live": [[7, 32], [9, 0]] } ],     [tick, bytes in use from there on]
//!   "untouched": [
//!     { "function": "main", "name": "c", "type": "memref<?xf64>", "reason": "...", "source": ... } ] }
//! ```

use ::merge_alloc::plan::{Arena, MemoryPlan, Untouched};
use serde::Serialize;

/// The plan as JSON.
pub fn json(plan: &MemoryPlan) -> String {
    let arenas = plan.arenas.iter().map(|arena| WithCurve { arena, live: arena.live() }).collect();
    let document = Document {
        version: 1,
        input: &plan.input,
        merged: plan.merged,
        arenas,
        untouched: &plan.untouched,
    };
    // Strings and numbers only, so this cannot fail.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Serialize)]
struct Document<'p> {
    version: u32,
    input: &'p str,
    merged: bool,
    arenas: Vec<WithCurve<'p>>,
    untouched: &'p [Untouched],
}

#[derive(Serialize)]
struct WithCurve<'p> {
    #[serde(flatten)]
    arena: &'p Arena,
    live: Vec<(u64, u64)>,
}
