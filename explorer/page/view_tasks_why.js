// SPDX-License-Identifier: BSD-3-Clause
// Why a right answer is right, computed from the task's steps or from the student's own. No DOM.
import { boundsOf } from "./cost_bounds.js";
import { explain } from "./explained.js";
import { makeModel } from "./model.js";
import { proseOf } from "./prose.js";
import { readAnswer, reached, timesText } from "./tasks_build.js";
import { passesOn } from "./tasks_predict.js";
import { placeOf } from "./verdict.js";

const MEBIBYTE = 1 << 20;  // the vector of which the goal speaks
const VERBS = ["adding", "copying", "adding and copying", "waiting"];  // phases without a name
const begun = (sentence) => sentence[0].toLowerCase() + sentence.slice(1);

// What a rank sends in that round, and why; the phase, if it has a name.
export function whyPredicted(core, task) {
  const { job, id, round } = task;
  const { phase, sentences: [first, ...more] } = proseOf(makeModel(job, core.replay(job), id.collective), round);
  const where = VERBS.includes(phase) ? `In round ${round}, ${begun(first)}` : `Round ${round} is a part of the ${phase}: ${begun(first)}`;
  return [passesOn(task) ? `What these ranks send is what changed at them in round ${round - 1}.` : "", where, ...more].filter((s) => s !== "").join(" ");
}

// What the changed step does to the data.
export function whyWrong(task) {
  const { verdict, wrong, id } = task, at = placeOf(verdict), { text } = explain(wrong, verdict, id.collective);
  return `The checker says of it: ${verdict.what}${at === "" ? "" : `, ${at}`}.${text === "" ? "" : ` ${text.replace(/ Did you mean \w+\?$/, "")}`}`;
}

// What the student's steps reach, and why less is not possible: [[of what, text]].
export function whyBuilt(core, task, job) {
  const { size, collective } = task.id, { rounds, hundredths } = reached(core, job);
  const bounds = boundsOf(collective, size, MEBIBYTE), fewest = Number(bounds.rounds.value), least = Number(bounds.sent.value);
  const [, end, ...phases] = proseOf(makeModel(job, core.replay(job), collective), -1).sentences;
  const because = ({ why }) => begun(why.join(" "));
  const parts = [
    ["Proof", [end, ...phases, task.ordered ? "Only neighbours are added, the lower rank on the left." : ""]],
    ["Rounds", [`It takes ${rounds}; the library\u2019s ${task.algorithm} takes ${task.job.rounds}.`, rounds < fewest ? "Its ranks send several messages in a round: one at a time would take more rounds."
      : `With one message at a time nobody needs fewer${rounds > fewest ? ` than \u2308log\u2082 P\u2309 = ${fewest}` : ""}: ${because(bounds.rounds)}`]],
    ["Bytes", [`Its busiest rank sends ${timesText(core, job, hundredths)} of a vector of 1 MiB.`,
      least === 0 ? "" : `The bound is ${bounds.sent.formula} = ${Number((least / MEBIBYTE).toFixed(2))} MiB: ${because(bounds.sent)}`]],
  ];
  return parts.map(([of, texts]) => [of, texts.filter((t) => t !== "").join(" ").replaceAll(" \u2212 ", "\u00a0\u2212\u00a0")]);
}

// A text, or a list as of whyBuilt; null where the code has no steps. `code`: the result code that the right answer gave.
export function whyRight({ core }, task, code) {
  if (task.kind === "predict") { return whyPredicted(core, task); }
  if (task.kind === "bug") { return whyWrong(task); }
  const answer = readAnswer(core, task, code.split(".")[4] ?? "");
  return answer && whyBuilt(core, task, answer.job);
}
