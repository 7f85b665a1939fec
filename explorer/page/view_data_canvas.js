// SPDX-License-Identifier: BSD-3-Clause
// The vectors of more than 16 ranks: a small square of colour per cell, on a canvas.
import { h } from "./dom.js";
import { colourOfCell } from "./cells.js";

export function drawCanvas(model, { at, changed, roundOf }, { width, dark, name }) {
  const { size, chunks } = model;
  const left = 40, top = 36;
  const row = Math.max(2, Math.min(16, Math.floor(Math.min(620, Math.max(300, width * 1.1)) / size))), cell = (width - left - 4) / chunks;
  const height = top + row * size + 4;
  const scale = Math.min(3, globalThis.devicePixelRatio || 1);
  const canvas = h("canvas", { role: "img", "aria-label": name, width: Math.round(width * scale), height: Math.round(height * scale),
                               style: { width: `${width}px`, height: `${height}px` } });
  const g = canvas.getContext("2d");
  g.scale(scale, scale);
  const gap = row >= 6 && cell >= 5 ? 1 : 0;
  const x = (c) => left + Math.round(c * cell * scale) / scale;  // whole dots: no seams
  const soft = dark ? "#a3b1bf" : "#56626f";
  const hatched = hatch(g, dark);
  if (size > 64 && gap === 0) { fillDots(g, model, at, dark, { left, top, width: chunks * cell, height: size * row }); }
  else { fillCells(); }
  // Cells of one colour that touch are one rectangle.
  function fillCells() {
    for (let r = 0; r < size; ++r) {
      let from = 0, fill = "";
      const flush = (to) => {
        if (fill) { g.fillStyle = fill; g.fillRect(x(from), top + r * row, x(to) - x(from) - gap, row - gap); }
        from = to;
      };
      for (let c = 0; c < chunks; ++c) {
        const value = at[r * chunks + c];
        const dead = value >= 0 && size <= 64 && !model.isRead(r, c, roundOf(r));
        const now = dead ? hatched : colourOfCell(model, r, c, value, dark).fill;
        if (now !== fill || gap) { flush(c); fill = now; }
      }
      flush(chunks);
    }
  }
  for (const [at1, change] of changed) {
    const r = Math.floor(at1 / chunks), c = at1 % chunks;
    const w = cell - gap, tall = row - gap;
    g.strokeStyle = g.fillStyle = change.adds ? (dark ? "#ff9d66" : "#b3400a") : (dark ? "#5fcbdb" : "#0b7285");
    if (row >= 4 && w >= 4) { g.lineWidth = row >= 7 ? 1.6 : 1; g.strokeRect(x(c) + 0.8, top + r * row + 0.8, w - 1.6, tall - 1.6); }
    else if (changed.size <= size * Math.max(2, chunks / 8)) { g.fillRect(x(c), top + r * row, Math.max(w, 2), Math.max(tall, 2)); }
  }
  g.fillStyle = soft;
  g.font = "12px system-ui, sans-serif";
  g.textAlign = "left";
  g.fillText("rank", 0, top - 8);
  if (chunks > 1) { g.fillText(`${model.traits.blocks ? "block" : "chunk"} \u2192`, left, 12); }
  g.textAlign = "right";
  g.textBaseline = "middle";
  const every = [1, 2, 4, 8, 16, 32, 64].find((n) => n * row >= 15);
  for (let r = 0; r < size; r += every) { g.fillText(String(r), left - 6, top + (r + 0.5) * row); }
  if (chunks > 1) {
    g.textAlign = "center";
    const step = [1, 2, 4, 8, 16, 32, 64].find((n) => n * cell >= 30) ?? chunks;
    for (let c = 0; c < chunks; c += step) { g.fillText(String(c), left + (c + 0.5) * cell, top - 11); }
  }
  return canvas;
}

// Of many ranks a dot per cell, drawn larger: there are tens of thousands, perhaps all of another colour.
function fillDots(g, model, at, dark, { left, top, width, height }) {
  const { size, chunks } = model, dots = h("canvas", { width: chunks, height: size }), image = new ImageData(chunks, size);
  for (let i = 0; i < size * chunks; ++i) {
    const { fill } = colourOfCell(model, Math.floor(i / chunks), i % chunks, at[i], dark), rgb = parseInt(fill.slice(1), 16);
    image.data.set([rgb >> 16, (rgb >> 8) & 255, rgb & 255, 255], 4 * i);
  }
  dots.getContext("2d").putImageData(image, 0, 0);
  g.imageSmoothingEnabled = false;
  g.drawImage(dots, left, top, width, height);
}

// What marks a cell that is not needed any more.
function hatch(g, dark) {
  const one = h("canvas", { width: 6, height: 6 }), b = one.getContext("2d");
  b.fillStyle = dark ? "#191f27" : "#ffffff";
  b.fillRect(0, 0, 6, 6);
  b.strokeStyle = dark ? "#7f8d9b" : "#8793a0";
  b.beginPath();
  for (const by of [-6, 0, 6]) { b.moveTo(by, 6); b.lineTo(by + 6, 0); }
  b.stroke();
  return g.createPattern(one, "repeat");
}
