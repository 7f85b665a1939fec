// SPDX-License-Identifier: BSD-3-Clause
// The tour shows a new reader six states of the page, and says what to look for in each.
import { h } from "./dom.js";

export const STEPS = [
  ["Watch a ring", "#algorithm=ring&ranks=4",
    "Press play. Every rank sends one chunk and receives one, in each round. After 3 rounds each chunk is complete at one rank; 3 more hand the chunks round."],
  ["Count what it sends", "#algorithm=ring&ranks=4&view=cost&round=5",
    "Every rank has sent 1.5 vectors. The dashed line is the least that any algorithm can manage: open \u201cWhy can nobody send less?\u201d. The more ranks, the nearer the line comes to 2 vectors, and never above."],
  ["Put a tree beside it", "#algorithm=ring,tree&ranks=8&view=time",
    "For 1 MiB the ring is done first. A tree has fewer rounds, but sends whole vectors in them, and most ranks wait meanwhile."],
  ["Make the vector short", "#algorithm=ring,tree&ranks=8&view=time&bytes=1024",
    "For 1 KiB the tree is done first: bytes hardly count any more, rounds do, 6 against 14, for each costs a latency. In the Cost view drag the point to where the curves cross."],
  ["Write one of your own", "#view=write",
    "The text there is right, but sends too much. Change it: the proof and the counts follow each change. Another one to start from: one_shot, two_shot, ring."],
  ["Test yourself", "#view=tasks&task=bug:ring:4:all_reduce:1",
    "One step of a ring was changed. Which? The Tasks view has more, and marks them."],
];

export function mountTour(top) {
  let at = 0;
  const text = h("p", { role: "status" });
  const back = h("button", { type: "button", id: "tour-back", onclick: () => go(at - 1) }, "Back");
  const next = h("button", { type: "button", class: "strong", id: "tour-next", onclick: () => (at === STEPS.length - 1 ? close() : go(at + 1)) });
  const bar = h("section", { class: "tour no-print own-keys", "aria-label": "Tour", hidden: true }, text, h("div", { class: "row" }, back, next,
    h("button", { type: "button", class: "plain", id: "tour-close", "aria-label": "Close the tour", title: "Close the tour", onclick: close }, "\u00d7")));
  const start = h("button", { type: "button", class: "plain no-print", id: "tour", onclick: () => {
    bar.hidden = false;
    start.hidden = true;
    go(0);
    next.focus();
  } }, "New here? Take the tour");
  top.querySelector(".lead").append(" ", start);
  top.append(bar);

  function close() {
    bar.hidden = true;
    start.hidden = false;
    start.focus();
  }
  function go(to) {
    at = to;
    const [title, fragment, say] = STEPS[at];
    location.hash = fragment;
    text.replaceChildren(h("b", {}, `${at + 1} of ${STEPS.length}. ${title}. `), say);
    back.disabled = at === 0;
    next.textContent = at === STEPS.length - 1 ? "Done" : `Next: ${STEPS[at + 1][0].toLowerCase()}`;
  }
}
