// SPDX-License-Identifier: BSD-3-Clause
// Recorded traces (schedule/trace.hpp): reads them, and lays what was measured beside what is simulated. No DOM.
import { INTS_PER_STEP, SEND } from "./core.js";

const VERBS = ["send", "recv_reduce", "recv_copy"];
export const VERB_WORDS = ["sends to", "receives and adds from", "receives from"];
const wordsOf = (p) => `round ${p.round}: rank ${p.rank} ${VERB_WORDS[p.verb]} rank ${p.peer}, chunk ${p.chunk}`;

// [{number, collective, steps, segments, ranks}], by number; of a step {rank, round, verb, peer, first,
// count, segment, bytes, begin, end}, times in seconds from the operation's first. Throws an Error.
export function readTrace(text) {
  let content;
  try { content = JSON.parse(text); } catch (e) { throw new Error(`The file is no JSON: ${e.message}`); }
  const events = Array.isArray(content) ? content : content?.traceEvents;
  if (!Array.isArray(events)) { throw new Error("The file is no Chrome trace: it has no list traceEvents."); }
  const operations = new Map();
  events.forEach((event, i) => {
    if (event?.ph !== "X") { return; }
    const step = stepOf(event, i);
    // Communicators count their operations each for itself: a split of one may have the number of an all-reduce of another.
    const { operation: number, collective } = event.args, key = `${number} ${collective}`;
    if (!operations.has(key)) { operations.set(key, { number, collective, steps: [] }); }
    operations.get(key).steps.push(step);
  });
  if (operations.size === 0) { throw new Error("The trace has no step of a collective."); }
  return [...operations.values()].map(finished).sort((a, b) => a.number - b.number);
}

function stepOf({ name, pid, ts, dur, args }, i) {
  const verb = VERBS.findIndex((v) => String(name).startsWith(`${v} `));
  const whole = [pid, args?.operation, args?.round, args?.segment, args?.peer, args?.first_chunk, args?.chunks, args?.bytes];
  const right = verb >= 0 && whole.every((n) => Number.isSafeInteger(n) && n >= 0) && args.chunks <= 1e6 && Number.isFinite(ts) && dur >= 0;
  if (!right) { throw new Error(`Event ${i + 1} of the file, \u201c${String(name).slice(0, 40)}\u201d, is no step as coll::traced writes it.`); }
  return { rank: pid, round: args.round, verb, peer: args.peer, first: args.first_chunk, count: args.chunks, segment: args.segment,
           bytes: args.bytes, begin: ts * 1e-6, end: (ts + dur) * 1e-6 };
}

function finished(operation) {
  const start = operation.steps.reduce((least, s) => Math.min(least, s.begin), Infinity);
  for (const s of operation.steps) { s.begin -= start; s.end -= start; }
  const ranks = operation.steps.reduce((most, s) => Math.max(most, 1 + s.rank, 1 + s.peer), 0);
  return { ...operation, ranks, segments: new Set(operation.steps.map((s) => s.segment)).size };
}

const keyOf = (p) => [p.rank, p.round, p.verb, p.peer, p.chunk].join(" ");
const chunksOf = (s, chunks) => Array.from({ length: Math.min(s.count, chunks + 1) }, (_, k) => ({ ...s, chunk: (s.first + k) % chunks }));

// {begin, end}: seconds per step of the job. A step that ran in pieces or in segments reaches from the
// first to the last. Throws an Error that names the first difference, where the trace is of something else.
export function measuredOf(operation, job) {
  if (operation.ranks !== job.size) { throw new Error(`it is of ${operation.ranks} ranks, not of ${job.size}`); }
  const parts = new Map();  // per segment, chunk by chunk: when it ran, and how often
  for (const s of operation.steps) {
    if (!parts.has(s.segment)) { parts.set(s.segment, new Map()); }
    const own = parts.get(s.segment);
    for (const p of chunksOf(s, job.chunks)) {
      const key = keyOf(p);
      if (!own.has(key)) { own.set(key, { part: p, runs: [] }); }
      own.get(key).runs.push(s);
    }
  }
  const steps = job.steps.length / INTS_PER_STEP;
  const begin = new Float64Array(steps).fill(Infinity), end = new Float64Array(steps);
  for (const own of parts.values()) {
    for (let i = 0; i < steps; ++i) {
      const [rank, round, verb, peer, first, count] = job.steps.subarray(INTS_PER_STEP * i, INTS_PER_STEP * (i + 1));
      for (const p of chunksOf({ rank, round, verb, peer, first, count }, job.chunks)) {
        const found = own.get(keyOf(p));
        if (!found) { throw new Error(`it lacks ${wordsOf(p)}`); }
        const run = found.runs.shift();
        if (found.runs.length === 0) { own.delete(keyOf(p)); }
        begin[i] = Math.min(begin[i], run.begin);
        end[i] = Math.max(end[i], run.end);
      }
    }
    if (own.size > 0) { throw new Error(`besides, it has ${wordsOf(own.values().next().value.part)}`); }
  }
  return { begin, end, total: end.reduce((a, b) => Math.max(a, b), 0) };
}

// Bytes of one rank's vector, to the nearest that the sends tell; null where nothing is sent.
export function vectorBytes(operation, core, job) {
  const sent = operation.steps.filter((s) => s.verb === SEND).reduce((sum, s) => sum + s.bytes, 0);
  const unit = job.chunks * 4096;
  const total = Number(core.cost(job, unit).total);
  return total === 0 || sent === 0 ? null : Math.round(sent / (total / unit));
}

// The names of the algorithms whose steps the operation has, those that are asked for first.
export function algorithmsOf(operation, core, names) {
  const what = core.collectives.indexOf(operation.collective);
  const plain = core.algorithms.filter((a) => !a.endsWith(":"));
  const grouped = core.algorithms.filter((a) => a.endsWith(":"))
    .flatMap((a) => Array.from({ length: operation.ranks - 1 }, (_, g) => `${a}${g + 1}`));
  const roots = operation.ranks <= 16 ? operation.ranks : 1;
  const found = [];
  for (const name of new Set([...names, ...plain, ...grouped])) {
    for (let root = 0; what >= 0 && root < roots; ++root) {
      const job = core.record(name, what, operation.ranks, root);
      if (job === null) { break; }
      if (job.steps.length / INTS_PER_STEP > operation.steps.length * job.chunks) { break; }
      try {
        measuredOf(operation, job);
        found.push({ name, root, job });
        break;
      } catch { /* it is of another algorithm or root */ }
    }
    if (found.length > 0) { break; }
  }
  return found;
}

// For each step how far the measured end lies behind the simulated one, and how much of that came with this step: since its rank
// was done with the round before. The steps with the largest such part first: [{step, rank, round, verb, peer, simulated, measured, late, added}].
export function gapsOf(job, simulated, measured) {
  const steps = job.steps.length / INTS_PER_STEP;
  const rows = [];
  let rank = -1, round = -1, before = [0, 0], until = [0, 0];
  for (let i = 0; i < steps; ++i) {
    const [itsRank, itsRound, verb, peer] = job.steps.subarray(INTS_PER_STEP * i, INTS_PER_STEP * i + 4);
    if (itsRank !== rank) { before = [0, 0]; until = [0, 0]; } else if (itsRound !== round) { before = until; }
    [rank, round] = [itsRank, itsRound];
    until = [Math.max(until[0], simulated.end[i]), Math.max(until[1], measured.end[i])];
    rows.push({ step: i, rank, round, verb, peer, simulated: simulated.end[i], measured: measured.end[i],
                late: measured.end[i] - simulated.end[i],
                added: measured.end[i] - before[1] - (simulated.end[i] - before[0]) });
  }
  return rows.sort((a, b) => b.added - a.added || a.step - b.step);
}
