// SPDX-License-Identifier: BSD-3-Clause
// What each rank sends, beside the least that is possible; the exact counts; and how long that takes.
import { boundsOf } from "./cost_bounds.js";
import { busiestOf, progressOf } from "./cost_progress.js";
import { h, listed, plural } from "./dom.js";
import { bytes as inUnits, seconds } from "./numbers.js";
import { colourOf } from "./palette.js";
import { asOneOf, declare } from "./state.js";
import { barChart } from "./view_cost_bars.js";
import { mountCurves } from "./view_cost_curves.js";
import { lectureCard } from "./view_cost_lecture.js";
import { countTable } from "./view_cost_table.js";
import { whyNotLess } from "./view_cost_why.js";

const VERBS = { sent: ["sent", "sends"], received: ["received", "receives"], added: ["added", "adds"] };
const MOST_NAMED = 4;
const KEYS = { sent: "sent", received: "received", added: "reduced" };

// Chunks may differ by a byte: what reads the same is the same here.
const alike = (a, b) => inUnits(a) === inUnits(b);

// How much of a step is over: by round all or nothing, by time a part of it.
export function doneOf(app, panel) {
  const { clock, round, time } = app.state;
  if (clock !== "time" || !app.timed) { return (_, r) => (r <= round ? 1 : 0); }
  const { begin, end } = app.timed(panel);
  return (i) => (time >= end[i] ? 1 : time <= begin[i] ? 0 : (time - begin[i]) / (end[i] - begin[i]));
}

export default {
  id: "cost",
  title: "Cost",
  mount(host, app) {
    declare({ counted: { initial: "sent", ...asOneOf("sent", "received", "added") } });
    const choice = h("fieldset", { class: "choices" }, h("legend", { class: "away" }, "What the bars show"),
      Object.keys(VERBS).map((k) => h("label", {}, h("input", { type: "radio", name: "counted", value: k, onchange: () => app.set({ counted: k }) }), ` ${k}`)));
    const title = h("h2", { tabIndex: -1 }), charts = h("div", { class: "charts" }), why = h("div", {}), counts = h("div", {}), lecture = h("div", {});
    const key = h("p", { class: "quiet" }, "Full bars: so far. Pale bars: in the end.");
    const whyBox = h("details", { class: "why", id: "why-not-less" }, h("summary", {}, "Why can nobody send less?"), why);
    const curves = h("section", { class: "card", id: "curves-card" });
    const lectures = h("details", { class: "lectures", ontoggle: () => redrawBelow() }, h("summary", {}, h("h2", {}, "The table of lectures, and what its n means")), lecture);
    const replaced = h("p", { class: "row", id: "replaced", role: "status", hidden: true });
    host.append(replaced, h("section", { class: "card" }, h("div", { class: "row between" }, title, choice), charts, key, whyBox),
      h("section", { class: "card" }, h("h2", {}, "Counted exactly"), counts), curves,
      h("section", { class: "card" }, lectures));
    const redrawCurves = mountCurves(curves, app);
    let drawn = {}, ends = new WeakMap();

    // Draws a part again only if what it shows has changed.
    function once(name, key, draw) {
      if (drawn[name] === key) { return; }
      drawn[name] = key;
      draw();
    }
    const endOf = (panel, n) => {
      const known = ends.get(panel.job);
      if (known?.bytes === n) { return known.end; }
      const end = progressOf(panel.job, n, () => 1);
      ends.set(panel.job, { bytes: n, end });
      return end;
    };

    function drawBars(panels) {
      const { collective, ranks, bytes, counted } = app.state;
      const n = collective === "barrier" ? 0 : bytes;
      const bound = Number(boundsOf(collective, ranks, n)[KEYS[counted]].value);
      const all = panels.map((panel) => ({ panel, end: endOf(panel, n)[counted], now: progressOf(panel.job, n, doneOf(app, panel))[counted] }));
      const most = Math.max(bound, ...all.flatMap(({ end }) => busiestOf(end).bytes));
      const gap = 24, full = charts.clientWidth;
      const columns = Math.max(1, Math.min(all.length, Math.floor((full + gap) / (260 + gap))));
      const width = Math.floor((full - gap * (columns - 1)) / columns);
      charts.style.setProperty("--columns", columns);
      charts.replaceChildren(...all.map(({ panel, end, now }) => h("figure", {},
        h("figcaption", { style: { color: colourOf(panel.name) } }, panel.name),
        barChart({ name: panel.name, now, end, most, bound, busiest: busiestOf(now).bytes > 0 ? busiestOf(now).rank : busiestOf(end).rank,
                   width, height: all.length > 1 || full < 500 ? 200 : 230 }),
        h("p", { class: "says" }, said(VERBS[counted], busiestOf(now, alike), busiestOf(end, alike), ranks, bound)),
        perRank(VERBS[counted][0], panel.name, now, end))));
      key.hidden = app.state.clock === "round" && app.state.round >= app.rounds - 1;
    }

    // Who compares with another algorithm is told which one had to go, as long as those are shown.
    function tellReplaced() {
      const { replaced: r, state } = app, text = r?.now === state.algorithm.join() ? r.text : "";
      replaced.hidden = text === "";
      if (replaced.dataset.text === text) { return; }
      replaced.dataset.text = text;
      replaced.replaceChildren(...(text ? [text, h("button", { type: "button", class: "plain", onclick: () => { app.set({ algorithm: r.before }); title.focus(); } }, `Back to ${listed(r.before)}`)] : []));
    }

    function redraw() {
      if (host.hidden) { return; }
      tellReplaced();
      const { state } = app, { collective, ranks, bytes, counted } = state;
      const panels = app.panels.filter((p) => p.job && p.proof.ok && p.cost);
      for (const input of choice.querySelectorAll("input")) { input.checked = input.value === counted; }
      const when = state.clock === "time" && app.timed ? `by ${seconds(state.time)}`
        : state.round < 0 ? "at the start" : state.round === app.rounds - 1 ? "in the end" : `after round ${state.round}`;
      title.textContent = `What each rank has ${VERBS[counted][0]} ${when}`;
      if (panels.length === 0) {
        charts.replaceChildren(h("p", {}, app.panels[0].complaint || "Only schedules that are proved correct are counted."));
        counts.replaceChildren();
        drawn = {};
      } else {
        drawBars(panels);
        const shown = [collective, ranks, bytes].join(" ");
        once("why", shown, () => why.replaceChildren(...whyNotLess(collective, ranks, collective === "barrier" ? 0 : bytes)));
        once("counts", [shown, state.root, ...panels.map((p) => p.name), ...panels.map((p) => app.sources.get(p.name)?.version)].join(" "), () => drawCounts(panels));
      }
      // What takes longer comes with the next picture.
      if (!waits) { waits = true; requestAnimationFrame(() => { waits = false; redrawBelow(); }); }
    }
    let waits = false;
    function redrawBelow() {
      if (host.hidden) { return; }
      redrawCurves();
      if (lectures.open) { app.apart(() => once("lecture", app.state.ranks, () => lecture.replaceChildren(...lectureCard(app.core, app.state.ranks)))); }
    }

    function drawCounts(panels) {
      const { collective, ranks, bytes } = app.state, n = collective === "barrier" ? 0 : bytes;
      const counted = panels.map((p) => ({ ...p, cost: n === bytes ? p.cost : app.core.cost(p.job, n) }));
      const received = boundsOf(collective, ranks, n).received.value;
      const quick = counted.filter((p) => p.cost.rounds < p.cost.bound.rounds).map((p) => p.name);
      counts.replaceChildren(countTable(counted, n, received),
        h("p", { class: "says" }, severalAtBound(counted)),
        h("p", { class: "quiet" }, `n is the vector of one rank, ${inUnits(n)}. The busiest rank may be another in each row. Bytes in sequence: in each round those of the rank that sends or receives most, added up over the rounds.${inSequence(counted)}`,
          quick.length > 0 ? ` ${quick.join(" and ")} needs fewer rounds than the bound: that is for one message per rank and round, and its rounds hold many.` : ""));
    }

    app.onChange(redraw);
    let width = 0;
    new ResizeObserver(() => { if (host.clientWidth !== width) { width = host.clientWidth; if (app.state) { redraw(); } } }).observe(host);
  },
};

// "Rank 0 has sent most, 1 MiB so far. In all, rank 0 sends most, 3 MiB: 2.00 times the bound."
export function said([past, present], now, end, size, bound) {
  if (end.bytes === 0) { return `No rank ${present} a byte.`; }
  const who = ({ ranks }, word) => (ranks.length === 1 ? `${word} ${ranks[0]}`
    : `${word}s ${ranks.length <= MOST_NAMED ? listed(ranks.map(String)) : `${ranks.slice(0, MOST_NAMED).join(", ")} and ${plural(ranks.length - MOST_NAMED, "other")}`}`);
  const each = ({ ranks }) => (ranks.length > 1 ? " each" : "");
  const first = now.bytes === 0 ? `No rank has ${past} anything yet. `
    : now.ranks.length === size ? `Every rank has ${past} ${inUnits(now.bytes)} so far. `
    : `${who(now, "Rank")} ${now.ranks.length > 1 ? "have" : "has"} ${past} most, ${inUnits(now.bytes)}${each(now)} so far. `;
  const last = end.ranks.length === size ? `every rank ${present} ${inUnits(end.bytes)}`
    : `${who(end, "rank")} ${end.ranks.length > 1 ? present.replace(/s$/, "") : present} most, ${inUnits(end.bytes)}${each(end)}`;
  const ratio = bound === 0 ? "" : end.bytes === bound ? `. That is at the bound: no algorithm ${present} less${past === "sent" ? " (it is bandwidth-optimal)" : ""}`
    : alike(end.bytes, bound) ? ": at the bound, but for the rounding of chunks to bytes" : `: ${(end.bytes / bound).toFixed(2)} times the bound`;
  return `${first}In all, ${last}${ratio}.`;
}

// Where several of the shown algorithms send no more than they must; "" where fewer do.
export function severalAtBound(panels) {
  const at = panels.filter(({ cost }) => cost.bound.sent > 0n && cost.busiest.sent === cost.bound.sent);
  if (at.length < 2) { return ""; }
  const same = (of) => at.every((p) => of(p.cost) === of(at[0].cost)), start = `${listed(at.map((p) => p.name))} are at the bound of what is sent. `;
  if (same((c) => c.rounds)) { return `${start}They need the same number of rounds too, ${at[0].cost.rounds}.`; }
  const rounds = at.map((p) => `${p.name} needs ${p.cost.rounds}`);
  return `${start}${same((c) => c.critical.bytes) && same((c) => c.critical.reduced) ? "Then the rounds decide" : "They differ in rounds, and in what comes in sequence"}: ${listed(rounds)}.`;
}

// "tree: 6 MiB one after the other, though no rank sends more than 3 MiB"; "" where no algorithm is so.
export function inSequence(panels) {
  const p = panels.find(({ cost }) => cost.critical.bytes > cost.busiest.sent && !alike(cost.critical.bytes, cost.busiest.sent));
  return p ? ` ${p.name}: ${inUnits(p.cost.critical.bytes)} one after the other, though no rank sends more than ${inUnits(p.cost.busiest.sent)}.` : "";
}

function perRank(past, name, now, end) {
  const some = Array.from(end.keys());
  const details = h("details", {}, h("summary", {}, "As a table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) { return; }
    details.append(h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": `Bytes of each rank, ${name}` }, h("table", {}, h("caption", { class: "away" }, `Bytes ${past} by each rank, ${name}`),
      h("thead", {}, h("tr", {}, ["Rank", `${past} so far`, "in the end"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, some.map((r) => h("tr", {}, h("th", { scope: "row" }, String(r)), h("td", {}, Math.round(now[r]).toLocaleString("en")),
        h("td", {}, end[r].toLocaleString("en"))))))));
  });
  return details;
}
