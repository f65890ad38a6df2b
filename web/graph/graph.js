// The graph page: a diagram as text, a role for each of its nodes, and what armature says of them. All that is said or drawn
// comes from the engine (../playground/engine.js), which answers as `armature graph` does.
'use strict';

const part = (id) => document.getElementById(id);
const roleWords = { none: 'no role', action: 'action', context: 'context', reward: 'reward', latent: 'latent' };

// What a person decided; all else follows from it.
const state = {
  text: '',
  marks: new Map(), // node → role; a node without has the one that the text gives it
  linked: null, // roles of a link, until the nodes of its text are known
  worth: '', // the state of the reward that is worth 1; empty: the node as it is
  empty: false,
  single: false,
};
let engine = null;
let shown = null; // what `graph show` said of the last text that could be read …
let shownText = ''; // … and that text: what is on the page is about it, whatever is being written

// --- Roles ------------------------------------------------------------------------------------------

function roleOf(node) {
  const mark = state.marks.get(node);
  if (shown.latent.includes(node) && !['action', 'reward'].includes(mark)) return 'latent'; // nobody can observe it
  if (mark) return mark;
  if (shown.exposure.includes(node)) return 'action';
  return shown.outcome.includes(node) ? 'reward' : 'none';
}
const withRole = (role) => shown.nodes.filter((node) => roleOf(node) === role);

function setRole(node, role) {
  if (role === 'reward') for (const other of withRole('reward')) state.marks.set(other, 'none'); // there is one
  state.marks.set(node, role);
  update();
}

function takeContexts(nodes) {
  for (const node of withRole('context')) state.marks.set(node, 'none');
  for (const node of nodes) state.marks.set(node, 'context');
  update();
}

// A link says everything: what it does not name has no role.
function settleLink() {
  if (!state.linked) return;
  for (const node of shown.nodes) state.marks.set(node, 'none');
  for (const [role, nodes] of Object.entries(state.linked))
    for (const node of nodes) if (shown.nodes.includes(node)) state.marks.set(node, role);
  state.linked = null;
}

// --- Questions --------------------------------------------------------------------------------------

// Names as lists of options hold them: in double quotes where a comma, a quote or a sign could be misread.
const listed = (name) => (/^[\p{L}\p{N}_.]([\p{L}\p{N}_. -]*[\p{L}\p{N}_.-])?$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`);

// The options of a question about the diagram, as the command has them.
function options() {
  const list = (nodes) => nodes.map(listed).join(',');
  const found = { action: list(withRole('action')), context: list(withRole('context')) };
  const [reward] = withRole('reward');
  if (isQuestion()) found.reward = listed(reward) + (state.worth ? `=${listed(state.worth)}` : '');
  found.latent = list(withRole('latent').filter((node) => !shown.latent.includes(node)));
  for (const name of Object.keys(found)) if (!found[name]) delete found[name];
  if (state.empty) found.empty = true;
  if (state.single) found.single = true;
  return found;
}
const isQuestion = () => withRole('action').length > 0 && withRole('reward').length === 1;

// One question at a time; what changes meanwhile is asked next. A question that takes long is not waited for then.
const patience = 500; // milliseconds
let asking = false;
let changed = false;
let began = 0;
async function update() {
  changed = true;
  if (!engine) return; // start() asks for what stands there by then
  if (asking) {
    const mine = began;
    const left = patience - (Date.now() - began);
    if (left <= 0) engine.cancel();
    else setTimeout(() => asking && changed && began === mine && engine.cancel(), left);
    return;
  }
  asking = true;
  part('answer').setAttribute('aria-busy', 'true');
  try {
    while (changed) {
      changed = false;
      began = Date.now();
      await answer();
    }
  } finally {
    asking = false;
    part('answer').removeAttribute('aria-busy');
  }
}

async function answer() {
  const { text } = state;
  try {
    const read = await engine.ask({ command: 'graph show', text });
    if (changed) return;
    shown = read;
    shownText = text;
    showTrouble('');
    settleLink();
  } catch (error) {
    if (changed) return;
    showTrouble(error.message);
    if (!shown || state.linked) return;
  }
  const [reward] = withRole('reward');
  if (!shown.states?.[reward]?.includes(state.worth)) state.worth = '';
  const question = { text: shownText, ...options() };
  const [drawing, verdict] = await Promise.all([
    isTooLarge() ? null : engine.askText({ command: 'graph show', ...question, format: 'svg' }).catch((error) => error),
    isQuestion() ? engine.ask({ command: 'graph check', ...question }).catch((error) => error) : null,
  ]);
  if (changed) return;
  showDrawing(drawing);
  showVerdict(verdict);
  showSets(verdict);
  showCriteria(verdict);
  showRoles();
  showCommands();
  showExample();
  await writeLink();
}

// --- What was said ----------------------------------------------------------------------------------

function element(tag, text = '', attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
function say(id, text) {
  part(id).textContent = text;
  part(id).hidden = !text;
}

// Complaints of readers begin with the place: "line 3, column 4: got …".
function showTrouble(message) {
  const [, line, column, rest] = /^line (\d+), column (\d+): (.*)$/s.exec(message) ?? [];
  part('trouble').hidden = !message;
  part('kept').hidden = shown === null;
  if (message && !shown) part('answer-title').textContent = 'There is nothing to say yet.';
  part('trouble-words').textContent = message;
  part('text').setAttribute('aria-invalid', String(message !== ''));
  document.body.classList.toggle('stale', message !== '' && shown !== null);
  part('go').hidden = !rest;
  part('go').textContent = `Go to line ${line}`;
  part('go').onclick = () => {
    const before = state.text.split('\n').slice(0, line - 1).join('\n');
    const at = before.length + (line > 1 ? 1 : 0) + (column - 1);
    part('text').focus();
    part('text').setSelectionRange(at, at);
  };
  showLines(Number(line));
}

function showLines(marked) {
  const numbers = state.text.split('\n').map((_, i) => i + 1);
  part('lines').replaceChildren(...numbers.map((number) =>
    (number === marked ? element('b', String(number)) : document.createTextNode(`${number}\n`))));
  part('lines').scrollTop = part('text').scrollTop;
}

function showVerdict(verdict) {
  const box = part('answer');
  part('words').className = verdict ? 'said' : '';
  box.className = verdict?.benign === true ? 'yes' : verdict?.benign === false ? 'no' : '';
  say('tables-words', '');
  part('warnings').hidden = true;
  if (!verdict || verdict instanceof Error) {
    const actions = withRole('action').length;
    const rewards = withRole('reward').length;
    const missing = [!actions && 'an action', rewards === 0 && 'a reward', rewards > 1 && 'one reward alone'].filter(Boolean);
    part('answer-title').textContent = verdict ? 'There is no answer to that.' : `Mark ${missing.join(' and ')}.`;
    part('words').textContent = verdict?.message ?? 'Click nodes in the drawing, or choose their roles in the list.';
    return;
  }
  const none = withRole('context').length === 0;
  part('answer-title').textContent = verdict.benign
    ? (none ? 'Nothing needs to be observed.' : 'Yes, it carries the whole effect.')
    : (none ? 'Nothing is observed yet.' : 'No, it does not.');
  part('words').textContent = verdict.words;
  if ('benign_by_tables' in verdict) say('tables-words', verdict.tables_words ?? 'The numbers of its tables say the same.');
  part('warnings').replaceChildren(...verdict.warnings.map((warning) => element('li', warning)));
  part('warnings').hidden = verdict.warnings.length === 0;
}

function showCriteria(verdict) {
  part('criteria').hidden = !verdict?.criteria;
  if (!verdict?.criteria) return;
  const names = { graph: 'As drawn', surgery: 'After acting, which cuts what causes the action', front_door: 'Front door' };
  part('criteria-list').replaceChildren(...Object.entries(names).flatMap(([key, name]) => {
    const holds = verdict.criteria[key];
    const word = holds === null ? 'says nothing' : holds ? 'yes' : 'no';
    return [element('dt', `${name}: ${word}`), element('dd', verdict.criteria_words[key], { class: 'said' })];
  }));
}

// --- What would do ----------------------------------------------------------------------------------

const mostSuggested = 5; // that `graph check` names

function showSets(verdict) {
  part('instead').hidden = !verdict?.suggestions;
  if (!verdict?.suggestions) return;
  const sets = verdict.suggestions.filter((set) => set.length > 0);
  part('instead-words').className = sets.length > 0 ? 'soft' : 'said';
  part('instead-words').textContent = sets.length === 0 ? verdict.suggestions_words
    : sets.length === 1 ? 'Observed after acting, this carries the whole effect, and nothing can be left out of it.'
      : `Observed after acting, each of these carries the whole effect, and nothing can be left out of it (${verdict.suggestions_words}).`;
  listSets(sets);
  part('all-sets').hidden = verdict.suggestions.length < mostSuggested;
}

function listSets(sets) {
  const current = new Set(withRole('context'));
  part('sets').replaceChildren(...sets.map((set) => {
    const taken = set.length === current.size && set.every((node) => current.has(node));
    const button = element('button', set.join(', '), { type: 'button', 'aria-pressed': taken });
    const values = set.reduce((product, node) => product * (shown.states?.[node]?.length ?? NaN), 1);
    if (values) button.append(' ', element('small', `${values} joint value${values === 1 ? '' : 's'}`));
    button.onclick = () => takeContexts(set);
    const item = element('li');
    item.append(button);
    return item;
  }));
}

async function showAllSets() {
  const { context, ...asked } = options();
  const question = JSON.stringify([shownText, asked]);
  const found = await engine.ask({ command: 'graph separators', text: shownText, ...asked }).catch((error) => error);
  const { context: now, ...current } = options();
  if (JSON.stringify([shownText, current]) !== question || found.name === 'AbortError') return; // about something else by now
  if (found instanceof Error) {
    part('instead-words').textContent = found.message;
    return;
  }
  listSets(found.separators);
  part('all-sets').hidden = true;
}

// --- The drawing ------------------------------------------------------------------------------------

const mostDrawn = 2000; // nodes; a browser takes seconds for many more, and nobody could read them
const isTooLarge = () => shown.nodes.length > mostDrawn;

// The engine's picture, its boxes made into buttons. They stand in it in the order of nodes.
function showDrawing(picture) {
  const focused = document.activeElement?.closest?.('#drawing [data-node]')?.dataset.node;
  const menu = part('menu');
  const chosen = [...menu.children].indexOf(document.activeElement); // by whoever has opened another node's menu meanwhile
  closeMenu();
  if (isTooLarge() || picture instanceof Error) {
    const words = isTooLarge() ? `${shown.nodes.length.toLocaleString('en-US')} nodes: more than ${mostDrawn.toLocaleString('en-US')} are neither drawn nor listed here. ` +
      'Say their roles in the text ([exposure], [outcome]) or ask the command.' : picture.message;
    part('drawing').replaceChildren(element('p', words));
    part('path-words').hidden = true;
    return;
  }
  const svg = document.importNode(new DOMParser().parseFromString(picture, 'image/svg+xml').documentElement, true);
  svg.setAttribute('role', 'group'); // of buttons: an image would hide them
  svg.style.width = `${1.25 * svg.getAttribute('width')}px`;
  svg.style.minWidth = `${0.75 * svg.getAttribute('width')}px`; // names must stay readable: below that it scrolls
  const boxes = [...svg.children].filter((child) => child.localName === 'g' && !child.classList.contains('legend'));
  shown.nodes.forEach((node, i) => {
    const role = roleOf(node);
    boxes[i].dataset.node = node;
    boxes[i].setAttribute('role', 'button');
    boxes[i].setAttribute('tabindex', '0');
    boxes[i].setAttribute('aria-haspopup', 'menu');
    boxes[i].setAttribute('aria-label', `${node}: ${roleWords[role]}`);
    boxes[i].onclick = () => openMenu(node);
  });
  part('path-words').hidden = !svg.querySelector('path.open');
  if (!isQuestion()) undoDefaults(svg, boxes);
  part('drawing').replaceChildren(svg);
  if (focused !== undefined) boxOf(focused)?.focus();
  if (chosen >= 0 && boxOf(menu.dataset.node)) {
    openMenu(menu.dataset.node);
    menu.children[chosen].focus();
  }
}
const boxOf = (node) => part('drawing').querySelector(`[data-node="${CSS.escape(node)}"]`);

// Where no action or reward is left, the command takes the text's, and draws them; here they have been taken away.
function undoDefaults(svg, boxes) {
  shown.nodes.forEach((node, i) => boxes[i].setAttribute('class', roleOf(node) === 'none' ? 'plain' : roleOf(node)));
  for (const path of svg.querySelectorAll('path.open')) {
    path.classList.remove('open');
    for (const end of ['marker-start', 'marker-end']) if (path.hasAttribute(end)) path.setAttribute(end, 'url(#arrow)');
  }
  for (const role of ['action', 'reward']) if (withRole(role).length === 0) svg.querySelector(`.legend.${role}`)?.remove();
  part('path-words').hidden = true;
}

// --- The menu of a node -----------------------------------------------------------------------------

function openMenu(node) {
  const menu = part('menu');
  const fixed = shown.latent.includes(node);
  menu.dataset.node = node;
  menu.setAttribute('aria-label', `Role of ${node}`);
  menu.replaceChildren(...Object.keys(roleWords).map((role) => {
    const item = element('button', roleWords[role], { type: 'button', role: 'menuitemradio', 'aria-checked': roleOf(node) === role });
    item.disabled = fixed && ['none', 'context'].includes(role);
    item.onclick = () => {
      closeMenu();
      boxOf(node).focus();
      setRole(node, role);
    };
    return item;
  }));
  menu.hidden = false;
  const box = boxOf(node).getBoundingClientRect();
  const canvas = part('canvas').getBoundingClientRect();
  const left = Math.min(box.left - canvas.left, canvas.width - menu.offsetWidth - 4);
  menu.style.left = `${Math.max(4, left)}px`;
  menu.style.top = `${box.bottom - canvas.top + 4}px`;
  menu.querySelector('[aria-checked="true"]').focus();
}

function closeMenu() {
  part('menu').hidden = true;
}

function menuKey(event) {
  const items = [...part('menu').querySelectorAll('button:enabled')];
  const at = items.indexOf(document.activeElement);
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (move) items[(at + move + items.length) % items.length].focus();
  else if (event.key === 'Home') items[0].focus();
  else if (event.key === 'End') items.at(-1).focus();
  else if (event.key === 'Escape' || event.key === 'Tab') {
    closeMenu();
    boxOf(part('menu').dataset.node).focus();
  } else return;
  event.preventDefault();
}

function drawingKey(event) {
  const box = event.target.closest('[data-node]');
  if (!box || !['Enter', ' ', 'ArrowDown'].includes(event.key)) return;
  event.preventDefault();
  openMenu(box.dataset.node);
}

// --- The list of roles ------------------------------------------------------------------------------

function showRoles() {
  const list = part('role-list');
  const same = [...list.querySelectorAll('select')].map((select) => select.dataset.node);
  const nodes = isTooLarge() ? [] : shown.nodes;
  if (same.length !== nodes.length || same.some((node, i) => node !== nodes[i])) {
    list.replaceChildren(...nodes.map((node, i) => {
      const line = element('p');
      const select = element('select', '', { id: `role-${i}`, 'data-node': node });
      for (const [role, word] of Object.entries(roleWords)) select.append(element('option', word, { value: role }));
      select.onchange = () => setRole(node, select.value);
      line.append(element('label', node, { for: `role-${i}` }), select);
      return line;
    }));
  }
  for (const select of list.querySelectorAll('select')) {
    const fixed = shown.latent.includes(select.dataset.node);
    for (const option of select.options) option.disabled = fixed && ['none', 'context'].includes(option.value);
    select.value = roleOf(select.dataset.node);
  }
  const [reward] = withRole('reward');
  const states = isQuestion() ? shown.states?.[reward] ?? [] : [];
  part('worth-line').hidden = states.length === 0;
  part('worth-node').textContent = reward ?? '';
  part('worth').replaceChildren(element('option', '(not said)', { value: '' }), ...states.map((name) => element('option', name, { value: name })));
  part('worth').value = state.worth;
  part('empty').checked = state.empty;
  part('single').checked = state.single;
  part('single-line').hidden = withRole('action').length < 2 && !state.single;
}

// --- Commands ---------------------------------------------------------------------------------------

const inShell = (word) => (/^[\w.,=:@%+/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

// The diagram as a here-document: the command runs as it is pasted.
function commandLine(command, more = '') {
  const letters = { action: '-a', context: '-c', reward: '-r', latent: '-l', empty: '--empty', single: '--single' };
  const words = Object.entries(options()).map(([name, value]) => (value === true ? letters[name] : `${letters[name]} ${inShell(value)}`));
  let end = 'END';
  while (shownText.split('\n').includes(end)) end += '_';
  const lines = shownText.replace(/\n?$/, '\n');
  return `armature graph ${command} - ${words.join(' ')}${more} <<'${end}'\n${lines}${end}\n`;
}

function showCommands() {
  const [reward] = withRole('reward');
  const asked = isQuestion();
  part('command').textContent = asked ? commandLine('check') : '';
  part('command-details').hidden = !asked;
  part('copy-command').disabled = !asked;
  // An instance has rewards in [0,1]: what states are worth is said, or they are such numbers.
  const numbers = (shown.states?.[reward] ?? []).every((name) => name.trim() !== '' && Number(name) >= 0 && Number(name) <= 1);
  const plays = asked && shown.tables && (state.worth !== '' || numbers);
  part('copy-play').hidden = part('play-words').hidden = !plays;
}

const playCommands = () => `${commandLine('instance', ' -o world.json')}armature simulate -i world.json -p ucb -p c-ucb -p warden -T 1e4\n`;

async function copy(text, words) {
  part('copied').textContent = await copyText(text) ? words : 'This browser does not let the page copy.';
}

// --- Links ------------------------------------------------------------------------------------------

const base64url = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const fromBase64url = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
async function through(bytes, transform) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(transform)).arrayBuffer());
}

const longestLink = 100000; // letters; browsers and chats cut longer ones

// The whole state behind the #: an example by its name, any other text packed.
async function writeLink() {
  const example = graphExamples.find(({ text }) => text === shownText);
  const link = new URLSearchParams();
  if (example) link.set('example', example.id);
  else link.set('z', base64url(await through(new TextEncoder().encode(shownText), new CompressionStream('deflate-raw'))));
  for (const role of ['action', 'context', 'reward', 'latent'])
    for (const node of withRole(role)) if (role !== 'latent' || !shown.latent.includes(node)) link.append(role, node);
  // Without any role a link would leave them to the text.
  if (!['action', 'context', 'reward', 'latent'].some((role) => link.has(role))) link.append('action', '');
  if (state.worth) link.set('worth', state.worth);
  if (state.empty) link.set('empty', '1');
  if (state.single) link.set('single', '1');
  const tooLong = String(link).length > longestLink;
  part('copy-link').disabled = tooLong;
  part('copy-link').title = tooLong ? 'This diagram is too large for a link.' : '';
  if (!changed) history.replaceState(null, '', tooLong ? location.pathname + location.search : `#${link}`);
}

// `text` is the diagram as it is, for links written by hand; without roles the text's own count.
async function readLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  say('notice', '');
  const example = graphExamples.find(({ id }) => id === link.get('example'));
  let text = link.get('text') ?? example?.text;
  if (link.has('z')) {
    try {
      text = new TextDecoder().decode(await through(fromBase64url(link.get('z')), new DecompressionStream('deflate-raw')));
    } catch {
      say('notice', 'The link is damaged: its diagram cannot be read.');
    }
  }
  if (text === undefined) return false;
  const roles = Object.fromEntries(['action', 'context', 'reward', 'latent'].map((role) => [role, link.getAll(role)]));
  setState(text, {
    linked: Object.values(roles).some((nodes) => nodes.length > 0) ? roles : null,
    worth: link.get('worth') ?? '', empty: link.has('empty'), single: link.has('single'),
  });
  return true;
}

function setState(text, others) {
  Object.assign(state, { text, marks: new Map(), linked: null, worth: '', empty: false, single: false }, others);
  part('text').value = text;
  showLines();
  update();
}

// --- Examples ---------------------------------------------------------------------------------------

function takeExample({ text, action, context, reward, worth = '' }) {
  const marks = new Map(context.map((node) => [node, 'context']));
  for (const node of action ?? []) marks.set(node, 'action');
  if (reward) marks.set(reward, 'reward');
  setState(text, { marks, worth });
}

function showExample() {
  const example = graphExamples.find(({ text }) => text === shownText);
  for (const button of part('examples').children) button.setAttribute('aria-pressed', String(button.dataset.example === example?.id));
  part('example-words').textContent = example?.words ?? '';
}

// --- The start --------------------------------------------------------------------------------------

function listen() {
  part('examples').replaceChildren(...graphExamples.map((example) => {
    const button = element('button', example.title, { type: 'button', 'data-example': example.id, 'aria-pressed': 'false' });
    button.onclick = () => {
      history.pushState(null, '', location.href); // Back leads to what stood there
      say('notice', '');
      takeExample(example);
    };
    return button;
  }));
  part('text').addEventListener('input', () => {
    state.text = part('text').value;
    say('notice', '');
    showLines();
    update();
  });
  part('text').addEventListener('scroll', () => (part('lines').scrollTop = part('text').scrollTop));
  part('roles').addEventListener('submit', (event) => event.preventDefault());
  for (const name of ['empty', 'single'])
    part(name).onchange = () => {
      state[name] = part(name).checked;
      update();
    };
  part('worth').onchange = () => {
    state.worth = part('worth').value;
    update();
  };
  part('all-sets').onclick = showAllSets;
  part('copy-link').onclick = () => copy(location.href, 'The link is copied.');
  part('copy-command').onclick = () => copy(commandLine('check'), 'The command is copied.');
  part('copy-play').onclick = () => copy(playCommands(), 'The commands are copied.');
  part('menu').addEventListener('keydown', menuKey);
  part('drawing').addEventListener('keydown', drawingKey);
  document.addEventListener('pointerdown', (event) => {
    if (!event.target.closest('#menu, [data-node]')) closeMenu();
  });
  window.addEventListener('popstate', readLink);
}

async function start() {
  listen();
  try {
    await ArmatureEngine.ready;
    engine = new ArmatureEngine();
  } catch (error) {
    part('answer-title').textContent = 'The engine did not start.';
    part('words').textContent = String(error?.message ?? error);
    return;
  }
  if (state.text !== '') update(); // somebody was quicker
  else if (!(await readLink())) takeExample(graphExamples.find(({ id }) => id === 'asia'));
}

start();
