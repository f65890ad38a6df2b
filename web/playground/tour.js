// The paper's story in five steps. A step sets the page, points at what to look at, and says what is seen there with the
// numbers that were just computed: `lost('truth', 'ucb')` is that policy's mean regret in the left world.
'use strict';

const Tour = (function () {
  const find = (id) => document.getElementById(id);
  const amount = (lost, world, policy) => Words.amount(lost(world, policy));

  const steps = [
    {
      title: 'The choice, and the click',
      look: 'truth',
      state: { policies: ['uniform', 'ucb'] },
      text: (lost) => [
        'A visitor comes; you send one of 20 mails; you see whether they click, then whether they buy. Regret is what you lose against always sending the best mail.',
        `After 10⁵ visitors, mails at random (uniform) have lost ${amount(lost, 'truth', 'uniform')}. ucb tries all mails and keeps to what sells: ${amount(lost, 'truth', 'ucb')} in the first world, ${amount(lost, 'lie', 'ucb')} in the second. It never looks at the click, so it does not matter to it whether the click tells the truth.`,
      ],
    },
    {
      title: 'Where the click carries everything',
      look: 'truth',
      state: { policies: ['ucb', 'c-ucb'] },
      text: (lost) => [
        'In the first world a sale depends on the click and on nothing else of the mail: in a causal graph, the click d-separates mail and sale. Then one need not learn 20 mails; it is enough to learn what a click is worth and what none is.',
        `c-ucb does (how often each mail is clicked, it is told beforehand), and loses ${amount(lost, 'truth', 'c-ucb')} where ucb loses ${amount(lost, 'truth', 'ucb')}. Its regret is at most of order √(|Z|·T), up to logarithms, where without the click it is √(|A|·T): with more mails the gain grows.`,
      ],
    },
    {
      title: 'Where it does not',
      look: 'lie',
      state: { policies: ['ucb', 'c-ucb'], axes: 'linear' },
      text: (lost) => [
        'In the second world the best mail is clicked like all others. Axes are linear now: a straight line is a loss in every single round.',
        `c-ucb loses ${amount(lost, 'lie', 'c-ucb')}: the whole gap of 0.1, in each of 10⁵ rounds, and no patience will help. ucb has lost ${amount(lost, 'lie', 'ucb')}, and its curve flattens. In the first world c-ucb saved ${Words.amount(lost('truth', 'ucb') - lost('truth', 'c-ucb'))}; here believing the click costs ${Words.amount(lost('lie', 'c-ucb') - lost('lie', 'ucb'))} more, and with every further round more again.`,
      ],
    },
    {
      title: 'The frontier: nobody gets both',
      look: 'plane-section',
      state: { policies: ['ucb', 'c-ucb', 'hac-ucb', 'db', 'sentry'], doubt: 0.1 },
      text: () => [
        'Each policy is a point: what it loses at worst where the context tells everything (to the right), and what it loses at worst anywhere (up). Lower left is better.',
        'The paper’s theorem: the product of both is at least |A|·T, the line, up to constants, as long as the loss anywhere is far below T. c-ucb stands at the upper left and ucb at the lower right. hac-ucb, db and sentry try to be both, and none of them gets near the lower left corner. warden, with which this page opens, lies lower by a constant, about a factor of five here; how the product grows with |A|·T it cannot change either.',
      ],
    },
    {
      title: 'The dial: choose your point',
      look: 'plane-section',
      state: { policies: ['ucb', 'c-ucb', 'sentry'], doubt: 0.1 },
      trace: true,
      text: () => [
        'The policy sentry follows the clicks, but spends a share of its rounds on watching sales alone. That share is the dial: with little doubt it stands beside c-ucb, with full doubt beside ucb, and its trail runs along the frontier. Move the dial and watch both charts and the point.',
        'Which point is yours depends on what a wrong click would cost you.',
      ],
      links: [['docs/which-policy', 'Which policy should I use?'], ['docs/concepts', 'The words, explained'], ['README', 'All of armature']],
    },
  ];

  // Where a step leads to within the site.
  const address = (file) => `../${file.replace('README', 'index')}.html`;
  const addresses = steps.flatMap(({ links = [] }) => links.map(([file]) => address(file)));

  const view = (step) => ({ ...structuredClone(State.defaults), ...structuredClone(step.state) });

  // page: { state(), set(changes), lost(world, policy), trace() }
  function make(page) {
    let at = -1;
    const { h } = Chart;
    const card = find('tour');

    function words() {
      if (at < 0) return;
      const { text, links } = steps[at];
      // Who moves something meanwhile sees other numbers: the words stay with those of the step.
      const moved = text.length > 0 && State.write(page.state()) !== State.write(view(steps[at]));
      find('tour-moved').hidden = !moved;
      if (moved) return;
      const inSite = document.documentElement.hasAttribute('data-site');
      find('tour-text').replaceChildren(
        ...text(page.lost).map((paragraph) => h('p', {}, paragraph)),
        ...(links ? [h('p', {}, 'Go on: ', links.flatMap(([file, title], i) => [i > 0 && ' · ', inSite ? h('a', { href: address(file) }, title) : `${title} (${file}.md)`]))] : []));
    }
    function point() {
      for (const element of document.querySelectorAll('.pointed')) element.classList.remove('pointed');
      if (at < 0) return;
      const target = find(steps[at].look);
      target.classList.add('pointed');
      const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
      const narrow = matchMedia('(max-width: 60rem)').matches; // then the words cover the lower half
      const seen = narrow ? target.querySelector('figure') : target;
      seen.scrollIntoView({ block: narrow ? 'start' : 'center', behavior: calm ? 'auto' : 'smooth' });
    }
    function show(index) {
      at = index;
      const step = steps[at];
      card.hidden = false;
      document.documentElement.dataset.tour = at + 1;
      find('tour-count').textContent = `Step ${at + 1} of ${steps.length}`;
      find('tour-title').textContent = step.title;
      find('tour-back').disabled = at === 0;
      find('tour-next').textContent = at === steps.length - 1 ? 'Done' : 'Next';
      page.set(view(step));
      words();
      point();
      find('tour-title').focus({ preventScroll: true });
      if (step.trace) page.trace();
    }
    function leave() {
      if (at < 0) return;
      at = -1;
      card.hidden = true;
      delete document.documentElement.dataset.tour;
      point();
      find('tour-start').focus({ preventScroll: true });
    }

    find('tour-start').addEventListener('click', () => show(0));
    find('tour-back').addEventListener('click', () => show(at - 1));
    find('tour-next').addEventListener('click', () => (at === steps.length - 1 ? leave() : show(at + 1)));
    find('tour-leave').addEventListener('click', leave);
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') leave();
    });
    return { words };
  }

  return { make, addresses };
})();
