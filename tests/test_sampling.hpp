// SPDX-License-Identifier: BSD-3-Clause
// Which cases a test takes where there are more than its time allows.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace sampling {

/// Whether a sanitizer of addresses or of threads is compiled in: all takes several times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // g++
inline constexpr bool sanitized = true;
#elif defined(__has_feature)  // clang
inline constexpr bool sanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

/// COLLECTIVES_TEST_ALL=1: every case, not a sample.
inline bool all_cases() {
    auto const* const asked = std::getenv("COLLECTIVES_TEST_ALL");
    return asked != nullptr && *asked != '\0';
}

/// COLLECTIVES_TEST_SEED, else `otherwise`.
inline std::uint32_t seed(std::uint32_t otherwise) {
    auto const* const given = std::getenv("COLLECTIVES_TEST_SEED");
    return given != nullptr ? static_cast<std::uint32_t>(std::stoul(given)) : otherwise;
}

/// COLLECTIVES_TEST_SEED, else the number of the day.
inline std::uint32_t seed_of_the_day() {
    return seed(static_cast<std::uint32_t>(std::time(nullptr) / (24 * 60 * 60)));
}

/// With sanitizers one of eight of these numbers of ranks above 16, since each takes long.
inline std::vector<int> some_of(std::vector<int> sizes) {
    if (!sanitized || all_cases()) { return sizes; }
    auto turn = seed_of_the_day();
    std::printf("seed %u: some sizes above 16\n", turn);
    std::erase_if(sizes, [&](int size) { return size > 16 && ++turn % 8 != 0; });
    return sizes;
}

}  // namespace sampling
