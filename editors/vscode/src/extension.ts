// The client of `toyc lsp`.
//
// Input: the settings `toyc.path`, `toyc.arguments` and `toyc.trace.server`. Output: one server for the window, which
// follows the settings, and the documents that its commands show. The server answers `toyc.showStage` and
// `toyc.showPlan`, to which its code lenses lead, with text: that text is opened beside the program.

import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient, LanguageClientOptions, ServerOptions, State } from 'vscode-languageclient/node';
import { Shown } from './shown';
import { SHOW_PLAN, SHOW_STAGE, STAGES } from './stages';

let client: LanguageClient | undefined;
const shown = new Shown();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    shown,
    vscode.workspace.registerTextDocumentContentProvider(Shown.scheme, shown),
    vscode.commands.registerCommand('toyc.chooseStage', chooseStage),
    vscode.commands.registerCommand('toyc.choosePlan', () => ask(SHOW_PLAN, [])),
    vscode.commands.registerCommand('toyc.restart', restart),
    vscode.workspace.onDidChangeConfiguration(event => {
      const needsRestart = ['toyc.path', 'toyc.arguments'].some(it => event.affectsConfiguration(it));
      return needsRestart ? restart() : undefined;
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('toyc');
  const command = program(settings.get<string>('path') || 'toyc');
  const args = ['lsp', ...(settings.get<string[]>('arguments') ?? [])];
  const server: ServerOptions = { command, args };
  const options: LanguageClientOptions = {
    documentSelector: [{ language: 'toy' }],
    // The client registers the server's commands; what they return is shown here.
    middleware: {
      executeCommand: async (command, args, next) => {
        const text = await next(command, args);
        if (typeof text === 'string') await shown.open(command, args, text);
        return text;
      },
    },
  };
  client = new LanguageClient('toyc', 'Toy', server, options);
  try {
    await client.start();
  } catch (error) {
    await complain(command, error);
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
  await stop();
  await start();
}

/** The compiler's path: one with a slash is relative to the folder of the workspace. */
function program(setting: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const isRelative = /[\\/]/.test(setting) && !path.isAbsolute(setting);
  return isRelative && folder !== undefined ? path.join(folder, setting) : setting;
}

async function complain(command: string, error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const settings = 'Open Settings';
  const message = `Cannot start the language server \`${command} lsp\`: ${reason}. Set toyc.path to the compiler.`;
  // Starting does not wait for the answer.
  void vscode.window.showErrorMessage(message, settings).then(answer => {
    if (answer === settings) void vscode.commands.executeCommand('workbench.action.openSettings', 'toyc.path');
  });
}

async function chooseStage(): Promise<void> {
  const stage = await vscode.window.showQuickPick(STAGES, { placeHolder: 'The program at this stage of the compiler' });
  if (stage === undefined) return;
  const level = await vscode.window.showQuickPick(['-O0', '-O1', '-O2', '-O3'], { placeHolder: 'Optimized how far?' });
  if (level === undefined) return;
  await ask(SHOW_STAGE, [stage.label, null, Number(level.slice(2))]);
}

/** Runs a command of the server for the program in the editor. */
async function ask(command: string, rest: unknown[]): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'toy') {
    void vscode.window.showInformationMessage('Open a Toy program first.');
    return;
  }
  if (client?.state !== State.Running) {
    void vscode.window.showErrorMessage('The language server does not run: see the output "Toy".');
    return;
  }
  // As the client writes the address to the server.
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  try {
    await vscode.commands.executeCommand(command, uri, ...rest);
  } catch (error) {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}
