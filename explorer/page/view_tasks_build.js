// SPDX-License-Identifier: BSD-3-Clause
// The form of the task "build one".
import { h } from "./dom.js";
import { timesText } from "./tasks_build.js";

const MEBIBYTE = 1 << 20;  // the vector of which the goal speaks

export function buildForm(app, task) {
  const { size, collective } = task.id;
  const select = h("select", { id: "build-source" });
  const none = h("p", {}, "You have no algorithm yet. Write one, then come back here.");
  const field = h("label", {}, "Your algorithm ", select);
  const write = h("button", { type: "button", onclick: () => {
    app.set({ view: "write", ranks: size, collective, root: 0, bytes: MEBIBYTE });
    document.getElementById("write-task").scrollIntoView({ block: "nearest" });
  } }, "Write it");
  const rounds = `${task.rounds} round${task.rounds === 1 ? "" : "s"}`;
  // The Write view says it too, beside the text.
  app.building = `Your task: ${collective.replaceAll("_", "-")} over ${size} ranks, in at most ${rounds}; the busiest rank sends at most ${
    timesText(app.core, task.job, task.hundredths)} of a vector of 1 MiB${task.ordered ? "; order-preserving" : ""}.`;
  const element = h("div", {}, h("ul", { class: "task-goal" },
    h("li", {}, h("b", {}, collective.replaceAll("_", "-")), ` over `, h("b", {}, `${size} ranks`), ["broadcast", "reduce", "gather", "scatter"].includes(collective) ? ", root 0" : "", ", and it is proved correct"),
    h("li", {}, "at most ", h("b", {}, rounds)),
    h("li", {}, "the busiest rank sends at most ", h("b", {}, timesText(app.core, task.job, task.hundredths)), " of a vector of 1 MiB; the bound is the least that any algorithm can manage"),
    task.ordered ? h("li", {}, h("b", {}, "order-preserving"), ": only neighbours are added, the lower rank on the left") : null),
  none, h("div", { class: "row" }, field, write));

  function redraw() {
    const names = [...app.sources.keys()];
    const was = select.value;
    select.replaceChildren(...names.map((n) => h("option", { value: n, selected: n === was || (was === "" && app.state.algorithm.includes(n)) }, n)));
    none.hidden = names.length > 0;
    field.hidden = names.length === 0;
  }
  redraw();
  return {
    element, redraw,
    question: "Write an algorithm that reaches this goal. One of the library\u2019s does; a copy of it is not taken.",
    answer() {
      const source = app.sources.get(select.value);
      if (!source) { return { incomplete: "Write an algorithm first." }; }
      try {
        const job = source.record(app.core.collectives.indexOf(collective), size, 0);
        return job ? { job } : { complaint: `${select.value} is not for ${size} ranks` };
      } catch (e) { return { complaint: e.message }; }
    },
  };
}
