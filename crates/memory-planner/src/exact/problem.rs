//! The question the search answers: do these items fit below this height?
//!
//! Read-only during the search: sizes, the highest offset of each item, which items overlap.

use crate::instance::Component;

/// A component, a height, and their consequences for the whole search.
pub struct Problem {
    pub size: Vec<u64>,
    pub align: Vec<u64>,
    pub span: Vec<(u32, u32)>,
    /// Highest offset per item; `None` if the item alone is too large.
    pub highest: Vec<Option<u64>>,
    /// No set of rounded sizes in one section may add up to more than this.
    pub capacity: u64,
    /// Items live in each section.
    pub members: Vec<Vec<u32>>,
    /// Items that overlap each item in time.
    pub neighbors: Vec<Vec<u32>>,
}

impl Problem {
    /// The component's question for a peak of at most `peak` bytes.
    pub fn new(component: &Component, peak: u64) -> Self {
        let items = &component.items;
        let mut members = vec![Vec::new(); component.sections()];
        for (index, item) in items.iter().enumerate() {
            for section in item.lo..item.hi {
                members[section as usize].push(index as u32);
            }
        }
        let overlaps =
            |a: usize, b: usize| a != b && items[a].lo < items[b].hi && items[b].lo < items[a].hi;
        let neighbors = (0..items.len())
            .map(|a| (0..items.len()).filter(|&b| overlaps(a, b)).map(|b| b as u32).collect())
            .collect();
        let mut problem = Problem {
            size: items.iter().map(|item| item.size).collect(),
            align: items.iter().map(|item| item.align).collect(),
            span: items.iter().map(|item| (item.lo, item.hi)).collect(),
            highest: Vec::new(),
            capacity: 0,
            members,
            neighbors,
        };
        problem.set_peak(component, peak);
        problem
    }

    /// The same question for another peak.
    pub fn set_peak(&mut self, component: &Component, peak: u64) {
        let scaled = |slack: u64| (peak as u128 + slack as u128) / component.scale as u128;
        let slack = component.items.iter().map(|item| item.slack).max().unwrap_or(0);
        self.capacity = u64::try_from(scaled(slack)).unwrap_or(u64::MAX);
        self.highest = component
            .items
            .iter()
            .map(|item| {
                u64::try_from(scaled(item.slack)).unwrap_or(u64::MAX).checked_sub(item.size)
            })
            .collect();
    }

    /// Items.
    pub fn len(&self) -> usize {
        self.size.len()
    }
}
