//! The fenced blocks of a Markdown page.
//!
//! Input: the text of a page. Output: its [`Block`]s in order, or the page with other text in them.
//! Invariant: a fence is a line that starts with ```` ``` ````, not indented; a page whose last block is
//! not closed is rejected.

use crate::{Result, fail};
use std::ops::Range;

#[derive(Clone, Debug)]
pub struct Block<'p> {
    /// The last heading before the block, its `#` included.
    pub section: &'p str,
    /// The text after the opening fence: `toy,main` for instance.
    pub info: &'p str,
    /// Every line with its newline.
    pub text: &'p str,
    /// The line of the opening fence, from 1.
    pub line: usize,
    /// True if there are only empty lines between the previous block and this one.
    pub follows: bool,
    range: Range<usize>,
}

pub fn blocks(page: &str) -> Result<Vec<Block<'_>>> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut section, mut follows, mut is_open) = ("", false, false);
    let mut end = 0;
    for (index, line) in page.split_inclusive('\n').enumerate() {
        let start = end;
        end += line.len();
        let line = line.trim_end_matches('\n');
        match (blocks.last_mut(), line.strip_prefix("```")) {
            (Some(block), Some("")) if is_open => {
                block.range.end = start;
                block.text = &page[block.range.clone()];
                (is_open, follows) = (false, true);
            }
            _ if is_open => {}
            (_, Some(info)) => {
                let range = end..end;
                blocks.push(Block { section, info, text: "", line: index + 1, follows, range });
                is_open = true;
            }
            (_, None) => {
                follows &= line.is_empty();
                section = if line.starts_with('#') { line } else { section };
            }
        }
    }
    if is_open { fail("a block without an end") } else { Ok(blocks) }
}

/// The page with the text of each block rewritten by `rewrite`.
pub fn rewritten<'p, E: From<String>>(
    page: &'p str,
    mut rewrite: impl FnMut(&Block<'p>) -> std::result::Result<String, E>,
) -> std::result::Result<String, E> {
    let (mut result, mut end) = (String::new(), 0);
    for block in blocks(page)? {
        result.push_str(&page[end..block.range.start]);
        result.push_str(&rewrite(&block)?);
        end = block.range.end;
    }
    Ok(result + &page[end..])
}
