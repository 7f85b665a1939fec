// SPDX-License-Identifier: BSD-3-Clause
// Networks: places for ranks, switches, links of one direction each, and the route between two places.
// crossbar | ring | torus | torus:2x4 | fat_tree:4:2 (4 places a leaf switch, 2 : 1 oversubscribed) | hosts:4

const PATTERN = /^(?:(crossbar)|(ring)|torus(?::([1-9]\d{0,2})x([1-9]\d{0,2}))?|fat_tree:([1-9]\d{0,2}):([1-9]\d{0,2})|hosts:([1-9]\d{0,2}))$/;

export const isTopology = (text) => PATTERN.test(text);

// The torus of exactly so many places that is nearest to a square.
export function squarest(size) {
  let a = Math.floor(Math.sqrt(size));
  while (size % a !== 0) { --a; }
  return [a, size / a];
}

// {kind, name, rule, places, nodes, links, route}. Nodes: the places 0, 1, ..., then switches,
// {kind: "place" | "switch" | "leaf" | "spine" | "host", label}. Links: {from, to}. route(a, b): the
// numbers of the links from place a to place b. Throws an Error in words if the ranks have no room.
export function makeTopology(text, size) {
  const found = PATTERN.exec(text);
  if (found === null) { throw new Error(`There is no topology ${text}.`); }
  const [, crossbar, ring, a, b, radix, over, ranks] = found;
  if (crossbar) { return makeCrossbar(size); }
  if (ring) { return makeRing(size); }
  if (radix) { return makeTree("fat_tree", size, Number(radix), Math.max(1, Math.floor(radix / over))); }
  if (ranks) { return makeTree("hosts", size, Number(ranks), 1); }
  const [rows, columns] = a ? [Number(a), Number(b)] : squarest(size);
  if (rows * columns < size) {
    throw new Error(`A ${rows} × ${columns} torus has ${rows * columns} places, too few for ${size} ranks.`);
  }
  return makeTorus(rows, columns);
}

function network(kind, name, rule, places) {
  const nodes = Array.from({ length: places }, (_, i) => ({ kind: "place", label: String(i) }));
  const links = [], at = new Map(), routes = new Map();
  const key = (from, to) => from * 65536 + to;
  const net = {
    kind, name, rule, places, nodes, links,
    add(nodeKind, label) { nodes.push({ kind: nodeKind, label }); return nodes.length - 1; },
    // Both directions.
    join(x, y) {
      for (const [from, to] of [[x, y], [y, x]]) {
        if (from !== to && !at.has(key(from, to))) { at.set(key(from, to), links.push({ from, to }) - 1); }
      }
    },
    link: (from, to) => at.get(key(from, to)),
    // Over these nodes, in order.
    over: (...path) => path.slice(1).map((to, i) => at.get(key(path[i], to))),
    route(from, to) {
      const k = key(from, to);
      if (!routes.has(k)) { routes.set(k, from === to ? [] : net.find(from, to)); }
      return routes.get(k);
    },
  };
  return net;
}

function makeCrossbar(size) {
  const net = network("crossbar", "a crossbar", "Every message goes over the switch, which has room for all.", size);
  const middle = net.add("switch", "switch");
  for (let i = 0; i < size; ++i) { net.join(i, middle); }
  net.find = (from, to) => net.over(from, middle, to);
  return net;
}

// The places from `from` to `to` in a circle of n, the shorter way, upwards if both are equal.
function around(from, to, n) {
  const up = (to - from + n) % n;
  const by = up <= n - up ? 1 : n - 1;
  const path = [from];
  while (path.at(-1) !== to) { path.push((path.at(-1) + by) % n); }
  return path;
}

function makeRing(size) {
  const net = network("ring", "a ring", "Each message takes the shorter way round; of two equal ways, the one to the next higher place.", size);
  for (let i = 0; i < size; ++i) { net.join(i, (i + 1) % size); }
  net.find = (from, to) => net.over(...around(from, to, size));
  return net;
}

function makeTorus(rows, columns) {
  const net = network("torus", `${/^(8\d?|11|18)$/.test(rows) ? "an" : "a"} ${rows} × ${columns} torus`,
    "Each message goes along its row first, then along the column, each the shorter way round; of two equal ways, the one to the right or down.",
    rows * columns);
  const place = (y, x) => y * columns + x;
  for (let y = 0; y < rows; ++y) {
    for (let x = 0; x < columns; ++x) {
      net.join(place(y, x), place(y, (x + 1) % columns));
      net.join(place(y, x), place((y + 1) % rows, x));
    }
  }
  net.rows = rows;
  net.columns = columns;
  net.find = (from, to) => {
    const y = Math.floor(from / columns), x = from % columns;
    const toY = Math.floor(to / columns), toX = to % columns;
    const along = around(x, toX, columns).map((i) => place(y, i));
    const down = around(y, toY, rows).slice(1).map((i) => place(i, toX));
    return net.over(...along, ...down);
  };
  return net;
}

// Groups of places below a switch (or host) each, which has so many links upwards: to as many spines,
// or, of a host, one card. All links have the same rate.
function makeTree(kind, size, radix, up) {
  const groups = Math.ceil(size / radix);
  const hosts = kind === "hosts";
  const name = hosts ? `hosts of ${radix} with one card each`
    : `a fat tree with ${radix} places a leaf and ${up} ${up === 1 ? "link" : "links"} up`;
  const rule = hosts ? "Inside a host a message goes through its memory, by a way of its own for each rank, as fast as a card; to another host it goes out over the one card and in over the other."
    : "Below the same leaf a message turns round there; else it goes over the spine whose number is the destination's place modulo the number of spines.";
  const net = network(kind, name, rule, groups * radix);
  net.radix = radix;
  net.up = up;
  const leaves = Array.from({ length: groups }, (_, g) => net.add(hosts ? "host" : "leaf", `${hosts ? "host" : "leaf"} ${g}`));
  leaves.forEach((leaf, g) => {
    for (let i = 0; i < radix; ++i) { net.join(g * radix + i, leaf); }
  });
  const spines = groups === 1 ? []
    : Array.from({ length: up }, (_, u) => net.add(hosts ? "switch" : "spine", hosts ? "switch" : `spine ${u}`));
  for (const spine of spines) { for (const leaf of leaves) { net.join(leaf, spine); } }
  net.find = (from, to) => {
    const [a, b] = [from, to].map((p) => leaves[Math.floor(p / radix)]);
    return a === b ? net.over(from, a, to) : net.over(from, a, spines[to % up], b, to);
  };
  return net;
}
