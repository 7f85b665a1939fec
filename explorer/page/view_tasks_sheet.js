// SPDX-License-Identifier: BSD-3-Clause
// A student's sheet: its tasks, how far one is, and the result codes to hand in.
import { h } from "./dom.js";
import { KINDS, parseSheet, taskText, tasksOf } from "./tasks.js";
import { codeBox, copyButton } from "./view_tasks_choose.js";

export function sheetPart(app, store) {
  const element = h("section", { class: "card task-sheet", "aria-labelledby": "sheet-title" });

  function update() {
    const { state } = app;
    const tasks = tasksOf(parseSheet(state.sheet), store.name);
    const entries = tasks.map((id) => (store.name === "" ? { tries: 0, code: "" } : store.of(taskText(id), store.name)));
    const done = entries.filter((e) => e.code !== "").length;
    const codes = entries.map((e) => e.code).filter((c) => c !== "").join("\n");
    const says = ({ tries, code }) => (code !== "" ? "\u2713 done" : tries > 0 ? `${tries} ${tries === 1 ? "try" : "tries"}` : "open");
    element.replaceChildren(...[
      h("div", { class: "row" }, h("h2", { id: "sheet-title" }, "Your sheet"), h("progress", { max: tasks.length, value: done, "aria-label": "Tasks done" }),
        h("span", { role: "status" }, `${done} of ${tasks.length} done`)),
      h("ol", { class: "task-items" }, tasks.map((id, i) => h("li", {}, h("button", {
        type: "button", class: entries[i].code !== "" ? "done" : "", "aria-current": i + 1 === state.item ? "step" : null, id: `sheet-item-${i + 1}`, disabled: store.name === "",
        onclick: () => { app.set({ item: i + 1 }); document.getElementById(`sheet-item-${i + 1}`).focus(); },
      }, h("b", {}, `${i + 1} `), KINDS[id.kind].title, h("span", { class: "quiet" }, ` ${says(entries[i])}`))))),
      codes === "" ? h("p", { class: "quiet" }, "Each right answer gives a result code. All of them stand here in the end: hand them in.") : h("div", {},
        h("div", { class: "row" }, h("b", {}, "Result codes to hand in"), copyButton(() => codes, "Copy all")),
        codeBox("All result codes", codes)),
      store.lasting ? null : h("p", { class: "bad" }, "This browser keeps nothing for this page: copy the codes before you close it."),
    ].filter((part) => part !== null));
  }
  update();
  return { element, update };
}
