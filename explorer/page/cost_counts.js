// SPDX-License-Identifier: BSD-3-Clause
// Counts for curves: of an all_reduce at once, by the closed form; of others recorded and counted a
// little at a time, so that the page answers meanwhile.
import { closedCounts, countsOf } from "./cost_model.js";

const SLICE = 12;  // milliseconds
const MOST_KEPT = 20000, MOST_JOBS = 12;

// `more()` is called when some of what was asked for is there.
export function makeCounts(app, more, later = (f) => setTimeout(f, 0)) {
  const { core } = app;
  const known = new Map(), jobs = new Map();
  let queue = [], running = false, told = 0, done = null;

  function jobOf(name, what, size, root) {
    const source = app.sources.get(name);
    const key = [name, source?.version, what, size, root].join(" ");
    if (!jobs.has(key)) {
      if (jobs.size >= MOST_JOBS) { jobs.delete(jobs.keys().next().value); }
      let job = null;
      try { job = source ? source.record(what, size, root) : core.record(name, what, size, root); } catch { /* it is not for so many */ }
      // Only right schedules are counted; the library's are.
      jobs.set(key, job && (!source || core.check(job).ok) ? job : null);
    }
    return jobs.get(key);
  }

  function run() {
    const start = performance.now();
    while (queue.length > 0 && performance.now() - start < SLICE) {
      const { key, name, what, size, root, bytes } = queue.shift();
      if (known.has(key)) { continue; }
      if (known.size > MOST_KEPT) { known.clear(); }
      const job = jobOf(name, what, size, root);
      known.set(key, job === null ? null : countsOf(core, job, bytes));
    }
    running = queue.length > 0;
    if (running) { later(run); } else { done(); }
    if (!running || performance.now() - told > 250) { told = performance.now(); more(); }
  }

  return {
    // {rounds, bytes, reduced}; null if the algorithm does not fit; undefined as long as it is not known.
    get(name, what, size, root, bytes) {
      const closed = what === 0 && !app.sources.has(name);
      const key = [name, app.sources.get(name)?.version, what, size, root, bytes].join(" ");
      if (!known.has(key)) {
        if (!closed) { return undefined; }
        known.set(key, closedCounts(core, name, size, bytes));
      }
      return known.get(key);
    },
    // Asks for these, [[name, what, size, root, bytes]], instead of what was asked for before.
    want(all) {
      queue = all.map(([name, what, size, root, bytes]) => (
        { key: [name, app.sources.get(name)?.version, what, size, root, bytes].join(" "), name, what, size, root, bytes }))
        .filter((q) => !known.has(q.key));
      if (queue.length > 0 && !running) { running = true; done = app.begin(); later(run); }
    },
    get waiting() { return queue.length; },
  };
}
