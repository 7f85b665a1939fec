// SPDX-License-Identifier: BSD-3-Clause
// How long messages take that share links fairly, by core/fair.hpp. No DOM.
import { messagesOf } from "./topology_load.js";

// {links, rounds, ways, bytes} of a job, for core.share, and `starts`: the first message of each round. Each
// rank's ports are links too, one out and one in, as fast as the others.
export function waysOf(job, bytes, topology, places) {
  const m = messagesOf(job, bytes), ports = topology.links.length, ways = [];
  for (let r = 0; r < job.rounds; ++r) {
    for (let k = m.starts[r]; k < m.starts[r + 1]; ++k) {
      const route = topology.route(places[m.from[k]], places[m.to[k]]);
      ways.push(r, route.length + 2, ports + m.from[k], ports + places.length + m.to[k], ...route);
    }
  }
  return { links: ports + 2 * places.length, rounds: job.rounds, ways: Int32Array.from(ways), bytes: m.bytes, starts: m.starts };
}

// What loadsOf gave, with the factors of fair sharing; and `ends`: when each message has ended.
export function fairly(core, all, job, bytes, topology, places) {
  const { links, rounds: count, ways, bytes: each, starts } = waysOf(job, bytes, topology, places);
  const ends = core.share(links, count, ways, each);
  let lasts = 0;
  const rounds = all.rounds.map((round, r) => {
    const last = ends.subarray(starts[r], starts[r + 1]).reduce((most, end) => Math.max(most, end), 0);
    lasts += last;
    return { ...round, factor: round.port === 0 ? 1 : Math.max(1, last / round.port) };
  });
  return { ...all, rounds, lasts, factor: all.crossbar === 0 ? 1 : lasts / all.crossbar, ends };
}
