//! Declared shapes, such as `<2, 3>`.
//!
//! Input: the tokens from `<` on. Output: a [`DeclaredShape`], `None` if it is invalid.

use crate::ast::DeclaredShape;
use crate::expression::items;
use crate::rule::*;

/// `"<" [ number { "," number } ] ">"`; `None` if the shape is invalid.
pub fn shape<'t>(program: Program<'t>) -> Rule<'t, Option<DeclaredShape>> {
    let number = select! { Token::Number(text) => text };
    let invalid = quiet(Token::Invalid).repeated().at_least(1);
    let dimension = choice((number.map(Some), invalid.then(number.or_not()).to(None)))
        .labelled(Expected::DIMENSION)
        .validate(|text, extra, emitter| match text.map(dimension)? {
            Ok(dimension) => Some(dimension),
            Err(problem) => {
                let text = text.map(toy_diagnostics::text::clipped).unwrap_or_default();
                let message = format!("`{text}` is not a valid dimension");
                let diagnostic = Diagnostic::error(codes::BAD_SHAPE, message);
                emitter.emit(diagnostic.label(extra.span(), problem).into());
                None
            }
        });
    quiet(Token::Less)
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
            let label = "only a `var` in a function can have a shape";
            let diagnostic = syntax_error("a shape is not allowed here", span, label);
            emitter.emit(diagnostic.help(help).into());
        })
        .boxed()
}
