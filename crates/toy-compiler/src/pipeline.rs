//! The sequence of the stages, and the passes that lead from one to the next.
//!
//! Input: a [`Stage`] and options. Output: the passes that produce its program from the previous stage's. Each
//! stage's passes are listed in its folder: the passes of `-emit=linalg` in `stages/linalg/mod.rs`. A compilation
//! advances stage by stage to the requested one.

pub use crate::Stage;
pub use crate::stages::{PipelineOptions, Remarks};
use crate::stages::{dealloc, linalg, loops, memref, merged, mlir_llvm, shapes, toy};
use mlir_support::Pass;

/// The passes that produce a stage's program from the previous stage's.
pub fn passes(stage: Stage, options: &PipelineOptions) -> Vec<Pass> {
    match stage {
        Stage::Toy => toy::passes(options),
        Stage::Shapes => shapes::passes(options),
        Stage::Linalg => linalg::passes(options),
        Stage::Memref => memref::passes(options),
        Stage::Merged => merged::passes(options),
        Stage::Dealloc => dealloc::passes(options),
        Stage::Loops => loops::passes(options),
        Stage::MlirLlvm => mlir_llvm::passes(options),
        _ => vec![],
    }
}

/// True if a pass gives some of the remarks.
pub(crate) fn gives(pass: &str, remarks: &Remarks) -> bool {
    [
        (remarks.not_merged, merged::merge_alloc::PASS.name),
        (remarks.of_copies(), merged::copies::PASS.name),
        (remarks.decided_late, dealloc::ownership::REPORT.name),
        (remarks.rewrites, toy::canonicalize::PASS.name),
        (remarks.tapes, shapes::differentiate::PASS.name),
    ]
    .contains(&(true, pass))
}

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
            versions: true,
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
            if let Pass::Own(definition) | Pass::Configured(definition, _) = pass {
                assert!(passes::named(definition.name).is_some(), "{}", definition.name);
            }
        }
    }
}
