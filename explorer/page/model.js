// SPDX-License-Identifier: BSD-3-Clause
// What a panel's replay says: transfers, values, who is in them, their brackets, what is read again.
// No DOM. All of it is derived from the steps and the replay of the compiled headers.
import { INTS_PER_STEP, RECV_REDUCE, SEND } from "./core.js";

// Of each collective: whether it reduces, whether chunk i is the block of rank i, and who has a
// result: all ranks, the own block's, the root.
export const TRAITS = {
  all_reduce: { reduces: true, output: "all" }, reduce_scatter: { reduces: true, blocks: true, output: "own" },
  all_gather: { blocks: true, output: "all" }, broadcast: { output: "all", rooted: true },
  reduce: { reduces: true, output: "root", rooted: true }, gather: { blocks: true, output: "root", rooted: true },
  scatter: { blocks: true, output: "own", rooted: true }, all_to_all: { blocks: true, output: "all" },
  scan: { reduces: true, output: "all", prefix: true }, exscan: { reduces: true, output: "all", prefix: true },
  barrier: { blocks: true, output: "all" },
};

const models = new WeakMap();

// The model of a panel that has a job; kept as long as its replay is.
export function modelOf(panel, collective) {
  let m = models.get(panel.replay);
  if (!m) { models.set(panel.replay, m = makeModel(panel.job, panel.replay, collective)); }
  return m;
}

export function makeModel(job, replay, collective) {
  const { size, chunks, rounds, root } = job;
  const { first, sums, changes, start } = replay;
  const traits = TRAITS[collective];
  const moves = transfersOf(job);

  // changesAt[r]: the changes of rounds before r are the first so many.
  const changesAt = new Int32Array(rounds + 1);
  for (const c of changes) { ++changesAt[c.round + 1]; }
  for (let r = 1; r <= rounds; ++r) { changesAt[r] += changesAt[r - 1]; }

  // The cells after round `round`; -1 is the start. The last one is kept, since a player asks in order.
  let kept = start.slice(), keptRound = -1;
  function after(round) {
    const to = Math.max(-1, Math.min(round, rounds - 1));
    if (to < keptRound) { kept.set(start); keptRound = -1; }
    for (let i = changesAt[keptRound + 1]; i < changesAt[to + 1]; ++i) {
      kept[changes[i].rank * chunks + changes[i].chunk] = changes[i].value;
    }
    keptRound = to;
    return kept.slice();
  }

  // The contributions in a value, each as often as it is in it: sorted ranks, or a block.
  const contents = new Map();
  function contributors(value) {
    if (value < 0) { return []; }
    if (value < first) { return [value]; }
    let known = contents.get(value);
    if (!known) {
      known = [].concat(...Array.from(sums[value - first], contributors)).sort((a, b) => a - b);
      contents.set(value, known);
    }
    return known;
  }
  // Sums come after their operands.
  const counts = new Int32Array(sums.length);
  sums.forEach((operands, i) => { for (const v of operands) { counts[i] += v < first ? 1 : counts[v - first]; } });
  const count = (value) => (value < first ? (value < 0 ? 0 : 1) : counts[value - first]);
  // The ranks in a value as bits, 32 to a word.
  const words = (size + 31) >> 5, bits = new Map();
  function members(value) {
    let set = bits.get(value);
    if (!set) {
      set = new Uint32Array(words);
      if (value >= first) {
        for (const v of sums[value - first]) { members(v).forEach((w, i) => { set[i] |= w; }); }
      } else if (value >= 0) { set[value >> 5] |= 1 << (value & 31); }
      bits.set(value, set);
    }
    return set;
  }
  // How many different ranks are in a value.
  const distinct = (value) => members(value).reduce((n, w) => n + ones(w), 0);
  // Whether a sum holds the ranks below n, each once.
  const holdsBelow = (value, n) => n > 0 && value >= 0 && count(value) === n
    && members(value).every((w, i) => w === (n >= 32 * (i + 1) ? 0xffffffff : n <= 32 * i ? 0 : 2 ** (n - 32 * i) - 1));

  // How many contributions the result of a rank has.
  const whole = (rank) => (!traits.reduces ? 1 : collective === "scan" ? rank + 1 : collective === "exscan" ? rank : size);
  // Whether this cell is part of the collective's result.
  function isResult(rank, chunk) {
    if (traits.output === "own") { return rank === chunk; }
    if (traits.output === "root") { return rank === root; }
    return !(collective === "exscan" && rank === 0);
  }
  // Whether a value is what the rank is to have there in the end.
  function isFinal(rank, chunk, value) {
    if (value < 0) { return false; }
    if (!traits.reduces) { return value === (collective === "all_to_all" ? (rank === chunk ? rank * size + chunk : chunk * size + rank) : chunk); }
    return holdsBelow(value, whole(rank));
  }
  // Whether all of the sum is there, whoever holds it.
  const isComplete = (rank, chunk, value) => (traits.prefix || !traits.reduces ? isFinal(rank, chunk, value) : holdsBelow(value, size));

  // For each cell the rounds, ascending, in which its value is read, and in which it is overwritten.
  let uses = null;
  function usesOf(cell) {
    if (uses === null) {
      uses = Array.from({ length: size * chunks }, () => []);
      const note = (m, rank, first, at) => { for (let i = 0; i < m.count; ++i) { uses[rank * chunks + (first + i) % chunks].push(at); } };
      moves.forEach((list, r) => {
        // In a round the reads come first: a send takes the value from before it.
        for (const m of list) {
          note(m, m.from, m.sent, 2 * r);
          if (m.adds) { note(m, m.to, m.first, 2 * r); }
        }
        for (const m of list) { if (!m.adds) { note(m, m.to, m.first, 2 * r + 1); } }
      });
    }
    return uses[cell];
  }
  // Whether what a cell holds after `round` is read later, or is part of the result.
  function isRead(rank, chunk, round) {
    if (collective === "all_to_all") { return true; }  // it sends its input, and keeps what it gets
    const next = usesOf(rank * chunks + chunk).find((u) => u >= 2 * (round + 1));
    return next === undefined ? isResult(rank, chunk) : next % 2 === 0;
  }

  const model = {
    size, chunks, rounds, root, collective, traits, moves, first, sums, changes, changesAt,
    after, contributors, count, distinct, whole, isResult, isFinal, isComplete, isRead,
    // {cell -> change} of a round.
    changed: (round) => new Map(round < 0 || round >= rounds ? [] : changes.slice(changesAt[round], changesAt[round + 1])
      .map((c) => [c.rank * chunks + c.chunk, c])),
    phase: (round) => (round < 0 || round >= rounds ? "" : phases()[round]),
  };
  let named = null;
  return model;

  // Named after where the sums are complete when the first copy begins; without a name for what is
  // neither: then it is what the round's receives do.
  function phases() {
    if (named === null) {
      const verbs = moves.map((list) => {
        const adds = list.filter((m) => m.adds).length;
        return list.length === 0 ? "waiting" : adds === list.length ? "adding" : adds === 0 ? "copying" : "adding and copying";
      });
      const border = moves.findIndex((list) => list.some((m) => !m.adds));
      const [one, two] = border > 0 && ["all_reduce", "reduce"].includes(collective) ? pairOf(after(border - 1)) : [];
      named = verbs.map((v, r) => (one && r < border && v === "adding" ? one : one && r >= border && v === "copying" ? two : v));
    }
    return named;
  }
  function pairOf(cells) {
    const holders = new Set();
    for (let c = 0; c < chunks; ++c) {
      const have = [];
      for (let r = 0; r < size; ++r) { if (isComplete(r, c, cells[r * chunks + c])) { have.push(r); } }
      if (have.length !== 1) { return []; }
      holders.add(have[0]);
    }
    return collective === "reduce" ? (holders.size > 1 ? ["reduce-scatter", "gather"] : [])
      : holders.size === 1 ? ["reduce", "broadcast"] : ["reduce-scatter", "all-gather"];
  }
}

function ones(w) {
  let n = 0;
  for (; w !== 0; w &= w - 1) { ++n; }
  return n;
}

// Of each round the transfers: a receive with its send, [{from, to, first, count, adds, sent, sendStep,
// step}], where `first` is where it is put, `sent` where it was read, and the last two count steps. A receive without a send is left out.
export function transfersOf({ steps, rounds, size }) {
  const count = steps.length / INTS_PER_STEP, next = new Int32Array(count), moves = [];
  const inRound = Array.from({ length: rounds }, () => []);
  for (let i = 0; i < count; ++i) {
    const peer = steps[i * INTS_PER_STEP + 3];  // a wrong algorithm may name one that is not there
    if (peer >= 0 && peer < size) { inRound[steps[i * INTS_PER_STEP + 1]]?.push(i); }
  }
  // The sends of a round from one rank to another are a list: its first and last, and `next` of each.
  const first = new Int32Array(size * size), last = new Int32Array(size * size), stamp = new Int32Array(size * size).fill(-1);
  for (let round = 0; round < rounds; ++round) {
    for (const i of inRound[round]) {
      const at = i * INTS_PER_STEP;
      if (steps[at + 2] !== SEND) { continue; }
      const key = steps[at] * size + steps[at + 3];
      next[i] = -1;
      if (stamp[key] === round) { next[last[key]] = i; } else { first[key] = i; stamp[key] = round; }
      last[key] = i;
    }
    const list = [];
    for (const i of inRound[round]) {
      const at = i * INTS_PER_STEP, key = steps[at + 3] * size + steps[at];
      if (steps[at + 2] === SEND || stamp[key] !== round || first[key] < 0) { continue; }
      const sendStep = first[key], sent = sendStep * INTS_PER_STEP;
      first[key] = next[sendStep];
      list.push({ from: steps[at + 3], to: steps[at], first: steps[at + 4], count: Math.min(steps[at + 5], steps[sent + 5]),
                  adds: steps[at + 2] === RECV_REDUCE, sent: steps[sent + 4], sendStep, step: i });
    }
    moves.push(list);
  }
  return moves;
}

// The bracket of a value as a text, "((3+0)+1)+2"; a sum of several at once is "3+0+1". At most
// `most` characters, then null.
export function bracketOf(model, value, most = Infinity) {
  const { first, sums } = model;
  let room = most;
  function text(v) {
    if (v < first) {
      room -= String(v).length;
      return String(v);
    }
    const parts = [];
    for (const o of sums[v - first]) {
      if (room < 0) { return ""; }  // too long already: what is returned is not used
      room -= (parts.length > 0 ? 1 : 0) + (o < first ? 0 : 2);
      parts.push(o < first ? text(o) : `(${text(o)})`);
    }
    return parts.join("+");
  }
  const t = value < 0 ? "" : text(value);
  return room < 0 ? null : t;
}

// Ranks as runs, of which one may go round the end: [0, 1, 3] of 4 is "3-1"; [0, 2, 4] of 6 is "0,2,4".
// `sorted` without doubles; `join` between the ends of a run. With size 0 no run goes round.
export function runsOf(sorted, size, join = "\u2013") {
  if (sorted.length === size && size > 2) { return `0${join}${size - 1}`; }
  const runs = [];
  for (const r of sorted) {
    const last = runs.at(-1);
    if (last && last[1] === r - 1) { last[1] = r; } else { runs.push([r, r]); }
  }
  if (size > 0 && runs.length > 1 && runs[0][0] === 0 && runs.at(-1)[1] === size - 1) { runs.push([runs.pop()[0], runs.shift()[1]]); }
  return runs.map(([a, b]) => (a === b ? `${a}` : a + 1 === b || (b === 0 && a + 1 === size) ? `${a},${b}` : `${a}${join}${b}`)).join(",");
}
