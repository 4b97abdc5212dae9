//! Completion: fields after a point, and names where a name may be.

mod context;

use super::hover::{comment_above, signature};
use super::signature::call_around;
use super::{View, markdown, shapes};
use crate::names::{Definition, Kind};
use context::Context;
use gen_lsp_types::{
    CompletionItem, CompletionItemKind, Documentation, InsertTextFormat, Position,
};
use toy_diagnostics::source::Span;
use toy_syntax::builtins::{self, BUILTINS};
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
    if is_in_text(view, offset) {
        return Vec::new();
    }
    let end = before.last().map_or(0, |(_, span)| span.end);
    let between = Span { start: end, end: offset.max(end) }.within(view.text());
    let is_new_line = view.text()[between].contains(['\n', '\r']);
    let here = Here { view, before, offset: inside(before, offset), has_snippets };
    match context::after(before, is_new_line) {
        Context::Nothing => Vec::new(),
        Context::Field => fields(view, before, here.offset),
        Context::Word(word) => vec![CompletionItem {
            detail: Some(String::new()),
            ..item(word, CompletionItemKind::Keyword)
        }],
        Context::Parameter => here.structs(),
        Context::FieldDefinition => {
            let mut items = here.structs();
            items.push(CompletionItem {
                detail: Some("a field of numbers".to_owned()),
                sort_text: Some("2var".to_owned()),
                ..item("var", CompletionItemKind::Keyword)
            });
            items
        }
        Context::Statement { may_be_else } => here.statement(may_be_else),
        Context::Expression => here.expression(false),
    }
}

fn item(label: &str, kind: CompletionItemKind) -> CompletionItem {
    CompletionItem { label: label.to_owned(), kind: Some(kind), ..CompletionItem::default() }
}

/// The place where something is typed.
struct Here<'v, 'd, 't> {
    view: &'v View<'d>,
    /// The tokens before it.
    before: &'v [(Token<'t>, Span)],
    offset: u32,
    has_snippets: bool,
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

/// True if an offset is in a string or in a comment: both end with the line.
fn is_in_text(view: &View, offset: u32) -> bool {
    let places = view.places();
    let line = places.line_span(places.line(offset));
    let before = &view.text()[Span { end: offset.max(line.start), ..line }.within(view.text())];
    let (mut is_string, mut is_escaped) = (false, false);
    for character in before.chars() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_string => is_escaped = true,
            '"' => is_string = !is_string,
            '#' if !is_string => return true,
            _ => {}
        }
    }
    is_string
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
        .enumerate()
        .map(|(index, field)| CompletionItem {
            detail: Some(view.snippet(field.whole)),
            // In the order of the struct, as in its literals.
            sort_text: Some(format!("{index:04}")),
            ..item(&field.name, CompletionItemKind::Field)
        })
        .collect()
}

impl Here<'_, '_, '_> {
    /// The words that a statement or a definition starts with.
    fn statement(&self, may_be_else: bool) -> Vec<CompletionItem> {
        let in_function = self.view.analysis.names.function_at(self.offset).is_some();
        let is_wanted = |word: &str| {
            ["def", "struct"].contains(&word) != in_function && (word != "else" || may_be_else)
        };
        let mut items: Vec<_> = keywords(is_wanted, self.has_snippets).collect();
        if in_function {
            items.extend(self.expression(true));
            items.extend(self.structs());
        }
        items
    }

    /// The words that a value starts with, and `print` where a statement does.
    fn expression(&self, is_statement: bool) -> Vec<CompletionItem> {
        let (view, names) = (self.view, &self.view.analysis.names);
        if names.function_at(self.offset).is_none() {
            return Vec::new();
        }
        let known = names.variables_at(self.offset).filter(|it| self.is_known(it));
        let mut items: Vec<_> = known.map(|it| variable(view, it)).collect();
        let functions = names.definitions.iter().enumerate();
        let functions = functions.filter(|(_, it)| it.kind == Kind::Function);
        for (index, it) in functions.filter(|(_, it)| it.name != "main" && !it.name.is_empty()) {
            let parameters = names.parameters(index).count();
            let detail = format!("def {}", signature(view, index, &it.name));
            items.push(CompletionItem {
                documentation: documented(view, it.whole),
                ..function(&it.name, detail, parameters > 0, self.has_snippets)
            });
        }
        let builtins = BUILTINS.iter().filter(|it| names.named(Kind::Function, it.name).is_none());
        // Only a statement needs no value.
        for builtin in builtins.filter(|it| it.has_value() || is_statement) {
            let item = match builtin.calls.first() {
                Some(call) => function(builtin.name, builtin.label(call), true, self.has_snippets),
                None => CompletionItem {
                    sort_text: Some(format!("1{}", builtin.name)),
                    ..item(builtin.name, CompletionItemKind::Constant)
                },
            };
            let documentation = Some(markdown(builtin.markdown()).into());
            items.push(CompletionItem { documentation, ..item });
        }
        if let Some((callee, argument)) = call_around(view, self.offset)
            && argument > 0
        {
            items.extend(labels(&callee));
        }
        items
    }

    fn structs(&self) -> Vec<CompletionItem> {
        let definitions = self.view.analysis.names.definitions.iter();
        let structs = definitions.filter(|it| it.kind == Kind::Struct && !it.name.is_empty());
        structs
            .map(|it| CompletionItem {
                detail: Some(self.view.snippet(it.whole)),
                documentation: documented(self.view, it.whole),
                ..item(&it.name, CompletionItemKind::Struct)
            })
            .collect()
    }

    /// True if a variable whose scope reaches here is known. Variables of a block that ends right before are not, and
    /// neither is the variable whose value is being typed.
    fn is_known(&self, definition: &Definition) -> bool {
        if let Some((Token::CloseBrace, last)) = self.before.last()
            && let Some(open) = context::opening(self.before)
            && definition.scope.start >= self.before[open].1.start
            && definition.scope.end <= last.end
        {
            return false;
        }
        if definition.kind != Kind::Variable {
            return true;
        }
        let first = self.before.partition_point(|(_, span)| span.start <= definition.span.start);
        let since = &self.before[first..];
        since.iter().any(|(token, _)| *token == Token::Semicolon)
            || context::is_balanced(since)
                && self.view.line(definition.span.start) < self.view.line(self.offset)
    }
}

fn documented(view: &View, definition: Span) -> Option<Documentation> {
    comment_above(view, definition).map(|comment| markdown(comment).into())
}

fn variable(view: &View, definition: &Definition) -> CompletionItem {
    let facts = &view.document.facts;
    CompletionItem {
        detail: facts.at(definition.span).map(|fact| shapes::brief(facts, fact)),
        // Before functions.
        sort_text: Some(format!("0{}", definition.name)),
        ..item(&definition.name, CompletionItemKind::Variable)
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
        detail: Some(detail),
        insert_text: has_snippets.then_some(snippet),
        insert_text_format: has_snippets.then_some(InsertTextFormat::Snippet),
        sort_text: Some(format!("1{name}")),
        ..item(name, CompletionItemKind::Function)
    }
}

/// The named arguments that a builtin may have.
fn labels(callee: &str) -> impl Iterator<Item = CompletionItem> {
    let labels = builtins::find(callee).map_or(Vec::new(), |builtin| builtin.named_arguments());
    labels.into_iter().map(|label| CompletionItem {
        insert_text: Some(format!("{label} = ")),
        sort_text: Some(format!("0{label}")),
        ..item(label, CompletionItemKind::Property)
    })
}

/// The keywords that start a definition, a statement or an `else`, each with a snippet and a description.
const KEYWORDS: &[(&str, &str, &str)] = &[
    ("def", "def ${1:name}($2) {\n  $0\n}", "a function"),
    ("struct", "struct ${1:Name} {\n  var ${2:field};\n}", "a struct"),
    ("var", "var ${1:name} = $0;", "a variable"),
    ("return", "return $0;", "the result of the function"),
    ("if", "if ($1) {\n  $0\n}", "a branch"),
    ("else", "else {\n  $0\n}", "what runs if no condition holds"),
    ("while", "while ($1) {\n  $0\n}", "a loop with a condition"),
    ("for", "for ${1:i} in 0..$2 {\n  $0\n}", "a loop over numbers"),
    ("break", "break;", "ends the loop"),
    ("continue", "continue;", "goes on with the next iteration"),
];

fn keywords(
    is_wanted: impl Fn(&str) -> bool,
    has_snippets: bool,
) -> impl Iterator<Item = CompletionItem> {
    KEYWORDS.iter().filter(move |(word, ..)| is_wanted(word)).map(move |(word, snippet, what)| {
        CompletionItem {
            detail: Some((*what).to_owned()),
            insert_text: has_snippets.then(|| (*snippet).to_owned()),
            insert_text_format: has_snippets.then_some(InsertTextFormat::Snippet),
            sort_text: Some(format!("2{word}")),
            ..item(word, CompletionItemKind::Keyword)
        }
    })
}
