// SPDX-License-Identifier: BSD-3-Clause
// The state of the page, which is its URL: #algorithm=ring&ranks=7&collective=all_reduce&round=3.
// A part of the page declares its keys; a key that has its default does not stand in the URL.

const keys = new Map();

// {name: {initial, parse(text) -> value or undefined, format(value) -> text}}. What `parse` does not
// understand is left at its initial value, and reported by `complaints`.
export function declare(more) {
  for (const [name, key] of Object.entries(more)) {
    if (keys.has(name)) { throw new Error(`two parts of the page have the key ${name}`); }
    keys.set(name, key);
  }
}

export const asWhole = (least, most) => ({
  parse: (t) => (/^-?\d+$/.test(t) && Number(t) >= least && Number(t) <= most ? Number(t) : undefined),
  format: String,
});
export const asNumber = (least, most) => ({
  parse: (t) => (t.trim() !== "" && Number(t) >= least && Number(t) <= most ? Number(t) : undefined),
  format: String,
});
export const asOneOf = (...choices) => ({ parse: (t) => (choices.includes(t) ? t : undefined), format: (v) => v });

// {state, complaints: [text]} of a fragment, with or without its #.
export function fromFragment(fragment) {
  const state = {}, complaints = [];
  for (const [name, key] of keys) { state[name] = key.initial; }
  for (const [name, text] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const key = keys.get(name);
    const value = key?.parse(text);
    if (key === undefined) { complaints.push(`The link has ${name}, which this page does not know.`); }
    else if (value === undefined) { complaints.push(`The link has ${name}=${text}, which is not possible.`); }
    else { state[name] = value; }
  }
  return { state, complaints };
}

export function toFragment(state) {
  const parts = new URLSearchParams();
  for (const [name, key] of keys) {
    const text = key.format(state[name]);
    if (text !== key.format(key.initial)) { parts.set(name, text); }
  }
  return "#" + parts.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
}
