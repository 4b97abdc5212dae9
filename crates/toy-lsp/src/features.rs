//! Answers to editors about a document: one module for each kind of request.
//!
//! Input: a [`View`] of a document, and the parameters of a request. Output: the protocol's data. Invariants: a
//! feature changes nothing and never fails; it leaves out unknown facts.

pub mod actions;
pub mod calls;
pub mod completion;
pub mod diagnostics;
pub mod folding;
pub mod formatting;
pub mod hints;
pub mod hover;
pub mod lenses;
pub mod navigation;
pub mod rename;
pub mod selection;
pub mod shapes;
pub mod signature;
pub mod symbols;
pub mod tokens;

use crate::document::{Analysis, Document};
use crate::positions::{Encoding, Places};
use gen_lsp_types::{
    Location, MarkupContent, MarkupKind, OptionalVersionedTextDocumentIdentifier, Position, Range,
    TextDocumentEdit, TextDocumentIdentifier, TextEdit, WorkspaceEdit,
};
use std::collections::HashMap;
use std::rc::Rc;
use toy_diagnostics::source::Span;

/// A document at one moment.
pub struct View<'d> {
    pub document: &'d Document,
    pub analysis: Rc<Analysis>,
    pub encoding: Encoding,
}

impl<'d> View<'d> {
    pub fn new(document: &'d Document, encoding: Encoding) -> Self {
        Self { document, analysis: document.analysis(), encoding }
    }

    pub fn text(&self) -> &str {
        self.analysis.text()
    }

    pub fn places(&self) -> Places<'_> {
        self.analysis.places(self.encoding)
    }

    pub fn offset(&self, position: Position) -> u32 {
        self.places().offset(position)
    }

    pub fn range(&self, span: Span) -> Range {
        self.places().range(span)
    }

    pub fn location(&self, span: Span) -> Location {
        Location { uri: self.document.uri.clone(), range: self.range(span) }
    }

    /// Edits of this document: of this version of it, if the client reads that.
    pub fn workspace_edit(
        &self,
        edits: Vec<TextEdit>,
        has_document_changes: bool,
    ) -> WorkspaceEdit {
        let uri = self.document.uri.clone();
        if !has_document_changes {
            let changes = Some(HashMap::from([(uri, edits)]));
            return WorkspaceEdit { changes, ..WorkspaceEdit::default() };
        }
        let text_document = OptionalVersionedTextDocumentIdentifier {
            version: Some(self.document.version),
            text_document_identifier: TextDocumentIdentifier { uri },
        };
        let edits = edits.into_iter().map(Into::into).collect();
        let changes = vec![TextDocumentEdit { text_document, edits }.into()];
        WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() }
    }

    /// The line of an offset for readers, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.places().line(offset) + 1
    }

    /// The text of a line, from 0, without its end.
    pub fn line_text(&self, line: u32) -> &str {
        &self.text()[self.places().line_span(line).within(self.text())]
    }

    /// The text of a span in one line.
    pub fn snippet(&self, span: Span) -> String {
        let text = &self.text()[span.within(self.text())];
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// A text in Markdown.
fn markdown(value: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value }
}
