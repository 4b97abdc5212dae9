const node = globalThis.process?.versions?.node
  ? { fs: await import("node:fs"), url: await import("node:url"), util: await import("node:util") }
  : null;

/** The end of a run: what the module's `exit` throws, through the module's functions. */
class Exit {
  constructor(status) {
    this.status = status;
  }
}

/** The module, compiled: the given one, or its bytes, or the file beside this one. */
async function compiled(given) {
  if (given) return given instanceof WebAssembly.Module ? given : WebAssembly.compile(given);
  const url = new URL(MODULE, import.meta.url);
  if (node && url.protocol === "file:") return WebAssembly.compile(node.fs.readFileSync(url));
  const response = await fetch(url);
  if (!response.ok) throw new Error(`cannot load ${url}: ${response.status} ${response.statusText}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * The exports of a new instance. `write(file, bytes)` is its output, and returns how many bytes it has written;
 * `more(bytes)` makes the other functions that it calls.
 */
async function instance(module, write, more = () => ({})) {
  let memory;
  const bytes = (at, size) => new Uint8Array(memory.buffer, at >>> 0, size >>> 0);
  const toy = {
    write: (file, at, size) => write(file, bytes(at, size)),
    exit(status) {
      throw new Exit(status);
    },
    ...more(bytes),
  };
  const { exports } = await WebAssembly.instantiate(module, { toy });
  memory = exports.memory;
  return exports;
}

/** Calls a function of the module: its result, or the {@link Exit} that it ends with. */
function called(exports, work) {
  const stack = exports.__stack_pointer;
  const top = stack.value;
  const ended = (work) => {
    try {
      return work();
    } catch (error) {
      stack.value = top;
      if (error instanceof Exit) return error;
      throw error;
    }
  };
  try {
    return ended(work);
  } catch (error) {
    // The engine's own stack is full. Chrome and Safari call that a RangeError, Firefox an InternalError.
    const isTooDeep = error instanceof RangeError || error?.name === "InternalError";
    if (!isTooDeep || !exports.toy_too_deep) throw error;
    return ended(() => exports.toy_too_deep());
  }
}

/** Output as text: `print` and `error` get it, in Node by default the streams of the process, in pages the console. */
function writer({ print, error } = {}) {
  const decoders = [null, new TextDecoder(), new TextDecoder()];
  const lines = (show) => {
    let rest = "";
    return (text) => {
      const all = (rest + text).split("\n");
      rest = all.pop();
      if (all.length > 0) show(all.join("\n"));
    };
  };
  const show = [null, print ?? (node ? null : lines(console.log)), error ?? (node ? null : lines(console.error))];
  return (file, bytes) => {
    if (!show[file]) return written(file, bytes);
    // A copy: decoders refuse memory that may be shared.
    show[file](decoders[file].decode(bytes.slice(), { stream: true }));
    return bytes.length;
  };
}

/** Writes to a file of the process; the number of bytes, or -1. */
function written(file, bytes) {
  for (;;) {
    try {
      return node.fs.writeSync(file, bytes);
    } catch (error) {
      if (error.code !== "EAGAIN") return -1;
    }
  }
}
