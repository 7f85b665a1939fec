// SPDX-License-Identifier: BSD-3-Clause
// Steps as objects, and the messages that they make: what the tasks ask about.
import { INTS_PER_STEP, SEND } from "./core.js";

// A list per rank, of {round, verb, peer, first, count}, in order.
export function stepsByRank(job) {
  const ranks = Array.from({ length: job.size }, () => []);
  for (let i = 0; i < job.steps.length; i += INTS_PER_STEP) {
    const [rank, round, verb, peer, first, count] = job.steps.subarray(i, i + INTS_PER_STEP);
    ranks[rank].push({ round, verb, peer, first, count });
  }
  return ranks;
}

// The job with these steps instead of its own.
export function withSteps(job, ranks) {
  const flat = [];
  ranks.forEach((steps, rank) => {
    for (const s of steps) { flat.push(rank, s.round, s.verb, s.peer, s.first, s.count); }
  });
  return { ...job, steps: Int32Array.from(flat) };
}

// What a range of chunks holds; it may wrap around the end.
export function chunksOf(step, chunks) {
  return Array.from({ length: step.count }, (_, i) => (step.first + i) % chunks).sort((a, b) => a - b);
}

// The messages of a right schedule: {round, from, to, first, count, at, verb}; `first` as the sender
// names it, `at` as the receiver does. Rounds ascend, then senders; a sender's are in its order.
export function messagesOf(job) {
  const ranks = stepsByRank(job);
  const waiting = new Map();  // the receives, by round, sender and receiver
  const key = (round, from, to) => (round * job.size + from) * job.size + to;
  ranks.forEach((steps, to) => {
    for (const s of steps) {
      if (s.verb === SEND) { continue; }
      const k = key(s.round, s.peer, to);
      if (!waiting.has(k)) { waiting.set(k, []); }
      waiting.get(k).push(s);
    }
  });
  const messages = [];
  ranks.forEach((steps, from) => {
    for (const s of steps) {
      if (s.verb !== SEND) { continue; }
      const { first: at, verb } = waiting.get(key(s.round, from, s.peer)).shift();
      messages.push({ round: s.round, from, to: s.peer, first: s.first, count: s.count, at, verb });
    }
  });
  return messages.map((m, i) => ({ m, i })).sort((a, b) => a.m.round - b.m.round || a.i - b.i).map(({ m }) => m);
}

// "the vector", if it is whole; "chunk 3", "chunks 1 to 4", "chunks 6 to 1" of a range that wraps.
export function chunkText(step, chunks) {
  if (chunks === 1) { return "the vector"; }
  return step.count === 1 ? `chunk ${step.first}`
                          : `chunks ${step.first} to ${(step.first + step.count - 1) % chunks}`;
}

// "3", "0-2", "6-1" (wraps), "0,2", "all": the chunks that a student typed, ascending; null if they
// do not exist.
export function parseChunks(text, chunks) {
  const plain = text.trim().toLowerCase();
  if (plain === "all") { return Array.from({ length: chunks }, (_, i) => i); }
  const found = new Set();
  for (const part of plain.split(/[ ,;+]+/)) {
    const range = /^(\d+)(?:\s*(?:-|\.\.|to)\s*(\d+))?$/.exec(part);
    if (range === null) { return null; }
    const first = Number(range[1]), last = Number(range[2] ?? range[1]);
    if (first >= chunks || last >= chunks) { return null; }
    for (let c = first; ; c = (c + 1) % chunks) {
      found.add(c);
      if (c === last) { break; }
    }
  }
  return [...found].sort((a, b) => a - b);
}
