// SPDX-License-Identifier: BSD-3-Clause
// The table of many lectures for an all-reduce over K ranks, beside what is counted from the steps:
// what the amount means if n is one rank's vector m, and if n is K m, all ranks' vectors.

// The formulas; `times` the amount in n.
const rows = (k) => {
  const l = Math.log2(k);
  return [
    { algorithm: "star", amount: "2n", timesN: 2, frequency: "2K", times: 2 * k },
    { algorithm: "tree", amount: "2n log₂ K / K", timesN: 2 * l / k, frequency: "2 log₂ K", times: 2 * l },
    { algorithm: "butterfly", amount: "n log₂ K / K", timesN: l / k, frequency: "log₂ K", times: l },
    { algorithm: "ring", amount: "n / K", timesN: 1 / k, frequency: "2(K − 1)", times: 2 * (k - 1) },
  ];
};

// In vectors of one rank.
function count(core, name, size) {
  const bytes = size << 10;  // every chunk is a whole one
  const cost = core.cost(core.record(name, 0, size), bytes);
  const vectors = (n) => Number(n) / bytes;
  const both = cost.ranks.map((r) => vectors(r.sent + r.received));
  return { sent: vectors(cost.busiest.sent), received: vectors(cost.busiest.received),
           bothMost: Math.max(...both), bothLeast: Math.min(...both), rounds: Number(cost.rounds) };
}

function meaning(amount, of) {
  const known = [
    [of.sent, "what the busiest rank sends"],
    [of.bothMost, "what the busiest rank sends and receives"],
    [of.bothLeast, "what the least busy rank sends and receives"],
    [of.sent / of.rounds, "what the busiest rank sends in a round, on average"],
  ];
  return known.find(([value]) => Math.abs(value - amount) < 1e-9 * amount)?.[1] ?? "";
}

// {rows, neither}, for at least two ranks. Amounts are in vectors of one rank; `ifOne`, `ifAll`: in
// words what the lectures' amount is under each of the two meanings of n; empty: nothing counted.
export function lectureTable(core, size) {
  const all = rows(size).map((row) => {
    const of = count(core, row.algorithm, size);
    return { ...row, ...of, amountIfOne: row.timesN, amountIfAll: row.timesN * size,
             ifOne: meaning(row.timesN, of), ifAll: meaning(row.timesN * size, of) };
  });
  return { rows: all, neither: all.some((r) => r.ifOne === "") && all.some((r) => r.ifAll === "") };
}
