//! The lines of a text with colors and marked changes.
//!
//! Invariant: all lines of a stage are present, and so are those that it removed from the previous one; the
//! page's style decides whether the whole text or only the changes are visible.

use super::super::diff::Row;
use super::super::highlight::{Language, tokens};
use super::super::{Line, StageRecord, Text};
use super::{escaped, grouped};
use std::fmt::Write;

/// Lines around a change that are not folded.
const CONTEXT: usize = 3;

/// The fewest lines that are folded.
const FOLDED: usize = 4;

/// The lines of a stage; what did not change can be folded.
pub fn rows_of(out: &mut String, rows: &[Row], old: &Text, new: &Text, stage: &StageRecord) {
    let _ = writeln!(
        out,
        "<div class=\"code\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">",
        escaped(&stage.title)
    );
    let is_same = |row: &Row| matches!(row, Row::Same(_));
    let has_changes = !rows.iter().all(is_same);
    let mut index = 0;
    while index < rows.len() {
        if let Some((_, count)) = stage.gaps.iter().find(|(at, _)| *at == index) {
            left_out(out, *count, stage);
        }
        let run = rows[index..].iter().take_while(|row| is_same(row)).count();
        // Lines before the first change and after the last one are near a change on one side only.
        let head = if index == 0 { 0 } else { CONTEXT };
        let tail = if index + run == rows.len() { 0 } else { CONTEXT };
        if has_changes && run >= head + tail + FOLDED {
            let (first, last) = (index + head, index + run - tail);
            rows[index..first].iter().for_each(|row| line_of(out, row, old, new, stage.language));
            let _ = writeln!(
                out,
                "<button type=\"button\" class=\"gap\">{} unchanged lines</button><div class=\"far\">",
                grouped((last - first) as u64)
            );
            rows[first..last].iter().for_each(|row| line_of(out, row, old, new, stage.language));
            out.push_str("</div>\n");
            index = last;
        } else {
            // Omitted lines begin a new run.
            let end = index + run.max(1);
            let mut gaps = stage.gaps.iter().map(|(at, _)| *at);
            let end = gaps.find(|at| (index + 1..end).contains(at)).unwrap_or(end);
            rows[index..end].iter().for_each(|row| line_of(out, row, old, new, stage.language));
            index = end;
        }
    }
    if let Some((_, count)) = stage.gaps.iter().find(|(at, _)| *at == rows.len()) {
        left_out(out, *count, stage);
    }
    out.push_str("</div>\n");
}

fn left_out(out: &mut String, count: usize, stage: &StageRecord) {
    let _ = writeln!(
        out,
        "<p class=\"gone\">{} lines of toyc&#39;s runtime library are left out here; -emit={} shows them</p>",
        grouped(count as u64),
        stage.name
    );
}

fn line_of(out: &mut String, row: &Row, old: &Text, new: &Text, language: Language) {
    let (class, text, index, marks): (_, _, _, &[bool]) = match row {
        Row::Same(index) => ("l", new, *index, &[]),
        Row::New(index, marks) => ("l new", new, *index, marks),
        Row::Old(index, marks) => ("l old", old, *index, marks),
    };
    let Line { number, text, origin } = &text.lines[index];
    let _ = write!(out, "<div class=\"{class}\"");
    if class != "l old" {
        let _ = write!(out, " data-n=\"{number}\"");
    }
    if !origin.is_empty() {
        let _ = write!(out, " data-l=\"{origin}\"");
    }
    out.push('>');
    code(out, text, language, marks);
    out.push_str("</div>\n");
}

/// A line in colors; the marked tokens are emphasized.
pub fn code(out: &mut String, line: &str, language: Language, marks: &[bool]) {
    for (index, (class, text)) in tokens(line, language).into_iter().enumerate() {
        let is_marked = marks.get(index).copied().unwrap_or(false);
        out.push_str(if is_marked { "<mark>" } else { "" });
        match class.letter() {
            Some(letter) => {
                let _ = write!(out, "<i class={letter}>{}</i>", escaped(text));
            }
            None => out.push_str(&escaped(text)),
        }
        out.push_str(if is_marked { "</mark>" } else { "" });
    }
}
