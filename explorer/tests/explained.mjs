// SPDX-License-Identifier: BSD-3-Clause
// What the page says of wrong schedules: a sentence for each text of the checker, of cases worked out by hand, and
// something for each change of a step, at steps that are there. Usage: node explained.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { makeCore } from "../page/core.js";
import { TEXTS, explain } from "../page/explained.js";
import { sizesSentence } from "../page/write_results.js";

const core = await makeCore(readFileSync(process.argv[2]));
const [SEND, ADD, COPY] = [0, 1, 2];
const seen = new Map();

// Steps as [rank, round, verb, peer, first, count].
function judged(collective, job) {
  const proof = core.check({ what: core.collectives.indexOf(collective), root: 0, ...job, steps: Int32Array.from(job.steps.flat()) });
  return { proof, ...explain({ root: 0, ...job, steps: Int32Array.from(job.steps.flat()) }, proof, collective) };
}
function says(collective, size, chunks, rounds, steps, what, text, at = [], root = 0) {
  const found = judged(collective, { size, chunks, rounds, steps, root });
  assert.equal(found.proof.what, what);
  assert.equal(found.text, text);
  assert.deepEqual(found.steps, at, text);
  seen.set(what, (seen.get(what) ?? 0) + 1);
}
const reduce = (...steps) => ["all_reduce", 4, 1, 2, steps];

says(...reduce([0, 1, SEND, 1, 0, 1], [0, 0, SEND, 1, 0, 1]), "the rounds do not ascend", "Rank 0 emits a step of round 0 after one of round 1: emit all steps of a round before those of the next.", [1]);
says(...reduce([0, -1, SEND, 1, 0, 1]), "the rounds do not ascend", "Rank 0 emits a step of round -1, but the rounds count from 0.", [0]);
says(...reduce([0, 2, SEND, 1, 0, 1]), "there is no such round", "Rank 0 names round 2, but the rounds are 0 to 1.", [0]);
says(...reduce([0, 0, SEND, 4, 0, 1]), "there is no such peer", "Rank 0 names rank 4, but the ranks are 0 to 3.", [0]);
says(...reduce([1, 0, ADD, 1, 0, 1]), "a rank talks to itself", "Rank 1 names itself as its peer in round 0: leave out the step where the peer is the rank itself.", [0]);
says(...reduce([1, 0, ADD, 0, 1, 1]), "there are no such chunks", "Rank 1 names chunk 1, but there is only chunk 0.", [0]);
says("all_reduce", 4, 3, 1, [[1, 0, ADD, 0, 3, 1]], "there are no such chunks", "Rank 1 names chunk 3, but the chunks are 0 to 2.", [0]);
says("all_reduce", 4, 3, 1, [[1, 0, ADD, 0, 0, 4]], "there are no such chunks", "Rank 1 names 4 chunks, but a step takes 1 to 3.", [0]);
says("broadcast", 2, 1, 1, [[0, 0, SEND, 1, 0, 1], [1, 0, ADD, 0, 0, 1]], "a collective that only moves blocks adds", "Rank 1 has a recv_reduce in round 0, but nothing is added in a broadcast: use recv_copy.", [1]);
says("all_reduce", 2, 0, 0, [], "there are no ranks or no chunks", "There are 0 chunks: chunks(size) must give 1 or more.");
says("broadcast", 2, 1, 0, [], "there is no such root", "The root is rank 5, but the ranks are 0 to 1.", [], 5);
says("all_gather", 4, 3, 0, [], "there must be one block per rank", "There are 3 chunks for 4 ranks. Chunk i is the block of rank i in an all-gather, so there must be 4.");
says(...reduce([0, 0, SEND, 1, 0, 1], [1, 0, ADD, 0, 0, 1], [1, 1, COPY, 0, 0, 1]), "a receive has no send", "Rank 1 waits in round 1 for rank 0, which sends it nothing in that round. Rank 0 sends to it in round 0.", [2]);
says(...reduce([0, 1, SEND, 1, 0, 1], [1, 1, ADD, 0, 0, 1], [1, 1, ADD, 0, 0, 1]), "a receive has no send", "Rank 1 waits in round 1 for 2 messages of rank 0, which sends it only 1 in that round.", [2]);
says(...reduce([0, 1, SEND, 1, 0, 1], [1, 0, SEND, 0, 0, 1]), "a send has no receive", "Rank 1 sends to rank 0 in round 0, but rank 0 receives nothing from it in that round.", [1]);
says("all_reduce", 2, 4, 1, [[0, 0, SEND, 1, 3, 3], [1, 0, ADD, 0, 0, 1]], "a send and its receive name different chunks", "In round 0 rank 0 sends chunks 3 to 1, but rank 1 receives chunk 0 from it: both must name the same chunks.", [0, 1]);
const chain = (r) => [[0, r, SEND, 1, 0, 1], [1, 0, SEND, 2, 0, 1], [1, r, COPY, 0, 0, 1], [2, 0, COPY, 1, 0, 1]].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
const early = "Rank 1 sends chunk 0 to rank 2 in round 0, but has nothing there yet. ";
says("broadcast", 3, 1, 2, chain(1), "a rank sends a chunk it does not hold", `${early}It gets it in round 1.`, [1]);
says("broadcast", 3, 1, 2, chain(0), "a rank sends a chunk it does not hold", `${early}It gets it in that very round: what arrives can be sent from the next round on.`, [1]);
says("broadcast", 3, 1, 2, [[1, 0, SEND, 2, 0, 1], [2, 0, COPY, 1, 0, 1]], "a rank sends a chunk it does not hold", `${early}Nobody sends it. At the start rank 0 has it.`, [0]);
says("all_reduce", 3, 1, 1, [[0, 0, ADD, 1, 0, 1], [0, 0, COPY, 2, 0, 1], [1, 0, SEND, 0, 0, 1], [2, 0, SEND, 0, 0, 1]], "a chunk is copied into and written again in one round",
     "In round 0 rank 0 adds chunk 0 from rank 1 and copies chunk 0 from rank 2: which comes first would decide what it holds. Several recv_reduce of a chunk may share a round; a recv_copy must be alone.", [0, 1]);
says(...reduce([0, 0, COPY, 1, 0, 1], [1, 0, SEND, 0, 0, 1]), "a copy replaces contributions it does not hold",
     "In round 0 rank 0 copies chunk 0 from rank 1 over its own contribution, which is not in what arrives, so it would be lost. Did you mean recv_reduce?", [0]);
says(...reduce([0, 0, SEND, 1, 0, 1], [0, 1, ADD, 1, 0, 1], [1, 0, ADD, 0, 0, 1], [1, 1, SEND, 0, 0, 1]), "a contribution is added twice",
     "In round 1 rank 0 adds chunk 0: the contribution of rank 0 is in what rank 0 holds and what comes from rank 1. Did you mean recv_copy?", [1]);
says("broadcast", 3, 1, 1, [[0, 0, SEND, 1, 0, 1], [1, 0, COPY, 0, 0, 1]], "a block is missing", "In the end rank 2 lacks chunk 0: no step brings it there. At the start rank 0 has it.");
says("all_to_all", 2, 2, 1, [[0, 0, COPY, 1, 1, 1], [0, 0, SEND, 1, 1, 1], [1, 0, COPY, 0, 0, 1], [1, 0, SEND, 0, 1, 1]], "a block is missing",
     "In the end chunk 1 of rank 0 is for what rank 1 has in its chunk 0, but what is there is chunk 1 of rank 1.", [0]);
says("all_reduce", 3, 1, 1, [[0, 0, ADD, 1, 0, 1], [1, 0, SEND, 0, 0, 1]], "a contribution is missing", "In the end chunk 0 of rank 0 lacks the contribution of rank 2. Rank 2 sends chunk 0 to nobody.");
says("all_reduce", 3, 1, 2, [[0, 0, SEND, 1, 0, 1], [0, 0, ADD, 1, 0, 1], [0, 1, SEND, 2, 0, 1], [0, 1, ADD, 2, 0, 1], [1, 0, SEND, 0, 0, 1], [1, 0, SEND, 2, 0, 1], [1, 0, ADD, 0, 0, 1],
     [1, 1, ADD, 2, 0, 1], [2, 0, ADD, 1, 0, 1], [2, 1, SEND, 0, 0, 1], [2, 1, ADD, 0, 0, 1], [2, 1, SEND, 1, 0, 1]], "a contribution is added twice",
     "In round 1 rank 0 adds chunk 0: the contribution of rank 1 is in what rank 0 holds and what comes from rank 2.", [3]);
says("all_reduce", 3, 1, 2, [[0, 0, ADD, 1, 0, 1], [0, 0, SEND, 2, 0, 1], [0, 1, ADD, 2, 0, 1], [0, 1, SEND, 1, 0, 1], [1, 0, SEND, 0, 0, 1], [1, 0, SEND, 2, 0, 1], [1, 0, ADD, 2, 0, 1],
     [1, 1, ADD, 0, 0, 1], [2, 0, ADD, 0, 0, 1], [2, 0, ADD, 1, 0, 1], [2, 0, SEND, 1, 0, 1], [2, 1, SEND, 0, 0, 1]], "a contribution is added twice",
     "In round 1 rank 0 adds chunk 0: the contribution of rank 0 is in what rank 0 holds and what comes from rank 2. Did you mean recv_copy?", [2]);
{
  // 0 gathers (0+1)+(2+3), rank 3 the same in another order.
  const steps = [[0, 0, ADD, 1, 0, 1], [0, 0, SEND, 3, 0, 1], [0, 1, ADD, 2, 0, 1], [0, 1, SEND, 2, 0, 1], [1, 0, SEND, 0, 0, 1], [1, 0, SEND, 3, 0, 1], [1, 2, COPY, 0, 0, 1],
                 [2, 0, ADD, 3, 0, 1], [2, 0, SEND, 3, 0, 1], [2, 1, SEND, 0, 0, 1], [2, 1, ADD, 0, 0, 1], [3, 0, SEND, 2, 0, 1], [3, 0, ADD, 0, 0, 1], [3, 0, ADD, 1, 0, 1], [3, 0, ADD, 2, 0, 1]];
  steps.push([0, 2, SEND, 1, 0, 1]);
  steps.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  says("all_reduce", 4, 1, 3, steps, "the ranks bracket the sum differently", "Of chunk 0, rank 0 has (0+1)+(2+3) and rank 3 has 0+1+2+3: after rounding the two may differ.");
}

// Every text is told of, but for two: what the page records always belongs together, and has a schedule.
const texts = ["prover.hpp", "well_formed.hpp"].flatMap((f) => [...readFileSync(new URL(`../../include/collectives/schedule/${f}`, import.meta.url), "utf8").matchAll(/(?:refuse\(|return |\{false, )"([^"]+)"/g)].map((m) => m[1]));
const never = ["the schedules do not belong together", "it has no schedule"];
assert.deepEqual([...TEXTS].sort(), [...new Set(texts)].filter((t) => !never.includes(t)).sort());
assert.deepEqual([...seen.keys()].sort(), [...TEXTS].sort());

// One field of one step changed: something is said, with numbers that are there.
let changes = 0;
const unexplained = new Map();
for (const name of core.algorithms.filter((n) => !n.endsWith(":"))) {
  for (const collective of core.collectives) {
    for (const size of [2, 3, 4, 5]) {
      const job = core.record(name, core.collectives.indexOf(collective), size, size - 1);
      for (let at = 0; job && at < job.steps.length; ++at) {
        for (const by of at % 6 === 0 ? [] : [-1, 1]) {
          const steps = Int32Array.from(job.steps);
          steps[at] += by;
          if (at % 6 === 2 && (steps[at] < 0 || steps[at] > 2)) { continue; }
          const proof = core.check({ ...job, steps });
          const { text, steps: faults } = explain({ ...job, steps }, proof, collective);
          ++changes;
          assert.equal(proof.ok, false);
          assert.ok(faults.every((i) => i >= 0 && 6 * i < steps.length));
          assert.doesNotMatch(text, /undefined|NaN|null/);
          if (text === "") { unexplained.set(proof.what, (unexplained.get(proof.what) ?? 0) + 1); }
        }
      }
    }
  }
}
assert.deepEqual([...unexplained], []);
const right = core.record("ring", 0, 4);
assert.deepEqual(explain(right, core.check(right), "all_reduce"), { text: "", steps: [] });

assert.equal(sizesSentence([1], [2, 3, 4, 5]), "Right for 1 rank only; wrong for 2 to 5.");
assert.equal(sizesSentence([1, 2, 4], [3, 5]), "Right for 1, 2 and 4 ranks; wrong for 3 and 5.");
assert.equal(sizesSentence([1, 2, 3], []), "Right for 1 to 3 ranks.");
assert.equal(sizesSentence([], [1, 2]), "Wrong for 1 and 2 ranks.");
console.log(`explained: ${TEXTS.length} texts, ${changes} changed schedules`);
