//! Signature help in calls and in literals of structs, also in unfinished ones: it looks at tokens.

use super::hover::{comment_above, signature};
use super::{View, markdown};
use crate::names::Kind;
use gen_lsp_types::{
    ActiveParameter, ParameterInformation, Position, SignatureHelp, SignatureInformation,
};
use toy_diagnostics::source::Span;
use toy_syntax::builtins::{self, Builtin};
use toy_syntax::token::Token;

pub fn help(view: &View, position: Position) -> Option<SignatureHelp> {
    let tokens = view.analysis.tokens();
    let before = before(&tokens, view.offset(position));
    let around = around(before)?;
    match around.opening {
        Opening::Call(callee) => of_call(view, callee, around.argument),
        Opening::Brace => Some(of_struct(view, literal(view, before)?, around.argument)),
    }
}

fn of_call(view: &View, callee: &str, argument: u32) -> Option<SignatureHelp> {
    let builtin = builtins::find(callee);
    // A program defines neither of the two.
    let is_fixed = builtin.is_some_and(|it| it.is_reserved);
    let names = &view.analysis.names;
    match names.named(Kind::Function, callee).filter(|_| !is_fixed) {
        Some(function) => {
            let parameters = names.parameters(function).map(|it| view.snippet(it.whole)).collect();
            let label = signature(view, function, callee);
            let facts = &view.document.facts;
            let keys: Vec<_> =
                facts.of_function(callee).take(6).map(|(_, it)| format!("`{}`", it.key)).collect();
            let text = (!keys.is_empty()).then(|| format!("called as {}", keys.join(", ")));
            Some(single(information(label, parameters, text), argument))
        }
        None => Some(of_builtin(builtin?, argument)),
    }
}

/// A literal is written as its struct is.
fn of_struct(view: &View, structure: usize, argument: u32) -> SignatureHelp {
    let names = &view.analysis.names;
    let definition = &names.definitions[structure];
    let fields: Vec<String> = names.fields(structure).map(|it| view.snippet(it.whole)).collect();
    let label = format!("struct {} {{ {}; }}", definition.name, fields.join("; "));
    let text = comment_above(view, definition.whole);
    single(information(label, fields, text), argument)
}

fn single(signature: SignatureInformation, argument: u32) -> SignatureHelp {
    SignatureHelp {
        signatures: vec![signature],
        active_signature: Some(0),
        active_parameter: Some(ActiveParameter::Int(argument)),
    }
}

fn of_builtin(builtin: &'static Builtin, argument: u32) -> SignatureHelp {
    let signatures: Vec<_> = builtin
        .calls
        .iter()
        .map(|call| {
            let parameters = call.iter().map(|it| (*it).to_owned()).collect();
            information(builtin.label(call), parameters, Some(builtin.text.to_owned()))
        })
        .collect();
    let is_long_enough = |call: &&[&str]| call.len() as u32 > argument;
    let active = builtin.calls.iter().position(is_long_enough).unwrap_or(signatures.len() - 1);
    // Of `print`, all arguments but the first are one parameter.
    let last = builtin.calls[active].len() as u32 - 1;
    SignatureHelp {
        signatures,
        active_signature: Some(active as u32),
        active_parameter: Some(ActiveParameter::Int(argument.min(last))),
    }
}

fn information(
    label: String,
    parameters: Vec<String>,
    text: Option<String>,
) -> SignatureInformation {
    let parameter =
        |label: String| ParameterInformation { label: label.into(), documentation: None };
    SignatureInformation {
        label,
        documentation: text.map(|text| markdown(text).into()),
        parameters: Some(parameters.into_iter().map(parameter).collect()),
        active_parameter: None,
    }
}

/// The opening of a call or of a literal.
enum Opening<'t> {
    /// The parenthesis after a callee.
    Call(&'t str),
    /// The brace of a literal, or of a block.
    Brace,
}

/// The innermost call or brace that is open at the end of some tokens.
struct Around<'t> {
    opening: Opening<'t>,
    /// Which of its arguments or values is there, from 0.
    argument: u32,
    /// The index of the parenthesis or the brace.
    index: usize,
}

/// The callee of the innermost call around an offset, and the argument that is there, from 0.
pub fn call_around(view: &View, offset: u32) -> Option<(String, u32)> {
    let tokens = view.analysis.tokens();
    match around(before(&tokens, offset))? {
        Around { opening: Opening::Call(callee), argument, .. } => {
            Some((callee.to_owned(), argument))
        }
        _ => None,
    }
}

fn before<'a, 't>(tokens: &'a [(Token<'t>, Span)], offset: u32) -> &'a [(Token<'t>, Span)] {
    &tokens[..tokens.partition_point(|(_, span)| span.end <= offset)]
}

fn around<'t>(tokens: &[(Token<'t>, Span)]) -> Option<Around<'t>> {
    let (mut depth, mut argument) = (0usize, 0);
    for (index, (token, _)) in tokens.iter().enumerate().rev() {
        match token {
            token if token.is_closing() => depth += 1,
            Token::Semicolon if depth == 0 => return None,
            Token::OpenParen if depth == 0 => {
                let before = |back: usize| Some(tokens.get(index.checked_sub(back)?)?.0);
                match before(1) {
                    Some(Token::Identifier(name)) => {
                        let around = Around { opening: Opening::Call(name), argument, index };
                        return (before(2) != Some(Token::Def)).then_some(around);
                    }
                    Some(Token::If | Token::While) => return None,
                    // Parentheses around an operand.
                    _ => argument = 0,
                }
            }
            // In a literal of a tensor or in an index: the commas so far did not belong to a call.
            Token::OpenBracket if depth == 0 => argument = 0,
            Token::OpenBrace if depth == 0 => {
                return Some(Around { opening: Opening::Brace, argument, index });
            }
            token if token.closing().is_some() => depth = depth.saturating_sub(1),
            Token::Comma if depth == 0 => argument += 1,
            _ => {}
        }
    }
    None
}

/// The struct of the literal that is open at the end of some tokens; None for a block.
fn literal(view: &View, tokens: &[(Token<'_>, Span)]) -> Option<usize> {
    let names = &view.analysis.names;
    // The values that lead from the outermost literal to this one, the last first.
    let mut path = Vec::new();
    let mut rest = tokens;
    let mut structure = loop {
        rest = &rest[..around(rest)?.index];
        // Parentheses around a literal do not matter.
        let parentheses = rest.iter().rev().take_while(|(token, _)| *token == Token::OpenParen);
        let outside = rest.len() - parentheses.count();
        match rest[..outside].last()?.0 {
            Token::Equals => break declared(view, &rest[..outside - 1])?,
            // Of a call: `f({`
            Token::Identifier(_) if outside < rest.len() => {}
            Token::Comma | Token::OpenBrace => {}
            _ => return None,
        }
        let outer = around(rest)?;
        match outer.opening {
            Opening::Call(callee) => {
                let mut parameters = names.parameters(names.named(Kind::Function, callee)?);
                break parameters.nth(outer.argument as usize)?.structure?;
            }
            Opening::Brace => path.push(outer.argument as usize),
        }
    };
    for field in path.into_iter().rev() {
        structure = names.fields(structure).nth(field)?.structure?;
    }
    Some(structure)
}

/// The struct of the variable that some tokens end with: `P p`, or `p`.
fn declared(view: &View, tokens: &[(Token<'_>, Span)]) -> Option<usize> {
    let names = &view.analysis.names;
    let [.., (before, _), (Token::Identifier(name), span)] = tokens else { return None };
    if let Token::Identifier(written) = before {
        return names.named(Kind::Struct, written);
    }
    names.variables_at(span.start).filter(|it| it.name == *name).last()?.structure
}
