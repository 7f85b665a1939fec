// SPDX-License-Identifier: BSD-3-Clause
// What a cell of the data view says, in a sentence over the picture. No DOM.
import { floatText, numbersOf } from "./brackets.js";
import { TRAITS } from "./model.js";

const BLOCKS = {
  all_gather: "A cell names the block that is in it: block 0 is rank 0\u2019s.", gather: "A cell names the block that is in it: block 0 is rank 0\u2019s.",
  scatter: "A cell names the block that is in it: block 0 is for rank 0.", broadcast: "A cell names the chunk of the root\u2019s vector that is in it.",
  all_to_all: "A cell names the block that is in it: \u201c0 for 1\u201d, or 0,1, is rank 0\u2019s block for rank 1.",
  barrier: "A cell names the news that is in it: block 0 says that rank 0 has come.",
};

// `small`: whether cells have texts.
export function captionOf({ collective, cells, ranks, numbers }, small) {
  const { reduces } = TRAITS[collective];
  if (!small) { return `A row is a rank, a column is a ${TRAITS[collective].blocks ? "block" : "chunk"}. The colour says what is in a cell.`; }
  if (cells === "numbers") {
    const first = numbersOf(numbers, ranks).slice(0, 2).map((x, r) => (reduces ? `${r === 0 ? "Rank" : "rank"} ${r} starts with ${floatText(x)}` : `rank ${r} has ${floatText(x)}`));
    const rest = ranks > 2 ? ", \u2026" : "";
    if (!reduces && collective === "broadcast") { return "A cell shows one number for each chunk of the root\u2019s vector."; }
    return reduces ? `${first.join(", ").replace(", rank 1 starts with", ", rank 1 with")}${rest} in every chunk. A cell shows the sum of what is in it.`
      : `A cell shows the number of the block that is in it: ${first.join(", ")}${rest}.`;
  }
  if (!reduces) { return BLOCKS[collective]; }
  if (cells === "bracket") { return ranks > 2 ? "A cell shows in which order its vectors were added: in (0+1)+2, rank 0\u2019s and rank 1\u2019s come first." : "A cell shows whose vectors were added: 0+1 is rank 0\u2019s and rank 1\u2019s."; }
  return "A cell lists the ranks whose vectors are in it: 0 is rank 0\u2019s alone.";
}
