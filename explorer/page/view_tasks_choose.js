// SPDX-License-Identifier: BSD-3-Clause
// Chooses a task: its kind, and what it is about.
import { copied } from "./clipboard.js";
import { h } from "./dom.js";
import { COLLECTIVES, KINDS, LEAST_RANKS, MOST_RANKS, taskText } from "./tasks.js";

export function copyButton(text, label = "Copy") {
  const button = h("button", { type: "button", onclick: async () => {
    button.textContent = (await copied(text())) ? "Copied" : "Not copied: select it";
    setTimeout(() => { button.textContent = label; }, 2000);
  } }, label);
  return button;
}

// Codes to read and copy: the box is as high as they are, up to a dozen lines.
export function codeBox(label, text) {
  const box = h("textarea", { readOnly: true, rows: 2, class: "task-code", "aria-label": label }, text);
  new ResizeObserver(() => {
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`;
  }).observe(box);
  return box;
}

// Fields for what a task is about: {elements, read() -> {algorithm, size, collective} or null}.
export function aboutFields(app, initial, prefix, onchange = () => {}) {
  const names = ["any", ...app.core.algorithms.filter((n) => !n.endsWith(":"))];
  const algorithm = h("select", { id: `${prefix}-algorithm`, onchange }, names.map((n) => h("option", { value: n, selected: n === initial.algorithm }, n === "any" ? "any of star, tree, ring, butterfly" : n)));
  const size = h("input", { type: "number", id: `${prefix}-ranks`, min: LEAST_RANKS, max: MOST_RANKS, value: initial.size, required: true, onchange });
  const collective = h("select", { id: `${prefix}-collective`, onchange }, COLLECTIVES.map((c) => h("option", { value: c, selected: c === initial.collective }, c.replaceAll("_", "-"))));
  return {
    elements: [h("label", {}, h("span", {}, "Algorithm"), algorithm), h("label", {}, h("span", {}, "Ranks"), size), h("label", {}, h("span", {}, "Collective"), collective)],
    read() {
      const ok = size.validity.valid;
      size.setAttribute("aria-invalid", !ok);
      return ok ? { algorithm: algorithm.value, size: Number(size.value), collective: collective.value } : null;
    },
  };
}

export function chooser(app, store) {
  const { state, core } = app;
  const [first] = state.algorithm;
  const fields = aboutFields(app, {
    algorithm: core.algorithms.includes(first) ? first : "any",
    size: Math.min(MOST_RANKS, Math.max(LEAST_RANKS, state.ranks)),
    collective: COLLECTIVES.includes(state.collective) ? state.collective : "all_reduce",
  }, "task");
  const begin = (kind) => {
    const about = fields.read();
    if (about === null) { return; }
    const seed = store.name === "" ? `${1 + Math.floor(Math.random() * 99999)}-1` : "";  // "": that of the name
    app.set({ task: taskText({ kind, ...about, seed }), item: 1 });
  };
  const done = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, h("p", { class: "good", id: `done-${kind}` })]));
  function update() {
    for (const [kind, says] of Object.entries(done)) {
      const n = store.done(kind, store.name);
      says.textContent = n === 0 ? "" : `\u2713 ${n} done`;
      says.hidden = n === 0;
    }
  }
  update();
  return { update, element: h("div", {},
    h("div", { class: "row task-about" }, fields.elements),
    h("div", { class: "task-kinds" }, Object.entries(KINDS).map(([kind, k]) => h("section", { class: "card" },
      h("h2", {}, k.title), h("p", {}, k.goal), h("p", { class: "quiet" }, `About ${k.minutes} minutes.`), done[kind],
      h("button", { type: "button", class: "strong", id: `start-${kind}`, onclick: () => begin(kind) }, "Start"))))) };
}
