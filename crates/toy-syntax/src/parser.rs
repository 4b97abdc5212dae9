//! Tokens to the syntax tree: the grammar of modules, structs and functions; [`blocks`] has the grammar of
//! statements, [`super::expression`] of expressions.
//!
//! ```text
//! module    = { struct | function }
//! struct    = "struct" name "{" { ";" } field { field } "}"
//! field     = ( "var" | name ) name ";" { ";" }
//! function  = "def" name "(" [ parameter { "," parameter } ] ")" block
//! parameter = [ name ] name
//! ```
//!
//! Input: the tokens of a program within the limits of [`super::limits`]. Output: its tree and the
//! syntax errors. Invariants: there is always a tree; text that could not be parsed is an
//! `ExprKind::Error` in it, or a definition with an empty name (see [`error_name`]).

mod assignments;
mod blocks;
mod control;
mod statements;

use super::ast::{Binding, Function, Module, Struct};
use super::expression::{error_name, expression, items, name, required};
use super::parse_error::into_diagnostics;
use super::recovery::{
    Goal, Skipped, TypePosition, here, skip_some, skip_to, type_before_name, var_before_name,
};
use super::rule::*;
use statements::{end_of_statement, error_statement, no_shape};

pub fn parse_tokens<'t>(tokens: TokenSlice<'t>, text: &'t str) -> (Module, Vec<Diagnostic>) {
    let (program, end) = (Program { tokens, text }, Span::at(text.len() as u32));
    let (module, errors) = module(program).parse(tokens.split_token_span(end)).into_output_errors();
    (module.unwrap_or_default(), into_diagnostics(errors, program))
}

fn module<'t>(program: Program<'t>) -> Rule<'t, Module> {
    let junk = skip_some(program, Goal::Definition).map_with(|skipped, extra| {
        let span: Span = extra.span();
        if !skipped.names {
            return Module::default();
        }
        // It may have defined a function that others call, which then is not an unknown function, or a struct.
        let (parameters, body) = (vec![error_binding(span)], vec![error_statement(span)]);
        let function = Function { name: error_name(span), parameters, body, prototype: span, span };
        let definition = Struct { name: error_name(span), fields: vec![error_binding(span)], span };
        Module { structs: vec![definition], functions: vec![function] }
    });
    let definition = choice((
        structure(program)
            .map(|definition| Module { structs: vec![definition], functions: vec![] }),
        function(program).map(|(function, structs)| Module { structs, functions: vec![function] }),
    ));
    definition
        .recover_with(via_parser(junk))
        .repeated()
        .fold(Module::default(), |mut module, part: Module| {
            module.structs.extend(part.structs);
            module.functions.extend(part.functions);
            module
        })
        .boxed()
}

/// `"struct" name "{" field { field } "}"`
fn structure<'t>(program: Program<'t>) -> Rule<'t, Struct> {
    let close = just(Token::CloseBrace).ignored().recover_with(via_parser(empty()));
    let body_start = skip_to(program, Goal::Block).ignore_then(choice((
        just(Token::OpenBrace).ignored(),
        just(Token::Var).ignored().rewind(),
    )));
    let fallback = skip_to(program, Goal::Definition)
        .ignore_then(here(program))
        .map(|span| vec![error_binding(span)]);
    let fields = just(Token::OpenBrace)
        .ignored()
        .recover_with(via_parser(body_start))
        .then_ignore(semicolons())
        .ignore_then(field(program).repeated().collect::<Vec<_>>().map(|fields| fields.concat()))
        .then_ignore(close)
        .recover_with(via_parser(fallback));
    just(Token::Struct)
        .ignore_then(name(program, Expected::STRUCT_NAME, &[Token::OpenBrace]))
        .then(fields)
        .validate(|(name, mut fields), extra, emitter| {
            let span: Span = extra.span();
            if fields.is_empty() {
                let label = "expected a field, such as `var a;`";
                let message = "a struct needs at least one field";
                emitter.emit(syntax_error(message, span, label).into());
                fields.push(error_binding(span));
            }
            Struct { name, fields, span }
        })
        .boxed()
}

/// `( "var" | name ) name ";"`, without a shape and without a value. Returns the field and, if
/// tokens were skipped, an error field for the names that they may have defined.
fn field<'t>(program: Program<'t>) -> Rule<'t, Vec<Binding>> {
    let surplus = quiet(Token::Equals)
        .ignore_then(required(program, expression(program)))
        .to_span()
        .labelled(Expected::NOTHING);
    let surplus = surplus.validate(|span, _, emitter| {
        let message = "a field cannot have an initializer";
        let help = "fields get their values from a struct literal";
        emitter.emit(syntax_error(message, span, "expected `;`").help(help).into());
    });
    let ty = choice((
        just(Token::Var).to(None),
        type_before_name(program, TypePosition::Declaration).map(Some),
    ));
    let binding = ty
        .then(name(program, Expected::FIELD_NAME, &[Token::Semicolon, Token::Equals, Token::Less]))
        .map_with(|(ty, name), extra| Binding { ty, name, span: extra.span() })
        .then_ignore(no_shape(program, "a field takes the shape of the value it is given").or_not())
        .then_ignore(surplus.or_not())
        .labelled(Expected::FIELD);
    let junk = skip_some(program, Goal::EndOfStatement).to_span().map(error_binding);
    let end = choice((
        commas_between_fields(program).map(|()| Skipped::default()),
        end_of_statement(program),
    ));
    binding
        .recover_with(via_parser(junk))
        .then(end)
        .map(|(field, skipped)| {
            let skipped_field = skipped.names.then(|| error_binding(field.span));
            std::iter::once(field).chain(skipped_field).collect()
        })
        .boxed()
}

/// The end of a field in `{ var a, var b }`: a comma, or the brace after the last one. All commas are one error.
fn commas_between_fields<'t>(program: Program<'t>) -> Rule<'t, ()> {
    rule(program, move |reader| {
        let index = reader.start;
        // The field has two tokens.
        let before = index.checked_sub(3).and_then(|before| program.token(before));
        let follows_comma = before == Some(Token::Comma);
        let starts_field = matches!(
            (reader.token(1), reader.token(2)),
            (Some(Token::Var | Token::Identifier(_)), Some(Token::Identifier(_)))
        );
        match reader.token(0)? {
            Token::CloseBrace if follows_comma => return Some(()),
            Token::Comma if starts_field => {}
            _ => return None,
        }
        if !follows_comma {
            let rest = program.tokens[index..].iter();
            let inside = rest
                .take_while(|(token, _)| !matches!(token, Token::CloseBrace | Token::Semicolon));
            let inside: Vec<_> = inside.collect();
            let commas = inside.iter().filter(|(token, _)| *token == Token::Comma);
            let mut edits: Vec<Edit> = commas.map(|(_, span)| Edit::new(*span, ";")).collect();
            if let Some((Token::CloseBrace, _)) = program.tokens.get(index + inside.len())
                && let Some((_, last)) = inside.last()
            {
                edits.push(Edit::new(Span::at(last.end), ";"));
            }
            reader.emit(
                syntax_error("expected `;`, found `,`", reader.span(), "expected `;`")
                    .fixes("each field ends with `;`: `struct Name { var a; var b; }`", edits),
            );
        }
        reader.skip(1);
        Some(())
    })
}

fn function<'t>(program: Program<'t>) -> Rule<'t, (Function, Vec<Struct>)> {
    // `fn main(` and the like: only the keyword is wrong.
    let any_name = select! { Token::Identifier(_) => () };
    let other_keyword = any_name.then_ignore(any_name.then(just(Token::OpenParen)).rewind());
    let result_type =
        type_before_name(program, TypePosition::Function).validate(|ty, extra, emitter| {
            let message = "a function does not declare its result type";
            let diagnostic = syntax_error(message, ty.span, "expected the name of the function");
            emitter.emit(diagnostic.fix("remove it", extra.span(), "").into());
        });
    let prototype = just(Token::Def)
        .ignored()
        .recover_with(via_parser(other_keyword))
        .then_ignore(result_type.or_not())
        .ignore_then(name(program, Expected::FUNCTION_NAME, &[Token::OpenParen]))
        .then(parameters(program))
        .map_with(|(name, parameters), extra| (name, parameters, extra.span()));
    prototype
        .then(blocks::function_body(program))
        .map_with(|((name, parameters, prototype), (body, structs)), extra| {
            let span = extra.span();
            (Function { name, parameters, body, prototype, span }, structs)
        })
        .boxed()
}

fn parameters<'t>(program: Program<'t>) -> Rule<'t, Vec<Binding>> {
    let name = name(program, Expected::PARAMETER_NAME, &[Token::Comma, Token::CloseParen]);
    let var = var_before_name(program).validate(|_, extra, emitter| {
        let message = "parameters are declared without `var`";
        let span = extra.span();
        let diagnostic = syntax_error(message, span, "expected the name of a parameter");
        emitter.emit(diagnostic.fix("remove it", span, "").into());
    });
    let parameter = var
        .or_not()
        .ignore_then(type_before_name(program, TypePosition::Declaration).or_not())
        .then(name)
        .map_with(|(ty, name), extra| Binding { ty, name, span: extra.span() })
        .boxed();
    let list = just(Token::OpenParen)
        .ignore_then(items(program, parameter, Token::CloseParen))
        .map_with(|(mut parameters, is_complete), extra| {
            if !is_complete {
                parameters.push(error_binding(extra.span()));
            }
            parameters
        });
    let fallback = skip_to(program, Goal::Block)
        .ignore_then(here(program))
        .map(|span| vec![error_binding(span)]);
    list.recover_with(via_parser(fallback)).boxed()
}

/// A parameter or a field that could not be parsed.
fn error_binding(span: Span) -> Binding {
    Binding { ty: None, name: error_name(span), span }
}
