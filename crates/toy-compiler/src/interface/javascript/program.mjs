/**
 * Runs the program, and returns its exit status: 0, or 1 after an error.
 *
 * `print` and `error` get the program's output and its messages as text, in parts; `args` are its arguments. `files` has
 * the bytes of files by their names; in a page it also gets those that the program writes. `module` is the module
 * or its bytes, where it is not beside this file.
 */
export async function run({ print, error, args = [], files, module } = {}) {
  const { write, functions } = fileSystem(writer({ print, error }), files);
  const exports = await instance(await compiled(module), write, functions);
  // At once where someone watches; otherwise what a buffer holds.
  if (print) exports.toy_print_at_once();
  const texts = [NAME, ...args].map((text) => new TextEncoder().encode(`${text}\0`));
  const argv = exports.malloc(4 * (texts.length + 1));
  const addresses = texts.map((text) => {
    const at = exports.malloc(text.length);
    new Uint8Array(exports.memory.buffer).set(text, at >>> 0);
    return at;
  });
  new Uint32Array(exports.memory.buffer, argv >>> 0, texts.length + 1).set([...addresses, 0]);
  const status = called(exports, () => exports.main(texts.length, argv));
  const end = status instanceof Exit ? status : called(exports, () => exports.exit(status));
  return end.status;
}

if (node && process.argv[1] && node.url.pathToFileURL(node.fs.realpathSync(process.argv[1])).href === import.meta.url) {
  process.exitCode = await run({ args: process.argv.slice(2) });
}
