// SPDX-License-Identifier: BSD-3-Clause
// A round in sentences. Each sentence is derived from the steps or from what the ranks hold, and is
// left out where it does not hold of all of them. No DOM.
import { runsOf } from "./model.js";

const RESULTS = {
  all_reduce: "every rank has the sum of all vectors", reduce_scatter: "every rank has its chunk of the sum",
  all_gather: "every rank has the blocks of all", broadcast: "every rank has the root's vector",
  reduce: "the root has the sum of all vectors", gather: "the root has the blocks of all",
  scatter: "every rank has its block", all_to_all: "every rank has a block from every rank",
  scan: "every rank has the sum of the ranks up to itself", exscan: "every rank but 0 has the sum of the ranks before it",
  barrier: "every rank knows that all have come",
};

const many = (n, word) => (n === 1 ? `1 ${word}` : `${n} ${word}s`);
const ranksOf = (list) => (list.length === 1 ? `rank ${list[0]}` : `ranks ${shortRuns(list)}`);
const upper = (t) => t[0].toUpperCase() + t.slice(1);

function shortRuns(list) {
  const runs = runsOf(list, 0).split(",");
  return runs.length > 8 ? `${runs.slice(0, 6).join(", ")} and ${many(list.length - countOf(runs.slice(0, 6)), "other")}`
    : runs.length > 1 ? `${runs.slice(0, -1).join(", ")} and ${runs.at(-1)}` : runs[0];
}
const countOf = (runs) => runs.map((r) => r.split("\u2013").map(Number)).reduce((n, [a, b]) => n + (b === undefined ? 1 : b - a + 1), 0);

// {phase, sentences: [text]} of the round; -1 is the start. `sentences` says first who sends what,
// then why that is enough, then what is reached.
export function proseOf(model, round) {
  // It is shown and told: worked out once.
  const last = kept.get(model);
  if (last?.round === round) { return last.said; }
  const said = sayOf(model, round);
  kept.set(model, { round, said });
  return said;
}
const kept = new WeakMap();

function sayOf(model, round) {
  if (round < 0) { return { phase: "start", sentences: startOf(model) }; }
  if (round >= model.rounds) { return { phase: "done", sentences: [`This algorithm has ended: it has ${many(model.rounds, "round")}.`] }; }
  const list = model.movesOf(round);
  const before = model.after(round - 1).slice(), after = model.after(round);
  return { phase: model.phase(round),
           sentences: [...whoSends(model, list, round), ...missing(model, list, before), ...whyEnough(model, list, before, after), ...reached(model, before, after)] };
}

function startOf(m) {
  const { chunks, traits, collective, root } = m;
  const cut = chunks === 1 ? "in one chunk" : `cut into ${chunks} chunks`;
  const has = traits.reduces ? `Each rank has a vector, ${cut}.`
    : collective === "all_to_all" ? "Each rank has a block for each rank."
      : collective === "broadcast" ? `Rank ${root} has a vector, ${cut}.`
        : collective === "scatter" ? `Rank ${root} has a block for each rank.`
          : collective === "barrier" ? "Each rank knows of itself only." : "Each rank has one block.";
  const phases = [...new Set(Array.from({ length: m.rounds }, (_, r) => m.phase(r)).filter((p) => p !== "waiting"))];
  const two = collective === "all_reduce" && phases.length === 2 && ["all-gather", "broadcast"].includes(phases[1]);
  return [has, `In the end ${RESULTS[collective]}.`, ...(two ? [`It has two phases: ${phases[0]}, then ${phases[1]}.`] : []), ...(m.rounds === 0 ? ["Nothing is to be sent."] : [])];
}

// Who sends what to whom.
function whoSends(m, list, round) {
  if (list.length === 0) { return ["Nothing arrives in this round."]; }
  const adds = list.filter((t) => t.adds).length;
  const verb = adds === list.length ? "What arrives is added." : adds === 0 ? "What arrives is copied."
    : `Of ${many(list.length, "arrival")}, ${adds} ${adds === 1 ? "is" : "are"} added.`;
  const who = single(m, list) ?? shifted(m, list) ?? everybody(m, list) ?? star(m, list) ?? pairs(m, list) ?? groups(m, list) ?? below(m, list) ?? each(m, list);
  return [who, ...(/\b[ij]\b/.test(who) ? [exampleOf(m, list)] : []), verb];
}

// Of a sentence with letters: what the lowest rank does.
function exampleOf(m, list) {
  const t = list.reduce((a, b) => (b.from < a.from || (b.from === a.from && b.to < a.to) ? b : a));
  return `For example rank ${t.from} sends ${nameOf(m, t)} to rank ${t.to}.`;
}

const wholeOf = (m, t) => t.count === m.chunks;
// What a transfer carries, by name.
function nameOf(m, t) {
  const noun = m.traits.blocks ? "block" : "chunk";
  if (m.chunks === 1) { return "its whole vector"; }
  if (t.count === 1) { return `${noun} ${t.sent % m.chunks}`; }
  if (wholeOf(m, t)) { return m.traits.blocks ? `all ${m.chunks} blocks` : "its whole vector"; }
  return `${noun}s ${shortRuns(around(t.sent, t.count, m.chunks))}`;
}
const around = (first, count, chunks) => Array.from({ length: count }, (_, i) => (first + i) % chunks).sort((a, b) => a - b);
// What all transfers carry, if that is the same: by name, or as a number of chunks.
function commonOf(m, list) {
  const names = new Set(list.map((t) => nameOf(m, t)));
  if (names.size === 1) { return [...names][0]; }
  const counts = new Set(list.map((t) => t.count));
  return counts.size === 1 ? many(list[0].count, m.traits.blocks ? "block" : "chunk") : null;
}

function single(m, list) {
  return list.length === 1 ? `Rank ${list[0].from} sends ${nameOf(m, list[0])} to rank ${list[0].to}.` : null;
}

const offset = (n, size) => {  // of n modulo size, with the smaller number
  const k = ((n % size) + size) % size;
  return k === 0 ? "i" : 2 * k <= size ? `i\u00a0+\u00a0${k}` : `i\u00a0\u2212\u00a0${size - k}`;
};

// The same, counted down: what goes round from neighbour to neighbour falls behind.
const behind = (n, size) => (n % size === 0 ? "i" : `i\u00a0\u2212\u00a0${size - (n % size)}`);

// Every rank sends once, the same way on.
function shifted(m, list) {
  const { size, chunks } = m;
  if (list.length !== size || size < 3) { return null; }
  const turn = (list[0].to - list[0].from + size) % size;
  const place = (list[0].sent - list[0].from + 2 * size) % size;
  const count = list[0].count;
  if (new Set(list.map((t) => t.from)).size !== size) { return null; }
  if (!list.every((t) => (t.to - t.from + size) % size === turn && t.count === count)) { return null; }
  const noun = m.traits.blocks ? "block" : "chunk";
  const same = commonOf(m, list);
  const moving = chunks === size && list.every((t) => (t.sent - t.from + 2 * size) % size === place);
  if (moving && count < chunks) {
    const what = count === 1 ? `${noun} ${turn === 1 ? behind(place, size) : offset(place, size)}` : `${many(count, noun)} from ${noun} ${offset(place, size)} on`;
    return `Every rank i sends ${what} to rank ${offset(turn, size)} (modulo ${size}).`;
  }
  return same === null ? null : `Every rank i sends ${same} to rank ${offset(turn, size)} (modulo ${size}).`;
}

// Every rank sends to every other.
function everybody(m, list) {
  const { size, chunks } = m;
  if (size < 3 || list.length !== size * (size - 1) || new Set(list.map((t) => t.from * size + t.to)).size !== list.length) { return null; }
  const noun = m.traits.blocks ? "block" : "chunk";
  if (list.every((t) => wholeOf(m, t))) { return `Every rank sends ${nameOf(m, list[0])} to every other rank.`; }
  if (!list.every((t) => t.count === 1) || chunks !== size) { return null; }
  if (list.every((t) => t.sent === t.to)) { return `Every rank sends ${noun} j to rank j, for every other rank j.`; }
  if (list.every((t) => t.sent === t.from)) { return `Every rank i sends ${noun} i to every other rank.`; }
  return null;
}

// All from one rank, or all to one rank.
function star(m, list) {
  const what = commonOf(m, list);
  const noun = m.traits.blocks ? "block" : "chunk";
  const from = [...new Set(list.map((t) => t.from))].sort((a, b) => a - b), to = [...new Set(list.map((t) => t.to))].sort((a, b) => a - b);
  if (what === null || (from.length > 1 && to.length > 1) || Math.max(from.length, to.length) !== list.length) { return null; }
  const own = m.chunks === m.size && list.every((t) => t.count === 1);
  if (from.length === 1) {
    const carried = own && list.every((t) => t.sent === t.to) ? `${noun} j` : what;
    return carried === what ? `Rank ${from[0]} sends ${what} to each of ${ranksOf(to)}.` : `Rank ${from[0]} sends ${carried} to rank j, for j in ${shortRuns(to)}.`;
  }
  return `Each of ${ranksOf(from)} sends ${own && list.every((t) => t.sent === t.from) ? `the ${noun} of its number` : what} to rank ${to[0]}.`;
}

// Pairs exchange as much as they get.
function pairs(m, list) {
  const counts = new Set(list.map((t) => t.count));
  const partner = new Map(list.map((t) => [t.from, t.to]));
  if (partner.size !== list.length || counts.size !== 1 || !list.every((t) => partner.get(t.to) === t.from)) { return null; }
  const [count] = counts;
  const what = count === m.chunks ? (m.traits.blocks ? "all blocks" : "whole vectors") : many(count, m.traits.blocks ? "block" : "chunk");
  const shown = list.filter((t) => t.from < t.to).map((t) => [t.from, t.to]).sort((a, b) => a[0] - b[0]);
  const away = new Set(shown.map(([a, b]) => b - a));
  const names = few(shown.map(([a, b]) => `${a} with ${b}`), "pair");
  const whom = away.size === 1 ? `the rank ${[...away][0]} away` : "a partner";
  const who = list.length === m.size ? "Every rank exchanges" : `${upper(many(list.length, "rank"))} exchange`;
  return `${who} ${what} with ${whom}: ${names}.`;
}

// The ranks fall into groups, in each of which every rank sends as much to every other.
function groups(m, list) {
  const what = commonOf(m, list);
  const peers = new Map();
  for (const t of list) {
    if (!peers.has(t.from)) { peers.set(t.from, new Set([t.from])); }
    if (peers.get(t.from).has(t.to)) { return null; }
    peers.get(t.from).add(t.to);
  }
  const sets = new Map([...peers].map(([r, s]) => [r, [...s].sort((a, b) => a - b).join(" ")]));
  const closed = [...peers].every(([r, s]) => [...s].every((p) => sets.get(p) === sets.get(r)));
  const texts = [...new Set([...sets.entries()].sort((a, b) => a[0] - b[0]).map(([, s]) => s))].map((s) => s.split(" ").map(Number));
  if (what === null || !closed || texts.length < 2 || texts[0].length < 3 || !texts.every((t) => t.length === texts[0].length)) { return null; }
  return `In each group of ${texts[0].length} ranks, every rank sends ${what} to every other: ${few(texts.map((t) => shortRuns(t)), "group", "; ")}.`;
}

const few = (texts, noun, comma = ", ") => (texts.length <= 6 ? texts.join(comma) : `${texts.slice(0, 5).join(comma)} and ${many(texts.length - 5, `more ${noun}`)}`);

// Some ranks send the same to the rank so many below or above.
function below(m, list) {
  const what = commonOf(m, list), turn = list[0].to - list[0].from;
  if (what === null || !list.every((t) => t.to - t.from === turn)) { return null; }
  const sorted = [...list].sort((a, b) => a.from - b.from);
  return `${many(list.length, "rank")} send ${what === "its whole vector" ? "their whole vectors" : what} to the rank ${Math.abs(turn)} ${turn < 0 ? "below" : "above"}: ${
    few(sorted.map((t) => `${t.from} to ${t.to}`), "transfer")}.`;
}

function each(m, list) {
  const sorted = [...list].sort((a, b) => a.from - b.from || a.to - b.to);
  const same = commonOf(m, list);
  const of = same === null ? "" : ` of ${same === "its whole vector" ? "a whole vector" : same} each`;
  return `${many(list.length, "transfer")}${of}: ${few(sorted.map((t) => `${of ? "" : `${nameOf(m, t)} from `}${t.from} to ${t.to}`), "transfer")}.`;
}

// Of a wrong algorithm: what is sent though the sender does not hold it.
function missing(m, list, before) {
  let n = 0;
  for (const t of m.collective === "all_to_all" ? [] : list) {
    for (let i = 0; i < t.count; ++i) { n += before[t.from * m.chunks + (t.sent + i) % m.chunks] < 0 ? 1 : 0; }
  }
  return n === 0 ? [] : [`Of what is sent, ${many(n, m.traits.blocks ? "block" : "chunk")} ${n === 1 ? "is" : "are"} not there: the sender does not hold ${n === 1 ? "it" : "them"}.`];
}

// What comes together in the chunks that change.
function whyEnough(m, list, before, after) {
  if (list.length === 0) { return []; }
  const { chunks, size, traits } = m;
  if (!traits.reduces || traits.prefix) { return []; }
  if (list.every((t) => !t.adds)) {
    return everyArrival(m, list, before, (v, cell) => m.isComplete(Math.floor(cell / chunks), cell % chunks, v)) ? ["It is complete already, so a copy is enough."] : [];
  }
  if (!list.every((t) => t.adds)) { return []; }
  const arrived = new Int32Array(size * chunks);  // how many values, of each cell
  let got = -1, had = -1, times = 0;
  const alike = everyArrival(m, list, before, (v, cell) => {
    if (got < 0) { [got, had] = [m.count(v), m.count(before[cell])]; }
    times = Math.max(times, ++arrived[cell]);
    return m.count(v) === got && m.count(before[cell]) === had;
  });
  // Nothing is counted twice: what a cell holds afterwards are different ranks.
  if (!alike || !arrived.every((n, cell) => n === 0 || (n === times && m.distinct(after[cell]) === m.count(after[cell])))) { return []; }
  const now = had + times * got;
  if (times === 1) { return [`Each message brings ${many(got, "contribution")} to a chunk that has ${had === 1 ? "1 other" : `${had} others`}: now ${now} of ${size}.`]; }
  return [`Each chunk that had ${many(had, "contribution")} gets ${times * got} more from ${times} ranks: now ${now} of ${size}.`];
}

// Whether `holds(value, cell)` of all that arrives.
function everyArrival({ chunks }, list, before, holds) {
  for (const t of list) {
    for (let i = 0; i < t.count; ++i) {
      if (!holds(before[t.from * chunks + (t.sent + i) % chunks], t.to * chunks + (t.first + i) % chunks)) { return false; }
    }
  }
  return true;
}

// What the ranks hold now.
function reached(m, before, after) {
  const { size, traits, collective } = m;
  const was = resultsOf(m, before), now = resultsOf(m, after);
  const total = (results, at) => results.reduce((n, r) => n + r[at], 0);
  const all = total(now, 0), done = total(now, 1);
  if (done === all) { return [`Now ${RESULTS[collective]}.`]; }
  const said = traits.reduces && !traits.prefix ? sums(m, after) : [];
  if (said.length > 0) { return said; }
  const noun = traits.blocks ? "block" : "chunk";
  const ready = (results) => results.flatMap(([whole, there], r) => (whole > 0 && whole === there ? [r] : []));
  if (traits.output === "all" && size > 1 && now.every(([w, t]) => w === now[0][0] && t === now[0][1]) && now[0][1] > 0) {
    return [`Now every rank has ${now[0][1]} of ${many(now[0][0], noun)} of its result.`];
  }
  const have = ready(now);
  if (have.length > ready(was).length) {
    return [`Now ${ranksOf(have)} ${have.length === 1 ? "has its" : "have their"} whole result.`];
  }
  return done > total(was, 1) ? [`Now ${done} of ${many(all, noun)} of the results are in place.`] : [];
}

// Per rank: how many chunks its result has, and how many of them are there.
function resultsOf(m, cells) {
  return Array.from({ length: m.size }, (_, r) => {
    let whole = 0, there = 0;
    for (let c = 0; c < m.chunks; ++c) {
      if (!m.isResult(r, c)) { continue; }
      ++whole;
      if (m.isFinal(r, c, cells[r * m.chunks + c])) { ++there; }
    }
    return [whole, there];
  });
}

// The largest partial sums, and who has them.
function sums(m, after) {
  const { size, chunks } = m;
  let most = 0;
  for (const v of after) { most = Math.max(most, m.count(v)); }
  if (most < 2) { return []; }
  const where = Array.from({ length: size }, () => []);
  for (let r = 0; r < size; ++r) {
    for (let c = 0; c < chunks; ++c) { if (m.count(after[r * chunks + c]) === most) { where[r].push(c); } }
  }
  const holders = where.flatMap((w, r) => (w.length > 0 ? [r] : []));
  if (!holders.every((r) => where[r].length === where[holders[0]].length)) { return []; }
  if (!holders.every((r) => where[r].every((c) => m.distinct(after[r * chunks + c]) === most))) { return []; }
  const count = where[holders[0]].length;
  const sum = most === size ? "the sum of all" : `the sum of ${most} ranks`;
  const place = (where[holders[0]][0] - holders[0] + size) % size;
  const formula = count === 1 && chunks === size && size > 2 && holders.length === size && where.every((w, r) => (w[0] - r + size) % size === place);
  const within = chunks === 1 ? "" : count === chunks ? " in every chunk" : formula ? ` in chunk ${offset(place, size)}` : ` in ${many(count, "chunk")}`;
  if (holders.length === size) { return [`Now every rank${formula ? " i" : ""} holds ${sum}${within}.`]; }
  return [`Now ${ranksOf(holders)} ${holders.length === 1 ? "holds" : "each hold"} ${sum}${within}.`];
}
