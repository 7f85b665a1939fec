// SPDX-License-Identifier: BSD-3-Clause
// How an exception is told to other ranks: one mapping for operators, encoders and transports.
#include <collectives/core/error.hpp>
#include <collectives/core/failure.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace coll = collectives;

namespace {

template <class E>
coll::failure told_of(E const& thrown) {
    try {
        throw thrown;
    } catch (...) { return coll::failure_being_handled("all_reduce #3", 2); }
}

void check(coll::failure const& f, coll::failure_kind kind, int peer, std::string const& why) {
    CHECK(f.kind == kind);
    CHECK(f.peer == peer);
    CHECK(std::string(f.text.data()) == "all_reduce #3: on rank 2: " + why);
}

}  // namespace

TEST_CASE("each of the library's errors is told by its kind") {
    using enum coll::failure_kind;
    check(told_of(coll::mismatch_error("differs")), mismatch, -1, "differs");
    check(told_of(coll::transport_error("refused")), transport, -1, "refused");
    check(told_of(coll::peer_lost_error("gone", 5)), peer_lost, 5, "gone");
    auto const late = told_of(coll::timeout_error("late", {1, 4}));
    check(late, timeout, -1, "late");
    CHECK(std::vector<int>(late.missing.begin(), late.missing.begin() + late.missing_count) ==
          std::vector{1, 4});
}

TEST_CASE("whatever else is thrown means that this rank does not do its part") {
    using enum coll::failure_kind;
    check(told_of(coll::usage_error("wrong")), peer_lost, 2, "wrong");
    check(told_of(coll::error("aborted")), peer_lost, 2, "aborted");
    check(told_of(coll::run_error("ended", 1, 3, 0)), peer_lost, 2, "ended");
    check(told_of(std::runtime_error("no bits left")), peer_lost, 2, "no bits left");
    check(told_of(7), peer_lost, 2, "an unknown exception");
}

TEST_CASE("a failure is raised as the error that it was") {
    auto const rethrow = [](coll::failure const& f) { f.raise("rank 0"); };
    CHECK_THROWS_AS(rethrow(told_of(coll::mismatch_error("x"))), coll::mismatch_error);
    CHECK_THROWS_AS(rethrow(told_of(coll::transport_error("x"))), coll::transport_error);
    CHECK_THROWS_AS(rethrow(told_of(coll::timeout_error("x", {1}))), coll::timeout_error);
    CHECK_THROWS_WITH_AS(rethrow(told_of(std::runtime_error("x"))),
                         "rank 0: all_reduce #3: on rank 2: x", coll::peer_lost_error);
}
