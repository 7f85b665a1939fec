// SPDX-License-Identifier: BSD-3-Clause
// Texts: numbers are written and read whole, or refused.
#include <collectives/core/text.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace coll = collectives;

TEST_CASE(
    "take_number takes the digits in front, and nothing where they are no number of 64 bits") {
    struct {
        std::string_view text;
        std::optional<std::uint64_t> number;
        std::string_view rest;
    } const all[]{
        {"0", 0, ""},
        {"007", 7, ""},
        {"12k", 12, "k"},
        {"2147483648", 2147483648, ""},
        {"18446744073709551615", std::numeric_limits<std::uint64_t>::max(), ""},
        {"18446744073709551616", {}, "18446744073709551616"},
        {"99999999999999999999", {}, "99999999999999999999"},
        {"", {}, ""},
        {"k", {}, "k"},
        {"-1", {}, "-1"},
        {"+1", {}, "+1"},
        {" 1", {}, " 1"},
    };
    for (auto const& one : all) {
        CAPTURE(one.text);
        auto rest = one.text;
        CHECK(coll::take_number(rest) == one.number);
        CHECK(rest == one.rest);
    }
}

TEST_CASE("text_of writes each number whole") {
    CHECK(coll::text_of(0, " ", -1, " ", 10) == "0 -1 10");
    CHECK(coll::text_of(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
    CHECK(coll::text_of(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
}
