//! Shapes in words: the shape of a value in each specialization, and the calls that lead to that specialization.

use super::View;
use crate::facts::{Fact, Facts, Specialization};
use std::fmt::{self, Display, Formatter};
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, Severity};
use toy_syntax::ast::Function;

/// The most specializations that a text lists.
const LISTED: usize = 6;
/// The most calls of a chain that are shown.
const CALLS: usize = 8;
/// The most different shapes in a line of the program.
const BESIDE: usize = 3;

/// `2x3`, or `2x3 | 3x2 | ...` if specializations differ.
pub fn brief(facts: &Facts, fact: &Fact) -> String {
    let different = facts.different(fact);
    let more = if different.len() > BESIDE { " | ..." } else { "" };
    let shown = different.iter().take(BESIDE).copied().collect::<Vec<_>>();
    shown.join(" | ") + more
}

/// One line for each specialization: the shape in it, and the calls that lead there.
pub fn listed(view: &View, fact: &Fact) -> String {
    let facts = &view.document.facts;
    if let [(only, _)] = fact.shapes[..]
        && facts.specializations[only].caller.is_none()
    {
        // In `main` and in exported functions, there is nothing to explain.
        return String::new();
    }
    let shapes = fact.shapes.iter();
    let lines = shapes.map(|(by, shape)| {
        let shape = facts.shape(*shape);
        format!("- **{shape}** in {}", chain(view, *by))
    });
    list(lines, fact.shapes.len(), "and in")
}

/// The first of `count` lines, and the number of the others.
pub fn list(lines: impl Iterator<Item = String>, count: usize, and: &str) -> String {
    let mut lines: Vec<String> = lines.take(LISTED).collect();
    if count > lines.len() {
        lines.push(format!("- ... {and} {} more", count - lines.len()));
    }
    lines.join("\n")
}

/// `f(2x3)`, called in line 7 by `g(3x2)`, called by itself, called in line 12 by `main`.
pub fn chain(view: &View, specialization: usize) -> String {
    let facts = &view.document.facts;
    let mut text = format!("`{}`", facts.specializations[specialization].key);
    let mut current = specialization;
    if facts.specializations[current].caller.is_none() && view.analysis.settings.is_library() {
        text += ", exported";
    }
    let (mut shown, mut is_own) = (0, false);
    while shown < CALLS {
        let from = &facts.specializations[current];
        let Some(caller) = &from.caller else { return text };
        current = caller.specialization;
        let by = &facts.specializations[current];
        // The path through a recursion is not informative.
        if by.function == from.function {
            text += if is_own { "" } else { ", called by itself" };
            is_own = true;
            continue;
        }
        let line = caller.place.map(|place| format!(" in line {}", view.line(place.start)));
        text += &format!(", called{} by `{}`", line.unwrap_or_default(), by.key);
        (shown, is_own) = (shown + 1, false);
    }
    text + ", called by more"
}

/// The result of a specialization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned<'v> {
    /// A value of this shape.
    Shape(&'v str),
    Nothing,
    /// A value whose shape an error hides.
    Unknown,
}

impl Display for Returned<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Returned::Shape(shape) => shape,
            Returned::Nothing => "no value",
            Returned::Unknown => "not known",
        })
    }
}

pub fn returned<'v>(view: &'v View, specialization: &Specialization) -> Returned<'v> {
    let functions = &view.analysis.module.functions;
    let function = functions.iter().find(|it| it.name.text == specialization.function);
    let has_value = function.is_some_and(Function::has_result);
    match specialization.result {
        Some(shape) => Returned::Shape(view.document.facts.shape(shape)),
        None if has_value => Returned::Unknown,
        None => Returned::Nothing,
    }
}

/// The specializations that the calls at a span lead to, with the shapes of their results.
pub fn called(view: &View, span: Span) -> Option<String> {
    let facts = &view.document.facts;
    let called = facts.called(span)?;
    let mut lines: Vec<String> = Vec::new();
    for (_, called) in &called.by_whom {
        let specialization = &facts.specializations[*called];
        let key = &specialization.key;
        let line = match returned(view, specialization) {
            Returned::Unknown => format!("- the result of `{key}` is not known"),
            returned => format!("- `{key}` gives **{returned}**"),
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let count = lines.len();
    Some(list(lines.into_iter(), count, "and"))
}

/// A sentence if the shapes are older than the text.
pub fn age(view: &View) -> Option<String> {
    // If a program has wrong shapes, the previous shapes are kept.
    let is_error = |it: &Diagnostic| it.severity == Severity::Error;
    let has_errors = view.analysis.errors() > 0 || view.document.compiled.iter().any(is_error);
    let text = match view.document.are_facts_of_part {
        true => "These are the shapes without the statements that have errors.",
        false => "These are the shapes of the last program without errors.",
    };
    (view.document.has_facts && has_errors).then(|| text.to_owned())
}
