// SPDX-License-Identifier: BSD-3-Clause
// What a screen reader is told of a round: the same sentences as are shown, once.
import { modelOf } from "./model.js";
import { proseOf } from "./prose.js";

// What takes longest of it, in parts.
export const preparations = ({ state, panels }) => panels.filter((p) => p.job)
  .flatMap((p) => [() => modelOf(p, state.collective), () => proseOf(modelOf(p, state.collective), state.round)]);

export function told(app) {
  const { state } = app;
  const ready = app.panels.filter((p) => p.job);
  const name = state.round < 0 ? "Start" : `Round ${state.round}`;
  const lines = ready.map((p) => {
    const { phase, sentences } = proseOf(modelOf(p, state.collective), state.round);
    return `${ready.length > 1 ? `${p.name}, ` : ""}${phase}: ${sentences.join(" ")}`;
  });
  return `${name}. ${lines.join(" ")}`;
}
