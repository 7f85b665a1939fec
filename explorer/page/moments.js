// SPDX-License-Identifier: BSD-3-Clause
// What a panel shows at a moment of the clock: after a round, or at a time. No DOM.
//
// {at: the values, changed: {cell -> change} of what has just arrived, moves: what is on its way or
// came with the round, roundOf(rank): the last round that the rank is done with}

export function momentOf(app, panel, model) {
  const { clock, round, time } = app.state;
  return clock === "time" && app.timed && panel.proof.ok ? atTime(model, panel, app.timed(panel), time) : afterRound(model, round);
}

export function afterRound(model, round) {
  return { round, at: model.after(round), changed: model.changed(round), moves: model.movesOf(round), roundOf: () => round };
}

function atTime(model, { job, replay }, { begin, end, changeEnd, total }, time) {
  const at = replay.start.slice(), changed = new Map();
  replay.changes.forEach((c, i) => {
    if (changeEnd[i] > time) { return; }
    const cell = c.rank * model.chunks + c.chunk;
    at[cell] = c.value;
    if (changeEnd[i] > time - total / 60) { changed.set(cell, c); } else { changed.delete(cell); }
  });
  const done = new Int32Array(model.size).fill(model.rounds - 1);
  for (let i = 0; i < end.length; ++i) {
    const rank = job.steps[6 * i];
    if (end[i] > time) { done[rank] = Math.min(done[rank], job.steps[6 * i + 1] - 1); }
  }
  const moves = model.allMoves().flat().filter((m) => begin[m.sendStep] <= time && end[m.step] > time);
  return { round: null, at, changed, moves, roundOf: (rank) => done[rank] };
}
