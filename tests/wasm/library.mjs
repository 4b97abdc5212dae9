// What JavaScript gets of library.toy: `node library.mjs` beside the module.
import assert from "node:assert";
import * as library from "./out.mjs";

const { scaled, element, swapped, count, half, powers } = library;
const equal = (array, numbers, shape) => {
  assert.deepStrictEqual([...array], numbers);
  assert.deepStrictEqual(array.shape, shape);
};

// Lists, arrays with and without a shape, numbers.
equal(scaled([[1, 2, 3], [4, 5, 6]], 2), [3, 5, 7, 9, 11, 13], [2, 3]);
equal(scaled(new Float64Array([1, 2, 3, 4, 5, 6]), 0.5), [1.5, 2, 2.5, 3, 3.5, 4], [2, 3]);
equal(scaled([new Float64Array([1, 2, 3]), [4, 5, 6]], 0), [1, 1, 1, 1, 1, 1], [2, 3]);
equal(scaled(scaled([[1, 2, 3], [4, 5, 6]], 2), 1), [4, 6, 8, 10, 12, 14], [2, 3]);
equal(scaled([1, 2, 3], [1, 2, 3]), [2, 5, 10], [3]);
equal(library.scaled_2x3_s(Object.assign(new Float64Array(6), { shape: [2, 3] }), 1), [1, 1, 1, 1, 1, 1], [2, 3]);
assert.equal(String(library.scaled_3_3), "scaled(a: 3, k: 3) -> 3, from library.toy");
assert.ok(half([1, 3]) instanceof Float32Array);
equal(half(new Float32Array([1, 3])), [0.5, 1.5], [2]);
const { first, second } = swapped({ first: [[1, 2], [3, 4]], second: [[0, 1], [1, 0]] });
equal(first, [0, 1, 1, 0], [2, 2]);
equal(second, [2, 1, 4, 3], [2, 2]);
assert.equal(powers([[1, 1], [1, 0]])[0], 14);
// The workspace is free again: no call leaves memory behind.
for (let i = 0; i < 1000; i++) powers([[i, 1], [1, 0]]);

let printed = "";
library.$print((text) => (printed += text));
assert.equal(element([5, 6, 7, 8], 2), 7);
assert.equal(printed, "element  2.000000  of the list\n\n");

const fails = (work, kind, message, more = {}) => {
  let error = null;
  try {
    work();
  } catch (caught) {
    error = caught;
  }
  assert.ok(error instanceof kind, `${work} throws ${error?.stack}`);
  assert.equal(error.message, message);
  for (const [name, value] of Object.entries(more)) assert.equal(error[name], value, name);
};
fails(
  () => element([1, 2, 3, 4], 7),
  library.$Error,
  "library.toy:12:10: error: index 7 is out of range: the dimension has 4 elements, in `element(4, scalar)`",
  { code: "TOY_OUT_OF_RANGE", line: 12, column: 10, index: 7, size: 4, file: "library.toy" },
);
fails(
  () => element([1, 2, 3, 4], 0.5),
  library.$Error,
  "library.toy:12:12: error: index 0.5 is not a whole number, in `element(4, scalar)`",
  { code: "TOY_NOT_WHOLE", number: 0.5 },
);
fails(
  () => count(1e7),
  library.$Error,
  "library.toy:20:1: error: recursion is too deep, in `count(scalar)`",
  { code: "TOY_TOO_DEEP", function: "count(scalar)" },
);
assert.equal(count(100), 100);
const see = "; see library.toy";
const compiled = "and this function was compiled for";
fails(() => element([1, 2], 0), RangeError, `\`a\` of \`element\` has shape 2, ${compiled} 4${see}`);
fails(() => element([1, 2, 3, 4], [1]), RangeError, `\`i\` of \`element\` has shape 1, ${compiled} scalar${see}`);
fails(() => half(new Float64Array(2)), RangeError, `\`a\` of \`half\` has shape 2, ${compiled} 2 f32${see}`);
fails(
  () => element(Object.assign(new Float64Array(1), { shape: [4] }), 0),
  RangeError,
  `\`a\` of \`element\` has shape 1, ${compiled} 4${see}`,
);
fails(() => powers(new Float64Array(5)), RangeError, `\`a\` of \`powers\` has shape 5, ${compiled} 2x2${see}`);
const defined = "; it is defined in library.toy";
fails(() => half(), TypeError, `\`half\` takes 1 argument, and this call has 0${defined}`);
for (const list of [[1, [2]], [1, undefined], [, 1]]) {
  fails(
    () => half(list),
    TypeError,
    `\`a\` of \`half\` is an Array that is no array: its rows have to be of one length, and all of it numbers${defined}`,
  );
}
for (const [value, kind] of [["ab", "a String"], [true, "a Boolean"], [null, "a null"], [new Int32Array(2), "an Int32Array"]]) {
  fails(() => half(value), TypeError, `\`a\` of \`half\` is ${kind}, and Toy computes with f64 and f32${defined}`);
}
fails(() => half({}), TypeError, `\`a\` of \`half\` is a tensor of shape 2 f32, and not a struct${see}`);
fails(() => swapped([1]), TypeError, `\`p\` of \`swapped\` is a \`Pair\`, an object with \`first\`, \`second\`${see}`);
fails(
  () => swapped({ first: [1], second: [2] }),
  RangeError,
  `\`first\` in \`p\` of \`swapped\` has shape 1, ${compiled} 2x2${see}`,
);
fails(
  () => scaled([1], [2]),
  RangeError,
  "`scaled` was not compiled for these shapes, only as\n" +
    "scaled(a: 2x3, k: scalar) -> 2x3, from library.toy\nscaled(a: 3, k: 3) -> 3, from library.toy",
);
console.log("all as expected");
