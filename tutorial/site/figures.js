'use strict';

// Figures to touch. The page has each as a picture of one moment; this moves them, by pointer and by keys. On paper they are
// pictures again. Elements with data-at are there at these moments; lines and items are lit.
(function figures() {
    // The page that is the whole book is for paper.
    if (location.pathname.endsWith('/print.html')) return;
    const covers = (moments, at) => moments !== '' && moments.split(' ').some((moment) => {
        const [from, to = from] = moment.split('-').map(Number);
        return from <= at && at <= to;
    });

    // Shows a case at a moment.
    function choose(box, at) {
        box.dataset.now = at;
        for (const one of box.querySelectorAll('[data-at]')) one.classList.toggle('off', !covers(one.dataset.at, at));
    }
    const notes = (box) => [...box.querySelectorAll('.notes li')];

    // A slider through the moments, and buttons for one more and one less.
    function steps(box) {
        const last = notes(box).length - 1;
        const slider = make('input', { type: 'range', min: 0, max: last, value: 0, ariaLabel: 'Step' });
        const [back, next] = [['◀', 'Back'], ['▶', 'Next']].map(([text, ariaLabel]) => make('button', { type: 'button', ariaLabel }, text));
        const count = make('span', { className: 'count' });
        const go = (at) => {
            slider.value = at;
            slider.ariaValueText = notes(box)[at].textContent;
            count.textContent = `${at + 1} of ${last + 1}`;
            back.disabled = at === 0;
            next.disabled = at === last;
            choose(box, at);
        };
        slider.addEventListener('input', () => go(Number(slider.value)));
        back.addEventListener('click', () => go(Number(slider.value) - 1));
        next.addEventListener('click', () => go(Number(slider.value) + 1));
        box.prepend(make('div', { className: 'controls' }, back, slider, next, count));
        go(0);
    }

    // Items to point at. The keys go from one to the next; Tab leaves the figure.
    function points(box) {
        const items = [...box.querySelectorAll('[data-item]')];
        const point = (item) => {
            items.forEach((other) => {
                other.tabIndex = other === item ? 0 : -1;
                other.ariaPressed = String(other === item);
            });
            choose(box, Number(item.dataset.item));
        };
        for (const [at, item] of items.entries()) {
            item.role = 'button';
            item.addEventListener('focus', () => point(item));
            item.addEventListener('pointerover', () => point(item));
            item.addEventListener('click', () => item.focus());
            item.addEventListener('keydown', (event) => {
                const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
                if (by) items[(at + by + items.length) % items.length].focus();
                if (by) event.preventDefault();
            });
        }
        point(items.find((item) => item.dataset.item === box.dataset.still));
    }

    // Buffers to move. Columns are times; two that share one may not overlap.
    function plan(box) {
        const svg = box.querySelector('svg');
        const [most, bound, height] = ['most', 'bound', 'height'].map((name) => Number(svg.dataset[name]));
        const buffers = [...svg.querySelectorAll('.buffer')].map((element) => {
            const { columns, size, own, offset, name } = element.dataset;
            const [first, last] = columns.split('-').map(Number);
            return { element, first, last, size: Number(size), own: Number(own), best: Number(offset), name };
        });
        const divisor = (a, b) => b === 0 ? a : divisor(b, a % b);
        const unit = buffers.flatMap(({ size, own, best }) => [size, own, best]).reduce(divisor);
        const status = make('p', { className: 'sum', role: 'status' });
        const meet = (a, b) => a !== b && a.first <= b.last && b.first <= a.last && a.at < b.at + b.size && b.at < a.at + a.size;
        const y = (bytes) => height - bytes * height / most;
        let is_bound_shown = false;

        function draw(moved = null) {
            const over = buffers.filter((one) => buffers.some((other) => meet(one, other)));
            const peak = Math.max(...buffers.map(({ at, size }) => at + size));
            for (const one of buffers) {
                const x = one.element.transform.baseVal[0].matrix.e;
                one.element.setAttribute('transform', `translate(${x} ${y(one.at + one.size)})`);
                one.element.classList.toggle('over', over.includes(one));
                one.element.ariaValueNow = one.at;
                one.element.ariaValueText = `${one.at} bytes${over.includes(one) ? ', overlaps' : ''}`;
            }
            const line = svg.querySelector('.peak');
            ['y1', 'y2'].forEach((name) => line.setAttribute(name, y(peak)));
            svg.querySelector('.bound').classList.toggle('off', !is_bound_shown);
            Object.assign(box.dataset, { peak, overlaps: over.length });
            const result = over.length > 0 ? `${over.length} buffers overlap.` : peak === bound && is_bound_shown ? 'No plan is better.' : 'Nothing overlaps.';
            status.textContent = `Peak: ${peak} bytes. ${result}${is_bound_shown ? ` The bound: ${bound} bytes.` : ''}`
                + (moved ? ` Buffer ${moved.name}, at ${moved.at}.` : '');
        }
        function move(one, to) {
            one.at = Math.max(0, Math.min(most - one.size, Math.round(to / unit) * unit));
            draw(one);
        }
        // To the lowest place below it that is free.
        function fall(one) {
            while (one.at > 0) {
                one.at -= unit;
                if (!buffers.some((other) => meet(one, other))) continue;
                one.at += unit;
                break;
            }
            draw(one);
        }
        const all = (name) => {
            buffers.forEach((one) => { one.at = one[name]; });
            draw();
        };

        for (const one of buffers) {
            const { element } = one;
            Object.assign(element, { role: 'slider', ariaLabel: 'Buffer ' + one.name, ariaOrientation: 'vertical', ariaValueMin: 0, ariaValueMax: most - one.size });
            element.setAttribute('tabindex', 0);
            let grip = null;
            const bytes = (event) => -event.clientY * svg.viewBox.baseVal.height / svg.getBoundingClientRect().height * most / height;
            element.addEventListener('pointerdown', (event) => {
                grip = bytes(event) - one.at;
                element.setPointerCapture(event.pointerId);
                element.focus({ preventScroll: true });
                event.preventDefault();
            });
            // A finger on a buffer moves it, and not the page.
            element.addEventListener('touchstart', (event) => event.preventDefault(), { passive: false });
            for (const moved of ['pointermove', 'pointerup']) element.addEventListener(moved, (event) => grip !== null && move(one, bytes(event) - grip));
            for (const end of ['pointerup', 'pointercancel']) element.addEventListener(end, () => { grip = null; });
            element.addEventListener('focus', () => draw(one));
            element.addEventListener('keydown', (event) => {
                const by = { ArrowUp: unit, ArrowRight: unit, ArrowDown: -unit, ArrowLeft: -unit }[event.key];
                if (by) move(one, one.at + by);
                else if (event.key === 'Enter') fall(one);
                else return;
                event.preventDefault();
            });
        }
        const button = (text, onclick) => make('button', { type: 'button', onclick }, text);
        const show_bound = button('Show the bound', () => {
            is_bound_shown = !is_bound_shown;
            show_bound.ariaPressed = String(is_bound_shown);
            draw();
        });
        show_bound.ariaPressed = 'false';
        box.prepend(make('div', { className: 'controls' }, button('Each alone', () => all('own')), button('The planner’s plan', () => all('best')), show_bound));
        svg.after(status);
        all('own');
        box.restore = () => {
            is_bound_shown = true;
            all('best');
        };
    }

    const kinds = { steps, points, plan };
    for (const figure of document.querySelectorAll('.touch')) {
        const cases = [...figure.querySelectorAll('.case')];
        for (const [name, start] of Object.entries(kinds)) {
            if (figure.classList.contains(name)) cases.forEach(start);
        }
        cases.forEach((box) => box.querySelector('.notes').setAttribute('aria-live', 'polite'));
        if (cases.length > 1) {
            const chooser = make('select', { ariaLabel: 'Program' }, ...cases.map((box) => make('option', {}, box.dataset.name)));
            chooser.addEventListener('change', () => cases.forEach((box, at) => { box.hidden = at !== chooser.selectedIndex; }));
            figure.prepend(chooser);
        }
        // Arrow keys turn the pages of the book elsewhere.
        figure.addEventListener('keydown', (event) => event.stopPropagation());
        figure.classList.add('live');
    }
    addEventListener('beforeprint', () => {
        for (const box of document.querySelectorAll('.live .case')) {
            if (box.restore) box.restore();
            else choose(box, Number(box.dataset.still));
        }
    });
})();
