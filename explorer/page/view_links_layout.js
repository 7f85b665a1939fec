// SPDX-License-Identifier: BSD-3-Clause
// Where the nodes and links of a topology are drawn. No DOM.

// {width, height, at: [[x, y] of each node], boxes: [{x, y, width, height, node, textX, textY, line}],
// hidden(link): drawn as part of the place, outside(place): [x, y, and the direction away from the middle],
// path(link): {d, long, along(t): [x, y, and the direction to its side], arrow: [x, y, degrees]}}.
export function layoutOf(net) {
  const make = { crossbar: circle, ring: circle, torus: grid, fat_tree: groups, hosts: groups };
  return make[net.kind](net);
}

const SIDE = 5;  // how far a link lies to the right of the line between its nodes

// A straight link, from the rim of one node to that of the other.
function straight([x1, y1], [x2, y2], r1, r2) {
  const long = Math.hypot(x2 - x1, y2 - y1), ux = (x2 - x1) / long, uy = (y2 - y1) / long;
  const nx = -uy * SIDE, ny = ux * SIDE;
  const from = [x1 + ux * r1 + nx, y1 + uy * r1 + ny], to = [x2 - ux * r2 + nx, y2 - uy * r2 + ny];
  const part = (t) => [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t];
  return { d: `M${point(from)}L${point(to)}`, long: Math.hypot(to[0] - from[0], to[1] - from[1]), along: (t) => [...part(t), nx / SIDE, ny / SIDE],
           arrow: [...part(0.68), Math.atan2(uy, ux) * 180 / Math.PI] };
}
const point = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

// A link that bulges: from one end of a row or column to the other.
function bulging([x1, y1], [x2, y2], across, by, rim) {
  const [cx, cy] = across === "row" ? [(x1 + x2) / 2, y1 - by] : [x1 - by, (y1 + y2) / 2];
  const sign = across === "row" ? Math.sign(x2 - x1) : Math.sign(y2 - y1);
  const [from, to] = across === "row" ? [[x1 + sign * 4, y1 - rim], [x2 - sign * 4, y2 - rim]] : [[x1 - rim, y1 + sign * 4], [x2 - rim, y2 - sign * 4]];
  const apex = [0.25 * from[0] + 0.5 * cx + 0.25 * to[0], 0.25 * from[1] + 0.5 * cy + 0.25 * to[1]];
  const turn = across === "row" ? (sign > 0 ? 0 : 180) : sign > 0 ? 90 : -90;
  const on = (t, k) => (1 - t) ** 2 * from[k] + 2 * t * (1 - t) * [cx, cy][k] + t * t * to[k];
  return { d: `M${point(from)}Q${point([cx, cy])} ${point(to)}`, long: Math.hypot(to[0] - from[0], to[1] - from[1]),
           along: (t) => [on(t, 0), on(t, 1), ...(across === "row" ? [0, -1] : [-1, 0])], arrow: [...apex, turn] };
}

const RIM = 15;

function circle(net) {
  const n = net.places, star = net.kind === "crossbar", few = n <= 16;
  const radius = Math.max(n === 2 ? 84 : 124, n * (few ? (star ? 70 : 86) : n <= 32 ? 62 : 44) / (2 * Math.PI));
  const [beside, above] = star ? [122, 68] : [84, 48];
  const cx = radius + beside, cy = n === 2 ? 60 : radius + above;
  // Two lie side by side.
  const angle = (i) => (i / n) * 2 * Math.PI - (n === 2 ? Math.PI : Math.PI / 2);
  const at = Array.from({ length: n }, (_, i) => [cx + radius * Math.cos(angle(i)), cy + radius * Math.sin(angle(i))]);
  if (star) { at.push([cx, cy]); }
  return { width: 2 * cx, height: 2 * cy, at, boxes: [],
           // Beside a place, away from the middle: where its loads are told.
           outside: star ? (p) => {
             const [ux, uy] = [Math.cos(angle(p)), Math.sin(angle(p))];
             return [...at[p], ux, uy];
           } : undefined,
           path: ({ from, to }) => straight(at[from], at[to], from < n ? RIM : 24, to < n ? RIM : 24) };
}

function grid(net) {
  const { rows, columns } = net;
  const [dx, dy] = net.places <= 16 ? [134, 116] : net.places <= 36 ? [108, 92] : [84, 74], left = rows > 2 ? 122 : 86, top = columns > 2 ? 76 : 30;
  const at = Array.from({ length: net.places }, (_, i) => [left + (i % columns) * dx, top + Math.floor(i / columns) * dy]);
  const path = ({ from, to }) => {
    const [y1, x1, y2, x2] = [Math.floor(from / columns), from % columns, Math.floor(to / columns), to % columns];
    if (y1 === y2 && Math.abs(x1 - x2) > 1) { return bulging(at[from], at[to], "row", x1 > x2 ? 52 : 76, RIM); }
    if (x1 === x2 && Math.abs(y1 - y2) > 1) { return bulging(at[from], at[to], "column", y1 > y2 ? 56 : 84, RIM); }
    return straight(at[from], at[to], RIM, RIM);
  };
  return { width: left + (columns - 1) * dx + 86, height: top + (rows - 1) * dy + 40, at, boxes: [], path };
}

const CELL = 34, TITLE = 56;

// Boxes of places, with the switches in the middle.
function groups(net) {
  const count = net.places / net.radix, columns = Math.ceil(Math.sqrt(net.radix)), rows = Math.ceil(net.radix / columns);
  const boxWide = Math.max(110, columns * CELL + 12), boxTall = rows * CELL + 12 + (count === 1 ? 22 : TITLE), gap = 22;
  const above = count > 5 ? Math.ceil(count / 2) : 0, wide = Math.max(above, count - above);
  const first = net.places + count, switches = net.nodes.length - first;
  const width = Math.max(wide * (boxWide + gap) + 20, switches * 96 + 60, 260), rise = count === 1 ? 0 : 96;
  const middle = above > 0 ? 10 + boxTall + rise : 24, lower = count === 1 ? 10 : middle + rise;
  const at = new Array(net.nodes.length), boxes = [];
  for (let g = 0; g < count; ++g) {
    const top = g < above, i = top ? g : g - above, n = top ? above : count - above;
    const x = width / 2 + (i - (n - 1) / 2) * (boxWide + gap) - boxWide / 2, y = top ? 10 : lower;
    const inside = x + (boxWide - columns * CELL) / 2, text = y + rows * CELL + 24;
    boxes.push({ x, y, width: boxWide, height: boxTall, node: net.places + g, textX: x + boxWide / 2, textY: text, line: 17 });
    at[net.places + g] = [x + boxWide / 2, top ? y + boxTall : y];
    for (let k = 0; k < net.radix; ++k) {
      at[g * net.radix + k] = [inside + (k % columns + 0.5) * CELL, y + 6 + (Math.floor(k / columns) + 0.5) * CELL];
    }
  }
  for (let k = 0; k < switches; ++k) { at[first + k] = [width / 2 + (k - (switches - 1) / 2) * 96, middle]; }
  const bottom = Math.max(...boxes.map((b) => b.y + b.height)) + 10;
  return { width, height: bottom, at, boxes, hidden: ({ from, to }) => from < net.places || to < net.places,
           path: ({ from, to }) => (from < first ? straight(at[from], at[to], 2, 18) : straight(at[from], at[to], 18, 2)) };
}
