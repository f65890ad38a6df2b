// The service's page: experiments as they change. It asks the same API as everybody (docs/service.md),
// keeps the token in memory alone, and loads nothing: text is set as text, drawings are made here.
'use strict';

(function () {
  const find = (id) => document.getElementById(id);
  const content = find('content');

  // --- Elements -----------------------------------------------------------------------------------

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {}))
      if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
    element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null));
    return element;
  }
  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const s = (tag, attributes, ...children) =>
    fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

  // Those of reports (src/figures/looks.cpp): dark and light alternate.
  const hues = ['#0871bc', '#f28e1c', '#54b972', '#d3171e', '#7134da', '#9aa6ec', '#7e4a82', '#a3233b', '#e196b4', '#c274fa', '#a8a24a'];
  const rest = '#a8a8a8';
  // Contexts: one hue, from light to dark, for they are never beside actions' colours in meaning.
  const depths = ['#c9dcea', '#7fb0d3', '#2f7cb5', '#0f4c7d', '#5f6b74', '#9aa4ab', '#c8ced2'];

  const swatch = (colour) =>
    s('svg', { class: 'swatch', viewBox: '0 0 10 10', 'aria-hidden': 'true' }, s('rect', { width: 10, height: 10, fill: colour }));

  // --- Numbers and words ----------------------------------------------------------------------------

  const whole = (number) => Number(number).toLocaleString('en-US');
  const percent = (share) => (Number.isFinite(share) ? `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}%` : '–');
  const real = (number) => (Number.isFinite(number) ? number.toFixed(3) : '–');
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const plural = (count, word) => `${whole(count)} ${word}${count === 1 ? '' : 's'}`;

  function duration(seconds) {
    if (seconds < 1) return 'less than a second';
    for (const [length, unit] of [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']])
      if (seconds >= length) return `${Math.floor(seconds / length)} ${unit}`;
  }
  const age = (time) => duration(Math.max(0, (Date.now() - Date.parse(time)) / 1000));
  const ago = (time) => (Date.now() - Date.parse(time) < 1000 ? 'now' : `${age(time)} ago`);
  const moment = (time) => new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
  const clock = (time) => new Date(time).toLocaleTimeString('en-GB');

  // Of a mean of rewards in [0,1]: right at all times together with probability 0.95, as long as there
  // are outcomes enough for their variance to be known (docs/service.md, "What the page shows"). Whoever
  // watches a page looks again and again; an interval for one look would mislead them.
  function interval({ learned, rewards, squares }) {
    if (learned === 0) return { mean: NaN, low: 0, high: 1 };
    const mean = rewards / learned;
    const variance = Math.max(0, squares - rewards * mean);
    const prior = 10;
    const width = Math.sqrt((variance + prior) * Math.log((variance + prior) / (prior * 0.05 ** 2))) / learned;
    return { mean, low: Math.max(0, mean - width), high: Math.min(1, mean + width) };
  }

  // What an action's contexts alone would make of it: the told marginals times each context's mean over
  // all actions. In a benign world that is its own mean.
  function contextMeans(view) {
    return view.contexts.map((_, z) => {
      const learned = sum(view.actions.map((action) => action.contexts[z] ?? 0));
      return learned > 0 ? sum(view.actions.map((action) => action.context_rewards[z] ?? 0)) / learned : NaN;
    });
  }
  function toldMix(view, action) {
    const row = view.problem.marginals?.[view.problem.actions.indexOf(action.name)];
    return row && view.contexts.map((name) => row[view.problem.contexts.indexOf(name)] ?? 0);
  }
  function promised(view, action, means) {
    const mix = toldMix(view, action);
    return mix ? sum(mix.map((share, z) => (share > 0 ? share * means[z] : 0))) : NaN;
  }

  // --- The service ----------------------------------------------------------------------------------

  let token = ''; // in memory alone: gone with the page

  class Trouble extends Error {
    constructor(status, words) {
      super(words);
      this.status = status;
    }
  }

  async function ask(method, path, { body, signal, headers } = {}) {
    const reply = await fetch(path, {
      method,
      signal,
      cache: 'no-store',
      credentials: 'omit',
      headers: { ...headers, ...(token && { Authorization: `Bearer ${token}` }), ...(body && { 'Content-Type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    if (reply.ok) return reply;
    const told = await reply.json().catch(() => ({}));
    throw new Trouble(reply.status, told.detail ?? told.title ?? `${reply.status} ${reply.statusText}`);
  }
  const experimentPath = (name, rest = '') => `/v1/experiments/${encodeURIComponent(name)}${rest}`;

  // Where nobody gave names a problem has numbers of actions and contexts, which are called a0, a1, …
  function withNames(view) {
    for (const [field, letter] of [['actions', 'a'], ['contexts', 'z']])
      if (typeof view.problem[field] === 'number')
        view.problem[field] = Array.from({ length: view.problem[field] }, (_, i) => `${letter}${i}`);
    return view;
  }

  // Server-sent events by fetch: EventSource cannot send a token.
  async function follow(name, signal, heard) {
    let last = '';
    let patience = 1000;
    while (!signal.aborted) {
      const quiet = new AbortController();
      const stop = () => quiet.abort();
      signal.addEventListener('abort', stop);
      let timer;
      const alive = () => {
        clearTimeout(timer);
        timer = setTimeout(stop, 40000); // a comment comes every 15 seconds
      };
      try {
        alive();
        const reply = await ask('GET', experimentPath(name, '/live'), {
          signal: quiet.signal,
          headers: { Accept: 'text/event-stream', ...(last && { 'Last-Event-ID': last }) },
        });
        told('live');
        const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let buffer = ''; ; ) {
          const { done, value } = await reader.read();
          if (done) break;
          alive();
          buffer += value;
          const messages = buffer.split('\n\n');
          buffer = messages.pop();
          for (const message of messages) {
            const fields = Object.fromEntries(message.split('\n').map((line) => line.split(/: ?(.*)/s, 2)));
            if (fields.data === undefined) continue;
            last = fields.id ?? last;
            patience = 1000;
            heard(withNames(JSON.parse(fields.data)));
          }
        }
        throw new Trouble(0, 'the service ended the line');
      } catch (error) {
        if (signal.aborted) return;
        if ([401, 403, 404].includes(error.status)) return failed(error);
        told('lost', `connection lost (${error.message}); trying again`);
        await new Promise((resume) => setTimeout(resume, patience));
        patience = Math.min(10000, 2 * patience);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      }
    }
  }

  function told(state, words = state) {
    const line = find('line');
    if (line.textContent !== words) line.textContent = words; // it is read aloud
    line.className = `facts ${state}`;
  }

  // What there is no point in trying again.
  async function failed(error) {
    if (error.status === 401) return askForToken(error);
    told('lost', error.message);
    content.replaceChildren(
      h('h1', {}, error.status === 404 ? 'Not here' : 'Not allowed'),
      h('p', {}, error.message),
      h('p', {}, error.status === 403 ? againButton('Another token', () => askForToken(error)) : h('a', { href: '#' }, 'All experiments')),
    );
  }
  function againButton(words, action) {
    const button = h('button', { type: 'button' }, words);
    button.addEventListener('click', action);
    return button;
  }

  // --- Questions ------------------------------------------------------------------------------------

  // One dialog for all of them; `act` throws to have it stay open and say why.
  function question({ title, text, label, yes, secret, required, act }) {
    const dialog = find('asking');
    const input = find('asking-input');
    const trouble = find('asking-trouble');
    find('asking-title').textContent = title;
    find('asking-text').textContent = text;
    find('asking-label').textContent = label;
    find('asking-yes').textContent = yes;
    Object.assign(input, { value: '', type: secret ? 'password' : 'text', required: Boolean(required) });
    trouble.hidden = true;
    dialog.querySelector('form').onsubmit = async (event) => {
      event.preventDefault();
      try {
        await act(input.value.trim());
        dialog.close();
      } catch (error) {
        trouble.textContent = error.message;
        trouble.hidden = false;
      }
    };
    find('asking-no').onclick = () => dialog.close();
    if (!dialog.open) dialog.showModal();
    input.focus();
  }

  function askForToken() {
    told('asking', 'a token is needed');
    content.replaceChildren(
      h('h1', {}, 'armature'),
      h('p', {}, 'This service asks for a token. The page keeps it in memory alone: it is gone when the page is.'),
      h('p', {}, againButton('Enter a token', askForToken)),
    );
    question({
      title: 'Token',
      text: 'One with the role read; to pause and resume, admin.',
      label: 'Token',
      yes: 'Use it',
      secret: true,
      required: true,
      act: async (text) => {
        const before = token;
        token = text;
        try {
          await ask('GET', '/v1/experiments');
        } catch (error) {
          token = before;
          throw error;
        }
        navigate();
      },
    });
  }

  function askToChange(view) {
    const pauses = view.state === 'running';
    const fallback = view.settings.fallback;
    question({
      title: pauses ? `Pause ${view.name}?` : `Resume ${view.name}?`,
      text: !pauses
        ? 'The policy decides again. What was decided meanwhile stands in the log, marked as fallback.'
        : fallback
          ? `From now on every decision is “${fallback}”, until somebody resumes it. Outcomes are still taken.`
          : 'From now on decisions are refused, until somebody resumes it. Outcomes are still taken.',
      label: 'Reason, for the log',
      yes: pauses ? 'Pause' : 'Resume',
      act: (reason) =>
        ask('POST', experimentPath(view.name, pauses ? '/pause' : '/resume'), { body: reason ? { reason } : {} }),
    });
  }

  // --- Charts ---------------------------------------------------------------------------------------

  const chartHeight = 200;
  const left = 42; // room for the numbers of the axis
  const chartWidth = () => Math.max(240, content.clientWidth);

  function frame(width, ticks, label) {
    const y = (value) => chartHeight * (1 - value);
    return ticks.map(([value, words]) => [
      s('line', { class: 'grid', x1: left, x2: width, y1: y(value), y2: y(value) }),
      s('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, words),
    ]).concat(label ? s('text', { x: left, y: -8 }, label) : []);
  }
  function timeLabels(history, width) {
    const end = history[history.length - 1];
    const day = (time) => new Date(time).toISOString().slice(0, 10);
    const words = (time) => (day(history[0].begin) === day(end.begin) ? clock(time) : day(time));
    return [
      s('text', { x: left, y: chartHeight + 18 }, words(history[0].begin)),
      s('text', { x: width, y: chartHeight + 18, 'text-anchor': 'end' }, `${words(end.begin)}, decision ${whole(sum(history.map((one) => one.decided)))}`),
    ];
  }

  // The actions with colours of their own: all, or those that were played most, and the others share
  // one. Who has a colour keeps it while it is among them, whatever its rank.
  const hueOf = new Map();
  function layers(view) {
    const all = view.actions.map((_, a) => a);
    const most = all.length <= hues.length ? all : [...all].sort((a, b) => view.actions[b].decided - view.actions[a].decided || a - b).slice(0, hues.length);
    for (const a of hueOf.keys()) if (!most.includes(a)) hueOf.delete(a);
    for (const a of most) if (!hueOf.has(a)) hueOf.set(a, hues.find((hue) => ![...hueOf.values()].includes(hue)));
    return { own: all.filter((a) => hueOf.has(a)), colours: all.map((a) => hueOf.get(a) ?? rest), shared: most.length < all.length };
  }

  // Stretches of decisions side by side, each as wide as it is long; within each the actions' shares.
  function drawShares(view, chart, look) {
    const history = view.history.filter((stretch) => stretch.decided > 0);
    const width = chartWidth();
    const { own, colours, shared } = layers(view);
    const total = sum(history.map((stretch) => stretch.decided));
    const rows = [...own, ...(shared ? [-1] : [])];
    const share = (stretch, a) =>
      (a >= 0 ? stretch.plays[a] ?? 0 : stretch.decided - sum(own.map((one) => stretch.plays[one] ?? 0))) / stretch.decided;
    let before = 0;
    const edges = history.map((stretch) => {
      const x1 = left + ((width - left) * before) / total;
      before += stretch.decided;
      return [x1, left + ((width - left) * before) / total];
    });
    const floors = history.map(() => 0);
    const areas = rows.map((a) => {
      const upper = [];
      const lower = [];
      history.forEach((stretch, i) => {
        const low = floors[i];
        floors[i] = Math.min(1, low + share(stretch, a));
        for (const x of edges[i]) {
          upper.push(`${x.toFixed(1)},${(chartHeight * (1 - floors[i])).toFixed(1)}`);
          lower.unshift(`${x.toFixed(1)},${(chartHeight * (1 - low)).toFixed(1)}`);
        }
      });
      return s('path', { class: 'layer', fill: a >= 0 ? colours[a] : rest, d: `M${upper.join('L')}L${lower.join('L')}Z` });
    });
    chart.setAttribute('viewBox', `0 -4 ${width} ${chartHeight + 28}`);
    chart.setAttribute('aria-label',
      `Share of each action over ${plural(total, 'decision')}; now: ` +
        own.map((a) => `${view.actions[a].name} ${percent(share(history[history.length - 1], a))}`).join(', '));
    const i = Math.min(look.at ?? -1, history.length - 1);
    chart.replaceChildren(
      ...areas,
      ...frame(width, [[0, '0%'], [0.5, '50%'], [1, '100%']]).flat(),
      ...timeLabels(history, width),
      ...(i >= 0 ? [s('line', { class: 'look', x1: (edges[i][0] + edges[i][1]) / 2, x2: (edges[i][0] + edges[i][1]) / 2, y1: 0, y2: chartHeight })] : []),
    );
    look.edges = edges;
    look.width = width;
    if (i < 0) return 'Point at the chart, or move through it with the arrow keys, to read it.';
    const stretch = history[i];
    const shares = rows.map((a) => ({ name: a >= 0 ? view.actions[a].name : 'others', share: share(stretch, a) }))
      .filter((one) => one.share > 0).sort((one, other) => other.share - one.share)
      .map((one) => `${one.name} ${percent(one.share)}`);
    const reward = stretch.learned > 0 ? `; ${plural(stretch.learned, 'outcome')} learned meanwhile, mean ${real(stretch.rewards / stretch.learned)}` : '';
    return `${plural(stretch.decided, 'decision')} from ${moment(stretch.begin)} on: ${shares.join(', ')}${reward}.`;
  }

  function lookAround(chart, look, redraw) {
    const move = (at) => {
      look.at = at;
      redraw();
    };
    chart.addEventListener('pointermove', (event) => {
      if (!look.edges) return;
      const box = chart.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * look.width;
      move(look.edges.findIndex(([, right]) => x <= right));
    });
    chart.addEventListener('pointerleave', () => move(undefined));
    chart.addEventListener('blur', () => move(undefined));
    chart.addEventListener('keydown', (event) => {
      const last = (look.edges?.length ?? 0) - 1;
      const at = look.at ?? last + 1;
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      move(Math.min(last, Math.max(0, to)));
    });
  }

  function drawDelays(view, chart) {
    const width = chartWidth();
    const last = view.delays.findLastIndex((count) => count > 0);
    const shown = view.delays.slice(0, last + 1);
    const most = Math.max(...shown);
    const step = (width - left) / Math.max(8, shown.length);
    const height = 90;
    const limit = (i) => duration(2 ** i);
    chart.setAttribute('viewBox', `0 -16 ${width} ${height + 40}`);
    chart.setAttribute('aria-label', `How long outcomes took: ${shown.map((count, i) => `${whole(count)} below ${limit(i)}`).join(', ')}`);
    const every = Math.ceil(52 / step); // labels must not run into each other
    chart.replaceChildren(
      ...shown.flatMap((count, i) => [
        s('rect', { class: 'bar', x: left + i * step + 1, width: Math.max(1, step - 2), y: height * (1 - count / most), height: (height * count) / most },
          s('title', {}, `${whole(count)} within ${limit(i)}${i > 0 ? `, after ${limit(i - 1)}` : ''}`)),
        i % every === 0 ? s('text', { x: left + (i + 1) * step, y: height + 16, 'text-anchor': 'middle' }, `${i === view.delays.length - 1 ? 'longer' : `<${limit(i).replace('less than a second', '1 s')}`}`) : undefined,
      ].filter(Boolean)),
      s('line', { class: 'axis', x1: left, x2: width, y1: height, y2: height }),
    );
    const total = sum(shown);
    let seen = 0;
    const middle = shown.findIndex((count) => (seen += count) >= total / 2);
    seen = 0;
    const most90 = shown.findIndex((count) => (seen += count) >= 0.9 * total);
    return `Half of the outcomes came within ${limit(middle)}, nine in ten within ${limit(most90)}.`;
  }

  // --- The verdict on the context -------------------------------------------------------------------

  // Whoever tests says `rejected`: sentry and warden, live or as a shadow.
  function witness(view) {
    if (view.diagnostics.rejected !== undefined) return { who: view.policy, live: true, said: view.diagnostics };
    const shadow = view.shadows.find((one) => one.diagnostics.rejected !== undefined);
    return shadow && { who: shadow.policy, live: false, said: shadow.diagnostics };
  }
  const plainName = (policy) => /(sentry|warden)/.exec(policyWords(policy))?.[1] ?? policy;

  function verdict(view) {
    const means = contextMeans(view);
    const gaps = view.actions
      .filter((action) => action.learned > 0)
      .map((action) => ({ action, own: action.rewards / action.learned, by: promised(view, action, means) }))
      .filter((one) => Number.isFinite(one.by))
      .sort((one, other) => Math.abs(other.own - other.by) - Math.abs(one.own - one.by));
    const described = ({ action, own, by }) =>
      `“${action.name}” earns ${real(own)} over ${plural(action.learned, 'outcome')}; by its contexts alone it would earn ${real(by)}`;
    const found = witness(view);
    if (!found) {
      const test = view.problem.marginals ? ' A shadow of sentry would test it: see “Shadows”.' : '';
      return {
        head: 'Nobody tests here whether the context tells everything.',
        text: gaps.length ? `Furthest apart at present: ${described(gaps[0])}.${test}` : `There are no outcomes yet.${test}`,
      };
    }
    const name = plainName(found.who);
    const speaker = found.live ? name : `${name}, a shadow,`;
    if (!found.said.rejected) {
      const candidates = found.said.candidates;
      // The interval is of the action's own mean alone; the test knows the error of both.
      const apart = ({ action, by }) => {
        const { low, high } = interval(action);
        return low <= by && by <= high ? 'inside the 95% interval of its own mean.'
          : `outside the 95% interval of its own mean, yet not enough for ${name}, whose test allows for the error of the contexts’ means too.`;
      };
      return {
        head: 'So far nothing speaks against the context.',
        text:
          (gaps.length ? `${speaker} compares every action’s own mean with what its contexts promise. Furthest apart at present: ${described(gaps[0])}: ${apart(gaps[0])} ` : 'There are no outcomes yet. ') +
          (candidates === undefined ? '' : `${whole(candidates)} of ${plural(view.problem.actions.length, 'action')} may still be the best.`),
      };
    }
    const { rejection_action: number, rejection_round: round } = found.said;
    const which = view.problem.actions[number] ?? `action ${number}`;
    const accused = gaps.find((one) => one.action.name === which) ?? gaps[0];
    return {
      against: true,
      head: 'The context does not tell everything.',
      text:
        `In round ${whole(round)} ${speaker} found that “${which}” contradicts its contexts. ` +
        (accused ? `Now ${described(accused)}. ` : '') +
        (found.live ? 'From that round on it decides by the actions’ own rewards.' : `The policy that decides, ${policyWords(view.policy)}, does not know.`),
    };
  }

  // --- An experiment --------------------------------------------------------------------------------

  function experimentPage(name) {
    const chart = s('svg', { class: 'chart', role: 'img', tabindex: 0, id: 'shares' });
    const delays = s('svg', { class: 'chart', role: 'img', id: 'delays' });
    const parts = {};
    for (const part of ['facts', 'reason', 'bound', 'verdict', 'evidence', 'readout', 'half']) parts[part] = h('p');
    parts.facts.className = 'facts';
    parts.bound.className = 'facts bound';
    parts.readout.className = 'readout';
    parts.reason.className = 'warning';
    const state = h('span', { class: 'state' });
    const change = h('button', { type: 'button', id: 'change', hidden: true });
    const numbers = h('dl', { class: 'numbers' });
    const legend = h('ul', { class: 'legend', 'aria-hidden': 'true' });
    const contexts = h('ul', { class: 'legend' });
    const actions = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Actions' });
    const shadows = h('div', { class: 'scroll' });
    const tail = h('ol', { class: 'tail', tabindex: 0, 'aria-label': 'The end of the log, newest first' });
    const sections = {
      shares: h('section', {}, h('h2', {}, 'Share of actions'), legend, chart, parts.readout),
      actions: h('section', {}, h('h2', {}, 'Actions'), h('div', { class: 'wide' }, actions), contexts,
        h('p', { class: 'facts' }, 'Means of learned outcomes with 95% intervals that hold however often one looks. The tick is what the contexts ' +
          'alone would make of the action. Below: how often each context was seen; the thin bar is what the policy was told.')),
      delays: h('section', {}, h('h2', {}, 'From decision to outcome'), delays, parts.half),
      shadows: h('section', {}, h('h2', {}, 'Shadows'), h('div', { class: 'wide' }, shadows)),
      tail: h('section', {}, h('h2', {}, 'The log'), tail),
    };
    content.replaceChildren(
      h('article', { class: 'experiment' },
        h('div', { class: 'title' }, h('h1', {}, name), state, change),
        parts.facts, parts.reason, numbers, parts.bound,
        h('section', {}, h('h2', {}, 'Does the context tell everything?'), parts.verdict, parts.evidence),
        Object.values(sections)),
    );
    let view;
    const look = {};
    const redrawShares = () => {
      if (view.history.some((stretch) => stretch.decided > 0)) parts.readout.textContent = drawShares(view, chart, look);
    };
    lookAround(chart, look, redrawShares);
    change.addEventListener('click', () => askToChange(view));

    function draw() {
      if (!view || document.hidden) return;
      showHead(view, { state, change, parts, numbers });
      const words = verdict(view);
      parts.verdict.className = `verdict${words.against ? ' against' : ''}`;
      parts.verdict.textContent = words.head;
      parts.evidence.textContent = words.text;
      sections.shares.hidden = !view.history.some((stretch) => stretch.decided > 0);
      redrawShares();
      const { own, colours, shared } = layers(view);
      legend.replaceChildren(
        ...own.map((a) => h('li', {}, swatch(colours[a]), view.actions[a].name)),
        ...(shared ? [h('li', {}, swatch(rest), 'others')] : []));
      actions.replaceChildren(actionsTable(view, colours));
      contexts.replaceChildren(...view.contexts.map((context, z) => h('li', {}, swatch(depths[z % depths.length]), context)));
      sections.delays.hidden = sum(view.delays) === 0;
      if (!sections.delays.hidden) parts.half.textContent = drawDelays(view, delays);
      shadows.replaceChildren(shadowsTable(view));
      showEdges();
      document.documentElement.dataset.drawn = view.seq;
    }
    return {
      redraw: draw,
      show(next) {
        view = next;
        draw();
        showTail(view, tail);
      },
    };
  }

  // The floor is a setting; in the policy's text it stands around everything. Its default, sentry, is not written there.
  function policyWords(policy) {
    const [, inner, base = inner, floor] = /^floor:(?:base=(?:\((.*)\)|([^,]+)),)?probability=([^,]+)$/.exec(policy) ?? [];
    return floor === undefined ? policy : `${base ?? 'sentry'} over a floor of ${floor}`;
  }

  // What is proved, with what it is proved for.
  function boundWords({ policy, round, horizon, now, at_horizon: end, probability }) {
    const most = (value) => `at most ${whole(Math.ceil(value))}`;
    return `Proved of ${policy}, whether the context tells everything or not: regret ${now === undefined ? '' : `${most(now)} by now (round ${whole(round)}), `}` +
      `${most(end)} by round ${whole(horizon)}, ${probability === undefined ? 'on average' : `with probability ${Number(probability.toFixed(6))}`}, if every outcome is known before the next decision; late ones add to it.`;
  }

  function showHead(view, { state, change, parts, numbers }) {
    const { counts, settings } = view;
    state.className = `state ${view.state}`;
    state.textContent = view.state;
    change.hidden = !['running', 'paused'].includes(view.state);
    change.textContent = view.state === 'paused' ? 'Resume…' : 'Pause…';
    parts.reason.hidden = !view.reason;
    parts.reason.textContent = view.reason ?? '';
    const silence = typeof settings.silence === 'object' && settings.silence
      ? `then silence counts as ${settings.silence.context}, ${settings.silence.reward}` : 'then it is forgotten';
    parts.facts.textContent = [
      `policy ${policyWords(view.policy)}`,
      `epoch ${view.epoch}`,
      settings.deadline === 'never' ? 'no deadline' : `an outcome has ${settings.deadline}, ${silence}`,
      settings.fallback ? `fallback ${settings.fallback}` : 'no fallback',
      `seed ${view.seed}`,
      `since ${moment(view.created)}`,
    ].join(' · ');
    parts.bound.hidden = !view.regret_bound;
    parts.bound.textContent = view.regret_bound ? boundWords(view.regret_bound) : '';
    const pending = counts.open + counts.waiting;
    const answered = counts.decisions - pending;
    const beyond = view.problem.horizon && view.rounds > view.problem.horizon;
    const cells = [
      ['Decisions', whole(counts.decisions), counts.fallbacks ? `${whole(counts.fallbacks)} by fallback` : beyond ? 'beyond the horizon' : ''],
      ['Mean reward', view.mean_reward === undefined ? '–' : real(view.mean_reward), `${whole(counts.learned)} learned`],
      // With a rule for silence every closed decision is learned: nobody counts who was silent.
      typeof settings.silence === 'object' && settings.silence
        ? ['Join rate', '–', 'silence is an outcome here']
        : ['Join rate', answered > 0 ? percent((counts.learned + counts.late) / answered) : '–', 'of decisions that are closed'],
      ['Open', whole(pending), counts.waiting ? `${whole(counts.waiting)} half reported` : view.oldest_open ? '' : 'none waits'],
      ['Oldest open', view.oldest_open ? age(view.oldest_open) : '–', ''],
      ['Late', whole(counts.late), 'kept, never learned'],
      ['Forgotten', whole(counts.forgotten), 'no outcome in time'],
    ];
    numbers.replaceChildren(...cells.map(([term, number, small]) =>
      h('div', { 'data-number': term }, h('dt', {}, term), h('dd', {}, number, small ? h('small', {}, small) : undefined))));
  }

  // One axis for all actions, so that intervals can be compared down the column.
  function intervalDrawing({ mean, low, high }, by, most, colour) {
    const x = (value) => Math.min(100, (100 * value) / most);
    const mark = (at, attributes) => s('line', { x1: `${x(at)}%`, x2: `${x(at)}%`, ...attributes });
    return s('svg', { class: 'inline', role: 'img', 'aria-label': Number.isFinite(mean) ? `${real(mean)}, from ${real(low)} to ${real(high)}` : 'no outcome' },
      s('line', { class: 'track', x1: 0, x2: '100%', y1: 12, y2: 12 }),
      Number.isFinite(mean) ? s('line', { x1: `${x(low)}%`, x2: `${x(high)}%`, y1: 12, y2: 12, stroke: colour, 'stroke-width': 4 }) : undefined,
      Number.isFinite(by) ? mark(by, { y1: 3, y2: 21, stroke: 'currentColor', 'stroke-width': 1.5 }) : undefined,
      Number.isFinite(mean) ? s('circle', { cx: `${x(mean)}%`, cy: 12, r: 5, fill: colour, stroke: 'var(--paper)' }) : undefined);
  }
  function mixDrawing(view, action) {
    const told = toldMix(view, action);
    const bar = (shares, y, height) => {
      let before = 0;
      return shares.map((share, z) => {
        const rect = s('rect', { x: `${100 * before}%`, width: `${100 * share}%`, y, height, fill: depths[z % depths.length] },
          s('title', {}, `${view.contexts[z]} ${percent(share)}`));
        before += share;
        return rect;
      });
    };
    const seen = action.learned > 0 ? action.contexts.map((count) => count / sum(action.contexts)) : [];
    return s('svg', { class: 'inline', role: 'img', 'aria-label': seen.map((share, z) => `${view.contexts[z]} ${percent(share)}`).join(', ') || 'no outcome' },
      bar(seen, 3, 11), told ? bar(told, 16, 4) : undefined);
  }

  const mostRows = 100;
  function actionsTable(view, colours) {
    const means = contextMeans(view);
    const rows = view.actions.map((action, a) => ({ action, colour: colours[a], ...interval(action), by: promised(view, action, means) }));
    // An axis that shows every tick, and every interval that is one: few outcomes would stretch it to 1.
    const most = Math.min(1, Math.max(0.02, ...rows.flatMap((row) =>
      [row.by * 1.05, row.mean * 1.3, row.action.learned >= 100 ? row.high * 1.05 : 0].filter(Number.isFinite))));
    const shown = rows.length <= mostRows ? rows : [...rows].sort((one, other) => other.action.decided - one.action.decided).slice(0, mostRows);
    return h('table', { class: 'actions' },
      h('thead', {}, h('tr', {}, [['Action'], ['Decided', 'spare'], ['Mean'], ['By contexts', 'spare']].map(([title, kind]) => h('th', { scope: 'col', class: kind }, title)),
        h('th', { scope: 'col', class: 'drawn' }, `from 0 to ${real(most)}`), h('th', { scope: 'col', class: 'drawn' }, 'Contexts'))),
      shown.length < rows.length ? h('caption', {}, `The ${mostRows} most played of ${whole(rows.length)}`) : undefined,
      h('tbody', {}, shown.map((row) => h('tr', { class: row.action.present ? undefined : 'gone' },
        h('th', { scope: 'row' }, swatch(row.colour), row.action.name, row.action.present ? '' : ' (removed)'),
        h('td', { class: 'spare' }, whole(row.action.decided)), h('td', {}, real(row.mean)), h('td', { class: 'spare' }, real(row.by)),
        h('td', { class: 'drawn' }, intervalDrawing(row, row.by, most, row.colour)), h('td', { class: 'drawn' }, mixDrawing(view, row.action))))));
  }

  function shadowsTable(view) {
    if (view.shadows.length === 0)
      return h('p', {}, 'None. A shadow is a policy that only watches: what would it have done, what does it believe? ',
        h('code', {}, `POST ${experimentPath(view.name, '/shadows')} {"policy": "sentry"}`));
    const believes = ({ diagnostics }) => Object.entries(diagnostics)
      .map(([name, value]) => `${name.replaceAll('_', ' ')} ${typeof value === 'number' ? whole(Math.round(value * 1000) / 1000) : value}`).join(', ');
    return h('table', {},
      h('thead', {}, h('tr', {}, [['Policy'], ['Agrees'], ['Asked'], ['Believes', 'words']].map(([title, kind]) => h('th', { scope: 'col', class: kind }, title)))),
      h('tbody', {}, view.shadows.map((shadow) => h('tr', {}, h('th', { scope: 'row' }, shadow.policy),
        h('td', {}, shadow.asked > 0 ? percent(shadow.agreed / shadow.asked) : '–'), h('td', {}, whole(shadow.asked)), h('td', { class: 'words' }, shadow.failure ? `failed: ${shadow.failure}` : believes(shadow) || '–')))));
  }

  // --- The log's end --------------------------------------------------------------------------------

  const tailLength = 40;
  const tailPause = 2000; // milliseconds between two looks
  let tailNext = 0;
  let tailTimer;
  async function showTail(view, tail) {
    clearTimeout(tailTimer);
    const early = tailNext - Date.now();
    if (early > 0) {
      tailTimer = setTimeout(() => showTail(view, tail), early);
      return;
    }
    tailNext = Date.now() + tailPause;
    try {
      const from = BigInt(view.seq) > BigInt(tailLength) ? BigInt(view.seq) - BigInt(tailLength - 1) : 1n;
      const reply = await ask('GET', experimentPath(view.name, `/log?format=jsonl&from=${from}`));
      const lines = (await reply.text()).trim().split('\n').slice(1).map((line) => JSON.parse(line));
      tail.replaceChildren(...lines.slice(-tailLength).reverse().map((event) => h('li', {},
        h('time', {}, clock(Number(event.time) / 1000)), `  ${event.seq}  ${eventWords(view, event)}`)));
    } catch {
      // The next message brings another try; the line says when there is no connection.
    }
  }

  // Numbers of actions and contexts are words of the epoch in which the decision was made.
  function eventWords(view, event) {
    const known = BigInt(event.decision ?? event.seq) >= BigInt(view.epoch_first);
    const named = (names, i) => (known && names[i] !== undefined ? names[i] : `number ${i}`);
    const words = [event.kind];
    if (event.action !== undefined) words.push(named(view.problem.actions, event.action));
    if (event.context !== undefined) words.push(named(view.problem.contexts, event.context));
    if (event.reward !== undefined) words.push(`reward ${event.reward}`);
    if (event.propensity !== undefined) words.push(`propensity ${Number(event.propensity.toFixed(4))}`);
    if (event.decision !== undefined) words.push(`of ${event.decision}`);
    if (event.note) words.push(`(${event.note})`);
    return words.join(' ');
  }

  // --- All experiments ------------------------------------------------------------------------------

  function listTable(experiments) {
    const titles = [['Experiment'], ['State', 'words'], ['Decisions'], ['Mean reward'], ['Open', 'spare'], ['Late', 'spare'], ['Last event', 'spare'], ['Policy', 'spare words']];
    return h('table', { class: 'list' },
      h('thead', {}, h('tr', {}, titles.map(([title, kind]) => h('th', { scope: 'col', class: kind }, title)))),
      h('tbody', {}, experiments.map((one) => h('tr', {},
        h('th', { scope: 'row' }, h('a', { href: `#/${one.name}` }, one.name)),
        h('td', { class: 'words' }, h('span', { class: `state ${one.state}` }, one.state)),
        h('td', {}, whole(one.counts.decisions)), h('td', {}, one.mean_reward === undefined ? '–' : real(one.mean_reward)),
        h('td', { class: 'spare' }, whole(one.counts.open + one.counts.waiting)), h('td', { class: 'spare' }, whole(one.counts.late)),
        h('td', { class: 'spare' }, ago(one.time)), h('td', { class: 'spare words' }, policyWords(one.policy))))));
  }

  function showNames(experiments, current) {
    const link = (words, to, here) => h('li', {}, h('a', { href: to, 'aria-current': here ? 'page' : undefined }, words));
    const names = JSON.stringify([current, experiments.map((one) => one.name)]);
    if (find('experiments').dataset.names === names) return; // somebody may be on a link with the keyboard
    find('experiments').dataset.names = names;
    find('experiments').replaceChildren(link('All experiments', '#', current === ''),
      ...experiments.slice(0, 100).map((one) => link(one.name, `#/${one.name}`, one.name === current)));
  }

  // Names beside the page, and the table where all are shown: asked for again every few seconds.
  async function watchList(current, signal) {
    let shown = '';
    while (!signal.aborted) {
      try {
        const { experiments } = await (await ask('GET', '/v1/experiments', { signal })).json();
        showNames(experiments, current);
        if (current === '') {
          told('live');
          const text = JSON.stringify(experiments.map((one) => [one.name, one.seq, one.state, ago(one.time)]));
          const focused = content.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
          if (text !== shown)
            content.replaceChildren(h('h1', {}, 'Experiments'),
              experiments.length > 0
                ? h('div', { class: 'wide' }, h('div', { class: 'scroll' }, listTable(experiments)))
                : h('p', {}, 'There are none yet. ', h('code', {}, 'POST /v1/experiments'), ' creates one: docs/service.md.'));
          if (focused) content.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
          shown = text;
          showEdges();
        }
      } catch (error) {
        if (signal.aborted) return;
        if (current === '') {
          if ([401, 403].includes(error.status)) return failed(error);
          told('lost', `connection lost (${error.message}); trying again`);
        }
      }
      await new Promise((resume) => setTimeout(resume, current === '' ? 2000 : 10000));
    }
  }

  // --- Where one is ---------------------------------------------------------------------------------

  let leaving = new AbortController();
  let page;
  function navigate() {
    leaving.abort();
    leaving = new AbortController();
    page = undefined;
    hueOf.clear();
    clearTimeout(tailTimer);
    tailNext = 0;
    const current = location.hash.replace(/^#\/?/, ''); // names are letters, digits, - and _
    document.title = current ? `${current} · armature` : 'armature';
    told('asking', 'connecting');
    watchList(current, leaving.signal);
    if (current === '') return;
    page = experimentPage(current);
    follow(current, leaving.signal, (view) => page.show(view));
  }

  // Where a table goes on beyond its edge a shadow says so.
  function showEdges() {
    for (const box of document.querySelectorAll('.wide')) {
      const scroll = box.querySelector('.scroll');
      const mark = () => box.classList.toggle('more', scroll.scrollLeft < scroll.scrollWidth - scroll.clientWidth - 1);
      scroll.onscroll = mark;
      mark();
    }
  }

  window.addEventListener('hashchange', () => {
    navigate();
    document.querySelector('main').focus();
  });
  document.addEventListener('visibilitychange', () => page?.redraw());
  window.addEventListener('resize', () => page?.redraw());
  navigate();
})();
