// SPDX-License-Identifier: BSD-3-Clause
// The foot of the page: keys, words, licence.
import { h } from "./dom.js";

const KEYS = [["\u2190 \u2192", "one round back or forward; by time, one arrival"],
              ["space", "play or pause; on a button that Tab has reached, what the button says"],
              ["Home, End", "in the player: to the start, to the end"], ["Tab", "from part to part"],
              ["\u2190 \u2192 on a tab", "another view"], ["\u2190 \u2192 on the slider", "to any round"]];
const WORDS = [
  ["rank", "one of the P participants, numbered from 0: a thread or a process"],
  ["all-reduce", "adds up the vectors of all ranks; every rank gets the sum"],
  ["chunk", "one of the parts into which an algorithm cuts the vector"],
  ["round", "steps that may run at once; what is sent is the value from before the round"],
  ["step", "a rank sends chunks to a rank, or receives them from one and adds or copies them"],
  ["busiest rank", "the rank that sends most, or receives most, or adds most"],
  ["bound", "the least that any algorithm can manage at its busiest rank"],
  ["bracket", "the order in which the values of one chunk are added; it decides how the sum is rounded"],
  ["reduce-scatter", "adds up the vectors; each rank gets one chunk of the sum"],
  ["all-gather", "each rank has one chunk; every rank gets all chunks"],
];

export function mountFoot(foot) {
  const list = (pairs, key) => h("dl", {}, pairs.map(([a, b]) => [h("dt", {}, key ? h("kbd", {}, a) : h("b", {}, a)), h("dd", {}, b)]));
  foot.append(h("details", {}, h("summary", {}, "Keys"), h("p", {}, "The player's keys work where no field has the focus."), list(KEYS, true)),
    h("details", {}, h("summary", {}, "Words"), list(WORDS, false)),
    h("span", {}, "The collectives authors, BSD 3-clause licence. Nothing leaves this page."));
}
