// Opens the page of a real service in headless Chromium and uses it: node service_test.js ARMATURE [SCREENSHOTS].
// ARMATURE is the command; with a folder for screenshots, what was seen is kept there.
'use strict';

const assert = require('assert');
const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { chromium } = require(path.join(__dirname, '../../web/node_modules/playwright-core'));

const [armature, screenshots] = process.argv.slice(2);
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const odd = '<img src=x onerror="window.harmed=1">'; // a name that would be harm if it were taken for HTML
const mail = {
  name: 'mail',
  problem: {
    format: 'armature-problem', version: 1, actions: ['plain', 'coupon', odd], contexts: ['ignored', 'opened', 'clicked'],
    marginals: [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]], horizon: 100000,
  },
  policy: 'sentry', seed: '42', deadline: '24h', silence: 'forget', fallback: 'plain', floor: 0.1,
};

// --- The service ----------------------------------------------------------------------------------

let token = '';
class Service {
  static async start(directory, listen = '127.0.0.1:0') {
    const service = new Service();
    service.process = spawn(armature, ['serve', directory, '--listen', listen], { stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    service.process.stderr.on('data', (text) => (told += text));
    service.url = await new Promise((found, lost) => {
      let text = '';
      service.process.stdout.on('data', (piece) => {
        text += piece;
        const url = /at (http:\S+)/.exec(text);
        if (url) found(url[1]);
      });
      service.process.on('exit', () => lost(new Error(`it ended: ${told}`)));
    });
    return service;
  }
  async ask(method, where, body) {
    const reply = await fetch(this.url + where, {
      method, body: body && JSON.stringify(body), headers: token ? { Authorization: `Bearer ${token}` } : {},
    });
    assert.ok(reply.ok, `${method} ${where}: ${reply.status} ${await reply.clone().text()}`);
    return reply.json();
  }
  end(signal = 'SIGTERM') {
    const ended = new Promise((resume) => this.process.on('exit', resume));
    this.process.kill(signal);
    return ended;
  }
}

// So many visitors. Who gets the odd action clicks and does not buy, which its contexts do not promise.
async function play(service, count) {
  const { results } = await service.ask('POST', '/v1/experiments/mail/decide:batch', { decides: Array(count).fill({}) });
  const outcomes = results.map(({ decision, action }, i) => {
    const context = action === odd ? 2 : [0, 0, 1, 2][i % 4];
    return { decision, context, reward: action !== odd && context > 0 ? 1 : 0 };
  });
  const { results: received } = await service.ask('POST', '/v1/experiments/mail/outcomes:batch', { outcomes });
  for (const one of received) assert.equal(one.status, 'learned', JSON.stringify(one));
}

// --- The page -------------------------------------------------------------------------------------

// A page that notes everything it should not do. Refused and broken connections are part of the test.
async function openPage(browser, url, options) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(60000); // of events that come at once where nobody else is at work
  page.complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource'))
      page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.origin !== new URL(url).origin && asked.protocol !== 'data:') page.complaints.push(`asked for ${asked}`);
  });
  const reply = await page.goto(url);
  const policy = reply.headers()['content-security-policy'];
  assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/);
  assert.ok(!policy.includes('unsafe'));
  return page;
}
// By locators alone: waitForFunction evaluates text in the page, which the page's policy forbids.
const number = (page, term) => page.locator(`[data-number="${term}"] dd`);
const until = (page, term, text) => number(page, term).filter({ hasText: new RegExp(`^${text}`) }).waitFor();
const stateIs = (page, state) => page.locator(`.title .state.${state}`).waitFor();

async function snap(page, name) {
  if (screenshots) await page.screenshot({ path: path.join(screenshots, `service-${name}.png`), fullPage: true });
}

async function checkLife(page, service) {
  await page.getByText('There are none yet').waitFor();
  await service.ask('POST', '/v1/experiments', mail);
  await page.locator('main').getByRole('link', { name: 'mail' }).click();
  await until(page, 'Decisions', '0');
  await page.getByText('So far nothing speaks against the context').waitFor();

  await play(service, 300);
  await until(page, 'Decisions', '300');
  await number(page, 'Mean reward').filter({ hasText: '300 learned' }).waitFor(); // summaries come a little later than answers
  const view = await service.ask('GET', '/v1/experiments/mail');
  await until(page, 'Mean reward', view.mean_reward.toFixed(3));
  await until(page, 'Join rate', '100%');
  assert.equal(await page.locator('#shares .layer').count(), 3);
  assert.ok(!/NaN|Infinity|undefined/.test(await page.locator('main').innerHTML()));
  // What was told about it is on the page as text, and nothing more.
  assert.ok((await page.locator('.actions tbody').innerText()).includes(odd));
  assert.equal(await page.evaluate(() => [window.harmed, document.querySelectorAll('main img').length].join()), ',0');

  // One decision stays open; half a report makes it wait.
  const { decision } = await service.ask('POST', '/v1/experiments/mail/decide', {});
  await service.ask('POST', `/v1/experiments/mail/decisions/${decision}/outcome`, { context: 'opened' });
  await until(page, 'Open', '1');
  await page.getByText('1 half reported').waitFor();
  await page.locator('.verdict + p').filter({ hasText: 'side the 95% interval of its own mean' }).waitFor();
  assert.ok(await page.locator('.bound').isHidden()); // no theorem speaks of a floor
  await page.locator('.tail').getByText('reported opened').waitFor();

  // By keyboard alone: the chart is read with arrows.
  await page.locator('#shares').focus();
  await page.keyboard.press('ArrowLeft');
  assert.match(await page.locator('.readout').innerText(), /\d+ decisions? from .*%/);
}

// Where there is a theorem for the policy as it is, the page says what it proves.
async function checkBound(browser, service) {
  const { name, problem, policy, ...others } = mail;
  await service.ask('POST', '/v1/experiments', { ...others, name: 'proved', floor: 0, policy: 'ucb', problem: { ...problem, marginals: undefined } });
  await service.ask('POST', '/v1/experiments/proved/decide:batch', { decides: Array(1000).fill({}) });
  const page = await openPage(browser, `${service.url}/#/proved`);
  const { regret_bound: bound } = await service.ask('GET', '/v1/experiments/proved');
  const words = `regret at most ${Math.ceil(bound.now).toLocaleString('en-US')} by now (round 1,000)`;
  await page.locator('.bound').filter({ hasText: words }).waitFor();
  assert.deepEqual(page.complaints, []);
  await page.close();
}

async function checkVerdict(page, service) {
  for (let more = 0; more < 20; more++) {
    await play(service, 1000);
    if ((await service.ask('GET', '/v1/experiments/mail')).diagnostics.rejected) break;
  }
  const { diagnostics } = await service.ask('GET', '/v1/experiments/mail');
  assert.equal(diagnostics.rejected, 1, 'the contexts were never found out: nothing was tested');
  await page.getByText('The context does not tell everything').waitFor();
  const evidence = await page.locator('.verdict + p').innerText();
  assert.match(evidence, /In round [\d,]+ sentry found that “(.+)” contradicts its contexts\. Now “\1” earns [\d.]+ over/);
  assert.ok(evidence.includes(`“${mail.problem.actions.find((name) => evidence.includes(name))}”`), evidence);
  await snap(page, 'confounded');
}

async function checkPause(page, service) {
  await page.locator('#change').click();
  await page.locator('#asking').getByText('every decision is “plain”').waitFor();
  await page.locator('#asking-input').fill('the coupon is broken');
  await page.keyboard.press('Enter');
  await stateIs(page, 'paused');
  await page.locator('.experiment').getByText('the coupon is broken').first().waitFor();
  const decided = await service.ask('POST', '/v1/experiments/mail/decide', {});
  assert.deepEqual([decided.action, decided.fallback], ['plain', true]);
  // Back by keyboard; Escape first: nothing happens.
  await page.locator('#change').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  assert.equal((await service.ask('GET', '/v1/experiments/mail')).state, 'paused');
  await page.keyboard.press('Enter');
  await page.locator('#asking-input').waitFor();
  await page.keyboard.press('Enter');
  await stateIs(page, 'running');
}

async function checkKill(page, service, directory) {
  const { counts } = await service.ask('GET', '/v1/experiments/mail');
  const shown = (count) => until(page, 'Decisions', count.toLocaleString('en-US'));
  await shown(counts.decisions);
  await service.end('SIGKILL');
  await page.locator('#line.lost').waitFor();
  const again = await Service.start(directory, new URL(service.url).host);
  await page.locator('#line.live').waitFor();
  assert.deepEqual((await again.ask('GET', '/v1/experiments/mail')).counts, counts);
  await play(again, 7);
  await shown(counts.decisions + 7);
  return again;
}

async function checkTokens(browser, service) {
  const page = await openPage(browser, `${service.url}/`);
  await page.locator('#line.live').waitFor();
  const made = await service.ask('POST', '/v1/tokens', { name: 'boss', roles: ['admin'] });
  token = made.token;
  const reader = await service.ask('POST', '/v1/tokens', { name: 'reader', roles: ['read'] });
  await page.locator('#asking-input').waitFor(); // the next time it asked it was told
  await page.locator('#asking-input').fill('armature_wrong');
  await page.keyboard.press('Enter');
  await page.locator('#asking-trouble').getByText('not known here').waitFor();
  await page.locator('#asking-input').fill(reader.token);
  await page.keyboard.press('Enter');
  await page.locator('main').getByRole('link', { name: 'mail' }).click();
  await stateIs(page, 'running');
  await page.locator('#change').click();
  await page.locator('#asking-yes').click();
  await page.locator('#asking-trouble').getByText('admin').waitFor(); // it may look, not pause
  await page.locator('#asking-no').click();
  const kept = await page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length, location.href].join(' '));
  assert.ok(!kept.includes(reader.token) && kept.startsWith(' 0 0 '), kept);
  assert.deepEqual(page.complaints, []);
  await page.close();
}

async function checkLooks(browser, service, width, colorScheme) {
  const page = await openPage(browser, `${service.url}/#/mail`, { colorScheme, viewport: { width, height: 850 } });
  await page.locator('html[data-drawn]').waitFor();
  await page.locator('.tail li').first().waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}: wider than the screen`);
  const [red, green, blue] = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).map(Number));
  assert.equal(red + green + blue < 384, colorScheme === 'dark');
  await snap(page, `${width}-${colorScheme}`);
  assert.deepEqual(page.complaints, []);
  await page.close();
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'armature-service-'));
  const directory = path.join(folder, 'store');
  let browser, service;
  try {
    service = await Service.start(directory);
    browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] });
    const page = await openPage(browser, `${service.url}/`);
    await checkLife(page, service);
    await checkVerdict(page, service);
    await checkPause(page, service);
    service = await checkKill(page, service, directory);
    assert.deepEqual(page.complaints, []);
    await page.close();
    await checkBound(browser, service);
    for (const [width, scheme] of [[1280, 'light'], [390, 'dark']]) await checkLooks(browser, service, width, scheme);
    await checkTokens(browser, service);
  } finally {
    await browser?.close();
    await service?.end();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log('The page shows an experiment live, pauses it, survives a kill and keeps tokens to itself.');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
