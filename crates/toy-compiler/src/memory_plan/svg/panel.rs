//! The parts of a section: bars, the buffers of a plan in a frame, and the curve of the bytes in use.

use super::scale::{bytes, powers_of_two, round, short};
use super::{MARGIN, WIDTH, escaped, quoted, words};
use ::merge_alloc::plan::{Arena, PlannedBuffer, Repeated, UseSite, round_up};
use memory_planner::svg::element::{line, rectangle, text};
use std::fmt::Write;

/// The left and the right end of the frames, between the labels.
const LEFT: f64 = 92.0;
const RIGHT: f64 = WIDTH - MARGIN;

/// The width of a character of a label, and of an axis label: the fonts are monospaced.
const CHARACTER: f64 = 6.7;

/// A curve of more steps has no outline, which would hide it.
const DENSE: usize = 400;

/// The most loops that are shown.
const LOOPS: usize = 1000;

/// A panel: its place on the paper, and the time and bytes that it shows.
pub struct Frame {
    top: f64,
    height: f64,
    first: u64,
    /// The end of the last tick.
    end: u64,
    /// The bytes that are allocated, and the bytes that the frame has room for.
    limit: u64,
    room: u64,
    /// The repeated operations.
    loops: Vec<Repeated>,
    /// Ticks with a source line, in order.
    lines: Vec<(u64, u32)>,
}

impl Frame {
    pub fn new(arena: &Arena, limit: u64, top: f64, height: f64) -> Self {
        let (first, last) = arena.ticks();
        let uses = arena.buffers.iter().flat_map(|buffer| [&buffer.first, &buffer.last]);
        let mut lines: Vec<_> = uses.filter_map(|usage| Some((usage.tick, usage.line?))).collect();
        lines.sort_unstable();
        lines.dedup();
        Self {
            top,
            height,
            first,
            end: last + 1,
            limit,
            room: round_up(limit.max(1), arena.unit()),
            loops: arena.loops.clone(),
            lines,
        }
    }

    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    fn x(&self, tick: u64) -> f64 {
        let part = (tick - self.first) as f64 / (self.end - self.first) as f64;
        LEFT + part * (RIGHT - LEFT)
    }

    fn y(&self, offset: u64) -> f64 {
        self.bottom() - offset as f64 / self.room as f64 * self.height
    }

    /// The columns of loops, darker the more loops they are in, each with a bracket on top.
    fn iterations(&self, out: &mut String) {
        let mut free = 0;
        for repeated in self.loops.iter().take(LOOPS) {
            let (left, right) = (self.x(repeated.first), self.x(repeated.last + 1));
            let (width, top) = (right - left, self.top);
            let line_number = repeated.line.map_or(String::new(), |line| format!(", line {line}"));
            let tip = format!("repeated in each iteration of the loop{line_number}");
            let size = (width, self.height);
            rectangle(out, "memory-plan-iterations", (left, top), size, &tip);
            line(out, "memory-plan-bracket", (left, top - 2.0), (right, top - 2.0));
            let label = [
                "× iterations".to_owned() + &line_number,
                "× iterations".to_owned(),
                "×".to_owned(),
            ];
            let fits = |label: &&String| label.chars().count() as f64 * CHARACTER <= width;
            // Labels of loops in loops would cover each other.
            if repeated.first >= free
                && let Some(label) = label.iter().find(fits)
            {
                text(out, "memory-plan-axis", "end", (right, top - 5.0), label);
            }
            free = free.max(repeated.last + 1);
        }
    }

    /// The frame with its grid and labels.
    fn draw(&self, out: &mut String) {
        let (width, bottom) = (RIGHT - LEFT, self.bottom());
        rectangle(out, "memory-plan-frame", (LEFT, self.top), (width, self.height), "");
        self.iterations(out);
        if self.limit < self.room {
            let y = self.y(self.limit);
            line(out, "memory-plan-total", (LEFT, y), (RIGHT, y));
        }
        let mut labels = vec![self.limit];
        for offset in powers_of_two(self.limit, 8) {
            let y = self.y(offset);
            if offset > 0 && offset < self.limit {
                line(out, "memory-plan-grid", (LEFT, y), (RIGHT, y));
            }
            // The limit's own label comes first.
            if y - self.y(self.limit) > 13.0 {
                labels.push(offset);
            }
        }
        for offset in labels {
            let (y, label) = (self.y(offset) + 4.0, short(offset));
            text(out, "memory-plan-axis", "end", (LEFT - 8.0, y), &label);
        }
        for tick in round(self.first, self.end - 1, 14) {
            let x = self.x(tick);
            line(out, "memory-plan-grid", (x, bottom), (x, bottom + 5.0));
            text(out, "memory-plan-axis", "start", (x, bottom + 15.0), &tick.to_string());
        }
        text(out, "memory-plan-axis", "end", (LEFT - 8.0, bottom + 15.0), "operation");
        let mut free = LEFT;
        let mut shown = 0;
        for (tick, number) in &self.lines {
            let (x, label) = (self.x(*tick), number.to_string());
            let end = x + (label.len() + 1) as f64 * CHARACTER;
            if x >= free && shown != *number && end < RIGHT + MARGIN {
                text(out, "memory-plan-axis", "start", (x, bottom + 29.0), &label);
                free = end + CHARACTER;
                shown = *number;
            }
        }
        if shown > 0 {
            text(out, "memory-plan-axis", "end", (LEFT - 8.0, bottom + 29.0), "line");
        }
    }
}

/// Draws the sums, one bar under the other; returns their lower edge.
pub fn bars(out: &mut String, arena: &Arena, top: f64) -> f64 {
    let most = arena.before.max(arena.after).max(1) as f64;
    let exact = |number: u64| match bytes(number) {
        text if text.starts_with('~') => format!("{number} bytes ({text})"),
        text => text,
    };
    let apart = match arena.staggered {
        0 => String::new(),
        bytes => format!(", {bytes} bytes between staggered starts"),
    };
    let saved = format!("{}, {}% saved{apart}", exact(arena.after), arena.saved());
    let bound = format!("{}: no plan needs less", exact(arena.lower_bound));
    let tape = format!("{}: what loops keep for a gradient", exact(arena.tapes()));
    let mut y = top;
    for (name, value, label) in [
        ("before", arena.before, exact(arena.before)),
        ("after", arena.after, saved),
        ("bound", arena.lower_bound, bound),
        ("tape", arena.tapes(), tape),
    ] {
        if name == "tape" && value == 0 {
            continue;
        }
        // The label of the longest bar may exceed the panel.
        let width = value as f64 / most * (RIGHT - LEFT - 300.0);
        rectangle(out, &format!("memory-plan-{name}"), (LEFT, y), (width, 12.0), "");
        text(out, "memory-plan-axis", "end", (LEFT - 8.0, y + 10.0), name);
        words(out, "memory-plan-label", LEFT + width + 8.0, y + 10.0, &label);
        y += 17.0;
    }
    y
}

/// Buffers as rectangles, at the offsets that `offset` gives.
pub fn buffers(
    out: &mut String,
    frame: &Frame,
    buffers: &[(usize, &PlannedBuffer)],
    offset: impl Fn(&PlannedBuffer) -> u64,
    unit: u64,
) {
    frame.draw(out);
    for (index, buffer) in buffers {
        let start = offset(buffer);
        let (left, right) = (frame.x(buffer.first.tick), frame.x(buffer.last.tick + 1));
        let (top, bottom) = (frame.y(start.saturating_add(buffer.size)), frame.y(start));
        // Every buffer can be seen, however small it is.
        let (width, height) = ((right - left).max(1.0), (bottom - top).max(2.0));
        let top = bottom - height;
        let tiny = if width < 4.0 || height < 4.0 { " memory-plan-tiny" } else { "" };
        let color = match buffer.tape {
            true => "tape".to_owned(),
            false => (index % 8).to_string(),
        };
        let class = format!("memory-plan-buffer memory-plan-{color}{tiny}");
        rectangle(out, &class, (left, top), (width, height), &tooltip(buffer, start));
        // Nothing else begins in the rest of the unit, or it would not be aligned.
        let end = start.saturating_add(round_up(buffer.size, unit)).min(frame.room);
        let padding = top - frame.y(end);
        if padding >= 1.0 {
            let class = format!("memory-plan-padding memory-plan-{color}");
            rectangle(out, &class, (left, top - padding), (width, padding), "");
        }
        let padding = padding.max(0.0);
        label(out, buffer, (left, top - padding), (width, height + padding));
    }
}

fn tooltip(buffer: &PlannedBuffer, offset: u64) -> String {
    let usage = |usage: &UseSite| {
        let line = usage.line.map_or(String::new(), |line| format!(", line {line}"));
        format!("operation {} ({}{line})", usage.tick, usage.operation)
    };
    format!(
        "{}\n{} bytes, {}\noffset {offset}, alignment {}\nin use from {}\nto {}{}",
        buffer.name,
        buffer.size,
        buffer.ty,
        buffer.alignment,
        usage(&buffer.first),
        usage(&buffer.last),
        quoted(&buffer.source),
    )
}

/// The name in a rectangle, and under it the size, as far as they fit; in a narrow one upwards.
fn label(
    out: &mut String,
    buffer: &PlannedBuffer,
    (x, y): (f64, f64),
    (width, height): (f64, f64),
) {
    let fitting = |room: f64| {
        let characters = ((room - 6.0) / CHARACTER).max(0.0) as usize;
        let length = buffer.name.chars().count();
        match characters {
            _ if length <= characters => Some(buffer.name.clone()),
            4.. => Some(buffer.name.chars().take(characters - 1).chain(['…']).collect()),
            _ => None,
        }
    };
    let is_upright = height > 2.5 * width && (fitting(width).as_ref() != Some(&buffer.name));
    if is_upright && width >= 13.0 {
        if let Some(name) = fitting(height) {
            let (x, y) = (x + width / 2.0 + 4.0, y + height - 4.0);
            let _ = writeln!(
                out,
                "<text class=\"memory-plan-label\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{}</text>",
                escaped(&name)
            );
        }
        return;
    }
    let Some(name) = fitting(width).filter(|_| height >= 13.0) else { return };
    let size = bytes(buffer.size);
    let has_size = height >= 30.0 && (size.len() as f64) * CHARACTER + 6.0 <= width;
    let y = y + height / 2.0 + if has_size { -2.0 } else { 4.0 };
    words(out, "memory-plan-label", x + 4.0, y, &name);
    if has_size {
        words(out, "memory-plan-label", x + 4.0, y + 13.0, &size);
    }
}

/// The bytes in use, with the allocation's size, the lower bound and the peak.
pub fn curve(out: &mut String, frame: &Frame, arena: &Arena) {
    frame.draw(out);
    let live = arena.live();
    let aligned = arena.live_in_units_of(arena.unit());
    // Less than a pixel is invisible.
    let unit = frame.bottom() - frame.y(arena.unit());
    let has_padding = aligned != live && unit >= 1.0;
    if has_padding {
        let path = area(frame, &aligned);
        let _ = writeln!(out, "<path class=\"memory-plan-aligned\" d=\"{path}\"/>");
    }
    let dense = if live.len() > DENSE { " memory-plan-dense" } else { "" };
    let path = area(frame, &live);
    let _ = writeln!(out, "<path class=\"memory-plan-live{dense}\" d=\"{path}\"/>");

    let (total, bound) = (frame.y(arena.after), frame.y(arena.lower_bound));
    line(out, "memory-plan-total", (LEFT, total), (RIGHT, total));
    line(out, "memory-plan-least", (LEFT, bound), (RIGHT, bound));
    let (tick, most) = arena.peak();
    let peak = |out: &mut String, x: f64, y: f64| {
        let _ = writeln!(
            out,
            "<circle class=\"memory-plan-peak\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"
        );
    };
    peak(out, frame.x(tick), frame.y(most));

    // A key beside the heading: next to the lines there may be no room.
    let at = frame.top - 14.0;
    let mut x = LEFT + 40.0;
    let mut key = vec![
        ("live", "in use".to_owned()),
        ("peak", format!("most: {} at operation {tick}", bytes(most))),
        ("least", format!("bound {}", bytes(arena.lower_bound))),
        ("total", format!("allocated {}", bytes(arena.after))),
    ];
    if has_padding {
        key.insert(1, ("aligned", "with alignment".to_owned()));
    }
    for (class, label) in key {
        let (middle, end) = (at - 4.0, x + 20.0);
        let named = format!("memory-plan-{class}");
        match class {
            "live" | "aligned" => rectangle(out, &named, (x, at - 9.0), (20.0, 9.0), ""),
            "peak" => peak(out, x + 12.0, middle),
            _ => line(out, &named, (x, middle), (end, middle)),
        }
        words(out, "memory-plan-axis", end + 6.0, at, &label);
        x = end + 6.0 + (label.len() + 2) as f64 * CHARACTER;
    }
}

/// The area under a curve.
fn area(frame: &Frame, live: &[(u64, u64)]) -> String {
    let mut path = format!("M{:.2} {:.2}", frame.x(frame.first), frame.y(0));
    for (index, (tick, bytes)) in live.iter().enumerate() {
        let end = live.get(index + 1).map_or(frame.end, |next| next.0);
        let y = frame.y(*bytes);
        let _ = write!(path, "L{:.2} {y:.2}L{:.2} {y:.2}", frame.x(*tick), frame.x(end));
    }
    let _ = write!(path, "L{:.2} {:.2}Z", frame.x(frame.end), frame.y(0));
    path
}
