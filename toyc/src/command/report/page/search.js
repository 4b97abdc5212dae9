// A search over the text of all stages.

const FOUND = 6;
// In the stage that is shown, which comes first.
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
  }).filter((group) => group.count > 0).sort((a, b) => (b.stage === here) - (a.stage === here));
  const total = sum(groups.map((group) => group.count));
  const summary = total ? `${counted(total, 'line')} in ${counted(groups.length, 'stage')}` : 'Found nowhere';
  byId('count').textContent = summary;
  found.replaceChildren(element('p.about', {}, summary),
    ...groups.map(({ stage, hits, count }) => element('section', {}, element('b', {}, stage.title), ' ', element('span.about', {}, counted(count, 'line')),
      element('ul', {}, ...hits.map((hit) => element('li', {}, element('a', { href: '#' + stage.id, 'data-line': hit.number, onclick: (event) => {
        event.preventDefault();
        event.stopPropagation();
        go_to_line(stage, hit);
      } }, element('span.about', {}, hit.number + ' '), hit.line.trim().slice(0, 100))))))));
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
  go(stage.id);
  document.querySelector('details.folded')?.setAttribute('open', '');
  const arrive = () => {
    const folded = all('main .part').find((made) => made.content === part);
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
  const folded = all('main .part').find((made) => made.content?.name === name);
  if (!folded) return;
  const index = line === null ? 0 : folded.content.lines.findIndex((text, at) =>
    /memref\.(alloc|view|subview|reinterpret_cast)/.test(text) && lines_of(folded.content?.from[at]).includes(line));
  folded.open(true, Math.max(0, index));
  const target = index > 0 ? all('.body > .l', folded)[index] : folded;
  target?.scrollIntoView({ block: index > 0 ? 'center' : 'start' });
  target?.classList.add('arrived');
  setTimeout(() => target?.classList.remove('arrived'), 2500);
}
