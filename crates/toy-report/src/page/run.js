// Runs programs of WebAssembly in workers: for the pages of `toyc serve`, and for those of the tutorial. A classic script that
// needs no other; pages from a folder (file://) run it, too. A page with a policy allows `worker-src blob:`, and in
// `script-src` also `'wasm-unsafe-eval'`.
//
//     const running = runWasm(module, {            // a WebAssembly.Module, or its bytes
//       host,                      // the text of the .mjs file that toyc writes beside the module
//       args: [], files: {},       // the program's arguments, and the bytes of its files by their names
//       onOutput: (text) => {},    // what it prints, in parts
//       onError: (text) => {},     // its messages, with the place in the source, in parts
//       onLoop: (line) => {},      // the line of the loop that runs, of a module made with `--watch-loops`
//       onExit: ({ status, files, ms, reason }) => {},
//     });
//     running.stop();
//
// `onExit` is called once, after all output, and never before `runWasm` has returned. `status` is the exit status, 0 or 1, and
// `files` those that the program had and wrote. `ms` is the time from the start of the program to its end. `status` is null
// where the program has no end of its own; `reason` is then 'stopped' after `stop()`, 'output' after OUTPUT_LIMIT
// characters, or a message of the browser. `prepareWasm(host)` makes the next run with this host start sooner.

const OUTPUT_LIMIT = 200000;

// The end of the worker, behind the host. Nothing interrupts a program that computes: output that waits in its worker is not
// seen before it prints again, and is lost where it is stopped. So all output goes out at once, but for that of programs that print more
// often than a page can take, which waits for half a millisecond.
const WORKER_END = `
const start = (module, args, files, limit) => {
  let [sent, characters, waiting, began] = [0, 0, [], performance.now()];
  let told = began;
  const send = (end, loop) => {
    postMessage({ output: waiting, end, loop });
    waiting = [];
    sent += 1;
  };
  const show = (kind) => (text) => {
    waiting.push({ kind, text: text.slice(0, limit - characters) });
    characters += text.length;
    if (characters > limit) {
      send({ status: null, reason: 'output' });
      throw new Error('too much output');
    }
    if (sent < 1000 + 2 * (performance.now() - began)) send();
  };
  const loop = (line) => {
    if (performance.now() - told < 50) return;
    told = performance.now();
    send(undefined, line);
  };
  run({ module, args, files, print: show('output'), error: show('error'), loop }).then(
    (status) => send({ status, files, ms: performance.now() - began }),
    (error) => send({ status: null, reason: String(error) }),
  );
};
onmessage = ({ data }) => start(...data);
`;

// A worker that has its host and waits for a program.
let spareWorker = null;

function prepareWasm(host) {
  if (spareWorker?.host === host) return;
  spareWorker?.worker.terminate();
  // Browsers give pages from a folder no workers that are modules: the host, which is one, becomes a function.
  const script = host.replace(/^export /gm, '').replaceAll('import.meta.url', "''");
  const url = URL.createObjectURL(new Blob(['(async () => {', script, WORKER_END, '})();'], { type: 'text/javascript' }));
  spareWorker = { host, worker: new Worker(url), url };
}

function runWasm(module, { host, args = [], files = {}, onOutput = () => {}, onError = () => {}, onLoop = () => {}, onExit = () => {} }) {
  prepareWasm(host);
  const { worker, url } = spareWorker;
  spareWorker = null;
  let [isOver, waiting, timer, last] = [false, [], null, -Infinity];
  const show = () => {
    const parts = waiting;
    clearTimeout(timer);
    [waiting, timer, last] = [[], null, performance.now()];
    for (const { kind, text } of parts) (kind === 'output' ? onOutput : onError)(text);
  };
  const end = (how) => {
    if (isOver) return;
    isOver = true;
    worker.terminate();
    URL.revokeObjectURL(url);
    show();
    onExit({ files, ms: null, reason: null, ...how });
  };
  worker.onmessage = ({ data }) => {
    if (isOver) return;
    for (const part of data.output) {
      if (waiting.at(-1)?.kind === part.kind) waiting.at(-1).text += part.text;
      else waiting.push(part);
    }
    if (data.end) return end(data.end);
    if (data.loop) onLoop(data.loop);
    // Some 50 times a second: a page is slower than a program that prints.
    if (performance.now() - last > 20) show();
    else timer ??= setTimeout(show, 20);
  };
  worker.onerror = (event) => end({ status: null, reason: event.message || 'the browser starts no worker here' });
  worker.postMessage([module, args, files, OUTPUT_LIMIT]);
  return { stop: () => end({ status: null, reason: 'stopped' }) };
}
