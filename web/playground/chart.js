// Drawings as SVG of our own: regret over rounds, with 95% bands. No styles in attributes of HTML: the page's policy of
// content forbids them; attributes of SVG are another matter.
'use strict';

const Chart = (function () {
  // --- Elements -------------------------------------------------------------------------------------

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {}))
      if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
    element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
    return element;
  }
  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const s = (tag, attributes, ...children) => fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
  // Where screen readers read out whatever is written, also if it stood there already.
  function say(id, words) {
    const element = document.getElementById(id);
    if (element.textContent !== words) element.textContent = words;
  }

  // --- Marks ----------------------------------------------------------------------------------------

  // In a square from -1 to 1, by the names that looks have (Vega's); other shapes come as paths.
  const shapes = {
    circle: 'M0.9,0A0.9,0.9 0 1 1 -0.9,0A0.9,0.9 0 1 1 0.9,0Z',
    square: 'M-0.8,-0.8H0.8V0.8H-0.8Z',
    'triangle-up': 'M0,-1L1,0.8H-1Z',
    'triangle-down': 'M0,1L1,-0.8H-1Z',
    'triangle-left': 'M-1,0L0.8,-1V1Z',
    'triangle-right': 'M1,0L-0.8,-1V1Z',
    diamond: 'M0,-1.15L1.15,0L0,1.15L-1.15,0Z',
    cross: 'M-0.35,-1H0.35V-0.35H1V0.35H0.35V1H-0.35V0.35H-1V-0.35H-0.35Z',
  };
  const mark = (look, x, y, size, attributes) =>
    s('path', { d: shapes[look.shape] ?? look.shape, fill: look.colour, transform: `translate(${x.toFixed(1)},${y.toFixed(1)}) scale(${size})`, ...attributes });
  // For a legend: a piece of the line with its mark.
  const sample = (look) =>
    s('svg', { class: 'sample', viewBox: '0 0 30 12', 'aria-hidden': 'true' },
      s('line', { x1: 0, x2: 30, y1: 6, y2: 6, stroke: look.colour, 'stroke-width': 2.2, 'stroke-dasharray': look.dash.join(' ') }),
      mark(look, 15, 6, 4.5));

  // --- Scales ---------------------------------------------------------------------------------------

  const logScale = (least, most, from, to) => {
    const scale = (value) => from + ((Math.log(Math.max(value, least)) - Math.log(least)) / (Math.log(most) - Math.log(least))) * (to - from);
    const first = Math.ceil(Math.log10(least) - 1e-9);
    const last = Math.floor(Math.log10(most) + 1e-9);
    const every = Math.max(1, Math.ceil((last - first + 1) / 7)); // also where no power of ten lies between
    const within = last - first < 2 ? [1, 2, 5] : [1]; // of a decade, where there are few
    scale.ticks = [];
    for (let exponent = within.length > 1 ? first - 1 : first; exponent <= last; exponent += every)
      for (const digit of within) {
        const value = digit * 10 ** exponent;
        if (value >= least * 0.999 && value <= most * 1.001)
          scale.ticks.push([value, value >= 1 && value < 1e4 ? value.toLocaleString('en-US') : digit > 1 ? `${digit}·${Words.power(exponent)}` : Words.power(exponent)]);
      }
    return scale;
  };
  const linearScale = (most, from, to) => {
    const scale = (value) => from + (value / most) * (to - from);
    const rough = most / 4;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * unit).find((candidate) => candidate >= rough);
    scale.ticks = [];
    for (let value = 0; value <= most * 1.0001; value += step) scale.ticks.push([value, value === 0 ? '0' : Words.amount(value)]);
    return scale;
  };

  // Names at the ends of lines, moved apart where they would cover each other.
  function spread(wanted, least, most, distance) {
    const order = wanted.map((y, index) => ({ y, index })).sort((one, other) => one.y - other.y);
    for (let i = 0; i < order.length; i++) order[i].y = Math.max(order[i].y, i > 0 ? order[i - 1].y + distance : least);
    for (let i = order.length - 1; i >= 0; i--) order[i].y = Math.min(order[i].y, i < order.length - 1 ? order[i + 1].y - distance : most);
    const placed = [];
    for (const { y, index } of order) placed[index] = y;
    return placed;
  }

  // --- Regret over rounds ---------------------------------------------------------------------------

  const height = 290;
  const margin = { left: 60, right: 82, top: 12, bottom: 40 };
  const firstRound = 10; // before it a log scale shows the first few choices as if they mattered

  // The same for both worlds, so that they can be compared at a glance.
  function range(answers) {
    const points = answers.flatMap((answer) => answer.results.flatMap((result) => result.checkpoints.filter(({ round }) => round >= firstRound)));
    const positive = points.map(({ mean }) => mean).filter((mean) => mean > 0);
    const most = Math.max(1, ...points.map(({ mean, high95 }) => Math.max(mean, Math.min(high95 ?? mean, 2 * mean))));
    return { least: Math.max(0.1, Math.min(most / 100, ...positive)), most: 1.1 * most };
  }

  function path(points) {
    return `M${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join('L')}`;
  }

  function curves(chart, { answer, axes, horizon, bounds, looks, look }) {
    const width = Math.max(280, chart.parentElement.clientWidth);
    const right = width - margin.right;
    const bottom = height - margin.bottom;
    const log = axes === 'log';
    const x = log ? logScale(Math.min(firstRound, horizon / 2), horizon, margin.left, right) : linearScale(horizon, margin.left, right);
    const y = log ? logScale(bounds.least, bounds.most, bottom, margin.top) : linearScale(bounds.most, bottom, margin.top);
    const clipped = (value) => Math.min(bottom, Math.max(margin.top, y(Math.max(value, log ? bounds.least : 0))));
    const shown = answer.results.map((result) => ({
      name: Worlds.policyName(result.policy), look: looks(result.policy), result,
      points: result.checkpoints.filter(({ round }) => !log || round >= firstRound),
    }));
    const rounds = shown[0]?.points.map(({ round }) => round) ?? [];
    const at = look.at === undefined ? -1 : Math.min(Math.max(0, look.at), rounds.length - 1);
    const names = spread(shown.map(({ points }) => clipped(points.at(-1).mean)), margin.top + 4, bottom, 15);
    chart.setAttribute('viewBox', `0 0 ${width} ${height}`);
    chart.setAttribute('height', height);
    chart.replaceChildren(...[
      y.ticks.map(([value, words]) => [
        s('line', { class: 'grid', x1: margin.left, x2: right, y1: y(value), y2: y(value) }),
        s('text', { x: margin.left - 6, y: y(value) + 4, 'text-anchor': 'end' }, words),
      ]),
      x.ticks.map(([value, words]) => s('text', { x: x(value), y: bottom + 17, 'text-anchor': 'middle' }, words)),
      s('line', { class: 'axis', x1: margin.left, x2: right, y1: bottom, y2: bottom }),
      s('text', { class: 'title', x: (margin.left + right) / 2, y: height - 5, 'text-anchor': 'middle' }, 'rounds'),
      s('text', { class: 'title', x: 12, y: (margin.top + bottom) / 2, 'text-anchor': 'middle', transform: `rotate(-90 12 ${(margin.top + bottom) / 2})` }, 'regret'),
      shown.map(({ points, look: { colour } }) =>
        points.some(({ low95 }) => Number.isFinite(low95)) &&
        s('path', { class: 'band', fill: colour, d: `${path(points.map(({ round, mean, high95 }) => [x(round), clipped(high95 ?? mean)]))}L${path(points.map(({ round, mean, low95 }) => [x(round), clipped(low95 ?? mean)]).reverse()).slice(1)}Z` })),
      shown.map(({ points, look: { colour, dash } }) =>
        s('path', { class: 'curve', stroke: colour, 'stroke-dasharray': dash.join(' '), d: path(points.map(({ round, mean }) => [x(round), clipped(mean)])) })),
      shown.map(({ points, look: own, name }, i) => [
        mark(own, x(points.at(-1).round), clipped(points.at(-1).mean), 4.5),
        s('line', { class: 'leader', x1: right + 6, x2: right + 12, y1: clipped(points.at(-1).mean), y2: names[i], stroke: own.colour }),
        s('text', { class: 'name', x: right + 15, y: names[i] + 4 }, name.length > 11 ? `${name.slice(0, 10)}…` : name),
      ]),
      at >= 0 && s('line', { class: 'look', x1: x(rounds[at]), x2: x(rounds[at]), y1: margin.top, y2: bottom }),
      at >= 0 && shown.map(({ points, look: own }) => mark(own, x(rounds[at]), clipped(points[at].mean), 4)),
    ].flat(Infinity).filter(Boolean));
    look.places = rounds.map(x);
    look.width = width;
    return at < 0 ? '' : `Round ${rounds[at].toLocaleString('en-US')}: ${shown
      .map(({ name, points }) => `${name} ${Words.amount(points[at].mean)}${Number.isFinite(points[at].low95) ? ` (${Words.amount(Math.max(0, points[at].low95))} to ${Words.amount(points[at].high95)})` : ''}`).join(', ')}.`;
  }

  // Reading a chart at a round: by pointer, and by arrows.
  function lookAround(chart, look, redraw) {
    const move = (at) => {
      if (at === look.at) return;
      look.at = at;
      redraw();
    };
    chart.addEventListener('pointermove', (event) => {
      if (!look.places?.length) return;
      const box = chart.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * look.width;
      const far = look.places.map((place) => Math.abs(place - x));
      move(far.indexOf(Math.min(...far)));
    });
    chart.addEventListener('pointerleave', () => move(undefined));
    chart.addEventListener('blur', () => move(undefined));
    chart.addEventListener('keydown', (event) => {
      const last = (look.places?.length ?? 0) - 1;
      const at = look.at ?? last + 1;
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
      if (to === undefined || last < 0) return;
      event.preventDefault();
      move(Math.min(last, Math.max(0, to)));
    });
  }

  return { h, s, say, mark, sample, logScale, path, range, curves, lookAround };
})();
