// SPDX-License-Identifier: BSD-3-Clause
// abort ends all waits of all ranks, whatever the rank's own thread does meanwhile.
#include <faults/observed.hpp>
#include <faults/variety.hpp>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace faults {

TEST_CASE("abort, called on another thread, ends what blocks within 100 ms") {
    constexpr char const* calls[] = {"barrier #1", "recv #1", "all_gather #1", " #"};
    for (auto const& v : variety()) {
        auto const how_they_wait = below(4);
        auto const aborts_itself = below(2) == 0;  // the thread belongs to a rank that waits too
        CAPTURE(v.text());
        CAPTURE(how_they_wait);
        CAPTURE(aborts_itself);
        clean_room room;
        stories of(v.size);
        shared_array<double> when(1);
        shared_array<std::atomic<int>> aborted(1);
        job.run(v.size, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            auto const last = comm.rank() == v.size - 1;
            std::thread other;
            if (comm.rank() == (aborts_itself ? 0 : v.size - 1)) {
                other = std::thread([&] {
                    std::this_thread::sleep_for(60ms);
                    when[0] = seconds_now();
                    comm.abort("enough of this");
                    aborted[0] = 1;
                });
            }
            if (last) {  // never comes
                await(aborted[0], 1);
            } else {
                observe(mine.call, [&] {
                    std::vector<int> data(v.count), all(v.count * static_cast<std::size_t>(v.size));
                    switch (how_they_wait) {
                        case 0: return comm.barrier({.timeout = coll::timeout::never});
                        case 1: return comm.recv(data, v.size - 1, 5);
                        case 2: return comm.all_gather(data, all);
                        default: break;
                    }
                    auto first = comm.start_all_reduce(data, coll::sum{}, v.how);
                    auto second = comm.start_broadcast(all, v.size - 1, v.how);
                    coll::wait_all(second, first);
                });
            }
            try_again(mine, comm);
            if (other.joinable()) { other.join(); }
        });
        int rank = -1;
        for (auto const& s : of) {
            ++rank;
            CAPTURE(rank);
            auto const& e = rank == v.size - 1 ? s.later[0] : s.call;
            CHECK_EQ(e.caught, outcome::other_error);
            CHECK(e.says("enough of this"));
            if (rank != v.size - 1) { CHECK(e.says(calls[how_they_wait])); }
            CHECK_LT(e.ended - when[0], 0.1 * slowness);
            for (auto const& seen : s.later) { CHECK_EQ(seen.caught, outcome::other_error); }
            CHECK_LT(s.quickest_later, 0.01 * slowness);
        }
    }
}

TEST_CASE("abort is heard though the aborting rank's own thread is not in the library") {
    for (auto const& v : variety()) {
        auto const by_its_own_thread = below(2) == 0;
        auto const in_a_part = below(2) == 0;
        CAPTURE(v.text());
        CAPTURE(by_its_own_thread);
        CAPTURE(in_a_part);
        clean_room room;
        stories of(v.size);
        shared_array<double> when(1);
        job.run(v.size, [&](coll::communicator& whole) {
            auto part = whole.split(0);
            auto& comm = in_a_part ? part : whole;
            auto& mine = of.at(comm);
            if (comm.rank() == v.odd) {
                auto const abort = [&] {
                    std::this_thread::sleep_for(60ms);
                    when[0] = seconds_now();
                    comm.abort("the watchdog bites");
                };
                std::thread other;
                by_its_own_thread ? abort() : void(other = std::thread(abort));
                std::this_thread::sleep_for(700ms);
                if (other.joinable()) { other.join(); }
            } else {
                observe(mine.call, [&] { comm.barrier({.timeout = coll::timeout::never}); });
            }
            try_again(mine, comm);
        });
        for (int r = 0; r < v.size; ++r) {
            CAPTURE(r);
            auto const& e = r == v.odd ? of[r].later[0] : of[r].call;
            CHECK_EQ(e.caught, outcome::other_error);
            CHECK(e.says("the watchdog bites"));
            if (r != v.odd) { CHECK_LT(e.ended - when[0], 0.2 * slowness); }
        }
    }
}

TEST_CASE("abort is heard though the aborting rank's own thread waits for something else") {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        stories of(3);
        shared_array<double> when(1);
        job.run(3, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            auto part = comm.split(0);
            std::thread other;
            if (comm.rank() == 1) {
                other = std::thread([&] {
                    std::this_thread::sleep_for(60ms);
                    when[0] = seconds_now();
                    comm.abort("the watchdog bites");
                });
                part.barrier();
            } else {
                observe(mine.call, [&] { comm.barrier({.timeout = coll::timeout::never}); });
                std::this_thread::sleep_for(400ms);
                part.barrier();
            }
            if (other.joinable()) { other.join(); }
        });
        for (int const r : {0, 2}) {
            CAPTURE(r);
            CHECK(of[r].call.says("the watchdog bites"));
            CHECK_LT(of[r].call.ended - when[0], 0.2 * slowness);
        }
    }
}

}  // namespace faults
