// The form of the page inside another one, `?stages`: the program, a stage, and a slider from stage to stage. Each value has the
// color of the source line that it comes from, wherever it is used.

const has_slider = location.search === '?stages';
root.classList.toggle('stages', has_slider);
const slider = element('input', { type: 'range', min: 0, 'aria-label': 'Stage', oninput: () => go(stage_views()[slider.value].id) });
const slider_name = element('output');
const stage_views = () => views.filter(({ kind, stage }) => kind === 'stage' && stage.language === 'mlir');

function show_slider() {
  if (!has_slider) return;
  if (!slider.isConnected) {
    document.querySelector('nav').append(slider, slider_name);
    show_source_line(used[0]);
  }
  slider.max = stage_views().length - 1;
  slider.value = stage_views().indexOf(current());
  slider_name.textContent = current().title;
  slider.setAttribute('aria-valuetext', current().title);
}

// The hues of a part's values, in the order of their definitions: a name may be defined again in another region.
function values_of(part) {
  const values = new Map();
  part.lines.forEach((line, at) => {
    const hue = part.from[at] ? hue_of(parseInt(part.from[at], 10)) : null;
    const defined = [...(line.match(/^\s*%[^=]* =/)?.[0] ?? '').matchAll(/%[\w.$-]+/g), ...line.matchAll(/%[\w.$-]+(?=: )/g)];
    for (const [name] of defined) values.set(name, [...(values.get(name) ?? []), [at, hue]]);
  });
  return values;
}

function color_values(line) {
  const part = line.closest('.part')?.content;
  if (!has_slider || !part) return;
  part.values ??= values_of(part);
  const at = Number(line.dataset.n) - Number(line.parentNode.firstElementChild.dataset.n);
  for (const value of all('i.v', line)) {
    const hue = part.values.get(value.textContent)?.findLast(([defined]) => defined <= at)?.[1] ?? null;
    if (hue !== null) value.style.setProperty('--h', hue);
  }
}
