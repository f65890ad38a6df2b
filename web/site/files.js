// Files of the repository as pages: code as it is, the beginning of long tables, notebooks as they were run, folders.
'use strict';

const fs = require('fs');
const path = require('path');
const { codeBlock, escape } = require('./text.js');

const longest = 64 * 1024; // of a file that is shown whole
const beginning = 40; // lines of a longer one

const isText = (bytes) => !bytes.includes(0);
const languageOf = (name) => (/Dockerfile/.test(name) ? 'dockerfile' : /CMakeLists/.test(name) ? 'cmake' : path.extname(name).slice(1));

function renderFile(name, bytes) {
  const text = bytes.toString('utf8').replace(/\n$/, '');
  const lines = text.split('\n');
  if (bytes.length <= longest) return codeBlock(text, languageOf(name));
  return `<p>The first ${beginning} of ${lines.length.toLocaleString('en')} lines.</p>\n${codeBlock(lines.slice(0, beginning).join('\n'), languageOf(name))}`;
}

// A notebook: its words, its code and what came of it. `markdown` renders words.
function renderNotebook(text, markdown) {
  const whole = (part) => [part ?? ''].flat().join('');
  const output = (one) => {
    if (one.output_type === 'stream') return codeBlock(whole(one.text).trimEnd(), '', 'output');
    const data = one.data ?? {};
    const png = whole(data['image/png']).replace(/\s/g, '');
    if (png) return `<p class="figure"><img alt="What the code above draws" src="data:image/png;base64,${png}"></p>`;
    return data['text/plain'] ? codeBlock(whole(data['text/plain']).trimEnd(), '', 'output') : '';
  };
  const { cells } = JSON.parse(text);
  const words = cells.map((cell) => (cell.cell_type === 'markdown' ? whole(cell.source) : null));
  // All words at once, so that anchors are unique; cells of code stand where a mark is.
  const rendered = markdown(words.map((part, i) => part ?? `ARMATURE-CELL-${i}-`).join('\n\n'));
  rendered.html = rendered.html.replace(/<p>ARMATURE-CELL-(\d+)-<\/p>/g, (_, i) => {
    const cell = cells[Number(i)];
    return codeBlock(whole(cell.source), 'python') + (cell.outputs ?? []).map(output).join('');
  });
  return rendered;
}

// A folder: what it says of itself, and its files; `linkTo(name)` is null for what has no page.
function renderFolder(names, linkTo, readme) {
  const entries = names.map((name) => {
    const href = linkTo(name);
    const code = `<code>${escape(name)}</code>`;
    return `<li>${href ? `<a href="${href}">${code}</a>` : code}</li>`;
  });
  return `${readme}<ul>${entries.join('\n')}</ul>`;
}

module.exports = { isText, renderFile, renderFolder, renderNotebook };
