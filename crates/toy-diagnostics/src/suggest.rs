//! "Did you mean ...?"
//!
//! Input: an unknown name and the known names. Output: the most similar known name, if one is similar enough.
//! Invariants: the work for the names of a program is bounded, however many and long they are ([`Suggestions`]); of
//! several equally similar names, the first is taken.

use strsim::osa_distance;

/// The longest name that is compared, in bytes.
const MAX_LENGTH: usize = 40;
/// The most candidates that are compared: the last ones.
const MAX_CANDIDATES: usize = 200;
/// The most suggestions of one compilation.
const MAX_SUGGESTIONS: usize = 200;

/// Makes suggestions, a limited number of them.
#[derive(Default)]
pub struct Suggestions {
    made: usize,
}

impl Suggestions {
    /// True if the limit is reached, so that there will be no more suggestions.
    pub fn are_exhausted(&self) -> bool {
        self.made >= MAX_SUGGESTIONS
    }

    /// The candidate most similar to the name, if one is similar enough.
    pub fn nearest<'n>(&mut self, name: &str, candidates: &[&'n str]) -> Option<&'n str> {
        if name.len() > MAX_LENGTH || self.are_exhausted() {
            return None;
        }
        self.made += 1;
        let latest = candidates.len().saturating_sub(MAX_CANDIDATES);
        nearest(name, &candidates[latest..])
    }
}

/// The most similar of all candidates, if one is similar enough: for one question about one name, as on a command line.
pub fn nearest<'n>(name: &str, candidates: &[&'n str]) -> Option<&'n str> {
    all_nearest(name, candidates).first().copied()
}

/// The candidates that are similar enough, if no other is more similar.
pub fn all_nearest<'n>(name: &str, candidates: &[&'n str]) -> Vec<&'n str> {
    if name.len() > MAX_LENGTH {
        return Vec::new();
    }
    // At most a third of the letters may differ, as in rustc, but a name of one letter is not similar to any other.
    let mut limit = (name.len() / 3).max(1).min(name.len().saturating_sub(1));
    let mut found = Vec::new();
    for candidate in candidates {
        if candidate.len().abs_diff(name.len()) > limit {
            continue;
        }
        let distance = osa_distance(name, candidate);
        if distance < limit {
            found.clear();
        }
        if distance <= limit {
            limit = distance;
            found.push(*candidate);
        }
    }
    found
}

/// True if a word is probably a misspelling of another.
pub fn is_misspelled(word: &str, meant: &str) -> bool {
    word != meant
        && word.len().abs_diff(meant.len()) <= 2
        && osa_distance(&word.to_ascii_lowercase(), meant) <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_similar_names_are_suggested() {
        let nearest =
            |name: &str, names: &[&'static str]| Suggestions::default().nearest(name, names);
        assert_eq!(nearest("trnaspose", &["print", "transpose"]), Some("transpose"));
        assert_eq!(nearest("wieght", &["height", "weight"]), Some("weight"));
        assert_eq!(nearest("x", &["y", "a"]), None, "one letter is similar to no other");
        assert_eq!(nearest("xs", &["x"]), Some("x"));
        assert_eq!(nearest("foo", &["transpose"]), None);
        assert_eq!(nearest("rank", &["tanh"]), None, "half of a short name is another word");
        assert_eq!(nearest("cumprod", &["prod"]), None);
        assert_eq!(nearest(&"x".repeat(50), &["x"]), None);
        assert_eq!(all_nearest("asn", &["llvm", "ash", "an", "asm", "xsm"]), ["ash", "an", "asm"]);
        assert_eq!(
            all_nearest("abcdef", &["abcdxy", "abcdxf", "abcdez", "abcxyz"]),
            ["abcdxf", "abcdez"]
        );
    }

    #[test]
    fn the_number_of_suggestions_is_bounded() {
        let mut suggestions = Suggestions::default();
        let made = (0..1000).filter(|_| suggestions.nearest("abd", &["abc"]).is_some()).count();
        assert_eq!(made, MAX_SUGGESTIONS);
    }
}
