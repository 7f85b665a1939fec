// SPDX-License-Identifier: BSD-3-Clause
// Proves the shown algorithms by the compiled checker, at the press of a button.
import { MOST_AT_ONCE } from "./app.js";
import { h, plural } from "./dom.js";
import { explain } from "./explained.js";
import { lostOf } from "./lost.js";
import { colourOf } from "./palette.js";
import { MOST_IN_WORDS } from "./time_look.js";
import { CHECKS, checkOf, meaningOf, placeOf, propertiesOf } from "./verdict.js";

export default {
  id: "proof",
  title: "Proof",
  mount(host, app) {
    const cards = h("div", { class: "proofs" });
    const proveAll = h("p", {}, h("button", { type: "button", class: "strong", id: "prove-all", onclick: async () => { for (const panel of app.panels) { if (panel.job) { await prove(panel); } } } }, "Prove all"));
    host.append(h("h2", { class: "away" }, "Proofs"),
      h("p", {}, "The checker runs the steps of all ranks on symbols: it adds no numbers, it notes whose contribution went where. So its verdict holds for all numbers, and for this number of ranks alone. It is the same checker that the compiler runs in ",
        h("code", {}, "static_assert"), ". Every algorithm here is right. To see a proof that fails, change a line of one in Write, or find the planted mistake in Tasks."), proveAll, cards);
    const verdicts = new WeakMap();  // job -> {proof, milliseconds}; null while it is computed

    async function prove(panel) {
      const { job, name } = panel;
      verdicts.set(job, null);
      draw();
      let verdict;
      if (job.size > MOST_AT_ONCE) {
        try {
          verdict = await app.computer.ask({ job, name, proofOnly: true });
        } catch {  // another question came in between
          verdicts.delete(job);
          draw();
          return;
        }
      } else {
        const begin = performance.now();
        const proof = app.core.check(job);
        verdict = { proof, milliseconds: performance.now() - begin };
      }
      verdicts.set(job, verdict);
      const { proof } = verdict;
      if (!proof.ok && app.panels.some((p) => p.job === job)) {
        // To the round of the mistake; to the end, if only the result shows it.
        app.set({ clock: "round", round: proof.round >= 0 ? proof.round : app.rounds - 1 }, { replace: true });
      } else { draw(); }
      document.getElementById(`verdict-${app.panels.findIndex((p) => p.job === job)}`)?.focus();
    }

    function cardOf(panel, i) {
      const title = h("h2", {}, h("i", { class: "mark", style: { background: colourOf(panel.name) }, "aria-hidden": "true" }), panel.name);
      if (!panel.job) { return h("article", { class: "card" }, title, h("p", { class: panel.busy ? "quiet" : "bad" }, `${panel.complaint}${panel.busy ? " \u2026" : "."}`)); }
      const { job } = panel;
      if (app.allViews && !verdicts.get(job)) { verdicts.set(job, { proof: panel.proof }); }
      const verdict = verdicts.get(job);
      const about = h("p", { class: "quiet" }, `${plural(job.steps.length / 6, "step")} of ${plural(job.size, "rank")}, in ${plural(job.rounds, "round")}. A send and its receive are two steps.`);
      const button = h("button", { type: "button", class: "strong", id: `prove-${i}`, disabled: verdict === null, onclick: () => prove(panel) },
        verdict === null ? "Proving \u2026" : verdict ? "Prove it again" : "Prove it");
      return h("article", { class: "card proof-card" }, title, about, verdict ? [verdictOf(app, panel, verdict, i), button] : button);
    }

    function draw() {
      if (host.hidden) { return; }
      const focused = document.activeElement?.id;
      proveAll.hidden = app.panels.length < 2;
      cards.dataset.count = app.panels.length;
      cards.replaceChildren(...app.panels.map(cardOf));
      if (focused && document.activeElement === document.body) { document.getElementById(focused)?.focus(); }
    }
    app.onChange(draw);
  },
};

// Whether the Data view draws a lost message in the round of the mistake: it has arrows up to so many ranks.
const drawnBroken = ({ job }, proof, collective) => job.size <= MOST_IN_WORDS && lostOf(job, proof, collective, proof.round).lost.length > 0;
const took = (ms) => (ms === undefined ? "" : ms < 1 ? " in under a millisecond" : ` in ${ms.toFixed(ms < 10 ? 1 : 0)} ms`);

function verdictOf(app, panel, { proof, milliseconds }, i) {
  const { collective } = app.state;
  const item = (kind, sign, word, title, means) => h("li", { class: kind }, h("span", { class: "sign", role: "img", "aria-label": word }, sign), h("b", {}, title), h("span", {}, ` \u2013 ${means}`));
  if (proof.ok) {
    const properties = propertiesOf(proof, collective);
    return h("div", { class: "verdict right", id: `verdict-${i}`, tabIndex: -1 },
      h("p", { class: "headline good" }, `\u2713 Proved${took(milliseconds)}`),
      h("ul", { class: "checks" }, CHECKS.map((c) => item("yes", "\u2713", "holds:", c.title, meaningOf(c.id, collective)))),
      properties.length > 0 ? [h("h3", {}, "How it adds"), h("ul", { class: "checks" }, properties.map((p) => item(p.holds ? "yes" : "no", p.holds ? "\u2713" : "\u2013", p.holds ? "is" : "is not",
        p.holds ? p.title : `not ${p.title}`, p.means)))] : null);
  }
  const place = placeOf(proof), broken = checkOf(proof.what), why = explain(panel.job, proof, collective).text;
  return h("div", { class: "verdict wrong", id: `verdict-${i}`, tabIndex: -1 },
    h("p", { class: "headline bad" }, `\u2717 Wrong: ${proof.what}${place ? ` (${place})` : ""}`),
    why && h("p", { class: "why-wrong" }, why),
    broken ? h("ul", { class: "checks" }, item("broken", "\u2717", "fails:", `Not so: ${broken.title[0].toLowerCase()}${broken.title.slice(1)}`, meaningOf(broken.id, collective))) : null,
    h("p", { class: "quiet" }, "The checker stops at the first mistake: it says nothing of what comes after."),
    h("p", {}, h("button", { type: "button", onclick: () => app.set({ view: "data", clock: "round", round: proof.round >= 0 ? proof.round : app.rounds - 1,
      ...(proof.rank >= 0 ? { arrows: proof.rank } : {}) }) }, proof.round >= 0 ? `Look at round ${proof.round}` : "Look at the end"),
    drawnBroken(panel, proof, collective) && h("span", { class: "quiet" }, " There the message without its partner is a broken red arrow.")));
}
