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
export function makeEditor(id, describedBy, onInput, onLeave) {
  const gutter = h("div", { class: "gutter", "aria-hidden": "true" }), under = h("div", { class: "under", "aria-hidden": "true" });
  const field = h("textarea", { id, spellcheck: false, wrap: "off", autocapitalize: "off", autocomplete: "off", "aria-describedby": describedBy,
    "aria-label": "Your algorithm, in C++" });
  const signs = h("div", { class: "signs", role: "group", "aria-label": "Signs that a small keyboard hides" },
    ["\u21e5", ..."{}()[];:=<>+-*%&,"].map((sign) => h("button", { type: "button", "aria-label": sign === "\u21e5" ? "Indent" : null,
      onpointerdown: (e) => e.preventDefault(), onclick: () => {
        field.focus();
        type(sign);
      } }, sign)));
  const node = h("div", { class: "editor" }, gutter, h("div", { class: "paper" }, under, field), signs);
  let leaving = false, hasHistory = false, errors = new Set(), running = new Set(), lines = [];

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
    level();
    scrolled();
  }
  // Where long lines wrap, as on a phone, a number is as tall as its line.
  function level() {
    const wraps = getComputedStyle(field).whiteSpace !== "pre";
    const tall = wraps ? lines.map((line) => line.getBoundingClientRect().height) : [];
    lines.forEach((_, i) => { gutter.children[i].style.height = wraps ? `${tall[i]}px` : ""; });
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

  const lineBefore = () => field.value.slice(field.value.lastIndexOf("\n", field.selectionStart - 1) + 1, field.selectionStart);
  // Puts in a sign, with what goes with it: a new line is indented, a closing brace is not.
  function type(sign) {
    if (sign === "\u21e5") { insert(" ".repeat(4 - (lineBefore().length % 4))); return; }
    if (sign === "}" && /^ {4,}$/.test(lineBefore())) { field.setSelectionRange(field.selectionStart - 4, field.selectionEnd); }
    insert(sign === "\n" ? `\n${/^ */.exec(lineBefore())[0]}${/[{(]\s*$/.test(lineBefore()) ? "    " : ""}` : sign);
    if (sign === "\n") { field.scrollLeft = 0; }
  }

  function put(text) {
    field.focus({ preventScroll: true });
    field.select();
    insert(text);
    field.setSelectionRange(0, 0);
    field.scrollTo(0, 0);
  }

  new ResizeObserver(level).observe(under);
  field.addEventListener("scroll", scrolled);
  // Not of keydown: the keyboard of a phone does not say there which key it is.
  let typing = false;
  field.addEventListener("beforeinput", (e) => {
    const sign = e.inputType === "insertLineBreak" ? "\n" : e.inputType === "insertText" && e.data === "}" ? "}" : null;
    if (sign === null || typing) { return; }
    e.preventDefault();
    typing = true;
    type(sign);
    typing = false;
  });
  field.addEventListener("input", () => { hasHistory = true; draw(); onInput(field.value); });
  field.addEventListener("blur", () => { leaving = false; onLeave(); });
  field.addEventListener("keydown", (e) => {
    e.stopPropagation();  // the player's keys are not for here
    if (e.key === "Escape") { leaving = true; return; }
    if (e.key === "Tab" && !e.shiftKey && !leaving && !e.ctrlKey && !e.altKey) {
      e.preventDefault();
      type("\u21e5");
    }
    if (e.key !== "Tab") { leaving = false; }
  });

  return {
    node, field,
    get text() { return field.value; },
    // From elsewhere, as from a link. The history of what was typed goes on: it does not fit another text.
    set(text) {
      if (text === field.value) { return; }
      if (!hasHistory) { field.value = text; draw(); return; }
      const focused = document.activeElement;
      put(text);
      if (focused !== field) { field.blur(); focused?.focus?.({ preventScroll: true }); }
    },
    // In place of all, so that undo gives the old text back.
    replace: put,
    undo() {
      field.focus();
      document.execCommand("undo");
    },
    mark,
    // Scrolls a line into sight, without the focus; where the text does not scroll by itself, not at all.
    reveal(line) {
      const { offsetTop: top, offsetHeight: height } = lines[line - 1] ?? lines[0];
      if (top < field.scrollTop || top > field.scrollTop + field.clientHeight - 2 * height) { field.scrollTop = Math.max(0, top - 4 * height); }
    },
    goTo(line, column) {
      const at = field.value.split("\n").slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + column - 1;
      field.focus({ preventScroll: true });
      field.setSelectionRange(at, at);
      const { offsetTop: top, offsetHeight: height } = lines[line - 1] ?? lines.at(-1);
      field.scrollTop = Math.max(0, top - 7 * height);
      scrolled();
      (lines[line - 1] ?? lines.at(-1)).scrollIntoView({ block: "nearest" });
    },
  };
}
