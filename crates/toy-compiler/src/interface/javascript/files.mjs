/**
 * The files of a program: those in `given`, by name, and in Node those of the system. What the program writes in a page
 * is put into `given`.
 */
function fileSystem(write, given) {
  const refusal = () => new Error("a page has only the files that `run` gets as `files`");
  let reason = "";
  let memory;
  const text = (at, size) => new TextDecoder().decode(memory(at, size).slice());
  // A failure is kept, and -1.
  const tried = (work) => {
    try {
      return work() ?? 0;
    } catch (error) {
      const system = error.errno && node.util.getSystemErrorMap().get(error.errno)?.[1];
      reason = system ? system[0].toUpperCase() + system.slice(1) : error.message;
      return -1;
    }
  };
  const load = (path) => {
    if (given?.[path]) return given[path];
    if (node) return node.fs.readFileSync(path);
    throw refusal();
  };
  const save = (path, bytes) => {
    if (node) node.fs.writeFileSync(path, bytes);
    else if (given) given[path] = bytes;
    else throw refusal();
  };
  const open = [null, { write: (bytes) => write(1, bytes) }, { write: (bytes) => write(2, bytes) }];
  const functions = {
    open: (path, size, writes) =>
      tried(() => {
        const name = text(path, size);
        const parts = [];
        if (name === "/dev/null") return open.push({ write: (bytes) => bytes.length }) - 1;
        if (!writes) return open.push({ data: load(name), at: 0 }) - 1;
        const add = (bytes) => (parts.push(bytes.slice()), bytes.length);
        return open.push({ write: add, close: () => save(name, new Uint8Array(parts.flatMap((part) => [...part]))) }) - 1;
      }),
    read(file, at, size) {
      const from = open[file];
      const part = from.data.subarray(from.at, from.at + size);
      memory(at, size).set(part);
      from.at += part.length;
      return part.length;
    },
    close: (file) => tried(() => open[file].close?.()),
    copy: (from, to) => {
      open[to < 0 ? (to = open.length) : to] = open[from];
      return to;
    },
    type(path, size) {
      const name = text(path, size);
      if (given?.[name] || !node) return given?.[name] ? 0o100000 : 0;
      return node.fs.statSync(name, { throwIfNoEntry: false })?.mode ?? 0;
    },
    access: (path, size, mode) => tried(() => (node ? node.fs.accessSync(text(path, size), mode) : 0)),
    rename: (from, size, to, toSize) =>
      tried(() => {
        const [old, name] = [text(from, size), text(to, toSize)];
        if (node) return node.fs.renameSync(old, name);
        given[name] = given[old];
        delete given[old];
      }),
    unlink: (path, size) => tried(() => (node ? node.fs.unlinkSync(text(path, size)) : delete given[text(path, size)] && 0)),
    reason: (at, room) => put(reason, at, room),
    now: () => performance.now(),
    number(at, size) {
      const word = text(at, size);
      if (/^[+-]?inf(inity)?$/i.test(word)) return word[0] === "-" ? -Infinity : Infinity;
      return /^[+-]?[0-9.]/.test(word) ? Number(word) : NaN;
    },
    digits: (at, room, digits, number) => put(general(number, digits), at, room),
  };
  const put = (text, at, room) => {
    const { written } = new TextEncoder().encodeInto(text, memory(at, room));
    return written;
  };
  return {
    write: (file, bytes) => open[file].write(bytes),
    functions: (bytes) => {
      memory = bytes;
      return functions;
    },
  };
}

/** A number as C's `%.*g` writes it. */
function general(number, digits) {
  if (!Number.isFinite(number)) return String(number).toLowerCase().replace("inity", "");
  let [mantissa, exponent] = number.toExponential(digits - 1).split("e");
  // Where two texts are as close, JavaScript takes the larger one and C the even one.
  const exact = number.toExponential(Math.min(100, digits + 60)).split("e")[0];
  const isTie = /^50*$/.test(exact.slice(exact.indexOf(".") + digits));
  if (isTie && /[02468]$/.test(exact.slice(0, exact.indexOf(".") + digits))) {
    [mantissa, exponent] = [exact.slice(0, exact.indexOf(".") + digits), number.toExponential().split("e")[1]];
  }
  const stripped = (text) => (text.includes(".") ? text.replace(/\.?0*$/, "") : text);
  const power = Number(exponent);
  if (power < -4 || power >= digits) {
    return `${stripped(mantissa)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  const [sign, all] = [number < 0 || Object.is(number, -0) ? "-" : "", mantissa.replace(/[-.]/g, "")];
  const point = power + 1;
  return sign + stripped(point > 0 ? `${all.slice(0, point)}.${all.slice(point)}` : `0.${"0".repeat(-point)}${all}`);
}
