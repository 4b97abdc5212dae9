//! What is wrong with a program, and where.

pub type Span = chumsky::span::SimpleSpan;

#[derive(Debug)]
pub struct Diagnostic {
    pub span: Span,
    pub message: String,
}

impl Diagnostic {
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into() }
    }

    /// The message, with its line.
    pub fn at(&self, file: &str, source: &str) -> String {
        let line = source[..self.span.start].matches('\n').count() + 1;
        format!("{file}:{line}: {}", self.message)
    }
}
