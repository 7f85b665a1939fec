// SPDX-License-Identifier: BSD-3-Clause
// What a cell shows: its text and its colour. No DOM.
import { bracketOf, runsOf } from "./model.js";
import { floatText } from "./brackets.js";
import { rankHex, shadeOf } from "./palette.js";

// The texts that a cell may show, the fullest first; the first that has room is taken.
export function textsOf(model, value, cells, number) {
  if (value < 0) { return []; }
  if (cells === "numbers") {
    const n = number(value);
    return [floatText(n), String(Number(n.toPrecision(4))), n.toExponential(1)];
  }
  const { size, traits, collective } = model;
  if (!traits.reduces) {
    if (collective === "all_to_all") { return [`${Math.floor(value / size)} for ${value % size}`, `${Math.floor(value / size)},${value % size}`]; }
    return [`${traits.blocks ? "block" : "chunk"} ${value}`, `${value}`];
  }
  if (cells === "bracket") { return [bracketOf(model, value, 200), `\u2026 of ${model.count(value)}`, `\u00d7${model.count(value)}`].filter((t) => t !== null); }
  const list = model.contributors(value);
  const once = new Set(list).size === list.length;
  return once ? [runsOf(list, size), `\u00d7${list.length}`, `${list.length}`] : [list.join("+"), `\u00d7${list.length}`];
}

// Who is in a value, and what it is, in words.
export function wordsOf(model, value) {
  const { size, traits, collective } = model;
  if (value < 0) { return "nothing"; }
  if (collective === "all_to_all") { return `the block of rank ${Math.floor(value / size)} for rank ${value % size}`; }
  if (!traits.reduces) { return `${traits.blocks ? "block" : "chunk"} ${value}`; }
  if (value < model.first) { return `the vector of rank ${value}`; }
  const list = model.contributors(value);
  const once = new Set(list).size === list.length;
  return `the sum of ${list.length} ${once ? `ranks: ${runsOf(list, 0).replaceAll(",", ", ")}` : `contributions: ${list.join(", ")}`}`;
}

// {fill, text} of a cell.
export function colourOfCell(model, rank, chunk, value, dark) {
  const { size, traits, collective, chunks } = model;
  if (value < 0) { return shadeOf(0, 1, dark); }
  if (!traits.reduces) {
    const of = collective === "all_to_all" ? Math.floor(value / size) : value;
    return { fill: rankHex(of, collective === "all_to_all" ? size : chunks, dark), text: dark ? "#e7ecf2" : "#16202c" };
  }
  if (model.isComplete(rank, chunk, value)) { return shadeOf(1, 1, dark); }
  const n = model.count(value);
  return shadeOf(Math.min(n, size - 1 || 1), Math.max(size, n + 1), dark);
}
