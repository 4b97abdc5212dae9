//! Completion: fields after a point, and names where a name may be. It looks at tokens, because what is being typed
//! is seldom a program.

use super::hover::signature;
use super::signature::call_around;
use super::{View, shapes};
use crate::docs;
use crate::names::{Definition, Kind};
use lsp_types::{
    CompletionItem, CompletionItemKind, Documentation, InsertTextFormat, MarkupContent, MarkupKind,
    Position,
};
use toy_diagnostics::source::Span;
use toy_syntax::token::Token;

pub fn items(view: &View, position: Position, has_snippets: bool) -> Vec<CompletionItem> {
    let offset = view.offset(position);
    let tokens = view.analysis.tokens();
    // The tokens before the word that is being typed.
    let mut count = tokens.partition_point(|(_, span)| span.start < offset);
    match count.checked_sub(1).map(|last| tokens[last]) {
        Some((Token::Number(_) | Token::String(_) | Token::Invalid, span))
            if offset <= span.end =>
        {
            return Vec::new();
        }
        Some((Token::Identifier(_), span)) if offset <= span.end => count -= 1,
        Some((token, span)) if offset <= span.end && token.is_keyword() => count -= 1,
        _ => {}
    }
    let before = &tokens[..count];
    if is_in_comment(view, before, offset) {
        return Vec::new();
    }
    let offset = inside(before, offset);
    match before.last().map(|(token, _)| *token) {
        Some(Token::Dot) => fields(view, before, offset),
        // A new name is typed here.
        Some(Token::Def | Token::Var | Token::Struct) => Vec::new(),
        _ => words(view, before, offset, has_snippets),
    }
}

/// The offset as the tree has it: the last block of an unfinished program ends with its last token.
fn inside(before: &[(Token<'_>, Span)], offset: u32) -> u32 {
    let Some((last, span)) = before.last() else { return offset };
    let depth = before.iter().fold(0i64, |depth, (token, _)| match token {
        Token::OpenBrace => depth + 1,
        Token::CloseBrace => depth - 1,
        _ => depth,
    });
    if *last == Token::CloseBrace && depth <= 0 { offset } else { offset.min(span.end) }
}

fn is_in_comment(view: &View, before: &[(Token<'_>, Span)], offset: u32) -> bool {
    let end = before.last().map_or(0, |(_, span)| span.end);
    let between = &view.text()[Span { start: end, end: offset.max(end) }.within(view.text())];
    let line = between.rsplit(['\n', '\r']).next().unwrap_or_default();
    line.contains('#')
}

/// The fields of the value before a point.
fn fields(view: &View, before: &[(Token<'_>, Span)], offset: u32) -> Vec<CompletionItem> {
    let names = &view.analysis.names;
    let mut path = Vec::new();
    let mut rest = before.iter().rev();
    while let Some((Token::Dot, _)) = rest.next() {
        let Some((Token::Identifier(name), _)) = rest.next() else { break };
        path.push(*name);
    }
    let Some(variable) = path.pop() else { return Vec::new() };
    let known = names.variables_at(offset).filter(|it| it.name == variable).last();
    let mut structure = known.and_then(|it| it.structure);
    for field in path.iter().rev() {
        let found = structure.and_then(|it| names.fields(it).find(|known| known.name == **field));
        structure = found.and_then(|it| it.structure);
    }
    let fields = structure.into_iter().flat_map(|it| names.fields(it));
    fields
        .map(|field| CompletionItem {
            label: field.name.clone(),
            kind: Some(CompletionItemKind::FIELD),
            detail: Some(view.snippet(field.whole)),
            ..CompletionItem::default()
        })
        .collect()
}

fn words(
    view: &View,
    before: &[(Token<'_>, Span)],
    offset: u32,
    has_snippets: bool,
) -> Vec<CompletionItem> {
    let names = &view.analysis.names;
    let mut items = Vec::new();
    let starts_statement = matches!(
        before.last().map(|(token, _)| *token),
        None | Some(Token::Semicolon | Token::OpenBrace | Token::CloseBrace)
    );
    let in_function = names.function_at(offset).is_some();
    if starts_statement {
        items.extend(keywords(in_function, has_snippets));
    }
    if !in_function {
        return items;
    }
    items.extend(names.variables_at(offset).map(|it| variable(view, it)));
    for (index, definition) in names.definitions.iter().enumerate() {
        match definition.kind {
            Kind::Function if definition.name != "main" && !definition.name.is_empty() => {
                let parameters = names.parameters(index).count();
                let detail = format!("def {}", signature(view, index, &definition.name));
                items.push(function(&definition.name, detail, parameters > 0, has_snippets));
            }
            Kind::Struct if starts_statement && !definition.name.is_empty() => {
                items.push(CompletionItem {
                    label: definition.name.clone(),
                    kind: Some(CompletionItemKind::STRUCT),
                    detail: Some(view.snippet(definition.whole)),
                    ..CompletionItem::default()
                })
            }
            _ => {}
        }
    }
    let is_defined = |name: &str| {
        names.definitions.iter().any(|it| it.kind == Kind::Function && it.name == name)
    };
    for doc in docs::DOCS.iter().filter(|doc| !is_defined(doc.name)) {
        // Only a statement needs no value.
        if doc.name == "print" && !starts_statement {
            continue;
        }
        let detail = doc.label(doc.calls[0]);
        let markdown = MarkupContent { kind: MarkupKind::Markdown, value: doc.markdown() };
        items.push(CompletionItem {
            documentation: Some(Documentation::MarkupContent(markdown)),
            ..function(doc.name, detail, true, has_snippets)
        });
    }
    if let Some((callee, argument)) = call_around(view, offset)
        && argument > 0
    {
        items.extend(label(&callee));
    }
    items
}

fn variable(view: &View, definition: &Definition) -> CompletionItem {
    let facts = &view.document.facts;
    CompletionItem {
        label: definition.name.clone(),
        kind: Some(CompletionItemKind::VARIABLE),
        detail: facts.at(definition.span).map(|fact| shapes::brief(facts, fact)),
        // Before functions.
        sort_text: Some(format!("0{}", definition.name)),
        ..CompletionItem::default()
    }
}

fn function(
    name: &str,
    detail: String,
    has_parameters: bool,
    has_snippets: bool,
) -> CompletionItem {
    let snippet = match has_parameters {
        true => format!("{name}($0)"),
        false => format!("{name}()$0"),
    };
    CompletionItem {
        label: name.to_owned(),
        kind: Some(CompletionItemKind::FUNCTION),
        detail: Some(detail),
        insert_text: has_snippets.then_some(snippet),
        insert_text_format: has_snippets.then_some(InsertTextFormat::SNIPPET),
        sort_text: Some(format!("1{name}")),
        ..CompletionItem::default()
    }
}

/// The named argument that a builtin may have.
fn label(callee: &str) -> Option<CompletionItem> {
    let builtin = toy_syntax::builtins::find(callee)?;
    let (label, text) = match (builtin.name, builtin.has_axis) {
        ("print", _) => ("end", "end = "),
        (_, true) => ("axis", "axis = "),
        _ => return None,
    };
    Some(CompletionItem {
        label: label.to_owned(),
        kind: Some(CompletionItemKind::PROPERTY),
        insert_text: Some(text.to_owned()),
        sort_text: Some(format!("0{label}")),
        ..CompletionItem::default()
    })
}

/// Those of definitions outside of functions, those of statements inside.
fn keywords(in_function: bool, has_snippets: bool) -> impl Iterator<Item = CompletionItem> {
    let is_wanted = move |word: &str| ["def", "struct"].contains(&word) != in_function;
    docs::KEYWORDS.iter().filter(move |(word, ..)| is_wanted(word)).map(
        move |(word, snippet, what)| CompletionItem {
            label: (*word).to_owned(),
            kind: Some(CompletionItemKind::KEYWORD),
            detail: Some((*what).to_owned()),
            insert_text: has_snippets.then(|| (*snippet).to_owned()),
            insert_text_format: has_snippets.then_some(InsertTextFormat::SNIPPET),
            sort_text: Some(format!("2{word}")),
            ..CompletionItem::default()
        },
    )
}
