// SPDX-License-Identifier: BSD-3-Clause
// What the tours say. Numbers in it are computed of the state that a step shows. No DOM.
import { networkOf } from "./clock.js";
import { RECV_REDUCE, INTS_PER_STEP } from "./core.js";
import { crossingsOf } from "./crossings.js";
import { bytes, seconds } from "./numbers.js";
import { sendersOfAllReduce } from "./cost_bounds.js";
import { FIRST } from "./own.js";
import { fromFragment } from "./state.js";
import { crossingText } from "./view_time_tables.js";

// Of a state: the algorithms `names`, how many vectors of one rank their busiest rank sends, and so on. `own`: what the reader has written.
export function factsOf(core, fragment, own) {
  const { state } = fromFragment(fragment), { ranks, algorithm } = state, what = core.collectives.indexOf(state.collective);
  const jobs = new Map(algorithm.map((name) => [name, core.record(name, what, ranks, state.root)]));
  const vectors = (n) => `${Number((Number(n) / state.bytes).toPrecision(4))}`;
  const cost = (name) => core.cost(jobs.get(name), state.bytes), took = (name) => core.simulate(jobs.get(name), state.bytes, networkOf(state)).total;
  // The rounds up to the last in which anything is added.
  const adding = (name) => { const { steps } = jobs.get(name); let last = -1; for (let i = 0; i < steps.length; i += INTS_PER_STEP) { if (steps[i + 2] === RECV_REDUCE) { last = Math.max(last, steps[i + 1]); } } return last + 1; };
  return {
    ranks, vector: bytes(state.bytes), rounds: (name) => jobs.get(name).rounds, adding, chunks: (name) => jobs.get(name).chunks,
    sent: (name) => vectors(cost(name).busiest.sent), bound: () => vectors(cost(algorithm[0]).bound.sent),
    optimal: (name) => cost(name).busiest.sent === cost(name).bound.sent,
    // Names and times, who ends first before the others.
    order: () => algorithm.map((name) => ({ name, time: took(name) })).sort((a, b) => a.time - b.time).map(({ name, time }) => ({ name, time: seconds(time) })),
    crossing: async () => crossingText(await crossingsOf({ core, state }, algorithm.map((name) => ({ name, job: jobs.get(name) })), { stopped: () => false }), algorithm, state),
    hasOwn: own.text !== FIRST,
  };
}

const first = (f) => { const [a, b] = f.order(); return `For ${f.vector} the ${a.name} is done first, after ${a.time}; the ${b.name} takes ${b.time}.`; };

// Each step: [title, state, what it says of the facts of that state]: a text, or a list of texts and of
// {opens: an element's id, words}, which is a button.
const WHOLE = [
  ["Watch a ring", "#algorithm=ring&ranks=4",
    (f) => `Press play. Every rank sends one chunk and receives one, in each round. After ${f.adding("ring")} rounds each chunk is complete at one rank; ${f.rounds("ring") - f.adding("ring")} more hand the chunks round.`],
  ["Count what it sends", "#algorithm=ring&ranks=4&view=cost&round=5",
    (f) => [`Every rank has sent ${f.sent("ring")} vectors. The dashed line is the least that any algorithm can manage: `, { opens: "why-not-less", words: "see why nobody can send less" },
      ". The more ranks, the nearer the line comes to 2 vectors, and never above."]],
  ["Put a tree beside it", "#algorithm=ring,tree&ranks=8&view=time",
    (f) => `${first(f)} A tree has fewer rounds, ${f.rounds("tree")} against ${f.rounds("ring")}, but sends whole vectors in them, and most ranks wait meanwhile.`],
  ["Make the vector short", "#algorithm=ring,tree&ranks=8&view=time&bytes=1024",
    async (f) => `${first(f)} Bytes hardly count any more, rounds do, ${f.rounds("tree")} against ${f.rounds("ring")}, for each costs a latency. ${await f.crossing()} The page says so above the timelines too: change the vector, and try it.`],
  ["Write one of your own", "#view=write",
    (f) => `${f.hasOwn ? "Your own text is still there" : "The text there is right, but sends too much"}. Change it: the proof and the counts follow each change. Another one to start from: one_shot, two_shot, ring.`],
  ["Test yourself", "#view=tasks&task=bug:ring:4:all_reduce:1",
    () => "One step of a ring was changed. Which? The Tasks view has more, and marks them."],
];
const RING = [
  ["What a ring does", "#algorithm=ring&ranks=4",
    (f) => `Press play. Each rank\u2019s vector is cut into ${f.chunks("ring")} chunks. In each round a rank sends one chunk to the next rank, and gets one from the rank before. In the first ${f.adding("ring")} rounds it adds what it gets: `
      + `then each chunk\u2019s sum is complete at one rank. In ${f.rounds("ring") - f.adding("ring")} more the sums go round.`],
  ["Why nobody sends less", "#algorithm=ring&ranks=4&view=cost&round=5",
    (f) => `Every rank has sent ${f.rounds("ring")} chunks of 1/${f.chunks("ring")} vector: ${f.sent("ring")} vectors. An all-reduce needs that much. Of each byte, ${sendersOfAllReduce(f.ranks)} `
      + `Shared by ${f.ranks} ranks that is 2 \u00d7 ${f.ranks - 1}/${f.ranks} = ${f.bound()} vectors each.${f.optimal("ring") ? " The ring sends no more: it is bandwidth-optimal." : ""}`],
  ["More ranks, hardly more bytes", "#algorithm=ring,tree&ranks=64&view=cost&round=125",
    (f) => `With ${f.ranks} ranks the busiest rank of a ring sends ${f.sent("ring")} vectors: 2 \u00d7 ${f.ranks - 1}/${f.ranks}, always below 2. That of a tree sends ${f.sent("tree")}. But the ring has ${f.rounds("ring")} rounds, the tree ${f.rounds("tree")}.`],
  ["When a tree is quicker", "#algorithm=ring,tree&ranks=8&view=time&bytes=1024",
    (f) => `${first(f)} Each round costs a latency, however short its message, and the tree has ${f.rounds("tree")} rounds, the ring ${f.rounds("ring")}.`],
  ["When a ring is quicker", "#algorithm=ring,tree&ranks=8&view=time",
    async (f) => `${first(f)} Now the bytes count: the busiest rank of the tree sends ${f.sent("tree")} vectors, that of the ring ${f.sent("ring")}. ${await f.crossing()} Try another network.`],
];
export const TOURS = { whole: WHOLE, ring: RING };
