//! Rewrite patterns as Rust closures, run by MLIR's greedy driver.
//!
//! A pattern is a function from an operation and a rewriter to true if it changed anything. Rules
//! for patterns: change the program only through the rewriter, and do not touch an operation after
//! erasing or replacing it.
//!
//! A [`Trace`] records each rewrite and may stop after some: a module that is rewritten again with one more rewrite shows
//! what this one does. The order of rewrites is the same each time.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Location, Module};
use melior::{Context, GreedyRewriteDriverConfig, GreedySimplifyRegionLevel, PatternRewriter};
use melior::{RewritePatternSet, RewriterBase};
use melior::{apply_patterns_and_fold_greedily, create_op_rewrite_pattern};
use std::cell::RefCell;
use std::fmt;

/// A rewrite of one kind of operation.
#[derive(Clone, Copy)]
pub struct Pattern {
    /// The operation it starts from, `toy.transpose` for instance.
    pub root: &'static str,
    pub rule: Rule,
    pub rewrite: fn(&Rewriter, OperationRef) -> bool,
}

/// A pattern in words: `transpose(transpose x)` → `x`, if both reverse the dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub before: &'static str,
    pub after: &'static str,
    /// The condition besides the form of the operations. Empty: there is none.
    pub condition: &'static str,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} → {}", self.before, self.after)?;
        match self.condition {
            "" => Ok(()),
            condition => write!(f, ", as {condition}"),
        }
    }
}

/// The rewrites that were done.
pub struct Trace<'c> {
    /// The most rewrites to do.
    pub limit: usize,
    /// The rule of each, and the location of the operation it started from.
    pub rewrites: RefCell<Vec<(Rule, Location<'c>)>>,
}

impl Trace<'_> {
    pub fn new(limit: usize) -> Self {
        Self { limit, rewrites: RefCell::default() }
    }

    fn is_full(&self) -> bool {
        self.rewrites.borrow().len() >= self.limit
    }
}

/// The tools of a running pattern.
pub struct Rewriter<'r, 'c> {
    pub context: &'c Context,
    pub base: &'r RewriterBase<'c, 'r>,
}

/// Applies the patterns until none fires. Err where MLIR's driver gives up: as it is given
/// no limit, it has no reason to.
pub fn apply_greedily<'c>(
    module: &Module<'c>,
    patterns: impl IntoIterator<Item = Pattern>,
    trace: Option<&Trace<'c>>,
) -> Result<(), melior::Error> {
    let owner = module.context();
    // SAFETY: the closures below run only inside `apply_patterns_and_fold_greedily`,
    // while this function has `owner`, to which the first reference points, and borrows
    // the trace.
    let context: &'static Context = unsafe { std::mem::transmute(owner.to_ref()) };
    let trace: Option<&'static Trace<'static>> = unsafe { std::mem::transmute(trace) };
    let set = RewritePatternSet::new(context);
    for pattern in patterns {
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
                if trace.is_some_and(Trace::is_full) {
                    return false;
                }
                // The operation may be erased.
                let location = trace.map(|_| operation.location());
                let is_changed = (pattern.rewrite)(&Rewriter { context, base: &base }, operation);
                if let (true, Some(trace), Some(location)) = (is_changed, trace, location) {
                    trace.rewrites.borrow_mut().push((pattern.rule, location));
                }
                is_changed
            },
            &[],
        ));
    }
    let config = GreedyRewriteDriverConfig::new();
    config.set_max_iterations(-1);
    config.set_region_simplification_level(GreedySimplifyRegionLevel::Disabled);
    apply_patterns_and_fold_greedily(module, set.freeze(), &config)
}
