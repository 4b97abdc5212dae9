//! The grammar of expressions, and of names and bracketed lists, which definitions use as well.
//!
//! ```text
//! expression = operand { operator operand }
//! operand    = { "-" | "!" } primary { "." name | "[" subscripts "]" }
//! primary    = number | literal | struct | name | name "(" [ arguments ] ")" | "(" expression ")"
//! literal    = "[" list "]"
//! struct     = "{" list "}"
//! list       = expression { "," expression }
//! subscripts = subscript { "," subscript }
//! subscript  = expression | [ expression ] ":" [ expression ] [ ":" expression ]
//! ```
//!
//! Input: tokens. Output: an [`Expr`]. Invariants: no rule looks at a token twice (there is no
//! backtracking, except out of a [`row`] that is more than numbers); once a rule has consumed its first
//! token it succeeds, with [`ExprKind::Error`] for the part it could not parse; chains of operators and
//! of subscripts are parsed by loops, only brackets recurse.

mod call;
pub mod operators;
mod postfix;

use super::ast::{BinaryOperator, Expr, ExprKind, Name, Precedence, Unary, UnaryOperator};
use super::recovery::{Goal, here, instead_of_name, skip_to};
use super::row::row;
use super::rule::*;
use call::variable_or_call;
use operators::{chains, operator};

/// An invalid token counts as an operator, one that makes its operands [`ExprKind::Error`]: the
/// lexer has reported it, and the expression continues after it.
pub fn expression<'t>(program: Program<'t>) -> Rule<'t, Expr> {
    recursive(|expression| {
        let operand = operand(program, expression.boxed());
        let link = operator(program).then(required(program, operand.clone()));
        operand.then(link.repeated().collect::<Vec<_>>()).validate(
            move |(first, links), _, emitter| {
                // Most expressions of large programs are numbers.
                if links.is_empty() {
                    return first;
                }
                let (expr, chained) = chains(program, first, links);
                chained.into_iter().for_each(|diagnostic| emitter.emit(diagnostic.into()));
                expr
            },
        )
    })
    .boxed()
}

/// An expression without comparisons and logic, which a `>` ends: a size of a declared shape.
pub fn sum<'t>(program: Program<'t>) -> Rule<'t, Expr> {
    let operand = operand(program, expression(program));
    let operator = rule(program, |reader| {
        let operator = BinaryOperator::of_token(reader.token(0)?)?;
        let span = reader.span();
        (operator.precedence() >= Precedence::Additive).then(|| {
            reader.skip(1);
            (Some(operator), span)
        })
    });
    let link = operator.then(required(program, operand.clone()));
    operand
        .then(link.repeated().collect::<Vec<_>>())
        .map(move |(first, links)| chains(program, first, links).0)
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

/// The closing bracket, if necessary after skipped tokens. Returns whether none were.
pub fn close<'t>(program: Program<'t>, closing: Token<'static>) -> Rule<'t, bool> {
    let skip = skip_to(program, Goal::Closing(closing)).to(false);
    just(closing).to(true).recover_with(via_parser(skip)).boxed()
}

/// A primary with its signs, fields and subscripts; after an invalid token it may be missing, or be part
/// of the invalid text (`$1`).
fn operand<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let sign = select! {
        Token::Minus => UnaryOperator::Negate,
        Token::Not => UnaryOperator::Not,
    };
    let sign = choice((sign, operators::not_word(program)))
        .labelled(Expected::NOTHING)
        .map_with(|operator, extra| (operator, extra.span()));
    let primary = postfix::postfix(program, primary(program, expression.clone()), expression);
    let signed = sign
        .repeated()
        .at_least(1)
        .collect::<Vec<(UnaryOperator, Span)>>()
        .then(required(program, primary.clone().labelled(Expected::EXPRESSION).boxed()))
        .map_with(move |(operators, operand), extra| {
            unary(program, operators, operand, extra.span())
        });
    let invalid = quiet(Token::Invalid).repeated().at_least(1);
    let bad = invalid.ignore_then(primary.clone().or_not()).to_span().map(error_expr);
    choice((signed, primary, bad)).labelled(Expected::EXPRESSION).boxed()
}

/// The operand with its signs; the innermost minus of a number becomes part of the number.
fn unary(
    program: Program<'_>,
    mut operators: Vec<(UnaryOperator, Span)>,
    mut operand: Expr,
    span: Span,
) -> Expr {
    if operand.kind == ExprKind::Error {
        return error_expr(span);
    }
    if let ExprKind::Number(value) = operand.kind
        && !is_parenthesized(program, &operand)
        && let Some((_, minus)) =
            operators.pop_if(|(operator, _)| *operator == UnaryOperator::Negate)
    {
        operand = Expr { kind: ExprKind::Number(-value), span: minus.to(operand.span) };
    }
    if operators.is_empty() {
        return operand;
    }
    Expr { kind: ExprKind::Unary(Box::new(Unary { operators, operand })), span }
}

/// True if the expression is written in parentheses.
pub fn is_parenthesized(program: Program<'_>, expr: &Expr) -> bool {
    program.text.as_bytes().get(expr.span.start as usize) == Some(&b'(')
}

fn primary<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let number = select! {
        // The lexer has checked the number, so this does not fail.
        Token::Number(text) => text.parse().map_or(ExprKind::Error, ExprKind::Number),
    };
    let number = number.map_with(|kind, extra| Expr { kind, span: extra.span() });
    let elements = expression.clone().labelled(Expected::ELEMENT).boxed();
    let literal = list(program, elements, Token::OpenBracket, ExprKind::Literal);
    let values = expression.clone().labelled(Expected::EXPRESSION).boxed();
    let values = list(program, values, Token::OpenBrace, ExprKind::StructLiteral);
    choice((
        number,
        row(program),
        literal,
        values,
        variable_or_call(program, expression.clone()),
        parenthesized(program, expression),
        call::misplaced_string(),
    ))
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

/// A non-empty list of expressions in brackets.
fn list<'t>(
    program: Program<'t>,
    element: Rule<'t, Expr>,
    opening: Token<'static>,
    kind: fn(Vec<Expr>) -> ExprKind,
) -> Rule<'t, Expr> {
    let (closing, message, label) = match opening {
        Token::OpenBracket => {
            (Token::CloseBracket, "an empty list", "expected at least one number or list")
        }
        _ => (Token::CloseBrace, "an empty struct literal", "expected a value for each field"),
    };
    just(opening)
        .ignore_then(items(program, element, closing))
        .validate(move |(mut elements, is_complete), extra, emitter| {
            let span: Span = extra.span();
            if is_complete && elements.is_empty() {
                emitter.emit(syntax_error(message, span, label).into());
            }
            if !is_complete || elements.is_empty() {
                elements.push(error_expr(span));
            }
            Expr { kind: kind(elements), span }
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
