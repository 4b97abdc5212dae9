//! `--verify-diagnostics`: compares the reported messages with the messages that comments expect.
//!
//! Input: the text with comments as in `f()  // expected-error {{part of the text}}`, and all messages. Output:
//! diagnostics about missing and unexpected messages; none if all is as expected. The comments have MLIR's syntax:
//!
//! ```text
//! expected-(error|warning|note|remark)[-re] [@+N|@-N|@above|@below|@unknown] [COUNT] {{TEXT}}
//! ```
//!
//! TEXT is part of the message; with `-re`, each `{{...}}` inside it is a regular expression.
//! Without COUNT, the message is reported at least once. Invariant: a comment that begins like an
//! expectation and is not a valid one is an error, not a comment.

use clap::ValueEnum;
use mlir_support::Locations;
use mlir_support::session::{DiagnosticSeverity, MlirDiagnostic};
use regex_lite::Regex;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::{Diagnostic, Severity, codes};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Strictness {
    /// Every message must be expected.
    All,
    OnlyExpected,
}

const SEVERITIES: [Severity; 4] =
    [Severity::Error, Severity::Warning, Severity::Note, Severity::Remark];

/// A message that was reported.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub severity: Severity,
    pub text: String,
    /// None if its location is not in the input.
    pub span: Option<Span>,
    /// True if it may be reported without being expected: our labels and notes, which explain an error.
    pub is_optional: bool,
}

/// Compares the expectations of a text with the reported messages.
pub fn compare(source: &Source, reported: &[Message], strictness: Strictness) -> Vec<Diagnostic> {
    let (mut expectations, mut errors) = expectations(source);
    for message in reported {
        let line = message.span.map(|span| source.line_column(span.start).line);
        let fits = |e: &&mut Expectation| e.line == line && e.pattern.matches(&message.text);
        let mut near = None;
        let mut found = false;
        for expectation in expectations.iter_mut().filter(fits) {
            if expectation.severity != message.severity {
                near = Some(expectation.span);
            } else if expectation.count.is_none_or(|count| expectation.seen < count) {
                expectation.seen += 1;
                found = true;
                break;
            }
        }
        if !found && !message.is_optional && strictness == Strictness::All {
            errors.push(unexpected(message, near));
        }
    }
    errors.extend(expectations.iter().filter(|e| !e.is_met()).map(Expectation::unmet));
    errors
}

/// The messages of a diagnostic of MLIR, its notes included.
pub fn of_mlir(reported: &MlirDiagnostic, locations: &Locations) -> Vec<Message> {
    let span = |place: &Option<_>| place.as_ref().and_then(|place| locations.span_of_place(place));
    let severity = match reported.severity {
        DiagnosticSeverity::Error => Severity::Error,
        DiagnosticSeverity::Warning => Severity::Warning,
        DiagnosticSeverity::Note => Severity::Note,
        DiagnosticSeverity::Remark => Severity::Remark,
    };
    let first = message(severity, &reported.message, span(&reported.place), false);
    let note = |(text, place): &(String, _)| message(Severity::Note, text, span(place), false);
    std::iter::once(first).chain(reported.notes.iter().map(note)).collect()
}

/// The messages of a diagnostic of ours; its explanations count as notes.
pub fn of_ours(reported: &Diagnostic) -> Vec<Message> {
    let span = reported.labels.first().map(|label| label.span);
    let mut messages = vec![message(reported.severity, &reported.message, span, false)];
    let note = |text: &str, span| message(Severity::Note, text, span, true);
    messages.extend(reported.labels.iter().map(|label| note(&label.message, Some(label.span))));
    messages.extend(reported.notes.iter().map(|text| note(text, span)));
    messages.extend(reported.help.iter().map(|help| note(&help.message, span)));
    messages
}

fn message(severity: Severity, text: &str, span: Option<Span>, is_optional: bool) -> Message {
    Message { severity, text: text.to_owned(), span, is_optional }
}

fn unexpected(message: &Message, near: Option<Span>) -> Diagnostic {
    let text = message.text.lines().next().unwrap_or_default();
    let what = format!("unexpected {}: {text}", message.severity.name());
    let mut diagnostic = Diagnostic::error(codes::NOT_AS_EXPECTED, what);
    diagnostic = match message.span {
        Some(span) => diagnostic.label(span, "reported here"),
        None => diagnostic.note("it has no location in the input"),
    };
    match near {
        Some(span) => {
            diagnostic.label(span, "this text is expected here, but with another severity")
        }
        None => diagnostic,
    }
}

struct Expectation {
    severity: Severity,
    /// None: without a location in the input.
    line: Option<u32>,
    count: Option<usize>,
    pattern: Pattern,
    seen: usize,
    /// The span of the comment.
    span: Span,
}

impl Expectation {
    fn is_met(&self) -> bool {
        self.count.map_or(self.seen > 0, |count| self.seen == count)
    }

    fn unmet(&self) -> Diagnostic {
        let message = match self.count {
            Some(count) => format!(
                "the expected {} was reported {} instead of {count} times",
                self.severity.name(),
                self.seen
            ),
            None => format!("the expected {} was not reported", self.severity.name()),
        };
        let diagnostic = Diagnostic::error(codes::NOT_AS_EXPECTED, message);
        let line = match self.line {
            Some(line) => format!("expected on line {line}"),
            None => "expected without a location".to_owned(),
        };
        diagnostic.label(self.span, line)
    }
}

enum Pattern {
    Part(String),
    Regex(Regex),
}

impl Pattern {
    fn matches(&self, text: &str) -> bool {
        match self {
            Pattern::Part(part) => text.contains(part.as_str()),
            Pattern::Regex(regex) => regex.is_match(text),
        }
    }

    /// Text in which `{{...}}` are regular expressions.
    fn regex(text: &str) -> Result<Self, String> {
        let mut pattern = String::new();
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once("{{") {
            let (expression, after) = after.split_once("}}").ok_or("a `{{` has no `}}`")?;
            pattern.push_str(&format!("{}(?:{expression})", regex_lite::escape(literal)));
            rest = after;
        }
        pattern.push_str(&regex_lite::escape(rest));
        Regex::new(&pattern).map(Pattern::Regex).map_err(|error| error.to_string())
    }
}

/// The expectations of a text, and diagnostics about invalid ones.
fn expectations(source: &Source) -> (Vec<Expectation>, Vec<Diagnostic>) {
    let mut found: Vec<Expectation> = Vec::new();
    let mut errors = Vec::new();
    // The last line without an expectation, and the expectations that wait for the next one.
    let (mut above, mut below) = (None, Vec::new());
    let mut start = 0;
    for (number, line) in (1..).zip(source.text.split_inclusive('\n')) {
        let mut has_any = false;
        let mut at = 0;
        while let Some(index) = line[at..].find("expected-").map(|index| at + index) {
            let length = next(&line[index + 1..]).map_or(line.len() - index, |next| next + 1);
            at = index + length;
            let text = line[index..at].trim_end();
            let span = Span::new(start + index, start + index + text.len());
            match read(text) {
                None => continue,
                Some(Err(why)) => errors.push(unreadable(span, &why)),
                Some(Ok(Read { severity, target, count, pattern })) => {
                    let line = match target {
                        Target::Offset(offset) => {
                            u32::try_from(i64::from(number) + offset).ok().filter(|line| *line > 0)
                        }
                        Target::Above => above,
                        Target::Unknown | Target::Below => None,
                    };
                    if target == Target::Below {
                        below.push(found.len());
                    } else if line.is_none() && target != Target::Unknown {
                        errors.push(unreadable(span, "there is no such line"));
                    }
                    found.push(Expectation { severity, line, count, pattern, seen: 0, span });
                }
            }
            has_any = true;
        }
        if !has_any {
            above = Some(number);
            below.drain(..).for_each(|index: usize| found[index].line = Some(number));
        }
        start += line.len();
    }
    for index in below {
        errors.push(unreadable(found[index].span, "there is no line below"));
    }
    (found, errors)
}

/// The start of the next expectation on a line.
fn next(line: &str) -> Option<usize> {
    let is_one = |index: &usize| read(&line[*index..]).is_some();
    line.match_indices("expected-").map(|(index, _)| index).find(is_one)
}

fn unreadable(span: Span, why: &str) -> Diagnostic {
    let message = format!("invalid expectation: {why}");
    Diagnostic::error(codes::NOT_AS_EXPECTED, message)
        .label(span, "this one")
        .help("write it like this: // expected-error @+1 {{part of the text}}")
}

#[derive(Clone, Copy, PartialEq)]
enum Target {
    Offset(i64),
    Above,
    Below,
    Unknown,
}

struct Read {
    severity: Severity,
    target: Target,
    count: Option<usize>,
    pattern: Pattern,
}

/// Reads text that begins with `expected-`; None if it is an ordinary word.
fn read(text: &str) -> Option<Result<Read, String>> {
    let rest = text.strip_prefix("expected-")?;
    let severity = SEVERITIES.into_iter().find(|severity| rest.starts_with(severity.name()))?;
    let rest = &rest[severity.name().len()..];
    let (is_regex, rest) = match rest.strip_prefix("-re") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    Some(read_after_severity(severity, is_regex, rest))
}

fn read_after_severity(severity: Severity, is_regex: bool, text: &str) -> Result<Read, String> {
    let (head, text) = text.split_once("{{").ok_or("it has no `{{`")?;
    // The last one: `}}` of regular expressions are inside.
    let (text, _) = text.rsplit_once("}}").ok_or("it has no `}}`")?;
    let (mut target, mut count) = (Target::Offset(0), None);
    for word in head.split_whitespace() {
        match word.strip_prefix('@') {
            Some("above") => target = Target::Above,
            Some("below") => target = Target::Below,
            Some("unknown") => target = Target::Unknown,
            Some(offset) if offset.starts_with(['+', '-']) => {
                let lines =
                    offset.parse::<i32>().map_err(|_| format!("`@{offset}` is not a line"))?;
                target = Target::Offset(lines.into());
            }
            Some(other) => return Err(format!("`@{other}` is not a line")),
            None => {
                let number = word.parse().map_err(|_| format!("`{word}` is not a number"))?;
                count = Some(number);
            }
        }
    }
    let pattern = if is_regex { Pattern::regex(text)? } else { Pattern::Part(text.to_owned()) };
    Ok(Read { severity, target, count, pattern })
}

#[cfg(test)]
mod tests;
