// SPDX-License-Identifier: BSD-3-Clause
// The order of additions: numbers that are added in it, and where two algorithms differ. No DOM.

// The numbers of the ranks at the start, by name, or as a list "0.5,1,2".
export const NUMBERS = {
  whole: (rank) => rank + 1,
  tenths: (rank) => Math.fround((rank + 1) / 10),
  large: (rank, size) => (rank === 0 ? 1e8 : rank === size - 1 && size > 1 ? -1e8 : rank + 1),
};

export function numbersOf(text, size) {
  if (Object.hasOwn(NUMBERS, text)) { return Array.from({ length: size }, (_, r) => NUMBERS[text](r, size)); }
  const given = text.split(",").map(Number);
  return Array.from({ length: size }, (_, r) => Math.fround(given[r] ?? 0));
}
export const areNumbers = (text) => Object.hasOwn(NUMBERS, text)
  || (text !== "" && text.split(",").length <= 256 && text.split(",").every((t) => t.trim() !== "" && Number.isFinite(Math.fround(Number(t)))));

// The value as a float, added in the order of its bracket and rounded to a float at each addition;
// of a block the number of the rank that it comes from.
export function makeAdder(model, numbers) {
  const known = new Map();
  return function number(value) {
    if (value < 0) { return null; }
    if (value < model.first) { return Math.fround(numbers[model.collective === "all_to_all" ? Math.floor(value / model.size) : value] ?? 0); }
    let sum = known.get(value);
    if (sum === undefined) {
      const [one, ...more] = model.sums[value - model.first];
      sum = more.reduce((a, v) => Math.fround(a + number(v)), number(one));
      known.set(value, sum);
    }
    return sum;
  };
}

// The shortest decimal that is this float.
export function floatText(x) {
  if (x === null) { return ""; }
  for (let digits = 1; digits < 9; ++digits) {
    if (Math.fround(Number(x.toPrecision(digits))) === x) { return String(Number(x.toPrecision(digits))); }
  }
  return String(Number(x.toPrecision(9)));
}

// A text that two values share if they round alike: a+b is b+a, and a sum of several is added from
// the left, a+b+c as (a+b)+c.
export function makeKeys(model) {
  const known = new Map();
  return function key(value) {
    if (value < model.first) { return String(value); }
    let k = known.get(value);
    if (k === undefined) {
      const [one, ...more] = Array.from(model.sums[value - model.first], key);
      k = more.reduce((a, b) => (a < b ? `(${a}+${b})` : `(${b}+${a})`), one);
      known.set(value, k);
    }
    return k;
  };
}

// Of each chunk the value that the collective ends with, at the first rank that has it.
export function finalValues(model) {
  const cells = model.after(model.rounds - 1);
  return Array.from({ length: model.chunks }, (_, c) => {
    for (let r = 0; r < model.size; ++r) {
      const v = cells[r * model.chunks + c];
      if (model.isResult(r, c) && model.isFinal(r, c, v)) { return v; }
    }
    return -1;
  });
}

// Where two algorithms first add a part of the vector in another order: {one, other: chunks}; null
// if they add each part alike. Chunk c of n is the part from c/n to (c+1)/n.
export function differenceOf(one, other) {
  if (!one.traits.reduces || one.traits.prefix) { return null; }
  const a = finalValues(one), b = finalValues(other);
  const keyA = makeKeys(one), keyB = makeKeys(other);
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] >= 0 && b[j] >= 0 && keyA(a[i]) !== keyB(b[j])) { return { one: i, other: j, values: [a[i], b[j]] }; }
    const endA = (i + 1) * b.length, endB = (j + 1) * a.length;
    if (endA <= endB) { ++i; }
    if (endB <= endA) { ++j; }
  }
  return null;
}
