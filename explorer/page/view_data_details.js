// SPDX-License-Identifier: BSD-3-Clause
// Below the pictures: the ranks' numbers to edit, the moment as a table, one cell in words.
import { h } from "./dom.js";
import { floatText, makeAdder, NUMBERS, numbersOf } from "./brackets.js";
import { textsOf, wordsOf } from "./cells.js";
import { momentOf } from "./moments.js";
import { bracketOf, modelOf } from "./model.js";

const NAMES = { whole: "whole numbers", tenths: "tenths", large: "large and small" };

export function mountDetails(host, app) {
  const set = h("select", { id: "numbers", onchange: () => app.set({ numbers: set.value === "own" ? numbersOf(app.state.numbers, app.state.ranks).map(floatText).join() : set.value }) });
  const fields = h("div", { class: "numbers" });
  const numbers = h("div", { class: "card numbers-card", role: "group", "aria-labelledby": "numbers-title" }, h("h3", { id: "numbers-title" }, "The numbers that the ranks start with"),
    h("div", { class: "row" }, h("label", {}, "Set ", set)), fields);
  const tables = h("div", { class: "data-tables" });
  const table = h("details", { class: "data-details" }, h("summary", {}, "As a table"), tables);
  const [rank, chunk] = ["cell-rank", "cell-chunk"].map((id) => h("input", { type: "number", min: 0, value: 0, id, oninput: () => words() }));
  const says = h("div", { role: "status" });
  const one = h("details", { class: "data-details" }, h("summary", {}, "One cell in words"),
    h("div", { class: "row" }, h("label", {}, "rank ", rank), h("label", {}, "chunk ", chunk)), says);
  host.append(numbers, table, one);
  table.addEventListener("toggle", () => draw(app.state.ranks <= 16));
  one.addEventListener("toggle", () => words());
  let shown = "";

  function edit() {
    const given = [...fields.querySelectorAll("input")].map((i) => (i.value !== "" && Number.isFinite(Math.fround(Number(i.value))) ? i.value : null));
    if (!given.includes(null)) { app.set({ numbers: given.join() }, { replace: true }); }
  }

  function drawNumbers(small) {
    const { state } = app;
    numbers.hidden = state.cells !== "numbers" || !small;
    if (numbers.hidden) { return; }
    const own = !Object.hasOwn(NUMBERS, state.numbers);
    set.replaceChildren(...Object.keys(NUMBERS).map((k) => h("option", { value: k }, NAMES[k])), h("option", { value: "own" }, "your own"));
    set.value = own ? "own" : state.numbers;
    const now = `${state.ranks} ${state.numbers}`;
    if (now === shown || fields.contains(document.activeElement)) { shown = now; return; }
    shown = now;
    fields.replaceChildren(...numbersOf(state.numbers, state.ranks).map((x, r) => h("label", {}, `rank ${r}`,
      h("input", { type: "number", step: "any", value: floatText(x), oninput: edit }))));
  }

  const ready = () => app.panels.filter((p) => p.job);

  function tableOf(panel) {
    const model = modelOf(panel, app.state.collective);
    const { at, changed } = momentOf(app, panel, model);
    const number = makeAdder(model, numbersOf(app.state.numbers, model.size));
    const noun = model.traits.blocks ? "block" : "chunk";
    const text = (r, c) => {
      const value = at[r * model.chunks + c], now = changed.get(r * model.chunks + c);
      return `${textsOf(model, value, app.state.cells, number)[0] ?? "nothing"}${now ? (now.adds ? ", added" : ", copied") : ""}`;
    };
    return h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": `${panel.name} as a table` }, h("table", {}, h("caption", {}, panel.name),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "rank"), Array.from({ length: model.chunks }, (_, c) => h("th", { scope: "col" }, `${noun} ${c}`)))),
      h("tbody", {}, Array.from({ length: model.size }, (_, r) => h("tr", {}, h("th", { scope: "row" }, String(r)),
        Array.from({ length: model.chunks }, (_, c) => h("td", {}, text(r, c))))))));
  }

  function words() {
    if (!one.open) { return; }
    const lines = ready().map((panel) => {
      const model = modelOf(panel, app.state.collective);
      const r = Number(rank.value), c = Number(chunk.value);
      if (!(r >= 0 && r < model.size && c >= 0 && c < model.chunks && Number.isInteger(r) && Number.isInteger(c))) {
        return `${panel.name} has ranks 0 to ${model.size - 1} and chunks 0 to ${model.chunks - 1}.`;
      }
      const { at, roundOf } = momentOf(app, panel, model);
      const value = at[r * model.chunks + c];
      const order = model.traits.reduces && value >= model.first ? ` Added in this order: ${bracketOf(model, value, 400) ?? "longer than fits here"}.` : "";
      const read = value >= 0 && !model.isRead(r, c, roundOf(r)) ? " It is not needed any more." : "";
      return `${panel.name}: rank ${r} holds there ${wordsOf(model, value)}.${order}${read}`;
    });
    says.replaceChildren(...lines.map((l) => h("p", {}, l)));
  }

  function draw(small) {
    drawNumbers(small);
    table.hidden = !small;
    if (small && table.open) { tables.replaceChildren(...ready().map(tableOf)); }
    words();
  }
  return { draw };
}
