// The editor of a program: its text checked by the front end as one types. It follows elements.js and highlight.js of
// crates/toy-report in a function of its own, which returns toyEdit().

const DELAY = 100;

// The front end's answers about programs, from crates/toy-web.
async function started(response) {
    const module = await WebAssembly.compile(await response.arrayBuffer());
    let instance = await WebAssembly.instantiate(module);
    return async (question, text) => {
        const bytes = new TextEncoder().encode(text);
        try {
            const { room, answer, memory, [question]: ask } = instance.exports;
            const place = room(bytes.length);
            new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
            const size = ask();
            return new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), size));
        } catch (error) {
            // An instance that was left in the middle is of no use.
            instance = await WebAssembly.instantiate(module);
            throw error;
        }
    };
}

let asking = null;

// Opens the editor above the bar of a program, where it adds its buttons. `leave` is called for Escape.
async function toyEdit({ source, text, name, bar, leave, frontEnd }) {
    asking ??= frontEnd().then(started);
    const ask = await asking.catch((error) => {
        asking = null;
        throw error;
    });
    BUILTINS ??= new Set((await ask('builtins', '')).split(' '));

    const place = element('div.toy-editor');
    const problems = element('ul.problems');
    const status = element('span.said', { role: 'status' });
    const shown = element('pre.shown', { tabindex: 0, hidden: true });
    const button = (text, title, onclick) => element('button', { type: 'button', title, onclick }, text);
    const reset = button('Reset', 'The program as it was', () => editor.replace(source));
    const views = Object.entries({ tokens: 'Tokens', tree: 'Tree' }).map(([view, text]) => {
        const one = button(text, `The ${view} of the program, as the front end sees it`, () => {
            const isOn = one.getAttribute('aria-pressed') !== 'true';
            for (const other of views) other.setAttribute('aria-pressed', String(isOn && other === one));
            shown.hidden = !isOn;
            shown.dataset.view = view;
            check();
        });
        one.setAttribute('aria-pressed', 'false');
        return one;
    });
    const added = [button('Format', 'The layout of the style guide (Ctrl+S)', format), ...views, reset, status];
    const parts = [place, problems, shown];
    bar.before(place);
    bar.after(problems, shown);
    bar.append(...added);

    let waiting = null;
    const editor = ToyEditor.create({
        parent: place, text, label: name, keywords: KEYWORDS, builtins: BUILTINS,
        changed: () => {
            clearTimeout(waiting);
            waiting = setTimeout(check, DELAY);
        },
        pointed: () => {}, clicked: () => {}, escaped: leave, saved: format,
    });
    place.addEventListener('keydown', (event) => event.stopPropagation());

    async function check() {
        const text = editor.text();
        reset.disabled = text === source;
        try {
            const found = (await ask('check', text)).split('\n').filter((line) => line).map((line) => JSON.parse(line));
            const { view } = shown.dataset;
            const answer = shown.hidden ? '' : await ask(view, text);
            if (text !== editor.text()) return;
            show(found);
            const lines = answer ? answer.split('\n').map((line) => [...colored(line, view), '\n']) : ['Its tree is here when it can be parsed.'];
            shown.replaceChildren(...lines.flat());
        } catch (error) {
            status.textContent = `the front end gave up: ${error.message}`;
        }
    }

    function show(found) {
        editor.diagnose(in_editor(found));
        problems.replaceChildren(...found.map((diagnostic) => diagnostic_entry(diagnostic, editor.go)));
        const errors = found.filter(({ severity }) => severity === 'error').length;
        status.textContent = errors ? counted(errors, 'error') : found.length ? counted(found.length, 'warning') : 'no errors; shapes are not checked here';
    }

    async function format() {
        const text = editor.text();
        const formatted = await ask('format', text);
        if (formatted && formatted !== text) editor.replace(formatted);
        else status.textContent = formatted ? 'it has the layout' : 'a program with syntax errors is not formatted';
    }

    // A changed program needs the rest of the compiler.
    function command() {
        const text = editor.text().replace(/\n?$/, '');
        const line = (prompt, command) => [element('span.prompt', {}, prompt), element('span.copy', {}, command), '\n'];
        const code = element('code.hljs', {}, ...line('$ ', "toyc run - << 'TOY'"), ...text.split('\n').flatMap((one) => line('> ', one)), ...line('> ', 'TOY'));
        const block = element('pre.block.console', {}, code);
        addCopyButton(block);
        return element('div', {}, element('p', {}, 'This page has the front end of toyc, without MLIR and LLVM. In a terminal, this runs what you changed; ',
            element('code', {}, `toyc serve ${name}`), ' shows all stages beside an editor.'), block);
    }

    await check();
    place.querySelector('.cm-content')?.focus({ preventScroll: true });
    return { text: editor.text, command, remove: () => {
        clearTimeout(waiting);
        for (const part of [...parts, ...added]) part.remove();
    } };
}
