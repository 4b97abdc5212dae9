'use strict';
// Elements, numbers and units. Text of the program is always text, never HTML.

const root = document.documentElement;
const byId = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// element('a.extra', { href: '#x' }, 'text', otherElement)
function element(kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split('.');
  const made = document.createElement(tag);
  return filled(made, classes, attributes, children);
}

function drawn(kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split('.');
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  return filled(made, classes, attributes, children);
}

function filled(made, classes, attributes, children) {
  if (classes.length > 0) made.setAttribute('class', classes.join(' '));
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ''));
  return made;
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
const counted = (number, what) => grouped(number) + ' ' + what + (number === 1 ? '' : 's');

// One notation of units everywhere.
function bytes(number) {
  if (number < 10000) return counted(number, 'byte');
  if (number < 1e7) return (number / 1e3).toFixed(1) + ' kB';
  return number < 1e10 ? (number / 1e6).toFixed(1) + ' MB' : (number / 1e9).toFixed(1) + ' GB';
}

function time(ms) {
  if (ms < 0.01) return (ms * 1000).toFixed(0) + ' µs';
  if (ms < 1000) return ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0) + ' ms';
  return (ms / 1000).toFixed(ms < 10000 ? 2 : 1) + ' s';
}

const primary = ({ spans }) => spans.find((span) => span.primary);

// The diagnostics that have a place, for an editor.
const in_editor = (diagnostics) => diagnostics.filter(primary).map((diagnostic) => {
  const { severity, message, code, help } = diagnostic;
  const { start_line, start_column, end_line, end_column } = primary(diagnostic);
  return {
    from: { line: start_line, column: start_column }, to: { line: end_line, column: end_column },
    severity: ['error', 'warning'].includes(severity) ? severity : 'info',
    message: message + (code ? ` [${code}]` : '') + (help ? `\nhelp: ${help.message}` : ''),
  };
});

// A diagnostic as an entry of a list, whose button goes to its line.
function diagnostic_entry(diagnostic, go = null) {
  const { severity, message, code, help } = diagnostic;
  const line = primary(diagnostic)?.start_line;
  const text = [element('b', {}, `${severity} ${code}`.trim()), ' ', line ? `line ${line}: ` : '', message, help ? element('span.about', {}, '\nhelp: ' + help.message) : ''];
  return element('li.' + severity, { 'data-l': line }, line ? element('button.plain', { type: 'button', onclick: go && (() => go(line)) }, ...text) : text);
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
