// SPDX-License-Identifier: BSD-3-Clause
// Late ranks that exchange messages: small ones, and long ones that are read where they lie or go
// through slots. And ranks that leave a call that has failed: who comes late to it stays out.
#include <conformance/late_suite.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace conformance {

namespace {

using namespace std::chrono_literals;

/// All data goes by messages, of which every second rank's can be read where they lie.
struct over_late_messages {
    template <class F>
    static void run(int size, F const& f) {
        over_late_threads::run(size, [&](coll::communicator& base) {
            partly_reachable::reaches_all = base.rank() % 2 == 1;
            auto comm = base.with(late{});
            f(comm);
        });
    }
};

}  // namespace

}  // namespace conformance

TYPE_TO_STRING(conformance::over_late_messages);

namespace conformance {

TEST_CASE_TEMPLATE_INVOKE(changing_shapes, over_late_messages);
TEST_CASE_TEMPLATE_INVOKE(late_started, over_late_messages);
TEST_CASE_TEMPLATE_INVOKE(late_order, over_late_messages);

namespace {

/// What a rank that has left a failed call writes over its vector.
constexpr std::uint32_t gone = 0xdeadbeef;

/// In a call of two ranks rank 0's operator throws; it leaves, and writes over its vector. Rank 1
/// must not see that, and stops soon. `late_inside`: rank 1 is at work in its peer's memory then,
/// else it comes there afterwards, while it waits for something else.
void leave_in_the_middle(coll::communicator& base, coll::communicator& comm, bool late_inside,
                         std::atomic<int>& failed, std::atomic<int>& at_work) {
    constexpr std::size_t n = 1 << 20;
    std::size_t added = 0;
    bool saw_gone = false;
    auto const op = coll::commutative([&](std::uint32_t a, std::uint32_t b) {
        if (comm.rank() == 0) {
            while (late_inside && at_work == 0) { std::this_thread::yield(); }
            failed = 1;
            throw std::runtime_error("rank 0 fails");
        }
        if (late_inside && added == 0) {
            at_work = 1;
            while (failed == 0) { std::this_thread::yield(); }
            std::this_thread::sleep_for(30ms);
        }
        ++added;
        saw_gone = saw_gone || a == gone || b == gone;
        return a + b;
    });
    std::vector<std::uint32_t> in(n, 1), out(n);
    bool thrown = false;
    try {
        if (comm.rank() == 1 && !late_inside) { delays::make_next(50ms); }
        auto call =
            comm.start_all_reduce(in, out, op, {.algorithm = coll::one_shot{}, .segment = 0});
        if (comm.rank() == 1 && !late_inside) { base.barrier(); }
        call.wait();
    } catch (std::exception const&) { thrown = true; }
    if (comm.rank() == 0) {
        std::fill(in.begin(), in.end(), gone);
        if (!late_inside) { base.barrier(); }
    }
    std::this_thread::sleep_for(100ms);  // vectors stay until the other one has left too
    expect(thrown, "the call fails on both ranks");
    expect(!saw_gone, "a rank read in the vector of one that has left");
    expect(added < n / 2, "a rank goes on long after the other has failed");
}

}  // namespace

TEST_CASE("who leaves a failed call is read by nobody any more") {
    for (bool const late_inside : {true, false}) {
        for (bool const by_messages : {false, true}) {
            CAPTURE(late_inside);
            CAPTURE(by_messages);
            std::atomic<int> failed{0}, at_work{0};
            over_late_threads::run(2, [&](coll::communicator& base) {
                partly_reachable::reaches_all = true;
                if (by_messages) {
                    auto comm = base.with(late{});
                    leave_in_the_middle(base, comm, late_inside, failed, at_work);
                } else {
                    auto comm = base.split(0);
                    leave_in_the_middle(base, comm, late_inside, failed, at_work);
                }
            });
        }
    }
}

}  // namespace conformance
