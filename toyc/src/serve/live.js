// The live page: an editor, and a compilation and a run again with every keystroke. It follows main.js and run.js.

const DELAY = 150;
// After so many milliseconds, a reader wants to know what takes so long.
const PATIENCE = 1000;
const TOKEN = new URLSearchParams(location.search).get('token') || '';
// Pages of one server do not end each other's compilations.
const CLIENT = crypto.randomUUID();
const RUN = '/run';

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
// Shows how long it takes.
let clock = null;
// The run of the last program that compiled, in a worker of this page.
let running = null;
// What was found before it ran.
let found = [];
// The line of the loop in which it is.
let loop_line = null;
// The line of the editor that the pointer is at.
let pointed_line = null;

async function start_live(program) {
  root.classList.add('live');
  served = program;
  options.runs = program.runs;
  byId('output').hidden = !program.runs;
  // A link without a token finds the last one of this address.
  try {
    localStorage.setItem('toyc', TOKEN);
  } catch { /* Then it does not. */ }
  const linked = await linked_program(link_parts());
  byId('lines').replaceWith(element('div', { id: 'lines' }));
  byId('hint').textContent = '';
  const level = element('select', { 'aria-label': 'Optimization level', onchange: () => {
    options.level = Number(level.value);
    compile();
  } }, ...[0, 1, 2, 3].map((number) => element('option', { value: number, selected: number === options.level }, '-O' + number)));
  const runs = element('input', { type: 'checkbox', checked: true, onchange: () => {
    options.runs = runs.checked;
    byId('output').hidden = !options.runs;
    compile();
  } });
  const reset = element('button', { type: 'button', id: 'reset', hidden: true, title: 'Back to the text of the file, which is not changed by what you type',
    onclick: () => editor.replace(served.text) }, 'Revert');
  const stop = element('button', { type: 'button', id: 'stop', hidden: true, onclick: () => {
    if (running) return running.stop(`Stopped${in_loop()}.`);
    stop.disabled = true;
    for (const goal of ['', RUN]) ask('/stop', { client: CLIENT + goal }).catch(() => {});
  } }, 'Stop');
  byId('live').append(level, program.runs ? element('label', {}, runs, ' Run') : '', element('span', { id: 'status', role: 'status' }), stop, reset);
  byId('live').hidden = false;
  byId('hint').before(byId('live'));
  editor = ToyEditor.create({
    parent: byId('lines'), text: linked ?? draft() ?? program.text, label: 'Program', keywords: KEYWORDS, builtins: BUILTINS,
    changed: (text) => {
      clearTimeout(waiting);
      waiting = setTimeout(compile, DELAY);
      set_busy(true);
      set_stale(text !== compiled);
      // The kept line is of the text before.
      if (kept) keep(null);
      keep_draft(text);
    },
    pointed: (line) => {
      if (line === pointed_line || !report) return;
      pointed_line = line;
      light(line === null ? null : { element: null, lines: [line] });
    },
    clicked: (line) => report && line !== null && used.includes(line) && keep({ element: null, lines: [line] }),
    // The line of the cursor is kept, so that the arrows go on from there.
    escaped: (cursor) => {
      focus_pane();
      const line = [...hues.keys()].findLast((other) => other <= cursor);
      hold(report && line ? { element: null, lines: [line] } : null);
      light();
    },
    saved: save,
  });
  live_lines = show_in_editor;
  live_reveal = (line) => editor.reveal(line);
  live_edit = (line) => editor.go(line ?? editor.line());
  live_level = () => options.level;
  live_report = async (level) => {
    const answer = await answer_to('report', compiled, { level, client: '/beside' });
    return answer.report ?? { message: answer.message ?? 'This level has errors.' };
  };
  live_link = async (parts) => {
    parts.set('level', options.level);
    parts.set('code', await code_of(editor.text()));
  };
  live_follow = async (parts) => {
    const before = options.level;
    const text = await linked_program(parts);
    if (options.level === before && (text ?? editor.text()) === editor.text()) return;
    level.value = options.level;
    editor.replace(text ?? editor.text());
    await compile();
  };
  byId('diagnostics').addEventListener('click', (event) => {
    const line = Number(event.target.closest('[data-l]')?.dataset.l);
    if (line) editor.go(line);
  });
  keep_draft(editor.text());
  level.value = options.level;
  await compile();
  follow_link();
}

// The program of a link, whose level becomes that of the page; null without one. MLIR of others is not even compiled.
async function linked_program(parts) {
  if (/^[0-3]$/.test(parts.get('level'))) options.level = Number(parts.get('level'));
  return parts.has('code') && !served.name.endsWith('.mlir') ? text_of(parts.get('code')).catch(() => null) : null;
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

let [pointed_lines, kept_lines] = [[], []];

// The colors of the lines, what is kept and what is pointed at. The colors are off while the stages are of another text.
function show_in_editor(...lines) {
  [pointed_lines, kept_lines] = lines;
  const marks = new Map();
  if (!is_stale) for (const [line, hue] of hues) marks.set(line, { line, hue, name: 'from' });
  for (const line of pointed_lines) marks.set(line, { line, hue: null, name: 'lit' });
  for (const line of kept_lines) marks.set(line, { line, hue: null, name: 'kept' });
  editor.show([...marks.values(), ...(loop_line ? [{ line: loop_line, hue: null, name: 'running' }] : [])]);
}

// Shows the loop that runs, in the editor and in the plan; null is none.
function show_loop(line) {
  for (const band of all('.loop')) band.classList.toggle('running', line !== null && band.dataset.l === String(line));
  if (line === loop_line) return;
  loop_line = line;
  if (line !== null) plan_cursors.forEach((move) => move(line));
  show_in_editor(pointed_lines, kept_lines);
}

const in_loop = () => loop_line ? ` in the loop of line ${loop_line}` : '';

// The status is what came of the last compilation: readers of screens do not hear of each keystroke.
function set_busy(is_busy) {
  byId('status').classList.toggle('busy', is_busy);
  clearInterval(clock);
  byId('stop').hidden = true;
}

// Says how long it takes, and offers to stop it.
function start_clock(verb) {
  clearInterval(clock);
  const start = performance.now();
  clock = setInterval(() => {
    const seconds = Math.floor((performance.now() - start) / 1000);
    if (running && seconds >= served.seconds) return running.stop(`Ended${in_loop()}, because it took longer than ${served.seconds} seconds.`);
    byId('status').textContent = `still ${verb} after ${seconds} s${in_loop()}`;
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

// What the server makes of a program: a report or a module.
async function answer_to(goal, program, { level = options.level, client = '', signal } = {}) {
  try {
    const response = await ask('/compile', { program, level, goal, client: CLIENT + client }, signal);
    return response.ok ? await response.json() : { message: await response.text(), diagnostics: [] };
  } catch (error) {
    if (error.name === 'AbortError') return { canceled: true };
    return { message: 'The server does not answer: it has ended.', diagnostics: [] };
  }
}

async function compile() {
  clearTimeout(waiting);
  asked?.abort();
  end_run();
  const request = new AbortController();
  asked = request;
  const program = editor.text();
  const { signal } = request;
  set_busy(true);
  set_stale(program !== compiled);
  start_clock('compiling');
  // Both at once: the program runs as soon as its stages are there.
  const module = options.runs ? answer_to('module', program, { client: RUN, signal }) : null;
  const answer = await answer_to('report', program, { signal });
  if (asked !== request || answer.canceled) return;
  show_answer(answer, program);
  const made = answer.report && await module;
  if (made && asked === request && !made.canceled) run_module(made);
}

function show_answer(answer, program) {
  if (answer.report) {
    // What is kept is of the text, not of its options.
    if (kept) hold({ element: null, lines: kept.lines });
    compiled = program;
    set_stale(false);
    show_report(answer.report);
    editor.show_shapes(report.hints);
  }
  show_problems(answer.diagnostics);
  found = answer.diagnostics;
  const errors = answer.diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  if (answer.message) set_status(answer.message);
  else if (!answer.report) set_status(counted(errors, 'error'), 'The stages are those of the last program that compiled');
  else {
    set_status('compiled in ' + time(answer.ms));
    if (options.runs) {
      set_busy(true);
      start_clock('running');
    }
  }
  if (!report) show_nothing();
  else if (is_stale) light();
}

function show_problems(diagnostics) {
  editor.diagnose(in_editor(diagnostics));
  show_diagnostics(diagnostics);
}

// Runs a module; its output is shown as it comes.
function run_module({ module, host, message, diagnostics }) {
  if (!module) {
    const [error] = diagnostics.filter(({ severity }) => severity === 'error');
    const why = message ?? (error ? error.message + (error.help ? ': ' + error.help.message : '') : 'it has no module');
    set_busy(false);
    return show_output({ note: 'This program cannot run in the page: ' + why });
  }
  let [output, errors, why] = ['', '', ''];
  const compiled_in = byId('status').textContent;
  const run = runWasm(Uint8Array.from(atob(module), (one) => one.charCodeAt(0)), {
    host,
    onOutput(text) {
      // The output before stays until there is another one: nothing flickers.
      if (output === '') show_output({ output: text });
      else byId('printed').append(text);
      output += text;
    },
    onError: (text) => { errors += text; },
    onLoop: show_loop,
    onExit({ ms, reason }) {
      prepareWasm(host);
      // A newer program has its place.
      if (running === null) return;
      running = null;
      show_loop(null);
      const note = { stopped: why, output: `Ended, because it printed more than ${grouped(OUTPUT_LIMIT)} characters.` }[reason] ?? reason ?? '';
      const failed = failures(errors);
      show_output({ output, errors: failed.length > 0 ? '' : errors, note });
      show_problems([...found, ...failed]);
      set_status(note || (errors ? 'stopped while it ran' : `${compiled_in}, ran ${time(ms)}`));
    },
  });
  running = {
    stop(reason) {
      why = reason;
      run.stop();
    },
  };
}

// Ends the run of an older program, whose output stays.
function end_run() {
  const older = running;
  running = null;
  show_loop(null);
  older?.stop('');
}

// The errors with which a program stopped, as diagnostics.
function failures(errors) {
  return [...errors.matchAll(/^.*:(\d+): error: (.*)$/gm)].map(([, line, message]) => ({
    severity: 'error', code: '', message, spans: [{ primary: true, start_line: Number(line), start_column: 1, end_line: Number(line) + 1, end_column: 1 }],
  }));
}

// Before any program has compiled.
function show_nothing() {
  byId('first').replaceChildren(element('p.note', {}, 'This program has errors. Its stages will be here when it compiles.'));
}

start_live(JSON.parse(byId('program').textContent));
