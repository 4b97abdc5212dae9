// What the program printed, below its source: in the run that a report has, or in one in the page.

function show_output({ output = '', errors = '', note = '', left_out = 0 }) {
  byId('output').hidden = false;
  byId('printed').textContent = output + (left_out > 0 ? `… and ${bytes(left_out)} more.` : '');
  byId('errors').textContent = errors;
  byId('errors').hidden = errors === '';
  byId('ended').textContent = note || (output || errors ? '' : 'The program printed nothing.');
  byId('ended').hidden = byId('ended').textContent === '';
}

// The run of a report.
function show_run({ status, ...run }) {
  show_output({ ...run, note: status === 0 ? '' : `Exit status ${status}: what it wrote to standard error is not on this page.` });
}
