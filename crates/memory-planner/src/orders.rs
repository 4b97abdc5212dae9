//! The orders in which greedy planners take items: permutations by keys, and the baselines'; and the trees over sections.

use crate::instance::Component;

/// Orders that suit a [`skyline`](crate::greedy::skyline), the best first.
pub const SKYLINES: [&[Key]; 4] = [
    &[Key::Load, Key::Width, Key::Size],
    &[Key::Width, Key::Size],
    &[Key::Load, Key::Size],
    &[Key::Size, Key::Width],
];

/// A sort key of an order: greater values come first, ties are broken by the next key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Greatest load of any section in which the item is live.
    Load,
    /// The number of sections in which it is live.
    Width,
    Size,
    /// Width times size.
    Area,
}

/// The items in the order of the keys, ties in canonical order.
pub fn order(component: &Component, keys: &[Key]) -> Vec<u32> {
    let loads = if keys.contains(&Key::Load) { greatest_loads(component) } else { Vec::new() };
    let value = |key: Key, index: usize| {
        let item = &component.items[index];
        let width = u64::from(item.hi - item.lo);
        match key {
            Key::Load => loads[index],
            Key::Width => width,
            Key::Size => item.size,
            Key::Area => item.size.saturating_mul(width),
        }
    };
    let mut rows: Vec<([u64; 3], u32)> = (0..component.items.len())
        .map(|index| {
            let mut row = [0; 3];
            for (slot, &key) in row.iter_mut().zip(keys) {
                *slot = !value(key, index);
            }
            (row, index as u32)
        })
        .collect();
    rows.sort_unstable();
    rows.into_iter().map(|row| row.1).collect()
}

/// The baselines break ties in the order of the buffers.
pub fn tie(component: &Component, item: u32) -> u32 {
    component.origin[item as usize]
}

/// Items by decreasing size.
pub fn by_size(component: &Component) -> Vec<u32> {
    let mut order: Vec<u32> = (0..component.items.len() as u32).collect();
    let size = |item: u32| component.items[item as usize].size;
    order.sort_by_key(|&item| (std::cmp::Reverse(size(item)), tie(component, item)));
    order
}

/// Items by start, or with `backward` by decreasing end. Several starts may fall into one section;
/// `tie` orders them.
pub fn by_start(
    component: &Component,
    backward: bool,
    tie: &dyn Fn(u32) -> (u64, u32),
) -> Vec<u32> {
    let mut order: Vec<u32> = (0..component.items.len() as u32).collect();
    order.sort_by_key(|&item| {
        let entry = &component.items[item as usize];
        (if backward { !entry.hi } else { entry.lo }, tie(item))
    });
    order
}

/// The inverse of an order: the position of each item.
pub fn ranks(order: &[u32]) -> Vec<u32> {
    let mut ranks = vec![0; order.len()];
    for (rank, &item) in order.iter().enumerate() {
        ranks[item as usize] = rank as u32;
    }
    ranks
}

/// Per item, the greatest load of its sections: a tree of maxima.
fn greatest_loads(component: &Component) -> Vec<u64> {
    let leaves = component.sections().next_power_of_two();
    let mut tree = vec![0; 2 * leaves];
    tree[leaves..leaves + component.sections()].copy_from_slice(&component.load);
    for node in (1..leaves).rev() {
        tree[node] = tree[2 * node].max(tree[2 * node + 1]);
    }
    let greatest = |lo: u32, hi: u32| {
        let mut most = 0;
        canonical(leaves, lo as usize, hi as usize, |node| most = tree[node].max(most));
        most
    };
    component.items.iter().map(|item| greatest(item.lo, item.hi)).collect()
}

/// The canonical nodes of `lo..hi` in a tree over `leaves` sections, the highest last.
pub fn canonical(leaves: usize, lo: usize, hi: usize, mut visit: impl FnMut(usize)) {
    let (mut left, mut right) = (lo + leaves, hi + leaves);
    while left < right {
        if left & 1 == 1 {
            visit(left);
            left += 1;
        }
        if right & 1 == 1 {
            right -= 1;
            visit(right);
        }
        left /= 2;
        right /= 2;
    }
}
