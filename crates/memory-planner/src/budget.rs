//! Deterministic budgets: work is counted; the clock is read only if there is a time limit.
//!
//! Every stage that is not linear spends from a meter, and ends when the meter is empty. Stages
//! that always run, whatever the work, spend from a meter of their own ([`Meter::guaranteed`]),
//! which still has the deadline.

use std::time::Instant;

/// Counts down work units. Algorithms call [`Meter::spend`] once per step with the step's cost.
#[derive(Clone, Debug)]
pub struct Meter {
    left: u64,
    spent: u64,
    deadline: Option<Instant>,
    /// Work left until the clock is read again.
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

    /// Takes `cost` units; false if none are left.
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

    /// True if the work or the time is used up.
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

    /// True if the deadline has passed.
    pub fn is_past_deadline(&self) -> bool {
        self.expired || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// A meter for a stage that runs even if no work is left: `work` units, and the same deadline.
    pub fn guaranteed(&self, work: u64) -> Meter {
        Meter { expired: self.is_past_deadline(), ..Meter::new(work, self.deadline) }
    }

    /// A part of this meter, at most `work` units. Charge its spent units with [`Meter::absorb`].
    pub fn slice(&self, work: u64) -> Meter {
        let mut slice = Meter::new(work.min(self.left), self.deadline);
        slice.expired = self.expired;
        slice
    }

    /// Charges the units that a slice spent.
    pub fn absorb(&mut self, slice: &Meter) {
        self.expired |= slice.expired;
        self.spend(slice.spent);
    }
}
