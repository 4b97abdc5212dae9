//! The colors of messages.
//!
//! Input: a drawing with the colors that ariadne has chosen. Output: the same with the colors of [`PALETTE`].
//! Invariants: the text is unchanged; each color has a contrast of 4.5 or more to white and to black, which leaves
//! few of the 256 that terminals have; other text is in the terminal's own color.

/// A color, by its number among the 256 of terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hue(pub u8);

/// Errors.
pub const RED: Hue = Hue(131);
/// Warnings.
pub const MAGENTA: Hue = Hue(163);
/// Remarks.
pub const PURPLE: Hue = Hue(98);
/// Further parts of a message: other places, literal text of help pages.
pub const BLUE: Hue = Hue(63);
/// Help and notes, the heads of help pages.
pub const GREEN: Hue = Hue(29);
/// The frames around excerpts.
pub const GRAY: Hue = Hue(243);

/// All of them.
pub const PALETTE: [Hue; 6] = [RED, MAGENTA, PURPLE, BLUE, GREEN, GRAY];

/// The style of a text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub hue: Option<Hue>,
    pub is_bold: bool,
}

/// Text in several styles.
#[derive(Default)]
pub(super) struct Painter {
    text: String,
    current: Style,
}

impl Painter {
    /// Appends text in a style.
    pub fn paint(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        if style != self.current {
            self.plain();
            let bold = style.is_bold.then(|| "1".to_owned());
            let hue = style.hue.map(|Hue(number)| format!("38;5;{number}"));
            let codes: Vec<_> = bold.into_iter().chain(hue).collect();
            if !codes.is_empty() {
                self.text += &format!("\u{1b}[{}m", codes.join(";"));
            }
            self.current = style;
        }
        self.text += text;
    }

    fn plain(&mut self) {
        if self.current != Style::default() {
            self.text += "\u{1b}[0m";
            self.current = Style::default();
        }
    }

    /// The end of a line.
    pub fn line_end(&mut self) {
        self.plain();
        self.text.push('\n');
    }

    pub fn finish(mut self) -> String {
        self.plain();
        self.text
    }
}

/// The drawing in our colors.
pub(super) fn recolored(drawn: &str) -> String {
    let mut painter = Painter::default();
    for line in drawn.lines() {
        let mut style = Style::default();
        let mut rest = line;
        while let Some((before, sequence)) = rest.split_once("\u{1b}[") {
            painter.paint(before, style);
            let (codes, after) = sequence.split_once('m').unwrap_or((sequence, ""));
            style.hue = hue(codes);
            rest = after;
        }
        painter.paint(rest, style);
        painter.line_end();
    }
    painter.finish()
}

/// Our color for one of ariadne's; None for the text of the program, which it shows in gray.
fn hue(codes: &str) -> Option<Hue> {
    match codes {
        "31" => Some(RED),
        "33" => Some(MAGENTA),
        "34" => Some(BLUE),
        "38;5;246" | "38;5;240" => Some(GRAY),
        "38;5;115" => Some(GREEN),
        _ => None,
    }
}
