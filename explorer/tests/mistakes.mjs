// SPDX-License-Identifier: BSD-3-Clause
// Algorithms that throw leave the core as it was. Usage: node mistakes.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { makeCore } from "../page/core.js";

const core = await makeCore(readFileSync(process.argv[2]));
const fail = (where) => () => { throw new Error(`a mistake in ${where}`); };
const right = { patterns: ["reduce_scatter", "all_gather"], chunks: (size) => size, owner: (chunk) => chunk, emit() {} };
const wrong = [{ ...right, chunks: fail("chunks") }, { ...right, owner: fail("owner") }, { ...right, emit: fail("emit") },
               { ...right, emit(pattern, me, size, root, step) { step(0, 0, 1, 0, 1); fail("the middle")(); } }];
let thrown = 0;
for (let i = 0; i < 20000; ++i) {
  const what = core.collectives.indexOf(i % 2 === 0 ? "all_reduce" : "reduce");  // the second asks for owners
  try { core.recordOwn(wrong[i % wrong.length], what, 4); } catch (e) {
    assert.match(e.message, /^a mistake in/);
    ++thrown;
  }
}
assert.ok(thrown >= 15000, `${thrown} of 20000 were thrown`);
const before = core.record("ring", 0, 8);
assert.equal(core.check(before).what, "correct");
assert.equal(core.check(core.record("tree", 0, 64)).what, "correct");
console.log(`${thrown} mistakes, and the core is as it was`);
