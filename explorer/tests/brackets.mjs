// SPDX-License-Identifier: BSD-3-Clause
// Numbers and brackets of the data view: sums of floats in the order of the bracket, and what is said of
// two algorithms that add in the same order or in another. Usage: node brackets.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { areNumbers, differenceOf, finalValues, floatText, makeAdder, numbersOf } from "../page/brackets.js";
import { makeCore } from "../page/core.js";
import { bracketOf, makeModel, runsOf } from "../page/model.js";
import { CHECKS, checkOf, meaningOf } from "../page/verdict.js";

const core = await makeCore(readFileSync(process.argv[2]));
const modelFor = (name, collective, size) => {
  const job = core.record(name, core.collectives.indexOf(collective), size, 0);
  return job && makeModel(job, core.replay(job), collective);
};
let seed = 7;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const numbers = (size) => Array.from({ length: size }, () => Math.fround((random() - 0.5) * 10 ** Math.floor(random() * 9)));

// Evaluates the text of a bracket, left to right, each addition rounded to a float.
function evaluate(text, given) {
  let at = 0;
  function sum() {
    let total = term();
    while (text[at] === "+") { ++at; total = Math.fround(total + term()); }
    return total;
  }
  function term() {
    if (text[at] === "(") {
      ++at;
      const total = sum();
      assert.equal(text[at++], ")");
      return total;
    }
    const [digits] = /^\d+/.exec(text.slice(at));
    at += digits.length;
    return given[Number(digits)];
  }
  const total = sum();
  assert.equal(at, text.length);
  return total;
}

const plain = core.algorithms.filter((n) => !n.endsWith(":"));
const all = [...plain, "hierarchical:2", "leaders:2", "hierarchical:3"];
let sums = 0, alike = 0, different = 0;
for (const collective of ["all_reduce", "reduce", "scan", "exscan", "reduce_scatter"]) {
  for (let size = 1; size <= 12; ++size) {
    for (const name of all) {
      const m = modelFor(name, collective, size);
      if (m === null) { continue; }
      const given = numbers(size), number = makeAdder(m, given);
      for (const value of new Set(m.after(m.rounds - 1))) {
        assert.equal(number(value), evaluate(bracketOf(m, value), given), `${name} ${collective} ${size}`);
        const text = bracketOf(m, value);
        for (const most of [1, 5, 12, text.length - 1, text.length]) { assert.equal(bracketOf(m, value, most), most < text.length ? null : text); }
        const ranks = text.match(/\d+/g).map(Number).sort((a, b) => a - b);
        assert.deepEqual(m.contributors(value), ranks);
        assert.equal(m.count(value), ranks.length);
        assert.equal(m.distinct(value), new Set(ranks).size);
        ++sums;
      }
    }
  }
}

// Of two algorithms, by trying: alike only if no numbers tell them apart, and different only if some do.
const elements = (m, values, number, parts) => Array.from({ length: parts }, (_, i) => number(values[Math.floor((i * m.chunks) / parts)]));
for (let size = 2; size <= 9; ++size) {
  for (const one of all) {
    for (const other of all) {
      const a = modelFor(one, "all_reduce", size), b = modelFor(other, "all_reduce", size);
      if (!a || !b) { continue; }
      const found = differenceOf(a, b), parts = a.chunks * b.chunks;
      let apart = false;
      for (let i = 0; i < 60 && !apart; ++i) {
        const given = numbers(size);
        const [x, y] = [a, b].map((m) => elements(m, finalValues(m), makeAdder(m, given), parts));
        apart = x.some((v, k) => v !== y[k]);
      }
      assert.equal(found !== null, apart, `${one} and ${other} of ${size}`);
      if (found === null) { ++alike; continue; }
      ++different;
      assert.notEqual(bracketOf(a, found.values[0]), bracketOf(b, found.values[1]));
      assert.equal(finalValues(a)[found.one], found.values[0]);
      assert.equal(finalValues(b)[found.other], found.values[1]);
      // The two chunks lie over each other.
      assert.ok(found.one * b.chunks < (found.other + 1) * a.chunks && found.other * a.chunks < (found.one + 1) * b.chunks);
    }
  }
}
assert.ok(alike > 100 && different > 100);

for (const [x, text] of [[0.1, "0.1"], [1 / 3, "0.33333334"], [16777217, "16777216"], [-2.5, "-2.5"], [1e10, "10000000000"], [0, "0"]]) { assert.equal(floatText(Math.fround(x)), text); }
for (let i = 0; i < 2000; ++i) { const [x] = numbers(1); assert.equal(Math.fround(Number(floatText(x))), x); }
assert.deepEqual(numbersOf("0.5,1,1e8", 4), [0.5, 1, 1e8, 0]);
assert.ok(areNumbers("whole") && areNumbers("1,-2.5") && !areNumbers("") && !areNumbers("1,,2") && !areNumbers("a") && !areNumbers("1e99"));

for (const [ranks, size, text] of [[[0, 1, 3], 4, "3\u20131"], [[0, 3], 4, "3,0"], [[0, 2, 4], 5, "2,4,0"], [[0, 2, 4], 6, "0,2,4"], [[0, 1, 2, 3], 4, "0\u20133"], [[2], 7, "2"],
                                   [[0, 1], 2, "0,1"], [[0, 1, 3], 0, "0,1,3"], [[1, 2, 3, 6], 9, "1\u20133,6"]]) { assert.equal(runsOf(ranks, size), text); }

// Each complaint of the checker that a step can cause belongs to one check.
const complaints = ["prover.hpp", "well_formed.hpp"].map((f) => readFileSync(new URL(`../../include/collectives/schedule/${f}`, import.meta.url), "utf8")).join("")
  .match(/(?:refuse\(|return |\{false, )"[^"]+"/g).map((t) => /"(.*)"/.exec(t)[1]);
const aboutTheQuestion = ["there are no ranks or no chunks", "there is no such root", "the schedules do not belong together", "it has no schedule"];
assert.ok(complaints.length >= 20);
for (const c of complaints) { assert.equal(checkOf(c) !== undefined, !aboutTheQuestion.includes(c), c); }
for (const check of CHECKS) {
  for (const c of check.says) { assert.ok(complaints.includes(c), c); }
  for (const collective of core.collectives) { assert.ok(meaningOf(check.id, collective).length > 20); }
}
console.log(`${sums} sums hold; ${alike} pairs of algorithms add alike, ${different} do not`);
