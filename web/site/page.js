// The frame of every page: header, sidebar, what it is about, contents of the page, what comes before and after.
'use strict';

const path = require('path');
const { escape } = require('./text.js');

// How a page links to another, with folders from where it stands: the site works from any place, and from files.
function relative(from, to, id = '') {
  const anchor = id ? `#${id}` : '';
  if (from === to) return anchor || path.posix.basename(to);
  return (path.posix.relative(path.posix.dirname(from), to) || path.posix.basename(to)) + anchor;
}

const destinations = [
  ['Playground', 'playground/index.html'],
  ['Graphs', 'graph/index.html'],
  ['Docs', 'docs/index.html'],
  ['Results', 'docs/paper-results.html'],
  ['API', 'api/index.html'],
];

// Which of them a page belongs to.
function placeOf(address) {
  const exact = destinations.find(([, to]) => to === address);
  if (exact) return exact[1];
  return address.startsWith('api/') ? 'api/index.html' : address === 'index.html' ? '' : 'docs/index.html';
}

// Name and places, which all headers have.
function places(address, present) {
  const here = placeOf(address);
  const links = destinations.filter(([, to]) => present(to)).map(([name, to]) =>
    `<a href="${relative(address, to)}"${to === here ? ' aria-current="page"' : ''}>${name}</a>`);
  return { brand: `<a class="brand" href="${relative(address, 'index.html')}">armature</a>`, links };
}

// The header of a page that is not made here: it has no search of its own, but leads to one.
function foreignHeader(address, present) {
  const { brand, links } = places(address, present);
  const search = `<a href="${relative(address, 'docs/index.html', 'site-search')}">Search</a>`;
  return `<header class="site-header">${brand}\n<nav aria-label="Site">${[...links, search].join('\n')}</nav></header>`;
}

function header(address, present) {
  const { brand, links } = places(address, present);
  return `<header class="site-header">
${brand}
<nav aria-label="Site">${links.join('\n')}</nav>
<div class="search" role="search">
<input id="site-search" type="search" placeholder="Search" aria-label="Search the site" autocomplete="off" spellcheck="false"
role="combobox" aria-expanded="false" aria-controls="site-found" aria-autocomplete="list"><kbd aria-hidden="true">/</kbd>
<div id="site-found" role="listbox" aria-label="Search results" tabindex="-1" hidden></div>
<p id="site-told" class="unseen" role="status"></p>
</div>
<button id="site-menu" type="button" aria-expanded="false" aria-controls="site-sidebar">Menu</button>
</header>`;
}

function sidebar(address, groups, present) {
  const entry = (page) => `<li><a href="${relative(address, page.address)}"${page.address === address ? ' aria-current="page"' : ''}>${escape(page.label)}</a></li>`;
  const lists = groups.map((group) => `<p class="group">${escape(group.title)}</p>\n<ul>${group.pages.map(entry).join('\n')}</ul>`).join('\n');
  const around = places(address, present).links.map((link) => `<li>${link}</li>`).join('');
  return `<nav id="site-sidebar" class="sidebar" aria-label="Pages"><ul class="places">${around}</ul>\n${lists}</nav>`;
}

// Contents of the page: where there is something to choose from.
function contents(toc) {
  const entries = toc.filter(({ level }) => level === 2 || level === 3);
  if (entries.length < 3) return '';
  // Of a very long page the parts alone: a list of a hundred lines is no help.
  const shown = entries.length > 60 && entries.some(({ level }) => level === 2) ? entries.filter(({ level }) => level === 2) : entries;
  const items = shown.map(({ level, title, id }) => `<li class="level-${level}"><a href="#${id}">${escape(title)}</a></li>`).join('\n');
  return `<nav class="toc" aria-label="On this page"><p class="group">On this page</p><ul>${items}</ul></nav>`;
}

function neighbours(address, before, after) {
  const link = (page, rel, word) => (page ? `<a rel="${rel}" href="${relative(address, page.address)}"><span>${word}</span> ${escape(page.label)}</a>` : '<span></span>');
  if (!before && !after) return '';
  return `<nav class="neighbours" aria-label="Previous and next page">${link(before, 'prev', 'Previous')}${link(after, 'next', 'Next')}</nav>`;
}

/// One page as HTML. page: {address, title, html, toc, before, after, wide, summary}; groups: of the sidebar, or null.
function renderPage(page, groups, { present, version }) {
  const { address } = page;
  const to = (target) => relative(address, target);
  const title = page.title === 'armature' ? 'armature: causal bandits' : `${page.title} · armature`;
  const side = groups ? sidebar(address, groups, present) : '';
  return `<!DOCTYPE html>
<html lang="en" data-site>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<meta name="description" content="${escape(page.summary ?? '')}">
<link rel="icon" href="${to('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${to('site.css')}">
<script src="${to('site.js')}" defer data-root="${to('index.html').replace(/index\.html$/, '')}"></script>
</head>
<body class="${page.kind ?? 'text'}">
<a class="skip" href="#site-main">Skip to the text</a>
${header(address, present)}
<div class="frame">
${side}
<main id="site-main" tabindex="-1">
${page.html}
${neighbours(address, page.before, page.after)}
</main>
${contents(page.toc ?? [])}
</div>
<footer class="site-footer"><p>armature ${version} · <a href="${to('docs/changelog.html')}">changes</a> · MIT licence</p></footer>
</body>
</html>
`;
}

module.exports = { foreignHeader, relative, renderPage };
