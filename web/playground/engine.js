// The engine of armature on a page: the command's own C++, as WebAssembly, in a thread of its own. engine_data.js, which
// stands before this script, holds all of it, so that nothing is fetched and a page opened from a disk works like any other.
//
//   const engine = new ArmatureEngine();
//   const answer = await engine.ask({ command: 'simulate', instance: 'hidden-arm', policy: ['ucb'], horizon: '1e5' },
//                                   (soFar) => draw(soFar));
'use strict';

class ArmatureEngine {
  // A promise of the compiled module: one for all engines of the page.
  static ready = ArmatureEngine.#compiled();
  static version = globalThis.ARMATURE_ENGINE_DATA ? globalThis.ARMATURE_ENGINE_DATA.version : '';
  static #script = null;

  #worker = null;
  #broken = null; // why there is no thread to ask
  #pending = new Map();
  #asked = 0;

  constructor() {
    this.#start();
  }

  // The answer, as what its JSON says. Complaints of the engine are rejections: an Error with its words. `onProgress` is
  // handed what is finished so far, now and then.
  async ask(request, onProgress) {
    const told = onProgress ? (text) => onProgress(JSON.parse(text)) : null;
    return JSON.parse(await this.askText(request, told));
  }

  // The same, with the exact text of the answer: the bytes that the command prints.
  async askText(request, onProgress) {
    const worker = this.#worker;
    await ArmatureEngine.ready;
    if (worker !== this.#worker) throw aborted();
    if (this.#broken) throw this.#broken;
    return new Promise((resolve, reject) => {
      const id = ++this.#asked;
      this.#pending.set(id, { resolve, reject, onProgress });
      worker.postMessage({ id, request: JSON.stringify(request) });
    });
  }

  // Ends whatever is being computed. A thread at work hears nothing: it is ended, and another takes its place.
  cancel() {
    this.#restart(aborted());
  }

  // For a page that has done with it. Whoever asks later is told so.
  close() {
    this.#worker.terminate();
    this.#broken = new Error('the engine was closed');
    this.#reject(aborted());
  }

  #start() {
    const worker = new Worker(ArmatureEngine.#scriptUrl());
    let stands = false;
    worker.onmessage = ({ data }) => {
      stands = true; // it says so before it is asked anything
      this.#told(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker !== this.#worker) return;
      if (stands) return this.#restart(failed(event.message));
      // One that never stood, forbidden by a browser or a policy of content: the next would not either, nor the one after.
      this.#broken = new Error(`the browser refused the engine’s thread${event.message ? ` (${event.message})` : ''}`);
      this.#reject(this.#broken);
    };
    this.#worker = worker;
    this.#broken = null;
    // Whoever asks is told why it could not be made ready.
    ArmatureEngine.ready.then((module) => worker.postMessage({ module }), () => {});
  }

  #restart(reason) {
    this.#worker.terminate();
    this.#start();
    this.#reject(reason);
  }

  #reject(reason) {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(reason);
  }

  #told({ id, progress, answer, failure }) {
    const pending = this.#pending.get(id);
    if (!pending) return;
    if (progress !== undefined) {
      if (pending.onProgress) pending.onProgress(progress);
    } else if (failure !== undefined) {
      // The module broke off half way: what it holds is worth nothing any more.
      this.#restart(failed(failure));
    } else {
      this.#pending.delete(id);
      if (answer.startsWith('{"error":')) pending.reject(new Error(JSON.parse(answer).error));
      else pending.resolve(answer);
    }
  }

  static #scriptUrl() {
    if (!ArmatureEngine.#script)
      ArmatureEngine.#script = URL.createObjectURL(
          new Blob([globalThis.ARMATURE_ENGINE_DATA.worker], { type: 'text/javascript' }));
    return ArmatureEngine.#script;
  }

  static async #compiled() {
    const data = globalThis.ARMATURE_ENGINE_DATA;
    if (!data) throw new Error('engine_data.js is missing: make playground writes it');
    if (typeof DecompressionStream !== 'function' || typeof WebAssembly !== 'object')
      throw new Error('this browser is too old: it needs WebAssembly and DecompressionStream (browsers since 2023 have both)');
    const packed = Uint8Array.from(atob(data.wasm), (letter) => letter.charCodeAt(0));
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    const bytes = await new Response(unpacked).arrayBuffer();
    try {
      return await WebAssembly.compile(bytes);
    } catch (error) {
      throw new Error(`this browser is too old for the engine: ${error.message}`);
    }
  }
}

function aborted() {
  const error = new Error('cancelled');
  error.name = 'AbortError';
  return error;
}

// What a module says when it breaks off is for its makers; nearly always memory is what it lacked.
function failed(words) {
  return new Error(`the engine broke off (${words}): most likely there was not enough memory; try a smaller problem`);
}

// Of a page that never asks, a rejection is nobody's.
ArmatureEngine.ready.catch(() => {});
globalThis.ArmatureEngine = ArmatureEngine;
