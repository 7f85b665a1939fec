// SPDX-License-Identifier: BSD-3-Clause
// What the Cost and Links views say in words, of cases worked out by hand. Usage: node
// explorer/tests/sentences.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { makeCore } from "../page/core.js";
import { busiestOf, progressOf } from "../page/cost_progress.js";
import { placesOf } from "../page/placement.js";
import { makeTopology } from "../page/topology.js";
import { loadOf, loadsOf, messagesOf } from "../page/topology_load.js";
import { inSequence, said, severalAtBound } from "../page/view_cost.js";
import { sentence } from "../page/view_cost_curves.js";
import { shownSentence, summed } from "../page/view_links.js";

const core = await makeCore(readFileSync(process.argv[2]));
const MIB = 1 << 20;

// What each rank has sent.
const told = (name, size, rounds, bound) => {
  const job = core.record(name, 0, size);
  const so = (last) => busiestOf(progressOf(job, MIB, (_, round) => (round <= last ? 1 : 0)).sent);
  return said(["sent", "sends"], so(rounds - 1), so(Infinity), size, bound);
};
assert.equal(told("ring", 4, 0, 1.5 * MIB), "No rank has sent anything yet. In all, every rank sends 1.5 MiB. That is at the bound: no algorithm sends less (it is bandwidth-optimal).");
assert.equal(told("ring", 4, 2, 1.5 * MIB), "Every rank has sent 512 KiB so far. In all, every rank sends 1.5 MiB. That is at the bound: no algorithm sends less (it is bandwidth-optimal).");
assert.equal(told("star", 4, 1, 1.5 * MIB), "Rank 1 has sent most, 1 MiB so far. In all, rank 0 sends most, 3 MiB: 2.00 times the bound.");
assert.equal(told("tree", 4, 1, 1.5 * MIB), "Ranks 1 and 3 have sent most, 1 MiB each so far. In all, ranks 0 and 2 send most, 2 MiB each: 1.33 times the bound.");
assert.equal(told("ring", 1, 0, 0), "No rank sends a byte.");
assert.equal(said(["added", "adds"], { rank: 1, bytes: 5, ranks: [1, 2, 3] }, { rank: 0, bytes: 6, ranks: [0, 1, 2, 3, 6] }, 9, 0),
             "Ranks 1, 2 and 3 have added most, 5 B each so far. In all, ranks 0, 1, 2, 3 and 1 other add most, 6 B each.");
const costOf = (name, size) => ({ name, cost: core.cost(core.record(name, 0, size), MIB) });
assert.equal(severalAtBound(["ring", "halving", "star"].map((n) => costOf(n, 8))), "ring and halving are at the bound of what is sent. Then the rounds decide: ring needs 14 and halving needs 6.");
assert.equal(severalAtBound(["ring", "star"].map((n) => costOf(n, 8))), "");
assert.equal(inSequence([costOf("ring", 8), costOf("tree", 8)]), " tree: 6 MiB one after the other, though no rank sends more than 3 MiB.");
assert.equal(inSequence([costOf("ring", 8)]), "");

// Which is quickest.
const inRanks = (p) => `${p} ranks`;
assert.equal(sentence("", [], inRanks), null);
assert.equal(sentence("", [{ from: 2, names: ["ring"] }], inRanks), "ring is the quickest everywhere. ");
assert.equal(sentence("Of all, ", [{ from: 2, names: ["a", "b"] }], inRanks), "Of all, a and b (equal) are the quickest everywhere. ");
assert.equal(sentence("", [{ from: 2, names: ["tree"] }, { from: 9, names: ["ring"] }], inRanks), "tree is quicker below 9 ranks, ring from there on. ");
assert.equal(sentence("", [2, 3, 4, 5, 6, 7, 8].map((from) => ({ from, names: [`n${from}`] })), inRanks),
             "the quickest: n2 below 3 ranks; n3 from 3 ranks; n4 from 4 ranks; n5 from 5 ranks; n6 from 6 ranks; then 2 more changes. ");

// What links carry. On a 2 x 4 torus, in order, the ring of ranks goes along a row, back to its start, and down.
// The broadcast of the tree sends 0 to 2 over 1, and then 0 to 1.
const links = (topology, placement, ...names) => {
  const net = makeTopology(topology, 8), places = placesOf(placement, 8, net);
  const panels = names.map((name) => ({ name, job: core.record(name, 0, 8) }));
  return { net, places, panels, all: panels.map((p) => loadsOf(p.job, MIB, net, places)) };
};
{
  const { net, panels, all } = links("torus:2x4", "in_order", "ring", "halving", "tree");
  assert.equal(summed(net, panels, all), "On a 2 × 4 torus, ring loads no link with more than 1.75 MiB in all; halving loads one with 2 MiB, 1.14 times as much; tree loads one with 2 MiB, 1.14 times as much.");
  assert.equal(shownSentence(net, all[0].total, null), "Each of the 10 links that are used carries 14 messages, 1.75 MiB.");
}
{
  const { net, places, panels, all } = links("hosts:4", "in_order", "halving", "ring");
  assert.equal(summed(net, panels, all), "Between hosts of 4 with one card each, halving loads no link with more than 1.75 MiB in all; ring loads one with 1.75 MiB, as much.");
  // Round 2 of the halving is the one between the hosts: four ranks send an eighth each way, over one card.
  const m = messagesOf(panels[0].job, MIB);
  const of = (r) => shownSentence(net, loadOf(m, m.starts[r], m.starts[r + 1], net, places), all[0].rounds[r]);
  assert.equal(of(2), "4 links carry most, each 4 messages, 512 KiB: the first is host 0 to switch. The round lasts 4.00 times as long as on a crossbar.");
  assert.equal(of(0), "Each of the 16 links that are used carries 1 message, 512 KiB. The round lasts as long as on a crossbar.");
  assert.equal(shownSentence(net, loadOf(m, 0, 0, net, places), null), "No link carries anything.");
}
{
  const { net, panels, all } = links("ring", "in_order", "star", "ring");
  assert.equal(summed(net, panels, all), "On a ring, star loads no link with more than 4 MiB in all; ring loads one with 1.75 MiB, 0.44 of that.");
  const m = messagesOf(panels[0].job, 0), empty = loadOf(m, 0, m.from.length, net, placesOf("in_order", 8, net));
  assert.equal(shownSentence(net, empty, null), "The messages are empty: no link carries a byte.");
}
console.log("sentences: as they should be");
