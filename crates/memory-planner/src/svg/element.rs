//! Elements of a picture as SVG text; other crates use them, too.
//!
//! Each function appends one element and a line break. Classes are names of the program; any other text
//! is escaped here.

use std::fmt::Write;

/// A line between two points.
pub fn line(out: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{:.2}\" y1=\"{:.2}\" x2=\"{:.2}\" y2=\"{:.2}\"/>",
        from.0, from.1, to.0, to.1
    );
}

/// A rectangle from its left upper corner, with a tooltip unless that is empty.
pub fn rectangle(
    out: &mut String,
    class: &str,
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    tooltip: &str,
) {
    let end = match tooltip {
        "" => "/>".to_string(),
        _ => format!("><title>{}</title></rect>", escaped(tooltip)),
    };
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\"{end}"
    );
}

/// Text at a point of its baseline: its start, end or middle, as `anchor` says.
pub fn text(out: &mut String, class: &str, anchor: &str, (x, y): (f64, f64), text: &str) {
    let text = escaped(text);
    let _ = writeln!(
        out,
        "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
    );
}

/// Text as XML has it, in elements and in attributes with double quotes. Characters that XML
/// excludes become U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(character),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}
