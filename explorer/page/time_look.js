// SPDX-License-Identifier: BSD-3-Clause
// Where things stand on a timeline: rows, lanes, ticks, bars and the critical path. No DOM.
import { INTS_PER_STEP, RECV_COPY, RECV_REDUCE, SEND } from "./core.js";

export const MOST_IN_WORDS = 16;

// {left, right, row, lane, height, x(t), y(rank), yOf(rank, sends)} of a picture of `width`, whose axis ends at `most`.
export function frameOf(width, size, most) {
  const small = size <= MOST_IN_WORDS;
  const left = width < 480 ? 30 : 62, right = 10, top = 4;
  const row = size <= 4 ? 46 : size <= 8 ? 36 : small ? 28 : Math.max(2, Math.min(14, Math.floor(560 / size)));
  const gap = small ? 6 : row >= 8 ? 2 : 0;
  const lane = (row - gap) / 2;
  return {
    left, right, row, lane, small, width, size, most, top, height: top + row * size + 4,
    x: (t) => left + (most > 0 ? t / most : 0) * (width - left - right),
    time: (x) => Math.max(0, Math.min(1, (x - left) / (width - left - right))) * most,
    y: (rank) => top + row * rank + gap / 2,
    yOf: (rank, sends) => top + row * rank + gap / 2 + (sends ? 0 : lane),
  };
}

// Round times from 0 to `most`, at most `count` of them.
export function ticksOf(most, count) {
  if (!(most > 0)) { return [0]; }
  const rough = most / count, power = 10 ** Math.floor(Math.log10(rough));
  const unit = [1, 2, 5, 10].map((m) => m * power).find((u) => u >= rough * 0.999);
  return Array.from({ length: Math.floor(most / unit * (1 + 1e-9)) + 1 }, (_, i) => i * unit);
}

// The bars of one schedule, which are what is at a port: calls f(step, rank, verb, from, to). `times`: {moves, moved}.
export function eachBar({ steps }, { moves, moved }, f) {
  for (let i = 0, at = 0; at < steps.length; ++i, at += INTS_PER_STEP) { f(i, steps[at], steps[at + 2], moves[i], moved[i]); }
}

// The times at which ranks add, one per rank and round: calls f(rank, round, from, to). They add when all of the round is there.
export function eachAdding({ steps }, { moved, end }, overhead, f) {
  let rank = -1, round = -1, from = 0, to = 0, adds = false;
  const close = () => { if (adds && to > from) { f(rank, round, from, to); } };
  for (let i = 0, at = 0; at < steps.length; ++i, at += INTS_PER_STEP) {
    if (rank !== steps[at] || round !== steps[at + 1]) { close(); [rank, round, from, to, adds] = [steps[at], steps[at + 1], 0, 0, false]; }
    const verb = steps[at + 2];
    from = Math.max(from, verb === SEND ? moved[i] : moved[i] + overhead);
    if (verb === RECV_REDUCE) { adds = true; to = end[i]; }
  }
  close();
}

// The critical path as corners [{t, rank, sends}]: along ports, and across to the rank that receives.
export function cornersOf(job, { path, begin, moves, moved, end, total }) {
  const corners = [];
  const rankOf = (i) => job.steps[INTS_PER_STEP * i], sendsAt = (i) => job.steps[INTS_PER_STEP * i + 2] === SEND;
  path.forEach((i, k) => {
    const rank = rankOf(i), sends = sendsAt(i), next = path[k + 1];
    if (k === 0 || rankOf(path[k - 1]) === rank) { corners.push({ t: begin[i], rank, sends }); }
    corners.push({ t: moves[i], rank, sends });
    if (next !== undefined && rankOf(next) !== rank) { return; }
    corners.push({ t: moved[i], rank, sends });
    if (end[i] > moved[i] && (next === undefined || begin[next] >= end[i])) { corners.push({ t: end[i], rank, sends }); }
  });
  if (corners.length > 0) { corners.push({ ...corners.at(-1), t: total }); }
  return corners;
}

// When the last rank is done with the rounds up to `round`.
export function endOfRound(job, { end }, round) {
  let last = 0;
  for (let i = 0, at = 1; at < job.steps.length; ++i, at += INTS_PER_STEP) {
    if (job.steps[at] <= round) { last = Math.max(last, end[i]); }
  }
  return last;
}

export const kindOf = (verb) => (verb === SEND ? "sends" : verb === RECV_COPY ? "copies" : "adds");
export const signOf = (verb) => (verb === SEND ? "\u2192" : verb === RECV_COPY ? "=" : "+");
