//! Expressions as items of a layout.
//!
//! Operators of one precedence are a group, with line breaks before the operators; arguments and subscripts are
//! one with a line for each. A literal keeps the line breaks that the author gave it; without any, and too long
//! for its line, it gets one for each row, or as many numbers in a line as fit.

use super::Builder;
use crate::layout::{Frame, Gap, GroupId, Item, Style};
use toy_syntax::ast::*;
use toy_syntax::token::Token;

impl Builder<'_, '_> {
    /// An expression; the gap before it is there or is nothing.
    pub fn expr(&mut self, expr: &Expr) {
        if !self.has_gap {
            self.gap(Gap::None);
        }
        let parentheses = self.open_parentheses(expr);
        match &expr.kind {
            ExprKind::Number(_) => {
                if self.tokens[self.next].0 == Token::Minus {
                    self.text();
                }
                self.text();
            }
            ExprKind::Variable(_) | ExprKind::String(_) | ExprKind::Error => self.text(),
            ExprKind::Literal(elements) | ExprKind::StructLiteral(elements) => {
                self.literal(elements);
            }
            ExprKind::Call(call) => {
                if let Some(derivative) = &call.derivative {
                    // `grad`, `(`, the function, `, 1` for each parameter, `)`.
                    self.text();
                    self.text();
                    self.text();
                    for _ in &derivative.written {
                        self.text();
                        self.gap(Gap::Space);
                        self.text();
                    }
                }
                self.text();
                self.arguments(call);
            }
            ExprKind::Chain(chain) => self.chain(chain),
            ExprKind::Unary(unary) => {
                for _ in &unary.operators {
                    self.text();
                }
                self.expr(&unary.operand);
            }
            ExprKind::Access(access) => {
                self.expr(&access.base);
                self.fields(&access.fields);
            }
            ExprKind::Index(index) => {
                self.expr(&index.base);
                self.subscripts(&index.subscripts);
            }
        }
        for _ in 0..parentheses {
            self.gap_in(Gap::None, Style { closes: true, continues: true, ..Style::default() });
            self.text();
        }
    }

    /// The parentheses around the whole expression, which the tree does not have.
    fn open_parentheses(&mut self, expr: &Expr) -> usize {
        let first = match &expr.kind {
            ExprKind::Chain(chain) => Some(chain.first.span.start),
            ExprKind::Access(access) => Some(access.base.span.start),
            ExprKind::Index(index) => Some(index.base.span.start),
            _ => None,
        };
        let mut count = 0;
        while self.tokens[self.next].0 == Token::OpenParen
            && first.is_none_or(|first| self.start() < first)
        {
            self.text();
            self.layout.items.push(Item::Enter(Frame::Aligned));
            count += 1;
        }
        count
    }

    fn chain(&mut self, chain: &Chain) {
        let group = self.open();
        self.expr(&chain.first);
        self.layout.items.push(Item::Enter(Frame::Continued));
        for link in &chain.rest {
            self.text_after(Gap::Break { group, blank: true });
            self.gap(Gap::Space);
            self.expr(&link.operand);
        }
        self.layout.items.push(Item::Leave);
        self.close(group);
    }

    /// The arguments of a call with their parentheses. An argument without others that can be broken itself
    /// stays beside them.
    fn arguments(&mut self, call: &Call) {
        if let ([argument], []) = (call.arguments.as_slice(), call.named.as_slice())
            && can_break(argument)
        {
            self.text();
            self.expr(argument);
            self.text();
            return;
        }
        self.gap(Gap::None);
        let group = self.open_list();
        let mut is_first = true;
        for argument in &call.arguments {
            self.separator(group, &mut is_first);
            self.expr(argument);
        }
        for (_, value) in &call.named {
            self.separator(group, &mut is_first);
            self.text();
            self.spaced();
            self.gap(Gap::Space);
            self.expr(value);
        }
        self.end_of_list(group, is_first);
        self.close(group);
    }

    /// Fields with their dots.
    pub fn fields(&mut self, fields: &[Name]) {
        for _ in fields {
            self.text();
            self.text();
        }
    }

    /// Subscripts with their brackets.
    pub fn subscripts(&mut self, subscripts: &[Subscript]) {
        self.gap(Gap::None);
        let group = self.open_list();
        let mut is_first = true;
        for subscript in subscripts {
            self.separator(group, &mut is_first);
            match subscript {
                Subscript::At(index) => self.expr(index),
                Subscript::Range(slice) => {
                    slice.from.iter().for_each(|from| self.expr(from));
                    self.text();
                    slice.to.iter().for_each(|to| self.expr(to));
                    slice.step.iter().for_each(|step| {
                        self.text();
                        self.expr(step);
                    });
                }
            }
        }
        self.end_of_list(group, false);
        self.close(group);
    }

    pub fn open_list(&mut self) -> GroupId {
        let group = self.open();
        self.text();
        self.layout.items.push(Item::Enter(Frame::Indented));
        group
    }

    /// The comma before an element, unless it is the first one, and the gap.
    pub fn separator(&mut self, group: GroupId, is_first: &mut bool) {
        if !*is_first {
            self.text();
        }
        self.gap(Gap::Break { group, blank: !*is_first });
        *is_first = false;
    }

    /// The closing bracket.
    pub fn end_of_list(&mut self, group: GroupId, is_empty: bool) {
        let gap = if is_empty { Gap::None } else { Gap::Break { group, blank: false } };
        self.gap_in(gap, Style { closes: true, ..Style::default() });
        self.text();
    }

    /// A literal with its brackets.
    fn literal(&mut self, elements: &[Expr]) {
        let group = self.open();
        self.text();
        let is_written_in_lines = self.has_line_breaks(elements);
        let opens_line = self.trivia().breaks;
        let frame = match is_written_in_lines && !opens_line {
            true => Frame::Aligned,
            false => Frame::Indented,
        };
        self.layout.items.push(Item::Enter(frame));
        let is_nested = elements.iter().any(can_break);
        let style = Style { keeps_blank: true, ..Style::default() };
        let mut fill: Option<usize> = None;
        for (index, element) in elements.iter().enumerate() {
            let is_first = index == 0;
            if !is_first {
                self.text();
            }
            let gap = match (is_written_in_lines, is_first) {
                (true, _) if self.trivia().breaks => Gap::Line,
                (true, true) => Gap::None,
                (false, true) => Gap::Break { group, blank: false },
                (false, false) if is_nested => Gap::Break { group, blank: true },
                (_, false) => Gap::Fill { group, end: 0 },
            };
            self.end_fill(&mut fill);
            if matches!(gap, Gap::Fill { .. }) {
                fill = Some(self.layout.items.len());
            }
            self.gap_in(gap, Style { opens: is_first, ..style });
            self.expr(element);
        }
        let gap = match is_written_in_lines {
            true if self.trivia().breaks => Gap::Line,
            true => Gap::None,
            false => Gap::Break { group, blank: false },
        };
        self.end_fill(&mut fill);
        self.gap_in(gap, Style { closes: true, ..style });
        self.text();
        self.close(group);
    }

    /// The element after the fill ends here.
    fn end_fill(&mut self, fill: &mut Option<usize>) {
        let here = self.layout.items.len();
        if let Some(index) = fill.take()
            && let Item::Gap { gap: Gap::Fill { end, .. }, .. } = &mut self.layout.items[index]
        {
            *end = here;
        }
    }

    /// True if a line ends before an element or before the closing bracket; a line that ends before a comma does not
    /// count. The next token is the first one of the elements.
    fn has_line_breaks(&self, elements: &[Expr]) -> bool {
        let is_break = |text: &str| text.contains(['\n', '\r']);
        let opening = self.tokens[self.next - 1].1.end as usize;
        if is_break(&self.text[opening..self.start() as usize]) {
            return true;
        }
        let mut between = elements.windows(2).map(|pair| {
            let text = &self.text[pair[0].span.end as usize..pair[1].span.start as usize];
            after_comma(text)
        });
        let last = elements.last().map_or(opening, |element| element.span.end as usize);
        let closing = self.text[last..].find([']', '}', '#']).map_or(last, |at| last + at);
        between.any(is_break)
            || is_break(&self.text[last..closing])
            || self.text[closing..].starts_with('#')
    }
}

/// The text after the comma between two elements; comments, which may contain commas, are skipped.
fn after_comma(text: &str) -> &str {
    let mut rest = text;
    while let Some(at) = rest.find(['#', ',']) {
        if rest[at..].starts_with(',') {
            return &rest[at + 1..];
        }
        let comment = &rest[at..];
        rest = &comment[comment.find(['\n', '\r']).unwrap_or(comment.len())..];
    }
    ""
}

/// True if the expression has brackets inside of which lines can end.
fn can_break(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::StructLiteral(_) => true,
        ExprKind::Call(call) => !call.arguments.is_empty() || !call.named.is_empty(),
        _ => false,
    }
}
