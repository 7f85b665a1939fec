// SPDX-License-Identifier: BSD-3-Clause
// What the colours and signs of the data view mean: only those that it uses.
import { h, s } from "./dom.js";
import { TRAITS } from "./model.js";
import { shadeOf } from "./palette.js";
import { isDark } from "./theme.js";
import { lostOf } from "./lost.js";
import { crossAt, hatching } from "./view_data_grid.js";

// `framed`: whether a cell has the frame of a mistake.
export function legendOf(app, small, framed) {
  const { state } = app;
  const { reduces, blocks } = TRAITS[state.collective];
  const item = (kind, style, text) => h("li", {}, h("i", { class: kind, style, "aria-hidden": "true" }), text);
  const items = [];
  if (reduces) {
    const ramp = [1, 2, 3, 4, 5].map((k) => shadeOf(k, 6, isDark()).fill).join(",");
    items.push(item("ramp", { background: `linear-gradient(to right,${ramp})` }, "few to many contributions"),
      item("", { background: "var(--gold)" }, "complete"));
  } else {
    items.push(item("ramp", { background: "linear-gradient(to right,hsl(205 62% var(--rank-lightness)),hsl(300 62% var(--rank-lightness)),hsl(60 62% var(--rank-lightness)))" },
      blocks ? "one colour per block" : "one colour per chunk"));
  }
  if (reduces) { items.push(item("edge adds", {}, small ? "just added" : "added in this round")); }
  items.push(item("edge copies", {}, small ? "just copied" : "copied in this round"));
  if (state.ranks <= 64 && state.collective !== "all_to_all") { items.push(h("li", {}, s("svg", { width: 22, height: 16, class: "swatch", "aria-hidden": "true" }, hatching(1, 1, 20, 14)), "sent on, not needed any more")); }
  if (small && reduces && state.cells === "who" && state.ranks > 2) {
    const p = state.ranks;
    items.push(h("li", {}, `0\u20132 means ranks 0, 1 and 2; ${p - 1}\u20131 goes round the end: ${p - 1}, 0, 1`));
  }
  if (small && reduces && state.cells === "bracket") { items.push(h("li", {}, "a number is a rank\u2019s vector; the inner bracket is added first")); }
  if (small && reduces && state.cells !== "numbers" && state.ranks > 2) {
    items.push(h("li", {}, `\u00d7${state.ranks} is a sum of ${state.ranks}, where a cell is too narrow to list them`));
  }
  if (framed) { items.push(item("edge fault", {}, "where the checker found the mistake")); }
  const wrong = app.panels.filter((p) => small && p.job && !p.proof.ok).map((p) => lostOf(p.job, p.proof, state.collective, state.round));
  const swatch = (...parts) => s("svg", { width: 34, height: 16, viewBox: "0 0 34 16", class: "swatch", "aria-hidden": "true" }, parts);
  const stroke = (d, dash) => s("path", { d, stroke: "var(--bad)", "stroke-width": dash ? 2 : 3.2, "stroke-dasharray": dash, fill: "none" });
  if (wrong.some((w) => w.lost.length > 0)) {
    items.push(h("li", {}, swatch(stroke("M0 8H17"), stroke("M17 8H34", "1.5 5"), crossAt(17, 8)), "sent, but not received"),
      h("li", {}, swatch(stroke("M0 8H17", "1.5 5"), stroke("M17 8H34"), crossAt(17, 8)), "waited for, but not sent"));
  }
  if (small && reduces && state.cells === "numbers") { items.push(h("li", {}, "each addition rounds to a float of 32 bits")); }
  return items;
}
