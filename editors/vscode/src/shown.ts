// Documents that show what the server returned: read-only, beside the program, one for each stage and function.

import * as vscode from 'vscode';
import { languageOf, titleOf } from './stages';

export class Shown implements vscode.TextDocumentContentProvider, vscode.Disposable {
  static readonly scheme = 'toyc';

  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly closed: vscode.Disposable;
  readonly onDidChange = this.changed.event;

  constructor() {
    this.closed = vscode.workspace.onDidCloseTextDocument(document => {
      if (document.uri.scheme === Shown.scheme) this.texts.delete(document.uri.toString());
    });
  }

  dispose(): void {
    this.closed.dispose();
    this.changed.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  async open(command: string, args: unknown[], text: string): Promise<void> {
    // The program's address keeps two programs of one name apart.
    const uri = vscode.Uri.from({ scheme: Shown.scheme, path: `/${titleOf(command, args)}`, query: String(args[0]) });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const language = languageOf(command, args);
    const known = language === undefined ? [] : await vscode.languages.getLanguages();
    // Not every editor knows LLVM IR and assembly.
    if (language !== undefined && known.includes(language)) {
      await vscode.languages.setTextDocumentLanguage(document, language);
    }
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
  }
}
