// SPDX-License-Identifier: BSD-3-Clause
// "Why can nobody send less?": the bounds of the shown collective, each in two lines.
import { boundsOf } from "./cost_bounds.js";
import { h } from "./dom.js";

const TITLES = { rounds: "Rounds", sent: "Sent by the busiest rank", received: "Received by the busiest rank",
                 reduced: "Added by the busiest rank" };
export const grouped = (n) => n.toLocaleString("en");

const valueOf = (key, value) => (key === "rounds" ? grouped(value) : `${grouped(value)} ${value === 1n ? "byte" : "bytes"}`);

// The rounds of a ring, in each of which every rank sends one chunk of n/P bytes.
const RING = { all_reduce: ["2(P − 1)", 2], reduce_scatter: ["P − 1", 1], all_gather: ["P − 1", 1] };

function whyReached(collective, size) {
  if (!RING[collective]) { return "The mean is reached only if all ranks do equally much. "; }
  const [formula, times] = RING[collective];
  return `The mean is reached only if all ranks do equally much. A ring does: in each of its ${formula} = ${times * (size - 1)} `
    + "rounds every rank sends one chunk of n/P bytes, and sends nothing twice. "
    + (collective === "all_reduce" && size > 2 ? "All ranks of a tree together send as much, but unevenly: some send one vector, the busiest two or more. " : "");
}

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
          h("p", { class: "quiet" }, whyReached(collective, size).replaceAll(" − ", "\u00a0−\u00a0")
            + "The bound on rounds is for messages one at a time: a round with a message to every other rank can be the only one.")];
}
