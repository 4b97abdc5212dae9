//! Boxes, arrows and words as SVG.
//!
//! Input: calls with coordinates in a frame [`WIDTH`] units wide. Output: the text of an SVG file. Invariants: colors are
//! named by what they mean ([`Tone`]), with one set for light pages and one for dark ones; letters are so large that
//! they can be read on a telephone of 390 pixels; the same calls give the same bytes.
//!
//! The width of a text depends on the reader's fonts: it is assumed to be as wide as in the widest of the common ones.

use crate::tools::{Outcome, fail};
use std::fmt::Write;

/// The width of all pictures, and their width on a page that has room.
pub const WIDTH: i32 = 440;
const SHOWN: i32 = 580;

/// The meaning of a color.
#[derive(Clone, Copy, PartialEq)]
pub enum Tone {
    /// A frame around others.
    Plain,
    Blue,
    Orange,
    Green,
    Red,
    Violet,
    /// Not yet there, or gone.
    Faint,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Tone::Plain => "plain",
            Tone::Blue => "blue",
            Tone::Orange => "orange",
            Tone::Green => "green",
            Tone::Red => "red",
            Tone::Violet => "violet",
            Tone::Faint => "faint",
        }
    }
}

/// The font of words.
#[derive(Clone, Copy, PartialEq)]
pub enum Font {
    /// Words about the picture.
    Words,
    Bold,
    Code,
    /// A remark.
    Small,
}

impl Font {
    fn class(self) -> &'static str {
        match self {
            Font::Words => "w",
            Font::Bold => "b",
            Font::Code => "c",
            Font::Small => "s",
        }
    }

    /// The width of a letter in hundredths of a unit.
    fn letter(self) -> i32 {
        match self {
            Font::Words => 690,
            Font::Bold => 760,
            Font::Code => 725,
            Font::Small => 620,
        }
    }

    fn width(self, text: &str) -> i32 {
        (text.chars().count() as i32 * self.letter()) / 100
    }
}

#[derive(Clone, Copy, PartialEq)]
pub enum Align {
    Left,
    Middle,
    Right,
}

pub struct Picture {
    pub name: String,
    title: String,
    height: i32,
    body: String,
    /// Texts that are outside of the picture or of their box.
    outside: Vec<String>,
}

/// A point.
pub type At = (i32, i32);

impl Picture {
    /// A picture with its file's name and the sentence for those who cannot see it.
    pub fn new(name: &str, title: &str, height: i32) -> Self {
        let (name, title) = (name.to_owned(), title.to_owned());
        Self { name, title, height, body: String::new(), outside: Vec::new() }
    }

    pub fn area(&mut self, (x, y): At, (width, height): At, tone: Tone) -> &mut Self {
        self.inside(x, x + width, y, y + height, "a box");
        let class = tone.class();
        self.add(format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>"
        ))
    }

    /// A box with a line of words in its middle.
    pub fn card(&mut self, at: At, size: At, tone: Tone, font: Font, text: &str) -> &mut Self {
        if font.width(text) + 6 > size.0 {
            self.outside.push(format!("`{text}` is wider than its box of {}", size.0));
        }
        self.area(at, size, tone);
        let middle = (at.0 + size.0 / 2, at.1 + size.1 / 2 + 4);
        self.label(
            middle,
            if tone == Tone::Faint { Font::Small } else { font },
            Align::Middle,
            text,
        )
    }

    pub fn text(&mut self, at: At, font: Font, text: &str) -> &mut Self {
        self.label(at, font, Align::Left, text)
    }

    pub fn label(&mut self, (x, y): At, font: Font, align: Align, text: &str) -> &mut Self {
        let width = font.width(text);
        let (start, anchor) = match align {
            Align::Left => (x, ""),
            Align::Middle => (x - width / 2, " text-anchor=\"middle\""),
            Align::Right => (x - width, " text-anchor=\"end\""),
        };
        self.inside(start, start + width, y - 10, y + 4, text);
        let class = font.class();
        self.add(format!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}>{}</text>",
            escaped(text)
        ))
    }

    /// A line through points.
    pub fn line(&mut self, points: &[At]) -> &mut Self {
        self.path(points, "line")
    }

    pub fn dashed(&mut self, points: &[At]) -> &mut Self {
        self.path(points, "line dash")
    }

    /// A line with a head at its end.
    pub fn arrow(&mut self, points: &[At]) -> &mut Self {
        self.path(points, "line");
        self.head(points)
    }

    pub fn dashed_arrow(&mut self, points: &[At]) -> &mut Self {
        self.path(points, "line dash");
        self.head(points)
    }

    /// Two strokes through a box.
    pub fn crossed(&mut self, (x, y): At, (width, height): At) -> &mut Self {
        self.path(&[(x, y), (x + width, y + height)], "cross");
        self.path(&[(x, y + height), (x + width, y)], "cross")
    }

    fn path(&mut self, points: &[At], class: &str) -> &mut Self {
        let mut data = String::new();
        for (index, (x, y)) in points.iter().enumerate() {
            self.inside(*x, *x, *y, *y, "a line");
            let _ = write!(data, "{}{x} {y}", if index == 0 { "M" } else { "L" });
        }
        self.add(format!("<path class=\"{class}\" d=\"{data}\"/>"))
    }

    /// A triangle in the direction of the last stretch.
    fn head(&mut self, points: &[At]) -> &mut Self {
        let [.., from, to] = points else { return self };
        let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        let length = dx.hypot(dy).max(1.0);
        let (dx, dy) = (dx / length, dy / length);
        let corner = |side: f64| {
            let x = f64::from(to.0) - 7.0 * dx + side * 3.5 * dy;
            let y = f64::from(to.1) - 7.0 * dy - side * 3.5 * dx;
            format!("L{x:.1} {y:.1}")
        };
        let data = format!("M{} {}{}{}Z", to.0, to.1, corner(1.0), corner(-1.0));
        self.add(format!("<path class=\"head\" d=\"{data}\"/>"))
    }

    fn add(&mut self, element: String) -> &mut Self {
        self.body.push_str(&element);
        self.body.push('\n');
        self
    }

    fn inside(&mut self, left: i32, right: i32, top: i32, bottom: i32, what: &str) {
        if left < 0 || right > WIDTH || top < 0 || bottom > self.height {
            let height = self.height;
            self.outside.push(format!(
                "{what} from {left}, {top} to {right}, {bottom} is not inside of {WIDTH} x {height}"
            ));
        }
    }

    /// Fails if something is outside of the picture, or wider than its box.
    pub fn fits(&self) -> Outcome {
        if self.outside.is_empty() { Ok(()) } else { fail(self.outside.join("\n")) }
    }

    pub fn svg(&self) -> String {
        let Self { title, height, body, .. } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{SHOWN}\" \
             height=\"{}\" role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n{body}</svg>\n",
            height * SHOWN / WIDTH,
            escaped(title),
        )
    }
}

const STYLE: &str = "
text{fill:#1b1f24;font:13px system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
.b{font-weight:600}
.c{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}
.s{font-size:11.5px;fill:#57606a}
rect{stroke-width:1.2}
.plain{fill:#f6f8fa;stroke:#8c959f}
.blue{fill:#d6eaff;stroke:#3b82c4}
.orange{fill:#ffe7cc;stroke:#c77700}
.green{fill:#d5f2da;stroke:#2da44e}
.red{fill:#ffdedc;stroke:#cf222e}
.violet{fill:#e9dfff;stroke:#8250df}
.faint{fill:none;stroke:#afb8c1;stroke-dasharray:4 3}
.line{fill:none;stroke:#57606a;stroke-width:1.5}
.dash{stroke-dasharray:4 3}
.cross{fill:none;stroke:#cf222e;stroke-width:2}
.head{fill:#57606a}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.s{fill:#a3adb8}
.plain{fill:#22272e;stroke:#6e7681}
.blue{fill:#143a5e;stroke:#58a6ff}
.orange{fill:#513000;stroke:#e3a04b}
.green{fill:#123d20;stroke:#3fb950}
.red{fill:#561c1a;stroke:#ff7b72}
.violet{fill:#3a2766;stroke:#b392f0}
.faint{stroke:#6e7681}
.line{stroke:#a3adb8}
.cross{stroke:#ff7b72}
.head{fill:#a3adb8}
}
";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Words beyond the edge and words that are wider than their box are errors.
pub fn what_does_not_fit_is_found() -> Outcome {
    let mut picture = Picture::new("x", "Nothing", 100);
    picture.card((10, 10), (100, 30), Tone::Blue, Font::Code, "12 letters..");
    picture.fits()?;
    for (what, draw) in [
        (
            "a wide text",
            (|picture| picture.text((430, 50), Font::Words, "words"))
                as fn(&mut Picture) -> &mut Picture,
        ),
        ("a low text", |picture| picture.text((10, 99), Font::Words, "words")),
        ("a narrow box", |picture| {
            picture.card((10, 10), (20, 20), Tone::Red, Font::Code, "words")
        }),
        ("a box outside", |picture| picture.area((430, 10), (20, 20), Tone::Red)),
        ("a line outside", |picture| picture.arrow(&[(0, 0), (0, 101)])),
    ] {
        let mut picture = Picture::new("x", "Nothing", 100);
        draw(&mut picture);
        if picture.fits().is_ok() {
            return fail(format!("{what} is not found"));
        }
    }
    Ok(())
}
