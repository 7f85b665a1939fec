// SPDX-License-Identifier: BSD-3-Clause
// The page's interpreter against compilers: the steps of every algorithm file of the library equal those
// of the compiled headers; those of examples/custom_algorithm.cpp equal a native program's.
// Of the sizes above 12 it takes three, by the seed; COLLECTIVES_TEST_ALL=1 takes all. Usage: node interpreter.mjs explorer.wasm
import assert from "node:assert";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { makeCore } from "../page/core.js";
import { read } from "../page/language/algorithm.js";
import { diceOf, seedOfTheDay, shuffle } from "./both.mjs";
import { recordWithLines } from "../page/language/lines.js";

const tree = fileURLToPath(new URL("../..", import.meta.url));
const ALL = process.env.COLLECTIVES_TEST_ALL === "1";
const from1To = (n) => Array.from({ length: n }, (_, i) => i + 1);
const large = shuffle([...from1To(32).slice(12), 64], diceOf(seedOfTheDay())).slice(0, 3);
const sizes = ALL ? from1To(64).concat([100, 127, 128, 255, 256]) : from1To(12).concat(large);
console.log(`seed ${seedOfTheDay()}: of the sizes above 12 ${ALL ? "all" : large}`);
const core = await makeCore(readFileSync(process.argv[2]));
const header = (name) => (name.startsWith("collectives/") ? readFileSync(`${tree}include/${name}`, "utf8") : null);
const algorithmOf = (text, parameter) => {
  const { errors, algorithm } = read(text, header, { parameter });
  assert.deepEqual(errors, []);
  return algorithm;
};

let jobs = 0, steps = 0, marked = 0;
function compare(algorithm, name, size) {
  core.collectives.forEach((collective, what) => {
    for (const root of ["broadcast", "reduce", "gather", "scatter"].includes(collective) ? new Set([0, size - 1, size >> 1]) : [0]) {
      const said = `${name}, ${collective}, ${size} ranks, root ${root}`;
      const expected = core.record(name, what, size, root), job = recordWithLines(core, algorithm, what, size, root);
      assert.equal(job === null, expected === null, said);
      if (job === null) { return; }
      const { lines, ...rest } = job;
      assert.deepEqual(rest, expected, said);
      assert.equal(lines.length * 6, job.steps.length);
      ++jobs;
      steps += lines.length;
      marked += lines.filter((l) => l > 0).length;
      if (collective === "all_reduce") { assert(lines.every((l) => l > 0), `${said}: a step without a line`); }
    }
  });
}

for (const name of core.algorithms) {
  const base = name.replace(":", ""), text = readFileSync(`${tree}include/collectives/algorithm/${base}.hpp`, "utf8");
  for (const parameter of name.endsWith(":") ? [1, 2, 3, 4, 7] : [0]) {
    const algorithm = algorithmOf(text, parameter), full = parameter ? `${name}${parameter}` : name;
    assert.equal(algorithm.name, base);
    for (const size of sizes) {
      if (parameter && size % parameter !== 0) { assert.equal(algorithm.fits(size), false); }
      compare(algorithm, full, size);
    }
  }
}
console.log(`${jobs} schedules, ${steps} steps (${marked} with their line): as the compiled headers`);

// The example: compiled without its main, which needs threads.
const example = readFileSync(`${tree}examples/custom_algorithm.cpp`, "utf8");
const own = algorithmOf(example);
assert.equal(own.name, "both_ways");
const folder = mkdtempSync(`${tmpdir()}/interpreter-`);
try {
  const part = example.slice(example.indexOf("namespace coll ="), example.indexOf("int main"));
  writeFileSync(`${folder}/own.cpp`, `#include <collectives/schedule.hpp>
#include <cstdio>
#include <string_view>
${part}
int main() {
    for (int size = 1; size <= 16; ++size) {
        for (auto const what : coll::scheduled_collectives) {
            for (auto const& s : coll::record_all(both_ways{}, what, size, size / 2)) {
                for (auto const& t : s.steps) {
                    std::printf("%d %d %d %d %d %d ", s.rank, t.round, static_cast<int>(t.what), t.peer, t.chunks.first, t.chunks.count);
                }
            }
            std::printf("\\n");
        }
    }
}
`);
  const compiled = spawnSync(process.env.CXX ?? "c++", ["-std=c++20", "-w", `-I${tree}include`, `${folder}/own.cpp`, "-o", `${folder}/own`], { encoding: "utf8" });
  assert.equal(compiled.status, 0, compiled.stderr);
  const lines = spawnSync(`${folder}/own`, { encoding: "utf8" }).stdout.split("\n");
  let at = 0;
  for (let size = 1; size <= 16; ++size) {
    core.collectives.forEach((collective, what) => {
      const job = recordWithLines(core, own, what, size, size >> 1);
      assert.equal([...job.steps].map((i) => `${i} `).join(""), lines[at++], `both_ways, ${collective}, ${size} ranks`);
      assert(core.check(job).ok);
    });
  }
  console.log(`examples/custom_algorithm.cpp: ${at} schedules, as the native program`);
} finally { rmSync(folder, { recursive: true }); }
