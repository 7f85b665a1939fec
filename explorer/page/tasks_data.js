// SPDX-License-Identifier: BSD-3-Clause
// What each rank holds after each round, in words short enough for a cell.
import { chunksOf } from "./tasks_steps.js";

const MOVES_ONLY = ["all_gather", "broadcast", "gather", "scatter", "all_to_all"];
export const movesOnly = (collective) => MOVES_ONLY.includes(collective);

// {cells(round), textOf(value), countOf(value)} of a replay; `cells` are values, rank * chunks + chunk.
export function dataOf(job, replay, collective) {
  const kept = new Map();
  // The ranks whose contribution a value holds: Map rank -> how often.
  function ranksOf(value) {
    if (value < replay.first) { return new Map([[value, 1]]); }
    if (!kept.has(value)) {
      const all = new Map();
      for (const operand of replay.sums[value - replay.first]) {
        for (const [rank, n] of ranksOf(operand)) { all.set(rank, (all.get(rank) ?? 0) + n); }
      }
      kept.set(value, all);
    }
    return kept.get(value);
  }
  return {
    cells(round) {
      const cells = Int32Array.from(replay.start);
      for (const c of replay.changes) {
        if (c.round <= round) { cells[c.rank * job.chunks + c.chunk] = c.value; }
      }
      return cells;
    },
    changed: (round) => new Set(replay.changes.filter((c) => c.round === round).map((c) => c.rank * job.chunks + c.chunk)),
    textOf(value) {
      if (value < 0) { return "\u2013"; }
      if (collective === "all_to_all") { return `${Math.floor(value / job.size)}\u2192${value % job.size}`; }
      return movesOnly(collective) ? String(value) : sumText(ranksOf(value), job.size);
    },
    countOf: (value) => (value < 0 ? 0 : movesOnly(collective) ? job.size : ranksOf(value).size),
    isTwice: (value) => value >= 0 && !movesOnly(collective) && [...ranksOf(value).values()].some((n) => n > 1),
  };
}

// "0+1+4", "all 8", "all but 3", "2 to 6", "1+2 (1 twice)".
export function sumText(ranks, size) {
  const all = [...ranks.keys()].sort((a, b) => a - b);
  const twice = all.filter((r) => ranks.get(r) > 1);
  const more = twice.length === 0 ? "" : ` (${twice.join(", ")} twice)`;
  return listText(all, size) + more;
}
function listText(all, size) {
  if (all.length === size && size > 2) { return `all ${size}`; }
  if (all.length === size - 1 && size > 4) {
    return `all but ${Array.from({ length: size }, (_, r) => r).find((r) => !all.includes(r))}`;
  }
  if (all.length <= 3) { return all.join("+"); }
  const runs = [];
  for (const r of all) {
    if (runs.length > 0 && runs.at(-1)[1] === r - 1) { runs.at(-1)[1] = r; } else { runs.push([r, r]); }
  }
  return runs.map(([a, b]) => (a === b ? a : b === a + 1 ? `${a}+${b}` : `${a} to ${b}`)).join(", ");
}

// The first round after which some cell is not what it is in the right schedule; null if none is.
export function firstDifference(right, wrong, rounds) {
  const sets = (data, round) => [...data.cells(round)].map((v) => data.textOf(v)).join("|");
  for (let round = 0; round < rounds; ++round) {
    if (sets(right, round) !== sets(wrong, round)) { return round; }
  }
  return null;
}

// "rank 2 -> rank 3: chunk 1, added" of the messages of a right schedule.
export function messageText(m, job) {
  const chunks = chunksOf(m, job.chunks);
  const what = job.chunks === 1 ? "the vector" : m.count === job.chunks ? "all chunks" : `chunk${chunks.length > 1 ? "s" : ""} ${chunks.join(", ")}`;
  return { from: m.from, to: m.to, what, how: m.verb === 1 ? "added" : "copied" };
}
