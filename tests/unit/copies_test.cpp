// SPDX-License-Identifier: BSD-3-Clause
// Copies within the host's memory: of nothing, onto itself, of any length from and to any offset,
// to several places.
#include <collectives/core/copy.hpp>
#include <collectives/core/isa.hpp>
#include <collectives/core/streaming_copy.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace coll = collectives;

TEST_CASE("copies, also of nothing and onto itself") {
    std::array<int, 4> const from{1, 2, 3, 4};
    std::array<int, 4> to{};
    coll::host::copy(to.data(), from.data(), sizeof(from));
    CHECK(to == from);
    coll::host::copy(to.data(), to.data(), sizeof(to));
    CHECK(to == from);
    coll::host::copy(nullptr, nullptr, 0);
}

TEST_CASE("copies through the caches, of any length from and to any offset") {
    std::vector<std::byte> from(2500), to(from.size()), right(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) { from[i] = static_cast<std::byte>(i * 7 + 1); }
    auto const check = [&](auto const& copy, std::size_t least, std::size_t most) {
        for (std::size_t const to_offset : {0UL, 1UL, 4UL, 16UL, 31UL, 33UL, 63UL}) {
            for (std::size_t const from_offset : {0UL, 3UL, 8UL, 40UL}) {
                for (std::size_t bytes = least; bytes < most; ++bytes) {
                    std::fill(to.begin(), to.end(), std::byte{});
                    right = to;
                    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(from_offset), bytes,
                                right.begin() + static_cast<std::ptrdiff_t>(to_offset));
                    copy(to.data() + to_offset, from.data() + from_offset, bytes);
                    REQUIRE(to == right);
                }
            }
        }
    };
    check(coll::host::copy_through_caches, 0, 10);
    check(coll::host::copy_through_caches, 2030, 2048 + 170);
#if defined(__x86_64__)
    if (coll::host::supports(coll::host::isa::avx2)) {
        check(coll::host::detail::copy_by_avx2, 32, 300);
    }
#endif
}

TEST_CASE("a copy does not take longer where its places differ a little in their pages") {
    constexpr std::size_t page = 4096, bytes = 16 * page;
    std::vector<std::byte> from(bytes + page), to(bytes + 2 * page);
    auto const on_a_page = [](std::vector<std::byte>& of) {
        return of.data() + -reinterpret_cast<std::uintptr_t>(of.data()) % page;
    };
    auto const time = [&](std::size_t offset) {
        using clock = std::chrono::steady_clock;
        auto least = clock::duration::max();
        for (int i = 0; i < 200; ++i) {
            auto const start = clock::now();
            coll::host::copy(on_a_page(to) + offset, on_a_page(from), bytes);
            asm volatile("" : : : "memory");
            least = std::min(least, clock::now() - start);
        }
        return least;
    };
    if (coll::host::current_isa() == coll::host::isa::portable) {
        MESSAGE("not looked at: without AVX2 copies are the system's");
        return;
    }
    for (std::size_t const offset : {4UL, 8UL, 16UL, 36UL}) {
        CAPTURE(offset);
        CHECK(time(offset) < 4 * time(0));
    }
}

TEST_CASE("the same bytes to several places, alike in cache lines or not") {
    constexpr std::size_t line = 64, most = 5 * line;
    std::vector<std::byte> from(most + line);
    for (std::size_t i = 0; i < from.size(); ++i) { from[i] = static_cast<std::byte>(i * 7 + 1); }
    std::byte const* const next[] = {from.data()};
    for (auto const where : {coll::destination::read_soon, coll::destination::not_read_soon}) {
        for (std::size_t const bytes : {0UL, 1UL, 63UL, 64UL, 65UL, 130UL, 256UL, most}) {
            for (std::size_t const first : {0UL, 1UL, 60UL}) {
                for (std::size_t const second : {first, (first + 4) % line}) {
                    auto const source = from.data() + first % 3;
                    std::vector<std::byte> memory(4 * most, std::byte{0x5a});
                    auto* const lines =
                        memory.data() +
                        (line - reinterpret_cast<std::uintptr_t>(memory.data()) % line);
                    std::byte* const outputs[] = {lines + first, lines + 2 * most + second};
                    coll::host::copies all;
                    all.add(outputs, source, bytes, where, next);
                    all.end();
                    std::size_t touched = 0;
                    for (auto* const o : outputs) { CHECK(std::memcmp(o, source, bytes) == 0); }
                    for (auto const b : memory) { touched += b != std::byte{0x5a} ? 1U : 0U; }
                    std::size_t alike = 0;  // of what was copied, to what lay there
                    for (std::size_t i = 0; i < bytes; ++i) {
                        alike += source[i] == std::byte{0x5a} ? 1U : 0U;
                    }
                    CHECK(touched == 2 * (bytes - alike));
                }
            }
        }
    }
}
