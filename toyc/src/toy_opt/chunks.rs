//! `--split-input-file`: several modules in one file, separated by lines `// -----`.
//!
//! Input: the whole text. Output: the range of each module in it, and each as a [`Source`] of its own.
//! Invariant: every byte of a chunk has the offset, line and column that it has in the file, so that
//! diagnostics about a chunk can be shown in the file.

use std::ops::Range;
use toy_diagnostics::source::Source;

/// The line that separates modules.
pub const MARKER: &str = "// -----";

/// The ranges between the markers, one more than there are markers; the whole text without splitting.
pub fn split(source: &Source, is_split: bool) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut end) = (0, 0);
    for line in source.text.split_inclusive('\n') {
        if is_split && line.trim_end() == MARKER {
            ranges.push(start..end);
            start = end + line.len();
        }
        end += line.len();
    }
    ranges.push(start..end);
    ranges
}

/// A chunk at its offset in the file: the text before it is replaced by blanks and newlines.
pub fn chunk(source: &Source, range: Range<usize>) -> Source {
    let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
    let mut text: String = source.text[..range.start].bytes().map(blank).collect();
    text.push_str(&source.text[range]);
    Source::new(source.name.clone(), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_keep_their_offsets() {
        let source = Source::new("t", "aé\n// -----\nb\n// ----- no\n// -----  \r\n");
        let chunks = split(&source, true);
        assert_eq!(chunks, [0..4, 13..27, 39..39]);
        for range in chunks {
            let chunk = chunk(&source, range.clone());
            assert_eq!(&chunk.text[range.clone()], &source.text[range.clone()]);
            let offset = range.start as u32;
            assert_eq!(chunk.line_column(offset), source.line_column(offset));
        }
        assert_eq!(split(&source, false).len(), 1);
        assert_eq!(split(&Source::new("t", ""), true).first(), Some(&(0..0)));
    }
}
