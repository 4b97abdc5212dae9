// The TextMate grammar: the scopes of each piece of text, and the words of the language.
//
// Input: the programs in `test/grammars`, and beside each the scopes of its pieces (`.scopes`). Output: an error for a
// scope that is another one. With TOYC_UPDATE=1 the scopes are written anew.

'use strict';

const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const oniguruma = require('vscode-oniguruma');
const { INITIAL, Registry, parseRawGrammar } = require('vscode-textmate');

const here = path.join(__dirname, 'grammars');
const isUpdate = process.env.TOYC_UPDATE === '1';

async function registry() {
  const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm);
  return new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: patterns => new oniguruma.OnigScanner(patterns),
      createOnigString: text => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => {
      const file = path.join(__dirname, '..', 'syntaxes', 'toy.tmLanguage.json');
      return parseRawGrammar(fs.readFileSync(file, 'utf8'), file);
    },
  });
}

const loaded = registry();

/** The pieces of a program with their scopes. */
async function pieces(text) {
  const grammar = await (await loaded).loadGrammar('source.toy');
  let state = INITIAL;
  return text.split('\n').map(line => {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    const all = result.tokens.map(({ startIndex, endIndex, scopes }) => ({
      text: line.slice(startIndex, endIndex),
      scopes: scopes.slice(1),
    }));
    return { line, pieces: all.filter(piece => piece.text.trim() !== '') };
  });
}

function shown(lines) {
  const rows = lines.map(({ line, pieces }) => {
    const all = pieces.map(piece => `    ${piece.text.trim().padEnd(16)} ${piece.scopes.join(' ')}`);
    return [`${line}`.trimEnd(), ...all].join('\n');
  });
  return `${rows.join('\n').trimEnd()}\n`;
}

for (const file of fs.readdirSync(here).filter(name => name.endsWith('.toy'))) {
  test(`scopes of ${file}`, async () => {
    const text = fs.readFileSync(path.join(here, file), 'utf8');
    const found = shown(await pieces(text));
    const expectation = path.join(here, `${file}.scopes`);
    if (isUpdate) fs.writeFileSync(expectation, found);
    assert.strictEqual(found, fs.readFileSync(expectation, 'utf8'));
  });
}

/** The innermost scope of a piece of the program. */
async function scopeOf(text, piece, at = 0) {
  const lines = await pieces(text);
  const all = lines.flatMap(line => line.pieces).filter(it => it.text.trim() === piece);
  assert.ok(all.length > at, `no ${piece} in ${text}`);
  return all[at].scopes.at(-1) ?? '';
}

test('the shapes of the server are numbers, other words that begin with a digit are errors', async () => {
  assert.match(await scopeOf('transpose(b): 3x2', '3x2'), /^constant\.numeric/);
  assert.match(await scopeOf('f: 2x3x4 | scalar', '2x3x4'), /^constant\.numeric/);
  for (const word of ['0x10', '3x', '3y2', '3x2z']) {
    assert.match(await scopeOf(`  x = ${word};`, word), /^invalid/, word);
  }
});

const noWords = process.env.TOYC_WORDS ? false : 'TOYC_WORDS, which the test suite sets, has the words of the compiler';

test('every token and builtin of the compiler has its scope', { skip: noWords }, async () => {
  const { fixed, builtins } = JSON.parse(process.env.TOYC_WORDS);
  assert.ok(fixed.length > 20 && builtins.length > 10);
  for (const { text, keyword } of fixed) {
    const scope = await scopeOf(`  x ${text} y`, text);
    assert.match(scope, keyword ? /^(keyword|storage)/ : /^(keyword\.operator|punctuation)/, text);
  }
  for (const name of builtins) {
    assert.match(await scopeOf(`  x = ${name}(y);`, name), /^support\.function/, name);
    assert.match(await scopeOf(`  x = ${name};`, name), /^variable/, name);
  }
  assert.doesNotMatch(await scopeOf('  x = other(y);', 'other'), /^support/);
});
