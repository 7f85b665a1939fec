// SPDX-License-Identifier: BSD-3-Clause
// Which of the simulated algorithms ends first as the vector grows, and what a time is made of. No DOM.
import { networkOf } from "./clock.js";

const MOST_BYTES = 2 ** 34;
const SLICE = 12;  // milliseconds of work, then the page may answer

// Calls `done` with [{from, name}], the first from 1 byte on, each to 1 % or a byte; in slices of time,
// unless `stopped()` is true between two of them.
export async function crossingsOf(app, panels, { stopped, pause = () => new Promise((r) => { setTimeout(r, 0); }) }) {
  const network = networkOf(app.state);
  let began = performance.now();
  async function first(bytes) {
    let best = null;
    for (const { name, job } of panels) {
      if (performance.now() - began > SLICE) { await pause(); began = performance.now(); }
      if (stopped()) { return null; }
      const { total } = app.core.simulate(job, Math.round(bytes), network);
      if (best === null || total < best.total * (1 - 1e-9)) { best = { name, total }; }
    }
    return best.name;
  }
  const found = [{ from: 1, name: await first(1) }];
  let low = 1;
  while (low < MOST_BYTES && !stopped()) {
    const high = low * 4, name = await first(high);
    if (name !== found.at(-1).name) {
      let [from, to, at] = [low, high, name];
      while (to - from > 1 && to / from > 1.01 && !stopped()) {
        const middle = Math.floor(Math.sqrt(from * to)) || 1;
        const there = await first(Math.max(from + 1, middle));
        if (there === found.at(-1).name) { from = Math.max(from + 1, middle); } else { to = Math.max(from + 1, middle); at = there; }
      }
      found.push({ from: to, name: at });
      low = to;
      if (at === name) { low = high; }
      continue;
    }
    low = high;
  }
  return stopped() ? null : found;
}

const PARTS = { latency: "latency", overhead: "overhead", gap: "gap", byte: "bytes", added: "adding" };

// Seconds of the total that each price accounts for: {latency, overhead, gap, bytes, adding, late}. The total grows with each price as
// often as it is paid on the critical path, so how much it grows says how often. null where that is ambiguous: two paths are equally long.
export function partsOf(app, job, total) {
  const { core, state } = app;
  const network = networkOf(state), little = 1e-4;
  const grown = (change) => (core.simulate(job, state.bytes, { ...network, ...change }).total - total) / little;
  const parts = {};
  for (const [key, name] of Object.entries(PARTS)) { parts[name] = network[key] === 0 ? 0 : grown({ [key]: network[key] * (1 + little) }); }
  parts.late = network.late.length === 0 ? 0 : grown({ late: network.late.map((s) => (s ?? 0) * (1 + little)) });
  const sum = Object.values(parts).reduce((a, b) => a + b, 0);
  return Math.abs(sum - total) <= 0.01 * total ? parts : null;
}
