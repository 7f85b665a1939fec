// SPDX-License-Identifier: BSD-3-Clause
// The task "build one": an algorithm of the student's within so many rounds and bytes. The goal is
// what one of the library's algorithms reaches, so it can be reached.
import { packed, unpacked } from "./tasks_pack.js";
import { messagesOf } from "./tasks_steps.js";

export const title = "Build one";
export const goal = "After it you can turn an idea into a schedule that is proved correct, and say what its rounds and its bytes cost.";
export const minutes = 25;

// Divisible by the ranks and by ten times as many chunks.
export const bytesFor = (size) => size * 5040;

export function reached(core, job) {
  const proof = core.check(job);
  if (!proof.ok) { return { proof }; }
  const { busiest, bound } = core.cost(job, bytesFor(job.size));
  const sent = Number(busiest.sent), least = Number(bound.sent);
  return { proof, rounds: job.rounds, hundredths: Math.ceil((100 * sent) / least), ordered: proof.orderPreserving };
}

// The messages of a schedule, whatever their order within a round.
const messagesText = (job) => [job.chunks, job.rounds,
  ...messagesOf(job).map((m) => [m.round, m.from, m.to, m.first, m.count, m.at, m.verb].join()).sort()].join(" ");

// The name of the library's algorithm that an answer is, step for step; null if it is none. Two ranks
// can hardly do another thing.
export function libraryName(core, task, answer) {
  if (task.kind !== "build" || !answer.job || answer.job.size === 2) { return null; }
  const { what, size, root } = answer.job, text = messagesText(answer.job);
  const names = core.algorithms.flatMap((name) => (name.endsWith(":") ? Array.from({ length: size }, (_, i) => name + (i + 1)) : [name]));
  return names.filter((name) => core.fits(name, size)).find((name) => {
    const job = core.record(name, what, size, root);
    return job !== null && messagesText(job) === text;
  }) ?? null;
}

// Of a right answer: why it is not taken, or null.
export function refusal(core, task, answer) {
  const name = libraryName(core, task, answer);
  return name === null ? null : `This is the library\u2019s ${name} as it stands: change it, or write your own.`;
}

const REDUCES = ["all_reduce", "reduce_scatter", "reduce", "scan", "exscan"];

export function make(core, id, job, chance) {
  const best = reached(core, job);
  const slack = chance.below(3);  // rounds more than the library's
  const ordered = REDUCES.includes(id.collective) && best.ordered && chance.below(2) === 1;
  return { rounds: best.rounds + slack, hundredths: best.hundredths, ordered };
}

// Whether what anybody writes first, everything to everybody, reaches the goal.
export function isEasy(core, task) {
  const first = core.record("one_shot", task.job.what, task.job.size, 0);
  return first !== null && mark(core, task, { job: first }).right;
}

// `answer`: {job} of the student's algorithm, or {complaint} where it does not run.
export function mark(core, task, answer) {
  const note = (part, right, say) => ({ part, right, say });
  if (!answer.job) { return { right: false, notes: [note("runs", false, answer.complaint)] }; }
  const { job } = answer;
  if (job.what !== task.job.what || job.size !== task.job.size || job.root !== task.job.root) {
    return { right: false, notes: [note("runs", false, "it was recorded for another collective or number of ranks")] };
  }
  const best = reached(core, job);
  if (!best.proof.ok) {
    const { what, rank, round, chunk } = best.proof;
    const where = [["rank", rank], ["round", round], ["chunk", chunk]].filter(([, n]) => n >= 0).map((p) => p.join(" "));
    return { right: false, notes: [note("proof", false, [what, ...where].join(", "))] };
  }
  const notes = [
    note("proof", true, "correct"),
    note("rounds", best.rounds <= task.rounds, `${best.rounds} of at most ${task.rounds}`),
    note("bytes", best.hundredths <= task.hundredths,
         `${timesText(core, job, best.hundredths)}; at most ${timesText(core, job, task.hundredths)}`),
  ];
  if (task.ordered) { notes.push(note("order", best.ordered, best.ordered ? "order-preserving" : "not order-preserving")); }
  return { right: notes.every((n) => n.right), notes };
}

export const times = (hundredths) => (hundredths / 100).toFixed(2);
// "1.34 times the bound (2.01 MiB)", of a vector of 1 MiB.
export function timesText(core, job, hundredths) {
  const least = Number(core.cost(job, 1 << 20).bound.sent) / (1 << 20);
  return `${times(hundredths)} times the bound (${Number((least * hundredths / 100).toFixed(2))} MiB)`;
}

export const rightAnswer = (task) => ({ job: task.job });

// "6_100_any_PACKED": at most so many rounds, hundredths of the bound, "ordered" or "any", the steps.
export const answerText = (core, task, answer) =>
  [task.rounds, task.hundredths, task.ordered ? "ordered" : "any", packed(answer.job, task.id.collective)].join("_");

// The answer of such a text; null if it is none.
export function readAnswer(core, task, text) {
  const { what, size, root } = task.job;
  const job = unpacked(text.split("_")[3] ?? "", { what, size, root }, task.id.collective);
  return job === null ? null : { job };
}

export function solution(task) {
  return `${task.algorithm} does it, in ${task.job.rounds} rounds.`;
}
