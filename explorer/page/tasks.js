// SPDX-License-Identifier: BSD-3-Clause
// Tasks that mark themselves: what a task's text means, the task that a seed makes, sheets of tasks.
// Nothing here draws: the tests run it in Node.
import * as bug from "./tasks_bug.js";
import * as build from "./tasks_build.js";
import * as predict from "./tasks_predict.js";
import { chanceOf, seedOf } from "./tasks_random.js";

export const LEAST_RANKS = 2;
export const MOST_RANKS = 16;
export const MOST_TASKS = 20;

// A kind has make(core, id, chance) -> task or null, mark(core, task, answer) -> {right, notes},
// answerText(core, task, answer) -> text for the code, solution(task) -> sentence.
export const KINDS = { predict, bug, build };
export const COLLECTIVES = ["all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "gather",
                            "scatter", "all_to_all", "scan", "exscan"];

// "bug:ring:5:all_reduce:SEED" -> {kind, algorithm, size, collective, seed}, or null. The algorithm
// may have a parameter, or be "any": then the seed chooses it. The seed may be empty: it comes from
// the student's name.
export function parseTask(text) {
  const parts = text.split(":");
  if (parts.length < 4) { return null; }
  const seed = /^\d/.test(parts.at(-1)) ? parts.pop() : "";
  const collective = parts.pop();
  const size = Number(parts.pop());
  const kind = parts.shift();
  const algorithm = parts.join(":");
  const known = Object.hasOwn(KINDS, kind) && COLLECTIVES.includes(collective) && Number.isInteger(size) &&
                size >= LEAST_RANKS && size <= MOST_RANKS && /^[a-z_]+(:\d{1,3})?$/.test(algorithm);
  return known && parts.length > 0 && /^(\d{1,10}(-\d{1,3})?)?$/.test(seed) ? { kind, algorithm, size, collective, seed } : null;
}
export const taskText = (id) =>
  [id.kind, id.algorithm, id.size, id.collective, ...(id.seed === "" ? [] : [id.seed])].join(":");

// What "any" algorithm is chosen from. It was once all of them (null), and codes of then stay right.
export const POOL = ["star", "tree", "ring", "butterfly"];

export function algorithmsFor(core, id, pool = POOL) {
  const names = core.algorithms.filter((name) => pool === null ? !name.endsWith(":") : pool.includes(name));
  return (id.algorithm === "any" ? names : [id.algorithm]).filter((name) => core.fits(name, id.size));
}

// The task of an id with a seed, {kind, id, text, algorithm, job, ...}; null if there is none, as
// where the algorithm does not fit so many ranks.
// Of "any" algorithm, a task that is no work is made only where there is no other. `pool`: null for all.
export function makeTask(core, id, pool = POOL) {
  const chance = chanceOf(taskText(id));
  let easy = null;
  for (const algorithm of chance.shuffled(algorithmsFor(core, id, pool))) {
    const job = core.record(algorithm, core.collectives.indexOf(id.collective), id.size, 0);
    if (job === null) { continue; }
    const made = KINDS[id.kind].make(core, { ...id, algorithm }, job, chance);
    if (made === null) { continue; }
    const task = { kind: id.kind, id, text: taskText(id), algorithm, job, ...made };
    if (!KINDS[id.kind].isEasy?.(core, task)) { return task; }
    easy ??= task;
  }
  return easy;
}
export const markTask = (core, task, answer) => KINDS[task.kind].mark(core, task, answer);
// Why a right answer is not taken, or null: codes that were given before are right all the same.
export const refusalOf = (core, task, answer) => KINDS[task.kind].refusal?.(core, task, answer) ?? null;

// A sheet is "predict:ring:5:all_reduce*2,bug:any:6:all_reduce": tasks without seeds, and how many.
export function parseSheet(text) {
  const items = [];
  for (const part of text.split(",").filter((p) => p !== "")) {
    const [name, count = "1"] = part.split("*");
    const id = parseTask(name);
    if (id === null || id.seed !== "" || !/^[1-9]\d?$/.test(count)) { return null; }
    items.push({ id, count: Number(count) });
  }
  const total = items.reduce((sum, item) => sum + item.count, 0);
  return total <= MOST_TASKS ? items : null;
}
export const sheetText = (items) =>
  items.map(({ id, count }) => taskText(id) + (count === 1 ? "" : "*" + count)).join(",");

// The tasks of a student, each with a seed of its own: SEED-1, SEED-2 ...
export function tasksOf(items, student) {
  const seed = seedOf(student);
  let number = 0;
  return items.flatMap(({ id, count }) =>
    Array.from({ length: count }, () => ({ ...id, seed: `${seed}-${++number}` })));
}
