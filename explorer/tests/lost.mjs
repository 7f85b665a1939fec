// SPDX-License-Identifier: BSD-3-Clause
// Which messages the page draws as broken: of each step that is taken away, the other end, in its round; of a
// right schedule none. Usage: node lost.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { INTS_PER_STEP, SEND, makeCore } from "../page/core.js";
import { lostOf } from "../page/lost.js";
import { transfersOf } from "../page/model.js";

const core = await makeCore(readFileSync(process.argv[2]));
const without = (job, i) => ({ ...job, steps: Int32Array.from([...job.steps.slice(0, INTS_PER_STEP * i), ...job.steps.slice(INTS_PER_STEP * (i + 1))]) });
let dropped = 0;
for (const name of core.algorithms.filter((n) => !n.endsWith(":"))) {
  for (const collective of ["all_reduce", "reduce", "all_gather", "all_to_all"]) {
    for (const size of [2, 3, 5]) {
      const job = core.record(name, core.collectives.indexOf(collective), size, 0), moves = transfersOf(job), proof = core.check(job);
      for (let round = -1; round <= job.rounds; ++round) { assert.deepEqual(lostOf(job, proof, collective, round).lost, []); }
      for (let i = 0; i < job.steps.length / INTS_PER_STEP; ++i) {
        const [rank, round, verb, peer] = job.steps.subarray(INTS_PER_STEP * i);
        // Of several messages of a pair in one round, those after a lost one are mated otherwise.
        if (moves[round].filter((m) => m.from === (verb === SEND ? rank : peer) && m.to === (verb === SEND ? peer : rank)).length > 1) { continue; }
        const wrong = without(job, i), verdict = core.check(wrong);
        assert.equal(verdict.ok, false);
        const { lost } = lostOf(wrong, verdict, collective, round), [from, to] = verb === SEND ? [rank, peer] : [peer, rank];
        assert.deepEqual(lost.map((m) => [m.from, m.to, m.sent]), [[from, to, verb !== SEND]], `${name} ${collective} ${size}: without step ${i}`);
        assert.match(lost[0].says, verb === SEND ? /does not send/ : /does not receive/);
        for (let other = 0; other < job.rounds; ++other) { assert.equal(lostOf(wrong, verdict, collective, other).lost.length, other === round ? 1 : 0); }
        ++dropped;
      }
    }
  }
}
assert.ok(dropped > 1000, `only ${dropped}`);
// Two ends that name different chunks are one message at fault, and nothing is lost.
const job = core.record("ring", 0, 4, 0), steps = job.steps.slice();
steps[4] = (steps[4] + 1) % 4;
const wrong = { ...job, steps }, verdict = core.check(wrong), { lost, atFault } = lostOf(wrong, verdict, "all_reduce", steps[1]);
assert.deepEqual(lost, []);
assert.equal(transfersOf(wrong)[steps[1]].filter(atFault).length, 1, verdict.what);
console.log(`${dropped} steps taken away, each with its other end shown`);
