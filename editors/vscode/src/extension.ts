// The client of `toyc lsp`.
//
// Input: the settings `toyc.path`, `toyc.arguments` and `toyc.trace.server`. Output: one server for the window, which
// follows the settings, and the documents that its commands show. The server answers `toyc.showStage` and
// `toyc.showPlan`, to which its code lenses lead, with text: that text is opened beside the program.

import * as vscode from 'vscode';
import { ExecuteCommandRequest, LanguageClientOptions, State } from 'vscode-languageclient/node';
import { Client, reason } from './client';
import { find } from './compiler';
import { Shown } from './shown';
import { SHOW_PLAN, SHOW_STAGE, STAGES } from './stages';

let client: Client | undefined;
/** Settles when the client runs, or could not be started. */
let started: Promise<void> = Promise.resolve();
const shown = new Shown(answer);

const OPTIONS: LanguageClientOptions = {
  documentSelector: [{ language: 'toy' }],
  middleware: {
    // The client registers the server's commands; what they return is shown here.
    executeCommand: async (command, args, next) => {
      const text = await next(command, args);
      if (typeof text === 'string') await shown.open(command, args, text);
      return text;
    },
    // A function that is completed with its parentheses shows its parameters, as one that is typed does.
    provideCompletionItem: async (document, position, context, token, next) => {
      const answer = await next(document, position, context, token);
      const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
      for (const item of items) {
        const isCall = item.kind === vscode.CompletionItemKind.Function && item.insertText instanceof vscode.SnippetString;
        if (isCall) item.command = { command: 'editor.action.triggerParameterHints', title: 'Parameters' };
      }
      return answer;
    },
  },
};

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    shown,
    vscode.workspace.registerFileSystemProvider(Shown.scheme, shown, { isReadonly: true, isCaseSensitive: true }),
    vscode.commands.registerCommand('toyc.chooseStage', chooseStage),
    vscode.commands.registerCommand('toyc.choosePlan', () => ask(SHOW_PLAN, [])),
    vscode.commands.registerCommand('toyc.restart', restart),
    vscode.workspace.onDidChangeConfiguration(event => {
      const needsRestart = ['toyc.path', 'toyc.arguments'].some(it => event.affectsConfiguration(it));
      return needsRestart ? restart() : undefined;
    }),
  );
  await (started = start());
}

export async function deactivate(): Promise<void> {
  await stop();
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('toyc');
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const found = find(settings.get<string>('path') || 'toyc', folder);
  if ('missing' in found) {
    const remedy = 'Install toyc with `cargo install --locked --path toyc` in its repository, or set toyc.path to the compiler.';
    complain(`Toy programs are only colored: ${found.missing}. ${remedy}`, SETTINGS);
    return;
  }
  const args = ['lsp', ...(settings.get<string[]>('arguments') ?? [])];
  const own = new Client(found.program, args, OPTIONS);
  client = own;
  try {
    await own.start();
  } catch (error) {
    // It was replaced while it started.
    if (client !== own) return;
    const command = [found.program, ...args].join(' ');
    complain(`The language server \`${command}\` does not start: ${reason(error)}. Is toyc.path a compiler of Toy?`, SETTINGS, OUTPUT);
  }
}

async function stop(): Promise<void> {
  const old = client;
  client = undefined;
  try {
    await old?.dispose();
  } catch {
    // It did not start, or has ended already.
  }
}

async function restart(): Promise<void> {
  await (started = stop().then(start));
}

const SETTINGS = 'Open Settings';
const OUTPUT = 'Show Output';
const STOPPED = 'The language server does not run.';

/** Says what is wrong. Starting does not wait for the answer. */
function complain(message: string, ...actions: string[]): void {
  void vscode.window.showErrorMessage(message, ...actions).then(answer => {
    if (answer === SETTINGS) void vscode.commands.executeCommand('workbench.action.openSettings', 'toyc.path');
    if (answer === OUTPUT) client?.outputChannel.show();
  });
}

async function chooseStage(): Promise<void> {
  const stage = await vscode.window.showQuickPick(STAGES, { placeHolder: 'The program at this stage of the compiler' });
  if (stage === undefined) return;
  const level = await vscode.window.showQuickPick(['-O0', '-O1', '-O2', '-O3'], { placeHolder: 'Optimized how far?' });
  if (level === undefined) return;
  await ask(SHOW_STAGE, [stage.label, null, Number(level.slice(2))]);
}

/** The answer of the server to a command about a program, which has an editor that may not have been looked at yet. */
async function answer(command: string, args: unknown[]): Promise<string> {
  await started;
  if (client?.state !== State.Running) throw new Error(STOPPED);
  await vscode.workspace.openTextDocument(client.protocol2CodeConverter.asUri(String(args[0])));
  const text: unknown = await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
  if (typeof text !== 'string') throw new Error(`\`${command}\` has no text`);
  return text;
}

/** Runs a command of the server for the program in the editor. */
async function ask(command: string, rest: unknown[]): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'toy') {
    void vscode.window.showInformationMessage('Open a Toy program first.');
    return;
  }
  if (client?.state !== State.Running) {
    complain(STOPPED, SETTINGS, OUTPUT);
    return;
  }
  // As the client writes the address to the server.
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  try {
    await vscode.commands.executeCommand(command, uri, ...rest);
  } catch (error) {
    void vscode.window.showErrorMessage(reason(error));
  }
}
