//! Lint levels: applies the options `-W`, `-D` and `-w` to warnings.
//!
//! Input: the options, in command-line order, and diagnostics. Output: the diagnostics without the
//! disabled warnings, and with denied warnings turned into errors. Invariants: all other
//! diagnostics pass through unchanged; the last option about a warning wins; "warnings are errors"
//! (`-Werror`) is a mode, as in gcc and clang: it does not enable a disabled warning.

use crate::{Code, Diagnostic, Severity, codes};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Off,
    On,
    Error,
}

/// One option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `-W NAME`
    Warn(Code),
    /// `-W no-NAME`
    Allow(Code),
    /// `-D NAME`
    Deny(Code),
    /// `-W all`
    WarnAll,
    /// `-W no-all` and `-w`
    AllowAll,
    /// `-W error` and `-D warnings`
    Errors,
    /// `-W no-error`
    NoErrors,
}

impl Setting {
    /// The setting after `-W`, with names or codes of warnings; None if there is no such warning.
    pub fn warn(text: &str) -> Option<Self> {
        match text {
            "all" => Some(Setting::WarnAll),
            "no-all" => Some(Setting::AllowAll),
            "error" => Some(Setting::Errors),
            "no-error" => Some(Setting::NoErrors),
            _ => match text.strip_prefix("no-") {
                Some(name) => warning(name).map(Setting::Allow),
                None => warning(text).map(Setting::Warn),
            },
        }
    }

    /// The setting after `-D`.
    pub fn deny(text: &str) -> Option<Self> {
        match text {
            "warnings" => Some(Setting::Errors),
            name => warning(name).map(Setting::Deny),
        }
    }
}

fn warning(name: &str) -> Option<Code> {
    codes::warnings().find(|code| code.lint == Some(name) || code.id == name)
}

/// The level of each warning. All are on by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Levels {
    /// The levels of the warnings that options name, by code.
    chosen: BTreeMap<&'static str, Level>,
    errors: bool,
}

impl Levels {
    /// The levels after all the options, in order.
    pub fn new(settings: impl IntoIterator<Item = Setting>) -> Self {
        let mut levels = Levels::default();
        settings.into_iter().for_each(|setting| levels.set(setting));
        levels
    }

    fn set(&mut self, setting: Setting) {
        match setting {
            Setting::Warn(code) => drop(self.chosen.insert(code.id, Level::On)),
            Setting::Allow(code) => drop(self.chosen.insert(code.id, Level::Off)),
            Setting::Deny(code) => drop(self.chosen.insert(code.id, Level::Error)),
            // A warning denied by `-D` stays an error.
            Setting::WarnAll => self.chosen.retain(|_, level| *level == Level::Error),
            Setting::AllowAll => {
                self.chosen = codes::warnings().map(|code| (code.id, Level::Off)).collect();
            }
            Setting::Errors => self.errors = true,
            Setting::NoErrors => self.errors = false,
        }
    }

    /// Removes disabled warnings and turns denied ones into errors.
    pub fn apply(&self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        diagnostics.into_iter().filter_map(|diagnostic| self.applied(diagnostic)).collect()
    }

    fn applied(&self, diagnostic: Diagnostic) -> Option<Diagnostic> {
        if diagnostic.severity != Severity::Warning {
            return Some(diagnostic);
        }
        let severity = match self.chosen.get(diagnostic.code.id) {
            Some(Level::Off) => return None,
            Some(Level::Error) => Severity::Error,
            _ if self.errors => Severity::Error,
            _ => Severity::Warning,
        };
        Some(Diagnostic { severity, ..diagnostic })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Setting::*;

    const A: Code = codes::UNUSED_VARIABLE;
    const B: Code = codes::SHADOWING;

    /// The severities of A and B; `None` for a removed warning.
    fn severities(settings: &[Setting]) -> [Option<Severity>; 2] {
        let levels = Levels::new(settings.iter().copied());
        [A, B].map(|code| levels.applied(Diagnostic::warning(code, "")).map(|d| d.severity))
    }

    #[test]
    fn the_last_option_wins() {
        let (off, on, error) = (None, Some(Severity::Warning), Some(Severity::Error));
        let table: &[(&[Setting], _)] = &[
            (&[], [on, on]),
            (&[Allow(A)], [off, on]),
            (&[Allow(A), Warn(A)], [on, on]),
            (&[Deny(A)], [error, on]),
            (&[Deny(A), Warn(A)], [on, on]),
            (&[Deny(A), Allow(A)], [off, on]),
            (&[AllowAll], [off, off]),
            (&[AllowAll, Warn(B)], [off, on]),
            (&[Warn(B), AllowAll], [off, off]),
            (&[AllowAll, WarnAll], [on, on]),
            (&[Deny(A), WarnAll], [error, on]),
            (&[Errors], [error, error]),
            (&[Errors, WarnAll], [error, error]),
            (&[Errors, NoErrors], [on, on]),
            (&[Allow(A), Errors], [off, error]),
            (&[Errors, Allow(A)], [off, error]),
            (&[AllowAll, Errors], [off, off]),
        ];
        for (settings, expected) in table {
            assert_eq!(severities(settings), *expected, "{settings:?}");
        }
    }

    #[test]
    fn errors_are_never_removed() {
        let error = Diagnostic::error(codes::NO_MAIN, "");
        assert_eq!(Levels::new([AllowAll]).apply(vec![error.clone()]), [error]);
    }
}
