// SPDX-License-Identifier: BSD-3-Clause
// Numbers in the picture of a network touch neither each other nor a place, and lie in the picture; most have room.
// Usage: node labels.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { makeCore } from "../page/core.js";
import { placesOf } from "../page/placement.js";
import { makeTopology } from "../page/topology.js";
import { loadsOf } from "../page/topology_load.js";
import { labelsOf } from "../page/view_links_draw.js";
import { layoutOf } from "../page/view_links_layout.js";
import { around, overlap } from "../page/view_links_labels.js";

const core = await makeCore(readFileSync(process.argv[2]));
let shown = 0, lost = 0, pictures = 0;
for (const topology of ["crossbar", "ring", "torus", "fat_tree:4:2", "hosts:4"]) {
  for (const algorithm of ["ring", "halving", "two_shot", "tree"]) {
    for (const size of [2, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64]) {
      const net = makeTopology(topology, size), lay = layoutOf(net);
      const { total } = loadsOf(core.record(algorithm, 0, size, 0), 1048576 + 12345, net, placesOf("in_order", size, net));
      const { placed, left } = labelsOf(net, lay, total, Math.max(...total.bytes)), name = `${topology} ${algorithm} ${size}`;
      placed.forEach(({ box }, i) => {
        for (const other of placed.slice(i + 1)) { assert.ok(!overlap(box, other.box), `${name}: ${placed[i].lines} and ${other.lines}`); }
        for (let p = 0; p < net.places; ++p) { assert.ok(!overlap(box, around(...lay.at[p], 15)), `${name}: ${placed[i].lines} on place ${p}`); }
        assert.ok(box[0] >= 0 && box[1] >= 0 && box[2] <= lay.width && box[3] <= lay.height, `${name}: ${placed[i].lines} goes over the edge`);
      });
      if (["crossbar", "ring"].includes(topology) && size <= 16) { assert.equal(left, 0, `${name}: ${left} have no room`); }
      shown += placed.length;
      lost += left;
      ++pictures;
    }
  }
}
assert.ok(shown > 1000 && lost < shown / 8, `${lost} of ${shown + lost} have no room`);
console.log(`${shown} numbers in ${pictures} pictures apart from each other; ${lost} have no room`);
