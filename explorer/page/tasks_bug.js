// SPDX-License-Identifier: BSD-3-Clause
// The task "find the planted mistake": one step of a right schedule is changed or taken away.
import { RECV_COPY, RECV_REDUCE, SEND } from "./core.js";
import { chunkText, stepsByRank, withSteps } from "./tasks_steps.js";

export const title = "Find the planted mistake";
export const goal = "After it you can read a schedule as what it does to data, and find the step at which it goes wrong.";
export const minutes = 6;
export const MISSING = -1;  // in the place of a step's number
const EDITS = ["peer", "chunk", "round", "verb", "drop"];

// Changes step number `at` of `rank`: {edit, rank, at, value}. The step that moves to another round
// goes behind the steps that this round has. Returns the new lists and the step's new number.
export function edited(ranks, { edit, rank, at, value }) {
  const own = [...ranks[rank]];
  const [step] = own.splice(at, 1);
  let to = at;
  if (edit === "round") {
    to = own.findIndex((s) => s.round > value);
    if (to < 0) { to = own.length; }
  }
  const changed = { ...step };
  if (edit === "peer") { changed.peer = value; }
  if (edit === "chunk") { changed.first = value; }
  if (edit === "round") { changed.round = value; }
  if (edit === "verb") { changed.verb = step.verb === RECV_COPY ? RECV_REDUCE : RECV_COPY; }
  if (edit === "drop") { to = MISSING; } else { own.splice(to, 0, changed); }
  return { ranks: ranks.map((steps, r) => (r === rank ? own : steps)), to };
}

// The step of the other rank that a step meets: {rank, at}.
function partner(ranks, rank, at) {
  const mine = ranks[rank][at];
  const isPair = (s) => (s.verb === SEND) === (mine.verb === SEND);
  const before = ranks[rank].slice(0, at).filter((s) => isPair(s) && s.round === mine.round && s.peer === mine.peer).length;
  let seen = 0;
  const found = ranks[mine.peer].findIndex((s) =>
    !isPair(s) && s.round === mine.round && s.peer === rank && seen++ === before);
  return { rank: mine.peer, at: found };
}

function valuesOf(edit, step, rank, job, reduces) {
  const others = (n, ...not) => Array.from({ length: n }, (_, i) => i).filter((i) => !not.includes(i));
  switch (edit) {
    case "peer": return others(job.size, rank, step.peer);
    case "chunk": return step.count < job.chunks ? others(job.chunks, step.first) : [];
    case "round": return others(job.rounds, step.round);
    case "verb": return step.verb === SEND || !reduces ? [] : [0];
    default: return [0];
  }
}

const MOVES_ONLY = ["all_gather", "broadcast", "gather", "scatter", "all_to_all"];

// A change counts if the checker refuses the schedule, and still does when the step at the other end
// is changed alike: else either could be called the mistake.
export function make(core, id, job, chance) {
  const ranks = stepsByRank(job);
  const places = ranks.flatMap((steps, rank) => steps.map((_, at) => ({ rank, at })));
  for (const edit of chance.shuffled(EDITS)) {
    for (const { rank, at } of chance.shuffled(places).slice(0, 40)) {
      const values = valuesOf(edit, ranks[rank][at], rank, job, !MOVES_ONLY.includes(id.collective));
      if (values.length === 0) { continue; }
      const change = { edit, rank, at, value: chance.pick(values) };
      const wrong = edited(ranks, change);
      const wrongJob = withSteps(job, wrong.ranks);
      const verdict = core.check(wrongJob);
      if (verdict.ok) { continue; }
      if (edit === "chunk" || edit === "round" || edit === "drop") {
        const mended = edited(wrong.ranks, { ...change, ...partner(ranks, rank, at) });
        if (core.check(withSteps(job, mended.ranks)).ok) { continue; }
      }
      return { change, was: ranks[rank][at], wrong: wrongJob, wrongRanks: wrong.ranks, at: wrong.to, verdict };
    }
  }
  return null;
}

// `answer`: {rank, round, step}: the number of the step among those of its rank, or MISSING. Of a step
// that stands in a wrong round, its old place, where it is missing, is right too. So is a step that
// is word for word the changed one.
export function mark(core, task, answer) {
  const { change, was } = task;
  const rank = answer.rank === change.rank;
  const now = task.at === MISSING ? null : task.wrongRanks[change.rank][task.at];
  const rounds = change.edit === "round" ? [was.round, now.round] : [was.round];
  const round = rounds.includes(answer.round);
  const missing = answer.step === MISSING;
  const pointed = rank && !missing ? task.wrongRanks[change.rank][answer.step] : undefined;
  const alike = now !== null && pointed !== undefined && Object.keys(now).every((k) => pointed[k] === now[k]) &&
                answer.round === now.round;
  const absent = missing && (change.edit === "drop" || change.edit === "round") && answer.round === was.round;
  const right = rank && round && (alike || absent);
  const notes = [
    { part: "rank", right: rank, say: rank ? "right" : "the steps of this rank are as they should be" },
    { part: "round", right: round, say: round ? "right" : "the mistake is in another round" },
  ];
  if (rank && round) {
    notes.push({ part: "step", right, say: right ? "right" : missing ? "no step is missing there" : "that step is as it should be" });
  }
  return { right, notes };
}

export const rightAnswer = (task) =>
  ({ rank: task.change.rank, round: task.at === MISSING ? task.was.round : task.wrongRanks[task.change.rank][task.at].round, step: task.at });

// "peer_2_7_4_at_2_3_7": the change (its rank, the number of the step in the right schedule, the new
// value), then the place that was pointed at; a step that is missing is "missing".
export function answerText(core, task, answer) {
  const { edit, rank, at, value } = task.change;
  return [edit, rank, at, value, "at", answer.rank, answer.round, answer.step === MISSING ? "missing" : answer.step].join("_");
}

// The answer of such a text; null if it is none, or of another mistake.
export function readAnswer(core, task, text) {
  const [rank, round, step] = text.split("_at_")[1]?.split("_") ?? [];
  const answer = { rank: Number(rank), round: Number(round), step: step === "missing" ? MISSING : Number(step) };
  return answerText(core, task, answer) === text ? answer : null;
}

// "sends chunk 3 to rank 1", "receives chunk 2 from rank 0 and adds it".
export function stepText(step, chunks) {
  if (step.verb === SEND) { return `sends ${chunkText(step, chunks)} to rank ${step.peer}`; }
  const it = step.count === 1 ? "it" : "them";
  return `receives ${chunkText(step, chunks)} from rank ${step.peer} and ${step.verb === RECV_REDUCE ? `adds ${it}` : `puts ${it} in place`}`;
}

export function solution(task) {
  const { change, was, job } = task;
  const right = stepText(was, job.chunks);
  if (change.edit === "drop") { return `In round ${was.round}, rank ${change.rank} lacks a step: it ${right}.`; }
  const now = task.wrongRanks[change.rank][task.at];
  return change.edit === "round"
    ? `Rank ${change.rank} ${right} in round ${now.round}; right is round ${was.round}.`
    : `In round ${now.round}, rank ${change.rank} ${stepText(now, job.chunks)}; right is: ${right}.`;
}
