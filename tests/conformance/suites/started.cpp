// SPDX-License-Identifier: BSD-3-Clause
// Several calls under way at once, ended in any order; and the kinds of ranges that may be passed.
#include <conformance/cells.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace conformance {

namespace {

/// A call under way with its own buffers.
class call_under_way {
public:
    using T = std::uint32_t;

    call_under_way(coll::communicator& comm, setup const& s)
        : setup_(s),
          size_(comm.size()),
          rank_(comm.rank()),
          view_(view_of(s, size_, rank_)),
          in_(view_.in.size),
          out_(view_.out.size) {
        auto& source = s.what == coll::collective::broadcast ? out_ : in_;
        write(contributions(s.salt, rank_, view_.in.first), source.size(), source.data());
        pending_.push_back(start(comm, s.what, std::span<T const>(in_), std::span(out_),
                                 coll::sum{}, s.root, s.how));
    }
    auto& pending() { return pending_.front(); }
    void check() const {
        std::vector<T> expected(out_.size());
        write_expected(setup_, size_, rank_, view_.out, expected.data());
        expect(out_ == expected, [&] { return "under way: " + setup_.text(size_, rank_); });
    }

private:
    setup setup_;
    int size_, rank_;
    view view_;
    std::vector<T> in_, out_;
    std::vector<coll::pending> pending_;
};

}  // namespace

/// Starts a good number of calls and ends them in an order of each rank's own.
void run_several(coll::communicator& comm, std::uint64_t seed, bool by_test) {
    std::vector<std::unique_ptr<call_under_way>> calls;
    auto const all = algorithms_and_automatic();
    auto const p = static_cast<std::size_t>(comm.size());
    for (std::uint64_t i = 0; i < 24; ++i) {
        auto const h = scramble(seed * 1'000 + i);
        setup s;
        s.what = moving_collectives[h % moving_collectives.size()];
        s.how.algorithm = all[h / 8 % all.size()];
        s.count = std::array<std::size_t, 4>{p, 50 * p, 3'000 * p, 20'000 * p}[h / 128 % 4];
        s.how.segment = segment_for(s.count * 4, h / 512);
        s.root = static_cast<int>(h / 2'048 % p);
        s.salt = h;
        calls.push_back(std::make_unique<call_under_way>(comm, s));
        if (h % 11 == 0) { comm.barrier(); }  // a blocking call meanwhile
    }
    auto turn = scramble(seed + static_cast<std::uint64_t>(comm.rank()));
    while (!calls.empty()) {
        turn = scramble(turn);
        auto const i = static_cast<std::ptrdiff_t>(turn % calls.size());
        auto& one = *calls[static_cast<std::size_t>(i)];
        if (by_test && !one.pending().test()) {
            std::this_thread::yield();  // there are more ranks than cores
            continue;
        }
        one.pending().wait();
        expect(one.pending().test(), "what has ended tests true");
        one.check();
        calls.erase(calls.begin() + i);
    }
}

void several_under_way(world const& w) {
    for (int const size : sizes()) {
        CAPTURE(size);
        w.run(size, [](coll::communicator& comm) {
            for (std::uint64_t seed = 1; seed <= 8; ++seed) {
                run_several(comm, seed, seed % 2 == 1);
            }
        });
    }
}

void ends_of_calls(world const& w) {
    for (int const size : sizes({1, 2, 5})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            std::vector<int> a(10, 1), b(100, 2), c(30'000, 3), sum(30'000);
            {
                auto x = comm.start_all_reduce(a);
                auto y = comm.start_broadcast(b, size - 1);
                auto z = comm.start_all_reduce(c, sum, coll::sum{}, {.algorithm = coll::ring{}});
                coll::wait_all(z, x, y);
                expect(x.test() && y.test() && z.test(), "wait_all ends all");
            }
            expect(a == std::vector<int>(10, size) && sum == std::vector<int>(30'000, 3 * size),
                   "what wait_all waited for");
            {
                auto dropped = comm.start_all_reduce(b, coll::max{});
                auto other = comm.start_all_reduce(a);
                other = std::move(dropped);  // ends what it held first
                expect(a == std::vector<int>(10, size * size), "an overwritten call has ended");
            }
            expect(b == std::vector<int>(100, 2), "the destructor waits");
            auto meeting = comm.start_barrier();
            while (!meeting.test()) { std::this_thread::yield(); }
            auto const op = [](int x, int y) { return x + y; };
            auto kept = [&] {  // the operator is a copy: the original may go
                auto local = op;
                return comm.start_all_reduce(c, local, {.algorithm = coll::two_shot{}});
            }();
            kept.wait();
            expect(c == std::vector<int>(30'000, 3 * size), "a started call keeps its operator");
        });
    }
}

void planned_calls(world const& w) {
    for (int const size : sizes({1, 2, 5})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            auto const me = comm.rank();
            auto const p = static_cast<std::size_t>(size);
            for (std::size_t const each : {std::size_t{1}, std::size_t{40}, std::size_t{9'000}}) {
                std::vector<int> own(each), whole(each * p), sum(each * p), moved(each * p);
                std::vector<int> gathered(me == size - 1 ? each * p : 0), part(each);
                std::vector<std::size_t> const counts(p, each);
                auto reduce = comm.plan_all_reduce(whole, sum);
                auto in_place =
                    comm.plan_all_reduce(moved, coll::max{}, {.algorithm = coll::ring{}});
                auto scattered = comm.plan_reduce_scatter(sum, part, counts);
                auto all = comm.plan_all_gather(own, whole);
                auto to_last = comm.plan_gather(own, gathered, size - 1);
                auto from_last = comm.plan_scatter(gathered, part, size - 1);
                auto exchange = comm.plan_all_to_all(whole, moved);
                auto told = comm.plan_broadcast(own, size - 1);
                auto upward = comm.plan_scan(own, part);
                auto below = comm.plan_exscan(own);
                auto meeting = comm.plan_barrier();
                for (int turn = 1; turn <= 5; ++turn) {
                    auto const salt = turn * 1'000;
                    std::fill(own.begin(), own.end(), me + salt);
                    all.start();
                    all.wait();
                    expect(whole.front() == salt && whole.back() == size - 1 + salt,
                           "a planned all_gather");
                    reduce.start();
                    if (turn % 2 == 0) { static_cast<void>(reduce.test()); }  // whatever it says
                    exchange.start();                                         // beside it
                    coll::wait_all(exchange, reduce);
                    expect(sum.back() == size * (size - 1 + salt), "a planned all_reduce");
                    expect(moved == std::vector<int>(each * p, me + salt), "a planned all_to_all");
                    in_place.start();
                    while (!in_place.test()) { std::this_thread::yield(); }
                    expect(moved.front() == size - 1 + salt, "a planned all_reduce in place");
                    scattered.start();
                    scattered.wait();
                    expect(part.back() == size * size * (me + salt), "a planned reduce_scatter");
                    to_last.start();
                    to_last.wait();
                    expect(gathered.empty() || gathered == whole, "a planned gather");
                    from_last.start();
                    from_last.wait();
                    expect(part.front() == me + salt, "a planned scatter");
                    told.start();
                    told.wait();
                    expect(own.back() == size - 1 + salt, "a planned broadcast");
                    upward.start();
                    upward.wait();
                    expect(part.front() == (me + 1) * (size - 1 + salt), "a planned scan");
                    below.start();
                    below.wait();
                    expect(me == 0 || own.back() == me * (size - 1 + salt), "a planned exscan");
                    meeting.start();
                    meeting.wait();
                    comm.all_reduce(whole, sum);  // the same call, unplanned
                    expect(reduce.test(), "a call that is not under way is done");
                }
                reduce.start();
                auto refused = false;
                try {
                    reduce.start();
                } catch (coll::usage_error const&) { refused = true; }
                expect(refused, "a call is not started twice");
                all = std::move(reduce);  // ends what is under way, when it goes
                reduce.wait();            // NOLINT: one that was moved away is done
                expect(reduce.test(), "a call that was moved away is done");
            }
        });
    }
}

void calls_that_go_on_alone(world const& w) {
    for (int const size : sizes({1, 2, 3})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            std::atomic<std::size_t> added{0};
            auto const add = coll::commutative([&added](int a, int b) {
                added.fetch_add(1);
                return a + b;
            });
            coll::options const how{.algorithm = coll::one_shot{}, .progress = coll::background};
            for (std::size_t const n : {std::size_t{10}, std::size_t{20'000}}) {
                added = 0;
                std::vector<int> v(n, 1 + comm.rank());
                auto call = comm.start_all_reduce(v, add, how);
                // This rank calls nothing of the library until it has been done for it.
                auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                auto const all = n * static_cast<std::size_t>(size - 1);
                while (added < all && std::chrono::steady_clock::now() < until) {
                    std::this_thread::sleep_for(std::chrono::microseconds(100));
                }
                expect(added == all, "the call went on by itself");
                call.wait();
                expect(v == std::vector<int>(n, size * (size + 1) / 2), "its result");
            }
            auto group = comm.split(comm.rank() % 2);
            std::vector<int> got(1), other(1);
            auto const next = (comm.rank() + 1) % size, before = (comm.rank() + size - 1) % size;
            auto arriving = comm.start_recv(got, before, 0, how);
            auto beside = group.start_all_reduce(other, coll::max{}, how);
            auto planned = comm.plan_barrier(how);
            planned.start();
            comm.send(std::vector{comm.rank()}, next);
            coll::wait_all(planned, beside, arriving);
            expect(got[0] == before, "a receive in the background");
        });
    }
}

void all_ranges(world const& w) {
    for (int const size : sizes({1, 3})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            std::vector<double> const in(7, 0.5);
            std::array<double, 7> out{};
            comm.all_reduce(in, out);
            comm.all_reduce(std::vector<double>(7, 0.5), out, coll::max{});
            expect(out[6] == 0.5, "a temporary as input, an array as output");
            double plain[3] = {1, 2, 3};
            comm.all_reduce(plain);
            comm.all_reduce(std::span(plain).first(2), coll::min{},
                            {.timeout = coll::timeout::never});
            expect(plain[1] == 2.0 * size && plain[2] == 3.0 * size, "a plain array");
            comm.broadcast(std::span(plain), 0, {.timeout = std::chrono::seconds(20)});
            auto const buffer = comm.allocate<double>(5);
            expect(buffer.size() == 5 && !buffer.empty() && buffer[4] == 0, "zeroed memory");
            comm.all_reduce(buffer, std::span(out).first(5));
            expect(out[0] == 0, "a constant buffer as input");
            std::vector<int> none;
            std::vector<std::size_t> const zeros(static_cast<std::size_t>(size), 0);
            comm.all_reduce(none);
            comm.all_reduce(none, none, coll::sum{}, {.algorithm = coll::ring{}});
            comm.reduce_scatter(none, none);
            comm.all_gather(none, none);
            comm.gather(none, none);
            comm.scatter(none, none, zeros, size - 1);
            comm.broadcast(none);
            comm.reduce(none, none);
            comm.all_to_all(none, none);
            comm.all_to_all(none, none, zeros, zeros);
            expect(comm.allocate<int>(0).empty(), "allocated nothing");
        });
    }
}

}  // namespace conformance
