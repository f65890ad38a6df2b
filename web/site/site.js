// What a page of the site does: search, copying code, the menu of a phone, and which section one reads.
'use strict';

const here = document.currentScript;
const root = here.dataset.root; // the way to the site's own folder from this page

// --- Search ---------------------------------------------------------------------------------------

const searchBox = document.getElementById('site-search');
const found = document.getElementById('site-found');
const told = document.getElementById('site-told');
const mostShown = 12;
const mostOfPage = 4;

// The index is fetched when somebody is about to search. A script, not a request: pages opened from files may load it.
let loading = null;
function loadIndex() {
  loading ??= new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = `${root}search_index.js`;
    script.onload = done;
    script.onerror = () => failed(new Error('the index of the search is missing'));
    document.head.append(script);
  }).then(async () => {
    const bytes = Uint8Array.from(atob(window.armatureSearchIndex), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const { pages, sections } = JSON.parse(await new Response(stream).text());
    return sections.map(([page, id, title, text]) => ({
      address: pages[page][0], page: pages[page][1], id, title, text,
      lowTitle: title.toLowerCase(), lowPage: pages[page][1].toLowerCase(), lowText: text.toLowerCase(),
    }));
  });
  return loading;
}

// A hyphen belongs to its word: c-ucb is a name, and ucb another one.
const partOfWord = /[\p{L}\p{N}_-]/u;
const startsWord = (text, at) => at === 0 || !partOfWord.test(text[at - 1]);
const endsWord = (text, at) => at >= text.length || !partOfWord.test(text[at]);

// How well a word is met in a text: 3 as a word of its own, 2 as the beginning of one, 1 within one, 0 not at all.
function quality(text, word) {
  let best = 0;
  for (let at = text.indexOf(word), looked = 0; at >= 0 && best < 3 && looked < 200; at = text.indexOf(word, at + 1), ++looked) {
    const start = startsWord(text, at);
    best = Math.max(best, start && endsWord(text, at + word.length) ? 3 : start ? 2 : 1);
  }
  return best;
}

// Explanations come before lists of names, and both before what is told of changes and of the house.
function standing(address) {
  return /^docs\/(changelog|hacking)\./.test(address) ? -8 : /^(api|files)\//.test(address) ? -4 : 0;
}

function score(section, words, whole) {
  let total = standing(section.address);
  if (section.lowTitle === whole) total += section.id === '' ? 90 : total < 0 ? 30 : 60;
  let met = 0;
  for (const word of words) {
    const title = quality(section.lowTitle, word);
    const text = quality(section.lowText, word);
    const page = quality(section.lowPage, word);
    if (title + text + page === 0) continue;
    ++met;
    const often = Math.min(6, Math.log2(section.lowText.split(word).length));
    total += [0, 4, 12, 24][title] + [0, 1, 4, 8][text] + [0, 1, 3, 6][page] + often;
  }
  if (words.length > 1) total += (section.lowTitle.includes(whole) ? 30 : 0) + (section.lowText.includes(whole) ? 15 : 0);
  return { total: total - Math.min(section.text.length / 2000, 4), met };
}

// The best sections: of those with all words if there are any, else of those with most of them.
function search(sections, query) {
  const whole = query.trim().toLowerCase().replace(/\s+/g, ' ');
  const words = whole.split(' ').filter((word) => word !== '');
  const rated = [];
  for (const section of sections) {
    const { total, met } = score(section, words, whole);
    if (met > 0) rated.push({ section, total, met });
  }
  const most = rated.reduce((largest, { met }) => Math.max(largest, met), 0);
  const ofPage = new Map();
  const results = rated.filter(({ met }) => met === most).sort((a, b) => b.total - a.total).filter(({ section }) => {
    const before = ofPage.get(section.address) ?? 0;
    ofPage.set(section.address, before + 1);
    return before < mostOfPage;
  });
  return { results: results.slice(0, mostShown).map(({ section }) => section), words, all: most === words.length };
}

// Text with the words marked, from where the first of them is.
function marked(text, words, length) {
  const low = text.toLowerCase();
  const places = words.map((word) => low.indexOf(word)).filter((at) => at >= 0);
  const first = places.length > 0 ? Math.min(...places) : 0;
  const start = first < length / 2 ? 0 : low.lastIndexOf(' ', first - length / 4) + 1;
  const room = text.slice(start, start + length);
  const piece = start + length < text.length ? room.slice(0, room.lastIndexOf(' ')) : room;
  const nodes = [start > 0 ? '… ' : ''];
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'gi');
  let at = 0;
  for (const match of piece.matchAll(pattern)) {
    const mark = document.createElement('mark');
    mark.textContent = match[0];
    nodes.push(piece.slice(at, match.index), mark);
    at = match.index + match[0].length;
  }
  nodes.push(piece.slice(at), start + piece.length < text.length ? ' …' : '');
  return nodes;
}

let chosen = -1;
function choose(next) {
  const options = [...found.querySelectorAll('[role="option"]')];
  if (options.length === 0) return;
  chosen = (next + options.length) % options.length;
  for (const [i, option] of options.entries()) option.setAttribute('aria-selected', String(i === chosen));
  searchBox.setAttribute('aria-activedescendant', options[chosen].id);
  options[chosen].scrollIntoView({ block: 'nearest' });
}

function closeSearch() {
  found.hidden = true;
  found.replaceChildren();
  searchBox.setAttribute('aria-expanded', 'false');
  searchBox.removeAttribute('aria-activedescendant');
  told.textContent = '';
  chosen = -1;
}

function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

function show({ results, words, all }) {
  const options = results.map((section, i) => {
    const option = element('a', '', element('b', '', ...marked(section.title, words, 200)));
    if (section.title !== section.page) option.append(element('span', 'where', section.page));
    if (section.text !== '') option.append(element('span', 'snippet', ...marked(section.text, words, 160)));
    option.href = root + section.address + (section.id ? `#${section.id}` : '');
    option.id = `site-found-${i}`;
    option.tabIndex = -1;
    option.setAttribute('role', 'option');
    option.addEventListener('click', closeSearch);
    return option;
  });
  const count = results.length === 1 ? '1 result' : `${results.length === mostShown ? 'the best ' : ''}${results.length} results`;
  told.textContent = results.length === 0 ? 'Nothing found' : all ? count : `No section has all words; ${count} with some of them`;
  found.replaceChildren(...(options.length > 0 ? options : [element('p', '', 'Nothing found.')]));
  found.hidden = false;
  searchBox.setAttribute('aria-expanded', 'true');
  choose(0);
}

async function runSearch() {
  const query = searchBox.value;
  if (query.trim() === '') {
    closeSearch();
    return;
  }
  try {
    const sections = await loadIndex();
    if (searchBox.value === query) show(search(sections, query)); // else somebody typed on meanwhile
  } catch (error) {
    found.replaceChildren(element('p', '', `No search: ${error.message}.`));
    found.hidden = false;
  }
}

searchBox.addEventListener('focus', () => loadIndex().catch(() => {}), { once: true });
searchBox.addEventListener('input', runSearch);
searchBox.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
  } else if (event.key === 'Enter') {
    found.querySelector('[aria-selected="true"]')?.click();
  } else if (event.key === 'Escape') {
    searchBox.value = '';
    closeSearch();
    searchBox.blur();
  }
});
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest('input, textarea, select, [contenteditable]');
  if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    searchBox.focus();
  }
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search')) closeSearch();
});
// Not where the focus goes nowhere, as when a phone's keyboard is put away to see what was found.
searchBox.closest('.search').addEventListener('focusout', ({ relatedTarget }) => {
  if (relatedTarget && !relatedTarget.closest('.search')) closeSearch();
});
// Pages with a header but no search of their own send people here.
if (location.hash === '#site-search') searchBox.focus();

// --- Code -----------------------------------------------------------------------------------------

// What one would type: without prompts, and where there are prompts, without what was answered.
function withoutPrompts(text) {
  const lines = text.split('\n');
  const prompt = /^(>>> ?|\.\.\. ?|\$ )/;
  if (!lines.some((line) => /^(>>>|\$) /.test(line))) return text;
  return lines.filter((line) => prompt.test(line)).map((line) => line.replace(prompt, '')).join('\n');
}

for (const block of document.querySelectorAll('.code')) {
  const button = element('button', '', 'Copy');
  button.type = 'button';
  button.setAttribute('aria-label', 'Copy the code');
  button.addEventListener('click', async () => {
    const words = await copyText(withoutPrompts(block.querySelector('code').textContent)) ? 'Copied' : 'Not copied';
    button.textContent = words;
    setTimeout(() => (told.textContent = words)); // after the click has closed the search, and what was told of that
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  block.append(button);
}

// --- What is wider than its place -----------------------------------------------------------------

// Whoever has no mouse scrolls it by the keyboard: then it can have the focus, and has a name.
const boxes = [...document.querySelectorAll('main .table, main pre')];
function nameWideBoxes() {
  for (const box of boxes) {
    const wide = box.scrollWidth > box.clientWidth;
    if (wide) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
    for (const [name, value] of [['role', 'region'], ['aria-label', box.matches('pre') ? 'Code' : 'Table']])
      if (wide) box.setAttribute(name, value);
      else box.removeAttribute(name);
  }
}
nameWideBoxes();
window.addEventListener('resize', nameWideBoxes);

// --- The menu of a phone --------------------------------------------------------------------------

const menu = document.getElementById('site-menu');
function openMenu(open) {
  document.documentElement.classList.toggle('menu-open', open);
  menu.setAttribute('aria-expanded', String(open));
}
menu.addEventListener('click', () => openMenu(menu.getAttribute('aria-expanded') !== 'true'));
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && menu.getAttribute('aria-expanded') === 'true') {
    openMenu(false);
    menu.focus();
  }
});

// --- What one reads -------------------------------------------------------------------------------

// The sidebar shows the page one is on, scrolled only where it would be out of sight; the contents the section that is at the top.
const sidebar = document.getElementById('site-sidebar');
const current = sidebar?.querySelector('[aria-current]');
if (current && current.offsetTop > sidebar.clientHeight - 80) sidebar.scrollTop = current.offsetTop - sidebar.clientHeight / 2;

const entries = [...document.querySelectorAll('.toc a')].map((link) => ({ link, heading: document.getElementById(decodeURIComponent(link.hash.slice(1))) }));
if (entries.length > 0) {
  const observer = new IntersectionObserver(() => {
    let last = null;
    for (const entry of entries) if (entry.heading.getBoundingClientRect().top < 120) last = entry;
    for (const { link } of entries) link.removeAttribute('aria-current');
    last?.link.setAttribute('aria-current', 'location');
  }, { rootMargin: '-100px 0px -60% 0px' });
  for (const { heading } of entries) observer.observe(heading);
}
