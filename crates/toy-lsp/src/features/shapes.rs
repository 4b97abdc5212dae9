//! Shapes in words: of a value in each specialization, and how the program comes to that specialization.

use super::View;
use crate::facts::{Fact, Facts};
use toy_diagnostics::source::Span;

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
        // In `main` there is nothing to explain.
        return String::new();
    }
    let lines = fact
        .shapes
        .iter()
        .take(LISTED)
        .map(|(by, shape)| format!("- **{}** in {}", facts.shape(*shape), chain(view, *by)));
    let mut lines: Vec<String> = lines.collect();
    if let Some(more) = fact.shapes.len().checked_sub(LISTED).filter(|more| *more > 0) {
        lines.push(format!("- ... and in {more} more"));
    }
    lines.join("\n")
}

/// `f(2x3)`, called in line 7 by `g(3x2)`, called in line 12 by `main`.
pub fn chain(view: &View, specialization: usize) -> String {
    let facts = &view.document.facts;
    let mut text = format!("`{}`", facts.specializations[specialization].key);
    let mut current = specialization;
    for _ in 0..CALLS {
        let Some(caller) = &facts.specializations[current].caller else { return text };
        let line = caller.place.map(|(start, _)| format!(" in line {}", view.line(start)));
        current = caller.specialization;
        let name = &facts.specializations[current].key;
        text += &format!(", called{} by `{name}`", line.unwrap_or_default());
    }
    text + ", called by more"
}

/// What the calls at a span lead to: the specializations with the shapes of their results.
pub fn called(view: &View, span: Span) -> Option<String> {
    let facts = &view.document.facts;
    let called = facts.called(span)?;
    let mut lines: Vec<String> = Vec::new();
    for (_, called) in &called.by_whom {
        let specialization = &facts.specializations[*called];
        let result = specialization.result.map_or("no value", |shape| facts.shape(shape));
        let line = format!("- `{}` gives **{result}**", specialization.key);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let more = lines.len().saturating_sub(LISTED);
    lines.truncate(LISTED);
    if more > 0 {
        lines.push(format!("- ... and {more} more"));
    }
    Some(lines.join("\n"))
}

/// A sentence if the shapes are not those of the text as it is.
pub fn age(view: &View) -> Option<&'static str> {
    let has_errors = view.analysis.errors() > 0;
    (view.document.has_facts && has_errors)
        .then_some("These are the shapes of the last program without errors.")
}
