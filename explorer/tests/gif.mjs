// SPDX-License-Identifier: BSD-3-Clause
// Tests the GIF encoder: a decoder of the test's own gets the pictures back. Usage: node gif.mjs
import assert from "node:assert/strict";
import { gifOf, paletteOf } from "../page/export_gif.js";

// A decoder of what the format allows in these files; throws where it is broken.
function decoded(file) {
  let at = 0;
  const byte = () => { assert(at < file.length, "the file ends early"); return file[at++]; };
  const short = () => byte() | (byte() << 8);
  const text = (n) => String.fromCharCode(...Array.from({ length: n }, byte));
  const blocks = () => {
    const all = [];
    for (let n = byte(); n > 0; n = byte()) { for (let i = 0; i < n; ++i) { all.push(byte()); } }
    return all;
  };
  assert.equal(text(6), "GIF89a");
  const width = short(), height = short(), flags = byte();
  byte();
  byte();
  assert(flags & 0x80);
  const table = Array.from({ length: 2 << (flags & 7) }, () => [byte(), byte(), byte()]);
  const canvas = new Array(width * height).fill(null), frames = [];
  let delay = 0, transparent = -1;
  for (let kind = byte(); kind !== 0x3b; kind = byte()) {
    if (kind === 0x21) {
      const label = byte();
      const data = blocks();
      if (label === 0xf9) {
        delay = data[1] | (data[2] << 8);
        transparent = data[0] & 1 ? data[3] : -1;
      }
      continue;
    }
    assert.equal(kind, 0x2c);
    const left = short(), top = short(), w = short(), h = short();
    assert.equal(byte(), 0);
    assert(left + w <= width && top + h <= height);
    const depth = byte();
    const pixels = unpacked(blocks(), depth);
    assert.equal(pixels.length, w * h);
    pixels.forEach((p, i) => {
      if (p !== transparent) { canvas[(top + Math.floor(i / w)) * width + left + (i % w)] = table[p]; }
    });
    frames.push({ delay, pixels: canvas.map((c) => { assert(c !== null); return c; }) });
  }
  assert.equal(at, file.length);
  return { width, height, frames };
}

function unpacked(bytes, depth) {
  const clear = 1 << depth, end = clear + 1, out = [];
  let bit = 0, width = depth + 1, table = [], last = null;
  for (;;) {
    let code = 0;
    for (let i = 0; i < width; ++i, ++bit) {
      assert(bit >> 3 < bytes.length, "the data end early");
      code |= ((bytes[bit >> 3] >> (bit & 7)) & 1) << i;
    }
    if (code === end) { break; }
    if (code === clear) { table = []; width = depth + 1; last = null; continue; }
    const known = (c) => (c < clear ? [c] : table[c - end - 1]);
    let entry = known(code);
    if (last !== null) {
      if (entry === undefined) {
        assert.equal(code, end + 1 + table.length);
        entry = [...last, last[0]];
      }
      if (table.length + end + 1 < 4096) { table.push([...last, entry[0]]); }
      if (table.length + end + 1 === 1 << width && width < 12) { ++width; }
    }
    out.push(...entry);
    last = entry;
  }
  return out;
}

let seed = 1;
const chance = (n) => { seed = (seed * 1103515245 + 12345) & 0x7fffffff; return (seed >> 8) % n; };
function picture(width, height, colour) {
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) { pixels.set([...colour(x, y), 255], (y * width + x) * 4); }
  }
  return pixels;
}
const grey = (n) => [n, n, n];
let checked = 0;
function same(frames, width, height, most = 0) {
  const d = decoded(gifOf(frames, width, height));
  assert.deepEqual([d.width, d.height, d.frames.length], [width, height, frames.length]);
  d.frames.forEach((f, k) => {
    assert.equal(f.delay, Math.round(frames[k].seconds * 100));
    f.pixels.forEach((c, i) => c.forEach((v, j) => {
      assert(Math.abs(v - frames[k].pixels[i * 4 + j]) <= most, `picture ${k}, pixel ${i}: ${v}, not ${frames[k].pixels[i * 4 + j]}`);
      ++checked;
    }));
  });
}
for (const [w, h, colours] of [[1, 1, 1], [1, 1, 2], [3, 2, 2], [17, 5, 3], [40, 40, 7], [64, 64, 16], [97, 61, 128], [150, 150, 255]]) {
  const list = Array.from({ length: colours }, (_, i) => [i, 255 - i, (i * 7) & 255]);
  const frames = [0, 1, 2].map((k) => ({ seconds: 0.25 * (k + 1), pixels: picture(w, h, () => list[chance(colours)]) }));
  same(frames, w, h);
  same([frames[0], frames[0], frames[1]], w, h);  // a picture that does not change
}
// Long runs, and a table that fills up and starts again.
same([{ seconds: 1, pixels: picture(300, 200, () => grey(9)) }], 300, 200);
same([{ seconds: 1, pixels: picture(200, 200, (x, y) => grey((x * y + x) & 127)) }, { seconds: 1, pixels: picture(200, 200, (x, y) => grey((x ^ y) & 127)) }], 200, 200);
// A small change makes a small part.
const one = picture(100, 100, () => grey(200)), two = one.slice();
two.set([0, 0, 0], (50 * 100 + 50) * 4);
const sizes = [[one], [one, two]].map((all) => gifOf(all.map((pixels) => ({ pixels, seconds: 1 })), 100, 100).length);
assert(sizes[1] - sizes[0] < 60, `${sizes}`);
// More colours than a palette has: the nearest stand for them.
const smooth = picture(256, 60, (x, y) => [x, y * 4, 128]);
assert.equal(paletteOf([smooth]).count, 255);
same([{ seconds: 0.1, pixels: smooth }], 256, 60, 24);
assert(checked > 100000);
console.log(`gif: ${checked} values`);
