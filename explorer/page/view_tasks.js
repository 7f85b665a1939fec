// SPDX-License-Identifier: BSD-3-Clause
// Tasks that mark themselves: chosen one by one, or as the sheet that a teacher made.
import { h } from "./dom.js";
import { asOneOf, asWhole, declare } from "./state.js";
import { KINDS, makeTask, markTask, refusalOf, parseSheet, parseTask, taskText, tasksOf } from "./tasks.js";
import { codeOf, MOST_NAME } from "./tasks_code.js";
import { dataOf, firstDifference } from "./tasks_data.js";
import { seedOf } from "./tasks_random.js";
import { makeStore } from "./tasks_store.js";
import { bugForm } from "./view_tasks_bug.js";
import { buildForm } from "./view_tasks_build.js";
import { chooser, codeBox, copyButton } from "./view_tasks_choose.js";
import { predictForm } from "./view_tasks_predict.js";
import { sheetPart } from "./view_tasks_sheet.js";
import { teacherPart } from "./view_tasks_teacher.js";
import { whyRight } from "./view_tasks_why.js";

const FORMS = { predict: predictForm, bug: bugForm, build: buildForm };
const HINT_AFTER = 2;  // wrong tries
const MOST_ITEMS = 999;
export const collectiveName = (collective) => collective.replaceAll("_", "-");
export const headOf = (task) =>
  `${task.kind === "build" ? "" : task.algorithm + ", "}${collectiveName(task.id.collective)} over ${task.id.size} ranks`;

function hintOf(app, task) {
  if (task.kind === "predict") {
    return "Look at what each rank got in the round before, and at what still has to reach whom. The message often goes to the same rank again, with another chunk.";
  }
  if (task.kind === "build") {
    return [`Think of what ${task.algorithm} does. `, h("button", { type: "button", id: "hint-play",
      onclick: () => app.set({ view: "data", algorithm: [task.algorithm], collective: task.id.collective, ranks: task.id.size, root: 0, round: -1 }) }, `Play ${task.algorithm} in the Data view`)];
  }
  const [right, wrong] = [task.job, task.wrong].map((job) => dataOf(job, app.core.replay(job), task.id.collective));
  const round = firstDifference(right, wrong, task.job.rounds);
  return round === null ? "The data are as they should be, but not every message has somebody who takes it."
    : `The data are first wrong after round ${round}. Where are they not what ${task.algorithm} makes?`;
}

function mount(host, app) {
  declare({
    task: { initial: "", parse: (t) => (parseTask(t) === null ? undefined : t), format: (v) => v },
    sheet: { initial: "", parse: (t) => (parseSheet(t) === null ? undefined : t), format: (v) => v },
    item: { initial: 1, ...asWhole(1, MOST_ITEMS) },
    teacher: { initial: "no", ...asOneOf("no", "yes") },
  });
  const store = makeStore();
  const name = h("input", { type: "text", id: "student", maxLength: MOST_NAME, autocomplete: "name",
    onchange: () => {
      store.name = name.value.trim();
      app.show(app.state);
    } });
  const who = h("div", { class: "card row task-who" }, h("label", {}, "Your name or number ", name),
    h("p", { class: "quiet" }, "Your name chooses your tasks: with another name there are others. It stands in your result codes. This browser keeps the codes and your tries after the window is closed: start the same task again to see its code. A link that you share has no name in it."));
  const teacher = h("div", {}), sheet = h("div", {}), start = h("div", {}), body = h("div", {});
  const toTeacher = h("p", { class: "task-teacher no-print" }, h("button", { type: "button", class: "plain", onclick: () => app.set({ teacher: "yes" }) }, "For teachers: make a sheet of tasks"));
  host.append(teacher, who, sheet, start, body, toTeacher);

  let shown = "", form = null, choice = null, parts = {};
  const current = (state) => {
    if (state.sheet !== "") { return tasksOf(parseSheet(state.sheet), store.name)[state.item - 1] ?? null; }
    return state.task === "" ? null : withSeed(parseTask(state.task), state.item);
  };
  // Without a seed it is the student's, whose address does not say so.
  const withSeed = (id, item) => (id.seed === "" ? { ...id, seed: `${seedOf(store.name)}-${item}` } : id);

  function showTask(id) {
    const task = id && makeTask(app.core, id);
    form = app.building = null;
    if (id === null) { body.replaceChildren(); return; }
    if (task === null) {
      body.replaceChildren(h("p", { class: "bad" }, `There is no such task: ${id.algorithm} is not for ${id.size} ranks.`));
      return;
    }
    const student = store.name;
    let { tries, code } = store.of(task.text, student);
    form = FORMS[task.kind](app, task);
    const result = h("div", { role: "status", class: "task-result", tabIndex: -1 });
    const mark = h("button", { type: "button", class: "strong", id: "mark", onclick: marked }, "Mark it");
    const hint = h("button", { type: "button", id: "hint", hidden: true, onclick: () => { hinted.replaceChildren(...[hintOf(app, task)].flat()); } }, "A hint");
    const hinted = h("p", { role: "status" });
    body.replaceChildren(h("section", { class: "card task", "aria-labelledby": "task-title" },
      h("h2", { id: "task-title" }, KINDS[task.kind].title), h("p", { class: "quiet" }, `${headOf(task)}, task ${task.id.seed}`),
      h("p", {}, form.question), form.element, h("div", { class: "row" }, mark, hint), hinted, result));
    if (code !== "") { showRight(); }
    hint.hidden = code !== "" || tries < HINT_AFTER;

    function marked() {
      const answer = form.answer();
      if (answer.incomplete) { result.replaceChildren(h("p", { class: "bad" }, answer.incomplete)); return; }
      const { right: reached, notes } = markTask(app.core, task, answer);
      const refusal = reached ? refusalOf(app.core, task, answer) : null, right = reached && refusal === null;
      if (code === "") { ++tries; }
      if (right && code === "") { code = codeOf(app.core, task, answer, student, tries); }
      store.put(task.text, student, { tries, code });
      hint.hidden = code !== "" || tries < HINT_AFTER;
      if (right) { showRight(); } else { showWrong(notes, refusal); }
      parts.sheet?.update();
    }
    function codePart() {
      return [h("div", { class: "row" }, h("b", {}, "Result code"), copyButton(() => code)),
      codeBox("Result code", code), h("p", {}, student === "" ? "This code has no name in it. To hand it in, type your name above first, and answer your own task." : "Hand this code to your teacher.")];
    }
    // A code that was earned stays, whatever is marked after it.
    function showWrong(notes, refusal) {
      const title = (note) => (note.rank !== undefined ? (note.rank === null ? "The receivers" : `Rank ${note.rank}`) : note.part[0].toUpperCase() + note.part.slice(1));
      const so = code !== "" ? [h("b", {}, "\u2717 This answer is not right."), " The code that you earned stays:"]
        : [h("b", {}, "\u2717 Not yet"), ` (${tries} ${tries === 1 ? "try" : "tries"} so far).`];
      result.replaceChildren(h("p", { class: "bad" }, so), ...(code === "" ? [] : codePart()), ...(refusal ? [h("p", { class: "bad" }, refusal)] : []), h("ul", { class: "task-notes" },
        notes.map((n) => h("li", { class: n.right ? "good" : "bad" }, `${n.right ? "\u2713" : "\u2717"} ${title(n)}: ${n.say}`))));
    }
    function showRight() {
      const why = whyRight(app, task, code);
      result.replaceChildren(h("p", { class: "good" }, h("b", {}, "\u2713 Right"), ` at try ${tries}.`),
        h("p", {}, task.kind === "build" ? "It proves, and it is within the rounds and bytes." : KINDS[task.kind].solution(task)),
        ...(why === null ? [] : [h("div", { class: "task-why" }, (typeof why === "string" ? [["Why", why]] : why).map(([of, text]) => h("p", {}, h("b", {}, `${of}: `), text)))]),
        ...codePart(),
        ...(app.state.sheet === "" ? [h("button", { type: "button", onclick: another }, "Another one like it")] : []));
    }
    function another() {
      if (parseTask(app.state.task).seed === "") { app.set({ item: app.state.item + 1 }); return; }
      const [base, number = "1"] = task.id.seed.split("-");
      app.set({ task: taskText({ ...task.id, seed: `${base}-${Number(number) + 1}` }) });
    }
  }

  // The parts are made anew only where what they show is another thing.
  app.onChange(() => {
    document.documentElement.classList.toggle("in-tasks", !host.hidden);
    if (host.hidden) { return; }
    const { state } = app;
    const isTeacher = state.teacher === "yes";
    if (document.activeElement !== name) { name.value = store.name; }
    const id = current(state);
    const now = JSON.stringify([id, store.name, state.sheet, state.item, state.teacher, state.task]);
    if (now === shown) { form?.redraw(); return; }
    const before = shown === "" ? null : JSON.parse(shown);
    shown = now;
    parts = {};
    if (before === null || before[4] !== state.teacher || state.sheet !== before[2] || isTeacher) {
      teacher.replaceChildren(...(isTeacher ? [teacherPart(app, teacher)] : []));
    }
    if (state.sheet === "" || isTeacher) { sheet.replaceChildren(); } else {
      parts.sheet = sheetPart(app, store);
      sheet.replaceChildren(parts.sheet.element);
    }
    if (state.sheet === "" && state.task === "" && !isTeacher) {
      // A click on a button that takes the focus from the name must find that button still there.
      if (before === null || before[2] !== "" || before[4] === "yes" || before[5] !== "") {
        choice = chooser(app, store);
        start.replaceChildren(choice.element);
      }
      choice.update();
    } else {
      start.replaceChildren(...(state.sheet === "" && !isTeacher ? [h("p", {}, h("button", { type: "button", class: "plain", onclick: () => app.set({ task: "" }) }, "\u2190 Choose another task"))] : []));
    }
    who.hidden = isTeacher;
    toTeacher.hidden = isTeacher || state.sheet !== "";
    const waits = state.sheet !== "" && store.name === "" && !isTeacher;
    showTask(isTeacher || waits ? null : id);
    if (waits) { body.replaceChildren(h("p", {}, "Type your name or number: then your tasks appear here.")); }
  });
}

export default { id: "tasks", title: "Tasks", player: false, mount };
