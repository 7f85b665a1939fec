// SPDX-License-Identifier: BSD-3-Clause
// Chance that can be repeated: of the same text come the same numbers, here and in coll_show.

// FNV-1a of 32 bits, of the bytes of the text in UTF-8.
export function fnv1a(text) {
  let h = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) { h = Math.imul(h ^ byte, 0x01000193) >>> 0; }
  return h;
}

// The seed of what a student types in, name or number: its FNV-1a. Spaces at the ends, several spaces and
// the case of A to Z make no difference.
export function seedOf(text) {
  return fnv1a(plainOf(text));
}
const plainOf = (text) => text.replace(/[ \t]+/g, " ").replace(/^ | $/g, "").replace(/[A-Z]/g, (c) => c.toLowerCase());

// Whether a task has the student's seed. In older codes that of a number is the number.
export function isSeedOf(seed, text) {
  const [first] = seed.split("-"), plain = plainOf(text);
  return first === String(fnv1a(plain)) || (/^\d{1,9}$/.test(plain) && first === String(Number(plain)));
}

// {below(n), pick(list), shuffled(list)}: mulberry32, started by the FNV-1a of the text.
export function chanceOf(text) {
  let state = fnv1a(text);
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  const below = (n) => Math.floor((next() / 2 ** 32) * n);
  return {
    below,
    pick: (list) => list[below(list.length)],
    shuffled(list) {
      const all = [...list];
      for (let i = all.length - 1; i > 0; --i) {
        const j = below(i + 1);
        [all[i], all[j]] = [all[j], all[i]];
      }
      return all;
    },
  };
}
