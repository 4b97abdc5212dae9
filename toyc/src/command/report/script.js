'use strict';
// Views, modes and the highlight. Without this script the page is one long text.
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  root.classList.add('scripted');

  // What sticks below the entries has to know how high they are.
  // On a telephone that is the source; the entries are at the bottom there.
  const is_narrow = matchMedia('(max-width: 800px)');
  const top_height = () => document.querySelector(is_narrow.matches ? 'aside' : 'nav').offsetHeight;
  const measure = () => root.style.setProperty('--nav', top_height() + 'px');
  addEventListener('resize', measure);

  // The stages: one is shown, and the address says which.
  const views = all('.view');
  const links = all('nav a');
  const current = () => Math.max(0, views.findIndex((view) => '#' + view.id === location.hash));
  function show() {
    const shown = current();
    views.forEach((view, index) => view.classList.toggle('shown', index === shown));
    links.forEach((link, index) => {
      if (index === shown) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    });
    light();
    const list = links[shown].closest('ol');
    list.scrollLeft = links[shown].offsetLeft - (list.clientWidth - links[shown].offsetWidth) / 2;
    measure();
    if (kept) reveal();
  }
  function go(to) {
    if (to < 0 || to >= views.length) return;
    // An address that is set would scroll, needed or not.
    if (to !== current()) history.pushState(null, '', '#' + views[to].id);
    show();
    const hidden = top_height() + 12 - views[to].getBoundingClientRect().top;
    if (!kept && hidden > 0) scrollBy(0, -hidden);
  }
  addEventListener('popstate', show);
  addEventListener('load', () => scrollTo(0, 0));

  // The changes or the whole text.
  function mode(name) {
    root.classList.toggle('diff', name === 'diff');
    for (const button of all('[data-mode]')) {
      button.setAttribute('aria-pressed', String(button.dataset.mode === name));
    }
    if (kept) reveal();
  }
  function wrap() {
    const is_off = root.classList.toggle('nowrap');
    all('[data-wrap]').forEach((button) => button.setAttribute('aria-pressed', String(!is_off)));
  }

  // Light and dark: the rules for the dark are switched on or off, those of the pictures, too.
  const media = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSMediaRule && /prefers-color-scheme/.test(rule.conditionText));
  let dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const theme = byId('theme');
  function name_theme() { theme.textContent = dark ? 'Light' : 'Dark'; }
  theme.addEventListener('click', () => {
    dark = !dark;
    media.forEach((rule) => { rule.media.mediaText = dark ? 'all' : 'not all'; });
    root.style.colorScheme = dark ? 'dark' : 'light';
    name_theme();
  });
  name_theme();

  // Which source lines an element comes from: `7,12-14`.
  const source = byId('lines');
  const lines_of = (element) => element.dataset.l.split(',').filter(Boolean).flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: Math.min(last - first + 1, 5000) }, (_, index) => first + index);
  });
  // Of every view, the elements that come from a source line.
  const index = views.map((view) => {
    const found = new Map();
    for (const element of all('[data-l]', view)) {
      for (const line of lines_of(element)) {
        if (!found.has(line)) found.set(line, []);
        found.get(line).push(element);
      }
    }
    return found;
  });
  const used = new Set(index.flatMap((found) => [...found.keys()]));
  const line_element = (line) => byId('L' + line);
  for (const line of used) line_element(line)?.classList.add('used');

  // What is lit: the line that was clicked, and where the pointer is.
  let kept = null;
  let lit = [];
  function mark(elements, name) {
    for (const element of elements) {
      element.classList.add(name);
      lit.push([element, name]);
    }
  }
  function clear() {
    lit.forEach(([element, name]) => element.classList.remove(name));
    lit = [];
  }
  const is_shown = (element) => element.offsetParent !== null && element.closest('.view.shown');
  function elements_at(lines, view) {
    return [...new Set(lines.flatMap((line) => index[view].get(line) || []))];
  }
  function light(pointed = null) {
    clear();
    const lines = (pointed || kept)?.lines || [];
    const shown = current();
    if (kept) {
      mark(kept.lines.map(line_element).filter(Boolean), 'kept');
      mark(elements_at(kept.lines, shown), 'kept');
    }
    if (pointed) {
      mark(pointed.lines.map(line_element).filter(Boolean), 'lit');
      mark(pointed.element && !source.contains(pointed.element) ? [pointed.element]
        : elements_at(pointed.lines, shown), 'lit');
    }
    // What is old counts for the stage before.
    views.forEach((_, view) => {
      const count = elements_at(lines, view).filter((element) => !element.classList.contains('old')).length;
      const hits = links[view].querySelector('.hits');
      hits.hidden = count === 0;
      hits.textContent = count;
    });
  }
  // Scrolls as little as possible, the source only within its own frame.
  function show_source(lines) {
    const element = line_element(lines[0]);
    if (!element) return;
    const frame = source.getBoundingClientRect();
    const place = element.getBoundingClientRect();
    if (place.top < frame.top || place.bottom > frame.bottom) {
      source.scrollTop += place.top - frame.top - frame.height / 3;
    }
  }
  function reveal() {
    show_source(kept.lines);
    const hits = elements_at(kept.lines, current());
    const is_old = (element) => element.classList.contains('old') && !root.classList.contains('diff');
    let found = hits.filter(is_shown);
    if (found.length === 0) {
      // They are folded.
      for (const element of hits.filter((hit) => !is_old(hit))) {
        element.closest('details:not([open])')?.setAttribute('open', '');
        element.closest('.far')?.previousElementSibling.classList.add('opened');
      }
      found = hits.filter(is_shown);
    }
    const is_visible = (element) => {
      const place = element.getBoundingClientRect();
      const at = document.elementFromPoint(place.left + place.width / 2, place.top + 4);
      return at !== null && element.contains(at);
    };
    if (found.length > 0 && !found.some(is_visible)) found[0].scrollIntoView({ block: 'center' });
  }
  function pointed_at(target) {
    const element = target.closest?.('.l');
    if (!element) return null;
    if (source.contains(element)) {
      return { element, lines: [Number(element.dataset.n)] };
    }
    const lines = element.dataset.l ? lines_of(element) : [];
    return lines.length > 0 ? { element, lines } : null;
  }
  function keep(pointed) {
    const is_same = pointed && kept && String(kept.lines) === String(pointed.lines);
    kept = pointed && !is_same ? pointed : null;
    byId('hint').textContent = kept
      ? 'Line ' + kept.lines[0] + (kept.lines.length > 1 ? ' and others' : '') + ' is kept; click to let go'
      : 'Point at a line; click to keep it';
    light();
    if (kept) reveal();
  }
  document.addEventListener('pointerover', (event) => {
    if (event.pointerType === 'touch') return;
    const pointed = pointed_at(event.target);
    light(pointed);
    if (pointed && !source.contains(pointed.element)) show_source(pointed.lines);
  });
  document.addEventListener('pointerleave', () => light());

  document.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    const link = event.target.closest('a[href^="#"]');
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      return go(views.findIndex((view) => '#' + view.id === link.hash));
    }
    if (button?.dataset.mode) return mode(button.dataset.mode);
    if (button?.matches('[data-wrap]')) return wrap();
    if (button?.matches('.gap')) return button.classList.add('opened');
    if (button?.id === 'collapse') {
      const is_hidden = button.closest('aside').classList.toggle('hidden');
      button.textContent = is_hidden ? 'Show' : 'Hide';
      measure();
      return button.setAttribute('aria-expanded', String(!is_hidden));
    }
    // Whoever selects text does not mean to click.
    if (event.target.closest('a, button, summary') || String(getSelection())) return;
    const pointed = pointed_at(event.target);
    if (pointed) keep(pointed);
  });

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key;
    if (document.activeElement === source && (key === 'ArrowDown' || key === 'ArrowUp')) {
      const down = key === 'ArrowDown';
      const lines = [...used].sort((a, b) => a - b).filter(line_element);
      const at = kept ? kept.lines[0] : (down ? 0 : Infinity);
      const line = down ? lines.find((other) => other > at) : lines.findLast((other) => other < at);
      if (line) keep({ element: line_element(line), lines: [line] });
      return event.preventDefault();
    }
    const scrolls = document.activeElement?.matches('.code, .wide') && root.classList.contains('nowrap');
    if (key === 'j' || (key === 'ArrowRight' && !scrolls)) go(current() + 1);
    else if (key === 'k' || (key === 'ArrowLeft' && !scrolls)) go(current() - 1);
    else if (key === 'd') mode(root.classList.contains('diff') ? 'text' : 'diff');
    else if (key === 'Escape') keep(null);
    else return;
    event.preventDefault();
  });

  show();
})();
