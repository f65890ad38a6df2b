// Packs the engine into one script, for pages that fetch nothing:
//
//   node pack_engine.js GLUE.js ENGINE.wasm WORKER.js OUTPUT.js
'use strict';

const fs = require('fs');
const path = require('path');
const zlib = require('zlib');

const [glue, wasm, worker, output] = process.argv.slice(2);
if (!output) {
  console.error('pack_engine: expected GLUE.js ENGINE.wasm WORKER.js OUTPUT.js');
  process.exit(2);
}

// What the module says of itself, so that the page need not start it to know.
async function versionOf() {
  const engine = await require(path.resolve(glue))({ wasmBinary: fs.readFileSync(wasm) });
  const request = JSON.stringify({ command: 'version' });
  const place = engine._malloc(request.length + 1);
  engine.stringToUTF8(request, place, request.length + 1);
  return JSON.parse(engine.UTF8ToString(engine._answer_request(place))).version;
}

versionOf().then((version) => {
  const data = {
    version,
    worker: `${fs.readFileSync(glue, 'utf8')}\n${fs.readFileSync(worker, 'utf8')}`,
    wasm: zlib.gzipSync(fs.readFileSync(wasm), { level: 9 }).toString('base64'),
  };
  fs.writeFileSync(output, `'use strict';\nglobalThis.ARMATURE_ENGINE_DATA = ${JSON.stringify(data)};\n`);
});
