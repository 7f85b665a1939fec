// SPDX-License-Identifier: BSD-3-Clause
// Asks the core in a worker, so that the page answers while it computes.

// `ask(question)` is a promise of the answer; `cancel()` ends what runs: its promises fail with CANCELLED.
export const CANCELLED = new Error("cancelled");
export function makeComputer(wasm) {
  let worker = null, next = 0;
  const waiting = new Map();

  function start() {
    const text = document.getElementById("worker").textContent;
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    worker = new Worker(url);
    worker.onmessage = ({ data }) => {
      URL.revokeObjectURL(url);
      const { resolve, reject } = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.error) { reject(new Error(data.error)); } else { resolve(data); }
    };
    worker.onerror = (e) => {
      for (const { reject } of waiting.values()) { reject(new Error(e.message || "the worker did not start")); }
      waiting.clear();
      worker = null;
    };
    worker.postMessage({ wasm });
  }

  return {
    ask(question) {
      if (worker === null) { start(); }
      const id = next++;
      worker.postMessage({ ...question, id });
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    get busy() { return waiting.size > 0; },
    cancel() {
      worker?.terminate();
      worker = null;
      const ended = [...waiting.values()];
      waiting.clear();
      for (const { reject } of ended) { reject(CANCELLED); }
    },
  };
}
