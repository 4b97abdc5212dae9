// The views of the page: stages, passes, and the pictures; one is shown, and the address says which.

let views = [];
let is_diff = false;
let is_wide = true;
let is_wrapped = true;
let are_steps_open = false;
// The function that is shown; null is all of them.
let shown_function = null;
let shown_view = null;
// The pass that is shown, by its number; null is the first that changed something.
let shown_pass = null;
// Its name and stage: in another program it may have another number.
let shown_pass_key = null;

const NARROW = matchMedia('(max-width: 800px)');
const view_named = (id) => views.find((view) => view.id === id);

function current() {
  const [id, rest] = decodeURIComponent(location.hash.slice(1).split('&')[0]).split('/');
  if (id === 'passes' && rest && Number(rest) !== shown_pass) {
    shown_pass = Number(rest);
    shown_pass_key = null;
  }
  return view_named(id) || views[0];
}

// Gives the stages of a report their names in addresses, and the stage before them if that is comparable.
function name_stages(stages) {
  stages.forEach((stage, index) => {
    const before = stages[index - 1];
    stage.id = stages.slice(0, index).some((other) => other.id === stage.name) ? stage.name + '-optimized' : stage.name;
    stage.previous = before?.language === stage.language && ['mlir', 'llvm'].includes(stage.language) ? before : null;
  });
}

// The views of a report.
function find_views() {
  views = [{ id: 'overview', title: 'overview', kind: 'extra', fill: overview }];
  name_stages(report.stages);
  report.stages.forEach((stage) => {
    const { id, previous } = stage;
    const is_same = previous !== null && is_same_text(stage, previous);
    views.push({ id, title: stage.title, kind: is_same ? 'same' : 'stage', stage, fill: (box) => stage_view(box, stage, is_same) });
    if (stage.name === 'merged' && (report.plan || report.plan_note)) views.push({ id: 'memory-plan', title: 'memory plan', kind: 'extra', fill: plan_view });
    if (stage.name === 'shapes' && report.calls.length > 0) views.push({ id: 'specializations', title: 'specializations', kind: 'extra', fill: calls_view });
  });
  if (all_passes().some((pass) => pass.changed !== null)) {
    views.splice(1, 0, { id: 'passes', title: 'passes', kind: 'extra', fill: passes_view });
  }
}

function show_navigation() {
  const list = document.querySelector('nav ol');
  list.replaceChildren(...views.map((view) => {
    const link = element('a.' + view.kind, { href: '#' + view.id, title: view.kind === 'same' ? 'nothing changed' : null }, view.title);
    if (view.kind === 'same') link.append(element('span.sign', { 'aria-label': ', nothing changed' }, '='));
    link.append(element('span.hits', { hidden: true }));
    link.view = view;
    return element('li', {}, link);
  }));
}

// Shows the view of the address.
function show() {
  const view = current();
  const is_same = shown_view === view.id;
  const { scrollTop } = pane();
  const box = element('section.view.shown', { id: view.id, 'aria-label': view.title });
  line_colors.disconnect();
  view.fill(box);
  byId('first').replaceChildren(box);
  shown_view = view.id;
  changed_lines();
  for (const link of all('nav a')) {
    if (link.view === view) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  show_slider();
  center_entry();
  light();
  measure();
  // With another program in the same view, the reader's place stays.
  if (is_same) pane().scrollTop = scrollTop;
}

// Where the entries are one line, the current one is in its middle.
function center_entry() {
  const list = document.querySelector('nav ol');
  const link = document.querySelector('nav a[aria-current]');
  if (link) list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
}

// What scrolls when the reader scrolls a view.
const pane = () => NARROW.matches ? document.scrollingElement : second ? byId('first') : document.querySelector('.right');

// Whether there is room for two texts side by side: elsewhere, one is below the other. As in the style.
function has_two_columns() {
  return byId('first').clientWidth >= 496;
}

// What sticks below the entries has to know how high they are. On a telephone that is the source.
function measure() {
  const sticky = document.querySelector(NARROW.matches ? 'aside' : 'nav');
  root.style.setProperty('--nav', sticky.offsetHeight + 'px');
  root.style.setProperty('--head', document.querySelector('header').offsetHeight + 'px');
}

function go(id) {
  const { scrollTop } = pane();
  if (location.hash.split('&')[0] !== '#' + id) {
    // For the way back.
    history.replaceState({ scrollTop }, '');
    history.pushState(null, '', '#' + id);
  }
  show();
  pane().scrollTop = NARROW.matches ? document.querySelector('.columns').offsetTop : 0;
  if (kept) reveal();
}

function step_view(by) {
  const to = views[views.indexOf(current()) + by];
  if (to) go(to.id);
}

function tools(change, parts, redraw) {
  const pressed = (is_on) => String(Boolean(is_on));
  const tools = element('div.tools');
  if (change) {
    const mode = (name, label, is_on) => element('button', { type: 'button', 'data-mode': name, 'aria-pressed': pressed(is_on), onclick: () => {
      is_diff = name === 'diff';
      redraw();
    } }, label);
    tools.append(element('span.switch', { role: 'group', 'aria-label': 'What to show' },
      mode('text', 'Whole text', !is_diff), mode('diff', 'Changes ', is_diff)));
    if (change.added !== null) tools.querySelector('[data-mode=diff]').append(sums(change));
  }
  if (change && is_diff) {
    tools.append(element('button.wide-only', { type: 'button', 'data-wide': true, 'aria-pressed': pressed(is_wide), onclick: () => {
      is_wide = !is_wide;
      redraw();
    } }, 'Side by side'));
  }
  tools.append(element('button', { type: 'button', 'data-wrap': true, 'aria-pressed': pressed(is_wrapped), onclick: (event) => {
    is_wrapped = !is_wrapped;
    root.classList.toggle('nowrap', !is_wrapped);
    event.currentTarget.setAttribute('aria-pressed', pressed(is_wrapped));
  } }, 'Wrap lines'));
  const folds = () => all('.fold', tools.parentElement);
  tools.append(function_choice(parts, shown_function, (name) => {
    shown_function = name;
    redraw();
  }), element('button.folds', { type: 'button', onclick: () => {
    const opens = !folds().some((fold) => fold.getAttribute('aria-expanded') === 'true');
    folds().filter((fold) => (fold.getAttribute('aria-expanded') === 'true') !== opens).forEach((fold) => fold.click());
  } }, 'Fold functions'));
  return tools;
}

const how_to_see = (stage) => (count) => `… and ${counted(count, 'more line')}, left out of this page: -emit=${stage.name} shows them`;

function stage_view(box, stage, is_same) {
  const operations = Object.entries(stage.operations).map(([dialect, kinds]) =>
    element('li.chip', { title: Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`).join('\n') },
      dialect + ' ', element('b', {}, grouped(sum(Object.values(kinds))))));
  const facts = stage.lines > 0
    ? [element('li', {}, element('b', {}, counted(stage.lines, 'line'))), ...(stage.bytes === null ? [] : [element('li', {}, element('b', {}, bytes(stage.bytes)))])] : [];
  box.append(element('h2', {}, stage.title), element('p.about', {}, stage.about), element('ul.facts', {}, ...facts, ...operations), steps_of(stage));
  if (stage.note) box.append(element('p.note', {}, stage.note));
  if (stage.lines === 0) return;
  const text = element('div.code', { tabindex: 0, role: 'group', 'aria-label': stage.title });
  const parts = parts_of(stage.parts);
  if (is_same) {
    const folded = element('details.folded', {}, element('summary', {}, 'Nothing changed here; the text is that of the stage before'), text);
    folded.addEventListener('toggle', () => folded.open && whole_text(text, parts, stage.language, how_to_see(stage)), { once: true });
    return box.append(folded);
  }
  const draw = () => {
    if (stage.previous && is_diff) changes(text, only(changed_since(stage), shown_function), stage.language, is_wide && has_two_columns());
    else whole_text(text, parts, stage.language, how_to_see(stage), shown_function);
    box.querySelector('.tools')?.replaceWith(tools(total_of(stage), parts, redraw));
  };
  const redraw = () => {
    draw();
    light();
    if (kept) reveal();
  };
  box.append(tools(total_of(stage), parts, redraw), text);
  draw();
}

// In larger texts, what changed is looked for when it is asked for.
const EASY = 4000;

// How many lines a stage changed, as far as that is known; null if there is nothing to compare it with.
function total_of(stage) {
  if (!stage.previous) return null;
  if (!stage.changes && stage.lines + stage.previous.lines >= EASY) return { added: null, removed: null };
  const changed = changed_since(stage);
  return { added: sum(changed.map((c) => c.added)), removed: sum(changed.map((c) => c.removed)) };
}

function changed_since(stage) {
  stage.changes ??= difference(parts_of(stage.previous.parts), parts_of(stage.parts), stage.language);
  return stage.changes;
}

function steps_of(stage) {
  if (stage.steps.length === 0) return '';
  const row = (step) => element('tr' + (step.changed === false ? '.same' : ''), {},
    element('td', {}, element('code', {}, step.name)),
    element('td', {}, step.changed === null ? '' : step.changed ? 'changed the program' : 'nothing to do'),
    element('td.r', {}, time(step.ms)));
  return element('details.steps', { open: are_steps_open, ontoggle: (event) => { are_steps_open = event.target.open; } }, element('summary', {}, `${counted(stage.steps.length, 'step')} led here, ${time(sum(stage.steps.map((step) => step.ms)))}`),
    element('table', {}, element('tbody', {}, ...stage.steps.map(row))));
}

// The list of passes on the left, and what one of them changed.
function passes_view(box) {
  const passes = all_passes();
  const changing = passes.filter((pass) => pass.changed);
  if (!passes[shown_pass]?.changed) shown_pass = changing[0]?.index ?? null;
  shown_pass_key = passes[shown_pass]?.key ?? null;
  const entries = [];
  let stage = null;
  for (const pass of passes) {
    if (pass.stage !== stage) entries.push(element('li.stage', {}, pass.stage.title));
    ({ stage } = pass);
    const label = [element('span.name', {}, pass.name), element('span.ms', {}, time(pass.ms))];
    const known = { 'data-pass': pass.index };
    if (pass.changed) entries.push(element('li', {}, element('a', { ...known, href: '#passes/' + pass.index, 'aria-current': pass.index === shown_pass ? 'true' : null }, ...label)));
    else entries.push(element('li.same', { ...known, title: pass.changed === false ? 'nothing changed' : 'not a pass over MLIR' }, ...label));
  }
  const left_out = Math.max(0, ...passes.map((pass) => pass.left_out));
  box.append(element('h2', {}, 'Passes'),
    element('p.about', {}, `${changing.length} of ${counted(passes.filter((pass) => pass.changed !== null).length, 'pass')} changed the program; the others are gray.`.replace(/passs/, 'passes')),
    left_out > 0 ? element('p.note', {}, `This program is large: up to ${counted(left_out, 'function')} ${left_out === 1 ? 'is' : 'are'} not followed through the passes.`) : '');
  const change_box = element('div.change');
  box.append(element('div.passes', {}, element('ol.pass-list', { 'aria-label': 'Passes' }, ...entries), change_box));
  if (shown_pass !== null) pass_change(change_box, passes[shown_pass]);
  const entry = box.querySelector('.pass-list [aria-current]');
  if (entry) setTimeout(() => { entry.closest('ol').scrollTop = entry.offsetTop - 120; });
}

// The changes of a pass; for canonicalization also those of each rewrite, with a slider.
function pass_change(box, pass) {
  const text = element('div.code', { tabindex: 0, role: 'group', 'aria-label': 'What ' + pass.name + ' changed' });
  const heading = element('h3');
  let changed = [];
  const draw = () => {
    if (changed.some((c) => c.added + c.removed > 0)) changes(text, changed, 'mlir', is_wide && has_two_columns());
    else text.replaceChildren(element('p.gone', {}, 'Only numbers of values, or the order of functions.'));
    light();
  };
  const show_change = ({ before, after }) => {
    changed = difference(parts_of(before), parts_of(after), 'mlir');
    heading.replaceChildren(element('code', {}, pass.name), ' ', sums({ added: sum(changed.map((c) => c.added)), removed: sum(changed.map((c) => c.removed)) }));
    draw();
  };
  const side = element('button.wide-only', { type: 'button', 'data-wide': true, 'aria-pressed': String(is_wide), onclick: () => {
    is_wide = !is_wide;
    side.setAttribute('aria-pressed', String(is_wide));
    draw();
  } }, 'Side by side');
  box.append(heading, element('div.tools', {}, side), rewrites_of(pass, show_change), text);
  show_change(pass);
}

// A slider over the rewrites of a pass; at its left end is the whole pass.
function rewrites_of(pass, show_change) {
  const { rewrites } = pass;
  if (rewrites.length === 0) return '';
  const rule = element('output.now');
  const slider = element('input', { type: 'range', min: 0, max: rewrites.length, value: 0, 'aria-label': 'Rewrite', oninput: () => at(Number(slider.value)) });
  const at = (number) => {
    slider.value = number;
    rule.textContent = number === 0 ? `All rewrites: ${rewrites.length}` : `Rewrite ${number} of ${rewrites.length}: ${rewrites[number - 1].rule}`;
    slider.setAttribute('aria-valuetext', rule.textContent);
    show_change(rewrites[number - 1] ?? pass);
  };
  rule.textContent = `All rewrites: ${rewrites.length}`;
  const step = (by, label, sign) => element('button', { type: 'button', 'aria-label': label, onclick: () => at(Math.min(rewrites.length, Math.max(0, Number(slider.value) + by))) }, sign);
  return element('div.tools.static', {}, step(-1, 'Previous rewrite', '←'), slider, step(1, 'Next rewrite', '→'), rule);
}

// To the next pass that changed something, or back.
function step_pass(by) {
  const changing = all_passes().filter((pass) => pass.changed);
  const to = changing[changing.findIndex((pass) => pass.index === shown_pass) + by];
  if (to) go('passes/' + to.index);
}
