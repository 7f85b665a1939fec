// SPDX-License-Identifier: BSD-3-Clause
// The page's interpreter never gives a text another meaning: of changed texts of the library's algorithm
// files, those that it accepts are accepted by the compiler too, and have the same steps.
// COLLECTIVES_TEST_ALL=1 takes more of them. Usage: node mutants.mjs
import assert from "node:assert";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { read } from "../page/language/algorithm.js";
import { NAMES } from "../page/language/headers.js";
import { toEdit } from "../page/language/texts.js";
import { tokensOf } from "../page/language/tokens.js";

const tree = fileURLToPath(new URL("../..", import.meta.url));
const COUNT = process.env.COLLECTIVES_TEST_ALL === "1" ? 40000 : 3000, MOST_RANKS = 5;
const ROOTED = ["reduce", "broadcast", "gather", "scatter"];
const header = (name) => (name.startsWith("collectives/") && existsSync(`${tree}include/${name}`) ? readFileSync(`${tree}include/${name}`, "utf8") : null);

let seed = 1;
const random = (n) => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return Math.floor((seed / 2 ** 32) * n); };
const anyOf = (list) => list[random(list.length)];

const HEAD = "#include <collectives/schedule/linear.hpp>\n#include <collectives/algorithm/fold_ranks.hpp>\n#include <collectives/algorithm/one_shot.hpp>\n";
const bases = NAMES.filter((n) => !["hierarchical", "leaders"].includes(n)).map((name) => toEdit(header(`collectives/algorithm/${name}.hpp`), name)
  .replace(/^\s*\/\/.*\n/gm, "").replace(/^#.*\n/gm, "").replace("namespace collectives::inline v0 {", "using namespace collectives;").replace("}  // namespace collectives", ""));
const PIECES = ("+ - * / % << >> & | ^ == != < > <= >= && || ? : = += -= *= /= ++ -- ! ~ ; , ( ) { } const auto int bool static & return continue break if else me size " +
  "0 1 2 emit true round this constexpr void while").split(" ");

function changed(text) {
  const tokens = tokensOf(text, "").filter((t) => t.kind !== "end"), i = random(tokens.length - 1), t = tokens[i], next = tokens[i + 1];
  const from = t.offset, to = from + t.text.length, put = (piece, end = to) => `${text.slice(0, from)} ${piece} ${text.slice(end)}`;
  switch (random(6)) {
    case 0: return put("");
    case 1: return put(anyOf(PIECES));
    case 2: return put(anyOf(PIECES), from);
    case 3: return put(anyOf(tokens).text);
    case 4: return put(anyOf(tokens.filter((u) => u.kind === t.kind)).text);
    default: return put(`${next.text} ${t.text}`, next.offset + next.text.length);
  }
}

const accepted = [];
let refused = 0;
for (let i = 0; i < COUNT; ++i) {
  const text = changed(random(2) ? changed(anyOf(bases)) : anyOf(bases));
  try {
    const { algorithm: a } = read(HEAD + text, header);
    if (!a) { ++refused; continue; }
    const steps = [];
    for (let size = 1; size <= MOST_RANKS; ++size) {
      steps.push(`c${a.chunks(size)}`);
      for (const p of a.patterns) { for (let me = 0; me < size; ++me) { a.emit(p, me, size, size >> 1, (...s) => steps.push(s.slice(0, 5).join())); } }
    }
    accepted.push({ text, type: a.type, patterns: a.patterns, steps: steps.join(" ") });
  } catch (e) {
    if (e.line === undefined) { throw new Error(`${e.stack}\n${text}`); }
    ++refused;  // when it ran
  }
}

const program = `${HEAD}#include <cstdio>\n${accepted.map((a, i) => `namespace m${i} {\n#line 1 "m${i}"\n${a.text}\n}\n`).join("")}
int main() {
    auto put = [](collectives::step const& s) { std::printf(" %d,%d,%d,%d,%d", s.round, static_cast<int>(s.what), s.peer, s.chunks.first, s.chunks.count); };
${accepted.map((a, i) => `    for (int size = 1; size <= ${MOST_RANKS}; ++size) {
        std::printf("%sc%d", size > 1 ? " " : "", m${i}::${a.type}{}.chunks(size));
${a.patterns.map((p) => `        for (int me = 0; me < size; ++me) { m${i}::${a.type}{}.${p}(me, size, ${ROOTED.includes(p) ? "size >> 1, " : ""}put); }\n`).join("")}    }
    std::puts("");
`).join("")}}
`;
const folder = mkdtempSync(`${tmpdir()}/mutants-`);
try {
  writeFileSync(`${folder}/all.cpp`, program);
  const compiled = spawnSync(process.env.CXX ?? "c++", ["-std=c++20", "-w", `-I${tree}include`, `${folder}/all.cpp`, "-o", `${folder}/all`], { encoding: "utf8", maxBuffer: 2 ** 30 });
  const first = /^m(\d+):\d+/m.exec(compiled.stderr)?.[1];
  assert.equal(compiled.status, 0, `${compiled.stderr.slice(0, 2000)}\n${first === undefined ? "" : accepted[first].text}`);
  const lines = spawnSync(`${folder}/all`, { encoding: "utf8", maxBuffer: 2 ** 30 }).stdout.split("\n");
  accepted.forEach((a, i) => assert.equal(lines[i], a.steps, a.text));
} finally { rmSync(folder, { recursive: true }); }
assert(accepted.length > COUNT / 100);
console.log(`${refused + accepted.length} changed texts: ${accepted.length} accepted, with the compiler's steps; ${refused} refused`);
