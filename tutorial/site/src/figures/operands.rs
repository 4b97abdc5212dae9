//! What One-Shot Bufferize decided for each operand, and why.
//!
//! Input: a program. Output: its operations on tensors with the answers of One-Shot's analysis, of which each operand can be
//! pointed at: in place, or a copy, and for a copy the definition, the write and the read in conflict. The analysis
//! prints its decisions as attributes (chapter 8); an attribute has an entry for each operand, in their order.

use super::{Case, Tools, lit, present};
use crate::highlight::{escaped, html};
use anyhow::{Result, ensure};
use regex::Regex;

pub const CAPTION: &str =
    "The decisions of One-Shot Bufferize: point at an operand, or go on with the arrow keys.";

const ANALYSIS: &str =
    "--one-shot-bufferize=bufferize-function-boundaries test-analysis-only print-conflicts";

/// An operation: what is shown of it, and the answers.
struct Line {
    text: String,
    /// For each operand that is a tensor: its place in the text, and whether it is in place.
    operands: Vec<(usize, usize, bool)>,
    /// Its parts in conflicts: the conflict, and the part.
    conflicts: Vec<(String, String)>,
}

pub fn case(tools: &Tools, program: &str) -> Result<Case> {
    std::fs::create_dir_all(&tools.scratch)?;
    let file = tools.scratch.join("linalg.mlir");
    let to_linalg = [program, "-emit=linalg", "-o", &file.display().to_string()];
    tools.run(&tools.toyc, &to_linalg.map(str::to_owned), None)?;
    let printed =
        tools.run(&tools.toyc.with_file_name("toy-opt"), &[ANALYSIS.to_owned()], Some(&file))?;
    let lines = lines(&printed)?;
    let items: Vec<(usize, usize)> = (0..lines.len())
        .flat_map(|at| (0..lines[at].operands.len()).map(move |operand| (at, operand)))
        .collect();
    ensure!(!items.is_empty(), "no operand is a tensor");
    let copied = items.iter().position(|(at, operand)| !lines[*at].operands[*operand].2);
    let still = copied.unwrap_or(0);
    let mut notes = Vec::new();
    // For each line, the items that light it, and the roles that it has then.
    let mut roles: Vec<Vec<(usize, &str)>> = lines.iter().map(|_| Vec::new()).collect();
    for (item, (at, operand)) in items.iter().enumerate() {
        let (start, end, is_in_place) = lines[*at].operands[*operand];
        let name = format!("<code>{}</code>", escaped(&lines[*at].text[start..end]));
        if is_in_place {
            notes.push(format!("{name}: in place. {}", reason(&lines[*at].text[..start])));
            continue;
        }
        // A copy of a call's or an operation's operand: the conflict that it is in, or that it avoids.
        let own = lines[*at].conflicts.first();
        let conflict = own.or_else(|| lines.iter().find_map(|line| line.conflicts.first()));
        let conflict = conflict.map(|(conflict, _)| conflict.clone()).unwrap_or_default();
        for (line, roles) in lines.iter().zip(&mut roles) {
            for (_, part) in line.conflicts.iter().filter(|(other, _)| *other == conflict) {
                roles.push((item, part));
            }
        }
        let is_constant = conflict.starts_with('W');
        notes.push(format!("{name}: a copy. {}", match is_constant {
            true => "It would be overwritten, and the contents of a constant must stay.",
            false => "Without it, a write would destroy contents that are read later: see what defines, writes and reads them.",
        }));
    }
    let mut rows = String::new();
    for (at, line) in lines.iter().enumerate() {
        let mut shown = String::new();
        let mut from = 0;
        for (operand, (start, end, is_in_place)) in line.operands.iter().enumerate() {
            let item = items.iter().position(|other| *other == (at, operand)).unwrap_or_default();
            let kind = if *is_in_place { "in-place" } else { "copy" };
            shown += &html(&line.text[from..*start], "mlir");
            shown += &format!(
                "<span class=\"item {kind}\" data-item=\"{item}\">{}</span>",
                escaped(&line.text[*start..*end])
            );
            from = *end;
        }
        shown += &html(&line.text[from..], "mlir");
        let moments: Vec<_> = roles[at].iter().map(|(item, _)| (*item, *item)).collect();
        for (item, role) in &roles[at] {
            shown += &format!(" <small {}>{role}</small>", present(&[(*item, *item)], still));
        }
        rows += &format!("<span {}>{shown}</span>\n", lit(&moments, still));
    }
    let body = format!(
        "<p class=\"legend\"><span class=\"item in-place\">in place</span> <span class=\"item copy\">copy</span></p>\n\
         <pre><code class=\"hljs nohighlight\">{}</code></pre>\n",
        rows.trim_end(),
    );
    Ok(Case { name: program.to_owned(), body, notes, still })
}

/// The reason why an operand needs no copy, from the text before it.
fn reason(before: &str) -> &'static str {
    let writes = before.contains("outs(") || before.contains("insert");
    let views = ["return", "cast", "slice"].iter().any(|word| before.contains(word));
    match (writes, views) {
        (true, _) => "The operation overwrites it, and nothing reads the old contents later.",
        (_, true) => "The result is another name for the same memory.",
        _ => "The operation only reads it.",
    }
}

/// The operations of the functions with bodies, without types and attributes.
fn lines(printed: &str) -> Result<Vec<Line>> {
    let decisions = Regex::new(r#"__inplace_operands_attr__ = \[([^\]]*)\]"#)?;
    let part = Regex::new(r#""([CW]_\d+)\[(DEF|CONFL-WRITE|READ|NOT-WRITABLE)"#)?;
    let attributes = Regex::new(r#"( attrs = *)? *\{["_iv][^{}]*\}"#)?;
    let types = Regex::new(r" : [^()]*\)")?;
    let tail = Regex::new(r"( ->| :) .*$| *\{$")?;
    let value = Regex::new(r"%[\w.]+")?;
    let mut lines = Vec::new();
    let mut depth = 0;
    for line in printed.lines().filter(|line| !line.contains("@toy_print(tensor")) {
        let line_text = line.trim();
        // The bodies of linalg's operations are about numbers.
        if line_text.starts_with('^') {
            depth += 1;
        }
        if depth > 0 || line_text.starts_with(['#', '}']) || line_text.starts_with("module") {
            depth -= usize::from(depth > 0 && line_text.starts_with('}'));
            continue;
        }
        let is_function = line_text.starts_with("func.func");
        let shown = match is_function {
            true => line_text.split('(').next().unwrap_or_default().to_owned(),
            false => {
                let shown = attributes.replace_all(line_text, "");
                tail.replace(&types.replace_all(&shown, ")"), "").into_owned()
            }
        };
        let mut operands = Vec::new();
        if let Some(found) = decisions.captures(line) {
            let from = shown.find(" = ").unwrap_or(0);
            let places =
                value.find_iter(&shown[from..]).map(|m| (m.start() + from, m.end() + from));
            let answers: Vec<&str> = found[1].split(", ").collect();
            let places: Vec<_> = places.collect();
            ensure!(places.len() == answers.len(), "`{line_text}` has other operands");
            for (place, answer) in places.into_iter().zip(answers) {
                if answer != "\"none\"" {
                    operands.push((place.0, place.1, answer == "\"true\""));
                }
            }
        }
        let conflicts = part.captures_iter(line).map(|found| {
            let role = match &found[2] {
                "DEF" => "defines",
                "CONFL-WRITE" => "writes",
                "READ" => "reads",
                _ => "constant",
            };
            (found[1].to_owned(), role.to_owned())
        });
        let conflicts = conflicts.collect();
        lines.push(Line { text: shown, operands, conflicts });
    }
    // Numbers are in no buffer; and `main` is shown if there is something to see.
    let is_shown = |line: &Line| {
        !line.conflicts.is_empty() || !line.text.contains("arith.constant") && line.text != "return"
    };
    lines.retain(is_shown);
    let is_function = |line: &Line| line.text.starts_with("func.func");
    let second = lines.iter().skip(1).position(is_function).map_or(0, |at| at + 1);
    let has_copy = lines[..second].iter().any(|line| line.operands.iter().any(|it| !it.2));
    Ok(if has_copy { lines } else { lines.split_off(second) })
}
