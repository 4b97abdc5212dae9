//! `-emit=mlir-llvm`: everything becomes MLIR's LLVM dialect.
//!
//! Input: loops on buffers. Output: the LLVM dialect alone, with an entry point, the functions that C calls, and the
//! information for debuggers that `-g` requests.

pub mod c_interface;
pub mod debug_info;
pub mod entry_point;
pub mod free_descriptors;
pub mod inline_scopes;
pub mod loop_hints;
pub mod many_results;
pub mod mathematics;
pub mod plain_pointers;
pub mod signed_offsets;
mod slots;

use super::dealloc::allocated;
use super::loops::{loop_nests, parallel_loops};
use super::{PipelineOptions, when};
use crate::runtime_calls::{markers, texts};
use mathematics::Fused;
use mlir_support::Pass::{self, IfAny, IfMany, IfUsed, Own, Upstream};
use mlir_support::pass::PassDefinition;

/// The passes that are written here.
pub const DEFINED: &[PassDefinition] = &[
    inline_scopes::PASS,
    free_descriptors::PASS,
    plain_pointers::PASS,
    mathematics::PASS,
    loop_hints::PASS,
    many_results::PASS,
    entry_point::FINALIZE_MEMREF,
    signed_offsets::PASS,
    entry_point::MAIN_STATUS,
    c_interface::PASS,
    entry_point::INTERNAL_LINKAGE,
    entry_point::FORGET_GLOBAL_LOCATIONS,
    debug_info::LINES,
    debug_info::VARIABLES,
];

/// The passes that turn locations into debug information and leave the program as it is.
pub const DEBUG_LINES: &[Pass] =
    &[Own(&entry_point::FORGET_GLOBAL_LOCATIONS), Own(&debug_info::LINES)];

/// From here on, a conversion of functions by itself takes less time than it saves.
const MANY_FUNCTIONS: usize = 500;

/// The passes from the stage `loops` to this one.
pub fn passes(options: &PipelineOptions) -> Vec<Pass> {
    [
        when(options.threads > 1, &[openmp(options.threads)]),
        when(options.level > 1, &[Own(&loop_nests::fences::PASS)]),
        vec![
            Own(&inline_scopes::PASS),
            Own(&free_descriptors::PASS),
            IfUsed(&["vector"], "convert-vector-to-scf"),
            IfAny(|name| name.starts_with("affine."), "lower-affine"),
        ],
        // Before loads and stores lose their indices.
        when(options.level > 1, &[Own(&loop_hints::PASS)]),
        vec![
            Own(&allocated::READ_POINTERS),
            // Before reshapes lose their names.
            Own(&plain_pointers::PASS),
            IfAny(has_strides, "expand-strided-metadata"),
            IfAny(|name| name.starts_with("affine."), "lower-affine"),
            mathematics(options),
            Upstream("convert-scf-to-cf"),
            Own(&many_results::PASS),
            IfUsed(&["vector"], "convert-vector-to-llvm"),
            IfUsed(&["math"], "convert-math-to-llvm"),
            IfUsed(&["math"], "convert-math-to-libm"),
            IfUsed(&["ub", "vector"], "convert-ub-to-llvm"),
            Own(&entry_point::FINALIZE_MEMREF),
            Own(&signed_offsets::PASS),
            // The next one goes through all functions to find what each call calls.
            IfMany("func.func", MANY_FUNCTIONS, "convert-func-to-llvm"),
            // All other dialects at once: each conversion looks at every operation.
            Upstream("convert-to-llvm"),
            Upstream("reconcile-unrealized-casts"),
        ],
        // Its calls have texts, too.
        when(options.exports, &[Own(&c_interface::PASS)]),
        vec![
            Own(&texts::PASS),
            Own(&entry_point::MAIN_STATUS),
            Own(&entry_point::INTERNAL_LINKAGE),
        ],
        debug_information(options),
    ]
    .concat()
}

fn mathematics(this: &PipelineOptions) -> Pass {
    let fused = match () {
        () if this.is_fused => Fused::Instruction,
        () if this.versions => Fused::Chosen,
        () => Fused::Written,
    };
    Pass::Configured(&mathematics::PASS, fused.option())
}

/// Only in a program with threads: loading `omp` takes time.
fn openmp(threads: u8) -> Pass {
    Pass::Configured(&parallel_loops::OPENMP, format!("threads={threads}"))
}

/// True if an operation may be one that `expand-strided-metadata` changes: those on memrefs that it does
/// not are most of a program.
fn has_strides(name: &str) -> bool {
    const OTHERS: [&str; 9] =
        ["alloc", "alloca", "dealloc", "load", "store", "copy", "cast", "get_global", "global"];
    name.strip_prefix("memref.").is_some_and(|name| !OTHERS.contains(&name))
}

/// The passes that turn the locations of the LLVM dialect, and its markers of variables, into debug information.
/// Without it, nothing is left of variables.
fn debug_information(options: &PipelineOptions) -> Vec<Pass> {
    let drop = Own(&markers::DROP_VARIABLES);
    match (options.debug_info, options.shows_variables()) {
        (false, _) => vec![drop],
        (true, false) => [&[drop], DEBUG_LINES].concat(),
        (true, true) => {
            vec![Own(&entry_point::FORGET_GLOBAL_LOCATIONS), Own(&debug_info::VARIABLES)]
        }
    }
}
