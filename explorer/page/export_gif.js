// SPDX-License-Identifier: BSD-3-Clause
// Writes GIF files: one palette for all pictures, of each picture only the part that changed.

const MOST_COLOURS = 255;  // one is left for "as before"

// `frames`: {pixels: RGBA of width * height, seconds}. Plays for ever.
export function gifOf(frames, width, height) {
  const { table, indexOf, count } = paletteOf(frames.map((f) => f.pixels));
  const out = makeWriter();
  out.text("GIF89a");
  out.short(width);
  out.short(height);
  const depth = Math.max(1, Math.ceil(Math.log2(count + 1)));
  out.bytes(0xf0 | (depth - 1), 0, 0);
  for (let i = 0; i < 3 << depth; ++i) { out.bytes(table[i] ?? 0); }
  out.bytes(0x21, 0xff, 11);
  out.text("NETSCAPE2.0");
  out.bytes(3, 1, 0, 0, 0);
  let before = null;
  for (const { pixels, seconds } of frames) {
    const now = Uint8Array.from({ length: width * height }, (_, i) => indexOf(pixels, i * 4));
    const box = changedBox(before, now, width, height);
    out.bytes(0x21, 0xf9, 4, 0x05);  // stays; the palette's last colour is "as before"
    out.short(Math.round(seconds * 100));
    out.bytes(count, 0, 0x2c);
    for (const n of [box.left, box.top, box.width, box.height]) { out.short(n); }
    out.bytes(0);
    const part = new Uint8Array(box.width * box.height);
    for (let y = 0; y < box.height; ++y) {
      for (let x = 0; x < box.width; ++x) {
        const at = (box.top + y) * width + box.left + x;
        part[y * box.width + x] = before !== null && before[at] === now[at] ? count : now[at];
      }
    }
    compress(part, Math.max(2, depth), out);
    before = now;
  }
  out.bytes(0x3b);
  return out.result();
}

function makeWriter() {
  let buffer = new Uint8Array(1 << 16), length = 0;
  const bytes = (...all) => {
    if (length + all.length > buffer.length) {
      const larger = new Uint8Array(2 * buffer.length + all.length);
      larger.set(buffer);
      buffer = larger;
    }
    for (const b of all) { buffer[length++] = b; }
  };
  return {
    bytes,
    short: (n) => bytes(n & 255, n >> 8),
    text: (t) => bytes(...Array.from(t, (c) => c.charCodeAt(0))),
    result: () => buffer.slice(0, length),
  };
}

// {table: [r, g, b, r, g, b ...], count, indexOf(pixels, at)}. Up to 255 colours stay as they are; more
// are cut into 255 boxes, each time the box of the most spread at its median, and become their means.
export function paletteOf(pictures) {
  const seen = new Map();
  for (const pixels of pictures) {
    for (let i = 0; i < pixels.length; i += 4) {
      const colour = (pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2];
      seen.set(colour, (seen.get(colour) ?? 0) + 1);
    }
  }
  const boxes = [boxOf([...seen].map(([c, n]) => ({ rgb: [c >> 16, (c >> 8) & 255, c & 255], n })))];
  while (boxes.length < MOST_COLOURS) {
    const widest = boxes.reduce((best, b, i) => (b.weight > boxes[best].weight ? i : best), 0);
    if (boxes[widest].weight === 0) { break; }
    boxes.splice(widest, 1, ...halves(boxes[widest]));
  }
  const chosen = boxes.map(({ all }) => {
    const n = all.reduce((sum, c) => sum + c.n, 0);
    return [0, 1, 2].map((k) => Math.round(all.reduce((sum, c) => sum + c.rgb[k] * c.n, 0) / n));
  });
  const nearest = new Map();
  const indexOfColour = (c) => {
    const rgb = [c >> 16, (c >> 8) & 255, c & 255];
    let best = 0, least = Infinity;
    chosen.forEach((p, i) => {
      const d = (p[0] - rgb[0]) ** 2 + (p[1] - rgb[1]) ** 2 + (p[2] - rgb[2]) ** 2;
      if (d < least) { least = d; best = i; }
    });
    return best;
  };
  return {
    table: chosen.flat(), count: chosen.length,
    indexOf(pixels, at) {
      const c = (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
      let index = nearest.get(c);
      if (index === undefined) { nearest.set(c, index = indexOfColour(c)); }
      return index;
    },
  };
}

// Colours, the channel in which they spread most, and how much that matters; 0 of one colour.
function boxOf(all) {
  const spread = [0, 1, 2].map((k) => {
    const values = all.map((c) => c.rgb[k]);
    return values.reduce((a, b) => Math.max(a, b), 0) - values.reduce((a, b) => Math.min(a, b), 255);
  });
  const most = Math.max(...spread);
  return { all, channel: spread.indexOf(most), weight: most * Math.sqrt(all.reduce((sum, c) => sum + c.n, 0)) };
}
function halves({ all, channel }) {
  const sorted = [...all].sort((a, b) => a.rgb[channel] - b.rgb[channel]);
  const half = sorted.reduce((sum, c) => sum + c.n, 0) / 2;
  let at = 0;
  for (let sum = 0; at < sorted.length - 1 && sum + sorted[at].n <= half; ++at) { sum += sorted[at].n; }
  at = Math.max(1, at);
  return [boxOf(sorted.slice(0, at)), boxOf(sorted.slice(at))];
}

// The least box that holds what changed; one pixel where nothing did.
function changedBox(before, now, width, height) {
  if (before === null) { return { left: 0, top: 0, width, height }; }
  let left = width, right = -1, top = height, bottom = -1;
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      if (before[y * width + x] === now[y * width + x]) { continue; }
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  return right < 0 ? { left: 0, top: 0, width: 1, height: 1 } : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

// LZW with codes of up to 12 bits, in blocks of up to 255 bytes.
function compress(indices, depth, out) {
  const clear = 1 << depth, end = clear + 1;
  let width, next, codes, held = 0, bits = 0;
  const block = [];
  const flush = () => {
    if (block.length > 0) { out.bytes(block.length, ...block); }
    block.length = 0;
  };
  const put = (code) => {
    held |= code << bits;
    bits += width;
    for (; bits >= 8; bits -= 8, held >>>= 8) {
      block.push(held & 255);
      if (block.length === 255) { flush(); }
    }
  };
  const restart = () => {
    width = depth + 1;
    next = end + 1;
    codes = new Map();
  };
  out.bytes(depth);
  restart();
  put(clear);
  let prefix = indices[0];
  for (let i = 1; i < indices.length; ++i) {
    const key = prefix * 256 + indices[i], known = codes.get(key);
    if (known !== undefined) { prefix = known; continue; }
    put(prefix);
    if (next < 4096) {
      // A code takes a bit more as soon as the table has one that needs it.
      if (next === 1 << width) { ++width; }
      codes.set(key, next++);
    } else {
      put(clear);
      restart();
    }
    prefix = indices[i];
  }
  put(prefix);
  // Of the end too: the reader has made an entry of what was just put.
  if (next < 4096 && next === 1 << width) { ++width; }
  put(end);
  if (bits > 0) { block.push(held & 255); }
  flush();
  out.bytes(0);
}
