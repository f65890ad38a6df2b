// The engine for browsers beside the command: node engine_test.js ARMATURE ENGINE.js ENGINE.wasm.
// Every request is put to both, and what both say must be the same bytes, complaints included. Only the seconds a run took
// are its own.
'use strict';

const assert = require('assert');
const { execFile, execFileSync, spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const zlib = require('zlib');

const [armature, glue, wasm] = process.argv.slice(2);
const atOnce = 2; // commands at work beside the engine

// --- Two ways to ask ------------------------------------------------------------------------------

let progress = () => {};
let engine = null;

async function begin() {
  engine = await require(path.resolve(glue))({
    wasmBinary: fs.readFileSync(wasm), progress: (text) => progress(text), print: () => {}, printErr: () => {},
  });
}

function askText(text) {
  const size = engine.lengthBytesUTF8(text) + 1;
  const place = engine._malloc(size);
  engine.stringToUTF8(text, place, size);
  const answer = engine.UTF8ToString(engine._answer_request(place));
  engine._free(place);
  return answer;
}
const ask = (request) => askText(JSON.stringify(request));

// The command line of a request: what the playground shows to be copied.
function commandLine({ command, name, ...options }) {
  const words = command.split(' ');
  if (name) words.push(name);
  for (const [key, value] of Object.entries(options))
    for (const one of [value].flat())
      if (one === true) words.push(`--${key}`);
      else if (one !== false) words.push(`--${key}`, one);
  return words;
}

// With `json` where the command would otherwise print a table. An error is what stands first on standard error.
function askCommand(request) {
  const words = [...commandLine(request), ...(request.format ? [] : ['--format', 'json'])];
  return new Promise((resolve, reject) => {
    execFile(armature, words, { maxBuffer: 1 << 28 }, (failure, out, err) => {
      if (!failure) return resolve(out);
      if (failure.code !== 2) return reject(new Error(`${words.join(' ')}: ${failure.message}`));
      resolve(JSON.stringify({ error: err.split('\n').find((line) => line.startsWith('armature: ')).slice('armature: '.length) }));
    });
  });
}

const measured = (text) => text.replace(/"seconds": [0-9.e+-]+/g, '"seconds": 0');

// Long texts are told by the place where they part.
function expectSame(request, mine, command) {
  if (mine === command) return;
  let at = 0;
  while (mine[at] === command[at]) ++at;
  const near = (text) => text.slice(Math.max(0, at - 200), at + 100);
  assert.fail(`${JSON.stringify(request)}\nby the engine: …${near(mine)}…\nby the command: …${near(command)}…`);
}

async function compareAll(requests, check = () => {}) {
  let next = 0;
  const hand = async () => {
    while (next < requests.length) {
      const request = requests[next++];
      const command = askCommand(request);
      const mine = ask(request);
      expectSame(request, measured(mine), measured(await command));
      check(request, mine);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, hand));
  return requests.length;
}

// --- What is asked --------------------------------------------------------------------------------

const catalogue = (what) => JSON.parse(execFileSync(armature, [what, '--format', 'json'])).map((entry) => entry.name);
const forms = ['sentry:schedule=free', 'sentry:schedule=spread', 'sentry:proposal=cl-ucb', 'pe:design=exact',
  'ucb:confidence=anytime', 'c-ucb:confidence=anytime-kl', 'hac-ucb:variant=paper', 'db:bias=printed', 'db:base=pe+ucb', 'oracle'];
const simulate = (instance, policy, horizon, replications, more = {}) =>
  ({ command: 'simulate', instance, policy, horizon, replications, ...more });

function goodRequests() {
  const policies = [...catalogue('policies'), ...forms];
  const families = catalogue('families').filter((name) => name !== 'graph'); // which needs a file
  const few = ['ucb', 'c-ucb', 'sentry', 'warden', 'db', 'ts', 'pe', 'cl-ucb'];
  const leaping = ['ucb', 'c-ucb', 'sentry', 'warden', 'db', 'moss'];
  const requests = [];
  // Every policy, in worlds of every kind: trusty, lying, random for each replication, with marginals told wrong.
  for (const world of ['bilodeau-benign', 'bilodeau-confounded', 'hidden-arm:actions=12', 'semi-benign', 'pe-trap:epsilon=0.1',
    'random-benign:actions=40,contexts=10'])
    requests.push(simulate(world, policies, '700', '4', { checkpoints: '7' }));
  // Every family.
  for (const family of families) requests.push(simulate(family, few, '1000', '3', { seed: '20260' }));
  // Late, in batches, lost: every policy again.
  for (const late of [{ delay: '25' }, { delay: 'geometric:mean=40', loss: '0.2' }, { batch: '50', loss: '0.05' }])
    requests.push(simulate('bilodeau-confounded', policies, '600', '3', late));
  // Leaps: as far as they go, automatic and by request.
  requests.push(simulate('pareto-benign:gap=0.1', leaping, '1e5', '2', { engine: 'leap' }));
  requests.push(simulate('pareto-benign:gap=0.1', ['ucb', 'sentry'], '1e12', '2', { yes: true }));
  requests.push(simulate('pareto-confounded:gap=0.05', leaping, '1e5', '1', { engine: 'leap' }));
  requests.push(simulate('hidden-arm:actions=5', ['moss', 'ucb', 'c-ucb'], '20000', '3', { engine: 'leap', 'leap-tolerance': '1e-6', yes: true }));
  // Options in all their spellings.
  requests.push(simulate('hidden-arm', 'ucb', '2^12', '3', { seed: '18446744073709551615', at: ['T/2,100', '7'] }));
  requests.push(simulate('hidden-arm', ['ucb:scale=1/4'], '1_000', '1', { checkpoints: '1', format: 'json', yes: false }));
  requests.push(simulate('pareto-confounded:gap=1/sqrt(T)', ['c-ucb', 'c-ucb'], '3e3', '40', { engine: 'step' }));
  for (const family of ['pareto-benign', 'hidden-arm', 'random-benign'])
    requests.push({ command: 'bounds', instance: family, horizon: '1e6', delay: '100' },
      { command: 'frontier', instance: family, horizon: '1e5', points: '9' });
  requests.push({ command: 'bounds', actions: '20', contexts: '2', horizon: '1e6', gap: '0.1', epsilon: '0.01', r2: 'sqrt(A*T)' });
  requests.push({ command: 'frontier', actions: '20', contexts: '2', horizon: '1e6', r1: '3e4', r2: '2e5' });
  requests.push({ command: 'families' }, { command: 'policies' }, { command: 'families', name: 'hidden-arm' },
    { command: 'policies', name: 'oracle' });
  return requests;
}

// What the command complains of, in its words.
function badRequests() {
  const good = simulate('hidden-arm', ['ucb'], '1000', '2');
  const wrong = [
    { instance: 'hiden-arm' }, { instance: 'hidden-arm:actions=1' }, { instance: 'hidden-arm:arms=3' }, { instance: 'nowhere.json' },
    { instance: 'hidden-arm:actions=' }, { instance: 'graph:file=nowhere.bif,action=a,reward=b' }, { instance: '§' },
    { policy: ['ucb', 'ubc'] }, { policy: ['ucb:scale=-1'] }, { policy: ['db:base=ucb'] }, { policy: ['fixed:arm=99'] },
    { horizon: '0' }, { horizon: 'many' }, { horizon: '-5' }, { horizon: '1e19' }, { horizon: '1.5' }, { horizon: 'A*3' }, { horizon: '' },
    { replications: '0' }, { replications: '1e10' }, { seed: '-1' }, { seed: '2^64' }, { checkpoints: '0' },
    { at: ['1,,2'] }, { at: ['5000'] }, { delay: 'soon' }, { batch: '0' }, { loss: '1' }, { loss: 'half' },
    { engine: 'warp' }, { engine: 'leap', policy: ['exp3'] }, { 'leap-tolerance': '2' }, { 'max-events': '0' }, { format: 'xml' },
    { horizn: '3' }, { hor: '3' }, { xyzzy: '3' },
    { horizon: '1e14', replications: '1000', engine: 'step', policy: ['exp3'] },
    { replications: '1e9' },
  ].map((change) => ({ ...good, ...change }));
  for (const missing of ['instance', 'policy', 'horizon']) {
    const { [missing]: left, ...rest } = good;
    wrong.push(rest);
  }
  return [...wrong,
    { command: 'bounds', horizon: '1e6' }, { command: 'bounds', actions: '3', contexts: '2', horizon: '1e6', gap: '2' },
    { command: 'bounds', instance: 'hidden-arm', actions: '3', horizon: '10' }, { command: 'bounds', actions: '3' },
    { command: 'frontier', actions: '20', contexts: '2', horizon: '1e6', r1: '3e4' },
    { command: 'frontier', actions: '20', contexts: '2', horizon: '1e6', points: '1' },
    { command: 'frontier', actions: '20', contexts: '2', horizon: '1e6', delay: '3' },
    { command: 'families', name: 'hiden-arm' }, { command: 'policies', name: 'ubc' }];
}

// What only a page can get wrong. The estimate of a time differs from machine to machine.
const ownComplaints = [
  ['', /^request: .*expected /],
  ['{"command": "simulate"', /^request: .*line 1/],
  ['[]', /^request: got no object, expected an object with a command$/],
  ['{}', /^request: command: got nothing, expected the name of one$/],
  ['{"command": 7}', /command: got 7, expected /],
  ['{"command": "simulat"}', /^command: got 'simulat', expected simulate, .*did you mean 'simulate'\?$/],
  ['{"command": "version", "command": "looks"}', /command/],
  ['{"command": "version", "horizon": "3"}', /^version: option: got '--horizon', expected one of --help$/],
  ['{"command": "simulate", "horizon": 1000}', /^--horizon: got 1000, expected a text, as it would be typed$/],
  ['{"command": "simulate", "horizon": ["10", "20"]}', /^--horizon: got \["10","20"\], expected a text/],
  ['{"command": "simulate", "yes": "yes"}', /^--yes: got "yes", expected true or false$/],
  ['{"command": "simulate", "policy": ["ucb", 3]}', /^--policy: got 3, expected a text/],
  ['{"command": "simulate", "policy": []}', /is required$/],
  ['{"command": "simulate", "threads": "2"}', /^--threads: got "2", expected nothing: /],
  ['{"command": "simulate", "log": "a.csv"}', /^--log: got "a.csv", expected nothing: /],
  ['{"command": "simulate", "format": "csv"}', /^--format: got "csv", expected json/],
  ['{"command": "simulate", "instance": "hidden-arm", "policy": "ucb", "horizon": "9", "engine": "cuda"}', /^engine: got cuda, /],
  ['{"command": "simulate", "instance": "hidden-arm", "policy": "ucb", "horizon": "9", "given": "g.json"}', /^--given: got 'g.json'/],
  ['{"command": "simulate", "instance": "hidden-arm", "policy": "ucb", "horizon": "9", "files": []}', /^files: /],
  ['{"command": "simulate", "instance": "random-benign:actions=50000,contexts=50000", "policy": "ucb", "horizon": "9"}', /^memory: /],
];

// --- Tests ----------------------------------------------------------------------------------------

async function answersAreTheCommands() {
  const asked = await compareAll(goodRequests(), (request, answer) =>
    assert.ok(!answer.startsWith('{"error"'), `${JSON.stringify(request)}: ${answer}`));
  assert.ok(asked >= 40, `${asked} requests`);
}

async function complaintsAreTheCommands() {
  // How long it would take is measured: only its place in the sentence is the same.
  const [long] = badRequests().filter((request) => request.horizon === '1e14');
  const time = (text) => text.replace(/got .* of one core/, 'got TIME');
  assert.strictEqual(time(ask(long)), time(await askCommand(long)));
  await compareAll(badRequests().filter((request) => request.horizon !== long.horizon), (request, answer) =>
    assert.ok(answer.startsWith('{"error":"'), `${JSON.stringify(request)}: ${answer}`));
}

// Graphs: the text of a request stands for the file of the command, which complaints name.
function graphsAreTheCommands() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'armature-engine-'));
  const file = path.join(folder, 'drawn');
  const text = 'dag {\n x -> z -> y\n h [latent]\n x <- h -> y\n}';
  const all = { action: 'x', reward: 'y' };
  const placed = 'dag { a [pos="0.1,-2"] b [pos="1e-310,.5"] a -> b }';
  const requests = [
    { command: 'graph check', ...all, context: 'z' }, { command: 'graph check', ...all, empty: true }, { command: 'graph check' },
    { command: 'graph check', action: 'q' }, { command: 'graph separators', ...all }, { command: 'graph separators' },
    { command: 'graph separators', action: 'q' }, { command: 'graph separators', ...all, contains: 'q', avoid: 'q', most: '-1' },
    { command: 'graph show', context: 'q', action: 'p' }, { command: 'graph show', text: placed }, { command: 'graph show', text: placed, format: 'svg' },
    { command: 'graph show', format: 'dot' }, { command: 'graph show', format: 'dagitty', text: 'a -> b -> a' },
  ];
  for (const request of requests.map((one) => ({ text, ...one }))) {
    fs.writeFileSync(file, request.text);
    const { text: drawn, command, ...options } = request;
    const words = [...command.split(' '), file, ...commandLine({ command: '', format: 'json', ...options }).slice(1)];
    const { status, stdout, stderr } = spawnSync(armature, words, { encoding: 'utf8' });
    const complaint = stderr.split('\n')[0].replace('armature: ', '').replace(`${file}: `, '');
    expectSame(request, ask(request), status === 2 ? JSON.stringify({ error: complaint }) : stdout);
  }
  fs.rmSync(folder, { recursive: true });
}

function ownComplaintsNameTheField() {
  for (const [request, expected] of ownComplaints) assert.match(JSON.parse(askText(request)).error ?? '', expected, request);
  assert.ok(JSON.parse(ask({ command: 'version' })).version, 'it lives on');
}

// What is told on the way is what the command says of so many replications.
async function resultsGrow() {
  const request = simulate('bilodeau-confounded', ['ucb', 'c-ucb', 'sentry'], '2e5', '32', { yes: true });
  const told = [];
  progress = (text) => told.push(JSON.parse(measured(text)));
  const whole = JSON.parse(measured(ask(request)));
  progress = () => {};
  assert.ok(told.length >= 2, `told ${told.length} times`);
  let before = [0, 0, 0];
  for (const { results, complete } of told) {
    const now = results.map((result) => result.replications);
    assert.ok(!complete && now.every((count, i) => count >= before[i]), `${before} to ${now}`);
    before = now;
  }
  const part = told[Math.floor(told.length / 2)].results.find((result) => result.replications > 1);
  const command = JSON.parse(measured(await askCommand({ ...request, replications: String(part.replications) })));
  assert.deepStrictEqual(part, command.results.find((result) => result.policy === part.policy));
  assert.ok(whole.complete);
}

// Files of the request stand for those of the disk.
function filesOfTheRequest() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'armature-engine-'));
  execFileSync(armature, ['instance', 'write', 'hidden-arm:actions=4', path.join(folder, 'world.json')]);
  const world = fs.readFileSync(path.join(folder, 'world.json'), 'utf8');
  fs.rmSync(folder, { recursive: true });
  const request = simulate('world.json', ['ucb'], '500', '2', { files: { 'world.json': world } });
  const answer = JSON.parse(ask(request));
  const named = JSON.parse(ask(simulate('hidden-arm:actions=4', ['ucb'], '500', '2')));
  assert.strictEqual(answer.instance, 'world.json');
  assert.deepStrictEqual(answer.results[0].checkpoints, named.results[0].checkpoints);
}

// What a page loads before it can show anything.
function staysSmall() {
  const { length } = zlib.gzipSync(fs.readFileSync(wasm), { level: 9 });
  assert.ok(length < 600e3, `${length} bytes, gzipped`);
}

function looksAreThoseOfReports() {
  const looks = JSON.parse(ask({ command: 'looks' }));
  assert.deepStrictEqual(looks[0], { policy: 'ucb', colour: looks[0].colour, dash: [], shape: 'circle' });
  assert.match(looks[0].colour, /^#[0-9A-F]{6}$/);
  assert.strictEqual(looks.at(-1).policy, 'oracle');
  assert.strictEqual(new Set(looks.map((look) => JSON.stringify([look.colour, look.dash, look.shape]))).size, looks.length);
}

(async () => {
  if (!fs.existsSync(wasm)) {
    console.log(`skipped: no ${wasm}; make wasm builds it, where Emscripten can be installed`);
    process.exit(77);
  }
  await begin();
  for (const test of [answersAreTheCommands, complaintsAreTheCommands, graphsAreTheCommands, ownComplaintsNameTheField, resultsGrow, filesOfTheRequest,
    looksAreThoseOfReports, staysSmall]) {
    const start = Date.now();
    await test();
    console.log(`${test.name}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
  }
})().catch((error) => {
  console.error(error.stack ?? error);
  process.exit(1);
});
