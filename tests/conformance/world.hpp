// SPDX-License-Identifier: BSD-3-Clause
// The ways in which ranks are brought up, over which the conformance suite runs.
#pragma once

#include <collectives/collectives.hpp>

#include <test_sampling.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace conformance {

namespace coll = collectives;

/// Throws if a check fails: on a rank of its own process nothing else reaches the test. `text` is a
/// string, or makes one.
template <class Text>
void expect(bool fine, Text&& text) {
    if (fine) [[likely]] { return; }
    if constexpr (std::is_invocable_v<Text>) {
        throw std::runtime_error("check failed: " + std::string(std::forward<Text>(text)()));
    } else {
        throw std::runtime_error("check failed: " + std::string(std::forward<Text>(text)));
    }
}

/// Throws unless f throws an E. Gives its message.
template <class E, class F>
std::string expect_throw(F&& f, std::string const& what) {
    try {
        f();
    } catch (E const& e) { return e.what(); }
    throw std::runtime_error("check failed, nothing was thrown: " + what);
}

/// Numbers that are the same on every rank and in every run.
constexpr std::uint64_t scramble(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/// What each rank does. The ranks share it and call it at once.
using rank_body = std::function<void(coll::communicator&)>;

/// A way to bring up ranks.
struct world {
    char const* name;
    void (*run)(int size, rank_body const& body);
};

namespace detail {

inline void run_threads(int size, rank_body const& body) { coll::threads::run(size, body); }
inline void run_shm(int size, rank_body const& body) { coll::shm::run(size, body); }

}  // namespace detail

inline constexpr world over_threads{"threads", detail::run_threads};
inline constexpr world over_shm{"shm", detail::run_shm};

/// Two adaptors, one over the other.
struct counted_and_traced {
    coll::counted counts;
    coll::traced trace;

    std::shared_ptr<coll::any_transport> operator()(
        std::shared_ptr<coll::any_transport> base) const {
        return trace(counts(std::move(base)));
    }
};

namespace detail {

/// The same ranks, with adaptors between communicator and transport.
template <world const& Base>
void run_adapted(int size, rank_body const& body) {
    Base.run(size, [&body](coll::communicator& base) {
        auto comm = base.with(counted_and_traced{});
        body(comm);
    });
}

}  // namespace detail

inline constexpr world adapted_threads{"adapted threads", detail::run_adapted<over_threads>};
inline constexpr world adapted_shm{"adapted shm", detail::run_adapted<over_shm>};

/// With sanitizers much takes long.
inline bool with_sanitizers() { return std::getenv("COLLECTIVES_TEST_LARGEST") != nullptr; }

/// All that are for so many ranks, with every number of ranks per host.
inline std::vector<coll::any_algorithm> algorithms_for(int size) {
    std::vector<coll::any_algorithm> all(coll::all_algorithms.begin(), coll::all_algorithms.end());
    for (int h = 2; h < size; ++h) {
        if (coll::fits(coll::hierarchical{h}, size)) { all.emplace_back(coll::hierarchical{h}); }
    }
    return all;
}

/// A launcher started the ranks, in a number of its choice.
inline bool launcher_chose_size = false;

/// What says which cases are taken. All ranks must have the same.
inline std::uint32_t seed_of_sample() {
    static auto const seed = [] {
        auto const of_today = sampling::seed_of_the_day();
        std::printf("seed %u: a sample of the cases\n", of_today);
        return of_today;
    }();
    return seed;
}

/// The numbers of ranks to test with: all up to 4, and one of those above, as many ranks on few
/// processors take long. Up to COLLECTIVES_TEST_LARGEST where that is set.
inline std::vector<int> sizes(std::vector<int> all = {1, 2, 3, 4, 5, 7, 8}) {
    auto const seed = seed_of_sample();  // here already, so that ranks get it and do not print it
    if (char const* const largest = std::getenv("COLLECTIVES_TEST_LARGEST")) {
        std::erase_if(all, [most = std::stoi(largest)](int size) { return size > most; });
    }
    auto const is_large = [](int size) { return size > 4; };
    auto const large = std::count_if(all.begin(), all.end(), is_large);
    if (large > 1 && !launcher_chose_size && !sampling::all_cases()) {
        auto kept = scramble(seed) % static_cast<std::uint64_t>(large);
        std::erase_if(all, [&](int size) { return is_large(size) && kept-- != 0; });
    }
    return all;
}

/// Whether the case `key` is among those taken, one of so many.
inline bool is_in_sample(std::uint64_t key, std::uint32_t one_of) {
    return sampling::all_cases() || scramble(key + seed_of_sample()) % one_of == 0;
}

/// The same for one with so many ranks: each up to 2 ranks, one of two up to 4, one of four above;
/// with sanitizers half as many of those with 3 ranks and more.
inline bool is_taken(int size, std::uint64_t key) {
    constexpr auto rarer = sampling::sanitized ? 2U : 1U;
    return is_in_sample(key, size <= 2 ? 1 : size <= 4 ? 2 * rarer : 4 * rarer);
}

}  // namespace conformance
