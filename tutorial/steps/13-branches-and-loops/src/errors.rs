//! What is wrong with a program, where, and what helps.

use crate::source::Source;
use ariadne::{Color, Config, IndexType, Label, Report, ReportKind};
use std::io::IsTerminal;

pub type Span = chumsky::span::SimpleSpan;

#[derive(Debug)]
pub struct Diagnostic {
    pub span: Span,
    pub message: String,
    label: String,
    help: Option<String>,
}

impl Diagnostic {
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), label: "here".to_string(), help: None }
    }

    /// What is said at the place itself.
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: label.into(), ..self }
    }

    /// What to do about it.
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// "Did you mean" the candidate that is most like the name, if one is like it.
    pub fn suggest<'n>(
        self,
        name: &str,
        candidates: impl Iterator<Item = &'n str>,
    ) -> Self {
        let rated =
            candidates.map(|other| (strsim::damerau_levenshtein(name, other), other));
        match rated.min() {
            Some((changes, other)) if 3 * changes <= name.len() => {
                self.help(format!("did you mean `{other}`?"))
            }
            _ => self,
        }
    }

    /// Shows the diagnostic in the text of the program.
    pub fn print(&self, source: &Source) {
        let file = source.file.as_str();
        let span = || (file, self.span.into_range());
        let color = std::io::stderr().is_terminal();
        let config = Config::new().with_index_type(IndexType::Byte).with_color(color);
        let label = Label::new(span()).with_message(&self.label).with_color(Color::Red);
        let mut report = Report::build(ReportKind::Error, span())
            .with_config(config)
            .with_message(&self.message)
            .with_label(label);
        if let Some(help) = &self.help {
            report.set_help(help);
        }
        // If standard error is gone, there is no place left to say so.
        let _ = report.finish().eprint((file, ariadne::Source::from(&source.text)));
    }
}
