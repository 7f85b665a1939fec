// SPDX-License-Identifier: BSD-3-Clause
// Records an interpreted algorithm, and says which line of its text emitted each step.
import { INTS_PER_STEP } from "../core.js";

const LATER = ["broadcast", "all_gather", "barrier", "exscan"];  // where the only pattern of its own comes second

// As core.recordOwn; the job has `lines` too, one number per step: 0 where the library made the step.
export function recordWithLines(core, algorithm, what, size, root = 0) {
  const calls = [];
  const watched = {
    ...algorithm,
    emit(pattern, me, ranks, from, step) {
      const steps = [];
      calls.push({ pattern, me, ranks, steps });
      algorithm.emit(pattern, me, ranks, from, (round, verb, peer, first, count, line) => {
        steps.push(round, verb, peer, line);
        step(round, verb, peer, first, count);
      });
    },
  };
  if (!algorithm.fits(size)) { return null; }
  const job = core.recordOwn(watched, what, size, root);
  if (job === null) { return null; }
  job.lines = linesOf(job, calls, core.collectives[what]) ?? new Int32Array(job.steps.length / INTS_PER_STEP);
  return job;
}

// The headers ask for all steps twice: to count the rounds, and to keep the steps. Null if the steps
// that were kept are not those that were emitted.
function linesOf(job, calls, collective) {
  const kept = calls.slice(calls.length / 2), patterns = [...new Set(kept.map((c) => c.pattern))];
  const second = patterns.length > 1 ? patterns[1] : LATER.includes(collective) ? patterns[0] : null;
  const roundsOf = (all) => {
    let most = 0;
    for (const { steps } of all) { for (let i = 0; i < steps.length; i += 4) { most = Math.max(most, steps[i] + 1); } }
    return most;
  };
  const later = job.rounds - roundsOf(kept.filter((c) => c.pattern === second));
  const starts = new Map(), lines = new Int32Array(job.steps.length / INTS_PER_STEP);
  for (let i = lines.length - 1; i >= 0; --i) { starts.set(job.steps[INTS_PER_STEP * i], i); }
  const next = new Map(starts);
  for (const { pattern, me, ranks, steps } of kept) {
    const shift = job.size - ranks, rank = me + shift;  // an exscan runs among the ranks but the first
    let i = next.get(rank) ?? lines.length;
    for (let k = 0; k < steps.length; k += 4, ++i) {
      const round = steps[k] + (pattern === second ? later : 0), verb = steps[k + 1], peer = steps[k + 2] + shift;
      for (;; ++i) {
        const at = INTS_PER_STEP * i;
        if (i >= lines.length || job.steps[at] !== rank) { return null; }
        if (job.steps[at + 1] === round && job.steps[at + 2] === verb && job.steps[at + 3] === peer) { break; }
      }
      lines[i] = steps[k + 3];
    }
    next.set(rank, i);
  }
  return lines;
}

// The lines that emitted the steps of a round, ascending.
export function linesOfRound(job, round) {
  const lines = new Set();
  job.lines.forEach((line, i) => { if (line > 0 && job.steps[INTS_PER_STEP * i + 1] === round) { lines.add(line); } });
  return [...lines].sort((a, b) => a - b);
}

// The same of the steps that run at a time: begin and end are times of the job's steps.
export function linesAtTime(job, { begin, end }, time) {
  const lines = new Set();
  job.lines.forEach((line, i) => { if (line > 0 && begin[i] <= time && time < end[i]) { lines.add(line); } });
  return [...lines].sort((a, b) => a - b);
}
