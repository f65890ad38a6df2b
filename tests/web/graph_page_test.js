// Opens the graph page in headless Chromium and uses it: node graph_page_test.js ARMATURE PLAYGROUND [SCREENSHOTS].
// ARMATURE is the command, which must say the same; PLAYGROUND is what `make playground` built, where the engine is (without one
// the test is skipped: exit status 77); with a folder for screenshots, what was seen is kept there.
'use strict';

const assert = require('assert');
const { spawnSync } = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');
const vm = require('vm');
const { pathToFileURL } = require('url');
const { chromium } = require(path.join(__dirname, '../../web/node_modules/playwright-core'));

const [armature, playground, screenshots] = process.argv.slice(2);
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const sources = path.join(__dirname, '../../web/graph');
const examples = vm.runInNewContext(`${fs.readFileSync(path.join(sources, 'examples.js'), 'utf8')}; graphExamples`);
const odd = '<img src=x onerror="window.harmed=1">, \'twice\''; // a name that would be harm if it were taken for HTML, or for shell
const chains = Array.from({ length: 3 }, (_, i) => `x -> a${i} -> b${i} -> y`).join('\n'); // eight ways to cut three chains

// The page and the engine beside it, as the site has them.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'armature-graph-'));
const site = path.join(folder, 'site');
function publish() {
  fs.cpSync(sources, path.join(site, 'graph'), { recursive: true });
  for (const file of ['engine.js', 'engine_data.js', 'copy.js'])
    fs.cpSync(path.join(playground, file), path.join(site, 'playground', file));
}

// --- The command ------------------------------------------------------------------------------------

function shell(command) {
  const environment = { ...process.env, PATH: `${path.dirname(path.resolve(armature))}:${process.env.PATH}` };
  const done = spawnSync('bash', ['-c', command], { encoding: 'utf8', cwd: folder, env: environment });
  return { status: done.status, out: done.stdout, err: done.stderr };
}
function graph(command, text, options) {
  const file = path.join(folder, 'diagram');
  fs.writeFileSync(file, text);
  return { file, ...spawnSync(armature, ['graph', command, file, ...options], { encoding: 'utf8' }) };
}
function check(text, options) {
  const done = graph('check', text, [...options, '--format', 'json']);
  assert.ok(done.status < 2, done.stderr);
  return JSON.parse(done.stdout);
}
function complaint(text) {
  const { status, stderr, file } = graph('show', text, []);
  assert.equal(status, 2);
  return stderr.replace(`armature: ${file}: `, '').trim();
}
const oneLine = (text) => text.replace(/\s+/g, ' ');

// --- The page ---------------------------------------------------------------------------------------

const kinds = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript' };
function serve() {
  const server = http.createServer((request, reply) => {
    const file = path.join(site, decodeURIComponent(new URL(request.url, 'http://here').pathname));
    if (!fs.existsSync(file)) return reply.writeHead(404).end();
    reply.writeHead(200, { 'Content-Type': kinds[path.extname(file)] ?? 'application/octet-stream' }).end(fs.readFileSync(file));
  });
  return new Promise((resume) => server.listen(0, '127.0.0.1', () => resume(server)));
}

// A page that notes everything it should not do.
async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60000); // of events that come at once where nobody else is at work
  page.complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  const home = new URL('..', url.split('#')[0]).href;
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(home) && !/^(data|blob):/.test(asked)) page.complaints.push(`asked for ${asked}`);
  });
  await page.goto(url);
  await page.locator('#drawing svg').waitFor();
  await settled(page);
  return page;
}
const settled = (page) => page.locator('#answer:not([aria-busy])').waitFor();
const box = (page, node) => page.locator('#drawing').getByRole('button', { name: `${node}:` });
const role = (page, node) => page.locator('#role-list').getByLabel(node, { exact: true });
const roles = (page) => page.locator('#role-list select').evaluateAll((selects) => selects.map((select) => select.value));
async function closePage(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}
async function snap(page, name) {
  if (screenshots) await page.screenshot({ path: path.join(screenshots, `graph-${name}.png`), fullPage: true });
}

async function write(page, text) {
  await page.locator('#text').fill(text);
  await settled(page);
}
async function take(page, id) {
  await page.locator(`[data-example="${id}"]`).click();
  await settled(page);
}

// What the page says is what the command says, word for word.
async function expectAnswer(page, said) {
  await page.locator(`#answer.${said.benign ? 'yes' : 'no'}`).waitFor();
  assert.equal(await page.locator('#words').textContent(), said.words);
  for (const open of ['path.open', '[marker-end*=open]'])
    assert.equal(await page.locator(`#drawing ${open}`).count(), Math.max(0, (said.witness.length - 1) / 2));
  const sets = await page.locator('#sets button').evaluateAll((buttons) => buttons.map((button) => button.firstChild.data));
  assert.deepEqual(sets, said.suggestions.filter((set) => set.length > 0).map((set) => set.join(', ')));
  const criteria = await page.locator('#criteria dd').allTextContents();
  assert.deepEqual(criteria, Object.values(said.criteria_words));
  assert.deepEqual(await page.locator('#warnings li').allTextContents(), said.warnings);
}

// --- What must hold ---------------------------------------------------------------------------------

async function checkExamples(page) {
  assert.equal(examples.length, 6);
  for (const example of examples) {
    if (example.file)
      assert.equal(example.text, fs.readFileSync(path.join(__dirname, '../../examples/graphs', example.file), 'utf8'));
    await take(page, example.id);
    assert.equal(await page.locator('[aria-pressed="true"][data-example]').getAttribute('data-example'), example.id);
    const options = ['-c', example.context.join()];
    if (example.action) options.push('-a', example.action.join(), '-r', `${example.reward}=${example.worth}`);
    const said = check(example.text, options);
    await expectAnswer(page, said);
    // The command on the page says the same.
    const run = shell(await page.locator('#command').textContent());
    assert.equal(run.status, said.benign ? 0 : 1, run.err);
    assert.ok(oneLine(run.out).includes(`verdict ${said.words}`), run.out);
    await snap(page, `example-${example.id}`);
  }
}

async function checkSeparators(page) {
  await take(page, 'asia');
  await page.locator('#answer.no').waitFor();
  assert.equal(await page.locator('#path-words').isVisible(), true);
  await page.getByRole('button', { name: 'lung, bronc 4 joint values' }).click();
  await settled(page);
  await expectAnswer(page, check(examples.find(({ id }) => id === 'asia').text, ['-a', 'smoke', '-c', 'lung,bronc', '-r', 'dysp=yes']));
  assert.equal(await page.locator('#sets [aria-pressed="true"]').count(), 1);
  assert.equal(await page.locator('#path-words').isVisible(), false);
  assert.equal(await page.locator('#drawing g.context[data-node]').count(), 2);
  // More of them than are suggested: all are a click away.
  await write(page, chains);
  await role(page, 'x').selectOption('action');
  await role(page, 'y').selectOption('reward');
  await settled(page);
  assert.equal(await page.locator('#sets button').count(), 5);
  await page.locator('#all-sets').click();
  await page.locator('#sets button').nth(7).waitFor();
  assert.equal(await page.locator('#sets button').count(), 8);
}

async function checkOptions(page) {
  const { text } = examples.find(({ id }) => id === 'front-door');
  await take(page, 'front-door');
  await page.getByLabel('doing nothing is an action too').check();
  await settled(page);
  await expectAnswer(page, check(text, ['-c', 'tar', '--empty']));
  await page.locator('#answer.no').waitFor();
  // What nobody can observe is no context, in the list and in the menu.
  assert.equal(await role(page, 'habit').locator('option[value="context"]').isDisabled(), true);
  await box(page, 'habit').click();
  assert.equal(await page.getByRole('menuitemradio', { name: 'context' }).isDisabled(), true);
  await page.keyboard.press('Escape');
  // A node that the text leaves open can be said to be latent.
  await role(page, 'tar').selectOption('latent');
  await settled(page);
  await expectAnswer(page, check(text, ['-l', 'tar', '--empty']));
  // Without an action there is no question, whatever the text proposes.
  await role(page, 'smoking').selectOption('none');
  await page.getByText('Mark an action.').waitFor();
  await settled(page);
  assert.equal(await page.locator('#drawing path.open, #drawing g.action, #drawing [marker-end*=open]').count(), 0);
  assert.equal(await page.locator('#copy-command').isDisabled(), true);
  await snap(page, 'no-action');
}

async function checkKeyboard(page) {
  await take(page, 'asia');
  await box(page, 'either').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown'); // no role, action, context
  await snap(page, 'menu');
  await page.keyboard.press('Enter');
  await settled(page);
  await expectAnswer(page, check(examples.find(({ id }) => id === 'asia').text, ['-a', 'smoke', '-c', 'bronc,either', '-r', 'dysp=yes']));
  // The same node has the focus in the new drawing.
  assert.equal(await page.evaluate(() => document.activeElement.dataset.node), 'either');
  await page.keyboard.press(' ');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#menu').isVisible(), false);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.node), 'either');
  // There is one reward: a second takes the first one's place.
  await box(page, 'xray').click();
  await page.getByRole('menuitemradio', { name: 'reward' }).click();
  await page.getByRole('button', { name: 'xray: reward' }).waitFor();
  assert.equal(await role(page, 'dysp').inputValue(), 'none');
}

async function checkBadText(page) {
  await take(page, 'mediator');
  const drawing = await page.locator('#drawing svg').innerHTML();
  for (const text of ['dag {\n a -> b\n b => c\n}', '', 'a -> b -> a', 'network n { }\nvariable a { type discrete [ 2 ] { x }; }']) {
    await write(page, text);
    assert.equal(await page.getByRole('alert').locator('p').first().textContent(), complaint(text));
    assert.equal(await page.locator('#text').getAttribute('aria-invalid'), 'true');
    assert.equal(await page.locator('#drawing svg').innerHTML(), drawing);
  }
  await write(page, 'dag {\n a -> b\n b => c\n}');
  assert.equal(await page.locator('#lines b').textContent(), '3');
  await snap(page, 'bad-text');
  // What is drawn goes on answering, and what is copied is about it.
  await role(page, 'opened').selectOption('none');
  await settled(page);
  const { text: chain } = examples.find(({ id }) => id === 'mediator');
  await expectAnswer(page, check(chain, []));
  assert.equal(shell(await page.locator('#command').textContent()).status, 1);
  assert.equal(await page.locator('#lines b').textContent(), '3');
  await page.getByRole('button', { name: 'Go to line 3' }).click();
  assert.equal(await page.evaluate(() => document.activeElement.selectionStart), 'dag {\n a -> b\n b '.length);
  // Mended as a person would, from where the caret stands now.
  await page.keyboard.press('Delete');
  await page.keyboard.type('-');
  await page.getByRole('alert').waitFor({ state: 'hidden' });
  assert.equal(await page.locator('#drawing [data-node]').count(), 3);
}

// A text of one's own, with names that need care, goes into a link and comes out the same.
async function checkLinks(browser, page, url) {
  const text = `dag {\nEND\n"${odd.replaceAll('"', '\\"')}" -> z -> "the reward"\nz <-> "the reward"\n}`;
  await write(page, text);
  await role(page, odd).selectOption('action');
  await role(page, 'z').selectOption('context');
  await role(page, 'the reward').selectOption('reward');
  await settled(page);
  const said = check(text, ['-a', `"${odd.replaceAll('"', '""')}"`, '-c', 'z', '-r', 'the reward']);
  await expectAnswer(page, said);
  assert.equal(await page.evaluate(() => [window.harmed, document.querySelectorAll('main img').length].join()), ',0');

  await page.getByRole('button', { name: 'Copy command' }).click();
  await page.getByText('The command is copied.').waitFor();
  const run = shell(await page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(run.status, said.benign ? 0 : 1, run.err);
  assert.ok(oneLine(run.out).includes(`verdict ${oneLine(said.words)}`), run.out);

  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('The link is copied.').waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await openPage(browser, link);
  assert.equal(await other.locator('#text').inputValue(), text);
  await expectAnswer(other, said);
  await closePage(other);
  // Back leads from an example to what stood there before.
  await take(page, 'asia');
  await page.goBack();
  await page.locator('#drawing [data-node="z"]').waitFor();
  await settled(page);
  await expectAnswer(page, said);

  // That nothing has a role is a decision, too, against what the text says.
  await take(page, 'front-door');
  for (const select of await page.locator('#role-list select').all())
    if (!['none', 'latent'].includes(await select.inputValue())) await select.selectOption('none');
  await settled(page);
  const without = await openPage(browser, await page.evaluate(() => location.href));
  assert.equal(await without.locator('#text').inputValue(), await page.locator('#text').inputValue());
  assert.deepEqual(await roles(without), await roles(page));
  assert.ok(!(await roles(without)).some((role) => ['action', 'context', 'reward'].includes(role)));
  await closePage(without);

  const plain = await openPage(browser, `${url}#text=${encodeURIComponent('x [exposure] x -> z -> y y [outcome]')}&context=z&action=x&reward=y`);
  await plain.locator('#answer.yes').waitFor();
  await closePage(plain);
  const damaged = await openPage(browser, `${url}#z=AAAA`);
  await damaged.locator('[data-example="asia"][aria-pressed="true"]').waitFor(); // as without a link
  await damaged.getByText('The link is damaged').waitFor();
  await take(damaged, 'm-bias');
  assert.equal(await damaged.getByText('The link is damaged').isVisible(), false);
  await closePage(damaged);
}

// A diagram with tables is a world: the commands write it and play it.
async function checkPlay(page) {
  await take(page, 'front-door');
  assert.equal(await page.locator('#copy-play').isVisible(), false);
  await take(page, 'asia');
  await page.getByRole('button', { name: 'Copy what plays it' }).click();
  await page.getByText('The commands are copied.').waitFor();
  const run = shell(await page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(run.status, 0, run.err);
  for (const policy of ['ucb', 'c-ucb', 'warden']) assert.ok(run.out.includes(policy), run.out);
  // Without a word on what its states are worth there are no rewards.
  await page.getByLabel('The reward is 1 where dysp is').selectOption('');
  await settled(page);
  assert.equal(await page.locator('#copy-play').isVisible(), false);
}

// More than can be drawn or put into a link: said so, and the page goes on.
async function checkLarge(page) {
  const name = (i) => `n${crypto.createHash('sha256').update(String(i)).digest('hex')}`; // which no compression makes short
  const arrows = Array.from({ length: 5000 }, (_, i) => `${name(2 * i)} -> ${name(2 * i + 1)}`);
  await page.locator('#text').evaluate((field, text) => { // typing it would take a browser half a minute
    field.value = text;
    field.dispatchEvent(new Event('input'));
  }, `dag {\nset [exposure]\nwanted [outcome]\nset -> between -> wanted\n${arrows.join('\n')}\n}`);
  await page.locator('#drawing').filter({ hasText: '10,003 nodes: more than 2,000 are neither drawn nor listed' }).waitFor();
  await page.getByText('Nothing is observed yet.').waitFor();
  await settled(page); // a link is packed aside
  assert.ok(await page.locator('#copy-link').isDisabled());
  assert.equal(new URL(page.url()).hash, '');
  await write(page, 'x -> y');
  await box(page, 'x').waitFor();
  assert.ok(await page.locator('#copy-link').isEnabled());
}

// What was typed before the engine stands is kept, and goes before a link; what was only ticked does not.
async function checkBefore(browser, url) {
  const wait = () => {
    let engine;
    Object.defineProperty(globalThis, 'ArmatureEngine', {
      get: () => engine,
      set: (loaded) => {
        const { ready } = loaded;
        Object.defineProperty(loaded, 'ready', { value: new Promise((resume) => (globalThis.letGo = () => resume(ready))) });
        engine = loaded;
      },
      configurable: true,
    });
  };
  for (const typed of [true, false]) {
    const page = await browser.newPage();
    page.setDefaultTimeout(60000);
    await page.addInitScript(wait);
    await page.goto(`${url}#example=front-door`);
    await page.locator('[data-example="asia"]').waitFor(); // listens
    for (const button of ['#copy-link', '#copy-command']) assert.ok(await page.locator(button).isDisabled(), button);
    if (typed) await page.locator('#text').fill('one -> two');
    else await page.getByLabel('doing nothing is an action too').check();
    await page.evaluate(() => letGo());
    await page.locator(`#drawing [data-node="${typed ? 'two' : 'tar'}"]`).waitFor();
    assert.equal(await page.locator('#trouble').isVisible(), false);
    await page.close();
  }
}

// A menu that is opened while an answer is on its way is still there afterwards.
async function checkMenuStays(page) {
  await take(page, 'asia');
  await page.evaluate(() => {
    setRole('xray', 'context');
    openMenu('either');
    document.getElementById('menu').children[2].focus();
  });
  await page.getByRole('button', { name: 'xray: context' }).waitFor();
  await settled(page);
  assert.equal(await page.locator('#menu').getAttribute('aria-label'), 'Role of either');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'context');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#menu').isVisible(), false);
}

async function checkPhone(browser, url, colorScheme) {
  const page = await openPage(browser, url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme });
  for (const { id } of examples) {
    await take(page, id);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, id);
    await snap(page, `phone-${colorScheme}-${id}`);
  }
  await take(page, 'asia');
  await box(page, 'dysp').tap();
  const menu = await page.locator('#menu').boundingBox();
  assert.ok(menu.x >= 0 && menu.x + menu.width <= 390, JSON.stringify(menu));
  await snap(page, `phone-${colorScheme}-menu`);
  await page.getByRole('menuitemradio', { name: 'no role' }).tap();
  await page.getByText('Mark a reward.').waitFor();
  await closePage(page);
}

async function checkColours(browser, url) {
  for (const [colorScheme, paper] of [['light', 'rgb(255, 255, 255)'], ['dark', 'rgb(22, 22, 24)']]) {
    const page = await openPage(browser, url, { colorScheme });
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), paper);
    await page.locator('summary').first().click();
    await snap(page, colorScheme);
    await closePage(page);
  }
}

async function main() {
  if (!fs.existsSync(path.join(playground, 'engine_data.js'))) {
    console.log(`Skipped: there is no engine in ${playground}; make playground builds it.`);
    process.exit(77);
  }
  publish();
  const server = await serve();
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const url = `http://127.0.0.1:${server.address().port}/graph/index.html`;
    const page = await openPage(browser, url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.locator('#answer.no').waitFor(); // the clinic: a page that opens with an answer
    await checkExamples(page);
    await checkSeparators(page);
    await checkOptions(page);
    await checkKeyboard(page);
    await checkMenuStays(page);
    await checkBadText(page);
    await checkPlay(page);
    await checkLinks(browser, page, url);
    await checkLarge(page);
    await closePage(page);
    await checkBefore(browser, url);
    await checkPhone(browser, url, 'light');
    await checkPhone(browser, url, 'dark');
    await checkColours(browser, url);
    const alone = await openPage(browser, pathToFileURL(path.resolve(site, 'graph/index.html')).href);
    await checkExamples(alone);
    await closePage(alone);
  } finally {
    await browser.close();
    server.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log('The graph page says what the command says, by mouse, keyboard and touch, from links and from a folder.');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
