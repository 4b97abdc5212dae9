//! The ways in which the random tests compile a program.
//!
//! Input: a seed. Output: two ways, one that optimizes little and one that optimizes much; with
//! TOYC_RANDOM_ONE_WAY=1 one of them, so that more programs can be run in the same time. Invariant: of 16 seeds
//! in a row, half are compiled at plain -O0 or -O2, and each other way is the way of at least one.

use super::variable;

/// Options of the compiler, and the name under which runs are counted.
pub struct Way {
    pub name: &'static str,
    pub options: &'static [&'static str],
}

const PLAIN: Way = Way { name: "-O0", options: &["-O0"] };
const OPTIMIZED: Way = Way { name: "-O2", options: &["-O2"] };

/// Buffers hold garbage before they are written, so that reading too early shows.
const POISONED: [Way; 2] = [
    Way { name: "-O0-poisoned", options: &["-O0", "--merge-alloc=poison"] },
    Way { name: "-O2-poisoned", options: &["-O2", "--merge-alloc=poison"] },
];

/// Each buffer has its own allocation: problems that merge-alloc would hide or cause show in the same programs.
const UNMERGED: [Way; 2] = [
    Way { name: "-O1-unmerged", options: &["-O1", UNMERGED_OPTION] },
    Way { name: "-O2-unmerged", options: &["-O2", UNMERGED_OPTION] },
];
const UNMERGED_OPTION: &str = "--merge-alloc=min-allocs=1000000000";

const OTHER_LEVELS: [Way; 2] =
    [Way { name: "-O1", options: &["-O1"] }, Way { name: "-O3", options: &["-O3"] }];

/// The ways of a seed.
pub fn of(seed: u64) -> Vec<&'static Way> {
    let [little, much] = match seed % 8 {
        1 => &POISONED,
        3 => &UNMERGED,
        5 | 7 => &OTHER_LEVELS,
        _ => &[PLAIN, OPTIMIZED],
    };
    match (variable("TOYC_RANDOM_ONE_WAY", 0), seed / 8 % 2) {
        (0, _) => vec![little, much],
        (_, 0) => vec![little],
        _ => vec![much],
    }
}
