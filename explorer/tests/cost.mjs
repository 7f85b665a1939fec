// SPDX-License-Identifier: BSD-3-Clause
// The derived bounds against core.cost, progress against the counted cost, the lectures' table, and the
// quickest algorithms. Usage: node explorer/tests/cost.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { boundsOf } from "../page/cost_bounds.js";
import { closedCounts, countsOf, messagesInSequence, pricesOf, quickest, secondsOf, stretches } from "../page/cost_model.js";
import { busiestOf, progressOf } from "../page/cost_progress.js";
import { makeCore } from "../page/core.js";
import { lectureTable } from "../page/lecture.js";

const core = await makeCore(readFileSync(process.argv[2]));
const plain = core.algorithms.filter((n) => !n.endsWith(":"));
let compared = 0;
const equal = (a, b, what) => { assert.deepEqual(a, b, what); ++compared; };

// The bound of a derivation is that of cost.hpp, for every collective, also where P does not divide n.
core.collectives.forEach((collective, what) => {
  for (let size = 1; size <= 64; ++size) {
    const job = core.record("star", what, size);
    for (const bytes of [0, 1, size, 1000, 1 << 20, 2 ** 40 + 7]) {
      const { bound } = core.cost(job, bytes), of = boundsOf(collective, size, bytes);
      for (const key of ["rounds", "sent", "reduced"]) { equal(of[key].value, bound[key], `${collective} ${size} ${bytes} ${key}`); }
    }
    for (const key of ["rounds", "sent", "reduced"]) { equal(boundsOf(collective, size, 1)[key].why.length, 2, collective); }
  }
});
// A formula's text says what its value is: evaluated where P divides n.
const evaluate = (text, n, p) => {
  const known = { "⌈log₂ P⌉": () => Math.ceil(Math.log2(p)), "2n(P − 1)/P": () => 2 * n * (p - 1) / p, "n(P − 1)/P": () => n * (p - 1) / p,
                  "n(P − 2)/P": () => n * (p - 2) / p, "n/P": () => n / p, n: () => n, 0: () => 0 };
  return BigInt(known[text]());
};
for (const collective of core.collectives) {
  for (let size = 2; size <= 64; ++size) {
    for (const of of Object.values(boundsOf(collective, size, 1000 * size)).filter((o) => o.formula)) {
      equal(evaluate(of.formula, 1000 * size, size), of.value, `${collective} ${size} ${of.formula}`);
    }
  }
}

// What the library's algorithms do not reach.
const UNMET = { broadcast: ["sent"], reduce: ["received"], exscan: ["sent", "received"] };
// No algorithm does with less than a bound, and for each collective and size some algorithm needs no more.
core.collectives.forEach((collective, what) => {
  for (const size of [2, 3, 4, 7, 8, 12, 31]) {
    for (const bytes of [size, 40 * size, 1001]) {
      const of = boundsOf(collective, size, bytes), least = { sent: Infinity, received: Infinity, reduced: Infinity };
      for (const name of plain) {
        const { busiest } = core.cost(core.record(name, what, size), bytes);
        for (const key of Object.keys(least)) {
          least[key] = Math.min(least[key], Number(busiest[key]));
          assert.ok(busiest[key] >= of[key].value, `${collective} ${name} ${size} ${bytes}: ${key} ${busiest[key]}, bound ${of[key].value}`);
        }
      }
      for (const key of ["sent", "received"].filter((k) => bytes % size === 0 && !UNMET[collective]?.includes(k))) {
        equal(least[key], Number(of[key].value), `${collective} ${size}: ${key}`);
      }
    }
  }
});

// What ranks have done when all is over is what the library counts; half a step counts half.
for (const name of plain) {
  core.collectives.forEach((collective, what) => {
    for (const size of [1, 2, 3, 7, 8, 16, 33]) {
      const job = core.record(name, what, size, size > 2 ? 2 : 0);
      for (const bytes of [5, 1 << 20]) {
        const cost = core.cost(job, bytes), all = progressOf(job, bytes, () => 1);
        cost.ranks.forEach((r, rank) => {
          equal([all.sent[rank], all.received[rank], all.added[rank]], [r.sent, r.received, r.reduced].map(Number), `${name} ${collective} ${size}`);
        });
        equal(busiestOf(all.sent).bytes, Number(cost.busiest.sent), name);
        const half = progressOf(job, bytes, () => 0.5);
        equal(half.sent.map((x) => 2 * x), all.sent, name);
        equal(progressOf(job, bytes, (_, round) => (round <= -1 ? 1 : 0)).sent.every((x) => x === 0), true, name);
      }
    }
  });
}
{
  // A ring of 4 has after two rounds sent two quarters on each rank.
  const ring = progressOf(core.record("ring", 0, 4), 4096, (_, round) => (round <= 1 ? 1 : 0));
  equal([...ring.sent], [2048, 2048, 2048, 2048], "ring of 4 after two rounds");
  equal(busiestOf(ring.sent), { rank: 0, bytes: 2048, ranks: [0, 1, 2, 3] }, "busiest");
}

// The lectures' table of 8 ranks, as docs/lessons/3_alpha_beta.md prints it.
{
  const { rows, neither } = lectureTable(core, 8);
  equal(rows.map((r) => [r.algorithm, r.amountIfOne, r.amountIfAll, r.sent, r.received, r.bothMost, r.times, r.rounds]),
        [["star", 2, 16, 7, 7, 14, 16, 14], ["tree", 0.75, 6, 3, 3, 6, 6, 6], ["butterfly", 0.375, 3, 3, 3, 6, 3, 3], ["ring", 0.125, 1, 1.75, 1.75, 3.5, 14, 14]], "lecture");
  equal(rows.map((r) => r.ifAll), ["", "what the busiest rank sends and receives", "what the busiest rank sends", ""], "if all");
  equal([rows[0].ifOne, rows[3].ifOne, neither],
        ["what the least busy rank sends and receives", "what the busiest rank sends in a round, on average", true], "if one");
}

// The closed form is what is counted.
for (const name of [...plain, "hierarchical:1", "hierarchical:2", "hierarchical:4", "leaders:1", "leaders:2", "leaders:3", "leaders:8"]) {
  for (const size of [1, 2, 3, 4, 7, 8, 12, 16, 24, 31, 48]) {
    const job = core.record(name, 0, size);
    equal(closedCounts(core, name, size, 12345), job && countsOf(core, job, 12345), `${name} ${size}`);
  }
}
equal([["ring", 14], ["star", 14], ["one_shot", 7], ["two_shot", 14], ["tree", 6]].map(([name]) => messagesInSequence(core.record(name, 0, 8))), [14, 14, 7, 14, 6], "messages in sequence of 8");
// Without a price of a message, rounds alpha + bytes beta + added gamma.
equal(pricesOf({ alpha: 1, overhead: 2, beta: 3, gamma: 4 }), { round: 1, message: 4, byte: 3, added: 4 }, "prices");
equal(closedCounts(core, "hierarchical:5", 8, 1), null, "5 does not divide 8");

// The quickest: over 8 ranks with the prices of docs/lessons/3_alpha_beta.md.
{
  const prices = pricesOf({ alpha: 1e-5, overhead: 0, beta: 1e-9, gamma: 0 });
  equal(secondsOf(closedCounts(core, "ring", 8, 1 << 20), prices).toFixed(9), "0.001975008", "lesson 3");
  const timesAt = (bytes) => ["tree", "ring"].map((n) => [n, secondsOf(closedCounts(core, n, 8, bytes), prices)]);
  const found = stretches([1, 16, 1024, 65536, 1 << 20], timesAt);
  equal(found.map((s) => s.names), [["tree"], ["ring"]], "tree, then ring");
  const { from } = found[1];
  // 14 a + 7/4 n b = 6 a + 6 n b where n = 8 a / (17/4 b) = 18823.5 bytes, rounding of the chunks apart.
  assert.ok(Math.abs(from - 18823.5) < 16, `crossing at ${from}`);
  equal(quickest(timesAt(from), 1e-9), ["ring"], `at ${from}`);
  equal(quickest(timesAt(from - 1), 1e-9).includes("tree"), true, `before ${from}`);
}
equal(quickest([["a", 1], ["b", 1 + 1e-12], ["c", 2]]), ["a", "b"], "equal");
// b and a cross at 3 only: equal there, and no stretch of its own.
const crossing = (x) => [["a", 2 * x], ["b", x + 3]];
equal(stretches([1, 2, 3, 4, 5], crossing), [{ from: 1, names: ["a"] }, { from: 4, names: ["b"] }], "a crossing point");
equal(stretches([1, 5], crossing), [{ from: 1, names: ["a"] }, { from: 4, names: ["b"] }], "a crossing point between two");
equal(stretches([1, 2], (x) => [["a", x], ["b", NaN]]), [{ from: 1, names: ["a"] }], "one that does not fit");
// As few as possible: b is quickest all along, a only sometimes.
equal(stretches([1, 2, 3, 4], (x) => [["a", 1 + x % 2], ["b", 1]]), [{ from: 1, names: ["b"] }], "one of two");
equal(stretches([], crossing), [], "nothing");
console.log(`cost: ${compared} comparisons`);
