// The plane of the paper's frontier: what a policy loses at worst where the context tells everything, against what it
// loses at worst anywhere. Places are computed from many small simulations and remembered, so that the dial leaves a trail.
'use strict';

const Plane = (function () {
  const { s, mark, logScale, spread, path } = Chart;

  // --- Places ---------------------------------------------------------------------------------------

  // regrets: setting → policy text → instance → mean regret. A setting is all that is neither policy nor world.
  const regrets = new Map();
  const setting = (state) => [Worlds.planeHorizon(state), state.actions, state.seed].join(' ');
  function known(state) {
    const key = setting(state);
    if (!regrets.has(key)) regrets.set(key, new Map());
    return regrets.get(key);
  }
  function note(state, world, answer) {
    const policies = known(state);
    for (const { policy, mean_regret } of answer.results) {
      if (!policies.has(policy)) policies.set(policy, new Map());
      policies.get(policy).set(world.instance, mean_regret);
    }
  }
  const missing = (state, world, policies) => policies.filter((policy) => !known(state).get(policy)?.has(world.instance));

  // Where a policy stands, once all worlds have been asked.
  function place(state, policy) {
    const means = known(state).get(policy);
    const worlds = Worlds.planeWorlds(state);
    if (!means || !worlds.every((world) => means.has(world.instance))) return undefined;
    const worst = (some) => some.map(({ instance }) => ({ instance, regret: means.get(instance) })).reduce((one, other) => (other.regret > one.regret ? other : one));
    return { policy, benign: worst(worlds.filter((world) => world.honest)), any: worst(worlds) };
  }
  // All places of a policy's dial that were ever asked for, along the dial.
  function trail(state, name) {
    const value = (policy) => Number(policy.split('=')[1]);
    return [...known(state).keys()].filter((policy) => Worlds.policyName(policy) === name)
      .map((policy) => place(state, policy)).filter(Boolean).sort((one, other) => value(one.policy) - value(other.policy));
  }

  // --- The drawing ----------------------------------------------------------------------------------

  const height = 400;
  const margin = { left: 56, right: 70, top: 14, bottom: 46 };

  function draw(chart, state, looks) {
    const horizon = Worlds.planeHorizon(state);
    const product = state.actions * horizon;
    const shown = Worlds.playing(state).map((name) => ({ name, look: looks(name), here: place(state, Worlds.policyText(name, state, horizon)), trail: Worlds.hasDial(name) ? trail(state, name) : [] }));
    const all = shown.flatMap(({ here, trail: places }) => [here, ...places].filter(Boolean));
    const width = Math.max(300, chart.parentElement.clientWidth);
    const right = width - margin.right;
    const bottom = height - margin.bottom;
    const root = Math.sqrt(product);
    const least = Math.min(root / 10, ...all.map(({ benign }) => Math.max(1, benign.regret))) / 1.5;
    const floor = Math.min(root, ...all.map(({ any }) => Math.max(1, any.regret))) / 2;
    const x = logScale(least, Math.max(2 * root, ...all.map(({ benign }) => 1.5 * benign.regret)), margin.left, right);
    const y = logScale(floor, horizon, bottom, margin.top);
    const xMost = Math.max(2 * root, ...all.map(({ benign }) => 1.5 * benign.regret));
    // The frontier as far as it goes: from R2 = T to R1 = R2 = √(|A|T).
    const ends = [Math.max(least, product / horizon), root];
    const frontier = ends.map((benign) => [x(benign), y(product / benign)]);
    const placed = shown.filter(({ here }) => here);
    const names = spread(placed.map(({ here }) => y(here.any.regret)), margin.top + 6, bottom - 4, 15);
    chart.setAttribute('viewBox', `0 0 ${width} ${height}`);
    chart.setAttribute('height', height);
    chart.replaceChildren(...[
      s('path', { class: 'beyond', d: `${path([[x(ends[0]), y(product / ends[0])], [x(root), y(root)], [x(root), bottom], [margin.left, bottom], [margin.left, y(product / ends[0])]])}Z` }),
      y.ticks.map(([value, words]) => [
        s('line', { class: 'grid', x1: margin.left, x2: right, y1: y(value), y2: y(value) }),
        s('text', { x: margin.left - 6, y: y(value) + 4, 'text-anchor': 'end' }, words),
      ]),
      x.ticks.filter(([value]) => value <= xMost).map(([value, words]) => [
        s('line', { class: 'grid', x1: x(value), x2: x(value), y1: margin.top, y2: bottom }),
        s('text', { x: x(value), y: bottom + 17, 'text-anchor': 'middle' }, words),
      ]),
      s('line', { class: 'axis', x1: margin.left, x2: right, y1: bottom, y2: bottom }),
      s('line', { class: 'axis', x1: margin.left, x2: margin.left, y1: margin.top, y2: bottom }),
      s('text', { class: 'title', x: (margin.left + right) / 2, y: height - 8, 'text-anchor': 'middle' }, 'worst regret where the context tells everything →'),
      s('text', { class: 'title', x: 13, y: (margin.top + bottom) / 2, 'text-anchor': 'middle', transform: `rotate(-90 13 ${(margin.top + bottom) / 2})` }, 'worst regret anywhere →'),
      s('path', { class: 'frontier', d: path(frontier) }),
      s('text', { class: 'frontier-name', x: margin.left + 10, y: bottom - 12 }, 'nobody gets here, up to constants'),
      shown.map(({ trail: places, look }) => places.length > 1 && [
        s('path', { class: 'trail', stroke: look.colour, d: path(places.map(({ benign, any }) => [x(benign.regret), y(any.regret)])) }),
        places.map(({ benign, any }) => mark(look, x(benign.regret), y(any.regret), 2.6, { class: 'step' })),
      ]),
      placed.map(({ here, look, name }, i) => [
        s('line', { class: 'leader', stroke: look.colour, x1: x(here.benign.regret) + 8, x2: x(here.benign.regret) + 13, y1: y(here.any.regret), y2: names[i] }),
        mark(look, x(here.benign.regret), y(here.any.regret), 7, { class: 'place', 'data-policy': here.policy }),
        s('text', { class: 'name', x: x(here.benign.regret) + 15, y: names[i] + 4 }, name),
      ]),
    ].flat(Infinity).filter(Boolean));
    chart.setAttribute('aria-label', placed.length === 0 ? 'The plane, still empty.' : `Worst benign regret against worst regret anywhere: ${placed
      .map(({ name, here }) => `${name} ${Words.amount(here.benign.regret)} against ${Words.amount(here.any.regret)}`).join('; ')}.`);
    return placed;
  }

  return { note, missing, place, draw };
})();
