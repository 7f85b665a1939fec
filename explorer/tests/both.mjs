// SPDX-License-Identifier: BSD-3-Clause
// Calls the same functions in WebAssembly and in the native program, and compares what they give,
// byte for byte.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

// In the order of native.cpp; the arguments at `wide` are of 64 bits.
const functions = {
  names: [], fits: [], record: [], check: [], cost: [5], closed_form: [3], replay: [],
  simulate: [5], goal: [5], share: [],
};
const order = Object.keys(functions);
const HEAD = 80, BATCH_CALLS = 256, BATCH_BYTES = 1 << 20;

export async function openBoth(wasmFile, nativeFile) {
  const refuse = (name) => () => { throw new Error(`the WebAssembly called ${name}`); };
  const { instance } = await WebAssembly.instantiate(readFileSync(wasmFile), {
    page: new Proxy({}, { get: (_, name) => refuse(name), has: () => true }),
    wasi_snapshot_preview1: new Proxy({}, { get: (_, name) => refuse(name), has: () => true }),
  });
  const wasm = instance.exports;
  wasm._initialize();
  const child = spawn(nativeFile, [], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((done) => child.on("close", done));
  const answers = readerOf(child.stdout);
  let expected = [], bytes = 0, compared = 0;

  async function settle() {
    const flush = Buffer.alloc(HEAD);
    flush.writeInt32LE(-1, 0);
    child.stdin.write(flush);
    for (const { label, name, result, out } of expected) {
      const head = await answers(8);
      const native = await answers(head.readInt32LE(4));
      const at = head.readInt32LE(0) !== result ? "the result" : firstDifference(native, out);
      if (at !== null) { throw new Error(`${label()}: ${name} differs between WebAssembly and native in ${at}`); }
      ++compared;
    }
    expected = [];
    bytes = 0;
  }

  return {
    // {result, out}: what the WebAssembly gave. `label`: a function that names the case. `numbers`: the
    // second input.
    async call(label, name, args, input = Buffer.alloc(0), numbers = []) {
      const frame = Buffer.alloc(HEAD);
      frame.writeInt32LE(order.indexOf(name), 0);
      frame.writeInt32LE(input.length, 4);
      frame.writeInt32LE(numbers.length, 8);
      args.forEach((a, i) => frame.writeBigInt64LE(BigInt(a), 16 + 8 * i));
      child.stdin.write(frame);
      if (input.length > 0) { child.stdin.write(input); }
      const second = Float64Array.from(numbers);
      if (second.length > 0) { child.stdin.write(Buffer.from(second.buffer)); }
      const [at, there] = [wasm.input(input.length), wasm.input_numbers(second.length)];
      Buffer.from(wasm.memory.buffer, at, input.length).set(input);
      new Float64Array(wasm.memory.buffer, there, second.length).set(second);
      const result = wasm[name](...args.map((a, i) => (functions[name].includes(i) ? BigInt(a) : Number(a)))) ?? 0;
      const out = Buffer.from(Buffer.from(wasm.memory.buffer, wasm.output(), wasm.output_bytes()));
      expected.push({ label, name, result, out });
      bytes += input.length + out.length;
      if (expected.length >= BATCH_CALLS || bytes >= BATCH_BYTES) { await settle(); }
      return { result, out };
    },
    // The number of calls compared.
    async close() {
      await settle();
      child.stdin.end();
      if (await ended !== 0) { throw new Error("the native program ended with an error"); }
      return compared;
    },
  };
}

function firstDifference(a, b) {
  if (a.equals(b)) { return null; }
  if (a.length !== b.length) { return `the length of its output (${a.length} native, ${b.length} WebAssembly)`; }
  return `byte ${a.findIndex((byte, i) => byte !== b[i])} of its output`;
}

// A function that gives the next so many bytes of a stream.
function readerOf(stream) {
  const chunks = stream[Symbol.asyncIterator]();
  let have = Buffer.alloc(0);
  return async (count) => {
    const parts = [];
    let missing = count;
    for (;;) {
      const part = have.subarray(0, missing);
      have = have.subarray(part.length);
      missing -= part.length;
      parts.push(part);
      if (missing === 0) { return parts.length === 1 ? part : Buffer.concat(parts); }
      const { value, done } = await chunks.next();
      if (done) { throw new Error("the native program ended too early"); }
      have = value;
    }
  };
}

// What both tests take: WASM NATIVE [--seed N] [--seconds S] [--all]; COLLECTIVES_TEST_ALL is as --all.
export function optionsOf(argv) {
  const value = (name, other) => (argv.includes(name) ? Number(argv[argv.indexOf(name) + 1]) : other);
  return { wasm: argv[2], native: argv[3], all: argv.includes("--all") || process.env.COLLECTIVES_TEST_ALL !== undefined,
           seed: value("--seed", Date.now() % 2 ** 31), seconds: value("--seconds", 6) };
}

// COLLECTIVES_TEST_SEED, or else the number of the day: what tests take that do not take all.
export const seedOfTheDay = () => Number(process.env.COLLECTIVES_TEST_SEED ?? Math.floor(Date.now() / 86400000));

// mulberry32: numbers from 0 to 1 that a seed repeats.
export function diceOf(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffle(list, dice) {
  for (let i = list.length - 1; i > 0; --i) {
    const j = Math.floor(dice() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

export async function namesOf(both) {
  const { out } = await both.call(() => "the names", "names", []);
  const [first, second] = out.toString().split("\n\n");
  const algorithms = first.split("\n").slice(1);
  return { algorithms, collectives: second.trim().split("\n") };
}
