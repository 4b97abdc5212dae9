//! The plan for terminals and tests: a table, a chart and the sums for each arena.
//!
//! Invariants: lines have at most [`WIDTH`] columns; everything but names and source lines is ASCII; the length does
//! not grow with a large program.

use ::merge_alloc::plan::{Arena, MemoryPlan, PlannedBuffer, SourcePlace, Untouched, clipped};
use std::fmt::Write;
use toy_diagnostics::text::counted;

const WIDTH: usize = 100;

/// The columns of names in the table.
const NAME: usize = 30;

/// The most buffers that are all listed; longer lists are cut.
const ALL: usize = 100;
const SOME: usize = 20;

/// The most arenas that are shown in full.
const ARENAS: usize = 50;

/// The chart's columns and rows.
const COLUMNS: usize = 72;
const ROWS: usize = 20;

/// The letters of the buffers in the chart, used again where there are more buffers.
const MARKS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The plan as text.
pub fn text(plan: &MemoryPlan) -> String {
    let mut text = format!("memory plan of {}\n", plan.input);
    if let Some(note) = plan.shown_note() {
        let _ = writeln!(text, "({note})");
    }
    if plan.arenas.is_empty() {
        text += "\nno buffers to merge\n";
    }
    for arena in plan.arenas.iter().take(ARENAS) {
        text.push('\n');
        show(arena, &mut text);
    }
    if plan.arenas.len() > ARENAS {
        let _ = writeln!(
            text,
            "\n... and {} more",
            counted(plan.arenas.len() - ARENAS, "merged allocation")
        );
    }
    if plan.arenas.len() > 1 {
        let (allocations, bytes, on_stack) = plan.allocated();
        let what = counted(allocations, "allocation");
        let _ = write!(text, "\nin all: {} in {what}", counted(bytes, "byte"));
        if on_stack > 0 {
            let _ = write!(text, ", {on_stack} of them on the stack");
        }
        text.push('\n');
    }
    left_alone(&plan.untouched, &mut text);
    text
}

fn show(arena: &Arena, text: &mut String) {
    let _ = writeln!(text, "{}: {}", arena.title(), counted(arena.buffers.len(), "buffer"));
    let width = [arena.before, arena.after].map(digits).into_iter().max().unwrap_or(0);
    let mut line = |what: &str, bytes: u64, remark: &str| {
        let unit = if bytes == 1 { "byte " } else { "bytes" };
        let _ = writeln!(text, "  {what:7} {bytes:width$} {unit}  {remark}");
    };
    line("before", arena.before, "each buffer in memory of its own");
    let place = match arena {
        Arena { is_workspace: true, .. } => "passed by callers",
        Arena { on_stack: true, .. } => "on the stack",
        _ => "in one allocation",
    };
    line("after", arena.after, &format!("{place}: {}% saved", arena.saved()));
    let (tick, _) = arena.peak();
    if arena.staggered > 0 {
        line("stagger", arena.staggered, "of these keep the starts of large buffers apart");
    }
    let most = if arena.after - arena.staggered == arena.lower_bound {
        "no plan needs less"
    } else {
        "lower bound"
    };
    line("bound", arena.lower_bound, &format!("{most}; the most is in use at operation {tick}"));
    match arena.in_place() {
        0 => {}
        1 => *text += "  1 result is computed in the memory of an operand\n",
        many => {
            let _ = writeln!(text, "  {many} results are computed in the memory of an operand");
        }
    }
    text.push('\n');
    table(arena, text);
    text.push('\n');
    chart(arena, text);
}

fn table(arena: &Arena, text: &mut String) {
    let listed = listed(arena);
    let column = |title: &str, width_of: &dyn Fn(&PlannedBuffer) -> usize| {
        let buffers = listed.iter().map(|(_, buffer)| width_of(buffer));
        buffers.max().unwrap_or(0).max(title.len())
    };
    let name = column("name", &|buffer| clipped(&buffer.name, NAME).chars().count());
    let size = column("bytes", &|buffer| digits(buffer.size));
    let offset = column("offset", &|buffer| digits(buffer.offset));
    let ticks = column("in use", &|buffer| lifetime(buffer).len());
    let line = column("line", &|buffer| line_number(&buffer.source).len());
    let mut row = |cells: [&str; 7]| {
        let [mark, n, s, o, t, l, source] = cells;
        let row = format!(
            "  {mark:1} {n:name$}  {s:>size$}  {o:>offset$}  {t:>ticks$}  {l:>line$}  {source}"
        );
        let row: String = row.chars().take(WIDTH).collect();
        let _ = writeln!(text, "{}", row.trim_end());
    };
    row(["", "name", "bytes", "offset", "in use", "line", ""]);
    for (index, buffer) in &listed {
        row([
            &char::from(mark(*index)).to_string(),
            &clipped(&buffer.name, NAME),
            &buffer.size.to_string(),
            &buffer.offset.to_string(),
            &lifetime(buffer),
            &line_number(&buffer.source),
            buffer.source.as_ref().map_or("", |place| &place.text),
        ]);
    }
    let rest = arena.buffers.len() - listed.len();
    if rest > 0 {
        let _ = writeln!(text, "  ... and {rest} more, none of them larger");
    }
}

/// All buffers with their numbers; of many, the largest.
fn listed(arena: &Arena) -> Vec<(usize, &PlannedBuffer)> {
    let mut buffers: Vec<_> = arena.buffers.iter().enumerate().collect();
    if buffers.len() > ALL {
        buffers.sort_by_key(|(index, buffer)| (std::cmp::Reverse(buffer.size), *index));
        buffers.truncate(SOME);
        buffers.sort_by_key(|(index, _)| *index);
    }
    buffers
}

fn lifetime(buffer: &PlannedBuffer) -> String {
    format!("{}-{}", buffer.first.tick, buffer.last.tick)
}

fn line_number(source: &Option<SourcePlace>) -> String {
    source.as_ref().map_or(String::new(), |place| place.line.to_string())
}

fn mark(index: usize) -> u8 {
    MARKS[index % MARKS.len()]
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

/// Time goes to the right, offsets go up; each buffer is an area of its mark.
fn chart(arena: &Arena, text: &mut String) {
    let rows = Rows::of(arena);
    let columns = Columns::of(arena);
    let cells = cells(arena, &rows, &columns);
    let width = digits(arena.after).max("offset".len());
    let border = "-".repeat(columns.width());
    let _ = writeln!(text, "  {:>width$}", "offset");
    let _ = writeln!(text, "  {:>width$} +{border}+", arena.after);
    for (row, bounds) in rows.bounds.iter().enumerate().rev() {
        let line = columns.spread(&cells[row * columns.count..(row + 1) * columns.count]);
        let _ = writeln!(text, "  {:>width$} |{line}|", bounds.0);
    }
    let _ = writeln!(text, "  {:>width$} +{border}+", "");
    if !arena.loops.is_empty() {
        let mut repeated = vec![b' '; columns.count];
        for range in &arena.loops {
            repeated[columns.at(range.first)..=columns.at(range.last)].fill(b'=');
        }
        let _ = writeln!(text, "  {:>width$}  {}", "loops", columns.spread(&repeated).trim_end());
    }
    let (first, last) = arena.ticks();
    let (first, last) = (first.to_string(), last.to_string());
    let room = columns.width().saturating_sub(first.len() + last.len());
    let middle = match room {
        0..=13 => format!("{:room$}", if room > 3 { " ..." } else { " " }),
        _ => format!("{:^room$}", "operations"),
    };
    let _ = writeln!(text, "  {:>width$}  {first}{middle}{last}", "");
    let mut remarks = Vec::new();
    if !rows.is_exact {
        remarks.push("offsets are scaled");
    }
    if columns.count < columns.ticks {
        remarks.push("time is scaled");
    }
    if arena.buffers.len() > MARKS.len() {
        remarks.push("letters stand for several buffers");
    }
    if !remarks.is_empty() {
        let _ = writeln!(text, "  {:>width$}  ({})", "", remarks.join("; "));
    }
}

/// The chart's rows, from the bottom: the bytes from one bound up to the other.
struct Rows {
    bounds: Vec<(u64, u64)>,
    /// True if a row is where buffers begin and end, rather than a part of a scale.
    is_exact: bool,
}

impl Rows {
    fn of(arena: &Arena) -> Self {
        let ends = |buffer: &PlannedBuffer| [buffer.offset, buffer.offset + buffer.size];
        let mut edges: Vec<u64> = arena.buffers.iter().flat_map(ends).collect();
        edges.sort_unstable();
        edges.dedup();
        if edges.len() <= 4 * ROWS {
            let rows = edges.windows(2).map(|edge| (edge[0], edge[1]));
            // Padding is not a row.
            let is_used = |row: &(u64, u64)| {
                let mut buffers = arena.buffers.iter();
                buffers.any(|b| b.offset < row.1 && row.0 < b.offset + b.size)
            };
            let bounds: Vec<_> = rows.filter(is_used).collect();
            if bounds.len() <= ROWS {
                return Self { bounds, is_exact: true };
            }
        }
        let bound = |row: usize| (u128::from(arena.after) * row as u128 / ROWS as u128) as u64;
        let bounds = (0..ROWS).map(|row| (bound(row), bound(row + 1))).collect();
        Self { bounds, is_exact: false }
    }

    /// The rows that hold some of these bytes.
    fn covered(&self, from: u64, to: u64) -> std::ops::Range<usize> {
        let first = self.bounds.partition_point(|(_, end)| *end <= from);
        let last = self.bounds.partition_point(|(start, _)| *start < to);
        first..last.max(first)
    }
}

/// The chart's columns: some ticks each, or some columns for each tick.
struct Columns {
    first: u64,
    ticks: usize,
    count: usize,
    /// Characters of a column.
    repeat: usize,
}

impl Columns {
    fn of(arena: &Arena) -> Self {
        let (first, last) = arena.ticks();
        let ticks = usize::try_from(last - first + 1).unwrap_or(usize::MAX);
        let count = ticks.min(COLUMNS);
        Self { first, ticks, count, repeat: (COLUMNS / count).clamp(1, (24 / count).max(4)) }
    }

    fn width(&self) -> usize {
        self.count * self.repeat
    }

    /// The column of a tick.
    fn at(&self, tick: u64) -> usize {
        (u128::from(tick - self.first) * self.count as u128 / self.ticks as u128) as usize
    }

    fn spread(&self, cells: &[u8]) -> String {
        cells.iter().flat_map(|cell| std::iter::repeat_n(char::from(*cell), self.repeat)).collect()
    }
}

/// The chart's cells, row by row from the bottom.
fn cells(arena: &Arena, rows: &Rows, columns: &Columns) -> Vec<u8> {
    let mut cells = vec![b' '; rows.bounds.len() * columns.count];
    for (index, buffer) in arena.buffers.iter().enumerate() {
        let across = columns.at(buffer.first.tick)..columns.at(buffer.last.tick) + 1;
        for row in rows.covered(buffer.offset, buffer.offset + buffer.size) {
            let (start, end) = rows.bounds[row];
            for column in across.clone() {
                let cell = &mut cells[row * columns.count + column];
                // If a cell has several buffers, the one in its middle counts, if there is one.
                let middle = start + (end - start) / 2;
                let in_middle = buffer.offset <= middle && middle < buffer.offset + buffer.size;
                if *cell == b' ' || in_middle {
                    *cell = mark(index);
                }
            }
        }
    }
    cells
}

fn left_alone(untouched: &[Untouched], text: &mut String) {
    if untouched.is_empty() {
        return;
    }
    let _ = writeln!(text, "\nleft as they are: {}", counted(untouched.len(), "allocation"));
    for allocation in untouched.iter().take(SOME) {
        let line = line_number(&allocation.source);
        let line = if line.is_empty() { line } else { format!(" in line {line}") };
        let Untouched { function, name, reason, .. } = allocation;
        let row = format!("  {name} of {function}{line}: {reason}");
        let _ = writeln!(text, "{}", clipped_row(&row));
    }
    if untouched.len() > SOME {
        let _ = writeln!(text, "  ... and {} more", untouched.len() - SOME);
    }
}

fn clipped_row(row: &str) -> String {
    if row.chars().nth(WIDTH).is_none() {
        return row.to_owned();
    }
    let kept: String = row.chars().take(WIDTH - 3).collect();
    format!("{kept}...")
}
