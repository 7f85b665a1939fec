// SPDX-License-Identifier: BSD-3-Clause
// Runs one chunk of a schedule, right or wrong, on symbols: whose contributions are where. No DOM.
import { TRAITS, transfersOf } from "./model.js";

const MOST_SHOWN = 8;  // ranks of a sum that is written out

// The ranks that have something in a chunk at the start.
export function holdsAtStart({ size, root }, collective, chunk) {
  const { reduces } = TRAITS[collective];
  return Array.from({ length: size }, (_, r) => r)
    .filter((r) => reduces || collective === "all_to_all" || r === (["broadcast", "scatter"].includes(collective) ? root : chunk));
}

// What a round brings to one chunk of a rank: [{from, adds, step}], as transfers of model.js.
export function changesOf(job, rank, chunk, round) {
  return (transfersOf(job)[round] ?? []).filter((m) => m.to === rank && (chunk - m.first + job.chunks) % job.chunks < m.count);
}

// Of each rank what it holds of a chunk before `round`: `add([[rank it comes from, value]])` makes sums.
function run(job, collective, chunk, round, begin, add) {
  const start = new Set(holdsAtStart(job, collective, chunk)), moves = transfersOf(job);
  let held = Array.from({ length: job.size }, (_, r) => (start.has(r) ? begin(r) : null));
  for (let i = 0; i < Math.min(round, job.rounds); ++i) {
    const next = [...held], sums = new Map();
    for (const m of moves[i]) {
      if ((chunk - m.first + job.chunks) % job.chunks >= m.count) { continue; }
      if (!m.adds) { next[m.to] = held[m.from]; continue; }
      if (!sums.has(m.to)) { sums.set(m.to, [[m.to, held[m.to]]]); }
      sums.get(m.to).push([m.from, held[m.from]]);
    }
    for (const [rank, operands] of sums) { next[rank] = add(operands.sort((a, b) => a[0] - b[0])); }
    held = next;
  }
  return held;
}

// Of each rank the ranks whose contributions it holds, or null. Not for an all-to-all.
export const after = (job, collective, chunk, round) => run(job, collective, chunk, round, (r) => [r], (all) => all.flatMap(([, v]) => v ?? []));

// {other, first, second}: the sums of a chunk, written out, of the first rank that has one and of `rank`;
// null where they are too long.
export function addedDifferently(job, collective, chunk, rank) {
  const { output } = TRAITS[collective];
  if (output !== "all" || job.size > MOST_SHOWN || rank === 0) { return null; }
  const sums = run(job, collective, chunk, job.rounds, (r) => `${r}`, (all) => all.map(([, v]) => (v.includes("+") ? `(${v})` : v)).join("+"));
  return sums[0] === sums[rank] ? null : { other: 0, first: sums[0], second: sums[rank] };
}
