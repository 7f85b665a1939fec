// SPDX-License-Identifier: BSD-3-Clause
// GOAL text: what is written adds up to the counted cost, and every send has its receive.
#include <collectives/schedule.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/schedule/goal.hpp>

#include <doctest/doctest.h>
#include <test_sampling.hpp>

#include <cstddef>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace coll = collectives;

namespace {

std::size_t number_after(std::string_view text, std::string_view word) {
    auto const at = text.find(word);
    if (at == text.npos) { throw std::runtime_error("no number in " + std::string(text)); }
    return std::strtoull(text.data() + at + word.size(), nullptr, 10);
}

/// Adds up what is written to it, so that no file need be kept.
class reader : public std::streambuf {
public:
    std::size_t ranks = 0;
    std::vector<coll::traffic> traffic;  // reduced: what calcs take
    std::size_t sends = 0, receives = 0;
    std::size_t unmatched = 0;  // sum over sends of a hash of its message, less that of receives

private:
    std::streamsize xsputn(char const* text, std::streamsize n) override {
        for (auto const* const end = text + n; text != end; ++text) { overflow(*text); }
        return n;
    }
    int_type overflow(int_type c) override {
        if (c != '\n') {
            line_ += static_cast<char>(c);
        } else {
            take();
            line_.clear();
        }
        return c;
    }
    void take() {
        std::string_view const text = line_;
        if (text.starts_with("num_ranks ")) { ranks = number_after(text, "num_ranks "); }
        if (text.starts_with("rank ")) {
            REQUIRE(number_after(text, "rank ") == traffic.size());
            traffic.push_back({});
        }
        auto const sent = text.find(": send ") != text.npos;
        if (sent || text.find(": recv ") != text.npos) {
            auto const bytes = number_after(text, sent ? ": send " : ": recv ");
            auto const peer = number_after(text, sent ? "b to " : "b from ");
            auto const tag = number_after(text, " tag ");
            auto const me = traffic.size() - 1;
            (sent ? traffic.back().sent : traffic.back().received) += bytes;
            ++(sent ? sends : receives);
            auto const h =
                coll::mix(coll::mix(bytes, tag), coll::mix(sent ? me : peer, sent ? peer : me));
            unmatched += sent ? h : ~h + 1;
        }
        if (text.find(": calc ") != text.npos) {
            traffic.back().reduced += number_after(text, ": calc ");
        }
    }
    std::string line_;
};

void check(coll::any_algorithm a, int size, std::size_t bytes) {
    CAPTURE(coll::name(a));
    CAPTURE(size);
    reader read;
    std::ostream out(&read);
    coll::write_goal(out, a.record_all(coll::collective::all_reduce, size), bytes, 1);
    auto const counted = a.cost_of(size, bytes);
    CHECK(read.ranks == static_cast<std::size_t>(size));
    CHECK(read.traffic == counted.ranks);
    CHECK(read.sends == read.receives);
    CHECK(read.unmatched == 0);
}

}  // namespace

TEST_CASE("two ranks, letter by letter") {
    std::ostringstream out;
    coll::write_goal(out, coll::record_all(coll::ring{}, coll::collective::all_reduce, 2), 100,
                     0.5);
    auto const rank = [](char me, char peer) {
        std::string text =
            "\nrank M {\nl1: send 50b to P tag 0\nl2: recv 50b from P tag 0\nl3: calc 25\n"
            "l3 requires l1\nl3 requires l2\nl4: send 50b to P tag 1\nl4 requires l3\n"
            "l5: recv 50b from P tag 1\nl5 requires l3\nl6: calc 0\nl6 requires l4\n"
            "l6 requires l5\n}\n";
        for (char& c : text) { c = c == 'M' ? me : c == 'P' ? peer : c; }
        return text;
    };
    CHECK(out.str() == "num_ranks 2\n" + rank('0', '1') + rank('1', '0'));
}

TEST_CASE("the bytes of a GOAL schedule are those that were counted") {
    for (auto const a : coll::all_algorithms) {
        for (int const size : {1, 2, 3, 5, 8, 12}) { check(a, size, 1001); }
    }
    check(coll::hierarchical{4}, 12, 4096);
}

TEST_CASE("of 1,024 ranks too") {
    auto turn = sampling::seed_of_the_day();
    constexpr auto one_of = sampling::sanitized ? 8U : 1U;
    MESSAGE("seed " << turn << ": one algorithm of " << one_of);
    for (auto const a : coll::all_algorithms) {
        if (!sampling::all_cases() && ++turn % one_of != 0) { continue; }
        check(a, 1024, std::size_t{1} << 20);
    }
    check(coll::hierarchical{8}, 1024, std::size_t{1} << 20);
}
