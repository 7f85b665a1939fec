// SPDX-License-Identifier: BSD-3-Clause
// When a rank lends its private memory in a call, and who says whether that pays.
#include <collectives/algorithm/ring.hpp>
#include <collectives/algorithm/star.hpp>
#include <collectives/core/lending_case.hpp>
#include <collectives/lower/protocol.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <set>

namespace coll = collectives;

namespace {

coll::lowering::call_shape lent_shape(coll::collective what, int size, std::size_t bytes) {
    coll::lowering::call_shape s;
    s.what = what;
    s.size = size;
    s.count = bytes;
    s.elem_size = 1;
    return s;
}

}  // namespace

TEST_CASE("cases of other collectives, sizes and numbers of ranks have other numbers") {
    using coll::lending_case;
    std::set<std::size_t> all;
    auto const add = [&](auto&& make) {
        for (std::size_t bytes = 16 * 1024; bytes <= 2 * 1024 * 1024; bytes *= 2) {
            auto const what = make(bytes);
            CHECK(what.index() < lending_case::count);
            CHECK(what.bytes() == bytes);
            CHECK(all.insert(what.index()).second);
            CHECK(make(2 * bytes - 1).index() == what.index());
        }
    };
    add(lending_case::of_message);
    for (auto what = coll::collective{}; what <= coll::collective::barrier;
         what = static_cast<coll::collective>(static_cast<int>(what) + 1)) {
        for (int const ranks : {2, 3}) {
            add([&](std::size_t bytes) { return lending_case::of_call(what, ranks, bytes); });
        }
        CHECK(lending_case::of_call(what, 3, 1).index() ==
              lending_case::of_call(what, 64, 1).index());
    }
    CHECK(all.size() == lending_case::count);
}

TEST_CASE("calls of 8 KiB for each rank suit lending") {
    using coll::collective;
    auto const suits = [](collective what, int size, std::size_t bytes) {
        return coll::lowering::suits_lending(lent_shape(what, size, bytes));
    };
    constexpr std::size_t kib = 1024, mib = 1024 * kib;
    for (auto const what : {collective::all_to_all, collective::broadcast, collective::reduce}) {
        CHECK(suits(what, 2, 16 * kib));
        CHECK_FALSE(suits(what, 2, 16 * kib - 2));
        CHECK(suits(what, 8, 64 * kib));
        CHECK_FALSE(suits(what, 8, 64 * kib - 8));
        CHECK(suits(what, 8, 64 * mib));
        CHECK_FALSE(suits(what, 1, mib));
    }
}

TEST_CASE("who judges lending is a rank that reads") {
    using coll::collective;
    for (int size = 2; size <= 4; ++size) {
        for (coll::rank_t root = 0; root < size; ++root) {
            auto const judge_of = [&](collective what) {
                auto s = lent_shape(what, size, 1 << 20);
                s.root = root;
                return coll::lowering::judge_of_lending(s);
            };
            CHECK(judge_of(collective::gather) == root);
            CHECK(judge_of(collective::reduce) == root);
            for (auto const what : {collective::broadcast, collective::scatter}) {
                CHECK(judge_of(what) != root);
                CHECK(judge_of(what) >= 0);
                CHECK(judge_of(what) < size);
            }
        }
        for (auto const what : {collective::all_gather, collective::all_to_all, collective::scan,
                                collective::exscan, collective::all_reduce}) {
            CHECK(coll::lowering::judge_of_lending(lent_shape(what, size, 1 << 20)) == 1);
        }
    }
}

TEST_CASE("a rank lends where the judge prefers it, in calls that suit lending") {
    using coll::collective;
    namespace lowering = coll::lowering;
    using enum coll::plans::protocol;
    auto const protocol_of = [](collective what, int size, std::size_t bytes, bool prefers) {
        auto const answer = [&] { return prefers; };
        auto const no = [] { return false; };
        auto const piece = [] { return std::size_t{1} << 30; };
        auto const scratch = [](coll::plans::protocol) { return std::size_t{64}; };
        lowering::lowered_call const call(
            what == collective::broadcast ? coll::any_algorithm(coll::star{}) : coll::ring{},
            lent_shape(what, size, bytes));
        auto const choice =
            lowering::choose_for_memory(call, {false, false, false, no, piece, scratch, answer});
        CHECK_FALSE(choice.shown.takes_results);  // peers do not reach the output
        CHECK(choice.shown.shares_copies ==
              (choice.shown.how == zero_copy && what == collective::broadcast && size == 2));
        return choice.shown.how;
    };
    constexpr std::size_t kib = 1024;
    for (auto const what : {collective::all_gather, collective::all_to_all, collective::broadcast,
                            collective::all_reduce, collective::reduce_scatter}) {
        for (auto const bytes : {256 * kib, 4096 * kib}) {
            CHECK(protocol_of(what, 2, bytes, true) == zero_copy);
            CHECK(protocol_of(what, 2, bytes, false) != zero_copy);
        }
        CHECK(protocol_of(what, 2, 8 * kib, true) != zero_copy);
    }
    CHECK(protocol_of(collective::all_reduce, 3, 384 * kib, true) == zero_copy);
    CHECK(protocol_of(collective::all_to_all, 3, 384 * kib, true) == zero_copy);
    CHECK(protocol_of(collective::broadcast, 3, 384 * kib, true) == zero_copy);
    // A rank that computes meanwhile leaves the copy to the reader.
    lowering::lowered_call const call(coll::star{}, lent_shape(collective::broadcast, 2, 64 * kib));
    auto const yes = [] { return true; };
    auto const nothing = [](auto...) { return std::size_t{0}; };
    for (bool const is_awaited : {false, true}) {
        auto const choice = lowering::choose_for_memory(
            call, {false, false, false, yes, nothing, nothing, yes, is_awaited});
        CHECK(choice.shown.shares_copies == is_awaited);
    }
}
