//! The next choice: where in time, and the order in which to try its members.
//!
//! Where: the section with the greatest weight; weights start from the loads and grow with every
//! dead end in the section (as in Boussemart et al.'s dom/wdeg), so that the search concentrates on
//! the hard sections. In which order: by static criteria, perturbed by noise in later runs.

use super::problem::Problem;
use super::state::{Cause, Conflict, DeadEnd, State};
use crate::random::SplitMix64;

/// Weights that persist over runs, and the present run's preferences.
pub struct Selector {
    pub weight: Vec<u64>,
    /// Position of each item in the order of preference.
    pub rank: Vec<u32>,
    /// The region in which to branch.
    pub region: Region,
    pub bump: u64,
    cost: u64,
}

/// The rules that select the section of the next choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The heaviest section.
    Weight,
    /// The heaviest section among the sections that start lowest.
    Lowest,
}

/// Static criteria: greater values come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// Greatest load of any section in which the item is live.
    Load,
    Width,
    Size,
    Area,
    /// Greatest number of items in any section in which the item is live.
    Crowd,
    Overlaps,
    Align,
}

impl Selector {
    pub fn new(problem: &Problem) -> Self {
        let sum = |members: &Vec<u32>| members.iter().map(|&i| problem.size[i as usize]).sum();
        let load: Vec<u64> = problem.members.iter().map(sum).collect();
        let most = u128::from(load.iter().copied().max().unwrap_or(0).max(1));
        Selector {
            weight: load.iter().map(|&load| (u128::from(load) * 1024 / most) as u64).collect(),
            rank: vec![0; problem.len()],
            region: Region::Weight,
            bump: 1 << 6,
            cost: 0,
        }
    }

    /// Ranks the items by the criteria in turn; `noise` of 1024 is the chance to move an item.
    pub fn order(
        &mut self,
        problem: &Problem,
        criteria: &[Criterion],
        noise: u64,
        random: &mut SplitMix64,
    ) {
        let items = problem.len();
        let keys: Vec<Vec<u64>> = criteria.iter().map(|&c| values(problem, c)).collect();
        let mut order: Vec<u32> = (0..items as u32).collect();
        order.sort_by_key(|&item| {
            let key: Vec<u64> = keys.iter().map(|key| !key[item as usize]).collect();
            key
        });
        for index in 0..items {
            if random.below(1024) < noise {
                let reach = (items / 4).max(1) as u64;
                let other = (index as u64 + random.below(reach)).min(items as u64 - 1);
                order.swap(index, other as usize);
            }
        }
        for (position, &item) in order.iter().enumerate() {
            self.rank[item as usize] = position as u32;
        }
    }

    /// The pivot and the threshold of the next choice; its members in order of preference.
    pub fn choose(
        &mut self,
        problem: &Problem,
        state: &State,
        candidates: &mut Vec<u32>,
    ) -> (u32, u64) {
        let end = |item: u32| state.bound[item as usize] + problem.size[item as usize];
        let section = self.section(problem, state);
        let open = |item: &u32| !state.placed[*item as usize];
        let members = problem.members[section].iter().copied().filter(open);
        let mut pivot = members.min_by_key(|&item| (end(item), item)).unwrap_or(0);
        // Descend to an item such that no neighbor of it or of its competitors ends earlier.
        'descend: loop {
            let threshold = end(pivot);
            candidates.clear();
            candidates.push(pivot);
            for &other in problem.neighbors[pivot as usize].iter().filter(|item| open(item)) {
                if end(other) < threshold {
                    pivot = other;
                    continue 'descend;
                }
                if state.bound[other as usize] < threshold {
                    candidates.push(other);
                }
            }
            for &member in candidates.iter() {
                let neighbors = &problem.neighbors[member as usize];
                self.cost += neighbors.len() as u64;
                for &other in neighbors.iter().filter(|item| open(item)) {
                    if end(other) < threshold {
                        pivot = other;
                        continue 'descend;
                    }
                }
            }
            candidates.sort_unstable_by_key(|&item| self.rank[item as usize]);
            return (pivot, threshold);
        }
    }

    fn section(&mut self, problem: &Problem, state: &State) -> usize {
        self.cost += problem.members.len() as u64;
        let open = (0..problem.members.len()).filter(|&section| state.open[section] > 0);
        match self.region {
            Region::Weight => open.max_by_key(|&section| (self.weight[section], !section)),
            Region::Lowest => open.min_by_key(|&section| {
                (lowest(problem, state, section), !self.weight[section], section)
            }),
        }
        .unwrap_or(0)
    }

    /// Makes the section of a dead end heavier.
    pub fn bump(&mut self, problem: &Problem, state: &State, dead_end: DeadEnd) {
        let section = match dead_end {
            DeadEnd::Conflict(Conflict::Overload { section, .. }) => section,
            DeadEnd::Conflict(Conflict::TooHigh(item)) => match state.history[item as usize].last()
            {
                None => return,
                Some(&(event, _)) => match state.trail[event as usize].cause {
                    Cause::NotFirst(section) => section,
                    _ => problem.span[item as usize].0,
                },
            },
            DeadEnd::Exhausted => return,
        };
        self.weight[section as usize] += self.bump;
    }

    /// Operations since the last call.
    pub fn take_cost(&mut self) -> u64 {
        std::mem::take(&mut self.cost)
    }
}

fn lowest(problem: &Problem, state: &State, section: usize) -> u64 {
    let open = problem.members[section].iter().filter(|&&item| !state.placed[item as usize]);
    open.map(|&item| state.bound[item as usize]).min().unwrap_or(0)
}

fn values(problem: &Problem, criterion: Criterion) -> Vec<u64> {
    let sum = |members: &Vec<u32>| members.iter().map(|&i| problem.size[i as usize]).sum::<u64>();
    let over = |per: &dyn Fn(&Vec<u32>) -> u64, item: usize| {
        let (lo, hi) = problem.span[item];
        problem.members[lo as usize..hi as usize].iter().map(per).max().unwrap_or(0)
    };
    let value = |item: usize| {
        let (lo, hi) = problem.span[item];
        let width = u64::from(hi - lo);
        match criterion {
            Criterion::Load => over(&|members| sum(members), item),
            Criterion::Width => width,
            Criterion::Size => problem.size[item],
            Criterion::Area => problem.size[item].saturating_mul(width),
            Criterion::Crowd => over(&|members| members.len() as u64, item),
            Criterion::Align => problem.align[item],
            Criterion::Overlaps => problem.neighbors[item].len() as u64,
        }
    };
    (0..problem.len()).map(value).collect()
}
