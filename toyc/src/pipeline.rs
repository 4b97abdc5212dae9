//! The stages of the compiler and the passes that lead from one to the next.
//!
//! This file is the map: a [`Stage`] names a representation of the program, and [`passes`] lists the passes
//! that produce it from the stage before. A compilation advances stage by stage to the requested one.

pub use crate::Stage;
use crate::lower::{
    c_interface, debug_info, entry_point, markers, math_calls, scalars, texts, toy_to_linalg,
};
use crate::transform::large::{outline, outline_tensors, split_literals};
use crate::transform::workarounds::{
    allocated, atomic_products, deallocate, distinct_yields, free_descriptors, free_early,
    freeze_poison, inline_scopes, unreachable, vector_elements,
};
use crate::transform::{
    bufferize, canonicalize, copies, cse, dead_arguments, destinations, exports, flatten,
    fusion_fences, in_place, indirect_calls, inline, loop_nests, merge_alloc, own_arguments,
    own_copies, own_outs, ownership, parallel_loops, plain_pointers, rotate, specialize,
    unroll_turns, whole_numbers,
};
use ::merge_alloc::Reuse;
use mlir_support::Pass::{self, IfAny, IfMany, IfUsed, Own, Upstream};
use toy_diagnostics::{Code, codes};

/// How the pipeline is set up.
#[derive(Clone, Debug, Default)]
pub struct PipelineOptions {
    /// 0 to 3, as in `-O2`.
    pub level: u8,
    /// Information for debuggers (`-g`).
    pub debug_info: bool,
    /// The output goes to a linker, which may add callers of public functions.
    pub is_linked: bool,
    /// Functions are exported: their callers give the memory, so that all of it is planned at every level.
    pub exports: bool,
    /// How many threads run large loop nests; 0 and 1: none besides the program's.
    pub threads: u8,
    /// The size of the processor's vector registers in bytes; None: not known.
    pub vector_bytes: Option<u64>,
    pub merge_alloc: merge_alloc::Options,
    /// Which passes give remarks.
    pub remarks: Remarks,
}

/// Kinds of remarks, of which each costs time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Buffers that merge-alloc does not merge.
    pub not_merged: bool,
    /// Copies that bufferization makes.
    pub copies: bool,
    /// What bufferization does in place.
    pub in_place: bool,
    /// Buffers whose owner is known only when the program runs.
    pub decided_late: bool,
}

impl Remarks {
    /// Whether a remark is asked for.
    pub fn include(&self, code: Code) -> bool {
        match code {
            codes::COPIED => self.copies,
            codes::IN_PLACE => self.in_place,
            codes::DECIDED_LATE => self.decided_late,
            _ => self.not_merged,
        }
    }

    /// Whether a pass gives some of them.
    pub(crate) fn given_by(&self, pass: &str) -> bool {
        [
            (self.not_merged, merge_alloc::PASS.name),
            (self.copies, copies::REPORT.name),
            (self.in_place, copies::MARK.name),
            (self.decided_late, ownership::REPORT.name),
        ]
        .contains(&(true, pass))
    }

    fn of_copies(&self) -> bool {
        self.copies || self.in_place
    }
}

impl PipelineOptions {
    /// Whether buffers become parts of one allocation.
    pub fn merges(&self) -> bool {
        self.level > 0 || self.exports
    }

    /// Whether a debugger can show the variables: they are then kept as they are in the source, which no
    /// optimization would do.
    pub fn shows_variables(&self) -> bool {
        self.debug_info && self.level == 0
    }
}

/// The passes that produce a stage's program from that of the stage before.
pub fn passes(stage: Stage, options: &PipelineOptions) -> Vec<Pass> {
    let optimize = options.level > 0;
    let when = |condition: bool, passes: &[Pass]| if condition { passes.to_vec() } else { vec![] };
    match stage {
        // The first two before anything is folded.
        Stage::Toy => [
            vec![Own(&indirect_calls::PASS)],
            when(
                optimize,
                &[Own(&vector_elements::PASS), Own(&canonicalize::PASS), Own(&cse::PASS)],
            ),
        ]
        .concat(),
        Stage::Shapes => [
            vec![Own(&specialize::PASS)],
            when(
                optimize,
                &[Own(&canonicalize::PASS), Own(&dead_arguments::PASS), Own(&cse::PASS)],
            ),
        ]
        .concat(),
        Stage::Linalg => [
            vec![Own(&flatten::PASS)],
            // Tensors of structs of which others are read.
            when(optimize, &[Own(&dead_arguments::PASS)]),
            when(options.level > 1, &[Own(&inline::PASS)]),
            vec![
                // Operations of .mlir input on tensors. After the next passes there are some on numbers as well.
                IfAny(is_arithmetic, "convert-elementwise-to-linalg"),
                Own(&split_literals::PASS),
                Own(&outline::PASS),
                Own(&toy_to_linalg::PASS),
            ],
            // A debugger shows variables in memory.
            when(!options.shows_variables(), &[Own(&scalars::PASS)]),
            when(
                optimize,
                &[
                    Upstream("func.func(linalg-generalize-named-ops)"),
                    Own(&fusion_fences::ADD),
                    Upstream("linalg-fuse-elementwise-ops"),
                    Own(&fusion_fences::REMOVE),
                    Upstream(CANONICALIZE_TENSORS),
                ],
            ),
        ]
        .concat(),
        Stage::Memref => [
            // After fusion, which makes new destinations.
            when(!options.shows_variables(), &[Own(&own_outs::PASS)]),
            vec![
                // Bufferization and deallocation need structured control flow.
                Own(&unreachable::PASS),
                IfUsed(&["cf"], "lift-cf-to-scf"),
                // Replaces the poison that lifting inserts.
                Own(&freeze_poison::TENSORS),
            ],
            // The caller gives an exported function its memory: its loops do not allocate.
            when(options.exports, &[Own(&own_arguments::PASS)]),
            vec![
                Own(&destinations::PASS),
                Own(&distinct_yields::PASS),
                Own(&outline_tensors::PASS),
                // What is inserted into a tensor is computed there.
                IfAny(is_insertion, "eliminate-empty-tensors"),
                Own(&deallocate::DISTINCT_TENSORS),
            ],
            when(options.remarks.of_copies(), &[Own(&copies::MARK)]),
            vec![
                Own(&bufferize::PASS),
                // Before the next one, which does not look through reshapes.
                Upstream("canonicalize"),
                Own(&own_copies::PASS),
                Own(&deallocate::DROP_EQUIVALENT_RESULTS),
                Own(&deallocate::DISTINCT_BUFFERS),
                Own(&deallocate::RESULTS_TO_OUT_PARAMS),
            ],
            when(options.exports, &[Own(&exports::RESULTS)]),
        ]
        .concat(),
        Stage::Merged => [
            when(optimize || options.exports, &[Own(&rotate::PASS)]),
            when(optimize, &[Own(&in_place::PASS)]),
            when(options.remarks.of_copies(), &[Own(&copies::REPORT)]),
            when(options.merges(), &[merge_alloc(options)]),
            when(options.exports, &[Own(&exports::WORKSPACE)]),
        ]
        .concat(),
        Stage::Dealloc => [
            when(!options.is_linked, &[Own(&ownership::MAKE_PRIVATE)]),
            vec![
                Own(&freeze_poison::BUFFERS),
                Own(&ownership::EXPAND_RESHAPES),
                Own(&ownership::PREPARE),
                Upstream("expand-realloc{emit-deallocs=false}"),
                Upstream(
                    "ownership-based-buffer-deallocation{private-function-dynamic-ownership=true}",
                ),
                Own(&ownership::SETTLE),
                Upstream("canonicalize"),
                Upstream("buffer-deallocation-simplification"),
                // Loops carry with each buffer whether it is to be freed: never, for those
                // that take turns in a merged one. Where that is known, no code finds it out.
                IfUsed(&["scf"], "sccp"),
                IfUsed(&["scf"], "canonicalize"),
            ],
            when(options.remarks.decided_late, &[Own(&ownership::REPORT)]),
            vec![
                Own(&allocated::LOWER_DEALLOCATIONS),
                Upstream("convert-bufferization-to-memref"),
                Upstream("cse"),
                Upstream("canonicalize"),
                Own(&free_early::PASS),
            ],
        ]
        .concat(),
        Stage::Loops => [
            when(
                options.level > 1,
                &[Own(&unroll_turns::PASS), Own(&whole_numbers::PASS), loop_nests(options)],
            ),
            vec![Upstream("convert-linalg-to-loops")],
            when(options.level > 1 && options.threads > 1, &[Own(&parallel_loops::PASS)]),
        ]
        .concat(),
        Stage::MlirLlvm => [
            when(options.threads > 1, &[openmp(options.threads)]),
            when(options.level > 1, &[Own(&loop_nests::fences::PASS)]),
            vec![
                Own(&inline_scopes::PASS),
                Own(&free_descriptors::PASS),
                Own(&atomic_products::PASS),
                IfUsed(&["vector"], "convert-vector-to-scf"),
                IfAny(|name| name.starts_with("affine."), "lower-affine"),
                Own(&allocated::READ_POINTERS),
                // Before reshapes lose their names.
                Own(&plain_pointers::PASS),
                IfAny(has_strides, "expand-strided-metadata"),
                IfAny(|name| name.starts_with("affine."), "lower-affine"),
                Upstream("convert-scf-to-cf"),
                IfUsed(&["vector"], "convert-vector-to-llvm"),
                Own(&math_calls::PASS),
                IfUsed(&["math"], "convert-math-to-llvm"),
                IfUsed(&["math"], "convert-math-to-libm"),
                IfUsed(&["ub", "vector"], "convert-ub-to-llvm"),
                Own(&entry_point::FINALIZE_MEMREF),
                // The next one goes through all functions to find what each call calls.
                IfMany("func.func", MANY_FUNCTIONS, "convert-func-to-llvm"),
                // All other dialects at once: each conversion looks at every operation.
                Upstream("convert-to-llvm"),
                Upstream("reconcile-unrealized-casts"),
                Own(&texts::PASS),
                Own(&entry_point::MAIN_STATUS),
            ],
            when(options.exports, &[Own(&c_interface::PASS)]),
            vec![Own(&entry_point::INTERNAL_LINKAGE)],
            debug_info(options),
        ]
        .concat(),
        _ => vec![],
    }
}

/// Canonicalization of tensors without the patterns of LLVM 22 that are wrong. The first gives what a loop carries
/// the type that it has before the loop, although its size may change in the loop. The others, which fold constant
/// offsets into slices, guess which dimensions of size 1 the slice drops: `[1, 3, 1]` to `1x3` becomes `[1, 1, 3]`
/// (llvm/llvm-project pull requests 178118 and 217361). What they would fold is folded in the subviews of buffers.
const CANONICALIZE_TENSORS: &str = concat!(
    "canonicalize{disable-patterns={",
    "'(anonymous namespace)::ForOpTensorCastFolder',",
    "'mlir::OpWithOffsetSizesAndStridesConstantArgumentFolder<mlir::tensor::ExtractSliceOp, ",
    "SliceReturnTypeCanonicalizer, SliceCanonicalizer>',",
    "'(anonymous namespace)::InsertSliceOpConstantArgumentFolder<mlir::tensor::InsertSliceOp>'}}",
);

/// From here on, a conversion of functions by itself takes less time than it saves.
const MANY_FUNCTIONS: usize = 500;

fn merge_alloc(options: &PipelineOptions) -> Pass {
    let mut merging = options.merge_alloc.clone();
    // A debugger can look at every variable as long as its function runs.
    if options.level == 0 {
        merging.reuse = Reuse::None;
    }
    // For the loops of `toy-loop-nests`; without them it makes no difference.
    if options.level >= 2 {
        merging.stagger.get_or_insert(true);
    }
    Pass::configured(&merge_alloc::PASS, move |context, module| {
        merge_alloc::run(context, module, &merging)
    })
}

fn loop_nests(this: &PipelineOptions) -> Pass {
    let parallel = this.threads > 1;
    let defaults = loop_nests::Options::default();
    let register_bytes = this.vector_bytes.unwrap_or(defaults.register_bytes);
    let options = loop_nests::Options { parallel, register_bytes, ..defaults };
    Pass::configured(&loop_nests::PASS, move |context, module| {
        loop_nests::run(context, module, &options)
    })
}

/// Only in a program with threads: loading `omp` takes time.
fn openmp(threads: u8) -> Pass {
    Pass::configured(&parallel_loops::OPENMP, move |context, module| {
        parallel_loops::to_openmp(context, module, threads)
    })
}

/// Whether an operation computes, with numbers or with tensors.
fn is_arithmetic(name: &str) -> bool {
    let of = |dialect| name.strip_prefix(dialect).is_some_and(|name| name != "constant");
    of("arith.") || of("math.")
}

/// True if an operation copies a tensor to a part of another one.
fn is_insertion(name: &str) -> bool {
    ["tensor.insert_slice", "tensor.parallel_insert_slice"].contains(&name)
}

/// Whether an operation may be one that `expand-strided-metadata` changes: those on memrefs that it does
/// not are most of a program.
fn has_strides(name: &str) -> bool {
    const OTHERS: [&str; 9] =
        ["alloc", "alloca", "dealloc", "load", "store", "copy", "cast", "get_global", "global"];
    name.strip_prefix("memref.").is_some_and(|name| !OTHERS.contains(&name))
}

/// The passes that turn the locations of the LLVM dialect, and what it says about variables, into debug
/// information. Without it, nothing is left of variables.
fn debug_info(options: &PipelineOptions) -> Vec<Pass> {
    let drop = Own(&markers::DROP_VARIABLES);
    match (options.debug_info, options.shows_variables()) {
        (false, _) => vec![drop],
        (true, false) => [&[drop], DEBUG_LINES].concat(),
        (true, true) => {
            vec![Own(&entry_point::FORGET_GLOBAL_LOCATIONS), Own(&debug_info::VARIABLES)]
        }
    }
}

/// The passes that turn locations into debug information and leave the program as it is.
pub const DEBUG_LINES: &[Pass] =
    &[Own(&entry_point::FORGET_GLOBAL_LOCATIONS), Own(&debug_info::LINES)];

/// The names of all passes, for `--print-ir-after=`.
pub fn pass_names() -> Vec<&'static str> {
    let mut names: Vec<_> = all_passes().iter().map(Pass::name).collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
    names
}

/// The passes of all stages, with optimization and without.
fn all_passes() -> Vec<Pass> {
    let of = |level| {
        let options = PipelineOptions {
            level,
            debug_info: true,
            exports: true,
            remarks: Remarks { copies: true, decided_late: true, ..Remarks::default() },
            ..PipelineOptions::default()
        };
        Stage::MLIR.iter().flat_map(move |stage| passes(*stage, &options))
    };
    of(2).chain(of(1)).chain(of(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes;

    #[test]
    fn every_pass_of_the_pipeline_can_be_named() {
        for pass in all_passes() {
            if let Own(definition) | Pass::Configured(definition, _) = pass {
                assert!(passes::named(definition.name).is_some(), "{}", definition.name);
            }
        }
    }
}
