// SPDX-License-Identifier: BSD-3-Clause
// Rounds and costs as a table: a line per algorithm and round, one for all rounds, one for the bound.
import { INTS_PER_STEP, RECV_REDUCE, SEND } from "./core.js";

// The first byte of a chunk of a vector of so many bytes: the first ones are a byte longer where the
// chunks do not divide it. BigInt, as in the library.
function startOf(bytes, chunks, chunk) {
  const extra = bytes % chunks, at = chunk < extra ? chunk : extra;
  return chunk * (bytes / chunks) + at;
}
function bytesOf(first, count, chunks, bytes) {
  const last = first + count, start = (c) => startOf(bytes, BigInt(chunks), BigInt(c));
  return (last <= chunks ? start(last) : bytes + start(last - chunks)) - start(first);
}

// Per round {messages, total, sent, received, added}: what all send, and what the busiest rank does.
export function roundsOf(job, bytes) {
  const n = BigInt(bytes);
  const rounds = Array.from({ length: job.rounds }, () => ({ messages: 0, total: 0n, ranks: new Map() }));
  for (let i = 0; i < job.steps.length; i += INTS_PER_STEP) {
    const [rank, round, verb, , first, count] = job.steps.subarray(i, i + INTS_PER_STEP);
    const r = rounds[round];
    if (!r.ranks.has(rank)) { r.ranks.set(rank, { sent: 0n, received: 0n, added: 0n }); }
    const own = r.ranks.get(rank), size = bytesOf(first, count, job.chunks, n);
    if (verb === SEND) {
      own.sent += size;
      r.total += size;
      ++r.messages;
    } else { own.received += size; }
    if (verb === RECV_REDUCE) { own.added += size; }
  }
  const most = (r, what) => [...r.ranks.values()].reduce((best, own) => (own[what] > best ? own[what] : best), 0n);
  return rounds.map((r) => ({ messages: r.messages, total: r.total, sent: most(r, "sent"), received: most(r, "received"), added: most(r, "added") }));
}

const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// `panels` as the page has them. The first line is a comment that starts with #.
export function csvOf(panels, { collective, ranks, bytes }, caption) {
  const count = collective === "barrier" ? 0 : bytes;
  const lines = ["# " + caption.replaceAll("\n", " "), "algorithm,collective,ranks,bytes,round,messages,sent_by_all,sent_by_busiest,received_by_busiest,added_by_busiest"];
  for (const { name, job, cost } of panels) {
    if (!job || !cost) { continue; }
    const line = (...cells) => lines.push([quoted(name), collective, ranks, bytes, ...cells].join(","));
    const rounds = roundsOf(job, count);
    rounds.forEach((r, i) => line(i, r.messages, r.total, r.sent, r.received, r.added));
    line("all", rounds.reduce((sum, r) => sum + r.messages, 0), cost.total, cost.busiest.sent, cost.busiest.received, cost.busiest.reduced);
    line("bound", "", "", cost.bound.sent, "", cost.bound.reduced);
  }
  return lines.join("\n") + "\n";
}
