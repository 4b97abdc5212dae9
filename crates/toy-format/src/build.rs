//! A program as items of a [`Layout`]: definitions and statements.
//!
//! Input: the tree, and the tokens with the text between them. Output: the items. The tree gives the role of
//! each token; the tokens are copied in their order, so that no text can be lost. Invariant: between
//! two texts of the list there is exactly one gap. Recursion is as deep as the brackets of the program, which
//! the parser limits.

mod expressions;

use crate::layout::{Frame, Gap, GroupId, Item, Layout, Style};
use crate::trivia::{BYTE_ORDER_MARK, Trivia};
use toy_diagnostics::source::Span;
use toy_syntax::ast::*;
use toy_syntax::token::Token;

/// The items of a program without syntax errors.
pub fn build<'t>(module: &Module, tokens: &[(Token<'t>, Span)], text: &'t str) -> Layout<'t> {
    let layout = Layout::default();
    let mut builder = Builder { tokens, text, next: 0, has_gap: false, depth: 0, layout };
    builder.definitions(&module.definitions());
    builder.layout
}

struct Builder<'b, 't> {
    tokens: &'b [(Token<'t>, Span)],
    text: &'t str,
    /// The token that the next text is.
    next: usize,
    /// True if the last item is the gap before that token, or something that follows such a gap.
    has_gap: bool,
    /// How many blocks are open.
    depth: usize,
    layout: Layout<'t>,
}

/// The group of a block that may be in one line; None for a block in lines.
type InLine = Option<GroupId>;

impl<'t> Builder<'_, 't> {
    fn definitions(&mut self, definitions: &[Definition<'_>]) {
        let between = Style { keeps_blank: true, ..Style::default() };
        let mut before = None;
        for definition in definitions {
            let after = self.layout.groups.len();
            match before {
                Some(before) => {
                    self.gap_in(Gap::Definition { before, after }, between);
                }
                None => self.gap_in(Gap::Line, Style { opens: true, ..between }),
            }
            before = Some(self.open());
            match definition {
                Definition::Struct(item) => self.structure(item, after),
                Definition::Function(item) => self.function(item, after),
            }
            self.close(after);
        }
        let opens = before.is_none();
        self.gap_in(Gap::Line, Style { opens, ..between });
    }

    fn structure(&mut self, item: &Struct, group: GroupId) {
        self.text();
        self.spaced();
        self.gap(Gap::Space);
        let in_line = self.is_one_line(self.start(), item.span.end).then_some(group);
        self.text();
        self.layout.items.push(Item::Enter(Frame::Indented));
        for (index, field) in item.fields.iter().enumerate() {
            self.semicolons(field.span);
            self.block_gap(in_line, index == 0);
            // `var` or the name of a struct.
            self.text();
            self.spaced();
            self.text_after(Gap::None);
        }
        self.end_of_block(in_line);
    }

    fn function(&mut self, item: &Function, group: GroupId) {
        self.text();
        self.spaced();
        self.parameters(&item.parameters);
        self.gap(Gap::Space);
        let is_short = self.is_short(&item.body, self.start(), item.span.end);
        self.block(&item.body, is_short.then_some(group));
    }

    fn parameters(&mut self, parameters: &[Binding]) {
        self.gap(Gap::None);
        let group = self.open_list();
        let mut is_first = true;
        for parameter in parameters {
            self.separator(group, &mut is_first);
            if parameter.ty.is_some() {
                self.text();
                self.gap(Gap::Space);
            }
            self.text();
        }
        self.end_of_list(group, is_first);
        self.close(group);
    }

    /// The statements of a block with its braces; the gap before it is there.
    fn block(&mut self, statements: &[Statement], in_line: InLine) {
        self.text();
        self.depth += 1;
        self.layout.items.push(Item::Enter(Frame::Indented));
        for (index, statement) in statements.iter().enumerate() {
            self.semicolons(statement.span);
            self.block_gap(in_line, index == 0);
            self.statement(statement);
            if statement.bodies().is_empty() {
                self.text_after(Gap::None);
            }
        }
        self.end_of_block(in_line);
        self.depth -= 1;
    }

    /// Statements that are only a `;`, before the statement of the span: next to the previous token, or in lines of
    /// their own if the author wrote them so.
    fn semicolons(&mut self, until: Span) {
        while self.start() < until.start {
            self.semicolon();
        }
    }

    fn semicolon(&mut self) {
        let follows = match self.next.checked_sub(1).map(|before| self.tokens[before].0) {
            Some(Token::OpenBrace) => false,
            _ => !self.trivia().breaks,
        };
        let gap = if follows { Gap::None } else { Gap::Line };
        let opens = self.is_opened();
        self.gap_in(gap, Style { keeps_blank: true, opens, ..Style::default() });
        self.text();
    }

    /// The gap before a statement or a field.
    fn block_gap(&mut self, in_line: InLine, is_first: bool) {
        let opens = is_first && self.is_opened();
        let style = Style { keeps_blank: true, opens, ..Style::default() };
        self.gap_in(between(in_line), style);
    }

    /// True right after the opening brace.
    fn is_opened(&self) -> bool {
        matches!(self.layout.items.last(), Some(Item::Enter(_)))
    }

    /// Extra `;` and the closing brace.
    fn end_of_block(&mut self, in_line: InLine) {
        while self.tokens[self.next].0 == Token::Semicolon {
            self.semicolon();
        }
        let opens = self.is_opened();
        let style = Style { keeps_blank: true, opens, closes: true, continues: false };
        self.gap_in(if opens { Gap::None } else { between(in_line) }, style);
        self.text();
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::VarDecl { ty, value, .. } => {
                self.text();
                self.spaced();
                if let DeclaredType::Tensor(shape) = ty {
                    self.shape(&shape.sizes);
                }
                self.assigned(value);
            }
            StatementKind::Return(value) => {
                self.text();
                if let Some(value) = value {
                    self.gap(Gap::Space);
                    self.expr(value);
                }
            }
            StatementKind::Break | StatementKind::Continue => self.text(),
            StatementKind::Expr(value) => self.expr(value),
            StatementKind::Assign(assignment) => {
                self.text();
                self.fields(&assignment.fields);
                if !assignment.subscripts.is_empty() {
                    self.subscripts(&assignment.subscripts);
                }
                self.assigned(&assignment.value);
            }
            StatementKind::If(branches) => self.branches(branches),
            StatementKind::While(repeated) => {
                self.text();
                self.condition(&repeated.condition);
                self.loop_body(&repeated.body);
            }
            StatementKind::For(repeated) => {
                self.text();
                self.spaced();
                self.spaced();
                self.gap(Gap::Space);
                self.expr(&repeated.first);
                for bound in [Some(&repeated.end), repeated.step.as_ref()].into_iter().flatten() {
                    self.text_after(Gap::None);
                    self.gap(Gap::None);
                    self.expr(bound);
                }
                self.loop_body(&repeated.body);
            }
        }
    }

    /// `= value`
    fn assigned(&mut self, value: &Expr) {
        self.text_after(Gap::Space);
        self.gap(Gap::Space);
        self.expr(value);
    }

    /// `<2, 3>`
    fn shape(&mut self, sizes: &[Expr]) {
        self.text_after(Gap::None);
        for (index, size) in sizes.iter().enumerate() {
            if index > 0 {
                self.text_after(Gap::None);
            }
            self.gap(if index > 0 { Gap::Space } else { Gap::None });
            self.expr(size);
        }
        self.text_after(Gap::None);
    }

    fn loop_body(&mut self, body: &Body) {
        let group = self.layout.groups.len();
        self.gap(Gap::Space);
        self.open();
        let is_short = self.is_short(&body.statements, body.span.start, body.span.end);
        self.block(&body.statements, is_short.then_some(group));
        self.close(group);
    }

    /// `if` with its branches: all of them in one line each, or none.
    fn branches(&mut self, branches: &If) {
        let bodies: Vec<&Body> =
            branches.arms.iter().map(|arm| &arm.body).chain(&branches.otherwise).collect();
        let group = self.open();
        let is_short = bodies
            .iter()
            .all(|body| self.is_short(&body.statements, body.span.start, body.span.end));
        // True if each branch has a line of its own.
        let mut is_table = false;
        let mut starts = vec![self.layout.items.len()];
        for (index, body) in bodies.iter().enumerate() {
            if index > 0 {
                is_table |= is_short && self.trivia().breaks;
                let gap = if is_table { Gap::Else { group } } else { Gap::Space };
                self.gap_in(gap, Style::default());
                starts.push(self.layout.items.len());
                self.text();
            }
            if let Some(arm) = branches.arms.get(index) {
                if index > 0 {
                    self.gap_in(Gap::Space, Style::default());
                }
                self.text();
                self.condition(&arm.condition);
            }
            self.gap_in(Gap::Space, Style::default());
            self.block(&body.statements, is_short.then_some(group));
        }
        self.close(group);
        if is_table {
            starts.push(self.layout.items.len());
            let room = crate::WIDTH.saturating_sub(2 * self.depth);
            // Between two branches there is the gap.
            let fits =
                starts.windows(2).all(|range| self.layout.width(range[0], range[1]) <= room + 1);
            let (first, last) = (starts[0], starts[starts.len() - 1]);
            if fits && !self.layout.has_line_break(first, last) {
                self.layout.decided[group] = Some(true);
                return;
            }
            // Not a table after all: the line breaking must see a blank here.
            for item in &mut self.layout.items[first..last] {
                if let Item::Gap { gap, .. } = item
                    && *gap == (Gap::Else { group })
                {
                    *gap = Gap::Space;
                }
            }
            self.layout.decided[group] = Some(false);
        }
    }

    /// A condition with its parentheses.
    fn condition(&mut self, condition: &Expr) {
        self.gap(Gap::Space);
        self.expr(condition);
    }

    /// True if a block was written in one line and may stay there: it has at most one statement, and the statement
    /// has no blocks.
    fn is_short(&self, statements: &[Statement], start: u32, end: u32) -> bool {
        let is_short = match statements {
            [] => true,
            [statement] => statement.bodies().is_empty(),
            _ => false,
        };
        is_short && self.is_one_line(start, end)
    }

    fn is_one_line(&self, start: u32, end: u32) -> bool {
        !self.text[range(Span { start, end })].contains(['\n', '\r'])
    }

    /// The next token.
    fn text(&mut self) {
        if !self.has_gap {
            self.gap(Gap::None);
        }
        let (_, span) = self.tokens[self.next];
        self.layout.items.push(Item::Text(&self.text[range(span)]));
        self.next += 1;
        self.has_gap = false;
    }

    fn text_after(&mut self, gap: Gap) {
        self.gap(gap);
        self.text();
    }

    /// The next token after a blank.
    fn spaced(&mut self) {
        self.text_after(Gap::Space);
    }

    /// The gap before the next token, within a statement.
    fn gap(&mut self, gap: Gap) {
        let continues = !matches!(gap, Gap::Break { .. } | Gap::Fill { .. });
        self.gap_in(gap, Style { continues, ..Style::default() });
    }

    fn gap_in(&mut self, gap: Gap, style: Style) {
        let gap = if gap == Gap::None && self.would_merge() { Gap::Space } else { gap };
        let trivia = self.trivia();
        self.layout.items.push(Item::Gap { gap, trivia, style });
        self.has_gap = true;
    }

    /// True if the last token and the next one would merge with nothing between them: `1 .x`, `0. ..5`.
    fn would_merge(&self) -> bool {
        let (Some((next, _)), Some(before)) =
            (self.tokens.get(self.next), self.next.checked_sub(1))
        else {
            return false;
        };
        let before = self.tokens[before].0;
        let is_after_dot = before.spelling().ends_with('.') && next.spelling().starts_with('.');
        is_after_dot || matches!(before, Token::Number(_)) && *next == Token::Dot
    }

    /// The white space and comments between the last token and the next one.
    fn trivia(&self) -> Trivia<'t> {
        let start = match self.next.checked_sub(1) {
            Some(before) => self.tokens[before].1.end as usize,
            None if self.text.starts_with(BYTE_ORDER_MARK) => BYTE_ORDER_MARK.len_utf8(),
            None => 0,
        };
        let end =
            self.tokens.get(self.next).map_or(self.text.len(), |(_, span)| span.start as usize);
        Trivia::read(&self.text[start..end], self.next == 0)
    }

    /// The start of the next token.
    fn start(&self) -> u32 {
        self.tokens.get(self.next).map_or(self.text.len() as u32, |(_, span)| span.start)
    }

    fn open(&mut self) -> GroupId {
        if !self.has_gap {
            self.gap(Gap::None);
        }
        let group = self.layout.groups.len();
        let start = self.layout.items.len();
        self.layout.groups.push((start, start));
        self.layout.decided.push(None);
        self.layout.items.push(Item::Open(group));
        group
    }

    fn close(&mut self, group: GroupId) {
        self.layout.groups[group].1 = self.layout.items.len();
        self.layout.items.push(Item::Close(group));
    }
}

/// The gap between two statements, or beside a brace.
fn between(in_line: InLine) -> Gap {
    in_line.map_or(Gap::Line, |group| Gap::Break { group, blank: true })
}

fn range(span: Span) -> std::ops::Range<usize> {
    span.start as usize..span.end as usize
}
