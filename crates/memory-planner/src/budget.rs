//! Deterministic budgets: work is counted, time is only looked at on request.
//!
//! Every stage that is not linear spends from a meter, and ends when that is spent. What always
//! runs, whatever the work, spends from a meter of its own ([`Meter::floor`]), which is still
//! bound by the deadline.

use std::time::Instant;

/// Counts work units down. Algorithms call [`Meter::spend`] once per step with the step's cost.
#[derive(Clone, Debug)]
pub struct Meter {
    left: u64,
    spent: u64,
    deadline: Option<Instant>,
    /// Work left until the clock is looked at again.
    until_check: u64,
    expired: bool,
}

const CHECK_EVERY: u64 = 200_000;

impl Meter {
    /// A meter with `work` units that also stops at `deadline`.
    pub fn new(work: u64, deadline: Option<Instant>) -> Self {
        Meter { left: work, spent: 0, deadline, until_check: CHECK_EVERY, expired: false }
    }

    /// A meter that never runs out.
    pub fn unlimited() -> Self {
        Meter::new(u64::MAX, None)
    }

    /// Takes `cost` units; false when none are left.
    pub fn spend(&mut self, cost: u64) -> bool {
        self.spent = self.spent.saturating_add(cost);
        self.left = self.left.saturating_sub(cost);
        self.until_check = self.until_check.saturating_sub(cost);
        if self.until_check == 0 {
            self.until_check = CHECK_EVERY;
            self.expired |= self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        self.left > 0 && !self.expired
    }

    /// Nothing is left.
    pub fn is_spent(&self) -> bool {
        self.left == 0 || self.expired
    }

    /// Units taken so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Units left.
    pub fn left(&self) -> u64 {
        if self.expired { 0 } else { self.left }
    }

    /// The deadline has passed.
    pub fn is_late(&self) -> bool {
        self.expired || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// A meter for what is done even if no work is left: so many units, but the same deadline.
    pub fn floor(&self, work: u64) -> Meter {
        Meter { expired: self.is_late(), ..Meter::new(work, self.deadline) }
    }

    /// Part of this meter: at most `work` units of it. Give it back with [`Meter::absorb`].
    pub fn slice(&self, work: u64) -> Meter {
        let mut slice = Meter::new(work.min(self.left), self.deadline);
        slice.expired = self.expired;
        slice
    }

    /// Charges what a slice spent.
    pub fn absorb(&mut self, slice: &Meter) {
        self.expired |= slice.expired;
        self.spend(slice.spent);
    }
}
