//! `if`, `while` and `for`, and their forms in other languages.
//!
//! ```text
//! if    = "if" "(" expression ")" block { "else" "if" "(" expression ")" block } [ "else" block ]
//! while = "while" "(" expression ")" block
//! for   = "for" name "in" expression ".." expression [ ".." expression ] block
//! ```
//!
//! Input: the rules for expressions and blocks. Output: [`If`], [`While`] and [`For`]. Invariants: a chain of
//! `else if` is a loop here; a condition without parentheses is an error, and read nevertheless; the loop variable
//! of a damaged loop is known in its body.

use crate::ast::{Arm, Body, Expr, ExprKind, For, If, Name, StatementKind, Struct, While};
use crate::expression::{close, error_name, name, required};
use crate::foreign::{Context, advice, advised};
use crate::recovery::{c_header, condition_in_parentheses, no_brace};
use crate::rule::*;

/// A block with the structs defined in it.
pub type Block = (Body, Vec<Struct>);

/// A statement with the structs defined in it.
type Control = (StatementKind, Vec<Struct>);

pub fn branch<'t>(
    program: Program<'t>,
    expression: Rule<'t, Expr>,
    body: Rule<'t, Block>,
) -> Rule<'t, Control> {
    let condition = condition(program, expression, "if");
    let arm = condition.then(body.clone()).boxed();
    let else_if =
        choice((just(Token::Else).then(just(Token::If)).ignored(), foreign_else_if(program)));
    just(Token::If)
        .ignore_then(arm.clone())
        .then(else_if.ignore_then(arm).repeated().collect::<Vec<_>>())
        .then(just(Token::Else).ignore_then(body).or_not())
        .map(|((first, others), otherwise)| {
            let mut structs = Vec::new();
            let mut body = |(body, nested): Block| {
                structs.extend(nested);
                body
            };
            let arms = std::iter::once(first).chain(others);
            let arms =
                arms.map(|(condition, block)| Arm { condition, body: body(block) }).collect();
            let otherwise = otherwise.map(body);
            (StatementKind::If(Box::new(If { arms, otherwise })), structs)
        })
        .boxed()
}

pub fn while_loop<'t>(
    program: Program<'t>,
    expression: Rule<'t, Expr>,
    body: Rule<'t, Block>,
) -> Rule<'t, Control> {
    just(Token::While)
        .ignore_then(condition(program, expression, "while"))
        .then(body)
        .map(|(condition, (body, structs))| {
            (StatementKind::While(Box::new(While { condition, body })), structs)
        })
        .boxed()
}

/// `elif` and the like after the `}` of an `if`.
fn foreign_else_if<'t>(program: Program<'t>) -> Rule<'t, ()> {
    rule(program, move |reader| {
        let Token::Identifier(word) = reader.token(0)? else { return None };
        advice(Context::Else, word)?;
        program.foreign_block(reader.start)?;
        let span = reader.span();
        let diagnostic = syntax_error(format!("Toy has no `{word}`"), span, "expected `else`");
        reader.emit(advised(diagnostic, Context::Else, word, span));
        reader.skip(1);
        Some(())
    })
}

/// `"(" expression ")"`
fn condition<'t>(
    program: Program<'t>,
    expression: Rule<'t, Expr>,
    word: &'static str,
) -> Rule<'t, Expr> {
    let assigned = quiet(Token::Equals).then(required(program, expression.clone()));
    let inner = expression
        .then(assigned.or_not())
        .validate(|(expr, assigned), extra, emitter| {
            let Some((equals, _)) = assigned else { return expr };
            let diagnostic =
                syntax_error("an assignment is not a condition", equals, "`=` assigns");
            emitter.emit(diagnostic.fix("write `==` to compare", equals, "==").into());
            error_expr(extra.span())
        })
        .boxed();
    let usual = condition_in_parentheses(program)
        .ignore_then(just(Token::OpenParen))
        .ignore_then(required(program, inner.clone()))
        .then(close(program, Token::CloseParen))
        .map_with(
            |(condition, is_complete), extra| {
                if is_complete { condition } else { error_expr(extra.span()) }
            },
        );
    let bare = no_brace(program).labelled(Expected::EXPRESSION).ignore_then(inner).boxed();
    let bare = required(program, bare).validate(move |condition, _, emitter| {
        let span: Span = condition.span;
        // An empty condition has been reported already.
        if span.start < span.end {
            let message = format!("the condition of `{word}` is written in parentheses");
            let edits =
                vec![Edit::new(Span::at(span.start), "("), Edit::new(Span::at(span.end), ")")];
            let diagnostic = syntax_error(message, span, "expected `(`")
                .fixes(format!("write `{word} (...) {{ ... }}`"), edits);
            emitter.emit(diagnostic.into());
        }
        condition
    });
    choice((usual, bare)).boxed()
}

struct Header {
    variable: Name,
    first: Expr,
    end: Expr,
    step: Option<Expr>,
}

pub fn for_loop<'t>(
    program: Program<'t>,
    expression: Rule<'t, Expr>,
    body: Rule<'t, Block>,
) -> Rule<'t, Control> {
    let header = header(program, expression);
    let parenthesized = quiet(Token::OpenParen)
        .then(header.clone())
        .then(close(program, Token::CloseParen))
        .validate(|((open, header), _), extra, emitter| {
            let span: Span = extra.span();
            let message = "the range of a loop is written without parentheses";
            let last = Span { start: span.end.saturating_sub(1), ..span };
            let diagnostic = syntax_error(message, open, "expected the loop variable")
                .fixes("remove them", vec![Edit::new(open, ""), Edit::new(last, "")]);
            emitter.emit(diagnostic.into());
            header
        });
    let of_c = c_header(program).map(|(name, span)| Header {
        variable: name.unwrap_or_else(|| error_name(span)),
        first: error_expr(span),
        end: error_expr(span),
        step: None,
    });
    just(Token::For)
        .ignore_then(choice((of_c, parenthesized, header)))
        .then(body)
        .map(|(Header { variable, first, end, step }, (body, structs))| {
            (StatementKind::For(Box::new(For { variable, first, end, step, body })), structs)
        })
        .boxed()
}

/// `name "in" expression ".." expression [ ".." expression ]`
fn header<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Header> {
    let bound = no_brace(program).labelled(Expected::EXPRESSION).ignore_then(expression);
    let bound = required(program, bound.boxed());
    let variable = name(program, Expected::VARIABLE_NAME, &[Token::In]);
    let var = quiet(Token::Var).validate(|span, _, emitter| {
        let message = "a loop variable is declared without `var`";
        let diagnostic = syntax_error(message, span, "expected the name of the variable");
        emitter.emit(diagnostic.fix("remove it", span, "").into());
    });
    let more = dots(program).ignore_then(bound.clone());
    var.or_not()
        .ignore_then(variable)
        .then_ignore(in_word(program))
        .then(bound)
        .then(more.clone().or_not())
        .then(more.or_not())
        .validate(move |(((variable, first), end), step), _, emitter| {
            let end = end.unwrap_or_else(|| {
                if first.kind != ExprKind::Error {
                    emitter.emit(no_range(program, &first).into());
                }
                error_expr(first.span)
            });
            Header { variable, first, end, step }
        })
        .boxed()
}

/// The `in` of a loop, or another language's word for it.
fn in_word<'t>(program: Program<'t>) -> Rule<'t, ()> {
    rule(program, move |reader| {
        let found = reader.span();
        match reader.token(0) {
            Some(Token::In) => reader.skip(1),
            Some(token) if advice(Context::In, token.spelling()).is_some() => {
                let message = format!("expected `in`, found {token}");
                let diagnostic = syntax_error(message, found, "expected `in`");
                reader.emit(match range_in_words(program, reader.start) {
                    Some((span, range)) => diagnostic.fix(
                        format!("write `for i {range}`; a range ends before its end"),
                        span,
                        range,
                    ),
                    None => advised(diagnostic, Context::In, token.spelling(), found),
                });
                reader.skip(1);
            }
            _ => reader.emit(ParseError::Unexpected { found, expected: Expected::IN }),
        }
        Some(())
    })
}

/// `in a..b` for the `= a to b` of a loop, with its place.
fn range_in_words(program: Program<'_>, start: usize) -> Option<(Span, String)> {
    let rest = program.tokens.get(start..)?;
    let header = &rest[..rest.iter().position(|(token, _)| *token == Token::OpenBrace)?];
    let is_word =
        |token| matches!(token, Token::Identifier("to" | "until" | "upto") | Token::DotDot);
    let word = header.iter().position(|(token, _)| is_word(*token))?;
    let text =
        |part: &[(Token<'_>, Span)]| Some(program.snippet(part.first()?.1.to(part.last()?.1)));
    let range = format!("in {}..{}", text(header.get(1..word)?)?, text(&header[word + 1..])?);
    Some((header[0].1.to(header[header.len() - 1].1), range))
}

/// The `..` of a range, or another language's spelling of it.
fn dots<'t>(program: Program<'t>) -> Rule<'t, ()> {
    let error = |message: &str, label: &str, found: &str, span: Span| {
        advised(syntax_error(message, span, label), Context::Range, found, span)
    };
    rule(program, move |reader| match reader.token(0)? {
        Token::DotDot => {
            reader.skip(1);
            if let Some((Token::Equals, equals)) = program.tokens.get(reader.start + 1) {
                let message = "a range does not include its end";
                reader.emit(error(message, "expected the end of the range", "=", *equals));
                reader.skip(1);
            }
            Some(())
        }
        Token::Colon => {
            let message = "the range of a loop is written with `..`";
            reader.emit(error(message, "expected `..`", ":", reader.span()));
            reader.skip(1);
            Some(())
        }
        _ => None,
    })
}

/// A loop over something that is not a range.
fn no_range(program: Program<'_>, expr: &Expr) -> Diagnostic {
    let message = "a loop runs over a range";
    let diagnostic = syntax_error(message, expr.span, "expected a range such as `0..n`");
    let text = |expr: &Expr| program.snippet(expr.span);
    let range = match &expr.kind {
        ExprKind::Number(_) => format!("0..{}", text(expr)),
        ExprKind::Call(call) if call.callee.text == "range" => {
            let arguments: Vec<&str> = call.arguments.iter().map(text).collect();
            match arguments.as_slice() {
                [end] => format!("0..{end}"),
                [_, _] | [_, _, _] => arguments.join(".."),
                _ => return diagnostic,
            }
        }
        _ => return diagnostic.help("to visit all elements of `x`: `for i in 0..shape(x, 0)`"),
    };
    diagnostic.fix(format!("write `{range}`"), expr.span, range)
}
