//! Tokens to the syntax tree: the grammar of modules, functions and statements.
//!
//! ```text
//! module    = { function }
//! function  = "def" name "(" [ name { "," name } ] ")" block
//! block     = "{" { ";" } { statement ";" { ";" } } "}"
//! statement = "var" name [ shape ] "=" expression | "return" [ expression ] | expression
//! shape     = "<" [ number { "," number } ] ">"
//! ```
//!
//! Input: the tokens of a program within the limits of [`super::limits`]. Output: its tree and
//! what is wrong with it. Invariants: there is always a tree; what could not be read is
//! `ExprKind::Error` in it, or a definition whose name is empty (see [`lost_name`]).

use super::ast::{Expr, Function, Module, Name, Shape, Statement, StatementKind};
use super::complaint::{Complaint, Wanted, into_diagnostics};
use super::expression::{Rule, expression, items, lost, required};
use super::recovery::{
    Goal, Lexemes, Program, Skipped, here, instead_of_name, skip_some, skip_to, statement_ends_here,
};
use super::token::Token;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use chumsky::prelude::*;

pub fn parse_tokens<'t>(tokens: Lexemes<'t>, text: &'t str) -> (Module, Vec<Diagnostic>) {
    let end = Span::new(text.len(), text.len());
    let (module, complaints) =
        module(Program { tokens, text }).parse(tokens.split_token_span(end)).into_output_errors();
    (module.unwrap_or_default(), into_diagnostics(complaints, tokens, text))
}

impl chumsky::span::Span for Span {
    type Context = ();
    type Offset = u32;

    fn new((): (), range: std::ops::Range<u32>) -> Self {
        Span { start: range.start, end: range.end }
    }

    fn context(&self) {}

    fn start(&self) -> u32 {
        self.start
    }

    fn end(&self) -> u32 {
        self.end
    }
}

fn module<'t>(program: Program<'t>) -> Rule<'t, Module> {
    let junk = skip_some(program, Goal::Definition).map_with(|skipped, extra| {
        let span: Span = extra.span();
        // It may have been the function that others call, so that must not be held against them.
        skipped.names.then(|| Function {
            name: lost_name(span),
            parameters: vec![lost_name(span)],
            body: vec![lost_statement(span)],
            prototype: span,
            span,
        })
    });
    function(program)
        .map(Some)
        .recover_with(via_parser(junk))
        .repeated()
        .collect::<Vec<Option<Function>>>()
        .map(|functions| Module { functions: functions.into_iter().flatten().collect() })
        .boxed()
}

fn function<'t>(program: Program<'t>) -> Rule<'t, Function> {
    // `fn main(` and the like: everything but the keyword is as it should be.
    let any_name = select! { Token::Identifier(_) => () };
    let other_keyword = any_name.then_ignore(any_name.then(just(Token::OpenParen)).rewind());
    let prototype = just(Token::Def)
        .ignored()
        .recover_with(via_parser(other_keyword))
        .ignore_then(name(program, Wanted::FUNCTION_NAME, &[Token::OpenParen]))
        .then(parameters(program))
        .map_with(|(name, parameters), extra| (name, parameters, extra.span()));
    prototype
        .then(block(program))
        .map_with(|((name, parameters, prototype), body), extra| Function {
            name,
            parameters,
            body,
            prototype,
            span: extra.span(),
        })
        .boxed()
}

fn parameters<'t>(program: Program<'t>) -> Rule<'t, Vec<Name>> {
    let parameter = name(program, Wanted::PARAMETER_NAME, &[Token::Comma, Token::CloseParen]);
    let list = just(Token::OpenParen)
        .ignore_then(items(program, parameter, Token::CloseParen))
        .map_with(|(mut names, is_complete), extra| {
            if !is_complete {
                names.push(lost_name(extra.span()));
            }
            names
        });
    let nothing_like_it =
        skip_to(program, Goal::Block).ignore_then(here(program)).map(|span| vec![lost_name(span)]);
    list.recover_with(via_parser(nothing_like_it)).boxed()
}

fn block<'t>(program: Program<'t>) -> Rule<'t, Vec<Statement>> {
    // Without an opening brace there is a body only if a statement is in sight.
    let start = select! { Token::Var | Token::Return => () }.rewind();
    let body_start = skip_to(program, Goal::Block)
        .ignore_then(choice((just(Token::OpenBrace).ignored(), start)));
    let close = just(Token::CloseBrace).ignored().recover_with(via_parser(empty()));
    let body = just(Token::OpenBrace)
        .ignored()
        .recover_with(via_parser(body_start))
        .then_ignore(just(Token::Semicolon).labelled(Wanted::NOTHING).repeated())
        .ignore_then(statement(program).repeated().collect())
        .then_ignore(close);
    let nothing_like_it = skip_to(program, Goal::Definition)
        .ignore_then(here(program))
        .map(|span| vec![lost_statement(span)]);
    body.recover_with(via_parser(nothing_like_it)).boxed()
}

/// A statement with its `;`.
fn statement<'t>(program: Program<'t>) -> Rule<'t, Statement> {
    let expression = expression(program);
    let result =
        just(Token::Return).ignore_then(expression.clone().or_not()).map(StatementKind::Return);
    let kind = choice((
        variable(program, required(program, expression.clone())),
        result,
        expression.map(StatementKind::Expr),
    ));
    let semicolons = just(Token::Semicolon).labelled(Wanted::NOTHING).repeated();
    let end = just(Token::Semicolon)
        .map(|_| Skipped::default())
        .recover_with(via_parser(choice((
            statement_ends_here(program).map(|()| Skipped::default()),
            skip_to(program, Goal::EndOfStatement),
        ))))
        .then_ignore(semicolons);
    let junk = skip_some(program, Goal::EndOfStatement)
        .map_with(|skipped, extra| {
            reconsidered(StatementKind::Expr(lost(extra.span())), extra.span(), skipped)
        })
        .then_ignore(just(Token::Semicolon).labelled(Wanted::NOTHING).repeated());
    kind.map_with(|kind, extra| (kind, extra.span()))
        .then(end)
        .map(|((kind, span), skipped)| reconsidered(kind, span, skipped))
        .labelled(Wanted::STATEMENT)
        .recover_with(via_parser(junk))
        .boxed()
}

/// `"var" name [ shape ] "=" expression`
fn variable<'t>(program: Program<'t>, value: Rule<'t, Expr>) -> Rule<'t, StatementKind> {
    let no_value = skip_to(program, Goal::EndOfStatement).ignore_then(here(program)).map(lost);
    let value = just(Token::Equals).ignore_then(value).recover_with(via_parser(no_value));
    just(Token::Var)
        .ignore_then(name(program, Wanted::VARIABLE_NAME, &[Token::Equals, Token::Less]))
        .then(shape(program).or_not())
        .then(value)
        .map(|((name, shape), value)| StatementKind::VarDecl {
            name,
            shape: shape.flatten(),
            value,
        })
        .boxed()
}

/// A name. Where there is none, the lost name; a word that cannot be a name but stands in the
/// place of one (as what follows it shows) is read as if it were.
fn name<'t>(
    program: Program<'t>,
    wanted: Wanted,
    followers: &'static [Token<'static>],
) -> Rule<'t, Name> {
    let name = select! { Token::Identifier(text) => text }
        .labelled(wanted)
        .map_with(|text, extra| Name { text: text.to_owned(), span: extra.span() });
    let instead = instead_of_name(program, followers).map(lost_name);
    // A parameter may be missing altogether.
    if wanted == Wanted::PARAMETER_NAME {
        return name.recover_with(via_parser(instead)).boxed();
    }
    let nothing = here(program).map(lost_name);
    name.recover_with(via_parser(choice((instead, nothing)))).boxed()
}

/// `"<" [ number { "," number } ] ">"`; nothing where the shape is not usable.
fn shape<'t>(program: Program<'t>) -> Rule<'t, Option<Shape>> {
    let number = select! { Token::Number(text) => text };
    let invalid = just(Token::Invalid).labelled(Wanted::NOTHING).repeated().at_least(1);
    let dimension = choice((number.map(Some), invalid.then(number.or_not()).to(None)))
        .labelled(Wanted::DIMENSION)
        .validate(|text, extra, emitter| match text.map(dimension)? {
            Ok(dimension) => Some(dimension),
            Err(problem) => {
                let text = text.map(super::token::shortened).unwrap_or_default();
                let message = format!("`{text}` is not a dimension");
                let diagnostic =
                    Diagnostic::error(codes::BAD_SHAPE, message).label(extra.span(), problem);
                emitter.emit(Complaint::Made(Box::new(diagnostic)));
                None
            }
        });
    just(Token::Less)
        .labelled(Wanted::NOTHING)
        .ignore_then(items(program, dimension.boxed(), Token::Greater))
        .map_with(|(dims, is_complete), extra| {
            let dims: Option<Vec<i64>> = dims.into_iter().collect();
            dims.filter(|_| is_complete).map(|dims| Shape { dims, span: extra.span() })
        })
        .boxed()
}

fn dimension(text: &str) -> Result<i64, &'static str> {
    if text.contains('.') {
        return Err("a dimension is a whole number, written without a point");
    }
    match text.parse() {
        Ok(0) => Err("a tensor has at least one element in every dimension"),
        Ok(dimension) => Ok(dimension),
        Err(_) => Err("more than a 64-bit number can hold"),
    }
}

/// The statement after tokens behind it had to be skipped. If those show that it was meant as a
/// definition of a variable (`let a = 1`), it becomes one, so that nobody misses the variable.
fn reconsidered(kind: StatementKind, span: Span, skipped: Skipped) -> Statement {
    let error = lost(span);
    let kind = match kind {
        kind if !skipped.names => kind,
        StatementKind::VarDecl { name, shape, .. } => {
            StatementKind::VarDecl { name, shape, value: error }
        }
        StatementKind::Return(_) => StatementKind::Return(Some(error)),
        StatementKind::Expr(_) => StatementKind::VarDecl {
            name: skipped.defined.unwrap_or_else(|| lost_name(span)),
            shape: None,
            value: error,
        },
    };
    Statement { kind, span }
}

/// A statement that could not be read; it may have defined or returned anything.
fn lost_statement(span: Span) -> Statement {
    let kind = StatementKind::VarDecl { name: lost_name(span), shape: None, value: lost(span) };
    Statement { kind, span }
}

/// The name of something of which only the place is known.
fn lost_name(span: Span) -> Name {
    Name { text: String::new(), span }
}
