//! MLIR's `loc(...)`: the location after an operation, and the aliases that it refers to.
//!
//! Input: a module as it is shown, and the same with locations. Output: the origins of the lines shown.

use super::Origin;
use std::collections::HashMap;

/// The deepest reference from a location to another that is followed.
const MAX_DEPTH: usize = 32;

/// The lines of a module, from the same module printed with locations.
pub fn of_mlir(text: &str, located: &str, file: &str) -> Vec<Origin> {
    let aliases = located.lines().filter_map(|line| line.strip_prefix("#loc"));
    let aliases = aliases.filter_map(|line| line.split_once(" = ")).collect();
    // A module spans the whole file, and operations without an origin get its location.
    let module = located.lines().rfind(|line| line.starts_with('}'));
    let module = module.and_then(|line| line.strip_prefix("} loc(#loc")?.strip_suffix(')'));
    let known = module.map(|alias| (alias, Origin::default())).into_iter().collect();
    let mut resolver = Resolver { aliases, known, file };
    // Only definitions of aliases differ in number and position.
    let is_own = |line: &&str| !line.starts_with('#');
    let mut located = located.lines().filter(is_own);
    let mut origins: Vec<Origin> = Vec::new();
    // The lines of the enclosing operations: of each, those that begin one of its regions.
    let mut open: Vec<Vec<usize>> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        origins.push(Origin::default());
        if line.starts_with('#') {
            continue;
        }
        let Some(with_location) = located.next() else { return Vec::new() };
        let trimmed = line.trim();
        let location = with_location.strip_prefix(line);
        if trimmed.starts_with('^') {
            // The arguments of a block.
            origins[index] = resolver.resolve(with_location, 0);
        } else if let Some(location) = location {
            origins[index] = resolver.resolve(location, 0);
        }
        let mut group = Vec::new();
        if trimmed.starts_with('}') {
            group = open.pop().unwrap_or_default();
            if !origins[index].is_empty() {
                for opening in &group {
                    origins[*opening] = origins[index].clone();
                }
            }
        }
        if trimmed.ends_with('{') {
            group.push(index);
            open.push(group);
        }
    }
    if located.next().is_some() { Vec::new() } else { origins }
}

/// The definitions of location aliases in a text.
struct Resolver<'t> {
    /// The definition of `#loc5` under `5`.
    aliases: HashMap<&'t str, &'t str>,
    known: HashMap<&'t str, Origin>,
    file: &'t str,
}

impl<'t> Resolver<'t> {
    /// All positions in this file that a text names, directly or by aliases.
    fn resolve(&mut self, text: &'t str, depth: usize) -> Origin {
        let mut origin = Origin::default();
        let mut rest = text;
        while let Some(at) = rest.find(['"', '#']) {
            rest = &rest[at..];
            if let Some(alias) = rest.strip_prefix("#loc") {
                let digits =
                    alias.len() - alias.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let found = self.alias(&alias[..digits], depth);
                origin.add(&found);
                rest = &alias[digits..];
            } else if rest.starts_with('#') {
                rest = &rest[1..];
            } else {
                let (name, after) = string(&rest[1..]);
                let (place, after) = position(after);
                if let Some((first, last)) = place
                    && (name == "-" || unescaped(name) == self.file)
                {
                    origin.add(&Origin::lines(first, last));
                }
                rest = after;
            }
        }
        origin
    }

    fn alias(&mut self, name: &'t str, depth: usize) -> Origin {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let Some(definition) = self.aliases.get(name).copied().filter(|_| depth < MAX_DEPTH) else {
            return Origin::default();
        };
        let origin = self.resolve(definition, depth + 1);
        self.known.insert(name, origin.clone());
        origin
    }
}

/// The text up to the closing quote, and the text after it.
pub fn string(text: &str) -> (&str, &str) {
    let mut is_escaped = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'\\' if !is_escaped => is_escaped = true,
            b'"' if !is_escaped => return (&text[..index], &text[index + 1..]),
            _ => is_escaped = false,
        }
    }
    (text, "")
}

/// MLIR's escapes in strings: `\\`, `\22`.
pub fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut result = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let escape =
            bytes.get(index + 1..index + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = escape.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (bytes[index], bytes.get(index + 1), code) {
            (b'\\', Some(b'\\'), _) => {
                result.push(b'\\');
                index += 2;
            }
            (b'\\', _, Some(code)) => {
                result.push(code);
                index += 3;
            }
            (byte, ..) => {
                result.push(byte);
                index += 1;
            }
        }
    }
    String::from_utf8_lossy(&result).into_owned()
}

/// `:7:10`, `:7:10 to :22` or `:1:1 to 22:1`: the first line and the last, and what follows.
fn position(text: &str) -> (Option<(u32, u32)>, &str) {
    let Some((first, rest)) = text.strip_prefix(':').and_then(number) else { return (None, text) };
    let Some((_, rest)) = rest.strip_prefix(':').and_then(number) else { return (None, text) };
    let Some(end) = rest.strip_prefix(" to ") else { return (Some((first, first)), rest) };
    match number(end) {
        // A range that ends at the first column of a line ends with the line before.
        Some((last, rest)) => {
            let ends_before =
                rest.starts_with(":1") && !rest[2..].starts_with(|c: char| c.is_ascii_digit());
            let last = if ends_before { last - 1 } else { last };
            (Some((first, last.max(first))), rest)
        }
        None => (Some((first, first)), end),
    }
}

pub fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::report::origin::tests::shown;

    #[test]
    fn locations_of_all_kinds() {
        let text = "#map = affine_map<(d0) -> (d0)>
module {
  func.func @f(%arg0: f64) {
    %0 = \"x\"() {a = \"} {\"} : () -> i1
    scf.if %0 {
      a.b
    } else {
      c.d
    }
    ^bb1(%1: f64):
    return
  }
}
";
        let located = "#loc4 = loc(\"a\\22.toy\":9:1)
#map = affine_map<(d0) -> (d0)>
module {
  func.func @f(%arg0: f64 loc(\"a\\22.toy\":1:7 to :8)) {
    %0 = \"x\"() {a = \"} {\"} : () -> i1 loc(\"other.toy\":3:1)
    scf.if %0 {
      a.b loc(fused<\"x\":9>[#loc2, \"n\"(#loc3)])
    } else {
      c.d loc(callsite(#loc2 at #loc5))
    } loc(\"a\\22.toy\":4:1 to 6:2)
    ^bb1(%1: f64 loc(#loc4)):
    return loc(unknown)
  } loc(#loc1)
} loc(#loc)
#loc = loc(\"a\\22.toy\":1:1 to 10:1)
#loc1 = loc(\"a\\22.toy\":1:1 to :11)
#loc2 = loc(\"-\":5:1 to 6:1)
#loc3 = loc(fused[#loc3, \"a\\22.toy\":8:1])
";
        let origins = of_mlir(text, located, "a\".toy");
        let expected = ["", "", "1", "", "4-6", "5,8", "4-6", "5", "4-6", "9", "", "1", ""];
        assert_eq!(shown(&origins), expected);
        assert_eq!(of_mlir(text, "module {\n}\n", "a\".toy"), []);
    }
}
