//! Rewrite patterns as Rust closures, run by MLIR's greedy driver.
//!
//! A pattern is a function from an operation and a rewriter to true if it changed anything. Rules
//! for patterns: change the program only through the rewriter, and do not touch an operation after
//! erasing or replacing it.

use melior::ir::Module;
use melior::ir::operation::OperationRef;
use melior::{Context, GreedyRewriteDriverConfig, GreedySimplifyRegionLevel, PatternRewriter};
use melior::{RewritePatternSet, RewriterBase};
use melior::{apply_patterns_and_fold_greedily, create_op_rewrite_pattern};

/// A rewrite of one kind of operation.
#[derive(Clone, Copy)]
pub struct Pattern {
    /// The operation it starts from, `toy.transpose` for instance.
    pub root: &'static str,
    pub rewrite: fn(&Rewriter, OperationRef) -> bool,
}

/// The tools of a running pattern.
pub struct Rewriter<'r, 'c> {
    pub context: &'c Context,
    pub base: &'r RewriterBase<'c, 'r>,
}

/// Applies the patterns until none fires. Err where MLIR's driver gives up: as it is given
/// no limit, it has no reason to.
pub fn apply_greedily(
    context: &Context,
    module: &Module,
    patterns: impl IntoIterator<Item = Pattern>,
) -> Result<(), melior::Error> {
    let set = RewritePatternSet::new(context);
    // SAFETY: the closures below run only inside `apply_patterns_and_fold_greedily`, while
    // `context` is borrowed by this function.
    let context: &'static Context = unsafe { std::mem::transmute(context) };
    for pattern in patterns {
        let rewrite = pattern.rewrite;
        set.add(create_op_rewrite_pattern(
            pattern.root,
            1,
            context,
            move |_, operation, rewriter| {
                // SAFETY: MLIR passes a live operation and the rewriter of this application.
                let (operation, rewriter) = unsafe {
                    (OperationRef::from_raw(operation), PatternRewriter::from_raw(rewriter))
                };
                let base = rewriter.as_rewriter_base();
                rewrite(&Rewriter { context, base: &base }, operation)
            },
            &[],
        ));
    }
    let config = GreedyRewriteDriverConfig::new();
    config.set_max_iterations(-1);
    config.set_region_simplification_level(GreedySimplifyRegionLevel::Disabled);
    apply_patterns_and_fold_greedily(module, set.freeze(), &config)
}
