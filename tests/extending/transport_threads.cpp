// SPDX-License-Identifier: BSD-3-Clause
// The collectives over a transport that was written outside the library.
#include <collectives/collectives.hpp>
#include <collectives/transport/model.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mailbox_transport.hpp"

namespace coll = collectives;

namespace {

using namespace std::chrono_literals;

/// Groups that begin with an odd rank get no board.
class short_of_boards : public mailbox::transport {
public:
    using transport::transport;
    template <class Share>
    board make_board(std::vector<coll::rank_t> group, coll::rank_t rank, Share&& share) {
        auto const refused = group.front() % 2 == 1;
        auto made = transport::make_board(std::move(group), rank, share);
        if (refused) { throw coll::transport_error("no memory for another communicator"); }
        return made;
    }
};

/// Runs f(comm) on `size` threads over the mailbox, and throws again what the first of them threw.
template <class Transport = mailbox::transport>
void run(int size, std::function<void(coll::communicator&)> const& f) {
    auto const office = std::make_shared<mailbox::post_office>(size);
    std::vector<std::exception_ptr> failed(static_cast<std::size_t>(size));
    std::vector<std::thread> ranks;
    for (int r = 0; r < size; ++r) {
        ranks.emplace_back([&, r] {
            try {
                auto t = std::make_shared<Transport>(office, r);
                coll::communicator comm(coll::erase(std::move(t)));
                f(comm);
                comm.barrier();  // nobody leaves while another rank needs it
            } catch (...) { failed[static_cast<std::size_t>(r)] = std::current_exception(); }
        });
    }
    for (auto& t : ranks) { t.join(); }
    for (auto const& e : failed) {
        if (e) { std::rethrow_exception(e); }
    }
}

void expect(bool right, std::string const& what) {
    if (!right) { throw std::runtime_error("not right: " + what); }
}

}  // namespace

TEST_CASE("every algorithm's all-reduce over a transport of one's own") {
    for (int size = 1; size <= 5; ++size) {
        CAPTURE(size);
        run(size, [](coll::communicator& comm) {
            for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{7},
                                        std::size_t{1'000}, std::size_t{100'001}}) {
                auto const check = [&](auto const& algorithm) {
                    std::vector<int> v(n);
                    for (std::size_t i = 0; i < n; ++i) {
                        v[i] = comm.rank() + static_cast<int>(i);
                    }
                    comm.all_reduce(v, coll::sum{}, {.algorithm = algorithm});
                    auto const p = comm.size();
                    for (std::size_t i = 0; i < n; ++i) {
                        expect(v[i] == p * (p - 1) / 2 + p * static_cast<int>(i), "a sum");
                    }
                };
                check(coll::star{});
                check(coll::tree{});
                check(coll::butterfly{});
                check(coll::halving{});
                check(coll::ring{});
                check(coll::circulant{});
                check(coll::one_shot{});
                check(coll::two_shot{});
            }
        });
    }
}

TEST_CASE("other collectives, sub-communicators and started calls over a transport of one's own") {
    run(5, [](coll::communicator& comm) {
        auto const p = static_cast<std::size_t>(comm.size());
        std::vector<int> const mine(p, comm.rank());
        std::vector<int> all(p), exchanged(p), ranks(p);
        std::iota(ranks.begin(), ranks.end(), 0);
        comm.all_gather(std::vector<int>{comm.rank()}, all);
        expect(all == ranks, "all_gather");
        comm.all_to_all(mine, exchanged);
        expect(exchanged == ranks, "all_to_all");
        std::vector<int> told(3, comm.rank() == 2 ? 42 : 0);
        comm.broadcast(told, 2);
        expect(told == std::vector<int>(3, 42), "broadcast");

        auto odd_or_even = comm.split(comm.rank() % 2);
        std::vector<int> sum{comm.rank()};
        odd_or_even.all_reduce(sum);
        expect(sum[0] == (comm.rank() % 2 == 0 ? 6 : 4), "all_reduce of a group");

        std::vector<double> a(1'000, 1), b(10, comm.rank());
        auto first = comm.start_all_reduce(a);
        auto second = comm.start_all_reduce(b, coll::max{});
        second.wait();
        first.wait();
        expect(a[999] == 5 && b[9] == 4, "started calls");
    });
}

TEST_CASE("after a split for which one color had no memory, the ranks still agree") {
    run<short_of_boards>(4, [](coll::communicator& comm) {
        auto refused = false;
        try {
            auto part = comm.split(comm.rank() % 2);
            std::vector<int> sum{1};
            part.all_reduce(sum);
            expect(sum[0] == 2, "all_reduce of the color that has memory");
        } catch (coll::transport_error const&) { refused = true; }
        expect(refused == (comm.rank() % 2 == 1), "who has no memory");
        auto all = comm.split(0);
        std::vector<int> sum{comm.rank()};
        all.all_reduce(sum, coll::sum{}, {.timeout = 10s});
        expect(sum[0] == 6, "all_reduce of a later communicator");
    });
}

TEST_CASE("ranks that call different things, or do not come, are told over it") {
    CHECK_THROWS_AS(run(3,
                        [](coll::communicator& comm) {
                            std::vector<int> v(10, 1);
                            comm.rank() == 1 ? comm.all_reduce(v, coll::max{}) : comm.all_reduce(v);
                        }),
                    coll::mismatch_error);
    CHECK_THROWS_AS(run(2,
                        [](coll::communicator& comm) {
                            std::vector<int> v(10, 1);
                            if (comm.rank() == 1) { std::this_thread::sleep_for(400ms); }
                            comm.all_reduce(v, coll::sum{}, {.timeout = 100ms});
                        }),
                    coll::timeout_error);
}
