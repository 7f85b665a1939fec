// SPDX-License-Identifier: BSD-3-Clause
// Topologies, routes, placements, and what links carry. Usage: node explorer/tests/topology.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { makeCore } from "../page/core.js";
import { placesOf } from "../page/placement.js";
import { isTopology, makeTopology, squarest } from "../page/topology.js";
import { busiestLink, loadOf, loadsOf, messagesOf } from "../page/topology_load.js";

const core = await makeCore(readFileSync(process.argv[2]));
const plain = core.algorithms.filter((n) => !n.endsWith(":"));
const KINDS = ["crossbar", "ring", "torus", "torus:4x4", "torus:2x8", "fat_tree:4:2", "fat_tree:3:1", "fat_tree:2:9", "hosts:1", "hosts:4", "hosts:5"];
let checked = 0;
const equal = (a, b, what) => { assert.deepEqual(a, b, what); ++checked; };

// The fewest links from one node to all others.
function hopsFrom(net, from) {
  const hops = new Array(net.nodes.length).fill(Infinity);
  hops[from] = 0;
  for (let queue = [from]; queue.length > 0;) {
    const at = queue.shift();
    for (const { from: x, to: y } of net.links) {
      if (x === at && hops[y] === Infinity) { hops[y] = hops[at] + 1; queue.push(y); }
    }
  }
  return hops;
}

// Every route is connected, and as short as any.
for (const text of KINDS) {
  for (let size = 1; size <= 16; ++size) {
    const net = makeTopology(text, size);
    assert.ok(net.places >= size);
    for (let a = 0; a < net.places; ++a) {
      const hops = hopsFrom(net, a);
      for (let b = 0; b < net.places; ++b) {
        let at = a;
        for (const link of net.route(a, b)) {
          equal(net.links[link].from, at, `${text} ${size}: ${a} to ${b}`);
          at = net.links[link].to;
        }
        equal(at, b, `${text} ${size}: ${a} to ${b}`);
        equal(net.route(a, b).length, hops[b], `${text} ${size}: ${a} to ${b} is not the shortest`);
      }
    }
  }
}
equal([1, 7, 8, 12, 16, 64, 256].map(squarest), [[1, 1], [1, 7], [2, 4], [3, 4], [4, 4], [8, 8], [16, 16]], "squarest");
equal(["torus:0x3", "torus:2", "mesh", "hosts:", "fat_tree:4", "crossbar:1", "torus:2x4", "hosts:16"].map(isTopology), [false, false, false, false, false, false, true, true], "texts");
assert.throws(() => makeTopology("torus:2x4", 9), /A 2 × 4 torus has 8 places, too few for 9 ranks/);

// Conservation: the loads of all links add up to the messages' bytes times their hops; on a crossbar a
// round's busiest link carries what the critical path counts, so it has no contention.
for (const text of KINDS) {
  for (let size = 1; size <= 16; ++size) {
    const net = makeTopology(text, size);
    for (const placement of ["in_order", "reversed", "snake", "round_robin", "shuffled:5"]) {
      const places = placesOf(placement, size, net);
      equal(new Set(places).size, size, `${text} ${placement} ${size}`);
      assert.ok(places.every((p) => p >= 0 && p < net.places));
      for (const name of plain) {
        const job = core.record(name, 0, size), bytes = 1000 + size;
        const cost = core.cost(job, bytes), m = messagesOf(job, bytes), all = loadsOf(job, bytes, net, places);
        let hops = 0, messages = 0;
        for (let k = 0; k < m.from.length; ++k) {
          const route = net.route(places[m.from[k]], places[m.to[k]]);
          hops += m.bytes[k] * route.length;
          messages += route.length;
        }
        const sum = (a) => a.reduce((x, y) => x + y, 0);
        equal(sum(all.total.bytes), hops, `${text} ${name} ${size}`);
        equal(sum(all.total.messages), messages, `${text} ${name} ${size}`);
        equal(sum(m.bytes), Number(cost.total), `${name} ${size}`);
        equal(all.crossbar, Number(cost.critical.bytes), `${name} ${size}`);
        const apart = new Float64Array(net.links.length);
        for (let r = 0; r < job.rounds; ++r) {
          loadOf(m, m.starts[r], m.starts[r + 1], net, places).bytes.forEach((n, i) => { apart[i] += n; });
          assert.ok(all.rounds[r].factor >= 1);
        }
        equal(apart, all.total.bytes, `${text} ${name} ${size}: rounds and total`);
        if (text === "crossbar") { equal(all.factor, 1, name); }
      }
    }
  }
}

// By hand. The algorithm ring on the topology ring: each link upwards has n/P in each round.
for (const size of [2, 3, 4, 7, 16]) {
  const n = 1024 * size, net = makeTopology("ring", size), job = core.record("ring", 0, size);
  const m = messagesOf(job, n), places = placesOf("in_order", size, net);
  for (let r = 0; r < job.rounds; ++r) {
    const load = loadOf(m, m.starts[r], m.starts[r + 1], net, places);
    for (let i = 0; i < size; ++i) {
      equal(load.bytes[net.link(i, (i + 1) % size)], 1024, `ring of ${size}, round ${r}`);
      equal(load.messages[net.link(i, (i + 1) % size)], 1, `ring of ${size}, round ${r}`);
    }
  }
  const all = loadsOf(job, n, net, places);
  equal([all.factor, Math.max(...all.total.bytes)], [1, 2 * (size - 1) * 1024], `ring of ${size}`);
}
// A butterfly of 8 on a ring: in its last round rank 0 sends n to rank 4 over 4 links, and so do 1, 2, 3
// upwards, and all others: each link upwards has 4 messages, 4 times as much as on a crossbar.
{
  const net = makeTopology("ring", 8), job = core.record("butterfly", 0, 8);
  const all = loadsOf(job, 800, net, placesOf("in_order", 8, net));
  equal(all.rounds.map((r) => r.factor), [1, 2, 4], "butterfly on a ring");
  equal(all.rounds.map((r) => r.messages), [1, 2, 4], "butterfly on a ring");
}
// Two hosts of 2: a ring in order crosses the cards once each way and round, with ranks in turn all of it.
{
  const net = makeTopology("hosts:2", 4), job = core.record("ring", 0, 4);
  const card = (places) => Math.max(...loadsOf(job, 400, net, places).total.bytes.filter((_, i) => net.nodes[net.links[i].to].kind === "switch"));
  equal(card(placesOf("in_order", 4, net)), 600, "one message a round over the card");
  equal(card(placesOf("round_robin", 4, net)), 1200, "two messages a round over the card");
  equal(placesOf("round_robin", 4, net), [0, 2, 1, 3], "round robin");
}
// Without switches in common nothing is shared: 4 places below a leaf with one link up, all send over it.
{
  const net = makeTopology("fat_tree:4:4", 8), job = core.record("butterfly", 0, 8);
  const all = loadsOf(job, 800, net, placesOf("in_order", 8, net));
  equal(all.rounds.map((r) => r.factor), [1, 1, 4], "oversubscribed four times");
  const full = makeTopology("fat_tree:4:1", 8);
  equal(loadsOf(job, 800, full, placesOf("in_order", 8, full)).rounds.map((r) => r.factor), [1, 1, 1], "not oversubscribed");
}
equal(placesOf("snake", 6, makeTopology("torus:2x3", 6)), [0, 1, 2, 5, 4, 3], "snake");
equal(placesOf("2,0,1", 3, makeTopology("ring", 3)), [2, 0, 1], "a list");
assert.throws(() => placesOf("2,0", 3, makeTopology("ring", 3)), /2 places are given for 3 ranks/);
assert.throws(() => placesOf("2,0,2", 3, makeTopology("ring", 3)), /Ranks 0 and 2 are both at place 2/);
assert.throws(() => placesOf("2,0,3", 3, makeTopology("ring", 3)), /There is no place 3: there are 0 to 2/);
assert.equal(busiestLink({ bytes: [0, 0] }), -1);
console.log(`topology: ${checked} checks`);
