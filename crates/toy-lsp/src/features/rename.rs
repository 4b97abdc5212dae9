//! Renaming.
//!
//! Invariant: afterwards every name has the same meaning as before. No rules decide that: the edited program
//! is analyzed, and compared.

use super::View;
use crate::document::Analysis;
use crate::names::{Kind, Place, Target};
use gen_lsp_types::{Position, PrepareRenamePlaceholder, TextEdit};
use toy_diagnostics::source::Source;
use toy_diagnostics::text::clipped;
use toy_syntax::lexer;
use toy_syntax::token::Token;

/// The name that would be renamed at a position.
///
/// # Errors
///
/// If the name cannot be renamed.
pub fn prepare(view: &View, position: Position) -> Result<PrepareRenamePlaceholder, String> {
    let place = renamed(view, position)?;
    Ok(PrepareRenamePlaceholder::new(view.range(place.span), view.snippet(place.span)))
}

/// The edits that rename a name.
///
/// # Errors
///
/// If the name cannot be changed, or not to this one.
pub fn rename(view: &View, position: Position, new: &str) -> Result<Vec<TextEdit>, String> {
    let place = renamed(view, position)?;
    let quoted = clipped(new);
    let source = Source::new("name", new);
    let (tokens, errors) = lexer::lex(&source);
    let is_name = matches!(&tokens[..], [(Token::Identifier(text), _)] if *text == new);
    if !is_name || !errors.is_empty() {
        return Err(format!("`{quoted}` is not a name"));
    }
    let names = &view.analysis.names;
    let places: Vec<&Place> = names.same(place.target).collect();
    let (mut text, mut end) = (String::with_capacity(view.text().len()), 0);
    for place in &places {
        text += &view.text()[end..place.span.start as usize];
        text += new;
        end = place.span.end as usize;
    }
    text += &view.text()[end..];
    let after = Analysis::new(&view.analysis.source.name, text.into(), &view.document.settings);
    if !means_the_same(&view.analysis, &after, place.target, new.len()) {
        let place = namesake(view, place.target, new);
        let why = place.unwrap_or_else(|| "the program would mean something else".to_owned());
        return Err(format!("`{quoted}` cannot be the name: {why}"));
    }
    let edits = places
        .iter()
        .map(|place| TextEdit { range: view.range(place.span), new_text: new.to_owned() });
    Ok(edits.collect())
}

/// Describes the definition that has the new name where the old one is known.
fn namesake(view: &View, target: Target, new: &str) -> Option<String> {
    let names = &view.analysis.names;
    let Target::Definition(index) = target else { return None };
    let old = &names.definitions[index];
    let found = names.definitions.iter().find(|it| {
        let is_near = !(old.is_variable() && it.is_variable())
            || it.scope.start <= old.scope.end && old.scope.start <= it.scope.end;
        it.name == new && it.span != old.span && is_near && it.kind != Kind::Field
            || it.name == new && it.kind == Kind::Field && it.parent == old.parent
    })?;
    let what = match found.kind {
        Kind::Function => "a function",
        Kind::Struct => "a struct",
        Kind::Field => "a field",
        Kind::Parameter => "a parameter",
        Kind::Variable | Kind::Loop => "a variable",
    };
    Some(format!("{what} has it, defined in line {}", view.line(found.span.start)))
}

fn renamed<'v>(view: &'v View, position: Position) -> Result<&'v Place, String> {
    let names = &view.analysis.names;
    let place = names.at(view.offset(position)).ok_or("there is no name here")?;
    match place.target {
        Target::Definition(index) => {
            let definition = &names.definitions[index];
            match (definition.kind, definition.name.as_str()) {
                (Kind::Function, "main") => {
                    Err("a program starts with its function `main`, which cannot be renamed".into())
                }
                _ => Ok(place),
            }
        }
        Target::Builtin(_) => Err("a builtin cannot be renamed".into()),
        Target::Label => Err("the name of an argument cannot be renamed".into()),
        Target::Unknown => Err("this name is not defined".into()),
    }
}

/// True if all names keep their meanings when the target is renamed to a name of this length.
fn means_the_same(before: &Analysis, after: &Analysis, target: Target, length: usize) -> bool {
    let (old, new) = (&before.names.places, &after.names.places);
    if old.len() != new.len() || before.errors() < after.errors() {
        return false;
    }
    let mut shift = 0i64;
    old.iter().zip(new).all(|(old, new)| {
        let is_moved = i64::from(old.span.start) + shift == i64::from(new.span.start);
        if old.target == target {
            shift += length as i64 - i64::from(old.span.end - old.span.start);
        }
        is_moved && old.target == new.target && old.role == new.role
    })
}
