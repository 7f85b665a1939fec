// SPDX-License-Identifier: BSD-3-Clause
// The source of an algorithm's steps, without its type: everything but its own functions is
// compiled once for all algorithms.
#pragma once

#include <collectives/schedule/algorithm.hpp>
#include <collectives/schedule/collector.hpp>

#include <cstdint>
#include <type_traits>

namespace collectives::inline v0::detail {

/// The functions that an algorithm may have.
enum class pattern : std::uint8_t {
    steps,
    reduce_scatter,
    all_gather,
    reduce,
    broadcast,
    gather,
    scatter,
    all_to_all,
    scan
};

/// The arguments of one of these functions. `root` counts only if the function takes one.
struct part {
    pattern what;
    rank_t me;
    int size;
    rank_t root;
};

struct step_source {
    int parameter;
    unsigned own;  ///< the patterns that the algorithm has, a bit for each
    int (*chunks)(int parameter, int size);
    rank_t (*owner)(int parameter, int chunk, int size);
    void (*emit)(int parameter, part const& p, step_collector& to);

    constexpr bool has(pattern p) const { return (own >> static_cast<unsigned>(p) & 1U) != 0; }
    /// As the concepts of these names.
    constexpr bool joins_on_owners() const {
        return has(pattern::reduce_scatter) && has(pattern::all_gather) && !has(pattern::steps);
    }
    constexpr bool joins_on_root() const { return has(pattern::reduce) && has(pattern::broadcast); }
    constexpr int chunks_for(int size) const { return chunks(parameter, size); }
    constexpr rank_t owner_of(int chunk, int size) const { return owner(parameter, chunk, size); }
};

/// The algorithm of this type with this parameter, if it takes one.
template <algorithm A>
constexpr A made_of([[maybe_unused]] int parameter) {
    if constexpr (has_a_parameter<A>) {
        return A{parameter};
    } else {
        return A{};
    }
}
template <algorithm A>
constexpr int parameter_of([[maybe_unused]] A a) {
    if constexpr (has_a_parameter<A>) {
        return a.parameter();
    } else {
        return 0;
    }
}

template <algorithm A>
inline constexpr unsigned own_patterns = [] {
    bool const has[]{has_steps<A>,   has_reduce_scatter<A>, has_all_gather<A>,
                     has_reduce<A>,  has_broadcast<A>,      has_gather<A>,
                     has_scatter<A>, has_all_to_all<A>,     has_scan<A>};
    unsigned result = 0, bit = 1;
    for (bool const it : has) {
        result |= it ? bit : 0;
        bit *= 2;
    }
    return result;
}();

template <algorithm A>
constexpr int chunks_with(int parameter, int size) {
    return made_of<A>(parameter).chunks(size);
}
template <algorithm A>
constexpr rank_t owner_with(int parameter, int chunk, int size) {
    if constexpr (has_owner<A> && joins_on_owners<A>) {
        return made_of<A>(parameter).owner(chunk, size);
    } else {
        return chunk;
    }
}

template <algorithm A>
constexpr void emit_with(int parameter, part const& p, step_collector& emit) {
    [[maybe_unused]] auto const a = made_of<A>(parameter);
    switch (p.what) {
        case pattern::steps:
            if constexpr (has_steps<A>) { a.steps(p.me, p.size, emit); }
            break;
        case pattern::reduce_scatter:
            if constexpr (has_reduce_scatter<A>) { a.reduce_scatter(p.me, p.size, emit); }
            break;
        case pattern::all_gather:
            if constexpr (has_all_gather<A>) { a.all_gather(p.me, p.size, emit); }
            break;
        case pattern::reduce:
            if constexpr (has_reduce<A>) { a.reduce(p.me, p.size, p.root, emit); }
            break;
        case pattern::broadcast:
            if constexpr (has_broadcast<A>) { a.broadcast(p.me, p.size, p.root, emit); }
            break;
        case pattern::gather:
            if constexpr (has_gather<A>) { a.gather(p.me, p.size, p.root, emit); }
            break;
        case pattern::scatter:
            if constexpr (has_scatter<A>) { a.scatter(p.me, p.size, p.root, emit); }
            break;
        case pattern::all_to_all:
            if constexpr (has_all_to_all<A>) { a.all_to_all(p.me, p.size, emit); }
            break;
        case pattern::scan:
            if constexpr (has_scan<A>) { a.scan(p.me, p.size, emit); }
            break;
    }
}

/// A compiled copy of these functions: not `inline`, so that an `extern template` spares a program
/// from compiling them (algorithm/all.hpp).
template <algorithm A>
struct functions_of {
    [[gnu::cold]] static int chunks(int parameter, int size);
    [[gnu::cold]] static rank_t owner(int parameter, int chunk, int size);
    [[gnu::cold]] static void emit(int parameter, part const& p, step_collector& to);
};
template <algorithm A>
int functions_of<A>::chunks(int parameter, int size) {
    return chunks_with<A>(parameter, size);
}
template <algorithm A>
rank_t functions_of<A>::owner(int parameter, int chunk, int size) {
    return owner_with<A>(parameter, chunk, size);
}
template <algorithm A>
void functions_of<A>::emit(int parameter, part const& p, step_collector& to) {
    emit_with<A>(parameter, p, to);
}

template <algorithm A>
constexpr step_source source_of(A a) {
    if (std::is_constant_evaluated()) {
        return {parameter_of(a), own_patterns<A>, &chunks_with<A>, &owner_with<A>, &emit_with<A>};
    }
    return {parameter_of(a), own_patterns<A>, &functions_of<A>::chunks, &functions_of<A>::owner,
            &functions_of<A>::emit};
}

}  // namespace collectives::detail
