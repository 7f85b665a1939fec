// SPDX-License-Identifier: BSD-3-Clause
// The timelines in words and numbers: who ends first and why, totals, ranks, and what the last rank waited for.
import { INTS_PER_STEP, SEND } from "./core.js";
import { h, listed, plural } from "./dom.js";
import { networkOf, presetOf } from "./clock.js";
import { bytes, seconds } from "./numbers.js";
import { VERB_WORDS } from "./trace.js";

// "97 KiB": a crossing point is found to 1 %.
const about = (n) => {
  const [number, unit] = bytes(n).split(" ");
  return `${Number(Number(number).toPrecision(2 + (Number(number) >= 1000 ? 1 : 0)))} ${unit}`;
};
const times = (f) => `${Number(f.toPrecision(f < 10 ? 2 : 3))} times`;

// "8 % longer", "2.3 times as long".
const longer = (f) => (f < 1.995 ? `${Number((100 * (f - 1)).toPrecision(f < 1.1 ? 1 : 2))} % longer` : `${times(f)} as long`);

// Who ends first, by what factor. `ready`: [{panel, timed}].
export function verdictOf(ready, state) {
  const sorted = [...ready].sort((a, b) => a.timed.total - b.timed.total);
  const [best, ...others] = sorted;
  const what = `${bytes(state.bytes)} over ${plural(state.ranks, "rank")}`;
  if (best.timed.total === 0) { return `Nothing takes any time: ${what}.`; }
  const equal = others.filter((o) => o.timed.total <= best.timed.total * (1 + 1e-9));
  const slower = others.filter((o) => !equal.includes(o));
  const names = listed([best, ...equal].map((o) => o.panel.name));
  if (others.length === 0) { return `${names} takes ${seconds(best.timed.total)} for ${what}.`; }
  if (slower.length === 0) { return `${names} end at the same time: ${seconds(best.timed.total)} for ${what}.`; }
  return `${names} ${equal.length > 0 ? "end" : "ends"} first, after ${seconds(best.timed.total)} for ${what}. ` +
    slower.map((o) => `${o.panel.name} takes ${longer(o.timed.total / best.timed.total)}`).join(", ") + ".";
}

// The late ranks and the slow links, and what the algorithms would take without them; "" where there are none.
export function unusualText(ready, state, without) {
  const late = state.late.filter((l) => l.rank < state.ranks && l.seconds > 0).map((l) => `rank ${l.rank} is ${seconds(l.seconds)} late`);
  const slow = state.slow.filter((l) => l.from < state.ranks && l.to < state.ranks && l.factor > 1).map((l) => `the link from ${l.from} to ${l.to} takes ${times(l.factor)} as long`);
  if (late.length + slow.length === 0) { return ""; }
  const said = listed([...late, ...slow]);
  const costs = ready.map(({ panel, timed }) => [panel.name, timed.total - without(panel.job)]);
  return `${said[0].toUpperCase()}${said.slice(1)}. That costs ${listed(costs.map(([name, t]) => (t > 0 ? `${name} ${seconds(t)}` : `${name} nothing`)))}.`;
}

// "With Ethernet"; late ranks and slow links make it a network without a name.
function networkName(state) {
  const preset = presetOf(state), { late, slow } = networkOf(state);
  return preset && late.length === 0 && slow.length === 0 ? `With ${preset.id === "shared" ? "shared memory" : preset.title}` : "With this network";
}
// Below and above which size which of them ends first: about, since a crossing point is found to 1 % and told in two digits.
export function crossingText(found, names, state) {
  const two = names.length === 2, start = `${networkName(state)}, of these ${two ? "two" : "three"},`, best = two ? "quicker" : "the quickest";
  if (found.length === 1) { return `${start} ${found[0].name} is ${best} at every size up to 16 GiB.`; }
  const parts = found.map((f, i) => (i === 0 ? `${f.name} is ${best} below about ${about(found[1].from)}` : i + 1 < found.length
    ? `${f.name} from there to about ${about(found[i + 1].from)}` : `${f.name} above`));
  return `${start} ${listed(parts)}.`;
}

const COLUMNS = [["latency", "latency"], ["overhead", "overhead"], ["gap", "gap"], ["bytes", "bytes"], ["adding", "adding"], ["late", "late rank"]];

// `parts`: of each what partsOf gives, or null as long as it is not known.
export function totalsTable(ready, parts) {
  const shown = parts === null ? [] : COLUMNS.filter(([key]) => key !== "late" || parts.some((p) => p && p.late > 0));
  const share = (t, total) => (t > 1e-6 * total ? `${seconds(t)} (${Math.round(100 * t / total)} %)` : "0");
  const least = Math.min(...ready.map((r) => r.timed.total));
  return h("table", { class: "t-parts" }, h("caption", {}, "What the last rank\u2019s time is made of"),
    h("thead", {}, h("tr", {}, ["algorithm", "ends after", "against the first", ...shown.map(([, t]) => t)].map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", {}, ready.map((r, i) => {
      const { total } = r.timed, p = parts?.[i];
      return h("tr", {}, h("th", { scope: "row" }, r.panel.name), h("td", {}, h("b", {}, seconds(total))),
        h("td", {}, least === 0 ? "" : total <= least * (1 + 1e-9) ? "first" : `\u00d7 ${Number((total / least).toPrecision(3))}`),
        p ? shown.map(([key]) => h("td", {}, share(p[key], total)))
          : parts && h("td", { colSpan: shown.length, class: "quiet" }, total === 0 ? "" : "several paths are equally long"));
    })));
}

export function ranksTable(ready, size) {
  const all = Array.from({ length: size }, (_, r) => r);
  return h("table", {}, h("caption", {}, "When each rank is done"),
    h("thead", {}, h("tr", {}, ["rank", ...ready.map((r) => r.panel.name)].map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", {}, all.map((rank) => h("tr", {}, h("th", { scope: "row" }, rank), ready.map((r) => h("td", {}, seconds(r.timed.done[rank])))))));
}

const MOST_ON_PATH = 200;
export function pathTable({ panel, timed }) {
  const { steps } = panel.job, { path, begin, end } = timed;
  const left = path.length - MOST_ON_PATH;
  const of = (i) => steps.subarray(INTS_PER_STEP * i, INTS_PER_STEP * i + 4);
  const why = (i, k) => {
    const before = path[k - 1];
    if (before === undefined) { return "nothing: its rank begins"; }
    const [rank, round] = of(i), [itsRank, itsRound, itsVerb] = of(before);
    if (itsRank !== rank) { return `the message of rank ${itsRank}`; }
    return itsRound !== round ? `its round ${itsRound}` : itsVerb === SEND ? "its send before" : "its message before";
  };
  return h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": `${panel.name}: the critical path` }, h("table", { class: "t-steps" }, h("caption", {}, `${panel.name}: the critical path`),
    h("thead", {}, h("tr", {}, ["round", "step", "begins", "done", "waited for"].map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", {}, [...path.slice(0, MOST_ON_PATH)].map((i, k) => {
      const [rank, round, verb, peer] = of(i);
      return h("tr", {}, h("td", {}, round), h("td", {}, `rank ${rank} ${VERB_WORDS[verb]} ${peer}`), h("td", {}, seconds(begin[i])),
        h("td", {}, seconds(end[i])), h("td", {}, why(i, k)));
    }))), left > 0 ? h("p", { class: "quiet" }, `and ${plural(left, "more step")}.`) : null);
}
