//! The plan as a picture, which a browser shows by itself or within a page.
//!
//! Output: one `<svg>` with a section for each arena: its sums as bars, its buffers before and after
//! merging (program order to the right, offsets up), and the bytes in use. A rectangle's tooltip says
//! everything about its buffer. Invariants: nothing outside is needed; no ids, and all classes begin
//! with `memory-plan`, so that several pictures go into one page; light and dark are the reader's choice;
//! the size is bounded ([`DRAWN`]).

mod panel;
mod scale;

use ::merge_alloc::plan::{Arena, MemoryPlan, Untouched};
pub use memory_planner::svg::element::escaped;
use panel::{Frame, bars, buffers, curve};
use scale::bytes;
use std::fmt::Write;
use toy_diagnostics::text::counted;

/// The picture's width; everything is in these units, which are pixels at first.
const WIDTH: f64 = 960.0;
const MARGIN: f64 = 16.0;

/// The most arenas that are drawn, and the most buffers in each: the largest ones.
const ARENAS: usize = 50;
const DRAWN: usize = 10_000;

/// The most allocations that are listed below.
const LISTED: usize = 20;

const STYLE: &str = "\
.memory-plan{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:12px;fill:#1b1f24}
.memory-plan-paper{fill:#ffffff}
.memory-plan-title{font-size:17px;font-weight:bold}
.memory-plan-heading{font-size:13px;font-weight:bold}
.memory-plan-axis{fill:#57606a;font-size:11px}
.memory-plan-frame{fill:#f6f8fa;stroke:#8c959f;stroke-width:1}
.memory-plan-grid{stroke:#d8dee4;stroke-width:1}
.memory-plan-label{font-size:11px;pointer-events:none}
.memory-plan-buffer{stroke:#ffffff;stroke-width:1}
.memory-plan-tiny{stroke:none;shape-rendering:crispEdges}
.memory-plan-padding{fill-opacity:.35;pointer-events:none}
.memory-plan-buffer:hover{stroke:#1b1f24;stroke-width:2}
.memory-plan-0{fill:#9ecbf2}.memory-plan-1{fill:#ffc48a}.memory-plan-2{fill:#a3d9a0}.memory-plan-3{fill:#efb1c6}
.memory-plan-4{fill:#c3b5ea}.memory-plan-5{fill:#94d8d3}.memory-plan-6{fill:#f4d875}.memory-plan-7{fill:#d3b79c}
.memory-plan-before{fill:#afb8c1}.memory-plan-after{fill:#54a3ec}.memory-plan-bound{fill:#2da44e}
.memory-plan-live{fill:#54a3ec;fill-opacity:.35;stroke:#0969da;stroke-width:1.5}
.memory-plan-dense{fill-opacity:.75;stroke:none}
.memory-plan-aligned{fill:#54a3ec;fill-opacity:.18}
.memory-plan-total{stroke:#57606a;stroke-width:1.5}
.memory-plan-least{stroke:#1a7f37;stroke-width:1.5;stroke-dasharray:6 4}
.memory-plan-peak{fill:#0969da}
.memory-plan-iterations{fill:#57606a;fill-opacity:.1}
.memory-plan-bracket{stroke:#57606a;stroke-width:1.5}
@media (prefers-color-scheme:dark){
.memory-plan{fill:#e6edf3}
.memory-plan-paper{fill:#0d1117}
.memory-plan-axis{fill:#9198a1}
.memory-plan-frame{fill:#161b22;stroke:#656c76}
.memory-plan-grid{stroke:#2a313a}
.memory-plan-buffer{stroke:#0d1117}
.memory-plan-tiny{stroke:none}
.memory-plan-buffer:hover{stroke:#ffffff}
.memory-plan-0{fill:#1f5a91}.memory-plan-1{fill:#8f4f10}.memory-plan-2{fill:#2b6b34}.memory-plan-3{fill:#8a3557}
.memory-plan-4{fill:#57459b}.memory-plan-5{fill:#17686a}.memory-plan-6{fill:#76600f}.memory-plan-7{fill:#6b4e35}
.memory-plan-before{fill:#656c76}.memory-plan-after{fill:#388bfd}.memory-plan-bound{fill:#3fb950}
.memory-plan-live{fill:#388bfd;stroke:#58a6ff}
.memory-plan-dense{stroke:none}
.memory-plan-aligned{fill:#388bfd}
.memory-plan-total{stroke:#9198a1}
.memory-plan-least{stroke:#3fb950}
.memory-plan-peak{fill:#58a6ff}
}
";

/// Pictures without tapes have none of this.
const STYLE_OF_TAPES: &str = "\
.memory-plan-tape{fill:#e8776b}
@media (prefers-color-scheme:dark){
.memory-plan-tape{fill:#a3281e}
}
";

/// The plan as a picture.
pub fn svg(plan: &MemoryPlan) -> String {
    let mut body = String::new();
    let mut y = MARGIN + 18.0;
    let title = format!("Memory plan of {}", plan.input);
    words(&mut body, "memory-plan-title", MARGIN, y, &title);
    y += 12.0;
    if let Some(note) = plan.shown_note() {
        y += 10.0;
        words(&mut body, "memory-plan-axis", MARGIN, y, &format!("{note}."));
        y += 8.0;
    }
    if plan.arenas.is_empty() {
        y += 24.0;
        words(&mut body, "memory-plan-text", MARGIN, y, "No buffers to merge.");
    }
    for arena in plan.arenas.iter().take(ARENAS) {
        y = section(&mut body, arena, y + 28.0);
    }
    if plan.arenas.len() > ARENAS {
        y += 28.0;
        let rest = format!("{} more merged allocations are not drawn.", plan.arenas.len() - ARENAS);
        words(&mut body, "memory-plan-text", MARGIN, y, &rest);
    }
    y = left_alone(&mut body, &plan.untouched, y) + MARGIN;
    let label = escaped(&title);
    let has_tapes = plan.arenas.iter().any(|arena| arena.tapes() > 0);
    let tapes = if has_tapes { STYLE_OF_TAPES } else { "" };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"memory-plan\" role=\"img\" \
         aria-label=\"{label}\" viewBox=\"0 0 {WIDTH} {y:.0}\" width=\"{WIDTH}\" height=\"{y:.0}\">\n\
         <style>\n{STYLE}{tapes}</style>\n\
         <rect class=\"memory-plan-paper\" width=\"{WIDTH}\" height=\"{y:.0}\"/>\n{body}</svg>\n"
    )
}

/// Draws one arena; returns its lower edge.
fn section(out: &mut String, arena: &Arena, top: f64) -> f64 {
    let mut y = top;
    let title = format!("{}: {}", arena.title(), counted(arena.buffers.len(), "buffer"));
    words(out, "memory-plan-title", MARGIN, y, &title);
    y = bars(out, arena, y + 12.0) + 26.0;

    let mut drawn: Vec<_> = arena.buffers.iter().enumerate().collect();
    let note = if drawn.len() > DRAWN {
        drawn.sort_by_key(|(index, buffer)| (std::cmp::Reverse(buffer.size), *index));
        drawn.truncate(DRAWN);
        format!(" (the largest {DRAWN})")
    } else {
        String::new()
    };
    let heading = format!("Before merging: every buffer in memory of its own{note}");
    words(out, "memory-plan-heading", MARGIN, y, &heading);
    let frame = Frame::new(arena, arena.before, y + 14.0, 220.0);
    buffers(out, &frame, &drawn, |buffer| buffer.offset_before, arena.unit());
    y = frame.bottom() + 58.0;

    let place = match arena {
        Arena { is_workspace: true, .. } => "callers pass",
        Arena { on_stack: true, .. } => "on the stack,",
        _ => "one allocation of",
    };
    let in_place = match arena.in_place() {
        0 => String::new(),
        many => format!("; {} in place", counted(many, "operation")),
    };
    let heading = format!("After merging: {place} {}{note}{in_place}", bytes(arena.after));
    words(out, "memory-plan-heading", MARGIN, y, &heading);
    let frame = Frame::new(arena, arena.after, y + 14.0, 260.0);
    buffers(out, &frame, &drawn, |buffer| buffer.offset, arena.unit());
    y = frame.bottom() + 58.0;

    words(out, "memory-plan-heading", MARGIN, y, "Bytes in use");
    let frame = Frame::new(arena, arena.after, y + 14.0, 150.0);
    curve(out, &frame, arena);
    frame.bottom() + 44.0
}

/// The allocations that are not in any arena, with the reasons.
fn left_alone(out: &mut String, untouched: &[Untouched], top: f64) -> f64 {
    if untouched.is_empty() {
        return top;
    }
    let mut y = top + 30.0;
    let heading = format!("Left as they are: {}", counted(untouched.len(), "allocation"));
    words(out, "memory-plan-heading", MARGIN, y, &heading);
    for allocation in untouched.iter().take(LISTED) {
        let Untouched { function, name, ty, reason, source, .. } = allocation;
        let line = source.as_ref().map_or(String::new(), |at| format!(" in line {}", at.line));
        y += 17.0;
        let text =
            ::merge_alloc::plan::clipped(&format!("{name} of {function}{line}: {reason}"), 125);
        let tip = format!("{name}\n{ty}\nleft as it is: {reason}{}", quoted(source));
        let _ = write!(out, "<g><title>{}</title>", escaped(&tip));
        words(out, "memory-plan-text", MARGIN, y, &text);
        out.push_str("</g>\n");
    }
    if untouched.len() > LISTED {
        y += 17.0;
        let rest = format!("... and {} more", untouched.len() - LISTED);
        words(out, "memory-plan-text", MARGIN, y, &rest);
    }
    y
}

/// The source line at the end of a tooltip.
fn quoted(source: &Option<super::SourcePlace>) -> String {
    let Some(at) = source else { return String::new() };
    format!("\n{}:{}: {}", at.line, at.column, at.text)
}

fn words(out: &mut String, class: &str, x: f64, y: f64, text: &str) {
    let text = escaped(text);
    let _ = writeln!(out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
}
