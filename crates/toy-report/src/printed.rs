//! The text of a module at a stage.
//!
//! Input: a module, and the language of its source. Output: the text that `-emit` prints. Before MLIR prints a module,
//! it prints it to nowhere, to find the attributes that get aliases. That would take a sixth of the time of all texts
//! of a page. So here MLIR prints all attributes where they are used, and maps get their aliases afterwards. Invariant:
//! MLIR numbers aliases in the order in which they are used, and so does this module. Where other attributes may have
//! aliases, MLIR does it: in users' input (`.mlir`), and at the stages that have attributes of LLVM's dialect.

use super::parts::Language;
use melior::ir::Module;
use mlir_support::session::{self, Printing};
use std::collections::HashMap;
use std::fmt::Write;

const MAP: &str = "affine_map<";

/// The prefixes of the other attributes of our stages that get aliases.
const OTHERS: [&str; 3] = ["#llvm.", "affine_set<", "distinct["];

pub fn printed(module: &Module, source: Language) -> String {
    let text = match source {
        Language::Toy => with_aliases(&print(module, true)),
        _ => None,
    };
    text.unwrap_or_else(|| print(module, false))
}

/// True if a text has an attribute that a module's own text may name by an alias.
pub fn may_have_alias(text: &str) -> bool {
    text.contains(MAP) || OTHERS.iter().any(|other| text.contains(other))
}

fn print(module: &Module, local_scope: bool) -> String {
    // Every stage has been verified.
    let printing = Printing { is_part: true, local_scope, ..Printing::default() };
    session::printed(module.as_operation(), printing)
}

/// The text with aliases of maps. None: there may be others.
fn with_aliases(text: &str) -> Option<String> {
    if OTHERS.iter().any(|other| text.contains(other)) {
        return None;
    }
    let mut body = String::with_capacity(text.len());
    let mut head = String::new();
    let mut known = HashMap::new();
    let mut end = 0;
    for (start, _) in text.match_indices(MAP) {
        let line = text[..start].rfind('\n').map_or(0, |before| before + 1);
        // MLIR writes a quotation mark that is in a string as an escape.
        let is_in_string = text[line..start].matches('"').count() % 2 == 1;
        if is_in_string || start < end {
            return None;
        }
        body.push_str(&text[end..start]);
        end = start + length_of_map(&text[start..])?;
        let map = &text[start..end];
        let next = known.len();
        let index = *known.entry(map).or_insert(next);
        let number = if index == 0 { String::new() } else { index.to_string() };
        // Writing to a string does not fail.
        let _ = write!(body, "#map{number}");
        if index == next {
            let _ = writeln!(head, "#map{number} = {map}");
        }
    }
    body.push_str(&text[end..]);
    Some(head + &body + "\n")
}

/// The length of the map at the start of a text: up to the first `>` that does not belong to an arrow.
fn length_of_map(text: &str) -> Option<usize> {
    let is_end = |&(at, _): &(usize, &str)| !text[..at].ends_with('-');
    text.match_indices('>').find(is_end).map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_numbered_as_they_are_used() {
        let text = "module {\n  a = [affine_map<(d0) -> (d0)>, affine_map<() -> ()>], \"x\"\n  b affine_map<(d0) -> (d0)>\n}";
        let expected = "#map = affine_map<(d0) -> (d0)>\n#map1 = affine_map<() -> ()>\nmodule {\n  a = [#map, #map1], \"x\"\n  b #map\n}\n";
        assert_eq!(with_aliases(text).as_deref(), Some(expected));
    }

    #[test]
    fn what_may_be_something_else_is_left_to_mlir() {
        for text in
            ["a \"affine_map<() -> ()>\"", "a = affine_map<() ->", "a #llvm.x", "affine_set<"]
        {
            assert_eq!(with_aliases(text), None, "{text}");
        }
    }
}
