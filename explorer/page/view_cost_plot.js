// SPDX-License-Identifier: BSD-3-Clause
// Time against ranks or bytes, both axes logarithmic, with a point to drag, and which is quickest where.
import { h, s } from "./dom.js";
import { mark } from "./marks.js";
import { seconds } from "./numbers.js";
import { colourOf, dashOf } from "./palette.js";

const LEFT = 58, TOP = 30, BOTTOM = 46, STRIP = 18, MOST_MARKED = 8;

// `ticks`: [[x, text]]; `format(x)` in words; `onPick(x)`: dragged there; `onKey(key)`: true if it was one.
export function logPlot({ id, label, ticks, least, most, format, onPick, onKey }) {
  const picture = s("g", { "aria-hidden": "true" });
  const grip = s("g", { class: "grip", role: "slider", tabindex: 0, "aria-label": label, id });
  const svg = s("svg", { class: "plot" }, picture, grip);
  const node = h("div", { class: "plot-box" }, svg);
  let scale = null, shown = null;

  function pick(e) {
    const { left } = svg.getBoundingClientRect();
    onPick(Math.min(most, Math.max(least, scale.invert(e.clientX - left))));
  }
  let dragging = false;
  svg.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) { return; }
    dragging = true;
    svg.setPointerCapture(e.pointerId);
    grip.focus({ preventScroll: true });
    e.preventDefault();
    pick(e);
  });
  svg.addEventListener("pointermove", (e) => { if (dragging) { pick(e); } });
  for (const end of ["pointerup", "pointercancel"]) { svg.addEventListener(end, () => { dragging = false; }); }
  grip.addEventListener("keydown", (e) => {
    if (!e.ctrlKey && !e.metaKey && !e.altKey && onKey(e.key)) { e.preventDefault(); e.stopPropagation(); }
  });

  // `curves`: [{name, points: [[x, seconds]], strong}]; `stretches` as of cost_model.js; `playable`: the
  // largest x that the page can play.
  function draw({ curves, x, stretches, playable, width, height }) {
    const right = width < 480 ? 88 : 104;
    const all = curves.flatMap((c) => c.points.map(([, y]) => y)).filter((y) => y > 0);
    const low = Math.log10(Math.min(...all)), high = Math.max(Math.log10(Math.max(...all)), low + 1);
    const X = (v) => LEFT + Math.log(v / least) / Math.log(most / least) * (width - LEFT - right);
    const Y = (v) => height - BOTTOM - (Math.log10(v) - low) / (high - low) * (height - BOTTOM - TOP - STRIP);
    scale = { invert: (px) => least * (most / least) ** ((px - LEFT) / (width - LEFT - right)) };
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    shown = { X, Y, width, height, right, low, high };
    const found = all.length > 0;
    picture.replaceChildren(...frame(), ...(playable < most ? beyond(playable) : []),
      ...(found ? [...decades(), ...strip(stretches), ...curves.map(line), ...names(curves)] : []), ...point(curves, x, found));
    grip.replaceChildren(s("circle", { cx: X(x), cy: height - BOTTOM, r: 18, class: "touch" }),
      s("circle", { cx: X(x), cy: height - BOTTOM, r: 8 }));
    grip.setAttribute("aria-valuemin", least);
    grip.setAttribute("aria-valuemax", playable);
    grip.setAttribute("aria-valuenow", x);
    grip.setAttribute("aria-valuetext", format(x));
  }

  function frame() {
    const { X, width, height, right } = shown, floor = height - BOTTOM;
    const room = (width - LEFT - right) / ticks.length;
    const every = room > 34 ? 1 : room > 17 ? 2 : 4;
    return [s("line", { x1: LEFT, x2: width - right, y1: floor, y2: floor, class: "axis" }),
            ticks.map(([v, text], i) => (i % every === 0 ? [s("line", { x1: X(v), x2: X(v), y1: floor, y2: floor + 5, class: "axis" }),
              s("text", { x: X(v), y: floor + 30, class: "tick", "text-anchor": "middle" }, text)] : []))].flat(3);
  }
  function beyond(playable) {
    const { X, height, width, right } = shown;
    return [s("rect", { x: X(playable), y: TOP, width: width - right - X(playable), height: height - BOTTOM - TOP, class: "beyond" })];
  }
  function decades() {
    const { Y, low, high, width, right } = shown, all = [];
    const every = Math.max(1, Math.ceil((high - low) / 6));
    for (let d = Math.ceil(low - 1e-9); d <= high + 1e-9; d += every) {
      all.push(s("line", { x1: LEFT, x2: width - right, y1: Y(10 ** d), y2: Y(10 ** d), class: "grid" }),
               s("text", { x: LEFT - 7, y: Y(10 ** d) + 4, class: "tick", "text-anchor": "end" }, seconds(10 ** d)));
    }
    return all;
  }
  // Which is quickest, along the top.
  function strip(stretches) {
    const { X, width, height, right } = shown;
    return stretches.flatMap(({ from, names: who }, i) => {
      const x1 = X(Math.max(from, least)), x2 = i + 1 < stretches.length ? X(stretches[i + 1].from) : width - right;
      const text = [who.join(" = "), `${who[0]} and ${who.length - 1} more`, who[0]].find((t) => x2 - x1 > t.length * 7.2 + 8);
      return [s("rect", { x: x1, y: TOP - STRIP, width: Math.max(1, x2 - x1), height: STRIP, style: { fill: colourOf(who[0]) }, class: "quickest" }),
              text ? s("text", { x: (x1 + x2) / 2, y: TOP - 5, class: "on-strip", "text-anchor": "middle" }, text) : null,
              i > 0 && stretches.length <= MOST_MARKED ? s("line", { x1, x2: x1, y1: TOP, y2: height - BOTTOM, class: "crossing" }) : null].filter((n) => n !== null);
    });
  }
  function line({ name, points, strong }) {
    const { X, Y } = shown;
    let d = "", pen = false;
    for (const [x, y] of points) {
      if (!(y > 0)) { pen = false; continue; }
      d += `${pen ? "L" : "M"}${X(x).toFixed(1)} ${Y(y).toFixed(1)}`;
      pen = true;
    }
    return s("path", { d, class: strong ? "curve strong" : "curve", "stroke-dasharray": dashOf(name) || null, style: { stroke: colourOf(name) } });
  }
  // At the right end, moved apart where they would touch.
  function names(curves) {
    const { X, Y, width, height, right } = shown, tall = 14;
    const last = (c) => c.points.findLast(([, y]) => y > 0);
    const at = curves.map((c) => ({ c, x: X(last(c)?.[0] ?? NaN), y: Y(last(c)?.[1] ?? NaN) })).filter((n) => Number.isFinite(n.y)).sort((a, b) => a.y - b.y);
    const ends = at.map((n) => n.y);
    for (let i = 0; i < at.length; ++i) { at[i].y = Math.max(at[i].y, i === 0 ? TOP + 6 : at[i - 1].y + tall); }
    let floor = height - BOTTOM + 6;
    for (let i = at.length - 1; i >= 0; --i) { at[i].y = Math.min(at[i].y, floor); floor = at[i].y - tall; }
    return at.flatMap(({ c, x, y }, i) => [
      s("path", { d: `M${(x + 1).toFixed(1)} ${ends[i].toFixed(1)}L${width - right + 1} ${ends[i].toFixed(1)}L${width - right + 9} ${y.toFixed(1)}`, class: x < width - right - 4 ? "leader far" : "leader", style: { stroke: colourOf(c.name) } }),
      s("text", { x: width - right + 12, y: y + 4, class: c.strong ? "curve-name strong" : "curve-name", style: { fill: colourOf(c.name) } }, c.name)]);
  }
  function point(curves, x, found) {
    const { X, Y, height } = shown;
    return [s("line", { x1: X(x), x2: X(x), y1: TOP, y2: height - BOTTOM, class: "here" }),
            ...curves.filter((c) => found && c.now > 0).map((c) => mark(c.name, X(x), Y(c.now)))];
  }
  return { node, draw };
}
