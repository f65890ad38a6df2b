// engine.js on a page opened from the disk, in headless Chromium: node engine_page_test.js ARMATURE ENGINE.js ENGINE.wasm.
'use strict';

const assert = require('assert');
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const [armature, glue, wasm] = process.argv.slice(2);
const sources = path.join(__dirname, '../../web/playground');
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const request = { command: 'simulate', instance: 'bilodeau-confounded', policy: ['ucb', 'sentry'], horizon: '5e4', replications: '16' };
const endless = { ...request, policy: 'exp3', horizon: '1e12', engine: 'step', yes: true };

const measured = (text) => text.replace(/"seconds": [0-9.e+-]+/g, '"seconds": 0');

function makePage(folder) {
  execFileSync(process.execPath, [path.join(sources, 'pack_engine.js'), glue, wasm, path.join(sources, 'worker.js'),
    path.join(folder, 'engine_data.js')]);
  fs.copyFileSync(path.join(sources, 'engine.js'), path.join(folder, 'engine.js'));
  const scripts = '<script src="engine_data.js"></script><script src="engine.js"></script>';
  fs.writeFileSync(path.join(folder, 'index.html'), `<!doctype html><meta charset="utf-8">${scripts}`);
  fs.writeFileSync(path.join(folder, 'forbidden.html'),
    `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="worker-src 'none'">${scripts}`);
  return `file://${folder}/index.html`;
}

// In a page: counts the threads that are started from now on.
function countThreads() {
  window.threads = 0;
  window.Worker = class extends Worker {
    constructor(url) {
      super(url);
      window.threads += 1;
    }
  };
}

// Each runs on the page; what it returns is looked at here.
const tests = [
  ['answers with the bytes of the command', async (page) => {
    const words = ['simulate', '--format', 'json', '--instance', request.instance, '--horizon', request.horizon, '--replications',
      request.replications, ...request.policy.flatMap((policy) => ['--policy', policy])];
    const [text, parts] = await page.evaluate(async (asked) => {
      window.engine = new ArmatureEngine();
      const told = [];
      return [await engine.askText(asked, (part) => told.push(JSON.parse(part).complete)), told];
    }, request);
    assert.strictEqual(measured(text), measured(execFileSync(armature, words, { encoding: 'utf8' })));
    assert.ok(parts.length > 0 && parts.every((complete) => complete === false), `${parts}`);
  }],
  ['says its version', async (page) => {
    const [told, asked] = await page.evaluate(async () => [ArmatureEngine.version, (await engine.ask({ command: 'version' })).version]);
    assert.strictEqual(told, asked);
    assert.match(told, /^\d+\.\d+\.\d+/);
  }],
  ['rejects with the words of a complaint', async (page) => {
    const told = await page.evaluate(() => engine.ask({ command: 'simulate' }).catch((error) => [error.name, error.message]));
    assert.deepStrictEqual(told, ['Error', '--instance is required']);
  }],
  ['cancels what runs and what waits, and answers again', async (page) => {
    const [running, waiting, answer] = await page.evaluate(async (asked) => {
      const name = (promise) => promise.then(() => 'answered', (error) => error.name);
      const pending = [name(engine.ask(asked)), name(engine.ask({ command: 'version' }))];
      await ArmatureEngine.ready;
      engine.cancel();
      return [...await Promise.all(pending), await engine.ask({ command: 'version' })];
    }, endless);
    assert.strictEqual(running, 'AbortError');
    assert.strictEqual(waiting, 'AbortError');
    assert.ok(answer.version);
  }],
  ['one engine answers while another computes', async (page) => {
    const answered = await page.evaluate(async (asked) => {
      const other = new ArmatureEngine();
      const busy = other.ask(asked).catch((error) => error.name);
      const { version } = await engine.ask({ command: 'version' });
      other.close();
      return [version, await busy, await other.ask({ command: 'version' }).catch((error) => error.message)];
    }, endless);
    assert.ok(answered[0]);
    assert.strictEqual(answered[1], 'AbortError');
    assert.strictEqual(answered[2], 'the engine was closed');
  }],
  // In a module that gets no memory beyond its first 32 MB: the thread that broke off is replaced.
  ['goes on after a request that its module cannot hold', async (page) => {
    const poor = await openPage(page.context().browser());
    await poor.goto(page.url());
    await poor.evaluate(countThreads);
    const [told, answer, threads] = await poor.evaluate(async () => {
      ARMATURE_ENGINE_DATA.worker = `WebAssembly.Memory.prototype.grow = () => { throw new RangeError('no pages left'); };${ARMATURE_ENGINE_DATA.worker}`;
      const engine = new ArmatureEngine();
      const told = await engine.ask({ command: 'x'.repeat(40e6) }).catch((error) => error.message);
      return [told, await engine.ask({ command: 'version' }), window.threads];
    });
    assert.match(told, /^the engine broke off \(no memory for the request\)/);
    assert.ok(answer.version);
    assert.strictEqual(threads, 2);
    await poor.close();
  }],
  ['does not try again for ever where threads are forbidden', async (page) => {
    const forbidden = await openPage(page.context().browser());
    await forbidden.goto(page.url().replace('index.html', 'forbidden.html'));
    await forbidden.evaluate(countThreads);
    const [words, threads] = await forbidden.evaluate(async () => {
      const engine = new ArmatureEngine();
      const words = [];
      for (let i = 0; i < 3; i++) words.push(await engine.ask({ command: 'version' }).catch((error) => error.message));
      return [words, window.threads];
    });
    for (const said of words) assert.match(said, /^the browser refused the engine’s thread/);
    assert.strictEqual(threads, 1);
    await forbidden.close();
  }],
  ['says that the module could not be made', async (page) => {
    const poor = await openPage(page.context().browser());
    await poor.goto(page.url());
    const said = await poor.evaluate(() => {
      ARMATURE_ENGINE_DATA.worker = `WebAssembly.instantiate = async () => { throw new RangeError('no pages left'); };${ARMATURE_ENGINE_DATA.worker}`;
      return new ArmatureEngine().ask({ command: 'version' }).catch((error) => error.message);
    });
    assert.match(said, /^the engine broke off \(no pages left\)/);
    await poor.close();
  }],
];

async function openPage(browser) {
  const page = await browser.newPage();
  page.setDefaultTimeout(60000); // of events that come at once where nobody else is at work
  return page;
}

(async () => {
  if (!fs.existsSync(wasm)) {
    console.log(`skipped: no ${wasm}; make wasm builds it, where Emscripten can be installed`);
    process.exit(77);
  }
  const { chromium } = require(path.join(__dirname, '../../web/node_modules/playwright-core'));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'armature-page-'));
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
  try {
    const page = await openPage(browser);
    const complaints = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (asked) => /^(file|blob):/.test(asked.url()) || complaints.push(asked.url()));
    await page.goto(makePage(folder));
    for (const [name, test] of tests) {
      await test(page);
      console.log(name);
    }
    assert.deepStrictEqual(complaints, []);
  } finally {
    await browser.close();
    fs.rmSync(folder, { recursive: true });
  }
})().catch((error) => {
  console.error(error.stack ?? error);
  process.exit(1);
});
