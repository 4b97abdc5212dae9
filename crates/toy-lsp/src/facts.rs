//! The facts that only the compiler knows about a program: shapes, specializations, the plan of its memory.
//!
//! Input: the answers of the worker, a process that compiles. Output: facts about spans of the text. Invariants:
//! facts stay true to the text while it is edited ([`Facts::edit`]): spans after an edit move, spans that
//! an edit touches are forgotten, and spans around it stay until the compiler knows better.

use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, Edit as FixEdit, Help, Label, Severity, codes};

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
        diagnostics: Vec<Message>,
        /// The shapes; of a program with errors, as far as they are known.
        facts: Facts,
    },
    /// The bytes of the merged allocations, by function.
    Plan(Vec<Planned>),
    /// The text that was asked for.
    Text(String),
    /// The diagnostics, if there is no text.
    Failed(Vec<Message>),
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
    pub place: Option<(u32, u32)>,
}

/// The shapes of a value, or of a variable at its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
    /// Pairs of a specialization and the shape in it.
    pub shapes: Vec<(usize, usize)>,
}

/// The specializations that a call leads to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Called {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
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
    pub fn moved(self, start: u32, end: u32) -> Option<(u32, u32)> {
        let shift = |at: u32| at - self.end + self.start + self.length;
        if end < self.start || end == self.start && !self.extends_before {
            Some((start, end))
        } else if self.end < start || self.end == start && !self.extends_after {
            Some((shift(start), shift(end)))
        } else if start < self.start && self.end < end {
            Some((start, shift(end)))
        } else {
            None
        }
    }
}

impl Facts {
    /// The shapes at exactly this span.
    pub fn at(&self, span: Span) -> Option<&Fact> {
        let place = self.values.binary_search_by_key(&span, |fact| fact.span()).ok()?;
        self.values.get(place)
    }

    /// The smallest span with shapes that contains another one.
    pub fn around(&self, span: Span) -> Option<&Fact> {
        let contains = |fact: &&Fact| fact.start <= span.start && span.end <= fact.end;
        let until = self.values.partition_point(|fact| fact.start <= span.start);
        self.values[..until].iter().filter(contains).min_by_key(|fact| fact.end - fact.start)
    }

    /// The specializations that the call at exactly this span leads to.
    pub fn called(&self, span: Span) -> Option<&Called> {
        let key = |call: &Called| Span { start: call.start, end: call.end };
        let place = self.calls.binary_search_by_key(&span, key).ok()?;
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
        self.values.retain_mut(|fact| replace(change, &mut fact.start, &mut fact.end));
        self.calls.retain_mut(|call| replace(change, &mut call.start, &mut call.end));
        // Spans that were different may have become equal, and their order another one.
        self.values.sort_by_key(Fact::span);
        self.calls.sort_by_key(|call| (call.start, call.end));
        for specialization in &mut self.specializations {
            if let Some(caller) = &mut specialization.caller {
                caller.place = caller.place.and_then(|(start, end)| change.moved(start, end));
            }
        }
    }

    /// True if all numbers and spans are within bounds: the worker is another process.
    pub fn is_sound(&self, length: usize) -> bool {
        let count = self.specializations.len();
        let is_place = |start: u32, end: u32| start <= end && end as usize <= length;
        let values = self.values.iter().all(|fact| {
            is_place(fact.start, fact.end)
                && fact.shapes.iter().all(|(by, shape)| *by < count && *shape < self.shapes.len())
        });
        let calls = self.calls.iter().all(|call| {
            is_place(call.start, call.end)
                && call.by_whom.iter().all(|(by, called)| *by < count && *called < count)
        });
        // A caller precedes its callees: a chain of callers ends.
        let specializations = self.specializations.iter().enumerate().all(|(index, it)| {
            it.caller.as_ref().is_none_or(|caller| caller.specialization < index)
                && it.caller.as_ref().and_then(|it| it.place).is_none_or(|(s, e)| is_place(s, e))
        });
        values && calls && specializations
    }
}

impl Fact {
    /// The span as the rest of the server has it.
    pub fn span(&self) -> Span {
        Span { start: self.start, end: self.end }
    }
}

fn replace(change: Change, start: &mut u32, end: &mut u32) -> bool {
    match change.moved(*start, *end) {
        Some(moved) => {
            (*start, *end) = moved;
            true
        }
        None => false,
    }
}

/// A [`Diagnostic`] on its way between processes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Message {
    code: String,
    severity: String,
    message: String,
    labels: Vec<Text>,
    notes: Vec<String>,
    help: Option<(String, Vec<Text>)>,
}

/// A span and its message or its replacement.
type Text = (u32, u32, String);

impl From<&Diagnostic> for Message {
    fn from(diagnostic: &Diagnostic) -> Self {
        let label = |label: &Label| (label.span.start, label.span.end, label.message.clone());
        let edit = |edit: &FixEdit| (edit.span.start, edit.span.end, edit.replacement.clone());
        let help =
            |help: &Help| (help.message.clone(), help.edits.iter().map(edit).collect::<Vec<_>>());
        Message {
            code: diagnostic.code.id.to_owned(),
            severity: diagnostic.severity.name().to_owned(),
            message: diagnostic.message.clone(),
            labels: diagnostic.labels.iter().map(label).collect(),
            notes: diagnostic.notes.clone(),
            help: diagnostic.help.as_ref().map(help),
        }
    }
}

impl From<Message> for Diagnostic {
    fn from(message: Message) -> Self {
        let code = codes::find(&message.code).unwrap_or(codes::INTERNAL);
        let severities =
            [Severity::Error, Severity::Warning, Severity::Remark, Severity::Note].into_iter();
        let severity = severities.into_iter().find(|known| known.name() == message.severity);
        let label = |(start, end, message)| Label { span: Span { start, end }, message };
        let edit = |(start, end, replacement)| FixEdit { span: Span { start, end }, replacement };
        let help = |(message, edits): (String, Vec<_>)| Help {
            message,
            edits: edits.into_iter().map(edit).collect(),
        };
        Diagnostic {
            code,
            severity: severity.unwrap_or(Severity::Error),
            message: message.message,
            labels: message.labels.into_iter().map(label).collect(),
            notes: message.notes,
            help: message.help.map(help),
        }
    }
}

/// Moves the places of a diagnostic; None if the change touches its primary place.
pub fn edit_diagnostic(mut diagnostic: Diagnostic, change: Change) -> Option<Diagnostic> {
    let first = diagnostic.labels.first().map(|label| label.span);
    if let Some(first) = first {
        change.moved(first.start, first.end)?;
    }
    let moved =
        |span: Span| change.moved(span.start, span.end).map(|(start, end)| Span { start, end });
    diagnostic.labels.retain_mut(|label| {
        let span = moved(label.span);
        label.span = span.unwrap_or(label.span);
        span.is_some()
    });
    let edits = diagnostic.help.iter_mut().flat_map(|help| &mut help.edits);
    let mut is_valid = true;
    for edit in edits {
        match moved(edit.span) {
            Some(span) => edit.span = span,
            None => is_valid = false,
        }
    }
    if let Some(help) = &mut diagnostic.help
        && !is_valid
    {
        help.edits.clear();
    }
    Some(diagnostic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(start: u32, end: u32) -> Fact {
        Fact { start, end, shapes: vec![(0, 0)] }
    }

    #[test]
    fn facts_move_with_the_text() {
        let (extends_before, extends_after) = (true, true);
        let insert =
            |at, length| Change { start: at, end: at, length, extends_before, extends_after };
        assert_eq!(insert(5, 2).moved(1, 4), Some((1, 4)));
        assert_eq!(insert(5, 2).moved(6, 8), Some((8, 10)));
        assert_eq!(insert(5, 2).moved(1, 9), Some((1, 11)));
        // A letter at the end of a name, or before it, makes another name.
        assert_eq!(insert(5, 2).moved(3, 5), None);
        assert_eq!(insert(5, 2).moved(5, 7), None);
        // A blank does not.
        let blank = Change { extends_before: false, extends_after: false, ..insert(5, 1) };
        assert_eq!((blank.moved(3, 5), blank.moved(5, 7)), (Some((3, 5)), Some((6, 8))));
        let remove = Change { end: 6, ..insert(3, 0) };
        assert_eq!(remove.moved(7, 9), Some((4, 6)));
        assert_eq!(remove.moved(4, 9), None);
        assert_eq!(remove.moved(3, 6), None);
        assert_eq!(remove.moved(0, 3), None);
    }

    #[test]
    fn the_smallest_fact_is_found() {
        let mut facts = Facts {
            shapes: vec!["2x3".into()],
            values: vec![fact(0, 20), fact(2, 4), fact(2, 9), fact(10, 12)],
            ..Facts::default()
        };
        let around = |facts: &Facts, start, end| {
            facts.around(Span { start, end }).map(|fact| (fact.start, fact.end))
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
        let text = serde_json::to_string(&Message::from(&diagnostic)).unwrap();
        let back: Message = serde_json::from_str(&text).unwrap();
        assert_eq!(Diagnostic::from(back), diagnostic);
    }
}
