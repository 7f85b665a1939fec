// SPDX-License-Identifier: BSD-3-Clause
// What the page computes with, compiled natively, as a server: it reads calls from standard input
// and writes what they gave. A call is int32 number of the function, int32 bytes of input, int32
// numbers of the second input, int32 0, int64[8] arguments, then both inputs; an answer is int32
// result, int32 bytes of output, then the output. Number -1 has no answer: all before it are to be
// answered now.
#include "../core/exports.cpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

// The page interprets no algorithm here.
int own_chunks(int) { return 0; }
int own_owner(int, int) { return 0; }
void own_emit(int, int, int, int) {}

namespace {

using arguments = std::array<std::int64_t, 8>;

template <class T>
T as(std::int64_t value) {
    return static_cast<T>(value);
}

/// Calls `f` with its first arguments, each in the type that it takes.
template <class R, class... A, std::size_t... I>
int call(R (*f)(A...), arguments const& a, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>) {
        f(as<A>(a[I])...);
        return 0;
    } else {
        return f(as<A>(a[I])...);
    }
}

template <class R, class... A>
int call(R (*f)(A...), arguments const& a) {
    return call(f, a, std::index_sequence_for<A...>{});
}

/// In the order of `functions` in both.mjs.
int call(int function, arguments const& a) {
    switch (function) {
        case 0: return call(&names, a);
        case 1: return call(&fits, a);
        case 2: return call(&record, a);
        case 3: return call(&check, a);
        case 4: return call(&cost, a);
        case 5: return call(&closed_form, a);
        case 6: return call(&replay_of, a);
        case 7: return call(&simulate, a);
        case 8: return call(&goal, a);
        case 9: return call(&share, a);
        default: std::fprintf(stderr, "there is no function %d\n", function); std::exit(2);
    }
}

bool read(void* to, std::size_t bytes) { return std::fread(to, 1, bytes, stdin) == bytes; }
void write(void const* from, std::size_t bytes) {
    if (std::fwrite(from, 1, bytes, stdout) != bytes) { std::exit(1); }
}

}  // namespace

int main() {
    struct {
        std::int32_t function, bytes, numbers, nothing;
        arguments given;
    } asked{};
    while (read(&asked, sizeof asked)) {
        if (asked.function < 0) {
            std::fflush(stdout);
            continue;
        }
        auto const bytes = static_cast<std::uint32_t>(asked.bytes);
        auto const count = static_cast<std::uint32_t>(asked.numbers);
        if (!read(input(bytes), bytes)) { return 1; }
        if (!read(input_numbers(count), count * sizeof(double))) { return 1; }
        auto const result = call(asked.function, asked.given);
        std::array<std::int32_t, 2> const head{result, static_cast<std::int32_t>(output_bytes())};
        write(head.data(), sizeof head);
        write(output(), output_bytes());
    }
}
