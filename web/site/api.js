// The reference: a page per public header and per Python module. What it says is what the sources say.
'use strict';

const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { readHeader } = require('./headers.js');
const { Slugs, codeBlock, escape } = require('./text.js');

const types = new Set(['class', 'struct', 'enum', 'alias', 'concept']);

// A comment as paragraphs. Indented lines are code, and so is what stands in backticks or behind >>>. What it names and
// cites are links: code(name) and cite(words) are HTML.
function prose(text, { code, cite }) {
  if (!text) return '';
  const inline = (words) => words.split(/(``[^`]+``|`[^`\n]+`|\*\*\w[^*]*\*\*|docs\/[\w-]+\.md|spec §\d+)/).map((part) => {
    if (/^`/.test(part)) return code(part.replace(/^`+|`+$/g, ''));
    if (/^\*\*\w/.test(part)) return `<strong>${escape(part.slice(2, -2))}</strong>`;
    return /^(docs\/|spec §)/.test(part) ? cite(part) : escape(part);
  }).join('');
  const blocks = [];
  let open = false; // does the next line go on with the last block?
  for (const line of text.split('\n')) {
    const doctest = /^\s*(>>>|\.\.\.) /.test(line);
    const kind = line.trim() === '' ? '' : doctest ? 'doctest' : /^\s{2,}/.test(line) ? 'code' : 'words';
    const last = blocks.at(-1);
    const shown = open && last?.kind === 'doctest' && kind !== ''; // what Python answers
    const listed = open && last?.kind === 'list' && kind === 'code';
    if (/^- /.test(line)) {
      if (open && last?.kind === 'list') last.lines.push(line.slice(2));
      else blocks.push({ kind: 'list', lines: [line.slice(2)] });
    } else if (listed) last.lines[last.lines.length - 1] += ` ${line.trim()}`;
    else if (shown || (open && last?.kind === kind)) last.lines.push(line);
    else if (kind !== '') blocks.push({ kind, lines: [line] });
    open = kind !== '';
  }
  return blocks.map(({ kind, lines }) => {
    if (kind === 'words') return `<p>${inline(lines.join(' '))}</p>`;
    if (kind === 'list') return `<ul>${lines.map((line) => `<li>${inline(line)}</li>`).join('')}</ul>`;
    const indent = Math.min(...lines.map((line) => /^\s*/.exec(line)[0].length));
    return codeBlock(lines.map((line) => line.slice(indent)).join('\n'), kind === 'doctest' ? 'python' : '');
  }).join('\n');
}

// How names and citations are shown on the page at `address`.
function linker(address, known, { relative, cited }) {
  const link = (place, html) => (place ? `<a href="${relative(address, place.address, place.id)}">${html}</a>` : html);
  return {
    to: (name, html) => link(known.get(name), html),
    code: (name) => link(known.get(name.replace(/^armature\./, '')), `<code>${escape(name)}</code>`),
    cite: (words) => link(cited(words), escape(words)),
  };
}

// Not the point of an abbreviation, which no capital follows.
const firstSentence = (text) => /^[^]*?[.!?](?= [A-Z`]|$)|^[^]*/.exec(text.replace(/\s+/g, ' '))[0];

// --- C++ ------------------------------------------------------------------------------------------

// Every entry gets its anchor here: Type, Type-member, function; what is overloaded shares one.
function anchored(items, owner = '') {
  for (const item of items) {
    if (!item.names) continue;
    item.ids = item.names.map((name) => (owner ? `${owner}-${name}` : name).replace(/[^\w-]/g, (c) => `.${c.charCodeAt(0).toString(16)}`));
    if (item.members) anchored(item.members, item.ids[0]);
  }
}

/// The headers in `folder`: [{name, comment, items}].
function readHeaders(folder) {
  return fs.readdirSync(folder).filter((name) => name.endsWith('.h') && name !== 'armature.h').sort().map((name) => {
    const header = readHeader(fs.readFileSync(path.join(folder, name), 'utf8'));
    anchored(header.items);
    return { name, ...header };
  });
}

const headerAddress = (header) => `api/${header.name.replace(/\.h$/, '')}.html`;

// Where each type of the project is described: what signatures link to. A name that two have is none of theirs.
function typeAddresses(headers) {
  const found = new Map();
  for (const header of headers)
    for (const item of header.items)
      if (types.has(item.kind) || item.kind === 'macro') {
        const name = item.names[0];
        found.set(name, found.has(name) ? null : { address: headerAddress(header), id: item.ids[0] });
      }
  return found;
}

class HeaderPage {
  constructor(header, links) {
    this.header = header;
    this.links = links;
    this.toc = [];
    this.sections = [];
    this.used = new Set(); // ids: the first of overloads has it
  }

  // Names of the project's types become links, the nested ones of `inside` before all others.
  linked(signature, inside, self) {
    return escape(signature).replace(/&quot;.*?&quot;|\b[A-Z]\w+\b/g, (word) => {
      if (word === self) return word;
      const nested = inside?.members?.find((item) => types.has(item.kind) && item.names[0] === word);
      if (nested) return `<a href="#${nested.ids[0]}">${word}</a>`;
      return this.links.to(word, word);
    });
  }

  prose(text) {
    return prose(text, this.links);
  }

  // The ids of an item that nothing else on the page has yet, as anchors.
  marks(item) {
    return item.ids.filter((id) => !this.used.has(id) && this.used.add(id)).map((id) => ` id="${id}"`);
  }

  row(item, inside) {
    const [first = '', ...more] = this.marks(item);
    const others = more.map((mark) => `<span${mark}></span>`).join('');
    const code = this.linked(item.signature, inside, item.names[0]);
    const remark = item.remark ? `<span class="remark">${this.prose(item.remark).replace(/<\/?p>/g, '')}</span>` : '';
    return `<div class="row"${first}>${others}<code>${code}</code>${remark}</div>`;
  }

  // Consecutive declarations that share a comment, as in the source: those that follow without a blank line and
  // without a comment of their own.
  entries(items, inside) {
    let html = '';
    for (let i = 0; i < items.length; ) {
      if (items[i].members && items[i].kind !== 'variable') {
        html += this.nested(items[i++]);
        continue;
      }
      const group = [items[i++]];
      while (i < items.length && !items[i].blank && !items[i].doc && !items[i].members && items[i].kind !== 'section') group.push(items[i++]);
      html += `<div class="entry">${group.map((item) => this.row(item, inside)).join('')}${this.prose(group[0].doc)}</div>\n`;
    }
    return html;
  }

  members(item) {
    const open = item.members.filter((member) => member.access === 'public');
    const derived = item.members.filter((member) => member.access === 'protected');
    return this.entries(open, item) + (derived.length > 0 ? `<p class="for">For classes derived from it</p>${this.entries(derived, item)}` : '');
  }

  // A type within a type.
  nested(item) {
    const [mark = ''] = this.marks(item);
    const head = `<div class="row"><code>${this.linked(item.signature, null, item.names[0])}</code></div>`;
    return `<div class="nested"${mark}>${head}${this.prose(item.doc)}${this.members(item)}</div>\n`;
  }

  // A type of the header, with a heading of its own.
  type(item, level) {
    const [mark = ''] = this.marks(item);
    const name = (item.space ? `${item.space}::` : '') + item.names[0];
    this.toc.push({ level, title: name, id: item.ids[0] });
    const inner = [];
    const collect = (members) => members.forEach((member) => {
      inner.push(...member.names ?? [], member.remark ?? '', member.doc ?? '');
      if (member.members) collect(member.members);
    });
    collect(item.members ?? []);
    this.sections.push({ title: name, id: item.ids[0], text: [item.doc ?? '', ...inner].join(' ').replace(/\s+/g, ' ') });
    // What the heading has said already is not said again.
    const said = item.signature === `${item.kind} ${item.names[0]}` || item.signature === `enum class ${item.names[0]}`;
    const code = item.kind === 'concept' ? codeBlock(item.signature, 'cpp')
      : `<div class="row"><code>${this.linked(item.signature, item, item.names[0])}</code></div>`;
    const anchor = `<a class="anchor" href="#${item.ids[0]}" aria-label="Link to this type">#</a>`;
    return `<section class="type"><h${level}${mark}>${escape(name)} <small>${item.kind}</small> ${anchor}</h${level}>
${said ? '' : code}${this.prose(item.doc)}${item.members ? this.members(item) : ''}</section>\n`;
  }

  render() {
    const { header } = this;
    const divided = header.items.some((item) => item.kind === 'section');
    const level = divided ? 3 : 2;
    const slugs = new Slugs();
    const section = (title, notes = '') => {
      const id = `section-${slugs.of(title)}`;
      this.toc.push({ level: 2, title, id });
      return `<h2 id="${id}">${escape(title)} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h2>\n${this.prose(notes)}`;
    };
    let html = `<h1>armature/${header.name}</h1>\n<p class="include"><code>#include "armature/${header.name}"</code></p>\n${this.prose(header.comment)}\n`;
    if (divided && header.items[0].kind !== 'section') html += section('To begin with');
    for (let i = 0; i < header.items.length; ) {
      const item = header.items[i];
      if (item.kind === 'section') {
        html += section(item.title, item.doc);
        ++i;
      } else if (['class', 'struct', 'enum', 'concept'].includes(item.kind)) {
        html += this.type(item, level);
        ++i;
      } else {
        const run = [];
        while (i < header.items.length && !['section', 'class', 'struct', 'enum', 'concept'].includes(header.items[i].kind)) run.push(header.items[i++]);
        for (const one of run) {
          if (this.sections.some((known) => known.id === one.ids[0])) continue;
          this.toc.push({ level, title: one.names[0], id: one.ids[0] });
          const title = (one.space ? `${one.space}::` : '') + one.names[0];
          this.sections.push({ title, id: one.ids[0], text: `${one.doc ?? ''} ${one.remark ?? ''}`.replace(/\s+/g, ' ') });
        }
        html += `<div class="free">${this.entries(run, null)}</div>\n`;
      }
    }
    return { html, toc: this.toc, sections: this.sections };
  }
}

// --- Python ---------------------------------------------------------------------------------------

function readPython(folder) {
  return JSON.parse(execFileSync('python3', [path.join(__dirname, 'python_api.py'), folder], { encoding: 'utf8', maxBuffer: 1 << 26 }));
}

const moduleAddress = (module) => `api/python-${module.module.split('.')[1]}.html`;

function pythonAddresses(modules) {
  const found = new Map();
  for (const module of modules) for (const item of module.items) found.set(item.name, { address: moduleAddress(module), id: item.name });
  return found;
}

function renderModule(module, links) {
  const toc = [];
  const sections = [];
  const signature = (item, owner) => {
    const text = item.name === '__init__' ? item.signature.replace('def __init__', owner).replace(/ -> None$/, '') : item.signature;
    return escape(text).replace(/'[^']*'|\b[A-Z]\w+\b/g, (word) => (word === item.name || word === owner ? word : links.to(word, word)));
  };
  const row = (item, owner, id) => `<div class="row"${id ? ` id="${id}"` : ''}><code>${signature(item, owner)}</code></div>`;
  const members = (item) => {
    let html = '';
    const used = new Set();
    for (let i = 0; i < item.members.length; ) {
      // Overloads, and fields that have no words of their own, stand together.
      const group = [item.members[i++]];
      const goesOn = (next) => next.doc === group[0].doc && (next.name === group.at(-1).name || (next.doc === '' && next.kind !== 'function'));
      while (i < item.members.length && goesOn(item.members[i])) group.push(item.members[i++]);
      const rows = group.map((member) => {
        const id = `${item.name}.${member.name}`;
        return row(member, item.name, used.has(id) ? '' : (used.add(id), id));
      });
      html += `<div class="entry">${rows.join('')}${prose(group[0].doc, links)}</div>\n`;
    }
    return html;
  };
  let html = `<h1>${module.module}</h1>\n${prose(module.doc, links)}\n`;
  for (const item of module.items) {
    toc.push({ level: 2, title: item.name, id: item.name });
    const inner = (item.members ?? []).flatMap((member) => [member.name, member.doc]);
    sections.push({ title: `armature.${item.name}`, id: item.name, text: [item.doc, ...inner].join(' ').replace(/\s+/g, ' ') });
    const anchor = `<a class="anchor" href="#${item.name}" aria-label="Link to this name">#</a>`;
    html += `<section class="type"><h2 id="${item.name}">${item.name} <small>${item.kind}</small> ${anchor}</h2>
${item.signature === `class ${item.name}` ? '' : row(item, '', '')}${prose(item.doc, links)}${item.members ? members(item) : ''}</section>\n`;
  }
  return { html, toc, sections };
}

// --- The pages ------------------------------------------------------------------------------------

/// All pages of the reference: [{address, title, label, html, toc, sections}]. relative(from, to, id) is a link;
/// cited(words) is the place of what comments cite.
function apiPages({ include, python, relative, cited }) {
  const headers = readHeaders(include);
  const modules = readPython(python).filter((module) => module.items.length > 0);
  const known = typeAddresses(headers);
  const names = pythonAddresses(modules);
  const pages = headers.map((header) => {
    const address = headerAddress(header);
    const rendered = new HeaderPage(header, linker(address, known, { relative, cited })).render();
    const summary = firstSentence(header.comment || header.items[0].doc);
    return { address, title: `armature/${header.name}`, label: header.name, kind: 'C++', summary, ...rendered };
  });
  for (const module of modules) {
    const address = moduleAddress(module);
    const rendered = renderModule(module, linker(address, names, { relative, cited }));
    pages.push({ address, title: module.module, label: module.module, kind: 'Python', summary: firstSentence(module.doc), ...rendered });
  }
  return { index: indexPage(pages, headers, modules, { relative, cited }), pages };
}

function indexPage(pages, headers, modules, { relative, cited }) {
  const address = 'api/index.html';
  const links = linker(address, new Map(), { relative, cited });
  const list = (kind) => `<dl class="pages">${pages.filter((page) => page.kind === kind).map((page) =>
    `<dt><a href="${relative(address, page.address)}"><code>${page.label}</code></a></dt><dd>${prose(page.summary, links).replace(/<\/?p>/g, '')}</dd>`).join('\n')}</dl>`;
  const alphabet = (entries) => `<ul class="names">${[...entries].sort(([a], [b]) => a.localeCompare(b, 'en')).map(([name, href]) =>
    `<li><a href="${href}"><code>${escape(name)}</code></a></li>`).join('\n')}</ul>`;
  const cpp = new Map();
  for (const header of headers)
    for (const item of header.items)
      for (const [i, name] of (item.names ?? []).entries()) {
        const full = (item.space ? `${item.space}::` : '') + name;
        if (!cpp.has(full)) cpp.set(full, relative(address, headerAddress(header), item.ids[i]));
      }
  const py = new Map(modules.flatMap((module) => module.items.map((item) => [item.name, relative(address, moduleAddress(module), item.name)])));
  const titles = [['cpp', 'C++: headers'], ['python', 'Python: modules'], ['cpp-names', 'C++: every name'], ['python-names', 'Python: every name']];
  const heading = (i) => `<h2 id="${titles[i][0]}">${titles[i][1]}</h2>`;
  const html = `<h1>API</h1>
<p>Made from the comments and stubs of the sources. How to use them:
<a href="${relative(address, 'docs/embedding.html')}">Embedding a policy</a> for C++, <a href="${relative(address, 'docs/python.html')}">Python</a>.</p>
${heading(0)}<p><code>#include "armature/armature.h"</code> is all of them at once; everything lies in the namespace <code>armature</code>.</p>${list('C++')}
${heading(1)}<p><code>import armature</code> has every name of these modules.</p>${list('Python')}
${heading(2)}${alphabet(cpp)}
${heading(3)}${alphabet(py)}`;
  return {
    address, title: 'API', label: 'All names', html,
    toc: titles.map(([id, title]) => ({ level: 2, title, id })),
    sections: [{ title: 'API', id: '', text: 'C++ headers, Python modules, every name' }],
  };
}

module.exports = { apiPages };
