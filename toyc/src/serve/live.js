// The live page: an editor, and a compilation again with every keystroke. It follows main.js.

const DELAY = 150;
// After so many milliseconds, a reader wants to know what takes so long.
const PATIENCE = 1000;
const TOKEN = new URLSearchParams(location.search).get('token') || '';
// Pages of one server do not end each other's compilations.
const CLIENT = crypto.randomUUID();

const options = { level: 2, runs: true };
let editor = null;
// The file as it was served.
let served = null;
let waiting = null;
let asked = null;
// The text of the stages that are shown.
let compiled = null;
// Whether the stages and the output are those of another text.
let is_stale = false;
// Shows how long the compilation takes.
let clock = null;
// The line of the editor that the pointer is at.
let pointed_line = null;

function start_live(program) {
  root.classList.add('live');
  served = program;
  byId('lines').replaceWith(element('div', { id: 'lines' }));
  byId('hint').textContent = '';
  const level = element('select', { 'aria-label': 'Optimization level', onchange: () => {
    options.level = Number(level.value);
    compile();
  } }, ...[0, 1, 2, 3].map((number) => element('option', { value: number, selected: number === options.level }, '-O' + number)));
  const runs = element('input', { type: 'checkbox', checked: true, onchange: () => {
    options.runs = runs.checked;
    compile();
  } });
  const reset = element('button', { type: 'button', id: 'reset', hidden: true, title: 'What you type stays in this tab; the file is not changed',
    onclick: () => editor.replace(served.text) }, 'As in the file');
  const stop = element('button', { type: 'button', id: 'stop', hidden: true, onclick: () => {
    stop.disabled = true;
    ask('/stop', { client: CLIENT }).catch(() => {});
  } }, 'Stop');
  byId('live').append(level, element('label', {}, runs, ' Run'), element('span', { id: 'status', role: 'status' }), stop, reset);
  byId('live').hidden = false;
  byId('hint').before(byId('live'));
  editor = ToyEditor.create({
    parent: byId('lines'), text: draft() ?? program.text, label: 'Program', keywords: KEYWORDS, builtins: BUILTINS,
    changed: (text) => {
      clearTimeout(waiting);
      waiting = setTimeout(compile, DELAY);
      set_busy(true);
      set_stale(text !== compiled);
      keep_draft(text);
    },
    pointed: (line) => {
      if (line === pointed_line || !report) return;
      pointed_line = line;
      light(line === null ? null : { element: null, lines: [line] });
    },
    clicked: (line) => report && line !== null && used.includes(line) && keep({ element: null, lines: [line] }),
    escaped: () => kept && keep(null),
    saved: save,
  });
  live_lines = show_in_editor;
  live_reveal = (line) => editor.reveal(line);
  byId('diagnostics').addEventListener('click', (event) => {
    const line = Number(event.target.closest('[data-l]')?.dataset.l);
    if (line) editor.go(line);
  });
  keep_draft(editor.text());
  compile();
}

// What was typed outlives a page that is loaded again. Where nothing can be stored, it does not.
const DRAFT = 'toyc';

function draft() {
  try {
    const { name, text, typed } = JSON.parse(sessionStorage.getItem(DRAFT)) || {};
    return name === served.name && text === served.text ? typed : null;
  } catch {
    return null;
  }
}

function keep_draft(typed) {
  byId('reset').hidden = typed === served.text;
  try {
    sessionStorage.setItem(DRAFT, JSON.stringify({ ...served, typed }));
  } catch { /* It stays in the editor. */ }
}

// The text as a file of the reader: this server writes none.
function save() {
  const link = element('a', { href: URL.createObjectURL(new Blob([editor.text()], { type: 'text/plain' })), download: served.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// The colors of the lines, what is kept and what is pointed at. The colors are off while the stages are of another text.
function show_in_editor(pointed_lines, kept_lines) {
  const marks = new Map();
  if (!is_stale) for (const [line, hue] of hues) marks.set(line, { line, hue, name: 'from' });
  for (const line of pointed_lines) marks.set(line, { line, hue: null, name: 'lit' });
  for (const line of kept_lines) marks.set(line, { line, hue: null, name: 'kept' });
  editor.show([...marks.values()]);
}

// The status is what came of the last compilation: readers of screens do not hear of each keystroke.
function set_busy(is_busy) {
  byId('status').classList.toggle('busy', is_busy);
  clearInterval(clock);
  byId('stop').hidden = true;
}

// Says how long it takes, and offers to stop it.
function start_clock() {
  const start = performance.now();
  const verb = options.runs ? 'running' : 'compiling';
  clock = setInterval(() => {
    byId('status').textContent = `still ${verb} after ${Math.floor((performance.now() - start) / 1000)} s`;
    if (!byId('stop').hidden) return;
    byId('stop').disabled = false;
    byId('stop').hidden = false;
  }, PATIENCE);
}

// Marks the stages and the output as those of another text.
function set_stale(is_other) {
  is_stale = is_other && report !== null;
  root.classList.toggle('stale', is_stale);
}

const ask = (path, body, signal) => fetch(path, {
  method: 'POST', body: JSON.stringify(body), signal, headers: { 'X-Token': TOKEN, 'Content-Type': 'application/json' },
});

function set_status(text, details = text) {
  set_busy(false);
  byId('status').textContent = text;
  byId('status').title = details;
}

async function compile() {
  clearTimeout(waiting);
  asked?.abort();
  const request = new AbortController();
  asked = request;
  const program = editor.text();
  set_busy(true);
  set_stale(program !== compiled);
  start_clock();
  let answer;
  try {
    const response = await ask('/compile', { program, level: options.level, run: options.runs, client: CLIENT }, request.signal);
    answer = response.ok ? await response.json() : { message: await response.text(), diagnostics: [] };
  } catch (error) {
    if (error.name === 'AbortError') return;
    answer = { message: 'The server does not answer: it has ended.', diagnostics: [] };
  }
  if (asked !== request || answer.canceled) return;
  show_answer(answer, program);
}

function show_answer(answer, program) {
  if (answer.report) {
    if (answer.run || answer.report.run) answer.report.run = { ...answer.report.run, ...answer.run, errors: answer.errors };
    answer.diagnostics.push(...failures(answer.report.run));
    // What is kept is of the text, not of its options.
    if (kept) keep(program === compiled ? { element: null, lines: kept.lines } : null);
    compiled = program;
    set_stale(false);
    show_report(answer.report);
  }
  const problems = answer.diagnostics.map((diagnostic) => ({ diagnostic, span: diagnostic.spans.find((span) => span.primary) })).filter(({ span }) => span);
  editor.diagnose(problems.map(({ diagnostic, span }) => ({
    from: { line: span.start_line, column: span.start_column }, to: { line: span.end_line, column: span.end_column },
    severity: diagnostic.severity === 'error' ? 'error' : diagnostic.severity === 'warning' ? 'warning' : 'info',
    message: diagnostic.message + (diagnostic.code ? ` [${diagnostic.code}]` : '') + (diagnostic.help ? `\nhelp: ${diagnostic.help.message}` : ''),
  })));
  show_status(answer);
  show_diagnostics(answer.diagnostics);
  if (!report) show_nothing();
  else if (is_stale) light();
}

function show_status(answer) {
  const errors = answer.diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  const run = answer.report?.run;
  if (answer.message) set_status(answer.message);
  else if (!answer.report) set_status(counted(errors, 'error'), 'The stages are those of the last program that compiled');
  else if (errors) set_status('stopped while it ran');
  else set_status(`compiled in ${time(Math.max(0, answer.ms - (run?.ms ?? 0)))}` + (run ? `, ran ${time(run.ms)}` : ''));
}

// The errors with which a program stopped, as diagnostics.
function failures(run) {
  const found = (run?.errors || '').matchAll(/^.*:(\d+): error: (.*)$/gm);
  return [...found].map(([, line, message]) => ({
    severity: 'error', code: '', message, spans: [{ primary: true, start_line: Number(line), start_column: 1, end_line: Number(line) + 1, end_column: 1 }],
  }));
}

// Before any program has compiled.
function show_nothing() {
  document.querySelector('main').replaceChildren(element('p.note', {}, 'This program has errors. Its stages will be here when it compiles.'));
}

start_live(JSON.parse(byId('program').textContent));
