// Draws the figures of a report into its page, in the reader's colours and at the page's width, and
// again when these change; and shows where a table goes on beyond its edge.
'use strict';

(function () {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const views = [];
  const leastPanel = 110; // pixels; below that a panel shows nothing
  const letter = 0.56; // mean width of a letter, against the type's size

  const panelsOf = (spec) => spec.concat ?? [spec];
  const layersOf = (view) => [view, ...(view.layer ?? []).flatMap(layersOf)];

  // Lines of at most so many letters, broken at blanks.
  function broken(text, letters) {
    const lines = [];
    for (const word of [text].flat().join(' ').split(' ')) {
      const last = lines.length - 1;
      if (last >= 0 && lines[last].length + 1 + word.length <= letters) lines[last] += ' ' + word;
      else lines.push(word);
    }
    return lines;
  }

  // Only the outermost panels have titles at their axes: with fewer columns these are others. What
  // is hidden at an axis still stands in its encoding.
  function retitle(panels, columns) {
    const eachAxis = (visit) =>
      panels.forEach((panel, place) =>
        layersOf(panel).forEach((layer) => {
          for (const channel of ['x', 'y']) {
            const axis = layer.encoding?.[channel];
            if (axis?.field !== undefined && axis.axis !== null) visit((axis.axis ??= {}), channel, place);
          }
        }),
      );
    eachAxis((axis, channel, place) => {
      const outer = channel === 'x' ? place + columns >= panels.length : place % columns === 0;
      if (outer) delete axis.title;
      else axis.title = null;
    });
  }

  // As figures/looks.cpp counts them: each column is as wide as its longest name.
  function legendColumns(names, most, available) {
    for (let rows = 1; rows < names.length; rows++) {
      const columns = Math.ceil(names.length / rows);
      const widest = Array(columns).fill(0);
      names.forEach((name, i) => (widest[i % columns] = Math.max(widest[i % columns], String(name).length * 12 * letter + 50)));
      if (columns <= most && widest.reduce((sum, width) => sum + width, 0) <= available) return columns;
    }
    return 1;
  }

  // The same figure with so many columns, and each panel narrower by so many pixels (or wider).
  // What is placed by pixels beyond a panel's right edge moves with the edge.
  function relaid(spec, columns, narrower, available, inset) {
    const laid = structuredClone(spec);
    const panels = panelsOf(laid);
    if (columns !== laid.columns && laid.concat) {
      laid.columns = columns;
      retitle(panels, columns);
    }
    for (const panel of panels) {
      if (typeof panel.width !== 'number') continue;
      const before = panel.width;
      panel.width = Math.max(leastPanel, Math.floor(before - narrower));
      for (const layer of layersOf(panel))
        for (const channel of ['x', 'x2']) {
          const place = layer.encoding?.[channel];
          if (typeof place?.value !== 'number') continue;
          place.value = place.value >= before ? place.value - before + panel.width : (place.value * panel.width) / before;
        }
      if (panel.title?.text) panel.title.text = broken(panel.title.text, (panel.width + 60) / (13 * letter));
    }
    if (laid.title?.text) laid.title.text = broken(laid.title.text, available / (16 * letter));
    if (laid.title?.subtitle)
      laid.title.subtitle = [laid.title.subtitle].flat().flatMap((line) => broken(line, available / (12 * letter)));
    for (const panel of panels)
      for (const layer of layersOf(panel))
        for (const place of Object.values(layer.encoding ?? {})) {
          if (!place?.legend?.columns) continue;
          place.legend.columns = legendColumns(place.scale?.domain ?? [], place.legend.columns, available - inset);
          place.legend.labelLimit = Math.min(place.legend.labelLimit ?? available, available - 50);
        }
    return laid;
  }

  async function embed(place, spec) {
    // Vega-Lite speaks of selections it could not merge on the console; errors are thrown.
    return vegaEmbed(place.querySelector('.drawing'), spec, {
      renderer: 'svg',
      logLevel: vega.Error,
      downloadFileName: place.id,
      scaleFactor: { png: 3 },
      actions: { export: { svg: true, png: true }, source: false, compiled: false, editor: false },
      i18n: { CLICK_TO_VIEW_ACTIONS: 'Save this figure', SVG_ACTION: 'Save as SVG', PNG_ACTION: 'Save as PNG' },
      tooltip: { theme: dark.matches ? 'dark' : 'light' },
    });
  }

  const naturalWidth = (place) => place.querySelector('.drawing svg').viewBox.baseVal.width;

  // A legend begins where the first panel does, right of what is written beside it.
  function legendInset(place) {
    const legend = place.querySelector('.drawing svg .role-legend');
    if (!legend) return 0;
    const svg = place.querySelector('.drawing svg').getBoundingClientRect();
    return ((legend.getBoundingClientRect().left - svg.left) * naturalWidth(place)) / svg.width;
  }

  function availableWidth(place) {
    const drawing = place.querySelector('.drawing');
    return drawing.clientWidth - parseFloat(getComputedStyle(drawing).paddingRight || 0);
  }

  // As many as leave a panel most of its width.
  function columnsFor(spec, most, natural, available) {
    const panel = Math.max(...panelsOf(spec).map((view) => (typeof view.width === 'number' ? view.width : 0)));
    for (let columns = most; columns > 1; columns--) {
      const over = (natural * columns) / most - available;
      if (panel - over / columns >= Math.max(150, 0.6 * panel)) return columns;
    }
    return 1;
  }

  // As it is where that fits. Else with fewer columns, and then with panels as wide as the page
  // allows: how much room names beside a panel take is known only once it is drawn, so it is drawn
  // and mended. Shrinking the picture instead would shrink its type.
  async function draw(place) {
    const spec = JSON.parse(place.querySelector('script[type="application/json"]').textContent);
    spec.config = vega.mergeConfig(spec.config ?? {}, armatureTheme(dark.matches));
    let view = await embed(place, spec);
    const available = availableWidth(place);
    const natural = naturalWidth(place);
    if (natural > available) {
      const most = spec.columns ?? 1;
      const columns = columnsFor(spec, most, natural, available);
      const inset = legendInset(place);
      let narrower = 0;
      for (let attempt = 0; attempt < 4; attempt++) {
        view.finalize();
        view = await embed(place, relaid(spec, columns, narrower, available, inset));
        const over = naturalWidth(place) - available;
        const slack = columns === 1 ? 12 : available; // one column is as wide as the page
        if (over <= 0 && over > -slack) break;
        narrower += Math.ceil(over / columns) + (over > 0 ? 1 : 0);
      }
    }
    views.push(view);
  }

  let width = 0;
  async function drawAll() {
    width = document.querySelector('main').clientWidth;
    while (views.length > 0) views.pop().finalize();
    try {
      for (const place of document.querySelectorAll('figure.plot')) await draw(place);
      document.documentElement.dataset.figures = 'drawn';
    } catch (error) {
      document.documentElement.dataset.figures = 'failed';
      throw error;
    }
  }

  // One drawing at a time: the next begins when the last one has ended, and only once.
  let drawing = Promise.resolve();
  let waiting = false;
  function redraw() {
    if (waiting) return;
    waiting = true;
    drawing = drawing.then(() => {
      waiting = false;
      return drawAll();
    });
  }

  function showEdge(box) {
    const scroll = box.querySelector('.scroll');
    box.classList.toggle('more', scroll.scrollLeft < scroll.scrollWidth - scroll.clientWidth - 1);
  }

  for (const box of document.querySelectorAll('.wide')) {
    box.querySelector('.scroll').addEventListener('scroll', () => showEdge(box), { passive: true });
    new ResizeObserver(() => showEdge(box)).observe(box);
  }

  window.armatureViews = views;
  dark.addEventListener('change', redraw);
  let settling;
  window.addEventListener('resize', () => {
    clearTimeout(settling);
    settling = setTimeout(() => {
      if (document.querySelector('main').clientWidth !== width) redraw();
    }, 150);
  });
  // Paper has no clicks: what is folded is unfolded there.
  window.addEventListener('beforeprint', () => {
    for (const folded of document.querySelectorAll('details.shorter')) folded.open = true;
  });
  redraw();
})();
