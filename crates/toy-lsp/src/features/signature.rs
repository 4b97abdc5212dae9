//! Signature help, also in a call that is not finished: it looks at tokens.

use super::View;
use super::hover::signature;
use crate::docs::{self, Doc};
use crate::names::Kind;
use lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, Position,
    SignatureHelp, SignatureInformation,
};
use toy_syntax::token::Token;

pub fn help(view: &View, position: Position) -> Option<SignatureHelp> {
    let (callee, argument) = call_around(view, view.offset(position))?;
    let names = &view.analysis.names;
    let of_program = |it: &crate::names::Definition| it.kind == Kind::Function && it.name == callee;
    match (names.definitions.iter().position(of_program), docs::of(&callee)) {
        // A program defines neither of the two.
        (Some(function), doc)
            if !doc.is_some_and(|it| ["print", "transpose"].contains(&it.name)) =>
        {
            let parameters = names.parameters(function).map(|it| view.snippet(it.whole)).collect();
            let label = signature(view, function, &callee);
            let facts = &view.document.facts;
            let keys: Vec<_> =
                facts.of_function(&callee).take(6).map(|(_, it)| format!("`{}`", it.key)).collect();
            let text = match keys.is_empty() {
                true => None,
                false => Some(format!("called as {}", keys.join(", "))),
            };
            Some(SignatureHelp {
                signatures: vec![information(label, parameters, text)],
                active_signature: Some(0),
                active_parameter: Some(argument),
            })
        }
        (_, doc) => Some(of_builtin(doc?, argument)),
    }
}

fn of_builtin(doc: &'static Doc, argument: u32) -> SignatureHelp {
    let signatures: Vec<_> = doc
        .calls
        .iter()
        .map(|call| {
            let parameters = call.iter().map(|it| (*it).to_owned()).collect();
            information(doc.label(call), parameters, Some(doc.text.to_owned()))
        })
        .collect();
    let is_long_enough = |call: &&[&str]| call.len() as u32 > argument;
    let active = doc.calls.iter().position(is_long_enough).unwrap_or(signatures.len() - 1);
    // Of `print`, all arguments but the first are one parameter.
    let last = doc.calls[active].len() as u32 - 1;
    SignatureHelp {
        signatures,
        active_signature: Some(active as u32),
        active_parameter: Some(argument.min(last)),
    }
}

fn information(
    label: String,
    parameters: Vec<String>,
    text: Option<String>,
) -> SignatureInformation {
    let parameter =
        |label| ParameterInformation { label: ParameterLabel::Simple(label), documentation: None };
    let documentation = text.map(|value| {
        Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })
    });
    SignatureInformation {
        label,
        documentation,
        parameters: Some(parameters.into_iter().map(parameter).collect()),
        active_parameter: None,
    }
}

/// The callee of the innermost call around an offset, and the argument that is there, from 0.
pub fn call_around(view: &View, offset: u32) -> Option<(String, u32)> {
    let tokens = view.analysis.tokens();
    let count = tokens.partition_point(|(_, span)| span.end <= offset);
    let (mut depth, mut argument) = (0usize, 0);
    for (index, (token, _)) in tokens[..count].iter().enumerate().rev() {
        match token {
            token if token.is_closing() => depth += 1,
            Token::Semicolon if depth == 0 => return None,
            Token::OpenParen if depth == 0 => {
                let before = |back: usize| Some(tokens.get(index.checked_sub(back)?)?.0);
                let Some(Token::Identifier(name)) = before(1) else {
                    // Parentheses around an operand.
                    argument = 0;
                    continue;
                };
                let is_control = ["if", "while"].contains(&name);
                return (before(2) != Some(Token::Def) && !is_control)
                    .then(|| (name.to_owned(), argument));
            }
            // In a literal, an index or a block: the commas so far were not those of a call.
            Token::OpenBracket if depth == 0 => argument = 0,
            Token::OpenBrace if depth == 0 => return None,
            token if token.closing().is_some() => depth = depth.saturating_sub(1),
            Token::Comma if depth == 0 => argument += 1,
            _ => {}
        }
    }
    None
}
