// SPDX-License-Identifier: BSD-3-Clause
// Makes elements. Texts are set as text, never as markup, so what comes from outside stays text.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) { continue; }
    if (name.startsWith("on")) { node.addEventListener(name.slice(2).toLowerCase(), value); }
    else if (name === "class") { node.setAttribute("class", value); }
    else if (name === "style" && typeof value === "object") { setStyle(node, value); }
    else if (name in node && !(node instanceof SVGElement) && !name.includes("-") && name !== "list" && name !== "form") { node[name] = value; }
    else { node.setAttribute(name, value === true ? "" : value); }
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

function setStyle(node, style) {
  for (const [name, value] of Object.entries(style)) { node.style.setProperty(name, value); }
}

// h("button", {class: "x", onclick: f, "aria-label": "y"}, "text", node, [more], null)
export const h = (tag, props, ...children) => filled(document.createElement(tag), props, children);
// The same of SVG: s("rect", {x: 1, fill: "var(--ink)"}).
export const s = (tag, props, ...children) => filled(document.createElementNS(SVG, tag), props, children);

// A list with commas and an "and": "a", "a and b", "a, b and c".
export const listed = (words) => (words.length < 2 ? words.join("")
  : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);
export const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : word.endsWith("x") ? "es" : "s"}`;
