// The lines of the source and everything that comes from them: one color each, pointing, keeping.

let report = null;
// The lines that something comes from, in order, and what each has in common with no neighbor.
let used = [];
let hues = new Map();
let kept = null;
let lit = [];
// The shown elements by source line; null until they are asked for.
let shown_lines = null;
// Where there is an editor: lights lines in it, scrolls to one, and goes on typing there.
let live_lines = null;
let live_reveal = null;
let live_edit = null;

const hue_of = (line) => hues.get(line) ?? null;
const source = () => byId('lines');
const source_line = (line) => byId('L' + line);
function changed_lines() {
  shown_lines = null;
  color_when_seen(document.querySelector('main'), line_colors);
}

// The lines of the source that something comes from, in this report or in another one beside it. Those that operations come
// from have a color.
function find_lines(...others) {
  const lines_in = (is_wanted) => [...new Set([report, ...others].flatMap((of) => of.stages.filter(is_wanted).flatMap((stage) => [...origins_of(stage, of).keys()])))].sort((a, b) => a - b);
  used = lines_in(() => true);
  // Neighbors are far apart on the wheel.
  hues = new Map(lines_in((stage) => !['tokens', 'tree'].includes(stage.language)).map((line) => [line, Math.round(line * 137.508) % 360]));
}

function show_source() {
  const lines = report.source.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const is_used = new Set(used);
  const shapes = Map.groupBy(report.hints, ([line]) => line);
  source().replaceChildren(...lines.map((text, index) => {
    const made = line_element('', text, report.language, '', index + 1);
    made.id = 'L' + (index + 1);
    uncolored.set(made, [text, report.language, null, new Map(shapes.get(index + 1)?.map(([, column, shape]) => [column, shape]))]);
    made.classList.toggle('used', is_used.has(index + 1));
    const hue = hue_of(index + 1);
    if (hue !== null) made.style.setProperty('--h', hue);
    return made;
  }));
  color_when_seen(source(), source_colors);
}

function elements_of(lines) {
  if (!shown_lines) {
    shown_lines = new Map();
    for (const found of all('main [data-l]')) {
      for (const line of lines_of(found.dataset.l)) {
        if (!shown_lines.has(line)) shown_lines.set(line, []);
        shown_lines.get(line).push(found);
      }
    }
  }
  return [...new Set(lines.flatMap((line) => shown_lines.get(line) || []))];
}

function mark(elements, name) {
  for (const found of elements) {
    found.classList.add(name);
    lit.push([found, name]);
  }
}

// Lights what is kept, and what the pointer is at.
function light(pointed = null) {
  lit.forEach(([found, name]) => found.classList.remove(name));
  lit = [];
  if (kept) {
    mark(kept.lines.map(source_line).filter(Boolean), 'kept');
    mark(elements_of(kept.lines), 'kept');
    mark(twins_of(kept.element), 'kept');
  }
  if (pointed) {
    mark(pointed.lines.map(source_line).filter(Boolean), 'lit');
    const pane_of = (one) => one?.closest('#first, #second');
    const here = pane_of(pointed.element);
    const elsewhere = elements_of(pointed.lines).filter((one) => pane_of(one) !== here);
    mark(here ? [pointed.element, ...twins_of(pointed.element), ...elsewhere] : elements_of(pointed.lines), 'lit');
  }
  live_lines?.(pointed?.lines || [], kept?.lines || []);
  count_hits((pointed || kept)?.lines || []);
}

// The other pictures of a buffer.
function twins_of(found) {
  const buffer = found?.dataset.buffer;
  return buffer ? all(`main [data-buffer="${CSS.escape(buffer)}"]`) : [];
}

// How many lines of each stage come from some lines.
function count_hits(lines) {
  for (const link of all('nav a')) {
    const stage = link.view?.stage;
    const count = stage ? sum(lines.map((line) => origins_of(stage).get(line) || 0)) : 0;
    const hits = link.querySelector('.hits');
    hits.hidden = count === 0;
    hits.textContent = count || '';
    hits.setAttribute('aria-label', count ? counted(count, 'line') + ' from there' : '');
  }
}

// What a pointer or the keyboard is at: an element, and the source lines it comes from.
function pointed_at(target) {
  const found = target.closest?.('[data-n], [data-l], [data-buffer]');
  if (!found) return null;
  if (source().contains(found)) return { element: found, lines: [Number(found.dataset.n)] };
  const lines = lines_of(found.dataset.l || '');
  return lines.length > 0 || found.dataset.buffer ? { element: found, lines } : null;
}

function keep(pointed) {
  const is_same = pointed && kept && String(kept.lines) === String(pointed.lines) && kept.element === pointed.element;
  hold(pointed && !is_same ? pointed : null);
  light();
  if (kept) reveal();
}

function hold(pointed) {
  kept = pointed;
  const line = kept?.lines.length ? 'Line ' + kept.lines[0] + (kept.lines.length > 1 ? ' and others' : '') : null;
  if (live_lines) byId('hint').textContent = line ? line + ' kept' : '';
  else byId('hint').textContent = line ? line + ' is kept; click to let go' : 'Point at a line; click to keep it';
}

// Scrolls as little as possible, the source only within its own frame.
function show_source_line(line) {
  if (live_reveal) return live_reveal(line);
  const found = source_line(line);
  if (!found) return;
  const frame = source().getBoundingClientRect();
  const place = found.getBoundingClientRect();
  if (place.top < frame.top || place.bottom > frame.bottom) {
    source().scrollTop += place.top - frame.top - frame.height / 3;
  }
}

function reveal() {
  if (kept.lines.length === 0) return;
  show_source_line(kept.lines[0]);
  plan_cursors.forEach((move) => move(kept.lines[0]));
  for (const pane of [byId('first'), byId('second')]) {
    const found_here = () => elements_of(kept.lines).filter((one) => pane.contains(one));
    let found = found_here();
    if (found.length === 0) {
      unfold(pane, kept.lines);
      light();
      found = found_here();
    }
    if (kept.element && found.includes(kept.element)) continue;
    if (found.length > 0 && !found.some(is_in_view)) found[0].scrollIntoView({ block: 'center' });
  }
}

// Opens the first function of a pane that has one of these lines.
function unfold(pane, lines) {
  for (const folded of all('.part', pane)) {
    const index = folded.content?.from.findIndex((origin) => lines_of(origin).some((line) => lines.includes(line)));
    if (index >= 0) return folded.open(true, index);
  }
}

function is_in_view(found) {
  const place = found.getBoundingClientRect();
  const at = document.elementFromPoint(place.left + Math.min(place.width / 2, 200), place.top + 4);
  return at !== null && (found.contains(at) || at.contains(found));
}

// By keys: to the next line that operations come from.
function step_source(is_down) {
  const at = kept?.lines[0] ?? (is_down ? 0 : Infinity);
  const lines = [...hues.keys()];
  const line = is_down ? lines.find((other) => other > at) : lines.findLast((other) => other < at);
  if (line) keep({ element: source_line(line), lines: [line] });
}
