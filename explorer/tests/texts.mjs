// SPDX-License-Identifier: BSD-3-Clause
// The texts that the page makes of an algorithm's: headers to save compile, with a proof for each size;
// the program for Compiler Explorer compiles without the library and prints the interpreter's steps: two of six,
// by COLLECTIVES_TEST_SEED or else the day; COLLECTIVES_TEST_ALL=1 takes all. Usage: node texts.mjs
import assert from "node:assert";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { read } from "../page/language/algorithm.js";
import { NAMES } from "../page/language/headers.js";
import { packed, unpacked } from "../page/language/packed.js";
import { compilerExplorerLink, toCompileAlone, toEdit, toSave } from "../page/language/texts.js";
import { FIRST } from "../page/own.js";
import { diceOf, seedOfTheDay, shuffle } from "./both.mjs";

const tree = fileURLToPath(new URL("../..", import.meta.url));
const header = (name) => (name.startsWith("collectives/") && existsSync(`${tree}include/${name}`) ? readFileSync(`${tree}include/${name}`, "utf8") : null);
const listed = JSON.parse(readFileSync(`${tree}explorer/page/language/headers.json`));
for (const name of NAMES) { assert(listed.includes(`include/collectives/algorithm/${name}.hpp`), name); }

const example = readFileSync(`${tree}examples/custom_algorithm.cpp`, "utf8");
const texts = new Map([["first", FIRST], ["custom", example], ...NAMES.map((name) => [name, toEdit(header(`collectives/algorithm/${name}.hpp`), name)])]);
const folder = mkdtempSync(`${tmpdir()}/texts-`);
const compile = (...args) => {
  const { status, stderr } = spawnSync(process.env.CXX ?? "c++", ["-std=c++20", "-Wall", "-Wextra", "-Werror", ...args], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
};
const compiled = shuffle(["first", "custom", "ring", "two_shot", "tree", "hierarchical"], diceOf(seedOfTheDay()))
  .slice(0, process.env.COLLECTIVES_TEST_ALL === "1" ? 6 : 2);
console.log(`seed ${seedOfTheDay()}: ${compiled}`);
try {
  let all = "";
  for (const [name, text] of texts) {
    const { errors, notes, algorithm } = read(text, header, { parameter: 2 });
    assert.deepEqual(errors, [], name);
    if (NAMES.includes(name)) { assert.equal(algorithm.name, `my_${name}`); }
    assert.equal(await unpacked(await packed(text)), text);
    const saved = toSave(text, algorithm, notes, [2, 4]);
    assert(!saved.includes("int main") && saved.includes(", 4).ok);"), saved);
    assert.equal(toSave(saved, algorithm, read(saved, header, { parameter: 2 }).notes, [2, 4]).split("static_assert(collectives::").length,
      saved.split("static_assert(collectives::").length, "saved twice, proved twice");
    writeFileSync(`${folder}/${name}.hpp`, saved);
    all += `#include "${name}.hpp"\n`;

    if (!compiled.includes(name)) { continue; }
    const alone = toCompileAlone(text, algorithm, notes, 4, header);
    const { sessions: [session] } = JSON.parse(Buffer.from(decodeURIComponent(compilerExplorerLink(alone).split("/clientstate/")[1]), "base64").toString());
    assert.equal(session.source, alone);
    writeFileSync(`${folder}/alone.cpp`, alone);
    compile(`${folder}/alone.cpp`, "-o", `${folder}/alone`);
    const printed = spawnSync(`${folder}/alone`, { encoding: "utf8" }).stdout;
    let expected = "";
    const patterns = algorithm.patterns.includes("steps") ? ["steps"] : algorithm.patterns.includes("reduce_scatter") ? ["reduce_scatter", "all_gather"] : ["reduce", "broadcast"];
    for (let me = 0; me < 4; ++me) {
      for (const p of patterns) {
        expected += `rank ${me}, ${p}\n`;
        algorithm.emit(p, me, 4, 0, (round, verb, peer, first, count) => {
          expected += `  round ${round}  ${["send", "recv_reduce", "recv_copy"][verb].padEnd(11)}  peer ${peer}  chunks from ${first}, ${count} of them\n`;
        });
      }
    }
    assert.equal(printed, expected, name);
  }
  writeFileSync(`${folder}/all.cpp`, `#include <collectives/collectives.hpp>\n${all}int main() {}\n`);
  compile("-fsyntax-only", `-I${tree}include`, `${folder}/all.cpp`);
  console.log(`${texts.size} headers compile with their proofs; the programs that stand alone print the interpreter's steps`);
} finally { rmSync(folder, { recursive: true }); }
