// SPDX-License-Identifier: BSD-3-Clause
// What is counted, exactly, beside the bounds.
import { h } from "./dom.js";
import { grouped } from "./view_cost_why.js";

const ROWS = [
  ["Rounds", (c) => c.rounds, (c) => c.bound.rounds, "all"],
  ["Sent by the busiest rank", (c) => c.busiest.sent, (c) => c.bound.sent],
  ["Received by the busiest rank", (c) => c.busiest.received, () => null],
  ["Added by the busiest rank", (c) => c.busiest.reduced, (c) => c.bound.reduced],
  ["Bytes in sequence", (c) => c.critical.bytes, () => null],
  ["Added in sequence", (c) => c.critical.reduced, () => null],
  ["Sent by all together", (c) => c.total, () => null],
];

const inVectors = (n, bytes) => `${Number((Number(n) / bytes).toPrecision(4))} n`;
const ratio = (n, bound) => (bound === 0n || bound === null ? "" : (Number(n) / Number(bound)).toFixed(2));

// `received`: the bound of what is received, which the cost model does not state.
export function countTable(panels, bytes, received) {
  const first = panels[0].cost;
  const boundOf = ([title, , bound]) => (title.startsWith("Received") ? received : bound(first));
  const cells = (row) => (panel) => {
    const n = row[1](panel.cost), bound = boundOf(row), r = ratio(n, bound);
    const best = bound !== null && n === bound;
    return [h("td", {}, grouped(n), row[3] || bytes === 0 ? null : h("span", { class: "in-vectors" }, inVectors(n, bytes))),
            h("td", { class: best ? "ratio best" : "ratio" }, best ? h("span", {}, "✓ ", h("span", { class: "away" }, "at the bound ")) : null, r)];
  };
  return h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "Exact counts" }, h("table", { class: "counts" },
    h("thead", {},
      h("tr", {}, h("th", { scope: "col", rowSpan: 2 }, "Counted from the steps"), h("th", { scope: "col", rowSpan: 2 }, "Bound"),
        panels.map((p) => h("th", { scope: "colgroup", colSpan: 2, class: "of" }, p.name))),
      h("tr", {}, panels.map(() => [h("th", { scope: "col" }, "bytes, or rounds"), h("th", { scope: "col" }, "÷ bound")]))),
    h("tbody", {}, ROWS.map((row) => h("tr", {}, h("th", { scope: "row" }, row[0]),
      h("td", {}, boundOf(row) === null ? "" : grouped(boundOf(row))), panels.map(cells(row)))))));
}
