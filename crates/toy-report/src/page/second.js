// A second pane: a stage, a level or a function beside the view.

// What it shows: the id of a stage, a level (null is that of the first pane) and a function (null is all); null without it.
let second = null;
// The reports of other levels, which are asked for once, or the reasons why there are none.
let levels = new Map();
// Where there is a server: asks it for the report of a level; and the level of the first pane.
let live_report = null;
let live_level = () => null;

function set_second(what) {
  const { scrollTop } = pane();
  second = what;
  root.classList.toggle('pair', second !== null);
  byId('second').hidden = second === null;
  byId('pair').setAttribute('aria-pressed', String(second !== null));
  pane().scrollTop = scrollTop;
  resized();
  center_entry();
  return show_second();
}

// The default is the gradient of the function in the first pane, or else the next stage; where that shows no stage, the first one.
function toggle_second() {
  const at = report.stages.indexOf(current().stage);
  const is_gradient = (name) => ['$grad', '$value_and_grad'].some((end) => name?.startsWith(base_of(shown_function) + end));
  const may_have_gradient = !second && shown_function && !is_gradient(shown_function);
  for (const stage of may_have_gradient ? report.stages.slice(Math.max(at, 0)) : []) {
    const gradient = parts_of(stage.parts).find(({ name }) => is_gradient(name));
    if (gradient) return set_second({ stage: stage.id, level: null, name: gradient.name });
  }
  set_second(second ? null : { stage: (report.stages[at + 1] ?? report.stages[0]).id, level: null, name: null });
}

async function report_at(level) {
  if (level === null || level === live_level()) return report;
  if (!levels.has(level)) levels.set(level, live_report(level));
  const found = await levels.get(level);
  if (found.stages) name_stages(found.stages);
  return found;
}

async function show_second() {
  if (second === null) return byId('second').replaceChildren();
  const [what, of] = [second, report];
  const found = await report_at(what.level);
  // Meanwhile, the reader or the program may have gone on.
  if (what !== second || of !== report) return;
  const stages = found.stages ?? report.stages;
  const stage = stages.find(({ id }) => id === what.stage) ?? stages.find(({ name }) => name === what.stage.replace(/-optimized$/, '')) ?? stages.at(-1);
  const choice = (label, options, choose) => element('select', { 'aria-label': label, onchange: (event) => choose(event.target.value) },
    ...options.map(([value, text, selected]) => element('option', { value, selected }, text)));
  const change = (how) => set_second({ ...second, ...how });
  const parts = found.stages ? parts_of(stage.parts, found) : [];
  const level = what.level ?? live_level();
  const tools = element('div.tools', {},
    live_report ? choice('Level', [0, 1, 2, 3].map((number) => [number, '-O' + number, number === level]), (value) => change({ level: Number(value) })) : '',
    choice('Stage', stages.map(({ id, title }) => [id, title, id === stage.id]), (id) => change({ stage: id })),
    function_choice(parts, what.name, (name) => change({ name })));
  const text = element('div.code', { tabindex: 0, role: 'group', 'aria-label': stage.title });
  const pane = byId('second');
  const { scrollTop } = pane;
  pane.replaceChildren(tools, found.stages ? text : element('p.note', {}, found.message));
  find_lines(...(found.stages && found !== report ? [found] : []));
  if (found.stages) whole_text(text, parts, stage.language, how_to_see(stage), what.name);
  changed_lines();
  light();
  if (kept) reveal();
  else pane.scrollTop = scrollTop;
}
