//! The files: a report as JSON, and as a page with its style, its script and the report inside.
//!
//! Input: a [`Report`]. Output: the text of the file. Invariants: the page loads nothing, and forbids
//! the browser to; nothing from the program is HTML, except for the escaped title: the report is compressed, and the
//! script shows it as text.

use super::Report;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use toy_compiler::memory_plan::svg::escaped;
use toy_diagnostics::text::printed;
use toy_syntax::builtins::BUILTINS;

/// The page with its places for the title, the policy, the style, the script and the report.
pub const PAGE: &str = include_str!("page/page.html");
pub const STYLE: &str = include_str!("page/style.css");

/// The script's files, in the order of their dependencies.
const SCRIPT: [&str; 16] = [
    include_str!("page/elements.js"),
    include_str!("page/packed.js"),
    include_str!("page/data.js"),
    include_str!("page/highlight.js"),
    include_str!("page/difference.js"),
    include_str!("page/text.js"),
    include_str!("page/lines.js"),
    include_str!("page/views.js"),
    include_str!("page/second.js"),
    include_str!("page/overview.js"),
    include_str!("page/output.js"),
    include_str!("page/plan.js"),
    include_str!("page/search.js"),
    include_str!("page/slider.js"),
    include_str!("page/link.js"),
    include_str!("page/main.js"),
];

/// The script that runs programs of WebAssembly in workers, for pages that have any.
pub const RUNNER: &str = include_str!("page/run.js");

/// The permissions of a page without a server.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// The script, which colors the names of the builtins.
pub fn script() -> String {
    let builtins: Vec<&str> = BUILTINS.iter().map(|builtin| builtin.name).collect();
    format!("const BUILTINS = new Set('{}'.split(' '));\n{}", builtins.join(" "), SCRIPT.concat())
}

/// The report as JSON.
pub fn data(report: &Report) -> String {
    // Strings, numbers and lists can always be serialized.
    serde_json::to_string(report).unwrap_or_default() + "\n"
}

/// The report as a page.
pub fn page(report: &Report) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(2));
    // Writing to memory does not fail.
    let _ = encoder.write_all(data(report).as_bytes());
    let data = STANDARD.encode(encoder.finish().unwrap_or_default());
    let data = format!("<script type=\"application/octet-stream\" id=\"report\">{data}</script>");
    let script = format!("<script>\n{}</script>", script());
    assemble(&report.input, POLICY, &format!("{data}\n{script}"))
}

/// The page with these scripts.
pub fn assemble(title: &str, policy: &str, scripts: &str) -> String {
    let title = escaped(&printed(title));
    let parts =
        [("TITLE", title.as_str()), ("POLICY", policy), ("STYLE", STYLE), ("SCRIPTS", scripts)];
    let mut page = String::with_capacity(PAGE.len() + STYLE.len() + scripts.len());
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or(("", after));
        page.push_str(before);
        page.push_str(parts.iter().find(|(part, _)| *part == name).map_or("", |(_, text)| text));
        rest = after;
    }
    page + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_is_escaped_and_everything_has_its_place() {
        let page = assemble("a<b>{{STYLE}}\u{202e}", "p", "<script>1</script>");
        assert!(page.contains("<title>a&lt;b&gt;{{STYLE}}\u{fffd}: toyc</title>"), "{page}");
        assert!(page.contains(STYLE) && page.contains("<script>1</script>"));
    }
}
