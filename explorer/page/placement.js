// SPDX-License-Identifier: BSD-3-Clause
// Which place of a topology each rank has: in_order | reversed | snake | round_robin | shuffled:7 | 3,1,2,0

const PATTERN = /^(in_order|reversed|snake|round_robin|shuffled:\d{1,9}|\d{1,5}(,\d{1,5})*)$/;
export const isPlacement = (text) => PATTERN.test(text);

function shuffled(places, seed) {
  let state = (Number(seed) + 1) >>> 0;
  const next = () => {  // mulberry32
    state = (state + 0x6D2B79F5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  for (let i = places.length - 1; i > 0; --i) {
    const j = Math.floor(next() * (i + 1));
    [places[i], places[j]] = [places[j], places[i]];
  }
  return places;
}

// Rows of `width` places, every second one backwards.
const snake = (size, width) => Array.from({ length: size }, (_, r) => {
  const y = Math.floor(r / width), x = r % width;
  return y * width + (y % 2 === 0 ? x : width - 1 - x);
});

// One rank into each group in turn, as often as there is room.
function roundRobin(size, group, places) {
  const all = [];
  for (let i = 0; i < group; ++i) { for (let p = i; p < places; p += group) { all.push(p); } }
  return all.slice(0, size);
}

// The place of each rank. Throws an Error in words if these are not `size` different places.
export function placesOf(text, size, topology) {
  const inOrder = Array.from({ length: size }, (_, r) => r);
  const [name, seed] = text.split(":");
  if (name === "in_order") { return inOrder; }
  if (name === "reversed") { return inOrder.reverse(); }
  if (name === "shuffled") { return shuffled(inOrder, seed); }
  const group = topology.columns ?? topology.radix ?? size;
  if (name === "snake") { return snake(size, group); }
  if (name === "round_robin") { return roundRobin(size, group, topology.places); }
  const places = text.split(",").map(Number);
  if (places.length !== size) { throw new Error(`${places.length} places are given for ${size} ranks.`); }
  places.forEach((p, r) => {
    if (p >= topology.places) { throw new Error(`There is no place ${p}: there are 0 to ${topology.places - 1}.`); }
    if (places.indexOf(p) !== r) { throw new Error(`Ranks ${places.indexOf(p)} and ${r} are both at place ${p}.`); }
  });
  return places;
}
