// SPDX-License-Identifier: BSD-3-Clause
// What each link carries, and by how much a round lasts longer than if no two messages shared a link.
import { INTS_PER_STEP, SEND } from "./core.js";
import { bytesOfSteps } from "./cost_progress.js";

const kept = new WeakMap();

// The messages of a job: {from, to, bytes, step} of typed arrays, rounds ascending, and `starts`, the
// number of the first message of each round, with one more at the end.
export function messagesOf(job, bytes) {
  const known = kept.get(job);
  if (known?.bytes_ === bytes) { return known; }
  const perRound = new Int32Array(job.rounds + 1);
  for (let at = 0; at < job.steps.length; at += INTS_PER_STEP) {
    if (job.steps[at + 2] === SEND) { ++perRound[job.steps[at + 1] + 1]; }
  }
  const starts = perRound;
  for (let r = 0; r < job.rounds; ++r) { starts[r + 1] += starts[r]; }
  const total = starts[job.rounds], next = starts.slice(), of = bytesOfSteps(job, bytes);
  const m = { bytes_: bytes, starts, from: new Int32Array(total), to: new Int32Array(total),
              bytes: new Float64Array(total), step: new Int32Array(total) };
  for (let i = 0, at = 0; at < job.steps.length; ++i, at += INTS_PER_STEP) {
    if (job.steps[at + 2] !== SEND) { continue; }
    const k = next[job.steps[at + 1]]++;
    m.from[k] = job.steps[at];
    m.to[k] = job.steps[at + 3];
    m.bytes[k] = of[i];
    m.step[k] = i;
  }
  kept.set(job, m);
  return m;
}

// {bytes, messages} of each link, {out, into}, what each rank sends and receives, and `port`, the most of
// those, of the messages first .. last - 1 for which `chosen` is true.
export function loadOf(m, first, last, topology, places, chosen = () => true) {
  const bytes = new Float64Array(topology.links.length), messages = new Int32Array(topology.links.length);
  const out = new Float64Array(places.length), into = new Float64Array(places.length);
  for (let k = first; k < last; ++k) {
    if (!chosen(k)) { continue; }
    const n = m.bytes[k];
    out[m.from[k]] += n;
    into[m.to[k]] += n;
    for (const link of topology.route(places[m.from[k]], places[m.to[k]])) {
      bytes[link] += n;
      ++messages[link];
    }
  }
  return { bytes, messages, out, into, port: portOf(out, into) };
}
const portOf = (out, into) => Math.max(0, ...out, ...into);

// The link with most bytes, of equal ones the first; -1 if there is none that carries anything.
export function busiestLink(load) {
  let at = -1, most = 0;
  load.bytes.forEach((n, i) => { if (n > most) { at = i; most = n; } });
  return at;
}

// How many times as long as on a crossbar, by the simple bound: a round lasts until its busiest link
// has carried its bytes, and each rank's own port has the rate of one link.
export const factorOf = (load) => {
  const at = busiestLink(load);
  return at < 0 ? 1 : Math.max(1, load.bytes[at] / load.port);
};

const PART = 20000;  // messages

// Of a whole schedule: {total, rounds, lasts, factor}. `total`: its load; of each round {link, bytes,
// messages, factor, port}; `lasts`: bytes in sequence here; `factor`: by those on a crossbar. A generator that
// yields now and then, and returns this.
export function* loadsInParts(job, bytes, topology, places) {
  const m = messagesOf(job, bytes);
  const rounds = [], total = loadOf(m, 0, 0, topology, places);
  const add = (to, from) => {
    for (const part of ["bytes", "messages", "out", "into"]) { for (let i = 0; i < to[part].length; ++i) { to[part][i] += from[part][i]; } }
    to.port = portOf(to.out, to.into);
  };
  let lasts = 0, crossbar = 0, since = 0;
  for (let r = 0; r < job.rounds; ++r) {
    let load = null;
    for (let from = m.starts[r]; load === null || from < m.starts[r + 1]; from += PART) {
      const to = Math.min(m.starts[r + 1], from + PART), part = loadOf(m, from, to, topology, places);
      if (load === null) { load = part; } else { add(load, part); }
      since += to - from;
      if (since >= PART) { since = 0; yield; }
    }
    const link = busiestLink(load), factor = factorOf(load);
    rounds.push({ link, bytes: link < 0 ? 0 : load.bytes[link], messages: link < 0 ? 0 : load.messages[link], factor, port: load.port });
    lasts += factor * load.port;
    crossbar += load.port;
    add(total, load);
  }
  return { total, rounds, lasts, crossbar, factor: crossbar === 0 ? 1 : lasts / crossbar };
}
export function loadsOf(...asked) {
  for (const parts = loadsInParts(...asked);;) {
    const { done, value } = parts.next();
    if (done) { return value; }
  }
}
