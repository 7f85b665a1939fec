// SPDX-License-Identifier: BSD-3-Clause
// Time from counts: rounds, messages, bytes and additions times their prices; which algorithm is the
// quickest, and where that changes.
import { INTS_PER_STEP, SEND } from "./core.js";

// `counts`: {rounds, messages, bytes, reduced}, each as on the critical path: in each round those of the
// rank that has most. `prices`: seconds of one, {round, message, byte, added}.
export const secondsOf = (counts, prices) =>
  counts.rounds * prices.round + counts.messages * prices.message + counts.bytes * prices.byte + counts.reduced * prices.added;

// Of the page's prices: a message is handled by its sender and by its receiver.
export const pricesOf = ({ alpha, overhead, beta, gamma }) => ({ round: alpha, message: 2 * overhead, byte: beta, added: gamma });

// The counts of an all_reduce by any of the library's algorithms, without its steps; null if it does not
// fit. The closed form has the messages of the busiest rank, sent or received: in a round that has any
// there is one at least, and leaders receive in one round and send in another.
export function closedCounts(core, name, size, bytes) {
  const c = core.closedForm(name, size, bytes);
  if (c === null) { return null; }
  const rounds = Number(c.rounds), [base, group] = name.split(":");
  const messages = Math.max(rounds, Number(c.messages) + (base === "leaders" && size > 1 ? Number(group ?? 1) - 1 : 0));
  return { rounds, messages, bytes: Number(c.bytes), reduced: Number(c.reduced) };
}

export function countsOf(core, job, bytes) {
  const c = core.cost(job, bytes);
  return { rounds: Number(c.rounds), messages: messagesInSequence(job), bytes: Number(c.critical.bytes), reduced: Number(c.critical.reduced) };
}

// In each round the messages of the rank that sends or receives most, added up.
export function messagesInSequence({ steps, size, rounds }) {
  const sent = new Int32Array(rounds * size), received = new Int32Array(rounds * size);
  for (let at = 0; at < steps.length; at += INTS_PER_STEP) {
    ++(steps[at + 2] === SEND ? sent : received)[steps[at + 1] * size + steps[at]];
  }
  let sum = 0;
  for (let r = 0; r < rounds; ++r) {
    let most = 0;
    for (let i = r * size; i < (r + 1) * size; ++i) { most = Math.max(most, sent[i], received[i]); }
    sum += most;
  }
  return sum;
}

// Equal to three digits: chunks are whole bytes, so times that are equal on paper differ by a few of them.
const NEAR = 5e-4, EXACT = 1e-9;
const same = (a, b, by) => Math.abs(a - b) <= by * Math.max(Math.abs(a), Math.abs(b));

// The names of those that are quickest, more than one where their times are equal. `times`: [[name, seconds]].
export function quickest(times, by = NEAR) {
  const known = times.filter(([, t]) => Number.isFinite(t));
  const least = Math.min(...known.map(([, t]) => t));
  return known.filter(([, t]) => same(t, least, by)).map(([name]) => name);
}

// Where the quickest changes as x grows over the whole numbers `xs`, ascending: [{from, names}], as few
// as possible: `names` are quickest at all of the xs of the stretch, and at `from`, the first whole
// number at which none of the names before it is. `timesAt(x)` gives [[name, seconds]]. A change that
// begins and ends between two of the `xs` is not seen. `near`: times that differ by so much of themselves
// count as equal.
export function stretches(xs, timesAt, near = NEAR) {
  const exact = near === NEAR ? EXACT : near;
  const all = [];
  xs.forEach((x, i) => {
    const names = quickest(timesAt(x), near), now = all.at(-1);
    if (names.length === 0) { return; }
    const still = now?.names.filter((n) => names.includes(n)) ?? [];
    if (still.length > 0) { now.names = still; return; }
    let low = now ? xs[i - 1] : x - 1, high = x;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (quickest(timesAt(middle), exact).some((n) => now.names.includes(n))) { low = middle; } else { high = middle; }
    }
    const first = quickest(timesAt(high), near).filter((n) => names.includes(n) && !now?.names.includes(n));
    all.push({ from: first.length > 0 ? high : x, names: first.length > 0 ? first : names });
  });
  return all;
}
