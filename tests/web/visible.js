// What a reader sees of figures: node visible.js BUNDLE FOLDER compiles every NAME.json of the folder
// with the bundle, draws it without a browser and prints
//   {"NAME": [{"title": …, "seen": [names], "notes": [texts], "strays": [marks]}, …], …},
// one entry per panel: the series that have a mark of some size inside the plot, the texts of the
// panel outside axes and legends, and marks that lie outside the plot and are not clipped.
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');

const [bundle, folder] = process.argv.slice(2);
vm.runInThisContext(fs.readFileSync(bundle, 'utf8'));
const { vega, vegaLite } = globalThis;

// Whose data a mark shows. A bound is theory: its line says nothing of what was measured.
const nameOf = (item) => (item.datum?.bound === undefined ? item.datum?.learner ?? item.datum?.policy : undefined);

// Whether any part of a box with some size lies in the plot; a pixel of rounding is no part.
function overlaps(plot, left, right, top, bottom) {
  return right > 0.5 && left < plot.width - 0.5 && bottom > 0.5 && top < plot.height - 0.5;
}

// Symbols at the edge may stand half outside: it is their middle that counts, and a thick line's.
function inside(plot, x, y) {
  return x > -2 && x < plot.width + 2 && y > -2 && y < plot.height + 2;
}

function isSeen(plot, mark, item) {
  if ((item.opacity ?? 1) === 0) return false;
  switch (mark.marktype) {
    case 'symbol':
      return item.size > 0 && inside(plot, item.x, item.y);
    case 'line':
    case 'area': {
      // A path of one point has no length.
      const next = mark.items[mark.items.indexOf(item) + 1] ?? mark.items[mark.items.indexOf(item) - 1];
      return next !== undefined && inside(plot, item.x, item.y) && Number.isFinite(next.x + next.y);
    }
    case 'rect':
      return item.width > 0.5 && item.height > 0.5 &&
        overlaps(plot, item.x, item.x + item.width, item.y, item.y + item.height);
    case 'rule': {
      const [x2, y2] = [item.x2 ?? item.x, item.y2 ?? item.y];
      return Math.abs(x2 - item.x) + Math.abs(y2 - item.y) > 1 &&
        overlaps(plot, Math.min(item.x, x2) - 1, Math.max(item.x, x2) + 1, Math.min(item.y, y2) - 1, Math.max(item.y, y2) + 1);
    }
    default:
      return false;
  }
}

function lookAt(mark, plot, clipped, panel) {
  if (/^(axis|legend)/.test(mark.role ?? '')) return;
  const cut = clipped || Boolean(mark.clip);
  for (const item of mark.items) {
    if (mark.marktype === 'group') {
      for (const child of item.items ?? []) lookAt(child, plot, cut, panel);
      if (item.title) lookAt(item.title, plot, cut, panel);
    } else if (mark.marktype === 'text') {
      const text = [item.text].flat().join(' ');
      if (mark.role === 'title-text') panel.title = text;
      else panel.notes.push(text);
    } else if (nameOf(item) !== undefined) {
      if (isSeen(plot, mark, item)) panel.seen.add(nameOf(item));
      if (!cut && !inside(plot, item.x, item.y)) panel.strays.push(`${mark.marktype} of ${nameOf(item)}`);
    }
  }
}

// The panels of a concatenation are the groups of the outermost one.
async function panelsOf(file) {
  const spec = JSON.parse(fs.readFileSync(file, 'utf8'));
  const view = new vega.View(vega.parse(vegaLite.compile(spec, { logger: vega.logger(vega.Error) }).spec), { renderer: 'none' });
  await view.runAsync();
  const panels = [];
  for (const mark of view.scenegraph().root.items[0].items)
    if (mark.marktype === 'group' && /^concat_/.test(mark.name ?? ''))
      for (const plot of mark.items) {
        const panel = { title: '', seen: new Set(), notes: [], strays: [] };
        lookAt({ marktype: 'group', items: [plot] }, plot, false, panel);
        panels.push({ ...panel, seen: [...panel.seen] });
      }
  view.finalize();
  return panels;
}

async function main() {
  const figures = {};
  for (const name of fs.readdirSync(folder).sort())
    if (name.endsWith('.json')) figures[name.replace(/\.json$/, '')] = await panelsOf(path.join(folder, name));
  console.log(JSON.stringify(figures));
}

main().catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
