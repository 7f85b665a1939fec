// SPDX-License-Identifier: BSD-3-Clause
// The foot of the page: keys, words, licence.
import { h } from "./dom.js";
import { explainedWords } from "./glossary.js";

const KEYS = [["\u2190 \u2192", "one round back or forward; by time, one arrival"],
              ["space", "play or pause; on a button that Tab has reached, what the button says"],
              ["Home, End", "in the player: to the start, to the end"], ["Tab", "from part to part"],
              ["\u2190 \u2192 on a tab", "another view"], ["\u2190 \u2192 on the slider", "to any round"]];

export function mountFoot(foot) {
  const list = (pairs, key) => h("dl", {}, pairs.map(([a, b]) => [h("dt", {}, key ? h("kbd", {}, a) : h("b", {}, a)), h("dd", {}, b)]));
  foot.append(h("details", {}, h("summary", {}, "Keys"), h("p", {}, "The player's keys work where no field has the focus."), list(KEYS, true)),
    h("details", {}, h("summary", {}, "Words"), list(explainedWords(), false)),
    h("span", {}, "The collectives authors, BSD 3-clause licence. Nothing leaves this page."));
}
