// Compiles a figure's specification with the bundle, runs it without a browser, and prints what it
// draws: node compile.js BUNDLE SPEC → [{"mark": "line", "rows": […]}, …], one entry per group of
// marks, with the data behind each mark.
'use strict';

const fs = require('fs');
const vm = require('vm');

const [bundle, file] = process.argv.slice(2);
vm.runInThisContext(fs.readFileSync(bundle, 'utf8'));
const { vega, vegaLite } = globalThis;

// What vega adds to a row for its own use is no data.
function dataOf(item) {
  return Object.fromEntries(
    Object.entries(item.datum ?? {}).filter(([, value]) => ['number', 'string'].includes(typeof value)),
  );
}

function collect(mark, drawn) {
  if (mark.marktype === 'group') {
    for (const group of mark.items) for (const child of group.items ?? []) collect(child, drawn);
    return;
  }
  if (!mark.role?.startsWith('axis') && !mark.role?.startsWith('legend') && !mark.role?.startsWith('title'))
    drawn.push({ mark: mark.marktype, rows: mark.items.map(dataOf) });
}

async function main() {
  const complaints = [];
  const logger = vega.logger(vega.Warn);
  logger.warn = (...words) => (complaints.push(words.join(' ')), logger);
  const compiled = vegaLite.compile(JSON.parse(fs.readFileSync(file, 'utf8')), { logger }).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: 'none', logger });
  await view.runAsync();
  const drawn = [];
  collect(view.scenegraph().root, drawn);
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  console.log(JSON.stringify(drawn));
}

main().catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
