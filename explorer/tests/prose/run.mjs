// SPDX-License-Identifier: BSD-3-Clause
// For prose.mjs: runs the steps of a schedule, by other code than the page's.

export const REDUCES = ["all_reduce", "reduce_scatter", "reduce", "scan", "exscan"];

// Runs the steps on lists of contributions. Of each round: {messages: [{from, to, sent: [chunk],
// put: [chunk], adds}], before, after}; cells are [rank][chunk] -> list of contributions.
export function run(job, collective) {
  const { size, chunks, rounds, root } = job;
  const start = (r, c) => {
    if (REDUCES.includes(collective)) { return [r]; }
    if (collective === "all_to_all") { return [r * size + c]; }
    const own = ["all_gather", "gather", "barrier"].includes(collective);
    return (own ? r === c : r === root) ? [c] : [];
  };
  const table = (of) => Array.from({ length: size }, (_, r) => Array.from({ length: chunks }, (_, c) => of(r, c)));
  const first = table(start);
  let now = first;
  const steps = [];
  for (let i = 0; i < job.steps.length; i += 6) {
    const [rank, round, verb, peer, at, count] = job.steps.subarray(i, i + 6);
    steps.push({ rank, round, verb, peer, chunks: Array.from({ length: count }, (_, k) => (at + k) % chunks) });
  }
  const told = [];
  for (let round = 0; round < rounds; ++round) {
    const here = steps.filter((s) => s.round === round);
    const before = now, after = table((r, c) => [...before[r][c]]);
    const messages = here.filter((s) => s.verb !== 0).map((s) => {
      const index = here.filter((o) => o.rank === s.rank && o.verb !== 0 && o.peer === s.peer).indexOf(s);
      const send = here.filter((o) => o.rank === s.peer && o.verb === 0 && o.peer === s.rank)[index];
      const count = Math.min(s.chunks.length, send?.chunks.length ?? 0);
      return { from: s.peer, to: s.rank, sent: send?.chunks.slice(0, count), put: s.chunks.slice(0, count), adds: s.verb === 1 };
    }).filter((m) => m.sent);  // a wrong algorithm has receives that no send meets
    for (const m of messages) {
      m.put.forEach((c, k) => {
        const value = (collective === "all_to_all" ? first : before)[m.from][m.sent[k]];
        if (value.length === 0) { return; }
        after[m.to][c] = m.adds ? [...after[m.to][c], ...value] : [...value];
      });
    }
    now = after.map((row) => row.map((v) => v.sort((a, b) => a - b)));
    told.push({ messages, before, after: now });
  }
  return { first, told };
}
