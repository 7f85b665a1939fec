// SPDX-License-Identifier: BSD-3-Clause
// Copies within the host's memory: of nothing, onto itself, to several places.
#include <collectives/space/copy.hpp>

#include <doctest/doctest.h>

#include <array>
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
