// SPDX-License-Identifier: BSD-3-Clause
// The colours of the page are those of the tools' pictures.
import assert from "node:assert/strict";
import fs from "node:fs";
import { dashOf, hexOf, markerOf } from "../page/palette.js";

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
console.log(`${rows.length} algorithms have one look in tools and page`);
