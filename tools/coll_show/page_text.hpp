// SPDX-License-Identifier: BSD-3-Clause
// The page's script, fourth part: what stands in words and tables.
#pragma once

namespace coll_show {

inline constexpr auto page_text = R"js(
const $ = (id) => document.getElementById(id);
function make(tag, text, kind) {
  const node = document.createElement(tag);
  if (text !== undefined) { node.textContent = text; }
  if (kind) { node.className = kind; }
  return node;
}
const ordinal = (n) => {
  const tail = n % 100 > 10 && n % 100 < 14 ? 0 : n % 10;
  return n + (["th", "st", "nd", "rd"][tail] ?? "th");
};
const roundName = (r) => r < 0 ? "start" : "round " + r;

function sentence(panel, r) {
  if (r < 0) { return "Before the first round: " + data.starts; }
  if (r > panel.last) { return "Done after " + count(panel.rounds.length, "round") + "."; }
  const says = panel.rounds[r].says.replace("<->", "\u2194").replaceAll("->", "\u2192");
  return says[0].toUpperCase() + says.slice(1) + ".";
}

function kindOf(panel, r) {
  if (r < 0 || r > panel.last) { return ["rest", r < 0 ? "start" : "done"]; }
  const moves = panel.rounds[r].moves;
  if (moves.some((m) => m[4])) { return ["adds", "adding"]; }
  return ["copies", data.reduces ? "spreading" : "moving"];
}

function writeSays(node, panel, r) {
  const [kind, word] = kindOf(panel, r);
  node.replaceChildren(make("b", r < 0 ? "Start" : "Round " + r), make("span", word, "tag " + kind),
    document.createTextNode(" " + sentence(panel, r)));
}

function writeSoFar(node, panel, r) {
  const state = panel.after(r);
  const most = (values) => asVectors(Math.max(0, ...values));
  node.replaceChildren("So far: ", make("b", count(Math.min(r, panel.last) + 1, "round")),
    ", the busiest rank sent ", make("b", most(state.sent)), " and received ",
    make("b", most(state.received)));
  if (data.reduces) { node.append(" and added ", make("b", most(state.added))); }
  node.append("; ", make("b", panel.complete(state) + " of " + state.sets.length),
    " values are complete.");
}

function writeMoves(node, panel, r, light) {
  const moves = r >= 0 && r <= panel.last ? panel.rounds[r].moves : [];
  node.querySelector("summary").textContent = moves.length === 0 ? "No transfers"
    : count(moves.length, "transfer") + " in round " + r;
  const most = 48;
  const items = moves.slice(0, most).map(([from, to, first, chunks, adds, sentFirst], index) => {
    const item = make("li", from + " \u2192 " + to + "\u2002", adds ? "adds" : "");
    const sent = sentFirst === first ? "" : panel.chunkName(sentFirst, chunks) + " as ";
    item.append(sent + panel.chunkName(first, chunks), make("small", " "
      + asBytes(panel.bytesOf(first, chunks)) + (adds ? ", added" : ", copied")));
    item.addEventListener("mouseenter", () => light(index));
    item.addEventListener("mouseleave", () => light(-1));
    return item;
  });
  if (moves.length > most) { items.push(make("li", "and " + (moves.length - most) + " more")); }
  const list = node.querySelector("ol");
  list.replaceChildren(...items);
  list.tabIndex = items.length > 12 ? 0 : -1;  // it scrolls then
}

// The same state for screen readers, and for copying.
function tableOf(panel, r) {
  if (P > 32 || panel.chunks > 32) {
    return make("p", panel.name + ": " + P + " \u00d7 " + panel.chunks
      + " values are too many for a table.");
  }
  const state = panel.after(r);
  const table = make("table");
  table.append(make("caption", panel.name + ", after " + roundName(Math.min(r, panel.last))));
  const head = table.createTHead().insertRow();
  head.append(make("th", ""));
  for (let c = 0; c < panel.chunks; ++c) {
    const th = make("th", panel.chunks === 1 ? "vector" : part + " " + c);
    th.scope = "col";
    head.append(th);
  }
  const body = table.createTBody();
  for (let rank = 0; rank < P; ++rank) {
    const row = body.insertRow();
    const th = make("th", "rank " + rank);
    th.scope = "row";
    row.append(th);
    for (let c = 0; c < panel.chunks; ++c) {
      const cell = rank * panel.chunks + c;
      const label = panel.labels[state.sets[cell]];
      const now = r >= 0 && r <= panel.last && state.changed.has(cell);
      const sign = now ? (state.changed.get(cell) ? " +" : " =") : "";
      const gone = state.faded[cell] && label !== ".";
      row.append(make("td", (gone ? "(" + label + ")" : label) + sign,
        now ? "now" : gone ? "faded" : ""));
    }
  }
  return table;
}

function writeCosts() {
  const table = $("costs");
  const head = table.createTHead().insertRow();
  for (const text of ["", "lower bound", ...panels.flatMap((p) => [p.name, "ratio"])]) {
    const th = make("th", text);
    th.scope = "col";
    head.append(th);
  }
  const amount = (value, line) => {
    const td = make("td", line === 0 ? String(value) : asVectors(value));
    if (line > 0) { td.append(make("small", asBytes(value))); }
    return td;
  };
  const body = table.createTBody();
  panels[0].cost.forEach(([name, , bound], line) => {
    const row = body.insertRow();
    const th = make("th", name);
    th.scope = "row";
    row.append(th, bound === null ? make("td", "") : amount(bound, line));
    for (const panel of panels) {
      const counted = panel.cost[line][1];
      const ratio = bound === null ? "" : bound > 0 ? (counted / bound).toFixed(2)
        : counted === 0 ? "1.00" : "";
      row.append(amount(counted, line), make("td", ratio, Number(ratio) === 1 ? "best" : ""));
    }
  });
  $("costNote").textContent = "n is one rank's vector, here " + asBytes(data.bytes)
    + ". Counted from the steps. No algorithm sends or adds less at its busiest rank than the "
    + "bound; the rounds' bound is for one message per rank and round. "
    + "The critical path takes in each round the rank that has most to do.";
}

function writeProofs() {
  for (const panel of panels) {
    const list = make("ul");
    const block = make("div");
    block.append(make("b", panel.name + ": " + panel.proof.text),
      make("p", panel.proof.means, "quiet"), list);
    for (const [holds, name, meaning] of panel.proof.properties) {
      const item = make("li", (holds ? "" : "not ") + name, holds ? "" : "no");
      item.append(make("span", " \u2013 " + meaning, "quiet"));
      list.append(item);
    }
    $("proofs").append(block);
  }
}

function writeLegend() {
  const add = (kind, style, text) => {
    const item = make("li"), sample = make("i", undefined, kind);
    Object.assign(sample.style, style);
    item.append(sample, text);
    $("legend").append(item);
  };
  if (data.reduces) {
    const ramp = [1, 2, 3, 4].map((k) => shade(k, 6)[0]).join(",");
    const background = "linear-gradient(to right," + ramp + ")";
    add("ramp", { background }, "few to many contributions");
  }
  add("", { background: "#f5b82e" }, "complete");
  add("", { background: shade(2, 5)[0], opacity: 0.45 }, "passed on, not read again");
  add("", { border: "2px solid " + ink }, "changed in this round");
  if (data.reduces) { add("arrow", {}, "added to the receiver's value"); }
  add("arrow copies", {}, "copied");
}
)js";

}  // namespace coll_show
