// Opens a report in headless Chromium and uses it: node report_test.js SAMPLE_PAGE [SCREENSHOTS].
// SAMPLE_PAGE is the program that writes a report of made-up results; with a folder for screenshots,
// what was seen is kept there.
'use strict';

const assert = require('assert');
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { chromium } = require(path.join(__dirname, '../../web/node_modules/playwright-core'));

const [samplePage, screenshots] = process.argv.slice(2);
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const expectedFigures = [
  'regret', 'final-horizon', 'final-dial', 'ratio', 'ratio-q95', 'box', 'share', 'pulls', 'plane', 'time',
  'regret-linear',
];

// A page that notes everything it should not do.
async function openReport(browser, file, colorScheme, viewport = { width: 1200, height: 900 }) {
  const page = await browser.newPage({ colorScheme, viewport });
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (url !== `file://${file}` && !url.startsWith('data:') && !url.startsWith('blob:'))
      complaints.push(`asked for ${url}`);
  });
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => document.documentElement.dataset.figures !== undefined);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.figures), 'drawn');
  return { page, complaints };
}

async function checkFigures(page) {
  const drawn = await page.$$eval('figure.plot', (figures) =>
    figures.map((figure) => ({
      name: figure.id,
      caption: figure.querySelector('figcaption').textContent,
      marks: [...figure.querySelectorAll('svg .mark-line path, svg .mark-area path, svg .mark-rect path, svg .mark-symbol path')]
        .filter((mark) => !mark.closest('.role-legend') && (mark.getAttribute('d') ?? '').length > 10).length,
      broken: /NaN|Infinity|undefined/.test(figure.querySelector('svg').outerHTML),
      legends: figure.querySelectorAll('svg .role-legend').length,
      width: figure.querySelector('svg').getBoundingClientRect().width,
    })),
  );
  assert.deepEqual(drawn.map((figure) => figure.name), expectedFigures);
  for (const figure of drawn) {
    assert.ok(figure.marks > 0, `${figure.name} has no marks`);
    assert.ok(!figure.broken, `${figure.name} has a number that is none`);
    assert.ok(figure.caption.length > 30, `${figure.name} has no caption`);
    assert.ok(figure.width > 300 && figure.width <= 1200, `${figure.name} is ${figure.width} wide`);
    // Boxes and times carry their names on the axis, lines at their ends where there is room.
    const expected = ['box', 'time'].includes(figure.name) ? [0] : /^(regret|final)/.test(figure.name) ? [0, 1] : [1];
    assert.ok(expected.includes(figure.legends), `${figure.name} has ${figure.legends} legends`);
  }
}

async function checkTooltip(page, figure, mark, words) {
  const place = page.locator(`#${figure} svg.marks`);
  await place.scrollIntoViewIfNeeded();
  const target = page.locator(`#${figure} svg.marks ${mark}`).first();
  const box = await target.boundingBox();
  await page.mouse.move(box.x + box.width / 2 - 3, box.y + box.height / 2);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 3 });
  const tooltip = page.locator('#vg-tooltip-element.visible');
  await tooltip.waitFor({ timeout: 60000 });
  const text = await tooltip.innerText();
  for (const word of words) assert.ok(text.includes(word), `tooltip of ${figure}: ${text}`);
  await page.mouse.move(2, 2);
}

async function checkExport(page, figure) {
  const menu = page.locator(`#${figure} details`);
  await menu.locator('summary').click();
  for (const [kind, start] of [['SVG', '<svg'], ['PNG', '\x89PNG']]) {
    const link = menu.locator('a', { hasText: kind });
    await link.dispatchEvent('mousedown'); // that is when vega-embed makes the file
    await page.waitForFunction((a) => a.href.startsWith('data:') || a.href.startsWith('blob:'), await link.elementHandle());
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    assert.equal(download.suggestedFilename(), `${figure}.${kind.toLowerCase()}`);
    const bytes = fs.readFileSync(await download.path());
    assert.ok(bytes.subarray(0, 400).toString('latin1').includes(start), `${kind} of ${figure}`);
    assert.ok(bytes.length > 2000);
  }
  assert.equal(await menu.locator('a').count(), 2); // nothing that leads to another site
}

async function luminance(page, selector, property) {
  const colour = await page.locator(selector).first().evaluate(
    (element, name) => getComputedStyle(element)[name], property);
  const [red, green, blue] = colour.match(/[\d.]+/g).map(Number);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

async function checkScheme(browser, file, scheme) {
  const { page, complaints } = await openReport(browser, file, scheme);
  await checkFigures(page);
  await checkTooltip(page, 'regret', '.mark-line path', ['policy', 'mean regret', 'interval from']);
  await checkTooltip(page, 'box', '.mark-rect path', ['median', '95%']);
  await checkTooltip(page, 'plane', '.mark-symbol path', ['benign regret', 'worst-case regret']);
  await checkTooltip(page, 'pulls', '.mark-rect path', ['arm', 'mean plays']);
  await checkExport(page, 'regret');
  const paper = await luminance(page, 'html', 'backgroundColor');
  const ink = await luminance(page, 'body', 'color');
  const axis = await luminance(page, '#regret svg .role-axis-title text', 'fill');
  if (scheme === 'dark') assert.ok(paper < 0.2 && ink > 0.8 && axis > 0.8, `${paper} ${ink} ${axis}`);
  else assert.ok(paper > 0.95 && ink < 0.2 && axis < 0.2, `${paper} ${ink} ${axis}`);
  if (screenshots) {
    for (const name of expectedFigures)
      await page.locator(`#${name}`).screenshot({ path: path.join(screenshots, `${scheme}-${name}.png`) });
    await page.screenshot({ path: path.join(screenshots, `${scheme}-page.png`), fullPage: true });
  }
  assert.deepEqual(complaints, []);
  await page.close();
}

// A reader who changes the scheme while reading sees the figures change with it.
async function checkChangeOfScheme(browser, file) {
  const { page, complaints } = await openReport(browser, file, 'light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(
    () => getComputedStyle(document.querySelector('#regret svg .role-axis-title text')).fill === 'rgb(236, 236, 236)');
  assert.deepEqual(complaints, []);
  await page.close();
}

// What a reader sees without scrolling, at the width of a desk and of a telephone; and that the page
// itself never scrolls sideways, nor shrinks its type.
async function checkWidth(browser, file, width, height) {
  const { page, complaints } = await openReport(browser, file, 'light', { width, height });
  const seen = await page.evaluate(() => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    const typeOf = (figure) => {
      const svg = figure.querySelector('svg');
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      const sizes = [...svg.querySelectorAll('text')]
        .filter((text) => text.textContent.trim() !== '')
        .map((text) => parseFloat(getComputedStyle(text).fontSize) * scale);
      const plot = Math.max(...[...svg.querySelectorAll('.role-axis-grid, .role-axis')].map((axis) => axis.getBoundingClientRect().width));
      return { name: figure.id, least: Math.min(...sizes), right: svg.getBoundingClientRect().right, plot };
    };
    return {
      matrix: box('#answer table'),
      firstRow: box('#answer tbody tr'),
      heading: document.querySelector('#answer thead').innerText,
      sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      figures: [...document.querySelectorAll('figure.plot')].map(typeOf),
      titles: [...document.querySelectorAll('#regret svg .role-axis-title text')].map((text) => text.textContent),
      panels: JSON.parse(document.querySelector('#regret script[type="application/json"]').textContent).concat.length,
      graph: (({ right, width }) => ({ right, width }))(document.querySelector('figure.causal .wide').getBoundingClientRect()),
      hidden: [...document.querySelectorAll('.scroll')].map((scroll) => scroll.scrollWidth - scroll.clientWidth),
    };
  });
  assert.ok(seen.matrix.top > 0 && seen.firstRow.bottom < height * 0.6, `at ${width} the answer is not on the first screen`);
  assert.ok(seen.heading.includes('c-ucb'), seen.heading);
  assert.ok(seen.sideways <= 0, `at ${width} the page is ${seen.sideways} too wide`);
  assert.ok(seen.graph.width > 200 && seen.graph.right <= width, `at ${width} the graph ends at ${seen.graph.right}`);
  for (const figure of seen.figures) {
    assert.ok(figure.least >= 11, `at ${width} ${figure.name} has type of ${figure.least}px`);
    assert.ok(figure.right <= width, `at ${width} ${figure.name} ends at ${figure.right}`);
  }
  if (width < 500) {
    // One panel to a row: each says what its height means, and the last one what runs across.
    const count = (title) => seen.titles.filter((other) => other === title).length;
    assert.ok(seen.panels > 1);
    assert.equal(count('mean regret'), seen.panels);
    assert.equal(count('round t'), 1);
    for (const figure of seen.figures)
      assert.ok(figure.plot > 0.4 * width, `at ${width} the panels of ${figure.name} are ${figure.plot} wide`);
  }
  // Hints fade in; whoever looks long enough has them. What is folded is not looked at.
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.wide:not(details:not([open]) *)')].every((wide) => {
      const scroll = wide.querySelector('.scroll');
      const hint = Number(getComputedStyle(wide, '::after').opacity);
      return hint === (scroll.scrollWidth - scroll.clientWidth > 1 ? 1 : 0);
    }));
  if (width < 500) assert.ok(seen.hidden.some((pixels) => pixels > 1), 'no table scrolls: nothing was tested');
  if (screenshots) await page.screenshot({ path: path.join(screenshots, `first-screen-${width}.png`) });
  // Turned on its side, or dragged wider: the figures follow.
  const widest = Math.max(...seen.figures.map((figure) => figure.right));
  if (width < 500) {
    await page.setViewportSize({ width: 1000, height });
    await page.waitForFunction(
      (before) => [...document.querySelectorAll('figure.plot svg')].some((svg) => svg.getBoundingClientRect().right > before + 100),
      widest);
  }
  assert.deepEqual(complaints, []);
  await page.close();
}

// On paper nothing is folded or cut off, and nobody needs a menu.
async function checkPrint(browser, file) {
  const { page, complaints } = await openReport(browser, file, 'light');
  await page.emulateMedia({ media: 'print' });
  const printed = await page.evaluate(() => ({
    contents: getComputedStyle(document.querySelector('nav')).display,
    scroll: getComputedStyle(document.querySelector('.scroll')).overflowX,
  }));
  assert.deepEqual(printed, { contents: 'none', scroll: 'visible' });
  const pdf = await page.pdf({ preferCSSPageSize: true, format: 'A4' });
  assert.equal(pdf.subarray(0, 4).toString(), '%PDF');
  assert.ok(await page.evaluate(() => [...document.querySelectorAll('details.shorter')].every((folded) => folded.open)));
  assert.deepEqual(complaints, []);
  await page.close();
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'armature-web-'));
  let browser;
  try {
    execFileSync(samplePage, [folder], { stdio: 'inherit' });
    browser = await chromium.launch({
      executablePath: browserPath,
      args: ['--no-sandbox', '--disable-gpu'],
    });
    const file = path.join(folder, 'report.html');
    for (const scheme of ['light', 'dark']) await checkScheme(browser, file, scheme);
    await checkChangeOfScheme(browser, file);
    for (const [width, height] of [[1400, 900], [390, 844]]) await checkWidth(browser, file, width, height);
    await checkPrint(browser, file);
    if (screenshots) fs.cpSync(folder, path.join(screenshots, 'report'), { recursive: true });
  } finally {
    await browser?.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log('The report opens, shows and exports what it should, light and dark, wide and narrow.');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
