// SPDX-License-Identifier: BSD-3-Clause
// The vectors, cut into chunks: who has contributed to each, its number, or the bracket of its sum.
import { h, plural } from "./dom.js";
import { aboutAlgorithm, COLLECTIVES } from "./about.js";
import { areNumbers, differenceOf, floatText, makeAdder, numbersOf } from "./brackets.js";
import { explain } from "./explained.js";
import { lostOf } from "./lost.js";
import { momentOf } from "./moments.js";
import { bracketOf, modelOf, TRAITS } from "./model.js";
import { seconds } from "./numbers.js";
import { colourOf } from "./palette.js";
import { proseOf } from "./prose.js";
import { asOneOf, asWhole, declare } from "./state.js";
import { MOST_IN_WORDS } from "./time_look.js";
import { isDark } from "./theme.js";
import { captionOf } from "./view_data_caption.js";
import { drawCanvas } from "./view_data_canvas.js";
import { drawGrid, travel } from "./view_data_grid.js";
import { legendOf } from "./view_data_legend.js";
import { mountDetails } from "./view_data_details.js";

const CELLS = [["who", "who contributed"], ["numbers", "numbers"], ["bracket", "order of additions"]];
const still = matchMedia("(prefers-reduced-motion: reduce)");

export default {
  id: "data",
  title: "Data",
  mount(host, app) {
    declare({
      cells: { initial: "who", ...asOneOf(...CELLS.map(([k]) => k)) },
      numbers: { initial: "whole", parse: (t) => (areNumbers(t) ? t : undefined), format: (v) => v },
      arrows: { initial: -1, ...asWhole(-1, 255) },  // the rank whose transfers are drawn; -1: all
    });
    const shows = h("select", { id: "cells", onchange: () => app.set({ cells: shows.value }) }, CELLS.map(([k, t]) => h("option", { value: k }, t)));
    const only = h("select", { id: "arrows", onchange: () => app.set({ arrows: Number(only.value) }) });
    const onlyField = h("label", {}, "Arrows of ", only);
    const options = h("div", { class: "row data-options" }, h("label", {}, "Cells show ", shows), onlyField);
    const intro = h("p", { class: "intro" });
    const caption = h("p", { class: "quiet data-caption" });
    const panels = h("div", { class: "data-panels" });
    const note = h("div", { class: "data-note" });
    // A rank that is pressed shows its own arrows; pressed again, all are shown.
    panels.addEventListener("click", (e) => {
      const rank = Number(e.target.closest("[data-rank]")?.dataset.rank ?? -1);
      if (rank >= 0 && app.state.ranks > 2) { app.set({ arrows: rank === app.state.arrows ? -1 : rank }, { replace: true }); }
    });
    const legend = h("ul", { class: "legend" });
    host.append(h("h2", { class: "away" }, "The vectors of the ranks"), h("div", { class: "row data-head" }, intro, options), caption, panels, note, legend);
    const details = mountDetails(host, app);
    let ends = [];  // of what travels now
    let drawn = null;  // the width of what is drawn

    function draw(before) {
      ends.forEach((end) => end());
      ends = [];
      const { state } = app;
      const small = state.ranks <= MOST_IN_WORDS;
      shows.value = state.cells;
      const { reduces, blocks } = TRAITS[state.collective];
      shows.options[0].textContent = reduces ? CELLS[0][1] : blocks ? "which block" : "which chunk";
      shows.options[2].hidden = !reduces && state.cells !== "bracket";
      intro.textContent = COLLECTIVES[state.collective];
      caption.textContent = captionOf(state, small);
      onlyField.hidden = !small || state.ranks < 3;
      if (only.options.length !== state.ranks + 1) {
        only.replaceChildren(h("option", { value: -1 }, "all ranks"), ...Array.from({ length: Math.min(state.ranks, 16) }, (_, r) => h("option", { value: r }, `rank ${r}`)));
      }
      only.value = state.arrows < state.ranks ? state.arrows : -1;
      const n = app.panels.length;
      panels.dataset.count = n;
      const width = Math.floor(widthOf(panels, n));
      const cards = app.panels.map((panel) => cardOf(panel, width, before, small));
      panels.replaceChildren(...cards.map((c) => c.node));
      legend.replaceChildren(...legendOf(app, small, app.panels.some((p) => p.job && faultIn(p, app.state))));
      note.replaceChildren(...notesOf(app));
      details.draw(small);
      for (const c of cards) { c.start?.(); }
    }

    function cardOf(panel, width, before, small) {
      const title = h("h2", {}, h("i", { class: "mark", style: { background: colourOf(panel.name) }, "aria-hidden": "true" }), panel.name);
      if (!panel.job) {
        return { node: h("article", { class: "card data-card" }, title, h("p", { class: panel.busy ? "quiet" : "bad" }, `${panel.complaint}${panel.busy ? " \u2026" : "."}`)) };
      }
      const { state } = app;
      const model = modelOf(panel, state.collective);
      const moment = momentOf(app, panel, model);
      const number = makeAdder(model, numbersOf(state.numbers, model.size));
      title.append(h("span", { class: "quiet" }, ` ${plural(model.chunks, "chunk")}, ${plural(model.rounds, "round")}`));
      const said = moment.round === null ? null : proseOf(model, moment.round);
      const about = aboutAlgorithm(panel.name, state.collective);
      const head = h("header", {}, title, about ? h("p", { class: "quiet" }, about) : null);
      if (!panel.proof.ok) { head.append(h("p", { class: "bad" }, wrongText(panel, state.collective, small && faultIn(panel, moment)))); }
      const words = said === null ? timeOf(app, panel) : h("p", { class: "says" }, h("span", { class: `tag phase-${kindOf(said.phase)}` }, said.phase), " ",
        h("b", {}, said.sentences[0]), ` ${said.sentences.slice(1).join(" ")}`);
      const picture = h("div", { class: "picture" });
      const name = `${panel.name}: what each rank holds ${state.round < 0 ? "at the start" : `after round ${state.round}`}`;
      const look = { width, cells: state.cells, number, dark: isDark(), only: state.arrows < model.size ? state.arrows : -1, name, fault: faultIn(panel, moment), lost: lostOf(panel.job, panel.proof, state.collective, moment.round) };
      const node = h("article", { class: "card data-card", "aria-label": panel.name }, head, words, picture);
      if (!small) {
        picture.append(drawCanvas(model, moment, look));
        return { node };
      }
      const grid = drawGrid(model, moment, look);
      picture.append(grid.svg);
      if (grid.blank && state.cells !== "bracket") { picture.append(h("p", { class: "quiet" }, "Some cells are too narrow for text: the table below has it.")); }
      if (state.cells === "bracket" && model.traits.reduces) { picture.append(arrivals(model, moment)); }
      if (grid.hidden > 0) { picture.append(h("p", { class: "quiet" }, `${grid.hidden} transfers: choose one rank to see its arrows.`)); }
      const forward = before && moment.round !== null && before.round + 1 === state.round && before.algorithm.join() === state.algorithm.join()
        && before.ranks === state.ranks && before.collective === state.collective && before.cells === state.cells;
      if (!forward || still.matches || grid.arrows.length === 0) { return { node }; }
      return { node, start: () => {
        const earlier = { ...moment, at: model.after(state.round - 1), changed: new Map(), roundOf: () => state.round - 1 };
        const first = drawGrid(model, earlier, look);
        picture.firstChild.replaceWith(first.svg);
        const milliseconds = { slow: 1100, normal: 600, fast: 220 }[state.speed];
        const settle = () => { if (first.svg.isConnected) { first.svg.replaceWith(grid.svg); } };
        const end = travel(first, model, earlier.at, { milliseconds, ...look }, settle);
        ends.push(() => { end(); settle(); });
      } };
    }

    new ResizeObserver(() => {
      if (!host.hidden && app.state && drawn !== panels.clientWidth) { drawn = panels.clientWidth; draw(null); }
    }).observe(panels);
    app.onChange((_, before) => {
      if (host.hidden) { return; }
      drawn = panels.clientWidth;
      draw(before);
    });
  },
};

function wrongText({ job, proof }, collective, framed) {
  const here = framed ? explain(job, proof, collective).text : "";
  return `This algorithm is wrong: ${proof.what}. ${here || `The Proof view says where${framed ? "; here it is framed" : ""}.`}`;
}

// What is marked as wrong: in the round of the mistake; at the end, if only the result shows it.
function faultIn({ job, proof }, { round }) {
  const here = proof.round >= 0 ? proof.round === round : round === job.rounds - 1;
  return !proof.ok && proof.rank >= 0 && proof.rank < job.size && here ? { rank: proof.rank, chunk: proof.chunk } : null;
}

// By time there are no rounds that all ranks are in: how far it is.
function timeOf(app, panel) {
  const { end, total } = app.timed(panel);
  const over = end.reduce((n, t) => n + (t <= app.state.time ? 1 : 0), 0);
  const text = over === end.length ? `It ended after ${seconds(total)}.` : `${over} of ${plural(end.length, "step")} are over; it ends after ${seconds(total)}.`;
  return h("p", { class: "says" }, h("span", { class: "tag phase-rest" }, over === end.length ? "done" : "running"), " ", h("b", {}, text));
}

// The brackets of what has just been added, since cells are often too small for them.
function arrivals(model, { at, changed }) {
  const cells = [...changed.values()].filter((c) => c.adds).slice(0, MOST_IN_WORDS);
  return h("ul", { class: "arrivals" }, cells.map((c) => h("li", {}, `rank ${c.rank}, chunk ${c.chunk}: `,
    h("code", {}, bracketOf(model, at[c.rank * model.chunks + c.chunk], 200) ?? "too long to show"))));
}

function kindOf(phase) {
  return ["start", "done", "waiting"].includes(phase) ? "rest" : ["reduce-scatter", "reduce", "adding"].includes(phase) ? "adds" : "copies";
}

// How wide the picture of one of n panels may be; style sheets say how many stand side by side.
function widthOf(panels, n) {
  const whole = panels.clientWidth || 800;
  const columns = whole < 720 ? 1 : n === 3 && whole < 1080 ? 1 : n;
  const padding = matchMedia("(max-width: 640px)").matches ? 26 : 42;
  return Math.max(200, (whole - 16 * (columns - 1)) / columns - padding);
}

// Where the shown algorithms add in another order, in words.
function notesOf(app) {
  const { state } = app;
  const ready = app.panels.filter((p) => p.job && p.proof.ok);
  if (state.cells === "who" || state.ranks > MOST_IN_WORDS || ready.length === 0) { return []; }
  const lines = [];
  for (let i = 0; i < ready.length; ++i) {
    const one = modelOf(ready[i], state.collective);
    if (!one.traits.reduces) { return []; }
    if (!ready[i].proof.positionIndependent && ready.length === 1) {
      lines.push(`${ready[i].name} adds different chunks in different orders: equal numbers may be rounded differently from chunk to chunk.`);
    }
    for (let j = i + 1; j < ready.length; ++j) { lines.push(comparedOf(state, ready[i], one, ready[j], modelOf(ready[j], state.collective))); }
  }
  return lines.filter((l) => l).map((l) => h("p", {}, l));
}

function comparedOf(state, first, one, second, other) {
  if (one.traits.prefix) { return ""; }
  const found = differenceOf(one, other);
  if (found === null) {
    return `${first.name} and ${second.name} add every part of the vector in the same order: their sums of floats have the same bits.`;
  }
  const order = (m, v) => bracketOf(m, v, 140) ?? "a long bracket";
  const values = found.values.map((v, i) => floatText(makeAdder(i === 0 ? one : other, numbersOf(state.numbers, one.size))(v)));
  const place = one.chunks === other.chunks ? `chunk ${found.one}` : found.one === 0 && found.other === 0 ? "the first part of the vector" : `chunk ${found.one} of ${first.name}`;
  const numbers = state.cells !== "numbers" ? "" : values[0] === values[1] ? ` With these numbers both get ${values[0]}.` : ` With these numbers they get ${values[0]} and ${values[1]}.`;
  return `${first.name} and ${second.name} add ${place} in different orders: ${order(one, found.values[0])} and ${order(other, found.values[1])}. So their bits may differ.${numbers}`;
}
