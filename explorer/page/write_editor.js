// SPDX-License-Identifier: BSD-3-Clause
// A text field for C++ with numbers of lines, colours, and marks on lines.
import { h } from "./dom.js";

const WORDS = new Set(("auto bool break class const constexpr continue do else false for if inline int namespace private public return static static_assert " +
  "static_cast struct true using void while").split(" "));
const OURS = new Set("step verb send recv_reduce recv_copy chunk_range rank_t step_sink emit collectives coll".split(" "));
const PIECES = /(\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|("(?:[^"\\\n]|\\.)*"?)|(^[ \t]*#[^\n]*)|([A-Za-z_]\w*)|(\d[\w']*)|\n|[^\n"/#A-Za-z_\d]+|./gm;

function kindOf([piece, comment, string, directive, word, number]) {
  if (comment) { return "comment"; }
  if (string) { return "string"; }
  if (directive) { return "directive"; }
  if (number) { return "number"; }
  return word ? (WORDS.has(piece) ? "keyword" : OURS.has(piece) ? "ours" : "") : "";
}

// {node, field, text, set(text), mark(wrong: Set of lines, running: Set of lines), goTo(line, column)}
export function makeEditor(id, describedBy, onInput) {
  const gutter = h("div", { class: "gutter", "aria-hidden": "true" }), under = h("div", { class: "under", "aria-hidden": "true" });
  const field = h("textarea", { id, spellcheck: false, wrap: "off", autocapitalize: "off", autocomplete: "off", "aria-describedby": describedBy,
    "aria-label": "Your algorithm, in C++" });
  const node = h("div", { class: "editor" }, gutter, h("div", { class: "paper" }, under, field));
  let leaving = false, errors = new Set(), running = new Set(), lines = [];

  function draw() {
    lines = [h("div", {})];
    for (const match of field.value.matchAll(PIECES)) {
      const kind = kindOf(match);
      match[0].split("\n").forEach((part, i) => {
        if (i > 0) { lines.push(h("div", {})); }
        if (part) { lines.at(-1).append(kind ? h("span", { class: kind }, part) : part); }
      });
    }
    under.replaceChildren(...lines);
    gutter.replaceChildren(...lines.map((_, i) => h("div", {}, String(i + 1))));
    mark(errors, running);
    scrolled();
  }
  function mark(wrong, runs) {
    errors = wrong; running = runs;
    lines.forEach((line, i) => {
      const kind = errors.has(i + 1) ? "wrong" : running.has(i + 1) ? "runs" : "";
      line.className = kind;
      gutter.children[i].className = kind;
    });
    field.setAttribute("aria-invalid", errors.size > 0);
  }
  function scrolled() {
    under.style.transform = `translate(${-field.scrollLeft}px, ${-field.scrollTop}px)`;
    gutter.scrollTop = field.scrollTop;
  }
  const insert = (text) => document.execCommand("insertText", false, text);  // so that undo knows of it

  field.addEventListener("scroll", scrolled);
  field.addEventListener("input", () => { draw(); onInput(field.value); });
  field.addEventListener("blur", () => { leaving = false; });
  field.addEventListener("keydown", (e) => {
    e.stopPropagation();  // the player's keys are not for here
    if (e.key === "Escape") { leaving = true; return; }
    if (e.key === "Tab" && !e.shiftKey && !leaving && !e.ctrlKey && !e.altKey) {
      e.preventDefault();
      const column = field.selectionStart - (field.value.lastIndexOf("\n", field.selectionStart - 1) + 1);
      insert(" ".repeat(4 - (column % 4)));
    } else if (e.key === "Enter") {
      const before = field.value.slice(field.value.lastIndexOf("\n", field.selectionStart - 1) + 1, field.selectionStart);
      e.preventDefault();
      insert(`\n${/^ */.exec(before)[0]}${/[{(]\s*$/.test(before) ? "    " : ""}`);
      field.scrollLeft = 0;
    } else if (e.key === "}" && /(?:^|\n) {4,}$/.test(field.value.slice(0, field.selectionStart))) {
      e.preventDefault();
      field.setSelectionRange(field.selectionStart - 4, field.selectionEnd);
      insert("}");
    }
    if (e.key !== "Tab") { leaving = false; }
  });

  return {
    node, field,
    get text() { return field.value; },
    set(text) { if (text !== field.value) { field.value = text; draw(); } },
    // In place of all, so that undo gives the old text back.
    replace(text) {
      field.focus();
      field.select();
      insert(text);
      field.setSelectionRange(0, 0);
      field.scrollTo(0, 0);
    },
    undo() {
      field.focus();
      document.execCommand("undo");
    },
    mark,
    // Scrolls a line into sight, without the focus.
    reveal(line) {
      const height = field.scrollHeight / Math.max(lines.length, 1), top = (line - 1) * height;
      if (top < field.scrollTop || top > field.scrollTop + field.clientHeight - 2 * height) { field.scrollTop = Math.max(0, top - 4 * height); }
    },
    goTo(line, column) {
      const at = field.value.split("\n").slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + column - 1;
      field.focus();
      field.setSelectionRange(at, at);
      const height = field.scrollHeight / Math.max(lines.length, 1);
      field.scrollTop = Math.max(0, (line - 8) * height);
    },
  };
}
