// SPDX-License-Identifier: BSD-3-Clause
// Without memory a cache of programs stays as it was. A program of its own, as it says which
// allocation fails.
#include <collectives/communicator/call_fingerprint.hpp>
#include <collectives/communicator/program_cache.hpp>
#include <collectives/schedule.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace coll = collectives;

namespace {

int allocations_left = -1;  // -1: as many as wanted

/// Where memory goes while there is none: what still points there finds what was there.
std::array<void*, 256> gone;
std::size_t gone_pieces = 0;

void give_back(void* p) {
    if (allocations_left == 0 && gone_pieces < gone.size()) {
        gone[gone_pieces++] = p;
    } else {
        std::free(p);
    }
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    if (allocations_left > 0) { --allocations_left; }
    auto* const p = allocations_left == 0 ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
    if (p == nullptr) { throw std::bad_alloc(); }
    return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { give_back(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { give_back(p); }

namespace {

using made_program = std::shared_ptr<coll::detail::program>;

coll::detail::call_request call_of(std::size_t count) {
    coll::detail::call_request r;
    r.shape.what = r.reported_as = coll::collective::all_gather;
    r.shape.size = 2;
    r.shape.count = 2 * count;
    r.shape.counts = {count, count};
    r.shape.elem_size = 4;
    return r;
}
made_program program_of(coll::detail::call_request const& r) {
    auto const chosen = coll::any_algorithm(coll::star{});
    return std::make_shared<coll::detail::program>(r.shape, chosen, 1,
                                                   coll::detail::fingerprint_of(r, chosen));
}
/// Whether a cache keeps a program although allocation number `fails` from now on fails.
bool adds(coll::detail::program_cache& cache, coll::detail::call_request const& r,
          made_program made, int fails) {
    allocations_left = fails;
    auto added = true;
    try {
        cache.add(r, std::move(made));
    } catch (std::bad_alloc const&) { added = false; }
    allocations_left = -1;
    return added;
}

}  // namespace

TEST_CASE("a program that there is no memory to keep leaves the cache as it was") {
    constexpr int at_once = 2;  // a program and its counts; the list may need more room besides
    for (std::size_t const kept : {0U, 1U, 2U, 4U, 63U, 64U}) {
        CAPTURE(kept);
        for (int fails = 1;; ++fails) {
            CAPTURE(fails);
            coll::detail::program_cache cache;
            std::vector<std::pair<coll::detail::call_request, made_program>> all;
            for (std::size_t i = 0; i < kept; ++i) {
                auto const r = call_of(i);
                all.emplace_back(r, cache.add(r, program_of(r)));
            }
            auto const next = call_of(kept);
            auto const made = program_of(next);
            auto const added = adds(cache, next, made, fails);
            if (!added) {
                CHECK(cache.find(next) == nullptr);
                for (auto const& [r, its] : all) {
                    REQUIRE(cache.find(r) != nullptr);
                    CHECK(*cache.find(r) == its);
                }
                CHECK(made.use_count() == 1);
                CHECK(adds(cache, next, made, -1));
            }
            REQUIRE(cache.find(next) != nullptr);
            CHECK(*cache.find(next) == made);
            if (added) {
                CHECK(fails > at_once);
                break;
            }
        }
    }
    while (gone_pieces > 0) { std::free(gone[--gone_pieces]); }
}
