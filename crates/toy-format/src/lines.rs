//! Lines of text, and the comments at their ends.
//!
//! Input: the lines. Output: the text. Comments at the ends of consecutive lines of one indentation start in one
//! column, unless that would move one of them too far from its code.

const BEFORE_COMMENT: usize = 2;
/// How far alignment may move a comment.
const FARTHEST: usize = 24;

/// A line: its code, and the comment after the code.
#[derive(Debug, Default)]
pub struct Line<'t> {
    pub code: String,
    pub indentation: usize,
    /// The width of the code, in characters.
    pub width: usize,
    pub comment: Option<&'t str>,
}

/// The text of the lines.
pub fn join(lines: &[Line<'_>], line_ending: &str) -> String {
    let mut text = String::with_capacity(lines.iter().map(|line| line.code.len() + 1).sum());
    let mut rest = lines;
    while let Some(first) = rest.first() {
        let belongs =
            |line: &&Line<'_>| line.comment.is_some() && line.indentation == first.indentation;
        let commented = rest.iter().take_while(belongs).count();
        let (group, after) = rest.split_at(commented.max(1));
        let widest = group.iter().map(|line| line.width).max().unwrap_or(0);
        let narrowest = group.iter().map(|line| line.width).min().unwrap_or(0);
        let column = (widest - narrowest <= FARTHEST).then_some(widest);
        for line in group {
            text += &line.code;
            if let Some(comment) = line.comment {
                let gap = column.unwrap_or(line.width) - line.width + BEFORE_COMMENT;
                text.extend(std::iter::repeat_n(' ', gap));
                text += comment;
            }
            text += line_ending;
        }
        rest = after;
    }
    text
}
