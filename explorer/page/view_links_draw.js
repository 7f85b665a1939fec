// SPDX-License-Identifier: BSD-3-Clause
// A topology with what its links carry: width, strength and a number for the load, arrows for the
// direction. Ranks are moved by dragging, or by choosing one place and then another.
import { s } from "./dom.js";
import { bytes as inUnits } from "./numbers.js";
import { colourOf, rankColour } from "./palette.js";
import { around, placeLabels } from "./view_links_labels.js";
import { layoutOf } from "./view_links_layout.js";

const MOST_NUMBERS = 56;  // links with numbers: if there are more, only the busiest have them

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

const SPOTS = [0.5, 0.38, 0.62, 0.26, 0.74, 0.16, 0.84];  // along a link, where its number may stand
const AWAY = [0, 6, 14, 27].flatMap((far) => [0, 12, -12, 24, -24].map((aside) => [far, aside]));  // of a place, outwards and to its sides
const away = ([x, y, nx, ny], far) => [x + nx * far, y + ny * far, nx, ny];
const wideOf = (share) => 1.5 + 6.5 * share;

// Where the numbers are: what placeLabels gives. `drawn`: the links that are drawn, with their number `i`.
export function labelsOf(net, lay, load, most) {
  const marked = new Set(markedLinks(load)), share = (i) => (most === 0 ? 0 : load.bytes[i] / most);
  const drawn = net.links.map((l, i) => ({ ...l, i })).filter((l) => !lay.hidden?.(l)), loaded = drawn.filter(({ i }) => load.bytes[i] > 0);
  const told = loaded.filter(({ i }) => loaded.length <= MOST_NUMBERS || (marked.size <= MOST_NUMBERS && marked.has(i))).sort((a, b) => marked.has(b.i) - marked.has(a.i));
  const links = loaded.map((l) => ({ ...lay.path(l), thick: wideOf(share(l.i)) / 2, i: l.i })), pathOf = new Map(links.map((l) => [l.i, l]));
  const solid = [...lay.at.map(([x, y], n) => (n < net.places ? around(x, y, 15.5) : [x - 35, y - 15, x + 35, y + 15])),
    ...links.map(({ arrow: [x, y], thick }) => around(x, y, 3 + 1.5 * thick))];
  const wanted = lay.boxes.length > 0 ? [] : lay.outside ? besidePlaces(net, lay, load, told, marked)
    : told.map(({ i }) => ({ lines: [inUnits(load.bytes[i])], bold: marked.has(i), thick: pathOf.get(i).thick, spots: [0, 5].flatMap((far) => SPOTS.map((t) => away(pathOf.get(i).along(t), far))) }));
  const found = placeLabels(wanted, { solid, links, width: lay.width, height: lay.height });
  return found.left > found.placed.length ? { placed: [], left: wanted.length } : found;  // a few of many would mislead
}

// What goes out of a place and comes into it, of a crossbar: away from the middle.
function besidePlaces(net, lay, load, told, marked) {
  const middle = net.nodes.length - 1, is = new Set(told.map(({ i }) => i));
  return Array.from({ length: net.places }, (_, p) => {
    const both = [["out", net.link(p, middle)], ["in", net.link(middle, p)]].filter(([, i]) => is.has(i)), [x, y, ux, uy] = lay.outside(p);
    return { lines: both.map(([word, i]) => `${word} ${inUnits(load.bytes[i])}`), bold: both.some(([, i]) => marked.has(i)), thick: 16,
             spots: AWAY.map(([far, aside]) => [x + ux * far - uy * aside, y + uy * far + ux * aside, ux, uy]) };
  }).filter(({ lines }) => lines.length > 0).sort((a, b) => b.bold - a.bold);
}

// {svg, left: how many numbers have no room}. `most`: the bytes of the widest line; `rankAt[place]`; `picked`: the place that was chosen, or -1;
// `pick(place)`, `move(from, to)`: what the reader does; `key(e, place)`.
export function drawNet({ net, load, most, name, size, rankAt, picked, pick, move, key }) {
  const lay = layoutOf(net), marked = new Set(markedLinks(load));
  const drawn = net.links.map((l, i) => ({ ...l, i })).filter((l) => !lay.hidden?.(l));
  const loaded = drawn.filter(({ i }) => load.bytes[i] > 0);
  const share = (i) => (most === 0 ? 0 : load.bytes[i] / most);
  const paths = new Map(drawn.map((l) => [l.i, lay.path(l)]));
  const idle = s("path", { d: drawn.filter(({ i }) => load.bytes[i] === 0).map(({ i }) => paths.get(i).d).join(""), class: "link idle" });
  const lines = loaded.toSorted((a, b) => share(a.i) - share(b.i) || marked.has(a.i) - marked.has(b.i)).map(({ i }) => line(paths.get(i), share(i), marked.has(i)));
  const { placed, left } = labelsOf(net, lay, load, most);
  const labels = placed.flatMap(({ x, y, lines: texts, bold }) => texts.map((text, k) => s("text", { x: x.toFixed(1), y: (y + 4 + 13 * (k - (texts.length - 1) / 2)).toFixed(1), "text-anchor": "middle",
    class: bold ? "load busiest halo" : "load halo" }, text)));
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
  return { svg, left };
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
  const wide = wideOf(share), tip = 4 + wide * 0.75;
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
