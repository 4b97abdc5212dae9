//! The rewrites of one run of canonicalization, one by one.
//!
//! Input: the module before the pass. Output: for each rewrite its rule, and the parts before it and after it. Each
//! comes from a copy of the module that is rewritten up to there, so that the pass need not stop in the middle.
//! Invariants: the copies are rewritten in the same order as the module; at most [`MOST`] rewrites are followed, and at
//! most [`WORK`] operations copied, since the work is quadratic.

use crate::parts::Pool;
use crate::passes::Passes;
use melior::ir::Module;
use mlir_support::rewrite::Trace;
use mlir_support::{Locations, ir};
use serde::Serialize;
use toy_compiler::stages::toy::canonicalize;

const MOST: usize = 60;

const WORK: usize = 10_000;

/// One rewrite.
#[derive(Clone, Debug, Serialize)]
pub struct Rewrite {
    /// `transpose(transpose x) → x, as both reverse the dimensions`
    rule: String,
    before: Vec<u32>,
    after: Vec<u32>,
}

/// The first rewrites of a module.
pub fn of(module: &Module, locations: &Locations, pool: &mut Pool) -> Vec<Rewrite> {
    let size = ir::operations(module.as_operation()).len();
    let mut passes = Passes::default();
    passes.start(module, locations, pool);
    let mut rewrites = Vec::new();
    for limit in 1..=MOST.min(WORK / size) {
        let Some(copy) = Module::from_operation(ir::clone(module.as_operation())) else { break };
        let trace = Trace::new(limit);
        let is_done = canonicalize::rewrite(&copy, Some(&trace)).is_ok();
        let rule = trace.rewrites.borrow().get(limit - 1).map(|(rule, _)| rule.to_string());
        let Some(rule) = rule.filter(|_| is_done) else { break };
        let change = passes.after(&copy, locations, pool);
        rewrites.push(Rewrite { rule, before: change.before, after: change.after });
    }
    rewrites
}
