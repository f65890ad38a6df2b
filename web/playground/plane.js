// The plane of the paper's frontier: what a policy loses at worst where the context tells everything, against what it
// loses at worst anywhere. Places are computed from many small simulations and remembered, so that the dial leaves a trail.
'use strict';

const Plane = (function () {
  const { s, mark, logScale, path } = Chart;

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

  const margin = { left: 56, right: 70, top: 14, bottom: 46 };

  // Names beside their marks: to the right, or wherever else they cover neither a mark nor another name.
  function nameBoxes(marks) {
    const taken = marks.map(({ x, y }) => ({ left: x - 8, top: y - 8, width: 16, height: 16 }));
    const overlap = (one, other) =>
      Math.max(0, Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left)) *
      Math.max(0, Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top));
    return marks.map(({ name, x, y }) => {
      const width = 7.2 * name.length;
      const boxes = [[x + 12, y - 8], [x - 12 - width, y - 8], [x - width / 2, y - 26], [x - width / 2, y + 11], [x + 8, y - 24], [x + 8, y + 9]]
        .map(([left, top]) => ({ name, left, top, width, height: 15 }));
      const covered = boxes.map((box) => taken.reduce((sum, other) => sum + overlap(box, other), 0));
      const box = boxes[covered.indexOf(Math.min(...covered))];
      taken.push(box);
      return box;
    });
  }

  // Words on a line, nearer to its lower end.
  function alongside([x1, y1], [x2, y2], words, main) {
    const x = x1 + 0.66 * (x2 - x1);
    const y = y1 + 0.66 * (y2 - y1);
    const degrees = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
    return s('text', { class: main ? 'along main' : 'along', transform: `translate(${x.toFixed(1)},${y.toFixed(1)}) rotate(${degrees.toFixed(1)})`, y: -5, 'text-anchor': 'middle' }, words);
  }

  function draw(chart, state, looks) {
    const horizon = Worlds.planeHorizon(state);
    const product = state.actions * horizon;
    const shown = Worlds.playing(state).map((name) => ({ name, look: looks(name), here: place(state, Worlds.planePolicy(name, state)), trail: Worlds.hasDial(name) ? trail(state, name) : [] }));
    const all = shown.flatMap(({ here, trail: places }) => [here, ...places].filter(Boolean));
    const width = Math.max(300, chart.parentElement.clientWidth);
    const height = width < 420 ? 330 : 400;
    const right = width - margin.right;
    const bottom = height - margin.bottom;
    const root = Math.sqrt(product);
    const least = Math.min(root / 10, ...all.map(({ benign }) => Math.max(1, benign.regret))) / 1.5;
    const floor = Math.min(root, ...all.map(({ any }) => Math.max(1, any.regret))) / 2;
    const xMost = Math.max(2 * root, ...all.map(({ benign }) => 1.5 * benign.regret));
    const x = logScale(least, xMost, margin.left, right);
    const y = logScale(floor, Math.max(horizon, 4 * floor), bottom, margin.top); // of few rounds and many actions √(|A|T) is beyond T
    // Lines of one product R1·R2, each from R2 = T to R1 = R2: the frontier's, and those of a tenth and of ten times it. The
    // dial moves a policy along such a line; which one is its constant.
    const lines = [[10, '10·|A|T'], [1, 'R₁·R₂ = |A|T'], [0.1, '|A|T/10'], [0.01, '|A|T/100']].map(([factor, words]) => {
      const ends = [Math.max(least, (factor * product) / horizon), Math.min(xMost, Math.sqrt(factor * product), (factor * product) / floor)];
      return { factor, words, points: ends.map((benign) => [x(benign), y((factor * product) / benign)]), there: ends[0] < ends[1] };
    }).filter(({ there }) => there);
    const placed = shown.filter(({ here }) => here);
    const names = nameBoxes(placed.map(({ name, here }) => ({ name, x: x(here.benign.regret), y: y(here.any.regret) })));
    chart.setAttribute('viewBox', `0 0 ${width} ${height}`);
    chart.setAttribute('height', height);
    chart.replaceChildren(...[
      y.ticks.map(([value, words]) => [
        s('line', { class: 'grid', x1: margin.left, x2: right, y1: y(value), y2: y(value) }),
        s('text', { x: margin.left - 6, y: y(value) + 4, 'text-anchor': 'end' }, words),
      ]),
      x.ticks.map(([value, words]) => [
        s('line', { class: 'grid', x1: x(value), x2: x(value), y1: margin.top, y2: bottom }),
        s('text', { x: x(value), y: bottom + 17, 'text-anchor': 'middle' }, words),
      ]),
      s('line', { class: 'axis', x1: margin.left, x2: right, y1: bottom, y2: bottom }),
      s('line', { class: 'axis', x1: margin.left, x2: margin.left, y1: margin.top, y2: bottom }),
      s('text', { class: 'title', x: (margin.left + right) / 2, y: height - 8, 'text-anchor': 'middle' }, 'worst regret where the context tells everything →'),
      s('text', { class: 'title', x: 13, y: (margin.top + bottom) / 2, 'text-anchor': 'middle', transform: `rotate(-90 13 ${(margin.top + bottom) / 2})` }, 'worst regret anywhere →'),
      lines.map(({ factor, words, points: [from, to] }) => [
        s('path', { class: factor === 1 ? 'frontier' : 'parallel', d: path([from, to]) }),
        alongside(from, to, words, factor === 1),
      ]),
      shown.map(({ trail: places, look }) => places.length > 1 && [
        s('path', { class: 'trail', stroke: look.colour, d: path(places.map(({ benign, any }) => [x(benign.regret), y(any.regret)])) }),
        places.map(({ benign, any }) => mark(look, x(benign.regret), y(any.regret), 2.6, { class: 'step' })),
      ]),
      placed.map(({ here, look }) => {
        const place = mark(look, x(here.benign.regret), y(here.any.regret), 7, { class: 'place', 'data-policy': here.policy });
        place.append(s('title', {}, `${here.policy}: ${Words.amount(here.benign.regret)} in ${here.benign.instance}, ${Words.amount(here.any.regret)} in ${here.any.instance}`));
        return place;
      }),
      names.map(({ name, left, top }) => s('text', { class: 'name', x: left, y: top + 12 }, name)),
    ].flat(Infinity).filter(Boolean));
    chart.setAttribute('aria-label', placed.length === 0 ? 'The plane, still empty.' : `Worst benign regret against worst regret anywhere: ${placed
      .map(({ name, here }) => `${name} ${Words.amount(here.benign.regret)} against ${Words.amount(here.any.regret)}`).join('; ')}.`);
    return placed;
  }

  return { note, missing, place, draw };
})();
