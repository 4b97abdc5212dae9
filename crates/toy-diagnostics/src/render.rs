//! Renders diagnostics as text: with source excerpts, or one line each.
//!
//! Input: diagnostics and the source they refer to. Output: text for a terminal. Invariants: no
//! text of a program can break the output or the terminal (see [`excerpt`]); the work for one
//! diagnostic depends on its labels, not on the size of the program.
//!
//! The frames are drawn by ariadne. It gets only an excerpt, whose lines it numbers from one;
//! [`with_source_positions`] then inserts the true line numbers. (Its own
//! `with_display_line_offset` changes the head of a frame but not the numbers in the margin.)

pub mod colors;
mod excerpt;

use crate::source::Source;
use crate::text::printable;
use crate::{Diagnostic, Label, Severity};
use ariadne::{Color, Config, IndexType, Report, ReportKind};
use colors::{GREEN, Hue, MAGENTA, PURPLE, Painter, RED, Style, recolored};
use excerpt::Excerpt;
use std::fmt::Write;

/// With source excerpts; without a source, or for a diagnostic without labels, as plain text.
pub fn render(diagnostics: &[Diagnostic], source: Option<&Source>, color: bool) -> String {
    let mut text = String::new();
    for (index, diagnostic) in diagnostics.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        match source.filter(|_| !diagnostic.labels.is_empty()) {
            Some(source) => text.push_str(&framed(diagnostic, source, color)),
            None => text.push_str(&plain(diagnostic, color)),
        }
    }
    text
}

/// `file:line:column: error[E0201]: message`, one line per diagnostic.
pub fn render_short(diagnostics: &[Diagnostic], source: Option<&Source>) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        if let (Some(source), Some(primary)) = (source, diagnostic.labels.first()) {
            let _ = write!(text, "{}: ", location(primary, source));
        }
        let _ = writeln!(text, "{}: {}", head(diagnostic), one_line(&diagnostic.message));
    }
    text
}

/// `error[E0201]`
fn head(diagnostic: &Diagnostic) -> String {
    format!("{}[{}]", diagnostic.severity.name(), diagnostic.code.id)
}

fn location(label: &Label, source: &Source) -> String {
    let at = source.line_column(label.span.within(&source.text).start as u32);
    format!("{}:{}:{}", one_line(&source.name), at.line, at.column)
}

/// Writes the line above a frame, or above the notes of a diagnostic without one.
fn headline(diagnostic: &Diagnostic, color: bool, painter: &mut Painter) {
    let hue = match diagnostic.severity {
        Severity::Error => RED,
        Severity::Warning => MAGENTA,
        Severity::Remark | Severity::Note => PURPLE,
    };
    painter.paint(&format!("{}:", head(diagnostic)), style(Some(hue), true, color));
    painter.paint(&format!(" {}", one_line(&diagnostic.message)), style(None, true, color));
    painter.line_end();
}

fn style(hue: Option<Hue>, is_bold: bool, color: bool) -> Style {
    if color { Style { hue, is_bold } } else { Style::default() }
}

/// Without a source: in colors, the words look as in a frame.
fn plain(diagnostic: &Diagnostic, color: bool) -> String {
    let mut painter = Painter::default();
    headline(diagnostic, color, &mut painter);
    let notes = diagnostic.notes.iter().map(|note| ("note", note));
    let help = diagnostic.help.iter().map(|help| ("help", &help.message));
    for (kind, words) in notes.chain(help) {
        let indented = several_lines(words).replace('\n', "\n        ");
        painter.paint("  ", Style::default());
        painter.paint(kind, style(Some(GREEN), false, color));
        painter.paint(&format!(": {indented}"), Style::default());
        painter.line_end();
    }
    painter.finish()
}

fn one_line(text: &str) -> String {
    several_lines(&text.replace('\n', " "))
}

fn several_lines(text: &str) -> String {
    let in_words = |c| match c {
        '\n' => c,
        '\t' => ' ',
        _ => printable(c),
    };
    text.chars().map(in_words).collect()
}

/// The name of the excerpt for ariadne: a character that `printable` replaces everywhere else.
const PLACEHOLDER: &str = "\u{e000}";

fn framed(diagnostic: &Diagnostic, source: &Source, color: bool) -> String {
    let spans: Vec<_> = diagnostic.labels.iter().map(|label| label.span).collect();
    let excerpt = excerpt::excerpt(source, &spans);
    let place = |index: usize| (PLACEHOLDER, excerpt.spans[index].clone());
    let config = Config::default().with_index_type(IndexType::Byte).with_color(color);
    // The head of every message is ours: ariadne colors one of its caller's even without colors.
    let mut report = Report::build(ReportKind::Error, place(0)).with_config(config);
    let mut labels: Vec<(usize, &Label)> = diagnostic.labels.iter().enumerate().collect();
    // From top to bottom: if the lines of the last characters do not ascend, ariadne starts a new
    // frame.
    labels.sort_by_key(|(index, _)| {
        let span = &excerpt.spans[*index];
        (span.start.max(span.end.saturating_sub(1)), span.start)
    });
    for (index, label) in labels {
        let hue = match (index, diagnostic.severity) {
            (0, Severity::Error) => Color::Red,
            (0, Severity::Warning) => Color::Yellow,
            _ => Color::Blue,
        };
        let framed = ariadne::Label::new(place(index)).with_color(hue);
        report.add_label(framed.with_message(one_line(&label.message)));
    }
    diagnostic.notes.iter().for_each(|note| report.add_note(several_lines(note)));
    diagnostic.help.iter().for_each(|help| report.add_help(several_lines(&help.message)));
    let mut drawn = Vec::new();
    let text = ariadne::Source::from(excerpt.text.as_str());
    if report.finish().write((PLACEHOLDER, text), &mut drawn).is_err() {
        // Writing into memory does not fail; if it did, the message itself must not be lost.
        return plain(diagnostic, color);
    }
    let place = location(&diagnostic.labels[0], source);
    let drawn = String::from_utf8_lossy(&drawn);
    let mut painter = Painter::default();
    headline(diagnostic, color, &mut painter);
    let frame = with_source_positions(&drawn, &excerpt, &place, color);
    painter.finish() + &if color { recolored(&frame) } else { frame }
}

/// Replaces the location and the line numbers of the excerpt in ariadne's frame by the source's.
fn with_source_positions(drawn: &str, excerpt: &Excerpt, place: &str, color: bool) -> String {
    let digits = |number: usize| number.to_string().len();
    let width = digits(excerpt.lines.iter().flatten().max().map_or(1, |line| *line as usize));
    let widened = width.saturating_sub(digits(excerpt.lines.len()));
    let mut text = String::new();
    let mut rows = drawn.lines().skip(1).peekable();
    while let Some(row) = rows.next() {
        let row = match rows.peek() {
            None => row.replacen('─', &"─".repeat(widened + 1), 1),
            _ => with_line_number(row, excerpt, width)
                .unwrap_or_else(|| format!("{:widened$}{row}", "")),
        };
        let row = match row.split_once(PLACEHOLDER) {
            Some((before, after)) => format!("{before}{place}{}", after_line_and_column(after)),
            None => row,
        };
        // Escape sequences may follow the trailing white space.
        text.push_str(if color { &row } else { row.trim_end() });
        text.push('\n');
    }
    text
}

/// A row that shows a line of the source, with its line number in the source; `None` for other rows.
fn with_line_number(row: &str, excerpt: &Excerpt, width: usize) -> Option<String> {
    let digit = row.find(|c: char| !matches!(c, ' ' | '\u{1b}'))?;
    // A color sequence may precede the number; its digits are not the line number.
    let (start, color) = match row[digit..].strip_prefix('[') {
        Some(sequence) => {
            let end = digit + 1 + sequence.find('m')? + 1;
            (end, &row[row.find('\u{1b}')?..end])
        }
        None => (0, ""),
    };
    let rest = row[start..].trim_start_matches(' ');
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    let number: usize = rest[..end].parse().ok()?;
    if !rest[end..].starts_with(" │") {
        return None;
    }
    let line = excerpt.lines.get(number.checked_sub(1)?).copied().flatten()?;
    Some(format!(" {color}{line:>width$}{}", &rest[end..]))
}

/// The text after ariadne's `:line:column`.
fn after_line_and_column(text: &str) -> &str {
    text.trim_start_matches(|c: char| matches!(c, ':' | '?') || c.is_ascii_digit())
}

#[cfg(test)]
mod tests;
