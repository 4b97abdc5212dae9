//! Tokens to the syntax tree: the grammar of modules, structs, functions and statements.
//!
//! ```text
//! module    = { struct | function }
//! struct    = "struct" name "{" { ";" } field { field } "}"
//! field     = ( "var" | name ) name ";" { ";" }
//! function  = "def" name "(" [ parameter { "," parameter } ] ")" block
//! parameter = [ name ] name
//! block     = "{" { ";" } { statement ";" { ";" } } "}"
//! statement = "var" name [ shape ] "=" expression | name name "=" expression
//!           | "return" [ expression ] | expression
//! shape     = "<" [ number { "," number } ] ">"
//! ```
//!
//! Input: the tokens of a program within the limits of [`super::limits`]. Output: its tree and the
//! syntax errors. Invariants: there is always a tree; text that could not be parsed is an
//! `ExprKind::Error` in it, or a definition with an empty name (see [`error_name`]). An expression
//! statement does not start with a brace: that is more likely a block of another language.

use super::ast::{
    Binding, DeclaredShape, DeclaredType, Expr, Function, Module, Statement, StatementKind, Struct,
};
use super::expression::{Rule, error_expr, error_name, expression, items, name, required};
use super::parse_error::{Expected, ParseError, into_diagnostics};
use super::recovery::{
    Goal, Program, Skipped, TokenSlice, TypePosition, foreign_statement, here, misspelled_return,
    nested_struct, no_brace, skip_some, skip_to, statement_ends_here, type_before_name,
    var_before_name,
};
use super::token::Token;
use chumsky::prelude::*;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, codes};

pub fn parse_tokens<'t>(tokens: TokenSlice<'t>, text: &'t str) -> (Module, Vec<Diagnostic>) {
    let end = Span::new(text.len(), text.len());
    let (module, errors) =
        module(Program { tokens, text }).parse(tokens.split_token_span(end)).into_output_errors();
    (module.unwrap_or_default(), into_diagnostics(errors, tokens, text))
}

enum Parsed {
    Struct(Struct),
    /// With the structs wrongly defined inside it.
    Function(Function, Vec<Struct>),
}

fn module<'t>(program: Program<'t>) -> Rule<'t, Module> {
    let junk = skip_some(program, Goal::Definition).map_with(|skipped, extra| {
        let span: Span = extra.span();
        // It may have defined a function that others call, which then is not an unknown function.
        skipped.names.then(|| {
            let unknown = Function {
                name: error_name(span),
                parameters: vec![error_binding(span)],
                body: vec![error_statement(span)],
                prototype: span,
                span,
            };
            // Or it may have defined a struct.
            let error_struct =
                Struct { name: error_name(span), fields: vec![error_binding(span)], span };
            Parsed::Function(unknown, vec![error_struct])
        })
    });
    let definition = choice((
        structure(program).map(Parsed::Struct),
        function(program).map(|(function, structs)| Parsed::Function(function, structs)),
    ));
    definition
        .map(Some)
        .recover_with(via_parser(junk))
        .repeated()
        .fold(Module::default(), |mut module, definition| {
            match definition {
                Some(Parsed::Struct(definition)) => module.structs.push(definition),
                Some(Parsed::Function(function, structs)) => {
                    module.functions.push(function);
                    module.structs.extend(structs);
                }
                None => {}
            }
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
        .then_ignore(just(Token::Semicolon).labelled(Expected::NOTHING).repeated())
        .ignore_then(field(program).repeated().collect::<Vec<_>>().map(|fields| fields.concat()))
        .then_ignore(close)
        .recover_with(via_parser(fallback));
    just(Token::Struct)
        .ignore_then(name(program, Expected::STRUCT_NAME, &[Token::OpenBrace]))
        .then(fields)
        .validate(|(name, mut fields), extra, emitter| {
            let span: Span = extra.span();
            if fields.is_empty() {
                let diagnostic =
                    Diagnostic::error(codes::UNEXPECTED_TOKEN, "a struct needs at least one field")
                        .label(span, "expected a field, such as `var a;`");
                emitter.emit(ParseError::Reported(Box::new(diagnostic)));
                fields.push(error_binding(span));
            }
            Struct { name, fields, span }
        })
        .boxed()
}

/// `( "var" | name ) name ";"`, without a shape and without a value. Returns the field and, if
/// tokens were skipped, an error field for what they may have defined.
fn field<'t>(program: Program<'t>) -> Rule<'t, Vec<Binding>> {
    let surplus = just(Token::Equals)
        .labelled(Expected::NOTHING)
        .ignore_then(required(program, expression(program)))
        .to_span();
    let surplus = surplus.labelled(Expected::NOTHING).validate(|span, _, emitter| {
        let message = "a field cannot have an initializer";
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
            .label(span, "expected `;`")
            .help("fields get their values from a struct literal");
        emitter.emit(ParseError::Reported(Box::new(diagnostic)));
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
    binding
        .recover_with(via_parser(junk))
        .then(end_of_statement(program))
        .map(|(field, skipped)| {
            let skipped_field = skipped.names.then(|| error_binding(field.span));
            std::iter::once(field).chain(skipped_field).collect()
        })
        .boxed()
}

/// A shape where it is not allowed.
fn no_shape<'t>(program: Program<'t>, help: &'static str) -> Rule<'t, ()> {
    shape(program)
        .to_span()
        .validate(move |span, _, emitter| {
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED_TOKEN, "a shape is not allowed here")
                    .label(span, "only a `var` in a function can have a shape")
                    .help(help);
            emitter.emit(ParseError::Reported(Box::new(diagnostic)));
        })
        .boxed()
}

fn function<'t>(program: Program<'t>) -> Rule<'t, (Function, Vec<Struct>)> {
    // `fn main(` and the like: only the keyword is wrong.
    let any_name = select! { Token::Identifier(_) => () };
    let other_keyword = any_name.then_ignore(any_name.then(just(Token::OpenParen)).rewind());
    let result_type =
        type_before_name(program, TypePosition::Function).validate(|ty, extra, emitter| {
            let message = "a function does not declare its result type";
            let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
                .label(ty.span, "expected the name of the function");
            let removed = extra.span();
            emitter.emit(ParseError::Reported(Box::new(diagnostic.fix("remove it", removed, ""))));
        });
    let prototype = just(Token::Def)
        .ignored()
        .recover_with(via_parser(other_keyword))
        .then_ignore(result_type.or_not())
        .ignore_then(name(program, Expected::FUNCTION_NAME, &[Token::OpenParen]))
        .then(parameters(program))
        .map_with(|(name, parameters), extra| (name, parameters, extra.span()));
    prototype
        .then(block(program))
        .map_with(|((name, parameters, prototype), items), extra| {
            let (mut body, mut structs) = (Vec::new(), Vec::new());
            for item in items {
                match item {
                    Item::Statement(statement) => body.push(statement),
                    Item::Struct(definition) => structs.push(definition),
                }
            }
            let span = extra.span();
            (Function { name, parameters, body, prototype, span }, structs)
        })
        .boxed()
}

fn parameters<'t>(program: Program<'t>) -> Rule<'t, Vec<Binding>> {
    let name = name(program, Expected::PARAMETER_NAME, &[Token::Comma, Token::CloseParen]);
    let var = var_before_name(program).validate(|_, extra, emitter| {
        let message = "parameters are declared without `var`";
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
            .label(extra.span(), "expected the name of a parameter");
        let removed = extra.span();
        emitter.emit(ParseError::Reported(Box::new(diagnostic.fix("remove it", removed, ""))));
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

/// An item of a block.
enum Item {
    Statement(Statement),
    /// An error, but its name is known to the rest of the program.
    Struct(Struct),
}

fn block<'t>(program: Program<'t>) -> Rule<'t, Vec<Item>> {
    let nested = nested_struct(program).ignore_then(structure(program)).validate(
        |definition, _, emitter| {
            let message = "a struct cannot be defined inside a function";
            let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
                .label(definition.name.span, "structs are defined outside of functions")
                .help("move it out of the function");
            emitter.emit(ParseError::Reported(Box::new(diagnostic)));
            Item::Struct(definition)
        },
    );
    let foreign = foreign_statement(program).validate(|(word, place), extra, emitter| {
        let message = format!("Toy has no `{word}`");
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
            .label(place, "loops and branches are not supported")
            .help("a function runs each of its statements once, in order");
        emitter.emit(ParseError::Reported(Box::new(diagnostic)));
        Item::Statement(error_statement(extra.span()))
    });
    let item = choice((nested, foreign, statement(program).map(Item::Statement)));
    // Without an opening brace, there is a body only if a statement starts here.
    let start = select! { Token::Var | Token::Return => () }.rewind();
    let body_start = skip_to(program, Goal::Block)
        .ignore_then(choice((just(Token::OpenBrace).ignored(), start)));
    let close = just(Token::CloseBrace).ignored().recover_with(via_parser(empty()));
    let body = just(Token::OpenBrace)
        .ignored()
        .recover_with(via_parser(body_start))
        .then_ignore(just(Token::Semicolon).labelled(Expected::NOTHING).repeated())
        .ignore_then(item.repeated().collect())
        .then_ignore(close);
    let fallback = skip_to(program, Goal::Definition)
        .ignore_then(here(program))
        .map(|span| vec![Item::Statement(error_statement(span))]);
    body.recover_with(via_parser(fallback)).boxed()
}

/// A statement with its `;`.
fn statement<'t>(program: Program<'t>) -> Rule<'t, Statement> {
    let expression = expression(program);
    let value = required(program, expression.clone());
    let result =
        just(Token::Return).ignore_then(expression.clone().or_not()).map(StatementKind::Return);
    let misspelled = misspelled_return(program).validate(|place, _, emitter| {
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, "misspelled `return`")
            .label(place, "expected a statement")
            .fix("did you mean `return`?", place, "return");
        emitter.emit(ParseError::Reported(Box::new(diagnostic)));
    });
    let misspelled = misspelled.ignore_then(expression.clone());
    let kind = choice((
        misspelled.map(|value| StatementKind::Return(Some(value))),
        variable(program, value.clone()),
        structure_variable(program, value),
        result,
        no_brace(program).ignore_then(expression).map(StatementKind::Expr),
    ));
    let junk = skip_some(program, Goal::EndOfStatement)
        .map_with(|skipped, extra| {
            recovered(StatementKind::Expr(error_expr(extra.span())), extra.span(), skipped)
        })
        .then_ignore(just(Token::Semicolon).labelled(Expected::NOTHING).repeated());
    kind.map_with(|kind, extra| (kind, extra.span()))
        .then(end_of_statement(program))
        .map(|((kind, span), skipped)| recovered(kind, span, skipped))
        .labelled(Expected::STATEMENT)
        .recover_with(via_parser(junk))
        .boxed()
}

/// The `;`, or the tokens skipped in its place.
fn end_of_statement<'t>(program: Program<'t>) -> Rule<'t, Skipped> {
    let semicolons = just(Token::Semicolon).labelled(Expected::NOTHING).repeated();
    just(Token::Semicolon)
        .map(|_| Skipped::default())
        .recover_with(via_parser(choice((
            statement_ends_here(program).map(|()| Skipped::default()),
            skip_to(program, Goal::EndOfStatement),
        ))))
        .then_ignore(semicolons)
        .boxed()
}

/// `"var" name [ shape ] "=" expression`
fn variable<'t>(program: Program<'t>, value: Rule<'t, Expr>) -> Rule<'t, StatementKind> {
    just(Token::Var)
        .ignore_then(name(program, Expected::VARIABLE_NAME, &[Token::Equals, Token::Less]))
        .then(shape(program).or_not())
        .then(initializer(program, value))
        .map(|((name, shape), value)| {
            let ty = shape.flatten().map_or(DeclaredType::Inferred, DeclaredType::Tensor);
            StatementKind::VarDecl { ty, name, value }
        })
        .boxed()
}

/// `name name "=" expression`
fn structure_variable<'t>(program: Program<'t>, value: Rule<'t, Expr>) -> Rule<'t, StatementKind> {
    let help = "to define a tensor, write `var` instead of the name of the struct";
    type_before_name(program, TypePosition::Statement)
        .then(name(program, Expected::VARIABLE_NAME, &[Token::Equals, Token::Less]))
        .then(no_shape(program, help).or_not())
        .then(initializer(program, value))
        .map_with(|(((ty, name), shape), value), extra| match shape {
            None => StatementKind::VarDecl { ty: DeclaredType::Struct(ty), name, value },
            // An error is reported already: do not also report an unknown struct.
            Some(()) => StatementKind::VarDecl {
                ty: DeclaredType::Inferred,
                name,
                value: error_expr(extra.span()),
            },
        })
        .boxed()
}

/// `"=" expression`
fn initializer<'t>(program: Program<'t>, value: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let no_value =
        skip_to(program, Goal::EndOfStatement).ignore_then(here(program)).map(error_expr);
    just(Token::Equals).ignore_then(value).recover_with(via_parser(no_value)).boxed()
}

/// `"<" [ number { "," number } ] ">"`; `None` if the shape is invalid.
fn shape<'t>(program: Program<'t>) -> Rule<'t, Option<DeclaredShape>> {
    let number = select! { Token::Number(text) => text };
    let invalid = just(Token::Invalid).labelled(Expected::NOTHING).repeated().at_least(1);
    let dimension = choice((number.map(Some), invalid.then(number.or_not()).to(None)))
        .labelled(Expected::DIMENSION)
        .validate(|text, extra, emitter| match text.map(dimension)? {
            Ok(dimension) => Some(dimension),
            Err(problem) => {
                let text = text.map(toy_diagnostics::text::clipped).unwrap_or_default();
                let message = format!("`{text}` is not a valid dimension");
                let diagnostic =
                    Diagnostic::error(codes::BAD_SHAPE, message).label(extra.span(), problem);
                emitter.emit(ParseError::Reported(Box::new(diagnostic)));
                None
            }
        });
    just(Token::Less)
        .labelled(Expected::NOTHING)
        .ignore_then(items(program, dimension.boxed(), Token::Greater))
        .map_with(|(dims, is_complete), extra| {
            let dims: Option<Vec<i64>> = dims.into_iter().collect();
            dims.filter(|_| is_complete).map(|dims| DeclaredShape { dims, span: extra.span() })
        })
        .boxed()
}

fn dimension(text: &str) -> Result<i64, &'static str> {
    if text.contains(['.', 'e', 'E']) {
        return Err("a dimension is a whole number, without a decimal point or an exponent");
    }
    match text.parse() {
        Ok(0) => Err("every dimension must be at least 1"),
        Ok(dimension) => Ok(dimension),
        Err(_) => Err("too large for a 64-bit integer"),
    }
}

/// The statement after recovery. If the tokens skipped after it show that it was intended as a
/// definition (`let a = 1`), it becomes one, so that uses of the variable are not errors, too.
fn recovered(kind: StatementKind, span: Span, skipped: Skipped) -> Statement {
    let error = error_expr(span);
    let kind = match kind {
        kind if !skipped.names => kind,
        StatementKind::VarDecl { ty, name, .. } => {
            StatementKind::VarDecl { ty, name, value: error }
        }
        StatementKind::Return(_) => StatementKind::Return(Some(error)),
        StatementKind::Expr(_) | StatementKind::Assign(_) => StatementKind::VarDecl {
            ty: DeclaredType::Inferred,
            name: skipped.defined.unwrap_or_else(|| error_name(span)),
            value: error,
        },
        kind @ (StatementKind::If(_) | StatementKind::While(_) | StatementKind::For(_)) => kind,
    };
    Statement { kind, span }
}

/// A statement that could not be parsed; it may have defined or returned anything.
fn error_statement(span: Span) -> Statement {
    let kind = StatementKind::VarDecl {
        ty: DeclaredType::Inferred,
        name: error_name(span),
        value: error_expr(span),
    };
    Statement { kind, span }
}

/// A parameter or a field that could not be parsed.
fn error_binding(span: Span) -> Binding {
    Binding { ty: None, name: error_name(span), span }
}
