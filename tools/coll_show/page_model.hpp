// SPDX-License-Identifier: BSD-3-Clause
// The page's script, first part: the data, and the state after any round.
#pragma once

namespace coll_show {

inline constexpr auto page_model = R"js(
const data = JSON.parse(document.getElementById("data").textContent);
const P = data.size;

const trim = (value, digits = 3) => String(Number(value.toPrecision(digits)));
const asBytes = (bytes) => {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit + 1 < units.length) { bytes /= 1024; ++unit; }
  return trim(bytes, 4) + " " + units[unit];
};
const asVectors = (bytes, digits = 4) =>
  data.bytes === 0 ? "0 n" : trim(bytes / data.bytes, digits) + " n";
const count = (n, noun) => n + " " + noun + (n === 1 ? "" : "s");
// The least of 1, 2, 5, 10, 20 ... that is at least `least`.
function niceStep(least) {
  for (let unit = 1; ; unit *= 10) {
    for (const m of [1, 2, 5]) { if (m * unit >= least) { return m * unit; } }
  }
}
const part = data.part;  // chunk or block

// One algorithm. A cell is a number, rank * chunks + chunk; a set of ranks is an index into `sets`.
class Panel {
  constructor(source) {
    Object.assign(this, source);
    this.last = this.rounds.length - 1;
    this.kept = new Map();
    this.labels = this.sets.map((set) => set[0]);
    this.counts = this.sets.map((set) => set[1]);
    this.members = this.labels.map(Panel.membersOf);
    this.starts = [0];
    for (const bytes of this.chunk_bytes) { this.starts.push(this.starts.at(-1) + bytes); }
  }
  static membersOf(label) {
    const ranks = new Set();
    if (label === ".") { return ranks; }
    for (const run of label.replace(/[{}]/g, "").split(",")) {
      const [first, last = first] = run.split("..").map(Number);
      for (let r = first; r <= last; ++r) { ranks.add(r); }
    }
    return ranks;
  }
  // {sets, faded, changed, sent, received, added} after round `r`; -1 is the start.
  after(r) {
    r = Math.min(r, this.last);
    if (this.kept.has(r)) { return this.kept.get(r); }
    const sets = Int32Array.from(this.start);
    const faded = new Uint8Array(sets.length);
    for (const cell of this.start_faded) { faded[cell] = 1; }
    const sent = new Float64Array(P);
    const received = new Float64Array(P);
    const added = new Float64Array(P);
    let changed = new Map();
    for (let k = 0; k <= r; ++k) {
      const round = this.rounds[k];
      changed = new Map();
      for (const [cell, set, adds] of round.cells) {
        sets[cell] = set;
        faded[cell] = 0;
        changed.set(cell, adds);
      }
      for (const cell of round.fades) { faded[cell] = 1; }
      for (const [from, to, first, chunks, adds, sentFirst] of round.moves) {
        sent[from] += this.bytesOf(sentFirst, chunks);
        const bytes = this.bytesOf(first, chunks);
        received[to] += bytes;
        if (adds) { added[to] += bytes; }
      }
    }
    if (this.kept.size > 3) { this.kept.clear(); }
    const state = { sets, faded, changed, sent, received, added };
    this.kept.set(r, state);
    return state;
  }
  bytesOf(first, chunks) {
    const end = first + chunks;
    if (end <= this.chunks) { return this.starts[end] - this.starts[first]; }
    return this.starts[this.chunks] - this.starts[first] + this.starts[end - this.chunks];
  }
  chunkName(first, chunks) {
    if (this.chunks === 1) { return "the vector"; }
    const run = (a, b) => a === b ? String(a) : a + ".." + b;
    const end = first + chunks - 1;
    const text = end < this.chunks ? run(first, end)
      : run(first, this.chunks - 1) + "," + run(0, end - this.chunks);
    return (chunks === 1 ? part : part + "s") + " " + text;
  }
  // Of how many contributions a full share of a rank is.
  share(rank) { return data.reduces ? this.counts[this.whole[rank]] : 1; }
  complete(state) {
    const full = (set, cell) => data.reduces
      ? set === this.whole[Math.floor(cell / this.chunks)] : this.counts[set] > 0;
    return state.sets.filter(full).length;
  }
}

const panels = data.panels.map((source) => new Panel(source));
const lastRound = Math.max(...panels.map((panel) => panel.last));
const busiest = Math.max(1, ...panels.map((panel) => Math.max(...panel.after(lastRound).sent)));
)js";

}  // namespace coll_show
