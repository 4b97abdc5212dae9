//! The changes of each pass.
//!
//! Input: the module before the first pass and after each one. Output: the parts before a pass and after it.
//! Invariants: the work of all passes together is bounded ([`Budget`]); only functions that a pass has changed are
//! printed again, as their fingerprints say; functions that are too large for the rest of the budget are not followed
//! from there on, and counted; functions that are not followed appear neither before a change nor after it.

use super::origin;
use super::parts::{self, Pool};
use melior::ir::Module;
use mlir_support::session::{Printing, printed};
use mlir_support::{Locations, func, ir};
use std::collections::{HashMap, HashSet};

/// Large literals are printed without their elements.
const PRINTING: Printing = Printing {
    locations: false,
    generic: false,
    local_scope: true,
    is_part: true,
    elide_larger_than: Some(64),
};

/// The number of operations that may still be printed.
#[derive(Default)]
pub struct Budget(usize);

impl Budget {
    /// The budget for a module. If a program cannot be followed as a whole anyway, less of it is worth the time.
    fn of(module: &Module) -> Self {
        let mut budget = Self(30_000);
        if ir::has_more_operations(module.as_operation(), budget.take()) {
            budget.0 /= 6;
        }
        budget
    }

    /// The number of operations of a module to print: fewer over time, but never none.
    fn take(&mut self) -> usize {
        (self.0 / 12).max(200)
    }
}

/// The followed part of a program.
#[derive(Default)]
pub struct Passes {
    budget: Budget,
    before: Vec<Followed>,
    /// The operations that are not followed any more.
    left_out: HashSet<String>,
}

/// An operation of the module: its symbol, its fingerprint, and its parts.
struct Followed {
    name: String,
    fingerprint: u64,
    parts: Vec<u32>,
}

/// The parts before a pass and after it.
pub struct Change {
    pub before: Vec<u32>,
    pub after: Vec<u32>,
    /// The number of functions that are not followed.
    pub left_out: usize,
    /// True if everything is followed, and nothing has changed, including parts that are not shown.
    pub is_same: bool,
}

impl Passes {
    /// The program before the first pass.
    pub fn start(&mut self, module: &Module, locations: &Locations, pool: &mut Pool) {
        self.budget = Budget::of(module);
        self.before = self.followed(module, locations, pool).0;
    }

    /// The changes of the last pass.
    pub fn after(&mut self, module: &Module, locations: &Locations, pool: &mut Pool) -> Change {
        let (after, left_out) = self.followed(module, locations, pool);
        let before = std::mem::replace(&mut self.before, after);
        let fingerprints =
            |all: &[Followed]| all.iter().map(|one| one.fingerprint).collect::<Vec<_>>();
        let is_same = left_out == 0 && fingerprints(&before) == fingerprints(&self.before);
        let before = before.into_iter().filter(|one| !self.left_out.contains(&one.name));
        let before = before.flat_map(|one| one.parts).collect();
        let after = self.before.iter().flat_map(|one| &one.parts).copied().collect();
        Change { before, after, left_out, is_same }
    }

    /// The followed operations, and the number of functions that are not followed.
    fn followed(
        &mut self,
        module: &Module,
        locations: &Locations,
        pool: &mut Pool,
    ) -> (Vec<Followed>, usize) {
        let mut left = self.budget.take();
        let (mut followed, mut left_out) = (Vec::new(), 0);
        let before: HashMap<&str, &Followed> =
            self.before.iter().map(|one| (one.name.as_str(), one)).collect();
        for operation in ir::block_operations(module.body()) {
            let name = func::symbol_name(&operation);
            // A function of the language is the same in every program.
            if name.starts_with("toy.") {
                continue;
            }
            if self.left_out.contains(&name) {
                left_out += 1;
                continue;
            }
            let inside = ir::operations(operation);
            let fingerprint = ir::fingerprint(operation, &inside);
            let same = before.get(name.as_str()).filter(|one| one.fingerprint == fingerprint);
            if let Some(same) = same {
                followed.push(Followed { name, fingerprint, parts: same.parts.clone() });
                continue;
            }
            if inside.len() > left {
                self.left_out.insert(name);
                left_out += 1;
                continue;
            }
            left -= inside.len();
            self.budget.0 = self.budget.0.saturating_sub(inside.len() + 1);
            let text = printed(operation, PRINTING);
            let text = text.trim_end();
            let operations = [vec![operation], inside].concat();
            let origins =
                origin::of_operations(text, module.as_operation(), &operations, locations);
            let parts = parts::cut_operation(text, &origins, pool);
            followed.push(Followed { name, fingerprint, parts });
        }
        (followed, left_out)
    }
}
