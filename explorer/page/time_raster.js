// SPDX-License-Identifier: BSD-3-Clause
// Bars of many ranks as dots: there are hundreds of thousands, most narrower than a dot, and each covers a
// part of one. No DOM.

// `lines(kind, rank)`: [[y, height]] in pixels; `colours`: {kind: {rgb: [r, g, b], alpha}}; `ratio`: dots per pixel.
export function makeRaster({ width, height }, ratio, lines, colours) {
  const columns = Math.round(width * ratio), rows = Math.round(height * ratio), data = new Uint8ClampedArray(4 * columns * rows);
  const covered = Object.fromEntries(Object.keys(colours).map((kind) => [kind, { of: new Float32Array(columns), from: columns, to: 0 }]));
  let now = -1;

  function blend(kind, row) {
    const { of, from, to } = covered[kind], { rgb, alpha } = colours[kind];
    for (let x = from, at = 4 * (row * columns + from); x < to; ++x, at += 4) {
      const own = alpha * Math.min(1, of[x]);
      if (own === 0) { continue; }
      const under = data[at + 3] / 255 * (1 - own), whole = own + under;
      for (let i = 0; i < 3; ++i) { data[at + i] = (rgb[i] * own + data[at + i] * under) / whole; }
      data[at + 3] = 255 * whole;
    }
  }
  // The rank's bars are all known.
  function flush() {
    for (const [kind, c] of Object.entries(covered)) {
      if (c.from >= c.to) { continue; }
      for (const [y, tall] of lines(kind, now)) {
        const first = Math.round(y * ratio), end = Math.min(rows, Math.max(first + 1, Math.round((y + tall) * ratio)));
        for (let row = first; row < end; ++row) { blend(kind, row); }
      }
      c.of.fill(0, c.from, c.to);
      [c.from, c.to] = [columns, 0];
    }
  }
  return {
    columns, rows, data,
    // Ranks ascending; from `x`, so wide, in pixels.
    bar(rank, kind, x, wide) {
      if (rank !== now) { flush(); now = rank; }
      const c = covered[kind], begin = Math.max(0, x * ratio), end = Math.min(columns, (x + wide) * ratio);
      const first = Math.floor(begin), last = Math.min(columns - 1, Math.floor(end));
      if (!(begin < end)) { return; }
      if (first === last) { c.of[first] += end - begin; }
      else {
        c.of[first] += first + 1 - begin;
        for (let i = first + 1; i < last; ++i) { c.of[i] += 1; }
        c.of[last] += end - last;
      }
      c.from = Math.min(c.from, first);
      c.to = Math.max(c.to, last + 1);
    },
    flush,
  };
}
