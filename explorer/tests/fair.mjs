// SPDX-License-Identifier: BSD-3-Clause
// Fair sharing of links: known examples; random messages against exact fractions, in which every
// message is shown to have a full link on which none is quicker; all algorithms on networks, not below
// the simple bound. WebAssembly and native give the same bytes. Usage: WASM NATIVE [--seed N] [--all]
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { diceOf, openBoth, optionsOf } from "./both.mjs";
import { makeCore } from "../page/core.js";
import { placesOf } from "../page/placement.js";
import { makeTopology } from "../page/topology.js";
import { loadsOf, messagesOf } from "../page/topology_load.js";
import { fairly, waysOf } from "../page/topology_fair.js";

const options = optionsOf(process.argv), dice = diceOf(options.seed);
const core = await makeCore(readFileSync(options.wasm));
const both = await openBoth(options.wasm, options.native);
let shared = 0;

// When messages [{bytes, way}] of one round have ended.
async function endsOf(label, messages, links) {
  const ways = Int32Array.from(messages.flatMap(({ way }) => [0, way.length, ...way]));
  const { result, out } = await both.call(() => label, "share", [links, 1], Buffer.from(ways.buffer), messages.map((m) => m.bytes));
  assert.equal(result, 1, label);
  ++shared;
  return messages.map((_, i) => out.readDoubleLE(8 * i));
}
const near = (found, wanted, label) => found.forEach((t, i) => assert.ok(Math.abs(t - wanted[i]) <= 1e-6 * Math.max(1, wanted[i]), `${label}: message ${i} ends at ${t} instead of ${wanted[i]}`));

// Three messages over link 1, one of which also crosses link 0, where there is another.
near(await endsOf("a long and three short", [{ bytes: 1, way: [0, 1] }, { bytes: 1, way: [0] }, { bytes: 1, way: [1] }, { bytes: 1, way: [1] }], 2), [3, 1.5, 3, 3], "one byte each");
// Two share a link, at a half each; when the short one has ended the other has it alone.
near(await endsOf("short and long", [{ bytes: 1, way: [0] }, { bytes: 3, way: [0] }], 1), [2, 4], "short and long");
near(await endsOf("a chain", [{ bytes: 2, way: [0, 1, 2] }, { bytes: 1, way: [0] }, { bytes: 1, way: [1] }, { bytes: 1, way: [2] }], 3), [3, 2, 2, 2], "a chain");
near(await endsOf("nothing to carry", [{ bytes: 0, way: [0] }, { bytes: 5, way: [0] }], 1), [0, 5], "an empty message");
for (const [ways, bytes] of [[[0, 1, 2], [1]], [[0, 1, -1], [1]], [[0, 2, 0], [1]], [[1, 1, 0], [1]], [[0, 1, 0], []], [[0, 1, 0], [1, 2]], [[0, -1, 0], [1]]]) {
  const { result, out } = await both.call(() => "a wrong input", "share", [2, 1], Buffer.from(Int32Array.from(ways).buffer), bytes);
  assert.equal(result, 0, JSON.stringify([ways, bytes]));
  void out;
}

// Fractions of BigInt.
const gcd = (a, b) => (b === 0n ? a : gcd(b, a % b));
const q = (n, d = 1n) => { const g = gcd(n < 0n ? -n : n, d) || 1n; return { n: n / g, d: d / g }; };
const add = (a, b) => q(a.n * b.d + b.n * a.d, a.d * b.d), sub = (a, b) => q(a.n * b.d - b.n * a.d, a.d * b.d);
const mul = (a, b) => q(a.n * b.n, a.d * b.d), over = (a, b) => q(a.n * b.d, a.d * b.n);
const less = (a, b) => a.n * b.d < b.n * a.d, same = (a, b) => a.n === b.n && a.d === b.d;

// The rates: raises all at once until a link is full; and shows that they are the fair ones.
function exactRates(live, links) {
  const fixed = new Map();
  for (let level = q(0n); fixed.size < live.length;) {
    let step = null;
    for (let l = 0; l < links; ++l) {
      const on = live.filter((m) => m.way.includes(l)), open = on.filter((m) => !fixed.has(m));
      if (open.length === 0) { continue; }
      const used = on.reduce((sum, m) => add(sum, fixed.get(m) ?? level), q(0n));
      const more = over(sub(q(1n), used), q(BigInt(open.length)));
      if (step === null || less(more, step)) { step = more; }
    }
    level = add(level, step);
    const full = (l) => same(live.filter((m) => m.way.includes(l)).reduce((sum, m) => add(sum, fixed.get(m) ?? level), q(0n)), q(1n));
    const now = live.filter((m) => !fixed.has(m) && m.way.some(full));
    assert.ok(now.length > 0);
    now.forEach((m) => fixed.set(m, level));
  }
  for (const m of live) {
    assert.ok(m.way.some((l) => {
      const on = live.filter((o) => o.way.includes(l));
      return same(on.reduce((sum, o) => add(sum, fixed.get(o)), q(0n)), q(1n)) && on.every((o) => !less(fixed.get(m), fixed.get(o)));
    }), "a rate could grow at nobody's cost but a quicker one's");
  }
  return fixed;
}
function exactEnds(messages, links) {
  const left = new Map(messages.map((m) => [m, q(BigInt(m.bytes))])), ends = new Map();
  let live = messages.filter((m) => m.bytes > 0), now = q(0n);
  while (live.length > 0) {
    const rates = exactRates(live, links);
    const first = live.map((m) => over(left.get(m), rates.get(m))).reduce((a, b) => (less(b, a) ? b : a));
    now = add(now, first);
    for (const m of live) { left.set(m, sub(left.get(m), mul(first, rates.get(m)))); }
    live.filter((m) => left.get(m).n === 0n).forEach((m) => ends.set(m, now));
    live = live.filter((m) => left.get(m).n > 0n);
  }
  return messages.map((m) => { const e = ends.get(m) ?? q(0n); return Number(e.n) / Number(e.d); });
}
const pick = (n) => Math.floor(dice() * n);
for (let i = 0; i < (options.all ? 4000 : 300); ++i) {
  const links = 1 + pick(5);
  const messages = Array.from({ length: 1 + pick(7) }, () => ({ bytes: pick(9), way: [...Array(links).keys()].filter(() => dice() < 0.5) }))
    .map((m) => (m.way.length > 0 ? m : { ...m, way: [pick(links)] }));
  near(await endsOf(`random ${i}`, messages, links), exactEnds(messages, links), `--seed ${options.seed}, case ${i}: ${JSON.stringify(messages)}`);
}

// Not below the simple bound; and each message at least as long as alone.
let networks = 0;
for (const text of ["crossbar", "ring", "torus", "fat_tree:4:2", "fat_tree:3:1", "hosts:4"]) {
  for (const size of options.all ? [2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32] : [2, 3, 6, 8, 12]) {
    const net = makeTopology(text, size);
    for (const placement of ["in_order", "shuffled:3"]) {
      const places = placesOf(placement, size, net);
      for (const name of core.algorithms.filter((n) => !n.endsWith(":"))) {
        for (const what of [0, 1, 3, 7]) {
          const label = `${name} ${size} ${core.collectives[what]} on ${text}, ${placement}`;
          const job = core.record(name, what, size), bytes = 999 * size;
          if (job === null) { continue; }
          const w = waysOf(job, bytes, net, places);
          const { result } = await both.call(() => label, "share", [w.links, w.rounds], Buffer.from(w.ways.buffer), [...w.bytes]);
          assert.equal(result, 1, label);
          const bound = loadsOf(job, bytes, net, places), fair = fairly(core, bound, job, bytes, net, places);
          fair.rounds.forEach((r, i) => assert.ok(r.factor >= bound.rounds[i].factor * (1 - 1e-9), `${label}, round ${i}: ${r.factor} is below ${bound.rounds[i].factor}`));
          const m = messagesOf(job, bytes);
          fair.ends.forEach((end, k) => assert.ok(end >= m.bytes[k] * (1 - 1e-9), `${label}: message ${k} is quicker than alone`));
          ++networks;
        }
      }
    }
  }
}
const calls = await both.close();
console.log(`fair: ${shared} lists of messages and ${networks} schedules on networks (--seed ${options.seed}): ${calls} answers are equal`);
