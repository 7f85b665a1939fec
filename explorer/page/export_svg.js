// SPDX-License-Identifier: BSD-3-Clause
// Draws what an element of the page shows as an SVG that stands alone: boxes and texts are drawn where
// the browser has put them, pictures get their computed colours. Controls are left out.
import { h, s } from "./dom.js";

const LEFT_OUT = "button, select, summary, input[type=range], input[type=checkbox], input[type=radio], input[type=file], .away, .no-export, label:has(select, input[type=range], input[type=checkbox], input[type=radio], input[type=file])";
const INHERITED = ["color", "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray",
  "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "font-family", "font-size", "font-weight", "font-style", "text-anchor",
  "dominant-baseline", "letter-spacing", "visibility", "paint-order", "marker-start", "marker-mid", "marker-end"];
const OWN = { opacity: "1", "stop-color": "rgb(0, 0, 0)", "stop-opacity": "1", "clip-path": "none", mask: "none", "mix-blend-mode": "normal" };

const clear = (colour) => colour === "transparent" || /, 0\)$/.test(colour);
const brush = document.createElement("canvas").getContext("2d");

// {svg, width, height}; `caption`: lines that stand below.
export function svgOf(element, caption, paper) {
  const origin = element.getBoundingClientRect();
  const out = s("g", {});
  const reach = { right: 320, top: Infinity, bottom: 0 };
  const place = { x: (v) => round(v - origin.left + PAD), y: (v) => round(v - origin.top + PAD), reach, defs: s("defs", {}) };
  walk(element, out, place);
  const width = Math.ceil(reach.right + PAD);
  let height = reach.bottom + 10;
  const style = getComputedStyle(document.body);
  const lines = caption.flatMap((line) => folded(line, Math.floor((width - 2 * PAD) / 6.6)));
  for (const line of lines) {
    height += 17;
    out.append(s("text", { x: PAD, y: round(height), "font-size": 12, fill: getComputedStyle(document.querySelector(".quiet")).color }, line));
  }
  // What was left out at the top leaves no gap.
  const top = Number.isFinite(reach.top) ? Math.max(0, Math.floor(reach.top - PAD)) : 0;
  height = Math.ceil(height + PAD) - top;
  const svg = s("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 ${top} ${width} ${height}`, "font-family": style.fontFamily },
    s("title", {}, caption[0]), place.defs, s("rect", { y: top, width, height, fill: paper }), out);
  return { svg, width, height, text: '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(svg) };
}
const PAD = 16;
const round = (v) => Math.round(v * 100) / 100;

function folded(line, most) {
  const parts = [];
  for (const word of line.split(" ")) {
    if (parts.length > 0 && parts.at(-1).length + word.length < most) { parts[parts.length - 1] += " " + word; } else { parts.push(word); }
  }
  return parts.flatMap((p) => p.match(new RegExp(`.{1,${most}}`, "gu")));
}

function extend({ reach, x, y }, rect) {
  reach.right = Math.max(reach.right, x(rect.right));
  reach.bottom = Math.max(reach.bottom, y(rect.bottom));
  reach.top = Math.min(reach.top, y(rect.top));
}

function walk(node, out, place) {
  if (node.nodeType === Node.TEXT_NODE) { drawText(node, out, place); return; }
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(LEFT_OUT)) { return; }
  const style = getComputedStyle(node), rect = node.getBoundingClientRect();
  if (!node.checkVisibility() && style.display !== "contents") { return; }
  if (style.display === "none" || style.visibility === "hidden" || (rect.width === 0 && rect.height === 0 && style.display !== "contents")) { return; }
  const group = Number(style.opacity) < 1 ? out.appendChild(s("g", { opacity: style.opacity })) : out;
  if (node instanceof SVGElement) { drawPicture(node, rect, group, place); return; }
  drawBox(node, style, rect, group, place);
  if (node instanceof HTMLCanvasElement) {
    extend(place, rect);
    group.append(s("image", { x: place.x(rect.left), y: place.y(rect.top), width: rect.width, height: rect.height, href: node.toDataURL() }));
    return;
  }
  if (node.matches("input, textarea")) { drawValue(node, style, rect, group, place); return; }
  if (node instanceof HTMLProgressElement) {
    extend(place, rect);
    const bar = (width, fill) => group.append(s("rect", { x: place.x(rect.left), y: place.y(rect.top), width: round(width), height: round(rect.height), rx: 3, fill }));
    bar(rect.width, "#c8d0d9");
    bar(rect.width * node.position, style.accentColor === "auto" ? style.color : style.accentColor);
    return;
  }
  if (style.display === "list-item" && style.listStyleType !== "none") { drawMarker(node, style, rect, group, place); }
  for (const child of node.childNodes) { walk(child, group, place); }
}

function drawBox(node, style, rect, out, place) {
  const at = { x: place.x(rect.left), y: place.y(rect.top), width: round(rect.width), height: round(rect.height) };
  const rx = Math.min(parseFloat(style.borderTopLeftRadius) || 0, at.width / 2, at.height / 2);
  if (style.backgroundImage.startsWith("linear-gradient")) {
    out.append(s("rect", { ...at, rx, fill: `url(#${gradient(style.backgroundImage, place)})` }));
    extend(place, rect);
  } else if (!clear(style.backgroundColor)) {
    out.append(s("rect", { ...at, rx, fill: style.backgroundColor }));
    extend(place, rect);
  }
  const sides = ["Top", "Right", "Bottom", "Left"].map((side) => ({ width: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]), colour: style[`border${side}Color`] }));
  const [top] = sides;
  if (top.width > 0 && !clear(top.colour) && sides.every((b) => b.width === top.width && b.colour === top.colour)) {
    const dash = style.borderTopStyle === "dashed" ? `${3 * top.width} ${2 * top.width}` : null;
    out.append(s("rect", { x: at.x + top.width / 2, y: at.y + top.width / 2, width: Math.max(0, at.width - top.width), height: Math.max(0, at.height - top.width), rx, fill: "none", stroke: top.colour, "stroke-width": top.width, "stroke-dasharray": dash }));
    extend(place, rect);
  } else {
    const { x, y, width, height } = at;
    const ends = [[x, y, x + width, y], [x + width, y, x + width, y + height], [x, y + height, x + width, y + height], [x, y, x, y + height]];
    sides.forEach((b, i) => {
      if (b.width > 0 && !clear(b.colour)) {
        const [x1, y1, x2, y2] = ends[i];
        out.append(s("line", { x1, y1, x2, y2, stroke: b.colour, "stroke-width": b.width }));
      }
    });
  }
  if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 && node !== document.activeElement) {
    const w = parseFloat(style.outlineWidth), far = parseFloat(style.outlineOffset) + w / 2;
    out.append(s("rect", { x: at.x - far, y: at.y - far, width: at.width + 2 * far, height: at.height + 2 * far, rx: rx + far, fill: "none", stroke: style.outlineColor, "stroke-width": w }));
  }
}

function gradient(text, place) {
  const colours = text.match(/rgba?\([^)]*\)/g), id = `fade-${place.defs.children.length}`;
  place.defs.append(s("linearGradient", { id }, colours.map((c, i) => s("stop", { offset: i / Math.max(1, colours.length - 1), "stop-color": c }))));
  return id;
}

function fontOf(style) {
  const weight = style.fontWeight === "400" ? null : style.fontWeight;
  return { "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": weight, "font-style": style.fontStyle === "normal" ? null : style.fontStyle, fill: style.color };
}

function textAt(text, style, rect, out, place) {
  brush.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const m = brush.measureText(text);
  const up = m.fontBoundingBoxAscent, down = m.fontBoundingBoxDescent;
  const y = place.y(rect.top + (rect.height - up - down) / 2 + up);
  extend(place, rect);
  const upper = style.textTransform === "uppercase";
  out.append(s("text", { x: place.x(rect.left), y, ...fontOf(style), "xml:space": "preserve" }, upper ? text.toUpperCase() : text));
}

// A text of several lines is cut where the browser breaks it.
function drawText(node, out, place) {
  const style = getComputedStyle(node.parentElement), range = document.createRange();
  const lines = [];
  for (const word of node.data.matchAll(/\S+/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const rect = range.getBoundingClientRect();
    if (rect.width === 0) { continue; }
    const last = lines.at(-1);
    if (last && Math.abs(last.top - rect.top) < 3) { last.end = word.index + word[0].length; last.right = rect.right; }
    else { lines.push({ start: word.index, end: word.index + word[0].length, left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom, height: rect.height }); }
  }
  const keeps = style.whiteSpace.startsWith("pre");
  for (const line of lines) {
    const text = node.data.slice(line.start, line.end);
    textAt(keeps ? text : text.replace(/\s+/g, " "), style, line, out, place);
  }
}

function drawValue(node, style, rect, out, place) {
  const left = rect.left + parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth);
  const rows = node.value.split("\n"), line = parseFloat(style.lineHeight) || 1.4 * parseFloat(style.fontSize);
  const top = rows.length === 1 ? rect.top + (rect.height - line) / 2 : rect.top + parseFloat(style.paddingTop);
  rows.forEach((row, i) => {
    const y = top + i * line;
    if (row !== "" && y + line <= rect.bottom + 2) { textAt(row, style, { left, right: left, top: y, bottom: y + line, height: line }, out, place); }
  });
}

function drawMarker(node, style, rect, out, place) {
  const size = parseFloat(style.fontSize);
  if (style.listStyleType === "disc") {
    out.append(s("circle", { cx: place.x(rect.left - 0.75 * size), cy: place.y(rect.top + 0.75 * size), r: round(0.18 * size), fill: style.color }));
  } else {
    const number = `${[...node.parentElement.children].indexOf(node) + 1}.`;
    textAt(number, style, { left: rect.left - 1.4 * size, right: rect.left, top: rect.top, bottom: rect.top + 1.5 * size, height: 1.5 * size }, out, place);
  }
}

// A picture, with what it refers to elsewhere on the page.
function drawPicture(node, rect, out, place) {
  const copy = node.cloneNode(true);
  settle(node, copy, null);
  copy.setAttribute("x", place.x(rect.left));
  copy.setAttribute("y", place.y(rect.top));
  // What one would have to scroll to is made smaller, as wide as what is seen.
  const window = scrollerOf(node), scale = window === null ? 1 : Math.min(1, window.clientWidth / rect.width);
  if (scale < 1 && !copy.hasAttribute("viewBox")) { copy.setAttribute("viewBox", `0 0 ${round(rect.width)} ${round(rect.height)}`); }
  copy.setAttribute("preserveAspectRatio", scale < 1 ? "xMinYMid meet" : node.getAttribute("preserveAspectRatio") ?? "xMidYMid meet");
  copy.setAttribute("width", round(rect.width * scale));
  copy.setAttribute("height", round(rect.height));
  copy.setAttribute("overflow", getComputedStyle(node).overflow === "visible" ? "visible" : "hidden");
  extend(place, { right: rect.left + rect.width * scale, top: rect.top, bottom: rect.bottom });
  for (const id of new Set([...copy.outerHTML.matchAll(/(?:url\(\W*#|href="#)([^")&]+)/g)].map((m) => m[1]))) {
    const source = document.getElementById(id);
    if (source !== null && !node.contains(source)) {
      const definition = source.cloneNode(true);
      settle(source, definition, null);
      copy.prepend(definition);
    }
  }
  out.append(copy);
}

function scrollerOf(node) {
  let at = node.parentElement;
  while (at !== null && at.scrollWidth <= at.clientWidth + 1) { at = at.parentElement; }
  return at !== null && ["auto", "scroll"].includes(getComputedStyle(at).overflowX) ? at : null;
}

// Writes the computed look of an element, and of those in it, into a copy.
function settle(from, to, parent) {
  const style = getComputedStyle(from);
  for (const name of INHERITED) {
    const value = style.getPropertyValue(name);
    if (parent === null || value !== parent.getPropertyValue(name)) { to.setAttribute(name, value); } else { to.removeAttribute(name); }
  }
  for (const [name, initial] of Object.entries(OWN)) {
    const value = style.getPropertyValue(name);
    if (value !== initial && value !== "") { to.setAttribute(name, value); } else { to.removeAttribute(name); }
  }
  const moved = from.style.transform !== "" ? style.transform : "";
  to.removeAttribute("style");
  to.removeAttribute("class");
  if (moved !== "" && moved !== "none") { to.setAttribute("transform", moved); }
  const [children, copies] = [[...from.children], [...to.children]];
  children.forEach((child, i) => {
    if (getComputedStyle(child).display === "none" && child.tagName !== "defs" && !child.closest("defs, marker, pattern, linearGradient, symbol")) { copies[i].remove(); }
    else { settle(child, copies[i], style); }
  });
}

// The picture as a canvas; `scale` pixels per unit.
export async function canvasOf({ text, width, height }, scale) {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = h("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  } finally { URL.revokeObjectURL(url); }
}
