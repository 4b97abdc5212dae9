//! Operators between operands, and the trees of their precedence.
//!
//! Input: operands with the operators between them. Output: one [`Chain`] for each row of operators of one
//! precedence. Invariant: `and`, `or` and `not`, the words of other languages, are errors that are read as
//! the operators they mean.

use crate::ast::{BinaryOperator, Chain, Expr, ExprKind, Link, Precedence, UnaryOperator};
use crate::foreign::{Context, advised};
use crate::rule::*;
use std::iter::Peekable;
use std::vec::IntoIter;

/// A binary operator and its place; no operator for a token that the lexer has reported. The operators of
/// `x += 1` and `x++` are left to the rule for statements.
pub fn operator<'t>(program: Program<'t>) -> Rule<'t, (Option<BinaryOperator>, Span)> {
    rule(program, move |reader| {
        let (index, span) = (reader.start, reader.span());
        let operator = match reader.token(0)? {
            Token::Invalid => None,
            Token::Identifier(word) => {
                let operator = program.word_operator(index, word)?;
                reader.emit(foreign_operator(word, span));
                Some(operator)
            }
            token @ (Token::EqualEqual | Token::NotEqual)
                if program.is_adjacent(index, Token::Equals) =>
            {
                let both = span.to(program.tokens[index + 1].1);
                reader.emit(foreign_operator(program.snippet(both), both));
                reader.skip(1);
                BinaryOperator::of_token(token)
            }
            token => Some(BinaryOperator::of_token(token).filter(|_| !program.is_update(index))?),
        };
        reader.skip(1);
        Some((operator, span))
    })
}

/// `not` before an operand.
pub fn not_word<'t>(program: Program<'t>) -> Rule<'t, UnaryOperator> {
    rule(program, move |reader| match (reader.token(0)?, reader.token(1)?) {
        (Token::Identifier("not"), Token::Identifier(_) | Token::Number(_))
            if !program.is_on_new_line(reader.start + 1) =>
        {
            reader.emit(foreign_operator("not", reader.span()));
            reader.skip(1);
            Some(UnaryOperator::Not)
        }
        _ => None,
    })
}

fn foreign_operator(text: &str, span: Span) -> Diagnostic {
    let message = format!("Toy has no operator `{text}`");
    let diagnostic = syntax_error(message, span, "expected an operator");
    advised(diagnostic, Context::Operator, text, span)
}

impl Program<'_> {
    fn word_operator(&self, index: usize, word: &str) -> Option<BinaryOperator> {
        let operator = match word {
            "and" => BinaryOperator::And,
            "or" => BinaryOperator::Or,
            _ => return None,
        };
        let starts_operand = matches!(
            self.token(index + 1)?,
            Token::Identifier(_) | Token::Number(_) | Token::OpenParen | Token::Not | Token::Minus
        );
        (starts_operand && !self.is_on_new_line(index)).then_some(operator)
    }

    /// True if this token follows, without white space between.
    fn is_adjacent(&self, index: usize, next: Token<'_>) -> bool {
        let follows = self.tokens.get(index + 1).zip(self.tokens.get(index));
        follows.is_some_and(|((token, span), (_, first))| *token == next && span.start == first.end)
    }

    /// True if an update of other languages starts here: `+= 1`, or `++` before the end of a statement.
    pub fn is_update(&self, index: usize) -> bool {
        let adjacent = |next: Token<'_>| self.is_adjacent(index, next);
        let Some(token) = self.token(index) else { return false };
        match token {
            Token::Plus | Token::Minus if adjacent(token) => {
                matches!(
                    self.token(index + 2),
                    None | Some(Token::Semicolon | Token::CloseBrace | Token::CloseParen)
                )
            }
            // `<=` and its like are tokens of their own.
            token => BinaryOperator::of_token(token).is_some_and(|it| {
                it.precedence() != Precedence::Comparison && adjacent(Token::Equals)
            }),
        }
    }
}

/// The tree of the operators, and errors about chained comparisons. The rule for expressions leaves the
/// precedence to this loop, because every rule on the way to the next bracket uses stack.
pub fn chains(
    program: Program<'_>,
    mut first: Expr,
    links: Vec<((Option<BinaryOperator>, Span), Expr)>,
) -> (Expr, Vec<Diagnostic>) {
    let mut rest: Vec<Link> = Vec::with_capacity(links.len());
    for ((operator, operator_span), operand) in links {
        let Some(operator) = operator else {
            let before = rest.last_mut().map_or(&mut first, |link| &mut link.operand);
            *before = error_expr(before.span.to(operand.span));
            continue;
        };
        rest.push(Link { operator, operator_span, operand });
    }
    let mut climber =
        Climber { program, links: rest.into_iter().peekable(), diagnostics: Vec::new() };
    let expr = climber.level(first, &Precedence::ALL);
    (expr, climber.diagnostics)
}

struct Climber<'t> {
    program: Program<'t>,
    links: Peekable<IntoIter<Link>>,
    diagnostics: Vec<Diagnostic>,
}

impl Climber<'_> {
    /// The chain of operators of the first level, its operands being chains of the others.
    fn level(&mut self, first: Expr, levels: &[Precedence]) -> Expr {
        let Some((level, tighter)) = levels.split_first() else { return first };
        let first = self.level(first, tighter);
        let mut rest = Vec::new();
        while let Some(Link { operator, operator_span, operand }) =
            self.links.next_if(|link| link.operator.precedence() == *level)
        {
            let operand = self.level(operand, tighter);
            rest.push(Link { operator, operator_span, operand });
        }
        let Some(last) = rest.last() else { return first };
        let span = first.span.to(last.operand.span);
        if *level == Precedence::Comparison && rest.len() > 1 {
            let is_damaged = |link: &Link| link.operand.kind == ExprKind::Error;
            if !rest.iter().any(is_damaged) {
                self.diagnostics.push(self.chained(&rest));
            }
            return error_expr(span);
        }
        Expr { kind: ExprKind::Chain(Box::new(Chain { first, rest })), span }
    }

    fn chained(&self, rest: &[Link]) -> Diagnostic {
        let message = "comparisons cannot be chained";
        let diagnostic = syntax_error(message, rest[1].operator_span, "a second comparison")
            .label(rest[0].operator_span, "the result of this one is 0 or 1");
        let middle = &rest[0].operand;
        let text = self.program.snippet(middle.span);
        let is_simple = matches!(middle.kind, ExprKind::Variable(_) | ExprKind::Number(_));
        if rest.len() == 2 && is_simple {
            let at = Span { start: middle.span.end, ..middle.span };
            return diagnostic.fix("write two comparisons with `&&`", at, format!(" && {text}"));
        }
        diagnostic.help("write several comparisons with `&&`: `a < b && b < c`")
    }
}
