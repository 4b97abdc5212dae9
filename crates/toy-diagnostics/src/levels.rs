//! Which warnings there are to be, and which of them are errors: the options `-W`, `-D` and `-w`.
//!
//! Input: the options, in their order. Output: diagnostics without the warnings that are off, and with
//! those as errors that were asked to be. Invariants: what is no warning passes unchanged; of two options about
//! one warning the later one counts; that warnings are errors (`-Werror`) is a mode, as in gcc and
//! clang: it turns on no warning that is off.

use crate::{Code, Diagnostic, Severity, codes};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Off,
    On,
    Error,
}

/// What one option says.
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

/// What becomes of each warning. All are on by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Levels {
    /// Of the warnings that options name, by the number of their code.
    chosen: BTreeMap<&'static str, Level>,
    errors: bool,
}

impl Levels {
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
            // What `-D` has made an error stays one.
            Setting::WarnAll => self.chosen.retain(|_, level| *level == Level::Error),
            Setting::AllowAll => {
                self.chosen = codes::warnings().map(|code| (code.id, Level::Off)).collect();
            }
            Setting::Errors => self.errors = true,
            Setting::NoErrors => self.errors = false,
        }
    }

    /// The diagnostics as the options want them.
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

    /// What becomes of A and B.
    fn severities(settings: &[Setting]) -> [Option<Severity>; 2] {
        let levels = Levels::new(settings.iter().copied());
        [A, B].map(|code| levels.applied(Diagnostic::warning(code, "")).map(|d| d.severity))
    }

    #[test]
    fn later_options_win() {
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
    fn errors_stay() {
        let error = Diagnostic::error(codes::NO_MAIN, "");
        assert_eq!(Levels::new([AllowAll]).apply(vec![error.clone()]), [error]);
    }
}
