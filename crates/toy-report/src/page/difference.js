// What changed from one text to the next, function by function.
//
// Lines are matched by what they are, not by the numbers of SSA values: first by structure and place in the
// source, then by structure alone. A value that only has another number is the same value; one that is
// used in the place of another is marked.

const SSA = /[%^][\w.$-]+(?:#\d+)?/g;
const structure = (line) => line.replace(SSA, (name) => name[0]).replace(/#map\d*/g, '#map');

// Pairs [old, new] of lines that are equal by their keys, in order: unique ones first, then what is between them.
function matched(old_keys, new_keys, [a, a_end] = [0, old_keys.length], [b, b_end] = [0, new_keys.length]) {
  const pairs = [];
  while (a < a_end && b < b_end && old_keys[a] === new_keys[b]) pairs.push([a++, b++]);
  const tail = [];
  while (a < a_end && b < b_end && old_keys[a_end - 1] === new_keys[b_end - 1]) tail.unshift([--a_end, --b_end]);
  if (a < a_end && b < b_end) {
    const anchors = unique(old_keys, new_keys, a, a_end, b, b_end);
    if (anchors.length > 0) {
      let [from_a, from_b] = [a, b];
      for (const [x, y] of [...anchors, [a_end, b_end]]) {
        pairs.push(...matched(old_keys, new_keys, [from_a, x], [from_b, y]));
        if (x < a_end) pairs.push([x, y]);
        [from_a, from_b] = [x + 1, y + 1];
      }
    } else if ((a_end - a) * (b_end - b) <= 250000) {
      pairs.push(...longest(old_keys, new_keys, a, a_end, b, b_end));
    }
  }
  return [...pairs, ...tail];
}

// The lines that are there once in both, as far as they are in the same order.
function unique(old_keys, new_keys, a, a_end, b, b_end) {
  const seen = new Map();
  for (let x = a; x < a_end; x++) seen.set(old_keys[x], seen.has(old_keys[x]) ? null : [x, null]);
  for (let y = b; y < b_end; y++) {
    const pair = seen.get(new_keys[y]);
    if (pair) seen.set(new_keys[y], pair[1] === null ? [pair[0], y] : null);
  }
  const pairs = [...seen.values()].filter((pair) => pair && pair[1] !== null);
  // The longest sequence that increases.
  const ends = [];
  const before = [];
  pairs.forEach(([, y], index) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]][1] < y) low = middle + 1;
      else high = middle;
    }
    before[index] = low > 0 ? ends[low - 1] : -1;
    ends[low] = index;
  });
  const chosen = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index]) chosen.unshift(pairs[index]);
  return chosen;
}

// The longest common subsequence, by a table.
function longest(old_keys, new_keys, a, a_end, b, b_end) {
  const width = b_end - b + 1;
  const table = new Uint16Array((a_end - a + 1) * width);
  for (let x = a_end - 1; x >= a; x--) {
    for (let y = b_end - 1; y >= b; y--) {
      const at = (x - a) * width + (y - b);
      table[at] = old_keys[x] === new_keys[y] ? table[at + width + 1] + 1 : Math.max(table[at + width], table[at + 1]);
    }
  }
  const pairs = [];
  let [x, y] = [a, b];
  while (x < a_end && y < b_end) {
    const at = (x - a) * width + (y - b);
    if (old_keys[x] === new_keys[y] && table[at] === table[at + width + 1] + 1) pairs.push([x++, y++]);
    else if (table[at + width] >= table[at + 1]) x++;
    else y++;
  }
  return pairs;
}

// The pairs of a function: by structure and place, and within what is left by structure alone.
function pairs_of(before, after) {
  const keys = (part, places) => part.lines.map((line, index) => structure(line) + (places ? '\u0000' + (part.from[index] || '') : ''));
  const sure = matched(keys(before, true), keys(after, true));
  const [old_keys, new_keys] = [keys(before, false), keys(after, false)];
  const pairs = [];
  let [a, b] = [0, 0];
  for (const [x, y] of [...sure, [old_keys.length, new_keys.length]]) {
    pairs.push(...matched(old_keys, new_keys, [a, x], [b, y]));
    if (x < old_keys.length) pairs.push([x, y]);
    [a, b] = [x + 1, y + 1];
  }
  return pairs;
}

// Which tokens of two lines differ; null if the lines have too little in common to be versions of one.
function marks_of(old_line, new_line, language, renamed) {
  const [before, after] = [tokens(old_line, language), tokens(new_line, language)];
  const [old_keys, new_keys] = [before, after].map((line) => line.map(([kind, text]) => kind === 'v' ? '%' : text));
  const pairs = matched(old_keys, new_keys);
  const [gone, come] = [new Set(before.keys()), new Set(after.keys())];
  let same = 0;
  for (const [x, y] of pairs) {
    const [kind, text] = before[x];
    const is_other = kind === 'v' && renamed.has(text) && renamed.get(text) !== after[y][1];
    if (is_other) continue;
    gone.delete(x);
    come.delete(y);
    same += text.trim().length;
  }
  const length = Math.max(old_line.trim().length, new_line.trim().length, 1);
  return same / length >= 0.5 ? [gone, come] : null;
}

// The rows of a function, in order: { same: [old, new] }, { old, gone }, { now, come }; numbers of lines and marked tokens.
function rows_of(before, after, language) {
  const rows = [];
  // What each value of the old text is called in the new one.
  const renamed = new Map();
  const values = (line) => line.match(SSA) || [];
  function same(x, y) {
    const [old_line, new_line] = [before.lines[x], after.lines[y]];
    const [olds, news] = [values(old_line), values(new_line)];
    const is_known = olds.every((name, index) => !renamed.has(name) || renamed.get(name) === news[index]);
    const defines = /^\s*[%^]/.test(old_line);
    olds.forEach((name, index) => {
      if (!renamed.has(name) || (defines && index === 0)) renamed.set(name, news[index]);
    });
    if (is_known || (defines && olds.slice(1).every((name, index) => renamed.get(name) === news[index + 1]))) {
      rows.push({ same: [x, y] });
    } else {
      const [gone, come] = marks_of(old_line, new_line, language, renamed) || [null, null];
      rows.push({ old: x, gone }, { now: y, come });
    }
  }
  let [a, b] = [0, 0];
  for (const [x, y] of [...pairs_of(before, after), [before.lines.length, after.lines.length]]) {
    replaced(before, after, [a, x], [b, y], language, renamed, rows);
    if (x < before.lines.length) same(x, y);
    [a, b] = [x + 1, y + 1];
  }
  return rows;
}

// Old lines and the new ones that replace them; those that are versions of one line are paired.
function replaced(before, after, [a, a_end], [b, b_end], language, renamed, rows) {
  const marks = new Map();
  let from = b;
  const reach = a_end - a === b_end - b ? 1 : 6;
  for (let x = a; x < a_end && from < b_end; x++) {
    for (let y = from; y < Math.min(from + reach, b_end); y++) {
      const found = marks_of(before.lines[x], after.lines[y], language, renamed);
      if (!found) continue;
      const [defined, now] = [before.lines[x], after.lines[y]].map((line) => line.match(/^\s*([%^][\w.$-]+)/)?.[1]);
      if (defined && now) renamed.set(defined, now);
      marks.set('a' + x, found[0]).set('b' + y, found[1]);
      from = y + 1;
      break;
    }
    if (reach === 1 && from === b + (x - a)) from++;
  }
  for (let x = a; x < a_end; x++) rows.push({ old: x, gone: marks.get('a' + x) || null });
  for (let y = b; y < b_end; y++) rows.push({ now: y, come: marks.get('b' + y) || null });
}

// The functions of two texts with their rows: [{ name, before, after, rows, added, removed }], those of the new text first.
function difference(old_parts, new_parts, language) {
  const key = (part, index) => part.name ?? 'between ' + index;
  const named = (parts) => {
    let between = 0;
    return new Map(parts.map((part) => [part.name ?? key(part, between++), part]));
  };
  const nothing = { name: null, lines: [], from: [], left_out: 0 };
  const [olds, news] = [named(old_parts), named(new_parts)];
  const changes = [];
  for (const [name, after] of news) changes.push([name, olds.get(name) || nothing, after]);
  for (const [name, before] of olds) if (!news.has(name)) changes.push([name, before, nothing]);
  return changes.map(([name, before, after]) => {
    const is_same = before === after;
    const rows = is_same ? after.lines.map((_, index) => ({ same: [index, index] })) : rows_of(before, after, language);
    const count = (kind) => rows.filter((row) => row[kind] !== undefined).length;
    return { name: after.name ?? before.name, before, after, rows, added: count('now'), removed: count('old') };
  });
}
