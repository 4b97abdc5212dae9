// The extension as it is packaged, with the compiler as its server.
//
// Input: `dist/extension.js`, and the compiler in the environment variable TOYC; without one, this is skipped. Output: an
// error if the server does not start with the window and end with it, if a code lens opens nothing, or if a command does
// not say what is wrong.

'use strict';

const test = require('node:test');
const assert = require('node:assert');
const Module = require('node:module');
const path = require('node:path');
const { makeWindow } = require('./window.js');

const bundle = path.join(__dirname, '../dist/extension.js');
const PROGRAM = `def f(x) { return x + [1, 2]; }
def main() {
  print(f([3, 4]));
  print(y);
}
`;
const noCompiler = process.env.TOYC ? false : 'TOYC does not say where the compiler is';
const uri = 'file:///tmp/a%20b.toy';

/** The extension in a window of its own. */
async function started(settings, text) {
  const window = makeWindow({ uri, text, settings });
  const load = Module._load;
  Module._load = (name, ...rest) => (name === 'vscode' ? window.vscode : load(name, ...rest));
  delete require.cache[bundle];
  const extension = require(bundle);
  Module._load = load;
  const context = { subscriptions: [] };
  await extension.activate(context);
  return { ...window, extension, context };
}

async function until(what, isTrue) {
  for (const end = Date.now() + 60000; Date.now() < end; ) {
    if (isTrue()) return;
    await new Promise(done => setTimeout(done, 20));
  }
  assert.fail(`no ${what}`);
}

test('the server serves, and its commands open stages', { skip: noCompiler }, async () => {
  const settings = { 'toyc.path': process.env.TOYC, 'toyc.arguments': ['--time-limit=60'] };
  const { vscode, log, commands, extension } = await started(settings, PROGRAM);
  const run = vscode.commands.executeCommand;
  await until('commands', () => commands.has('toyc.showStage') && commands.has('toyc.showPlan'));
  await until('diagnostics', () => log.diagnostics.length > 0);
  assert.match(log.diagnostics[0].message, /there is no variable `y`/);

  // As a code lens runs it. The program has an error, but its stage `ast` can be shown.
  await run('toyc.showStage', uri, 'ast', null);
  await until('text', () => log.shown.length === 1);
  assert.match(log.shown[0].getText(), /Function|Proto/);
  assert.match(log.shown[0].uri.path, /^\/a b\.toy, ast$/);
  assert.equal(log.shown[0].languageId, 'plaintext');

  log.picks = ['toy-source', '-O0'];
  await run('toyc.chooseStage');
  assert.equal(log.shown.length, 2);
  assert.equal(log.shown[1].languageId, 'toy');
  assert.match(log.shown[1].getText(), /^def f\(x\)/);

  // What cannot be shown says why.
  await run('toyc.choosePlan');
  assert.equal(log.shown.length, 2);
  assert.match(log.messages.join('\n'), /there is no variable `y`/);

  await run('toyc.restart');
  await until('commands', () => commands.has('toyc.showStage'));
  await extension.deactivate();
  assert.ok(!commands.has('toyc.showStage'));
});

test('specializations and plans are shown', { skip: noCompiler }, async () => {
  const { vscode, log, commands, extension } = await started({ 'toyc.path': process.env.TOYC }, PROGRAM.replace('  print(y);\n', ''));
  await until('commands', () => commands.has('toyc.showStage'));
  await vscode.commands.executeCommand('toyc.showStage', uri, 'shapes', 'f');
  assert.match(log.shown[0].getText(), /toy\.add/);
  assert.equal(log.shown[0].languageId, 'mlir');
  assert.match(log.shown[0].uri.path, /shapes of f$/);
  await vscode.commands.executeCommand('toyc.choosePlan');
  assert.match(log.shown[1].getText(), /memory plan/);
  await extension.deactivate();
});

test('a compiler that is missing is a message with the setting', async () => {
  const { log, extension } = await started({ 'toyc.path': '/nowhere/toyc' }, PROGRAM);
  await until('message', () => log.messages.some(message => /toyc\.path/.test(message)));
  assert.ok(log.messages.some(message => message.includes('/nowhere/toyc')));
  await extension.deactivate();
});
