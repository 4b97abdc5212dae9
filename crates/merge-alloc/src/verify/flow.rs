//! The lifetimes of buffers: two analyses over the graph, and a walk through their results.
//!
//! Input: the graph of a function, its buffers and their names. Output: clashes, the pairs of buffers that overlap and
//! are in use at the same time. A buffer is in use across an operation if it may have been accessed before, since its
//! definition was executed the last time, and may be accessed after under a name that it has there. The buffers that
//! one operation accesses are in use at the same time, and so are the buffers that concurrent regions access. Such
//! regions share the buffers that they make in an allocation outside of them: [`shared`].

use super::bits::{common, grow, solve};
use super::buffers::{self, MergedBuffer};
use super::graph::Graph;
use super::names::{Names, Step};
use fixedbitset::FixedBitSet;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

/// At an operation that accesses `accessed`, `other` is in use, and both overlap.
pub struct Clash {
    pub at: usize,
    pub accessed: usize,
    pub other: usize,
}

/// The first clash of each pair, in the order of the text.
pub fn clashes(graph: &Graph, buffers: &[MergedBuffer], names: &Names) -> Vec<Clash> {
    if buffers.is_empty() {
        return Vec::new();
    }
    let mut definitions = vec![None; graph.operations.len()];
    for (number, buffer) in buffers.iter().enumerate() {
        buffer.definition.into_iter().for_each(|definition| definitions[definition] = Some(number));
    }
    let accesses: Vec<_> = names.steps.iter().map(|step| accessed(step, names)).collect();
    let step = |state: &mut FixedBitSet, at: usize| {
        definitions[at].into_iter().for_each(|made| state.remove(made));
        accesses[at].iter().for_each(|buffer| state.insert(*buffer));
    };
    let neighbors = buffers::neighbors(buffers);
    let before = accessed_before(graph, buffers.len(), step);
    let after = needed_after(graph, names);
    let mut clashes = Vec::new();
    let mut known = HashSet::new();
    for ((node, mut accessed), needed) in graph.nodes.iter().zip(before).zip(after) {
        // The names that are needed after each operation, from the last one to the first.
        let mut needed = Needed::new(needed, buffers.len(), names);
        let changes: Vec<_> =
            node.operations.iter().rev().map(|at| needed.step_back(&names.steps[*at])).collect();
        for (at, change) in node.operations.iter().zip(changes.into_iter().rev()) {
            needed.undo(change);
            let here = &accesses[*at];
            for (index, buffer) in here.iter().enumerate() {
                let live = common(&accessed, &needed.buffers, neighbors[*buffer].clone());
                let live = live.filter(|other| !here.contains(other));
                for other in here[index + 1..].iter().copied().chain(live) {
                    let pair = (*buffer.min(&other), *buffer.max(&other));
                    if buffers[*buffer].overlaps(&buffers[other]) && known.insert(pair) {
                        clashes.push(Clash { at: *at, accessed: *buffer, other });
                    }
                }
            }
            step(&mut accessed, *at);
        }
    }
    for (at, inside) in &graph.concurrent {
        let all = accesses[*at].iter().chain(accesses[inside.clone()].iter().flatten());
        for (accessed, other) in at_once(all.copied(), inside, buffers, &neighbors) {
            if known.insert((accessed.min(other), accessed.max(other))) {
                clashes.push(Clash { at: *at, accessed, other });
            }
        }
    }
    clashes.sort_by_key(|clash| clash.at);
    clashes
}

/// `buffer` is the same one each time for an operation in concurrent regions.
pub struct Shared {
    pub at: usize,
    pub around: usize,
    pub buffer: usize,
}

/// The buffers that concurrent regions make, or that calls in them divide, in an allocation outside: each once. A
/// buffer that is made outside may be shared on purpose, as by iterations that write different elements.
pub fn shared(graph: &Graph, buffers: &[MergedBuffer], names: &Names) -> Vec<Shared> {
    let mut shared: Vec<Shared> = Vec::new();
    let mut known = HashSet::new();
    for (around, inside) in &graph.concurrent {
        let own = allocated(inside, buffers);
        let steps = || names.steps[inside.clone()].iter();
        let used: HashSet<_> = steps().flat_map(|step| accessed(step, names)).collect();
        let made = buffers.iter().enumerate().filter_map(|(number, buffer)| {
            let at = buffer.definition.filter(|at| inside.contains(at))?;
            (buffer.is_view && used.contains(&number)).then_some((at, number))
        });
        let divided = inside.clone().zip(steps()).flat_map(|(at, step)| {
            let divided = step.divides.iter().flat_map(|name| &names.buffers[*name]);
            divided.map(move |buffer| (at, *buffer))
        });
        let found =
            made.chain(divided).filter(|(_, buffer)| !own.contains(&buffers[*buffer].arena));
        let found = found.filter(|found| known.insert(*found));
        shared.extend(found.map(|(at, buffer)| Shared { at, around: *around, buffer }));
    }
    shared.sort_by_key(|shared| (shared.at, shared.buffer));
    shared
}

/// The allocations that are made in a part of the text.
fn allocated(inside: &Range<usize>, buffers: &[MergedBuffer]) -> HashSet<usize> {
    let is_inside = |buffer: &&MergedBuffer| {
        buffer.definition.is_some_and(|definition| inside.contains(&definition))
    };
    let own = buffers.iter().filter(|buffer| !buffer.is_view).filter(is_inside);
    own.map(|buffer| buffer.arena).collect()
}

/// The overlapping pairs among the buffers that concurrent regions access. Allocations inside are different ones each
/// time.
fn at_once(
    accessed: impl Iterator<Item = usize>,
    inside: &Range<usize>,
    buffers: &[MergedBuffer],
    neighbors: &[Range<usize>],
) -> Vec<(usize, usize)> {
    let own = allocated(inside, buffers);
    let all: BTreeSet<_> =
        accessed.filter(|buffer| !own.contains(&buffers[*buffer].arena)).collect();
    let pairs = all.iter().flat_map(|one| {
        let others = all.range(neighbors[*one].clone());
        others.filter(move |other| *other != one).map(move |other| (*one, *other))
    });
    pairs.filter(|(one, other)| buffers[*one].overlaps(&buffers[*other])).collect()
}

/// The buffers that an operation may access, each once.
fn accessed(step: &Step, names: &Names) -> Vec<usize> {
    let mut all: Vec<_> =
        step.accesses.iter().flat_map(|name| &names.buffers[*name]).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Before each node: the buffers that may have been accessed since they were made.
fn accessed_before(
    graph: &Graph,
    count: usize,
    step: impl Fn(&mut FixedBitSet, usize),
) -> Vec<FixedBitSet> {
    let mut before = vec![FixedBitSet::with_capacity(count); graph.nodes.len()];
    solve(graph.nodes.len(), 0.., |node, again| {
        let mut state = before[node].clone();
        graph.nodes[node].operations.iter().for_each(|at| step(&mut state, *at));
        for edge in &graph.nodes[node].next {
            if grow(&mut before[edge.to], &state) {
                again(edge.to);
            }
        }
    });
    before
}

/// After each node: the names under which a buffer may be accessed.
fn needed_after(graph: &Graph, names: &Names) -> Vec<FixedBitSet> {
    let count = graph.nodes.len();
    let mut previous = vec![Vec::new(); count];
    for (number, node) in graph.nodes.iter().enumerate() {
        for (edge, crossing) in node.next.iter().zip(&names.edges[number]) {
            previous[edge.to].push((number, crossing));
        }
    }
    let mut after = vec![FixedBitSet::with_capacity(names.buffers.len()); count];
    solve(count, (0..count).rev(), |node, again| {
        let mut state = after[node].clone();
        for at in graph.nodes[node].operations.iter().rev() {
            step_back(&mut state, &names.steps[*at], |_, _| ());
        }
        for (previous, crossing) in &previous[node] {
            let mut passed = state.clone();
            crossing.arguments.iter().for_each(|argument| passed.remove(*argument));
            for (to, from) in &crossing.passes {
                if state.contains(*to) {
                    passed.insert(*from);
                }
            }
            if grow(&mut after[*previous], &passed) {
                again(*previous);
            }
        }
    });
    after
}

/// The names that are needed before an operation, from the names needed after it; `changed` is called for each that
/// becomes needed or is no longer.
fn step_back(needed: &mut FixedBitSet, step: &Step, mut changed: impl FnMut(usize, bool)) {
    let mut sources = Vec::new();
    for (name, from) in &step.defines {
        if needed.contains(*name) {
            needed.remove(*name);
            changed(*name, false);
            sources.extend(from);
        }
    }
    for name in sources.into_iter().chain(step.accesses.iter().copied()) {
        if !needed.contains(name) {
            needed.insert(name);
            changed(name, true);
        }
    }
}

/// The names that are needed at some point, and the buffers that they may stand for.
struct Needed<'n> {
    names: FixedBitSet,
    table: &'n Names,
    buffers: FixedBitSet,
    /// The number of needed names of each buffer.
    counts: Vec<u32>,
}

/// Names that a step back has changed, each with true if it is needed before the step.
type Change = Vec<(usize, bool)>;

impl<'n> Needed<'n> {
    fn new(names: FixedBitSet, buffers: usize, table: &'n Names) -> Self {
        let counts = vec![0; buffers];
        let mut needed =
            Self { names, table, buffers: FixedBitSet::with_capacity(buffers), counts };
        let all: Vec<_> = needed.names.ones().collect();
        all.into_iter().for_each(|name| needed.count(name, true));
        needed
    }

    fn step_back(&mut self, step: &Step) -> Change {
        let mut changes = Vec::new();
        step_back(&mut self.names, step, |name, is_needed| changes.push((name, is_needed)));
        changes.iter().for_each(|(name, is_needed)| self.count(*name, *is_needed));
        changes
    }

    fn undo(&mut self, changes: Change) {
        for (name, is_needed) in changes.into_iter().rev() {
            self.count(name, !is_needed);
            if is_needed { self.names.remove(name) } else { self.names.insert(name) }
        }
    }

    fn count(&mut self, name: usize, is_needed: bool) {
        for buffer in &self.table.buffers[name] {
            let count = &mut self.counts[*buffer];
            if is_needed {
                *count += 1;
                self.buffers.insert(*buffer);
            } else {
                *count -= 1;
                if *count == 0 {
                    self.buffers.remove(*buffer);
                }
            }
        }
    }
}
