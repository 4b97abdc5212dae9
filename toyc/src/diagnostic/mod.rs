//! One type for everything toyc has to say, whoever found it: the parser, a pass of ours, MLIR,
//! the linker. Making a diagnostic and showing it are separate: stages return [`Diagnostic`]s,
//! only the driver renders them (see [`render`]).
//!
//! Invariants: every diagnostic has a code of the registry ([`codes`]); every label has a message
//! (ariadne drops multi-line labels without one); the first label is the primary place.

pub mod codes;
pub mod render;

use crate::source::Span;
pub use codes::Code;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// A place in the source and what is to be said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub span: Span,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// One sentence in the user's words, without a full stop.
    pub message: String,
    /// The primary place first; empty where there is no place (a missing file, say).
    pub labels: Vec<Label>,
    /// Facts that help to understand: the chain of calls, a name of another file.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
}

/// The result of a stage that may have several things to complain about; never `Err` and empty.
pub type Diagnosed<T> = Result<T, Vec<Diagnostic>>;

/// Lets `?` turn one diagnostic into a stage's list.
impl From<Diagnostic> for Vec<Diagnostic> {
    fn from(diagnostic: Diagnostic) -> Self {
        vec![diagnostic]
    }
}

impl Diagnostic {
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    pub fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
