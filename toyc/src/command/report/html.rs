//! The page: HTML with its style and its script inline.
//!
//! Input: a [`Report`]. Output: the text of the file. Invariants: nothing is loaded, and the page forbids
//! the browser to; without the script it is one long page; all text from the program goes through
//! [`escaped`].

mod rows;
mod tables;

use super::diff::{Diff, Row, diff};
use super::highlight::Language;
use super::{Line, Report, StageRecord, Step, Text};
use crate::memory_plan;
use rows::{code, rows_of};
use std::fmt::Write;
use std::time::Duration;
use tables::{calls, overview};
use toy_diagnostics::text::{counted, printable};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// A view of the page: an entry of the navigation and a section.
struct View<'r> {
    id: String,
    title: String,
    is_unchanged: bool,
    content: Content<'r>,
}

enum Content<'r> {
    Overview,
    Calls,
    Plan,
    Stage(&'r StageRecord, Change),
}

/// What a stage changed in the text of the previous stage.
enum Change {
    /// The previous stage has no comparable text.
    First,
    Nothing,
    Lines(Diff),
}

/// The file.
pub fn page(report: &Report) -> String {
    let views = views(report);
    let mut out = String::new();
    head(&mut out, report);
    out.push_str("<div class=\"columns\">\n");
    source(&mut out, report);
    out.push_str("<div class=\"right\">\n");
    navigation(&mut out, &views);
    out.push_str("<main>\n");
    for view in &views {
        let _ = writeln!(out, "<section class=\"view\" id=\"{}\">", view.id);
        match &view.content {
            Content::Overview => overview(&mut out, report, &views),
            Content::Calls => calls(&mut out, report),
            Content::Plan => plan(&mut out, report),
            Content::Stage(stage, change) => self::stage(&mut out, report, stage, change),
        }
        out.push_str("</section>\n");
    }
    out.push_str("</main>\n</div>\n</div>\n");
    let _ = write!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

fn views(report: &Report) -> Vec<View<'_>> {
    let view = |id: &str, title: &str, content| View {
        id: id.to_owned(),
        title: title.to_owned(),
        is_unchanged: false,
        content,
    };
    let mut views = vec![view("overview", "overview", Content::Overview)];
    for (index, stage) in report.stages.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &report.stages[before]);
        let change = match before.filter(|_| stage.is_comparable) {
            None => Change::First,
            Some(before) if before.text.digest == stage.text.digest => Change::Nothing,
            Some(before) => Change::Lines(diff(&before.text, &stage.text, stage.language)),
        };
        let id = if views.iter().any(|view| view.id == stage.name) {
            format!("{}-optimized", stage.name)
        } else {
            stage.name.to_owned()
        };
        views.push(View {
            id,
            title: stage.title.clone(),
            is_unchanged: matches!(change, Change::Nothing),
            content: Content::Stage(stage, change),
        });
        if stage.name == "shapes" && !report.calls.is_empty() {
            views.push(view("specializations", "specializations", Content::Calls));
        }
        if stage.name == "merged" && report.plan.is_some() {
            views.push(view("memory-plan", "memory plan", Content::Plan));
        }
    }
    views
}

fn head(out: &mut String, report: &Report) {
    let input = escaped(&report.input);
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    let version = env!("CARGO_PKG_VERSION");
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{input}: toyc report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<div>\n<h1>{input}</h1>\n<p><code>{}</code></p>\n\
         <p>for {}, by toyc {version} with LLVM {major}.{minor}.{patch}</p>\n</div>\n\
         <button type=\"button\" id=\"theme\" class=\"script\">Dark</button>\n</header>\n",
        escaped(&report.command),
        escaped(&report.target),
    );
}

fn source(out: &mut String, report: &Report) {
    let language = if report.is_mlir { Language::Mlir } else { Language::Toy };
    let _ = write!(
        out,
        "<aside id=\"source\">\n<div class=\"bar\"><h2>Source</h2>\
         <span class=\"hint script\" id=\"hint\">Point at a line; click to keep it</span>\
         <button type=\"button\" id=\"collapse\" class=\"script\" aria-expanded=\"true\" \
         aria-controls=\"lines\">Hide</button></div>\n\
         <div class=\"code\" id=\"lines\" tabindex=\"0\" role=\"group\" aria-label=\"Source lines\">\n"
    );
    for Line { number, text, .. } in &report.source.lines {
        let _ = write!(out, "<div class=\"l\" id=\"L{number}\" data-n=\"{number}\">");
        code(out, text, language, &[]);
        out.push_str("</div>\n");
    }
    out.push_str("</div>\n");
    elided(out, &report.source, 0, "the file has them");
    out.push_str("</aside>\n");
}

fn navigation(out: &mut String, views: &[View]) {
    out.push_str("<nav aria-label=\"Stages\">\n<ol>\n");
    for View { id, title, is_unchanged, content } in views {
        let class = match (is_unchanged, content) {
            (true, _) => "same",
            (_, Content::Stage(..)) => "stage",
            _ => "extra",
        };
        let note = if *is_unchanged { " title=\"nothing changed\"" } else { "" };
        let sign = if *is_unchanged { "<span class=\"sign\">=</span>" } else { "" };
        let _ = writeln!(
            out,
            "<li><a href=\"#{id}\" class=\"{class}\"{note}>{}{sign}<span class=\"hits\" hidden></span></a></li>",
            escaped(title)
        );
    }
    out.push_str("</ol>\n</nav>\n");
}

fn plan(out: &mut String, report: &Report) {
    let Some(plan) = &report.plan else { return };
    out.push_str("<h2>Memory plan</h2>\n<div class=\"wide picture\">\n");
    out.push_str(&memory_plan::svg(plan));
    out.push_str("</div>\n<details><summary>The same as text</summary>\n<pre class=\"wide\">");
    out.push_str(&escaped(&memory_plan::text(plan)));
    out.push_str("</pre></details>\n");
}

fn stage(out: &mut String, report: &Report, stage: &StageRecord, change: &Change) {
    let _ = writeln!(
        out,
        "<h2>{}</h2>\n<p class=\"about\">{}</p>",
        escaped(&stage.title),
        escaped(&stage.about)
    );
    facts(out, stage);
    passes(out, &stage.steps);
    if let Some(note) = stage.note {
        let _ = writeln!(out, "<p class=\"note\">{note}</p>");
    }
    match change {
        Change::First => {
            tools(out, None);
            let rows: Vec<Row> = (0..stage.text.lines.len()).map(Row::Same).collect();
            rows_of(out, &rows, &stage.text, &stage.text, stage);
        }
        Change::Nothing => {
            out.push_str("<details class=\"folded\"><summary>Nothing changed here; the text is that of the stage before</summary>\n");
            let rows: Vec<Row> = (0..stage.text.lines.len()).map(Row::Same).collect();
            rows_of(out, &rows, &stage.text, &stage.text, stage);
            out.push_str("</details>\n");
        }
        Change::Lines(diff) => {
            tools(out, Some(diff));
            let index = report.stages.iter().position(|other| std::ptr::eq(other, stage));
            let before = index.and_then(|index| report.stages.get(index.checked_sub(1)?));
            let old = before.map_or(&stage.text, |before| &before.text);
            rows_of(out, &diff.rows, old, &stage.text, stage);
        }
    }
    let how = format!("-emit={} shows them", stage.name);
    let left_out = stage.gaps.iter().map(|(_, count)| count).sum();
    elided(out, &stage.text, left_out, &how);
}

/// Sizes, and the number of operations of each dialect.
fn facts(out: &mut String, stage: &StageRecord) {
    let lines = stage.text.count;
    let _ = write!(
        out,
        "<ul class=\"facts\">\n<li><b>{}</b> line{}</li><li><b>{}</b></li>",
        grouped(lines as u64),
        if lines == 1 { "" } else { "s" },
        size(stage.text.bytes as u64)
    );
    for (dialect, kinds) in &stage.operations {
        let count: usize = kinds.values().sum();
        let kinds: Vec<String> =
            kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let _ = write!(
            out,
            "<li class=\"chip\" title=\"{}\">{} <b>{}</b></li>",
            escaped(&kinds.join("\n")),
            escaped(dialect),
            grouped(count as u64)
        );
    }
    out.push_str("\n</ul>\n");
}

fn passes(out: &mut String, steps: &[Step]) {
    if steps.is_empty() {
        return;
    }
    let total: Duration = steps.iter().map(|step| step.time).sum();
    let count = counted(steps.len(), "step");
    let _ = writeln!(
        out,
        "<details class=\"steps\"><summary>{count} led here, {}</summary>\n<table><tbody>",
        time(total)
    );
    for step in steps {
        let (class, changed) = match step.changed {
            None => ("", ""),
            Some(true) => ("", "changed the program"),
            Some(false) => (" class=\"same\"", "nothing to do"),
        };
        let _ = writeln!(
            out,
            "<tr{class}><td><code>{}</code></td><td>{changed}</td><td class=\"r\">{}</td></tr>",
            escaped(&step.name),
            time(step.time)
        );
    }
    out.push_str("</tbody></table></details>\n");
}

/// The buttons above a text.
fn tools(out: &mut String, diff: Option<&Diff>) {
    out.push_str("<div class=\"tools script\">");
    if let Some(diff) = diff {
        let _ = write!(
            out,
            "<span class=\"switch\" role=\"group\" aria-label=\"What to show\">\
             <button type=\"button\" data-mode=\"text\" aria-pressed=\"true\">Whole text</button>\
             <button type=\"button\" data-mode=\"diff\" aria-pressed=\"false\">Changes {}</button></span>",
            sums(diff)
        );
    }
    out.push_str(
        "<button type=\"button\" data-wrap aria-pressed=\"true\">Wrap lines</button></div>\n",
    );
}

fn sums(diff: &Diff) -> String {
    format!(
        "<span class=\"plus\">+{}</span> <span class=\"minus\">−{}</span>",
        grouped(diff.added as u64),
        grouped(diff.removed as u64)
    )
}

/// Says how many lines are cut off at the end.
fn elided(out: &mut String, text: &Text, left_out: usize, how: &str) {
    let rest = text.count.saturating_sub(text.lines.len() + left_out);
    if rest > 0 {
        let rest = grouped(rest as u64);
        let _ = writeln!(
            out,
            "<p class=\"note\">… and {rest} more lines, left out of this page: {how}.</p>"
        );
    }
}

/// Every duration is in this element, so that a comparison of two pages can ignore it.
fn time(time: Duration) -> String {
    format!("<span class=\"t\">{:.2} ms</span>", time.as_secs_f64() * 1e3)
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{} bytes", grouped(bytes)),
        10_000..10_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// `12,345`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Text for HTML, within elements and attributes; characters that HTML does not allow are replaced.
fn escaped(text: &str) -> String {
    let shown = |character| if character == '\n' { '\n' } else { printable(character) };
    memory_plan::svg::escaped(&text.chars().map(shown).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_text() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(size(9_999), "9,999 bytes");
        assert_eq!(size(16_040), "16.0 kB");
        assert_eq!(escaped("<a b=\"&'\">\u{202e}"), "&lt;a b=&quot;&amp;'&quot;&gt;\u{fffd}");
    }
}
