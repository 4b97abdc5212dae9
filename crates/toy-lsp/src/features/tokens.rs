//! Semantic tokens: the kind of each word, for colors.

use super::View;
use crate::names::{Kind, Place, Role, Target};
use gen_lsp_types::{
    Position, SemanticToken, SemanticTokenModifiers, SemanticTokenTypes, SemanticTokens,
    SemanticTokensLegend,
};
use toy_diagnostics::source::Span;
use toy_syntax::ast::BinaryOperator;
use toy_syntax::token::Token;

const TYPES: &[SemanticTokenTypes] = &[
    SemanticTokenTypes::Keyword,
    SemanticTokenTypes::Function,
    SemanticTokenTypes::Struct,
    SemanticTokenTypes::Property,
    SemanticTokenTypes::Parameter,
    SemanticTokenTypes::Variable,
    SemanticTokenTypes::Number,
    SemanticTokenTypes::String,
    SemanticTokenTypes::Comment,
    SemanticTokenTypes::Operator,
];

/// In the order of their bits.
const MODIFIERS: &[SemanticTokenModifiers] = &[
    SemanticTokenModifiers::Declaration,
    SemanticTokenModifiers::Modification,
    SemanticTokenModifiers::DefaultLibrary,
];

const DECLARATION: u32 = 1;
const MODIFICATION: u32 = 2;
const DEFAULT_LIBRARY: u32 = 4;

pub fn legend() -> SemanticTokensLegend {
    let token_types = TYPES.iter().map(ToString::to_string).collect();
    let token_modifiers = MODIFIERS.iter().map(ToString::to_string).collect();
    SemanticTokensLegend { token_types, token_modifiers }
}

/// The tokens that touch a span.
pub fn tokens(view: &View, wanted: Span) -> SemanticTokens {
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
    SemanticTokens { result_id: None, data: encoded(view, &all) }
}

/// The comments between two tokens.
fn comments(text: &str, between: Span, all: &mut Vec<(Span, SemanticTokenTypes, u32)>) {
    let mut start = between.start as usize;
    while let Some(at) = text[start..between.end as usize].find('#') {
        let first = start + at;
        let length = text[first..].find(['\n', '\r']).unwrap_or(text.len() - first);
        all.push((Span::new(first, first + length), SemanticTokenTypes::Comment, 0));
        start = (first + length).min(between.end as usize);
    }
}

fn class(view: &View, token: Token<'_>, span: Span) -> Option<(SemanticTokenTypes, u32)> {
    let plain = |ty| Some((ty, 0));
    match token {
        Token::Number(_) => plain(SemanticTokenTypes::Number),
        Token::String(_) => plain(SemanticTokenTypes::String),
        Token::Identifier(_) => {
            let names = &view.analysis.names;
            let place = names.at(span.start).filter(|place| place.span == span);
            place.and_then(|place| class_of_name(view, place))
        }
        // Editors have another color for them than for `return` and `if`.
        Token::Def | Token::Var | Token::Struct => Some((SemanticTokenTypes::Keyword, DECLARATION)),
        token if token.is_keyword() => plain(SemanticTokenTypes::Keyword),
        Token::Not | Token::Equals | Token::DotDot => plain(SemanticTokenTypes::Operator),
        token => BinaryOperator::of_token(token).and_then(|_| plain(SemanticTokenTypes::Operator)),
    }
}

fn class_of_name(view: &View, place: &Place) -> Option<(SemanticTokenTypes, u32)> {
    let modifiers = match place.role {
        Role::Define => DECLARATION,
        Role::Write => MODIFICATION,
        Role::Read | Role::Call => 0,
    };
    let ty = match place.target {
        Target::Builtin(_) => return Some((SemanticTokenTypes::Function, DEFAULT_LIBRARY)),
        Target::Label => SemanticTokenTypes::Parameter,
        Target::Unknown if place.role == Role::Call => SemanticTokenTypes::Function,
        Target::Unknown => return None,
        Target::Definition(index) => match view.analysis.names.definitions[index].kind {
            Kind::Function => SemanticTokenTypes::Function,
            Kind::Struct => SemanticTokenTypes::Struct,
            Kind::Field => SemanticTokenTypes::Property,
            Kind::Parameter => SemanticTokenTypes::Parameter,
            Kind::Variable | Kind::Loop => SemanticTokenTypes::Variable,
        },
    };
    Some((ty, modifiers))
}

/// Each token relative to the one before it, as the protocol has them.
fn encoded(view: &View, all: &[(Span, SemanticTokenTypes, u32)]) -> Vec<SemanticToken> {
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
