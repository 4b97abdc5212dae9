'use strict';

// Programs that run in the page, and that readers edit. Both work from a folder, where only scripts can be loaded: the files in
// `programs` and `editor` are scripts with the data, and a page loads them when a reader comes near.

// Data by the names of their scripts, packed as unpacked() takes it.
const toyFiles = {};

const toyScript = (() => {
    const loaded = {};
    return (name) => loaded[name] ??= new Promise((resolve, reject) => {
        const onerror = () => {
            delete loaded[name];
            reject(new Error(`cannot load ${name}.js`));
        };
        document.head.append(make('script', { src: `${path_to_root}${name}.js`, onload: resolve, onerror }));
    });
})();

async function toyFile(name) {
    await Promise.all([toyScript('editor/run'), toyScript(name)]);
    return unpacked(toyFiles[name]);
}

(function programs() {
    // All that a run needs, once: the program, and a worker that waits for it.
    const kept = {};
    const ready = (module) => kept[module] ??= (async () => {
        const [program, host] = await Promise.all([toyFile(module), toyFile('programs/host')]);
        return [await WebAssembly.compile(await program.arrayBuffer()), await host.text()];
    })().catch((error) => {
        delete kept[module];
        throw error;
    });
    const prepare = (module) => ready(module).then(([, host]) => prepareWasm(host), () => {});

    const ENDS = { stopped: 'stopped', output: 'stopped: a page shows 200,000 characters, and no more' };

    function start(block) {
        const { toy: name, run: module } = block.dataset;
        const source = `${block.querySelector('.copy').textContent}\n`;
        const output = make('pre', { className: 'ran', hidden: true, tabIndex: 0, role: 'log', ariaLabel: `Output of ${name}` });
        const run = make('button', { type: 'button', hidden: !module }, 'Run');
        const edit = make('button', { type: 'button', ariaExpanded: 'false' }, 'Edit');
        const bar = make('div', { className: 'program-bar', role: 'group', ariaLabel: name }, run, edit);
        block.after(bar, output);
        let editor = null;
        // What is typed outlives the editor.
        let text = source;
        let running = null;

        // Messages begin a line.
        function show(kind, text) {
            clear();
            const isInLine = kind !== 'output' && output.lastChild?.className === 'output' && !output.textContent.endsWith('\n');
            output.append(isInLine ? '\n' : '', make('span', { className: kind }, text));
        }
        // The output of the run before stays until there is something else: the page is laid out once.
        const begin = () => output.classList.add('old');
        function clear() {
            if (!output.classList.contains('old')) return;
            output.replaceChildren();
            output.classList.remove('old', 'empty');
            output.hidden = false;
        }
        function ended({ status, reason }) {
            running = null;
            clear();
            run.textContent = 'Run';
            if (status === 0) output.classList.toggle('empty', output.textContent === '');
            else show('status', `(${status === null ? ENDS[reason] ?? reason : `exit status ${status}`})`);
        }
        run.addEventListener('click', async () => {
            if (running) return running.stop();
            begin();
            if (editor && !(module && editor.text() === source)) return clear(), output.append(editor.command());
            run.textContent = 'Stop';
            let isStopped = false;
            running = { stop: () => { isStopped = true; } };
            try {
                const [compiled, host] = await ready(module);
                if (isStopped) return ended({ status: null, reason: 'stopped' });
                running = runWasm(compiled, {
                    host, onOutput: (text) => show('output', text), onError: (text) => show('error', text),
                    onExit: (end) => {
                        ended(end);
                        prepareWasm(host);
                    },
                });
            } catch (error) {
                ended({ status: null, reason: error.message });
            }
        });
        // Programs that can be seen are ready before anyone clicks.
        if (module) new IntersectionObserver((entries, observer) => {
            if (!entries.some((entry) => entry.isIntersecting)) return;
            observer.disconnect();
            prepare(module);
        }).observe(bar);

        edit.addEventListener('click', async () => {
            if (editor) return close();
            edit.disabled = true;
            try {
                await Promise.all(['editor/run', 'editor/codemirror', 'editor/edit'].map(toyScript));
                editor = await toyEdit({ name, source, text, bar, leave: () => edit.focus(), frontEnd: () => toyFile('editor/front-end') });
            } catch (error) {
                begin();
                show('error', error.message);
                return;
            } finally {
                edit.disabled = false;
            }
            block.hidden = true;
            run.hidden = false;
            edit.textContent = 'Close';
            edit.ariaExpanded = 'true';
        });
        function close() {
            text = editor.text();
            editor.remove();
            editor = null;
            block.hidden = false;
            run.hidden = !module;
            edit.textContent = 'Edit';
            edit.ariaExpanded = 'false';
        }
        // Keys turn the pages of the book elsewhere, and open its search.
        for (const part of [bar, output]) part.addEventListener('keydown', (event) => event.stopPropagation());
    }

    document.querySelectorAll('pre[data-toy]').forEach(start);
})();
