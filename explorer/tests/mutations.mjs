// SPDX-License-Identifier: BSD-3-Clause
// Every schedule of up to 7 ranks with one step changed: the WebAssembly and the native program give
// the same verdict, at the same rank, round and chunk. With --all up to 11 ranks.
import { namesOf, openBoth, optionsOf } from "./both.mjs";

const LARGEST = 7, LARGEST_OF_ALL = 11, HOSTS = [2, 3, 5];
const INTS = 6, BYTES = 4 * INTS;
const ROUND = 1, VERB = 2, PEER = 3, FIRST = 4, COUNT = 5;

const options = optionsOf(process.argv);
const both = await openBoth(options.wasm, options.native);
const { algorithms, collectives } = await namesOf(both);

// [words, steps] of each change of one step.
function* mutations(steps, size, chunks, rounds) {
  for (let at = 0; at < steps.length; at += BYTES) {
    const old = (field) => steps.readInt32LE(at + 4 * field);
    const changed = (field, value) => {
      const copy = Buffer.from(steps);
      copy.writeInt32LE(value, at + 4 * field);
      return copy;
    };
    const step = `step ${at / BYTES}`;
    for (let peer = -1; peer <= size; ++peer) {
      if (peer !== old(PEER)) { yield [`${step} with peer ${peer}`, changed(PEER, peer)]; }
    }
    for (let first = -1; first <= chunks; ++first) {
      if (first !== old(FIRST)) { yield [`${step} from chunk ${first}`, changed(FIRST, first)]; }
    }
    for (const count of [old(COUNT) - 1, old(COUNT) + 1, 0, chunks]) {
      if (count !== old(COUNT)) { yield [`${step} with ${count} chunks`, changed(COUNT, count)]; }
    }
    for (const round of [old(ROUND) - 1, old(ROUND) + 1, rounds]) { yield [`${step} in round ${round}`, changed(ROUND, round)]; }
    for (let verb = 0; verb < 3; ++verb) {
      if (verb !== old(VERB)) { yield [`${step} as verb ${verb}`, changed(VERB, verb)]; }
    }
    yield [`without ${step}`, Buffer.concat([steps.subarray(0, at), steps.subarray(at + BYTES)])];
  }
}

let bases = 0, count = 0;
const places = new Set();
for (let size = 2; size <= (options.all ? LARGEST_OF_ALL : LARGEST); ++size) {
  for (const [algorithm, name] of algorithms.entries()) {
    for (const parameter of name.endsWith(":") ? HOSTS : [1]) {
      for (const what of collectives.keys()) {
        await compare(name + (name.endsWith(":") ? parameter : ""), [algorithm, parameter, what, size, size - 1]);
      }
    }
  }
}
await both.close();
if (places.size < 100) { throw new Error(`the mutations are found at ${places.size} places only`); }
console.log(`${count} mutations of ${bases} schedules: both reject each, at the same place`);

async function compare(name, asked) {
  const [, , what, size, root] = asked;
  const label = () => `${name} ${size} --collective ${collectives[what]} --root ${root}`;
  const { result, out } = await both.call(label, "record", asked);
  if (result === 0) { return; }
  const steps = out.subarray(8);
  const common = [what, size, root, out.readInt32LE(0), out.readInt32LE(4)];
  const verdict = async (words, of) => (await both.call(() => label() + words, "check", common, of)).out;
  const right = await verdict("", steps);
  if (right.readInt32LE(0) !== 1) { throw new Error(`${label()} is wrong: ${right.subarray(28)}`); }
  ++bases;
  for (const [words, changed] of mutations(steps, size, common[3], common[4])) {
    const proof = await verdict(`, ${words}`, changed);
    if (proof.readInt32LE(0) !== 0) { throw new Error(`${label()}, ${words}: nobody notices`); }
    ++count;
    places.add(proof.subarray(4, 16).toString("hex"));  // rank, round, chunk
  }
}
