//! A program as a list of texts and gaps, and the choice of the gaps that become line breaks.
//!
//! Input: [`Item`]s. Output: the text. A [group](Item::Open) is printed in one line if it fits; else all of its
//! [`Gap::Break`]s are line breaks. A [`Gap::Fill`] is one if the next element does not fit. Invariants: a gap
//! with comments is a line break, and no group around it is in one line; each item is visited a constant
//! number of times.

use crate::WIDTH;
use crate::lines::{Line, join};
use crate::trivia::Trivia;

const INDENT: usize = 2;
/// The last column at which something is aligned: very long names must not make very long lines.
const LAST_ALIGNED: usize = 60;

pub type GroupId = usize;

/// A part of the program.
#[derive(Debug)]
pub enum Item<'t> {
    /// A token.
    Text(&'t str),
    /// Between two tokens; before the first one; after the last one.
    Gap {
        gap: Gap,
        trivia: Trivia<'t>,
        style: Style,
    },
    /// The start of a group.
    Open(GroupId),
    Close(GroupId),
    /// Lines from here to [`Item::Leave`] are indented.
    Enter(Frame),
    Leave,
}

/// The separator between two tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gap {
    None,
    Space,
    /// A line break.
    Line,
    /// A line break if the group is not in one line, else a blank or nothing.
    Break {
        group: GroupId,
        blank: bool,
    },
    /// A blank, or a line break if the text to the item at `end` does not fit; in a group in one line, a blank.
    Fill {
        group: GroupId,
        end: usize,
    },
    /// Before `else`: a line break if the branches are in one line each, else a blank.
    Else {
        group: GroupId,
    },
    /// A line break before a definition, and a blank line if it or the one before has several lines.
    Definition {
        before: GroupId,
        after: GroupId,
    },
}

/// Details of a gap that is a line break.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Style {
    /// Blank lines of the author's stay, between comments and before the next token.
    pub keeps_blank: bool,
    /// There is no blank line after the previous token, which is an opening bracket.
    pub opens: bool,
    /// There is no blank line before the next token, a closing bracket; the line of that token is indented as
    /// the line of the opening one, and so this gap ends the frame.
    pub closes: bool,
    /// Within a statement, where no line break is expected: the next line is indented more.
    pub continues: bool,
}

/// How lines are indented.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Frame {
    /// Two columns more than the enclosing frame.
    Indented,
    /// As far as lines that continue the current one.
    Continued,
    /// To the current column.
    Aligned,
}

#[derive(Clone, Copy)]
struct Indentation {
    base: usize,
    /// That of lines that continue a line.
    continued: usize,
}

/// The items of a program.
#[derive(Debug, Default)]
pub struct Layout<'t> {
    pub items: Vec<Item<'t>>,
    /// For each group, where it starts and ends.
    pub groups: Vec<(usize, usize)>,
    /// For each group whose form does not depend on its width, true if it is in one line.
    pub decided: Vec<Option<bool>>,
}

impl<'t> Layout<'t> {
    pub fn print(&self, line_ending: &str) -> String {
        let mut printer = Printer {
            layout: self,
            measures: Measures::new(&self.items),
            is_broken: vec![false; self.groups.len()],
            flat: None,
            frames: vec![Indentation { base: 0, continued: INDENT }],
            lines: vec![Line::default()],
        };
        for index in 0..self.items.len() {
            printer.item(index);
        }
        while printer.lines.pop_if(|line| line.code.is_empty()).is_some() {}
        join(&printer.lines, line_ending)
    }

    /// True if a line break between the two items is certain.
    pub fn has_line_break(&self, from: usize, to: usize) -> bool {
        self.items[from..to].iter().any(is_line_break)
    }

    /// The characters of the items from the first index to the second one, in one line.
    pub fn width(&self, from: usize, to: usize) -> usize {
        self.items[from..to].iter().map(flat_width).sum()
    }
}

/// Widths of ranges of items.
struct Measures {
    /// The characters before the item, if all were in one line.
    before: Vec<usize>,
    /// The line breaks before the item that are certain.
    breaks_before: Vec<usize>,
    /// The characters from the item to the next possible line break.
    ahead: Vec<usize>,
}

impl Measures {
    fn new(items: &[Item<'_>]) -> Self {
        let (mut before, mut breaks_before) = (vec![0], vec![0]);
        for (index, item) in items.iter().enumerate() {
            before.push(before[index] + flat_width(item));
            breaks_before.push(breaks_before[index] + usize::from(is_line_break(item)));
        }
        let mut ahead = vec![0; items.len() + 1];
        for (index, item) in items.iter().enumerate().rev() {
            ahead[index] = if may_break(item) { 0 } else { flat_width(item) + ahead[index + 1] };
        }
        Measures { before, breaks_before, ahead }
    }

    /// The characters from one item to another and on to the next possible line break; None if there is a
    /// line break on the way.
    fn width(&self, from: usize, to: usize) -> Option<usize> {
        let is_one_line = self.breaks_before[from] == self.breaks_before[to];
        is_one_line.then(|| self.before[to] - self.before[from] + self.ahead[to])
    }
}

fn flat_width(item: &Item<'_>) -> usize {
    match item {
        Item::Text(text) => text.chars().count(),
        Item::Gap { gap: Gap::Space | Gap::Else { .. } | Gap::Fill { .. }, .. } => 1,
        Item::Gap { gap: Gap::Break { blank, .. }, .. } => usize::from(*blank),
        _ => 0,
    }
}

fn is_line_break(item: &Item<'_>) -> bool {
    match item {
        Item::Gap { gap, trivia, .. } => {
            trivia.has_comments() || matches!(gap, Gap::Line | Gap::Definition { .. })
        }
        _ => false,
    }
}

fn may_break(item: &Item<'_>) -> bool {
    let is_optional = matches!(
        item,
        Item::Gap { gap: Gap::Break { .. } | Gap::Fill { .. } | Gap::Else { .. }, .. }
    );
    is_optional || is_line_break(item)
}

struct Printer<'l, 't> {
    layout: &'l Layout<'t>,
    measures: Measures,
    is_broken: Vec<bool>,
    /// The outermost group in one line that is being printed.
    flat: Option<GroupId>,
    frames: Vec<Indentation>,
    lines: Vec<Line<'t>>,
}

impl<'t> Printer<'_, 't> {
    fn item(&mut self, index: usize) {
        match &self.layout.items[index] {
            Item::Text(text) => self.write(text),
            Item::Gap { gap, trivia, style } => self.gap(index, *gap, trivia, *style),
            Item::Open(group) => {
                if self.flat.is_none() {
                    self.is_broken[*group] = !self.fits(*group);
                    self.flat = (!self.is_broken[*group]).then_some(*group);
                }
            }
            Item::Close(group) => self.flat = self.flat.filter(|flat| flat != group),
            Item::Enter(frame) => {
                let Indentation { base, continued } = self.frame();
                let column = self.line().width;
                let base = match frame {
                    Frame::Indented => base + INDENT,
                    Frame::Continued => continued,
                    Frame::Aligned if column <= LAST_ALIGNED => column,
                    Frame::Aligned => base + INDENT,
                };
                let is_aligned = *frame == Frame::Aligned;
                let continued = if is_aligned { base } else { base + INDENT };
                self.frames.push(Indentation { base, continued });
            }
            Item::Leave => {
                self.frames.pop();
            }
        }
    }

    fn frame(&self) -> Indentation {
        *self.frames.last().expect("the first frame is never left")
    }

    fn line(&mut self) -> &mut Line<'t> {
        self.lines.last_mut().expect("there is always a line")
    }

    /// True if the group is printed in one line.
    fn fits(&mut self, group: GroupId) -> bool {
        let (start, end) = self.layout.groups[group];
        let width = self.measures.width(start, end);
        match self.layout.decided[group] {
            Some(is_flat) => is_flat && width.is_some(),
            None => width.is_some_and(|width| self.line().width + width <= WIDTH),
        }
    }

    fn gap(&mut self, index: usize, gap: Gap, trivia: &Trivia<'t>, style: Style) {
        let is_line = match gap {
            _ if trivia.has_comments() => true,
            Gap::None => false,
            Gap::Space => {
                self.write(" ");
                false
            }
            Gap::Line | Gap::Definition { .. } => true,
            Gap::Break { group, blank } => {
                if !self.is_broken[group] && blank {
                    self.write(" ");
                }
                self.is_broken[group]
            }
            Gap::Fill { group, end } => {
                let width = self.measures.width(index + 1, end);
                let width = width.unwrap_or(self.measures.ahead[index + 1]);
                let is_line = self.is_broken[group] && self.line().width + 1 + width > WIDTH;
                if !is_line {
                    self.write(" ");
                }
                is_line
            }
            Gap::Else { group } => {
                if self.is_broken[group] {
                    self.write(" ");
                }
                !self.is_broken[group]
            }
        };
        if is_line {
            let needs_blank = match gap {
                Gap::Definition { before, after } => {
                    self.is_broken[before] || !self.fits_alone(after)
                }
                _ => false,
            };
            self.line_break(trivia, style, needs_blank);
        } else if style.closes {
            self.frames.pop();
        }
    }

    /// True if a definition fits in one line; called before its first token is printed.
    fn fits_alone(&self, group: GroupId) -> bool {
        let (start, end) = self.layout.groups[group];
        self.measures.width(start, end).is_some_and(|width| width <= WIDTH)
    }

    fn line_break(&mut self, trivia: &Trivia<'t>, style: Style, needs_blank: bool) {
        self.line().comment = trivia.trailing;
        let indentation = if style.continues { self.frame().continued } else { self.frame().base };
        // The first line of the text.
        let is_start = self.lines.len() == 1 && self.line().code.is_empty();
        let mut is_first = true;
        for comment in &trivia.own {
            let wanted = comment.blank && style.keeps_blank || is_first && needs_blank;
            self.new_line(indentation, wanted && !(is_first && style.opens), is_first && is_start);
            self.write(comment.text);
            is_first = false;
        }
        if style.closes {
            self.frames.pop();
        }
        let indentation = if style.closes { self.frame().base } else { indentation };
        let wanted = trivia.blank && style.keeps_blank || is_first && needs_blank;
        let is_wanted = wanted && !(is_first && style.opens) && !style.closes;
        self.new_line(indentation, is_wanted, is_first && is_start);
    }

    /// Starts a line, unless it is the first one of the text.
    fn new_line(&mut self, indentation: usize, blank: bool, is_start: bool) {
        if is_start {
            return;
        }
        if blank {
            self.lines.push(Line::default());
        }
        let code = " ".repeat(indentation);
        self.lines.push(Line { code, indentation, width: indentation, comment: None });
    }

    fn write(&mut self, text: &str) {
        let line = self.line();
        line.code += text;
        line.width += text.chars().count();
    }
}
