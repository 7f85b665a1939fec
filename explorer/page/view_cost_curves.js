// SPDX-License-Identifier: BSD-3-Clause
// How long it takes by counts and prices: over bytes, over ranks, and at the point that is shown.
import { MOST_RANKS } from "./app.js";
import { makeCounts } from "./cost_counts.js";
import { pricesOf, secondsOf, stretches } from "./cost_model.js";
import { h, listed } from "./dom.js";
import { bytes as inUnits, seconds } from "./numbers.js";
import { colourOf } from "./palette.js";
import { asOneOf, declare } from "./state.js";
import { mark } from "./marks.js";
import { s } from "./dom.js";
import { logPlot } from "./view_cost_plot.js";
import { grouped } from "./view_cost_why.js";

const MOST_BYTES = 2 ** 30, MOST_COUNTED = 1024, MOST_OWN = 64;
const SLACK = 0.05;  // over ranks curves are jagged, and cross all the time by very little
const wholes = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
// Where curves are computed: densely where there is a closed form, else at these.
const DENSE_BYTES = [...new Set(Array.from({ length: 121 }, (_, i) => Math.round(2 ** (i / 4))))];
const SOME_BYTES = Array.from({ length: 31 }, (_, i) => 2 ** i);
const DENSE_RANKS = [...wholes(2, 64), ...[64, 128, 256, 512].flatMap((p) => wholes(1, 32).map((i) => p + i * p / 32)), 65, 129, 257, 513].sort((a, b) => a - b);
const SOME_RANKS = [...wholes(2, 16), 20, 24, 28, 32, 40, 48, 56, 64, 96, 128, 192, 256];

export function mountCurves(host, app) {
  declare({ curves: { initial: "all", ...asOneOf("all", "shown") } });
  const { core } = app;
  let picked = null;
  // One change of the state a frame, however fast the pointer is.
  function pick(patch) {
    if (picked === null) { requestAnimationFrame(() => { const p = picked; picked = null; app.set(p, { replace: true }); }); }
    picked = patch;
  }
  const setBytes = (n) => pick({ bytes: Math.max(1, Math.min(MOST_BYTES, Math.round(n))) });
  const setRanks = (n) => pick({ ranks: Math.max(1, Math.min(MOST_RANKS, Math.round(n))) });
  const overBytes = logPlot({
    id: "point-bytes", label: "Bytes of the vector", least: 1, most: MOST_BYTES, format: (n) => inUnits(n),
    ticks: [0, 5, 10, 15, 20, 25, 30].map((e) => [2 ** e, inUnits(2 ** e)]),
    onPick: (n) => setBytes(n < 1024 ? n : Number(n.toPrecision(3))),
    onKey: (key) => {
      const { bytes } = app.state;
      const to = { ArrowRight: bytes * 2 ** 0.25, ArrowUp: bytes * 2 ** 0.25, ArrowLeft: bytes / 2 ** 0.25, ArrowDown: bytes / 2 ** 0.25,
                   PageUp: bytes * 4, PageDown: bytes / 4, Home: 1, End: MOST_BYTES }[key];
      if (to !== undefined) { setBytes(to > bytes ? Math.ceil(to) : Math.floor(to)); }
      return to !== undefined;
    },
  });
  const overRanks = logPlot({
    id: "point-ranks", label: "Number of ranks", least: 2, most: MOST_COUNTED, format: (p) => `${p} ranks`,
    ticks: [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].map((p) => [p, String(p)]), onPick: setRanks,
    onKey: (key) => {
      const { ranks } = app.state;
      const to = { ArrowRight: ranks + 1, ArrowUp: ranks + 1, ArrowLeft: ranks - 1, ArrowDown: ranks - 1, PageUp: ranks * 2, PageDown: ranks / 2, Home: 2, End: MOST_RANKS }[key];
      if (to !== undefined) { setRanks(to); }
      return to !== undefined;
    },
  });
  const choice = h("select", { id: "curves", onchange: () => app.set({ curves: choice.value }) },
    h("option", { value: "all" }, "all algorithms"), h("option", { value: "shown" }, "only those shown"));
  const prices = h("p", { class: "quiet" }), say = [h("p", { class: "says" }), h("p", { class: "says" })];
  const waiting = h("p", { class: "quiet", role: "status" }), here = h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "Times at the point" });
  host.append(h("div", { class: "row between" }, h("h2", {}, "How long it takes"), h("label", { class: "quiet" }, "Curves of ", choice)), prices,
    h("div", { class: "plots" },
      h("figure", {}, h("figcaption", {}, "Over bytes"), overBytes.node, say[0]),
      h("figure", {}, h("figcaption", {}, "Over ranks"), overRanks.node, say[1])), waiting, here);
  const counts = makeCounts(app, () => redraw(true));
  let drawn = "";

  function redraw(again = false) {
    const { state } = app, at = pricesOf(state);
    const width = Math.floor(overBytes.node.clientWidth);
    if (host.closest("[hidden]") || width === 0) { return; }
    const sources = [...app.sources].map(([n, source]) => n + source.version).join();
    const key = [state.algorithm, state.collective, state.ranks, state.root, state.bytes, state.curves, ...Object.values(at), width, sources, ...app.panels.map((p) => p.job !== null)].join(" ");
    if (key === drawn && !again) { return; }
    if (key !== drawn) { ask(); }
    drawn = key;
    choice.value = state.curves;
    prices.textContent = `Time = rounds × latency + messages × 2 overheads + bytes × β + bytes added × γ, of what comes one after the other. Here the latency is ${seconds(state.alpha)}, `
      + `the overhead ${seconds(state.overhead)} a message, β ${seconds(state.beta)} a byte, γ ${seconds(state.gamma)} a byte added: change them in the Time tab. `
      + "As if all ranks entered each round together: in the Time tab rounds overlap, so times and crossings may be lower there. Drag the dot, or use the arrow keys on it.";
    const times = new Map();
    const timeOf = (name, size, bytes) => {
      const k = `${name} ${size} ${bytes}`;
      if (!times.has(k)) {
        const c = counts.get(name, what(), size, rootOf(size), actual(bytes));
        times.set(k, c ? secondsOf(c, at) : c === null ? NaN : undefined);
      }
      return times.get(k);
    };
    const names = namesShown(), height = width < 480 ? 300 : 340;
    const part = (plot, say_, xs, now, f, format, playable, near) => {
      const curves = names.map((name) => ({ name, strong: state.algorithm.includes(name), now: f(name, now), points: xs.map((x) => [x, f(name, x)]) }));
      const timesAt = (of) => (x) => of.map((name) => [name, f(name, x)]);
      const known = xs.filter((x) => names.every((name) => f(name, x) !== undefined));
      const two = state.algorithm.filter((n) => names.includes(n)), slack = two.length < names.length ? near : undefined;
      const all = stretches(known, timesAt(names), slack);
      plot.draw({ curves, x: Math.max(now, xs[0]), stretches: all, playable, width, height });
      say_.replaceChildren(...[two.length > 1 && two.length < names.length ? sentence("Of those shown, ", stretches(xs.filter((x) => two.every((name) => f(name, x) !== undefined)), timesAt(two)), format) : null,
        sentence(two.length < names.length ? "Of all, " : "", all, format), slack ? "(Of all, within 5 % counts as equal.) " : null, plot === overRanks ? `Grey: more ranks than the ${MOST_RANKS} that play here.` : null].filter((t) => t !== null).map((t) => h("span", {}, t)));
    };
    part(overBytes, say[0], sizesOf(), state.bytes, (name, n) => timeOf(name, state.ranks, n), inUnits, MOST_BYTES);
    part(overRanks, say[1], ranksOf(), state.ranks, (name, p) => timeOf(name, p, state.bytes), (p) => `${p} ranks`, MOST_RANKS, SLACK);
    waiting.textContent = counts.waiting > 0 ? `Counting: ${counts.waiting} points of the curves are still to come.` : "";
    const alone = state.ranks === 1;
    here.replaceChildren(...(alone ? [] : [table(names, at), h("p", { class: "quiet" }, "Above: seconds; below: how many. Simulated: what the Time tab says of those shown, step by step, with late ranks and slow links.")]));
    if (empty()) { say[0].prepend("A barrier has no bytes: its messages are empty. "); }
    if (!alone) { simulate(key); }
    if (alone) { say[0].textContent = "One rank sends nothing and waits for nobody: it takes no time, however large the vector."; }
  }

  const what = () => core.collectives.indexOf(app.state.collective);
  const rootOf = (size) => Math.min(app.state.root, size - 1);
  const closed = () => what() === 0;
  const sizesOf = () => (closed() ? DENSE_BYTES : SOME_BYTES), ranksOf = () => (closed() ? DENSE_RANKS : SOME_RANKS);
  const argumentsOf = (plot, name, x) => (plot === overBytes ? [name, what(), app.state.ranks, rootOf(app.state.ranks), actual(x)]
    : [name, what(), x, rootOf(x), actual(app.state.bytes)]);
  // A barrier's messages are empty.
  const empty = () => app.state.collective === "barrier";
  const actual = (bytes) => (empty() ? 0 : bytes);
  function namesShown() {
    const library = app.state.curves === "all" ? core.algorithms.filter((n) => !n.endsWith(":")) : [];
    return [...new Set([...library, ...app.state.algorithm])].filter((n) => app.sources.has(n) || core.fits(n, app.state.ranks) || library.includes(n) || /:\d+$/.test(n));
  }
  // Of what has no closed form.
  function ask() {
    const names = namesShown().filter((n) => !closed() || app.sources.has(n));
    const most = (name) => (app.sources.has(name) ? MOST_OWN : MOST_RANKS);
    counts.want([...names.map((n) => argumentsOf(overBytes, n, app.state.bytes)),
                 ...sizesOf().flatMap((x) => names.map((n) => argumentsOf(overBytes, n, x))),
                 ...ranksOf().flatMap((x) => names.filter((n) => x <= most(n)).map((n) => argumentsOf(overRanks, n, x)))]);
  }

  // One after the other: of many ranks each takes a while.
  function simulate(key) {
    for (const cell of here.querySelectorAll("[data-simulated]")) { app.apart(() => { if (key === drawn) { cell.textContent = simulated(cell.dataset.simulated); } }); }
  }
  // What the Time tab says, of the algorithms shown.
  function simulated(name) {
    const panel = app.panels.find((p) => p.name === name && p.job && p.proof.ok);
    return panel && app.timed && !empty() ? seconds(app.timed(panel).total) : "";
  }

  function table(names, at) {
    const { ranks, bytes } = app.state;
    const rows = names.map((name) => ({ name, c: counts.get(name, what(), ranks, rootOf(ranks), actual(bytes)) })).filter((r) => r.c)
      .map((r) => ({ ...r, time: secondsOf(r.c, at) })).sort((a, b) => a.time - b.time);
    const term = (n, price) => h("td", {}, seconds(n * price), h("span", { class: "in-vectors" }, grouped(n)));
    return h("table", { class: "counts" }, h("caption", {}, `At ${ranks} ${ranks === 1 ? "rank" : "ranks"} and ${inUnits(bytes)}`),
      h("thead", {}, h("tr", {}, ["Algorithm", "rounds", "messages", "bytes in sequence", "added in sequence", "time", "× quickest", "simulated"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, rows.map(({ name, c, time }) => h("tr", { class: app.state.algorithm.includes(name) ? "chosen" : null },
        h("th", { scope: "row" }, s("svg", { width: 16, height: 14, viewBox: "-8 -7 16 14", "aria-hidden": "true" }, mark(name, 0, 0)), " ",
          h("span", { style: { color: colourOf(name) } }, name)),
        term(c.rounds, at.round), term(c.messages, at.message), term(c.bytes, at.byte), term(c.reduced, at.added), h("td", {}, h("b", {}, seconds(time))),
        h("td", {}, rows[0].time > 0 ? (time / rows[0].time).toFixed(2) : "1.00"), h("td", { "data-simulated": name })))));
  }
  return redraw;
}

// "tree is the quickest below 12 KiB, ring from there on."
export function sentence(start, all, format) {
  const who = (names) => (names.length > 1 ? `${listed(names)} (equal)` : names[0]);
  if (all.length === 0) { return null; }
  if (all.length === 1) { return `${start}${who(all[0].names)} ${all[0].names.length > 1 ? "are" : "is"} the quickest everywhere. `; }
  if (all.length === 2) { return `${start}${who(all[0].names)} ${all[0].names.length > 1 ? "are" : "is"} quicker below ${format(all[1].from)}, ${who(all[1].names)} from there on. `; }
  const shown = all.slice(0, 5);
  const parts = shown.map((s_, i) => (i === 0 ? `${who(s_.names)} below ${format(all[1].from)}` : `${who(s_.names)} from ${format(s_.from)}`));
  const more = all.length - shown.length;
  return `${start}the quickest: ${parts.join("; ")}${more > 0 ? `; then ${more} more ${more === 1 ? "change" : "changes"}` : ""}. `;
}
