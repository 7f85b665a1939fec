// SPDX-License-Identifier: BSD-3-Clause
// The page's script, second part: draws one algorithm's grid, its transfers and the bytes sent.
#pragma once

namespace coll_show {

inline constexpr auto page_grid = R"js(
const ink = "#16202c", quiet = "#5d6b7a", line = "#c9d2dc";
const arrowColor = (adds) => adds ? "#b3400a" : "#0b7285";
const face = "system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif";

function shade(held, whole) {
  if (held === 0) { return ["#f4f6f8", quiet]; }
  if (held >= whole) { return ["#f5b82e", ink]; }
  const t = whole <= 2 ? 0 : (held - 1) / (whole - 2);
  const mix = [[222, 31], [235, 88], [248, 150]].map(([a, b]) => Math.round(a + t * (b - a)));
  return ["rgb(" + mix.join(",") + ")", t > 0.55 ? "#fff" : ink];
}

// Makes a canvas `height` high and as wide as it stands, sharp on every screen.
function prepare(canvas, height) {
  const width = canvas.clientWidth || 600;
  const scale = window.devicePixelRatio || 1;
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const g = canvas.getContext("2d");
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, width, height);
  return [g, width];
}

function box(g, x, y, width, height, radius) {
  g.beginPath();
  g.roundRect(x, y, width, height, Math.min(radius, width / 2, height / 2));
}

// Where things are in a canvas of that width.
function gridPlan(panel, width) {
  const row = P <= 4 ? 62 : P <= 8 ? 48 : P <= 16 ? 30 : P <= 32 ? 19 : Math.max(2.2, 600 / P);
  const left = P > 100 ? 72 : 62, bars = Math.min(280, width * 0.22), top = 30;
  const cell = Math.min(panel.chunks === 1 ? 220 : 190, (width - left - bars - 94) / panel.chunks);
  const grid = cell * panel.chunks;
  return { row, left, top, cell, grid, bars, wide: panel.chunks === 1, height: top + row * P + 30,
    barLeft: left + grid + 30 };
}

// A transfer's way: within its column, bent to the right; straight where the columns differ.
function way(plan, from, to, column, sentColumn) {
  const y0 = plan.top + (from + 0.5) * plan.row, y1 = plan.top + (to + 0.5) * plan.row;
  const down = y1 > y0 ? 1 : -1, edge = plan.row * 0.2;
  if (column !== sentColumn) {
    const x0 = plan.left + (sentColumn + 0.5) * plan.cell;
    const x1 = plan.left + (column + 0.5) * plan.cell;
    return [x0, y0, (x0 + x1) / 2, (y0 + y1) / 2 - 12, x1, y1 - down * edge];
  }
  const x = plan.left + (column + 0.5) * plan.cell + plan.cell * 0.3;
  const far = Math.abs(to - from);
  if (plan.wide) {
    const start = x - plan.cell * 0.16;
    return [start, y0 + down * edge * 0.5, start + plan.cell * (0.08 + 0.55 * far / P),
      (y0 + y1) / 2, start, y1 - down * edge];
  }
  const bend = Math.min(plan.cell * 0.36, 14 + 13 * far);
  return [x, y0 + down * edge * 0.5, x + bend, (y0 + y1) / 2, x, y1 - down * edge];
}
const along = ([x0, y0, cx, cy, x1, y1], t) => {
  const u = 1 - t;
  return [u * u * x0 + 2 * u * t * cx + t * t * x1, u * u * y0 + 2 * u * t * cy + t * t * y1];
};

function drawArrow(g, w, adds, strong, many) {
  g.strokeStyle = g.fillStyle = arrowColor(adds);
  g.lineWidth = strong ? 3 : many ? 1.1 : 1.7;
  g.setLineDash(adds ? [] : [5, 3]);
  g.beginPath();
  g.moveTo(w[0], w[1]);
  g.quadraticCurveTo(w[2], w[3], w[4], w[5]);
  g.stroke();
  g.setLineDash([]);
  const angle = Math.atan2(w[5] - w[3], w[4] - w[2]);
  g.beginPath();
  g.moveTo(w[4], w[5]);
  const size = many && !strong ? 7 : 9;
  for (const side of [-0.42, 0.42]) {
    g.lineTo(w[4] - size * Math.cos(angle + side), w[5] - size * Math.sin(angle + side));
  }
  g.fill();
}

// The longest of the label, the count and nothing that fits.
function textFor(g, panel, set, room) {
  const label = panel.labels[set];
  if (label === ".") { return ""; }
  for (const text of [label, "\u00d7" + panel.counts[set]]) {
    if (g.measureText(text).width <= room) { return text; }
  }
  return "";
}

function drawCells(g, panel, plan, state, showChanged) {
  const gap = plan.row >= 14 && plan.cell >= 14 ? 2 : 0;
  const large = plan.row >= 17 && plan.cell >= 20;
  const strip = data.reduces && plan.row >= 40 && plan.cell >= 6 * P && P > 1;
  for (let cell = 0; cell < state.sets.length; ++cell) {
    const rank = Math.floor(cell / panel.chunks), chunk = cell % panel.chunks;
    const x = plan.left + chunk * plan.cell, y = plan.top + rank * plan.row;
    const set = state.sets[cell];
    const faint = state.faded[cell] && panel.counts[set] > 0;
    const [fill, strong] = shade(panel.counts[set], panel.share(rank));
    const color = faint ? quiet : strong;
    const fresh = showChanged && state.changed.has(cell);
    g.globalAlpha = faint ? 0.42 : 1;
    g.fillStyle = fill;
    if (gap === 0) {
      g.fillRect(x, y, plan.cell + 0.3, plan.row + 0.3);
    } else {
      box(g, x + gap, y + gap, plan.cell - 2 * gap, plan.row - 2 * gap, 5);
      g.fill();
      g.lineWidth = fresh ? 2.2 : 0.8;
      g.strokeStyle = fresh ? ink : line;
      g.stroke();
    }
    if (large) {
      g.globalAlpha = faint ? 0.8 : 1;
      g.fillStyle = color;
      g.font = (fresh ? "600 " : "") + (plan.row >= 40 ? 15 : 12) + "px " + face;
      g.textAlign = "center";
      g.textBaseline = "middle";
      g.fillText(textFor(g, panel, set, plan.cell - 8), x + plan.cell / 2,
        y + plan.row / 2 - (strip ? 5 : -0.5));
    }
    if (strip && panel.counts[set] > 0) {
      const each = Math.min(panel.chunks === 1 ? 9 : 13, (plan.cell - 20) / P);
      const left = x + (plan.cell - each * P) / 2;
      for (let r = 0; r < P; ++r) {
        g.globalAlpha = (faint ? 0.5 : 1) * (panel.members[set].has(r) ? 0.9 : 0.15);
        g.fillStyle = color;
        g.fillRect(left + r * each + 0.8, y + plan.row - 14, each - 1.6, 6);
      }
    }
  }
  g.globalAlpha = 1;
}

// Bytes each rank has sent so far, beside the lower bound for the busiest.
function drawBars(g, panel, plan, before, state, t) {
  const x = plan.barLeft, scale = plan.bars / busiest, thick = Math.min(14, plan.row * 0.6);
  const bottom = plan.top + plan.row * P;
  g.font = "11.5px " + face;
  g.textAlign = "left";
  g.textBaseline = "alphabetic";
  g.fillStyle = quiet;
  g.fillText("sent so far", x, plan.top - 8 > 10 ? plan.top - 8 : 11);
  for (let r = 0; r < P; ++r) {
    const sent = before.sent[r] + (state.sent[r] - before.sent[r]) * t;
    const y = plan.top + (r + 0.5) * plan.row;
    g.fillStyle = "#e8edf2";
    g.fillRect(x, y - thick / 2, plan.bars, thick);
    g.fillStyle = "#3f6f9f";
    g.fillRect(x, y - thick / 2, sent * scale, thick);
    if (plan.row >= 15) {
      g.fillStyle = ink;
      g.textBaseline = "middle";
      g.fillText(asVectors(sent, t < 1 ? 2 : 4), x + plan.bars + 6, y + 0.5);
    }
  }
  const bound = x + panel.bound_sent * scale;
  g.strokeStyle = ink;
  g.lineWidth = 1.3;
  g.setLineDash([3, 3]);
  g.beginPath();
  g.moveTo(bound, plan.top);
  g.lineTo(bound, bottom + 5);
  g.stroke();
  g.setLineDash([]);
  const words = "bound " + asVectors(panel.bound_sent);
  g.fillStyle = ink;
  g.textBaseline = "alphabetic";
  g.textAlign = "center";
  const half = g.measureText(words).width / 2;
  g.fillText(words, Math.min(Math.max(bound, x + half), x + plan.bars + 48 - half), bottom + 18);
}

function drawNames(g, panel, plan) {
  g.font = "13px " + face;
  g.fillStyle = ink;
  g.textBaseline = "middle";
  g.textAlign = "right";
  const every = niceStep(13 / plan.row);
  for (let r = 0; r < P; r += every) {
    g.fillText("rank " + r, plan.left - 9, plan.top + (r + 0.5) * plan.row);
  }
  if (panel.chunks === 1) { return; }
  g.font = "12px " + face;
  g.fillStyle = quiet;
  g.textAlign = "center";
  const words = g.measureText(part + " 00").width < plan.cell - 6 ? part + " " : "";
  const step = niceStep(30 / plan.cell);
  for (let c = 0; c < panel.chunks; c += step) {
    g.fillText(words + c, plan.left + (c + 0.5) * plan.cell, plan.top - 11);
  }
}

// Draws round `r`, of which the share `t` is over; the value `lit` is a transfer to bring out.
function drawPanel(canvas, panel, r, t, lit) {
  const plan = gridPlan(panel, canvas.clientWidth || 600);
  const [g] = prepare(canvas, plan.height);
  const moving = r >= 0 && r <= panel.last;
  const before = panel.after(r - 1), after = panel.after(r);
  const arrived = !moving || t >= 0.8;
  drawNames(g, panel, plan);
  drawCells(g, panel, plan, arrived ? after : before, moving && arrived);
  drawBars(g, panel, plan, moving ? before : after, after, Math.min(1, t / 0.8));
  if (!moving || plan.row < 14 || plan.cell < 14) { return; }
  const moves = [];
  panel.rounds[r].moves.forEach(([from, to, first, chunks, adds, sentFirst], index) => {
    for (let i = 0; i < chunks; ++i) {
      const column = (first + i) % panel.chunks, sent = (sentFirst + i) % panel.chunks;
      const set = adds ? before.sets[from * panel.chunks + sent]
        : after.sets[to * panel.chunks + column];
      moves.push([way(plan, from, to, column, sent), adds, set, index === lit, panel.share(to)]);
    }
  });
  if (moves.length > 600) { return; }
  for (const [w, adds, , strong] of moves) {
    g.globalAlpha = lit < 0 || strong ? 1 : 0.2;
    drawArrow(g, w, adds, strong, moves.length > 20);
  }
  g.globalAlpha = 1;
  if (arrived) { return; }
  const ease = (u) => u * u * (3 - 2 * u);
  for (const [w, adds, set, , share] of moves) {
    const [x, y] = along(w, ease(t / 0.8));
    const [fill, color] = shade(panel.counts[set], share);
    const width = Math.min(plan.cell * 0.62, 64), height = Math.min(22, plan.row * 0.7);
    box(g, x - width / 2, y - height / 2, width, height, 6);
    g.fillStyle = fill;
    g.fill();
    g.strokeStyle = arrowColor(adds);
    g.lineWidth = 2;
    g.stroke();
    g.fillStyle = color;
    g.font = "600 12px " + face;
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.fillText(textFor(g, panel, set, width - 6), x, y + 0.5);
  }
}
)js";

}  // namespace coll_show
