//! Requests and their answers.
//!
//! Input: a method and its parameters, as JSON. Output: the result as JSON. Invariant: parameters that do not fit the
//! method are an error of the request, and so is a document that is not open.

use crate::client::Client;
use crate::document::{DidChange, Document, path_of};
use crate::features::{
    View, actions, calls, completion, folding, formatting, hints, hover, lenses, navigation,
    rename, selection, signature, symbols, tokens,
};
use crate::names::Kind;
use crate::positions::Encoding;
use crate::server::{Server, State, cancelled_by, failed, refused};
use crate::settings::SECTION;
use crate::{commands, workspace};
use gen_lsp_types::*;
use lsp_server::{ErrorCode, Notification, RequestId, ResponseError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::PathBuf;
use std::rc::Rc;
use toy_diagnostics::source::Span;

/// The most symbols of a workspace that are listed.
const MAX_SYMBOLS: usize = 1_000;

impl Server {
    /// Answers a request; None: a worker will.
    ///
    /// # Errors
    ///
    /// If the request fails.
    pub fn dispatch(
        &mut self,
        id: &RequestId,
        method: &str,
        params: Value,
    ) -> Result<Option<Value>, ResponseError> {
        let Client { has_snippets, has_symbol_trees, has_document_changes, .. } = self.client;
        let result = match method {
            "textDocument/hover" => self.at(params, hover::hover),
            "textDocument/definition" => self.at(params, navigation::definition),
            "textDocument/typeDefinition" => self.at(params, navigation::type_definition),
            "textDocument/documentHighlight" => self.at(params, navigation::highlights),
            "textDocument/signatureHelp" => self.at(params, signature::help),
            "textDocument/completion" => {
                self.at(params, |view, at| completion::items(view, at, has_snippets))
            }
            "textDocument/references" => self.about(params, |view, params: ReferenceParams| {
                let at = params.text_document_position_params.position;
                Ok(navigation::references(view, at, params.context.include_declaration))
            }),
            "textDocument/prepareRename" => self
                .about(params, |view, at: TextDocumentPositionParams| {
                    rename::prepare(view, at.position)
                }),
            "textDocument/rename" => self.about(params, |view, params: RenameParams| {
                let at = params.text_document_position_params.position;
                let edits = rename::rename(view, at, &params.new_name)?;
                Ok(view.workspace_edit(edits, has_document_changes))
            }),
            "textDocument/documentSymbol" if has_symbol_trees => {
                self.of_whole(params, symbols::outline)
            }
            "textDocument/documentSymbol" => {
                self.of_whole(params, |view| symbols::list(view, |_| true))
            }
            "workspace/symbol" => {
                let WorkspaceSymbolParams { query, .. } = read(params)?;
                written(self.workspace_symbols(&query))
            }
            "textDocument/foldingRange" => self.of_whole(params, folding::ranges),
            "textDocument/selectionRange" => self
                .about(params, |view, params: SelectionRangeParams| {
                    Ok(selection::ranges(view, &params.positions))
                }),
            "textDocument/prepareCallHierarchy" => self.at(params, calls::prepare),
            "callHierarchy/incomingCalls" => self.about_item(params, calls::incoming),
            "callHierarchy/outgoingCalls" => self.about_item(params, calls::outgoing),
            "textDocument/semanticTokens/full" => {
                self.of_whole(params, |view| tokens::tokens(view, Span::new(0, view.text().len())))
            }
            "textDocument/semanticTokens/range" => {
                self.about(params, |view, params: SemanticTokensRangeParams| {
                    Ok(tokens::tokens(view, view.places().span(params.range)))
                })
            }
            "textDocument/inlayHint" => self.about(params, |view, params: InlayHintParams| {
                Ok(hints::hints(view, params.range))
            }),
            "textDocument/codeLens" => self.of_whole(params, lenses::lenses),
            "textDocument/codeAction" => self.about(params, |view, params: CodeActionParams| {
                Ok(actions::actions(view, &params, has_document_changes))
            }),
            "textDocument/formatting" => self.of_whole(params, formatting::format),
            "textDocument/rangeFormatting" => {
                self.about(params, |view, params: DocumentRangeFormattingParams| {
                    Ok(formatting::format_range(view, params.range))
                })
            }
            "workspace/executeCommand" => return self.execute(id, params),
            other => {
                let message = format!("there is no request `{other}`");
                Err(refused(ErrorCode::MethodNotFound, message))
            }
        };
        result.map(Some)
    }

    pub fn notification(&mut self, notification: Notification) {
        if let Some(id) = cancelled_by(&notification) {
            return self.cancel_command(&id);
        }
        let Notification { method, params } = notification;
        // Unknown notifications are ignored: a notification has no answer.
        match method.as_str() {
            "textDocument/didOpen" => {
                if let Ok(DidOpenTextDocumentParams { text_document: it }) = read(params) {
                    let key = it.uri.to_string();
                    let is_toy = it.language_id.to_string() != "mlir" && !key.ends_with(".mlir");
                    self.checks.forget(&key);
                    self.checks.note(&key);
                    let mut document = Document::new(it.uri, it.version, &it.text, is_toy);
                    document.configure(Rc::clone(&self.settings));
                    self.documents.insert(key, document);
                }
            }
            "textDocument/didChange" => {
                let Ok(DidChange { text_document: it, content_changes }) = read(params) else {
                    return;
                };
                let key = it.text_document_identifier.uri.as_ref();
                if let Some(document) = self.documents.get_mut(key) {
                    document.version = it.version;
                    document.change(&content_changes, self.client.encoding);
                    self.checks.note(key);
                }
            }
            "textDocument/didClose" => {
                let Ok(DidCloseTextDocumentParams { text_document }) = read(params) else { return };
                let uri = text_document.uri;
                self.checks.forget(uri.as_ref());
                if self.documents.remove(uri.as_ref()).is_some() {
                    let nothing = PublishDiagnosticsParams::new(uri, None, Vec::new());
                    self.notify("textDocument/publishDiagnostics", nothing);
                }
            }
            "initialized" => self.ask_for_settings(true),
            "workspace/didChangeConfiguration" => {
                let all = params.get("settings").unwrap_or(&Value::Null);
                match all.get(SECTION) {
                    Some(own) => self.configure(own),
                    None if self.client.has_settings => self.ask_for_settings(false),
                    // The settings of a client without sections.
                    None if all.as_object().is_some_and(|all| !all.is_empty()) => {
                        self.configure(all);
                    }
                    None => {}
                }
            }
            "workspace/didChangeWorkspaceFolders" => {
                let Ok(params) = read::<DidChangeWorkspaceFoldersParams>(params) else { return };
                let path = |folder: &WorkspaceFolder| path_of(&folder.uri);
                let removed: Vec<_> = params.event.removed.iter().filter_map(path).collect();
                self.client.folders.retain(|folder| !removed.contains(folder));
                self.client.folders.extend(params.event.added.iter().filter_map(path));
            }
            _ => {}
        }
    }

    /// Answers `initialize`.
    pub fn initialize(&mut self, params: &Value) -> Value {
        self.client = Client::new(params);
        self.state = State::Running;
        if let Some(client) = params["processId"].as_u64() {
            self.end_with(client);
        }
        self.configure(&params["initializationOptions"]);
        let version = env!("CARGO_PKG_VERSION");
        let server = json!({"name": "toyc", "version": version});
        json!({"capabilities": capabilities(self.client.encoding), "serverInfo": server})
    }

    /// Answers a request about a document.
    fn about<P: DeserializeOwned, R: Serialize>(
        &self,
        params: Value,
        feature: impl FnOnce(&View, P) -> Result<R, String>,
    ) -> Result<Value, ResponseError> {
        let TextDocumentIdentifier { uri } = read(params["textDocument"].clone())?;
        let document = self.documents.get(uri.as_ref()).ok_or_else(|| {
            refused(ErrorCode::InvalidParams, format!("the document `{uri}` is not open"))
        })?;
        let view = View::new(document, self.client.encoding);
        written(feature(&view, read(params)?).map_err(failed)?)
    }

    /// Answers a request about an item of the call hierarchy.
    fn about_item<R: Serialize>(
        &self,
        mut params: Value,
        feature: impl FnOnce(&View, &CallHierarchyItem) -> R,
    ) -> Result<Value, ResponseError> {
        let item: CallHierarchyItem = read(params["item"].take())?;
        let document = json!({"textDocument": {"uri": item.uri}});
        self.about(document, |view, _: Value| Ok(feature(view, &item)))
    }

    /// Answers a request about all of a document.
    fn of_whole<R: Serialize>(
        &self,
        params: Value,
        feature: impl FnOnce(&View) -> R,
    ) -> Result<Value, ResponseError> {
        self.about(params, |view, _: Value| Ok(feature(view)))
    }

    /// Answers a request about a position.
    fn at<R: Serialize>(
        &self,
        params: Value,
        feature: impl FnOnce(&View, Position) -> R,
    ) -> Result<Value, ResponseError> {
        self.about(params, |view, at: TextDocumentPositionParams| Ok(feature(view, at.position)))
    }

    fn execute(&mut self, id: &RequestId, params: Value) -> Result<Option<Value>, ResponseError> {
        let params: ExecuteCommandParams = read(params)?;
        let invalid = |message| refused(ErrorCode::InvalidParams, message);
        let arguments = params.arguments.unwrap_or_default();
        let (uri, what) =
            commands::question(&params.command, &arguments, &self.settings).map_err(invalid)?;
        let document = self.documents.get(&uri);
        let document = document.ok_or_else(|| invalid(format!("`{uri}` is not open")))?;
        let question = document.question(what);
        self.start_command(id, question)?;
        Ok(None)
    }

    fn workspace_symbols(&self, query: &str) -> Vec<SymbolInformation> {
        let open = self.documents.values().filter_map(|document| path_of(&document.uri));
        let open: HashSet<PathBuf> = open.collect();
        let others = workspace::documents(&self.client.folders, |path| open.contains(path));
        let open = self.documents.values().filter(|document| document.is_toy);
        let mut found = Vec::new();
        for document in open.chain(&others) {
            let view = View::new(document, self.client.encoding);
            found.extend(symbols::list(&view, |it| {
                let is_global = matches!(it.kind, Kind::Function | Kind::Struct | Kind::Field);
                is_global && symbols::matches(&it.name, query)
            }));
            if found.len() >= MAX_SYMBOLS {
                break;
            }
        }
        found.truncate(MAX_SYMBOLS);
        found
    }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, ResponseError> {
    serde_json::from_value(params)
        .map_err(|error| refused(ErrorCode::InvalidParams, error.to_string()))
}

fn written(result: impl Serialize) -> Result<Value, ResponseError> {
    serde_json::to_value(result)
        .map_err(|error| refused(ErrorCode::InternalError, error.to_string()))
}

/// The server's capabilities.
fn capabilities(encoding: Encoding) -> Value {
    json!({
        "positionEncoding": encoding.kind(),
        "textDocumentSync": {"openClose": true, "change": TextDocumentSyncKind::Incremental},
        "hoverProvider": true,
        "completionProvider": {"triggerCharacters": ["."]},
        "signatureHelpProvider": {"triggerCharacters": ["(", ",", "{"]},
        "definitionProvider": true,
        "typeDefinitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "codeActionProvider": {"codeActionKinds": [CodeActionKind::QuickFix]},
        "codeLensProvider": {"resolveProvider": false},
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "renameProvider": {"prepareProvider": true},
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "callHierarchyProvider": true,
        "executeCommandProvider": {"commands": commands::ALL},
        "semanticTokensProvider": {"legend": tokens::legend(), "range": true, "full": true},
        "inlayHintProvider": true,
        "workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}},
    })
}
