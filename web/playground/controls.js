// The controls: made here, set from a state, and read back into one.
'use strict';

const Controls = (function () {
  const { h, say } = Chart;
  const find = (id) => document.getElementById(id);

  const sliders = {
    horizon: { label: 'Rounds', show: (value) => Words.rounds(Number(value)) },
    replications: { label: 'Replications', show: String },
    actions: { label: 'Mails to choose from (actions)', show: String },
    contexts: { label: 'Reactions (contexts)', show: String },
    gap: { label: 'How much better the best one is (gap)', show: String },
    // Of one world alone, which it chooses.
    wrong: { label: 'How wrong the click is', show: (value) => `${Number((100 * value).toPrecision(3))}%`, lie: 'semi-benign' },
  };
  const percent = (share) => `${Number((100 * share).toPrecision(2))}%`;
  const familiar = ['ucb', 'c-ucb', 'sentry', 'warden', 'db', 'hac-ucb', 'moss', 'ts'];

  // The step nearest to a value; a link may have one between the steps, and then keeps it until the slider moves.
  function nearest(steps, value) {
    const far = steps.map((step) => Math.abs(Math.log((Number(step) + 0.01) / (Number(value) + 0.01))));
    return far.indexOf(Math.min(...far));
  }

  function make(policies, looks, changed) {
    const slider = (name) => {
      const input = h('input', { type: 'range', id: name, min: 0, max: State.steps[name].length - 1, step: 1 });
      input.addEventListener('input', () => changed({ [name]: State.steps[name][input.value], ...(sliders[name].lie && { lie: sliders[name].lie }) }));
      return h('p', { class: 'field', 'data-field': name }, h('label', { for: name }, sliders[name].label), ' ', h('output', { for: name }), input);
    };
    find('sliders').replaceChildren(...Object.keys(sliders).map(slider));
    const doubt = find('doubt');
    Object.assign(doubt, { min: 0, max: State.steps.doubt.length - 1, step: 1 });
    doubt.addEventListener('input', () => changed({ doubt: State.steps.doubt[doubt.value] }));

    const box = ({ name, summary }) => {
      const input = h('input', { type: 'checkbox', value: name });
      input.addEventListener('change', () => changed({ policies: chosen() }));
      return h('label', { class: 'policy', title: summary }, input, Chart.sample(looks(name)), h('span', {}, name));
    };
    const byName = (name) => policies.find((policy) => policy.name === name);
    find('policies').replaceChildren(...familiar.map(byName).filter(Boolean).map(box));
    find('more-policies').replaceChildren(...policies.filter(({ name }) => !familiar.includes(name)).map(box));

    const seed = find('seed');
    seed.addEventListener('input', () => {
      const { state, problems } = State.read(`seed=${encodeURIComponent(seed.value)}`);
      judgeSeed(problems[0] ?? '');
      if (problems.length === 0) changed({ seed: state.seed });
      else seed.reportValidity();
    });
    find('axes').addEventListener('change', (event) => changed({ axes: event.target.checked ? 'linear' : 'log' }));
    find('reset').addEventListener('click', () => changed(structuredClone(State.defaults)));
    find('controls').addEventListener('submit', (event) => event.preventDefault());
  }
  function judgeSeed(problem) {
    find('seed').setCustomValidity(problem);
    if (problem) find('seed').setAttribute('aria-invalid', 'true');
    else find('seed').removeAttribute('aria-invalid');
  }
  const chosen = () => [...document.querySelectorAll('.policy input:checked')].map((input) => input.value);

  function set(state) {
    for (const [name, { show, lie }] of Object.entries(sliders)) {
      const input = find(name);
      const taken = ['horizon', 'replications'].includes(name) || [state.truth, state.lie].some((family) => Worlds.byFamily(family).takes.includes(name));
      const words = taken || !lie ? show(state[name]) : `in “${Worlds.byFamily(lie).title}”`;
      input.value = nearest(State.steps[name], state[name]);
      input.setAttribute('aria-valuetext', words);
      const field = input.closest('[data-field]');
      field.querySelector('output').textContent = words;
      field.hidden = !taken && !lie; // no slider that would move nothing
    }
    const doubt = find('doubt');
    doubt.value = nearest(State.steps.doubt, state.doubt);
    doubt.setAttribute('aria-valuetext', percent(state.doubt));
    find('doubt-shown').textContent = percent(state.doubt);
    const dialled = Worlds.playing(state).filter(Worlds.hasDial);
    find('doubt-texts').textContent = dialled.length === 0 ? 'None of the policies that run has a dial: sentry, warden and db have.'
      : dialled.map((name) => Worlds.policyText(name, state)).join('  ·  ');
    for (const input of document.querySelectorAll('.policy input')) input.checked = state.policies.includes(input.value);
    if (document.activeElement !== find('seed')) {
      find('seed').value = state.seed;
      judgeSeed('');
    }
    find('axes').checked = state.axes === 'linear';
    say('left-out', Worlds.caution(state));
  }

  return { make, set, percent };
})();
