//! A plan as a picture: time to the right, offsets up, one rectangle per buffer.
//!
//! Input: buffers, offsets, and optionally labels, a lower bound and a capacity. Output: an SVG
//! document. Invariants: it refers to nothing outside itself; it is light or dark as the viewer
//! prefers; its size is bounded, because at most 20,000 buffers are drawn; any label is
//! well-formed XML. A rectangle's tooltip describes its buffer in full, so a label that does not fit
//! is left out.

pub mod element;
pub mod scale;

use crate::model::Buffer;
use element::{escaped, line, rectangle, text};
use scale::{bytes, powers_of_two, round_numbers};
use std::cmp::Reverse;
use std::fmt::Write;

/// The most buffers that are drawn: beyond these, the smallest rectangles are left out.
const MOST_DRAWN: usize = 20_000;

/// The most steps of the curve of the bytes in use.
const MOST_STEPS: usize = 2_000;

// Everything is in pixels. The plan is above, the curve of the bytes in use below it.
const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 900.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = WIDTH - 16.0;
const PLAN: Span = Span { top: 72.0, bottom: 692.0 };
const CURVE: Span = Span { top: 748.0, bottom: 868.0 };

/// The width of a character of a label; the fonts are monospaced.
const CHARACTER: f64 = 6.7;

const STYLE: &str = "\
text{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:11px;fill:#1b1f24}
.paper{fill:#ffffff}.title{font-size:17px;font-weight:bold}.axis{fill:#57606a}
.frame{fill:#f6f8fa;stroke:#8c959f}.grid{stroke:#d8dee4}
.b{stroke:#ffffff}.tiny{stroke:none}.b:hover{stroke:#1b1f24;stroke-width:2}.label{pointer-events:none}
.c0{fill:#9ecbf2}.c1{fill:#ffc48a}.c2{fill:#a3d9a0}.c3{fill:#efb1c6}
.c4{fill:#c3b5ea}.c5{fill:#94d8d3}.c6{fill:#f4d875}.c7{fill:#d3b79c}
.live{fill:#54a3ec;fill-opacity:.6}
.peak{stroke:#57606a;stroke-width:1.5}.bound{stroke:#1a7f37;stroke-width:1.5;stroke-dasharray:6 4}
.capacity{stroke:#cf222e;stroke-width:1.5;stroke-dasharray:2 3}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.paper{fill:#0d1117}.axis{fill:#9198a1}.frame{fill:#161b22;stroke:#656c76}
.grid{stroke:#2a313a}.b{stroke:#0d1117}.tiny{stroke:none}.b:hover{stroke:#ffffff}
.c0{fill:#1f5a91}.c1{fill:#8f4f10}.c2{fill:#2b6b34}.c3{fill:#8a3557}
.c4{fill:#57459b}.c5{fill:#17686a}.c6{fill:#76600f}.c7{fill:#6b4e35}
.live{fill:#388bfd}.peak{stroke:#9198a1}.bound{stroke:#3fb950}.capacity{stroke:#ff7b72}
}
";

/// A picture to draw: buffers at their offsets.
///
/// ```
/// use memory_planner::{Buffer, Limits, plan, svg::Picture};
///
/// let buffers = [Buffer::new(64, 0, 2), Buffer::new(32, 1, 3)];
/// let plan = plan(&buffers, &Limits::default())?;
/// let labels = ["a".to_string(), "b".to_string()];
/// let picture = Picture::new(&buffers, &plan.offsets)
///     .with_title("two buffers")
///     .with_labels(&labels)
///     .with_lower_bound(plan.lower_bound);
/// assert!(picture.to_svg().starts_with("<svg"));
/// # Ok::<(), memory_planner::PlanError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Picture<'a> {
    /// The buffers.
    pub buffers: &'a [Buffer],
    /// Their offsets in bytes; a buffer without one is not drawn.
    pub offsets: &'a [u64],
    /// The heading.
    pub title: &'a str,
    /// Names of the buffers; a buffer without one is called by its index.
    pub labels: &'a [String],
    /// A peak in bytes below which no plan is possible, drawn as a line.
    pub lower_bound: Option<u64>,
    /// The size of the arena in bytes, drawn as a line unless that is far above the peak.
    pub capacity: Option<u64>,
}

impl<'a> Picture<'a> {
    /// Buffers at their offsets, without labels.
    #[must_use]
    pub const fn new(buffers: &'a [Buffer], offsets: &'a [u64]) -> Self {
        let title = "Memory plan";
        Picture { buffers, offsets, title, labels: &[], lower_bound: None, capacity: None }
    }

    /// The same picture with another heading.
    #[must_use]
    pub const fn with_title(self, title: &'a str) -> Self {
        Picture { title, ..self }
    }

    /// The same picture with the names of the buffers.
    #[must_use]
    pub const fn with_labels(self, labels: &'a [String]) -> Self {
        Picture { labels, ..self }
    }

    /// The same picture with a line at a lower bound in bytes.
    #[must_use]
    pub const fn with_lower_bound(self, bytes: u64) -> Self {
        Picture { lower_bound: Some(bytes), ..self }
    }

    /// The same picture with a line at a capacity in bytes.
    #[must_use]
    pub const fn with_capacity(self, bytes: u64) -> Self {
        Picture { capacity: Some(bytes), ..self }
    }

    /// The picture as an SVG document. O(n log n); the text of 10,000 buffers takes about 2 MB.
    ///
    /// Never fails: offsets that are not a valid plan are drawn as they are.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let rows = self.rows();
        let peak = rows.iter().map(Row::top).max().unwrap_or(0);
        // A capacity far above the plan would leave the plan no room.
        let capacity = self.capacity.filter(|&capacity| capacity / 5 <= peak / 4);
        let limit = peak.max(self.lower_bound.unwrap_or(0)).max(capacity.unwrap_or(0));
        let first = rows.iter().map(|row| row.buffer.start).min().unwrap_or(0);
        let end = rows.iter().map(|row| row.buffer.end).max().unwrap_or(0).max(first + 1);
        let axes = Axes { first, end, limit: limit.max(1) };

        let mut body = String::new();
        text(&mut body, "title", "start", (16.0, 30.0), self.title);
        self.key(&mut body, peak, rows.len());
        axes.draw(&mut body, &PLAN);
        draw_rows(&mut body, &axes, rows);
        if let Some(bound) = self.lower_bound {
            horizontal(&mut body, "bound", axes.y(&PLAN, bound));
        }
        horizontal(&mut body, "peak", axes.y(&PLAN, peak));
        if let Some(capacity) = capacity {
            horizontal(&mut body, "capacity", axes.y(&PLAN, capacity));
        }
        text(&mut body, "axis", "start", (LEFT, CURVE.top - 8.0), "bytes in use");
        axes.draw(&mut body, &CURVE);
        draw_curve(&mut body, &axes, self.buffers);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" \
             viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\">\n\
             <style>\n{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n{body}</svg>\n",
            escaped(self.title)
        )
    }

    /// The buffers that take memory.
    fn rows(&self) -> Vec<Row<'_>> {
        let placed = self.buffers.iter().zip(self.offsets).enumerate();
        placed
            .filter(|(_, (buffer, _))| buffer.size > 0 && buffer.start < buffer.end)
            .map(|(index, (buffer, &offset))| {
                let label = self.labels.get(index).map(String::as_str);
                Row { index, buffer, offset, label }
            })
            .collect()
    }

    /// The sums under the heading, each beside a sample of its line.
    fn key(&self, out: &mut String, peak: u64, count: usize) {
        let plural = if count == 1 { "" } else { "s" };
        let mut buffers = format!("{count} buffer{plural}");
        if count > MOST_DRAWN {
            let _ = write!(buffers, " (the largest {MOST_DRAWN} drawn)");
        }
        let mut x = 16.0;
        let sums = [
            ("", Some(buffers)),
            ("peak", Some(format!("peak {peak} ({})", bytes(peak)))),
            ("bound", self.lower_bound.map(|bound| format!("lower bound {bound}"))),
            ("capacity", self.capacity.map(|capacity| format!("capacity {capacity}"))),
        ];
        for (class, sum) in sums {
            let Some(sum) = sum else { continue };
            if !class.is_empty() {
                line(out, class, (x, 50.0), (x + 20.0, 50.0));
                x += 26.0;
            }
            text(out, "axis", "start", (x, 54.0), &sum);
            x += (sum.len() + 3) as f64 * CHARACTER;
        }
    }
}

/// A buffer to draw.
struct Row<'a> {
    index: usize,
    buffer: &'a Buffer,
    offset: u64,
    label: Option<&'a str>,
}

impl Row<'_> {
    fn top(&self) -> u64 {
        self.offset.saturating_add(self.buffer.size)
    }

    fn label(&self) -> String {
        self.label.map_or_else(|| self.index.to_string(), str::to_string)
    }
}

/// From top to bottom on the paper.
struct Span {
    top: f64,
    bottom: f64,
}

/// From times and bytes to places on the paper.
struct Axes {
    first: u64,
    end: u64,
    limit: u64,
}

impl Axes {
    fn x(&self, time: u64) -> f64 {
        let part = (time - self.first) as f64 / (self.end - self.first) as f64;
        LEFT + part * (RIGHT - LEFT)
    }

    fn y(&self, span: &Span, offset: u64) -> f64 {
        span.bottom - offset as f64 / self.limit as f64 * (span.bottom - span.top)
    }

    /// A frame with its grid and numbers.
    fn draw(&self, out: &mut String, span: &Span) {
        let (width, height) = (RIGHT - LEFT, span.bottom - span.top);
        rectangle(out, "frame", (LEFT, span.top), (width, height), "");
        for offset in powers_of_two(self.limit, (height / 60.0) as u64 + 1) {
            let y = self.y(span, offset);
            line(out, "grid", (LEFT, y), (RIGHT, y));
            text(out, "axis", "end", (LEFT - 8.0, y + 4.0), &bytes(offset));
        }
        for time in round_numbers(self.first, self.end, 14) {
            let x = self.x(time);
            line(out, "grid", (x, span.bottom), (x, span.bottom + 5.0));
            let anchor = if x > RIGHT - 60.0 { "end" } else { "start" };
            text(out, "axis", anchor, (x, span.bottom + 16.0), &time.to_string());
        }
        text(out, "axis", "end", (LEFT - 8.0, span.bottom + 16.0), "time");
    }
}

fn draw_rows(out: &mut String, axes: &Axes, mut rows: Vec<Row>) {
    if rows.len() > MOST_DRAWN {
        let area = |row: &Row| {
            let Buffer { size, start, end, .. } = *row.buffer;
            u128::from(size) * u128::from(end - start)
        };
        rows.sort_by_key(|row| (Reverse(area(row)), row.index));
        rows.truncate(MOST_DRAWN);
    }
    for row in rows {
        let Buffer { size, align, start, end, .. } = *row.buffer;
        let (left, right) = (axes.x(start), axes.x(end));
        let (top, bottom) = (axes.y(&PLAN, row.top()), axes.y(&PLAN, row.offset));
        // However small a buffer is, it can be seen.
        let (width, height) = ((right - left).max(0.6), (bottom - top).max(0.6));
        // An outline would hide a narrow rectangle.
        let tiny = if width < 4.0 || height < 4.0 { " tiny" } else { "" };
        let name = row.label();
        let tooltip = format!(
            "{name}\n{size} bytes at {}, alignment {align}\nlive from {start} up to {end}",
            row.offset
        );
        let class = format!("b c{}{tiny}", row.index % 8);
        rectangle(out, &class, (left, bottom - height), (width, height), &tooltip);
        let fits = name.chars().count() as f64 * CHARACTER + 8.0 <= width && height >= 13.0;
        if fits {
            let size = bytes(size);
            let has_size = height >= 30.0 && size.len() as f64 * CHARACTER + 8.0 <= width;
            let middle = bottom - height / 2.0 + if has_size { -2.0 } else { 4.0 };
            text(out, "label", "start", (left + 4.0, middle), &name);
            if has_size {
                text(out, "label", "start", (left + 4.0, middle + 13.0), &size);
            }
        }
    }
}

/// The bytes in use as an area: the most in each of at most [`MOST_STEPS`] intervals.
fn draw_curve(out: &mut String, axes: &Axes, buffers: &[Buffer]) {
    let mut changes: Vec<(u64, i128)> = Vec::with_capacity(2 * buffers.len());
    for buffer in buffers.iter().filter(|buffer| buffer.size > 0 && buffer.start < buffer.end) {
        changes.push((buffer.start, i128::from(buffer.size)));
        changes.push((buffer.end, -i128::from(buffer.size)));
    }
    changes.sort_unstable();
    // Changes at one moment count together, negative ones first.
    let mut steps: Vec<(f64, i128)> = Vec::new();
    let mut live = 0;
    for group in changes.chunk_by(|one, other| one.0 == other.0) {
        live += group.iter().map(|change| change.1).sum::<i128>();
        steps.push((axes.x(group[0].0), live));
    }
    let stride = steps.len().div_ceil(MOST_STEPS).max(1);
    let mut path = format!("M{LEFT:.1} {:.1}", CURVE.bottom);
    for (index, group) in steps.chunks(stride).enumerate() {
        let most = group.iter().map(|step| step.1).max().unwrap_or(0);
        let end = steps.get((index + 1) * stride).map_or(RIGHT, |next| next.0);
        let most = u64::try_from(most).unwrap_or(u64::MAX).min(axes.limit);
        let y = axes.y(&CURVE, most);
        let _ = write!(path, "L{:.1} {y:.1}L{end:.1} {y:.1}", group[0].0);
    }
    let _ = writeln!(out, "<path class=\"live\" d=\"{path}L{RIGHT:.1} {:.1}Z\"/>", CURVE.bottom);
}

fn horizontal(out: &mut String, class: &str, y: f64) {
    line(out, class, (LEFT, y), (RIGHT, y));
}
