// SPDX-License-Identifier: BSD-3-Clause
// Change one step of one rank anywhere: the checker always objects.
#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace coll = collectives;
using coll::collective;
using coll::step;
using coll::verb;

namespace {

constexpr std::array verbs{verb::send, verb::recv_reduce, verb::recv_copy};

/// Every other value of one field of a step, some of them out of range.
std::vector<step> changed(step const& s, coll::schedule const& own) {
    std::vector<step> result;
    auto const with = [&](auto change) {
        step other = s;
        change(other);
        if (other != s) { result.push_back(other); }
    };
    for (int r = -1; r <= own.rounds; ++r) {
        with([&](step& t) { t.round = r; });
    }
    for (auto const v : verbs) {
        with([&](step& t) { t.what = v; });
    }
    for (int p = -1; p <= own.size; ++p) {
        with([&](step& t) { t.peer = p; });
    }
    for (int c = -1; c <= own.chunks; ++c) {
        with([&](step& t) { t.chunks.first = c; });
    }
    for (int n = -1; n <= own.chunks + 1; ++n) {
        with([&](step& t) { t.chunks.count = n; });
    }
    return result;
}

std::string described(coll::any_algorithm a, coll::schedule const& own, step const& s) {
    return coll::name(a) + " " + std::string(name(own.what)) + " P=" + std::to_string(own.size) +
           " root " + std::to_string(own.root) + " rank " + std::to_string(own.rank) + ": round " +
           std::to_string(s.round) + " " + std::string(name(s.what)) + " " +
           std::to_string(s.peer) + " {" + std::to_string(s.chunks.first) + ", " +
           std::to_string(s.chunks.count) + "}";
}

/// Changes, drops and doubles every step of every rank, one at a time.
void mutate_everywhere(coll::any_algorithm a, collective what, int size, int root) {
    auto all = a.record_all(what, size, root);
    REQUIRE(coll::check(all).ok);
    std::size_t survivors = 0;
    std::string survivor;
    auto const expect_objection = [&](coll::schedule const& own, step const& s) {
        if (coll::check(all).ok) {
            ++survivors;
            survivor = described(a, own, s);
        }
    };
    for (auto& own : all) {
        auto const steps = own.steps;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            for (auto const& other : changed(steps[i], own)) {
                own.steps[i] = other;
                expect_objection(own, other);
            }
            own.steps = steps;
            own.steps.erase(own.steps.begin() + static_cast<std::ptrdiff_t>(i));
            expect_objection(own, steps[i]);
            own.steps = steps;
            own.steps.insert(own.steps.begin() + static_cast<std::ptrdiff_t>(i), steps[i]);
            expect_objection(own, steps[i]);
            own.steps = steps;
        }
    }
    INFO("not objected to: " << survivor);
    CHECK(survivors == 0);
}

}  // namespace

TEST_CASE("every change of every step is caught, up to 7 ranks") {
    for (auto const a : coll::all_algorithms) {
        for (auto const what : coll::scheduled_collectives) {
            for (int size = 2; size <= 7; ++size) {
                mutate_everywhere(a, what, size, 0);
                if (coll::is_rooted(what)) { mutate_everywhere(a, what, size, size - 1); }
            }
        }
    }
}

TEST_CASE("every change of every step is caught with hosts") {
    for (auto const what : coll::scheduled_collectives) {
        for (auto const& [per_host, size] : {std::pair{2, 4}, {2, 6}, {3, 6}}) {
            mutate_everywhere(coll::hierarchical{per_host}, what, size, 0);
            if (coll::is_rooted(what)) {
                mutate_everywhere(coll::hierarchical{per_host}, what, size, size - 1);
            }
        }
    }
}

TEST_CASE("a random change of a random step is caught, up to 40 ranks") {
    bool const caught = rc::check("the checker objects", [] {
        auto const a = *rc::gen::elementOf(coll::all_algorithms);
        auto const what = *rc::gen::elementOf(coll::scheduled_collectives);
        int const size = *rc::gen::inRange(2, 41);
        int const root = coll::is_rooted(what) ? *rc::gen::inRange(0, size) : 0;
        auto all = a.record_all(what, size, root);
        for (int repeated = 0; repeated < 50; ++repeated) {
            auto& own = all[static_cast<std::size_t>(*rc::gen::inRange(0, size))];
            if (own.steps.empty()) { continue; }
            auto const steps = own.steps;
            auto const i = *rc::gen::inRange<std::size_t>(0, steps.size());
            auto const at = own.steps.begin() + static_cast<std::ptrdiff_t>(i);
            step& s = own.steps[i];
            switch (*rc::gen::inRange(0, 7)) {
                case 0: s.round = *rc::gen::inRange(-1, own.rounds + 1); break;
                case 1: s.what = *rc::gen::elementOf(verbs); break;
                case 2: s.peer = *rc::gen::inRange(-1, size + 1); break;
                case 3: s.chunks.first = *rc::gen::inRange(-1, own.chunks + 1); break;
                case 4: s.chunks.count = *rc::gen::inRange(-1, own.chunks + 2); break;
                case 5: own.steps.erase(at); break;
                default: own.steps.insert(at, steps[i]);
            }
            if (own.steps != steps) { RC_ASSERT(!coll::check(all).ok); }
            own.steps = steps;
        }
    });
    CHECK(caught);
}
