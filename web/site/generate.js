// Makes the site: README, docs, changelog, the reference and the pages that compute, as a folder of static files.
//   node generate.js OUT --playground DIR --graph DIR    what `make site` does
//   node generate.js OUT --alone                         without the pages that compute, while writing docs
'use strict';

const fs = require('fs');
const path = require('path');
const zlib = require('zlib');
const { apiPages } = require('./api.js');
const { addressOf, groups, readable } = require('./contents.js');
const { pngSize, smallerSvg, svgSize } = require('./figures.js');
const { isText, renderFile, renderFolder, renderNotebook } = require('./files.js');
const { renderMarkdown } = require('./markdown.js');
const { foreignHeader, relative, renderPage } = require('./page.js');
const { escape } = require('./text.js');

const root = path.join(__dirname, '../..');
const read = (source) => fs.readFileSync(path.join(root, source), 'utf8');

class Site {
  constructor(out, applications) {
    this.out = out;
    this.applications = applications; // {playground, graph}: folders, or nothing
    this.pages = []; // in the order in which they were made
    this.written = new Set(); // addresses
    this.figures = new Map(); // address → size
    this.files = new Map(); // path in the repository → address, of what docs link to
    this.titles = new Map(); // source → what it is called in a few words
    this.version = /project\(armature[^)]*VERSION (\S+)/.exec(read('CMakeLists.txt'))[1];
  }

  write(address, content) {
    const file = path.join(this.out, address);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
    this.written.add(address);
  }

  // --- Links and figures

  // What a link in `source` leads to from the page at `address`: null where the site has nothing for it.
  resolve(source, address, href) {
    const [link, id = ''] = href.split('#');
    if (link === '') return { href: `#${id}` };
    const target = path.posix.join(path.posix.dirname(source), link).replace(/\/$/, '');
    if (!fs.existsSync(path.join(root, target))) throw new Error(`${source}: got a link to ${href}, expected a file of the repository`);
    if (this.titles.has(target)) return { href: relative(address, addressOf(target), id), title: this.titles.get(target) };
    const header = /^include\/armature\/(\w+)\.h$/.exec(target);
    if (header) return { href: relative(address, `api/${header[1]}.html`) };
    if (!readable.includes(target.split('/')[0])) return null;
    const place = this.fileAddress(target);
    return place && { href: relative(address, place) };
  }

  // The page of a file or a folder, which is made later; null if nobody could read it.
  fileAddress(target) {
    if (!this.files.has(target)) {
      const full = path.join(root, target);
      const folder = fs.statSync(full).isDirectory();
      if (!folder && !isText(fs.readFileSync(full))) return null;
      this.files.set(target, folder ? `files/${target}/index.html` : `files/${target}.html`);
    }
    return this.files.get(target);
  }

  // A figure of docs/figures, copied once, as the page at `address` shows it.
  figure(source, address, href) {
    const target = path.posix.join(path.posix.dirname(source), href);
    const place = target.replace(/^docs\//, '');
    if (!this.figures.has(place)) {
      if (!fs.existsSync(path.join(root, target))) throw new Error(`${source}: got a figure ${href}, expected a file of the repository`);
      const bytes = fs.readFileSync(path.join(root, target));
      const svg = target.endsWith('.svg');
      this.figures.set(place, svg ? svgSize(bytes.toString()) : pngSize(bytes));
      this.write(place, svg ? smallerSvg(bytes.toString()) : bytes);
    }
    return { src: relative(address, place), ...this.figures.get(place) };
  }

  markdown(source, address, text = read(source)) {
    return renderMarkdown(text, {
      resolve: (href) => this.resolve(source, address, href),
      figure: (href) => this.figure(source, address, href),
    });
  }

  // --- Pages

  // The pages of the sidebar, and what each of them is called.
  plan() {
    const planned = groups.map(({ title, pages }) => ({
      title,
      pages: pages.filter(([source]) => this.applications || source !== 'docs/playground.md').map(([source, label]) => ({ source, label })),
    }));
    const listed = planned.flatMap(({ pages }) => pages.map(({ source }) => source));
    const there = fs.readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
    for (const source of there)
      if (!listed.includes(source) && (this.applications || source !== 'docs/playground.md'))
        throw new Error(`${source}: got a page that is in no group, expected it in web/site/contents.js`);
    for (const source of listed)
      if (!fs.existsSync(path.join(root, source))) throw new Error(`web/site/contents.js: got ${source}, expected a file of the repository`);
    for (const page of planned.flatMap(({ pages }) => pages)) {
      page.address = addressOf(page.source);
      page.title = /^# (.*)/m.exec(read(page.source))[1];
      page.label ??= page.title;
      this.titles.set(page.source, page.label);
    }
    this.titles.set('README.md', 'armature');
    this.groups = planned;
  }

  docs() {
    const summaries = readmeSummaries();
    const order = this.groups.flatMap((group) => group.pages.map((page) => ({ ...page, group: group.title })));
    for (const [i, page] of order.entries()) {
      const rendered = this.markdown(page.source, page.address);
      const summary = summaries.get(page.source) ?? summaryOf(rendered);
      this.pages.push({ ...page, ...rendered, toc: rendered.headings, side: 'docs', summary, before: order[i - 1], after: order[i + 1] });
    }
    this.pages.push(this.overview());
  }

  // All documentation at a glance.
  overview() {
    const address = 'docs/index.html';
    const parts = this.groups.map((group) => {
      const entries = group.pages.map((page) => {
        const made = this.pages.find((one) => one.address === page.address);
        return `<dt><a href="${relative(address, page.address)}">${escape(page.title)}</a></dt><dd>${escape(made.summary)}</dd>`;
      });
      return `<h2>${escape(group.title)}</h2>\n<dl class="pages">${entries.join('\n')}</dl>`;
    });
    return { address, title: 'Documentation', label: 'Documentation', html: `<h1>Documentation</h1>\n${parts.join('\n')}`, sections: [], side: 'docs',
      summary: 'All pages of the documentation, by what one wants to do.' };
  }

  // README, its first sentence large, with where to go from there.
  front() {
    const address = 'index.html';
    const rendered = this.markdown('README.md', address);
    const [, sentence, rest] = /^<h1[^>]*>.*?<\/h1>\s*<p>([^]*?)<\/p>([^]*)$/.exec(rendered.html);
    // First what it is about, then how to get it.
    const [opening, problem, ...others] = rest.split(/(?=<h2 )/);
    const body = [problem, '<h2 id="quick-start">Quick start</h2>\n', opening, ...others].join('');
    const picture = this.figure('README.md', address, 'docs/figures/paper/bilodeau-regret-linear.svg');
    const play = this.applications ? `<a class="button first" href="playground/index.html">Try it in the browser</a>\n` : '';
    const hero = `<section class="hero"><div>
<h1>armature</h1>
<p class="sentence">${sentence}</p>
<p class="buttons">${play}<a class="button" href="docs/concepts.html">Read the docs</a></p>
</div>
<figure><div><img src="${picture.src}" width="${picture.width}" height="${picture.height}" style="--width: ${picture.width}px"
alt="Regret of four policies in a benign world, where trusting the context pays, and in a confounded one, where it is linear"></div>
<figcaption>The same policies where the context can be trusted, and where it cannot:
<a href="docs/paper-results.html">the paper’s claims, measured</a>.</figcaption></figure>
</section>`;
    this.pages.push({
      ...rendered, address, title: 'armature', label: 'armature', html: `${hero}\n<div class="readme">${body}</div>`, toc: [], kind: 'front', side: 'docs',
      summary: sentence.replace(/<[^>]*>/g, '').replace(/\s+/g, ' '),
    });
  }

  reference() {
    const specification = this.pages.find((page) => page.source === 'docs/specification.md');
    const { index, pages } = apiPages({
      include: path.join(root, 'include/armature'),
      python: path.join(root, 'python'),
      relative,
      // What comments cite: `docs/leap.md`, and `spec §3`, the third section of the specification.
      cited: (words) => {
        const section = /^spec §(\d+)/.exec(words)?.[1];
        if (!section) return this.titles.has(words) ? { address: addressOf(words) } : null;
        const heading = specification.headings.find(({ title }) => title.startsWith(`${section}. `));
        return heading && { address: specification.address, id: heading.id };
      },
    });
    this.apiGroups = [{ title: 'Reference', pages: [index] }, { title: 'C++', pages: pages.filter((page) => page.kind === 'C++') },
      { title: 'Python', pages: pages.filter((page) => page.kind === 'Python') }];
    for (const page of [index, ...pages]) this.pages.push({ ...page, kind: 'api', side: 'api' });
  }

  // What docs link to of the repository. Folders link to their files, so that the list grows meanwhile.
  repositoryFiles() {
    for (const [target, address] of this.files) {
      const full = path.join(root, target);
      const folder = fs.statSync(full).isDirectory();
      const summary = `${target}, a ${folder ? 'folder' : 'file'} of the repository.`;
      const page = { address, title: target, label: target, toc: [], sections: [], side: 'docs', summary };
      let html;
      if (folder) {
        const names = fs.readdirSync(full).filter((name) => !/^(\.|__pycache__$|build(-.*)?$)/.test(name)).sort();
        const readme = names.includes('README.md') ? this.markdown(`${target}/README.md`, address).html.replace(/<h1.*?<\/h1>/, '') : '';
        const link = (name) => {
          const place = name === 'README.md' ? null : this.fileAddress(`${target}/${name}`);
          return place && relative(address, place);
        };
        html = renderFolder(names, link, readme);
      } else if (target.endsWith('.md')) {
        html = this.markdown(target, address).html.replace(/<h1.*?<\/h1>/, '');
      } else if (target.endsWith('.ipynb')) {
        const rendered = renderNotebook(fs.readFileSync(full, 'utf8'), (text) => this.markdown(target, address, text));
        page.title = rendered.title;
        html = rendered.html.replace(/<h1.*?<\/h1>/, '');
        page.toc = rendered.headings;
        page.sections = rendered.sections;
      } else {
        html = renderFile(path.basename(target), fs.readFileSync(full));
      }
      page.html = `<h1>${page.title === target ? `<code>${escape(target)}</code>` : escape(page.title)}</h1>\n${html}`;
      this.pages.push(page);
    }
  }

  // The pages that compute are whole by themselves; within the site they say so and show its header.
  copyApplications() {
    for (const [name, folder] of Object.entries(this.applications ?? {})) {
      const index = path.join(folder, 'index.html');
      if (!fs.existsSync(index)) throw new Error(`${folder}: got a folder without index.html, expected what the build of ${name} leaves`);
      fs.cpSync(folder, path.join(this.out, name), { recursive: true });
      const text = fs.readFileSync(index, 'utf8');
      const header = /<header class="site-header">[^]*?<\/header>/;
      if (!/<html\b/.test(text) || !header.test(text)) throw new Error(`${index}: got a page without <html> or header, expected both`);
      const marked = text.replace(/<html\b(?![^>]*data-site)/, '<html data-site');
      this.write(`${name}/index.html`, marked.replace(header, foreignHeader(`${name}/index.html`, () => true)));
    }
  }

  // Sections of all pages: titles and words, for the search of the page's script.
  searchIndex() {
    const pages = [];
    const sections = [];
    for (const page of this.pages) {
      const own = page.sections.filter((section) => section.title !== '');
      if (own.length === 0) continue;
      pages.push([page.address, page.title]);
      for (const section of own) sections.push([pages.length - 1, section.level === 1 || section.id === '' ? '' : section.id, section.title, section.text]);
    }
    const packed = zlib.gzipSync(JSON.stringify({ pages, sections }), { level: 9 }).toString('base64');
    this.write('search_index.js', `window.armatureSearchIndex = '${packed}';\n`);
  }

  make() {
    this.copyApplications();
    this.plan();
    this.docs();
    this.front();
    this.reference();
    this.repositoryFiles();
    const source = (name) => fs.readFileSync(path.join(__dirname, name));
    for (const name of ['site.css', 'icon.svg']) this.write(name, source(name));
    this.write('site.js', Buffer.concat([source('../playground/copy.js'), source('site.js')]));
    const addresses = new Set(this.pages.map((page) => page.address).concat([...this.written]));
    const frame = { present: (address) => addresses.has(address), version: this.version };
    for (const page of this.pages) {
      const side = { docs: this.groups, api: this.apiGroups }[page.side] ?? null;
      this.write(page.address, renderPage(page, side, frame));
    }
    this.searchIndex();
  }
}

// README has a line on nearly every page: `- [docs/theory.md](docs/theory.md): what it is about`.
function readmeSummaries() {
  const found = new Map();
  for (const [, source, words] of read('README.md').matchAll(/^- \[([\w/-]+\.md)\]\([^)]*\): ((?:.*\n)(?:  .*\n)*)/gm)) {
    const plain = words.trim().replace(/\s+/g, ' ').replace(/`/g, '');
    found.set(source, `${plain[0].toUpperCase()}${plain.slice(1)}.`);
  }
  return found;
}

// What another page says of itself first: its first sentence of words.
function summaryOf({ sections }) {
  const text = sections.find((section) => section.text !== '')?.text ?? '';
  const [sentence] = /^[^]*?[.:!?](?=\s|$)/.exec(text) ?? [text];
  return sentence.replace(/:$/, '.');
}

// An earlier site is replaced; anything else that stands there is somebody's.
function requireOurs(out) {
  if (fs.existsSync(out) && fs.readdirSync(out).length > 0 && !fs.existsSync(path.join(out, 'search_index.js')))
    throw new Error(`${out}: got a folder with something else in it, expected an earlier site or nothing`);
}

// Made beside its place and moved there when it is whole: what fails leaves the site that was there.
function main(words) {
  const [out, ...options] = words;
  const option = (name) => (options.includes(name) ? options[options.indexOf(name) + 1] : undefined);
  const alone = options.includes('--alone');
  const [playground, graph] = [option('--playground'), option('--graph')];
  if (!out || (!alone && !(playground && graph))) throw new Error('usage: generate.js OUT (--playground DIR --graph DIR | --alone)');
  requireOurs(out);
  const making = `${path.resolve(out)}.making`;
  fs.rmSync(making, { recursive: true, force: true });
  new Site(making, alone ? null : { playground, graph }).make();
  fs.rmSync(out, { recursive: true, force: true });
  fs.renameSync(making, out);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`site: ${error.message}`);
  process.exit(1);
}
