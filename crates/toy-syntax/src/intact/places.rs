//! The places of errors in the text.
//!
//! Input: the places. Output: the places that touch a range, found without a scan: a text may have as many errors as
//! statements. Invariant: a place is found by its start, and is at most `longest` long.

use std::collections::BTreeSet;
use toy_diagnostics::source::Span;

/// True if two ranges have a place in common, their ends included.
fn touches(place: Span, range: Span) -> bool {
    place.start <= range.end && range.start <= place.end
}

/// Places in a text.
#[derive(Clone, Default)]
pub struct Places {
    /// Starts and ends.
    places: BTreeSet<(u32, u32)>,
    longest: u32,
}

impl Places {
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub fn insert(&mut self, place: Span) {
        self.longest = self.longest.max(place.end.saturating_sub(place.start));
        self.places.insert((place.start, place.end));
    }

    pub fn iter(&self) -> impl Iterator<Item = Span> {
        self.places.iter().map(|(start, end)| Span { start: *start, end: *end })
    }

    /// The places that touch a range, in order.
    pub fn touching(&self, range: Span) -> impl Iterator<Item = Span> {
        let first = range.start.saturating_sub(self.longest);
        let near = self.places.range((first, 0)..=(range.end.max(first), u32::MAX));
        let near = near.map(|(start, end)| Span { start: *start, end: *end });
        near.filter(move |place| touches(*place, range))
    }

    /// Takes out the places that touch a range.
    pub fn remove(&mut self, range: Span) {
        let found: Vec<Span> = self.touching(range).collect();
        for place in found {
            self.places.remove(&(place.start, place.end));
        }
    }
}

impl FromIterator<Span> for Places {
    fn from_iter<T: IntoIterator<Item = Span>>(spans: T) -> Self {
        let mut places = Self::default();
        spans.into_iter().for_each(|span| places.insert(span));
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All short ranges on a short line, against a linear search.
    #[test]
    fn what_touches_a_range_is_found() {
        let spans = |most: u32| {
            (0..most).flat_map(move |start| (start..most).map(move |end| Span { start, end }))
        };
        for all in [spans(4), spans(9)] {
            let places: Places = all.clone().step_by(3).collect();
            for range in spans(12) {
                let expected: Vec<_> =
                    all.clone().step_by(3).filter(|it| touches(*it, range)).collect();
                assert_eq!(places.touching(range).collect::<Vec<_>>(), expected);
                let mut rest = places.clone();
                rest.remove(range);
                assert!(rest.touching(range).next().is_none());
                let whole = Span { start: 0, end: 12 };
                let left = places.iter().count() - expected.len();
                assert_eq!((rest.touching(whole).count(), rest.is_empty()), (left, left == 0));
            }
        }
    }
}
