// SPDX-License-Identifier: BSD-3-Clause
// Where the numbers of a network's picture stand: beside what they are of, and on nothing else. No DOM.

const TALL = 13, LETTER = 7, BOLD = 7.7, AIR = 3;
// [width, height] of lines of text.
export const sizeOf = (lines, bold) => [Math.max(...lines.map((t) => t.length)) * (bold ? BOLD : LETTER), TALL * lines.length];

// The middle of a text that just clears what lies at `x`, `y` and reaches `thick` to the side of (nx, ny).
function beside([x, y, nx, ny], [w, h], thick) {
  const far = thick + AIR + Math.abs(nx) * w / 2 + Math.abs(ny) * h / 2;
  return [x + nx * far, y + ny * far];
}
const boxAt = ([x, y], [w, h]) => [x - w / 2, y - h / 2, x + w / 2, y + h / 2];
export const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
export const around = (x, y, r) => [x - r, y - r, x + r, y + r];

// The lines of links as small boxes.
function linesOf(links) {
  return links.flatMap(({ along, thick, long }) => {
    const n = Math.max(2, Math.ceil(long / 7));
    return Array.from({ length: n + 1 }, (_, i) => {
      const [x, y] = along(i / n);
      return around(x, y, Math.max(1.5, thick));
    });
  });
}

// `wanted`: [{lines, bold, spots: [[x, y, nx, ny]], thick}], the most important first; `solid`: boxes; `links`: [{along, thick, long}];
// {placed: [{x, y, box, lines, bold, of}], left: number of those without room}. A text takes the first spot where it touches nothing;
// else one where it only crosses a line.
export function placeLabels(wanted, { solid, links, width, height }) {
  const crossed = linesOf(links), placed = [];
  let left = 0;
  for (const { spots, lines, bold, thick, of } of wanted) {
    const size = sizeOf(lines, bold);
    const free = spots.map((spot) => beside(spot, size, thick)).map(([x, y]) => ({ x, y, box: boxAt([x, y], size) }))
      .filter(({ box }) => box[0] >= 0 && box[1] >= 0 && box[2] <= width && box[3] <= height && !solid.some((o) => overlap(box, o)) && !placed.some((p) => overlap(box, p.box)));
    const spot = free.find(({ box }) => !crossed.some((o) => overlap(box, o))) ?? free[0];
    if (spot) { placed.push({ ...spot, lines, bold, of }); } else { ++left; }
  }
  return { placed, left };
}
