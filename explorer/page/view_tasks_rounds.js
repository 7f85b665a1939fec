// SPDX-License-Identifier: BSD-3-Clause
// The small player of a task: what each rank holds after a round, and the steps of that round.
import { h } from "./dom.js";
import { shadeOf } from "./palette.js";
import { isDark } from "./theme.js";

// `steps(round)` -> element. Rounds from -1 (the start) to `last`. Returns {element, go, get round}.
export function roundPlayer({ job, data, last, id, steps, start = -1 }) {
  let round = start;
  const slider = h("input", { type: "range", id: `${id}-round`, min: -1, max: last, step: 1, "aria-label": "Round to look at",
    oninput: () => go(Number(slider.value)) });
  const back = h("button", { type: "button", "aria-label": "A round back", onclick: () => go(round - 1) }, "\u2190");
  const next = h("button", { type: "button", "aria-label": "A round on", onclick: () => go(round + 1) }, "\u2192");
  const name = h("b", { class: "task-round-name" });
  const grid = h("div", { class: "wide", tabIndex: 0, role: "group", "aria-label": "What each rank holds" });
  const list = h("div", { class: "task-steps" });
  const element = h("div", { class: "task-rounds own-keys" },
    h("div", { class: "row task-player" }, back, slider, next, name), h("div", { class: "task-two" }, grid, list));

  function go(to) {
    round = Math.max(-1, Math.min(last, to));
    draw();
  }
  function draw() {
    slider.value = round;
    back.disabled = round < 0;
    next.disabled = round >= last;
    name.textContent = round < 0 ? "Before round 0" : `After round ${round}`;
    slider.setAttribute("aria-valuetext", name.textContent);
    grid.replaceChildren(h("p", { class: "quiet" }, round < 0 ? "What each rank holds at the start" : "What each rank holds now; new cells have a frame"), table());
    list.replaceChildren(steps(round));
  }
  function table() {
    const cells = data.cells(round), changed = data.changed(round), dark = isDark();
    const cell = (rank, chunk) => {
      const at = rank * job.chunks + chunk, value = cells[at], twice = data.isTwice(value);
      const { fill, text } = shadeOf(data.countOf(value), job.size, dark);
      return h("td", { class: `${changed.has(at) ? "fresh" : ""} ${twice ? "twice" : ""}`, style: { background: fill, color: text },
        "aria-label": `${data.textOf(value)}${changed.has(at) ? ", new" : ""}` }, data.textOf(value));
    };
    const indices = (n) => Array.from({ length: n }, (_, i) => i);
    return h("table", { class: "task-grid" },
      h("thead", {}, h("tr", {}, h("td", {}), indices(job.chunks).map((c) => h("th", { scope: "col" }, job.chunks === 1 ? "vector" : `chunk ${c}`)))),
      h("tbody", {}, indices(job.size).map((r) => h("tr", {}, h("th", { scope: "row" }, `rank ${r}`), indices(job.chunks).map((c) => cell(r, c))))));
  }
  draw();
  return { element, go, draw, get round() { return round; } };
}
