// What may be asked: the worlds, what the dial says to each policy, how far a policy can go, and the worlds of the plane.
// Families and policies themselves are the engine's; here are only their names and how they are spelled in a request.
'use strict';

const Worlds = (function () {
  // `takes`: the settings of the page that a family has. `where` completes "Where …, sentry lost least".
  const all = [
    { family: 'bilodeau-benign', honest: true, title: 'The click tells everything', where: 'the click tells everything', takes: ['actions', 'gap'],
      text: 'One mail is clicked nearly always, the others nearly never, and only who clicks buys more often: the click carries the whole effect.' },
    { family: 'random-benign', honest: true, title: 'Every mail its own mix', where: 'every mail has its own honest mix', takes: ['actions', 'contexts'],
      text: 'Each mail leads to its own mix of reactions, and the reaction alone decides about the purchase. A new random world in every replication.' },
    { family: 'pareto-benign', honest: true, title: 'A faint trace', where: 'the click leaves a faint, honest trace', takes: ['actions', 'contexts', 'gap'],
      text: 'The best mail is clicked more often, a little where the gap is small, and who clicks buys three times as often. One half of the paper’s hard pair.' },
    { family: 'hidden-arm', honest: false, title: 'The hidden arm', where: 'the best mail leaves no trace', takes: ['actions', 'contexts', 'gap'],
      text: 'The best mail is clicked exactly as often as all others and sells more all the same: no click will ever show it.' },
    { family: 'bilodeau-confounded', honest: false, title: 'The click lies', where: 'the click lies', takes: ['actions'], longest: 1e6,
      text: 'Half of the mails are clicked more often and sell far less. Who believes the click is drawn to the wrong half.' },
    { family: 'semi-benign', honest: false, title: 'Half true', where: 'the click is half true', takes: ['actions', 'contexts', 'wrong'],
      text: 'Part of what a mail does passes the click by; how much, the slider says. A new random world in every replication.' },
  ];
  const byFamily = (family) => all.find((world) => world.family === family);
  const spelled = { wrong: 'shift' };
  const instance = (world, state) =>
    `${world.family}:${world.takes.map((name) => `${spelled[name] ?? name}=${state[name]}`).join(',')}`;

  // --- Policies -------------------------------------------------------------------------------------

  const short = (number) => String(Number(number.toPrecision(3)));

  // Doubt is the share of rounds in which sentry does not follow the contexts, 0.001 to 1. The others that have a dial
  // are set alike, on a log scale from one end of theirs to the other: db from R2 = T to R2 = √(|A|T), warden from
  // r = ½, where an action is hardly watched, to r = ½√(T/|A|), where watching costs as much as ucb.
  const leastDoubt = 0.001;
  const trust = (doubt) => Math.log(doubt) / Math.log(leastDoubt);
  const dials = {
    sentry: { key: 'share', text: ({ doubt }) => short(doubt) },
    db: { key: 'dial', text: ({ doubt }) => short(Math.abs(trust(doubt))) },
    warden: { key: 'r', text: ({ doubt, actions }, horizon) => short(0.5 * Math.max(1, Math.sqrt(horizon / actions)) ** (1 - trust(doubt))) },
  };
  const hasDial = (name) => name in dials;
  const policyText = (name, state, horizon = Number(state.horizon)) =>
    hasDial(name) ? `${name}:${dials[name].key}=${dials[name].text(state, horizon)}` : name;
  const policyName = (text) => text.split(':', 1)[0];

  // Beyond 10^6 rounds only who leaps gets anywhere (docs/leap.md): everybody else would play round by round.
  const longestStepped = 1e6;
  const leapers = ['ucb', 'c-ucb', 'pe', 'sentry', 'warden', 'hac-ucb', 'moss', 'uniform', 'round-robin', 'fixed', 'etc'];
  const dear = { 'bayes-ucb': 1e5 }; // 10 µs a round, where others need 0.1
  function longest(name) {
    if (leapers.includes(name)) return Infinity;
    return dear[name] ?? longestStepped;
  }

  // Microseconds a round in a browser, roughly, with 20 actions: enough to say beforehand what will be slow.
  const usual = 0.12;
  const microseconds = { ts: 0.5, 'c-ts': 0.3, 'kl-ucb': 0.5, 'cl-ucb': 0.4, 'cl-ts': 0.4, exp3: 0.4, corral: 0.25, db: 0.25, 'bayes-ucb': 18 };
  const noticed = 15; // seconds

  // What is left out, and what will take its time; nothing if there is nothing to say.
  function caution(state) {
    const said = [];
    const horizon = Number(state.horizon);
    const out = state.policies.filter((name) => horizon > longest(name));
    const tooSlow = out.filter((name) => name in dear);
    const stepping = out.filter((name) => !(name in dear));
    if (stepping.length > 0)
      said.push(`Left out beyond ${Words.rounds(longestStepped)} rounds, because they hardly leap or not at all: ${Words.list(stepping)}.`);
    for (const name of tooSlow) said.push(`Left out beyond ${Words.rounds(dear[name])} rounds, because it is slow: ${name}.`);
    if (playing(state).length === 0) return said.join(' ');
    if (horizon > longestStepped) said.push('Such horizons are leapt over: the same law, some seconds a replication.');
    else {
      const seconds = 1e-6 * horizon * state.replications * (0.5 + state.actions / 40) *
        playing(state).reduce((sum, name) => sum + (microseconds[name] ?? usual), 0);
      if (seconds > noticed) said.push(`Roughly ${Words.amount(Number(seconds.toPrecision(1)))} seconds a world; curves come as replications do.`);
    }
    return said.join(' ');
  }

  // --- Requests -------------------------------------------------------------------------------------

  const playing = (state) => state.policies.filter((name) => Number(state.horizon) <= longest(name));
  const tooFar = (world, state) => Number(state.horizon) > (world.longest ?? Infinity);
  const request = (world, state) => ({
    command: 'simulate',
    instance: instance(world, state),
    policy: playing(state).map((name) => policyText(name, state)),
    horizon: state.horizon,
    replications: String(state.replications),
    seed: state.seed,
    ...(Number(state.horizon) > longestStepped && { yes: true }), // an estimate of a leap would be a leap
  });

  // --- The plane ------------------------------------------------------------------------------------

  // A policy is as bad as its worst world, so the plane asks many: gaps around √(|A|/T), where the difference can just
  // be found within T rounds, and families that are benign or not. With one lying world alone a policy may land below
  // the line, as if there were no theorem. Short and of few actions, or the dial could not move at once.
  const planeHorizon = (state) => Math.min(1e4, Number(state.horizon));
  const planeReplications = 20;
  const planeFamilies = [
    { family: 'pareto-benign', honest: true, most: 0.25 },
    { family: 'bilodeau-benign', honest: true, most: 0.5 },
    { family: 'pareto-confounded', honest: false, most: 0.0625 },
    { family: 'hidden-arm', honest: false, most: 0.5 },
  ];
  const planeMultiples = [0.5, 1, 2, 4, 8];
  function planeWorlds(state) {
    const unit = Math.sqrt(state.actions / planeHorizon(state));
    return planeFamilies.flatMap(({ family, honest, most }) =>
      [...new Set(planeMultiples.map((multiple) => short(Math.min(most, multiple * unit))))].map((gap) => ({
        honest, instance: `${family}:actions=${state.actions},gap=${gap}`,
      })));
  }
  // The best action is the first of benign worlds, which is also the one that `fixed` plays unless told otherwise: it would
  // stand where only a policy that has learnt stands.
  const planePolicy = (name, state) => (name === 'fixed' ? 'fixed:arm=1' : policyText(name, state, planeHorizon(state)));
  const planeRequest = (world, policies, state) => ({
    command: 'simulate',
    instance: world.instance,
    policy: policies,
    horizon: String(planeHorizon(state)),
    replications: String(planeReplications),
    seed: state.seed,
    checkpoints: '2',
  });

  return {
    all, byFamily, instance, hasDial, policyText, policyName, longestStepped, playing, caution, tooFar, request, leastDoubt,
    planeHorizon, planeReplications, planeWorlds, planePolicy, planeRequest,
  };
})();
