// What the page shows, as one plain object; as the fragment of a link; and as the command that gives the same numbers.
'use strict';

const State = (function () {
  const defaults = {
    truth: 'bilodeau-benign', lie: 'hidden-arm', policies: ['ucb', 'c-ucb', 'sentry', 'warden'], doubt: 0.1, horizon: '1e5',
    replications: 20, seed: '1', actions: 20, contexts: 5, gap: 0.1, wrong: 0.3, axes: 'log',
  };
  const steps = {
    doubt: [0.001, 0.0018, 0.0032, 0.0056, 0.01, 0.018, 0.032, 0.056, 0.1, 0.18, 0.32, 0.56, 1],
    horizon: ['1e3', '3e3', '1e4', '3e4', '1e5', '3e5', '1e6', '1e7', '1e8', '1e9', '1e10', '1e11', '1e12'],
    actions: [2, 3, 5, 10, 20, 50, 100],
    contexts: [2, 3, 4, 5, 6, 8, 10],
    gap: [0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25],
    wrong: [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
    replications: [2, 5, 10, 20, 50, 100],
  };
  const largestSeed = 2n ** 64n - 1n;

  // --- Reading --------------------------------------------------------------------------------------

  class Unreadable extends Error {}
  const expected = (what) => new Unreadable(what);

  const oneOf = (words) => (text) => {
    if (!words.includes(text)) throw expected(`one of ${words.join(', ')}`);
    return text;
  };
  const number = (least, most, whole) => (text) => {
    const value = /^[0-9.e+-]+$/i.test(text) ? Number(text) : NaN;
    if (!(value >= least && value <= most) || (whole && !Number.isInteger(value)))
      throw expected(`a ${whole ? 'whole ' : ''}number from ${least} to ${most}`);
    return value;
  };
  const families = (honest) => Worlds.all.filter((world) => world.honest === honest).map((world) => world.family);
  const readers = {
    truth: oneOf(families(true)),
    lie: oneOf(families(false)),
    // Which names there are only the engine knows: `check` comes to it later.
    policies: (text) => {
      const names = [...new Set(text.split(','))].filter((name, _, all) => name || all.length > 1); // none: nobody was chosen
      if (!names.every((name) => /^[a-z0-9-]+$/.test(name))) throw expected('names of policies, separated by commas');
      return names;
    },
    doubt: number(Worlds.leastDoubt, 1),
    horizon: (text) => {
      number(10, 1e12, true)(text);
      return text;
    },
    replications: number(2, 1000, true),
    seed: (text) => {
      if (!/^[0-9]{1,20}$/.test(text) || BigInt(text) > largestSeed) throw expected(`a whole number from 0 to ${largestSeed}`);
      return text;
    },
    actions: number(2, 1000, true),
    contexts: number(2, 50, true),
    gap: number(0.005, 0.25),
    wrong: number(0.01, 1), // at 0 nothing passes the click by, and the world would be in the wrong place
    axes: oneOf(['log', 'linear']),
  };

  // Everything that can be read is; of everything else `problems` says what was expected, and the default stands.
  function read(fragment) {
    const state = structuredClone(defaults);
    const problems = [];
    for (const part of fragment.replace(/^#/, '').split('&').filter(Boolean)) {
      const [name, ...rest] = part.split('=');
      if (!Object.hasOwn(readers, name)) {
        problems.push(`“${name}” is not a setting of this page`);
        continue;
      }
      let text = rest.join('=');
      try {
        text = decodeURIComponent(text);
        state[name] = readers[name](text);
      } catch (error) {
        if (!(error instanceof Unreadable || error instanceof URIError)) throw error;
        problems.push(`${name}: got “${text}”, expected ${error instanceof Unreadable ? error.message : 'text as links have it'}`);
      }
    }
    return { state, problems };
  }

  // The policies that there are; the defaults if none of a link's is one.
  function check(state, names) {
    const unknown = state.policies.filter((name) => !names.includes(name));
    state.policies = state.policies.filter((name) => names.includes(name));
    if (state.policies.length === 0 && unknown.length > 0) state.policies = [...defaults.policies];
    return unknown.map((name) => `policies: there is no “${name}”`);
  }

  // --- Writing --------------------------------------------------------------------------------------

  const write = (state) => Object.keys(defaults).map((name) => `${name}=${String(state[name])}`).join('&');

  const quoted = (word) => (/^[A-Za-z0-9_.,:=+/-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
  function command({ command: name, ...options }) {
    const words = ['armature', name];
    for (const [option, value] of Object.entries(options))
      for (const one of [value].flat()) words.push(`--${option}`, ...(one === true ? [] : [quoted(one)]));
    return words.join(' ');
  }

  return { defaults, steps, read, check, write, command };
})();
