// SPDX-License-Identifier: BSD-3-Clause
// The form of the task "find the planted mistake".
import { aboutAlgorithm } from "./about.js";
import { h } from "./dom.js";
import { MISSING, stepText } from "./tasks_bug.js";
import { dataOf } from "./tasks_data.js";
import { roundPlayer } from "./view_tasks_rounds.js";

const MOST_AT_ONCE = 48;

export function bugForm(app, task) {
  const { wrong: job, wrongRanks } = task;
  const opened = new Set();  // ranks whose steps are seen
  let chosen = null;  // {rank, round, step}
  const said = h("p", { role: "status", class: "task-pointed" });

  function steps(round) {
    if (round < 0) { return h("p", { class: "quiet" }, "Go on to the first round: its steps stand here."); }
    const choice = (rank, step, text) => h("label", { class: step === MISSING ? "quiet" : "" },
      h("input", { type: "radio", name: "bug-step", checked: chosen !== null && chosen.rank === rank && chosen.round === round && chosen.step === step,
        onchange: () => { chosen = { rank, round, step }; tell(); } }), " ", text);
    const here = wrongRanks.map((all) => all.map((s, i) => ({ s, i })).filter(({ s }) => s.round === round));
    // Where there are very many, those of a rank are seen when one asks for them.
    const folds = here.reduce((sum, all) => sum + all.length, 0) > MOST_AT_ONCE;
    const group = (all, rank) => {
      const choices = [...all.map(({ s, i }) => choice(rank, i, stepText(s, job.chunks))), choice(rank, MISSING, "a step is missing here")];
      if (!folds) { return h("fieldset", {}, h("legend", {}, `Rank ${rank}`), choices); }
      return h("details", { open: opened.has(rank), ontoggle: (e) => { if (e.target.open) { opened.add(rank); } else { opened.delete(rank); } } },
        h("summary", {}, `Rank ${rank}`), h("fieldset", { "aria-label": `Rank ${rank}` }, choices));
    };
    return h("div", {}, h("h3", {}, `Steps of round ${round}`), h("p", { class: "quiet" }, "Which of them is wrong?"),
      h("div", { class: "task-ranks" }, here.map(group)));
  }
  function tell() {
    const { rank, round, step } = chosen;
    said.textContent = `You point at rank ${rank}, round ${round}: ` +
      (step === MISSING ? "a step is missing." : `it ${stepText(wrongRanks[rank][step], job.chunks)}.`);
  }
  const player = roundPlayer({ job, data: dataOf(job, app.core.replay(job), task.id.collective), id: "bug", last: job.rounds - 1, start: 0, steps });
  const about = aboutAlgorithm(task.algorithm, task.id.collective);
  return {
    element: h("div", {}, about && h("p", { class: "quiet" }, `${task.algorithm} as it should be: ${about[0].toLowerCase()}${about.slice(1)}`), player.element, said),
    redraw: player.draw,
    question: `This is ${task.algorithm}, but one step was changed, moved to another round or taken away. Go through the rounds and point at it.`,
    answer: () => chosen ?? { incomplete: "Point at a step first." },
  };
}
