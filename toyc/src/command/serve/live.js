// The live page: an editor, and a compilation again with every keystroke. It follows main.js.

const DELAY = 150;
const TOKEN = new URLSearchParams(location.search).get('token') || '';
// Pages of one server do not end each other's compilations.
const CLIENT = crypto.randomUUID();

const options = { level: 2, runs: true };
let editor = null;
let waiting = null;
let asked = null;
// Whether the stages are those of the text.
let is_stale = false;

function start_live(program) {
  root.classList.add('live');
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
  byId('live').append(level, element('label', {}, runs, ' Run'), element('span', { id: 'status', role: 'status' }));
  byId('live').hidden = false;
  editor = ToyEditor.create({
    parent: byId('lines'), text: program.text, label: 'Program', keywords: KEYWORDS, builtins: BUILTINS,
    changed: () => {
      clearTimeout(waiting);
      waiting = setTimeout(compile, DELAY);
      set_status('…');
    },
    pointed: (line) => report && light(line === null ? null : { element: null, lines: [line] }),
    clicked: (line) => report && line !== null && used.includes(line) && keep({ element: null, lines: [line] }),
  });
  live_lines = show_in_editor;
  byId('diagnostics').addEventListener('click', (event) => {
    const line = Number(event.target.closest('[data-l]')?.dataset.l);
    if (line) editor.go(line);
  });
  compile();
}

// The colors of the lines, what is kept and what is pointed at. They are off while the stages are of another text.
function show_in_editor(lit_lines, is_kept) {
  const marks = new Map();
  if (!is_stale) for (const [line, hue] of hues) marks.set(line, { line, hue, name: 'from' });
  for (const line of lit_lines) marks.set(line, { line, hue: null, name: is_kept ? 'kept' : 'lit' });
  editor.show([...marks.values()]);
}

const set_status = (text) => { byId('status').textContent = text; };

async function compile() {
  clearTimeout(waiting);
  asked?.abort();
  const request = new AbortController();
  asked = request;
  set_status('compiling …');
  let answer;
  try {
    const body = JSON.stringify({ program: editor.text(), level: options.level, run: options.runs, client: CLIENT });
    const response = await fetch('/compile', { method: 'POST', body, signal: request.signal, headers: { 'X-Token': TOKEN, 'Content-Type': 'application/json' } });
    answer = response.ok ? await response.json() : { message: await response.text(), diagnostics: [] };
  } catch (error) {
    if (error.name === 'AbortError') return;
    answer = { message: 'The server does not answer: it has ended.', diagnostics: [] };
  }
  if (asked !== request || answer.canceled) return;
  show_answer(answer);
}

function show_answer(answer) {
  is_stale = !answer.report;
  root.classList.toggle('stale', is_stale);
  const problems = answer.diagnostics.map((diagnostic) => ({ diagnostic, span: diagnostic.spans.find((span) => span.primary) })).filter(({ span }) => span);
  editor.diagnose(problems.map(({ diagnostic, span }) => ({
    from: { line: span.start_line, column: span.start_column }, to: { line: span.end_line, column: span.end_column },
    severity: diagnostic.severity === 'error' ? 'error' : diagnostic.severity === 'warning' ? 'warning' : 'info',
    message: `${diagnostic.message} [${diagnostic.code}]` + (diagnostic.help ? `\nhelp: ${diagnostic.help.message}` : ''),
  })));
  const errors = answer.diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  set_status(answer.message || (errors ? `${counted(errors, 'error')}; the stages are those of the last program without` : `compiled in ${time(answer.ms)}`));
  if (answer.report) {
    kept = null;
    if (answer.run) answer.report.run = { ...answer.report.run, ...answer.run };
    show_report(answer.report);
  }
  show_diagnostics(answer.diagnostics);
  if (!answer.report && report) light();
}

start_live(JSON.parse(byId('program').textContent));
