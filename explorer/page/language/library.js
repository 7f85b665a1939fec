// SPDX-License-Identifier: BSD-3-Clause
// What the headers that a text includes give it: some are built in here, the others are read from the
// library's own text. A *space* is a namespace: {is, name, names, outer, used}.
import { BOOL, IDENTITY, INT, SINK, STRING, enumeration, struct } from "./types.js";
import { mistake } from "./tokens.js";

export const space = (name, outer) => ({ is: "space", name, names: new Map(), outer, used: [] });
export function inner(outer, name) {
  const known = outer.names.get(name);
  if (known?.is === "space") { return known; }
  const made = space(name, outer);
  outer.names.set(name, made);
  return made;
}

const VERB = enumeration("verb", "send", "recv_reduce", "recv_copy");
const COLLECTIVE = enumeration("collective", "all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "gather", "scatter",
  "all_to_all", "scan", "exscan", "barrier");
const SUM_ORDER = enumeration("sum_order", "rotating", "consecutive", "left_fold");
const field = (name, type, initial) => ({ name, type, access: "public", initial: () => initial });
const RANGE = struct("chunk_range", [field("first", INT, 0), field("count", INT, 1)]);
export const STEP = struct("step", [field("round", INT, 0), field("what", VERB, 0), field("peer", INT, 0),
  { name: "chunks", type: RANGE, access: "public", initial: () => [0, 1] }]);
RANGE.comparable = STEP.comparable = true;
const HINTS = struct("run_hints", ["overlap_segments", "split_whole_rounds", "push_copies"].map((name) => field(name, BOOL, false)));
const RELABELLING = struct("relabelling", [field("first_round", INT, 0), field("first_rank", INT, 0), field("stride", INT, 1),
  field("first_chunk", INT, 0), field("width", INT, 1)]);

const native = (parameters, result, run) => ({ is: "functions", name: "", list: [{ native: true, parameters, result, run }] });
// As detail::relabelling: places a smaller job in this one.
function relabelled(sink, [round, rank, stride, chunk, width]) {
  return ([r, what, peer, [first, count]], line) =>
    sink([r + round, what, rank + peer * stride, [chunk + first * width, count * width]], line);
}
const log2 = (from) => (n) => { let result = 0; while (from(result, n)) { ++result; } return result; };
const type = (t) => ({ is: "a type", type: t });

// The built-in headers: what they include, and what they declare, by namespace.
const BUILT_IN = {
  "collectives/core/types.hpp": { includes: ["string_view"], collectives: {
    rank_t: type(INT), collective: type(COLLECTIVE),
    ceil_log2: native([INT], INT, log2((l, n) => 2 ** l < n)),
    floor_log2: native([INT], INT, log2((l, n) => 2 * 2 ** l <= n)),
    is_prefix: native([COLLECTIVE], BOOL, (what) => what === 8 || what === 9),
  } },
  "collectives/schedule/step.hpp": { includes: ["collectives/core/types.hpp"], collectives: {
    verb: type(VERB), chunk_range: type(RANGE), step: type(STEP), step_sink: { is: "concept" }, run_hints: type(HINTS),
  } },
  "collectives/schedule/proof.hpp": { includes: ["collectives/schedule/step.hpp"], detail: { sum_order: type(SUM_ORDER) } },
  "collectives/schedule/collector.hpp": { includes: ["collectives/schedule/step.hpp"], detail: {
    relabelling: type(RELABELLING), relabelled: native([SINK, RELABELLING], SINK, relabelled),
  } },
  "string_view": { std: { string_view: type(STRING) } },
  "type_traits": { std: { type_identity: type(IDENTITY) } },
  "algorithm": { std: { min: native([INT, INT], INT, (a, b) => Math.min(a, b)), max: native([INT, INT], INT, (a, b) => Math.max(a, b)) } },
};
for (const name of ["array", "concepts", "cstddef", "cstdint", "cstdio", "iostream", "numeric", "stdexcept", "string", "utility", "vector"]) {
  BUILT_IN[name] = {};
}
const ALL = ["star", "tree", "butterfly", "halving", "ring", "circulant", "one_shot", "two_shot", "mixed_radix", "hierarchical", "leaders"];
for (const name of ["collectives.hpp", "schedule.hpp", "algorithm/all.hpp", "schedule/check.hpp", "schedule/cost.hpp", "schedule/algorithm.hpp"]) {
  const wide = ["collectives.hpp", "schedule.hpp", "algorithm/all.hpp"].includes(name);
  BUILT_IN[`collectives/${name}`] = { includes: ["collectives/schedule/proof.hpp",
    ...(wide ? ["collectives/schedule/collector.hpp", ...ALL.map((a) => `collectives/algorithm/${a}.hpp`)] : [])] };
}

// Where a name is that nobody declared: {header, written}, or null.
export function whereIs(name) {
  for (const [header, { includes, ...spaces }] of Object.entries(BUILT_IN)) {
    for (const [of, names] of Object.entries(spaces)) {
      if (Object.hasOwn(names, name)) { return { header, written: of === "detail" ? `collectives::detail::${name}` : `${of}::${name}` }; }
    }
  }
  return null;
}

// Declares in `root` what these includes give. `parsed(name)` is the tree of a header of the library,
// or null; `declare(tree, name)` declares it. `done` has the headers that are there already.
export function include(root, includes, parsed, declare, done = new Set()) {
  for (const { at, name } of includes) {
    if (done.has(name)) { continue; }
    done.add(name);
    if (Object.hasOwn(BUILT_IN, name)) {
      const { includes: more = [], ...spaces } = BUILT_IN[name];
      include(root, more.map((n) => ({ at, name: n })), parsed, declare, done);
      for (const [of, names] of Object.entries(spaces)) {
        const to = of === "detail" ? inner(inner(root, "collectives"), "detail") : inner(root, of);
        for (const [n, symbol] of Object.entries(names)) { to.names.set(n, symbol.list ? { ...symbol, name: n } : symbol); }
      }
      continue;
    }
    const tree = parsed(name);
    if (!tree) { mistake(at, `this page does not know the header <${name}>`); }
    include(root, tree.includes, parsed, declare, done);
    declare(tree, name);
  }
}
