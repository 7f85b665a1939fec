// SPDX-License-Identifier: BSD-3-Clause
// "Why can nobody send less?": the bounds of the shown collective, each in two lines.
import { boundsOf } from "./cost_bounds.js";
import { h } from "./dom.js";

const TITLES = { rounds: "Rounds", sent: "Sent by the busiest rank", received: "Received by the busiest rank",
                 reduced: "Added by the busiest rank" };
export const grouped = (n) => n.toLocaleString("en");

const valueOf = (key, value) => (key === "rounds" ? grouped(value) : `${grouped(value)} ${value === 1n ? "byte" : "bytes"}`);

export function whyNotLess(collective, size, bytes) {
  if (size === 1) { return [h("p", {}, "One rank has nobody to talk to: it needs no round and no byte.")]; }
  const bounds = boundsOf(collective, size, bytes);
  const entry = ([key, title]) => {
    const { formula, why, value } = bounds[key];
    return h("div", { class: "derivation" }, h("h3", {}, title),
      h("p", {}, h("b", { class: "formula" }, `at least ${formula}`.replaceAll(" − ", "\u00a0−\u00a0")), ` = ${valueOf(key, value)}`),
      h("ol", {}, why.map((line) => h("li", {}, line.replaceAll(" − ", "\u00a0−\u00a0").replaceAll(") n", ")\u00a0n")))));
  };
  return [h("p", { class: "quiet" }, `P = ${size} ranks; ${bounds.meaning}, here ${grouped(bytes)} bytes. A value is what one `
    + "rank contributes to one byte, or a sum of such contributions. No message carries two values in the place of one."),
          h("div", { class: "derivations" }, Object.entries(TITLES).map(entry)),
          h("p", { class: "quiet" }, "Where the mean is used, it is reached only if all ranks do equally much: a ring does. "
            + "The bound on rounds is for messages one at a time: a round with a message to every other rank can be the only one.")];
}
