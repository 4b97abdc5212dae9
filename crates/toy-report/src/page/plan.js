// The memory plan: of each merged allocation the buffers over time, before merging and after, with a cursor.
//
// A buffer is linked: to its source line by its place, to the loops that it is in use in by their lines, to its other pictures by
// its name, to its allocation in the IR by a link that keeps the line.

const HUES = [210, 28, 120, 340, 262, 178, 48, 20];
const NARROWEST = 640;

// The zoom and the cursor of each merged allocation, by its title.
const plan_states = new Map();

// Of the shown pictures: each goes to the first operation of a line with its cursor.
let plan_cursors = [];

function plan_view(box) {
  const { plan } = report;
  plan_cursors = [];
  box.append(element('h2', {}, 'Memory plan of ' + report.input.split('/').at(-1)));
  if (!plan) {
    box.append(element('p.note', {}, report.plan_note));
    return;
  }
  if (!plan.merged) box.append(element('p.note', {}, '-O0 merges nothing: this is the plan of -O1.'));
  if (plan.arenas.length === 0) box.append(element('p', {}, 'No buffers to merge.'));
  if (plan.arenas.length > 1) box.append(contents(plan.arenas));
  plan.arenas.forEach((arena, index) => box.append(arena_section(arena, index, plan.arenas.length <= 3 || index === 0)));
  if (plan.untouched.length > 0) box.append(untouched(plan.untouched));
}

const title_of = (arena) => (arena.function || '""') + (arena.scope ? ', ' + arena.scope : '') + (arena.space ? ', memory space ' + arena.space : '');
const place_of = (arena) => arena.workspace ? 'callers pass' : arena.stack ? 'on the stack,' : 'one allocation of';

function contents(arenas) {
  const entry = (arena, index) => element('li', {}, element('a', { href: '#memory-plan', 'data-arena': index, onclick: (event) => {
    event.preventDefault();
    event.stopPropagation();
    const section = byId('arena-' + index);
    section.open = true;
    section.scrollIntoView({ block: 'start' });
  } }, title_of(arena)), ` ${counted(arena.buffers.length, 'buffer')}, ${bytes(arena.before)} → ${bytes(arena.after)}`);
  return element('details.contents', { open: arenas.length < 30 }, element('summary', {}, counted(arenas.length, 'merged allocation')), element('ol', {}, ...arenas.map(entry)));
}

function arena_section(arena, index, is_open) {
  const section = element('details.arena', { id: 'arena-' + index }, element('summary', {}, element('h3', {}, element('code', {}, title_of(arena))),
    ` ${counted(arena.buffers.length, 'buffer')}: ${bytes(arena.before)} → ${place_of(arena)} ${bytes(arena.after)}` +
    (arena.lower_bound === arena.after - arena.staggered ? '; no plan needs less' : `; at least ${bytes(arena.lower_bound)}`)));
  section.addEventListener('toggle', () => {
    if (!section.open) return;
    arena_pictures(section, arena, index);
    if (kept) reveal();
  }, { once: true });
  section.open = is_open;
  return section;
}

// The three pictures with one time axis: lifetimes, offsets before, offsets after.
function arena_pictures(section, arena, number) {
  const first = Math.min(...arena.buffers.map((buffer) => buffer.first.tick));
  const last = Math.max(...arena.buffers.map((buffer) => buffer.last.tick));
  // With the next program, the pictures stay as they are.
  const name = title_of(arena);
  const state = plan_states.get(name) || { zoom: 1, tick: null };
  plan_states.set(name, state);
  const scroller = element('div.wide.pictures', { tabindex: 0, role: 'group', 'aria-label': `Buffers of ${title_of(arena)} over time` });
  const now = element('output.now', {}, 'Point at the pictures, or move the cursor with the slider.');
  const slider = element('input', { type: 'range', min: first, max: last, value: first, 'aria-label': 'Time', oninput: () => {
    at(Number(slider.value));
    const last = uses.findLast((use) => use.tick <= state.tick && use.line);
    light(last ? { element: null, lines: [last.line] } : null);
  } });
  const uses = arena.buffers.flatMap((buffer) => [buffer.first, buffer.last]).sort((a, b) => a.tick - b.tick);
  plan_cursors.push((line) => {
    const first = uses.find((use) => use.line === line)?.tick ?? arena.loops.find((loop) => loop.line === line)?.first;
    if (first !== undefined) at(first);
  });
  const zoom = (by) => element('button', { type: 'button', 'aria-label': by > 1 ? 'Zoom in' : 'Zoom out', onclick: () => {
    // About the cursor, or about the middle.
    const x = state.tick === null ? scroller.scrollLeft + scroller.clientWidth / 2 : scale(state.tick + 0.5);
    const [tick, offset] = [tick_at(x), Math.min(scroller.clientWidth, Math.max(LABELS, x - scroller.scrollLeft))];
    state.zoom = Math.min(64, Math.max(1, state.zoom * by));
    draw();
    scroller.scrollLeft = scale(tick) - offset;
  } }, by > 1 ? '+' : '−');
  const cursors = () => all('.cursor', scroller);
  function at(tick) {
    state.tick = tick;
    slider.value = tick;
    slider.setAttribute('aria-valuetext', 'operation ' + tick);
    const live = arena.buffers.filter((buffer) => buffer.first.tick <= tick && tick <= buffer.last.tick);
    const use = uses.find((use) => use.tick === tick);
    const loop = loops_in(arena, tick, tick).at(-1);
    now.textContent = `Operation ${tick}${use ? ` (${use.operation}${use.line ? ', line ' + use.line : ''})` : ''}${loop ? `, in the loop of line ${loop}` : ''}: ${counted(live.length, 'buffer')} in use, ${bytes(sum(live.map((buffer) => buffer.size)))}`;
    const x = scale(tick + 0.5);
    cursors().forEach((line) => {
      line.setAttribute('x1', x);
      line.setAttribute('x2', x);
      line.removeAttribute('visibility');
    });
    if (x < scroller.scrollLeft + LABELS || x > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = x - (LABELS + scroller.clientWidth) / 2;
  }
  const LABELS = 150;
  let scale = () => 0;
  const tick_at = (x) => first + (x - LABELS) / (scale(last + 1) - LABELS) * (last - first + 1);
  function draw() {
    const width = Math.max(NARROWEST, scroller.clientWidth || 900) * state.zoom - 20;
    scale = (tick) => LABELS + (tick - first) / (last - first + 1) * (width - LABELS - 8);
    scroller.replaceChildren(
      picture('Lifetimes', lifetimes(arena, number, scale, width)),
      picture('Before merging: every buffer in memory of its own', offsets(arena, number, scale, width, arena.before, (buffer) => buffer.offset_before)),
      picture(`After merging: ${place_of(arena)} ${bytes(arena.after)}`, offsets(arena, number, scale, width, arena.after, (buffer) => buffer.offset)));
    changed_lines();
    light();
    if (state.tick !== null) at(Math.min(last, Math.max(first, state.tick)));
  }
  const picture = (name, svg) => element('figure', {}, element('figcaption', {}, name), svg);
  scroller.addEventListener('pointermove', (event) => {
    const svg = event.target.closest('svg');
    if (!svg) return;
    const x = event.clientX - svg.getBoundingClientRect().left;
    if (x >= LABELS + scroller.scrollLeft) at(Math.min(last, Math.max(first, Math.floor(tick_at(x)))));
  });
  scroller.addEventListener('scroll', () => all('.name', scroller).forEach((name) => name.setAttribute('x', 4 + scroller.scrollLeft)));
  const tapes = sum(arena.buffers.filter((buffer) => buffer.tape).map((buffer) => buffer.size));
  const legend = tapes ? element('p.note', {}, element('span.sample.tape'), `tape: ${bytes(tapes)} that loops keep for a gradient`) : '';
  section.append(element('div.tools.static', {}, zoom(2), zoom(0.5), slider, now), legend, scroller, buffer_table(arena, number));
  draw();
}

// The lines of the loops that run within some time; inner ones are last.
const loops_in = (arena, first, last) => arena.loops.filter((loop) => loop.line && loop.first <= last && first <= loop.last).map(({ line }) => line);

// The lines of a buffer: its own, and the lines of its loops.
const lines_of_buffer = (arena, { source, first, last }) => [...new Set([...(source ? [source.line] : []), ...loops_in(arena, first.tick, last.tick)])].join(',') || null;

// The time that loops repeat, behind the buffers.
const loop_bands = (arena, scale, height) => arena.loops.map(({ first, last, line }) =>
  drawn('rect.loop', { x: scale(first), y: 0, width: scale(last + 1) - scale(first), height, 'data-l': line }, drawn('title', {}, `each iteration of the loop${line ? `, line ${line}` : ''}`)));

// One group for a rectangle: a link to the lines, to its twins, and a name for screen readers.
function buffer_group(arena, number, buffer, index, ...children) {
  const line = buffer.source?.line;
  const tip = `${buffer.name}\n${buffer.type}\n${bytes(buffer.size)} at offset ${grouped(buffer.offset)}\nin use from ${buffer.first.tick} (${buffer.first.operation}) to ${buffer.last.tick} (${buffer.last.operation})` +
    (buffer.in_place.length ? `\n${counted(buffer.in_place.length, 'operation')} in place` : '') + (buffer.source ? `\n${line}:${buffer.source.column}: ${buffer.source.text}` : '');
  const group = drawn(buffer.tape ? 'g.buffer.tape' : 'g.buffer', { 'data-l': lines_of_buffer(arena, buffer), 'data-buffer': `${number}:${index}` }, drawn('title', {}, tip), ...children);
  group.style.setProperty('--h', (line && hue_of(line)) ?? HUES[index % HUES.length]);
  return group;
}

function lifetimes(arena, number, scale, width) {
  const height = 20;
  const svg = drawn('svg.plan', { width, height: arena.buffers.length * height + 4, role: 'img', 'aria-label': `Lifetimes of ${counted(arena.buffers.length, 'buffer')}` }, loop_bands(arena, scale, arena.buffers.length * height + 4));
  arena.buffers.forEach((buffer, index) => {
    const [x, end] = [scale(buffer.first.tick), scale(buffer.last.tick + 1)];
    const y = index * height + 2;
    svg.append(buffer_group(arena, number, buffer, index,
      drawn('rect', { x, y, width: Math.max(2, end - x), height: height - 4, rx: 2 }),
      drawn('text.name', { x: 4, y: y + 13 }, buffer.name.length > 20 ? buffer.name.slice(0, 19) + '…' : buffer.name)));
  });
  return with_cursor(svg, arena.buffers.length * height + 4);
}

function offsets(arena, number, scale, width, total, offset_of) {
  const height = Math.min(260, Math.max(60, arena.buffers.length * 24));
  const y_of = (offset) => height - offset / Math.max(1, total) * height + 2;
  const svg = drawn('svg.plan', { width, height: height + 6, role: 'img', 'aria-label': `Offsets in ${bytes(total)}` });
  svg.append(drawn('text.axis', { x: 4, y: 12 }, bytes(total)), drawn('text.axis', { x: 4, y: height }, '0'),
    drawn('rect.frame', { x: scale(Math.min(...arena.buffers.map((buffer) => buffer.first.tick))), y: 2, width: scale(Math.max(...arena.buffers.map((buffer) => buffer.last.tick)) + 1) - 150, height }), ...loop_bands(arena, scale, height + 2));
  arena.buffers.forEach((buffer, index) => {
    const [x, end] = [scale(buffer.first.tick), scale(buffer.last.tick + 1)];
    const [y, bottom] = [y_of(offset_of(buffer) + buffer.size), y_of(offset_of(buffer))];
    const label = end - x > 7 * buffer.name.length + 8 && bottom - y > 13 ? drawn('text.inside', { x: x + 4, y: (y + bottom) / 2 + 4 }, buffer.name) : '';
    svg.append(buffer_group(arena, number, buffer, index, drawn('rect', { x, y, width: Math.max(2, end - x), height: Math.max(1, bottom - y) }), label));
  });
  return with_cursor(svg, height + 6);
}

function with_cursor(svg, height) {
  svg.append(drawn('line.cursor', { x1: 0, x2: 0, y1: 0, y2: height, visibility: 'hidden' }));
  return svg;
}

// The same as a table, with links to the allocation in the IR: before merging and after.
function buffer_table(arena, number) {
  const goes = ['memref', 'merged'].filter((name) => view_named(name));
  const row = (buffer, index) => {
    const line = buffer.source?.line;
    const links = line ? goes.map((name) => element('a', { href: '#' + name, 'data-allocation': line, 'data-goto': arena.function }, name)) : [];
    const made = element('tr.l', { 'data-l': lines_of_buffer(arena, buffer), 'data-buffer': `${number}:${index}`, tabindex: 0 },
      element('td', {}, element('code', {}, buffer.name)), element('td.r', {}, bytes(buffer.size)), element('td.r', {}, grouped(buffer.offset)),
      element('td.r', {}, `${buffer.first.tick}–${buffer.last.tick}`), element('td.r', {}, line ?? ''),
      element('td', {}, element('code', {}, buffer.source?.text ?? buffer.type)), element('td.links', {}, ...links));
    if (line && hue_of(line) !== null) made.style.setProperty('--h', hue_of(line));
    return made;
  };
  const head = (text, kind = '') => element('th' + kind, { scope: 'col' }, text);
  return element('div.wide', {}, element('table.calls', {},
    element('thead', {}, element('tr', {}, head('buffer'), head('size', '.r'), head('offset', '.r'), head('in use', '.r'), head('line', '.r'), head('source'), head('allocation in'))),
    element('tbody', {}, ...arena.buffers.slice(0, 2000).map(row))));
}

function untouched(allocations) {
  const row = (allocation) => element('tr.l', { 'data-l': allocation.source?.line ?? null }, element('td', {}, element('code', {}, allocation.name)),
    element('td', {}, element('code', {}, allocation.function)), element('td.r', {}, allocation.source?.line ?? ''), element('td', {}, allocation.reason));
  const head = (text) => element('th', { scope: 'col' }, text);
  return element('section', {}, element('h3', {}, `Left as they are: ${counted(allocations.length, 'allocation')}`), element('div.wide', {}, element('table.calls', {},
    element('thead', {}, element('tr', {}, head('buffer'), head('function'), head('line'), head('why'))), element('tbody', {}, ...allocations.slice(0, 500).map(row)))));
}
