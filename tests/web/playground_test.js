// Opens the playground in headless Chromium, from a disk and from a server, and uses it:
// node playground_test.js FOLDER ARMATURE [SCREENSHOTS]. FOLDER is what `make playground` built, ARMATURE the native command,
// whose numbers the page's must be; with a folder for screenshots, what was seen is kept there.
'use strict';

const assert = require('assert');
const { execFileSync } = require('child_process');
const fs = require('fs');
const http = require('http');
const path = require('path');
const { pathToFileURL } = require('url');
const { chromium } = require(path.join(__dirname, '../../web/node_modules/playwright-core'));

const [folder, armature, screenshots] = process.argv.slice(2);
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const onDisk = pathToFileURL(path.join(folder, 'index.html')).href;
const patience = 60000; // for events that come at once where nobody else is at work
const small = 'horizon=1e3&replications=5'; // where it does not matter what is computed

// --- The page -------------------------------------------------------------------------------------

// A page that notes everything it should not do: complaints of the console, and requests for anything but its own files.
async function openPage(browser, url, options) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  page.setDefaultTimeout(patience);
  page.complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  const home = url.split('#')[0].replace(/[^/]*$/, '');
  page.on('request', (request) => {
    if (!request.url().startsWith(home) && !/^(data|blob):/.test(request.url())) page.complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  return page;
}
async function closeClean(page) {
  assert.deepEqual(page.complaints, []);
  await page.close();
}
// By locators alone: waitForFunction evaluates text in the page, which the page's policy forbids.
const done = (page) => page.locator('html[data-done]').waitFor();
const text = (page, selector) => page.locator(selector).innerText();
const fragment = async (page) => new URLSearchParams(new URL(page.url()).hash.slice(1));

async function snap(page, name, options) {
  if (screenshots) await page.screenshot({ path: path.join(screenshots, `playground-${name}.png`), fullPage: true, ...options });
}

// Regret of every policy in one of the two worlds, as the table has it: { policy text: digits }.
async function shown(page, side) {
  const rows = await page.locator('#numbers tbody tr').all();
  const entries = await Promise.all(rows.map(async (row) => [
    (await row.locator('th').innerText()).trim(),
    await row.locator('data').nth(side === 'truth' ? 0 : 1).getAttribute('value'),
  ]));
  return Object.fromEntries(entries);
}

// What the copied command prints, run by a shell as a person would.
function printed(command) {
  assert.match(command, /^armature simulate /);
  const output = execFileSync('sh', ['-c', `${command} --format json --quiet`], {
    env: { ...process.env, PATH: `${path.dirname(path.resolve(armature))}:${process.env.PATH}` }, encoding: 'utf8', maxBuffer: 1 << 26,
  });
  return Object.fromEntries(JSON.parse(output).results.map((result) => [result.policy, String(result.mean_regret)]));
}

async function copied(page, button) {
  await page.locator('#copied').evaluate((told) => (told.textContent = '')); // what the button says goes again by itself
  await button.click();
  await page.locator('#copied').filter({ hasText: 'done' }).waitFor({ state: 'attached' });
  return page.evaluate(() => navigator.clipboard.readText());
}

// --- What is tested -------------------------------------------------------------------------------

async function checkFirstSight(browser) {
  const start = Date.now();
  const page = await openPage(browser, onDisk);
  await page.locator('#truth-chart .curve').first().waitFor({ state: 'attached' });
  const first = Date.now() - start;
  await done(page);
  console.log(`first curve ${first} ms after opening, all of it ${Date.now() - start} ms`);
  assert.equal(await page.locator('#truth-chart .curve').count(), 4);
  assert.equal(await page.locator('#plane .place').count(), 4);
  const words = await text(page, '#happened');
  assert.match(words, /^Where the click tells everything, c-ucb lost least .* ucb most, \d+ times as much; where the best mail leaves no trace, that same c-ucb lost 10,000/);
  assert.ok(!/NaN|Infinity|undefined/.test(await page.locator('main').innerHTML()));
  assert.equal(await text(page, '#numbers caption'), 'Regret after 10⁵ rounds; 20 of 20 replications are in');
  const mean = page.locator('#numbers data').first();
  assert.equal(await mean.getAttribute('title'), await mean.getAttribute('value'));
  const [, withoutScripts] = /<noscript>[^]*?<code>(.*)<\/code>/.exec(fs.readFileSync(path.join(folder, 'index.html'), 'utf8'));
  assert.equal(withoutScripts, await text(page, '#lie-command'));
  // What the tour says of warden's constant.
  const place = await page.locator('#plane .place[data-policy^="warden"] title').textContent();
  const [benign, any] = [...place.matchAll(/([\d,]+) in /g)].map(([, digits]) => Number(digits.replaceAll(',', '')));
  assert.ok(Math.abs(Math.log(2e5 / (benign * any) / 5)) < 0.3, place);
  await page.locator('#lie-chart').focus();
  await page.keyboard.press('ArrowLeft');
  assert.match(await text(page, '#lie-readout'), /^Round 100,000: ucb [\d,]+ \([\d,]+ to [\d,]+\), c-ucb 10,000/);
  return page;
}

async function checkNumbers(page) {
  for (const side of ['truth', 'lie']) {
    const command = await copied(page, page.locator(`[data-copy="${side}-command"]`));
    assert.deepEqual(await shown(page, side), printed(command), command);
  }
  // By keyboard: less doubt, another text, other numbers, and again those of the command.
  await page.locator('#doubt').focus();
  await page.keyboard.press('ArrowLeft');
  await page.locator('#doubt-texts').filter({ hasText: 'sentry:share=0.056' }).waitFor(); // no longer done by then
  await done(page);
  const command = await text(page, '#lie-command');
  assert.match(command, /--policy sentry:share=0.056 /);
  assert.deepEqual(await shown(page, 'lie'), printed(command));
  assert.ok((await page.locator('#plane .step').count()) >= 4, 'the dial left no trail'); // sentry's and warden's, before and after
}

async function checkLink(browser, page) {
  await page.locator('#wrong').press('ArrowRight'); // which chooses the world that it is about
  assert.equal(await page.locator('#lie-world').inputValue(), 'semi-benign');
  await page.locator('#actions').press('ArrowLeft');
  await page.locator('label.policy', { hasText: /^moss$/ }).click();
  await page.locator('#horizon').press('Home');
  await page.locator('#seed').fill('18446744073709551615');
  await page.locator('label', { hasText: 'Linear axes' }).click();
  await done(page);
  const link = await copied(page, page.locator('#copy-link'));
  assert.equal(link, page.url());
  const keys = await fragment(page);
  assert.deepEqual(['lie', 'wrong', 'actions', 'horizon', 'seed', 'axes', 'policies'].map((key) => keys.get(key)),
    ['semi-benign', '0.4', '10', '1e3', '18446744073709551615', 'linear', 'ucb,c-ucb,sentry,warden,moss']);
  const again = await openPage(browser, link);
  await done(again);
  for (const place of ['#numbers', '#lie-command', '#truth-chart', '#lie-chart', '#plane', '#happened'])
    assert.equal(await again.locator(place).innerHTML(), await page.locator(place).innerHTML(), `${place} is not what it was`);
  assert.equal(again.url(), link);
  assert.deepEqual(await shown(again, 'lie'), printed(await text(again, '#lie-command')));
  // Another link in the same page.
  await again.evaluate((hash) => (location.hash = hash), `${small}&policies=ucb,ts&truth=random-benign`);
  await again.locator('#numbers tbody tr[data-policy="ts"]').waitFor();
  await done(again);
  assert.equal(await again.locator('#truth-world').inputValue(), 'random-benign');
  assert.equal(await again.locator('#numbers tbody tr').count(), 2);
  await closeClean(again);
}

async function checkBrokenLink(browser) {
  const page = await openPage(browser, `${onDisk}#${small}&gap=x&bogus=1&seed=<img src=x onerror=alert(1)>&policies=nobody,ucb,c-ucb&actions=%E0%A4%A`);
  await done(page);
  const trouble = await text(page, '#trouble');
  for (const words of ['gap: got “x”, expected a number from 0.005 to 0.25', '“bogus” is not a setting', 'seed: got “<img', 'there is no “nobody”', 'actions: got “%E0%A4%A”'])
    assert.ok(trouble.toLowerCase().includes(words.toLowerCase()), `${words}: ${trouble}`);
  assert.deepEqual(Object.keys(await shown(page, 'truth')), ['ucb', 'c-ucb']);
  await closeClean(page);
}

// Few rounds, many actions, no power of ten between the least and the most of an axis: drawn all the same, and at once.
async function checkShort(browser) {
  const page = await openPage(browser, `${onDisk}#horizon=90&replications=2&policies=uniform,round-robin`);
  for (const link of ['', 'horizon=10&actions=1000&contexts=50&replications=2&axes=linear']) {
    if (link) await page.evaluate((hash) => (location.hash = hash), link);
    await page.locator(`html[data-done] #truth-command:has-text("${link ? 'actions=1000' : '--horizon 90'}")`).waitFor();
    assert.ok(!/NaN|Infinity|undefined/.test(await page.locator('main').innerHTML()));
  }
  await closeClean(page);
}

async function checkCancel(browser) {
  const page = await openPage(browser, `${onDisk}#horizon=1e6&replications=1000&policies=ucb,c-ucb`);
  await page.locator('#truth-chart .curve').first().waitFor({ state: 'attached' });
  await page.locator('#lie-chart .curve').first().waitFor({ state: 'attached' });
  await page.locator('#run').click();
  await page.locator('#status').filter({ hasText: /^Stopped after \d+ replications?\.$/ }).waitFor();
  const [stoppedAfter] = (await text(page, '#status')).match(/\d+/);
  assert.equal(await text(page, '#numbers caption'), `Regret after 10⁶ rounds; ${stoppedAfter} of 1,000 replications are in`);
  const progress = Number(await page.locator('#progress').getAttribute('value'));
  assert.ok(progress < 1, `nothing was left to cancel: ${progress}`);
  assert.equal(await page.locator('html[data-done]').count(), 0);
  // Stopped before anything came: nothing is awaited.
  await page.evaluate(() => {
    const slider = document.getElementById('replications');
    slider.value = 0;
    slider.dispatchEvent(new Event('input'));
    document.getElementById('run').click();
  });
  assert.match(await text(page, '#numbers caption'), /; 0 of 2 replications are in$/);
  assert.deepEqual((await page.locator('#numbers tbody td').allInnerTexts()).filter(Boolean), ['–', '–', '–', '–']);
  // Whatever is changed starts it again.
  await page.locator('#horizon').press('Home');
  await page.locator('#replications').press('Home');
  await done(page);
  assert.deepEqual(await shown(page, 'truth'), printed(await text(page, '#truth-command')));
  // And a change while it runs: what comes from before is not taken for what comes after.
  await page.locator('#replications').press('End');
  await page.locator('#seed').fill('7');
  await page.locator('#replications').press('Home');
  await done(page);
  assert.deepEqual(await shown(page, 'lie'), printed(await text(page, '#lie-command')));
  await closeClean(page);
}

async function checkLeaps(browser) {
  const page = await openPage(browser, `${onDisk}#horizon=1e12&replications=2&policies=c-ucb,hac-ucb,ts&lie=bilodeau-confounded&gap=0.2`);
  await page.locator('#left-out').filter({ hasText: 'hardly leap or not at all: ts.' }).waitFor();
  await page.locator('#lie-readout').filter({ hasText: 'Not beyond 10⁶ rounds' }).waitFor();
  assert.ok(await page.locator('#lie-command').isHidden(), 'a command for what was not computed');
  await done(page);
  const shownThere = await shown(page, 'truth');
  assert.deepEqual(Object.keys(shownThere), ['c-ucb', 'hac-ucb']);
  assert.deepEqual(shownThere, printed(await text(page, '#truth-command')));
  assert.match(await text(page, '#happened'), /\(after only 2 replications: too few to be settled\)\.$/);
  // Nothing is awaited where the page goes no further.
  assert.deepEqual((await page.locator('#numbers tbody td').allInnerTexts()).filter((words) => /[…–]/.test(words)), ['–', '–']);
  // One that is left out has no dial to move, and somebody who chose is not told to choose.
  const go = (hash) => page.evaluate((link) => (location.hash = link), hash);
  // Where it goes on, nothing of that is left, also before there is an answer.
  await page.evaluate(() => {
    const world = document.getElementById('lie-world');
    world.value = 'hidden-arm';
    world.dispatchEvent(new Event('change'));
    document.getElementById('run').click();
  });
  await page.locator('#run').filter({ hasText: /^Run$/ }).waitFor();
  assert.equal(await text(page, '#lie-readout'), '');
  await go('horizon=1e7&replications=2&policies=ucb,db');
  await page.locator('#doubt-texts').filter({ hasText: /^None of the policies that run has a dial/ }).waitFor();
  await go('horizon=1e7&policies=ts');
  await page.locator('#status').filter({ hasText: /^Left out beyond 10⁶ rounds, because they hardly leap or not at all: ts\.$/ }).waitFor();
  await go('policies=');
  await page.locator('#status').filter({ hasText: /^Choose a policy\.$/ }).waitFor();
  await closeClean(page);
}

// `fixed` plays the best action of benign worlds unless told otherwise: its place is that of who plays another one.
async function checkFixed(browser) {
  const page = await openPage(browser, `${onDisk}#${small}&policies=ucb,fixed`);
  await done(page);
  const across = async (policy) => {
    const place = await page.locator(`#plane .place[data-policy^="${policy}"]`).getAttribute('transform');
    return Number(/translate\(([\d.]+)/.exec(place)[1]);
  };
  assert.ok(await across('fixed') > await across('ucb'), 'nobody gains by the order of actions');
  await closeClean(page);
}

// A seed that is none is marked as long as it stands there.
async function checkSeed(browser) {
  const page = await openPage(browser, `${onDisk}#${small}`);
  await done(page);
  const seed = page.locator('#seed');
  for (let i = 0; i < 2; i++) { // with something else to change, and without
    await seed.fill('x');
    assert.equal(await seed.getAttribute('aria-invalid'), 'true');
    await page.locator('#reset').click();
    await page.locator('#seed:not([aria-invalid])').waitFor();
    assert.equal(await seed.inputValue(), '1');
    assert.ok(await seed.evaluate((input) => input.validity.valid));
  }
  // What a link says stands there, also while somebody writes.
  await seed.fill('x');
  await page.evaluate((hash) => (location.hash = hash), `${small}&seed=12`);
  await page.locator('#seed:not([aria-invalid])').waitFor();
  assert.equal(await seed.inputValue(), '12');
  await done(page);
  await closeClean(page);
}

// Where there is no clipboard the old way is gone, and if that fails, too, nobody is told that it is done.
async function checkCopies(browser) {
  const page = await browser.newPage();
  page.setDefaultTimeout(patience);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.execCommand = () => globalThis.lets ?? false;
  });
  await page.goto(`${onDisk}#${small}`);
  await done(page);
  for (const [lets, words] of [[false, /does not let the page copy/], [true, /done/]]) {
    await page.evaluate((may) => (globalThis.lets = may), lets);
    await page.locator('#copy-link').focus();
    await page.keyboard.press('Enter');
    await page.locator('#copied').filter({ hasText: words }).waitFor({ state: 'attached' });
    assert.equal(await page.evaluate(() => document.activeElement.id), 'copy-link');
  }
  await page.close();
}

// A trace that waits for the curves is not forgotten over the axes, and is said to be done.
async function checkTrace(browser) {
  const page = await openPage(browser, `${onDisk}#${small}&policies=ucb,sentry`);
  await done(page);
  await page.evaluate(() => {
    document.getElementById('run').click();
    document.getElementById('trace').click();
    document.getElementById('axes').click();
  });
  await done(page);
  assert.ok(await page.locator('#plane .step').count() >= 6, 'no trail');
  assert.equal(await text(page, '#status'), 'Done: 5 replications in each world, and the whole dial.');
  await closeClean(page);
}

// What an engine complained of is gone when the page runs again.
async function checkTrouble(browser) {
  const page = await openPage(browser, `${onDisk}#${small}&seed=x`);
  await done(page);
  assert.ok(await page.locator('#trouble').isVisible());
  await page.locator('#run').click();
  await page.locator('#trouble').waitFor({ state: 'hidden' });
  await done(page);
  await closeClean(page);
}

// The sentence is made of numbers alone: with made-up ones, all that it can say.
async function checkWords(page) {
  const said = (...worlds) => page.evaluate((asked) => Words.happened(asked.map(({ where, means, apart, replications, differences = {} }) => ({
    where,
    answer: {
      results: Object.entries(means).map(([policy, mean]) => ({ policy, mean_regret: mean, standard_error: 1, replications })),
      differences: Object.entries(means).slice(1).map(([policy]) => ({ first: Object.keys(means)[0], second: policy, low95: -20, high95: differences[policy] ?? (apart ? -3 : 5) })),
    },
  }))), worlds);
  const world = (where, means, apart = true, replications = 20) => ({ where, means, apart, replications });
  assert.equal(await said(world('X', { 'c-ucb': 10, ucb: 200 }), world('Y', { ucb: 100, 'c-ucb': 5000 })),
    'Where X, c-ucb lost least (10) and ucb most, 20 times as much; where Y, that same c-ucb lost 5,000, 50 times as much as ucb; over both, ucb gave away least at worst, 190 more than the best.');
  assert.equal(await said(world('X', { 'sentry:share=0.1': 10, ucb: 11 }, false), world('Y', { 'sentry:share=0.1': 10, ucb: 200 })),
    'Where X, sentry lost least (10), and ucb cannot be told from it; where Y, that same ucb lost 200, 20 times as much as sentry; sentry lost least in both.');
  // Of next to nothing, and of nearly the same, no factor; nearly the best is not the best.
  assert.equal(await said(world('X', { fixed: 0, ucb: 0.9 }), world('Y', { ucb: 100, fixed: 104 })),
    'Where X, fixed lost least (0) and ucb most (0.9); where Y, ucb lost least (100) and fixed most (104); over both, ucb gave away least at worst, 0.9 more than the best.');
  assert.equal(await said({ ...world('X', { ucb: 10, ts: 11, moss: 40 }), differences: { ts: 1, moss: -9 } }),
    'Where X, ucb lost least (10), ts cannot be told from it, and moss lost most, 4.0 times as much.');
  assert.equal(await said(world('X', { ucb: 10, ts: 30 }, true, 3)), 'Where X, ucb lost least (10) and ts most, 3.0 times as much (after only 3 replications: too few to be settled).');
  assert.equal(await said(world('X', { ucb: 10, ts: 30 }, true, 1)), 'One replication says nothing yet.');
  assert.deepEqual(await page.evaluate(() => [0, 0.123, 9.96, 99.6, 12345.6, 1e7, 9.96e7, 1e12].map(Words.amount)),
    ['0', '0.12', '10', '100', '12,346', '1.0·10⁷', '1.0·10⁸', '1.0·10¹²']);
  assert.equal(await said(world('X', { ucb: 10 })), 'ucb alone cannot be compared: it takes a second policy that runs.');
}

// Words of a step are about its own numbers, whatever is moved meanwhile.
async function checkMoved(page, words) {
  await page.locator('#horizon').press('Home');
  await page.locator('#tour-moved').waitFor();
  await page.locator('caption', { hasText: '1,000 rounds' }).waitFor();
  assert.equal(await text(page, '#tour-text'), words);
  for (let i = 0; i < 4; i++) await page.locator('#horizon').press('ArrowRight');
  await page.locator('#tour-moved').waitFor({ state: 'hidden' });
  await done(page);
}

// Each step's words against the numbers it shows.
async function checkTour(page) {
  await page.locator('#tour-start').focus();
  await page.keyboard.press('Enter');
  const tables = [];
  for (let step = 1; step <= 5; step++) {
    await page.locator(`html[data-tour="${step}"][data-done]`).waitFor();
    assert.equal(await text(page, '#tour-count'), `Step ${step} of 5`);
    assert.ok(await page.evaluate(() => document.activeElement.id === 'tour-title'));
    const words = await text(page, '#tour-text');
    assert.ok(!/–|NaN/.test(words), words);
    if (step === 1) await checkMoved(page, words);
    tables[step] = { truth: await shown(page, 'truth'), lie: await shown(page, 'lie') };
    await snap(page, `tour-${step}`, { fullPage: false });
    if (step < 5) await page.locator('#tour-next').press('Enter');
  }
  const lost = (step, side, policy) => Number(tables[step][side][policy]);
  assert.ok(Math.abs(lost(1, 'truth', 'ucb') / lost(1, 'lie', 'ucb') - 1) < 0.1, 'ucb: the same in both worlds');
  assert.ok(lost(1, 'truth', 'uniform') > 2 * lost(1, 'truth', 'ucb'), 'ucb is better than uniform');
  assert.ok(lost(2, 'truth', 'c-ucb') < lost(2, 'truth', 'ucb') / 10, 'c-ucb gains where the click tells everything');
  assert.ok(Math.abs(lost(3, 'lie', 'c-ucb') - 10000) < 1, 'c-ucb loses the gap in every round');
  assert.equal((await fragment(page)).get('axes'), 'log');
  // The trail falls from the upper left, near c-ucb, to the lower right, near ucb.
  const trail = await page.evaluate(() => [...document.querySelectorAll('#plane .step')].map((mark) => mark.getAttribute('transform').match(/[\d.]+/g).map(Number)));
  assert.ok(trail.length >= 7, `only ${trail.length} places`);
  assert.ok(trail.at(-1)[0] > trail[0][0] + 50 && trail.at(-1)[1] > trail[0][1] + 50, JSON.stringify(trail));
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('#tour').isHidden());
  assert.ok(await page.evaluate(() => document.activeElement.id === 'tour-start'));
}

async function checkLooks(browser, width, colorScheme) {
  const page = await openPage(browser, screenshots ? onDisk : `${onDisk}#${small}`, { colorScheme, viewport: { width, height: 850 } });
  await done(page);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}: wider than the screen`);
  const [red, green, blue] = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).map(Number));
  assert.equal(red + green + blue < 384, colorScheme === 'dark');
  await snap(page, `${width}-${colorScheme}`);
  await closeClean(page);
}

async function checkServed(browser) {
  const types = { html: 'text/html', css: 'text/css', js: 'text/javascript' };
  const server = http.createServer((request, reply) => {
    const file = path.join(folder, path.basename(new URL(request.url, 'http://here').pathname) || 'index.html');
    if (!fs.existsSync(file)) return reply.writeHead(404).end();
    reply.writeHead(200, { 'Content-Type': types[path.extname(file).slice(1)] ?? 'text/plain' }).end(fs.readFileSync(file));
  });
  await new Promise((resume) => server.listen(0, '127.0.0.1', resume));
  try {
    const page = await openPage(browser, `http://127.0.0.1:${server.address().port}/#${small}`);
    await done(page);
    assert.deepEqual(await shown(page, 'truth'), printed(await text(page, '#truth-command')));
    await closeClean(page);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

// A browser that lacks or forbids something is told what, and what to do.
async function checkLacking(browser) {
  const lack = () => delete window.DecompressionStream;
  const forbid = () => (window.Worker = function () { throw new Error('no workers here'); });
  for (const [without, words] of [[lack, 'lacks DecompressionStream'], [forbid, /no workers here\. .*python3 -m http\.server/]]) {
    const page = await browser.newPage();
    page.setDefaultTimeout(patience);
    await page.addInitScript(without);
    await page.goto(onDisk);
    await page.locator('#trouble').filter({ hasText: words }).waitFor();
    assert.equal(await page.locator('main :is(button, input, select):enabled').count(), 0, 'something is offered');
    await page.close();
  }
}

async function main() {
  if (!fs.existsSync(path.join(folder, 'engine_data.js'))) {
    console.log(`Skipped: there is no engine in ${folder}; make playground builds it.`);
    process.exit(77);
  }
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await checkFirstSight(context);
    await checkNumbers(page);
    await checkWords(page);
    await checkLink(context, page);
    await checkTour(page); // which finds part of the plane computed
    await closeClean(page);
    await checkBrokenLink(browser);
    await checkShort(browser);
    await checkCancel(browser);
    await checkLeaps(browser);
    await checkFixed(browser);
    await checkSeed(browser);
    await checkTrouble(browser);
    await checkCopies(browser);
    await checkTrace(browser);
    await checkServed(browser);
    await checkLacking(browser);
    const looks = screenshots ? [[1280, 'light'], [1280, 'dark'], [390, 'light'], [390, 'dark']] : [[390, 'dark']];
    for (const [width, scheme] of looks) await checkLooks(browser, width, scheme);
  } finally {
    await browser.close();
  }
  console.log('The playground runs, stops, restores its links, and has the numbers of the command.');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
