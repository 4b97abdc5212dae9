// Texts as elements: lines, functions that fold, and changes, in one column or two.

// How many lines are shown before functions are folded, and how many at once of a function.
const OPEN = 3000;
const AT_ONCE = 2000;

const OUTSIDE = 'Outside of functions';

// Lines around a change that are not folded.
const CONTEXT = 3;

// How a line that was not seen yet is to be colored.
const uncolored = new WeakMap();

// Colors lines shortly before they are seen: a page of thousands opens at once.
const colors = () => new IntersectionObserver((entries, observer) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    observer.unobserve(target);
    target.replaceChildren(...colored(...uncolored.get(target)));
    color_values(target);
    uncolored.delete(target);
  }
}, { rootMargin: '600px', scrollMargin: '600px' });
const line_colors = colors();
const source_colors = colors();

function color_when_seen(box, observer) {
  for (const line of all('.l', box)) if (uncolored.has(line)) observer.observe(line);
}

function line_element(kind, text, language, origin = '', number = null, marks = null) {
  const made = element('div.l' + kind, { 'data-n': number, 'data-l': origin || null }, text);
  uncolored.set(made, [text, language, marks]);
  const hue = origin ? hue_of(parseInt(origin, 10)) : null;
  if (hue !== null) made.style.setProperty('--h', hue);
  return made;
}

// The functions that the reader has folded, or not: so they are at every stage, and in the next program. The name of maps,
// declarations and globals is null.
const folded = new Map();

// On a projector or a telephone, these, and functions of the runtime, would fill the first screen.
const has_little_room = () => NARROW.matches || root.classList.contains('slide');
const is_folded = ({ name, lines }, shown) => folded.get(name) ?? (shown > 0 && shown + lines.length > OPEN || (name ?? 'toy.').startsWith('toy.') && has_little_room());

// A whole text, or a function of it: each part with a head that folds it.
function whole_text(box, parts, language, how, name = null) {
  const chosen = only(parts, name);
  box.replaceChildren(chosen.length === 0 && name !== null ? element('p.gone', {}, `${name} is not in this stage.`) : '');
  let [number, shown] = [1, 0];
  for (const part of parts) {
    if (chosen.includes(part)) {
      const can_fold = parts.length > 1 && (part.name !== null || part.lines.length > 3);
      const is_open = !can_fold || name !== null || !is_folded(part, shown);
      box.append(part_element(part, number, language, is_open, how, can_fold));
      if (is_open) shown += part.lines.length;
    }
    number += part.lines.length + part.left_out;
  }
}

// The parts of a function: where there is none of its name, its specializations, whose names go on after a `$`.
const base_of = (name) => name?.split('$')[0];
function only(parts, name) {
  if (name === null) return parts;
  const exact = parts.filter((part) => part.name === name);
  return exact.length > 0 ? exact : parts.filter((part) => base_of(part.name) === base_of(name));
}

// A choice of a function, or of all; nothing where there is only one.
function function_choice(parts, chosen, choose) {
  const names = parts.map((part) => part.name).filter((name) => name !== null);
  if (chosen !== null && !names.includes(chosen)) names.push(chosen);
  if (names.length < 2) return '';
  const option = (name) => element('option', { value: name ?? '', selected: name === chosen }, name ?? 'All functions');
  return element('select', { 'aria-label': 'Function', onchange: (event) => choose(event.target.value || null) }, ...[null, ...names].map(option));
}

function part_element(part, number, language, is_open, how, can_fold) {
  const body = element('div.body');
  const made = element('div.part', {}, body);
  let at = 0;
  // Adds the lines up to one, or the next ones.
  made.show = (line = at) => {
    const end = Math.min(part.lines.length, Math.max(at + AT_ONCE, line + 1));
    if (at === end && at > 0) return;
    body.querySelector('.more')?.remove();
    for (; at < end; at++) {
      body.append(line_element('', part.lines[at], language, part.from[at], number + at));
    }
    const rest = part.lines.length - at;
    if (rest > 0) body.append(element('button.more', { type: 'button', onclick: () => made.show() }, `Show ${grouped(Math.min(rest, AT_ONCE))} more of ${counted(rest, 'line')}`));
    else if (part.left_out > 0) body.append(element('p.gone', {}, how(part.left_out)));
    changed_lines();
  };
  made.open = (opens, line = 0) => {
    if (opens && (at === 0 || line >= at)) made.show(line);
    body.hidden = !opens;
    head?.setAttribute('aria-expanded', String(opens));
  };
  let head = null;
  if (can_fold) {
    head = element('button.fold', { type: 'button', 'aria-expanded': 'false', 'data-function': part.name, onclick: () => {
      folded.set(part.name, !body.hidden);
      made.open(body.hidden);
    } },
      element('span.name', {}, part.name ?? OUTSIDE), element('span.count', {}, counted(part.lines.length + part.left_out, 'line')));
    made.prepend(head);
  }
  made.content = part;
  made.open(is_open);
  return made;
}

// What changed. Functions without changes are one line, and so are long runs of lines without.
function changes(box, changed, language, is_wide) {
  box.replaceChildren();
  const same = changed.filter((change) => change.added + change.removed === 0);
  for (const change of changed) {
    if (change.added + change.removed === 0) continue;
    const body = element('div.body' + (is_wide ? '.two' : ''));
    const head = element('button.fold', { type: 'button', 'aria-expanded': 'true', 'data-function': change.name, onclick: () => {
      body.hidden = !body.hidden;
      head.setAttribute('aria-expanded', String(!body.hidden));
    } }, element('span.name', {}, change.name ?? OUTSIDE), sums(change));
    fill_changes(body, change, language, is_wide);
    box.append(element('div.part', {}, head, body));
  }
  const names = same.filter((change) => change.name !== null).map((change) => change.name);
  if (names.length > 0) {
    box.append(element('p.gone', {}, `Nothing changed in ${names.slice(0, 8).join(', ')}${names.length > 8 ? ` and ${counted(names.length - 8, 'other function')}` : ''}.`));
  }
  changed_lines();
}

const sums = ({ added, removed }) => element('span.sums', {},
  element('span.plus', {}, '+' + grouped(added)), ' ', element('span.minus', {}, '−' + grouped(removed)));

function fill_changes(body, { before, after, rows }, language, is_wide) {
  const line = (row) => {
    if (row.same) return [line_element('', after.lines[row.same[1]], language, after.from[row.same[1]])];
    if (row.now !== undefined) return [line_element('.new', after.lines[row.now], language, after.from[row.now], null, row.come)];
    return [line_element('.old', before.lines[row.old], language, before.from[row.old], null, row.gone)];
  };
  const add = is_wide ? (to, group) => beside(to, group, before, after, language, line)
    : (to, group) => to.append(...group.flatMap(line));
  let at = 0;
  while (at < rows.length) {
    let end = at;
    while (end < rows.length && rows[end].same) end++;
    const head = at === 0 ? 0 : CONTEXT;
    const tail = end === rows.length ? 0 : CONTEXT;
    if (end - at >= head + tail + 4) {
      add(body, rows.slice(at, at + head));
      const hidden = rows.slice(at + head, end - tail);
      body.append(element('button.gap', { type: 'button', onclick: (event) => {
        const far = element('div.far' + (is_wide ? '.two' : ''));
        add(far, hidden);
        event.currentTarget.replaceWith(far);
        changed_lines();
      } }, counted(hidden.length, 'unchanged line')));
      add(body, rows.slice(end - tail, end));
    } else {
      add(body, rows.slice(at, end));
    }
    at = end;
    while (end < rows.length && !rows[end].same) end++;
    add(body, rows.slice(at, end));
    at = end;
  }
}

// The old text on the left and the new one on the right.
function beside(to, rows, before, after, language, line) {
  const blank = () => element('div.l.blank', { 'aria-hidden': 'true' });
  for (let at = 0; at < rows.length;) {
    if (rows[at].same) {
      const [x] = rows[at].same;
      to.append(line_element('', before.lines[x], language, before.from[x]), ...line(rows[at++]));
      continue;
    }
    const olds = [];
    const news = [];
    for (; at < rows.length && !rows[at].same; at++) (rows[at].old !== undefined ? olds : news).push(rows[at]);
    for (let index = 0; index < Math.max(olds.length, news.length); index++) {
      to.append(...(olds[index] ? line(olds[index]) : [blank()]), ...(news[index] ? line(news[index]) : [blank()]));
    }
  }
}
