// The compilation in one look, and the calls with their shapes.

function overview(box) {
  box.append(element('h2', {}, 'Overview'), strip(), facts(), dialects(), memory(), versions(), table(),
    element('p.help', {}, 'Point at a line of the source or of a stage to see where it comes from and what becomes of it; click to keep it lit while you switch stages, ',
      element('kbd', {}, 'Esc'), ' to let go. ', element('kbd', {}, 'j'), ' and ', element('kbd', {}, 'k'), ' or the arrow keys go to the next stage and back, ',
      element('kbd', {}, 'd'), ' shows what a stage changed, ', element('kbd', {}, 'n'), ' and ', element('kbd', {}, 'p'), ' go from pass to pass, ',
      element('kbd', {}, '/'), ' searches all stages. ', element('kbd', {}, 'b'), ' puts another stage beside this one, ', element('kbd', {}, '↑'), ' and ', element('kbd', {}, '↓'),
      ' go from line to line once one is kept, and ', element('kbd', {}, 's'), ' is for a projector.'));
}

const time_of = (stage) => sum(stage.steps.map((step) => step.ms));

// The pipeline: every stage with its time, those that changed nothing gray.
function strip() {
  const total = Math.max(1e-9, sum(report.stages.map(time_of)));
  return element('ol.strip', { 'aria-label': 'Pipeline' }, ...report.stages.map((stage) => {
    const share = time_of(stage) / total;
    const passes = stage.steps.filter((step) => step.changed !== null);
    const detail = passes.length > 0 ? `${passes.filter((step) => step.changed).length} of ${passes.length} passes` : '';
    const link = element('a' + (view_named(stage.id)?.kind === 'same' ? '.same' : ''), { href: '#' + stage.id },
      element('b', {}, stage.title), element('span', {}, time(time_of(stage))), element('span.detail', {}, detail));
    link.style.setProperty('--share', (100 * share).toFixed(1) + '%');
    return element('li', {}, link);
  }));
}

function facts() {
  const made = report.made.map(([what, size]) => element('li', {}, element('b', {}, bytes(size)), ' ' + what));
  const run = report.run ? [element('li', {}, 'ran in memory for ', element('b', {}, time(report.run.ms)))] : [];
  return element('ul.facts', {}, element('li', {}, element('b', {}, time(sum(report.stages.map(time_of)))), ' in these stages'), ...made, ...run);
}

// Hues for dialects: those of a report get different ones, in the order in which they appear.
function dialect_colors() {
  const names = [...new Set(report.stages.flatMap((stage) => Object.keys(stage.operations)))];
  return new Map(names.map((name, index) => [name, Math.round(200 + index * 137.508) % 360]));
}

// Operations of each dialect at each stage, as stacked bars: progressive lowering in one look.
function dialects() {
  const stages = report.stages.filter((stage) => operations_in(stage) > 0);
  if (stages.length === 0) return '';
  const colors = dialect_colors();
  const most = Math.max(...stages.map(operations_in));
  const rows = stages.map((stage) => {
    const bar = element('span.stack', { role: 'img', 'aria-label': Object.entries(stage.operations).map(([name, kinds]) => `${name} ${sum(Object.values(kinds))}`).join(', ') });
    for (const [name, kinds] of Object.entries(stage.operations)) {
      const count = sum(Object.values(kinds));
      const part = element('span', { title: `${name}: ${counted(count, 'operation')}` }, count / most > 0.07 ? name : '');
      part.style.width = (100 * count / most).toFixed(2) + '%';
      part.style.setProperty('--h', colors.get(name));
      bar.append(part);
    }
    return element('div.row', {}, element('a', { href: '#' + stage.id }, stage.title), bar, element('span.r', {}, grouped(operations_in(stage))));
  });
  const legend = [...colors].map(([name, hue]) => {
    const sample = element('span.sample');
    sample.style.setProperty('--h', hue);
    return element('li', {}, sample, name);
  });
  return element('div', {}, element('h3', {}, 'Operations by dialect'), element('div.bars', {}, ...rows), element('ul.legend', {}, ...legend));
}

// The buffers before merging and after, as two bars.
function memory() {
  const own = report.plan?.arenas.filter((arena) => !arena.workspace) || [];
  const before = sum(own.map((arena) => arena.before));
  if (before === 0) return '';
  const after = sum(own.map((arena) => arena.after));
  const row = (name, size, kind) => {
    const part = element('span.' + kind);
    part.style.width = (100 * size / Math.max(before, after)).toFixed(2) + '%';
    return element('div.row', {}, element('span', {}, name), element('span.stack', { 'aria-hidden': 'true' }, part), element('span.r', {}, bytes(size)));
  };
  const saved = Math.max(0, Math.floor(100 * (before - after) / before));
  const verb = report.plan.merged ? 'saves' : 'would save';
  return element('div', {}, element('h3', {}, element('a', { href: '#memory-plan' }, 'Memory of buffers')),
    element('div.bars', {}, row('before merging', before, 'before'), row('after', after, 'after')),
    element('p.about', {}, saved > 0 ? `Merging ${verb} ${saved}%.` : 'Merging saves nothing here.'));
}

// The functions that are compiled for several processors.
function versions() {
  if (report.versions.length === 0) return '';
  const rows = report.versions.map(([name, cpus]) => element('li', {}, element('code', {}, name), ' for ' + cpus.join(', ')));
  return element('div', {}, element('h3', {}, 'Versions'), element('ul', {}, ...rows),
    element('p.about', {}, 'The program chooses one for the processor that it runs on when it starts; TOYC_CPU=x86-64-v3 chooses a lower one.'));
}

function table() {
  const row = (stage) => {
    const total = total_of(stage);
    const is_same = view_named(stage.id)?.kind === 'same';
    return element('tr' + (is_same ? '.same' : ''), {},
      element('td', {}, element('a', { href: '#' + stage.id }, stage.title), element('div.about', {}, stage.about)),
      element('td.r', {}, grouped(stage.lines)), element('td.r.minor', {}, stage.bytes === null ? '' : bytes(stage.bytes)),
      element('td.r.minor', {}, operations_in(stage) ? grouped(operations_in(stage)) : ''),
      element('td.r', {}, is_same ? 'none' : total && total.added !== null ? sums(total) : ''), element('td.r', {}, time(time_of(stage))));
  };
  const head = (text, kind = '.r') => element('th' + kind, { scope: 'col' }, text);
  return element('div.wide', {}, element('h3', {}, 'Stages'), element('table.stages', {},
    element('thead', {}, element('tr', {}, head('stage', ''), head('lines'), head('size', '.r.minor'), head('operations', '.r.minor'), head('changed lines'), head('time'))),
    element('tbody', {}, ...report.stages.map(row))));
}

// Which function each call was resolved to: a tree from `main` down, and a list.
function calls_view(box) {
  box.append(element('h2', {}, 'Specializations'),
    element('p.about', {}, 'Each function is compiled once for each combination of shapes that it is called with.'));
  const by_caller = Map.groupBy(report.calls, (call) => call.caller_symbol);
  const callees = new Set(report.calls.map((call) => call.symbol));
  const roots = [...new Map(report.calls.map((call) => [call.caller_symbol, call.caller]))].filter(([symbol]) => !callees.has(symbol));
  // A function that was shown in full is named again, but not repeated.
  const seen = new Set();
  let left = 1000;
  const stages = report.stages.filter((stage) => stage.language === 'mlir' && stage.name !== 'toy');
  const links = (symbol) => element('span.links', {}, ...stages.filter((stage) => parts_of(stage.parts).some((part) => part.name === symbol))
    .map((stage) => element('a', { href: '#' + stage.id, 'data-goto': symbol }, stage.title)));
  const branch = (symbol, label, calls) => {
    const lines = calls.map((call) => call.line).filter(Boolean);
    const item = element('li', { 'data-l': lines.join(',') || null }, element('code', {}, label), calls[0] ? ' → ' : '', calls[0] ? element('code', {}, calls[0].results || '()') : '',
      lines.length ? element('span.about', {}, ` line ${lines.slice(0, 6).join(', ')}${lines.length > 6 ? ' …' : ''}`) : '', ' ', links(symbol));
    const inner = by_caller.get(symbol) || [];
    if (inner.length === 0 || left <= 0) return item;
    if (seen.has(symbol)) {
      item.append(element('span.about', {}, ' (as above)'));
      return item;
    }
    seen.add(symbol);
    const grouped_calls = Map.groupBy(inner, (call) => call.symbol);
    left -= grouped_calls.size;
    item.append(element('ul', {}, ...[...grouped_calls].map(([callee, calls]) => branch(callee, calls[0].instance, calls))));
    return item;
  };
  const tree = element('ul.tree', { 'aria-label': 'Call tree' });
  const start = roots.length > 0 ? roots : [[report.calls[0].caller_symbol, report.calls[0].caller]];
  for (const [symbol, name] of start) tree.append(branch(symbol, name, []));
  box.append(tree);
  const row = (call) => element('tr.l', { 'data-l': call.line }, element('td.r', {}, call.line ?? ''),
    element('td', {}, element('code', {}, colored(call.text, report.language))), element('td', {}, element('code', { title: call.symbol }, call.instance)),
    element('td', {}, element('code', {}, call.results)), element('td', {}, element('code', {}, call.caller)));
  const head = (text, kind = '') => element('th' + kind, { scope: 'col' }, text);
  box.append(element('div.wide', {}, element('table.calls', {},
    element('thead', {}, element('tr', {}, head('line', '.r'), head('call'), head('calls'), head('result'), head('within'))),
    element('tbody', {}, ...report.calls.slice(0, 2000).map(row)))));
  if (report.calls.length > 2000) box.append(element('p.note', {}, `… and ${counted(report.calls.length - 2000, 'more call')}.`));
}
