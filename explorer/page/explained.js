// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a schedule, in a sentence made from its steps. Each says only what the steps show. No DOM.
import { INTS_PER_STEP, RECV_REDUCE, SEND } from "./core.js";
import { TRAITS, transfersOf } from "./model.js";
import { addedDifferently, after, changesOf, holdsAtStart } from "./explained_run.js";

const listed = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);
const several = (word, numbers) => {
  const runs = [];
  for (const n of numbers) {
    if (runs.length > 0 && runs.at(-1)[1] === n - 1) { runs.at(-1)[1] = n; } else { runs.push([n, n]); }
  }
  return `${word}${numbers.length === 1 ? "" : "s"} ${listed(runs.flatMap(([a, b]) => (b - a > 1 ? [`${a} to ${b}`] : a === b ? [`${a}`] : [`${a}`, `${b}`])))}`;
};
const unique = (list) => [...new Set(list)].sort((a, b) => a - b);
const messages = (n) => `${n} message${n === 1 ? "" : "s"}`;
const contributions = (ranks) => (ranks.length === 1 ? `the contribution of rank ${ranks[0]}` : `the contributions of ${several("rank", ranks)}`);

function stepsOf(job) {
  const { steps } = job;
  return Array.from({ length: steps.length / INTS_PER_STEP }, (_, i) => {
    const [rank, round, verb, peer, first, count] = steps.subarray(INTS_PER_STEP * i, INTS_PER_STEP * (i + 1));
    return { i, rank, round, verb, peer, first, count, receives: verb !== SEND };
  });
}

// A range may go round the end.
function chunksOf({ first, count }, chunks) {
  const last = (first + count - 1) % chunks;
  return count === 1 ? `chunk ${first}` : `chunks ${first}${count === 2 ? " and " : " to "}${last}`;
}

// {text, steps}: a sentence or more on why `proof`, a verdict of `core.check(job)`, refuses the job, and the
// numbers of the steps that are at fault. The text is "" where the steps do not show more than the verdict.
export function explain(job, proof, collective) {
  const found = proof.ok ? null : EXPLAINED[proof.what]?.(job, proof, collective);
  return { text: found?.text ?? "", steps: found?.steps?.map((s) => s.i ?? s) ?? [] };
}

const EXPLAINED = {
  "the rounds do not ascend": (job, { rank, round }) => {
    const own = stepsOf(job).filter((s) => s.rank === rank);
    const at = own.findIndex((s, k) => s.round < (k > 0 ? own[k - 1].round : 0));
    if (own[at]?.round !== round) { return null; }
    return { steps: [own[at]], text: round < 0 ? `Rank ${rank} emits a step of round ${round}, but the rounds count from 0.`
      : `Rank ${rank} emits a step of round ${round} after one of round ${own[at - 1].round}: emit all steps of a round before those of the next.` };
  },
  "there is no such round": malformed((s, job) => s.round >= job.rounds, (s, job) => `names round ${s.round}, but ${job.rounds > 0 ? `the rounds are 0 to ${job.rounds - 1}` : "there are no rounds"}.`),
  "there is no such peer": malformed((s, job) => s.peer < 0 || s.peer >= job.size, (s, job) => `names rank ${s.peer}, but the ranks are 0 to ${job.size - 1}.`),
  "a rank talks to itself": malformed((s) => s.peer === s.rank, (s) => `names itself as its peer in round ${s.round}: leave out the step where the peer is the rank itself.`),
  "there are no such chunks": malformed((s, job) => s.first < 0 || s.first >= job.chunks || s.count < 1 || s.count > job.chunks, (s, job) => (
    s.first < 0 || s.first >= job.chunks ? `names chunk ${s.first}, but ${job.chunks === 1 ? "there is only chunk 0" : `the chunks are 0 to ${job.chunks - 1}`}.`
      : `names ${s.count} chunks, but a step takes 1 ${job.chunks === 1 ? "chunk, all there is" : `to ${job.chunks}`}.`)),
  "a collective that only moves blocks adds": malformed((s) => s.verb === RECV_REDUCE, (s, _, collective) => `has a recv_reduce in round ${s.round}, but nothing is added in ${spoken(collective)}: use recv_copy.`),
  "there are no ranks or no chunks": ({ size, chunks }) => ({ text: size < 1 ? `There are ${size} ranks: it takes 1 or more.` : `There are ${chunks} chunks: chunks(size) must give 1 or more.` }),
  "there is no such root": ({ root, size }) => ({ text: `The root is rank ${root}, but the ranks are 0 to ${size - 1}.` }),
  "there must be one block per rank": ({ size, chunks }, _, collective) => ({
    text: `There are ${chunks} chunk${chunks === 1 ? "" : "s"} for ${size} ranks. Chunk i is the block of rank i in ${spoken(collective)}, so there must be ${size}.` }),

  "a receive has no send": (job, { rank, round }) => {
    const all = stepsOf(job), left = all.filter((s) => s.receives && s.rank === rank && s.round === round).find((s) => partnerOf(all, s) === null);
    if (!left) { return null; }
    const { peer } = left, has = all.filter((s) => mates(left, s)).length;
    const takes = all.filter((s) => s.receives && s.rank === rank && s.round === round && s.peer === peer).length;
    const others = unique(all.filter((s) => !s.receives && s.rank === peer && s.peer === rank && s.round !== round).map((s) => s.round));
    return { steps: [left], text: (has === 0 ? `Rank ${rank} waits in round ${round} for rank ${peer}, which sends it nothing in that round.`
      : `Rank ${rank} waits in round ${round} for ${messages(takes)} of rank ${peer}, which sends it only ${has} in that round.`)
      + (others.length > 0 ? ` Rank ${peer} sends to it in ${several("round", others)}.` : "") };
  },
  "a send has no receive": (job, { rank, round }) => {
    const all = stepsOf(job), left = all.filter((s) => !s.receives && s.rank === rank && s.round === round).find((s) => partnerOf(all, s) === null);
    if (!left) { return null; }
    const { peer } = left, has = all.filter((s) => mates(left, s)).length;
    const sends = all.filter((s) => !s.receives && s.rank === rank && s.round === round && s.peer === peer).length;
    const others = unique(all.filter((s) => s.receives && s.rank === peer && s.peer === rank && s.round !== round).map((s) => s.round));
    return { steps: [left], text: (has === 0 ? `Rank ${rank} sends to rank ${peer} in round ${round}, but rank ${peer} receives nothing from it in that round.`
      : `Rank ${rank} sends ${messages(sends)} to rank ${peer} in round ${round}, but rank ${peer} receives only ${has} from it in that round.`)
      + (others.length > 0 ? ` Rank ${peer} receives from it in ${several("round", others)}.` : "") };
  },
  "a send and its receive name different chunks": (job, { rank, round }, collective) => {
    const all = stepsOf(job), renames = collective === "all_to_all";
    const differs = (s, t) => t && (s.count !== t.count || (s.first !== t.first && !renames));
    const into = all.find((s) => s.receives && s.rank === rank && s.round === round && differs(s, partnerOf(all, s)));
    if (!into) { return null; }
    const from = partnerOf(all, into);
    return { steps: [from, into], text: `In round ${round} rank ${from.rank} sends ${chunksOf(from, job.chunks)}, but rank ${rank} receives ${chunksOf(into, job.chunks)} from it: both must name ${renames ? "as many chunks" : "the same chunks"}.` };
  },
  "a rank sends a chunk it does not hold": (job, { rank, round, chunk }, collective) => {
    const moves = transfersOf(job), sent = moves[round]?.find((m) => m.from === rank && holds(m, m.sent, chunk, job));
    if (!sent || TRAITS[collective].reduces || after(job, collective, chunk, round)[rank] !== null) { return null; }
    const gets = moves.findIndex((list, r) => r >= round && list.some((m) => m.to === rank && holds(m, m.first, chunk, job)));
    const owners = holdsAtStart(job, collective, chunk);
    return { steps: [sent.sendStep], text: `Rank ${rank} sends chunk ${chunk} to rank ${sent.to} in round ${round}, but has nothing there yet. `
      + (gets === round ? "It gets it in that very round: what arrives can be sent from the next round on."
        : gets > round ? `It gets it in round ${gets}.` : `Nobody sends it. At the start ${several("rank", owners)} has it.`) };
  },
  "a chunk is copied into and written again in one round": (job, { rank, round, chunk }, collective) => {
    const list = changesOf(job, rank, chunk, round);
    if (list.length < 2 || list.every((m) => m.adds)) { return null; }
    const writes = (adds) => {
      const from = list.filter((m) => m.adds === adds).map((m) => m.from);
      return from.length > 0 && `${adds ? "adds" : "copies"} chunk ${chunk} ${unique(from).length < from.length ? "several times " : ""}from ${several("rank", unique(from))}`;
    };
    return { steps: list.map((m) => m.step), text: `In round ${round} rank ${rank} ${listed([writes(true), writes(false)].filter(Boolean))}: which comes first would decide what it holds.`
      + (TRAITS[collective].reduces ? " Several recv_reduce of a chunk may share a round; a recv_copy must be alone." : "") };
  },
  "a copy replaces contributions it does not hold": (job, { rank, round, chunk }, collective) => {
    const [m, other] = changesOf(job, rank, chunk, round), held = after(job, collective, chunk, round);
    if (!m || m.adds || other) { return null; }
    const mine = unique(held[rank]), lost = mine.filter((r) => !held[m.from].includes(r));
    if (lost.length === 0) { return null; }
    const what = lost.length === 1 && lost[0] === rank ? "its own contribution" : contributions(lost);
    return { steps: [m.step], text: `In round ${round} rank ${rank} copies chunk ${chunk} from rank ${m.from} over ${what}, which ${lost.length === 1 ? "is" : "are"} not in what arrives, so ${lost.length === 1 ? "it" : "they"} would be lost.`
      + (lost.length === mine.length ? " Did you mean recv_reduce?" : "") };
  },
  "a contribution is added twice": (job, { rank, round, chunk }, collective) => {
    const list = changesOf(job, rank, chunk, round), held = after(job, collective, chunk, round);
    const sources = [[`what rank ${rank} holds`, held[rank]], ...list.map((m) => [`what comes from rank ${m.from}`, held[m.from]])];
    const twice = unique(sources.flatMap(([, ranks]) => ranks)).filter((r) => sources.filter(([, ranks]) => ranks.includes(r)).length > 1);
    if (list.length === 0 || twice.length === 0) { return null; }
    const where = sources.filter(([, ranks]) => ranks.includes(twice[0])).map(([name]) => name);
    const covers = list.length === 1 && held[rank].every((r) => held[list[0].from].includes(r));
    return { steps: list.filter((m) => held[m.from].includes(twice[0])).map((m) => m.step),
             text: `In round ${round} rank ${rank} adds chunk ${chunk}: the contribution of rank ${twice[0]} is in ${listed(where)}.${covers ? " Did you mean recv_copy?" : ""}` };
  },
  "a block is missing": (job, { rank, chunk }, collective) => {
    const into = transfersOf(job).flatMap((list) => list.filter((m) => m.to === rank && holds(m, m.first, chunk, job)));
    if (collective !== "all_to_all") {
      return into.length > 0 ? null : { text: `In the end rank ${rank} lacks chunk ${chunk}: no step brings it there. At the start ${several("rank", holdsAtStart(job, collective, chunk))} has it.` };
    }
    const due = `chunk ${chunk} of rank ${rank} is for what rank ${chunk} has in its chunk ${rank}`;
    if (into.length === 0) { return { text: `In the end ${due}, but no step brings anything there.` }; }
    const m = into.at(-1), sent = (m.sent + (chunk - m.first + job.chunks) % job.chunks) % job.chunks;
    return { steps: [m.step], text: `In the end ${due}, but what is there is chunk ${sent} of rank ${m.from}.` };
  },
  "a contribution is missing": (job, { rank, chunk }, collective) => {
    const has = after(job, collective, chunk, job.rounds)[rank], ranks = Array.from({ length: job.size }, (_, r) => r);
    const due = ranks.filter((r) => (collective === "scan" ? r <= rank : collective === "exscan" ? r < rank : true));
    const lacks = due.filter((r) => !has.includes(r)), over = unique(has).filter((r) => !due.includes(r));
    if (lacks.length === 0) { return over.length === 0 ? null : { text: `In the end chunk ${chunk} of rank ${rank} has ${contributions(over)} too, which ${over.length === 1 ? "is" : "are"} not due to it.` }; }
    const silent = lacks.filter((r) => r !== rank && !transfersOf(job).flat().some((m) => m.from === r && holds(m, m.sent, chunk, job)));
    return { text: `In the end chunk ${chunk} of rank ${rank} lacks ${contributions(lacks)}.`
      + (silent.length > 0 ? ` ${several("Rank", silent)} ${silent.length === 1 ? "sends" : "send"} chunk ${chunk} to nobody.` : "") };
  },
  "the ranks bracket the sum differently": (job, { rank, chunk }, collective) => {
    const all = addedDifferently(job, collective, chunk, rank);
    return all && { text: `Of chunk ${chunk}, rank ${all.other} has ${all.first} and rank ${rank} has ${all.second}: after rounding the two may differ.` };
  },
};

export const TEXTS = Object.keys(EXPLAINED);

const spoken = (collective) => `${/^[aeiou]/.test(collective) ? "an" : "a"} ${collective.replaceAll("_", "-")}`;
const holds = (m, first, chunk, { chunks }) => (chunk - first + chunks) % chunks < m.count;

// Of what is wrong with a step alone.
function malformed(wrong, says) {
  return (job, { rank, round, chunk }, collective) => {
    const s = stepsOf(job).find((t) => t.rank === rank && t.round === round && t.first === chunk && wrong(t, job));
    return s && { steps: [s], text: `Rank ${rank} ${says(s, job, collective)}` };
  };
}

// Whether `t` may be the other side of `s`: the first send of a round meets the first receive, and so on.
const mates = (s, t) => t.receives !== s.receives && t.round === s.round && t.rank === s.peer && t.peer === s.rank;
function partnerOf(all, s) {
  const before = all.filter((t) => t.i < s.i && t.rank === s.rank && t.round === s.round && t.peer === s.peer && t.receives === s.receives).length;
  return all.filter((t) => mates(s, t))[before] ?? null;
}
