// SPDX-License-Identifier: BSD-3-Clause
// What the page says of the reader's algorithm: mistakes, the sizes for which it is proved, its cost.
import { h, listed, plural } from "./dom.js";
import { explain } from "./explained.js";
import { bytes } from "./numbers.js";

export const SIZES = Array.from({ length: 16 }, (_, i) => i + 1);
const spoken = (collective) => collective.replaceAll("_", "-");

// [{size, ok, what, rank, round, chunk, fits, error, why, faults}] of the collective that the page shows. `why`: a
// sentence; `faults`: the lines that made the steps at fault.
export function proofs(app, own) {
  const what = app.core.collectives.indexOf(app.state.collective);
  return SIZES.map((size) => {
    try {
      const job = own.record(what, size, Math.min(app.state.root, size - 1));
      if (!job) { return { size, fits: false, ok: false }; }
      const proof = app.core.check(job), why = explain(job, proof, app.state.collective);
      return { size, fits: true, ...proof, why: why.text, faults: [...new Set(why.steps.map((i) => job.lines[i]))].filter((l) => l > 0) };
    } catch (e) { return { size, fits: true, ok: false, error: e.message, line: e.line, faults: e.line ? [e.line] : [] }; }
  });
}

// What stands between `` is code.
const coded = (text) => text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));

export function errorList(own, goTo) {
  return h("ul", { class: "mistakes" }, own.errors.map((e) => h("li", {},
    h("button", { type: "button", class: "plain", onclick: () => goTo(e.line, e.column) }, `line ${e.line}`), " ", coded(e.text))));
}

const where = ({ rank, round, chunk }) => [rank >= 0 && `rank ${rank}`, round >= 0 && `round ${round}`, chunk >= 0 && `chunk ${chunk}`].filter(Boolean).join(", ");

// "1, 2 and 4 to 16".
export function sizesText(sizes) {
  const runs = [];
  for (const n of sizes) {
    if (runs.length > 0 && runs.at(-1)[1] === n - 1) { runs.at(-1)[1] = n; } else { runs.push([n, n]); }
  }
  return listed(runs.flatMap(([a, b]) => (b - a > 1 ? [`${a} to ${b}`] : a === b ? [`${a}`] : [`${a}`, `${b}`])));
}
const ranksText = (sizes) => `${sizesText(sizes)} ${sizes.length === 1 && sizes[0] === 1 ? "rank" : "ranks"}`;

// "Right for 1 rank only; wrong for 2 to 16."
export function sizesSentence(good, wrong) {
  if (wrong.length === 0) { return good.length === 0 ? "It is for none of these sizes." : `Right for ${ranksText(good)}.`; }
  return good.length === 0 ? `Wrong for ${ranksText(wrong)}.` : `Right for ${ranksText(good)}${good.length === 1 ? " only" : ""}; wrong for ${sizesText(wrong)}.`;
}

// The same mistake at several sizes is told once, as it is at the first.
function together(wrong) {
  const groups = new Map();
  for (const p of wrong) {
    const key = p.error ? p.error.replace(/\d+/g, "0") : p.what;
    if (groups.has(key)) { groups.get(key).push(p); } else { groups.set(key, [p]); }
  }
  return [...groups.values()];
}

export function proofCard(app, own, all, goTo) {
  const fit = all.filter((p) => p.fits), good = fit.filter((p) => p.ok), wrong = fit.filter((p) => !p.ok);
  const left = all.filter((p) => !p.fits).map((p) => p.size);
  const collective = spoken(app.state.collective);
  const sentence = sizesSentence(good.map((p) => p.size), wrong.map((p) => p.size)), groups = together(wrong);
  const chips = h("ol", { class: "sizes", "aria-label": "Ranks" }, all.map((p) => h("li", {
    class: !p.fits ? "none" : p.ok ? "right" : "wrong", title: !p.fits ? "not for so many ranks" : p.ok ? "proved" : p.error ?? p.what,
  }, h("b", {}, String(p.size)), h("span", { "aria-hidden": "true" }, !p.fits ? "\u2013" : p.ok ? "\u2713" : "\u2717"),
  h("span", { class: "away" }, !p.fits ? " does not fit" : p.ok ? " proved" : " wrong"))));
  const others = (p) => (p.size === app.state.ranks ? "" : ` with ${plural(p.size, "rank")}`);
  const shown = groups.slice(0, 4).map(([p, ...more]) => h("li", {},
    h("b", {}, `${ranksText([p, ...more].map((q) => q.size))}: `), p.error ? coded(p.error) : `${p.what}. `,
    !p.error && [more.length > 0 && h("b", {}, `With ${p.size}: `), p.why || `It is at ${where(p)}.`], " ",
    p.error ? p.line && h("button", { type: "button", class: "plain", onclick: () => goTo(p.line, 1) }, "Show the line")
      : [h("button", { type: "button", class: "plain", id: `write-show-${p.size}`, onclick: () => show(app, own, p, "data") }, `Show it${others(p)}`), " ",
         p.faults.length > 0 && h("button", { type: "button", class: "plain", id: `write-lines-${p.size}`, onclick: () => { show(app, own, p, "write"); goTo(p.faults[0], 1); } },
           `${p.faults.length > 1 ? "Its lines" : "Its line"}${others(p)}`)]));
  return h("section", { class: "card" }, h("h2", {}, `Proof: ${collective}`),
    h("p", { class: wrong.length ? "bad" : "good" }, h("b", {}, `${wrong.length ? "\u2717" : "\u2713"} ${sentence}`)),
    chips,
    left.length > 0 && h("p", { class: "quiet" }, `Its fits(size) says that it is not for the ${plural(left.length, "size")} with a dash.`),
    shown.length > 0 && h("ul", { class: "mistakes" }, shown),
    groups.length > shown.length && h("p", { class: "quiet" }, `And ${plural(groups.length - shown.length, "other mistake")}.`),
    h("p", { class: "quiet" }, "The library\u2019s checker runs the steps of all ranks on symbols: every contribution arrives once, no message is without its partner, nobody waits in a circle."));
}

// The player goes where the mistake is, perhaps with other ranks: the controls say so, and offer the way back.
function show(app, own, p, view) {
  if (p.size !== app.state.ranks) { own.ranksShown = { now: p.size, before: (own.ranksShown?.mended ? null : own.ranksShown?.before) ?? app.state.ranks }; }
  app.set({ algorithm: own.among(app.state.algorithm, null), ranks: p.size, round: Math.max(p.round, 0), view });
}

export function costCard(app, own) {
  const { collective, ranks, bytes: n } = app.state;
  const what = app.core.collectives.indexOf(collective);
  const panel = app.panels.find((p) => p.name === own.name && p.job);
  let cost = panel?.cost ?? null, note = "";
  if (!panel && ranks <= 64) {
    try {
      const job = own.record(what, ranks, Math.min(app.state.root, ranks - 1));
      cost = job && app.core.check(job).ok ? app.core.cost(job, n) : null;
    } catch { /* said beside the sizes, or by the complaint below */ }
  }
  if (!cost) { note = ranks > 64 && !panel ? "Play it to count it for so many ranks." : `Only what is right is counted, and for ${plural(ranks, "rank")} it is not.`; }
  const row = (title, has, bound, asBytes) => {
    const ratio = Number(bound) === 0 ? (Number(has) === 0 ? 1 : Infinity) : Number(has) / Number(bound);
    return h("tr", {}, h("th", { scope: "row" }, title), h("td", {}, asBytes ? bytes(has) : String(has)), h("td", {}, asBytes ? bytes(bound) : String(bound)),
      h("td", { class: has < bound ? "good in-words" : ratio <= 1 ? "good" : "" }, has < bound ? "below: several messages in one round" : ratio <= 1 ? "\u2713 least" : Number.isFinite(ratio) ? `${Number(ratio.toPrecision(3))} times` : ""));
  };
  return h("section", { class: "card" }, h("h2", {}, `Counted: ${plural(ranks, "rank")}, ${bytes(n)} each`),
    cost ? h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Busiest rank"), h("th", { scope: "col" }, "Yours"),
      h("th", { scope: "col" }, "Bound"), h("th", { scope: "col" }, "Ratio"))),
    h("tbody", {}, row("Rounds", cost.rounds, cost.bound.rounds, false), row("Sends", cost.busiest.sent, cost.bound.sent, true),
      row("Adds", cost.busiest.reduced, cost.bound.reduced, true))) : h("p", {}, note),
    cost && cost.rounds < cost.bound.rounds && h("p", { class: "quiet" }, "The bound on rounds is for one message of a rank at a time; in your rounds a rank sends several."));
}
