//! The bytes of operations in memory.
//!
//! Input: the block above the figure, an output of `tutorial/programs/inside_operation.rs`: for each operation its parts, with
//! their offsets and the distance to the next one. Output: a bar for each operation, its parts as wide as they are long;
//! a part at the end is as long as others of its kind. Pointing at a result lights the operands in its use list.

use super::{Case, present};
use crate::highlight::escaped;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;

pub const CAPTION: &str =
    "Operations in memory, to scale: point at a part, or go on with the arrow keys.";

struct Part {
    operation: String,
    offset: i64,
    /// Its size, if a part follows, or others of its kind are known.
    size: Option<i64>,
    name: String,
    uses: String,
}

pub fn case(above: &str) -> Result<Case> {
    let mut parts: Vec<Part> = Vec::new();
    let mut sizes: BTreeMap<String, i64> = BTreeMap::new();
    let mut operation = "";
    for line in above.lines().filter(|line| !line.starts_with(['$', '>'])) {
        let Some(row) = line.strip_prefix("  ") else {
            operation = line;
            continue;
        };
        let words: Vec<&str> = row.split_whitespace().collect();
        let Ok(offset) = words[0].parse::<i64>() else { continue };
        let size = words.get(1).and_then(|word| word.parse::<i64>().ok());
        let name = words[1 + usize::from(size.is_some())..].join(" ");
        let (name, uses) = name.split_once(", used by ").unwrap_or((&name, ""));
        // Operands are all of one size; operations are not.
        if let Some(size) = size.filter(|_| !name.starts_with("the ")) {
            sizes.insert(kind(name).to_owned(), size);
        }
        let (operation, name, uses) = (operation.to_owned(), name.to_owned(), uses.to_owned());
        parts.push(Part { operation, offset, size, name, uses });
    }
    for part in &mut parts {
        part.size = part.size.or(sizes.get(kind(&part.name)).copied());
    }
    ensure!(!parts.is_empty(), "the block above has no parts of operations");
    let size = |part: &Part| part.size.unwrap_or(16);
    let ends = parts.iter().map(|part| part.offset + size(part));
    let least = parts.iter().map(|part| part.offset).min().unwrap_or(0);
    let total = (ends.max().unwrap_or(0) - least) as f64;
    let percent = |bytes: i64| 100.0 * bytes as f64 / total;
    let still = parts.iter().position(|part| part.uses.contains("then")).context("no use list")?;
    let mut body = "<div class=\"bars\">\n".to_owned();
    let mut notes = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let is_first = index == 0 || parts[index - 1].offset >= part.offset;
        if is_first {
            let name = escaped(&part.operation);
            let close = if index > 0 { "</div>\n" } else { "" };
            let left = percent(part.offset - least);
            body += &format!(
                "{close}<p><code>{name}</code></p><div class=\"bar\"><span style=\"width:{left:.2}%\"></span>"
            );
        }
        let name = kind(&part.name);
        let mention = format!("{} ({})", part.operation, part.name);
        let users = parts.iter().enumerate().filter(|(_, other)| other.uses.contains(&mention));
        let moments: Vec<_> = users.map(|(at, _)| (at, at)).collect();
        let shown = part.size.map_or("…".to_owned(), |size| size.to_string());
        body += &format!(
            "<span style=\"width:{:.2}%\" data-item=\"{index}\" {}>{shown}</span>",
            percent(size(part)),
            present(&moments, still).replacen("class=\"", &format!("class=\"item {name} "), 1),
        );
        notes.push(format!(
            "<b>{}, {}</b>: at {:+}{}. {}{}",
            escaped(&part.operation),
            part.name,
            part.offset,
            part.size.map_or(String::new(), |size| format!(", {size} bytes")),
            match name {
                "result" => "The head of its use list, and its type.",
                "operand" => "The next use of the same value, the place that points to this one, the operation, and the value.",
                "region" => "Its blocks.",
                _ => "A handle of melior points here.",
            },
            if part.uses.is_empty() { String::new() } else { format!(" Used by {}.", escaped(&part.uses)) },
        ));
    }
    body += "</div>\n</div>\n<p class=\"legend\"><span class=\"item result\">result</span> <span class=\"item operation\">operation</span> \
             <span class=\"item region\">region</span> <span class=\"item operand\">operand</span></p>\n";
    Ok(Case { name: String::new(), body, notes, still })
}

/// `operand` for `operand 1`, `operation` for `the operation`.
fn kind(name: &str) -> &str {
    name.strip_prefix("the ").unwrap_or(name).split(' ').next().unwrap_or_default()
}
