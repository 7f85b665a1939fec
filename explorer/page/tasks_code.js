// SPDX-License-Identifier: BSD-3-Clause
// The result code of a task that was done: coll1.TASK.TRIES.STUDENT.ANSWER.CHECK, where CHECK is the
// FNV-1a of all before it, in 8 hexadecimal digits. That guards against typing mistakes and against
// copying with another name; not against a student who reads this file.
import { KINDS, makeTask, markTask, parseTask } from "./tasks.js";
import { libraryName } from "./tasks_build.js";
import { fnv1a, isSeedOf } from "./tasks_random.js";

export const MOST_NAME = 60;

// Letters, digits and - stay; of everything else the bytes, as %XX.
export function written(text) {
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const c = String.fromCharCode(byte);
    return /[A-Za-z0-9-]/.test(c) ? c : "%" + byte.toString(16).toUpperCase().padStart(2, "0");
  }).join("");
}

export const checkOf = (before) => fnv1a(before).toString(16).padStart(8, "0");

// Of a right answer. That to a task for "any" algorithm starts with the one that the seed chose.
export function codeOf(core, task, answer, student, tries) {
  const chosen = task.id.algorithm === "any" && task.kind !== "build" ? task.algorithm + "~" : "";
  const given = chosen + KINDS[task.kind].answerText(core, task, answer);
  const before = ["coll1", task.text, tries, written(student), given].join(".");
  return before + "." + checkOf(before);
}

function read(text) {
  try { return decodeURIComponent(text); } catch { return null; }
}

// {right, say, task, student, tries}: whether a code is whole, its task is that of the seed, and its
// answer right; `own`: whether the seed is that of the student's name.
export function verified(core, code) {
  const parts = code.trim().split(".");
  const no = (say) => ({ right: false, say });
  if (parts.length !== 6 || parts[0] !== "coll1") { return no("this is not a result code"); }
  const [, text, tries, name, answer, check] = parts;
  if (checkOf(parts.slice(0, 5).join(".")) !== check) { return no("the code was altered or mistyped"); }
  const id = parseTask(text);
  const student = read(name);
  const tasks = id === null || id.seed === "" ? [] : [makeTask(core, id), ...(id.algorithm === "any" ? [makeTask(core, id, null)] : [])].filter((t) => t !== null);
  if (tasks.length === 0 || student === null || !/^[1-9]\d{0,5}$/.test(tries)) { return no("there is no such task"); }
  const givenTo = (task) => KINDS[id.kind].readAnswer(core, task, answer.replace(/^[^~]*~/, ""));
  const isRight = (task, given) => given !== null && markTask(core, task, given).right && codeOf(core, task, given, student, tries) === code.trim();
  const task = tasks.find((t) => isRight(t, givenTo(t))) ?? tasks[0], given = givenTo(task);
  const right = isRight(task, given);
  const own = isSeedOf(id.seed, student);
  const whose = right ? libraryName(core, task, given) : null;
  return { right, say: right ? `right${whose ? `, but the library\u2019s ${whose} as it stands` : ""}` : "the answer is wrong", task, student, tries: Number(tries), own };
}
