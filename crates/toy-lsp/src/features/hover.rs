//! Hover: the meaning of a name, the shapes of a value and their origin, the description of a builtin.

use super::{View, markdown, shapes};
use crate::names::{Definition, Kind, Place, Role, Target};
use gen_lsp_types::{Hover, Position};
use toy_diagnostics::source::Span;
use toy_syntax::ast::{ExprKind, Function, StatementKind};
use toy_syntax::token::Token;

pub fn hover(view: &View, position: Position) -> Option<Hover> {
    let offset = view.offset(position);
    let (span, value) = match view.analysis.names.at(offset) {
        Some(place) if place.target != Target::Unknown => (place.span, of_name(view, place)?),
        _ => of_expression(view, offset)?,
    };
    Some(Hover { contents: markdown(value).into(), range: Some(view.range(span)) })
}

fn of_name(view: &View, place: &Place) -> Option<String> {
    match place.target {
        Target::Builtin(builtin) => {
            let doc = builtin.markdown();
            let value = call_at(view, place.span).and_then(|span| value(view, span));
            Some(parts([Some(doc), value]))
        }
        Target::Label => {
            let text = match view.snippet(place.span).as_str() {
                "axis" => {
                    "The dimension along which the elements are combined; -1 is the last one."
                }
                "keep" => "1: what is reduced stays, as dimensions of size 1; 0: it does not.",
                "digits" => "The number of digits after the point, 0 to 17.",
                "width" => "The fewest characters of each number: blanks are written before it.",
                "end" => "The text that `print` writes instead of the last line feed.",
                _ => return None,
            };
            Some(text.to_owned())
        }
        Target::Unknown => None,
        Target::Definition(index) => {
            let definition = &view.analysis.names.definitions[index];
            match definition.kind {
                Kind::Function => Some(of_function(view, index, definition, place)),
                Kind::Struct => {
                    let head = code(&view.snippet(definition.whole));
                    Some(parts([Some(head), comment_above(view, definition.whole)]))
                }
                Kind::Field => {
                    let parent = &view.analysis.names.definitions[definition.parent?];
                    let field = view.snippet(definition.whole);
                    let head = code(&format!("struct {} {{ {field}; }}", parent.name));
                    let access = view.document.facts.around(place.span);
                    let access = access.filter(|it| it.span.end == place.span.end);
                    let access = access.and_then(|it| value(view, it.span));
                    // Above a struct in one line is its own comment.
                    let line = |it: &Definition| view.line(it.whole.start);
                    let is_alone = line(definition) != line(parent);
                    let comment = comment_above(view, definition.whole).filter(|_| is_alone);
                    Some(parts([Some(head), comment, access]))
                }
                Kind::Parameter | Kind::Variable | Kind::Loop => {
                    Some(of_variable(view, definition))
                }
            }
        }
    }
}

fn of_variable(view: &View, definition: &Definition) -> String {
    let names = &view.analysis.names;
    let word = match (definition.structure, definition.kind) {
        (Some(structure), _) => names.definitions[structure].name.clone(),
        (None, Kind::Parameter) => "parameter".to_owned(),
        (None, Kind::Loop) => "for".to_owned(),
        (None, _) => "var".to_owned(),
    };
    let facts = &view.document.facts;
    let Some(fact) = facts.at(definition.span) else {
        let head = code(&format!("{word} {}", definition.name));
        return parts([Some(head), not_reached(view, definition)]);
    };
    let shown = shapes::brief(facts, fact);
    let head = code(&format!("{word} {}: {shown}", definition.name));
    parts([Some(head), Some(shapes::listed(view, fact)), shapes::age(view)])
}

/// The reason that a variable has no shape, if it is known.
fn not_reached(view: &View, definition: &Definition) -> Option<String> {
    let function = &view.analysis.names.definitions[definition.parent?];
    let facts = &view.document.facts;
    let is_known = view.document.are_facts_current && view.document.has_facts;
    let is_reached = facts.counts.get(&function.name).is_some_and(|count| *count > 0);
    match (is_known, is_reached) {
        (true, false) => {
            Some(format!("`{}` is never called, so nothing in it has a shape.", function.name))
        }
        (true, true) => Some("It is in code that never runs.".to_owned()),
        (false, _) => None,
    }
}

fn of_function(view: &View, index: usize, definition: &Definition, place: &Place) -> String {
    let head = code(&format!("def {}", signature(view, index, &definition.name)));
    let comment = comment_above(view, definition.whole);
    if place.role == Role::Call {
        let span = call_at(view, place.span);
        let called = span.and_then(|span| shapes::called(view, span));
        return parts([Some(head), comment, called, shapes::age(view)]);
    }
    let facts = &view.document.facts;
    let lines = facts.of_function(&definition.name).map(|(number, it)| {
        let returned = shapes::returned(view, it);
        format!("- {}: **{returned}**", shapes::chain(view, number))
    });
    let count = facts.counts.get(&definition.name).copied().unwrap_or(0);
    let mut list = shapes::list(lines, count, "and");
    if list.is_empty() && view.document.are_facts_current && view.document.has_facts {
        list = "It is never called, so it is compiled for no shapes.".to_owned();
    }
    parts([Some(head), comment, Some(list), shapes::age(view)])
}

/// The comment in the lines right above a definition, without its `#`.
pub fn comment_above(view: &View, definition: Span) -> Option<String> {
    let above = (0..view.places().line(definition.start)).rev();
    let comment = above.map_while(|line| view.line_text(line).trim().strip_prefix('#'));
    let mut comment: Vec<&str> = comment.map(|it| it.strip_prefix(' ').unwrap_or(it)).collect();
    comment.reverse();
    (!comment.is_empty()).then(|| comment.join("\n"))
}

/// `f(a, P p)`
pub fn signature(view: &View, index: usize, name: &str) -> String {
    let names = &view.analysis.names;
    let parameters: Vec<String> =
        names.parameters(index).map(|it| view.snippet(it.whole)).collect();
    format!("{name}({})", parameters.join(", "))
}

/// The smallest expression at an offset that has shapes.
fn of_expression(view: &View, offset: u32) -> Option<(Span, String)> {
    let tokens = view.analysis.tokens();
    let next = tokens.partition_point(|(_, span)| span.start <= offset);
    let (token, span) = tokens.get(next.checked_sub(1)?)?;
    // Between expressions, and at numbers, there is no hover.
    let says_nothing = matches!(token, Token::Number(_) | Token::String(_) | Token::Semicolon);
    let is_inside = offset <= span.end;
    if says_nothing || !is_inside || token.is_keyword() || *token == Token::Equals {
        return None;
    }
    if matches!(token, Token::OpenBrace | Token::CloseBrace | Token::Comma) {
        return None;
    }
    let span = view.document.facts.around(*span)?.span;
    (!is_control(view, span)).then_some(())?;
    Some((span, value(view, span)?))
}

/// True if the span is a branch or a loop. The compiler gives it the values that it assigns.
fn is_control(view: &View, span: Span) -> bool {
    let mut found = false;
    for function in &view.analysis.module.functions {
        function.walk_all(|statement| {
            use StatementKind::{For, If, While};
            found |= statement.span == span && matches!(statement.kind, For(_) | If(_) | While(_));
        });
    }
    found
}

/// The shapes of the value at exactly a span.
fn value(view: &View, span: Span) -> Option<String> {
    const LONGEST: usize = 60;
    let facts = &view.document.facts;
    let fact = facts.at(span)?;
    let text: String = view.snippet(span);
    let is_short = text.chars().count() <= LONGEST;
    let text = if is_short { text } else { text.chars().take(LONGEST).collect::<String>() + "..." };
    let head = code(&format!("{text}: {}", shapes::brief(facts, fact)));
    Some(parts([Some(head), Some(shapes::listed(view, fact)), shapes::age(view)]))
}

/// The call whose callee is at a span.
fn call_at(view: &View, callee: Span) -> Option<Span> {
    let is_around = |function: &&Function| {
        function.span.start <= callee.start && callee.end <= function.span.end
    };
    let function = view.analysis.module.functions.iter().find(is_around)?;
    let mut found = None;
    function.walk_all(|statement| {
        let is_inside = statement.span.start <= callee.start && callee.end <= statement.span.end;
        if found.is_some() || !is_inside {
            return;
        }
        for expr in statement.exprs() {
            expr.walk(|expr| match &expr.kind {
                ExprKind::Call(call) if call.callee.span == callee => found = Some(expr.span),
                _ => {}
            });
        }
    });
    found
}

fn code(text: &str) -> String {
    format!("```toy\n{text}\n```")
}

fn parts<const N: usize>(parts: [Option<String>; N]) -> String {
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}
