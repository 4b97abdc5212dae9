'use strict';

const make = (tag, attributes, ...children) => {
    const made = Object.assign(document.createElement(tag), attributes);
    made.append(...children);
    return made;
};

// A button on a block: it copies commands without prompts and outputs, and changes without signs.
function addCopyButton(block) {
    const button = make('button', { className: 'copy-button', type: 'button', title: 'Copy to clipboard' }, 'copy');
    button.addEventListener('click', async () => {
        const parts = [...block.querySelectorAll('.copy')].map((part) => part.textContent);
        await copy(parts.join('\n') + '\n');
        button.textContent = 'copied';
        button.classList.add('done');
        setTimeout(() => {
            button.textContent = 'copy';
            button.classList.remove('done');
        }, 1200);
    });
    block.prepend(button);

    async function copy(text) {
        try {
            await navigator.clipboard.writeText(text);
        } catch {
            // Pages without a secure origin have no clipboard: through a selection.
            const area = document.createElement('textarea');
            area.value = text;
            document.body.append(area);
            area.select();
            document.execCommand('copy');
            area.remove();
        }
    }
}

document.querySelectorAll('pre.block').forEach(addCopyButton);
