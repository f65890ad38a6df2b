// Beside the page: the thread that computes. In front of this text stands Emscripten's own script (pack_engine.js), which
// leaves `armatureModule`. The page first hands over the compiled module, then requests; it is answered in turn.
'use strict';

// The thread is the module's own: while a request is computed nothing else is heard, and who wants it to end ends the thread.
let asked = null;
let engine = null;

function begin(module) {
  return armatureModule({
    instantiateWasm(imports, use) {
      WebAssembly.instantiate(module, imports).then(use);
      return {};
    },
    progress: (answer) => postMessage({ id: asked, progress: answer }),
    print: () => {},
    printErr: () => {},
  });
}

function answer(request) {
  const size = engine.lengthBytesUTF8(request) + 1;
  const place = engine._malloc(size);
  if (place === 0) throw new RangeError('no memory for the request');
  engine.stringToUTF8(request, place, size);
  const result = engine.UTF8ToString(engine._answer_request(place));
  engine._free(place);
  return result;
}

onmessage = ({ data }) => {
  if (data.module) {
    engine = begin(data.module);
    return;
  }
  // What came while the module began waits for it; later on this is no detour.
  Promise.resolve(engine).then((begun) => {
    engine = begun;
    asked = data.id;
    postMessage({ id: data.id, answer: answer(data.request) });
  }).catch((error) => postMessage({ id: data.id, failure: String(error && error.message || error) }));
};
