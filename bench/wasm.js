// Rounds a second of the engine for browsers (in node, whose V8 is Chromium's) beside the command with one thread:
// node wasm.js ARMATURE ENGINE.js ENGINE.wasm. Both in turn, several times, and the median of each: what else the machine
// does hits both. Native times are computing seconds, as the command tells them; the module has a clock on the wall only,
// so that processor time is asked of node.
'use strict';

const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');

const [armature, glue, wasm] = process.argv.slice(2);
const repeats = Number(process.env.REPEATS ?? 5);
const world = 'bilodeau-confounded';
// Natively small problems are played in vector lanes, which WebAssembly does not have; a replication by itself is stepped.
const cases = [
  ...['ucb', 'c-ucb', 'sentry', 'db', 'ts'].map((policy) => ({ policy, replications: 20, instance: world, horizon: 1e5 })),
  ...['ucb', 'c-ucb', 'sentry'].map((policy) => ({ policy, replications: 1, instance: world, horizon: 2e6, engine: 'step' })),
  { policy: 'ucb', replications: 2, instance: 'pareto-benign:gap=0.1', horizon: 1e12 },
  { policy: 'sentry', replications: 2, instance: 'pareto-benign:gap=0.1', horizon: 1e12 },
];

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

function native({ policy, replications, instance, horizon, engine = 'auto' }) {
  const out = execFileSync(armature, ['simulate', '--threads', '1', '--yes', '--quiet', '--format', 'json', '--instance', instance,
    '--policy', policy, '--replications', `${replications}`, '--horizon', `${horizon}`, '--engine', engine], { encoding: 'utf8' });
  return JSON.parse(out).results[0].seconds;
}

function inModule(module, { policy, replications, instance, horizon, engine = 'auto' }) {
  const request = JSON.stringify({ command: 'simulate', policy, instance, engine, replications: `${replications}`,
    horizon: `${horizon}`, yes: true });
  const place = module._malloc(request.length + 1);
  module.stringToUTF8(request, place, request.length + 1);
  const before = process.cpuUsage().user;
  const answer = JSON.parse(module.UTF8ToString(module._answer_request(place)));
  const seconds = (process.cpuUsage().user - before) / 1e6;
  module._free(place);
  if (answer.error) throw new Error(answer.error);
  return seconds;
}

(async () => {
  const bytes = fs.readFileSync(wasm);
  const module = await require(path.resolve(glue))({ wasmBinary: bytes, progress: () => {} });
  console.log(`module: ${(bytes.length / 1e6).toFixed(2)} MB, ${Math.round(zlib.gzipSync(bytes, { level: 9 }).length / 1000)} kB gzipped`);
  console.log('policy        replications × horizon     native   WebAssembly   ratio');
  for (const one of cases) {
    inModule(module, one); // once before: V8 compiles anew what runs often
    const times = Array.from({ length: repeats }, () => ({ command: native(one), module: inModule(module, one) }));
    const seconds = { command: median(times.map((t) => t.command)), module: median(times.map((t) => t.module)) };
    const rounds = one.replications * one.horizon;
    const shown = (time) => one.horizon > 1e9 ? `${time.toFixed(2)} s` : `${(rounds / time / 1e6).toFixed(1)} M/s`;
    console.log(`${one.policy.padEnd(12)}  ${`${one.replications} × ${one.horizon.toExponential(0)}`.padEnd(22)} ${shown(seconds.command).padStart(10)} `
      + `${shown(seconds.module).padStart(13)} ${(seconds.command / seconds.module).toFixed(2).padStart(7)}`);
  }
})();
