//! The grammar of expressions, and of names and bracketed lists, which definitions use as well.
//!
//! ```text
//! expression = operand { ( "+" | "-" | "*" | "/" ) operand }
//! operand    = { "-" } primary { "." name }
//! primary    = number | literal | struct | name | name "(" [ list ] ")" | "(" expression ")"
//! literal    = "[" list "]"
//! struct     = "{" list "}"
//! list       = expression { "," expression }
//! ```
//!
//! Input: tokens. Output: an [`Expr`]. Invariants: no rule looks at a token twice (there is no
//! backtracking, except out of a [`row`] that is more than numbers); once a rule has consumed its first
//! token it succeeds, with [`ExprKind::Error`] for what it could not parse; a chain of operators is parsed by a loop, only brackets recurse.

use super::ast::{
    Access, BinaryOperator, Call, Chain, Expr, ExprKind, Link, Name, Precedence, Unary,
    UnaryOperator,
};
use super::parse_error::{Expected, ParseError};
use super::recovery::{Extra, Goal, Program, Tokens, here, instead_of_name, skip_to};
use super::row::row;
use super::token::Token;
use chumsky::prelude::*;
use std::iter::Peekable;
use std::vec::IntoIter;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, codes};

/// A rule of the grammar. Boxed, because the types of unboxed rules take seconds to compile.
pub type Rule<'t, T> = Boxed<'t, 't, Tokens<'t>, T, Extra>;

/// An invalid token counts as an operator, one that makes its operands [`ExprKind::Error`]: the
/// lexer has reported it, and the expression continues after it.
pub fn expression<'t>(program: Program<'t>) -> Rule<'t, Expr> {
    recursive(|expression| {
        let operand = operand(program, expression.boxed());
        let operator = select! {
            Token::Plus => Some(BinaryOperator::Add),
            Token::Minus => Some(BinaryOperator::Sub),
            Token::Star => Some(BinaryOperator::Mul),
            Token::Slash => Some(BinaryOperator::Div),
            Token::Invalid => None,
        };
        let link = operator
            .map_with(|operator, extra| (operator, extra.span()))
            .labelled(Expected::NOTHING)
            .then(required(program, operand.clone()));
        operand.then(link.repeated().collect::<Vec<_>>()).map(|(first, links)| {
            // Most expressions of large programs are numbers.
            if links.is_empty() { first } else { chains(first, links) }
        })
    })
    .boxed()
}

/// The expression, or an error and [`ExprKind::Error`] if there is none.
pub fn required<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let missing = here(program).map(error_expr);
    expression.recover_with(via_parser(missing)).boxed()
}

/// `[item { "," item }] closing`, after the opening bracket. The flag is false if recovery skipped
/// tokens, so that items may be missing.
pub fn items<'t, T: 't>(
    program: Program<'t>,
    item: Rule<'t, T>,
    closing: Token<'static>,
) -> Rule<'t, (Vec<T>, bool)> {
    item.separated_by(just(Token::Comma)).collect().then(close(program, closing)).boxed()
}

/// The closing bracket, if necessary after skipped tokens. Returns whether nothing was skipped.
fn close<'t>(program: Program<'t>, closing: Token<'static>) -> Rule<'t, bool> {
    let skip = skip_to(program, Goal::Closing(closing)).to(false);
    just(closing).to(true).recover_with(via_parser(skip)).boxed()
}

/// The chain of sums, its operands being chains of products. The rule for expressions leaves the
/// precedence to this loop, because every rule on the way to the next bracket uses stack.
fn chains(mut first: Expr, links: Vec<((Option<BinaryOperator>, Span), Expr)>) -> Expr {
    let mut rest: Vec<Link> = Vec::with_capacity(links.len());
    for ((operator, operator_span), operand) in links {
        let Some(operator) = operator else {
            let before = rest.last_mut().map_or(&mut first, |link| &mut link.operand);
            *before = error_expr(before.span.to(operand.span));
            continue;
        };
        rest.push(Link { operator, operator_span, operand });
    }
    let mut links = rest.into_iter().peekable();
    let first = product(first, &mut links);
    let mut sum = Vec::new();
    // A product consumes all operators that bind tighter: the next one is `+` or `-`.
    while let Some(Link { operator, operator_span, operand }) = links.next() {
        let operand = product(operand, &mut links);
        sum.push(Link { operator, operator_span, operand });
    }
    chain(first, sum)
}

fn product(first: Expr, links: &mut Peekable<IntoIter<Link>>) -> Expr {
    let mut rest = Vec::new();
    while let Some(link) =
        links.next_if(|link| link.operator.precedence() == Precedence::Multiplicative)
    {
        rest.push(link);
    }
    chain(first, rest)
}

fn chain(first: Expr, rest: Vec<Link>) -> Expr {
    let Some(last) = rest.last() else { return first };
    let span = first.span.to(last.operand.span);
    Expr { kind: ExprKind::Chain(Box::new(Chain { first, rest })), span }
}

/// A primary with its signs and fields; after an invalid token it may be missing, or be part of the
/// invalid text (`$1`).
fn operand<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let minus = just(Token::Minus).labelled(Expected::NOTHING).to_span();
    let field = just(Token::Dot).labelled(Expected::NOTHING).ignore_then(name(
        program,
        Expected::FIELD_NAME,
        &[],
    ));
    let primary = primary(program, expression)
        .then(field.repeated().collect::<Vec<_>>())
        .map_with(|(base, fields), extra| access(base, fields, extra.span()))
        .boxed();
    let negated = minus
        .repeated()
        .at_least(1)
        .collect::<Vec<Span>>()
        .then(required(program, primary.clone().labelled(Expected::EXPRESSION).boxed()))
        .map_with(move |(operators, operand), extra| {
            negation(program, operators, operand, extra.span())
        });
    let invalid = just(Token::Invalid).labelled(Expected::NOTHING).repeated().at_least(1);
    let bad = invalid.ignore_then(primary.clone().or_not()).to_span().map(error_expr);
    choice((primary, negated, bad)).labelled(Expected::EXPRESSION).boxed()
}

fn access(base: Expr, fields: Vec<Name>, span: Span) -> Expr {
    if fields.is_empty() {
        return base;
    }
    if base.kind == ExprKind::Error || fields.iter().any(|field| field.text.is_empty()) {
        return error_expr(span);
    }
    Expr { kind: ExprKind::Access(Box::new(Access { base, fields })), span }
}

/// A negation; the innermost minus of a number becomes part of the number.
fn negation(program: Program<'_>, mut operators: Vec<Span>, mut operand: Expr, span: Span) -> Expr {
    if operand.kind == ExprKind::Error {
        return error_expr(span);
    }
    if let ExprKind::Number(value) = operand.kind
        && !is_parenthesized(program, &operand)
        && let Some(minus) = operators.pop()
    {
        operand = Expr { kind: ExprKind::Number(-value), span: minus.to(operand.span) };
    }
    if operators.is_empty() {
        return operand;
    }
    let operators = operators.into_iter().map(|span| (UnaryOperator::Negate, span)).collect();
    Expr { kind: ExprKind::Unary(Box::new(Unary { operators, operand })), span }
}

fn is_parenthesized(program: Program<'_>, expr: &Expr) -> bool {
    program.text.as_bytes().get(expr.span.start as usize) == Some(&b'(')
}

fn primary<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let number = select! {
        // The lexer has checked the number, so this does not fail.
        Token::Number(text) => text.parse().map_or(ExprKind::Error, ExprKind::Number),
    };
    let number = number.map_with(|kind, extra| Expr { kind, span: extra.span() });
    let literal = list(program, expression.clone(), Token::OpenBracket, Token::CloseBracket);
    let values = list(program, expression.clone(), Token::OpenBrace, Token::CloseBrace);
    choice((
        number,
        row(program),
        literal.map(|(elements, span)| Expr { kind: ExprKind::Literal(elements), span }),
        values.map(|(values, span)| Expr { kind: ExprKind::StructLiteral(values), span }),
        variable_or_call(program, expression.clone()),
        parenthesized(program, expression),
    ))
    .boxed()
}

fn variable_or_call<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let name = select! { Token::Identifier(text) => text };
    let arguments = just(Token::OpenParen)
        .labelled(Expected::NOTHING)
        .ignore_then(items(program, expression, Token::CloseParen))
        .map_with(|(mut arguments, is_complete), extra| {
            if !is_complete {
                arguments.push(error_expr(extra.span()));
            }
            arguments
        });
    name.map_with(|text, extra| (text, extra.span()))
        .then(arguments.or_not())
        .map_with(|((text, name_span), arguments), extra| match arguments {
            None => Expr { kind: ExprKind::Variable(text.to_owned()), span: name_span },
            Some(arguments) => {
                let callee = Name { text: text.to_owned(), span: name_span };
                let kind = ExprKind::Call(Box::new(Call { callee, arguments, named: Vec::new() }));
                Expr { kind, span: extra.span() }
            }
        })
        .boxed()
}

/// Parentheses are not a node of the tree, but the span of the inner expression includes them.
fn parenthesized<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    just(Token::OpenParen)
        .ignore_then(required(program, expression))
        .then(close(program, Token::CloseParen))
        .map_with(|(inner, is_complete), extra| {
            let kind = if is_complete { inner.kind } else { ExprKind::Error };
            Expr { kind, span: extra.span() }
        })
        .boxed()
}

/// A non-empty list of expressions in brackets, and its span.
fn list<'t>(
    program: Program<'t>,
    expression: Rule<'t, Expr>,
    opening: Token<'static>,
    closing: Token<'static>,
) -> Rule<'t, (Vec<Expr>, Span)> {
    let expected =
        if opening == Token::OpenBracket { Expected::ELEMENT } else { Expected::EXPRESSION };
    let (message, label) = match expected {
        Expected::ELEMENT => ("an empty list", "expected at least one number or list"),
        _ => ("an empty struct literal", "expected a value for each field"),
    };
    just(opening)
        .ignore_then(items(program, expression.labelled(expected).boxed(), closing))
        .validate(move |(mut elements, is_complete), extra, emitter| {
            let span: Span = extra.span();
            if !is_complete {
                elements.push(error_expr(span));
            } else if elements.is_empty() {
                let diagnostic =
                    Diagnostic::error(codes::UNEXPECTED_TOKEN, message).label(span, label);
                emitter.emit(ParseError::Reported(Box::new(diagnostic)));
                elements.push(error_expr(span));
            }
            (elements, span)
        })
        .boxed()
}

/// A name, or an error and the empty name. A token that cannot be a name but is in the position of
/// one (as the next token shows) is consumed as if it were one.
pub fn name<'t>(
    program: Program<'t>,
    expected: Expected,
    followers: &'static [Token<'static>],
) -> Rule<'t, Name> {
    let name = select! { Token::Identifier(text) => text }
        .labelled(expected)
        .map_with(|text, extra| Name { text: text.to_owned(), span: extra.span() });
    let instead = instead_of_name(program, followers).map(error_name);
    // A parameter may be missing.
    if expected == Expected::PARAMETER_NAME {
        return name.recover_with(via_parser(instead)).boxed();
    }
    let nothing = here(program).map(error_name);
    name.recover_with(via_parser(choice((instead, nothing)))).boxed()
}

/// The empty name, for a definition whose name could not be parsed.
pub fn error_name(span: Span) -> Name {
    Name { text: String::new(), span }
}

/// An expression that could not be parsed.
pub fn error_expr(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, span }
}
