// Beside the page: the thread that computes. In front of this text stands Emscripten's own script (pack_engine.js), which
// leaves `armatureModule`. The page first hands over the compiled module, then requests; it is answered in turn.
'use strict';

// The thread is the module's own: while a request is computed nothing else is heard, and who wants it to end ends the thread.
let asked = null;
let engine = null;

// Emscripten's own promise would wait for ever where the module cannot be made, for want of memory say.
function begin(module) {
  return new Promise((resolve, reject) => {
    armatureModule({
      instantiateWasm(imports, use) {
        WebAssembly.instantiate(module, imports).then(use, reject);
        return {};
      },
      progress: (answer) => postMessage({ id: asked, progress: answer }),
      print: () => {},
      printErr: () => {},
    }).then(resolve, reject);
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
    engine.catch(() => {}); // who asks is told
    return;
  }
  // What came while the module began waits for it; later on this is no detour.
  Promise.resolve(engine).then((begun) => {
    engine = begun;
    asked = data.id;
    postMessage({ id: data.id, answer: answer(data.request) });
  }).catch((error) => postMessage({ id: data.id, failure: String(error && error.message || error) }));
};

// The page knows now that this thread stands.
postMessage({});
