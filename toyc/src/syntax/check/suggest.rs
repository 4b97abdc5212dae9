//! "Did you mean ...?"
//!
//! Input: a name that does not exist and those that do. Output: the one that is most like it, if
//! it is like it at all. Invariants: the work is bounded, however many and long the names are; of
//! several equally good ones the first is taken.

/// Longer names are not compared, and of many names only the latest.
const MAX_LENGTH: usize = 40;
const MAX_CANDIDATES: usize = 200;
const MAX_SUGGESTIONS: usize = 200;

/// Counts what has been suggested in one run.
#[derive(Default)]
pub struct Suggestions {
    made: usize,
}

impl Suggestions {
    pub fn are_exhausted(&self) -> bool {
        self.made >= MAX_SUGGESTIONS
    }

    pub fn nearest<'n>(&mut self, name: &str, candidates: &[&'n str]) -> Option<&'n str> {
        if name.len() > MAX_LENGTH || self.are_exhausted() {
            return None;
        }
        self.made += 1;
        // A third of the letters may differ, but a name of one letter is not like any other.
        let limit = name.len().div_ceil(3).min(name.len().saturating_sub(1));
        let latest = candidates.len().saturating_sub(MAX_CANDIDATES);
        candidates[latest..]
            .iter()
            .filter(|candidate| candidate.len().abs_diff(name.len()) <= limit)
            .map(|candidate| (distance(name.as_bytes(), candidate.as_bytes()), *candidate))
            .filter(|(distance, _)| *distance <= limit)
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, candidate)| candidate)
    }
}

/// Whether a word is most likely meant to be the other.
pub fn is_misspelt(word: &str, meant: &str) -> bool {
    word != meant
        && word.len().abs_diff(meant.len()) <= 2
        && distance(word.to_ascii_lowercase().as_bytes(), meant.as_bytes()) <= 2
}

/// The number of letters to insert, delete, replace or swap with the next one.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before_last[j - 2] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let table = [
            ("abc", "abc", 0),
            ("abc", "acb", 1),
            ("abc", "ab", 1),
            ("", "abc", 3),
            ("ab", "cd", 2),
        ];
        for (a, b, expected) in table {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
            assert_eq!(distance(b.as_bytes(), a.as_bytes()), expected, "{b} {a}");
        }
    }

    #[test]
    fn only_similar_names_are_suggested() {
        let nearest =
            |name: &str, names: &[&'static str]| Suggestions::default().nearest(name, names);
        assert_eq!(nearest("trnaspose", &["print", "transpose"]), Some("transpose"));
        assert_eq!(nearest("wieght", &["height", "weight"]), Some("weight"));
        assert_eq!(nearest("x", &["y", "a"]), None, "one letter is like no other");
        assert_eq!(nearest("xs", &["x"]), Some("x"));
        assert_eq!(nearest("foo", &["transpose"]), None);
        assert_eq!(nearest(&"x".repeat(50), &["x"]), None);
    }

    #[test]
    fn the_number_of_suggestions_is_bounded() {
        let mut suggestions = Suggestions::default();
        let made = (0..1000).filter(|_| suggestions.nearest("abd", &["abc"]).is_some()).count();
        assert_eq!(made, MAX_SUGGESTIONS);
    }
}
