// SPDX-License-Identifier: BSD-3-Clause
// Prints result codes, one a line, for coll_show --verify. Usage: node task_codes.mjs EXPLORER.wasm
import { readFileSync } from "node:fs";
import { makeCore } from "../../explorer/page/core.js";
import { codeOf } from "../../explorer/page/tasks_code.js";
import { COLLECTIVES, KINDS, makeTask, parseSheet, parseTask, tasksOf } from "../../explorer/page/tasks.js";

const core = await makeCore(readFileSync(process.argv[2]));
const students = ["Ada Lovelace", "Zoë  Ångström", "17"];
let tries = 0;
for (const kind of Object.keys(KINDS)) {
  for (const algorithm of ["any", "ring", "halving", "two_shot", "hierarchical:2"]) {
    for (const size of [2, 4, 6, 9]) {
      for (const collective of COLLECTIVES) {
        for (const student of students) {
          const [id] = tasksOf(parseSheet(`${kind}:${algorithm}:${size}:${collective}`), student);
          const task = makeTask(core, id);
          if (task !== null) {
            console.log(codeOf(core, task, KINDS[kind].rightAnswer(task), student, ++tries));
          } else if (core.fits(algorithm, size)) {
            throw new Error(`no task ${kind} ${algorithm} ${size} ${collective}`);
          }
        }
      }
    }
  }
}
// A task set by its number, not by the student's name.
const task = makeTask(core, parseTask("bug:ring:5:all_reduce:7"));
console.log(codeOf(core, task, KINDS.bug.rightAnswer(task), "", 1));
