//! One type for everything toyc has to say, whoever found it: the parser, a pass of ours, MLIR,
//! the linker. Making a diagnostic and showing it are separate: stages return [`Diagnostic`]s,
//! only the driver shows them, for people (see [`render`]) or for programs (see [`json`]).
//!
//! Invariants: every diagnostic has a code of the registry ([`codes`]); every label has a message
//! (ariadne drops multi-line labels without one); the first label is the primary place.
//!
//! Tutorial: chapter 2.

pub mod codes;
pub mod json;
pub mod levels;
pub mod render;
pub mod source;
pub mod suggest;
pub mod text;

pub use codes::Code;
use source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
    /// What a pass did, or could not do.
    Remark,
    /// What MLIR says without a judgement.
    Note,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
            Severity::Note => "note",
        }
    }
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
    pub help: Option<Help>,
}

/// Advice, in words and, where there is just one way to follow it, as changes of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Help {
    pub message: String,
    /// All to be made together, none touching another; empty where the words are all there is.
    pub edits: Vec<Edit>,
}

/// A part of the text and what to put there; an empty span is an insertion.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    pub span: Span,
    pub replacement: String,
}

/// What to do about a mistake of ours.
pub const REPORT: &str = "this is a bug in toyc, not in your program: please report it with the \
                          program, the command line, and what `toyc --version` prints";

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
        Self::new(code, Severity::Error, message)
    }

    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    pub fn remark(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Remark, message)
    }

    /// A mistake of toyc's own, with what the user can do about it.
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

    pub fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Advice in words only.
    pub fn help(self, message: impl Into<String>) -> Self {
        self.fixes(message, Vec::new())
    }

    /// Advice that one change of the text follows.
    pub fn fix(
        self,
        message: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Self {
        self.fixes(message, vec![Edit { span, replacement: replacement.into() }])
    }

    /// Advice that several changes together follow.
    pub fn fixes(mut self, message: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.help = Some(Help { message: message.into(), edits });
        self
    }
}
