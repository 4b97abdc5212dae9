//! The open documents: their text, its analysis, and its changes.
//!
//! Input: the notifications of the client. Output: for each document an [`Analysis`] of its text, made when it is
//! first needed, and the [`Facts`] that the compiler last found. Invariants: an analysis is of the current text;
//! facts are about the last program that the compiler could read, moved with the text since.

use crate::facts::{Change, Facts, Planned, Question, What, edit_diagnostic};
use crate::names::Names;
use crate::positions::{Encoding, Places};
use crate::settings::Settings;
use crate::unfinished;
use gen_lsp_types::{Range, Uri, VersionedTextDocumentIdentifier};
use ropey::Rope;
use serde::Deserialize;
use std::cell::OnceCell;
use std::path::PathBuf;
use std::rc::Rc;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::{Diagnostic, Severity, codes};
use toy_syntax::ast::Module;
use toy_syntax::lexer;
use toy_syntax::token::Token;
use url::Url;

/// The longest text that is analyzed, in bytes: tens of thousands of lines.
pub const MAX_ANALYZED: usize = 1 << 20;

/// The result of analyzing a text without compiling it.
pub struct Analysis {
    pub source: Source,
    text: Rope,
    pub module: Module,
    pub names: Names,
    /// The settings for this file.
    pub settings: Settings,
    /// Errors, or warnings if there are no errors.
    pub diagnostics: Vec<Diagnostic>,
}

impl Analysis {
    pub fn new(name: &str, text: Rope, settings: &Settings) -> Self {
        let source = Source::new(name, &text);
        if source.text.len() > MAX_ANALYZED {
            let message = format!("a program of more than {MAX_ANALYZED} bytes is not analyzed");
            let diagnostic = Diagnostic::warning(codes::NOT_AVAILABLE, message)
                .label(Span::new(0, 0), "what is known of shorter programs is missing here")
                .help("`toyc check` has no such limit");
            return Self {
                source,
                text,
                module: Module::default(),
                names: Names::default(),
                settings: settings.clone(),
                diagnostics: vec![diagnostic],
            };
        }
        let tokens = lexer::lex(&source).0;
        let defines = |name: &str| {
            let mut pairs = tokens.windows(2).map(|pair| (pair[0].0, pair[1].0));
            pairs.any(|pair| pair == (Token::Def, Token::Identifier(name)))
        };
        let settings = settings.for_file(defines);
        let (module, mut diagnostics) = settings.analyze(&source);
        unfinished::tidy(&mut diagnostics, &tokens, &source.text);
        let names = Names::resolve(&module, &tokens);
        drop(tokens);
        Self { source, text, module, names, settings, diagnostics }
    }

    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// The tokens, without comments.
    pub fn tokens(&self) -> Vec<(Token<'_>, Span)> {
        if self.is_short_enough() { lexer::lex(&self.source).0 } else { Vec::new() }
    }

    /// The number of errors. Warnings do not count, whatever the settings make of them.
    pub fn errors(&self) -> usize {
        let errors = self.diagnostics.iter().filter(|it| it.severity == Severity::Error);
        errors.count()
    }

    pub fn places(&self, encoding: Encoding) -> Places<'_> {
        Places { text: &self.text, encoding }
    }

    /// True if the text is short enough to be analyzed and formatted.
    pub fn is_short_enough(&self) -> bool {
        self.text().len() <= MAX_ANALYZED
    }
}

/// The path of a `file:` URI, also of one that escapes less than RFC 3986 asks for.
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    Url::parse(uri.as_ref()).ok()?.to_file_path().ok()
}

/// Changes of a document, one after the other. (With the types of `gen_lsp_types`, a malformed range would be the whole
/// text.)
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DidChange {
    pub text_document: VersionedTextDocumentIdentifier,
    pub content_changes: Vec<Edit>,
}

/// A change; without a range, of the whole text.
#[derive(Deserialize)]
pub struct Edit {
    range: Option<Range>,
    text: String,
}

/// An open document.
pub struct Document {
    /// As the client writes it.
    pub uri: Uri,
    pub version: i32,
    pub text: Rope,
    /// True for programs in Toy: other documents are kept, without diagnostics.
    pub is_toy: bool,
    /// The compiler's facts about the last program that it could read.
    pub facts: Facts,
    /// True if the facts are about the current text.
    pub are_facts_current: bool,
    /// True if there have been facts.
    pub has_facts: bool,
    pub plan: Option<Vec<Planned>>,
    /// The diagnostics of the compiler about that program.
    pub compiled: Vec<Diagnostic>,
    pub settings: Rc<Settings>,
    /// The number of changes; a question is about the text at a revision.
    pub revision: u64,
    /// The changes since the worker was asked.
    pub since_asked: Vec<Change>,
    /// True if the facts are about a program without some statements.
    pub are_facts_of_part: bool,
    /// True if the last question left out the statements that have errors.
    pub is_part_asked: bool,
    analysis: OnceCell<Rc<Analysis>>,
}

impl Document {
    pub fn new(uri: Uri, version: i32, text: &str, is_toy: bool) -> Self {
        Self {
            uri,
            version,
            text: Rope::from(text),
            is_toy,
            facts: Facts::default(),
            are_facts_current: false,
            has_facts: false,
            plan: None,
            compiled: Vec::new(),
            settings: Rc::default(),
            revision: 0,
            since_asked: Vec::new(),
            are_facts_of_part: false,
            is_part_asked: false,
            analysis: OnceCell::new(),
        }
    }

    /// The name for messages: the path, or the URI if the document is not a file.
    pub fn name(&self) -> String {
        let path = path_of(&self.uri).and_then(|path| path.into_os_string().into_string().ok());
        path.unwrap_or_else(|| self.uri.to_string())
    }

    /// The question for the facts about the current text, or about the part of it that its errors do not touch.
    pub fn question_of_facts(&mut self) -> Question {
        self.is_part_asked = self.analysis().errors() > 0;
        self.question(What::Facts)
    }

    /// A question for a worker about the current text.
    pub fn question(&self, what: What) -> Question {
        let settings = self.analysis().settings.clone();
        Question { name: self.name(), text: self.text.to_string(), settings, what }
    }

    pub fn analysis(&self) -> Rc<Analysis> {
        let analyze = || {
            let text = if self.is_toy { self.text.clone() } else { Rope::new() };
            Rc::new(Analysis::new(&self.name(), text, &self.settings))
        };
        Rc::clone(self.analysis.get_or_init(analyze))
    }

    /// Takes other settings: the old facts were about another compilation.
    pub fn configure(&mut self, settings: Rc<Settings>) {
        self.settings = settings;
        self.analysis = OnceCell::new();
        self.revision += 1;
        self.are_facts_current = false;
        self.compiled.clear();
        self.plan = None;
    }

    /// Applies the changes of a notification, one after the other.
    pub fn change(&mut self, edits: &[Edit], encoding: Encoding) {
        for edit in edits {
            let span = match edit.range {
                Some(range) => Places { text: &self.text, encoding }.span(range),
                None => Span::new(0, self.text.len_bytes()),
            };
            self.replace(span, &edit.text);
        }
    }

    fn replace(&mut self, span: Span, text: &str) {
        let (start, end) = (span.start as usize, span.end as usize);
        let old = self.text.byte_slice(start..end).to_string();
        let mut change = smallest(&old, text, span.start);
        let start = self.text.byte_to_char(start);
        self.text.remove(start..start + old.chars().count());
        self.text.insert(start, text);
        let before = (change.start + change.length).checked_sub(1);
        change.extends_before = is_part_of_name(&self.text, change.start);
        change.extends_after = before.is_some_and(|before| is_part_of_name(&self.text, before));
        self.analysis = OnceCell::new();
        if change.start == change.end && change.length == 0 {
            return;
        }
        self.revision += 1;
        self.are_facts_current = false;
        self.since_asked.push(change);
        self.move_facts(change);
    }

    fn move_facts(&mut self, change: Change) {
        self.facts.edit(change);
        let compiled = std::mem::take(&mut self.compiled).into_iter();
        self.compiled = compiled.filter_map(|it| edit_diagnostic(it, change)).collect();
    }

    /// Takes the compiler's findings about the text at the time of the question.
    pub fn know(&mut self, facts: Facts, diagnostics: Vec<Diagnostic>, revision: u64) {
        // An error in shapes leaves many values without one: the previous facts are worth more.
        let is_whole = diagnostics.iter().all(|it| it.severity != Severity::Error);
        // In a part of a program, an error may follow from the text that was left out.
        let diagnostics = if self.is_part_asked { Vec::new() } else { diagnostics };
        let is_worth_more = is_whole || !self.has_facts;
        let is_current = is_worth_more && self.revision == revision;
        self.are_facts_current = is_current && !self.is_part_asked;
        if is_worth_more {
            self.has_facts |= is_whole;
            self.are_facts_of_part = self.is_part_asked;
            self.facts = facts;
        }
        self.compiled = diagnostics;
        for change in std::mem::take(&mut self.since_asked) {
            self.move_facts(change);
        }
    }

    /// All diagnostics, in source order.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        if !self.is_toy {
            return Vec::new();
        }
        let mut all = self.analysis().diagnostics.clone();
        all.extend(self.compiled.iter().cloned());
        toy_syntax::in_order_of_text(&mut all);
        self.settings.levels.apply(all)
    }
}

fn is_part_of_name(text: &Rope, offset: u32) -> bool {
    let byte = text.get_byte(offset as usize);
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The change without the equal parts at its ends: a client may send the whole text for one letter.
fn smallest(old: &str, new: &str, offset: u32) -> Change {
    let common = |(a, b): &(u8, u8)| a == b;
    let prefix = old.bytes().zip(new.bytes()).take_while(common).count();
    let rest = old.len().min(new.len()) - prefix;
    let suffix = old.bytes().rev().zip(new.bytes().rev()).take(rest).take_while(common).count();
    Change {
        start: offset + prefix as u32,
        end: offset + (old.len() - suffix) as u32,
        length: (new.len() - prefix - suffix) as u32,
        extends_before: false,
        extends_after: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gen_lsp_types::Position;

    fn document(text: &str) -> Document {
        Document::new("file:///a%20b.toy".into(), 1, text, true)
    }

    fn change(range: [u32; 4], text: &str) -> Edit {
        let [line, column, end_line, end_column] = range;
        let range = Range::new(Position::new(line, column), Position::new(end_line, end_column));
        Edit { range: Some(range), text: text.to_owned() }
    }

    #[test]
    fn changes_are_applied_one_after_the_other() {
        let mut document = document("a\u{1f600}b\nc");
        document.change(&[change([0, 3, 0, 4], "xy"), change([1, 0, 1, 0], "z")], Encoding::Utf16);
        assert_eq!(document.text, "a\u{1f600}xy\nzc");
        // Exchanged, after the end, inside of a character.
        document.change(&[change([9, 9, 0, 2], "!")], Encoding::Utf16);
        assert_eq!(document.text, "a!");
        let whole = Edit { range: None, text: "new".to_owned() };
        document.change(&[whole], Encoding::Utf16);
        assert_eq!(document.text, "new");
    }

    #[test]
    fn the_whole_text_for_one_letter_is_one_letter() {
        let smallest = |old, new, offset| {
            let change = smallest(old, new, offset);
            (change.start, change.end, change.length)
        };
        assert_eq!(smallest("abcd", "abxcd", 10), (12, 12, 1));
        assert_eq!(smallest("aaa", "aa", 0), (2, 3, 0));
        assert_eq!(smallest("", "x", 0), (0, 0, 1));
        assert_eq!(smallest("x", "x", 0), (1, 1, 0));
    }

    #[test]
    fn paths_of_uris() {
        let path = |uri: &str| path_of(&uri.into()).map(|path| path.display().to_string());
        assert_eq!(path("file:///a%20b.toy").as_deref(), Some("/a b.toy"));
        assert_eq!(path("file:///a b/\u{e9}%20[1]%.toy").as_deref(), Some("/a b/\u{e9} [1]%.toy"));
        assert_eq!(path("file://localhost/a%2/%zz").as_deref(), Some("/a%2/%zz"));
        assert_eq!(path("untitled:1"), None);
        let uri = Url::from_file_path("/a b/\u{e9}.toy").unwrap();
        assert_eq!(uri.as_str(), "file:///a%20b/%C3%A9.toy");
    }
}
