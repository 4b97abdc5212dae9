//! The changes of formatting, as a unified diff that `patch` reads.
//!
//! Input: the program before and after. Output: the lines that differ, with three lines around them. Invariant: the
//! work does not grow with the square of the number of differing lines: `similar` bounds it.

use similar::{ChangeTag, TextDiff};
use toy_diagnostics::source::Source;
use toy_diagnostics::text::printed;

/// The unified diff; if it `is_shown` to people, with printable characters only, and colored or not.
pub fn difference(source: &Source, formatted: &str, is_colored: bool, is_shown: bool) -> String {
    let paint = |color: &str, text: String| match is_colored {
        true => format!("\x1b[{color}m{text}\x1b[0m\n"),
        false => text + "\n",
    };
    // A line ends with a newline; for `similar`, with a carriage return, too.
    let old: Vec<&str> = source.text.split_inclusive('\n').collect();
    let new: Vec<&str> = formatted.split_inclusive('\n').collect();
    let difference = TextDiff::from_slices(&old, &new);
    let mut text =
        ["---", "+++"].map(|mark| paint("1", format!("{mark} {}", source.name))).concat();
    for hunk in difference.unified_diff().iter_hunks() {
        text += &paint("36", hunk.header().to_string());
        for change in hunk.iter_changes() {
            let (tag, line) = (change.tag(), change.value());
            let shown = line.trim_end_matches('\n');
            let shown = if is_shown { printed(shown) } else { shown.to_owned() };
            let shown = format!("{tag}{shown}");
            text += &match tag {
                ChangeTag::Delete => paint("31", shown),
                ChangeTag::Insert => paint("32", shown),
                ChangeTag::Equal => shown + "\n",
            };
            if !line.ends_with('\n') {
                text += "\\ No newline at end of file\n";
            }
        }
    }
    text
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
