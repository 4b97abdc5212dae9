//! `-emit=loops`: linalg becomes loops.
//!
//! Input: linalg on buffers, all of them freed. Output: loops over elements and, from `-O2` on, loop nests over vectors
//! with integers in place of whole numbers, in a version for each processor; with `--threads`, the large ones are parallel.

pub mod interchange;
pub mod loop_nests;
pub mod parallel_loops;
pub mod strided_copies;
pub mod unroll_turns;
pub mod versions;
pub mod watch;
pub mod whole_numbers;

use super::{PipelineOptions, when};
use mlir_support::Pass::{self, Own, Upstream};
use mlir_support::pass::PassDefinition;

/// The passes that are written here.
pub const DEFINED: &[PassDefinition] = &[
    unroll_turns::PASS,
    whole_numbers::PASS,
    versions::PASS,
    loop_nests::PASS,
    interchange::PASS,
    strided_copies::PASS,
    parallel_loops::PASS,
    parallel_loops::OPENMP,
    loop_nests::fences::PASS,
    watch::PASS,
];

/// The passes from the stage `dealloc` to this one.
pub fn passes(options: &PipelineOptions) -> Vec<Pass> {
    [
        when(options.watches_loops, &[Own(&watch::PASS)]),
        when(options.level > 1, &[Own(&unroll_turns::PASS), Own(&whole_numbers::PASS)]),
        when(options.level > 1 && options.versions, &[Own(&versions::PASS)]),
        when(
            options.level > 1,
            &[nests(options), Own(&interchange::PASS), Own(&strided_copies::PASS)],
        ),
        vec![Upstream("convert-linalg-to-loops")],
        when(options.level > 1 && options.threads > 1, &[Own(&parallel_loops::PASS)]),
    ]
    .concat()
}

fn nests(this: &PipelineOptions) -> Pass {
    let threads = (this.threads > 1).then(|| format!("threads={}", this.threads));
    let bytes = this.vector_bytes.map(|bytes| format!("register-bytes={bytes}"));
    let options: Vec<String> = threads.into_iter().chain(bytes).collect();
    Pass::Configured(&loop_nests::PASS, options.join(" "))
}
