// The page: one state, two worlds and the plane, each computed by an engine of its own in a worker. Whatever changes,
// changes the state; the state is the link, the controls and what is asked.
'use strict';

(function () {
  const { h, say } = Chart;
  const find = (id) => document.getElementById(id);
  const { sides } = Show;
  const patience = 150; // milliseconds in which further changes come, as from a slider that is being moved

  let { state, problems } = State.read(location.hash);
  let looks = () => undefined;
  let tour;
  const engines = {}; // truth, lie and plane
  const answers = {}; // of the worlds, as far as they have come
  let run = 0; // the number of the last start: what comes from earlier ones is late
  let timer;
  let working = false;
  const wanted = { trace: false }; // the dial's whole trail, once the curves are there
  let names = []; // of all policies

  function complain(sentences) {
    find('trouble').textContent = sentences.join(' ');
    find('trouble').hidden = sentences.length === 0;
  }

  // --- The plane ------------------------------------------------------------------------------------

  // Asks for whatever places the policies of `asked` miss, world by world; true if nothing came in between.
  async function fillPlane(asked, mine) {
    const worlds = Worlds.planeWorlds(asked);
    const policies = Worlds.playing(asked).map((name) => Worlds.planePolicy(name, asked));
    for (const [i, world] of worlds.entries()) {
      const missing = Plane.missing(asked, world, policies);
      if (missing.length === 0) continue;
      say('plane-status', `Computing: world ${i + 1} of ${worlds.length}`);
      const answer = await engines.plane.ask(Worlds.planeRequest(world, missing, asked));
      if (mine !== run) return false;
      Plane.note(asked, world, answer);
    }
    say('plane-status', '');
    Show.plane(state, looks);
    return true;
  }

  // --- Running --------------------------------------------------------------------------------------

  const running = () => sides.filter((side) => !Worlds.tooFar(Worlds.byFamily(state[side]), state));
  const inWorlds = () => `${Words.plural(state.replications, 'replication')} in ${running().length === 1 ? 'one world' : 'each world'}`;

  // How many replications are finished of every policy in every world that runs.
  function progress() {
    const finished = running().map((side) => {
      const results = answers[side]?.results ?? [];
      return results.length < Math.max(1, Worlds.playing(state).length) ? 0 : Math.min(...results.map((result) => result.replications));
    });
    find('progress').value = finished.reduce((sum, one) => sum + one, 0) / (state.replications * Math.max(1, finished.length));
    return finished.length === 0 ? 0 : Math.min(...finished);
  }
  function draw() {
    Show.worlds(state, answers, looks);
    Show.words(state, answers);
    Show.table(state, answers, looks, { finished: progress(), working });
    tour.words();
  }

  async function simulate(side, mine) {
    const world = Worlds.byFamily(state[side]);
    const take = (answer) => {
      if (mine !== run) return;
      answers[side] = { ...answer, results: answer.results.filter((result) => result.replications > 0) };
      Show.current();
      draw();
    };
    take(await engines[side].ask(Worlds.request(world, state), take));
  }

  // At work, finished (`done` on the root, for who waits) or neither: stopped, or nothing to do.
  function mode(name) {
    working = name === 'working';
    find('run').textContent = { working: 'Stop', done: 'Run again', stopped: 'Run' }[name];
    document.documentElement.toggleAttribute('data-done', name === 'done');
    if (name !== 'stopped') return;
    find('numbers').removeAttribute('aria-busy'); // nothing is on its way
    Show.table(state, answers, looks, { finished: progress(), working });
  }
  function halt() {
    clearTimeout(timer);
    run += 1;
    for (const engine of Object.values(engines)) if (engine.busy) engine.cancel();
  }

  // What is drawn stays, faded, until there is something new to see.
  function clear() {
    for (const side of sides) delete answers[side];
    Show.outdated();
    progress();
  }

  async function start() {
    halt();
    clear();
    const mine = run;
    if (Worlds.playing(state).length === 0) {
      say('status', Worlds.caution(state) || 'Choose a policy.');
      return mode('stopped');
    }
    mode('working');
    say('status', `Running ${inWorlds()}`);
    await attempt(mine, async () => {
      await Promise.all(running().map((side) => simulate(side, mine)));
      if (mine === run) await plot(mine);
    });
  }
  async function plot(mine) {
    say('status', `Done: ${inWorlds()}.`);
    if (!(await fillPlane(state, mine))) return;
    if (wanted.trace)
      for (const doubt of State.steps.doubt.filter((_, i) => i % 2 === 0)) if (!(await fillPlane({ ...state, doubt }, mine))) return;
    if (wanted.trace) say('status', `Done: ${inWorlds()}, and the whole dial.`);
    wanted.trace = false;
    mode('done');
  }
  async function attempt(mine, work) {
    try {
      await work();
    } catch (error) {
      if (mine !== run) return;
      halt();
      wanted.trace = false;
      say('status', 'Stopped by an error.');
      mode('stopped');
      const words = error.message.replace('--yes to run it all the same', 'fewer rounds, replications or policies');
      complain([`${Words.capital(words)}.`]);
    }
  }
  const there = () => running().every((side) => answers[side]?.complete);
  function trace() {
    wanted.trace = true;
    if (working) return; // it comes to that
    if (!there()) return start();
    halt();
    mode('working');
    const mine = run;
    attempt(mine, () => plot(mine));
  }

  function stop() {
    halt();
    writeLink();
    wanted.trace = false;
    mode('stopped');
    say('status', `Stopped after ${Words.plural(progress(), 'replication')}.`);
    say('plane-status', '');
  }

  // --- Changes --------------------------------------------------------------------------------------

  // Not at every move of a slider: browsers count how often an address changes, and refuse after some hundred times.
  const writeLink = () => history.replaceState(null, '', `#${State.write(state)}`);

  function change(changes) {
    const other = Object.keys(changes).filter((name) => String(changes[name]) !== String(state[name]));
    Object.assign(state, changes);
    complain([]);
    if (other.length === 0) return Controls.set(state); // what could not be read and stands there all the same
    if (other.every((name) => name === 'axes')) { // the same numbers
      writeLink();
      return show();
    }
    wanted.trace = false;
    halt();
    clear();
    mode('working');
    show();
    tour.words();
    timer = setTimeout(() => {
      writeLink();
      start();
    }, patience);
  }
  // What can be shown before anything is computed.
  function show() {
    Controls.set(state);
    Show.worlds(state, answers, looks);
    Show.commands(state);
    Show.plane(state, looks);
  }

  async function copy(button, text) {
    const done = await copyText(text);
    const words = button.dataset.words ??= button.textContent;
    button.textContent = done ? 'Copied' : 'Not copied';
    setTimeout(() => (button.textContent = words), 2000);
    find('copied').textContent = done ? `${words}: done.` : `${words}: this browser does not let the page copy.`;
  }

  function listen() {
    find('run').addEventListener('click', () => {
      complain([]);
      return working ? stop() : start();
    });
    find('trace').addEventListener('click', trace);
    const link = find('copy-link');
    link.addEventListener('click', () => copy(link, `${location.href.split('#')[0]}#${State.write(state)}`));
    for (const button of document.querySelectorAll('[data-copy]'))
      button.addEventListener('click', () => copy(button, find(button.dataset.copy).textContent));
    addEventListener('hashchange', () => {
      const read = State.read(location.hash);
      find('seed').blur(); // it shows what the link says, also where somebody was writing
      const unknown = State.check(read.state, names);
      change(read.state);
      tell([...read.problems, ...unknown]);
    });
    let width = innerWidth;
    addEventListener('resize', () => {
      if (innerWidth === width) return;
      width = innerWidth;
      Show.worlds(state, answers, looks);
      Show.plane(state, looks);
    });
  }
  function tell(troubles) {
    if (troubles.length > 0) complain([`This link could not be read in full; defaults stand in for the rest. ${Words.capital(troubles.join('; '))}.`]);
  }

  // Nothing is offered before it can be had, nor where it never can.
  const offer = (there) => document.querySelectorAll('main :is(button, input, select)').forEach((control) => (control.disabled = !there));
  function giveUp(sentences) {
    complain(sentences);
    offer(false);
    find('run').hidden = true; // there is nothing to stop or to run
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
    offer(false);
    if (matchMedia('(max-width: 60rem)').matches) find('settings').open = false;
    const lack = lacking();
    if (lack) return giveUp([lack]);
    for (const name of [...sides, 'plane']) engines[name] = newEngine();
    const [policies, table] = await Promise.all([engines.truth.ask({ command: 'policies' }), engines.lie.ask({ command: 'looks' })]);
    looks = (text) => table.find(({ policy }) => policy === Worlds.policyName(text)) ?? { colour: '#767676', dash: [], shape: 'circle' };
    names = policies.map((policy) => policy.name);
    const unknown = State.check(state, names);
    Controls.make(policies, looks, change);
    Show.make(change, () => Show.worlds(state, answers, looks));
    tour = Tour.make({ state: () => state, set: change, trace, lost: (side, policy) => Show.lost(answers, side, policy) });
    listen();
    offer(true);
    show();
    tell([...problems, ...unknown]);
    await start();
  }
  open().catch((error) => giveUp([
    `The engine could not be started: ${error.message.replace(/\.$/, '')}.`,
    ...(location.protocol === 'file:' ? ['Some browsers allow a page from a disk less than one from a server: “python3 -m http.server” in this page’s folder, and open what it says.'] : []),
  ]));
})();
