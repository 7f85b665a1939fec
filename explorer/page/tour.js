// SPDX-License-Identifier: BSD-3-Clause
// The tours show a new reader states of the page, and say what to look for in each: one shows the whole page,
// one only why and when a ring is good.
import { h } from "./dom.js";
import { factsOf, TOURS } from "./tour_texts.js";

export function mountTour(top, core) {
  let at = 0, steps = TOURS.whole, from = null;
  const text = h("p", { role: "status" });
  const back = h("button", { type: "button", id: "tour-back", onclick: () => go(at - 1) }, "Back");
  const next = h("button", { type: "button", class: "strong", id: "tour-next", onclick: () => (at === steps.length - 1 ? close() : go(at + 1)) });
  const bar = h("section", { class: "tour no-print own-keys", "aria-label": "Tour", hidden: true }, text, h("div", { class: "row" }, back, next,
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
    const [title, fragment, say] = steps[at], shown = steps;
    location.hash = fragment;
    back.disabled = at === 0;
    next.textContent = at === steps.length - 1 ? "Done" : `Next: ${steps[at + 1][0].toLowerCase()}`;
    const said = await say(factsOf(core, fragment));
    if (at === to && steps === shown) { text.replaceChildren(h("b", {}, `${at + 1} of ${steps.length}. ${title}. `), said); }
  }
}
