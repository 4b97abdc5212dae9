// A window of VS Code without VS Code: as much of its interface as the extension and its client use.
//
// Input: the address and the text of the one document that is open, and settings. Output: the extension, `vscode` as it
// sees it, `log`, what it did, and `restore`, which opens the editor of an earlier window. What is not here does nothing:
// events never happen, and registrations are forgotten.

'use strict';

const Module = require('node:module');
const path = require('node:path');
const { pathToFileURL, fileURLToPath } = require('node:url');

class Uri {
  constructor(parts) {
    Object.assign(this, { scheme: '', authority: '', path: '', query: '', fragment: '' }, parts);
  }
  static parse(text) {
    const url = new URL(text);
    return new Uri({ scheme: url.protocol.slice(0, -1), authority: url.host, path: decodeURIComponent(url.pathname) });
  }
  static file(path) {
    return new Uri({ scheme: 'file', path });
  }
  static from(parts) {
    return new Uri(parts);
  }
  get fsPath() {
    return this.scheme === 'file' ? fileURLToPath(pathToFileURL(this.path)) : this.path;
  }
  with(parts) {
    return new Uri({ ...this, ...parts });
  }
  toString() {
    const query = this.query === '' ? '' : `?${encodeURIComponent(this.query)}`;
    return `${this.scheme}://${this.authority}${encodeURI(this.path)}${query}`;
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(start, end) {
    Object.assign(this, { start, end });
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class SnippetString {
  constructor(value) {
    this.value = value;
  }
}

class CompletionItem {
  constructor(label, kind) {
    Object.assign(this, { label, kind });
  }
}

class CompletionList {
  constructor(items, isIncomplete) {
    Object.assign(this, { items, isIncomplete });
  }
}

class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, self) => {
      const bound = self === undefined ? listener : listener.bind(self);
      this.listeners.add(bound);
      return { dispose: () => this.listeners.delete(bound) };
    };
  }
  fire(value) {
    for (const listener of this.listeners) listener(value);
  }
  dispose() {
    this.listeners.clear();
  }
}

class CancellationTokenSource {
  constructor() {
    this.token = { isCancellationRequested: false, onCancellationRequested: () => disposable };
  }
  cancel() {
    this.token.isCancellationRequested = true;
  }
  dispose() {}
}

const disposable = { dispose() {} };

/** What is not defined: a class, an enumeration, an event, or a function that registers something. */
function anything(name) {
  const Any = class {
    dispose() {}
  };
  return new Proxy(Any, {
    get: (target, key) => {
      if (key in target || typeof key === 'symbol') return Reflect.get(target, key);
      return typeof key === 'string' && /^[A-Z]/.test(key) ? key : anything(`${name}.${String(key)}`);
    },
    apply: () => disposable,
  });
}

function partly(name, known) {
  return new Proxy(known, {
    get: (target, key) => {
      if (key in target || typeof key === 'symbol') return Reflect.get(target, key);
      // Events and registrations are functions, classes and enumerations have capitals.
      return typeof key === 'string' && /^[A-Z]/.test(key) ? anything(`${name}.${key}`) : () => disposable;
    },
  });
}

class FileSystemError extends Error {
  static FileNotFound = uri => new FileSystemError(`no file ${uri}`);
  static NoPermissions = uri => new FileSystemError(`no permission for ${uri}`);
  static Unavailable = message => new FileSystemError(String(message));
}

function makeWindow({ uri, text, settings, isOpen = true }) {
  const log = { shown: [], messages: [], notifications: [], diagnostics: [], picks: [] };
  const completions = [];
  const commands = new Map();
  const fileSystems = new Map();
  const opened = new EventEmitter();
  const document = (uri, text, languageId) => ({
    uri, languageId, version: 1, isClosed: false, isUntitled: false, isDirty: false, fileName: uri.fsPath,
    text, time: 0, getText() { return this.text; },
  });
  const program = document(Uri.parse(uri), text, 'toy');
  const documents = isOpen ? [program] : [];
  const find = uri => documents.find(it => it.uri.toString() === uri.toString());
  /** Reads a document of a file system if it is another one than before. */
  const read = async document => {
    const provider = fileSystems.get(document.uri.scheme);
    const { size, mtime } = await provider.stat(document.uri);
    if (mtime <= document.time) return;
    const bytes = await provider.readFile(document.uri);
    if (bytes.length !== size) throw new Error(`${document.uri}: ${bytes.length} bytes of ${size}`);
    Object.assign(document, { text: new TextDecoder().decode(bytes), time: mtime });
  };
  const reload = uri => {
    const known = find(uri);
    if (known !== undefined) void read(known);
  };
  const open = async uri => {
    const known = find(uri);
    if (known !== undefined) return known;
    const isProgram = uri.toString() === program.uri.toString();
    const made = isProgram ? program : document(uri, '', 'plaintext');
    if (!isProgram) await read(made);
    documents.push(made);
    opened.fire(made);
    return made;
  };
  // VS Code keeps the editors of files: of addresses whose file system an extension has, or announces.
  const restore = async parts => {
    const uri = Uri.from(JSON.parse(JSON.stringify(parts)));
    const { activationEvents } = require('../package.json');
    const isFile = fileSystems.has(uri.scheme) && activationEvents.includes(`onFileSystem:${uri.scheme}`);
    return isFile ? open(uri) : undefined;
  };
  const notify = async (message, ...actions) => {
    log.messages.push(message);
    log.notifications.push([message, ...actions]);
  };
  const channel = new Proxy({}, { get: (_, key) => line => { if (key === 'appendLine') log.messages.push(line); } });
  const vscode = partly('vscode', {
    version: '1.91.0',
    Uri, Position, Range, Diagnostic, EventEmitter, CancellationTokenSource, SnippetString, CompletionItem, CompletionList,
    CompletionItemKind: { Text: 0, Function: 2 },
    env: partly('env', { appName: 'test', language: 'en' }),
    ViewColumn: { Beside: -2 },
    FileSystemError,
    FileType: { File: 1 },
    FilePermission: { Readonly: 1 },
    FileChangeType: { Changed: 1 },
    workspace: partly('workspace', {
      textDocuments: documents,
      onDidOpenTextDocument: opened.event,
      notebookDocuments: [],
      workspaceFolders: undefined,
      getConfiguration: section => ({
        get: (key, otherwise) => settings[section === undefined ? key : `${section}.${key}`] ?? otherwise,
        inspect: () => undefined,
      }),
      registerFileSystemProvider: (scheme, provider) => {
        fileSystems.set(scheme, provider);
        return provider.onDidChangeFile(changes => changes.forEach(change => reload(change.uri)));
      },
      openTextDocument: uri => open(uri),
      asRelativePath: path => path,
    }),
    window: partly('window', {
      activeTextEditor: { document: program },
      visibleTextEditors: [],
      tabGroups: partly('tabGroups', { all: [] }),
      createOutputChannel: () => channel,
      showTextDocument: async document => { log.shown.push(document); },
      showErrorMessage: notify,
      showWarningMessage: notify,
      showInformationMessage: notify,
      showQuickPick: async items => {
        const pick = log.picks.shift();
        return items.find(item => (item.label ?? item) === pick);
      },
    }),
    languages: partly('languages', {
      match: (selector, document) => [selector].flat().some(it => it.language === document.languageId) ? 10 : 0,
      registerCompletionItemProvider: (_selector, provider) => {
        completions.push(provider);
        return disposable;
      },
      getLanguages: async () => ['toy', 'mlir', 'plaintext'],
      setTextDocumentLanguage: async (document, language) => Object.assign(document, { languageId: language }),
      createDiagnosticCollection: () => ({
        set: (_uri, all) => { log.diagnostics = all; },
        delete() {}, clear() {}, dispose() {}, forEach() {},
      }),
    }),
    commands: partly('commands', {
      registerCommand: (name, work) => {
        if (commands.has(name)) throw new Error(`command '${name}' already exists`);
        commands.set(name, work);
        return { dispose: () => commands.delete(name) };
      },
      executeCommand: async (name, ...args) => {
        if (!commands.has(name)) throw new Error(`command '${name}' not found`);
        return commands.get(name)(...args);
      },
    }),
  });
  return { vscode, log, commands, completions, restore };
}

/** The extension, as it is packaged, in a window of its own. */
async function start(parts) {
  const bundle = path.join(__dirname, '../dist/extension.js');
  const window = makeWindow(parts);
  const load = Module._load;
  Module._load = (name, ...rest) => (name === 'vscode' ? window.vscode : load(name, ...rest));
  delete require.cache[bundle];
  const extension = require(bundle);
  Module._load = load;
  const context = { subscriptions: [] };
  await extension.activate(context);
  return { ...window, extension, context };
}

module.exports = { start };
