//! The facts that only the compiler knows about a program: shapes, specializations, the plan of its memory.
//!
//! Input: the answers of the worker, a process that compiles. Output: facts about spans of the text. Invariants:
//! facts stay true to the text while it is edited ([`Facts::edit`]): spans after an edit move, spans that
//! an edit touches are forgotten, and spans around it stay until the compiler knows better.

use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toy_diagnostics::Diagnostic;
use toy_diagnostics::source::Span;

/// A question for the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The name of the file in messages.
    pub name: String,
    /// The program.
    pub text: String,
    /// The options.
    #[serde(default)]
    pub settings: Settings,
    /// The kind of answer.
    pub what: What,
}

/// The kinds of questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum What {
    /// Errors and shapes, then the plan.
    Facts,
    /// The program at a stage, as text, or one function of it.
    Stage {
        /// The name that `-emit=` knows.
        stage: String,
        /// The function to show; None shows all.
        function: Option<String>,
        /// The level of optimization.
        level: u8,
    },
}

/// An answer of the worker, one line of JSON. A question has several.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The diagnostics that are not found without shapes, and the shapes.
    Shapes {
        /// The diagnostics that need shapes.
        diagnostics: Vec<Diagnostic>,
        /// The shapes; of a program with errors, as far as they are known.
        facts: Facts,
    },
    /// The bytes of the merged allocations, by function.
    Plan(Vec<Planned>),
    /// The text that was asked for.
    Text(String),
    /// The diagnostics, if there is no text.
    Failed(Vec<Diagnostic>),
}

/// A merged allocation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// The function of the program.
    pub function: String,
    /// Its size.
    pub bytes: u64,
    /// True if the callers pass the memory.
    pub is_workspace: bool,
}

/// The shapes of a program. Specializations and shapes are numbers: their places in the lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Each shape once, as messages write it: `2x3`, `scalar`.
    pub shapes: Vec<String>,
    /// `main` and the specializations that it reaches, callers before callees.
    pub specializations: Vec<Specialization>,
    /// The number of specializations of each function; there may be more than are listed.
    pub counts: BTreeMap<String, usize>,
    /// Sorted by their spans.
    pub values: Vec<Fact>,
    /// Sorted by their spans.
    pub calls: Vec<Called>,
}

/// A function for the shapes of its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Specialization {
    /// The function of the program.
    pub function: String,
    /// `f(2x3, scalar)`
    pub key: String,
    /// The shapes of the arguments.
    pub arguments: Vec<usize>,
    /// The shape of the result; None without a value, or if it is not known.
    pub result: Option<usize>,
    /// A call that leads to it from `main` in the fewest steps.
    pub caller: Option<Caller>,
}

/// A call of a specialization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Caller {
    /// The calling specialization.
    pub specialization: usize,
    /// The call; None if it was edited since.
    pub place: Option<Span>,
}

/// The shapes of a value, or of a variable at its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The value or the name.
    pub span: Span,
    /// Pairs of a specialization and the shape in it.
    pub shapes: Vec<(usize, usize)>,
}

/// The specializations that a call leads to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Called {
    /// The call.
    pub span: Span,
    /// The calling and the called specialization.
    pub by_whom: Vec<(usize, usize)>,
}

/// A replaced part of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The first byte of the old text.
    pub start: u32,
    /// The byte after it.
    pub end: u32,
    /// The length of the new text.
    pub length: u32,
    /// True if a name that ends before it is longer now.
    pub extends_before: bool,
    /// True if a name that starts after it is longer now.
    pub extends_after: bool,
}

impl Change {
    /// Where a span is after the change; None if the change touches one of its ends.
    pub fn moved(self, span: Span) -> Option<Span> {
        let Span { start, end } = span;
        let shift = |at: u32| at - self.end + self.start + self.length;
        if end < self.start || end == self.start && !self.extends_before {
            Some(span)
        } else if self.end < start || self.end == start && !self.extends_after {
            Some(Span { start: shift(start), end: shift(end) })
        } else if start < self.start && self.end < end {
            Some(Span { start, end: shift(end) })
        } else {
            None
        }
    }
}

impl Facts {
    /// The shapes at exactly this span.
    pub fn at(&self, span: Span) -> Option<&Fact> {
        let place = self.values.binary_search_by_key(&span, |fact| fact.span).ok()?;
        self.values.get(place)
    }

    /// The smallest span with shapes that contains another one.
    pub fn around(&self, span: Span) -> Option<&Fact> {
        let until = self.values.partition_point(|fact| fact.span.start <= span.start);
        let around = self.values[..until].iter().filter(|fact| span.end <= fact.span.end);
        around.min_by_key(|fact| fact.span.end - fact.span.start)
    }

    /// The specializations that the call at exactly this span leads to.
    pub fn called(&self, span: Span) -> Option<&Called> {
        let place = self.calls.binary_search_by_key(&span, |call| call.span).ok()?;
        self.calls.get(place)
    }

    /// A shape, by its number.
    pub fn shape(&self, index: usize) -> &str {
        self.shapes.get(index).map_or("?", String::as_str)
    }

    /// The different shapes of a fact, in the order of the specializations.
    pub fn different<'f>(&'f self, fact: &'f Fact) -> Vec<&'f str> {
        let mut different = Vec::new();
        for (_, shape) in &fact.shapes {
            let shape = self.shape(*shape);
            if !different.contains(&shape) {
                different.push(shape);
            }
        }
        different
    }

    /// The specializations of a function, by their numbers.
    pub fn of_function<'f>(
        &'f self,
        function: &'f str,
    ) -> impl Iterator<Item = (usize, &'f Specialization)> {
        let all = self.specializations.iter().enumerate();
        all.filter(move |(_, specialization)| specialization.function == function)
    }

    /// Moves the facts with the text.
    pub fn edit(&mut self, change: Change) {
        self.values.retain_mut(|fact| move_span(&mut fact.span, change));
        self.calls.retain_mut(|call| move_span(&mut call.span, change));
        // Spans that were different may have become equal, and their order another one.
        self.values.sort_by_key(|fact| fact.span);
        self.calls.sort_by_key(|call| call.span);
        for caller in self.specializations.iter_mut().flat_map(|it| &mut it.caller) {
            caller.place = caller.place.and_then(|place| change.moved(place));
        }
    }

    /// True if all numbers and spans are within bounds: the worker is another process.
    pub fn is_sound(&self, length: usize) -> bool {
        let count = self.specializations.len();
        let is_place = |span: Span| span.start <= span.end && span.end as usize <= length;
        let values = self.values.iter().all(|fact| {
            is_place(fact.span)
                && fact.shapes.iter().all(|(by, shape)| *by < count && *shape < self.shapes.len())
        });
        let calls = self.calls.iter().all(|call| {
            is_place(call.span)
                && call.by_whom.iter().all(|(by, called)| *by < count && *called < count)
        });
        // A caller precedes its callees: a chain of callers ends.
        let specializations = self.specializations.iter().enumerate().all(|(index, it)| {
            it.caller.as_ref().is_none_or(|caller| {
                caller.specialization < index && caller.place.is_none_or(is_place)
            })
        });
        values && calls && specializations
    }
}

/// Moves a span; false if the change touches one of its ends.
fn move_span(span: &mut Span, change: Change) -> bool {
    let moved = change.moved(*span);
    *span = moved.unwrap_or(*span);
    moved.is_some()
}

/// Moves the places of a diagnostic; None if the change touches its primary place.
pub fn edit_diagnostic(mut diagnostic: Diagnostic, change: Change) -> Option<Diagnostic> {
    if let Some(first) = diagnostic.labels.first() {
        change.moved(first.span)?;
    }
    diagnostic.labels.retain_mut(|label| move_span(&mut label.span, change));
    if let Some(help) = &mut diagnostic.help
        && !help.edits.iter_mut().all(|edit| move_span(&mut edit.span, change))
    {
        help.edits.clear();
    }
    Some(diagnostic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toy_diagnostics::codes;

    fn fact(start: u32, end: u32) -> Fact {
        Fact { span: Span { start, end }, shapes: vec![(0, 0)] }
    }

    #[test]
    fn facts_move_with_the_text() {
        let (extends_before, extends_after) = (true, true);
        let insert =
            |at, length| Change { start: at, end: at, length, extends_before, extends_after };
        let moved = |change: Change, start, end| {
            change.moved(Span { start, end }).map(|span| (span.start, span.end))
        };
        assert_eq!(moved(insert(5, 2), 1, 4), Some((1, 4)));
        assert_eq!(moved(insert(5, 2), 6, 8), Some((8, 10)));
        assert_eq!(moved(insert(5, 2), 1, 9), Some((1, 11)));
        // A letter at the end of a name, or before it, makes another name.
        assert_eq!(moved(insert(5, 2), 3, 5), None);
        assert_eq!(moved(insert(5, 2), 5, 7), None);
        // A blank does not.
        let blank = Change { extends_before: false, extends_after: false, ..insert(5, 1) };
        assert_eq!((moved(blank, 3, 5), moved(blank, 5, 7)), (Some((3, 5)), Some((6, 8))));
        let remove = Change { end: 6, ..insert(3, 0) };
        assert_eq!(moved(remove, 7, 9), Some((4, 6)));
        assert_eq!(moved(remove, 4, 9), None);
        assert_eq!(moved(remove, 3, 6), None);
        assert_eq!(moved(remove, 0, 3), None);
    }

    #[test]
    fn the_smallest_fact_is_found() {
        let mut facts = Facts {
            shapes: vec!["2x3".into()],
            values: vec![fact(0, 20), fact(2, 4), fact(2, 9), fact(10, 12)],
            ..Facts::default()
        };
        let around = |facts: &Facts, start, end| {
            facts.around(Span { start, end }).map(|fact| (fact.span.start, fact.span.end))
        };
        assert_eq!(around(&facts, 3, 3), Some((2, 4)));
        assert_eq!(around(&facts, 5, 6), Some((2, 9)));
        assert_eq!(around(&facts, 15, 16), Some((0, 20)));
        assert_eq!(around(&facts, 21, 22), None);
        assert_eq!(facts.at(Span::new(10, 12)), Some(&fact(10, 12)));
        let (extends_before, extends_after) = (false, false);
        facts.edit(Change { start: 9, end: 9, length: 5, extends_before, extends_after });
        assert_eq!(facts.values, [fact(0, 25), fact(2, 4), fact(2, 9), fact(15, 17)]);
    }

    #[test]
    fn facts_of_another_process_are_checked() {
        let facts =
            Facts { shapes: vec!["s".into()], values: vec![fact(0, 4)], ..Facts::default() };
        assert!(!facts.is_sound(9), "there is no specialization 0");
    }

    #[test]
    fn diagnostics_survive_the_way_between_processes() {
        let diagnostic = Diagnostic::error(codes::SHAPE_MISMATCH, "operands")
            .label(Span::new(1, 2), "here")
            .note("a note")
            .fix("do this", Span::new(3, 4), "x");
        let text = serde_json::to_string(&diagnostic).unwrap();
        assert_eq!(serde_json::from_str::<Diagnostic>(&text).unwrap(), diagnostic);
    }
}
