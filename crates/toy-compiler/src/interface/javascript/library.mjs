/** A check that failed while a function ran, or memory that was missing; `message` says where and why. */
class ToyError extends Error {
  constructor(message, about) {
    super(message);
    this.name = "ToyError";
    Object.assign(this, about);
  }
}

const CODES = {
  1: "TOY_OUT_OF_MEMORY",
  16: "TOY_OUT_OF_RANGE",
  17: "TOY_NOT_WHOLE",
  18: "TOY_ZERO_STEP",
  19: "TOY_TOO_DEEP",
};

let output = writer();
const exports = await instance(await compiled(), (file, bytes) => output(file, bytes));

/** Gives what functions print to another function, as text. */
function print(show) {
  output = writer({ print: show });
}

/** The failure that the module has kept: the struct `toy_error` of the C header, with addresses of 32 bits. */
function failure() {
  const memory = new DataView(exports.memory.buffer);
  const at = exports.toy_last_error() >>> 0;
  const text = (place) => {
    const start = memory.getUint32(at + place, true);
    const bytes = new Uint8Array(memory.buffer, start);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  };
  const code = memory.getInt32(at, true);
  const about = { code: CODES[code], file: text(12), line: memory.getInt32(at + 4, true) };
  about.column = memory.getInt32(at + 8, true);
  about.function = text(16);
  const reason = text(20);
  if (code === 16) about.index = Number(memory.getBigInt64(at + 32, true));
  if (code === 1 || code === 16) about.size = Number(memory.getBigInt64(at + 40, true));
  if (code === 17) about.number = memory.getFloat64(at + 48, true);
  const { file, line, column } = about;
  return new ToyError(`${file}:${line}:${column}: error: ${reason}, in \`${about.function}\``, about);
}

const elements = (shape) => shape.reduce((product, size) => product * size, 1);
const [DEFAULT] = Object.keys(ARRAYS);

/** A type as the compiler's messages write it: `2x3`, `scalar`, `2x3 f32`; a struct by its name. */
function spelled({ struct, shape, element }) {
  if (struct !== undefined) return struct;
  return (shape.join("x") || "scalar") + (element === DEFAULT ? "" : ` ${element}`);
}

/** The tensors of a type, in order, each with the words for its place. */
function leaves(type, what) {
  if (!type.fields) return [{ type, what }];
  return type.fields.flatMap(([name, inner]) => leaves(inner, `\`${name}\` in ${what}`));
}

/** The sizes of a list of lists; null if its rows have several lengths. */
function shapeOf(list) {
  if (typeof list === "number") return [];
  if (!Array.isArray(list) && !ArrayBuffer.isView(list)) return null;
  const inner = list.length === 0 ? [] : shapeOf(list[0]);
  const isSame = (row) => inner !== null && shapeOf(row)?.join() === inner.join();
  // A hole is not a number: `every` would pass over it.
  return ArrayBuffer.isView(list) || Array.from(list).every(isSame) ? [list.length, ...inner] : null;
}

/** A tensor as the module gets it: a number, or an array of the type's elements. */
function numbers(type, argument, what) {
  const { shape } = type;
  const refuse = (given) => {
    throw new RangeError(
      `${what} has shape ${given}, and this function was compiled for ${spelled(type)}; see ${FILE}`,
    );
  };
  if (typeof argument === "number") return shape.length === 0 ? argument : refuse("scalar");
  const element = Object.keys(ARRAYS).find((name) => argument instanceof ARRAYS[name]);
  if (element !== undefined) {
    // Without a shape of its own, an array is any that has as many elements, row by row.
    const isShaped = Array.isArray(argument.shape) && elements(argument.shape) === argument.length;
    const flat = argument.length === elements(shape) ? shape : [argument.length];
    const own = isShaped ? argument.shape : flat;
    const given = spelled({ shape: [...own], element });
    if (given !== spelled(type)) refuse(given);
    return shape.length === 0 ? argument[0] : argument;
  }
  if (!Array.isArray(argument)) {
    const kind = argument?.constructor?.name ?? String(argument);
    if (argument !== null && typeof argument === "object" && kind === "Object") {
      throw new TypeError(`${what} is a tensor of shape ${spelled(type)}, and not a struct; see ${FILE}`);
    }
    throw new TypeError(
      `${what} is ${/^[aeiou]/i.test(kind) ? "an" : "a"} ${kind}, and Toy computes with ${Object.keys(ARRAYS).join(" and ")}; ` +
        `it is defined in ${FILE}`,
    );
  }
  const found = shapeOf(argument);
  if (found === null) {
    throw new TypeError(
      `${what} is an Array that is no array: its rows have to be of one length, and all of it numbers; ` +
        `it is defined in ${FILE}`,
    );
  }
  if (found.join() !== shape.join()) refuse(spelled({ ...type, shape: found }));
  return ARRAYS[type.element].from(argument.flat(Infinity).flatMap((row) => (ArrayBuffer.isView(row) ? [...row] : row)));
}

/** An argument as the module gets it: a struct goes by its fields. */
function flattened(type, argument, what) {
  if (!type.fields) return [numbers(type, argument, what)];
  const count = type.fields.length;
  const isStruct = argument !== null && typeof argument === "object" && !ArrayBuffer.isView(argument);
  const fields = isStruct ? type.fields.map(([name], at) => (Array.isArray(argument) ? argument[at] : argument[name])) : [];
  if (!isStruct || Object.keys(argument).length !== count || fields.includes(undefined)) {
    const names = type.fields.map(([name]) => `\`${name}\``).join(", ");
    throw new TypeError(`${what} is a \`${type.struct}\`, an object with ${names}; see ${FILE}`);
  }
  return type.fields.flatMap(([name, inner], at) => flattened(inner, fields[at], `\`${name}\` in ${what}`));
}

/** A result from its tensors. */
function built(type, tensors) {
  if (type === null) return undefined;
  if (!type.fields) return tensors.shift();
  return Object.fromEntries(type.fields.map(([name, inner]) => [name, built(inner, tensors)]));
}

/** The function that an export is called by. */
function made({ name, symbol, parameters, result, workspace }) {
  const to = result === null ? "" : ` -> ${spelled(result)}`;
  const about = `${name}(${parameters.map(([name, type]) => `${name}: ${spelled(type)}`).join(", ")})${to}, from ${FILE}`;
  const outputs = result === null ? [] : leaves(result, "the result");
  const call = (...given) => {
    if (given.length !== parameters.length) {
      const count = `${parameters.length} argument${parameters.length === 1 ? "" : "s"}`;
      throw new TypeError(
        `\`${name}\` takes ${count}, and this call has ${given.length}; it is defined in ${FILE}`,
      );
    }
    const inputs = parameters.flatMap(([parameter, type], at) =>
      flattened(type, given[at], `\`${parameter}\` of \`${name}\``),
    );
    // One block: arguments, results, workspace.
    let size = 0;
    const place = (bytes) => [size, (size += Math.ceil(bytes / 64) * 64)][0];
    const places = inputs.map((input) => (typeof input === "number" ? null : place(input.byteLength)));
    const results = outputs.map(({ type }) => place(elements(type.shape) * ARRAYS[type.element].BYTES_PER_ELEMENT));
    const memory = place(workspace);
    const start = size > 0xffff0000 ? 0 : exports.malloc(Math.max(size, 1)) >>> 0;
    if (start === 0) {
      throw new ToyError(`${FILE}: error: out of memory: ${size} bytes are needed at once`, { code: CODES[1], size });
    }
    try {
      inputs.forEach((input, at) => {
        if (places[at] === null) return;
        new input.constructor(exports.memory.buffer, start + places[at], input.length).set(input);
      });
      const values = inputs.map((input, at) => (places[at] === null ? input : start + places[at]));
      const all = [...values, ...results.map((at) => start + at), start + memory];
      const status = called(exports, () => exports[`${symbol}_in`](...all));
      if (status === 4) throw new Error(`\`${name}\` cannot print: standard output failed`);
      if (status !== 0) throw failure();
      const tensors = outputs.map(({ type }, at) => {
        const array = new (ARRAYS[type.element])(exports.memory.buffer, start + results[at], elements(type.shape)).slice();
        return type.shape.length === 0 ? array[0] : Object.assign(array, { shape: type.shape });
      });
      return built(result, tensors);
    } finally {
      exports.free(start);
    }
  };
  return Object.assign(call, { about, toString: () => about });
}

/** A function that is exported for several combinations of shapes: the first one that takes the arguments. */
function overloaded(functions) {
  if (functions.length === 1) return functions[0];
  const about = functions.map((it) => it.about).join("\n");
  const { name } = EXPORTS.find((it) => it.call === functions[0]);
  const choice = (...given) => {
    const fits = (call) => {
      const { parameters } = EXPORTS.find((it) => it.call === call);
      try {
        parameters.forEach(([, type], at) => flattened(type, given[at], ""));
      } catch {
        return false;
      }
      return parameters.length === given.length;
    };
    const found = functions.find(fits);
    if (!found) throw new RangeError(`\`${name}\` was not compiled for these shapes, only as\n${about}`);
    return found(...given);
  };
  return Object.assign(choice, { about, toString: () => about });
}

for (const it of EXPORTS) it.call = made(it);
const named = (name) => overloaded(EXPORTS.filter((it) => it.name === name).map((it) => it.call));
const exact = (symbol) => EXPORTS.find((it) => it.symbol === symbol).call;
