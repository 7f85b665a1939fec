// SPDX-License-Identifier: BSD-3-Clause
// Bytes of chunks, and what each rank has sent, received and added so far.
import { INTS_PER_STEP, RECV_REDUCE, SEND } from "./core.js";

// Where chunk c begins if `bytes` are cut into `chunks`: the first ones are one byte longer.
function startOf(c, chunks, bytes) {
  const extra = bytes % chunks;
  return c === chunks ? bytes : c * Math.floor(bytes / chunks) + Math.min(c, extra);
}

// Bytes of `count` chunks from `first` on; the range may wrap around the end.
export function bytesOfChunks(first, count, chunks, bytes) {
  const last = first + count;
  const end = last <= chunks ? startOf(last, chunks, bytes) : bytes + startOf(last - chunks, chunks, bytes);
  return end - startOf(first, chunks, bytes);
}

const kept = new WeakMap();

// The bytes of each step of a job.
export function bytesOfSteps(job, bytes) {
  const known = kept.get(job);
  if (known?.bytes === bytes) { return known.all; }
  const { steps, chunks } = job, all = new Float64Array(steps.length / INTS_PER_STEP);
  for (let i = 0, at = 0; i < all.length; ++i, at += INTS_PER_STEP) { all[i] = bytesOfChunks(steps[at + 4], steps[at + 5], chunks, bytes); }
  kept.set(job, { bytes, all });
  return all;
}

// {sent, received, added}: bytes of each rank. `done(i, round)`: how much of step i is over, 0 to 1.
export function progressOf(job, bytes, done) {
  const { steps, size } = job, of = bytesOfSteps(job, bytes);
  const sent = new Float64Array(size), received = new Float64Array(size), added = new Float64Array(size);
  for (let i = 0, at = 0; i < of.length; ++i, at += INTS_PER_STEP) {
    const part = done(i, steps[at + 1]);
    if (part <= 0) { continue; }
    const n = part * of[i], rank = steps[at], verb = steps[at + 2];
    if (verb === SEND) { sent[rank] += n; } else { received[rank] += n; }
    if (verb === RECV_REDUCE) { added[rank] += n; }
  }
  return { sent, received, added };
}

// {rank, bytes, ranks} of the rank with most; `ranks`: all that have as much, in the eyes of `same`.
export function busiestOf(amounts, same = (a, b) => a === b) {
  let rank = 0;
  for (let r = 1; r < amounts.length; ++r) { if (amounts[r] > amounts[rank]) { rank = r; } }
  const bytes = amounts[rank];
  return { rank, bytes, ranks: Array.from(amounts.keys()).filter((r) => same(amounts[r], bytes)) };
}
