// The page: what the pointer and the keys do, and where the report comes from.

// Light and dark: the rules for the dark are switched on or off.
const DARK_RULES = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
  .filter((rule) => rule instanceof CSSMediaRule && /prefers-color-scheme/.test(rule.conditionText));
const PREFERS_DARK = matchMedia('(prefers-color-scheme: dark)');
let is_dark = PREFERS_DARK.matches;
let has_chosen = false;

function name_theme() {
  byId('theme').textContent = is_dark ? 'Light' : 'Dark';
}

function switch_theme() {
  has_chosen = true;
  is_dark = !is_dark;
  DARK_RULES.forEach((rule) => { rule.media.mediaText = is_dark ? 'all' : 'not all'; });
  root.style.colorScheme = is_dark ? 'dark' : 'light';
  name_theme();
}

// Shows a report; what is kept and the view stay, if they can.
function show_report(received) {
  report = received;
  find_lines();
  find_views();
  if (shown_pass_key) shown_pass = all_passes().find((pass) => pass.key === shown_pass_key)?.index ?? null;
  levels.clear();
  if (report.run) show_run(report.run);
  byId('about').replaceChildren(element('code', {}, report.command), ` for ${report.target}, by ${report.compiler}`);
  byId('about').title = byId('about').textContent;
  if (!live_lines) show_source();
  show_diagnostics(report.diagnostics);
  show_navigation();
  show();
  show_second();
}

function show_diagnostics(diagnostics) {
  const list = byId('diagnostics');
  list.hidden = diagnostics.length === 0;
  list.replaceChildren(...diagnostics.map((diagnostic) => diagnostic_entry(diagnostic)));
}

// A class of the page, and the button that says whether it has it.
function set_class(name, id, is_on = !root.classList.contains(name)) {
  root.classList.toggle(name, is_on);
  byId(id).setAttribute('aria-pressed', String(is_on));
}

// For a projector: large type, and little else than texts.
function set_slide(is_on) {
  set_class('slide', 'slide', is_on);
  if (!report) return;
  resized();
  show();
  show_second();
  if (kept) reveal();
}

document.addEventListener('pointerover', (event) => {
  if (event.pointerType === 'touch' || !report) return;
  const pointed = pointed_at(event.target);
  light(pointed);
  if (pointed?.lines.length > 0 && !source().contains(pointed.element)) show_source_line(pointed.lines[0]);
});
byId('diagnostics').addEventListener('click', (event) => {
  const pointed = pointed_at(event.target);
  if (pointed && !live_lines) keep(pointed);
});
document.addEventListener('pointerleave', () => report && light());
document.addEventListener('focusin', (event) => {
  if (report && event.target.matches('tr[data-buffer]')) light(pointed_at(event.target));
});

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    const { goto, allocation } = link.dataset;
    if (goto) is_diff = false;
    go(link.hash.slice(1));
    if (goto) go_to_function(goto, allocation ? Number(allocation) : null);
    return;
  }
  if (event.target.closest('#search') === null) byId('found').hidden = true;
  // A click that ends a selection does not keep a line.
  if (event.target.closest('a, button, summary, input, .cm-editor') || String(getSelection()) || !report) return;
  const pointed = pointed_at(event.target);
  if (pointed) keep(pointed);
});

const KEYS = {
  j: () => step_view(1),
  k: () => step_view(-1),
  n: () => current().id === 'passes' ? step_pass(1) : go('passes'),
  p: () => current().id === 'passes' ? step_pass(-1) : go('passes'),
  d: () => {
    is_diff = !is_diff;
    show();
    if (kept) reveal();
  },
  c: () => set_class('colored', 'colors'),
  b: toggle_second,
  s: () => set_slide(),
  e: () => live_edit?.(kept?.lines[0]),
  '/': () => {
    byId('query').focus();
    byId('query').select();
  },
  Escape: () => {
    byId('found').hidden = true;
    keep(null);
  },
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !report) return;
  const { key, target } = event;
  if (target.closest?.('#search')) return search_key(event);
  if (target.closest?.('.cm-editor, input, select, textarea')) {
    if (key !== 'Escape' || target.closest('.cm-editor')) return;
  }
  const active = document.activeElement;
  if ((active === source() || kept) && (key === 'ArrowDown' || key === 'ArrowUp')) {
    step_source(key === 'ArrowDown');
    return event.preventDefault();
  }
  const scrolls = active?.matches('.code, .wide') && (root.classList.contains('nowrap') || active.scrollWidth > active.clientWidth);
  if (active?.matches('tr[data-buffer]') && key === 'Enter') keep(pointed_at(active));
  else if (active?.id === 'divider' && /^Arrow(Left|Right)$/.test(key)) divide(divided() + (key === 'ArrowLeft' ? -3 : 3));
  else if (key === 'ArrowRight' && !scrolls) step_view(1);
  else if (key === 'ArrowLeft' && !scrolls) step_view(-1);
  else if (KEYS[key]) KEYS[key]();
  else return;
  event.preventDefault();
});

// The keys that scroll do so in what has the focus.
const focus_pane = () => document.querySelector('.right').focus({ preventScroll: true });

function search_key(event) {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') step_found(event.key === 'ArrowDown');
  else if (event.key === 'Escape') {
    byId('found').hidden = true;
    focus_pane();
  } else return;
  event.preventDefault();
}

let searching = null;
byId('query').addEventListener('input', (event) => {
  clearTimeout(searching);
  searching = setTimeout(() => report && search(event.target.value), 120);
});
byId('query').addEventListener('focus', (event) => report && search(event.target.value));
byId('search').addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(searching);
  if (report) next_found(byId('query').value);
});

// What is side by side is drawn again when there is room for it, or none any more.
let had_two_columns = has_two_columns();
function resized() {
  if (!report) return;
  measure();
  if (had_two_columns === has_two_columns()) return;
  had_two_columns = !had_two_columns;
  if (is_wide && document.querySelector('[data-wide]')) show();
}

// The width of the source, in percent.
const divided = () => 100 * document.querySelector('aside').offsetWidth / innerWidth;
function divide(percent) {
  const width = Math.min(80, Math.max(15, percent));
  root.style.setProperty('--left', width.toFixed(1) + '%');
  byId('divider').setAttribute('aria-valuenow', String(Math.round(width)));
  resized();
}
byId('divider').addEventListener('pointerdown', (event) => {
  event.preventDefault();
  event.target.setPointerCapture(event.pointerId);
});
byId('divider').addEventListener('pointermove', (event) => {
  if (event.target.hasPointerCapture(event.pointerId)) divide(100 * event.clientX / innerWidth);
});
byId('divider').addEventListener('dblclick', () => {
  root.style.removeProperty('--left');
  resized();
});
byId('colors').addEventListener('click', () => set_class('colored', 'colors'));
byId('shapes').addEventListener('click', () => set_class('shaped', 'shapes'));
byId('pair').addEventListener('click', () => report && toggle_second());
byId('slide').addEventListener('click', () => set_slide());
byId('link').addEventListener('click', () => report && copy_link());
byId('theme').addEventListener('click', switch_theme);
// The colors follow the system, or the page around this one, until the reader chooses.
PREFERS_DARK.addEventListener('change', () => {
  if (has_chosen) return;
  is_dark = PREFERS_DARK.matches;
  name_theme();
});
byId('collapse').addEventListener('click', (event) => {
  const is_hidden = document.querySelector('aside').classList.toggle('hidden');
  event.target.textContent = is_hidden ? 'Show' : 'Hide';
  event.target.setAttribute('aria-expanded', String(!is_hidden));
  measure();
});
addEventListener('resize', resized);
addEventListener('popstate', (event) => {
  if (!report) return;
  show();
  follow_link();
  if (event.state) pane().scrollTop = event.state.scrollTop;
});

name_theme();
set_class('colored', 'colors', true);
set_class('shaped', 'shapes', true);
if (byId('report')) {
  embedded().then(show_report).then(follow_link);
  focus_pane();
}
