// SPDX-License-Identifier: BSD-3-Clause
// The vectors of up to 16 ranks as a picture: a row per rank, a cell per chunk, an arrow per transfer.
import { s } from "./dom.js";
import { colourOfCell, textsOf, wordsOf } from "./cells.js";

const MOST_ARROWS = 64;
const CHARACTER = 0.58;  // the width of a character of the text, of its height

// Where things stand in a picture so many pixels wide.
function planOf(model, width) {
  const { size, chunks } = model;
  const row = size <= 4 ? 48 : size <= 8 ? 46 : size <= 12 ? 32 : 26;
  const gap = size <= 4 ? 20 : size <= 8 ? 16 : 9;
  const left = width < 420 ? 30 : 64, right = 6;
  const cell = (width - left - right) / chunks;
  // Where not every row and column has its word, the axes have titles.
  const titled = chunks > 1 && (left <= 40 || cell <= 70), top = titled ? 42 : 26;
  return { titled, row, gap, left, top, cell, width, height: top + size * (row + gap) - gap + 10,
           x: (c) => left + c * cell, y: (r) => top + r * (row + gap) };
}

// {svg, arrows: [{way, move, chunk}], hidden: number of arrows not drawn, blank: whether a text had
// no room}. `moment` is of moments.js; `cells`: what is shown of a cell; `only`: a rank, or -1 for
// the arrows of all; `fault`: {rank, chunk}; `lost`: of lost.js.
export function drawGrid(model, moment, { width, cells, number, dark, only, name, fault, lost: { lost, atFault } }) {
  const plan = planOf(model, width);
  const { size, chunks } = model;
  const parts = [];
  const headed = chunks > 1;
  for (let c = 0; headed && c < chunks; ++c) {
    const words = plan.cell > 70 ? `${model.traits.blocks ? "block" : "chunk"} ${c}` : `${c}`;
    parts.push(label(plan.x(c) + plan.cell / 2, plan.top - 10, words, "middle"));
  }
  if (plan.titled) { parts.push(label(plan.left, 12, `${model.traits.blocks ? "block" : "chunk"} \u2192`, "start")); }
  if (plan.titled || plan.left <= 40) { parts.push(label(0, plan.top - 10, plan.left <= 40 ? "rank" : "", "start")); }
  for (let r = 0; r < size; ++r) {
    parts.push(s("text", { x: plan.left - 10, y: plan.y(r) + plan.row / 2, class: "rank-name", "data-rank": r, "text-anchor": "end", "dominant-baseline": "central",
                           fill: "var(--ink)", "font-size": 13 }, plan.left > 40 ? `rank ${r}` : `${r}`));
    for (let c = 0; c < chunks; ++c) { parts.push(drawCell(model, plan, r, c, moment, { cells, number, dark })); }
  }
  const { arrows, hidden } = arrowsOf(model, plan, moment.moves, only, atFault);
  const svg = s("svg", { viewBox: `0 0 ${plan.width} ${plan.height}`, width: plan.width, height: plan.height, class: "grid", role: "img", "aria-label": name },
    parts, arrows.map((a) => a.node), fault ? faultOf(plan, fault) : null, hidden > 0 ? null : brokenOf(model, plan, lost, only));
  // What a cell is in words, when it is pointed at.
  svg.addEventListener("pointerover", (e) => {
    const cell = e.target.closest(".cell");
    if (cell === null || cell.querySelector("title") !== null) { return; }
    const [r, c] = [Number(cell.dataset.rank), Number(cell.dataset.chunk)], value = moment.at[r * chunks + c];
    cell.prepend(s("title", {}, `rank ${r}, ${model.traits.blocks ? "block" : "chunk"} ${c}: ${wordsOf(model, value)}${cell.classList.contains("dead") ? "; not needed any more" : ""}`));
  });
  const blank = svg.querySelector(".cell.untold") !== null;
  return { svg, arrows, hidden, plan, blank };
}

const label = (x, y, text, anchor) => s("text", { x, y, "text-anchor": anchor, fill: "var(--soft)", "font-size": 12 }, text);

function drawCell(model, plan, r, c, { at, changed, roundOf }, { cells, number, dark }) {
  const value = at[r * model.chunks + c];
  const { fill, text } = colourOfCell(model, r, c, value, dark);
  const now = changed.get(r * model.chunks + c);
  const dead = value >= 0 && !model.isRead(r, c, roundOf(r));
  const gap = plan.cell > 24 ? 1.5 : 0.5;
  const x = plan.x(c) + gap, y = plan.y(r), w = plan.cell - 2 * gap, h = plan.row;
  const edge = now ? (now.adds ? "var(--adds)" : "var(--copies)") : "none";
  const inset = now ? 1.25 : 0;
  const box = s("rect", { x: x + inset, y: y + inset, width: Math.max(1, w - 2 * inset), height: h - 2 * inset, rx: Math.min(7, w / 4), fill: dead ? "var(--card)" : fill,
                          stroke: edge, "stroke-width": now ? 2.5 : null, "stroke-dasharray": now && !now.adds ? "5 3" : null });
  const strip = cells === "who" && model.traits.reduces && value >= 0 && h >= 44 && w >= model.size * 5 + 16;
  const size = model.size <= 8 ? 14 : 12.5;
  const shown = textsOf(model, value, cells, number).find((t) => t.length * size * CHARACTER <= w - 8);
  const ink = dead ? "var(--ink)" : text;
  const halo = dead ? { stroke: "var(--card)", "stroke-width": 5, "stroke-linejoin": "round", "paint-order": "stroke" } : {};
  return s("g", { class: `cell${dead ? " dead" : ""}${value >= 0 && !shown ? " untold" : ""}`, "data-rank": r, "data-chunk": c }, box, dead ? hatching(x + 1, y + 1, w - 2, h - 2) : null,
    shown ? s("text", { x: x + w / 2, y: y + h / 2 - (strip ? 6 : 0), "text-anchor": "middle", "dominant-baseline": "central", "font-size": size, fill: ink, ...halo }, shown) : null,
    strip ? dots(model, value, x + w / 2, y + h - 13, ink, w) : null);
}

// What marks a cell that is not needed any more.
export function hatching(x, y, w, h) {
  let d = "";
  for (let at = 4; at < w + h; at += 7) {
    d += `M${x + Math.max(0, at - h)} ${y + Math.min(at, h)}L${x + Math.min(at, w)} ${y + Math.max(0, at - w)}`;
  }
  return s("path", { d: `M${x} ${y}h${w}v${h}h${-w}z${d}`, fill: "none", stroke: "var(--edge)", "stroke-width": 1, class: "hatching" });
}

// Where the checker found the mistake: a cell, or a rank.
function faultOf(plan, { rank, chunk }) {
  const whole = chunk < 0;
  return s("rect", { x: plan.x(whole ? 0 : chunk) - 2, y: plan.y(rank) - 3, width: (whole ? plan.width - plan.left - 2 : plan.cell) + 4, height: plan.row + 6, rx: 9,
                     class: "fault", fill: "none", stroke: "var(--bad)", "stroke-width": 3.5 });
}

// One small bar per rank: filled if the rank is in the sum.
function dots(model, value, middle, y, ink, room) {
  const inside = new Set(model.contributors(value));
  const each = Math.min(9, 90 / model.size, (room - 8) / model.size);
  const from = middle - (each * model.size) / 2;
  return Array.from({ length: model.size }, (_, i) => s("rect", { x: from + i * each + 0.8, y, width: each - 1.6, height: 5, rx: 1, fill: ink,
                                                                   "fill-opacity": inside.has(i) ? 0.85 : 0.16 }));
}

// The way of a transfer: out of the sender's cell and into the receiver's, bent to the right.
function wayOf(plan, from, to, sent, first, lane) {
  const down = to > from ? 1 : -1;
  const y0 = plan.y(from) + (down > 0 ? plan.row - 5 : 5), y1 = plan.y(to) + (down > 0 ? -1 : plan.row + 1);
  const x0 = plan.x(sent) + plan.cell * lane, x1 = plan.x(first) + plan.cell * lane;
  const far = Math.abs(to - from);
  const bend = far === 1 && sent === first ? 0 : Math.min(plan.cell * 0.32, 10 + 7 * far);
  return { x0, y0, cx: (x0 + x1) / 2 + bend, cy: (y0 + y1) / 2, x1, y1 };
}

function arrowsOf(model, plan, moves, only, atFault) {
  const list = moves.filter((t) => only < 0 || t.from === only || t.to === only);
  const whole = list.reduce((n, t) => n + t.count, 0);
  const some = whole > MOST_ARROWS ? list : null;
  // Too many: one arrow per transfer, at its first chunk; then none.
  if (some && list.length > MOST_ARROWS) { return { arrows: [], hidden: list.length }; }
  const arrows = [];
  list.forEach((t, i) => {
    for (let k = 0; k < (some ? 1 : t.count); ++k) {
      const lane = model.chunks === 1 ? 0.62 + 0.3 * (list.length < 2 ? 0.4 : i / (list.length - 1)) : 0.84;
      const w = wayOf(plan, t.from, t.to, (t.sent + k) % model.chunks, (t.first + k) % model.chunks, lane);
      arrows.push({ way: w, move: t, chunk: (t.sent + k) % model.chunks, node: arrowOf(w, t.adds, atFault(t)) });
    }
  });
  return { arrows, hidden: 0 };
}

function arrowOf(w, adds, wrong) {
  const colour = wrong ? "var(--bad)" : adds ? "var(--adds)" : "var(--copies)";
  return s("g", { class: wrong ? "arrow at-fault" : "arrow" }, strokes(part(w, 0, 1), colour, wrong ? 3.2 : 1.9, adds ? null : "5 3"), tipOf(w, colour, wrong ? 10 : 8));
}

// A part of an arrow's way, from 0 to 1: itself such a curve.
function part({ x0, y0, cx, cy, x1, y1 }, a, b) {
  const at = (p, c, q) => (1 - a) * (1 - b) * p + (a * (1 - b) + b * (1 - a)) * c + a * b * q;
  const on = (t, p, c, q) => (1 - t) ** 2 * p + 2 * t * (1 - t) * c + t * t * q;
  return `M${on(a, x0, cx, x1)} ${on(a, y0, cy, y1)}Q${at(x0, cx, x1)} ${at(y0, cy, y1)} ${on(b, x0, cx, x1)} ${on(b, y0, cy, y1)}`;
}
const strokes = (d, colour, width, dash) => [s("path", { d, fill: "none", stroke: "var(--card)", "stroke-width": width + 2.6, "stroke-opacity": 0.75 }),
  s("path", { d, fill: "none", stroke: colour, "stroke-width": width, "stroke-dasharray": dash })];
function tipOf(w, colour, size) {
  const angle = Math.atan2(w.y1 - w.cy, w.x1 - w.cx);
  const point = (side) => `${w.x1 - size * Math.cos(angle + side)} ${w.y1 - size * Math.sin(angle + side)}`;
  return s("path", { d: `M${w.x1} ${w.y1}L${point(0.42)} ${point(-0.42)}Z`, fill: colour });
}

// The messages without a partner: what there is of them is drawn as far as the break, the rest dotted.
function brokenOf(model, plan, lost, only) {
  return lost.filter((t) => only < 0 || t.from === only || t.to === only).map((t) => {
    const lane = model.chunks === 1 ? 0.74 : 0.84, chunk = t.first;
    // Longer than the others, so that the break is seen between neighbours too.
    const w = { ...wayOf(plan, t.from, t.to, chunk, chunk, lane), y0: plan.y(t.from) + plan.row / 2, y1: plan.y(t.to) + plan.row * (t.to > t.from ? 0.42 : 0.58) }, [there, not] = t.sent ? [[0, 0.5], [0.5, 1]] : [[0.5, 1], [0, 0.5]];
    const x = 0.25 * w.x0 + 0.5 * w.cx + 0.25 * w.x1, y = 0.25 * w.y0 + 0.5 * w.cy + 0.25 * w.y1;
    return s("g", { class: "arrow broken" }, s("title", {}, t.says), strokes(part(w, ...not), "var(--bad)", 2, "1.5 5"), strokes(part(w, ...there), "var(--bad)", 3.2, null),
      t.sent ? null : tipOf(w, "var(--bad)", 10), crossAt(x, y));
  });
}
export const crossAt = (x, y) => ["var(--card)", "var(--bad)"].map((colour, i) => s("path", { d: `M${x - 6} ${y - 6}L${x + 6} ${y + 6}M${x + 6} ${y - 6}L${x - 6} ${y + 6}`,
  stroke: colour, "stroke-width": i === 0 ? 8 : 3.6, "stroke-linecap": "round", fill: "none" }));

// Lets what is sent travel along the arrows; calls `done` at the end. Returns a function that ends it.
export function travel({ svg, arrows, plan }, model, before, { milliseconds, cells, number, dark }, done) {
  const tokens = arrows.map(({ way, move, chunk }) => {
    const value = before[move.from * model.chunks + chunk];
    const { fill, text } = colourOfCell(model, move.from, chunk, value, dark);
    const w = Math.min(66, plan.cell * 0.7), h = Math.min(22, plan.row * 0.6);
    const shown = textsOf(model, value, cells, number).find((t) => t.length * 12 * CHARACTER <= w - 6);
    const node = s("g", {}, s("rect", { x: -w / 2, y: -h / 2, width: w, height: h, rx: 6, fill, stroke: move.adds ? "var(--adds)" : "var(--copies)", "stroke-width": 1.8 }),
      shown ? s("text", { "text-anchor": "middle", "dominant-baseline": "central", "font-size": 12, fill: text }, shown) : null);
    svg.append(node);
    return { node, way };
  });
  let frame = 0, begin = null;
  const step = (now) => {
    begin ??= now;
    const u = Math.min(1, (now - begin) / milliseconds), t = u * u * (3 - 2 * u);
    for (const { node, way: w } of tokens) {
      const x = (1 - t) ** 2 * w.x0 + 2 * (1 - t) * t * w.cx + t * t * w.x1;
      const y = (1 - t) ** 2 * w.y0 + 2 * (1 - t) * t * w.cy + t * t * w.y1;
      node.setAttribute("transform", `translate(${x} ${y})`);
    }
    if (u < 1) { frame = requestAnimationFrame(step); } else { done(); }
  };
  step(performance.now());
  return () => cancelAnimationFrame(frame);
}
