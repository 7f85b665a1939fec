// SPDX-License-Identifier: BSD-3-Clause
// The tours show a new reader states of the page, and say what to look for in each: one shows the whole page,
// one only why and when a ring is good.
import { h } from "./dom.js";
import { fromFragment } from "./state.js";
import { factsOf, TOURS } from "./tour_texts.js";

export function mountTour(top, app) {
  let at = 0, steps = TOURS.whole, from = null, said = [], elsewhere = false;
  const text = h("p", { role: "status" });
  const button = (id, onclick, words, look = null) => h("button", { type: "button", class: look, id, onclick }, words);
  const back = button("tour-back", () => go(at - 1), "Back");
  const next = button("tour-next", () => (at === steps.length - 1 ? close() : go(at + 1)), "", "strong");
  const again = button("tour-again", () => { go(at); next.focus(); }, "", "strong");
  const bar = h("section", { class: "tour no-print own-keys", "aria-label": "Tour", hidden: true }, text, h("div", { class: "row" }, back, next, again,
    h("button", { type: "button", class: "plain", id: "tour-close", "aria-label": "Close the tour", title: "Close the tour", onclick: close }, "\u00d7")));
  const start = (id, which, words, title) => h("button", { type: "button", class: "plain no-print", id, title, onclick: (e) => {
    bar.hidden = false;
    starts.hidden = true;
    [steps, from] = [TOURS[which], e.currentTarget];
    go(0);
    next.focus();
  } }, words);
  const starts = h("span", { class: "tour-starts" }, start("tour", "whole", "Take the tour", `The whole page, in ${TOURS.whole.length} steps`),
    start("tour-ring", "ring", "Why a ring?", `Why and when a ring all-reduce is good, in ${TOURS.ring.length} steps`));
  top.querySelector(".lead").append(" ", starts);
  top.append(bar);

  function close() {
    bar.hidden = true;
    starts.hidden = false;
    from.focus();
  }
  async function go(to) {
    at = to;
    const [, fragment, say] = steps[at], shown = steps;
    said = [];
    elsewhere = false;
    app.visit(fragment);
    draw();
    const words = await say(factsOf(app.core, fragment, app.own));
    if (at === to && steps === shown) { said = [words].flat(); draw(); }
  }
  function draw() {
    const [title] = steps[at], place = `step ${at + 1} of ${steps.length}`, hadFocus = bar.contains(document.activeElement);
    back.hidden = next.hidden = elsewhere;
    again.hidden = !elsewhere;
    if (hadFocus && elsewhere) { again.focus(); }
    again.textContent = `Back to ${place}`;
    if (at === 0 && document.activeElement === back) { next.focus(); }
    back.disabled = at === 0;
    next.textContent = at === steps.length - 1 ? "Done" : `Next: ${steps[at + 1][0].toLowerCase()}`;
    if (elsewhere) { text.replaceChildren(`The tour waits at ${place}: ${title.toLowerCase()}.`); return; }
    text.replaceChildren(h("b", {}, `${at + 1} of ${steps.length}. ${title}. `), ...said.map((part) => (typeof part === "string" ? part
      : h("button", { type: "button", class: "plain", onclick: () => open(part.opens) }, part.words))));
  }
  // Opens what is folded, and goes there.
  function open(id) {
    const folded = document.getElementById(id);
    folded.open = true;
    folded.scrollIntoView({ block: "center" });
    folded.querySelector("summary").focus({ preventScroll: true });
  }

  // On another tab than that of its step the tour waits: what it says is not of what is seen there.
  let view = null;
  app.onChange(() => {
    if (!bar.hidden && app.state.view !== view) {
      elsewhere = app.state.view !== fromFragment(steps[at][1]).state.view;
      draw();
    }
    ({ view } = app.state);
  });
}
