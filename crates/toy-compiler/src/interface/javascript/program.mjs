/**
 * Runs the program, and returns its exit status: 0, or 1 after an error.
 *
 * `print` and `error` get the program's output and its messages as text, in parts; `args` are its arguments. `files` has
 * the bytes of files by their names; in a page it also gets those that the program writes. `module` is the module
 * or its bytes, where it is not beside this file. `loop` gets the line of the loop that runs, again and again, if the
 * module was made with `--watch-loops`.
 */
export async function run({ print, error, args = [], files, module, loop } = {}) {
  const { write, functions } = fileSystem(writer({ print, error }), files);
  const exports = await instance(await compiled(module), write, (bytes) => ({ ...functions?.(bytes), loop: watcher(loop) }));
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

/**
 * A function for watched loops: it gets the line of one, and returns how many iterations later it is called again. That
 * is soon enough for a loop of long iterations that follows one of short ones.
 */
function watcher(loop) {
  let [count, last] = [1, 0];
  return (line) => {
    const now = performance.now();
    count = now - last < 20 ? Math.min(2 * count, 256) : Math.ceil(count / 2);
    last = now;
    loop?.(line);
    return count;
  };
}

if (node && process.argv[1] && node.url.pathToFileURL(node.fs.realpathSync(process.argv[1])).href === import.meta.url) {
  process.exitCode = await run({ args: process.argv.slice(2) });
}
