//! Showing diagnostics on standard error, in the requested form.
//!
//! Input: diagnostics from any part of the process. Output: text for people, followed by a count and a
//! hint, or lines for programs and nothing else. Invariant: the hint appears once.

use super::progress;
use crate::cli::{Color, ErrorFormat, Form};
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use toy_diagnostics::source::Source;
use toy_diagnostics::text::counted;
use toy_diagnostics::{Diagnostic, Severity, json, render};

/// Diagnostics that end the work, and the text that they are about.
pub struct Failure {
    pub diagnostics: Vec<Diagnostic>,
    pub source: Option<Source>,
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics, source: None }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        vec![diagnostic].into()
    }
}

/// The form in which diagnostics of this process are shown.
pub struct Reporter {
    format: ErrorFormat,
    color: bool,
    has_hinted: AtomicBool,
}

impl Reporter {
    pub fn new(form: Form) -> Self {
        Self {
            format: form.error_format,
            color: use_color(form.color, &std::io::stderr()),
            has_hinted: AtomicBool::new(false),
        }
    }

    /// Shows diagnostics that belong together.
    pub fn show(&self, diagnostics: &[Diagnostic], source: Option<&Source>) {
        let text = self.text(diagnostics, source);
        // If standard error cannot be written, there is no other place to report that.
        let _ = progress::suspended(|| std::io::stderr().write_all(text.as_bytes()));
    }

    /// The text that [`Self::show`] shows.
    pub fn text(&self, diagnostics: &[Diagnostic], source: Option<&Source>) -> String {
        match self.format {
            ErrorFormat::Json => json::render_json(diagnostics, source),
            ErrorFormat::Short => render::render_short(diagnostics, source),
            ErrorFormat::Human => {
                let mut text = render::render(diagnostics, source, self.color);
                text.push_str(&summary(diagnostics));
                if !diagnostics.is_empty() && !self.has_hinted.swap(true, Ordering::Relaxed) {
                    text.push_str(&hint(diagnostics));
                }
                text
            }
        }
    }

    /// Shows a failure; returns the status as an exit code.
    pub fn fail(&self, failure: &Failure, status: u8) -> ExitCode {
        self.show(&failure.diagnostics, failure.source.as_ref());
        ExitCode::from(status)
    }

    /// Shows a line for people about the work as a whole.
    pub fn say(&self, line: &str) {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

/// A summary such as `2 errors, 1 warning`, unless there is only one.
fn summary(diagnostics: &[Diagnostic]) -> String {
    if diagnostics.len() < 2 {
        return String::new();
    }
    let count = |severity: Severity| {
        let count = diagnostics.iter().filter(|d| d.severity == severity).count();
        (count > 0).then(|| counted(count, severity.name()))
    };
    let counts: Vec<_> = [Severity::Error, Severity::Warning, Severity::Remark, Severity::Note]
        .into_iter()
        .filter_map(count)
        .collect();
    counts.join(", ") + "\n"
}

/// The command that explains the first error, or else the first warning.
fn hint(diagnostics: &[Diagnostic]) -> String {
    let Some(first) = diagnostics.iter().min_by_key(|d| d.severity) else { return String::new() };
    let what = match first.severity {
        Severity::Error => "an error",
        Severity::Warning => "a warning",
        Severity::Remark => "a remark",
        Severity::Note => "a note",
    };
    format!("For more about {what}, run `toyc --explain {}`.\n", first.code.id)
}

/// True if a stream is colored: `auto` decides as clap does for its own messages.
pub fn use_color(color: Color, stream: &impl RawStream) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => AutoStream::choice(stream) != ColorChoice::Never,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toy_diagnostics::codes::{LEFT_APART, NO_MAIN, SHADOWING, UNUSED_VARIABLE};

    #[test]
    fn the_summary_counts_and_the_hint_names_the_worst() {
        let error = || Diagnostic::error(NO_MAIN, "");
        let warning = || Diagnostic::warning(SHADOWING, "");
        assert_eq!(summary(&[error()]), "");
        assert_eq!(summary(&[warning(), error()]), "1 error, 1 warning\n");
        assert_eq!(summary(&[warning(), error(), error()]), "2 errors, 1 warning\n");
        assert_eq!(summary(&[warning(), warning()]), "2 warnings\n");
        let hinted = hint(&[Diagnostic::warning(UNUSED_VARIABLE, ""), error(), warning()]);
        assert_eq!(hinted, "For more about an error, run `toyc --explain E0208`.\n");
        let remark = || Diagnostic::remark(LEFT_APART, "");
        assert_eq!(summary(&[remark(), warning(), remark()]), "1 warning, 2 remarks\n");
        let hinted = hint(&[remark()]);
        assert_eq!(hinted, "For more about a remark, run `toyc --explain R0101`.\n");
        let hinted = hint(&[warning()]);
        assert_eq!(hinted, "For more about a warning, run `toyc --explain W0104`.\n");
    }
}
