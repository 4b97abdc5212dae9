//! The client: its capabilities, and the folders of its workspace.
//!
//! Input: the parameters of `initialize`. Output: a [`Client`]. Invariant: a capability that is missing or malformed is
//! one that the client does not have.

use crate::document::path_of;
use crate::positions::Encoding;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

/// The client's capabilities, and the folders of its workspace.
#[derive(Clone, Debug, Default)]
pub struct Client {
    pub encoding: Encoding,
    pub has_snippets: bool,
    pub has_symbol_trees: bool,
    /// True if it reads edits of versions of documents.
    pub has_document_changes: bool,
    pub refreshes_hints: bool,
    pub refreshes_lenses: bool,
    /// True if it can be asked for settings.
    pub has_settings: bool,
    /// True if it reports changed settings when it is asked to.
    pub registers_settings: bool,
    pub folders: Vec<PathBuf>,
}

impl Client {
    /// Reads the parameters of `initialize`.
    pub fn new(params: &Value) -> Self {
        let capability = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let has = |path: &str| capability(path).and_then(Value::as_bool).unwrap_or(false);
        let encodings = capability("general/positionEncodings").unwrap_or(&Value::Null);
        let folders = params["workspaceFolders"].as_array().map(Vec::as_slice).unwrap_or_default();
        let folders = folders.iter().filter_map(|folder| folder["uri"].as_str());
        let mut folders: Vec<PathBuf> = folders.filter_map(|uri| path_of(&uri.into())).collect();
        if folders.is_empty() {
            folders.extend(params["rootUri"].as_str().and_then(|root| path_of(&root.into())));
        }
        Self {
            encoding: Encoding::choose(&Vec::deserialize(encodings).unwrap_or_default()),
            has_snippets: has("textDocument/completion/completionItem/snippetSupport"),
            has_symbol_trees: has("textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            has_document_changes: has("workspace/workspaceEdit/documentChanges"),
            refreshes_hints: has("workspace/inlayHint/refreshSupport"),
            refreshes_lenses: has("workspace/codeLens/refreshSupport"),
            has_settings: has("workspace/configuration"),
            registers_settings: has("workspace/didChangeConfiguration/dynamicRegistration"),
            folders,
        }
    }
}
