// Documents that show what the server returned: read-only, beside the program, one for each stage and function.
//
// Input: a command of the server with its arguments, and its answer. Output: files of a file system of their own.
// Invariant: the address of a document says what it shows, so that a window that is loaded again can ask the server
// again. That is why they are files: VS Code forgets the editors of other documents.

import * as vscode from 'vscode';
import { languageOf, titleOf } from './stages';

/** What the server answers to a command. */
export type Ask = (command: string, args: unknown[]) => Promise<string>;

interface File {
  bytes: Uint8Array;
  /** Grows with each text of a document, so that VS Code reads it again. */
  time: number;
}

export class Shown implements vscode.FileSystemProvider, vscode.Disposable {
  static readonly scheme = 'toyc';

  private readonly files = new Map<string, Promise<File>>();
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private readonly events: vscode.Disposable[];
  private time = 0;
  readonly onDidChangeFile = this.changed.event;

  constructor(private readonly ask: Ask) {
    this.events = [
      this.changed,
      vscode.workspace.onDidOpenTextDocument(document => this.color(document)),
      vscode.workspace.onDidCloseTextDocument(document => {
        // A document that gets another language is closed and opened again.
        if (document.isClosed) this.files.delete(document.uri.toString());
      }),
    ];
  }

  dispose(): void {
    this.events.forEach(event => event.dispose());
  }

  async open(command: string, args: unknown[], text: string): Promise<void> {
    // The program's address, which is an argument, keeps two programs of one name apart.
    const query = JSON.stringify([command, ...args]);
    const uri = vscode.Uri.from({ scheme: Shown.scheme, path: `/${titleOf(command, args)}`, query });
    this.files.set(uri.toString(), Promise.resolve(this.file(text)));
    this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    const document = await vscode.workspace.openTextDocument(uri);
    await this.color(document);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, time } = await this.known(uri);
    const permissions = vscode.FilePermission.Readonly;
    return { type: vscode.FileType.File, ctime: time, mtime: time, size: bytes.length, permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.known(uri)).bytes;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.FileNotADirectory(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  private file(text: string): File {
    this.time = Math.max(Date.now(), this.time + 1);
    return { bytes: new TextEncoder().encode(text), time: this.time };
  }

  /** The file of a document; that of an earlier window is asked for. */
  private known(uri: vscode.Uri): Promise<File> {
    const key = uri.toString();
    const known = this.files.get(key) ?? this.asked(uri);
    this.files.set(key, known);
    // What could not be answered is asked again.
    known.catch(() => {
      if (this.files.get(key) === known) this.files.delete(key);
    });
    return known;
  }

  private async asked(uri: vscode.Uri): Promise<File> {
    const shown = contents(uri);
    if (shown === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    try {
      return this.file(await this.ask(shown.command, shown.args));
    } catch (error) {
      throw vscode.FileSystemError.Unavailable(error instanceof Error ? error.message : String(error));
    }
  }

  /** Gives a document of ours its language, unless the editor does not know it: LLVM IR, assembly. */
  private async color(document: vscode.TextDocument): Promise<void> {
    const shown = document.uri.scheme === Shown.scheme ? contents(document.uri) : undefined;
    const language = shown && languageOf(shown.command, shown.args);
    if (language === undefined || document.languageId === language) return;
    if ((await vscode.languages.getLanguages()).includes(language)) {
      await vscode.languages.setTextDocumentLanguage(document, language);
    }
  }
}

/** What a document shows. */
function contents(uri: vscode.Uri): { command: string; args: unknown[] } | undefined {
  try {
    const [command, ...args] = JSON.parse(uri.query);
    return typeof command === 'string' ? { command, args } : undefined;
  } catch {
    return undefined;
  }
}
