// SPDX-License-Identifier: BSD-3-Clause
// What the page's interpreter makes of pieces of C++: values as g++'s (semantics.json), and mistakes
// with their line and words. Usage: node language.mjs
import assert from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { read } from "../page/language/algorithm.js";
import { Program } from "../page/language/program.js";
import { Mistake } from "../page/language/tokens.js";

const tree = fileURLToPath(new URL("../..", import.meta.url));
const header = (name) => (name.startsWith("collectives/") && existsSync(`${tree}include/${name}`) ? readFileSync(`${tree}include/${name}`, "utf8") : null);

// 1. Values. Where C++ leaves an order open, or says what nobody means, the page refuses.
const REFUSED = ["return 5 > 3 > 1 == 0;", "counter c(5); c.next(); return c.next() * 100 + c.sum();"];
const { prelude, cases } = JSON.parse(readFileSync(`${tree}explorer/tests/semantics.json`));
for (const { body, value } of cases) {
  let got = null;
  try {
    const program = new Program(`${prelude}constexpr int f() { ${body} }\nconstexpr int v = f();\n`, header);
    got = program.constantOf(program.root.names.get("v")).run(null);
  } catch (e) { if (!(e instanceof Mistake)) { throw e; } }
  assert.equal(got, REFUSED.includes(body) ? null : value, body);
}
console.log(`${cases.length} pieces of C++: values and refusals as g++'s`);

// 2. Mistakes. In this text, [from, to, line, words]: `from` becomes `to`, and line and words say so.
const text = `#include <collectives/schedule/step.hpp>

struct mine {
    static constexpr std::string_view name = "mine";
    static constexpr int chunks(int size) { return size; }

    static constexpr void reduce_scatter(int me, int size, auto&& emit) {
        auto const wrap = [size](int i) { return (i + 2 * size) % size; };
        for (int r = 0; r < size - 1; ++r) {
            emit(collectives::step{r, collectives::verb::send, wrap(me + 1), {wrap(me - r - 1)}});
            emit(collectives::step{r, collectives::verb::recv_reduce, wrap(me - 1), {wrap(me - r - 2)}});
        }
    }
    static constexpr void all_gather(int me, int size, collectives::step_sink auto&& emit) {
        int round = 0;
        for (int from = near(me, size, -1); round < size - 1; from = near(from, size, -1), ++round) {
            emit(collectives::step{round, collectives::verb::send, near(me, size, 1), {near(from, size, 1)}});
            emit(collectives::step{round, collectives::verb::recv_copy, near(me, size, -1), {from}});
        }
    }

private:
    static constexpr int near(int rank, int size, int by) { return (rank + by + size) % size; }
};
`;
const subset = "is not in the subset of C++ that this page reads";
const planted = [
  ["        for (int r", "        goto end;\n        for (int r", 9, `a \`goto\` ${subset}`],
  ["        int round = 0;", "        switch (me) {}\n        int round = 0;", 15, `a \`switch\`; write if and else ${subset}`],
  ["int round = 0", "double round = 0", 15, "the type `double`; ranks, rounds and chunks are of type int"],
  ["int round = 0", "unsigned round = 0", 15, "the type `unsigned`"],
  ["int round = 0", "int round = 0.5", 15, `the floating-point number 0.5 ${subset}`],
  ["int round = 0", "int round = 0L", 15, `the number 0L ${subset}`],
  ["int round = 0", "int round = 010", 15, `the octal number 010 ${subset}`],
  ["int round = 0", "int* round = 0", 15, `a pointer ${subset}`],
  ["int round = 0", "int round[3] = {}", 15, `an array ${subset}`],
  ["int round = 0", "int const round = 0", 16, "`round` is const here, and cannot change"],
  ["int round = 0", "const auto round = 0", 16, "`round` is const here, and cannot change"],
  ["int round = 0", "int round = true ? 0 : collectives::verb::send", 15, "the two sides of ?: are `int` and `verb`"],
  ["int round = 0", "int round = collectives::verb::send", 15, "expected `int`, found `verb`"],
  ["int round = 0", "rank_t round = 0", 15, "unknown name `rank_t`; is it collectives::rank_t, of <collectives/core/types.hpp>?"],
  ["int round = 0", "int round = floor_log2(1)", 15, "unknown name `floor_log2`; is it collectives::floor_log2"],
  ["int round = 0", "int round = std::max(0, 0)", 15, "unknown name `std::max`; it needs #include <algorithm>"],
  ["int round = 0", "int round = 0, me = 1", 15, "the name `me` is taken in this block"],
  ["int round = 0", "int round", 16, "`round` has no value yet"],
  ["int round = 0;", "int round = 0", 15, "expected `;` at the end of the declaration, found `for`"],
  ["wrap(me + 1)", "wrap(me + one)", 10, "unknown name `one`"],
  ["wrap(me + 1)", "wrap(me, 1)", 10, "the lambda takes 1 value, not 2"],
  ["wrap(me + 1)", "wrap[me]", 10, `an array ${subset}`],
  ["wrap(me + 1)", "wrap(me++)", 10, "`me` is changed and used in one expression"],
  ["[size]", "[]", 8, "the lambda does not capture `size`: write [&size] or [size]"],
  ["verb::send, wrap", "verb::sends, wrap", 10, "`verb` has no `sends`; it has send, recv_reduce, recv_copy"],
  ["verb::send, wrap", "send, wrap", 10, "unknown name `collectives::send`"],
  ["verb::send, wrap(me + 1), {wrap", "verb::send, wrap(me + 1), 5, {wrap", 10, "`step` has 4 members, and there are 5 values"],
  ["{wrap(me - r - 1)}", "wrap(me - r - 1)", 10, "expected `chunk_range`, found `int`"],
  ["near(me, size, 1)", "near(me, size)", 17, "`near` takes 3 values, not 2"],
  ["return (rank + by + size) % size;", "if (rank > 0) { return rank; }", 23, "`near` can come to its end without a `return`"],
  ["return (rank + by + size) % size;", "while (true) { return rank; } return true ? false : by > 0;", null, null],
  ["return (rank + by + size) % size;", "return;", 23, "`return` without a value, in a function that gives `int`"],
  ["return (rank + by + size) % size;", "rank / by; return 1;", 23, "this value is not used"],
  ["return (rank + by + size) % size;", "break; return 1;", 23, "`break` outside a loop"],
  ["return (rank + by + size) % size;", "return new int;", 23, `\`new\` ${subset}`],
  ["return (rank + by + size) % size;", "return sizeof(rank);", 23, `\`sizeof\` ${subset}`],
  ["return (rank + by + size) % size;", "return (int)rank;", 23, "a cast in the manner of C; write static_cast<int>(...)"],
  ["return (rank + by + size) % size;", "return this->x;", 23, "`this`; name the member alone"],
  ["return (rank + by + size) % size;", "return 'a';", 23, `a character ${subset}`],
  ["return (rank + by + size) % size;", "static int n = 0; return ++n;", 23, `a static variable within a function ${subset}`],
  ["return (rank + by + size) % size;", "return rank, by;", 23, `a comma between expressions ${subset}`],
  ["return (rank + by + size) % size;", "std::vector<int> v; return 0;", 23, `the template \`std::vector\` ${subset}`],
  ["return (rank + by + size) % size;", "label: return 0;", 23, `a label ${subset}`],
  ["return (rank + by + size) % size;", "return near(rank, size, by);", 23, "calls itself more than 400 times deep"],
  ["return (rank + by + size) % size;", "while (rank < 9) { size = rank; } return 1;", 23, "no end in sight"],
  ["return (rank + by + size) % size;", "return rank / (by - by);", 23, "a division by zero"],
  ["return (rank + by + size) % size;", "return rank << (30 + size);", 23, "an int has 32 bits"],
  ["return (rank + by + size) % size;", "return (rank + 2) * 2000000000;", 23, "which is no int (overflow)"],
  ["static constexpr int near", "static int near", 23, "the function `near` must be constexpr"],
  ["static constexpr int near", "template <class T> static constexpr int near", 23, `a template of your own; \`auto\` parameters are read ${subset}`],
  ["static constexpr int near", "constexpr int near", 16, "`near` is a function of an object, and there is none here"],
  ["private:", "protected:", 22, `\`protected\` ${subset}`],
  ["private:", "    int count = 0;", 3, "an algorithm has no state but one int, which parameter() returns"],
  ["private:", "private: int x", 22, "expected `;` after `x`, found `static`"],
  ["};\n", "}\n", 24, "expected `;` after the } of `struct mine`"],
  ["{ return size; }", "{ return size - size; }", 3, "chunks(3) is 0; it must be 1 to 4096"],
  ["{ return size; }", "{ return size > 1; }", null, null],
  ["static constexpr int chunks", "static constexpr bool chunks", 5, "`chunks` gives `bool`; it must give `int`"],
  ["static constexpr int chunks", "static constexpr int chunk", 3, "`mine` has no chunks(size)"],
  ["void all_gather", "void allgather", 3, "`mine` has no all-reduce"],
  ["all_gather(int me, int size,", "all_gather(int me, bool size,", 14, "`int` is expected here, not `bool`"],
  ["all_gather(int me, int size, ", "all_gather(int me, int size, int root, ", 14, "`all_gather` takes 4 values; it is called with 3"],
  ["all_gather(int me, int size, ", "all_gather(int me, ", 16, "unknown name `size`"],
  ["collectives::step_sink auto&&", "auto const&&", 14, "the sink of steps is taken as `auto&&`"],
  ["collectives::step_sink auto&&", "mine auto&&", 14, "`mine` is no concept"],
  ["collectives::step_sink auto&&", "std::integral auto&&", 14, "unknown name `std::integral`"],
  ["private:", "    static constexpr void more(auto&& emit) { emit(none); }", 22, "unknown name `none`"],
  ["private:", "    static constexpr void more(one, auto&& emit) {}", 22, "unknown name `one`"],
  ["int round = 0", "const int const round = 0", 15, "`const` stands twice"],
  ["std::string_view name = \"mine\"", "int name = 3", 3, "`mine::name` must be a public std::string_view"],
  ["#include <collectives/schedule/step.hpp>", "#include <collectives/nothing.hpp>", 1, "this page does not know the header <collectives/nothing.hpp>"],
  ["#include <collectives/schedule/step.hpp>", "#include \"mine.hpp\"", 1, `\`#include\` of a file of your own ${subset}`],
  ["#include <collectives/schedule/step.hpp>", "#define N 3", 1, `\`#define N 3\` ${subset}`],
  ["#include <collectives/schedule/step.hpp>", "", 4, "unknown name `std::string_view`; it needs #include <string_view>"],
  ["struct mine {", "struct mine : other {", 3, `a base class ${subset}`],
  ["++round)", "++round, size)", 16, "this value is not used"],
  ["++r) {\n            emit(collectives::step{r, coll", "++r) {\n            emit(r);\n            emit(collectives::step{r, coll", 10, "expected `step`, found `int`"],
  ["near(from, size, 1)", "near(from, size, 1) + size", null, null],
  ["near(me, size, 1), {near", "near(me, size, 1) + size, {near", 17, "the step names rank 4, but the ranks are 0 to 2, in all_gather of rank 0 of 3"],
  ["near(me, size, 1), {near", "near(me, size, 1) - size, {near", 17,
   "the step names rank -2, but the ranks are 0 to 2 (in C++ -2 % 3 is -2: add 3, the size, before the %), in all_gather of rank 0 of 3"],
  ["me - r - 1", "me - r - 1 /* no end", 10, "this comment has no end"],
  ["me - r - 1", "me - r < 1 < me", 10, "a comparison of a comparison"],
];
// The mistakes of a text: those found when it is read, else the first of a run for three ranks.
function mistakesOf(source) {
  const { errors, algorithm } = read(source, header);
  if (errors.length > 0) { return errors; }
  try {
    algorithm.chunks(3);
    for (const pattern of algorithm.patterns) { for (let me = 0; me < 3; ++me) { algorithm.emit(pattern, me, 3, 0, () => {}); } }
    return [];
  } catch (e) {
    if (e.line === undefined) { throw e; }
    assert(e.message.startsWith(`line ${e.line}: `), e.message);
    return [e];
  }
}
assert.deepEqual(mistakesOf(text), []);
for (const [from, to, line, words] of planted) {
  const parts = text.split(from);
  assert(parts.length > 1, `\`${from}\` is not in the text`);
  const last = from === "};\n" ? parts.length - 2 : 0;
  const found = mistakesOf(parts.slice(0, last + 1).join(from) + to + parts.slice(last + 1).join(from));
  const said = `${from} -> ${to}: ${JSON.stringify(found)}`;
  if (line === null) { assert.deepEqual(found, [], said); continue; }
  assert(found.length > 0, said);
  assert.equal(found[0].line, line, said);
  assert((found[0].text ?? found[0].message).includes(words), said);
}
const wrong = planted.filter((p) => p[2] !== null).length;
console.log(`${wrong} planted mistakes: each with its line and words; ${planted.length - wrong} changes that are none`);
