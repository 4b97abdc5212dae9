//! The changes of formatting, as a unified diff that `patch` reads.
//!
//! Input: the program before and after. Output: the lines that differ, with three lines around them. Invariant: the
//! work does not grow with the square of the number of differing lines: lines that only one text has are not compared.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::HashSet;
use toy_diagnostics::source::Source;
use toy_diagnostics::text::printed;

const CONTEXT: usize = 3;

/// The unified diff; if it `is_shown` to people, with printable characters only, and colored or not.
pub fn difference(source: &Source, formatted: &str, is_colored: bool, is_shown: bool) -> String {
    let old: Vec<&str> = source.text.split_inclusive('\n').collect();
    let new: Vec<&str> = formatted.split_inclusive('\n').collect();
    let lines = lines(&old, &new);
    let paint = |color: &str, text: &str| match is_colored {
        true => format!("\x1b[{color}m{text}\x1b[0m"),
        false => text.to_owned(),
    };
    let name = &source.name;
    let mut text = paint("1", &format!("--- {name}")) + "\n";
    text += &paint("1", &format!("+++ {name}"));
    text.push('\n');
    // The lines of the old text and of the new one before the hunk.
    let (mut before, mut seen) = ([0, 0], 0);
    for hunk in hunks(&lines) {
        let skipped = hunk.start - seen;
        let part = &lines[hunk.clone()];
        let count =
            |kind: char| part.iter().filter(|(other, _)| [' ', kind].contains(other)).count();
        let counts = [count('-'), count('+')];
        let [old, new] = [0, 1].map(|text| {
            let (start, count) = (before[text] + skipped, counts[text]);
            format!("{},{count}", if count == 0 { start } else { start + 1 })
        });
        before = [0, 1].map(|text| before[text] + skipped + counts[text]);
        seen = hunk.end;
        let head = format!("@@ -{old} +{new} @@");
        text += &(paint("36", &head) + "\n");
        for (kind, line) in part {
            let text_of_line = line.trim_end_matches('\n');
            let shown = match is_shown {
                true => format!("{kind}{}", printed(text_of_line)),
                false => format!("{kind}{text_of_line}"),
            };
            text += &match kind {
                '-' => paint("31", &shown),
                '+' => paint("32", &shown),
                _ => shown,
            };
            text.push('\n');
            if !line.ends_with('\n') {
                text += "\\ No newline at end of file\n";
            }
        }
    }
    text
}

/// The lines of both texts in one sequence: `-` for old ones, `+` for new ones, a blank for common ones.
fn lines<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    let mut lines = Vec::with_capacity(new.len());
    let (mut before, mut after) = (0, 0);
    for (old_end, new_end) in common_lines(old, new).into_iter().chain([(old.len(), new.len())]) {
        lines.extend(old[before..old_end].iter().map(|line| ('-', *line)));
        lines.extend(new[after..new_end].iter().map(|line| ('+', *line)));
        lines.extend(new.get(new_end).map(|line| (' ', *line)));
        (before, after) = (old_end + 1, new_end + 1);
    }
    lines
}

/// The ranges of the lines to show: the differing lines, with their context.
fn hunks(lines: &[(char, &str)]) -> Vec<std::ops::Range<usize>> {
    let mut hunks: Vec<std::ops::Range<usize>> = Vec::new();
    for (index, _) in lines.iter().enumerate().filter(|(_, (kind, _))| *kind != ' ') {
        let range = index.saturating_sub(CONTEXT)..(index + CONTEXT + 1).min(lines.len());
        match hunks.last_mut() {
            Some(last) if last.end >= range.start => last.end = range.end,
            _ => hunks.push(range),
        }
    }
    hunks
}

/// The indices of the unchanged lines, in both texts.
fn common_lines(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_has_hunks_with_context() {
        let source = Source::new("f", "1\n2\n3\n4\nold\n6\n7\n8\n9\n10\n11\n12\nlast");
        let formatted = "1\n2\n3\n4\nnew\n6\n7\n8\n9\n10\n11\n12\nlast\n";
        let expected = "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-old\n+new\n 6\n 7\n 8\n\
            @@ -10,4 +10,4 @@\n 10\n 11\n 12\n-last\n\\ No newline at end of file\n+last\n";
        assert_eq!(difference(&source, formatted, false, false), expected);
    }
}
