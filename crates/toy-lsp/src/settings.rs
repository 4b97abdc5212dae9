//! The user's settings, which mirror the options of the command line.
//!
//! Input: `initializationOptions`, `workspace/didChangeConfiguration`, or the answer to `workspace/configuration`.
//! Output: [`Settings`], and messages about unreadable settings. Invariant: an unreadable setting changes nothing else:
//! other settings count.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toy_diagnostics::Diagnostic;
use toy_diagnostics::levels::{Levels, Setting};
use toy_diagnostics::source::Source;
use toy_diagnostics::text::clipped;
use toy_syntax::ast::Module;

/// The section of an editor's settings that is about Toy.
pub const SECTION: &str = "toyc";

/// Each setting, with the matching option of the command line.
pub const KNOWN: [(&str, &str); 7] = [
    ("exports", "--export"),
    ("warnings", "-W"),
    ("deny", "-D"),
    ("optimizationLevel", "-O"),
    ("target", "--target"),
    ("cpu", "--cpu"),
    ("features", "--features"),
];

/// Settings of the section for the editor itself: the server that it starts, and its log.
pub const OF_EDITORS: [&str; 3] = ["path", "arguments", "trace"];

/// The settings; the default is `toyc check FILE` without options.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The arguments of `--export`. With any, a program needs no `main`.
    pub exports: Vec<String>,
    /// The level at which stages and plans are shown if a command does not give one: 0 to 3.
    pub optimization_level: u8,
    /// The triple of the machine to compile for; None is this one.
    pub target: Option<String>,
    /// The processor.
    pub cpu: Option<String>,
    /// Its features, as in `+avx2,-fma`.
    pub features: String,
    /// Which warnings are shown, and which as errors. Only the server applies them.
    #[serde(skip)]
    pub levels: Levels,
}

impl Settings {
    /// Reads the value of the section, or of an object that has the section. The second result has the errors.
    pub fn read(value: &Value) -> (Self, Vec<String>) {
        let mut reader = Reader { settings: Self::default(), problems: Vec::new() };
        match value.get(SECTION).unwrap_or(value) {
            Value::Null => {}
            Value::Object(all) => reader.all(all),
            _ => reader.problems.push("the settings of toyc are an object".to_owned()),
        }
        (reader.settings, reader.problems)
    }

    /// The settings for one file: a folder may have programs and libraries with different functions. If a file has
    /// neither `main` nor an exported function, all exports are kept, so that a misspelled one is reported.
    pub fn for_file(&self, is_defined: impl Fn(&str) -> bool) -> Self {
        let is_own = |export: &&String| function(export).is_none_or(&is_defined);
        let own: Vec<String> = self.exports.iter().filter(is_own).cloned().collect();
        let is_program = !own.is_empty() || is_defined("main");
        let exports = if is_program { own } else { self.exports.clone() };
        Self { exports, ..self.clone() }
    }

    /// The tree of a program or a library, with the errors and warnings that need no shapes.
    pub fn analyze(&self, source: &Source) -> (Module, Vec<Diagnostic>) {
        match self.is_library() {
            true => toy_syntax::analyze_library(source),
            false => toy_syntax::analyze(source),
        }
    }

    /// True if programs are libraries, which need no `main`.
    pub fn is_library(&self) -> bool {
        !self.exports.is_empty()
    }
}

struct Reader {
    settings: Settings,
    problems: Vec<String>,
}

impl Reader {
    fn all(&mut self, all: &Map<String, Value>) {
        let is_known = |key: &&String| {
            KNOWN.iter().any(|(name, _)| name == key) || OF_EDITORS.contains(&key.as_str())
        };
        for key in all.keys().filter(|key| !is_known(key)) {
            let names: Vec<_> = KNOWN.iter().map(|(name, _)| format!("`{name}`")).collect();
            let names = names.join(", ");
            self.problems
                .push(format!("there is no setting `{}`; there are {names}", clipped(key)));
        }
        self.settings.exports = self.texts(all, "exports");
        let mut levels = Vec::new();
        for (key, read) in
            [("warnings", Setting::warn as fn(&str) -> Option<Setting>), ("deny", Setting::deny)]
        {
            for text in self.texts(all, key) {
                match read(&text) {
                    Some(setting) => levels.push(setting),
                    None => self.problems.push(format!("`{key}`: no warning `{}`", clipped(&text))),
                }
            }
        }
        self.settings.levels = Levels::new(levels);
        let level = |value: &Value| value.as_u64().filter(|level| *level <= 3);
        let level = self.value(all, "optimizationLevel", "a number from 0 to 3", level);
        self.settings.optimization_level = level.unwrap_or(0) as u8;
        self.settings.target = self.text(all, "target");
        self.settings.cpu = self.text(all, "cpu");
        self.settings.features = self.texts(all, "features").join(",");
    }

    /// A value, if there is one that can be read.
    fn value<T>(
        &mut self,
        all: &Map<String, Value>,
        key: &str,
        kind: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = read(all.get(key).filter(|value| !value.is_null())?);
        if value.is_none() {
            let option = KNOWN.iter().find(|(name, _)| *name == key).map_or("", |(_, it)| *it);
            self.problems.push(format!("`{key}` is {kind}, as after `{option}`"));
        }
        value
    }

    /// A text; an empty one counts as none, for editors that always send one.
    fn text(&mut self, all: &Map<String, Value>, key: &str) -> Option<String> {
        let text =
            self.value(all, key, "a text", |value| Some(value.as_str()?.trim().to_owned()))?;
        Some(text).filter(|text| !text.is_empty())
    }

    /// A list of texts, or one.
    fn texts(&mut self, all: &Map<String, Value>, key: &str) -> Vec<String> {
        let texts = self.value(all, key, "a list of texts", |value| match value {
            Value::String(text) => Some(vec![text.clone()]),
            list => Vec::deserialize(list).ok(),
        });
        let texts = texts.unwrap_or_default().into_iter();
        texts.filter(|text: &String| !text.trim().is_empty()).collect()
    }
}

/// The function that an export names; None if it cannot be read.
fn function(export: &str) -> Option<&str> {
    let (call, _) = export.split_once('(')?;
    Some(call.rsplit('=').next().unwrap_or(call).trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toy_diagnostics::codes;

    #[test]
    fn settings_are_those_of_the_command_line() {
        let all = json!({"toyc": {"exports": ["f(2x3)"], "warnings": ["no-unused-variable"],
            "deny": "shadowing", "optimizationLevel": 2, "target": "aarch64-unknown-linux-gnu",
            "cpu": "", "features": ["+a", "-b"], "path": "/bin/toyc"}});
        let (settings, problems) = Settings::read(&all);
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(settings.exports, ["f(2x3)"]);
        assert_eq!((settings.optimization_level, settings.features.as_str()), (2, "+a,-b"));
        assert_eq!(settings.target.as_deref(), Some("aarch64-unknown-linux-gnu"));
        assert_eq!(settings.cpu, None);
        let levels = [Setting::Allow(codes::UNUSED_VARIABLE), Setting::Deny(codes::SHADOWING)];
        assert_eq!(settings.levels, Levels::new(levels));
        assert_eq!(Settings::read(&all["toyc"]).0, settings);
        assert_eq!(Settings::read(&json!(null)), (Settings::default(), Vec::new()));
    }

    #[test]
    fn a_file_has_the_exports_of_its_functions() {
        let all = json!({"exports": ["f(2x3)", "fast = f(2)", "g()", "h"], "target": "x"});
        let (settings, _) = Settings::read(&all);
        let of = |defined: &[&str]| settings.for_file(|name| defined.contains(&name)).exports;
        assert_eq!(of(&["f", "main"]), ["f(2x3)", "fast = f(2)", "h"]);
        assert_eq!(of(&["g"]), ["g()", "h"]);
        let settings = Settings { exports: vec!["f(2x3)".into()], ..settings };
        let of = |defined: &[&str]| settings.for_file(|name| defined.contains(&name));
        assert!(!of(&["main"]).is_library());
        assert_eq!(of(&["i"]), settings);
    }

    #[test]
    fn what_cannot_be_read_is_said_and_the_rest_counts() {
        let (settings, problems) = Settings::read(&json!({"exports": ["f()"], "export": "g()",
            "warnings": ["nothing", "error"], "optimizationLevel": 9, "target": 5, "cpu": [1],
            "features": [1]}));
        assert_eq!(problems.len(), 6, "{problems:?}");
        assert_eq!(settings.exports, ["f()"]);
        assert_eq!(settings.levels, Levels::new([Setting::Errors]));
        assert_eq!(settings.optimization_level, 0);
        assert_eq!(Settings::read(&json!([])).1.len(), 1);
    }
}
