// SPDX-License-Identifier: BSD-3-Clause
// Texts made of a text: one to edit, of an algorithm of the library; a header to save; and one that
// compiles alone, for Compiler Explorer.

// The part of `text` from `from` to the end of the braces that open after it.
function braced(text, from) {
  let depth = 0;
  for (let i = text.indexOf("{", from); i < text.length; ++i) {
    if (text[i] === "{") { ++depth; }
    if (text[i] === "}" && --depth === 0) { return i + 1; }
  }
  return text.length;
}

// An algorithm of the library as one of the reader's: of another name, and without `sums`, by which
// the library's own say what the order of their sums is; of a reader's it proves that.
export function toEdit(text, name) {
  let own = text;
  const at = own.search(/^[^\n]*\bdetail::sum_order sums\(/m);
  if (at >= 0) {
    const from = own.slice(0, at).replace(/(?:^[ \t]*\/\/\/[^\n]*\n)+$/m, "").length;
    own = own.slice(0, from) + own.slice(braced(own, at)).replace(/^\n/, "");
    own = own.replace("#include <collectives/schedule/proof.hpp>\n", "").replace("#include <type_traits>\n", "");
  }
  own = own.replace(new RegExp(`\\bstruct ${name}\\b`), `struct my_${name}`).replace(`name = "${name}"`, `name = "my_${name}"`)
    .replace(`// ${name}: `, `// my_${name}: `);
  return own;
}

// The type's name as it is written outside its namespace.
const written = (algorithm) => [...algorithm.spaces, algorithm.type].join("::");
const without = (text, notes) => [...notes].reverse().reduce((t, n) => t.slice(0, n.from) + t.slice(n.to).replace(/^\s*;/, ""), text);

// The header as it stands, but for `main`, with a proof for each of these sizes.
export function toSave(text, algorithm, notes, sizes) {
  const mains = notes.filter((n) => n.text.startsWith("`main`"));
  let out = without(text, mains).trimEnd() + "\n";
  if (!/^\s*#\s*pragma\s+once/m.test(out)) { out = out.replace(/^((?:\s*\/\/[^\n]*\n)*)/, "$1#pragma once\n\n").replace(/^\n+/, ""); }
  const make = `${written(algorithm)}{${algorithm.takesParameter ? algorithm.parameter : ""}}`;
  const asserts = sizes.map((n) => `static_assert(collectives::check(${make}, ${n}).ok);`).filter((line) => !out.includes(line));
  if (asserts.length > 0 && !/#\s*include\s*<collectives\/(?:schedule\/check|schedule|collectives)\.hpp>/.test(out)) {
    out = out.replace(/^([ \t]*#[ \t]*include\b)/m, "#include <collectives/schedule/check.hpp>\n$1");
  }
  return asserts.length ? `${out}\n// Proved by the compiler, as the explorer did.\n${asserts.join("\n")}\n` : out;
}

const PRELUDE = `// Shortened from the library's headers: what a step is, and what the algorithm uses.
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

using rank_t = int;
enum class verb : std::uint8_t { send, recv_reduce, recv_copy };
struct chunk_range {
    int first = 0;
    int count = 1;
    friend constexpr bool operator==(chunk_range, chunk_range) = default;
};
struct step {
    int round = 0;
    verb what = verb::send;
    rank_t peer = 0;
    chunk_range chunks{};
    friend constexpr bool operator==(step const&, step const&) = default;
};
template <class Sink>
concept step_sink = std::invocable<Sink&, step>;

enum class collective : std::uint8_t { all_reduce, reduce_scatter, all_gather, broadcast, reduce, gather,
                                       scatter, all_to_all, scan, exscan, barrier };
constexpr bool is_prefix(collective what) { return what == collective::scan || what == collective::exscan; }
constexpr int ceil_log2(int n) {
    int result = 0;
    while ((1LL << result) < n) { ++result; }
    return result;
}
constexpr int floor_log2(int n) {
    int result = 0;
    while ((2LL << result) <= n) { ++result; }
    return result;
}

struct run_hints {
    bool overlap_segments = false, split_whole_rounds = false, push_copies = false;
};

namespace detail {
enum class sum_order : std::uint8_t { rotating, consecutive, left_fold };
struct relabelling {
    int first_round = 0;
    rank_t first_rank = 0;
    int stride = 1;
    int first_chunk = 0;
    int width = 1;
};
/// Places a smaller job in this one.
constexpr auto relabelled(step_sink auto& sink, relabelling const& at) {
    return [&sink, at](step s) {
        sink(step{s.round + at.first_round, s.what, at.first_rank + s.peer * at.stride,
                  {at.first_chunk + s.chunks.first * at.width, s.chunks.count * at.width}});
    };
}
}  // namespace detail

}  // namespace collectives
`;

// The headers of the library with a text of their own that a text needs, the deepest first.
function needed(text, library, done = new Set(), all = []) {
  for (const [, name] of text.matchAll(/^\s*#\s*include\s*<(collectives\/(?:algorithm\/\w+|schedule\/linear)\.hpp)>/gm)) {
    if (done.has(name) || name === "collectives/algorithm/all.hpp") { continue; }
    done.add(name);
    const own = library(name);
    needed(own, library, done, all);
    all.push(own);
  }
  return all;
}
const bare = (text) => text.replace(/^\s*#\s*(?:pragma\s+once|include\s*<collectives\/[^\n]*)[^\n]*\n/gm, "").replace(/^\/\/ SPDX[^\n]*\n/, "");
const uncommented = (text) => text.replace(/^\s*\/\/[^\n]*\n/gm, "").replace(/\n{3,}/g, "\n\n").trim();

// A program that prints the steps of the all-reduce's patterns for `size` ranks.
export function toCompileAlone(text, algorithm, notes, size, library) {
  const has = (p) => algorithm.patterns.includes(p);
  const patterns = has("steps") ? ["steps"] : has("reduce_scatter") && has("all_gather") ? ["reduce_scatter", "all_gather"] : ["reduce", "broadcast"];
  const make = `${written(algorithm)}${algorithm.takesParameter ? ` const a{${algorithm.parameter}}` : " const a{}"}`;
  const calls = patterns.map((p) => `        std::printf("rank %d, ${p}\\n", me);
        a.${p}(me, size, ${["reduce", "broadcast"].includes(p) ? "0, " : ""}print);`).join("\n");
  return `${PRELUDE}
${needed(text, library).map((t) => `${uncommented(bare(t))}\n\n`).join("")}// ---- the algorithm
${bare(without(text, notes)).trim()}

int main() {
    constexpr int size = ${size};
    ${make};
    auto print = [](collectives::step const& s) {
        char const* const names[] = {"send", "recv_reduce", "recv_copy"};
        std::printf("  round %d  %-11s  peer %d  chunks from %d, %d of them\\n", s.round,
                    names[static_cast<int>(s.what)], s.peer, s.chunks.first, s.chunks.count);
    };
    for (int me = 0; me < size; ++me) {
${calls}
    }
}
`;
}

// The public form of a link that carries a whole state: it asks nobody by itself.
export function compilerExplorerLink(source) {
  const options = "-std=c++20 -O2 -Wall -Wextra";
  const state = { sessions: [{ id: 1, language: "c++", source, compilers: [],
                               executors: [{ compiler: { id: "g122", libs: [], options } }] }] };
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  return `https://godbolt.org/clientstate/${encodeURIComponent(btoa(String.fromCharCode(...bytes)))}`;
}
