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
  const pairs = pairsOf(job), known = [];
  // The transfers of a round, [] where there is no such round.
  const movesOf = (round) => (round < 0 || round >= rounds ? [] : known[round] ??= transfersIn(job, pairs, round));
  const allMoves = () => Array.from({ length: rounds }, (_, r) => movesOf(r));

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
  // The ranks in each sum as bits, 32 to a word.
  const words = (size + 31) >> 5;
  let bits = null;
  function bitsOf() {
    if (bits !== null) { return bits; }
    bits = new Uint32Array(sums.length * words);
    for (let i = 0; i < sums.length; ++i) {
      const operands = sums[i], at = i * words;
      for (let k = 0; k < operands.length; ++k) {
        const v = operands[k];
        if (v >= first) { for (let w = 0, from = (v - first) * words; w < words; ++w) { bits[at + w] |= bits[from + w]; } }
        else if (v >= 0) { bits[at + (v >> 5)] |= 1 << (v & 31); }
      }
    }
    return bits;
  }
  // How many different ranks are in a value.
  function distinct(value) {
    if (value < first) { return value < 0 ? 0 : 1; }
    let n = 0;
    for (let w = 0, at = (value - first) * words; w < words; ++w) { n += ones(bitsOf()[at + w]); }
    return n;
  }
  // Whether a sum holds the ranks below n, each once.
  function holdsBelow(value, n) {
    if (n <= 0 || value < 0 || count(value) !== n) { return false; }
    if (value < first) { return value === 0; }
    for (let w = 0, at = (value - first) * words; w < words; ++w) {
      if (bitsOf()[at + w] !== (n >= 32 * (w + 1) ? 0xffffffff : n <= 32 * w ? 0 : 2 ** (n - 32 * w) - 1)) { return false; }
    }
    return true;
  }

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
      allMoves().forEach((list, r) => {
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
    size, chunks, rounds, root, collective, traits, movesOf, allMoves, first, sums, changes, changesAt,
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
      // Of each round how many receives add, and how many copy.
      const adds = new Int32Array(rounds), copies = new Int32Array(rounds);
      for (let r = 0; r < rounds; ++r) { pairs.each(r, (i) => { ++(job.steps[i * INTS_PER_STEP + 2] === RECV_REDUCE ? adds : copies)[r]; }); }
      const verbs = Array.from(adds, (n, r) => (n + copies[r] === 0 ? "waiting" : copies[r] === 0 ? "adding" : n === 0 ? "copying" : "adding and copying"));
      const border = copies.findIndex((n) => n > 0);
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

// Which receive meets which send: each(round, f) calls f(receive, send), numbers of steps, for each receive of a
// round that has a send.
function pairsOf({ steps, rounds, size }) {
  const count = steps.length / INTS_PER_STEP, next = new Int32Array(count);
  // The steps of round r are those that inRound has from starts[r] to starts[r + 1].
  const starts = new Int32Array(rounds + 2), inRound = new Int32Array(count);
  const roundOf = (i) => {  // a wrong algorithm may name a peer or a round that is not there
    const round = steps[i * INTS_PER_STEP + 1], peer = steps[i * INTS_PER_STEP + 3];
    return peer >= 0 && peer < size && round >= 0 && round < rounds ? round : -1;
  };
  for (let i = 0; i < count; ++i) { ++starts[roundOf(i) + 2]; }
  starts[1] = 0;
  for (let r = 1; r <= rounds; ++r) { starts[r + 1] += starts[r]; }
  const place = starts.slice(1);
  for (let i = 0; i < count; ++i) { const r = roundOf(i); if (r >= 0) { inRound[place[r]++] = i; } }
  // The sends of a round from one rank to another are a list: its first and last, and `next` of each.
  const first = new Int32Array(size * size), last = new Int32Array(size * size), stamp = new Int32Array(size * size).fill(-1);
  let asked = 0;
  return { each(round, f) {
    const from = starts[round + 1], to = starts[round + 2], now = asked++;
    for (let k = from; k < to; ++k) {
      const i = inRound[k], at = i * INTS_PER_STEP;
      if (steps[at + 2] !== SEND) { continue; }
      const key = steps[at] * size + steps[at + 3];
      next[i] = -1;
      if (stamp[key] === now) { next[last[key]] = i; } else { first[key] = i; stamp[key] = now; }
      last[key] = i;
    }
    for (let k = from; k < to; ++k) {
      const i = inRound[k], at = i * INTS_PER_STEP, key = steps[at + 3] * size + steps[at];
      if (steps[at + 2] === SEND || stamp[key] !== now || first[key] < 0) { continue; }
      const sendStep = first[key];
      first[key] = next[sendStep];
      f(i, sendStep);
    }
  } };
}

function transfersIn({ steps }, pairs, round) {
  const list = [];
  pairs.each(round, (step, sendStep) => {
    const at = step * INTS_PER_STEP, sent = sendStep * INTS_PER_STEP;
    list.push({ from: steps[at + 3], to: steps[at], first: steps[at + 4], count: Math.min(steps[at + 5], steps[sent + 5]),
                adds: steps[at + 2] === RECV_REDUCE, sent: steps[sent + 4], sendStep, step });
  });
  return list;
}

// Of each round the transfers: a receive with its send, [{from, to, first, count, adds, sent, sendStep,
// step}], where `first` is where it is put, `sent` where it was read, and the last two count steps. A receive without a send is left out.
export function transfersOf(job) {
  const pairs = pairsOf(job);
  return Array.from({ length: job.rounds }, (_, r) => transfersIn(job, pairs, r));
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
