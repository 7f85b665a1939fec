// SPDX-License-Identifier: BSD-3-Clause
// Every sentence about every round of every algorithm, recomputed from the steps by other code than
// the page's: a sentence of another form than those below fails too. Usage: node prose.mjs EXPLORER.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { makeCore } from "../page/core.js";
import { makeModel } from "../page/model.js";
import { proseOf } from "../page/prose.js";
import { REDUCES, run } from "./prose/run.mjs";

const core = await makeCore(readFileSync(process.argv[2]));
const BLOCKS = ["reduce_scatter", "all_gather", "gather", "scatter", "all_to_all", "barrier"];

const same = (a, b) => a.length === b.length && a.every((v, i) => v === b[i]);
const upTo = (n) => Array.from({ length: n }, (_, i) => i);

// What rank r is to have in chunk c at the end; null if nothing.
function due(job, collective, r, c) {
  const { size, root } = job;
  switch (collective) {
    case "all_reduce": return upTo(size);
    case "reduce_scatter": return r === c ? upTo(size) : null;
    case "reduce": return r === root ? upTo(size) : null;
    case "scan": return upTo(r + 1);
    case "exscan": return r > 0 ? upTo(r) : null;
    case "gather": return r === root ? [c] : null;
    case "scatter": return r === c ? [c] : null;
    case "all_to_all": return [c * size + r];
    default: return [c];
  }
}

// "0, 2 and 4–6" -> [0, 2, 4, 5, 6]; also with "ranks" or "rank" before it.
function numbersIn(text) {
  const out = [];
  for (const part of text.replace(/^ranks? /, "").split(/, | and /)) {
    const [, a, b] = /^(\d+)(?:\u2013(\d+))?$/.exec(part) ?? assert.fail(`no numbers: ${text}`);
    for (let i = Number(a); i <= Number(b ?? a); ++i) { out.push(i); }
  }
  return out;
}
// Whether a text such as "ranks 0, 1, 3 and 2 others" names these.
function names(text, actual) {
  const [, list, others] = /^(.*?)(?: and (\d+) others?)?$/.exec(text);
  const shown = numbersIn(list);
  return others === undefined ? same(shown, actual) : shown.length + Number(others) === actual.length && shown.every((r) => actual.includes(r));
}
// "i", "i + 2", "i − 2" -> a function of i, modulo size.
function formula(text, size) {
  const [, sign, n] = /^i(?:\u00a0([+\u2212])\u00a0(\d+))?$/.exec(text) ?? assert.fail(`no formula: ${text}`);
  const by = n === undefined ? 0 : sign === "+" ? Number(n) : -Number(n);
  return (i) => (((i + by) % size) + size) % size;
}
// Whether a message carries what is said: "its whole vector", "chunk 3", "2 chunks", "all 4 blocks".
function carries(what, m, chunks) {
  if (["its whole vector", "a whole vector", "their whole vectors", "whole vectors", "all blocks"].includes(what)) { return m.sent.length === chunks; }
  let found = /^all (\d+) blocks$/.exec(what);
  if (found) { return Number(found[1]) === chunks && m.sent.length === chunks; }
  found = /^(\d+) (chunk|block)s?$/.exec(what);
  if (found) { return m.sent.length === Number(found[1]); }
  found = /^(?:chunk|block)s? (.*)$/.exec(what) ?? assert.fail(`carries what? ${what}`);
  return names(found[1], [...m.sent].sort((a, b) => a - b));
}
// "0 with 1, 2 with 3 and 5 more pairs" -> {shown: [text], more: 5}
function listOf(text, comma = ", ") {
  const [, list, more] = /^(.*?)(?: and (\d+) more \w+)?$/.exec(text);
  return { shown: list.split(comma), more: Number(more ?? 0) };
}

// The forms of a sentence on who sends what: [pattern, whether it holds(found, messages, job)].
const SENDS = [
  [/^Nothing arrives in this round\.$/, (_, ms) => ms.length === 0],
  [/^Rank (\d+) sends (.*) to rank (\d+)\.$/, ([from, what, to], ms, job) =>
    ms.length === 1 && ms[0].from === +from && ms[0].to === +to && carries(what, ms[0], job.chunks)],
  [/^Every rank i sends (?:(?:chunk|block) (i(?:\u00a0[+\u2212]\u00a0\d+)?)|(\d+) (?:chunk|block)s from (?:chunk|block) (i(?:\u00a0[+\u2212]\u00a0\d+)?) on|(its .*|(?:all )?\d+ \w+|(?:chunk|block)s? \d.*)) to rank (i(?:\u00a0[+\u2212]\u00a0\d+)?) \(modulo (\d+)\)\.$/,
    ([one, count, from, what, to, modulo], ms, { size, chunks }) => +modulo === size && ms.length === size && upTo(size).every((i) => {
      const [m] = ms.filter((o) => o.from === i);
      const at = one ?? from;
      return m && m.to === formula(to, size)(i) && (what ? carries(what, m, chunks) : m.sent.length === +(count ?? 1)
        && m.sent.every((c, k) => c === (formula(at, size)(i) + k) % chunks));
    })],
  [/^Every rank sends (its whole vector|all \d+ blocks) to every other rank\.$/, ([what], ms, job) => everyPair(ms, job) && ms.every((m) => carries(what, m, job.chunks))],
  [/^Every rank sends (?:chunk|block) j to rank j, for every other rank j\.$/, (_, ms, job) => everyPair(ms, job) && ms.every((m) => same(m.sent, [m.to]))],
  [/^Every rank i sends (?:chunk|block) i to every other rank\.$/, (_, ms, job) => everyPair(ms, job) && ms.every((m) => same(m.sent, [m.from]))],
  [/^Rank (\d+) sends (.*) to each of (ranks .*)\.$/, ([from, what, to], ms, job) => sorted(ms, "to", to) && ms.every((m) => m.from === +from && carries(what, m, job.chunks))],
  [/^Rank (\d+) sends (?:chunk|block) j to rank j, for j in (.*)\.$/, ([from, to], ms) => sorted(ms, "to", to) && ms.every((m) => m.from === +from && same(m.sent, [m.to]))],
  [/^Each of (ranks .*) sends the (?:chunk|block) of its number to rank (\d+)\.$/, ([from, to], ms) => sorted(ms, "from", from) && ms.every((m) => m.to === +to && same(m.sent, [m.from]))],
  [/^Each of (ranks .*?) sends (.*) to rank (\d+)\.$/, ([from, what, to], ms, job) => sorted(ms, "from", from) && ms.every((m) => m.to === +to && carries(what, m, job.chunks))],
  [/^(?:Every rank exchanges|(\d+) ranks exchange) (.*) with (?:the rank (\d+) away|a partner): (.*)\.$/, ([count, what, away, text], ms, job) => {
    const { shown, more } = listOf(text);
    return ms.length === +(count ?? job.size) && ms.every((m) => carries(what, m, job.chunks) && ms.filter((o) => o.from === m.to && o.to === m.from).length === 1
      && ms.filter((o) => o.from === m.from).length === 1 && (away === undefined || Math.abs(m.from - m.to) === +away))
      && 2 * (shown.length + more) === ms.length && shown.every((t) => { const [a, b] = t.split(" with ").map(Number); return ms.some((m) => m.from === a && m.to === b); });
  }],
  [/^In each group of (\d+) ranks, every rank sends (.*) to every other: (.*)\.$/, ([n, what, text], ms, job) => {
    const [, list, more] = /^(.*?)(?: and (\d+) more groups?)?$/.exec(text);
    const sets = list.split("; ").map(numbersIn), groups = sets.length + Number(more ?? 0);
    const peers = (r) => [r, ...ms.filter((m) => m.from === r).map((m) => m.to)].sort((a, b) => a - b);
    const senders = [...new Set(ms.map((m) => m.from))];
    return ms.length === groups * n * (n - 1) && senders.length === groups * n && sets.every((s) => s.length === +n && same(peers(s[0]), s))
      && senders.every((r) => peers(r).length === +n && peers(r).every((p) => same(peers(p), peers(r)))) && ms.every((m) => carries(what, m, job.chunks));
  }],
  [/^(\d+) ranks send (.*) to the rank (\d+) (below|above): (.*)\.$/, ([count, what, by, way, text], ms, job) => {
    const { shown, more } = listOf(text);
    return ms.length === +count && new Set(ms.map((m) => m.from)).size === +count && shown.length + more === +count
      && ms.every((m) => m.to - m.from === (way === "above" ? +by : -by) && carries(what, m, job.chunks))
      && shown.every((t) => { const [a, b] = t.split(" to ").map(Number); return ms.some((m) => m.from === a && m.to === b); });
  }],
  [/^(\d+) transfers(?: of (.*) each)?: (.*)\.$/, ([count, each, text], ms, job) => {
    // Names of chunks may have commas and "and" in them: cut at "from A to B" or "A to B".
    const shown = [...text.matchAll(/(?:(?<what>[a-z][^;]*?) from )?(?<a>\d+) to (?<b>\d+)(?:, | and |$)/g)].map((f) => f.groups);
    const more = Number(/ and (\d+) more transfers?$/.exec(text)?.[1] ?? 0);
    return ms.length === +count && shown.length + more === +count && (!each || ms.every((m) => carries(each, m, job.chunks)))
      && shown.every(({ what, a, b }) => ms.some((m) => m.from === +a && m.to === +b && (each || carries(what, m, job.chunks))));
  }],
];
const everyPair = (ms, { size }) => ms.length === size * (size - 1) && new Set(ms.map((m) => `${m.from} ${m.to}`)).size === ms.length;
const sorted = (ms, key, text) => names(text, ms.map((m) => m[key]).sort((a, b) => a - b));

// What a round did to cells that received: [{had, got: [count per arrival], now}]
function cellsOf({ messages, before, after }) {
  const cells = new Map();
  for (const m of messages) {
    m.put.forEach((c, k) => {
      const key = `${m.to} ${c}`;
      if (!cells.has(key)) { cells.set(key, { had: before[m.to][c], got: [], now: after[m.to][c] }); }
      cells.get(key).got.push(before[m.from][m.sent[k]]);
    });
  }
  return [...cells.values()];
}
const once = (list) => new Set(list).size === list.length;
const dues = (job, what) => upTo(job.size).map((r) => upTo(job.chunks).map((c) => due(job, what, r, c)));
const wholly = (job, what, cells, r) => dues(job, what)[r].some((d) => d !== null) && dues(job, what)[r].every((d, c) => d === null || same(d, cells[r][c]));

const REST = [
  [/^What arrives is added\.$/, (_, t) => t.messages.every((m) => m.adds)],
  [/^What arrives is copied\.$/, (_, t) => t.messages.every((m) => !m.adds)],
  [/^Of (\d+) arrivals, (\d+) (?:is|are) added\.$/, ([all, adds], t) => t.messages.length === +all && t.messages.filter((m) => m.adds).length === +adds],
  [/^Of what is sent, (\d+) (?:chunk|block)s? (?:is|are) not there: the sender does not hold (?:it|them)\.$/, ([n], t) =>
    t.messages.flatMap((m) => m.sent.filter((c) => t.before[m.from][c].length === 0)).length === +n],
  [/^It is complete already, so a copy is enough\.$/, (_, t, job) => cellsOf(t).every((c) => same(c.now, upTo(job.size)) && c.got.every((g) => same(g, upTo(job.size))))],
  [/^For example rank (\d+) sends (.*) to rank (\d+)\.$/, ([from, what, to], t, job) => t.messages.some((m) => m.from === +from && m.to === +to && carries(what, m, job.chunks))],
  [/^Each message brings (\d+) contributions? to a chunk that has (\d+) others?: now (\d+) of (\d+)\.$/, ([got, had, now, size], t, job) => +size === job.size
    && cellsOf(t).every((c) => c.got.length === 1 && c.got[0].length === +got && c.had.length === +had && c.now.length === +now && once(c.now))],
  [/^Each chunk that had (\d+) contributions? gets (\d+) more from (\d+) ranks: now (\d+) of (\d+)\.$/, ([had, more, from, now, size], t, job) => +size === job.size
    && cellsOf(t).every((c) => c.had.length === +had && c.got.length === +from && c.got.flat().length === +more && c.now.length === +now && once(c.now))],
  [/^Now (?:every rank( i)?|(ranks? [^h]*?)(?: each)?) holds? the sum of (all|\d+ ranks)(?: in (every chunk|(?:chunk) (i(?:\u00a0[+\u2212]\u00a0\d+)?)|(\d+) chunks?))?\.$/, ([named, who, sum, where, at, count], t, job) => {
    const n = sum === "all" ? job.size : Number(sum.split(" ")[0]);
    const have = upTo(job.size).map((r) => upTo(job.chunks).filter((c) => t.after[r][c].length === n && once(t.after[r][c])));
    const holders = upTo(job.size).filter((r) => have[r].length > 0);
    if (who ? !names(who, holders) : holders.length < job.size) { return false; }
    return upTo(job.size).every((r) => {
      const has = have[r];
      if (upTo(job.chunks).some((c) => t.after[r][c].length > n)) { return false; }
      if (!holders.includes(r)) { return has.length === 0; }
      if (at) { return named && same(has, [formula(at, job.size)(r)]); }
      return has.length === (where === undefined || where === "every chunk" ? job.chunks : +count);
    });
  }],
  [/^Now every rank has (\d+) of (\d+) (?:chunk|block)s of its result\.$/, ([there, all], t, job, what) => dues(job, what).every((row, r) =>
    row.filter((d) => d !== null).length === +all && row.filter((d, c) => d !== null && same(d, t.after[r][c])).length === +there)],
  [/^Now (ranks? .*) (?:has its|have their) whole result\.$/, ([who], t, job, what) => names(who, upTo(job.size).filter((r) => wholly(job, what, t.after, r)))],
  [/^Now (\d+) of (\d+) (?:chunk|block)s of the results are in place\.$/, ([there, all], t, job, what) => {
    const flat = dues(job, what).flatMap((row, r) => row.map((d, c) => [d, t.after[r][c]])).filter(([d]) => d !== null);
    return flat.length === +all && flat.filter(([d, v]) => same(d, v)).length === +there;
  }],
  [/^Now (every rank( but 0)? (has|knows)|the root has) [^.]*\.$/, (_, t, job, what) => upTo(job.size).every((r) => dues(job, what)[r].every((d, c) => d === null || same(d, t.after[r][c])))],
];

function phaseHolds(phase, round, told, job, what) {
  const { messages } = told[round];
  const adds = messages.filter((m) => m.adds).length;
  if (phase === "waiting") { return messages.length === 0; }
  if (phase === "adding and copying") { return adds > 0 && adds < messages.length; }
  if (phase === "adding" || phase === "copying") { return phase === "adding" ? adds === messages.length : adds === 0; }
  // A named phase: before the first copy each chunk is complete on one rank, after it nothing is added.
  const border = told.findIndex((t) => t.messages.some((m) => !m.adds));
  const owners = upTo(job.chunks).map((c) => upTo(job.size).filter((r) => same(told[border - 1].after[r][c], upTo(job.size))));
  const spread = new Set(owners.map((o) => o[0])).size > 1;
  if (!owners.every((o) => o.length === 1) || (adds > 0) !== (round < border) || (adds > 0 && adds < messages.length)) { return false; }
  const pair = what === "reduce" ? ["reduce-scatter", "gather"] : spread ? ["reduce-scatter", "all-gather"] : ["reduce", "broadcast"];
  return (what !== "reduce" || spread) && phase === pair[round < border ? 0 : 1];
}

// What the start says of the phases: said of an all-reduce that first only adds, until each chunk is complete on
// one rank, and then only copies.
let twoPhases = 0;
function startHolds(model, told, job, what, name) {
  const said = proseOf(model, -1).sentences.find((text) => text.startsWith("It has two phases")) ?? "";
  const pairs = [["reduce-scatter", "all-gather"], ["reduce", "broadcast"]];
  const found = what !== "all_reduce" ? undefined : pairs.find((pair) => {
    const border = told.findIndex((t) => t.messages.some((m) => !m.adds));
    return border > 0 && told.every((t, round) => t.messages.length === 0 || phaseHolds(pair[round < border ? 0 : 1], round, told, job, what));
  });
  assert.equal(said, found ? `It has two phases: ${found[0]}, then ${found[1]}.` : "", `${name} ${what} ${job.size}: the start`);
  twoPhases += found ? 1 : 0;
}

let sentences = 0, rounds = 0;
const seen = new Map();
function holds(forms, text, ...about) {
  for (const [pattern, rule] of forms) {
    const found = pattern.exec(text);
    if (found) { seen.set(pattern, (seen.get(pattern) ?? 0) + 1); return rule(found.slice(1), ...about); }
  }
  return assert.fail(`a sentence of no known form: ${text}`);
}

function examine(name, collective, size, root) {
  const job = core.record(name, core.collectives.indexOf(collective), size, root);
  if (job !== null) { examineJob(name, job, collective); }
}
function examineJob(name, job, collective) {
  const { size, root } = job;
  const { told } = run(job, collective);
  const model = makeModel(job, core.replay(job), collective);
  const noun = BLOCKS.includes(collective) ? "block" : "chunk";
  startHolds(model, told, job, collective, name);
  for (let round = 0; round < job.rounds; ++round) {
    const { phase, sentences: [who, ...rest] } = proseOf(model, round);
    const label = `${name} ${collective} ${size} root ${root} round ${round}`;
    assert.ok(holds(SENDS, who, told[round].messages, job), `${label}: ${who}`);
    assert.ok(!new RegExp(`\\b${noun === "block" ? "chunk" : "block"}s?\\b`).test(who), `${label}: ${who}`);
    assert.equal(rest.filter((text) => text.startsWith("For example")).length, /\b[ij]\b/.test(who) ? 1 : 0, label);
    for (const text of rest) { assert.ok(holds(REST, text, told[round], job, collective), `${label}: ${text}`); }
    assert.ok(phaseHolds(phase, round, told, job, collective), `${label}: phase ${phase}`);
    sentences += 1 + rest.length;
    ++rounds;
  }
}

const plain = core.algorithms.filter((n) => !n.endsWith(":"));
for (const collective of core.collectives) {
  for (let size = 1; size <= 9; ++size) {
    const all = [...plain, ...[1, 2, 3, 4].flatMap((g) => [`hierarchical:${g}`, `leaders:${g}`])];
    for (const name of all) {
      for (const root of ["broadcast", "reduce", "gather", "scatter"].includes(collective) ? [0, size - 1, size >> 1] : [0]) { examine(name, collective, size, root); }
    }
  }
  for (const name of [...plain, "hierarchical:4", "leaders:4"]) { examine(name, collective, 16, 0); }
}
// Wrong ones too: one step of a copy takes part in another way, is lost, or carries other chunks.
function mutated(job, random) {
  const steps = Array.from(job.steps), at = 6 * Math.floor(random() * (steps.length / 6)), kind = Math.floor(random() * 4);
  if (kind === 0 && steps[at + 2] !== 0) { steps[at + 2] = 3 - steps[at + 2]; }
  if (kind === 1) { steps.splice(at, 6); }
  if (kind === 2) { steps[at + 4] = (steps[at + 4] + 1) % job.chunks; }
  if (kind === 3) { steps[at + 3] = (steps[at + 3] + 1) % job.size; }
  return { ...job, steps: Int32Array.from(steps) };
}
let seed = 1;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
for (const collective of core.collectives) {
  for (const name of plain) {
    for (let size = 2; size <= 6; ++size) {
      const job = core.record(name, core.collectives.indexOf(collective), size, 0);
      for (let i = 0; i < 12; ++i) {
        const other = mutated(job, random);
        if (collective !== "all_reduce" && !REDUCES.includes(collective)) { for (let k = 2; k < other.steps.length; k += 6) { if (other.steps[k] === 1) { other.steps[k] = 2; } } }
        examineJob(`${name}, mutation ${i}`, other, collective);
      }
    }
  }
}
// A peer that is not there is nobody's: rank 0 sends to rank 3 of 3, and rank 1 sends nothing to rank 0.
assert.deepEqual(makeModel({ size: 3, root: 0, chunks: 1, rounds: 1, steps: Int32Array.from([0, 0, 0, 3, 0, 1, 0, 0, 1, 1, 0, 1]) },
  { first: 3, sums: [], changes: [], start: Int32Array.from([0, 1, 2]) }, "all_reduce").allMoves(), [[]]);
// A round in which nothing arrives, and one that adds and copies.
const byHand = [[0, 0, 1, 1, 0, 1], [0, 2, 1, 2, 0, 1], [0, 2, 0, 1, 0, 1], [0, 3, 0, 1, 0, 1], [0, 3, 0, 2, 0, 1], [1, 0, 0, 0, 0, 1], [1, 2, 2, 0, 0, 1],
                [1, 3, 2, 0, 0, 1], [2, 2, 0, 0, 0, 1], [2, 3, 2, 0, 0, 1]];
examineJob("by hand", { what: 0, size: 3, root: 0, chunks: 1, rounds: 4, steps: Int32Array.from(byHand.flat()) }, "all_reduce");
// Each form of sentence is used, so none is untested.
const unused = [...SENDS, ...REST].filter(([p]) => !seen.has(p));
assert.deepEqual(unused.map(([p]) => String(p)), []);
assert.ok(sentences > 9000, String(sentences));
assert.ok(twoPhases > 50, String(twoPhases));
console.log(`${sentences} sentences about ${rounds} rounds hold`);
