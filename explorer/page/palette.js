// SPDX-License-Identifier: BSD-3-Clause
// One colour, dash and marker per algorithm, and colours of ranks. No DOM: colours are hexadecimal
// for files and canvases, and custom properties (set by `installed`) for what stands on the page.

// [on light, on dark]: text of it has 4.5:1 on --paper and --card of its theme. With a dash and a
// marker, so that colour alone tells nothing.
const OF_ALGORITHMS = {
  ring: ["#0b5fa5", "#6db3f2", "", "circle"],
  tree: ["#00704d", "#52c79a", "8 3", "square"],
  star: ["#8a5600", "#e0ac55", "2 3", "star"],
  butterfly: ["#9c2f88", "#e58fd4", "8 3 2 3", "diamond"],
  halving: ["#b3400a", "#ff9d66", "5 2", "triangle"],
  circulant: ["#5646bd", "#ab9ff5", "12 3", "down"],
  one_shot: ["#4d5b66", "#a9b7c2", "2 2", "cross"],
  two_shot: ["#8c1d3f", "#f08aa6", "6 2 2 2", "plus"],
  mixed_radix: ["#006b7a", "#52c4d4", "4 4", "hexagon"],
  hierarchical: ["#546600", "#b4c85c", "10 2 2 2 2 2", "pentagon"],
  leaders: ["#6b4a3a", "#cfa890", "3 1", "bar"],
};
const OWN = ["#b3125a", "#ff86b8", "1 2", "ring"];  // those of the reader

const of = (name) => OF_ALGORITHMS[name.split(":")[0]] ?? OWN;
// "ring" -> "var(--of-ring)"; follows the theme.
export const colourOf = (name) => `var(--of-${name.split(":")[0] in OF_ALGORITHMS ? name.split(":")[0] : "own"})`;
export const hexOf = (name, dark = false) => of(name)[dark ? 1 : 0];
// The dash pattern of a line ("" is solid), and the name of a marker.
export const dashOf = (name) => of(name)[2];
export const markerOf = (name) => of(name)[3];
// A rank's colour, to stand behind text in --ink; follows the theme.
export const rankColour = (rank, size) => `hsl(${hue(rank, size)} 62% var(--rank-lightness))`;
export const rankHex = (rank, size, dark = false) => hslHex(hue(rank, size), 0.62, dark ? 0.25 : 0.83);

const hue = (rank, size) => Math.round(205 + (360 * rank) / Math.max(size, 2)) % 360;

function hslHex(degrees, saturation, lightness) {
  const part = (n) => {
    const k = (n + degrees / 30) % 12;
    const v = lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * v).toString(16).padStart(2, "0");
  };
  return `#${part(0)}${part(8)}${part(4)}`;
}

const shades = new Map();
// A sum of `count` of `whole` contributions: {fill, text}, from pale to full blue, gold when complete.
export function shadeOf(count, whole, dark = false) {
  const key = (dark ? 1 : -1) * (count * 4096 + whole + 1);
  let shade = shades.get(key);
  if (!shade) { shades.set(key, shade = mixed(count, whole, dark)); }
  return shade;
}
function mixed(count, whole, dark) {
  if (count <= 0) { return { fill: dark ? "#1f2832" : "#f1f4f7", text: dark ? "#9fb0c0" : "#56626f" }; }
  if (count >= whole) { return { fill: dark ? "#e3ad3c" : "#f5b82e", text: "#16202c" }; }
  const [low, high] = dark ? [[38, 58, 82], [126, 182, 240]] : [[216, 231, 247], [31, 88, 150]];
  const t = whole <= 2 ? 0 : (count - 1) / (whole - 2);
  const mix = low.map((l, i) => Math.round(l + t * (high[i] - l)));
  // Between pale and dark neither white nor ink has 4.5:1, but black has.
  const [best, most] = [["#ffffff", [255, 255, 255]], ["#16202c", [22, 32, 44]]].map(([text, rgb]) => [text, contrast(mix, ...rgb)]).sort((x, y) => y[1] - x[1])[0];
  return { fill: "#" + mix.map((v) => v.toString(16).padStart(2, "0")).join(""), text: most >= 4.5 ? best : "#000000" };
}

export function luminance([r, g, b]) {
  const [x, y, z] = [r, g, b].map((v) => (v <= 10 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}
export const contrast = (one, ...other) => {
  const [a, b] = [luminance(one), luminance(other)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
};

// The rules that set the custom properties of the algorithms, for a light and a dark scope.
export function rules(light, dark) {
  const all = Object.entries({ ...OF_ALGORITHMS, own: OWN });
  const set = (at) => all.map(([name, colours]) => `--of-${name}:${colours[at]}`).join(";");
  return `${light}{${set(0)}}${dark}{${set(1)}}`;
}
