// SPDX-License-Identifier: BSD-3-Clause
// Tests the table of rounds: its sums are what the headers count. Usage: node csv.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { makeCore } from "../page/core.js";
import { csvOf, roundsOf } from "../page/export_csv.js";

const core = await makeCore(readFileSync(process.argv[2]));
let checked = 0;
for (const name of core.algorithms.filter((n) => !n.endsWith(":"))) {
  for (const what of core.collectives.keys()) {
    for (const size of [1, 2, 3, 5, 8, 13]) {
      for (const bytes of [0, 1, 7, 1000, 2 ** 40 + 3]) {
        const job = core.record(name, what, size, 0);
        if (job === null) { continue; }
        const cost = core.cost(job, bytes), rounds = roundsOf(job, bytes);
        const sum = (key) => rounds.reduce((all, r) => all + r[key], 0n);
        const most = (a, b) => (a > b ? a : b);
        assert.equal(rounds.length, Number(cost.rounds));
        assert.equal(sum("total"), cost.total, `${name} ${what} ${size} ${bytes}`);
        assert.equal(rounds.reduce((all, r) => all + most(r.sent, r.received), 0n), cost.critical.bytes);
        assert.equal(sum("added"), cost.critical.reduced);
        ++checked;
      }
    }
  }
}
const job = core.record("ring", 0, 4), cost = core.cost(job, 4096);
const text = csvOf([{ name: "ring", job, cost }, { name: "odd, \"own\"", job, cost }, { name: "none", job: null }],
  { collective: "all_reduce", ranks: 4, bytes: 4096 }, "a\nb");
const lines = text.trimEnd().split("\n");
assert.equal(lines.length, 2 + 2 * 8);
assert.equal(lines[0], "# a b");
assert.equal(lines[2], "ring,all_reduce,4,4096,0,4,4096,1024,1024,1024");
assert.equal(lines[8], "ring,all_reduce,4,4096,all,24,24576,6144,6144,3072");
assert.equal(lines[9], "ring,all_reduce,4,4096,bound,,,6144,,3072");
assert(lines[10].startsWith('"odd, ""own""",'));
assert(checked > 1000);
console.log(`csv: ${checked} cases`);
