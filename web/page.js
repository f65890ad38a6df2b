// Draws the figures of a report into its page, in the reader's colours, and again when these change.
'use strict';

(function () {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const views = [];

  async function draw(place) {
    const spec = JSON.parse(place.querySelector('script[type="application/json"]').textContent);
    spec.config = vega.mergeConfig(spec.config ?? {}, armatureTheme(dark.matches));
    // Vega-Lite speaks of selections it could not merge on the console; errors are thrown.
    const result = await vegaEmbed(place.querySelector('.drawing'), spec, {
      renderer: 'svg',
      logLevel: vega.Error,
      downloadFileName: place.id,
      scaleFactor: { png: 3 },
      actions: { export: { svg: true, png: true }, source: false, compiled: false, editor: false },
      i18n: { CLICK_TO_VIEW_ACTIONS: 'Save this figure', SVG_ACTION: 'Save as SVG', PNG_ACTION: 'Save as PNG' },
      tooltip: { theme: dark.matches ? 'dark' : 'light' },
    });
    views.push(result);
  }

  async function drawAll() {
    while (views.length > 0) views.pop().finalize();
    try {
      for (const place of document.querySelectorAll('figure.plot')) await draw(place);
      document.documentElement.dataset.figures = 'drawn';
    } catch (error) {
      document.documentElement.dataset.figures = 'failed';
      throw error;
    }
  }

  window.armatureViews = views;
  dark.addEventListener('change', drawAll);
  drawAll();
})();
