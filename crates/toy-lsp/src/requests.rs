//! Requests and their answers.
//!
//! Input: a method and its parameters, as JSON. Output: the result as JSON. Invariant: parameters that do not fit the
//! method are an error of the request, and so is a document that is not open.

use crate::commands;
use crate::document::Document;
use crate::features::{
    View, actions, completion, folding, formatting, hints, hover, lenses, navigation, rename,
    signature, symbols, tokens,
};
use crate::names::Kind;
use crate::positions::Encoding;
use crate::server::{Client, Problem, Server, State, cancelled_by};
use crate::settings::SECTION;
use crate::uris::path_of;
use crate::workspace;
use lsp_server::{ErrorCode, Notification, RequestId};
use lsp_types::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
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
    ) -> Result<Option<Value>, Problem> {
        let result = match method {
            "textDocument/hover" => self.at(params, hover::hover),
            "textDocument/definition" => self.at(params, navigation::definition),
            "textDocument/typeDefinition" => self.at(params, navigation::type_definition),
            "textDocument/documentHighlight" => self.at(params, navigation::highlights),
            "textDocument/signatureHelp" => self.at(params, signature::help),
            "textDocument/completion" => {
                let has_snippets = self.client.has_snippets;
                self.at(params, |view, at| completion::items(view, at, has_snippets))
            }
            "textDocument/references" => {
                let params: ReferenceParams = read(params)?;
                let TextDocumentPositionParams { text_document, position } =
                    params.text_document_position;
                let view = self.view(&text_document)?;
                let with_definition = params.context.include_declaration;
                written(navigation::references(&view, position, with_definition))
            }
            "textDocument/prepareRename" => {
                let TextDocumentPositionParams { text_document, position } = read(params)?;
                let prepared = rename::prepare(&self.view(&text_document)?, position);
                written(prepared.map_err(refused)?)
            }
            "textDocument/rename" => {
                let params: RenameParams = read(params)?;
                let TextDocumentPositionParams { text_document, position } =
                    params.text_document_position;
                let view = self.view(&text_document)?;
                let edits = rename::rename(&view, position, &params.new_name).map_err(refused)?;
                written(view.workspace_edit(edits, self.client.has_document_changes))
            }
            "textDocument/documentSymbol" => {
                let params: DocumentSymbolParams = read(params)?;
                let view = self.view(&params.text_document)?;
                match self.client.has_symbol_trees {
                    true => written(symbols::outline(&view)),
                    false => written(symbols::list(&view, |_| true)),
                }
            }
            "workspace/symbol" => {
                let params: WorkspaceSymbolParams = read(params)?;
                written(self.workspace_symbols(&params.query))
            }
            "textDocument/foldingRange" => {
                let params: FoldingRangeParams = read(params)?;
                written(folding::ranges(&self.view(&params.text_document)?))
            }
            "textDocument/semanticTokens/full" => {
                let params: SemanticTokensParams = read(params)?;
                let view = self.view(&params.text_document)?;
                written(semantic_tokens(&view, Span::new(0, view.text().len())))
            }
            "textDocument/semanticTokens/range" => {
                let params: SemanticTokensRangeParams = read(params)?;
                let view = self.view(&params.text_document)?;
                written(semantic_tokens(&view, view.places().span(params.range)))
            }
            "textDocument/inlayHint" => {
                let params: InlayHintParams = read(params)?;
                written(hints::hints(&self.view(&params.text_document)?, params.range))
            }
            "textDocument/codeLens" => {
                let params: CodeLensParams = read(params)?;
                written(lenses::lenses(&self.view(&params.text_document)?))
            }
            "textDocument/codeAction" => {
                let params: CodeActionParams = read(params)?;
                let has_document_changes = self.client.has_document_changes;
                let view = self.view(&params.text_document)?;
                written(actions::actions(&view, &params, has_document_changes))
            }
            "textDocument/formatting" => {
                let params: DocumentFormattingParams = read(params)?;
                written(formatting::format(&self.view(&params.text_document)?))
            }
            "textDocument/rangeFormatting" => {
                let params: DocumentRangeFormattingParams = read(params)?;
                let view = self.view(&params.text_document)?;
                written(formatting::format_range(&view, params.range))
            }
            "workspace/executeCommand" => return self.execute(id, params),
            other => {
                let message = format!("there is no request `{other}`");
                Err(Problem::new(ErrorCode::MethodNotFound, message))
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
                    let is_toy = it.language_id != "mlir" && !it.uri.as_str().ends_with(".mlir");
                    let key = it.uri.as_str().to_owned();
                    self.checks.forget(&key);
                    self.checks.note(&key);
                    let mut document = Document::new(it.uri, it.version, it.text, is_toy);
                    document.configure(Rc::clone(&self.settings));
                    self.documents.insert(key, document);
                }
            }
            "textDocument/didChange" => {
                let Ok(params) = read::<DidChangeTextDocumentParams>(params) else { return };
                let key = params.text_document.uri.as_str();
                if let Some(document) = self.documents.get_mut(key) {
                    document.version = params.text_document.version;
                    document.change(&params.content_changes, self.client.encoding);
                    self.checks.note(key);
                }
            }
            "textDocument/didClose" => {
                let Ok(params) = read::<DidCloseTextDocumentParams>(params) else { return };
                let uri = params.text_document.uri;
                self.checks.forget(uri.as_str());
                if self.documents.remove(uri.as_str()).is_some() {
                    let nothing = PublishDiagnosticsParams::new(uri, Vec::new(), None);
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
                let path =
                    |folder: &WorkspaceFolder| path_of(folder.uri.as_str()).map(PathBuf::from);
                let removed: Vec<_> = params.event.removed.iter().filter_map(path).collect();
                self.client.folders.retain(|folder| !removed.contains(folder));
                self.client.folders.extend(params.event.added.iter().filter_map(path));
            }
            _ => {}
        }
    }

    /// Answers `initialize`.
    ///
    /// # Errors
    ///
    /// If the parameters do not fit the request.
    pub fn initialize(&mut self, params: Value) -> Result<Value, Problem> {
        let root = params.get("rootUri").and_then(Value::as_str).and_then(path_of);
        let params: InitializeParams = read(params)?;
        let workspace = params.capabilities.workspace.as_ref();
        let document = params.capabilities.text_document.as_ref();
        let general = params.capabilities.general.as_ref();
        let encodings = general.and_then(|it| it.position_encodings.clone()).unwrap_or_default();
        let folders = params.workspace_folders.unwrap_or_default();
        let folders = folders.iter().filter_map(|folder| path_of(folder.uri.as_str()));
        let mut folders: Vec<PathBuf> = folders.map(PathBuf::from).collect();
        if folders.is_empty() {
            folders.extend(root.map(PathBuf::from));
        }
        let snippets = document
            .and_then(|it| it.completion.as_ref()?.completion_item.as_ref()?.snippet_support);
        let trees = document
            .and_then(|it| it.document_symbol.as_ref()?.hierarchical_document_symbol_support);
        let changes = workspace.and_then(|it| it.workspace_edit.as_ref()?.document_changes);
        let hints = workspace.and_then(|it| it.inlay_hint.as_ref()?.refresh_support);
        let lenses = workspace.and_then(|it| it.code_lens.as_ref()?.refresh_support);
        let settings = workspace.and_then(|it| it.configuration);
        let registers =
            workspace.and_then(|it| it.did_change_configuration.as_ref()?.dynamic_registration);
        self.client = Client {
            encoding: Encoding::choose(&encodings),
            has_snippets: snippets.unwrap_or(false),
            has_symbol_trees: trees.unwrap_or(false),
            has_document_changes: changes.unwrap_or(false),
            refreshes_hints: hints.unwrap_or(false),
            refreshes_lenses: lenses.unwrap_or(false),
            has_settings: settings.unwrap_or(false),
            registers_settings: registers.unwrap_or(false),
            folders,
        };
        self.state = State::Running;
        if let Some(client) = params.process_id {
            self.end_with(client);
        }
        self.configure(&params.initialization_options.unwrap_or_default());
        written(InitializeResult {
            capabilities: capabilities(self.client.encoding),
            server_info: Some(ServerInfo {
                name: "toyc".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        })
    }

    fn view(&self, document: &TextDocumentIdentifier) -> Result<View<'_>, Problem> {
        let uri = document.uri.as_str();
        let document = self.documents.get(uri).ok_or_else(|| {
            Problem::new(ErrorCode::InvalidParams, format!("the document `{uri}` is not open"))
        })?;
        Ok(View::new(document, self.client.encoding))
    }

    /// Answers a request about a position.
    fn at<R: Serialize>(
        &self,
        params: Value,
        feature: impl FnOnce(&View, Position) -> R,
    ) -> Result<Value, Problem> {
        let TextDocumentPositionParams { text_document, position } = read(params)?;
        written(feature(&self.view(&text_document)?, position))
    }

    fn execute(&mut self, id: &RequestId, params: Value) -> Result<Option<Value>, Problem> {
        let params: ExecuteCommandParams = read(params)?;
        let invalid = |message| Problem::new(ErrorCode::InvalidParams, message);
        let (uri, what) = commands::question(&params.command, &params.arguments, &self.settings)
            .map_err(invalid)?;
        let document = self.documents.get(&uri);
        let document = document.ok_or_else(|| invalid(format!("`{uri}` is not open")))?;
        let question = document.question(what);
        self.start_command(id, question)?;
        Ok(None)
    }

    fn workspace_symbols(&self, query: &str) -> Vec<SymbolInformation> {
        let others =
            workspace::documents(&self.client.folders, |uri| self.documents.contains_key(uri));
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

fn semantic_tokens(view: &View, span: Span) -> SemanticTokens {
    SemanticTokens { result_id: None, data: tokens::tokens(view, span) }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, Problem> {
    serde_json::from_value(params)
        .map_err(|error| Problem::new(ErrorCode::InvalidParams, error.to_string()))
}

fn written(result: impl Serialize) -> Result<Value, Problem> {
    serde_json::to_value(result)
        .map_err(|error| Problem::new(ErrorCode::InternalError, error.to_string()))
}

fn refused(message: String) -> Problem {
    Problem::new(ErrorCode::RequestFailed, message)
}

/// The server's capabilities.
fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let synchronization = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        ..TextDocumentSyncOptions::default()
    };
    let tokens = SemanticTokensOptions {
        legend: tokens::legend(),
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Bool(true)),
        ..SemanticTokensOptions::default()
    };
    let commands = commands::ALL.map(str::to_owned).to_vec();
    let strings = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect());
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(synchronization.into()),
        hover_provider: Some(true.into()),
        completion_provider: Some(CompletionOptions {
            trigger_characters: strings(&["."]),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: strings(&["(", ",", "{"]),
            ..SignatureHelpOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        type_definition_provider: Some(true.into()),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(
            CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
                ..CodeActionOptions::default()
            }
            .into(),
        ),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        folding_range_provider: Some(true.into()),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands,
            ..ExecuteCommandOptions::default()
        }),
        semantic_tokens_provider: Some(tokens.into()),
        inlay_hint_provider: Some(OneOf::Left(true)),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    }
}
