// SPDX-License-Identifier: BSD-3-Clause
// What the checker's verdict means, in words. No DOM.
import { TRAITS } from "./model.js";

// What `check` proves, in the order in which it is told; `says` are its complaints of each.
export const CHECKS = [
  { id: "result", title: "The result is right", says: ["a contribution is missing", "a block is missing",
    "the ranks bracket the sum differently", "a contribution is added twice", "a copy replaces contributions it does not hold"] },
  { id: "pairs", title: "Each send meets its receive", says: ["a receive has no send", "a send has no receive",
    "a send and its receive name different chunks"] },
  { id: "rounds", title: "Nothing can deadlock", says: ["the rounds do not ascend", "there is no such round"] },
  { id: "timing", title: "Nothing depends on timing", says: ["a chunk is copied into and written again in one round"] },
  { id: "exists", title: "Everything named exists", says: ["there is no such peer", "a rank talks to itself", "there are no such chunks",
    "a rank sends a chunk it does not hold", "a collective that only moves blocks adds", "there must be one block per rank"] },
];

// What each check means for this collective.
export function meaningOf(id, collective) {
  const { reduces, prefix } = TRAITS[collective];
  return {
    result: !reduces ? "every rank ends with the blocks that are due to it, each in its place"
      : prefix ? "every rank ends with the sum of the ranks that it is due, each exactly once"
        : "every result holds the contribution of each rank exactly once, added in the same order wherever it is, so that all ranks get the same bits",
    pairs: collective === "all_to_all" ? "the first send of a round from one rank to another meets the first receive, with as many blocks, and so on; nothing is left over"
      : "the first send of a round from one rank to another meets the first receive, over the same chunks, and so on; nothing is left over",
    rounds: "rounds ascend on each rank and are the same on both sides, so that even if a send waits for its receive, a rank in the lowest round can always go on",
    timing: "no chunk is copied into twice in a round, or copied into and added to: whoever is first, the result is the same",
    exists: "peers, chunks and rounds are there, and nobody sends or adds to a chunk that it does not hold",
  }[id];
}

// Which check a complaint belongs to; undefined for what is about the question itself.
export const checkOf = (what) => CHECKS.find((c) => c.says.includes(what));

// [{holds, title, means}] of a proof that is right, of a collective that adds.
export function propertiesOf(proof, collective) {
  if (!TRAITS[collective].reduces) { return []; }
  return [
    { holds: proof.orderPreserving, title: "order-preserving", means: proof.orderPreserving
      ? "every sum joins neighbouring ranks, the lower ones on the left: operators that do not commute work, such as products of matrices"
      : "some sums join ranks out of their order: the operator must commute" },
    { holds: proof.positionIndependent, title: "position-independent", means: proof.positionIndependent
      ? "all chunks are added in the same order: where an element stands in the vector does not change its bits"
      : "chunks are added in different orders: where an element stands in the vector may change its last bits" },
    { holds: proof.leftFold, title: "left fold", means: proof.leftFold
      ? "each result is one sum from rank 0 to the last rank, as a loop would add it"
      : "the sums are nested otherwise than a loop over the ranks would nest them" },
  ];
}

// "rank 3, round 2, chunk 1"; "" if it is nowhere in particular.
export const placeOf = (proof) => [["rank", proof.rank], ["round", proof.round], ["chunk", proof.chunk]]
  .filter(([, v]) => v >= 0).map(([k, v]) => `${k} ${v}`).join(", ");
