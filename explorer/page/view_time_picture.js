// SPDX-License-Identifier: BSD-3-Clause
// Draws one timeline: as SVG with words up to 16 ranks, on a canvas above.
import { INTS_PER_STEP, SEND } from "./core.js";
import { h, s } from "./dom.js";
import { seconds } from "./numbers.js";
import { makeRaster } from "./time_raster.js";
import { cornersOf, eachAdding, eachBar, frameOf, kindOf, signOf, ticksOf } from "./time_look.js";

const n = (v) => v.toFixed(2);
const WORDS = { sends: "sends to", adds: "receives and adds from", copies: "receives a copy from" };

// The axis over or under the timelines.
export function drawAxis(width, most) {
  const frame = frameOf(width, 1, most);
  const svg = s("svg", { class: "time-axis", width, height: 24, viewBox: `0 0 ${width} 24`, "aria-hidden": "true" });
  const ticks = ticksOf(most, Math.max(2, Math.floor((width - frame.left) / 110)));
  ticks.forEach((t) => svg.append(
    s("line", { x1: n(frame.x(t)), x2: n(frame.x(t)), y1: 19, y2: 24, class: "t-axis" }),
    s("text", { x: n(frame.x(t)), y: 14, class: "t-tick", "text-anchor": t === 0 ? "start" : frame.x(t) > width - 40 ? "end" : "middle" }, seconds(t))));
  return svg;
}

// `run`: {job, times, overhead, late, name, waits}; `times` is what core.simulate gives, or what was measured
// ({moves, moved, end, total, path: []}). `frame` is of time_look.js.
export const drawTimeline = (run, frame) => (frame.small ? drawWords(run, frame) : drawThin(run, frame));

const box = (x, y, w, height) => `M${n(x)} ${n(y)}h${n(w)}v${n(height)}h${n(-w)}z`;

// One path for all bars of a kind: there are thousands.
function drawWords(run, frame) {
  const { job, times } = run;
  const svg = s("svg", { class: "t-line", width: frame.width, height: frame.height, viewBox: `0 0 ${frame.width} ${frame.height}`,
                         role: "img", "aria-label": `${run.name}: when each rank sends and receives; ${seconds(times.total)} in all` });
  for (const t of ticksOf(frame.most, Math.max(2, Math.floor((frame.width - frame.left) / 110)))) {
    svg.append(s("line", { x1: n(frame.x(t)), x2: n(frame.x(t)), y1: 0, y2: frame.height, class: "t-grid" }));
  }
  for (let r = 0; r < job.size; ++r) { svg.append(rowOf(run, frame, r)); }
  const paths = { adding: "", sends: "", adds: "", copies: "", "on-path": "", processor: "" };
  const words = [];
  eachAdding(job, times, run.overhead, (rank, _, from, to) => {
    if (from <= frame.most) { paths.adding += box(frame.x(from), frame.yOf(rank, false), Math.max(0.5, frame.x(to) - frame.x(from)), frame.lane - 1); }
  });
  const onPath = new Set(times.path);
  eachBar(job, times, (step, rank, verb, begins, ends) => {
    if (begins > frame.most) { return; }
    const kind = kindOf(verb), sends = kind === "sends";
    const x = frame.x(begins), w = Math.max(1, frame.x(ends) - x), y = frame.yOf(rank, sends), height = frame.lane - 1;
    paths[kind] += box(x, y, w, height);
    if (onPath.has(step)) { paths["on-path"] += box(x, y, w, height); }
    // The processor: before a send, after a receive.
    const [from, to] = sends ? [times.begin?.[step] ?? begins, Math.min(begins, times.ready?.[step] ?? begins)] : [ends, times.taken?.[step] ?? ends];
    const wide = frame.x(to) - frame.x(from);
    if (wide >= 0.8) { paths.processor += box(frame.x(from), sends ? y + height - 2 : y, wide, 2); }
    const word = `${signOf(verb)} ${job.steps[step * INTS_PER_STEP + 3]}`;
    if (w >= 10 + 6.5 * word.length && frame.lane >= 10) {
      words.push(s("text", { x: n(x + w / 2), y: n(y + height / 2 + 3.8), "text-anchor": "middle", class: `t-word ${kind}` }, word));
    }
  });
  for (const [kind, d] of Object.entries(paths)) {
    if (d === "") { continue; }
    svg.append(s("path", { d, class: `t-bars ${kind}` }));
    if (kind === "copies") { svg.append(s("path", { d, class: "t-bars dots" })); }
  }
  const corners = cornersOf(job, times);
  if (corners.length > 0) {
    const line = corners.map((c, i) => `${i === 0 ? "M" : "L"}${n(frame.x(c.t))} ${n(frame.yOf(c.rank, false) - 0.5)}`).join("");
    svg.append(s("path", { d: line, class: "t-critical-halo" }), s("path", { d: line, class: "t-critical" }));
  }
  svg.append(...words);
  return svg;
}

function rowOf({ late, times }, frame, r) {
  const y = frame.y(r), middle = y + frame.lane;
  const row = s("g", {},
    s("text", { x: frame.left - 8, y: n(middle + 4), class: "t-tick", "text-anchor": "end" }, frame.left < 40 ? `${r}` : `rank ${r}`),
    s("line", { x1: frame.left, x2: frame.width - frame.right, y1: n(middle), y2: n(middle), class: "t-idle" }));
  const from = late?.[r] ?? 0;
  if (from > 0) {
    row.append(s("rect", { x: frame.left, y: n(y), width: n(frame.x(from) - frame.left), height: n(2 * frame.lane), class: "t-late" }));
    if (frame.x(from) - frame.left > 60) { row.append(s("text", { x: n(frame.left + 6), y: n(middle - 4), class: "t-late-word" }, "late")); }
  }
  if (times.done?.[r] > 0) { row.append(s("line", { x1: n(frame.x(times.done[r])), x2: n(frame.x(times.done[r])), y1: n(y), y2: n(y + 2 * frame.lane), class: "t-done" })); }
  return row;
}

// What stands at a point of the picture, in words; "" where nothing does.
export function wordsAt(run, frame, x, y) {
  const rank = Math.floor((y - frame.top) / frame.row);
  if (rank < 0 || rank >= run.job.size) { return ""; }
  const sends = y < frame.yOf(rank, false), t = frame.time(x), near = frame.time(frame.left + 2);
  const { job, times } = run;
  for (let i = 0, at = 0; at < job.steps.length; ++i, at += INTS_PER_STEP) {
    if (job.steps[at] !== rank || (job.steps[at + 2] === SEND) !== sends || t < times.moves[i] - near || t > times.moved[i] + near) { continue; }
    return `Round ${job.steps[at + 1]}: rank ${rank} ${WORDS[kindOf(job.steps[at + 2])]} rank ${job.steps[at + 3]}, ${seconds(times.moves[i])} to ${seconds(times.moved[i])}`;
  }
  let adds = null;
  if (!sends) { eachAdding(job, times, run.overhead, (r, round, from, to) => { if (r === rank && t >= from && t <= to) { adds ??= { round, from, to }; } }); }
  return adds ? `Round ${adds.round}: rank ${rank} adds, ${seconds(adds.from)} to ${seconds(adds.to)}` : `Rank ${rank}, ${seconds(t)}`;
}

function drawThin(run, frame) {
  const { job, times } = run;
  const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
  const canvas = h("canvas", { width: Math.round(frame.width * ratio), height: Math.round(frame.height * ratio), role: "img",
    "aria-label": `${run.name}: when each of ${job.size} ranks sends and receives; ${seconds(times.total)} in all. The tables below have the numbers.` });
  canvas.style.width = `${frame.width}px`;
  canvas.style.height = `${frame.height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  pen.font = "12px system-ui, sans-serif";
  pen.textAlign = "right";
  pen.fillStyle = colour("soft");
  const every = Math.ceil(14 / frame.row);
  for (let r = 0; r < job.size; r += niceStep(every)) { pen.fillText(`${r}`, frame.left - 6, frame.y(r) + frame.lane + 4); }
  pen.fillStyle = colour("line");
  for (const t of ticksOf(frame.most, Math.max(2, Math.floor((frame.width - frame.left) / 110)))) { pen.fillRect(frame.x(t), 0, 1, frame.height); }
  pen.fillStyle = colour("edge");
  (run.late ?? []).forEach((t, r) => pen.fillRect(frame.left, frame.y(r) + frame.lane / 2, frame.x(t ?? 0) - frame.left, frame.lane));
  drawDots(pen, run, frame, ratio, colour);
  const corners = cornersOf(job, times);
  for (const [stroke, width] of [[colour("card"), 4], [colour("ink"), 1.8]]) {
    pen.strokeStyle = stroke;
    pen.lineWidth = width;
    pen.lineJoin = "round";
    pen.beginPath();
    corners.forEach((c, i) => pen[i === 0 ? "moveTo" : "lineTo"](frame.x(c.t), frame.yOf(c.rank, false)));
    pen.stroke();
  }
  return canvas;
}

// What is at ports, and over it where ranks add.
function drawDots(pen, { job, times, overhead }, frame, ratio, colour) {
  const tall = Math.max(1, frame.lane - (frame.lane > 3 ? 1 : 0));
  // Form besides colour: sends are half as high, copies have a gap in the middle.
  const lines = (kind, rank) => {
    const y = frame.yOf(rank, kind === "sends");
    return kind === "adding" ? [[y, Math.max(1, frame.lane)]] : kind === "sends" ? [[y + tall / 4, Math.max(1, tall / 2)]]
      : kind === "copies" && tall >= 4 ? [[y, tall / 3], [y + 2 * tall / 3, tall / 3]] : [[y, tall]];
  };
  const looks = { adding: ["adds", 0.45], sends: ["sends", 1], adds: ["adds", 1], copies: ["copies", 1] };
  const raster = makeRaster(frame, ratio, lines, Object.fromEntries(Object.entries(looks).map(([kind, [name, alpha]]) => [kind, { rgb: partsOf(colour(name)), alpha }])));
  eachAdding(job, times, overhead, (rank, _, from, to) => raster.bar(rank, "adding", frame.x(from), Math.max(0.5, frame.x(to) - frame.x(from))));
  raster.flush();
  eachBar(job, times, (_, rank, verb, from, to) => raster.bar(rank, kindOf(verb), frame.x(from), Math.max(0.6, frame.x(to) - frame.x(from))));
  raster.flush();
  const dots = h("canvas", { width: raster.columns, height: raster.rows });
  dots.getContext("2d").putImageData(new ImageData(raster.data, raster.columns, raster.rows), 0, 0);
  pen.drawImage(dots, 0, 0, frame.width, frame.height);
}
const partsOf = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const niceStep = (least) => [1, 2, 4, 8, 16, 32, 64].find((v) => v >= least) ?? 64;
