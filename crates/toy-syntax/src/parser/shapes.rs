//! Declared shapes, such as `<2, 3>`.
//!
//! Input: the tokens from `<` on. Output: a [`DeclaredShape`], `None` if it is invalid.

use crate::ast::DeclaredShape;
use crate::expression::{Rule, items};
use crate::parse_error::{Expected, ParseError};
use crate::recovery::Program;
use crate::token::Token;
use chumsky::prelude::*;
use toy_diagnostics::{Diagnostic, codes};

/// `"<" [ number { "," number } ] ">"`; `None` if the shape is invalid.
pub fn shape<'t>(program: Program<'t>) -> Rule<'t, Option<DeclaredShape>> {
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

/// A shape where it is not allowed.
pub fn no_shape<'t>(program: Program<'t>, help: &'static str) -> Rule<'t, ()> {
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
