//! Debug locations of LLVM IR and `.loc` lines of assembly.
//!
//! Input: a text as it is shown, and the same with line tables, which may be a twin's. Output: the origins of
//! the shown lines, if both texts are the same program.

use super::Origin;
use std::collections::{HashMap, HashSet};

/// The origins of LLVM IR, from the same module with debug locations. None: the texts differ, or the program has parts
/// from another file.
pub fn of_llvm(text: &str, located: &str, file: &str) -> Option<Vec<Origin>> {
    let base = escaped(file.rsplit('/').next().unwrap_or(file));
    let mut lines: HashMap<&str, u32> = HashMap::new();
    for line in located.lines().filter(|line| line.starts_with('!')) {
        let (name, value) = line.split_once(" = ")?;
        if value.contains("!DIFile(") {
            // A quotation mark inside a string is escaped.
            let (_, file) = value.split_once("filename: \"")?;
            let file = file.split('"').next()?;
            if file.rsplit('/').next() != Some(&base) && file != "-" && file != "<unknown>" {
                return None;
            }
        } else if value.contains("!DILocation(") || value.contains("!DISubprogram(") {
            let at = value.split_once("line: ").map_or("", |(_, at)| at);
            let line =
                at.split(|c: char| !c.is_ascii_digit()).next().and_then(|it| it.parse().ok());
            lines.extend(line.map(|line| (name, line)));
        }
    }
    if lines.is_empty() {
        return None;
    }
    let is_own = |line: &&str| !line.is_empty() && !line.starts_with(['!', ';']);
    let mut located = located.lines().filter(is_own);
    let mut origins = Vec::new();
    for line in text.lines() {
        if !is_own(&line) {
            origins.push(Origin::default());
            continue;
        }
        let with_location = located.next()?;
        if without_metadata(with_location) != without_metadata(line) {
            return None;
        }
        let name = with_location.split_once("!dbg ").map(|(_, name)| name);
        let name = name.map(|name| name.split([',', ' ']).next().unwrap_or(name));
        let line = name.and_then(|name| lines.get(name));
        origins.push(line.map_or(Origin::default(), |line| Origin::line(*line)));
    }
    located.next().is_none().then_some(origins)
}

/// A line of LLVM IR without debug locations, and without the numbers of other metadata and of groups
/// of attributes.
fn without_metadata(line: &str) -> String {
    let mut result = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['!', '#']) {
        let (before, from) = rest.split_at(at);
        let after = from[1..].trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = after.len() + 1 < from.len();
        if let Some(location) = from.strip_prefix("!dbg !") {
            result.push_str(before.trim_end_matches([',', ' ']));
            rest = location.trim_start_matches(|c: char| c.is_ascii_digit());
        } else {
            result.push_str(before);
            result.push_str(&from[..1]);
            rest = if is_numbered { after } else { &from[1..] };
        }
    }
    result.push_str(rest);
    result.trim_end().to_owned()
}

/// The origins of assembly, from the same with line tables, which contains all of its lines and more, except for lines
/// of functions that are not placed in the source. None if it does not.
pub fn of_assembly(text: &str, located: &str, placed: &HashSet<String>) -> Option<Vec<Origin>> {
    let mut located = located.lines();
    let mut current = Origin::default();
    let mut is_located = false;
    let mut is_placed = false;
    let mut origins = Vec::new();
    let mut is_runtime = false;
    for line in text.lines() {
        let is_comment =
            line.is_empty() || line.starts_with("\t.file") || line.starts_with("\t.section");
        if let Some(label) = line.strip_suffix(':').filter(|label| !label.starts_with('.')) {
            is_runtime = !placed.contains(label.trim_matches('"'));
        } else if is_runtime {
            // The registers can differ there.
            origins.push(Origin::default());
            continue;
        }
        if !is_comment || line.starts_with("\t.loc\t") {
            loop {
                let with_location = located.next()?;
                if let Some(location) = with_location.strip_prefix("\t.loc\t") {
                    let number = location.split(' ').nth(1).and_then(|number| number.parse().ok());
                    let line = number.filter(|_| is_placed);
                    current = line.map_or(Origin::default(), Origin::line);
                    is_located = true;
                } else if let Some(label) = with_location.strip_suffix(':')
                    && !label.starts_with('.')
                {
                    is_placed = placed.contains(label.trim_matches('"'));
                } else if with_location.starts_with(".Lfunc_end") {
                    current = Origin::default();
                }
                if with_location == line {
                    break;
                }
            }
        }
        let is_instruction = line.starts_with('\t') && !line.starts_with("\t.");
        origins.push(if is_instruction { current.clone() } else { Origin::default() });
    }
    is_located.then_some(origins)
}

/// A name as LLVM writes it in a string.
fn escaped(name: &str) -> String {
    let written = |byte: u8| match byte {
        b'\\' => "\\\\".to_owned(),
        b' '..=b'~' if byte != b'"' => char::from(byte).to_string(),
        _ => format!("\\{byte:02X}"),
    };
    name.bytes().map(written).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::tests::shown;

    #[test]
    fn llvm_from_a_twin() {
        let text = "; x\ndefine void @f() #0 {\n  %1 = load i64, ptr %2, !tbaa !4\n  ret void\n}\n\n!0 = !{}\n";
        let located = "; y\ndefine void @f() #1 !dbg !9 {\n  %1 = load i64, ptr %2, !tbaa !5, !dbg !7\n  ret void\n}\n
!1 = !DIFile(filename: \"x/p.toy\", directory: \"\")\n!7 = !DILocation(line: 12, column: 1)\n!9 = distinct !DISubprogram(name: \"f\", line: 10)\n";
        let origins = of_llvm(text, located, "dir/p.toy").unwrap();
        assert_eq!(shown(&origins)[1..5], ["10", "12", "", ""]);
        assert_eq!(of_llvm(text, located, "q.toy"), None, "another file");
        assert_eq!(of_llvm(text, text, "p.toy"), None, "no locations");
        assert_eq!(of_llvm(text, &located.replace("load", "lode"), "p.toy"), None);
    }

    #[test]
    fn assembly_from_a_twin() {
        let placed = HashSet::from(["f".to_owned()]);
        let text =
            "\t.text\nf:\n\tpush\n\tret\n.Lfunc_end0:\n\nr:\n\tnop\n\t.size\tr, 3\n\t.data\n";
        let located = "\t.text\nf:\n\t.file 1 \"x\"\n\t.loc\t1 3 0\n\tpush\n.Ltmp1:\n\t.loc\t1 4 7 is_stmt 0\n\tret\n.Lfunc_end0:\nr:\n\tnop\n\t.size\tr, 3\n\t.data\n";
        let origins = of_assembly(text, located, &placed).unwrap();
        assert_eq!(shown(&origins), ["", "", "3", "4", "", "", "", "", "", ""]);
        let other = located.replace("nop", "wait");
        assert_eq!(of_assembly(text, &other, &placed).map(|it| shown(&it)), Some(shown(&origins)));
        assert_eq!(of_assembly(text, &located.replace("push", "pop"), &placed), None);
        assert_eq!(of_assembly(text, text, &placed), None);
        assert_eq!(of_assembly("\tother\n", located, &placed), None);
    }
}
