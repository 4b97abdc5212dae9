//! Blocks and their contents.
//!
//! ```text
//! block = "{" { ";" } { item { ";" } } "}"
//! item  = statement ";" | if | while | for
//! ```
//!
//! Input: the tokens from `{` on. Output: statements, and structs that are wrongly defined among them, which
//! the rest of the program knows nevertheless. Invariant: only here does the grammar of statements recurse.

use super::control::{Block, branch, for_loop, while_loop};
use super::statements::{error_statement, statement};
use super::structure;
use crate::ast::{Body, Statement, Struct};
use crate::expression::expression;
use crate::foreign::{Context, advice, advised};
use crate::recovery::{Goal, foreign_statement, here, nested_struct, skip_to};
use crate::rule::*;

/// A statement with the structs that are defined in it, or only a struct.
pub type Item = (Option<Statement>, Vec<Struct>);

/// The body of a function.
pub fn function_body<'t>(program: Program<'t>) -> Rule<'t, (Vec<Statement>, Vec<Struct>)> {
    // Without an opening brace, there is a body only if a statement starts here.
    let start =
        select! { Token::Var | Token::Return | Token::If | Token::While | Token::For => () }
            .rewind();
    let body_start = skip_to(program, Goal::Block)
        .ignore_then(choice((just(Token::OpenBrace).ignored(), start)));
    let body = just(Token::OpenBrace)
        .ignored()
        .recover_with(via_parser(body_start))
        .ignore_then(rest_of_block(program, item(program)));
    let fallback = skip_to(program, Goal::Definition)
        .ignore_then(here(program))
        .map(|span| (vec![error_statement(span)], Vec::new()));
    body.recover_with(via_parser(fallback)).boxed()
}

/// The rest of a block after its opening brace, with the closing one.
fn rest_of_block<'t>(
    program: Program<'t>,
    item: Rule<'t, Item>,
) -> Rule<'t, (Vec<Statement>, Vec<Struct>)> {
    // A block that is not closed may lack its last statements, too.
    let missing = here(program).map(|span| Some(error_statement(span)));
    let close = just(Token::CloseBrace).to(None).recover_with(via_parser(missing));
    let items = item.repeated().fold(
        (Vec::new(), Vec::new()),
        |(mut body, mut structs): (Vec<_>, Vec<_>), (statement, definitions)| {
            body.extend(statement);
            structs.extend(definitions);
            (body, structs)
        },
    );
    semicolons()
        .ignore_then(items)
        .then(close)
        .map(|((mut body, structs), missing)| {
            body.extend(missing);
            (body, structs)
        })
        .boxed()
}

fn item<'t>(program: Program<'t>) -> Rule<'t, Item> {
    let expression = expression(program);
    let simple = statement(program, expression.clone());
    recursive(|item| {
        let body = body(program, item.boxed(), simple.clone());
        let control = choice((
            branch(program, expression.clone(), body.clone()),
            while_loop(program, expression.clone(), body.clone()),
            for_loop(program, expression.clone(), body),
        ))
        .map_with(|(kind, structs), extra| (Some(Statement { kind, span: extra.span() }), structs))
        .then_ignore(semicolons());
        let simple = simple.map(|statement| (Some(statement), Vec::new()));
        choice((nested(program), control, foreign(program), simple))
    })
    .boxed()
}

/// A struct in a function.
fn nested<'t>(program: Program<'t>) -> Rule<'t, Item> {
    nested_struct(program)
        .ignore_then(structure(program))
        .validate(|definition, _, emitter| {
            let message = "a struct cannot be defined inside a function";
            let label = "structs are defined outside of functions";
            let diagnostic = syntax_error(message, definition.name.span, label);
            emitter.emit(diagnostic.help("move it out of the function").into());
            (None, vec![definition])
        })
        .boxed()
}

/// A loop or a branch of another language.
fn foreign<'t>(program: Program<'t>) -> Rule<'t, Item> {
    foreign_statement(program)
        .validate(|(word, place), extra, emitter| {
            let diagnostic = match advice(Context::Statement, word) {
                None => {
                    let message = format!("an `{word}` without an `if`");
                    syntax_error(message, place, "no `if` ends before this")
                        .help("`else` follows the `}` of an `if`")
                }
                Some(_) => {
                    let message = format!("Toy has no `{word}`");
                    let diagnostic = syntax_error(message, place, "not a statement of Toy");
                    advised(diagnostic, Context::Statement, word, place)
                }
            };
            emitter.emit(diagnostic.into());
            (Some(error_statement(extra.span())), Vec::new())
        })
        .boxed()
}

/// The block of a branch or a loop. A statement without braces is an error, but read as the block; a branch
/// or a loop without braces is read as the next statement, because nesting without braces has no limit.
fn body<'t>(
    program: Program<'t>,
    item: Rule<'t, Item>,
    statement: Rule<'t, Statement>,
) -> Rule<'t, Block> {
    let braces = just(Token::OpenBrace).ignore_then(rest_of_block(program, item)).map_with(
        |(statements, structs), extra| (Body { statements, span: extra.span() }, structs),
    );
    let missing = skip_to(program, Goal::EndOfStatement)
        .then_ignore(just(Token::Semicolon).or_not())
        .map_with(|_, extra| body_of(error_statement(extra.span())));
    let without_braces = |span: Span, start: Span| {
        let message = "the statements of a branch or a loop are written in braces";
        let mut edits = vec![];
        if span.start < span.end {
            edits.push(Edit::new(Span::at(span.start), "{ "));
            edits.push(Edit::new(Span::at(span.end), " }"));
        }
        ParseError::from(
            syntax_error(message, start, "expected `{`").fixes("add braces: `{ ... }`", edits),
        )
    };
    let simple = select! {
        Token::Var | Token::Return | Token::Break | Token::Continue | Token::Identifier(_) => ()
    };
    let simple = simple.rewind().ignore_then(here(program)).then(statement).validate(
        move |(start, statement), extra, emitter| {
            emitter.emit(without_braces(extra.span(), start));
            body_of(statement)
        },
    );
    let control = select! { Token::If | Token::While | Token::For => () }
        .rewind()
        .ignore_then(here(program))
        .validate(move |start, _, emitter| {
            emitter.emit(without_braces(start, start));
            body_of(error_statement(start))
        });
    choice((control, simple, braces.recover_with(via_parser(missing)))).boxed()
}

fn body_of(statement: Statement) -> Block {
    let span = statement.span;
    (Body { statements: vec![statement], span }, Vec::new())
}
