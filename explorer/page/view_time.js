// SPDX-License-Identifier: BSD-3-Clause
// When each step runs: timelines of the algorithms on one axis, the network, and recorded traces beside them.
import { networkOf } from "./clock.js";
import { asOneOf, declare } from "./state.js";
import { crossingsOf, partsOf } from "./crossings.js";
import { h, s } from "./dom.js";
import { mark } from "./marks.js";
import { seconds } from "./numbers.js";
import { endOfRound, frameOf, MOST_IN_WORDS } from "./time_look.js";
import { mountNetwork } from "./view_time_network.js";
import { drawAxis, drawTimeline, wordsAt } from "./view_time_picture.js";
import { crossingText, pathTable, ranksTable, totalsTable, unusualText, verdictOf } from "./view_time_tables.js";
import { mountTrace } from "./view_time_trace.js";
import { legendOf } from "./view_time_legend.js";

const HINT = "Point at a bar to read it; click to put the player there.";
const MOST_COMPARED = 64;  // ranks up to which crossing points and shares are computed

export default {
  id: "time",
  title: "Time",
  mount(host, app) {
    declare({ until: { initial: "last", ...asOneOf("last", "first") } });
    const until = h("select", { id: "until", onchange: () => app.set({ until: until.value }) },
      h("option", { value: "last" }, "all have ended"), h("option", { value: "first" }, "the first has ended"));
    const untilField = h("label", { class: "row quiet" }, "The axis ends when ", until);
    const verdict = h("p", { class: "t-says", id: "verdict" });
    const crossing = h("span", { id: "crossing" });
    const ofAll = h("button", { type: "button", class: "plain", id: "crossing-all", hidden: true, onclick: () => {
      app.set({ view: "cost" });
      document.getElementById("curves-card").scrollIntoView({ block: "start" });
    } }, "Of all algorithms: see Cost");
    const crossings = h("p", { class: "t-says" }, crossing, " ", ofAll);
    const unusual = h("p", { class: "t-says", id: "unusual" });
    const wrong = h("div", {});
    const lanes = h("div", { class: "time-panels" });
    const under = h("p", { class: "quiet t-pointed" }, HINT);  // what the pointer is on
    const legend = h("ul", { class: "time-legend" });
    const shares = h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "What the last rank\u2019s time is made of" });
    const ranks = fold("When each rank is done");
    const path = fold("What the last rank waited for, step by step");
    const network = h("form", { class: "card t-network", "aria-label": "The network", onsubmit: (e) => e.preventDefault() });
    const trace = h("section", { class: "card", "aria-label": "A recorded trace" });
    host.append(h("h2", { class: "away" }, "When each step runs"), hatched(), h("div", { class: "time-grid" },
      h("div", { class: "card time-main" }, verdict, unusual, crossings, wrong, untilField, legend, lanes, under), network,
      h("div", { class: "time-rest" }, h("div", { class: "card" }, shares, ranks.node, path.node, model()), trace)));
    const prices = mountNetwork(network, app);
    const recorded = mountTrace(trace, app, prices);
    let lines = [];   // what marks the moment: {node, frame, panel, timed}
    let drawn = "", said = "";  // of the pictures, and of the words
    let asked = 0;    // number of the crossing points that were asked for last

    function ready() {
      return app.panels.filter((p) => p.job && p.proof.ok).map((panel) => ({ panel, timed: app.timed(panel) })).filter((r) => r.timed.ok);
    }

    function draw() {
      const { state } = app;
      prices.draw(state);
      const all = ready(), net = networkOf(state);
      const measured = recorded.draw(all);
      const width = Math.floor(lanes.clientWidth) || 800;
      const dark = document.documentElement.className;
      const what = JSON.stringify([app.panels.map((p) => [p.name, p.complaint]), state.collective, state.ranks, state.root, state.bytes, net, measured?.key,
                                   state.algorithm.map((n) => app.sources.get(n)?.version)]);
      const key = JSON.stringify([what, state.until, width, dark]);
      if (key !== drawn) {
        drawn = key;
        drawPanels(all, measured, width, net);
        app.apart(() => { if (key === drawn) { drawWords(all, app.state, what); } });
      }
      moveLines();
    }

    function drawPanels(all, measured, width, net) {
      lines = [];
      const ends = all.map((r) => r.timed.total);
      until.value = app.state.until;
      untilField.hidden = all.length < 2;
      const most = app.state.until === "first" && all.length > 1 ? Math.min(...ends) * 1.02 : Math.max(0, ...ends, measured?.times.total ?? 0);
      const runs = all.flatMap((r) => {
        const run = { job: r.panel.job, times: app.state.ranks <= MOST_IN_WORDS ? withProcessor(r.timed, net) : r.timed, overhead: net.overhead, late: net.late, name: r.panel.name, timed: r.timed };
        return measured?.name === r.panel.name ? [run, { ...measured, measured: true }] : [run];
      });
      const own = drawn;
      lanes.replaceChildren(...(runs.length > 0 ? [drawAxis(width, most)] : []), ...runs.map((run) => {
        const frame = frameOf(width, run.job.size, most);
        const moment = h("div", { class: "t-moment", "aria-hidden": "true" });
        const place = h("div", { class: "t-lanes", style: { "min-height": `${frame.height}px` } }, moment);
        app.apart(() => { if (own === drawn) { place.prepend(drawTimeline(run, frame)); } });
        place.addEventListener("pointerdown", (e) => pointed(e, place, frame));
        place.addEventListener("pointermove", (e) => {
          if (e.buttons === 1) { pointed(e, place, frame); }
          const at = place.getBoundingClientRect();
          under.textContent = wordsAt(run, frame, e.clientX - at.left, e.clientY - at.top);
        });
        place.addEventListener("pointerleave", () => { under.textContent = HINT; });
        lines.push({ node: moment, frame, run });
        const total = run.measured ? run.times.total : run.timed.total;
        const icon = s("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, mark(run.name, 8, 8));
        return h("div", { class: "time-panel" }, h("h3", {}, icon, run.measured ? `${run.name}, measured` : run.name,
          h("span", { class: "quiet" }, `ends after ${seconds(total)}${run.measured ? `, ${run.file}` : ""}`)), place);
      }));
      legend.replaceChildren(...(all.length > 0 ? legendOf(app.state.ranks <= MOST_IN_WORDS, all, net) : []));
    }

    function drawWords(all, state, what) {
      wrong.replaceChildren(...app.panels.filter((p) => !(p.job && p.proof.ok)).map((p) => h("p", { class: p.busy ? "quiet" : "bad" },
        p.busy ? `${p.complaint} \u2026` : p.job ? `${p.name} is wrong (${p.proof.what}): it has no time.` : `${p.complaint}.`)));
      verdict.textContent = all.length > 0 ? verdictOf(all, state) : "";
      unusual.textContent = all.length > 0 ? unusualText(all, state, (job) => app.core.simulate(job, state.bytes, { ...networkOf(state), late: [], slow: [] }).total) : "";
      unusual.hidden = unusual.textContent === "";
      shares.hidden = all.length === 0;
      if (what !== said) { shares.replaceChildren(...(all.length > 0 ? [totalsTable(all, null)] : [])); }
      ranks.fill(() => [h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "When each rank is done" }, ranksTable(all, state.ranks))]);
      path.fill(() => all.map(pathTable));
      if (what !== said) { compare(all, state); }
      said = what;
    }

    // What takes many simulations, when nothing has changed for a while.
    async function compare(all, state) {
      const mine = ++asked, few = state.ranks <= MOST_COMPARED;
      const two = all.length > 1 && state.ranks > 1;
      crossing.textContent = !two ? "" : few ? "Looking where one overtakes another \u2026" : `Where one overtakes another is computed for up to ${MOST_COMPARED} ranks.`;
      ofAll.hidden = true;
      crossings.hidden = !two;
      if (!few || all.length === 0) { return; }
      const done = app.begin();
      try {
        await new Promise((r) => { setTimeout(r, 180); });
        if (mine !== asked) { return; }
        shares.replaceChildren(totalsTable(all, all.map((r) => (r.timed.total > 0 ? partsOf(app, r.panel.job, r.timed.total) : null))));
        const found = two ? await crossingsOf(app, all.map((r) => r.panel), { stopped: () => mine !== asked }) : null;
        if (found && mine === asked) {
          crossing.textContent = crossingText(found, all, state);
          ofAll.hidden = false;
        }
      } finally { done(); }
    }

    // By time: where the player stands. By round: where each algorithm has done the round.
    function moveLines() {
      const { clock, time, round } = app.state;
      for (const { node, frame, run } of lines) {
        const t = clock === "time" ? time : endOfRound(run.job, run.times, round);
        node.classList.toggle("t-far", t > frame.most * (1 + 1e-9));
        node.style.left = `calc(${100 * frame.x(Math.min(t, frame.most)) / frame.width}% - 1px)`;  // paper may be narrower
      }
    }
    function pointed(e, place, frame) {
      const time = frame.time(e.clientX - place.getBoundingClientRect().left);
      app.set({ clock: "time", time }, { replace: true });
    }

    new ResizeObserver(() => { if (!host.hidden && app.state) { draw(); } }).observe(lanes);
    app.onChange(() => {
      if (host.hidden) { return; }
      const { panels } = app, part = (act) => app.apart(() => { if (!host.hidden && panels === app.panels) { act(); } });
      for (const p of panels) { part(() => p.job && p.proof.ok && app.timed(p)); }
      part(draw);
    });
  },
};

// When the processor has handed a send over, and when it has taken a message: for the thin lines beside bars.
function withProcessor(timed, { overhead }) {
  const ready = timed.begin.map((t) => t + overhead), taken = timed.moved.map((t) => t + overhead);
  return { ...timed, ready, taken };
}

// A part that is made when it is opened.
function fold(title) {
  const body = h("div", {});
  let make = () => [];
  const node = h("details", { ontoggle: () => { if (node.open) { body.replaceChildren(...make()); } } }, h("summary", {}, title), body);
  return { node, fill(how) {
    make = how;
    body.replaceChildren(...(node.open ? make() : []));
  } };
}

// The pattern of what is added, for all pictures.
function hatched() {
  return s("svg", { width: 0, height: 0, class: "away", "aria-hidden": "true" }, s("defs", {},
    s("pattern", { id: "time-hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      s("rect", { width: 6, height: 6, style: { fill: "var(--card)" } }), s("rect", { width: 2.4, height: 6, style: { fill: "var(--adds)" } }))));
}

function model() {
  return h("details", {}, h("summary", {}, "How the time is computed"),
    h("p", {}, "By LogGP (Alexandrov, Ionescu, Schauser, Scheiman, 1995), from the very steps that the algorithm emits. A rank has a processor, a port for sending and a port for receiving, which work at the same time; each does one thing at a time."),
    h("ul", {}, [
      "A rank enters a round when it is done with the one before. Ranks wait for messages, not for each other\u2019s rounds.",
      "It hands its sends over, o each. Each takes the sending port for its bytes \u00d7 \u03b2, and the port rests for g.",
      "The first byte arrives \u03b1 after it left, the others follow.",
      "The rank takes messages as they come: each takes the receiving port for its bytes \u00d7 \u03b2, then the processor for o.",
      "When all of the round is there, it adds: \u03b3 for each byte.",
    ].map((t) => h("li", {}, t))),
    h("p", {}, "Not in the model: links that several messages share, caches, the operating system. The Links view shows shared links."));
}
