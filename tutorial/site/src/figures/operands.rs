//! The decision of One-Shot Bufferize for each operand, with its reason.
//!
//! Input: a program. Output: its operations on tensors with the answers of One-Shot's analysis, of which each operand can be
//! pointed at: in place, or a copy, and for a copy the definition, the write and the read in conflict. The analysis
//! prints its decisions as attributes (chapter 8); an attribute has an entry for each operand, in their order.

use super::{Case, Tools, present};
use crate::highlight::{escaped, html};
use anyhow::{Result, ensure};
use regex::Regex;
use std::ops::Range;

pub const CAPTION: &str =
    "The decisions of One-Shot Bufferize: point at an operand, or go on with the arrow keys.";

const ANALYSIS: &str =
    "--one-shot-bufferize=bufferize-function-boundaries test-analysis-only print-conflicts";

/// An operation: the text that is shown of it, and the answers.
struct Line {
    text: String,
    /// The operands that are tensors: their places in the text, and whether they are copied.
    operands: Vec<(Range<usize>, bool)>,
    /// The conflicts that it is a part of, and its role there.
    roles: Vec<(String, &'static str)>,
}

pub fn case(tools: &Tools, program: &str) -> Result<Case> {
    let file = tools.scratch.join("linalg.mlir");
    let to_linalg = [program, "-emit=linalg", "-o", &file.display().to_string()];
    tools.run(&tools.toyc, &to_linalg.map(str::to_owned))?;
    let analysis = [file.display().to_string(), ANALYSIS.to_owned()];
    let lines = lines(&tools.run(&tools.toyc.with_file_name("toy-opt"), &analysis)?)?;
    let operands = || lines.iter().flat_map(|line| line.operands.iter().map(move |it| (line, it)));
    let still = operands().position(|(_, (_, is_copy))| *is_copy).unwrap_or(0);
    let notes = operands().map(|(line, (place, is_copy))| {
        let reason =
            if *is_copy { copied(conflict(&lines, line)) } else { kept(&line.text[..place.start]) };
        format!("<code>{}</code>: {reason}", escaped(&line.text[place.clone()]))
    });
    let mut rows = String::new();
    let mut item = 0;
    for line in &lines {
        let mut shown = String::new();
        let mut from = 0;
        for (place, is_copy) in &line.operands {
            let kind = if *is_copy { "copy" } else { "in-place" };
            let name = escaped(&line.text[place.clone()]);
            shown += &html(&line.text[from..place.start], "mlir");
            shown += &format!("<span class=\"item {kind}\" data-item=\"{item}\">{name}</span>");
            from = place.end;
            item += 1;
        }
        shown += &html(&line.text[from..], "mlir");
        let mut moments = Vec::new();
        for (at, (other, (_, is_copy))) in operands().enumerate() {
            let role =
                line.roles.iter().find(|(name, _)| *is_copy && name == conflict(&lines, other));
            if let Some((_, role)) = role {
                shown += &format!(" <small {}>{role}</small>", present(&[(at, at)], still));
                moments.push((at, at));
            }
        }
        rows += &format!("<span {}>{shown}</span>\n", present(&moments, still));
    }
    let body = format!(
        "<p class=\"legend\"><span class=\"item in-place\">in place</span> <span class=\"item copy\">copy</span></p>\n\
         <pre><code class=\"hljs nohighlight\">{}</code></pre>\n",
        rows.trim_end(),
    );
    Ok(Case { name: program.to_owned(), body, notes: notes.collect(), still })
}

/// The conflict that an operand is copied for: its own, or one that it avoids for another one.
fn conflict<'a>(lines: &'a [Line], line: &'a Line) -> &'a str {
    let others = lines.iter().flat_map(|line| &line.roles);
    line.roles.iter().chain(others).next().map_or("", |(name, _)| name)
}

fn copied(conflict: &str) -> &'static str {
    match conflict.starts_with('W') {
        true => "a copy. It would be overwritten, and the contents of a constant must stay.",
        false => {
            "a copy. Without it, a write would destroy contents that are read later: see what defines, writes and reads them."
        }
    }
}

/// The reason why an operand needs no copy, from the text before it.
fn kept(before: &str) -> &'static str {
    let has = |words: &[&str]| words.iter().any(|word| before.contains(word));
    if has(&["outs(", "insert"]) {
        "in place. The operation overwrites it, and nothing reads the old contents later."
    } else if has(&["return", "cast", "slice"]) {
        "in place. The result is another name for the same memory."
    } else {
        "in place. The operation only reads it."
    }
}

/// The operations of the functions with bodies, without types, attributes and the bodies of linalg's operations.
fn lines(printed: &str) -> Result<Vec<Line>> {
    let decisions = Regex::new(r#"__inplace_operands_attr__ = \[([^\]]*)\]"#)?;
    let role = Regex::new(r#""([CW]_\d+)\[(DEF|CONFL-WRITE|READ|NOT-WRITABLE)"#)?;
    let bodies = Regex::new(r"(?m)^ *\^(.*\n)*? *\}.*$")?;
    let attributes = Regex::new(r#"( attrs = *)? *\{["_iv][^{}]*\}"#)?;
    let types = Regex::new(r" : [^()]*\)")?;
    let tail = Regex::new(r"( ->| :) .*$| *\{$|(^func[^(]*)\(.*$")?;
    let value = Regex::new(r"%[\w.]+")?;
    let mut lines = Vec::new();
    for line in bodies.replace_all(printed, "").lines().map(str::trim) {
        let is_number = line.contains("arith.constant") && !line.contains("NOT-WRITABLE");
        let is_frame =
            line.is_empty() || line.starts_with(['#', '}']) || line.starts_with("module");
        if is_number || is_frame || line == "return" || line.contains("@toy_print(tensor") {
            continue;
        }
        let text = attributes.replace_all(line, "");
        let text = tail.replace(&types.replace_all(&text, ")"), "$2").into_owned();
        let mut operands = Vec::new();
        if let Some(found) = decisions.captures(line) {
            let from = text.find(" = ").unwrap_or(0);
            let places =
                value.find_iter(&text[from..]).map(|it| it.start() + from..it.end() + from);
            let (places, answers): (Vec<_>, Vec<_>) =
                (places.collect(), found[1].split(", ").collect());
            ensure!(places.len() == answers.len(), "`{line}` has other operands");
            let answered =
                places.into_iter().zip(answers).filter(|(_, answer)| *answer != "\"none\"");
            operands = answered.map(|(place, answer)| (place, answer == "\"false\"")).collect();
        }
        let roles = role.captures_iter(line).map(|found| {
            let role = match &found[2] {
                "DEF" => "defines",
                "CONFL-WRITE" => "writes",
                "READ" => "reads",
                _ => "constant",
            };
            (found[1].to_owned(), role)
        });
        lines.push(Line { text, operands, roles: roles.collect() });
    }
    Ok(lines)
}
