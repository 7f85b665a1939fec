// SPDX-License-Identifier: BSD-3-Clause
// The form of the task "predict the next round".
import { h, listed } from "./dom.js";
import { HOW } from "./tasks_predict.js";
import { dataOf, messageText } from "./tasks_data.js";
import { messagesOf, parseChunks } from "./tasks_steps.js";
import { roundPlayer } from "./view_tasks_rounds.js";

// {element, answer() -> answer or {incomplete: text}}
export function predictForm(app, task) {
  const { job } = task;
  const messages = messagesOf(job);
  const steps = (round) => {
    if (round < 0) { return h("p", { class: "quiet" }, "Nothing has been sent yet."); }
    const sent = messages.filter((m) => m.round === round).map((m) => messageText(m, job));
    return h("div", {}, h("h3", {}, `Sent in round ${round}`), sent.length === 0 ? h("p", {}, "Nothing.") : h("ul", {},
      sent.map((m) => h("li", {}, `rank ${m.from} \u2192 rank ${m.to}: ${m.what}, ${m.how}`))));
  };
  const player = roundPlayer({ job, data: dataOf(job, app.core.replay(job), task.id.collective), id: "predict",
    last: task.round - 1, start: task.round - 1, steps });

  const ranks = Array.from({ length: job.size }, (_, r) => r);
  const groups = task.asked.map((rank) => {
    const rows = h("div", {});
    const more = h("button", { type: "button", class: "plain", onclick: () => { add(); rows.lastChild.querySelector("select").focus(); } }, "+ another message");
    const add = () => {
      const to = h("select", { "aria-label": `Rank ${rank} sends to` }, h("option", { value: "" }, "choose"), h("option", { value: "none" }, "nothing to anybody"),
        ranks.filter((r) => r !== rank).map((r) => h("option", { value: r }, `to rank ${r}`)),
        job.size > 2 ? h("option", { value: "all" }, "to every other rank") : null);
      const what = h("input", { type: "text", class: "task-chunks", placeholder: "3 or 0-2", "aria-label": `Chunks that rank ${rank} sends`, autocomplete: "off" });
      const label = h("span", { hidden: true }, job.chunks === 1 ? "the vector" : ["chunks ", what]);
      to.addEventListener("change", () => { label.hidden = to.value === "" || to.value === "none"; });
      const away = rows.children.length === 0 ? null : h("button", { type: "button", class: "plain", "aria-label": "Remove this message", onclick: () => { row.remove(); more.focus(); } }, "\u00d7");
      const row = h("div", { class: "row task-message" }, to, label, away);
      row.read = () => ({ to, what });
      rows.append(row);
    };
    add();
    return { rank, rows, element: h("fieldset", {}, h("legend", {}, `Rank ${rank} sends`), rows, more) };
  });
  const how = h("select", { id: "predict-how" }, h("option", { value: "" }, "choose"),
    Object.entries(HOW).map(([value, text]) => h("option", { value }, text)));
  const short = task.asked.length < job.size ? h("p", { class: "quiet" }, `Only ${task.asked.length === 1 ? "rank" : "ranks"} ${listed(task.asked.map(String))} ${task.asked.length === 1 ? "is" : "are"} asked about, to keep it short.`) : null;
  const element = h("div", {}, player.element, short,
    h("div", { class: "task-fields" }, groups.map((g) => g.element)),
    h("p", {}, h("label", {}, "The receivers of these messages ", how)),
    job.chunks === 1 ? null : h("p", { class: "quiet" }, "Chunks: 3, or 0-2, or 0,2, or all. A range may wrap: 4-0 of five chunks is 4 and 0."));

  function answer() {
    const given = [];
    for (const { rank, rows } of groups) {
      for (const row of rows.children) {
        const { to, what } = row.read();
        what.removeAttribute("aria-invalid");
        if (to.value === "") { return incomplete(to, `Choose what rank ${rank} sends.`); }
        if (to.value === "none") { continue; }
        const chunks = job.chunks === 1 ? [0] : parseChunks(what.value, job.chunks);
        if (chunks === null) {
          what.setAttribute("aria-invalid", true);
          return incomplete(what, `Rank ${rank}: chunks are numbers from 0 to ${job.chunks - 1}.`);
        }
        for (const r of to.value === "all" ? ranks.filter((other) => other !== rank) : [Number(to.value)]) { given.push({ from: rank, to: r, chunks }); }
      }
    }
    return how.value === "" ? incomplete(how, "Choose what the receivers do.") : { messages: given, how: how.value };
  }
  const incomplete = (at, text) => { at.focus(); return { incomplete: text }; };
  const before = ["", "Round 0 has run. ", "Rounds 0 and 1 have run. "][task.round] ?? `Rounds 0 to ${task.round - 1} have run. `;
  return { element, answer, redraw: player.draw, question: `${before}What is sent in round ${task.round}?` };
}
