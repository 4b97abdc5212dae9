//! What changed from one stage to the next.
//!
//! Input: the shown parts of two texts. Output: the lines of both in one sequence; in a line that changed
//! little, the tokens that changed. Invariant: the work is bounded by the number of shown lines and not by
//! time, so the result depends only on the texts.

use super::Text;
use super::highlight::{Language, tokens};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::HashSet;
use std::ops::Range;

/// A line of the new text or of the old one.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    Same(usize),
    /// With the ranges of the new tokens; empty if the whole line is new.
    New(usize, Vec<bool>),
    Old(usize, Vec<bool>),
}

/// The rows of a diff and how many are new and old.
#[derive(Debug, Default)]
pub struct Diff {
    pub rows: Vec<Row>,
    pub added: usize,
    pub removed: usize,
}

/// Two lines are versions of the same line if they share this fraction of their text.
const ALIKE: f64 = 0.5;

pub fn diff(old: &Text, new: &Text, language: Language) -> Diff {
    let old: Vec<&str> = old.lines.iter().map(|line| line.text.as_str()).collect();
    let new: Vec<&str> = new.lines.iter().map(|line| line.text.as_str()).collect();
    let mut diff = Diff::default();
    let (mut before, mut after) = (0, 0);
    let ends = std::iter::once((old.len(), new.len()));
    for (old_end, new_end) in common(&old, &new).into_iter().chain(ends) {
        diff.removed += old_end - before;
        diff.added += new_end - after;
        replace(&old, &new, before..old_end, after..new_end, language, &mut diff.rows);
        if new_end < new.len() {
            diff.rows.push(Row::Same(new_end));
        }
        (before, after) = (old_end + 1, new_end + 1);
    }
    diff
}

/// The indices of the unchanged lines, in both texts.
pub fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    // Lines that the other text does not contain would cost time and match nothing.
    let shared = |of: &[&str], other: &[&str]| -> Vec<usize> {
        let other: HashSet<&str> = other.iter().copied().collect();
        (0..of.len()).filter(|index| other.contains(of[*index])).collect()
    };
    let (in_old, in_new) = (shared(old, new), shared(new, old));
    let before: Vec<&str> = in_old.iter().map(|place| old[*place]).collect();
    let after: Vec<&str> = in_new.iter().map(|place| new[*place]).collect();
    let operations = capture_diff_slices(Algorithm::Patience, &before, &after);
    let equal = operations.iter().filter(|operation| matches!(operation, DiffOp::Equal { .. }));
    let pairs = equal.flat_map(|equal| equal.old_range().zip(equal.new_range()));
    pairs.map(|(before, after)| (in_old[before], in_new[after])).collect()
}

/// Old lines and the new ones that replace them: each run of old lines before the run of their new versions.
fn replace(
    old: &[&str],
    new: &[&str],
    before: Range<usize>,
    after: Range<usize>,
    language: Language,
    rows: &mut Vec<Row>,
) {
    let is_paired = before.len() == after.len();
    let mut versions = Vec::with_capacity(after.len());
    for (index, at) in before.clone().enumerate() {
        let marks = is_paired.then(|| marks(old[at], new[after.start + index], language)).flatten();
        let (gone, come) = marks.unwrap_or_default();
        rows.push(Row::Old(at, gone));
        versions.push(come);
    }
    versions.resize(after.len(), Vec::new());
    rows.extend(after.zip(versions).map(|(at, marks)| Row::New(at, marks)));
}

/// Which tokens of two lines differ; None if too many do.
fn marks(old: &str, new: &str, language: Language) -> Option<(Vec<bool>, Vec<bool>)> {
    let texts = |line| tokens(line, language).into_iter().map(|(_, text)| text).collect();
    let (before, after): (Vec<&str>, Vec<&str>) = (texts(old), texts(new));
    let mut gone = vec![true; before.len()];
    let mut come = vec![true; after.len()];
    let mut same = 0;
    for operation in capture_diff_slices(Algorithm::Myers, &before, &after) {
        if let DiffOp::Equal { .. } = operation {
            same += before[operation.old_range()].iter().map(|text| text.len()).sum::<usize>();
            gone[operation.old_range()].fill(false);
            come[operation.new_range()].fill(false);
        }
    }
    let length = old.len().max(new.len()).max(1);
    (same as f64 / length as f64 >= ALIKE).then_some((gone, come))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_tokens() {
        let text = |text: &str| Text::new(text, Vec::new());
        let old = text("module {\n  %0 = a.b %x : f64\n  c.d\n}\n");
        let new = text("module {\n  %0 = a.b %y : f64\n  something.else\n}\n");
        let diff = diff(&old, &new, Language::Mlir);
        assert_eq!((diff.added, diff.removed, diff.rows.len()), (2, 2, 6));
        let Row::Old(1, gone) = &diff.rows[1] else { panic!("{:?}", diff.rows) };
        let tokens = tokens("  %0 = a.b %x : f64", Language::Mlir);
        let gone: Vec<_> = tokens.iter().zip(gone).filter(|(_, gone)| **gone).collect();
        assert_eq!(gone.len(), 1);
        assert_eq!(gone[0].0.1, "%x");
        assert_eq!(diff.rows[2], Row::Old(2, vec![]));
        assert_eq!(diff.rows[5], Row::Same(3));
    }
}
