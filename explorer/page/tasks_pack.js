// SPDX-License-Identifier: BSD-3-Clause
// Steps of a right schedule as a short text: a bit string in base 32 (a-z, 2-7). 12 bits: chunks; 12: rounds;
// 16: messages. Then of each message, rounds ascending: a 1 for each round since the message before,
// a 0; sender and receiver; first chunk; chunks less one; in an all_to_all the receiver's first chunk;
// 1 if the receiver adds. A rank takes the fewest bits that hold size - 1, a chunk those of chunks - 1.
import { RECV_COPY, RECV_REDUCE, SEND } from "./core.js";
import { messagesOf, withSteps } from "./tasks_steps.js";

const DIGITS = "abcdefghijklmnopqrstuvwxyz234567";
const widthOf = (n) => Math.max(1, 32 - Math.clz32(n - 1));

// Null where the schedule is too large for it.
export function packed(job, collective) {
  const messages = messagesOf(job);
  if (job.chunks >= 4096 || job.rounds >= 4096 || messages.length >= 65536) { return null; }
  const bits = [];
  const put = (value, width) => { for (let i = width - 1; i >= 0; --i) { bits.push((value >> i) & 1); } };
  const rank = widthOf(job.size), chunk = widthOf(job.chunks);
  put(job.chunks, 12);
  put(job.rounds, 12);
  put(messages.length, 16);
  let round = 0;
  for (const m of messages) {
    for (; round < m.round; ++round) { bits.push(1); }
    bits.push(0);
    put(m.from, rank);
    put(m.to, rank);
    put(m.first, chunk);
    put(m.count - 1, chunk);
    if (collective === "all_to_all") { put(m.at, chunk); }
    put(m.verb === RECV_REDUCE ? 1 : 0, 1);
  }
  while (bits.length % 5 !== 0) { bits.push(0); }
  let text = "";
  for (let i = 0; i < bits.length; i += 5) {
    text += DIGITS[bits.slice(i, i + 5).reduce((value, bit) => value * 2 + bit, 0)];
  }
  return text;
}

// The job of such a text; null if it is not one. `common`: {what, size, root}.
export function unpacked(text, common, collective) {
  const bits = [];
  for (const c of text) {
    const digit = DIGITS.indexOf(c);
    if (digit < 0) { return null; }
    for (let i = 4; i >= 0; --i) { bits.push((digit >> i) & 1); }
  }
  let at = 0;
  const get = (width) => {
    let value = 0;
    for (let i = 0; i < width; ++i) { value = value * 2 + (bits[at++] ?? 0); }
    return value;
  };
  const chunks = get(12), rounds = get(12), count = get(16);
  if (chunks < 1) { return null; }
  const rank = widthOf(common.size), chunk = widthOf(chunks);
  const ranks = Array.from({ length: common.size }, () => []);
  let round = 0;
  for (let i = 0; i < count && at <= bits.length; ++i) {
    while (get(1) === 1) { ++round; }
    const from = get(rank), to = get(rank), first = get(chunk), n = get(chunk) + 1;
    const here = collective === "all_to_all" ? get(chunk) : first;
    const verb = get(1) === 1 ? RECV_REDUCE : RECV_COPY;
    if (from >= common.size || to >= common.size) { return null; }
    ranks[from].push({ round, verb: SEND, peer: to, first, count: n });
    ranks[to].push({ round, verb, peer: from, first: here, count: n });
  }
  return at > bits.length || bits.length - at > 4 || bits.slice(at).includes(1)
    ? null : withSteps({ ...common, chunks, rounds }, ranks);
}
