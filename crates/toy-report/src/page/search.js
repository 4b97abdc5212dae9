// A search over the source and the text of all stages. The source is found first, then the stage that is shown; the
// tokens and the tree, which only repeat the source, are found last.

const FOUND = 6;
// In the stage that is shown; if none is, in the source.
const FOUND_HERE = 200;

// What the last search was for and in which stage, and how many of its lines were gone to.
let stepped = { key: '', count: 0 };

function search(text) {
  const found = byId('found');
  found.hidden = text.trim().length < 2;
  if (found.hidden) {
    byId('count').textContent = '';
    return found.replaceChildren();
  }
  const wanted = text.toLowerCase();
  const here = current().stage;
  const rank = ({ stage }) => stage === here ? 0 : ['tokens', 'tree'].includes(stage.language) ? 2 : 1;
  const own = source_hits(wanted);
  const groups = report.stages.map((stage) => {
    const hits = [];
    let [number, count] = [1, 0];
    for (const part of parts_of(stage.parts)) {
      part.lines.forEach((line, index) => {
        if (!line.toLowerCase().includes(wanted)) return;
        count++;
        if (hits.length < (stage === here ? FOUND_HERE : FOUND)) hits.push({ part, index, number: number + index, line });
      });
      number += part.lines.length + part.left_out;
    }
    return { stage, hits, count };
  }).filter((group) => group.count > 0).sort((a, b) => rank(a) - rank(b));
  const total = sum(groups.map((group) => group.count));
  const places = [own.length && `${counted(own.length, 'line')} of the source`, total && `${counted(total, 'line')} in ${counted(groups.length, 'stage')}`];
  const summary = places.filter(Boolean).join(', ') || 'Found nowhere';
  byId('count').textContent = summary;
  const section = (title, count, hits, id, go_to) => element('section', {}, element('b', {}, title), ' ', element('span.about', {}, counted(count, 'line')),
    element('ul', {}, ...hits.map((hit) => element('li', {}, element('a', { href: '#' + id, 'data-line': hit.number, onclick: (event) => {
      event.preventDefault();
      event.stopPropagation();
      go_to(hit);
    } }, element('span.about', {}, hit.number + ' '), hit.line.trim().slice(0, 100))))));
  const of_source = own.length ? [section('source', own.length, own.slice(0, here ? FOUND : FOUND_HERE), current().id, go_to_source)] : [];
  found.replaceChildren(element('p.about', {}, summary), ...of_source,
    ...groups.map(({ stage, hits, count }) => section(stage.title, count, hits, stage.id, (hit) => go_to_line(stage, hit))));
}

function source_hits(wanted) {
  const hits = report.source.split('\n').map((line, index) => ({ line, number: index + 1 }));
  return hits.filter(({ line }) => line.toLowerCase().includes(wanted));
}

// Keeps the line, so that what comes from it in the shown stage is seen as well.
function go_to_source({ number }) {
  byId('found').hidden = true;
  hold({ element: null, lines: [number] });
  light();
  reveal();
}

// Goes to the first line that is found, and with the same text to the next one of that stage.
function next_found(text) {
  search(text);
  const links = all('#found section:first-of-type a');
  if (links.length === 0) return;
  const key = links[0].hash + ' ' + text;
  if (key !== stepped.key) stepped = { key, count: 0 };
  links[stepped.count++ % links.length].click();
}

// From the text to what was found and on, by keys.
function step_found(is_down) {
  if (byId('found').hidden) search(byId('query').value);
  const links = all('#found a');
  const to = links.indexOf(document.activeElement) + (is_down ? 1 : -1);
  if (to < 0) byId('query').focus();
  else links[to]?.focus();
}

function go_to_line(stage, { part, index }) {
  byId('found').hidden = true;
  is_diff = false;
  shown_function = null;
  go(stage.id);
  document.querySelector('details.folded')?.setAttribute('open', '');
  const arrive = () => {
    const folded = all('#first .part').find((made) => made.content === part);
    folded?.open(true, index);
    const line = folded ? all('.body > .l', folded)[index] : null;
    if (!line) return;
    line.scrollIntoView({ block: 'center' });
    line.classList.add('arrived');
    setTimeout(() => line.classList.remove('arrived'), 2500);
  };
  // A fold that opens tells so later.
  requestAnimationFrame(() => requestAnimationFrame(arrive));
}

// The function of a name in the shown stage.
function go_to_function(name, line = null) {
  const folded = all('#first .part').find((made) => made.content?.name === name);
  if (!folded) return;
  const index = line === null ? 0 : folded.content.lines.findIndex((text, at) =>
    /memref\.(alloc|view|subview|reinterpret_cast)/.test(text) && lines_of(folded.content?.from[at]).includes(line));
  folded.open(true, Math.max(0, index));
  const target = index > 0 ? all('.body > .l', folded)[index] : folded;
  target?.scrollIntoView({ block: index > 0 ? 'center' : 'start' });
  target?.classList.add('arrived');
  setTimeout(() => target?.classList.remove('arrived'), 2500);
}
