// SPDX-License-Identifier: BSD-3-Clause
// The page's clock against cases computed by hand, the counted cost and the replay. Usage: node
// explorer/tests/clock.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { asLate, asSlow, changeEnds, declareClock, networkOf, order, PRESETS, PRICES, presetOf, pricesOf, timed } from "../page/clock.js";
import { makeCore } from "../page/core.js";
import { declare, asWhole, fromFragment, toFragment } from "../page/state.js";

const core = await makeCore(readFileSync(process.argv[2]));
const free = { latency: 0, overhead: 0, gap: 0, byte: 0, added: 0 };
const run = (name, size, bytes, network, what = 0) => core.simulate(core.record(name, what, size), bytes, { ...free, ...network });
let cases = 0;
const equal = (a, b, what) => { assert.deepEqual(a, b, what); ++cases; };

// Two ranks, a ring of 100 bytes: handed over 3, latency 10, 50 bytes 5, taken 3; and 10 for what is added.
const two = run("ring", 2, 100, { latency: 10, overhead: 3, byte: 0.1, added: 0.2 });
equal([...two.done], [52, 52]);
equal([two.begin[0], two.moves[0], two.moved[0], two.end[0]], [0, 3, 8, 8]);
equal([two.begin[1], two.moved[1], two.end[1]], [13, 18, 31]);
equal([...two.waitedFor].slice(0, 2), [-1, 4]);
equal(two.path.length, 4);
// A ring of three; rank 1 late; the link from 0 to 1 slow.
const three = { latency: 1, byte: 0.01, added: 0.02 };
equal([...run("ring", 3, 300, three).done], [12, 12, 12]);
equal([...run("ring", 3, 300, { ...three, late: [0, 100] }).done], [110, 111, 112]);
equal([...run("ring", 3, 300, { ...three, slow: [{ from: 0, to: 1, factor: 3 }] }).done], [17, 20, 18]);

// A receive without its send ends with a verdict.
const ring = core.record("ring", 0, 3);
const lacking = { ...ring, steps: ring.steps.slice(6) };
equal(core.simulate(lacking, 300, { ...free, ...three }), { ok: false, what: "a receive has no send", rank: 1, round: 0 });

// One message a round: the counted cost.
for (const name of ["ring", "one_shot", "two_shot", "mixed_radix"]) {
  for (const size of [1, 2, 3, 7, 64]) {
    const c = core.cost(core.record(name, 0, size), 40320 * 64);
    equal(run(name, size, 40320 * 64, { latency: 8, byte: 0.25, added: 0.5 }).total,
          Number(c.rounds) * 8 + Number(c.critical.bytes) * 0.25 + Number(c.critical.reduced) * 0.5, `${name} ${size}`);
  }
}

// Every change has a time, later rounds of a rank later times, and the last is the end.
for (const name of core.algorithms.filter((n) => !n.endsWith(":"))) {
  core.collectives.forEach((collective, what) => {
    for (const size of [2, 3, 8, 13]) {
      const job = core.record(name, what, size, 1), replay = core.replay(job);
      const t = core.simulate(job, 1 << 16, { latency: 1e-6, overhead: 1e-7, gap: 1e-7, byte: 1e-9, added: 1e-10, late: [0, 1e-5], slow: [] });
      const ends = changeEnds({ job, replay }, t);
      const where = `${name} ${collective} ${size}`;
      assert.ok(t.ok && ends.every((e) => e > 0 && e <= t.total), where);
      const before = new Map();
      replay.changes.forEach((c, i) => {
        assert.ok((before.get(`${c.rank} ${c.round - 1}`) ?? 0) <= ends[i], where);
        before.set(`${c.rank} ${c.round}`, ends[i]);
      });
      assert.ok(t.path.every((i, k) => t.waitedFor[i] === (k === 0 ? -1 : t.path[k - 1])), where);
      ++cases;
    }
  });
}

// The state.
declareClock();
declare({ ranks: { initial: 4, ...asWhole(1, 256) } });
const at = (fragment) => fromFragment(fragment);
equal(at("#").state.alpha, presetOf(at("#").state).alpha);
equal(presetOf({ ...PRESETS[0], gap: 1 }), undefined);
for (const p of PRESETS) { assert.ok(PRICES.every((k) => p[k] >= 0 && p[k] < 1e-3) && p.why.length > 20); }
equal(asLate.parse("1:0.5,2:1e-6"), [{ rank: 1, seconds: 0.5 }, { rank: 2, seconds: 1e-6 }]);
for (const wrong of ["1", "1:x", "1:-1", ":1", "1:", "1:1,", "1:1e9", "-1:1"]) { equal(asLate.parse(wrong), undefined, wrong); }
equal(asSlow.parse("0-1:10"), [{ from: 0, to: 1, factor: 10 }]);
for (const wrong of ["0-0:2", "0-1", "0-1:0.5", "0-1:NaN", "0:1-2"]) { equal(asSlow.parse(wrong), undefined, wrong); }
const full = "#alpha=0.00001&overhead=0.000002&gap=0.000001&beta=1e-9&gamma=3e-10&late=1:0.5&slow=0-1:10&time=0.25";
equal(at(full).complaints, []);
equal(at(toFragment(at(full).state)).state, at(full).state);
equal(at("#late=x").complaints.length, 1);
equal(networkOf({ ...at(full).state, ranks: 4 }).late, [, 0.5]);
equal(networkOf({ ...at("#late=9:1,1:1,1:2&slow=0-9:2,0-1:3").state }), { latency: 1e-6, overhead: 3e-7, gap: 1e-7, byte: 8e-11, added: 2e-11, late: [, 3], slow: [{ from: 0, to: 1, factor: 3 }] });
equal(pricesOf({ alpha: 1, overhead: 2, beta: 3, gamma: 4 }), { alpha: 5, beta: 3, gamma: 4 });

// Who ends first; what was computed once is kept until the network changes.
const panel = (name) => { const job = core.record(name, 0, 4); return { name, job, proof: core.check(job), replay: core.replay(job) }; };
const app = { core, state: { ...at("#").state, bytes: 64 }, panels: [panel("ring"), panel("butterfly"), { name: "x", job: null }] };
equal(order(app).map((o) => o.panel.name), ["butterfly", "ring"]);
app.state = { ...app.state, bytes: 2 ** 30 };
equal(order(app).map((o) => o.panel.name), ["ring", "butterfly"]);
assert.equal(timed(app, app.panels[0]), timed(app, app.panels[0]));
assert.equal(timed(app, app.panels[0]).changeEnd.length, app.panels[0].replay.changes.length);

// The text for LogGOPSim.
equal(core.goal(core.record("ring", 0, 2), 100, 0.5).split("\n").slice(0, 6),
      ["num_ranks 2", "", "rank 0 {", "l1: send 50b to 1 tag 0", "l2: recv 50b from 1 tag 0", "l3: calc 25"]);
equal(core.goal(ring, 300, -1), null);
equal(core.goal(ring, 300, 1e300), null);
const began = performance.now();
const many = core.record("one_shot", 0, 256);
const counted = performance.now();
core.simulate(many, 1 << 20, { ...free, ...three });
console.log(`ok: ${cases} cases; 256 ranks of one_shot recorded in ${(counted - began).toFixed(0)} ms, simulated in ${(performance.now() - counted).toFixed(0)} ms`);
