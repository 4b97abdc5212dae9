//! Source text and diagnostics: one [`Diagnostic`] type for everything toyc reports, from the
//! parser, toyc's passes, MLIR or the linker. Stages return diagnostics; only the driver renders
//! them, as text for people (see [`render`]) or as JSON for programs (see [`json`]).
//!
//! Input: a [`Source`](source::Source), and the diagnostics that the stages of a compiler create.
//! Output: text or JSON. Invariants: every diagnostic has a code of the registry ([`codes`]);
//! every label has a message (ariadne drops multi-line labels without one); the first label is the
//! primary location; rendering cannot fail, whatever the source and the spans are.
//!
//! ```
//! use toy_diagnostics::render::{render, render_short};
//! use toy_diagnostics::source::{Source, Span};
//! use toy_diagnostics::{Diagnostic, codes};
//!
//! let source = Source::new("f.toy", "def main() {\n  print(a);\n}\n");
//! let diagnostic = Diagnostic::error(codes::UNKNOWN_VARIABLE, "there is no variable `a` here")
//!     .label(Span::new(21, 22), "not defined before this point");
//! assert_eq!(
//!     render_short(&[diagnostic.clone()], Some(&source)),
//!     "f.toy:2:9: error[E0201]: there is no variable `a` here\n"
//! );
//! let frame = render(&[diagnostic], Some(&source), false);
//! assert!(frame.contains("2 │   print(a);"), "{frame}");
//! ```
//!
//! Tutorial: chapter 2.

#![deny(missing_docs)]

pub mod codes;
pub mod json;
pub mod levels;
pub mod render;
pub mod source;
pub mod suggest;
pub mod text;

pub use codes::Code;
use serde::{Deserialize, Serialize};
use source::Span;

/// The severity of a diagnostic, most serious first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// The program is not compiled.
    Error,
    /// The program is compiled, but probably does not do what was intended.
    Warning,
    /// A pass's report of a change, or of a missed one.
    Remark,
    /// Further information from MLIR.
    Note,
}

impl Severity {
    /// The word that messages and JSON use: `error`, `warning`, `remark` or `note`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
            Severity::Note => "note",
        }
    }
}

/// A range of the source and a message about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// The range that is underlined.
    pub span: Span,
    /// The message for this range, without a full stop; never empty.
    pub message: String,
}

/// An error, a warning, a remark or a note, with the source locations it is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The kind of problem.
    pub code: Code,
    /// How serious it is.
    pub severity: Severity,
    /// The message, in terms of the user's program, without a full stop.
    pub message: String,
    /// The primary location first; empty without a location (about a missing file, say).
    pub labels: Vec<Label>,
    /// Further facts, such as the chain of calls.
    pub notes: Vec<String>,
    /// A suggestion for the user.
    pub help: Option<Help>,
}

/// A suggestion, in words and, if it is unambiguous, also as edits of the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Help {
    /// The suggestion, without a full stop.
    pub message: String,
    /// The edits to apply together, which do not overlap; empty if the suggestion is only words.
    pub edits: Vec<Edit>,
}

/// A replacement of a range of the source; an empty span is an insertion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// The range to replace.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

impl Edit {
    /// The edit that writes the text in place of the span.
    pub fn new(span: Span, replacement: impl Into<String>) -> Self {
        Self { span, replacement: replacement.into() }
    }
}

/// The help of an internal compiler error.
pub const REPORT: &str = "this is a bug in toyc, not in your program: please report it with the \
                          program, the command line, and what `toyc --version` prints";

/// The result of a stage that may report several diagnostics; an `Err` is never empty.
pub type Diagnosed<T> = Result<T, Vec<Diagnostic>>;

/// All values, or all errors.
///
/// # Errors
///
/// The errors, if there are any.
pub fn all<T>(results: impl IntoIterator<Item = Result<T, Diagnostic>>) -> Diagnosed<Vec<T>> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(errors) }
}

/// Lets `?` convert one diagnostic into a list.
impl From<Diagnostic> for Vec<Diagnostic> {
    fn from(diagnostic: Diagnostic) -> Self {
        vec![diagnostic]
    }
}

impl Diagnostic {
    /// An error without labels.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A warning without labels.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// A remark without labels.
    pub fn remark(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Remark, message)
    }

    /// An error about a request that this input does not support (E0004).
    pub fn not_available(message: impl Into<String>) -> Self {
        Self::error(codes::NOT_AVAILABLE, message)
    }

    /// The warning about an option that has no effect (W0110).
    pub fn no_effect(option: impl std::fmt::Display) -> Self {
        Self::warning(codes::IGNORED_OPTION, format!("`{option}` has no effect"))
    }

    /// An internal compiler error (E0900), with the request to report it.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::error(codes::INTERNAL, message).help(REPORT)
    }

    fn new(code: Code, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Adds a label; the first one is the primary location.
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets the help, in words only.
    pub fn help(self, message: impl Into<String>) -> Self {
        self.fixes(message, Vec::new())
    }

    /// Sets the help, with the one edit that follows it.
    pub fn fix(
        self,
        message: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Self {
        self.fixes(message, vec![Edit::new(span, replacement)])
    }

    /// Sets the help, with the edits that together follow it.
    pub fn fixes(mut self, message: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.help = Some(Help { message: message.into(), edits });
        self
    }
}
