// SPDX-License-Identifier: BSD-3-Clause
// The marker of each algorithm as an SVG path around (x, y), so that a curve is known without its colour.
import { s } from "./dom.js";
import { colourOf, markerOf } from "./palette.js";

const polygon = (corners, turn, r, inner = r) => Array.from({ length: corners }, (_, i) => {
  const a = (turn + 360 * i / corners) * Math.PI / 180, at = i % 2 === 0 ? r : inner;
  return `${i === 0 ? "M" : "L"}${(at * Math.cos(a)).toFixed(2)} ${(at * Math.sin(a)).toFixed(2)}`;
}).join("") + "Z";
const cross = "M-4 -4L4 4M-4 4L4 -4", circle = "M-4.2 0a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0 -8.4 0Z";
const SHAPES = {
  circle, square: polygon(4, 45, 5.2), star: polygon(10, -90, 6, 2.6), diamond: polygon(4, 0, 5.6), triangle: polygon(3, -90, 5.6),
  down: polygon(3, 90, 5.6), cross, plus: "M-5 0H5M0 -5V5", hexagon: polygon(6, 0, 5), pentagon: polygon(5, -90, 5.2), bar: "M-1.8 -5H1.8V5H-1.8Z", ring: circle,
};
const HOLLOW = ["cross", "plus", "ring"];

export function mark(name, x, y) {
  const shape = markerOf(name), hollow = HOLLOW.includes(shape);
  return s("path", { d: SHAPES[shape], transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
                     style: { fill: hollow ? (shape === "ring" ? "var(--card)" : "none") : colourOf(name),
                              stroke: hollow ? colourOf(name) : "var(--card)", "stroke-width": hollow ? 2.2 : 1 } });
}
