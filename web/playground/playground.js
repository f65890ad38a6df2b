// The page: one state, two worlds and the plane, each computed by an engine of its own in a worker. Whatever changes,
// changes the state; the state is the link, the controls and what is asked.
'use strict';

(function () {
  const { h, s } = Chart;
  const find = (id) => document.getElementById(id);
  const sides = ['truth', 'lie'];
  const patience = 150; // milliseconds in which further changes come, as from a slider that is being moved

  let { state, problems } = State.read(location.hash);
  let looks = () => undefined;
  let tour;
  const engines = {}; // truth, lie and plane
  const answers = {}; // of the worlds, as far as they have come
  const looking = { truth: {}, lie: {} };
  let run = 0; // the number of the last start: what comes from earlier ones is late
  let timer;
  let working = false;

  function complain(sentences) {
    find('trouble').textContent = sentences.join(' ');
    find('trouble').hidden = sentences.length === 0;
  }

  // --- Worlds ---------------------------------------------------------------------------------------

  // Mail, click and sale, with an arrow past the click where something passes it by.
  function graph(honest) {
    const node = (x, words) => [s('circle', { cx: x, cy: 30, r: 5 }), s('text', { x, y: 50, 'text-anchor': 'middle' }, words)];
    return s('svg', { class: 'graph', viewBox: '0 0 170 56', role: 'img', 'aria-label': honest ? 'The mail acts on the sale through the click alone.' : 'The mail also acts on the sale past the click.' },
      s('path', { class: 'edge', d: 'M26,30H75M71,26L76,30L71,34' }),
      s('path', { class: 'edge', d: 'M96,30H145M141,26L146,30L141,34' }),
      honest ? undefined : s('path', { class: 'edge past', d: 'M24,24C60,-6 112,-6 145,22M138,21L146,23L144,15' }),
      node(18, 'mail'), node(85, 'click'), node(153, 'sale'));
  }

  function makeWorld(side) {
    const honest = side === 'truth';
    const menu = h('select', { id: `${side}-world`, 'aria-label': honest ? 'World that tells the truth' : 'World that lies' },
      Worlds.all.filter((world) => world.honest === honest).map((world) => h('option', { value: world.family }, world.title)));
    menu.addEventListener('change', () => change({ [side]: menu.value }));
    const chart = s('svg', { class: 'chart', id: `${side}-chart`, role: 'img', tabindex: 0, 'aria-describedby': `${side}-readout` });
    find(side).replaceChildren(
      h('div', { class: 'world-head' }, h('div', {}, h('p', { class: `kind ${honest ? 'honest' : 'lying'}` }, honest ? 'Trust is right here' : 'Trust is wrong here'), menu), graph(honest)),
      h('p', { class: 'world-text', id: `${side}-text` }),
      h('figure', {}, chart),
      h('p', { class: 'readout', id: `${side}-readout`, 'aria-live': 'polite' }));
    Chart.lookAround(chart, looking[side], drawWorlds);
  }

  function drawWorlds() {
    const there = sides.filter((side) => answers[side]?.results.length > 0);
    for (const side of sides) {
      const world = Worlds.byFamily(state[side]);
      const chart = find(`${side}-chart`);
      find(`${side}-world`).value = state[side];
      find(`${side}-text`).textContent = world.text;
      find(side).classList.toggle('too-far', Worlds.tooFar(world, state));
      if (!there.includes(side)) {
        find(`${side}-readout`).textContent = Worlds.tooFar(world, state)
          ? `Not beyond ${Words.rounds(world.longest)} rounds: half of the mails here are equally good, the choice between them changes for ever, and there is nothing to leap over.` : '';
        continue;
      }
      const answer = answers[side];
      find(`${side}-readout`).textContent = Chart.curves(chart, {
        answer, axes: state.axes, horizon: Number(state.horizon), bounds: Chart.range(there.map((other) => answers[other])), looks, look: looking[side],
      }) || 'Point at the chart, or read it with the arrow keys.';
      chart.setAttribute('aria-label', `Regret over ${Words.rounds(Number(state.horizon))} rounds where ${world.where}; at the end: ${answer.results
        .map((result) => `${Worlds.policyName(result.policy)} ${Words.amount(result.mean_regret)}`).join(', ')}. Arrow keys read it round by round.`);
    }
  }

  // --- Words, table, commands -----------------------------------------------------------------------

  const lost = (side, policy) => answers[side]?.results.find((result) => Worlds.policyName(result.policy) === policy)?.mean_regret ?? NaN;

  function drawWords() {
    const there = sides.filter((side) => answers[side]?.results.length > 0);
    if (there.length > 0) find('happened').textContent = Words.happened(there.map((side) => ({ answer: answers[side], where: Worlds.byFamily(state[side]).where })));
    tour?.words();
  }

  const cell = (result, least) => result ? [
    h('td', {}, h('data', { value: result.mean_regret }, Words.amount(result.mean_regret)), ` ± ${Words.amount(result.standard_error ?? NaN)}`),
    h('td', { class: 'spare' }, Words.times(result.mean_regret / Math.max(1, least)).replace(' times', '×')),
    h('td', { class: 'spare' }, Words.amount(result.q95)),
  ] : [h('td', {}, '…'), h('td', { class: 'spare' }), h('td', { class: 'spare' })];

  function drawTable() {
    const rows = Worlds.playing(state).map((name) => {
      const found = sides.map((side) => answers[side]?.results.find((result) => Worlds.policyName(result.policy) === name));
      return h('tr', { 'data-policy': name }, h('th', { scope: 'row' }, Chart.sample(looks(name)), Worlds.policyText(name, state)),
        sides.map((side, i) => cell(found[i], Math.min(...(answers[side]?.results ?? []).map((result) => result.mean_regret)))));
    });
    find('numbers').replaceChildren(
      h('caption', {}, `Regret after ${Words.rounds(Number(state.horizon))} rounds`),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Policy'), sides.map((side) => [
        h('th', { scope: 'col' }, h('b', {}, Worlds.byFamily(state[side]).title), ' mean ± error'),
        h('th', { scope: 'col', class: 'spare' }, 'of the best'),
        h('th', { scope: 'col', class: 'spare' }, '95% quantile'),
      ]))),
      h('tbody', {}, rows));
  }

  function drawCommands() {
    for (const side of sides)
      find(`${side}-command`).textContent = State.command(Worlds.request(Worlds.byFamily(state[side]), state));
  }

  // --- The plane ------------------------------------------------------------------------------------

  function drawPlane() {
    const placed = Plane.draw(find('plane'), state, looks);
    const horizon = Worlds.planeHorizon(state);
    const worlds = Worlds.planeWorlds(state).length;
    const product = state.actions * horizon;
    const dialled = placed.filter(({ name }) => Worlds.hasDial(name))[0];
    find('plane-text').textContent = dialled
      ? `With this much doubt ${dialled.name} loses at worst ${Words.amount(dialled.here.benign.regret)} where the context tells everything and ${Words.amount(dialled.here.any.regret)} anywhere: a product of ${Words.amount((dialled.here.benign.regret * dialled.here.any.regret) / product)} times |A|·T. The dial trades one for the other; no dial makes both small.`
      : 'The paper’s theorem: the product R₁·R₂ of both is at least |A|·T, up to constants. No policy is near the lower left corner.';
    find('plane-exactly').textContent =
      `Exactly: T = ${Words.rounds(horizon)} rounds, ${state.actions} actions, ${Worlds.planeReplications} replications each of ${worlds} worlds: pareto-benign and bilodeau-benign (the context tells everything), ` +
      'pareto-confounded and hidden-arm (it does not), at gaps of ½ to 8 times √(|A|/T), as far as each family goes. A policy’s place is its largest mean regret over the benign ones, and over all. ' +
      'Worse worlds than these there may be. The lines show rates: how far below |A|·T a clever policy may get by a better constant is open between 1 and what is proved, about 1/700, for horizons much longer than this one.';
  }

  // Asks for whatever places the policies of `asked` miss, world by world; true if nothing came in between.
  async function fillPlane(asked, mine) {
    const worlds = Worlds.planeWorlds(asked);
    const policies = Worlds.playing(asked).map((name) => Worlds.policyText(name, asked, Worlds.planeHorizon(asked)));
    for (const [i, world] of worlds.entries()) {
      const missing = Plane.missing(asked, world, policies);
      if (missing.length === 0) continue;
      find('plane-status').textContent = `Computing: world ${i + 1} of ${worlds.length}`;
      const answer = await engines.plane.ask(Worlds.planeRequest(world, missing, asked));
      if (mine !== run) return false;
      Plane.note(asked, world, answer);
    }
    find('plane-status').textContent = '';
    drawPlane();
    return true;
  }

  // --- Running --------------------------------------------------------------------------------------

  const running = () => sides.filter((side) => !Worlds.tooFar(Worlds.byFamily(state[side]), state));
  const inWorlds = () => `${Words.plural(state.replications, 'replication')} in ${running().length === 1 ? 'one world' : 'each world'}`;

  // How many replications are finished of every policy in every world that runs.
  function progress() {
    const finished = running().map((side) => {
      const results = answers[side]?.results ?? [];
      return results.length < Worlds.playing(state).length ? 0 : Math.min(...results.map((result) => result.replications));
    });
    find('progress').value = finished.reduce((sum, one) => sum + one, 0) / (state.replications * Math.max(1, finished.length));
    return finished.length === 0 ? 0 : Math.min(...finished);
  }
  function draw() {
    drawWorlds();
    drawWords();
    drawTable();
    progress();
  }

  async function simulate(side, mine) {
    const world = Worlds.byFamily(state[side]);
    const take = (answer) => {
      if (mine !== run) return;
      answers[side] = { ...answer, results: answer.results.filter((result) => result.replications > 0) };
      document.documentElement.dataset.drawn = '';
      find('results').classList.remove('stale');
      draw();
    };
    take(await engines[side].ask(Worlds.request(world, state), take));
  }

  // At work, finished (`done` on the root, for who waits) or neither: stopped, or nothing to do.
  function mode(name) {
    working = name === 'working';
    find('run').textContent = { working: 'Stop', done: 'Run again', stopped: 'Run' }[name];
    document.documentElement.toggleAttribute('data-done', name === 'done');
  }
  function halt() {
    clearTimeout(timer);
    run += 1;
    for (const engine of Object.values(engines)) if (engine.busy) engine.cancel();
  }

  // What is drawn stays, faded, until there is something new to see.
  async function start() {
    halt();
    const mine = run;
    for (const side of sides) delete answers[side];
    find('results').classList.add('stale');
    if (Worlds.playing(state).length === 0) {
      find('status').textContent = 'Choose a policy.';
      return mode('stopped');
    }
    mode('working');
    find('status').textContent = `Running ${inWorlds()}`;
    await attempt(mine, async () => {
      await Promise.all(running().map((side) => simulate(side, mine)));
      if (mine !== run) return;
      find('status').textContent = `Done: ${inWorlds()}.`;
      await plot(mine);
    });
  }
  async function plot(mine) {
    if (!(await fillPlane(state, mine))) return;
    if (wanted.trace)
      for (const doubt of State.steps.doubt.filter((_, i) => i % 2 === 0)) if (!(await fillPlane({ ...state, doubt }, mine))) return;
    wanted.trace = false;
    mode('done');
  }
  async function attempt(mine, work) {
    try {
      await work();
    } catch (error) {
      if (mine !== run) return;
      find('status').textContent = 'Stopped by an error.';
      mode('stopped');
      complain([`${Words.capital(error.message)}.`]);
    }
  }
  const wanted = { trace: false }; // the dial's whole trail, once the curves are there
  function trace() {
    wanted.trace = true;
    if (!document.documentElement.hasAttribute('data-done')) return; // it comes to that
    halt();
    mode('working');
    const mine = run;
    attempt(mine, () => plot(mine));
  }

  function stop() {
    halt();
    mode('stopped');
    find('status').textContent = `Stopped after ${Words.plural(progress(), 'replication')}.`;
    find('plane-status').textContent = '';
  }

  // --- Changes --------------------------------------------------------------------------------------

  function change(changes) {
    const before = State.write(state);
    Object.assign(state, changes);
    complain([]);
    wanted.trace = false;
    show();
    if (State.write(state) === before) return;
    history.replaceState(null, '', `#${State.write(state)}`);
    if (Object.keys(changes).every((name) => name === 'axes')) return draw();
    halt();
    mode('working');
    find('results').classList.add('stale');
    timer = setTimeout(start, patience);
  }
  // What can be shown before anything is computed.
  function show() {
    Controls.set(state);
    drawWorlds();
    drawCommands();
    drawPlane();
  }

  async function copy(text, words) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = h('textarea', { class: 'unseen' }, text);
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    }
    find('copied').textContent = words;
  }

  function listen() {
    find('run').addEventListener('click', () => (working ? stop() : start()));
    find('trace').addEventListener('click', trace);
    find('copy-link').addEventListener('click', () => copy(`${location.href.split('#')[0]}#${State.write(state)}`, 'Link copied.'));
    for (const button of document.querySelectorAll('[data-copy]'))
      button.addEventListener('click', () => copy(find(button.dataset.copy).textContent, 'Command copied.'));
    addEventListener('hashchange', () => {
      const read = State.read(location.hash);
      const unknown = State.check(read.state, names);
      change(read.state);
      tell([...read.problems, ...unknown]);
    });
    let width = innerWidth;
    addEventListener('resize', () => {
      if (innerWidth === width) return;
      width = innerWidth;
      drawWorlds();
      drawPlane();
    });
  }
  let names = [];
  function tell(troubles) {
    if (troubles.length > 0) complain([`This link could not be read in full; defaults stand in for the rest. ${Words.capital(troubles.join('; '))}.`]);
  }

  // --- Opening --------------------------------------------------------------------------------------

  function lacking() {
    const needs = { WebAssembly: 'WebAssembly', Worker: 'Web Workers', DecompressionStream: 'DecompressionStream' };
    const missing = Object.keys(needs).filter((name) => typeof globalThis[name] === 'undefined').map((name) => needs[name]);
    if (missing.length > 0) return `This browser lacks ${Words.list(missing)}, and the engine cannot run without. Any browser of 2023 or later has it.`;
    if (typeof ArmatureEngine === 'undefined' || !globalThis.ARMATURE_ENGINE_DATA)
      return 'The engine is missing: “make playground” builds a folder in which engine.js and engine_data.js lie beside this page.';
    return '';
  }

  // An engine that knows whether it is at work, so that only work is cancelled.
  function newEngine() {
    const engine = new ArmatureEngine();
    return {
      busy: false,
      async ask(request, onProgress) {
        this.busy = true;
        const asked = engine.ask(request, onProgress);
        this.asked = asked;
        try {
          return await asked;
        } finally {
          if (this.asked === asked) this.busy = false;
        }
      },
      cancel: () => engine.cancel(),
    };
  }

  async function open() {
    if (matchMedia('(max-width: 60rem)').matches) find('settings').open = false;
    const lack = lacking();
    if (lack) return complain([lack]);
    for (const name of [...sides, 'plane']) engines[name] = newEngine();
    const [policies, table] = await Promise.all([engines.truth.ask({ command: 'policies' }), engines.lie.ask({ command: 'looks' })]);
    looks = (text) => table.find(({ policy }) => policy === Worlds.policyName(text)) ?? { colour: '#767676', dash: [], shape: 'circle' };
    names = policies.map((policy) => policy.name);
    const unknown = State.check(state, names);
    Controls.make(policies, looks, change);
    sides.forEach(makeWorld);
    tour = Tour.make({ set: change, lost, trace });
    listen();
    show();
    tell([...problems, ...unknown]);
    await start();
  }
  open().catch((error) => complain([`The engine could not be started: ${error.message}.`]));
})();
