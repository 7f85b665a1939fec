// SPDX-License-Identifier: BSD-3-Clause
// What a word means, where it stands: the first place of each word in a view has a dotted line, and
// says it under the pointer, by the keyboard or at a touch. The texts are those of docs/glossary.md.
import { h } from "./dom.js";
import { text } from "./language/headers.js";

const WORDS = ["rank", "communicator", "vector", "tree", "collective", "root", "all-reduce", "reduce-scatter", "all-gather", "algorithm", "step", "round", "chunk",
               "block", "owner", "schedule", "bracket", "checker", "order-preserving", "position-independent", "left fold", "busiest rank", "bound",
               "bandwidth-optimal", "latency", "overhead", "gap", "bandwidth", "\u03b1", "\u03b2", "\u03b3", "LogGP", "critical path", "crossbar", "torus", "fat tree", "oversubscribed", "fair sharing"];
const PLACES = "p, li, th, dd, .term-place";
const NOT_IN = "button, label, summary, a, code, svg, textarea, select, .term, .away, .foot, .legend, [role=status], [hidden]";
const WAIT = 120;  // milliseconds after a change: what is seen first comes first

// {word: what it means} of the Markdown of the glossary.
export function meaningsOf(markdown) {
  const meanings = {};
  for (const [, word, said] of markdown.matchAll(/^- \*\*([^*]+)\*\*: (.*(?:\n {2}.*)*)/gm)) {
    meanings[word] = said.replace(/\s+/g, " ").replace(/[*`]/g, "");
  }
  return meanings;
}
// The words that the page explains, [word, what it means].
export function explainedWords() {
  const meanings = meaningsOf(text("docs/glossary.md"));
  return WORDS.map((word) => [word, meanings[word]]);
}

export function mountGlossary(view, also) {
  const meanings = new Map(explainedWords());
  const longFirst = [...WORDS].sort((a, b) => b.length - a.length).join("|");
  const pattern = new RegExp(`(?<![\\w-])(${longFirst})s?(?![\\w-])(?! (?:the end|to a float))`, "gi");
  const wordOf = (found) => WORDS.find((w) => w.toLowerCase() === found.toLowerCase());
  const tip = h("div", { class: "term-tip", id: "term-tip", role: "tooltip", hidden: true });
  const told = h("p", { class: "away", role: "status" });  // read out after a click or a key; the tip itself describes the word that has the focus
  document.querySelector("main").append(tip, told);
  let over = null;    // the term whose meaning is shown
  let pinned = false; // by a click or a key: it stays until another one
  let waiting = 0, closing = 0;
  let focused = "";   // the word of the term that has the focus

  function show(term) {
    clearTimeout(closing);
    if (over === term) { return; }
    hide();
    over = term;
    term.setAttribute("aria-describedby", tip.id);
    tip.replaceChildren(h("b", {}, term.dataset.word), ": ", meanings.get(term.dataset.word));
    tip.hidden = false;
    const at = term.getBoundingClientRect(), room = document.documentElement.clientWidth;
    const left = Math.max(8, Math.min(at.left, room - tip.offsetWidth - 8));
    const below = at.bottom + 6 + tip.offsetHeight < innerHeight || at.top < tip.offsetHeight + 6;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${(below ? at.bottom + 6 : at.top - tip.offsetHeight - 6) + scrollY}px`;
  }
  function hide() {
    clearTimeout(closing);
    over?.removeAttribute("aria-describedby");
    over = null;
    pinned = false;
    tip.hidden = true;
    told.textContent = "";
  }
  // The pointer may go to what is shown.
  const hideSoon = () => { if (!pinned) { closing = setTimeout(hide, 200); } };
  function toggle(term) {
    const was = over === term && pinned;
    hide();
    if (!was) {
      show(term);
      pinned = true;
      told.textContent = tip.textContent;
    }
  }
  tip.addEventListener("pointerenter", () => clearTimeout(closing));
  tip.addEventListener("pointerleave", hideSoon);
  const termAt = (e) => e.target.closest?.(".term");
  addEventListener("pointerover", (e) => { if (e.pointerType === "mouse" && termAt(e) && !pinned) { show(termAt(e)); } });
  addEventListener("pointerout", (e) => { if (e.pointerType === "mouse" && termAt(e)) { hideSoon(); } });
  addEventListener("focusin", (e) => {
    focused = termAt(e)?.dataset.word ?? "";
    if (termAt(e)?.matches(":focus-visible")) { show(termAt(e)); }
  });
  addEventListener("focusout", (e) => { if (termAt(e) && !pinned) { hide(); } });
  addEventListener("click", (e) => { if (termAt(e)) { toggle(termAt(e)); } else if (!tip.contains(e.target)) { hide(); } });
  addEventListener("keydown", (e) => {
    if (e.key === "Escape" && over) { hide(); e.preventDefault(); }
    if (termAt(e) && ["Enter", " "].includes(e.key)) { e.preventDefault(); toggle(termAt(e)); }
  }, true);

  function termOf(found) {
    return h("span", { class: "term", role: "button", tabIndex: 0, "data-word": wordOf(found.replace(/s$/i, "")) ?? wordOf(found) }, found);
  }
  // Makes terms of the words in a text that are not among those seen. The text stays one part of its line.
  function mark(node, seen) {
    const parts = [], all = node.data;
    let from = 0;
    for (const found of all.matchAll(pattern)) {
      const word = wordOf(found[1]);
      if (seen.has(word)) { continue; }
      seen.add(word);
      parts.push(all.slice(from, found.index), termOf(found[0]));
      from = found.index + found[0].length;
    }
    if (parts.length > 0) { node.replaceWith(h("span", {}, parts, all.slice(from))); }
  }
  function markAll(host) {
    const seen = new Set(Array.from(host.querySelectorAll(".term"), (t) => t.dataset.word));
    const walk = document.createTreeWalker(host, NodeFilter.SHOW_TEXT, (n) =>
      (n.parentElement.closest(PLACES) && !n.parentElement.closest(NOT_IN) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT));
    const nodes = [];
    while (walk.nextNode()) { nodes.push(walk.currentNode); }
    for (const node of nodes) { mark(node, seen); }
  }
  function draw() {
    if (over && !over.isConnected) { hide(); }
    const lost = focused !== "" && document.activeElement === document.body ? focused : "";
    for (const host of [also, ...view.children]) { if (!host.hidden) { markAll(host); } }
    if (lost !== "") { view.querySelector(`[data-word="${lost}"]`)?.focus(); }
  }
  new MutationObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(draw, WAIT);
  }).observe(view, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["hidden"] });
  draw();
}
