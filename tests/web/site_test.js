// Makes the site, reads all of it and uses it in headless Chromium:
//   node site_test.js PLAYGROUND PYTHON [SCREENSHOTS]
// PLAYGROUND is what `make playground` built, PYTHON the folder with the built module; with a folder for screenshots, what
// was seen is kept there.
'use strict';

const assert = require('assert');
const { execFileSync, spawnSync } = require('child_process');
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { chromium } = require(path.join(__dirname, '../../web/node_modules/playwright-core'));

const [playground, python, screenshots] = process.argv.slice(2);
const root = path.join(__dirname, '../..');
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const clang = process.env.CLANG ?? 'clang++-16';
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'armature-site-'));
const site = path.join(folder, 'site');
const read = (file) => fs.readFileSync(file, 'utf8');

function generate(...words) {
  return spawnSync('node', [path.join(root, 'web/site/generate.js'), ...words], { encoding: 'utf8' });
}

function filesIn(where, within = '') {
  return fs.readdirSync(path.join(where, within), { withFileTypes: true }).flatMap((entry) =>
    (entry.isDirectory() ? filesIn(where, path.join(within, entry.name)) : [path.join(within, entry.name)]));
}

// Says which there are, where there should be none.
const none = (list, what) => assert.equal(list.length, 0, `${what}: ${list.slice(0, 20).join(', ')}`);

// --- What the generator refuses -------------------------------------------------------------------

function checkRefusals() {
  const other = path.join(folder, 'other');
  fs.mkdirSync(other);
  fs.writeFileSync(path.join(other, 'mine.txt'), '');
  const refused = generate(other, '--alone');
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /got a folder with something else in it/);
  assert.deepEqual(fs.readdirSync(other), ['mine.txt']);

  // A page of no group, in a tree that has all else of this one: other tests read the docs meanwhile.
  const tree = path.join(folder, 'tree');
  fs.mkdirSync(path.join(tree, 'docs'), { recursive: true });
  for (const name of fs.readdirSync(root)) if (name !== 'docs') fs.symlinkSync(path.join(root, name), path.join(tree, name));
  for (const name of fs.readdirSync(path.join(root, 'docs'))) fs.symlinkSync(path.join(root, 'docs', name), path.join(tree, 'docs', name));
  fs.writeFileSync(path.join(tree, 'docs/stray.md'), '# Stray\n');
  const stopped = spawnSync('node', ['--preserve-symlinks', '--preserve-symlinks-main', path.join(tree, 'web/site/generate.js'),
    path.join(folder, 'stray'), '--alone'], { encoding: 'utf8' });
  assert.equal(stopped.status, 1);
  assert.match(stopped.stderr, /docs\/stray\.md: got a page that is in no group, expected it in web\/site\/contents\.js/);
  assert.match(generate(path.join(folder, 'nowhere')).stderr, /^site: usage/);
}

// --- Every page, as text --------------------------------------------------------------------------

const attributes = (html, pattern) => [...html.matchAll(pattern)].map((found) => found[1]);
const quiet = (html) => html.replace(/<!--[^]*?-->|<(script|style)\b[^>]*>[^]*?<\/\1>/g, (piece) => piece.replace(/>[^]*/, '>'));

function checkPages() {
  const files = filesIn(site);
  const size = files.reduce((sum, file) => sum + fs.statSync(path.join(site, file)).size, 0);
  assert.ok(size < 6e6, `the site has ${size} bytes`);

  const pages = new Map(files.filter((file) => file.endsWith('.html')).map((file) => [file, quiet(read(path.join(site, file)))]));
  const ids = new Map([...pages].map(([file, html]) => [file, attributes(html, /\sid="([^"]*)"/g)]));
  for (const [file, html] of pages) {
    const own = ids.get(file);
    none(own.filter((id, i) => own.indexOf(id) !== i), `${file}: ids that two have`);

    // Nothing comes from elsewhere but by somebody's click.
    for (const source of attributes(html, /<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\ssrc="([^"]*)"/g)
      .concat(attributes(html, /<link\b[^>]*?\shref="([^"]*)"/g))) {
      if (source.startsWith('data:')) continue;
      assert.ok(!/^([a-z]+:)?\/\//i.test(source), `${file} loads ${source}`);
      assert.ok(files.includes(path.join(path.dirname(file), source)), `${file}: there is no ${source}`);
    }
    for (const href of attributes(html, /<a\b[^>]*?\shref="([^"]*)"/g)) {
      if (/^(https?|mailto):/.test(href)) continue;
      const [target, id] = href.replace(/&amp;/g, '&').split('#');
      const page = target === '' ? file : path.join(path.dirname(file), decodeURI(target));
      assert.ok(files.includes(page), `${file}: a link to ${href}, which is not there`);
      if (id) assert.ok(ids.get(page).includes(decodeURIComponent(id)), `${file}: a link to ${href}, which has no such place`);
    }

    const levels = attributes(html, /<h([1-6])\b/g).map(Number);
    assert.equal(levels.filter((level) => level === 1).length, 1, `${file}: one title`);
    if (!/^(playground|graph)\//.test(file)) assert.equal(levels[0], 1, `${file}: the title comes first`);
    for (const [i, level] of levels.entries())
      if (i > 0) assert.ok(level <= levels[i - 1] + 1, `${file}: a heading of level ${level} after one of level ${levels[i - 1]}`);
    for (const image of html.match(/<img\b[^>]*>/g) ?? []) assert.match(image, /\salt="[^"]+"/, `${file}: ${image}`);
    assert.ok(!/\[object Object\]|="(?:undefined|null|NaN)"|undefinedpx/.test(html), `${file}: something that was not known`);
    const [marks] = html.replace(/<(pre|code)\b[^]*?<\/\1>/g, '').match(/\*\*\w.{0,40}/) ?? [];
    assert.equal(marks, undefined, `${file}: Markdown that stayed as it was`);
  }
  for (const css of files.filter((file) => file.endsWith('.css')))
    for (const url of attributes(read(path.join(site, css)), /url\(([^)]*)\)|@import/g)) assert.ok(/^['"]?data:/.test(url ?? ''), `${css} loads ${url}`);

  const docs = fs.readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md'));
  for (const name of docs) assert.ok(pages.has(`docs/${name.replace(/\.md$/, '.html')}`), `docs/${name} has no page`);
  const sidebar = /<nav id="site-sidebar"[^]*?<\/nav>/.exec(pages.get('docs/concepts.html'))[0];
  for (const name of docs) assert.ok(sidebar.includes(`href="${name.replace(/\.md$/, '')}.html"`), `docs/${name} is not in the sidebar`);
  // Formulas are as they were written: an index is no emphasis.
  const words = (file) => pages.get(file).replace(/<[^>]*>/g, '');
  assert.ok(words('docs/specification.html').includes('ν̃_aᵀ, μ̂_ℓ = V_ℓ^-1·Σ_t ν̃_'), 'indices of the specification');
  for (const emphasis of attributes(pages.get('docs/paper-results.html'), /<em>([^<]*)<\/em>/g))
    assert.ok(!/sqrt\(|gap=/.test(emphasis), `docs/paper-results.html: ${emphasis}`);
  return { pages, ids, size };
}

// The pages that live alone have the site's colours, and within the site its header.
function checkSharedStyle() {
  const shared = (file) => [...read(file).matchAll(/\/\* shared: (\w+)[^]*?\/\* shared: end \*\//g)].map(([block]) => block);
  const own = shared(path.join(root, 'web/site/site.css'));
  assert.equal(own.length, 2);
  for (const file of ['web/playground/playground.css', 'web/graph/graph.css'])
    assert.deepEqual(shared(path.join(root, file)), own, `${file} and web/site/site.css share what they share`);
  for (const name of ['playground', 'graph']) {
    const page = read(path.join(site, name, 'index.html'));
    assert.match(page, /<html[^>]* data-site/);
    assert.match(page, new RegExp(`<a href="index.html" aria-current="page">${name === 'graph' ? 'Graphs' : 'Playground'}</a>`));
  }
}

// --- The reference, against those who know --------------------------------------------------------

// What clang sees of the public headers: ids as the pages have them, of what may be seen and of what may not.
function declaredByClang() {
  const text = execFileSync(clang, ['-std=c++20', `-I${path.join(root, 'include')}`, '-fsyntax-only', '-Xclang', '-ast-dump=json',
    '-Xclang', '-ast-dump-filter=armature', '-x', 'c++', path.join(root, 'include/armature/armature.h')],
  { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
  const [open, hidden] = [new Set(), new Set()];
  const idOf = (owner, name) => (owner ? `${owner}-${name}` : name).replace(/[^\w-]/g, (c) => `.${c.charCodeAt(0).toString(16)}`);
  const named = new Set(['FunctionDecl', 'CXXMethodDecl', 'FieldDecl', 'VarDecl', 'TypeAliasDecl', 'EnumConstantDecl', 'ConceptDecl', 'FunctionTemplateDecl',
    'VarTemplateDecl', 'TypeAliasTemplateDecl', 'EnumDecl', 'CXXRecordDecl', 'ClassTemplateDecl']);
  const walk = (nodes, owner, access, visible) => {
    for (const node of nodes ?? []) {
      if (node.kind === 'AccessSpecDecl') access = node.access;
      if (node.kind === 'NamespaceDecl' || node.kind === 'LinkageSpecDecl') walk(node.inner, '', 'public', true);
      if (!named.has(node.kind) || node.isImplicit || !node.name || node.parentDeclContextId) continue;
      const record = node.kind === 'ClassTemplateDecl' ? node.inner.find((one) => one.kind === 'CXXRecordDecl') : node;
      if (record.kind === 'CXXRecordDecl' && !record.completeDefinition) continue;
      const copies = node.name === 'operator=' && (node.explicitlyDefaulted || node.explicitlyDeleted); // as the language makes them
      const constructor = node.kind === 'FunctionTemplateDecl' && node.inner.some((one) => one.kind === 'CXXConstructorDecl');
      if (copies || constructor) continue;
      const id = idOf(owner, node.name);
      const seen = visible && access !== 'private';
      (seen ? open : hidden).add(id);
      if (record.kind === 'CXXRecordDecl') walk(record.inner, id, record.tagUsed === 'class' ? 'private' : 'public', seen);
      if (record.kind === 'EnumDecl') walk(record.inner, id, 'public', seen);
    }
  };
  // Several values one after the other, each from a { to a } at the beginning of a line.
  for (const [, piece] of text.matchAll(/^(\{\n[^]*?^\})$/gm)) {
    const node = JSON.parse(piece);
    if (node.kind === 'NamespaceDecl' && node.name === 'armature') walk(node.inner, '', 'public', true);
  }
  return { open, hidden };
}

function checkHeaders({ ids }) {
  const { open, hidden } = declaredByClang();
  assert.ok(open.size > 600, `clang sees ${open.size} names`);
  const shown = new Set();
  for (const [file, own] of ids)
    if (/^api\/(?!index|python-)/.test(file))
      for (const id of own) if (!/^(site|section)-/.test(id)) shown.add(id);
  const include = path.join(root, 'include/armature');
  for (const name of fs.readdirSync(include)) for (const macro of attributes(read(path.join(include, name)), /^#define (\w+)/gm)) open.add(macro);
  const constructors = (id) => { // they have their type's name
    const parts = id.split('-');
    return parts.length > 1 && parts.at(-1) === parts.at(-2);
  };
  none([...open].filter((id) => !shown.has(id)), 'public names that are not in the reference');
  none([...shown].filter((id) => !open.has(id) && !constructors(id)), 'names in the reference that are not public');
  none([...hidden].filter((id) => shown.has(id) && !open.has(id)), 'private names in the reference');
  return shown.size;
}

// What Python itself says of the built module.
function checkPython({ ids }) {
  const program = `
import armature, inspect, json
names = {}
for name in armature.__all__:
    value = getattr(armature, name)
    own = [base for base in getattr(value, "__mro__", ()) if base.__name__ == name and base.__module__.startswith("armature")]
    names[name] = sorted({key for base in own for key in vars(base) if not key.startswith("_")}) if inspect.isclass(value) else []
print(json.dumps(names))`;
  const names = JSON.parse(execFileSync('/usr/bin/python3', ['-c', program], { encoding: 'utf8', env: { ...process.env, PYTHONPATH: python } }));
  const shown = new Set([...ids].filter(([file]) => /^api\/python-/.test(file)).flatMap(([, own]) => own));
  const missing = [];
  for (const [name, members] of Object.entries(names))
    if (name !== '__version__')
      for (const id of [name, ...members.map((member) => `${name}.${member}`)]) if (!shown.has(id)) missing.push(id);
  none(missing, 'names of the module that are not in the reference');
  assert.ok(Object.keys(names).length > 40);
  for (const id of shown) assert.ok(!/(^|\.)_(?!_init__|_call__)/.test(id), `${id} is private`);
}

// --- In the browser -------------------------------------------------------------------------------

// A page that notes everything it should not do.
async function openPage(browser, url, options) {
  const permissions = url.startsWith('http') ? ['clipboard-read', 'clipboard-write'] : [];
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, permissions, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60000); // of events that come at once where nobody else is at work
  page.complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (!['data:', 'blob:'].includes(asked.protocol) && asked.origin !== new URL(url).origin) page.complaints.push(`asked for ${asked}`);
  });
  await page.goto(url);
  return page;
}

async function close(page) {
  none(page.complaints, page.url());
  await page.context().close();
}

const fits = async (page) =>
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${page.url()} is wider than the window`);
// The place is in sight, below the header.
const atPlace = (page, id) => page.waitForFunction((name) => {
  const { top } = document.getElementById(name).getBoundingClientRect();
  return top > 0 && top < window.innerHeight;
}, id);

async function checkFront(browser, base) {
  const page = await openPage(browser, `${base}index.html`);
  assert.equal(await page.title(), 'armature: causal bandits');
  const figure = page.locator('.hero img');
  assert.ok(await figure.evaluate((image) => image.complete && image.naturalWidth > 400));
  for (const [name, address] of [['Playground', 'playground/'], ['Graphs', 'graph/'], ['Docs', 'docs/'], ['Results', 'docs/paper-results'], ['API', 'api/']])
    assert.ok((await page.locator('.site-header nav').getByRole('link', { name, exact: true }).getAttribute('href')).startsWith(address));
  await page.getByRole('link', { name: 'Read the docs' }).click();
  await page.waitForURL('**/docs/concepts.html');
  await page.locator('.neighbours a[rel="next"]').click();
  await page.waitForURL('**/docs/which-policy.html');
  await close(page);
}

async function checkSearch(browser, base) {
  const page = await openPage(browser, `${base}api/policy.html`);
  await page.keyboard.press('/');
  await page.keyboard.type('c-ucb');
  const options = page.locator('#site-found [role="option"]');
  const chosen = page.locator('#site-found [aria-selected="true"]');
  await options.first().waitFor();
  assert.equal(await options.first().locator('b').innerText(), 'c-ucb', 'a policy is found by its name');
  assert.match(await options.first().getAttribute('href'), /docs\/policies\.html#c-ucb$/);
  assert.match(await page.locator('#site-told').innerText(), /results/);
  await page.keyboard.press('ArrowDown');
  assert.equal(await chosen.getAttribute('id'), 'site-found-1');
  assert.equal(await page.locator('#site-search').getAttribute('aria-activedescendant'), 'site-found-1');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/policies.html#c-ucb');
  await atPlace(page, 'c-ucb');

  const first = async (query) => {
    await page.locator('#site-search').fill('');
    await page.locator('#site-search').fill(query);
    await options.first().waitFor();
    return options.first().getAttribute('href');
  };
  for (const [query, expected] of [['cl-ts', 'docs/policies.html#cl-ts'], ['DecisionBook', 'api/decision_book.html#DecisionBook'],
    ['late outcomes', /late-outcomes$/], ['glossary', 'docs/glossary.html'], ['sentry', 'docs/sentry.html'],
    ['armature.simulate', 'api/python-simulation.html#simulate'], ['postgresql nodes', /several-(nodes|machines)/], ['theorem 3.7', 'docs/theory.html#theorem-37-the-lower-bound-of-the-frontier']]) {
    const href = await first(query);
    assert.ok(typeof expected === 'string' ? href.endsWith(expected) : expected.test(href), `${query} finds ${href}`);
  }
  await first('regret zyxwvut'); // no section has both
  assert.match(await page.locator('#site-told').innerText(), /some of them/);
  await page.locator('#site-search').fill('zyxwvut');
  await page.locator('#site-found p', { hasText: 'Nothing found' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#site-found').waitFor({ state: 'hidden' });
  assert.equal(await page.locator('#site-search').inputValue(), '');
  await first('regret'); // and whoever goes on by keyboard leaves it
  await page.keyboard.press('Tab');
  await page.locator('#site-found').waitFor({ state: 'hidden' });
  await close(page);

  const sent = await openPage(browser, `${base}docs/index.html#site-search`);
  assert.equal(await sent.evaluate(() => document.activeElement.id), 'site-search');
  await close(sent);
}

// Also where the clipboard is refused.
async function checkCopy(browser, base, refused) {
  const page = await openPage(browser, `${base}api/python-policy.html`);
  await page.evaluate(() => navigator.clipboard.writeText('what was there before'));
  if (refused) await page.evaluate(() => (navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))));
  const code = page.locator('.code').first();
  assert.match(await code.locator('code').innerText(), /^>>> import armature/);
  await code.hover();
  await code.getByRole('button', { name: 'Copy' }).click();
  await page.locator('#site-told').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' }); // the button's word goes again by itself
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^import armature\npolicy = armature\.Policy\(/);
  assert.ok(!/>>>|'mail'$/m.test(copied), copied);
  await close(page);
}

async function checkPhone(browser, base) {
  const page = await openPage(browser, `${base}docs/theory.html`, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await fits(page);
  const sidebar = page.locator('#site-sidebar');
  assert.ok(!(await sidebar.isVisible()));
  await page.getByRole('button', { name: 'Menu' }).click();
  await sidebar.getByRole('link', { name: 'Playground', exact: true }).first().waitFor();
  await page.keyboard.press('Escape');
  await sidebar.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Menu' }).click();
  await sidebar.getByRole('link', { name: 'Warden' }).click();
  await page.waitForURL('**/docs/warden.html');
  const table = page.locator('main .table[tabindex="0"]').first();
  await table.focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((box) => box.scrollLeft > 0, await table.elementHandle());
  await page.locator('#site-search').fill('frontier');
  await page.locator('#site-found [role="option"]').first().waitFor();
  await fits(page);
  for (const address of ['index.html', 'docs/paper-results.html', 'docs/comparison.html', 'docs/formats.html', 'docs/specification.html',
    'docs/index.html', 'api/index.html', 'api/study.html', 'api/python-simulation.html', 'files/examples/python/first_steps.ipynb.html', 'files/deploy/index.html']) {
    await page.goto(base + address);
    await fits(page);
  }
  await close(page);
}

async function checkDark(browser, base) {
  const colour = async (scheme) => {
    const page = await openPage(browser, `${base}docs/paper-results.html`, { colorScheme: scheme });
    const seen = await page.evaluate(() => {
      const light = (text) => text.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
      return { paper: light(getComputedStyle(document.documentElement).backgroundColor), ink: light(getComputedStyle(document.body).color) };
    });
    await close(page);
    return seen;
  };
  const [day, night] = [await colour('light'), await colour('dark')];
  assert.ok(day.paper > 240 && day.ink < 60 && night.paper < 40 && night.ink > 200, JSON.stringify({ day, night }));
}

// A figure of the site is the one of the docs, but for what cannot be seen: words are the same, and points of the picture
// differ by no more than where a line lies a tenth of a pixel off, or a dash begins.
async function checkFigures(browser, base) {
  const page = await openPage(browser, `${base}docs/index.html`, { colorScheme: 'light' });
  const words = (text) => attributes(text, /<text\b[^>]*>([^<]*)</g);
  const figures = filesIn(path.join(site, 'figures')).filter((file) => file.endsWith('.svg'));
  assert.ok(figures.length > 30);
  for (const name of figures) {
    const [drawn, shown] = [read(path.join(root, 'docs/figures', name)), read(path.join(site, 'figures', name))];
    assert.deepEqual(words(shown), words(drawn), name);
    const { largest, ink, strays } = await page.evaluate(async (texts) => {
      const pictures = await Promise.all(texts.map(async (text) => {
        const image = new Image();
        image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        canvas.getContext('2d').drawImage(image, 0, 0);
        return canvas.getContext('2d').getImageData(0, 0, image.width, image.height).data;
      }));
      let [most, dark, off] = [0, 0, 0];
      for (let i = 0; i < pictures[0].length; ++i) {
        most = Math.max(most, Math.abs(pictures[0][i] - pictures[1][i]));
        if (Math.abs(pictures[0][i] - pictures[1][i]) > 48) ++off;
        if (pictures[0][i] < 200) ++dark;
      }
      return { largest: pictures[0].length === pictures[1].length ? most : 255, ink: dark, strays: off };
    }, [drawn, shown]);
    assert.ok(ink > 1000 && largest < 100 && strays < 120, `${name}: ${strays} points differ, one by ${largest} of 255`);
  }
  await close(page);
}

// Pages that compute stand in the site as they stand alone, with its header.
async function checkApplications(browser, base) {
  for (const name of ['playground', 'graph']) {
    const page = await openPage(browser, `${base}${name}/index.html`);
    await page.locator('.site-header').waitFor({ state: 'visible' });
    if (name === 'playground') {
      const addresses = await page.evaluate(() => Tour.addresses);
      assert.equal(addresses.length, 3);
      none(addresses.filter((address) => !fs.existsSync(path.join(site, name, address))), 'links of the tour that lead nowhere');
    }
    await page.locator('.site-header').getByRole('link', { name: 'Search' }).click();
    await page.waitForURL('**/docs/index.html#site-search');
    await close(page);
  }
}

async function keepScreenshots(browser, base) {
  for (const colorScheme of ['light', 'dark'])
    for (const width of [1280, 390])
      for (const address of ['index.html', 'docs/specification.html', 'docs/policies.html', 'docs/paper-results.html', 'docs/index.html',
        'api/policy.html', 'api/index.html', 'api/python-policy.html', 'playground/index.html', 'graph/index.html']) {
        const page = await openPage(browser, base + address, { viewport: { width, height: width === 390 ? 844 : 900 }, colorScheme });
        const name = `site-${address.replace(/\/index|\.html/g, '').replace(/\//g, '-')}-${width}-${colorScheme}`;
        await page.screenshot({ path: path.join(screenshots, `${name}.png`) });
        if (address === 'index.html') {
          await page.locator('#site-search').fill('c-ucb');
          await page.locator('#site-found [role="option"]').first().waitFor();
          await page.screenshot({ path: path.join(screenshots, `${name}-search.png`) });
        }
        await page.context().close();
      }
}

// The folder over HTTP, as any static host would have it.
function serve() {
  const types = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml', '.png': 'image/png' };
  const server = http.createServer((request, reply) => {
    const file = path.join(site, decodeURI(new URL(request.url, 'http://host').pathname));
    if (!fs.existsSync(file) || !fs.statSync(file).isFile()) {
      reply.writeHead(404).end();
      return;
    }
    reply.writeHead(200, { 'Content-Type': types[path.extname(file)] ?? 'application/octet-stream' });
    fs.createReadStream(file).pipe(reply);
  });
  return new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(server)));
}

async function main() {
  if (!fs.existsSync(playground) && spawnSync('emcc', ['--version']).error) {
    console.log('skipped: there is no emscripten here, so there is no playground to put into the site');
    process.exit(77);
  }
  checkRefusals();
  const made = generate(site, '--playground', playground, '--graph', path.join(root, 'web/graph'));
  assert.equal(made.status, 0, made.stderr);
  const seen = checkPages();
  checkSharedStyle();
  const names = checkHeaders(seen);
  checkPython(seen);

  const server = await serve();
  const browser = await chromium.launch({ executablePath: browserPath });
  try {
    const base = `http://127.0.0.1:${server.address().port}/`;
    const files = `${pathToFileURL(site)}/`;
    await checkFront(browser, base);
    await checkSearch(browser, base);
    await checkSearch(browser, files);
    for (const refused of [false, true]) await checkCopy(browser, base, refused);
    await checkPhone(browser, base);
    await checkDark(browser, base);
    await checkFigures(browser, base);
    await checkApplications(browser, base);
    await checkApplications(browser, files);
    if (screenshots) await keepScreenshots(browser, base);
  } finally {
    await browser.close();
    server.close();
    fs.rmSync(folder, { recursive: true });
  }
  console.log(`${seen.pages.size} pages, ${seen.size} bytes, ${names} names of headers`);
}

main().catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
