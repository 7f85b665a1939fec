// SPDX-License-Identifier: BSD-3-Clause
// Traces, the machine's prices, crossing points and what a time is made of. Usage: node
// explorer/tests/trace.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { crossingsOf, partsOf } from "../page/crossings.js";
import { makeCore } from "../page/core.js";
import { keysOf, parseMachine } from "../page/machine.js";
import { algorithmsOf, gapsOf, measuredOf, readTrace, vectorBytes } from "../page/trace.js";

const core = await makeCore(readFileSync(process.argv[2]));
const text = readFileSync(new URL("../../tests/tools/ring_4_trace.json", import.meta.url), "utf8");
let cases = 0;
const equal = (a, b, what) => { assert.deepEqual(a, b, what); ++cases; };
const fails = (f, message) => { assert.throws(f, (e) => e.message.includes(message) || assert.fail(`${e.message} is not about ${message}`)); ++cases; };

// A trace of a ring over 4 ranks.
const operations = readTrace(text);
assert.ok(operations.length > 0);
const operation = operations.at(-1);
equal([operation.collective, operation.ranks], ["all_reduce", 4]);
const ring = core.record("ring", 0, 4);
const measured = measuredOf(operation, ring);
assert.ok(measured.begin.every((b, i) => b >= 0 && b <= measured.end[i]) && Math.min(...measured.begin) === 0);
equal(algorithmsOf(operation, core, []).map((a) => [a.name, a.root]), [["ring", 0]]);
const bytes = vectorBytes(operation, core, ring);
equal(Number(core.cost(ring, bytes).total) * operation.segments, operation.steps.filter((s) => s.verb === 0).reduce((sum, s) => sum + s.bytes, 0) * operation.segments);
fails(() => measuredOf(operation, core.record("tree", 0, 4)), "it lacks round");
fails(() => measuredOf(operation, core.record("ring", 0, 5)), "it is of 4 ranks, not of 5");
fails(() => measuredOf({ ...operation, steps: [...operation.steps, { ...operation.steps[0], round: 9 }] }, ring), "besides, it has round 9");
fails(() => measuredOf({ ...operation, steps: operation.steps.slice(1) }, ring), "it lacks");
fails(() => readTrace("{"), "no JSON");
fails(() => readTrace("{}"), "no list traceEvents");
fails(() => readTrace('{"traceEvents": []}'), "no step");
fails(() => readTrace('{"traceEvents": [{"ph": "X", "name": "paint"}]}'), "Event 1 of the file");

// Communicators count for themselves: in this trace a split has the number of the all-reduce.
const both = readTrace(readFileSync(new URL("traces/example.json", import.meta.url), "utf8"));
equal(both.map((o) => [o.number, o.collective, o.ranks]).sort(), [[1, "all_reduce", 4], [1, "split", 4]]);
equal(algorithmsOf(both.find((o) => o.collective === "all_reduce"), core, []).map((a) => a.name), ["ring"]);
equal(algorithmsOf(both.find((o) => o.collective === "split"), core, []), []);

// Times of a schedule that are what is simulated have no gap; a step that takes longer is named first.
const network = { latency: 1e-6, overhead: 0, gap: 0, byte: 1e-9, added: 1e-10 };
const simulated = core.simulate(ring, 4096, network);
assert.ok(gapsOf(ring, simulated, simulated).every((g) => g.added === 0 && g.late === 0));
const slower = { begin: simulated.begin, end: simulated.end.slice() };
const at = ring.steps.length / 6 - 1;
slower.end[at] += 5e-6;
const [most] = gapsOf(ring, simulated, slower);
equal([most.step, most.rank, most.round], [at, 3, 5]);
assert.ok(Math.abs(most.added - 5e-6) < 1e-12 && Math.abs(most.late - 5e-6) < 1e-12);

// What any algorithm ran is recognised, also in pieces and in segments.
function traced(name, size, what, root, segments, cut) {
  const job = core.record(name, what, size, root);
  const events = [];
  for (let i = 0; i < job.steps.length; i += 6) {
    const [rank, round, verb, peer, first, count] = job.steps.subarray(i, i + 6);
    for (let segment = 0; segment < segments; ++segment) {
      for (let k = 0; k < count; k += cut ? 1 : count) {
        events.push({ ph: "X", name: `${["send to", "recv_reduce from", "recv_copy from"][verb]} ${peer}`, pid: rank, ts: i + segment, dur: 2,
                      args: { collective: core.collectives[what], operation: 7, round, segment, peer, first_chunk: (first + k) % job.chunks, chunks: cut ? 1 : count, bytes: 8 } });
      }
    }
  }
  return readTrace(JSON.stringify({ traceEvents: events }))[0];
}
for (const name of [...core.algorithms.filter((n) => !n.endsWith(":")), "hierarchical:3", "leaders:3"]) {
  for (const segments of [1, 3]) {
    for (const cut of [false, true]) {
      const [found] = algorithmsOf(traced(name, 6, 0, 0, segments, cut), core, [name]);
      equal(found?.name, name, name);
    }
  }
}
equal(algorithmsOf(traced("tree", 6, core.collectives.indexOf("broadcast"), 4, 1, false), core, []).map((a) => [a.name, a.root]), [["tree", 4]]);

// The machine's prices.
const machine = "# a comment\ncall 1e-07\nround 2e-06\nmessage 4e-07\nbyte 1e-10\nreduced_byte 2e-11\nsmall_byte 0\n";
equal(keysOf(parseMachine(machine)), { alpha: 2e-6, overhead: 2e-7, gap: 0, beta: 1e-10, gamma: 2e-11 });
fails(() => parseMachine(machine + "rounds 1\n"), "Line 8: “rounds” is the name of no price");
fails(() => parseMachine(machine.replace("2e-06", "fast")), "Line 3: “round fast” is no price");
fails(() => parseMachine(machine.replace("round 2e-06", "round")), "Line 3");
fails(() => parseMachine(machine.replace("2e-06", "-1")), "Line 3");
fails(() => parseMachine("round 1e-6\n"), "The file has no message");
fails(() => parseMachine("x".repeat(1e6)), "too long");

// Where another ends first: a butterfly's 3 rounds of n bytes against a ring's 14 of n / 8.
const state = { alpha: 1e-5, overhead: 0, gap: 0, beta: 1e-9, gamma: 0, late: [], slow: [], ranks: 8, bytes: 1 << 20 };
const app = { core, state };
const panels = ["ring", "butterfly"].map((name) => ({ name, job: core.record(name, 0, 8) }));
const found = await crossingsOf(app, panels, { stopped: () => false, pause: async () => {} });
equal(found.map((f) => f.name), ["butterfly", "ring"]);
const exact = 11e-5 / (1.25 * 1e-9);  // 3 (1e-5 + n 1e-9) = 14 (1e-5 + n / 8 1e-9)
assert.ok(Math.abs(found[1].from / exact - 1) < 0.02, `${found[1].from} is not ${exact}`);
equal(await crossingsOf(app, panels, { stopped: () => true, pause: async () => {} }), null);

// What a time is made of.
for (const name of ["ring", "tree", "one_shot", "mixed_radix"]) {
  const job = core.record(name, 0, 7);
  const of = { core, state: { ...state, overhead: 3e-7, gap: 1e-7, gamma: 2e-11, ranks: 7, late: [{ rank: 2, seconds: 1e-4 }] } };
  const { total } = core.simulate(job, state.bytes, { latency: 1e-5, overhead: 3e-7, gap: 1e-7, byte: 1e-9, added: 2e-11, late: [0, 0, 1e-4] });
  const parts = partsOf(of, job, total);
  assert.ok(parts !== null, name);
  assert.ok(Math.abs(Object.values(parts).reduce((a, b) => a + b) / total - 1) < 0.01, name);
  assert.ok(Math.abs(parts.late / 1e-4 - 1) < 1e-3, name);
}
const counted = core.cost(ring, 4096), made = partsOf({ core, state: { ...state, ranks: 4, bytes: 4096 } }, ring, core.simulate(ring, 4096, { latency: 1e-5, overhead: 0, gap: 0, byte: 1e-9, added: 0 }).total);
assert.ok(Math.abs(made.latency / (Number(counted.rounds) * 1e-5) - 1) < 1e-6 && Math.abs(made.bytes / (Number(counted.critical.bytes) * 1e-9) - 1) < 1e-6);
console.log(`ok: ${cases} cases`);
