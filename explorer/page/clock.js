// SPDX-License-Identifier: BSD-3-Clause
// The clock of the page: the network's prices as keys of the state, and when each step runs on it, by
// schedule/simulate.hpp. No DOM.
import { INTS_PER_STEP, SEND } from "./core.js";
import { asNumber, declare } from "./state.js";

export const MOST_SECONDS = 1000;
export const MOST_FACTOR = 1e6;

// Typical orders of magnitude, in seconds: `why` says where they come from. The page says so too.
export const PRESETS = [
  { id: "ethernet", title: "Ethernet", alpha: 2e-5, overhead: 5e-6, gap: 0, beta: 8e-10, gamma: 2e-11,
    why: "10 Gbit/s (0.8 ns a byte) through the operating system's TCP: tens of microseconds a message" },
  { id: "infiniband", title: "InfiniBand", alpha: 1e-6, overhead: 3e-7, gap: 1e-7, beta: 8e-11, gamma: 2e-11,
    why: "100 Gbit/s (0.08 ns a byte), a card that reads memory itself: one or two microseconds a message" },
  { id: "nvlink", title: "NVLink", alpha: 2e-6, overhead: 5e-7, gap: 0, beta: 3e-12, gamma: 1e-12,
    why: "some 320 GB/s (0.003 ns a byte) between GPUs of one machine, and a few microseconds a hop: what NCCL's tables for Hopper say" },
  { id: "shared", title: "Shared memory", alpha: 2e-7, overhead: 5e-8, gap: 0, beta: 1e-10, gamma: 5e-11,
    why: "a copy of 10 GB/s (0.1 ns a byte), and a cache line that takes 0.1 to 0.3 microseconds to another core and back" },
];
export const PRICES = ["alpha", "overhead", "gap", "beta", "gamma"];
const FIRST = PRESETS[1];

// The preset that has these prices, or undefined.
export const presetOf = (state) => PRESETS.find((p) => PRICES.every((k) => p[k] === state[k]));

// "3:0.00001,5:2e-6" <-> [{rank, seconds}]
export const asLate = {
  parse: (text) => each(text, /^(\d+):([^:]+)$/, ([rank, seconds]) => within(seconds, 0, MOST_SECONDS) && { rank, seconds }),
  format: (list) => list.map((l) => `${l.rank}:${l.seconds}`).join(","),
};
// "0-1:10" <-> [{from, to, factor}]
export const asSlow = {
  parse: (text) => each(text, /^(\d+)-(\d+):([^:]+)$/, ([from, to, factor]) => from !== to && within(factor, 1, MOST_FACTOR) && { from, to, factor }),
  format: (list) => list.map((l) => `${l.from}-${l.to}:${l.factor}`).join(","),
};
const within = (x, least, most) => x >= least && x <= most;
function each(text, pattern, made) {
  const found = text === "" ? [] : text.split(",").map((part) => {
    const parts = pattern.exec(part);
    return parts && made(parts.slice(1).map(Number));
  });
  return found.every((f) => f) ? found : undefined;
}

export function declareClock() {
  const price = (name) => ({ initial: FIRST[name], ...asNumber(0, 1) });
  declare({
    alpha: price("alpha"), overhead: price("overhead"), gap: price("gap"), beta: price("beta"), gamma: price("gamma"),
    late: { initial: [], ...asLate }, slow: { initial: [], ...asSlow },
    time: { initial: 0, ...asNumber(0, 1e12) },
  });
}

// What core.simulate takes. Late ranks and slow links that the shown number of ranks lacks are left out.
export function networkOf(state) {
  const late = [];
  for (const l of state.late) { if (l.rank < state.ranks) { late[l.rank] = (late[l.rank] ?? 0) + l.seconds; } }
  return { latency: state.alpha, overhead: state.overhead, gap: state.gap, byte: state.beta, added: state.gamma,
           late, slow: state.slow.filter((l) => l.from < state.ranks && l.to < state.ranks) };
}
// The same for the cost model, in which a round has one price: one message takes the latency and two overheads.
export const pricesOf = (state) => ({ alpha: state.alpha + 2 * state.overhead, beta: state.beta, gamma: state.gamma });

// When the steps of a panel that is proved run: {ok, total, done, path, begin, moves, moved, end,
// waitedFor} of core.simulate, and changeEnd: when each change of the replay is there.
export function timed(app, panel) {
  const { state } = app;
  const network = networkOf(state);
  const key = JSON.stringify([state.bytes, network]);
  const known = kept.get(panel.job);
  if (known?.key === key) { return known.timed; }
  const result = app.core.simulate(panel.job, state.bytes, network);
  let ends = null;
  Object.defineProperty(result, "changeEnd", { get: () => (ends ??= changeEnds(panel, result)) });
  kept.set(panel.job, { key, timed: result });
  return result;
}
const kept = new WeakMap();

// A change is there when the last of the steps that bring its chunk in its round is done.
export function changeEnds({ job, replay }, { end }) {
  const { steps, rounds, chunks, size } = job, { changes } = replay;
  // The receives, round by round: first[r] is where those of round r begin.
  const first = new Int32Array(rounds + 1), isReceive = (at) => steps[at + 2] !== SEND;
  for (let at = 0; at < steps.length; at += INTS_PER_STEP) { if (isReceive(at)) { ++first[steps[at + 1] + 1]; } }
  for (let r = 0; r < rounds; ++r) { first[r + 1] += first[r]; }
  const receives = new Int32Array(first[rounds]), next = first.slice();
  for (let i = 0, at = 0; at < steps.length; ++i, at += INTS_PER_STEP) { if (isReceive(at)) { receives[next[steps[at + 1]]++] = i; } }
  const ends = new Float64Array(changes.length), last = new Float64Array(size * chunks);
  for (let r = 0, c = 0; r < rounds; ++r) {
    const cells = (f) => {
      for (let k = first[r]; k < first[r + 1]; ++k) {
        const at = receives[k] * INTS_PER_STEP;
        for (let n = 0; n < steps[at + 5]; ++n) { f(steps[at] * chunks + (steps[at + 4] + n) % chunks, receives[k]); }
      }
    };
    cells((cell) => { last[cell] = 0; });
    cells((cell, i) => { last[cell] = Math.max(last[cell], end[i]); });
    for (; c < changes.length && changes[c].round === r; ++c) { ends[c] = last[changes[c].rank * chunks + changes[c].chunk]; }
  }
  return ends;
}

export function mountClock(app) {
  declareClock();
  app.timed = (panel) => timed(app, panel);
}

// The panels that are right, by when they end.
export function order(app) {
  return app.panels.filter((p) => p.job && p.proof.ok).map((panel) => ({ panel, total: timed(app, panel).total }))
    .sort((a, b) => a.total - b.total);
}
