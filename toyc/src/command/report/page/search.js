// A search over the text of all stages.

const FOUND = 6;

function search(text) {
  const found = byId('found');
  found.hidden = text.trim().length < 2;
  if (found.hidden) return found.replaceChildren();
  const wanted = text.toLowerCase();
  const groups = report.stages.map((stage) => {
    const hits = [];
    let [number, count] = [1, 0];
    for (const part of parts_of(stage.parts)) {
      part.lines.forEach((line, index) => {
        if (!line.toLowerCase().includes(wanted)) return;
        count++;
        if (hits.length < FOUND) hits.push({ part, index, number: number + index, line });
      });
      number += part.lines.length + part.left_out;
    }
    return { stage, hits, count };
  }).filter((group) => group.count > 0);
  const total = sum(groups.map((group) => group.count));
  found.replaceChildren(element('p.about', {}, total ? `${counted(total, 'line')} in ${counted(groups.length, 'stage')}` : 'Found nowhere'),
    ...groups.map(({ stage, hits, count }) => element('section', {}, element('b', {}, stage.title), ' ', element('span.about', {}, counted(count, 'line')),
      element('ul', {}, ...hits.map((hit) => element('li', {}, element('a', { href: '#' + stage.id, 'data-line': hit.number, onclick: (event) => {
        event.preventDefault();
        event.stopPropagation();
        go_to_line(stage, hit);
      } }, element('span.about', {}, hit.number + ' '), hit.line.trim().slice(0, 100))))))));
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
