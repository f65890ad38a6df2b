// Draws figures without a browser: node render.js BUNDLE THEME FOLDER turns every NAME.vl.json of the
// folder into NAME.svg, in the light theme on white.
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');

const [bundle, theme, folder] = process.argv.slice(2);
for (const script of [bundle, theme]) vm.runInThisContext(fs.readFileSync(script, 'utf8'));
const { vega, vegaLite, armatureTheme } = globalThis;

// Without a browser nothing knows how wide a text is: the widths of Arial and Helvetica, in
// thousandths of the font's size, from the blank to the tilde.
const widths = (
  '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 ' +
  '556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 ' +
  '667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 ' +
  '556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584'
)
  .split(' ')
  .map(Number);
vega.textMetrics.width = (item, text) => {
  const line = vega.isArray(text) ? text.join(' ') : String(text ?? '');
  let thousandths = 0;
  for (const letter of line) thousandths += widths[letter.codePointAt(0) - 32] ?? 556;
  return Math.ceil((thousandths * (item.fontSize || 11)) / 1000);
};

async function draw(file) {
  const spec = JSON.parse(fs.readFileSync(file, 'utf8'));
  spec.config = vega.mergeConfig(spec.config ?? {}, armatureTheme(false), { background: 'white' });
  const compiled = vegaLite.compile(spec).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: 'none' });
  fs.writeFileSync(file.replace(/\.vl\.json$/, '.svg'), (await view.toSVG()) + '\n');
  view.finalize();
}

async function drawAll() {
  for (const name of fs.readdirSync(folder).sort())
    if (name.endsWith('.vl.json')) await draw(path.join(folder, name));
}

drawAll().catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
