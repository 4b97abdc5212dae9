// The editor of `toyc serve`, from CodeMirror's parts. `npm ci && npm run build` makes codemirror.js of it.

import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration, drawSelection, EditorView, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, WidgetType,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

const STYLE = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--quiet)' },
  { tag: tags.string, color: 'var(--text)' },
  { tag: tags.number, color: 'var(--number)' },
  { tag: tags.keyword, color: 'var(--word)' },
  { tag: tags.standard(tags.name), color: 'var(--symbol)' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', fontSize: '0.85rem', color: 'var(--ink)', backgroundColor: 'var(--raised)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', border: 'none' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--line)', color: 'var(--ink)' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-paper) !important' },
  '.cm-panels, .cm-tooltip': { backgroundColor: 'var(--paper)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-shape::after': { content: 'attr(data-text)', color: 'var(--quiet)', fontStyle: 'italic' },
  '.cm-diagnostic': { fontFamily: 'system-ui, sans-serif', whiteSpace: 'pre-wrap' },
});

function toy(keywords, builtins) {
  return StreamLanguage.define({
    name: 'toy',
    token(stream) {
      if (stream.eatSpace()) return null;
      if (stream.match(/^#.*/)) return 'comment';
      if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
      if (stream.match(/^\.?\d[\d.]*(?:[eE][+-]?\d+)?/)) return 'number';
      const word = stream.match(/^[A-Za-z_]\w*/);
      if (word && keywords.has(word[0])) return 'keyword';
      if (word) return builtins.has(word[0]) && /^\s*\(/.test(stream.string.slice(stream.pos)) ? 'variableName.standard' : null;
      stream.next();
      return null;
    },
    languageData: { commentTokens: { line: '#' }, closeBrackets: { brackets: ['(', '[', '{', '"'] }, indentOnInput: /^\s*[\])}]$/ },
    indent: (state, after, context) => {
      const previous = line_before(context);
      const base = previous.match(/^\s*/)[0].length;
      return Math.max(0, base + (/[{([]\s*(#.*)?$/.test(previous) ? context.unit : 0) - (/^\s*[\])}]/.test(after) ? context.unit : 0));
    },
  });
}

// The last line before a place that is not blank. Where a line is about to be broken, that is its first half.
function line_before({ state, pos, simulatedBreak: at }) {
  const { from, to, number, text } = state.doc.lineAt(pos);
  if (at !== null && at !== undefined && from <= at && at <= to && text.slice(0, at - from).trim()) return text.slice(0, at - from);
  for (let before = number - 1; before > 0; before--) {
    const { text } = state.doc.line(before);
    if (text.trim()) return text;
  }
  return '';
}

// Decorations that are set all at once, and move with the text until then.
function decorations() {
  const set = StateEffect.define();
  const field = StateField.define({
    create: () => Decoration.none,
    update(decorations, transaction) {
      for (const effect of transaction.effects) if (effect.is(set)) return effect.value;
      return decorations.map(transaction.changes);
    },
    provide: (field) => EditorView.decorations.from(field),
  });
  return { set, field };
}
const LINES = decorations();
const SHAPES = decorations();

// A text beside a name, which is not part of the program.
class Shape extends WidgetType {
  constructor(text) {
    super();
    this.text = text;
  }
  eq(other) {
    return other.text === this.text;
  }
  toDOM() {
    const made = document.createElement('span');
    made.className = 'cm-shape';
    made.dataset.text = this.text;
    return made;
  }
}

// A `}` in a line of its own closes the block whose `}` came by itself: the cursor goes behind that one.
function close_block(view, from, to, text) {
  const { doc } = view.state;
  const all = doc.toString();
  const rest = all.slice(to).match(/^\s*\}/)?.[0];
  const is_open = all.split('{').length > all.split('}').length;
  if (text !== '}' || from !== to || !rest?.includes('\n') || is_open || all.slice(doc.lineAt(from).from, from).trim()) return false;
  const brace = to + rest.length - 1;
  const insert = '\n' + doc.lineAt(brace).text.match(/^\s*/)[0];
  const start = all.slice(0, from).trimEnd().length;
  view.dispatch({ changes: { from: start, to: brace, insert }, selection: { anchor: start + insert.length + 1 }, userEvent: 'input.type' });
  return true;
}

// An editor in `parent`. `changed` gets every new text; `pointed` the line that the pointer or the cursor is at, or null;
// `escaped`, with the line of the cursor, and `saved` are called for their keys.
export function create({ parent, text, label, keywords, builtins, changed, pointed, clicked, escaped, saved }) {
  const line_at = (event, view) => {
    const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
    return position === null ? null : view.state.doc.lineAt(position).number;
  };
  const line_of = ({ state }) => state.doc.lineAt(state.selection.main.head).number;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.inputHandler.of(close_block), lineNumbers(), highlightActiveLineGutter(), highlightSpecialChars(), history(), drawSelection(), indentOnInput(),
        bracketMatching(), closeBrackets(), highlightSelectionMatches(), lintGutter(), LINES.field, SHAPES.field, THEME, syntaxHighlighting(STYLE),
        toy(keywords, builtins), indentUnit.of('  '), EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-description': 'Tab indents. Escape leaves the editor.' }),
        keymap.of([
          { key: 'Mod-s', run: () => { saved(); return true; } },
          ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, indentWithTab,
          { key: 'Escape', run: (view) => { escaped(line_of(view)); return true; } },
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
          else if (update.selectionSet) pointed(line_of(update.view));
        }),
        EditorView.domEventHandlers({
          mousemove: (event, view) => { pointed(line_at(event, view)); },
          // Before the pointer is at something else.
          pointerleave: () => { pointed(null); },
          click: (event, view) => { clicked(line_at(event, view)); },
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    line: () => line_of(view),
    replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    // [{ line, name, hue }]
    show(marks) {
      const most = view.state.doc.lines;
      const shown = marks.filter((mark) => mark.line <= most).sort((a, b) => a.line - b.line);
      const ranges = shown.map(({ line, name, hue }) => Decoration.line({ attributes: { class: name, style: hue === null ? '' : `--h: ${hue}` } })
        .range(view.state.doc.line(line).from));
      view.dispatch({ effects: LINES.set.of(Decoration.set(ranges, true)) });
    },
    // [[line, column, text]]; columns count units of UTF-16, from 0.
    show_shapes(shapes) {
      const { doc } = view.state;
      const ranges = shapes.filter(([line]) => line <= doc.lines)
        .map(([line, column, text]) => Decoration.widget({ widget: new Shape(text), side: 1 }).range(Math.min(doc.line(line).from + column, doc.line(line).to)));
      view.dispatch({ effects: SHAPES.set.of(Decoration.set(ranges, true)) });
    },
    // [{ from: { line, column }, to, severity, message }]; columns count bytes, from 1.
    diagnose(diagnostics) {
      const { doc } = view.state;
      const position = ({ line, column }) => {
        if (line > doc.lines) return doc.length;
        const { from, text } = doc.line(line);
        const before = new TextDecoder().decode(new TextEncoder().encode(text).slice(0, column - 1));
        return from + Math.min(before.length, text.length);
      };
      const found = diagnostics.map(({ from, to, severity, message }) => {
        const start = position(from);
        return { from: start, to: Math.max(start, position(to)), severity, message };
      });
      view.dispatch(setDiagnostics(view.state, found));
    },
    go(line) {
      const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines));
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
      view.focus();
    },
    reveal(line) {
      if (line <= view.state.doc.lines) view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.line(line).from, { y: 'nearest' }) });
    },
  };
}
