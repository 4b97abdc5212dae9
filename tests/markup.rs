//! Pages and pictures: their elements are closed.
//!
//! Input: XML, or HTML without scripts and styles. As much of either as toyc makes: attributes have
//! double quotes, and `<` and `>` occur in tags only.

use crate::tools::{Outcome, fail};

/// Whether each element that is opened is closed in its order, but for those that have no end.
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
