// What is seen of a state and the answers there are: the two worlds, the sentence, the table, the commands and the words
// beside the plane. Nothing here asks for anything; an answer that is still missing leaves what was there.
'use strict';

const Show = (function () {
  const { h, s, say } = Chart;
  const find = (id) => document.getElementById(id);
  const sides = ['truth', 'lie'];
  const looking = { truth: {}, lie: {} }; // where each chart is being read

  const there = (answers) => sides.filter((side) => answers[side]?.results.length > 0);
  const resultOf = (answers, side, policy) => answers[side]?.results.find((result) => Worlds.policyName(result.policy) === policy);
  const lost = (answers, side, policy) => resultOf(answers, side, policy)?.mean_regret ?? NaN;

  // --- Worlds ---------------------------------------------------------------------------------------

  // Mail, click and sale, with an arrow past the click where something passes it by.
  function graph(honest) {
    const node = (x, words) => [s('circle', { cx: x, cy: 30, r: 5 }), s('text', { x, y: 50, 'text-anchor': 'middle' }, words)];
    const words = honest ? 'The mail acts on the sale through the click alone.' : 'The mail also acts on the sale past the click.';
    return s('svg', { class: 'graph', viewBox: '0 0 170 56', role: 'img', 'aria-label': words },
      s('path', { class: 'edge', d: 'M26,30H75M71,26L76,30L71,34' }),
      s('path', { class: 'edge', d: 'M96,30H145M141,26L146,30L141,34' }),
      !honest && s('path', { class: 'edge past', d: 'M24,24C60,-6 112,-6 145,22M138,21L146,23L144,15' }),
      node(18, 'mail'), node(85, 'click'), node(153, 'sale'));
  }

  function makeWorld(side, changed, redraw) {
    const honest = side === 'truth';
    const menu = h('select', { id: `${side}-world`, 'aria-label': honest ? 'World that tells the truth' : 'World that lies' },
      Worlds.all.filter((world) => world.honest === honest).map((world) => h('option', { value: world.family }, world.title)));
    menu.addEventListener('change', () => changed({ [side]: menu.value }));
    const chart = s('svg', { class: 'chart', id: `${side}-chart`, role: 'img', tabindex: 0, 'aria-describedby': `${side}-readout` });
    const kind = h('p', { class: `kind ${honest ? 'honest' : 'lying'}` }, honest ? 'Trust is right here' : 'Trust is wrong here');
    find(side).replaceChildren(
      h('div', { class: 'world-head' }, h('div', {}, kind, menu), graph(honest)),
      h('p', { class: 'world-text', id: `${side}-text` }),
      h('figure', {}, chart),
      h('p', { class: 'readout', id: `${side}-readout`, 'aria-live': 'polite' }));
    Chart.lookAround(chart, looking[side], redraw);
  }
  const make = (changed, redraw) => sides.forEach((side) => makeWorld(side, changed, redraw));

  const hint = 'Point at the chart, or read it with the arrow keys.';
  const tooFar = ({ longest }) =>
    `Not beyond ${Words.rounds(longest)} rounds: from four mails on half of them are equally good here, the choice between them changes for ever, and there is nothing to leap over.`;

  function worlds(state, answers, looks) {
    const horizon = Number(state.horizon);
    const bounds = Chart.range(there(answers).map((side) => answers[side]));
    for (const side of sides) {
      const world = Worlds.byFamily(state[side]);
      const far = Worlds.tooFar(world, state);
      const answer = answers[side];
      find(`${side}-world`).value = state[side];
      find(`${side}-text`).textContent = world.text;
      const wasFar = find(side).classList.contains('too-far');
      find(side).classList.toggle('too-far', far);
      if (far || wasFar) say(`${side}-readout`, far ? tooFar(world) : '');
      if (far || !there(answers).includes(side)) continue;
      const chart = find(`${side}-chart`);
      say(`${side}-readout`, Chart.curves(chart, { answer, axes: state.axes, horizon, bounds, looks, look: looking[side] }) || hint);
      const ends = answer.results.map((result) => `${Worlds.policyName(result.policy)} ${Words.amount(result.mean_regret)}`);
      chart.setAttribute('aria-label', `Regret over ${Words.rounds(horizon)} rounds where ${world.where}; at the end: ${ends.join(', ')}. Arrow keys read it round by round.`);
    }
  }

  // --- Words, table, commands -----------------------------------------------------------------------

  function words(state, answers) {
    const seen = there(answers).map((side) => ({ answer: answers[side], where: Worlds.byFamily(state[side]).where }));
    if (seen.length > 0) find('happened').textContent = Words.happened(seen);
  }

  const cells = (result, least, awaited) => result ? [
    h('td', {}, h('data', { value: result.mean_regret, title: String(result.mean_regret) }, Words.amount(result.mean_regret)), ` ± ${Words.amount(result.standard_error ?? NaN)}`),
    h('td', { class: 'spare' }, least < 1 ? '–' : Words.times(result.mean_regret / least).replace(' times', '×')), // of next to nothing anything is a thousandfold
    h('td', { class: 'spare' }, Words.amount(result.q95)),
  ] : [h('td', {}, awaited ? '…' : '–'), h('td', { class: 'spare' }), h('td', { class: 'spare' })];

  // `finished`: replications, of every policy; while `working` what is missing is on its way.
  function table(state, answers, looks, { finished, working }) {
    const least = (side) => Math.min(...(answers[side]?.results ?? []).map((result) => result.mean_regret));
    const awaited = (side) => working && !Worlds.tooFar(Worlds.byFamily(state[side]), state);
    find('numbers').replaceChildren(
      h('caption', {}, `Regret after ${Words.rounds(Number(state.horizon))} rounds; ${finished} of ${Words.plural(state.replications, 'replication')} are in`),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Policy'), sides.map((side) => [
        h('th', { scope: 'col' }, h('b', {}, Worlds.byFamily(state[side]).title), ' mean ± error'),
        h('th', { scope: 'col', class: 'spare' }, 'of the best'),
        h('th', { scope: 'col', class: 'spare' }, '95% quantile'),
      ]))),
      h('tbody', {}, Worlds.playing(state).map((name) => h('tr', { 'data-policy': name },
        h('th', { scope: 'row' }, Chart.sample(looks(name)), Worlds.policyText(name, state)),
        sides.map((side) => cells(resultOf(answers, side, name), least(side), awaited(side)))))));
  }

  // What stands there is of another state, and goes when there are numbers of this one.
  function outdated() {
    find('results').classList.add('stale');
    find('numbers').setAttribute('aria-busy', 'true');
    const caption = find('numbers').querySelector('caption');
    if (caption) caption.textContent = 'Computing; these are still the numbers from before';
  }
  function current() {
    find('results').classList.remove('stale');
    find('numbers').removeAttribute('aria-busy');
  }

  function commands(state) {
    for (const side of sides) {
      const command = find(`${side}-command`);
      command.textContent = State.command(Worlds.request(Worlds.byFamily(state[side]), state));
      // What the page does not run has no numbers: there is nothing to copy.
      command.parentElement.hidden = Worlds.playing(state).length === 0 || Worlds.tooFar(Worlds.byFamily(state[side]), state);
    }
  }

  // --- The plane ------------------------------------------------------------------------------------

  function plane(state, looks) {
    const placed = Plane.draw(find('plane'), state, looks);
    const horizon = Worlds.planeHorizon(state);
    const product = ({ here: { benign, any } }) => (benign.regret * any.regret) / (state.actions * horizon);
    const said = [];
    const dialled = placed.find(({ name }) => Worlds.hasDial(name));
    if (dialled) {
      const { name, here: { benign, any } } = dialled;
      said.push(`With this much doubt ${name} loses at worst ${Words.amount(benign.regret)} where the context tells everything and ${Words.amount(any.regret)} anywhere: ` +
        `a product of ${Words.amount(product(dialled))} times |A|·T. The dial trades one for the other.`);
    } else said.push('The paper’s theorem: the product R₁·R₂ of both is at least |A|·T, up to constants.');
    const below = placed.filter((policy) => product(policy) < 1).map(({ name }) => name);
    if (below.length > 0) said.push(`Below the line: ${Words.list(below)}. It shows a rate without its constant; that the product grows with |A|·T binds everybody who loses far less than T anywhere.`);
    find('plane-text').textContent = said.join(' ');
    find('plane-exactly').textContent =
      `Exactly: T = ${Words.rounds(horizon)} rounds, ${state.actions} actions, ${Worlds.planeReplications} replications each of ${Worlds.planeWorlds(state).length} worlds: ` +
      'pareto-benign and bilodeau-benign (the context tells everything), pareto-confounded and hidden-arm (it does not), at gaps of ½ to 8 times √(|A|/T), as far as each family goes. ' +
      'A policy’s place is its largest mean regret over the benign ones, and over all. Worse worlds than these there may be. ' +
      'The best action is the first of benign worlds and the last of others; that is worth at most |A| times the gap to who tries them in order. ' +
      // Only beyond 217²·|A| rounds T/217 is more than √(|A|T), and this plane has 10⁴ at most.
      `The lines show rates. At its true worst no policy is below about 1/63 of |A|·T, for many actions and as long as it loses less than T/217 anywhere (${Words.amount(horizon / 217)} here: this plane is too short for it); ` +
      'between that and the line only constants are at stake.';
  }

  return { sides, lost, make, worlds, words, table, outdated, current, commands, plane };
})();
