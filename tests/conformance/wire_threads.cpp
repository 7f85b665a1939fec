// SPDX-License-Identifier: BSD-3-Clause
// Late ranks that share no memory, over a link between threads.
#include <conformance/late_suite.hpp>
#include <conformance/suites.hpp>
#include <conformance/thread_link.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

TYPE_TO_STRING(conformance::over_thread_link);

namespace conformance {

template <>
inline constexpr std::uint64_t late_calls<over_thread_link> = 80;

TEST_CASE_TEMPLATE_INVOKE(changing_shapes, over_thread_link);
TEST_CASE_TEMPLATE_INVOKE(late_started, over_thread_link);

namespace {

using namespace std::chrono_literals;

constexpr std::array<std::size_t, 8> message_counts{0,     1,     100,    1'023,
                                                    1'024, 1'025, 20'000, 100'000};

}  // namespace

TEST_CASE("messages between late ranks over a link") {
    over_thread_link::run(2, [](coll::communicator& comm) {
        auto const peer = 1 - comm.rank();
        std::uint32_t round = 0;
        for (int again = 0; again < 4; ++again) {
            for (auto const n : message_counts) {
                ++round;
                come_late(comm, round);
                std::vector<std::uint32_t> mine(n), its(n, 0xdead);
                for (std::size_t i = 0; i < n; ++i) {
                    mine[i] = static_cast<std::uint32_t>(scramble(round * 10 + i));
                }
                if ((comm.rank() == 0) == (round % 2 == 0)) {
                    comm.send(mine, peer);
                } else {
                    comm.recv(its, peer);
                    expect(its == mine, [&] { return std::to_string(n) + " elements came"; });
                }
            }
        }
    });
}

TEST_CASE("a message of another length is refused over a link") {
    for (auto const n : message_counts) {
        CAPTURE(n);
        over_thread_link::run(2, [n](coll::communicator& comm) {
            std::vector<std::uint32_t> v(comm.rank() == 0 ? n : n + 1);
            if (comm.rank() == 0) {
                try {
                    comm.send(v, 1);
                } catch (coll::mismatch_error const&) {}  // if it has not ended before
            } else {
                expect_throw<coll::mismatch_error>([&] { comm.recv(v, 0); }, "of another length");
            }
        });
    }
}

namespace {

/// Refuses the second receive of data that it is asked for.
struct refusing_link : thread_link {
    using thread_link::thread_link;

    handle receive(std::byte* data, std::size_t bytes, coll::rank_t from, std::uint64_t tag) {
        if (++receives == 2) { throw coll::transport_error("refused"); }
        return last = thread_link::receive(data, bytes, from, tag);
    }
    bool take_back(handle& h, coll::wire::grace const& time) {
        if (h && h == last) { taken_back = true; }
        return thread_link::take_back(h, time);
    }

    int receives = 0;
    handle last;
    static inline std::atomic<bool> taken_back = false;
};

}  // namespace

TEST_CASE("a receive whose second fragment is refused takes the first one back") {
    auto const post = std::make_shared<thread_post>(1);
    coll::communicator comm(coll::erase(std::make_shared<coll::wire::transport<refusing_link>>(
        std::make_unique<refusing_link>(post, 0))));
    std::vector<std::uint32_t> v(20'000);
    CHECK_THROWS_WITH_AS(comm.recv(v, 0), doctest::Contains("refused"), coll::transport_error);
    CHECK(refusing_link::taken_back);
}

namespace {

/// Takes nothing back before another thread has had the lock, or five seconds are over.
struct stuck_link : thread_link {
    using thread_link::thread_link;

    bool take_back(handle& h, coll::wire::grace const& time) {
        auto const until = coll::steady::now() + 5s;
        while (!other_had_it && coll::steady::now() < until) { time.pause(); }
        return thread_link::take_back(h, time);
    }

    static inline std::atomic<bool> other_had_it = false;
};

}  // namespace

TEST_CASE("another thread of a rank gets its lock while the rank takes a message back") {
    auto const post = std::make_shared<thread_post>(1);
    coll::wire::transport<stuck_link> over(std::make_unique<stuck_link>(post, 0));
    auto const lock = std::make_shared<coll::progress_lock>();
    lock->share();
    over.use_lock(lock);
    coll::wire::transport<stuck_link>::request r;
    std::vector<std::byte> data(20'000);
    std::thread other;
    {
        auto const mine = lock->take();
        over.irecv({.from = 0, .tag = 1, .data = data.data(), .bytes = data.size()}, r);
        other = std::thread([&] {
            auto const its = lock->take();
            stuck_link::other_had_it = true;
        });
        while (!lock->is_wanted()) { std::this_thread::yield(); }
        over.cancel(r);
        CHECK(stuck_link::other_had_it);
    }
    other.join();
}

/// Who waits asks the others what they have called, whether they come before that or after it.
TEST_CASE("ranks that call different things find out over a link") {
    for (int const late_rank : {0, 1, 2}) {
        for (bool const others_are_late : {false, true}) {
            CAPTURE(late_rank);
            CAPTURE(others_are_late);
            over_thread_link::run(3, [&](coll::communicator& comm) {
                std::vector<int> v(10, 1);
                for (int i = 0; i < 10; ++i) { comm.all_reduce(v); }
                auto const odd = comm.rank() == late_rank;
                if (odd != others_are_late) { std::this_thread::sleep_for(80ms); }
                auto const start = coll::steady::now();
                auto const why = expect_throw<coll::mismatch_error>(
                    [&] { odd ? comm.all_reduce(v, coll::max{}) : comm.all_reduce(v); },
                    "different operators");
                expect(coll::steady::now() - start < 4s, "found out in time");
                expect(why.find("rank " + std::to_string(late_rank)) != std::string::npos, why);
            });
        }
    }
}

/// It need not wait itself: what it calls has ended before it could ask.
TEST_CASE("a late rank that calls something else tells those who have asked, over a link") {
    std::atomic<int> found{0};
    over_thread_link::run(3, [&](coll::communicator& comm) {
        std::vector<int> v(10, 1);
        comm.all_reduce(v);
        if (comm.rank() != 0) {
            expect_throw<coll::mismatch_error>([&] { comm.all_reduce(v); }, "another collective");
            ++found;
            return;
        }
        std::this_thread::sleep_for(80ms);
        comm.broadcast(v, 0, {.algorithm = coll::star{}});
        auto const until = coll::steady::now() + 4s;
        while (found != 2 && coll::steady::now() < until) { std::this_thread::sleep_for(1ms); }
        expect(found == 2, "the others find out while this rank is at something else");
    });
}

}  // namespace conformance
