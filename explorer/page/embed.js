// SPDX-License-Identifier: BSD-3-Clause
// The page inside another one: ?embed=1 shows one view alone, and messages drive it. Any origin may:
// the page holds no secret, and the texts of a message go where those of a link go.
import { fromFragment, toFragment } from "./state.js";

export const isEmbedded = () => new URLSearchParams(location.search).get("embed") === "1";

// Before anything is drawn.
if (isEmbedded()) { document.documentElement.classList.add("embed"); }

export function mountEmbed(app) {
  const figures = () => ({ ...document.getElementById("figures").dataset });

  // The state with some keys set to texts, as they stand in a link. Throws what a link would complain of.
  function withTexts(texts) {
    const parts = new URLSearchParams(toFragment(app.state).slice(1));
    for (const [key, text] of Object.entries(texts)) { parts.set(key, String(text)); }
    const { state, complaints } = fromFragment(parts.toString());
    if (complaints.length > 0) { throw new Error(complaints.join(" ")); }
    return state;
  }
  async function follow(asked) {
    const answer = {};
    if (typeof asked.source === "string") {
      const { own } = app, before = own.name;
      own.take(asked.source);
      app.set({ algorithm: own.among(app.state.algorithm, before), ...await own.patch() }, { replace: true });
    }
    if (typeof asked.set === "object" && asked.set !== null) {
      const state = withTexts(asked.set);
      await app.own.follow(toFragment(state));
      app.set(state, { replace: true });
    }
    if (asked.go !== undefined) { app.set(withTexts({ round: asked.go === "start" ? -1 : asked.go === "end" ? app.rounds - 1 : asked.go }), { replace: true }); }
    if (typeof asked.play === "boolean" && asked.play !== Boolean(app.playing)) { document.getElementById("player-play").click(); }
    if (asked.ask === "figures") { answer.figures = figures(); }
    if (asked.ask === "state") { answer.state = toFragment(app.state); }
    return answer;
  }
  // One after the other, in the order in which they come.
  let done = Promise.resolve();
  addEventListener("message", (event) => {
    const asked = event.data?.collectives;
    if (typeof asked !== "object" || asked === null || event.source === null || event.source === window) { return; }
    done = done.then(() => follow(asked)).catch((e) => ({ error: e.message })).then((answer) => {
      if (asked.id !== undefined) { answer.id = asked.id; }
      if (Object.keys(answer).length > 0) { event.source.postMessage({ collectives: answer }, "*"); }
    });
  });
  if (parent !== window) { parent.postMessage({ collectives: { ready: app.core.version } }, "*"); }
}
