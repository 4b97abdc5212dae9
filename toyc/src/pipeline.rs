//! The stages of the compiler and the passes that lead from one to the next.
//!
//! This page is the map: a [`Stage`] names a representation of the program, [`passes`] says how
//! the one before becomes it. The driver walks the stages in order and stops at the one asked for.

pub use crate::Stage;
use crate::diagnostic::Diagnosed;
use crate::lower::{debug_info, entry_point, inline_scopes, markers, toy_to_linalg};
use crate::mlir::Pass::{self, IfAny, IfUsed, Own, Upstream};
use crate::mlir::pass::{OwnPass, PassContext};
use crate::transform::needs::Needs;
use crate::transform::{
    bufferize, canonicalize, cse, dead_arguments, deallocate, distinct_yields, flatten, free_early,
    freeze_poison, in_place, indirect_calls, merge_alloc, outline, outline_tensors, ownership,
    plain_pointers, rotate, specialize, split_literals, unreachable, vector_elements,
    verify_merged,
};
use melior::ir::Module;

/// How the pipeline is set up.
#[derive(Clone, Debug, Default)]
pub struct PipelineOptions {
    /// 0 to 3, as in `-O2`.
    pub level: u8,
    /// Information for debuggers (`-g`).
    pub debug_info: bool,
    /// What is made is for a linker, which may find other callers of public functions.
    pub is_linked: bool,
    pub merge_alloc: merge_alloc::Options,
}

impl PipelineOptions {
    /// Whether a debugger is to show the variables: they then exist as the program says, which no
    /// optimization would leave so.
    pub fn shows_variables(&self) -> bool {
        self.debug_info && self.level == 0
    }
}

/// The passes that make a stage's program from the one of the stage before.
pub fn passes(stage: Stage, options: &PipelineOptions) -> Vec<Pass> {
    let optimize = options.level > 0;
    let when = |condition: bool, passes: &[Pass]| if condition { passes.to_vec() } else { vec![] };
    match stage {
        // The first two before anything is folded.
        Stage::Toy => [
            vec![Own("toy-call-by-name", indirect_calls::run)],
            when(
                optimize,
                &[
                    Own("toy-insert-vectors", vector_elements::run),
                    Own("toy-canonicalize", canonicalize::run),
                    Own("toy-cse", cse::run),
                ],
            ),
        ]
        .concat(),
        Stage::Shapes => [
            vec![Own("toy-specialize", specialize::run)],
            when(
                optimize,
                &[
                    Own("toy-canonicalize", canonicalize::run),
                    Own("toy-dead-arguments", dead_arguments::run),
                    Own("toy-cse", cse::run),
                ],
            ),
        ]
        .concat(),
        Stage::Linalg => [
            vec![Own("toy-flatten-structs", flatten::run)],
            // Tensors of structs of which others are read.
            when(optimize, &[Own("toy-dead-arguments", dead_arguments::run)]),
            vec![
                Own("toy-split-literals", split_literals::run),
                Own("toy-outline", outline::run),
                Own("toy-to-linalg", toy_to_linalg::run),
            ],
            when(
                optimize,
                &[
                    Upstream("func.func(linalg-generalize-named-ops)"),
                    Upstream("linalg-fuse-elementwise-ops"),
                    Upstream(KEEP_LOOP_TYPES),
                ],
            ),
        ]
        .concat(),
        Stage::Memref => vec![
            // Bufferization and deallocation need structured control flow.
            Own("toy-return-poison", unreachable::run),
            IfUsed(&["cf"], "lift-cf-to-scf"),
            // What lifting hands on where there is nothing.
            Own("toy-freeze-tensors", freeze_poison::tensors),
            Own("toy-distinct-yields", distinct_yields::run),
            Own("toy-outline-tensors", outline_tensors::run),
            Own("toy-distinct-tensors", deallocate::distinct_tensors),
            Own("one-shot-bufferize", bufferize::run),
            // Before drop-equivalent-buffer-results, which does not look through reshapes.
            Upstream("canonicalize"),
            Own("drop-equivalent-buffer-results", deallocate::drop_equivalent_results),
            Own("toy-distinct-buffers", deallocate::distinct_buffers),
            Own("buffer-results-to-out-params", deallocate::results_to_out_params),
        ],
        Stage::Merged => when(
            optimize,
            &[
                Own("toy-rotate-buffers", rotate::run),
                Own("toy-in-place", in_place::run),
                merge_alloc(options),
            ],
        ),
        Stage::Dealloc => [
            when(!options.is_linked, &[Own("toy-make-private", ownership::make_private)]),
            vec![
                Own("toy-freeze-poison", freeze_poison::run),
                Own("toy-expand-reshapes", ownership::expand_reshapes),
                Own("toy-prepare-ownership", ownership::prepare),
                Upstream("expand-realloc{emit-deallocs=false}"),
                Upstream(
                    "ownership-based-buffer-deallocation{private-function-dynamic-ownership=true}",
                ),
                Own("toy-settle-ownership", ownership::settle),
                Upstream("canonicalize"),
                Upstream("buffer-deallocation-simplification"),
                // Loops carry with each buffer whether it is to be freed: never, for those that take
                // turns in a merged one. Where that is known, no code has to find it out.
                IfUsed(&["scf"], "sccp"),
                IfUsed(&["scf"], "canonicalize"),
                Upstream("bufferization-lower-deallocations"),
                Upstream("convert-bufferization-to-memref"),
                Upstream("cse"),
                Upstream("canonicalize"),
                Own("optimize-allocation-liveness", free_early::run),
            ],
        ]
        .concat(),
        Stage::Loops => vec![Upstream("convert-linalg-to-loops")],
        // Aligned memory is asked for as such: the other form asks malloc for more and rounds the address
        // as a number, after which LLVM no longer knows that nothing else points there.
        Stage::MlirLlvm => [
            vec![
                Own("toy-inline-scopes", inline_scopes::run),
                IfUsed(&["vector"], "convert-vector-to-scf"),
                IfAny(|name| name.starts_with("affine."), "lower-affine"),
                // Before reshapes lose their names.
                Own("toy-plain-pointers", plain_pointers::run),
                IfAny(has_strides, "expand-strided-metadata"),
                IfAny(|name| name.starts_with("affine."), "lower-affine"),
                Upstream("convert-scf-to-cf"),
                IfUsed(&["vector"], "convert-vector-to-llvm"),
                IfUsed(&["math"], "convert-math-to-llvm"),
                IfUsed(&["math"], "convert-math-to-libm"),
                IfUsed(&["ub", "vector"], "convert-ub-to-llvm"),
                Upstream("finalize-memref-to-llvm{use-aligned-alloc=true}"),
                // All other dialects at once: each conversion looks at every operation.
                Upstream("convert-to-llvm"),
                Upstream("reconcile-unrealized-casts"),
                Own("toy-free-generic-pointers", entry_point::free_generic_pointers),
                Own("toy-main-status", entry_point::give_main_a_status),
                Own("toy-internal-linkage", entry_point::give_internal_linkage),
            ],
            debug_info(options),
        ]
        .concat(),
        _ => vec![],
    }
}

/// Canonicalization of tensors. One of its patterns gives what a loop carries the type that it has before the
/// loop, although its size may change in the loop (LLVM 22).
const KEEP_LOOP_TYPES: &str =
    "canonicalize{disable-patterns='(anonymous namespace)::ForOpTensorCastFolder'}";

fn merge_alloc(options: &PipelineOptions) -> Pass {
    let options = options.merge_alloc.clone();
    Pass::configured("merge-alloc", move |context, module| {
        merge_alloc::run(context, module, &options)
    })
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
    let drop = Own("toy-drop-variables", markers::erase);
    match (options.debug_info, options.shows_variables()) {
        (false, _) => vec![drop],
        (true, false) => [&[drop], DEBUG_LINES].concat(),
        (true, true) => vec![
            Own("toy-forget-global-locations", entry_point::forget_global_locations),
            Own("toy-debug-variables", debug_info::lines_and_variables),
        ],
    }
}

/// The passes that turn locations into debug information and leave the program as it is.
pub const DEBUG_LINES: &[Pass] = &[
    Own("toy-forget-global-locations", entry_point::forget_global_locations),
    Own("toy-debug-lines", debug_info::lines),
];

/// A pass of ours that a textual pipeline may name.
pub struct NamedPass {
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    pub needs: Needs,
    /// Whether it may also stand under `func.func`.
    pub on_functions: bool,
    /// Reads the text of its options; empty is none. Err says what is wrong with it.
    pub prepare: fn(options: &str, on_functions: bool) -> Result<Prepared, String>,
}

/// A pass of ours with its options.
pub type Prepared =
    Box<dyn for<'c> Fn(&PassContext<'c>, &Module<'c>) -> Diagnosed<()> + Send + Sync>;

/// A pass of ours that takes no options.
fn without_options(name: &str, options: &str, run: OwnPass) -> Result<Prepared, String> {
    if options.is_empty() {
        Ok(Box::new(run))
    } else {
        Err(format!("the pass `{name}` has no options"))
    }
}

macro_rules! plain {
    ($name:literal, $run:path, $needs:ident, $about:literal) => {
        NamedPass {
            name: $name,
            about: $about,
            needs: Needs::$needs,
            on_functions: false,
            prepare: |options, _| without_options($name, options, $run),
        }
    };
}

/// Our passes by name, for pipelines that are given as text. What stands in for a pass of MLIR's has
/// its name behind `toy-`.
pub const OWN: &[NamedPass] = &[
    NamedPass {
        name: "merge-alloc",
        about: "Let the buffers of a function, or of call trees, share one allocation",
        needs: Needs::Nothing,
        on_functions: true,
        prepare: |options, on_functions| {
            let mut options =
                merge_alloc::Options::parse(options).map_err(|problem| problem.message)?;
            if on_functions && options.call_trees == Some(true) {
                return Err("`call-trees` is for `merge-alloc` on the whole module".to_owned());
            }
            options.is_nested = on_functions;
            Ok(Box::new(move |context, module| merge_alloc::run(context, module, &options)))
        },
    },
    plain!(
        "toy-in-place",
        in_place::run,
        Nothing,
        "Let element-wise operations write over operands that are not needed again"
    ),
    plain!(
        "verify-merged-allocs",
        verify_merged::run,
        Nothing,
        "Check that merged buffers in use at one time do not overlap"
    ),
    plain!(
        "toy-canonicalize",
        canonicalize::run,
        Nothing,
        "Simplify Toy operations and erase dead ones"
    ),
    plain!(
        "toy-cse",
        cse::run,
        Nothing,
        "Merge equal Toy operations, calls and functions, and erase dead ones"
    ),
    plain!(
        "toy-dead-arguments",
        dead_arguments::run,
        Nothing,
        "Erase parameters that nothing reads, and what is computed for them"
    ),
    plain!(
        "toy-specialize",
        specialize::run,
        Nothing,
        "Infer shapes; one function per callee and argument shapes"
    ),
    plain!("toy-flatten-structs", flatten::run, Inferred, "Turn structs into the tensors in them"),
    plain!(
        "toy-split-literals",
        split_literals::run,
        Tensors,
        "Split literals of thousands of elements"
    ),
    plain!("toy-outline", outline::run, Tensors, "Split functions of thousands of operations"),
    plain!("toy-to-linalg", toy_to_linalg::run, Tensors, "Lower Toy to linalg on tensors"),
    plain!(
        "toy-call-by-name",
        indirect_calls::run,
        Nothing,
        "Call tensor functions by name instead of address"
    ),
    plain!(
        "toy-insert-vectors",
        vector_elements::run,
        Nothing,
        "Put tensors of vectors together vector by vector"
    ),
    plain!(
        "toy-freeze-tensors",
        freeze_poison::tensors,
        Nothing,
        "Put empty tensors in the place of poison"
    ),
    plain!(
        "toy-distinct-yields",
        distinct_yields::run,
        Nothing,
        "Copy tensors that loops hand on twice"
    ),
    plain!(
        "toy-outline-tensors",
        outline_tensors::run,
        Nothing,
        "Split long blocks of operations on tensors"
    ),
    plain!(
        "toy-return-poison",
        unreachable::run,
        Nothing,
        "Let unreachable blocks return poison, for lift-cf-to-scf"
    ),
    plain!(
        "toy-distinct-tensors",
        deallocate::distinct_tensors,
        Nothing,
        "Copy tensors that are returned twice"
    ),
    plain!(
        "toy-one-shot-bufferize",
        bufferize::run,
        Nothing,
        "Bufferize with function boundaries, in groups"
    ),
    plain!(
        "toy-drop-equivalent-buffer-results",
        deallocate::drop_equivalent_results,
        Nothing,
        "Drop results that are arguments, if there are any"
    ),
    plain!(
        "toy-distinct-buffers",
        deallocate::distinct_buffers,
        Nothing,
        "Copy buffers that are returned twice"
    ),
    plain!(
        "toy-buffer-results-to-out-params",
        deallocate::results_to_out_params,
        Nothing,
        "Let callers allocate results that were tensors"
    ),
    plain!(
        "toy-rotate-buffers",
        rotate::run,
        Nothing,
        "Let loops take turns with a few buffers, instead of one per iteration"
    ),
    plain!(
        "toy-make-private",
        ownership::make_private,
        Nothing,
        "Make all functions but main private, if there is a main"
    ),
    plain!(
        "toy-freeze-poison",
        freeze_poison::run,
        Nothing,
        "Put buffers that nobody frees in the place of poison"
    ),
    plain!(
        "toy-optimize-allocation-liveness",
        free_early::run,
        Nothing,
        "Free buffers after their last use"
    ),
    plain!(
        "toy-expand-reshapes",
        ownership::expand_reshapes,
        Nothing,
        "Turn memref.reshape into casts of one buffer"
    ),
    plain!(
        "toy-prepare-ownership",
        ownership::prepare,
        Nothing,
        "Mark what the input frees; refuse public results that may not be owned"
    ),
    plain!(
        "toy-settle-ownership",
        ownership::settle,
        Nothing,
        "Remove the marks of toy-prepare-ownership; refuse copies without an owner"
    ),
    plain!(
        "toy-inline-scopes",
        inline_scopes::run,
        Nothing,
        "Save and restore the stack in place of memref.alloca_scope with buffers as results"
    ),
    plain!(
        "toy-free-generic-pointers",
        entry_point::free_generic_pointers,
        Nothing,
        "Cast what free gets into the default memory space"
    ),
    plain!(
        "toy-plain-pointers",
        plain_pointers::run,
        Nothing,
        "Let buffers of static shape be plain pointers where nothing needs more"
    ),
    plain!(
        "toy-main-status",
        entry_point::give_main_a_status,
        Nothing,
        "Let the LLVM dialect's main return 0"
    ),
    plain!(
        "toy-internal-linkage",
        entry_point::give_internal_linkage,
        Nothing,
        "Give private functions of the LLVM dialect internal linkage"
    ),
    plain!(
        "toy-forget-global-locations",
        entry_point::forget_global_locations,
        Nothing,
        "Drop the locations of globals of the LLVM dialect"
    ),
    plain!(
        "toy-drop-variables",
        markers::erase,
        Nothing,
        "Erase what the LLVM dialect knows of variables"
    ),
    plain!(
        "toy-debug-lines",
        debug_info::lines,
        Nothing,
        "Describe the functions of the LLVM dialect for debuggers"
    ),
    plain!(
        "toy-debug-variables",
        debug_info::lines_and_variables,
        Nothing,
        "The same, and keep the variables on the stack"
    ),
];

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
        let options = PipelineOptions { level, debug_info: true, ..PipelineOptions::default() };
        Stage::MLIR.iter().flat_map(move |stage| passes(*stage, &options))
    };
    of(1).chain(of(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_pass_of_ours() {
        // What a pass with options looks like.
        let prepare: fn(&str, bool) -> Result<Prepared, String> = |options, _| {
            let size = options.strip_prefix("size=").ok_or("the option is `size`")?;
            let size: usize = size.parse().map_err(|_| format!("`{size}` is no size"))?;
            Ok(Box::new(move |_, _| if size > 1 { Ok(()) } else { Err(Vec::new()) }))
        };
        assert!(prepare("size=2", false).is_ok());
        assert_eq!(prepare("size=x", false).err().as_deref(), Some("`x` is no size"));
        for pass in OWN {
            let refused = (pass.prepare)("x=y", false).err();
            let names_it = |why: String| why.contains(pass.name) || why.contains("`x=y`");
            assert!(refused.is_some_and(names_it), "{}", pass.name);
            assert!((pass.prepare)("", pass.on_functions).is_ok());
        }
    }

    #[test]
    fn every_pass_of_ours_has_a_name() {
        for pass in all_passes() {
            if let Own(name, _) = pass {
                let stand_in = format!("toy-{name}");
                assert!(OWN.iter().any(|own| own.name == name || own.name == stand_in), "{name}");
            }
        }
    }
}
