// The extension as it is packaged, with the compiler as its server.
//
// Input: `dist/extension.js`, and the compiler in the environment variable TOYC; without one, this is skipped. Output: an
// error if the server does not start with the window and end with it, if a code lens opens nothing, or if a command does
// not say what is wrong.

'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { start } = require('./window.js');

const PROGRAM = `def f(x) { return x + [1, 2]; }
def main() {
  print(f([3, 4]));
  print(y);
}
`;
const noCompiler = process.env.TOYC ? false : 'TOYC does not say where the compiler is';
const uri = 'file:///tmp/a%20b.toy';

const started = (settings, text) => start({ uri, text, settings });

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
  // The same again is the same document, with what it is now.
  log.shown[0].text = 'old';
  await vscode.commands.executeCommand('toyc.showStage', uri, 'shapes', 'f');
  assert.equal(log.shown[1], log.shown[0]);
  await until('text', () => /toy\.add/.test(log.shown[0].getText()));
  await vscode.commands.executeCommand('toyc.choosePlan');
  assert.match(log.shown[2].getText(), /memory plan/);
  await extension.deactivate();
});

test('a window that is loaded again shows what it showed', { skip: noCompiler }, async () => {
  const settings = { 'toyc.path': process.env.TOYC };
  const right = PROGRAM.replace('  print(y);\n', '');
  const first = await started(settings, right);
  await until('commands', () => first.commands.has('toyc.showStage'));
  await first.vscode.commands.executeCommand('toyc.showStage', uri, 'shapes', 'f');
  await first.vscode.commands.executeCommand('toyc.showPlan', uri);
  const [stage, plan] = first.log.shown;
  await first.extension.deactivate();

  // The program may be in an editor that was not looked at yet.
  for (const isOpen of [true, false]) {
    const { restore, log, extension } = await start({ uri, text: right, settings, isOpen });
    const again = await Promise.all([restore(stage.uri), restore(plan.uri)]);
    assert.deepEqual(again.map(it => it?.getText()), [stage.getText(), plan.getText()]);
    await until('language', () => again[0].languageId === 'mlir');
    assert.equal(again[1].languageId, 'plaintext');
    assert.deepEqual(log.notifications, []);
    await extension.deactivate();
  }

  // What cannot be shown anymore says why, and what is no address of ours is not there.
  const { restore, extension } = await start({ uri, text: PROGRAM, settings });
  await assert.rejects(() => restore(plan.uri), /there is no variable `y`/);
  await assert.rejects(() => restore({ ...plan.uri, query: 'file:///a.toy' }), /no file/);
  await extension.deactivate();
  const without = await start({ uri, text: right, settings: { 'toyc.path': '/nowhere/toyc' } });
  await assert.rejects(() => without.restore(plan.uri), /does not run/);
  await without.extension.deactivate();
});

test('a function that is completed shows its parameters', { skip: noCompiler }, async () => {
  const { vscode, completions, extension } = await started({ 'toyc.path': process.env.TOYC }, PROGRAM);
  await until('completion', () => completions.length > 0);
  const document = vscode.workspace.textDocuments[0];
  const answer = await completions[0].provideCompletionItems(document, new vscode.Position(3, 8), { token: 1 }, {});
  const item = name => (answer.items ?? answer).find(it => it.label === name);
  assert.equal(item('transpose').command.command, 'editor.action.triggerParameterHints');
  assert.equal(item('f').command.command, 'editor.action.triggerParameterHints');
  await extension.deactivate();
});

/** Runs with other environment variables. */
async function within(variables, work) {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    await work();
  } finally {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

test('the compiler is found in PATH, and where cargo installs it', { skip: noCompiler }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'toyc-'));
  fs.mkdirSync(path.join(folder, 'bin'));
  fs.symlinkSync(process.env.TOYC, path.join(folder, 'bin/toyc'));
  // What is not a program is passed over.
  fs.mkdirSync(path.join(folder, 'toyc'));
  const cargo = { CARGO_HOME: folder, PATH: folder };
  for (const variables of [cargo, { CARGO_HOME: '/nowhere', PATH: `/nowhere:${folder}:${path.join(folder, 'bin')}` }]) {
    await within(variables, async () => {
      const { commands, log, extension } = await started({}, PROGRAM);
      await until('commands', () => commands.has('toyc.showStage'));
      assert.deepEqual(log.notifications, []);
      await extension.deactivate();
    });
  }
  fs.rmSync(folder, { recursive: true });
});

// Longer than the library takes to start a server again.
const settled = () => new Promise(done => setTimeout(done, 1500));

test('a compiler that is missing is one message, with what to do', async () => {
  const missing = [[{ 'toyc.path': '/nowhere/toyc' }, /no program `\/nowhere\/toyc`/], [{}, /no `toyc` in PATH or in \/nowhere\/bin/]];
  for (const [settings, what] of missing) {
    await within({ PATH: '/nowhere', CARGO_HOME: '/nowhere' }, async () => {
      const { log, extension } = await started(settings, PROGRAM);
      await settled();
      assert.equal(log.notifications.length, 1, JSON.stringify(log.notifications));
      const [message, ...actions] = log.notifications[0];
      assert.match(message, what);
      assert.match(message, /cargo install .*toyc\.path/);
      assert.deepEqual(actions, ['Open Settings']);
      await extension.deactivate();
    });
  }
});

// The library leaves rejections to no one if the server ends at once. VS Code logs them, but they would fail a test.
const ALONE = `
process.on('unhandledRejection', () => {});
const { start } = require(${JSON.stringify(require.resolve('./window.js'))});
(async () => {
  const { log } = await start(JSON.parse(process.argv[1]));
  await new Promise(done => setTimeout(done, 1500));
  process.stdout.write(JSON.stringify(log.notifications));
  process.exit();
})();
`;

test('a program that is not the compiler is one message, and is run once', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'toyc-'));
  const program = path.join(folder, 'toyc');
  for (const last of ['exit 1', 'head -c 1 > /dev/null', 'exec cat > /dev/null < /dev/null']) {
    const runs = path.join(folder, 'runs');
    fs.writeFileSync(program, `#!/bin/sh\necho run > "${runs}$$"\n${last}\n`, { mode: 0o755 });
    const window = { uri, text: PROGRAM, settings: { 'toyc.path': program } };
    const notifications = JSON.parse(execFileSync(process.execPath, ['-e', ALONE, JSON.stringify(window)]));
    assert.equal(notifications.length, 1, JSON.stringify(notifications));
    const [message, ...actions] = notifications[0];
    assert.ok(message.includes(`${program} lsp`), message);
    assert.match(message, /it ends before it answers.*toyc\.path/);
    assert.deepEqual(actions, ['Open Settings', 'Show Output']);
    const all = fs.readdirSync(folder).filter(name => name.startsWith('runs'));
    assert.equal(all.length, 1, last);
    all.forEach(name => fs.rmSync(path.join(folder, name)));
  }
  fs.rmSync(folder, { recursive: true });
});
