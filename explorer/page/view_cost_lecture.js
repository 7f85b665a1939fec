// SPDX-License-Identifier: BSD-3-Clause
// The table of many lectures beside what is counted, and what its n means in each row.
import { h } from "./dom.js";
import { lectureTable } from "./lecture.js";
import { colourOf } from "./palette.js";

const vectors = (n) => `${Number(n.toPrecision(4))} m`;
const amount = (n, words) => h("td", { class: words ? "means" : "means nothing" }, vectors(n),
  h("span", {}, words ? `✓ ${words}` : "nothing that is counted here"));

export function lectureCard(core, size) {
  if (size < 2) { return [h("p", {}, "The table is for two ranks or more.")]; }
  const { rows, neither } = lectureTable(core, size);
  const says = neither
    ? `Neither meaning of n makes all four amounts right for K = ${size}: the rows are not about the same thing. The counted columns are.`
    : `For K = ${size}, one meaning of n makes all four amounts something that is counted. For more ranks none does: try 8.`;
  return [
    h("p", {}, "Many lectures print these four rows. K is the number of ranks, ", h("i", {}, "m"), " the vector of one rank. What n is, they rarely say: "
      + "the vector of one rank (n = m), or all ranks' vectors together (n = K m)? Here is both, and what is counted from the steps of an all-reduce."),
    h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "The lectures' table" }, h("table", { class: "lecture" },
      h("thead", {},
        h("tr", {}, h("th", { scope: "col", rowSpan: 2 }, "Algorithm"), h("th", { scope: "colgroup", colSpan: 3, class: "of" }, "The lectures' amount per node"),
          h("th", { scope: "colgroup", colSpan: 3, class: "of" }, "Counted, of the busiest rank"),
          h("th", { scope: "colgroup", colSpan: 2, class: "of" }, "The lectures' frequency (rounds)"), h("th", { scope: "col", rowSpan: 2 }, "Counted rounds")),
        h("tr", {}, ["formula", "if n = m, it is", "if n = K m, it is", "sent", "received", "both", "formula", "that is"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, rows.map((r) => h("tr", {},
        h("th", { scope: "row" }, h("span", { class: "swatch", style: { "--own": colourOf(r.algorithm) } }), r.algorithm),
        h("td", {}, r.amount), amount(r.amountIfOne, r.ifOne), amount(r.amountIfAll, r.ifAll),
        h("td", {}, vectors(r.sent)), h("td", {}, vectors(r.received)), h("td", {}, vectors(r.bothMost)),
        h("td", {}, r.frequency), h("td", {}, String(Number(r.times.toPrecision(4)))),
        h("td", {}, String(r.rounds))))))),
    h("p", { class: "says" }, says)];
}
