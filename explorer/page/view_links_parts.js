// SPDX-License-Identifier: BSD-3-Clause
// Parts of the links view: how much longer each round lasts, links by their load, and the table.
import { h, s } from "./dom.js";
import { bytes as inUnits } from "./numbers.js";
import { colourOf } from "./palette.js";
import { outline } from "./view_cost_bars.js";
import { linkName } from "./view_links.js";

const MOST_BARS = 512, MOST_ROWS = 100;

// The largest of each of at most `most` parts of a list.
function thinned(list, most) {
  const by = Math.ceil(list.length / most);
  return by <= 1 ? list : Array.from({ length: Math.ceil(list.length / by) }, (_, i) => Math.max(...list.slice(i * by, (i + 1) * by)));
}

// A bar for each round: 1 is as long as on a crossbar.
export function factorStrip(rounds, round) {
  const most = Math.max(1, ...rounds.map((r) => r.factor));
  if (most < 1.0005) { return null; }
  const bars = thinned(rounds.map((r) => r.factor), 256), by = Math.ceil(rounds.length / 256);
  const width = 560, height = 78, left = 34, floor = 60, step = Math.min(28, (width - left) / bars.length);
  const y = (f) => floor - f / most * 48;
  return h("figure", { class: "wide", tabIndex: 0 }, h("figcaption", { class: "quiet" }, "How many times as long as on a crossbar each round lasts"),
    s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "factors", "aria-hidden": "true" },
      bars.map((f, i) => s("rect", { x: left + i * step, y: y(f), width: Math.max(0.8, step * 0.8), height: floor - y(f), class: Math.floor(round / by) === i && round >= 0 ? "now" : null })),
      [1, most].map((f) => [s("line", { x1: left, x2: width, y1: y(f), y2: y(f), class: "grid" }), s("text", { x: left - 5, y: y(f) + 4, "text-anchor": "end", class: "tick" }, String(Number(f.toFixed(f < 10 ? 1 : 0))))]),
      bars.map((_, i) => (i % Math.ceil(30 / step) === 0 ? s("text", { x: left + (i + 0.4) * step, y: floor + 15, "text-anchor": "middle", class: "tick" }, String(i * by)) : null))));
}

export function loadCurve(load, most, name) {
  const sorted = Array.from(load.bytes).sort((a, b) => b - a), bars = thinned(sorted, MOST_BARS);
  const width = 720, height = 190, left = 74, floor = 160, step = (width - left) / bars.length;
  const y = (n) => floor - (most === 0 ? 0 : n / most * 145);
  return h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": `Links by load, ${name}` }, s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "bars", "aria-hidden": "true", style: { "--own": colourOf(name) } },
    [most, most / 2].map((n) => [s("line", { x1: left, x2: width, y1: y(n), y2: y(n), class: "grid" }), s("text", { x: left - 6, y: y(n) + 4, "text-anchor": "end", class: "tick" }, inUnits(n))]),
    s("path", { d: outline(bars, left, step, y, floor), class: "bar-now" }),
    s("line", { x1: left, x2: width, y1: floor, y2: floor, class: "axis" }),
    s("text", { x: (left + width) / 2, y: floor + 20, "text-anchor": "middle", class: "tick" }, `${sorted.length} links, the busiest first`)));
}

export function linkTable(net, load, name) {
  const details = h("details", {}, h("summary", {}, "Links as a table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) { return; }
    const links = Array.from(load.bytes.keys()).filter((i) => load.bytes[i] > 0 || load.messages[i] > 0).sort((a, b) => load.bytes[b] - load.bytes[a] || a - b);
    details.append(h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": `Links, ${name}` }, h("table", {}, h("caption", { class: "away" }, `What links carry, ${name}`),
      h("thead", {}, h("tr", {}, ["Link", "Messages", "Bytes"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, links.slice(0, MOST_ROWS).map((i) => h("tr", {}, h("th", { scope: "row" }, linkName(net, i)), h("td", {}, load.messages[i].toLocaleString("en")),
        h("td", {}, load.bytes[i].toLocaleString("en"))))))),
    h("p", { class: "quiet" }, `${links.length > MOST_ROWS ? `${links.length - MOST_ROWS} more carry less. ` : ""}${net.links.length - links.length} links carry nothing.`));
  });
  return details;
}

// How long each message of a round takes by fair sharing, the slowest first.
export function messageTable({ job, name }, ends, { starts, from, to, bytes }, round) {
  if (round >= job.rounds) { return null; }
  const slow = (k) => (bytes[k] > 0 ? ends[k] / bytes[k] : 0);
  const all = Array.from({ length: starts[round + 1] - starts[round] }, (_, i) => starts[round] + i).filter((k) => bytes[k] > 0).sort((a, b) => slow(b) - slow(a) || a - b);
  if (all.length === 0) { return null; }
  const times = (k) => slow(k).toFixed(2), [most, least] = [times(all[0]), times(all.at(-1))];
  const said = most === "1.00" ? "no message waits for another." : `each message takes ${least === most ? most : `${least} to ${most}`} times as long as alone.`;
  return [h("p", {}, `By fair sharing, in round ${round} ${said}`), most === "1.00" ? null : h("details", {}, h("summary", {}, `Messages of round ${round} as a table`),
    h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": `Messages of round ${round}, ${name}` }, h("table", {}, h("caption", { class: "away" }, `How long messages take, ${name}`),
      h("thead", {}, h("tr", {}, ["Message", "Bytes", "Times as long as alone"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, all.slice(0, MOST_ROWS).map((k) => h("tr", {}, h("th", { scope: "row" }, `rank ${from[k]} to rank ${to[k]}`), h("td", {}, bytes[k].toLocaleString("en")), h("td", {}, times(k))))))),
    all.length > MOST_ROWS ? h("p", { class: "quiet" }, `${all.length - MOST_ROWS} more take less.`) : null)];
}
