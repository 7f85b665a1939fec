#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What g++ says of pieces of C++. Usage: explorer/tests/semantics.py > explorer/tests/semantics.json

Each piece is the body of a constexpr function that gives an int. Its value is a number, or null where
the constant evaluator refuses it. interpreter.mjs holds the page's interpreter against the table."""
import json
import random
import re
import subprocess
import sys
import tempfile

PRELUDE = """#include <collectives/algorithm/fold_ranks.hpp>
#include <collectives/schedule/step.hpp>
#include <algorithm>
using namespace collectives;
struct pair_of { int a = 3; int b; chunk_range c{}; };
struct counter {
    int n;
    int twice;
    constexpr counter(int start) : n(start), twice(2 * n) {}
    constexpr counter(int a, int b) : counter(a + b) { ++n; }
    constexpr int next() { return ++n; }
    constexpr int sum(int more = 10) const { return n + twice + more; }
};
constexpr int apply(int x, auto&& f) { return f(x) + 1; }
constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
"""

EXPRESSIONS = """
7 / 2;-7 / 2;7 / -2;-7 / -2;7 % 2;-7 % 2;7 % -2;-7 % -2;1 / 0;1 % 0;2147483647 + 1;-2147483647 - 1;-2147483647 - 2
(-2147483647 - 1) / -1;(-2147483647 - 1) % -1;-(-2147483647 - 1);65536 * 65536;46341 * 46341;46340 * 46340;-65536 * 32768
1 << 30;1 << 31;3 << 31;1 << 32;1 << -1;-1 << 3;-5 >> 1;5 >> 1;-1 >> 31;1 >> 32;5 << 0;~5;~-1;-5 & 3;-5 | 3;-5 ^ 3;6 & 3 | 8
1 + 2 * 3 - 4 / 2;1 << 2 + 1;(1 << 2) + 1;1 | 2 ^ 3 & 6;1 < 2 == true;5 & 3 == 3;!5;!0 + 1;!!7 + !!0;true + true;-true;~false
3 < 2 || 2 < 3 && 1 < 0;1 ? 2 : 0 ? 3 : 4;0 ? 2 : 1 ? 3 : 4;1 ? 0 ? 5 : 6 : 7;- -3;+-+3;2 - -2;10 - 3 - 2;100 / 10 / 5;17 % 10 % 4
1 && 0 / 1 || 4;0 && 1 / 0;1 || 1 / 0;0x1F + 0b101 + 1'000;1 == 1 == 1;2 == 2 == 2;5 > 3 > 1 == 0;~0 << 4;7 & -7;-8 >> 1 << 1;2147483647 * 1 + -2147483647
static_cast<int>(verb::recv_copy) + 1;static_cast<int>(true) * 5;int(7) + int{2};bool(4) + 1;bool(0);verb::send < verb::recv_copy
chunk_range{3}.count + chunk_range{3, 5}.count;step{1, verb::send, 4, {5, 6}}.chunks.first;step{}.chunks.count;chunk_range{1, 2} == chunk_range{1, 2}
step{1} != step{2};std::min(3, 5) * std::max(3, 5);ceil_log2(1) + 10 * ceil_log2(5) + 100 * floor_log2(5);floor_log2(0) + ceil_log2(-3);floor_log2(2147483647)
ceil_log2(2147483647);detail::fold(5, 7).real(1);detail::fold(5, 7).pair() + detail::fold(5, 7).virtual_rank();factorial(12);factorial(13);counter(2, 3).sum();counter{4}.sum(1)
pair_of{}.a + pair_of{}.b + pair_of{1, 2}.c.count;pair_of{1, 2, {5}}.c.first
(3 > 2) + (2 > 3);5 - (2 > 1);(1 < 2) << 4;true ? 1 : false;(2 > 1 ? 3 : 4) * 2;-7 / 2 * 2 + -7 % 2;1 - 1 ? 5 : 6;4 % 3 == 1 && 9 / 3 == 3
"""

BODIES = """
int x = 3; x += 4; x *= 2; x -= 1; x /= 3; x <<= 3; x |= 1; x ^= 5; x &= 62; x %= 20; x >>= 1; return x;
int x = 2147483647; ++x; return x;
int x = -2147483647; x -= 2; return x;
int s = 0; for (int i = 0; i < 10; ++i) { if (i == 3) { continue; } if (i == 7) { break; } s += i; } return s;
int s = 0; for (int i = 0, j = 10; i < j; ++i, j -= 2) { s = 10 * s + j - i; } return s;
int s = 0; for (int way : {1, -1, 5}) { s = 3 * s + way; } return s;
int n = 27, s = 0; while (n != 1) { n = n % 2 == 0 ? n / 2 : 3 * n + 1; ++s; } return s;
int n = 0; do { n += 3; } while (n < 10); return n;
int x = 1; { int x = 5; x += 1; } return x;
int x = 1; auto f = [&](int y) { x += y; return x; }; f(2); f(3); return x;
int x = 1; auto f = [x](int y) { return x + y; }; x = 10; return f(2) + x;
int x = 1; auto f = [=](int y) { return x + y; }; x = 10; return f(2) + x;
int x = 1; auto f = [&, x](int y) { return x + y; }; x = 10; return f(2) + x;
int x = 2; auto g = [&] { auto h = [&] { x *= 3; }; h(); h(); }; g(); return x;
int x = 4; return apply(5, [&](int y) { return x * y; });
auto const [a, b, c] = pair_of{1, 2, {7, 8}}; return 100 * a + 10 * b + c.count;
pair_of p{1, 2, {3, 4}}; pair_of q = p; q.c.first = 9; p.a += 5; return 100 * p.a + 10 * p.c.first + q.c.first;
pair_of p; p.b = 7; return p.a + p.b + p.c.count;
pair_of p{}; pair_of const& r = p; p.a = 6; return r.a;
auto change = [](pair_of& p) { p.a = 42; }; pair_of p{}; change(p); return p.a;
auto change = [](pair_of p) { p.a = 42; return p.b; }; pair_of p{}; change(p); return p.a;
pair_of const p{.b = 2}; return 100 * p.a + 10 * p.b + p.c.count;
pair_of const p = {.a = 1, .b = 2, .c = {.first = 4}}; return 100 * p.a + 10 * p.b + p.c.first;
return step{.what = verb::recv_copy, .chunks = {5, 6}}.chunks.count + pair_of{.c{7}}.c.first;
run_hints const h{.push_copies = true}; return (h.push_copies ? 1 : 0) + (h.overlap_segments ? 2 : 0);
pair_of const p{.b = 1, .a = 2}; return p.a;
pair_of const p{.b = 1, .b = 2}; return p.b;
pair_of const p{.z = 1}; return p.a;
pair_of const p{.a = 1, 2}; return p.a;
int const n{.a = 1}; return n;
pair_of p{}; p = {4, 5, {6}}; chunk_range const c = p.c; p.c = {8, 9}; return 100 * c.first + 10 * c.count + p.c.first;
counter c(5); c.next(); return c.next() * 100 + c.sum();
if (int const a = 5, b = 3; a > b) { return a - b; } else { return b; }
if (1 > 2) { return 1; } else if (2 > 1) { return 2; } else { return 3; }
int i = 5; int j = i++; int k = ++i; return 100 * i + 10 * j + k;
int i = 5; bool b = i; b = 7; return b + i;
bool b = false; b |= 4 > 2; return b;
bool b = true; b = 0; return b ? 1 : 2;
int x; x = 4; return x;
int x; return x;
int const n = 4; constexpr int m = 3; return n * m;
int s = 0; for (;;) { if (++s > 4) { return s; } }
int s = 0; for (int i = 3; i --> 0;) { s = s * 10 + i; } return s;
verb v = verb::send; v = verb::recv_copy; return v == verb::recv_copy ? 1 : 0;
step s{1, verb::send, 2, {3}}; s.round += 4; s.chunks.count = 7; step const t = s; s.peer = 0; return t.round + t.chunks.count + t.peer;
int depth = 0; for (int i = 0; i < 3; ++i) { for (int j = 0; j < 3; ++j) { if (j > i) { break; } ++depth; } } return depth;
auto const twice = [](auto f, int x) { return f(f(x)); }; return twice([](int x) { return 3 * x; }, 2);
auto const f = [](int a, int b = 5) { return a - b; }; return f(1) + f(1, 2);
int x = 10; int y = x > 5 ? x - 5 : x + 5; return y;
return -7 >> 1;
return [](int x) { return x * x; }(7);
return [](auto x, int y) { return x - y; }(7, 9);
return [](bool a) -> int { return a; }(true) + [] { return 5; }();
int a = 1; int b = 2; int const t = a; a = b; b = t; return 10 * a + b;
counter c{1, 2}; counter d = c; d.next(); return 10 * c.n + d.n;
auto const fold = detail::fold(3, 6); int s = 0; for (int v = 0; v < fold.q; ++v) { s = 10 * s + fold.real(v); } return s;
if constexpr (3 > 2) { return 1; } else { return 2; }
int s = 0; for (int d = 1; d < 100; d *= 2, ++s) {} return s;
"""


def random_expression(rng, depth):
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(["0", "1", "2", "3", "5", "7", "31", "32", "1000", "65536", "2147483647", "true", "false"])
    kind = rng.random()
    if kind < 0.12:
        return rng.choice("-~!+") + " " + random_expression(rng, depth - 1)
    if kind < 0.24:
        return "(" + random_expression(rng, depth - 1) + ")"
    if kind < 0.32:
        return "(" + " ".join([random_expression(rng, depth - 1), "?", random_expression(rng, depth - 1), ":",
                               random_expression(rng, depth - 1)]) + ")"
    sign = rng.choice("+ + - - * * / % << >> & | ^ == != && ||".split())
    return f"{random_expression(rng, depth - 1)} {sign} {random_expression(rng, depth - 1)}"


def refused(source):
    """The lines in which g++ finds a mistake."""
    run = subprocess.run(["g++", "-std=c++20", "-Iinclude", "-fsyntax-only", "-w", "-x", "c++", "-"], input=source, text=True,
                         capture_output=True)
    return {int(n) for n in re.findall(r"^<stdin>:(\d+):\d+: error", run.stderr, re.M)}


def main():
    rng = random.Random(1)
    bodies = [f"return {e.strip()};" for line in EXPRESSIONS.split("\n") for e in line.split(";") if e.strip()]
    bodies += [line for line in BODIES.split("\n") if line]
    bodies += sorted({f"return {random_expression(rng, 4)};" for _ in range(400)})
    first = PRELUDE.count("\n") + 1
    lines = [f"constexpr int f{i}() {{ {body} }} constexpr int r{i} = f{i}();" for i, body in enumerate(bodies)]
    bad = {n - first for n in refused(PRELUDE + "\n".join(lines) + "\n")}
    good = [i for i in range(len(bodies)) if i not in bad]
    with tempfile.TemporaryDirectory() as folder:
        source = "#include <cstdio>\n" + PRELUDE + "\n".join(lines[i] for i in good) + "\nint main() {"
        source += "".join(f'std::printf("%d\\n", r{i});' for i in good) + "}\n"
        subprocess.run(["g++", "-std=c++20", "-Iinclude", "-w", "-x", "c++", "-", "-o", f"{folder}/a"], input=source, text=True, check=True)
        values = subprocess.run([f"{folder}/a"], capture_output=True, text=True, check=True).stdout.split()
    known = dict(zip(good, map(int, values)))
    cases = [{"body": body, "value": known.get(i)} for i, body in enumerate(bodies)]
    json.dump({"prelude": PRELUDE, "cases": cases}, sys.stdout, indent=0)
    print()
    print(f"{len(cases)} pieces, {len(cases) - len(known)} refused", file=sys.stderr)


main()
