//! Pages and pictures: their elements are closed.
//!
//! Input: XML, or HTML without scripts and styles. As much of either as toyc makes: attributes have
//! double quotes, and `<` and `>` occur in tags only.

use crate::tools::{Outcome, fail};

/// Fails unless the elements are closed in order, except for elements without an end.
pub fn closed(text: &str, without_end: &[&str]) -> Outcome {
    let mut open = Vec::new();
    for part in text.split('<').skip(1) {
        let Some((tag, content)) = part.split_once('>') else {
            return fail(format!("a tag without an end: {part}"));
        };
        if content.contains('>') || tag.matches('"').count() % 2 == 1 {
            return fail(format!("not well-formed: {part}"));
        }
        let name = tag.split([' ', '/']).next().unwrap_or("");
        if let Some(closed) = tag.strip_prefix('/') {
            if open.pop() != Some(closed) {
                return fail(format!("</{closed}> closes something else"));
            }
        } else if !tag.ends_with('/') && !without_end.contains(&name) {
            open.push(name);
        }
    }
    if open.is_empty() { Ok(()) } else { fail(format!("not closed: {open:?}")) }
}
