// SPDX-License-Identifier: BSD-3-Clause
// The compiled headers, as functions of JavaScript. Steps are an Int32Array of six numbers per step:
// rank, round, verb (0 send, 1 recv_reduce, 2 recv_copy), peer, first chunk, number of chunks; in
// rank order, rounds ascending. A *job* is what all ranks have in common: {what, size, root,
// chunks, rounds, steps}; `what` is the number of a collective. Bytes are BigInt.

export const SEND = 0, RECV_REDUCE = 1, RECV_COPY = 2;
export const INTS_PER_STEP = 6;
// The order of detail::pattern in schedule/source.hpp.
export const PATTERNS = ["steps", "reduce_scatter", "all_gather", "reduce", "broadcast", "gather",
                         "scatter", "all_to_all", "scan"];

// Of the same bytes of WebAssembly a new core can be made at any time.
export async function makeCore(bytes) {
  let own = null;  // {algorithm, mistake}: what the record_own that runs interprets
  // Nothing may be thrown through WebAssembly, which would keep its stack and memory: the first
  // mistake is kept, and record_own comes to its end without further steps.
  function interpreted(call, otherwise) {
    if (own.mistake !== null) { return otherwise; }
    try { return call(own.algorithm); } catch (mistake) { own.mistake = mistake; return otherwise; }
  }
  const refuse = (name) => () => { throw new Error(`the compiled headers called ${name}`); };
  const { instance } = await WebAssembly.instantiate(bytes, {
    page: {
      thrown: refuse("throw"),
      own_chunks: (size) => interpreted((a) => a.chunks(size), 1),
      own_owner: (chunk, size) => interpreted((a) => a.owner(chunk, size), 0),
      own_emit: (pattern, me, size, root) =>
        interpreted((a) => a.emit(PATTERNS[pattern], me, size, root, instance.exports.own_step)),
    },
    wasi_snapshot_preview1: new Proxy({}, { get: (_, name) => refuse(name), has: () => true }),
  });
  const wasm = instance.exports;
  wasm._initialize?.();

  const output = () => wasm.memory.buffer.slice(wasm.output(), wasm.output() + wasm.output_bytes());
  const text = (buffer) => new TextDecoder().decode(buffer);
  function put(steps) {
    const at = wasm.input(steps.byteLength);  // before the view: the memory may grow
    new Int32Array(wasm.memory.buffer, at, steps.length).set(steps);
  }
  const common = (job) => [job.what, job.size, job.root, job.chunks, job.rounds];

  wasm.names();
  const [first, second] = text(output()).split("\n\n");
  const [version, ...algorithms] = first.split("\n");
  const collectives = second.trim().split("\n");

  // "ring" or "hierarchical:4" as the compiled headers name it; null if there is no such algorithm.
  function find(name) {
    const [base, number] = name.split(":");
    const at = algorithms.indexOf(number === undefined ? base : base + ":");
    const parameter = number === undefined ? 1 : Number(number);
    return at < 0 || !Number.isInteger(parameter) || parameter < 1 ? null : [at, parameter];
  }
  function jobOf(what, size, root) {
    const all = new Int32Array(output());
    return { what, size, root, chunks: all[0], rounds: all[1], steps: all.slice(2) };
  }

  return {
    version, algorithms, collectives,
    fits(name, size) {
      const a = find(name);
      return a !== null && wasm.fits(...a, size) === 1;
    },
    // null if there is no such algorithm, or if it does not fit so many ranks.
    record(name, what, size, root = 0) {
      const a = find(name);
      return a !== null && wasm.record(...a, what, size, root) === 1 ? jobOf(what, size, root) : null;
    },
    // `algorithm`: {patterns: [names], chunks(size), owner(chunk, size), emit(pattern, me, size, root,
    // step)}, where step(round, verb, peer, first, count). What its functions throw is thrown here.
    recordOwn(algorithm, what, size, root = 0) {
      let mask = 0;
      for (const p of algorithm.patterns) { mask |= 1 << PATTERNS.indexOf(p); }
      const outer = own;
      own = { algorithm, mistake: null };
      const done = wasm.record_own(mask, what, size, root) === 1;
      const { mistake } = own;
      own = outer;
      if (mistake !== null) { throw mistake; }
      return done ? jobOf(what, size, root) : null;
    },
    check(job) {
      put(job.steps);
      wasm.check(...common(job));
      const all = output();
      const [ok, rank, round, chunk, order, position, fold] = new Int32Array(all, 0, 7);
      return { ok: ok === 1, what: text(all.slice(28)), rank, round, chunk, orderPreserving: order === 1,
               positionIndependent: position === 1, leftFold: fold === 1 };
    },
    // The job must be right.
    cost(job, bytes) {
      put(job.steps);
      wasm.cost(...common(job), BigInt(bytes));
      const a = new BigInt64Array(output());
      const ranks = [];
      for (let i = 10; i < a.length; i += 3) { ranks.push({ sent: a[i], received: a[i + 1], reduced: a[i + 2] }); }
      return { rounds: a[0], busiest: { sent: a[1], received: a[2], reduced: a[3] }, total: a[4],
               critical: { bytes: a[5], reduced: a[6] }, bound: { rounds: a[7], sent: a[8], reduced: a[9] }, ranks };
    },
    // Of an all_reduce; null if the algorithm does not fit.
    closedForm(name, size, bytes) {
      const a = find(name);
      if (a === null || wasm.closed_form(...a, size, BigInt(bytes)) !== 1) { return null; }
      const [rounds, messages, moved, reduced] = new BigInt64Array(output());
      return { rounds, messages, bytes: moved, reduced };
    },
    // {first, sums, changes, start}. A value is -1 (nothing), the number of a contribution or block,
    // or, from `first` on, first + i: the sum number i, whose operands are values, in the order in
    // which they are added. `changes`: {round, rank, chunk, value, adds}, rounds ascending. `start`:
    // the cells, rank * chunks + chunk, before round 0.
    replay(job) { return asReplay(this.replayNumbers(job)); },
    // The same as numbers, which a worker can hand over: `asReplay` reads them.
    replayNumbers(job) {
      put(job.steps);
      wasm.replay(...common(job));
      return new Int32Array(output());
    },
    // `network`: {latency, overhead, gap, byte, added} in seconds, {late: [seconds per rank], slow:
    // [{from, to, factor}]}. What schedule/simulate.hpp says: {ok: false, what, rank, round}, or {ok:
    // true, total, done, path, begin, moves, moved, end, waitedFor}: seconds, and numbers of steps.
    simulate(job, bytes, network) {
      const { latency, overhead, gap, byte, added, late = [], slow = [] } = network;
      const numbers = [latency, overhead, gap, byte, added];
      for (let r = 0; r < job.size; ++r) { numbers.push(late[r] ?? 0); }
      for (const { from, to, factor } of slow) { numbers.push(from, to, factor); }
      put(job.steps);
      const where = wasm.input_numbers(numbers.length);
      new Float64Array(wasm.memory.buffer, where, numbers.length).set(numbers);
      wasm.simulate(...common(job), BigInt(bytes));
      const all = output();
      const [ok, rank, round] = new Float64Array(all, 0, 3);
      if (ok !== 1) { return { ok: false, what: text(all.slice(24)), rank, round }; }
      const a = new Float64Array(all);
      const [total, steps, onPath] = a.slice(3, 6);
      // Behind the six numbers there is a column of each of these.
      const column = (k) => a.subarray(6 + k * steps, 6 + (k + 1) * steps), after = 6 + 5 * steps;
      const result = { ok: true, total, begin: column(0), moves: column(1), moved: column(2), end: column(3), waitedFor: Int32Array.from(column(4)),
                       done: a.slice(after, after + job.size), path: Int32Array.from(a.subarray(after + job.size, after + job.size + onPath)) };
      return result;
    },
    // When each message has ended, if those of a round share links fairly, in bytes of a link: a Float64Array.
    // `ways`: per message its round, the number of links that it crosses, and these; rounds ascending.
    share(links, rounds, ways, bytes) {
      put(ways);
      const where = wasm.input_numbers(bytes.length);
      new Float64Array(wasm.memory.buffer, where, bytes.length).set(bytes);
      if (wasm.share(links, rounds) !== 1) { throw new Error("these messages cannot share links"); }
      return new Float64Array(output());
    },
    // The text of schedule/goal.hpp, for LogGOPSim; null if it cannot be written. The job must be right.
    goal(job, bytes, nsPerAddedByte = 0) {
      put(job.steps);
      return wasm.goal(...common(job), BigInt(bytes), nsPerAddedByte) === 1 ? text(output()) : null;
    },
  };
}

// Sums and changes are made when they are asked for: of many ranks there are a hundred thousand.
export function asReplay(a) {
  const [first, sumCount, changeCount, cells] = a, startAt = a.length - cells;
  let sums = null, changes = null;
  return {
    first, start: a.subarray(startAt),
    get sums() {
      if (sums === null) {
        sums = new Array(sumCount);
        for (let i = 0, at = 4; i < sumCount; ++i) { sums[i] = a.subarray(at + 1, at + 1 + a[at]); at += 1 + a[at]; }
      }
      return sums;
    },
    get changes() {
      if (changes === null) {
        changes = new Array(changeCount);
        for (let i = 0, at = startAt - 5 * changeCount; i < changeCount; ++i, at += 5) {
          changes[i] = { round: a[at], rank: a[at + 1], chunk: a[at + 2], value: a[at + 3], adds: a[at + 4] === 1 };
        }
      }
      return changes;
    },
  };
}
