// SPDX-License-Identifier: BSD-3-Clause
// The teacher's page: makes a sheet of tasks as one link, shows the solutions, checks result codes.
import { h } from "./dom.js";
import { toFragment } from "./state.js";
import { KINDS, MOST_TASKS, makeTask, parseSheet, sheetText, tasksOf, taskText } from "./tasks.js";
import { verified } from "./tasks_code.js";
import { aboutFields, copyButton } from "./view_tasks_choose.js";

const linkTo = (app, patch) => location.href.replace(/#.*/, "") + toFragment({ ...app.state, view: "tasks", task: "", item: 1, round: -1, ...patch });
const EXAMPLE = "predict:ring:5:all_reduce*2,bug:ring:5:all_reduce,bug:any:6:all_reduce,build:ring:4:all_reduce";

export function teacherPart(app) {
  const items = parseSheet(app.state.sheet);
  // Where the sheet can go wrong is said; the state holds what is right.
  const change = (next) => {
    const total = next.reduce((sum, item) => sum + item.count, 0);
    if (total > MOST_TASKS) { complaint.textContent = `A sheet has at most ${MOST_TASKS} tasks.`; return; }
    app.set({ sheet: sheetText(next) }, { replace: true });
  };
  const complaint = h("p", { class: "bad", role: "status" });
  const minutes = items.reduce((sum, { id, count }) => sum + KINDS[id.kind].minutes * count, 0);

  const rows = items.map(({ id, count }, i) => h("tr", {},
    h("td", {}, h("b", {}, KINDS[id.kind].title), h("br"), h("span", { class: "quiet" }, KINDS[id.kind].goal)),
    h("td", {}, `${id.algorithm}, ${id.size} ranks, ${id.collective.replaceAll("_", "-")}`),
    h("td", {}, h("input", { type: "number", min: 1, max: MOST_TASKS, value: count, "aria-label": `How many of task ${i + 1}`, onchange: (e) => {
      if (e.target.validity.valid && e.target.value !== "") { change(items.with(i, { id, count: Number(e.target.value) })); }
    } })),
    h("td", {}, `${KINDS[id.kind].minutes * count} min`),
    h("td", {}, h("button", { type: "button", "aria-label": `Remove row ${i + 1}`, onclick: () => change(items.toSpliced(i, 1)) }, "\u00d7"))));
  const kind = h("select", { id: "sheet-kind" }, Object.entries(KINDS).map(([k, { title }]) => h("option", { value: k }, title)));
  const fields = aboutFields(app, { algorithm: "ring", size: 5, collective: "all_reduce" }, "sheet");
  const add = () => {
    const about = fields.read();
    if (about === null) { return; }
    const id = { kind: kind.value, ...about, seed: "" };
    if (makeTask(app.core, { ...id, seed: "1" }) === null) { complaint.textContent = `${about.algorithm} is not for ${about.size} ranks.`; return; }
    change([...items, { id, count: 1 }]);
  };
  const students = linkTo(app, { teacher: "no" });
  const link = (id, label, text, say) => h("div", { class: "task-link" }, h("label", { for: id }, label), h("div", { class: "row" },
    h("input", { type: "text", id, readOnly: true, value: text }), copyButton(() => text)), h("p", { class: "quiet" }, say));

  return h("section", { class: "card task-teachers", "aria-labelledby": "teacher-title" },
    h("div", { class: "row" }, h("h2", { id: "teacher-title" }, "For teachers"),
      h("button", { type: "button", class: "plain", onclick: () => app.set({ teacher: "no", sheet: "", task: "" }) }, "Back to the tasks")),
    h("p", {}, "Choose the tasks and send the link. Each student types a name and gets tasks of their own. Right answers give result codes; you check them here, or with coll_show --verify."),
    items.length === 0 ? h("p", {}, h("button", { type: "button", id: "sheet-example", onclick: () => app.set({ sheet: EXAMPLE }, { replace: true }) }, "Start from an example")) :
      h("div", { class: "wide", tabIndex: 0, role: "group", "aria-label": "The tasks of the sheet" }, h("table", {}, h("thead", {}, h("tr", {}, ["Task and learning goal", "About", "How many", "Time"].map((t) => h("th", { scope: "col" }, t)), h("td", {}))),
        h("tbody", {}, rows), h("tfoot", {}, h("tr", {}, h("th", { scope: "row", colSpan: 3 }, "Expected time"), h("td", {}, `${minutes} min`), h("td", {}))))),
    h("fieldset", { class: "row task-about" }, h("legend", {}, "Add tasks"), h("label", {}, h("span", {}, "Kind"), kind), fields.elements,
      h("button", { type: "button", id: "sheet-add", onclick: add }, "Add")),
    complaint,
    items.length === 0 ? null : [
      link("sheet-students", "Link for students", students, "The sheet alone. It has no solutions."),
      link("sheet-teacher", "Link for you", linkTo(app, {}), "This page again, with the solutions."),
      solutions(app, items)],
    checker(app));
}

function solutions(app, items) {
  const name = h("input", { type: "text", id: "solutions-student", autocomplete: "off", oninput: draw });
  const show = h("input", { type: "checkbox", id: "solutions-show", onchange: draw });
  const list = h("ol", {});
  function draw() {
    list.replaceChildren(...(show.checked ? tasksOf(items, name.value).map((id) => {
      const task = makeTask(app.core, id);
      return h("li", {}, task === null ? "no such task" : [h("b", {}, `${KINDS[id.kind].title}, ${task.algorithm}: `), KINDS[id.kind].solution(task), " ",
        h("a", { href: toFragment({ ...app.state, view: "tasks", sheet: "", teacher: "no", task: taskText(id) }) }, "see it")]);
    }) : []));
  }
  return h("div", { class: "task-solutions" }, h("h3", {}, "Solutions"), h("div", { class: "row" },
    h("label", {}, "of the student ", name), h("label", {}, show, " show them")), list);
}

function checker(app) {
  const codes = h("textarea", { id: "check-codes", rows: 4, class: "task-code", placeholder: "one code a line" });
  const results = h("div", { role: "status" });
  const check = () => {
    const lines = codes.value.split("\n").map((l) => l.trim()).filter((l) => l !== "");
    results.replaceChildren(...(lines.length === 0 ? [] : [h("div", { class: "wide", tabIndex: 0, role: "group", "aria-label": "Checked codes" },
      h("table", {}, h("thead", {}, h("tr", {}, ["Student", "Task", "Tries", "Answer", "Seed"].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, lines.map((line) => {
          const v = verified(app.core, line);
          return h("tr", {}, h("td", {}, v.student ?? "?"), h("td", {}, v.task?.text ?? ""), h("td", {}, v.tries ?? ""),
            h("td", { class: v.right ? "good" : "bad" }, `${v.right ? "\u2713" : "\u2717"} ${v.say}`), h("td", {}, v.own === undefined ? "" : v.own ? "of this name" : "not of this name"));
        }))))]));
  };
  return h("div", {}, h("h3", {}, "Check result codes"),
    h("label", { for: "check-codes" }, "Codes that students handed in"), codes,
    h("p", {}, h("button", { type: "button", id: "check", onclick: check }, "Check them")), results,
    h("p", { class: "quiet" }, "A code carries the answer, and the answer is marked again. Its check value finds typing mistakes, and a code passed on under another name. It is no signature: who reads this page's source can make one, but only for a right answer."));
}

