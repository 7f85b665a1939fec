// SPDX-License-Identifier: BSD-3-Clause
// The colours of the page are those of the tools' pictures, and texts in cells have a contrast of 4.5:1.
import assert from "node:assert/strict";
import fs from "node:fs";
import { contrast, dashOf, hexOf, markerOf, rankHex, shadeOf } from "../page/palette.js";

const text = fs.readFileSync(new URL("../../tools/palette.hpp", import.meta.url), "utf8");
const rows = [...text.matchAll(/\{"(\w+)", "(#\w{6})", "([\d ]*)", marker::(\w+)\}/g)];
assert.ok(rows.length >= 11, `tools/palette.hpp has ${rows.length} rows that this test can read`);
for (const [, name, colour, dash, marker] of rows) {
  assert.deepEqual([hexOf(name), dashOf(name), markerOf(name)], [colour, dash, marker], name);
  assert.notEqual(hexOf(name), hexOf("no_such_algorithm"), `the page has no colour for ${name}`);
}
for (const at of [1, 2, 3]) {  // colour, dash, marker
  const kinds = new Set(rows.map((row) => row[at + 1]));
  assert.equal(kinds.size, rows.length, "two algorithms look alike");
}
const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const themes = fs.readFileSync(new URL("../page/base.css", import.meta.url), "utf8").match(/--paper:[^;]*; --card: #\w{6}/g);
assert.equal(themes.length, 2, "a light and a dark theme");
let cells = 0;
for (const dark of [false, true]) {
  for (const ground of themes[dark ? 1 : 0].match(/#\w{6}/g)) {
    for (const [, name] of [...rows, [, "no_such_algorithm"]]) {
      const found = contrast(rgb(hexOf(name, dark)), ...rgb(ground));
      assert.ok(found >= 4.5, `${name}${dark ? ", dark" : ""}: ${found.toFixed(2)}:1 on ${ground}`);
    }
  }
  for (let whole = 1; whole <= 64; ++whole) {
    for (let count = 0; count <= whole; ++count) {
      const { fill, text } = shadeOf(count, whole, dark), found = contrast(rgb(fill), ...rgb(text));
      assert.ok(found >= 4.5, `${count} of ${whole}${dark ? ", dark" : ""}: ${text} on ${fill} has ${found.toFixed(2)}:1`);
      ++cells;
    }
    for (let rank = 0; rank < whole; ++rank) {
      const found = contrast(rgb(rankHex(rank, whole, dark)), ...rgb(dark ? "#e7ecf2" : "#16202c"));
      assert.ok(found >= 4.5, `rank ${rank} of ${whole}${dark ? ", dark" : ""}: ${found.toFixed(2)}:1`);
    }
  }
}
console.log(`${cells} shades of cells have 4.5:1 or more; ${rows.length} algorithms have one look in tools and page`);
