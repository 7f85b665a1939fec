// SPDX-License-Identifier: BSD-3-Clause
// The prices of the reader's machine, from a file that coll_tune wrote (select/model_text.hpp). No DOM.

const NAMES = ["call", "round", "message", "byte", "reduced_byte", "small_byte", "shared_call", "shared_round",
               "link_round", "link_message", "link_byte"];
const NEEDED = ["round", "message", "byte", "reduced_byte"];
const MOST_CHARACTERS = 100000;

// {name: seconds}. Throws an Error that names the line.
export function parseMachine(text) {
  if (text.length > MOST_CHARACTERS) { throw new Error("The file is too long for what coll_tune writes."); }
  const prices = {};
  text.split("\n").forEach((raw, i) => {
    const line = raw.replace(/\r$/, "");
    if (line === "" || line.startsWith("#")) { return; }
    const [, name, value] = /^(\S+) (.*)$/.exec(line) ?? [null, line, ""];
    if (!NAMES.includes(name)) { throw new Error(`Line ${i + 1}: \u201c${shortened(name)}\u201d is the name of no price.`); }
    if (value.trim() === "" || !(Number(value) >= 0) || !Number.isFinite(Number(value))) {
      throw new Error(`Line ${i + 1}: \u201c${shortened(line)}\u201d is no price: it takes a name and seconds.`);
    }
    prices[name] = Number(value);
  });
  const lacking = NEEDED.filter((n) => prices[n] === undefined);
  if (lacking.length > 0) { throw new Error(`The file has no ${lacking.join(", no ")}. coll_tune writes them all.`); }
  const large = NEEDED.filter((n) => prices[n] > 1);
  if (large.length > 0) { throw new Error(`The price ${large[0]} is more than a second.`); }
  return prices;
}
const shortened = (t) => (t.length > 40 ? `${t.slice(0, 40)}\u2026` : t);

// The model's rounds and messages as keys of the state: half of a message's price falls on either end.
export const keysOf = (m) => ({ alpha: m.round, overhead: m.message / 2, gap: 0, beta: m.byte, gamma: m.reduced_byte });
