// Links hold the reader's place: after the view its function, the second pane and the kept line; where there is an editor, also
// the program and its level.

// Where there is an editor: adds its part of a link, and takes it.
let live_link = null;
let live_follow = null;

async function copy_link() {
  const parts = new URLSearchParams();
  if (kept?.lines.length) parts.set('line', kept.lines[0]);
  if (shown_function) parts.set('function', shown_function);
  if (second) parts.set('beside', [second.stage, second.level, second.name].join(' '));
  if (root.classList.contains('slide')) parts.set('slide', 1);
  await live_link?.(parts);
  const [view] = (location.hash || '#' + current().id).split('&');
  history.replaceState(history.state, '', [view, ...(parts.size ? [parts] : [])].join('&'));
  const link = byId('link');
  // Without a token, which is another one for each start of the server.
  const text = live_link ? location.origin + '/' + location.hash : location.href;
  const is_copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  link.textContent = is_copied ? 'Copied' : 'In the address';
  setTimeout(() => { link.textContent = 'Link'; }, 2000);
}

const link_parts = () => new URLSearchParams(location.hash.split('&').slice(1).join('&'));

// Shows what a link holds. The address is then as short as before.
async function follow_link() {
  const parts = link_parts();
  if (parts.size === 0) return;
  history.replaceState(history.state, '', location.hash.split('&')[0]);
  await live_follow?.(parts);
  if (!report) return;
  shown_function = parts.get('function');
  set_slide(parts.has('slide'));
  const [stage, level, name] = parts.get('beside')?.split(' ') ?? [];
  await set_second(stage ? { stage, level: live_report && /^[0-3]$/.test(level) ? Number(level) : null, name: name || null } : null);
  show();
  const line = Number(parts.get('line'));
  if (used.includes(line)) keep({ element: source_line(line), lines: [line] });
}

// Bytes as short text of letters, digits, - and _; and back.
async function through(bytes, Stream) {
  const stream = new Blob([bytes]).stream().pipeThrough(new Stream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
async function code_of(text) {
  const bytes = await through(new TextEncoder().encode(text), CompressionStream);
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => ({ '+': '-', '/': '_', '=': '' })[sign]);
}
async function text_of(code) {
  const bytes = Uint8Array.from(atob(code.replace(/[-_]/g, (sign) => ({ '-': '+', _: '/' })[sign])), (one) => one.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, DecompressionStream));
}
