// The report: what a page was made of, or what the server answers.

// The report inside this page.
const embedded = () => unpacked(byId('report').textContent).json();

// `7,12-14` as numbers; no more than a program's worth of them.
function lines_of(origin) {
  if (!origin) return [];
  return origin.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: Math.min(last - first + 1, 5000) }, (_, index) => first + index);
  });
}

// The lines of a part and their origins, split when they are first asked for.
function split(part) {
  if (!part.lines) {
    part.lines = part.text === '' && part.left_out > 0 ? [] : part.text.split('\n');
    part.from = part.origins.split(';');
  }
  return part;
}

// How many lines of the stage come from each line of the source.
function origins_of(stage, of = report) {
  if (!stage.hits) {
    stage.hits = new Map();
    for (const index of stage.parts) {
      for (const origin of split(of.parts[index]).from) {
        for (const line of lines_of(origin)) stage.hits.set(line, (stage.hits.get(line) || 0) + 1);
      }
    }
  }
  return stage.hits;
}

// The passes in their order, each with its stage and its number.
function all_passes() {
  if (!report.passes) {
    const seen = new Map();
    report.passes = report.stages.flatMap((stage) => stage.steps.map((step) => ({ ...step, stage }))).map((pass, index) => {
      const name = pass.stage.id + '/' + pass.name;
      seen.set(name, (seen.get(name) || 0) + 1);
      return { ...pass, index, key: name + '/' + seen.get(name) };
    });
  }
  return report.passes;
}

const parts_of = (indices, of = report) => indices.map((index) => split(of.parts[index]));
const operations_in = (stage) =>
  sum(Object.values(stage.operations).flatMap((kinds) => Object.values(kinds)));
const is_same_text = (stage, other) => String(stage.parts) === String(other.parts);
