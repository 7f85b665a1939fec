// SPDX-License-Identifier: BSD-3-Clause
// The task "predict the next round": who sends which chunks to whom, for a few ranks.
import { RECV_REDUCE } from "./core.js";
import { chunksOf, messagesOf } from "./tasks_steps.js";

export const title = "Predict the next round";
export const goal = "After it you can see the pattern in the rounds so far, and say from it what each rank does next.";
export const minutes = 4;
const MOST_ASKED = 4;
const MOST_FIELDS = 6;  // messages of the asked ranks together

export const HOW = { adds: "add it to what they hold", copies: "put it in the place of what they hold",
                     both: "some add it, some put it in place" };

export function make(core, id, job, chance) {
  const messages = messagesOf(job);
  // The first round shows no pattern yet, so it is asked only where there is no other.
  const rounds = [...new Set(messages.map((m) => m.round))].filter((r) => r > 0 || job.rounds === 1);
  if (rounds.length === 0) { return null; }
  const round = chance.pick(rounds);
  const sent = messages.filter((m) => m.round === round);
  const sender = chance.pick(sent).from;
  const others = chance.shuffled(Array.from({ length: job.size }, (_, r) => r).filter((r) => r !== sender));
  const asked = [sender];
  const fields = (ranks) => sent.filter((m) => ranks.includes(m.from)).length;
  for (const rank of others) {
    if (asked.length < MOST_ASKED && fields([...asked, rank]) <= MOST_FIELDS) { asked.push(rank); }
  }
  asked.sort((a, b) => a - b);
  const told = sent.filter((m) => asked.includes(m.from));
  const verbs = new Set(told.map((m) => m.verb));
  const how = verbs.size > 1 ? "both" : verbs.has(RECV_REDUCE) ? "adds" : "copies";
  return { round, asked, how, right: asked.map((rank) => merged(told.filter((m) => m.from === rank), job)) };
}

// Messages of one rank by receiver: Map to -> ascending chunks.
function merged(messages, job) {
  const all = new Map();
  for (const m of messages) {
    const chunks = m.chunks ?? chunksOf(m, job.chunks);
    all.set(m.to, [...new Set([...(all.get(m.to) ?? []), ...chunks])].sort((a, b) => a - b));
  }
  return new Map([...all].sort(([a], [b]) => a - b));
}
const same = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);

// `answer`: {messages: [{from, to, chunks}], how}. Notes: {rank, right, say}, then one of `how`.
export function mark(core, task, answer) {
  const notes = task.asked.map((rank, i) => {
    const given = merged(answer.messages.filter((m) => m.from === rank), task.job);
    const right = task.right[i];
    const wrong = [];
    for (const [to, chunks] of given) {
      if (!right.has(to)) { wrong.push(`it sends nothing to rank ${to} in this round`); }
      else if (!same(chunks, right.get(to))) { wrong.push(`it does send to rank ${to}, but not ${chunks.length === 1 ? "chunk" : "just chunks"} ${chunks.join(", ")}`); }
    }
    const missing = [...right.keys()].filter((to) => !given.has(to)).length;
    if (missing > 0 && given.size === 0) { wrong.push("it does send in this round"); }
    else if (missing > 0 && wrong.length > 0 && [...given.keys()].every((to) => !right.has(to))) { wrong.push(`it sends to ${missing === 1 ? "another rank" : `${missing} other ranks`}`); }
    else if (missing > 0) { wrong.push(`${missing === 1 ? "a message is" : `${missing} messages are`} missing`); }
    return { rank, right: wrong.length === 0, say: wrong.length === 0 ? "right" : wrong.join("; ") };
  });
  const how = answer.how === task.how;
  notes.push({ rank: null, right: how, say: how ? "right" : "they do something else with what arrives" });
  return { right: notes.every((n) => n.right), notes };
}

export function rightAnswer(task) {
  const messages = task.asked.flatMap((from, i) => [...task.right[i]].map(([to, chunks]) => ({ from, to, chunks })));
  return { messages, how: task.how };
}

// Whether all that the asked ranks send is what has arrived there in the round before. (An all-to-all sends its input.)
export function passesOn({ id, job, round, asked }) {
  if (id.collective === "all_to_all") { return false; }
  const messages = messagesOf(job), sent = messages.filter((m) => m.round === round && asked.includes(m.from));
  const arrived = (rank) => new Set(messages.filter((m) => m.round === round - 1 && m.to === rank).flatMap((m) => chunksOf({ first: m.at, count: m.count }, job.chunks)));
  return sent.length > 0 && sent.every((m) => { const there = arrived(m.from); return chunksOf(m, job.chunks).every((c) => there.has(c)); });
}

// "3_0to1=4_1to2=0+1_2idle_adds": the round, what each asked rank sends, what receivers do.
export function answerText(core, task, answer) {
  const ranks = task.asked.map((rank) => {
    const sent = [...merged(answer.messages.filter((m) => m.from === rank), task.job)];
    return sent.length === 0 ? `${rank}idle` : sent.map(([to, chunks]) => `${rank}to${to}=${chunks.join("+")}`).join("_");
  });
  return [task.round, ...ranks, answer.how].join("_");
}

// The answer of such a text; null if it is none.
export function readAnswer(core, task, text) {
  const [round, ...parts] = text.split("_");
  const how = parts.pop();
  const messages = [];
  for (const part of parts) {
    const found = /^(\d+)to(\d+)=([\d+]+)$/.exec(part);
    if (found !== null) {
      messages.push({ from: Number(found[1]), to: Number(found[2]), chunks: found[3].split("+").map(Number) });
    } else if (!/^\d+idle$/.test(part)) { return null; }
  }
  return Number(round) === task.round ? { messages, how } : null;
}

export function solution(task) {
  const says = task.asked.map((rank, i) => {
    const sent = [...task.right[i]].map(([to, chunks]) =>
      `${task.job.chunks === 1 ? "the vector" : `${chunks.length === 1 ? "chunk" : "chunks"} ${chunks.join(", ")}`} to rank ${to}`);
    return `Rank ${rank} sends ${sent.length === 0 ? "nothing" : sent.join("; ")}.`;
  });
  return `${says.join(" ")} The receivers ${task.how === "both" ? "do both: " : ""}${HOW[task.how]}.`;
}
