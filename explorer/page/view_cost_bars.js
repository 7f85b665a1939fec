// SPDX-License-Identifier: BSD-3-Clause
// A bar per rank: how much of what it sends (receives, adds) in the end is done, and the least that the
// busiest rank of any algorithm must.
import { s } from "./dom.js";
import { bytes as inUnits } from "./numbers.js";
import { colourOf } from "./palette.js";

const LEFT = 12, RIGHT = 12, LABEL = 76, TOP = 24, BOTTOM = 24;

// Whole numbers so far apart that their labels, `em` wide, do not touch.
export function labelled(size, room, em) {
  const every = [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64].find((k) => room * k / size >= em) ?? 128;
  return Array.from({ length: size }, (_, r) => r).filter((r) => r % every === 0);
}

// `now`, `end`: bytes of each rank, so far and in the end. `most`: what the full height is; `bound`:
// a number, 0 where there is none; `busy`: the rank to name, as text.
export function barChart({ name, now, end, most, bound, busiest, width, height }) {
  // The bound's label has its own place, at the end of its line.
  const right = width - RIGHT - (bound > 0 ? LABEL : 0);
  const size = end.length, room = right - LEFT, tall = height - TOP - BOTTOM, floor = height - BOTTOM;
  const y = (n) => floor - (most === 0 ? 0 : n / most * tall);
  const step = room / size, thick = Math.max(1, Math.min(34, step * (step > 5 ? 0.74 : 1)));
  const x = (r) => LEFT + (r + 0.5) * step - thick / 2;
  const bars = [];
  if (step < 4) {
    bars.push(s("path", { d: outline(end, LEFT, step, y, floor), class: "bar-end" }), s("path", { d: outline(now, LEFT, step, y, floor), class: "bar-now" }));
  }
  for (let r = 0; step >= 4 && r < size; ++r) {
    bars.push(s("rect", { x: x(r), y: y(end[r]), width: thick, height: floor - y(end[r]), class: "bar-end" }));
    bars.push(s("rect", { x: x(r), y: y(now[r]), width: thick, height: floor - y(now[r]), class: "bar-now" }));
  }
  const labels = labelled(size, room, String(size).length > 2 ? 30 : 22).map((r) =>
    s("text", { x: x(r) + thick / 2, y: floor + 16, class: r === busiest ? "tick busiest" : "tick", "text-anchor": "middle" }, String(r)));
  // What the busiest bar comes to, where the bound's label does not say it.
  const top = end.indexOf(Math.max(...end)), clear = end[top] > 0 && Math.abs(y(end[top]) - y(bound)) > 18;
  const amount = clear ? s("text", { x: Math.max(LEFT + 24, Math.min(right - 24, x(top) + thick / 2)), y: y(end[top]) - 6, class: "bound-label halo", "text-anchor": "middle" },
    inUnits(end[top])) : null;
  const line = bound > 0 ? boundLine(y(bound), right, bound) : null;
  return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "bars", "aria-hidden": "true",
                    style: { "--own": colourOf(name) } },
    bars, s("line", { x1: LEFT, x2: right, y1: floor, y2: floor, class: "axis" }), labels, line, amount);
}

// Bars without gaps, where they are too thin for gaps.
export function outline(values, left, step, y, floor) {
  let d = `M${left} ${floor}`, last = null;
  values.forEach((n, i) => {
    if (n !== last) { d += `${last === null ? "" : `H${(left + i * step).toFixed(2)}`}V${y(n).toFixed(2)}`; }
    last = n;
  });
  return `${d}H${(left + values.length * step).toFixed(2)}V${floor}Z`;
}

function boundLine(y, right, bound) {
  const label = (text, at) => s("text", { x: right + 9, y: at, class: "bound-label" }, text);
  return [s("line", { x1: LEFT - 4, x2: right + 5, y1: y, y2: y, class: "bound" }), label("bound", y - 2), label(inUnits(bound), y + 12)];
}
