// The tokens of a line with their colors; the names of builtins come from the compiler. Joined, the tokens are the line,
// even if one is classified wrongly.

const KEYWORDS = new Set('def var return struct if else while for in'.split(' '));
const LLVM_WORDS = new Set(['define', 'declare', 'internal', 'private', 'unnamed_addr', 'constant', 'global', 'to', 'x']);
const LLVM_TYPES = /^(void|double|float|half|ptr|label|i\d+)$/;
const MLIR_TYPES = /^(tensor|memref|vector|f64|f32|f16|bf16|index|none|i\d+)$/;

// What begins a token, for each language; the first group that matches says the class.
// c comment, s text, v value, y symbol, m number, t type, w word.
const NAME = '[\\w.$-]*';
const TEXT = '"(?:[^"\\\\]|\\\\.)*"?';
const NUMBER = '\\d[\\w.]*(?:(?<=[eE])[+-]\\d+)?';
const GRAMMARS = {
  toy: [['c', '#.*'], ['s', TEXT], ['m', NUMBER], ['?', '[A-Za-z_]\\w*']],
  tokens: [['s', TEXT], ['m', NUMBER], ['?', '[A-Za-z_][\\w.$]*']],
  tree: [['c', '@.*'], ['s', TEXT], ['y', "'[^']*'?"], ['m', NUMBER], ['?', '[A-Za-z_][\\w.$]*']],
  mlir: [['c', '//.*'], ['w', '"[\\w.$]+"(?=\\()'], ['s', TEXT], ['v', '%' + NAME], ['y', '@' + TEXT], ['y', '[@^#]' + NAME],
    ['t', '!' + NAME], ['m', NUMBER], ['?', '[A-Za-z_][\\w.$]*']],
  llvm: [['c', ';.*'], ['s', TEXT], ['v', '%' + NAME], ['y', '@' + TEXT], ['y', '@' + NAME], ['c', '[!#]' + NAME], ['m', NUMBER],
    ['?', '[A-Za-z_][\\w.$]*']],
  assembly: [['c', '# .*|//.*'], ['s', TEXT], ['v', '%' + NAME], ['m', '\\$' + NAME], ['c', '(?<=^\\s*)\\.' + NAME], ['m', NUMBER],
    ['?', '[A-Za-z_][\\w.$]*']],
};
const PATTERNS = Object.fromEntries(Object.entries(GRAMMARS).map(([language, kinds]) =>
  [language, new RegExp(kinds.map(([, pattern]) => `(${pattern})`).join('|') + '|\\s+|.', 'gu')]));

function class_of_word(word, line, end, language, is_first) {
  if (language === 'toy') {
    if (KEYWORDS.has(word)) return 'w';
    return BUILTINS.has(word) && /^\s*\(/.test(line.slice(end)) ? 'y' : '';
  }
  if (language === 'mlir') {
    if (MLIR_TYPES.test(word)) return 't';
    if (word === 'module' || word === 'call' || word === 'return') return 'w';
    return word.includes('.') && !line.startsWith(' =', end) ? 'w' : '';
  }
  if (language === 'llvm') {
    if (LLVM_TYPES.test(word)) return 't';
    return is_first || LLVM_WORDS.has(word) || /=\s*$/.test(line.slice(0, end - word.length)) ? 'w' : '';
  }
  if (language === 'assembly') return is_first ? (line[end] === ':' ? 'y' : 'w') : '';
  return language === 'tokens' || is_first ? 'w' : '';
}

// [[class, text], ...]
function tokens(line, language) {
  const kinds = GRAMMARS[language];
  const found = [];
  let is_first = true;
  for (const match of line.matchAll(PATTERNS[language])) {
    const text = match[0];
    let kind = '';
    const group = kinds.findIndex((_, index) => match[index + 1] !== undefined);
    if (group >= 0) {
      kind = kinds[group][0];
      if (kind === 'm' && /x/.test(text) && !text.startsWith('0x') && language !== 'assembly') kind = 't';
      if (kind === '?') kind = class_of_word(text, line, match.index + text.length, language, is_first);
    }
    is_first &&= text.trim() === '';
    found.push([kind, text]);
  }
  return found;
}

// A line in colors; the tokens of these indices are emphasized, and behind these columns are shapes.
function colored(line, language, marks = null, shapes = null) {
  let column = 0;
  return tokens(line, language).flatMap(([kind, text], index) => {
    const shown = kind ? element('i.' + kind, {}, text) : document.createTextNode(text);
    column += text.length;
    const shape = shapes?.get(column);
    return [marks?.has(index) ? element('mark', {}, shown) : shown, shape ? element('span.shape', { 'data-text': shape }) : ''];
  });
}
