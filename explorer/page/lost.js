// SPDX-License-Identifier: BSD-3-Clause
// Of a wrong algorithm: which messages of a round lack a partner, and which are at fault. No DOM.
import { INTS_PER_STEP, SEND } from "./core.js";
import { explain } from "./explained.js";
import { transfersOf } from "./model.js";

// {lost: [{from, to, first, count, sent, says}], atFault(move): boolean} of a round. Lost is a send that nobody receives
// (`sent`), or a receive of what nobody sends.
export function lostOf(job, proof, collective, round) {
  if (proof.ok || round === null || round < 0 || round >= job.rounds) { return { lost: [], atFault: () => false }; }
  const faults = new Set(explain(job, proof, collective).steps), lost = [];
  const met = new Set(transfersOf(job)[round].flatMap((m) => [m.step, m.sendStep]));
  for (let i = 0; i < job.steps.length / INTS_PER_STEP; ++i) {
    const [rank, at, verb, peer, first, count] = job.steps.subarray(INTS_PER_STEP * i, INTS_PER_STEP * (i + 1));
    const there = peer >= 0 && peer < job.size && peer !== rank && first >= 0 && first < job.chunks && count >= 1 && count <= job.chunks;
    if (at !== round || met.has(i) || !there) { continue; }
    const sent = verb === SEND, [from, to] = sent ? [rank, peer] : [peer, rank];
    lost.push({ from, to, first, count, sent, says: sent ? `rank ${from} sends this to rank ${to}, which does not receive it` : `rank ${to} waits for this from rank ${from}, which does not send it` });
  }
  return { lost, atFault: (m) => faults.has(m.step) || faults.has(m.sendStep) };
}
