// SPDX-License-Identifier: BSD-3-Clause
// What the bars of a timeline mean.
import { h, s } from "./dom.js";

const icon = (...parts) => s("svg", { width: 34, height: 16, viewBox: "0 0 34 16", "aria-hidden": "true" }, parts);
const box = { x: 1, y: 2, width: 32, height: 12 };
const bar = (kind) => [s("rect", { ...box, class: `t-bars ${kind}` }), kind === "copies" ? s("rect", { ...box, class: "t-bars dots" }) : null];
// As on a canvas: sends are half as high, copies have a gap, additions are pale.
const solid = (colour, y, height, opacity = 1) => s("rect", { x: 1, y, width: 32, height, style: { fill: `var(--${colour})`, opacity } });
const thin = { sends: () => [solid("sends", 5, 6)], adds: () => [solid("adds", 2, 12)], copies: () => [solid("copies", 2, 4), solid("copies", 10, 4)] };

export function legendOf(small, all, network) {
  const has = (verb) => all.some(({ panel }) => { for (let i = 2; i < panel.job.steps.length; i += 6) { if (panel.job.steps[i] === verb) { return true; } } return false; });
  const line = (node, text) => h("li", {}, node, text);
  const of = (kind) => icon(small ? bar(kind) : thin[kind]());
  const sign = (t) => (small ? ` (${t})` : "");
  return [
    has(0) && line(of("sends"), `sends, upper half${sign("\u2192 to")}`),
    has(1) && line(of("adds"), `receives what it adds${sign("+ from")}`),
    has(1) && network.added > 0 && line(icon(small ? bar("adding") : solid("adds", 2, 12, 0.45)), "adds"),
    has(2) && line(of("copies"), `receives a copy${sign("= from")}`),
    small && network.overhead > 0 && line(icon(s("rect", { x: 1, y: 7, width: 32, height: 2.4, class: "t-bars processor" })), "the processor\u2019s overhead"),
    network.late.length > 0 && line(icon(small ? s("rect", { ...box, class: "t-late" }) : solid("edge", 5, 6)), "late"),
    line(icon(s("path", { d: "M1 12L14 12L20 4L33 4", class: "t-critical-halo" }), s("path", { d: "M1 12L14 12L20 4L33 4", class: "t-critical" })), "the critical path: what the last rank waited for"),
  ].filter((l) => l);
}
