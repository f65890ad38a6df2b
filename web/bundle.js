// Writes dist/bundle.js: the prebuilt minified files of vega, vega-lite and vega-embed, one after the
// other. It is compiled into the armature binary and inlined in every report, so that a report opens
// without a network and whoever writes one needs no node.
'use strict';

const fs = require('fs');
const path = require('path');

const parts = ['vega', 'vega-lite', 'vega-embed'];

function prebuilt(name) {
  const folder = path.join(__dirname, 'node_modules', name);
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const license = fs.readFileSync(path.join(folder, 'LICENSE'), 'utf8').trim();
  const code = fs.readFileSync(path.join(folder, 'build', `${name}.min.js`), 'utf8');
  if (/<\/?script|<!--/i.test(code + license))
    throw new Error(`${name} ${version} holds what would end the <script> it is inlined in`);
  return `/*! ${name} ${version}\n${license}\n*/\n${code.replace(/^\/\/# sourceMappingURL=.*$/gm, '').trim()}\n`;
}

const dist = path.join(__dirname, 'dist');
fs.mkdirSync(dist, { recursive: true });
fs.writeFileSync(path.join(dist, 'bundle.js'), parts.map(prebuilt).join(';\n'));
