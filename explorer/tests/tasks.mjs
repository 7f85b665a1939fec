// SPDX-License-Identifier: BSD-3-Clause
// Tests the tasks: the right answer is taken, wrong ones are not. Of 50 seeds of tasks it takes 20, by
// COLLECTIVES_TEST_SEED or else the day; COLLECTIVES_TEST_ALL=1 takes all. Usage: node tasks.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { makeCore } from "../page/core.js";
import * as bug from "../page/tasks_bug.js";
import { edited } from "../page/tasks_bug.js";
import { codeOf, verified, written } from "../page/tasks_code.js";
import { KINDS, POOL, makeTask, markTask, refusalOf, parseSheet, parseTask, sheetText, tasksOf, taskText } from "../page/tasks.js";
import { packed, unpacked } from "../page/tasks_pack.js";
import { passesOn } from "../page/tasks_predict.js";
import { seedOfTheDay } from "./both.mjs";
import { fnv1a, isSeedOf, seedOf } from "../page/tasks_random.js";
import { parseChunks, stepsByRank, withSteps } from "../page/tasks_steps.js";

const core = await makeCore(readFileSync(process.argv[2]));
const seeds = process.env.COLLECTIVES_TEST_ALL === "1" ? 50 : 20, today = seedOfTheDay();
console.log(`seed ${today}: ${seeds} of 50 seeds`);
const algorithms = ["any", "ring", "tree", "star", "halving", "mixed_radix", "circulant", "two_shot"];
const collectives = ["all_reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all", "scan"];
const counts = { own: 0, predict: 0, bug: 0, build: 0, wrong: 0, none: 0, ambiguous: 0 };

function refused(task, answer, why) {
  assert.equal(markTask(core, task, answer).right, false, `${task.text}: taken: ${why} ${JSON.stringify(answer)}`);
  ++counts.wrong;
}

// A ring passes on what it has just got, from its second round to its last; a star's root does so once.
for (const [name, collective, rank, expected] of [["ring", "all_reduce", 2, [false, true, true, true, true, true]], ["ring", "all_gather", 1, [false, true, true]],
  ["star", "all_reduce", 0, [false, false, false, true, false, false]], ["one_shot", "all_to_all", 0, [false]], ["tree", "all_reduce", 3, [false, false, false, false]]]) {
  const job = core.record(name, core.collectives.indexOf(collective), 4, 0);
  assert.deepEqual(Array.from({ length: job.rounds }, (_, round) => passesOn({ id: { collective }, job, round, asked: [rank] })), expected, `${name} ${collective}`);
}

function wrongPredictions(task) {
  const right = KINDS.predict.rightAnswer(task);
  const { messages, how } = right;
  for (const other of ["adds", "copies", "both", ""]) {
    if (other !== how) { refused(task, { messages, how: other }, "what receivers do"); }
  }
  messages.forEach((m, i) => {
    const changed = (patch) => ({ messages: messages.with(i, { ...m, ...patch }), how });
    refused(task, { messages: messages.toSpliced(i, 1), how }, "a message less");
    for (let to = 0; to < task.id.size; ++to) {
      if (to !== m.to) { refused(task, changed({ to }), "another receiver"); }
    }
    for (let c = 0; c < task.job.chunks; ++c) {
      if (m.chunks.length !== 1 || m.chunks[0] !== c) { refused(task, changed({ chunks: [c] }), "another chunk"); }
    }
  });
  for (const from of task.asked) {
    for (let to = 0; to < task.id.size; ++to) {
      if (to !== from && !messages.some((m) => m.from === from && m.to === to)) {
        refused(task, { messages: [...messages, { from, to, chunks: [0] }], how }, "a message more");
      }
    }
  }
}

// Every place is tried: only those are taken that say the change.
function wrongPlaces(task) {
  const { change, was, wrongRanks } = task;
  const now = task.at < 0 ? null : wrongRanks[change.rank][task.at];
  let taken = 0;
  for (let rank = 0; rank < task.id.size; ++rank) {
    for (let round = 0; round < task.job.rounds; ++round) {
      const places = wrongRanks[rank].flatMap((s, i) => (s.round === round ? [i] : []));
      for (const step of [...places, bug.MISSING]) {
        const { right } = bug.mark(core, task, { rank, round, step });
        const isChanged = rank === change.rank && now !== null && step >= 0 &&
                          JSON.stringify(wrongRanks[rank][step]) === JSON.stringify(now);
        const isMissing = rank === change.rank && step < 0 && ["drop", "round"].includes(change.edit) && round === was.round;
        assert.equal(right, isChanged || isMissing, `${task.text} ${rank} ${round} ${step}`);
        if (right) { ++taken; } else { ++counts.wrong; }
      }
    }
  }
  assert(taken >= 1);
  if (taken > 1) { ++counts.ambiguous; }
}

// The schedule with the mistake differs in one step from the right one, and the checker refuses it.
function isOneMistake(task) {
  assert.equal(core.check(task.job).ok, true);
  assert.equal(core.check(task.wrong).ok, false);
  const before = stepsByRank(task.job), after = stepsByRank(task.wrong);
  const key = (s) => JSON.stringify(s);
  before.forEach((steps, rank) => {
    const left = after[rank].map(key);
    let gone = 0;
    for (const s of steps) {
      const at = left.indexOf(key(s));
      if (at < 0) { ++gone; } else { left.splice(at, 1); }
    }
    const here = rank === task.change.rank;
    assert.equal(gone, here ? 1 : 0, task.text);
    assert.equal(left.length, here && task.change.edit !== "drop" ? 1 : 0, task.text);
    assert(after[rank].every((s, i, all) => i === 0 || all[i - 1].round <= s.round), task.text);
  });
}

function wrongBuilds(task) {
  const { job } = task;
  const ranks = stepsByRank(job);
  const rank = ranks.findIndex((s) => s.length > 0);
  refused(task, { job: withSteps(job, edited(ranks, { edit: "drop", rank, at: 0 }).ranks) }, "a step less");
  refused(task, { job: { ...job, size: job.size + 1 } }, "another size");
  refused(task, { complaint: "line 3" }, "a program that does not run");
  // The library's own is refused as it stands; so is another order of its steps in a round, but nothing of two ranks.
  const refusal = refusalOf(core, task, { job });
  assert.equal(refusal !== null, job.size > 2, task.text);
  if (job.size > 2) {
    assert(/^This is the library\u2019s [a-z_:0-9]+ as it stands: change it, or write your own\.$/.test(refusal), refusal);
    const other = withSteps(job, ranks.map((steps) => [...steps].reverse().sort((a, b) => a.round - b.round)));
    assert.equal(refusalOf(core, task, { job: other }), refusal, `${task.text}, in another order`);
    // Another ring, the ranks but 0 the other way round, is one's own; a star's centre stays what it was.
    const turned = (r) => (r === 0 ? 0 : job.size - r), mirrored = Array.from(ranks, (_, r) => ranks[turned(r)].map((s) => ({ ...s, peer: turned(s.peer) })));
    const mine = { job: withSteps(job, mirrored) };
    if (markTask(core, task, mine).right && refusalOf(core, task, mine) === null) { ++counts.own; }
  }
  refused({ ...task, rounds: job.rounds - 1 }, { job }, "too many rounds");
  refused({ ...task, hundredths: task.hundredths - 1 }, { job }, "too many bytes");
  const again = unpacked(packed(job, task.id.collective), { what: job.what, size: job.size, root: 0 }, task.id.collective);
  assert.equal(core.check(again).ok, true);
  assert.equal(again.steps.length, job.steps.length);
  assert.equal(packed(again, task.id.collective), packed(job, task.id.collective));
}

const different = new Map();
for (const kind of Object.keys(KINDS)) {
  for (const algorithm of algorithms) {
    for (let size = 2; size <= 9; ++size) {
      for (const collective of collectives) {
        // All collectives for a few seeds, all seeds for all_reduce.
        const most = collective === "all_reduce" ? seeds : 3;
        const seen = new Set();
        for (let i = 0; i < most; ++i) {
          const seed = 1 + (20 * today + i) % 50;
          const id = parseTask(`${kind}:${algorithm}:${size}:${collective}:${seed}`);
          const task = makeTask(core, id);
          if (task === null) { ++counts.none; continue; }
          assert.equal(taskText(task.id), task.text);
          const right = KINDS[kind].rightAnswer(task);
          const marked = markTask(core, task, right);
          assert.equal(marked.right, true, `${task.text}: ${JSON.stringify(marked)}`);
          assert(KINDS[kind].solution(task).length > 10);
          if (kind === "predict") { wrongPredictions(task); }
          if (kind === "bug") { isOneMistake(task); wrongPlaces(task); }
          if (kind === "build") { wrongBuilds(task); }
          if (kind === "build" && algorithm === "any" && collective === "all_reduce" && size > 2) {
            refused(task, { job: core.record("one_shot", 0, size, 0) }, "no work");
          }
          if (algorithm === "any") { assert(POOL.includes(task.algorithm), task.algorithm); }
          const code = codeOf(core, task, right, "Ada Lovelace", seed);
          const read = verified(core, code);
          assert.equal(read.right, true, code + ": " + read.say);
          assert.equal(read.own, false);
          assert.equal(verified(core, code.replace("Ada", "Bob")).right, false);
          // The same text makes the same task.
          assert.equal(codeOf(core, makeTask(core, id), right, "Ada Lovelace", seed), code);
          seen.add(KINDS[kind].answerText(core, task, right));
          ++counts[kind];
        }
        different.set(`${kind}:${algorithm}:${size}:${collective}`, seen.size);
      }
    }
  }
}
// Students get different tasks.
for (const kind of ["predict", "bug"]) {
  for (const name of ["ring:5", "halving:8", "any:6"]) {
    assert(different.get(`${kind}:${name}:all_reduce`) >= Math.min(10, seeds / 2), `${kind} ${name}`);
  }
}
for (const [name, n] of Object.entries(counts)) { assert(name === "none" ? n === 0 : n > 0, name); }  // every one exists

// A code for "any" algorithm from the time when it was chosen from all of them stays right.
{
  let older = 0;
  for (let seed = 1; seed <= 20; ++seed) {
    for (const kind of Object.keys(KINDS)) {
      const task = makeTask(core, parseTask(`${kind}:any:6:all_reduce:${seed}`), null);
      const read = verified(core, codeOf(core, task, KINDS[kind].rightAnswer(task), "Ada", 1));
      assert.equal(read.right, true, task.text);
      if (kind === "build") { assert(/as it stands$/.test(read.say), read.say); }
      if (!POOL.includes(task.algorithm)) { ++older; }
    }
  }
  assert(older > 20, String(older));
}
assert.equal(fnv1a(""), 0x811c9dc5);
assert.equal(fnv1a("a"), 0xe40c292c);
assert.equal(fnv1a("foobar"), 0xbf9cf968);
assert.equal(seedOf(" Ada  Lovelace "), seedOf("ada lovelace"));
assert.equal(seedOf("17"), fnv1a("17"));  // the number itself stands in no address
assert(isSeedOf(`${fnv1a("17")}-2`, " 17") && isSeedOf("17-2", "017") && !isSeedOf("18", "17") && !isSeedOf("17", "Ada"));
assert.equal(written("Zoë B."), "Zo%C3%AB%20B%2E");
assert.deepEqual(parseChunks("6-1", 8), [0, 1, 6, 7]);
assert.deepEqual(parseChunks("all", 3), [0, 1, 2]);
for (const bad of ["8", "", "x", "1-", "-1", "1..9"]) { assert.equal(parseChunks(bad, 8), null, bad); }
for (const bad of ["", "bug:ring:5", "bug:ring:1:all_reduce:7", "bug:ring:17:all_reduce:7", "mug:ring:5:all_reduce:7",
                   "bug:ring:5:barrier:7", "bug:ring:5:all_reduce:x", "constructor:ring:5:all_reduce:1"]) {
  assert.equal(parseTask(bad), null, bad);
}
assert.equal(makeTask(core, parseTask("bug:no_such:5:all_reduce:7")), null);
assert.equal(makeTask(core, parseTask("bug:hierarchical:4:6:all_reduce:7")), null);
assert.notEqual(makeTask(core, parseTask("bug:hierarchical:2:6:all_reduce:7")), null);
const sheet = "predict:ring:5:all_reduce*2,bug:any:6:all_reduce,build:hierarchical:2:6:all_gather";
assert.equal(sheetText(parseSheet(sheet)), sheet);
for (const bad of ["bug:ring:5:all_reduce:7", "bug:ring:5:all_reduce*0", "bug", "bug:ring:5:all_reduce*21"]) {
  assert.equal(parseSheet(bad), null, bad);
}
const own = tasksOf(parseSheet(sheet), "Ada");
assert.equal(own.length, 4);
assert.equal(new Set(own.map((id) => id.seed)).size, 4);
const first = makeTask(core, own[0]);
assert.equal(verified(core, codeOf(core, first, KINDS.predict.rightAnswer(first), "ada", 1)).own, true);
console.log(`tasks: ${JSON.stringify(counts)}`);
