// SPDX-License-Identifier: BSD-3-Clause
// A topology with what its links carry: width, strength and a number for the load, arrows for the
// direction. Ranks are moved by dragging, or by choosing one place and then another.
import { s } from "./dom.js";
import { bytes as inUnits } from "./numbers.js";
import { colourOf, rankColour } from "./palette.js";
import { layoutOf } from "./view_links_layout.js";

const MOST_NUMBERS = 56;  // links with numbers

// Those with most. Chunks may differ by a byte: what reads the same is the same here.
export function busiestLinks(load) {
  const most = Math.max(0, ...load.bytes), text = inUnits(most);
  return most === 0 ? [] : Array.from(load.bytes.keys()).filter((i) => load.bytes[i] > most * 0.99 && inUnits(load.bytes[i]) === text);
}

// Links that are marked as the busiest: those with most, unless that is more than half of those that are used.
export function markedLinks(load) {
  const loaded = load.bytes.filter((n) => n > 0).length, all = busiestLinks(load);
  return all.length <= Math.max(2, loaded / 2) ? all : [];
}

// `most`: the bytes of the widest line; `rankAt[place]`; `picked`: the place that was chosen, or -1;
// `pick(place)`, `move(from, to)`: what the reader does; `key(e, place)`.
export function drawNet({ net, load, most, name, size, rankAt, picked, pick, move, key }) {
  const lay = layoutOf(net), marked = new Set(markedLinks(load));
  const drawn = net.links.map((l, i) => ({ ...l, i })).filter((l) => !lay.hidden?.(l));
  const loaded = drawn.filter(({ i }) => load.bytes[i] > 0);
  const numbers = loaded.length <= MOST_NUMBERS;
  const share = (i) => (most === 0 ? 0 : load.bytes[i] / most);
  const paths = new Map(drawn.map((l) => [l.i, lay.path(l)]));
  const idle = s("path", { d: drawn.filter(({ i }) => load.bytes[i] === 0).map(({ i }) => paths.get(i).d).join(""), class: "link idle" });
  const lines = loaded.toSorted((a, b) => share(a.i) - share(b.i) || marked.has(a.i) - marked.has(b.i)).map(({ i }) => line(paths.get(i), share(i), marked.has(i)));
  const labels = loaded.filter(() => lay.boxes.length === 0 && !lay.outside).filter(({ i }) => numbers || marked.has(i)).map(({ i }) => {
    const { label: [x, y], anchor } = paths.get(i);
    return s("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor, class: marked.has(i) ? "load busiest halo" : "load halo" }, inUnits(load.bytes[i]));
  });
  for (let p = 0; lay.outside && p < net.places; ++p) { labels.push(...besidePlace(net, lay, load, p, marked, numbers)); }
  const boxes = lay.boxes.map((b) => [s("rect", { x: b.x, y: b.y, width: b.width, height: b.height, rx: 8, class: "group" }),
    boxTexts(net, load, b.node, marked).map(([text, mark], i) => s("text", { x: b.textX, y: b.textY + i * b.line, "text-anchor": "middle",
      class: i === 0 ? "tick" : mark ? "load busiest" : "load" }, text))]).flat(2);
  const switches = net.nodes.map((node, i) => ({ ...node, i })).filter(({ kind }) => kind === "switch" || kind === "spine").map(({ label, i }) => {
    const [x, y] = lay.at[i];
    return s("g", {}, s("rect", { x: x - 34, y: y - 14, width: 68, height: 28, rx: 8, class: "switch" }), s("text", { x, y: y + 4, "text-anchor": "middle", class: "node-name" }, label));
  });
  const ports = portsOf(net, lay, load, marked, most);
  let from = -1;
  const places = Array.from({ length: net.places }, (_, p) => {
    const [x, y] = lay.at[p], rank = rankAt[p];
    const what = rank === undefined ? `place ${p}, empty` : `place ${p}, rank ${rank}`;
    return s("g", { class: `place${p === picked ? " picked" : ""}${rank === undefined ? " empty" : ""}`, role: "button", tabindex: p === 0 ? 0 : -1,
                    "data-place": p, "aria-label": what, "aria-pressed": p === picked ? "true" : "false",
                    onkeydown: (e) => key(e, p), onclick: (e) => { if (e.detail === 0) { pick(p); } },
                    onpointerdown: (e) => { if (e.button === 0) { from = p; e.currentTarget.releasePointerCapture?.(e.pointerId); } } },
      s("circle", { cx: x, cy: y, r: 14, style: rank === undefined ? null : { fill: rankColour(rank, size) } }),
      ports.get(p) ?? null,
      s("text", { x, y: y + 4.5, "text-anchor": "middle" }, rank === undefined ? "" : String(rank)));
  });
  const svg = s("svg", { viewBox: `0 0 ${lay.width.toFixed(0)} ${lay.height.toFixed(0)}`, 
                         class: "net own-keys", role: "group", "aria-label": `${net.name}: places and ranks`, style: { "--own": colourOf(name), "--wide": `${lay.width.toFixed(0)}px` } },
    s("g", { "aria-hidden": "true" }, boxes, idle, lines, switches), places, s("g", { "aria-hidden": "true", class: "loads" }, labels));
  svg.addEventListener("pointerup", (e) => {
    const over = e.target.closest?.("[data-place]"), start = from;
    from = -1;
    if (start < 0 || !over) { return; }
    const to = Number(over.dataset.place);
    if (to === start) { pick(to); } else { move(start, to); }
  });
  return svg;
}

// What goes out of a place and comes into it, of a crossbar.
function besidePlace(net, lay, load, p, marked, numbers) {
  const { x, y, anchor } = lay.outside(p), middle = net.nodes.length - 1;
  return [["out", net.link(p, middle)], ["in", net.link(middle, p)]].flatMap(([word, i], row) => (
    load.bytes[i] > 0 && (numbers || marked.has(i)) ? s("text", { x: x.toFixed(1), y: (y + row * 13).toFixed(1), "text-anchor": anchor,
      class: marked.has(i) ? "load busiest halo" : "load halo" }, `${word} ${inUnits(load.bytes[i])}`) : []));
}

// Of a leaf or host: its name, and what goes out of it and comes into it.
function boxTexts(net, load, node, marked) {
  const sum = (end) => {
    const all = net.links.map((l, i) => ({ ...l, i })).filter((l) => l[end] === node && (end === "from" ? l.to : l.from) >= net.places);
    return [all.reduce((n, { i }) => n + load.bytes[i], 0), all.some(({ i }) => marked.has(i)), all.length];
  };
  const [out, outMarked, up] = sum("from"), [into, intoMarked] = sum("to");
  return up === 0 ? [[net.nodes[node].label]]
    : [[net.nodes[node].label], [`out ${inUnits(out)}`, outMarked], [`in ${inUnits(into)}`, intoMarked]];
}

function line({ d, arrow: [x, y, turn] }, share, marked) {
  const wide = 1.5 + 6.5 * share, tip = 4 + wide * 0.75;
  return s("g", { class: marked ? "link busiest" : "link", style: marked ? null : { opacity: (0.35 + 0.65 * share).toFixed(2) } },
    s("path", { d, "stroke-width": wide.toFixed(1) }),
    s("path", { d: `M${-tip} ${-tip}L${tip} 0L${-tip} ${tip}Z`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${turn.toFixed(1)})`, class: "tip" }));
}

// Links between a place and its switch that are not drawn as lines: a ring around the place.
function portsOf(net, lay, load, marked, most) {
  const all = new Map();
  if (!lay.hidden) { return all; }
  for (let p = 0; p < net.places; ++p) {
    const both = net.links.map((l, i) => ({ ...l, i })).filter((l) => (l.from === p || l.to === p));
    const n = Math.max(...both.map(({ i }) => load.bytes[i]));
    const [x, y] = lay.at[p];
    if (n > 0) {
      all.set(p, s("circle", { cx: x, cy: y, r: 14, class: both.some(({ i }) => marked.has(i)) ? "port busiest" : "port", "stroke-width": (1 + 4 * n / most).toFixed(1) }));
    }
  }
  return all;
}
