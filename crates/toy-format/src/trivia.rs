//! The text between two tokens: white space and comments.
//!
//! Input: the text between the tokens. Output: its [`Trivia`]. Invariant: each comment is there once, without
//! the white space at its end.

pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text between two tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trivia<'t> {
    /// The comment in the line of the token before.
    pub trailing: Option<&'t str>,
    /// The comments in lines of their own.
    pub own: Vec<Comment<'t>>,
    /// True if a line ends between the tokens.
    pub breaks: bool,
    /// True if a blank line precedes the next token, after the comments.
    pub blank: bool,
}

/// A comment in a line of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Comment<'t> {
    pub text: &'t str,
    /// True if a blank line precedes it.
    pub blank: bool,
}

impl<'t> Trivia<'t> {
    /// Reads the text between two tokens, or before the first one.
    pub fn read(text: &'t str, is_first: bool) -> Self {
        let mut trivia = Trivia::default();
        let bytes = text.as_bytes();
        // Line ends since the last comment or token.
        let mut line_ends = if is_first { 1 } else { 0 };
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'#' => {
                    let rest = &text[at..];
                    let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
                    let comment = rest[..length].trim_ascii_end();
                    let comment = comment.trim_end_matches(['\x0B', '\x0C']);
                    if line_ends == 0 {
                        trivia.trailing = Some(comment);
                    } else {
                        trivia.own.push(Comment { text: comment, blank: line_ends > 1 });
                    }
                    line_ends = 0;
                    at += length;
                }
                b'\n' => {
                    line_ends += 1;
                    at += 1;
                }
                b'\r' => {
                    line_ends += 1;
                    at += if bytes.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
                }
                _ => at += 1,
            }
        }
        trivia.breaks = line_ends > 0 || trivia.has_comments();
        trivia.blank = line_ends > 1;
        trivia
    }

    pub fn has_comments(&self) -> bool {
        self.trailing.is_some() || !self.own.is_empty()
    }
}

/// The line ending of the text: its first one.
pub fn line_ending(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
