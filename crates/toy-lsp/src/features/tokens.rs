//! Semantic tokens: the kind of each word, for colors.

use super::View;
use crate::names::{Kind, Place, Role, Target};
use lsp_types::{
    Position, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend,
};
use toy_diagnostics::source::Span;
use toy_syntax::ast::BinaryOperator;
use toy_syntax::token::Token;

const TYPES: &[SemanticTokenType] = &[
    SemanticTokenType::KEYWORD,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::STRUCT,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::NUMBER,
    SemanticTokenType::STRING,
    SemanticTokenType::COMMENT,
    SemanticTokenType::OPERATOR,
];

/// In the order of their bits.
const MODIFIERS: &[SemanticTokenModifier] = &[
    SemanticTokenModifier::DECLARATION,
    SemanticTokenModifier::MODIFICATION,
    SemanticTokenModifier::DEFAULT_LIBRARY,
];

const DECLARATION: u32 = 1;
const MODIFICATION: u32 = 2;
const DEFAULT_LIBRARY: u32 = 4;

pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: MODIFIERS.to_vec() }
}

/// The tokens that touch a span.
pub fn tokens(view: &View, wanted: Span) -> Vec<SemanticToken> {
    let mut all = Vec::new();
    let mut end = 0;
    let tokens = view.analysis.tokens();
    let length = view.text().len() as u32;
    for (token, span) in &tokens {
        comments(view.text(), Span { start: end, end: span.start }, &mut all);
        end = span.end;
        all.extend(class(view, *token, *span).map(|(ty, modifiers)| (*span, ty, modifiers)));
    }
    comments(view.text(), Span { start: end, end: length }, &mut all);
    all.retain(|(span, ..)| span.start <= wanted.end && wanted.start <= span.end);
    encoded(view, &all)
}

/// The comments between two tokens.
fn comments(text: &str, between: Span, all: &mut Vec<(Span, SemanticTokenType, u32)>) {
    let mut start = between.start as usize;
    while let Some(at) = text[start..between.end as usize].find('#') {
        let first = start + at;
        let length = text[first..].find(['\n', '\r']).unwrap_or(text.len() - first);
        all.push((Span::new(first, first + length), SemanticTokenType::COMMENT, 0));
        start = (first + length).min(between.end as usize);
    }
}

fn class(view: &View, token: Token<'_>, span: Span) -> Option<(SemanticTokenType, u32)> {
    let plain = |ty| Some((ty, 0));
    match token {
        Token::Number(_) => plain(SemanticTokenType::NUMBER),
        Token::String(_) => plain(SemanticTokenType::STRING),
        Token::Identifier(_) => {
            let names = &view.analysis.names;
            let place = names.at(span.start).filter(|place| place.span == span);
            place.and_then(|place| class_of_name(view, place))
        }
        // Editors have another color for them than for `return` and `if`.
        Token::Def | Token::Var | Token::Struct => Some((SemanticTokenType::KEYWORD, DECLARATION)),
        token if token.is_keyword() => plain(SemanticTokenType::KEYWORD),
        Token::Not | Token::Equals | Token::DotDot => plain(SemanticTokenType::OPERATOR),
        token => BinaryOperator::of_token(token).and_then(|_| plain(SemanticTokenType::OPERATOR)),
    }
}

fn class_of_name(view: &View, place: &Place) -> Option<(SemanticTokenType, u32)> {
    let modifiers = match place.role {
        Role::Define => DECLARATION,
        Role::Write => MODIFICATION,
        Role::Read | Role::Call => 0,
    };
    let ty = match place.target {
        Target::Builtin(_) => return Some((SemanticTokenType::FUNCTION, DEFAULT_LIBRARY)),
        Target::Label => SemanticTokenType::PARAMETER,
        Target::Unknown if place.role == Role::Call => SemanticTokenType::FUNCTION,
        Target::Unknown => return None,
        Target::Definition(index) => match view.analysis.names.definitions[index].kind {
            Kind::Function => SemanticTokenType::FUNCTION,
            Kind::Struct => SemanticTokenType::STRUCT,
            Kind::Field => SemanticTokenType::PROPERTY,
            Kind::Parameter => SemanticTokenType::PARAMETER,
            Kind::Variable | Kind::Loop => SemanticTokenType::VARIABLE,
        },
    };
    Some((ty, modifiers))
}

/// Each token relative to the one before it, as the protocol has them.
fn encoded(view: &View, all: &[(Span, SemanticTokenType, u32)]) -> Vec<SemanticToken> {
    let mut before = Position::default();
    let mut encoded = Vec::with_capacity(all.len());
    for (span, ty, modifiers) in all {
        let at = view.places().position(span.start);
        let delta_line = at.line - before.line;
        let delta_start =
            if delta_line == 0 { at.character - before.character } else { at.character };
        encoded.push(SemanticToken {
            delta_line,
            delta_start,
            length: view.encoding.length(&view.text()[span.within(view.text())]),
            token_type: TYPES.iter().position(|known| known == ty).unwrap_or(0) as u32,
            token_modifiers_bitset: *modifiers,
        });
        before = at;
    }
    encoded
}
