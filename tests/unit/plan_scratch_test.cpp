// SPDX-License-Identifier: BSD-3-Clause
// How much scratch plans need, and which of it is written once.
#include <unit/plan_cases.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

using namespace plan_cases;

namespace {

/// Bytes of scratch that the algorithms' documentation states for an all_reduce: values of others
/// that a rank must hold at one time. A chunk may be an element longer than the others, and
/// pieces begin at multiples of 64 bytes.
std::size_t allowed_scratch(coll::any_algorithm a, int size, std::size_t n) {
    auto const p = static_cast<std::size_t>(size);
    auto const name = a.name();
    auto const rounding = p * (64 + 4);
    if (name == "ring") { return (n + p - 1) / p + rounding; }
    if (name == "circulant") { return n / 2 + rounding; }
    if (name == "halving") { return n / 2 + rounding; }
    if (name == "one_shot") { return p * n + rounding; }
    return n + rounding;
}

/// A call of floats on one rank, lowered under any protocol.
class lowered {
public:
    lowered(coll::any_algorithm a, int size, int rank, std::size_t count, bool in_place)
        : call_(a, shape_of(size, count), 1), rank_(rank), in_place_(in_place) {}

    pl::plan under(pl::protocol how) const {
        auto const keeps =
            pl::uses_scratch_once(how) ? pl::scratch_life::ring : pl::scratch_life::run;
        return call_.lower(rank_, {{how, in_place_, false}, keeps});
    }

private:
    static coll::lowering::call_shape shape_of(int size, std::size_t count) {
        coll::lowering::call_shape shape;
        shape.size = size;
        shape.count = count;
        shape.elem_size = 4;
        return shape;
    }

    low::lowered_call call_;
    int rank_;
    bool in_place_;
};

/// The points of the plan's own run that it waits for before it has left the run, or after that,
/// where these are points at which a peer has read something.
std::vector<pl::instruction> waits_for_readers(pl::plan const& p, bool after_leaving) {
    std::vector<pl::instruction> result;
    auto has_left = false;
    for (auto const& i : p.program) {
        has_left = has_left || (i.what == pl::opcode::publish && i.at == pl::left);
        if (i.what == pl::opcode::wait && i.runs_back == 0 && !pl::is_come(i.at) &&
            has_left == after_leaving) {
            result.push_back(i);
        }
    }
    return result;
}

/// Whether scratch is written once: what a peer may have read there is not written over.
bool writes_scratch_once(pl::plan const& p) {
    std::vector<std::pair<std::size_t, std::size_t>> written;  // begin and end
    for (auto const& i : p.program) {
        for (int k = i.destinations.first; k < i.destinations.last; ++k) {
            auto const& to = p.destinations[static_cast<std::size_t>(k)].to;
            if (to.where != pl::memory::scratch) { continue; }
            for (auto const& [first, last] : written) {
                if (to.offset < last && first < to.offset + i.bytes) { return false; }
            }
            written.emplace_back(to.offset, to.offset + i.bytes);
        }
    }
    return true;
}

/// Peers read input where it lies, and are waited for alone if they do.
void expect_staged_results(pl::plan const& p) {
    std::vector<pl::point> wait_for(64, 0);  // until the peer has left this round
    for (auto const& o : p.offers) {
        CHECK(o.at.where != pl::memory::output);
        auto& point = wait_for[static_cast<std::size_t>(o.to)];
        if (o.at.where == pl::memory::input) { point = std::max(point, pl::done(o.round)); }
    }
    for (auto const& i : waits_for_readers(p, true)) {
        CHECK(std::exchange(wait_for[static_cast<std::size_t>(i.peer)], 0) == i.at);
    }
    CHECK(std::count(wait_for.begin(), wait_for.end(), 0) == 64);
}

}  // namespace

TEST_CASE(
    "the last sums are staged as they are made; unless parts of them come back, they are dead "
    "after") {
    for (coll::any_algorithm const a :
         {coll::any_algorithm{coll::halving{}}, coll::any_algorithm{coll::two_shot{}}}) {
        for (int const size : {2, 4, 8}) {
            for (int r = 0; r < size; ++r) {
                lowered const call(a, size, r, 10'007, false);
                auto const staged_at_once = [&](pl::protocol how) {
                    auto const p = call.under(how);
                    return std::count_if(
                        p.program.begin(), p.program.end(), [&](pl::instruction const& i) {
                            if (i.what != pl::opcode::reduce || i.destinations.size() < 2) {
                                return false;
                            }
                            auto const* const to =
                                &p.destinations[static_cast<std::size_t>(i.destinations.first)];
                            auto const comes_back = a == coll::halving{} && size > 2;
                            return to[1].to.where == pl::memory::scratch &&
                                   (to[0].how == pl::store::dead_after) == !comes_back;
                        });
                };
                CAPTURE(name(a));
                CAPTURE(size);
                CHECK(staged_at_once(pl::protocol::staged_once) == 1);
                CHECK(staged_at_once(pl::protocol::staged_results) == 1);
                CHECK(staged_at_once(pl::protocol::staged) == 0);
                CHECK(staged_at_once(pl::protocol::zero_copy) == 0);
            }
        }
    }
}

TEST_CASE("scratch of an all_reduce") {
    for (int size = 2; size <= 16; ++size) {
        for (auto const a : coll::all_algorithms) {
            if (!a.fits(size)) { continue; }
            for (std::size_t const count : {std::size_t{720'720}, std::size_t{10'007}}) {
                for (int r = 0; r < size; ++r) {
                    for (bool const in_place : {false, true}) {
                        lowered const call(a, size, r, count, in_place);
                        CAPTURE(name(a));
                        CAPTURE(size);
                        CAPTURE(r);
                        CAPTURE(in_place);
                        auto const bytes = count * 4;
                        auto const allowed = allowed_scratch(a, size, bytes);
                        CHECK(call.under(pl::protocol::eager).scratch <= allowed);
                        // Read where they lie, others' values need no room. What is sent and
                        // overwritten in one round does.
                        auto const doubled =
                            a.name() == "butterfly" || (a.name() == "one_shot" && in_place);
                        CHECK(call.under(pl::protocol::zero_copy).scratch <=
                              (doubled ? bytes + 64 : 0));
                        CHECK(call.under(pl::protocol::staged).scratch <= allowed);
                        auto const once = call.under(pl::protocol::staged_once);
                        CHECK(writes_scratch_once(once));
                        CHECK(waits_for_readers(once, false).empty());
                        if (in_place) { continue; }
                        auto const results = call.under(pl::protocol::staged_results);
                        CHECK(writes_scratch_once(results));
                        CHECK(waits_for_readers(results, false).empty());
                        expect_staged_results(results);
                        CHECK(results.scratch <= once.scratch);
                    }
                }
            }
        }
    }
}
