// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm, every collective, 1 to 256 ranks: steps, proof, cost, replay, times and GOAL in
// WebAssembly are those of a native program of the same source. Without --all, all up to 8 ranks, then
// others in an order that the seed decides until the time is over.
import { diceOf, namesOf, openBoth, optionsOf, shuffle } from "./both.mjs";

const SIZES = [...Array(64).keys()].map((i) => i + 1).concat(100, 127, 128, 255, 256);
const HOSTS = [1, 2, 3, 4, 8, 16, 32];
const BYTES = [1n, 1000003n, (1n << 40n) + 12345n];
const NETWORK = [1.3e-6, 0.7e-6, 0.4e-6, 0.081e-9, 0.023e-9];  // latency, overhead, gap, byte, added
const ROOTED = ["broadcast", "reduce", "gather", "scatter"];

const options = optionsOf(process.argv);
const began = Date.now();
const both = await openBoth(options.wasm, options.native);
const { algorithms, collectives } = await namesOf(both);

const small = [], large = [];
for (const size of SIZES) {
  for (const [algorithm, name] of algorithms.entries()) {
    for (const parameter of name.endsWith(":") ? HOSTS : [1]) {
      const named = name.endsWith(":") ? name + parameter : name;
      const { result } = await both.call(() => `${named} ${size}`, "fits", [algorithm, parameter, size]);
      if (result === 0) { continue; }
      for (const what of collectives.keys()) {
        const roots = ROOTED.includes(collectives[what]) ? new Set([0, Math.floor(size * 0.7)]) : [0];
        for (const root of roots) {
          (size <= 8 ? small : large).push({ algorithm, parameter, named, what, size, root });
        }
      }
    }
  }
}

async function compare({ algorithm, parameter, named, what, size, root }) {
  const label = () => `${named} ${size} --collective ${collectives[what]} --root ${root}`;
  const { result, out } = await both.call(label, "record", [algorithm, parameter, what, size, root]);
  if (result !== 1) { throw new Error(`${label()}: no schedule`); }
  const common = [what, size, root, out.readInt32LE(0), out.readInt32LE(4)];
  const steps = out.subarray(8);
  const proof = await both.call(label, "check", common, steps);
  if (proof.out.readInt32LE(0) !== 1) { throw new Error(`${label()} is wrong: ${proof.out.subarray(28)}`); }
  for (const bytes of BYTES) { await both.call(label, "cost", [...common, bytes], steps); }
  await both.call(label, "replay", common, steps);
  const late = Array.from({ length: size }, (_, r) => (r === root ? 3e-5 : 0));
  await both.call(label, "simulate", [...common, BYTES[1]], steps, [...NETWORK, ...late, 0, size - 1, 2.5]);
  if (options.all || size <= 32) { await both.call(label, "goal", [...common, BYTES[1], 1], steps); }
  if (collectives[what] === "all_reduce") {
    for (const bytes of BYTES) { await both.call(label, "closed_form", [algorithm, parameter, size, bytes]); }
  }
}

shuffle(large, diceOf(options.seed));
let done = 0;
for (const one of small) { await compare(one); }
for (const one of large) {
  if (!options.all && Date.now() - began > 1000 * options.seconds) { break; }
  await compare(one);
  ++done;
}
const calls = await both.close();
console.log(`${small.length} schedules of up to 8 ranks and ${done} of ${large.length} larger ones` +
  `${options.all ? "" : ` (--seed ${options.seed})`}: ${calls} answers are equal`);
