//! The tables of the page: all stages with their sizes and times, and the specializations.

use super::super::highlight::Language;
use super::super::{MAX_LINES, Report, Step, clipped};
use super::{Change, Content, View, code, escaped, grouped, size, sums, time};
use std::fmt::Write;
use std::time::Duration;

pub fn overview(out: &mut String, report: &Report, views: &[View]) {
    out.push_str("<h2>Overview</h2>\n");
    let steps: Vec<&Step> = report.stages.iter().flat_map(|stage| &stage.steps).collect();
    let total: Duration = steps.iter().map(|step| step.time).sum();
    out.push_str("<ul class=\"facts\">\n");
    for (what, bytes) in &report.made {
        let _ = writeln!(out, "<li><b>{}</b> {what}</li>", size(*bytes));
    }
    let _ = writeln!(out, "<li><b>{}</b> in these stages</li>", time(total));
    if let Some(plan) = &report.plan {
        let own = || plan.arenas.iter().filter(|arena| !arena.is_workspace);
        let before: u128 = own().map(|arena| u128::from(arena.before)).sum();
        let after: u128 = own().map(|arena| u128::from(arena.after)).sum();
        if before > 0 {
            let verb = if plan.merged { "merged into" } else { "could be merged into" };
            let _ =
                writeln!(out, "<li><b>{before} bytes</b> of buffers, {verb} <b>{after}</b></li>");
        }
    }
    out.push_str("</ul>\n");
    out.push_str(
        "<div class=\"wide\"><table class=\"stages\">\n<thead><tr><th>stage</th><th class=\"r\">lines</th>\
         <th class=\"r minor\">bytes</th><th class=\"r minor\">operations</th><th class=\"r\">changed lines</th>\
         <th class=\"r\">time</th></tr></thead>\n<tbody>\n",
    );
    for View { id, title, is_unchanged, content } in views {
        let Content::Stage(stage, change) = content else { continue };
        let operations: usize = stage.operations.values().flat_map(|kinds| kinds.values()).sum();
        let operations =
            if stage.operations.is_empty() { String::new() } else { grouped(operations as u64) };
        let change = match change {
            Change::First => String::new(),
            Change::Nothing => "none".to_owned(),
            Change::Lines(diff) => sums(diff),
        };
        let spent: Duration = stage.steps.iter().map(|step| step.time).sum();
        let _ = writeln!(
            out,
            "<tr{}><td><a href=\"#{id}\">{}</a><div class=\"about\">{}</div></td><td class=\"r\">{}</td>\
             <td class=\"r minor\">{}</td><td class=\"r minor\">{operations}</td><td class=\"r\">{change}</td>\
             <td class=\"r\">{}</td></tr>",
            if *is_unchanged { " class=\"same\"" } else { "" },
            escaped(title),
            escaped(&stage.about),
            grouped(stage.text.count as u64),
            grouped(stage.text.bytes as u64),
            time(spent),
        );
    }
    out.push_str("</tbody>\n</table></div>\n");
    out.push_str(
        "<p class=\"help script\">Point at a line of the source or of a stage to see where it comes from \
         and what becomes of it; click to keep it lit while you switch stages, <kbd>Esc</kbd> to let go. \
         <kbd>j</kbd> and <kbd>k</kbd> or the arrow keys go to the next stage and back, <kbd>d</kbd> shows \
         what a stage changed.</p>\n",
    );
}

pub fn calls(out: &mut String, report: &Report) {
    out.push_str(
        "<h2>Specializations</h2>\n<p class=\"about\">Each function is compiled once for each combination \
         of shapes that it is called with.</p>\n<div class=\"wide\"><table class=\"calls\">\n<thead><tr>\
         <th class=\"r\">line</th><th>call</th><th>calls</th><th>result</th><th>within</th></tr></thead>\n\
         <tbody>\n",
    );
    for call in report.calls.iter().take(MAX_LINES) {
        let line = call.line.map_or(String::new(), |line| line.to_string());
        let _ =
            write!(out, "<tr class=\"l\" data-l=\"{line}\"><td class=\"r\">{line}</td><td><code>");
        code(out, &call.text, Language::Toy, &[]);
        let _ = writeln!(
            out,
            "</code></td><td><code title=\"{}\">{}</code></td><td><code>{}</code></td><td><code>{}</code></td></tr>",
            escaped(&clipped(&call.symbol)),
            escaped(&clipped(&call.instance)),
            escaped(&clipped(&call.results)),
            escaped(&clipped(&call.caller)),
        );
    }
    out.push_str("</tbody>\n</table></div>\n");
    if report.calls.len() > MAX_LINES {
        let _ = writeln!(
            out,
            "<p class=\"note\">… and {} more calls.</p>",
            report.calls.len() - MAX_LINES
        );
    }
}
