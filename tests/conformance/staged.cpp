// SPDX-License-Identifier: BSD-3-Clause
// Private buffers of processes: what peers read of them is staged, and stays while they may.
#include <collectives/communicator/core.hpp>

#include <conformance/memory_files.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace conformance {

namespace {

using namespace std::chrono_literals;

std::uint32_t value(int call, std::size_t i) {
    return static_cast<std::uint32_t>(scramble(static_cast<std::uint64_t>(call) << 32 | i));
}
void fill(std::vector<std::uint32_t>& v, int call) {
    for (std::size_t i = 0; i < v.size(); ++i) { v[i] = value(call, i); }
}
void expect_filled(std::vector<std::uint32_t> const& v, int call) {
    for (std::size_t i = 0; i < v.size(); ++i) {
        expect(v[i] == value(call, i),
               [&] { return "call " + std::to_string(call) + ", element " + std::to_string(i); });
    }
}

}  // namespace

TEST_CASE("a root may go on and overwrite its vector while others still read") {
    for (std::size_t const n : {std::size_t{3'000}, std::size_t{100'000}}) {
        for (coll::any_algorithm const a :
             {coll::any_algorithm{}, coll::any_algorithm{coll::tree{}},
              coll::any_algorithm{coll::ring{}}}) {
            CAPTURE(n);
            CAPTURE(a.name());
            coll::shm::run(3, [&](coll::communicator& comm) {
                std::vector<std::uint32_t> v(n);
                for (int call = 0; call < 40; ++call) {
                    if (comm.rank() == 1) {
                        fill(v, call);
                    } else if (call % 9 == 2 * comm.rank()) {
                        std::this_thread::sleep_for(2ms);
                    }
                    comm.broadcast(v, 1, {.algorithm = a});
                    if (comm.rank() != 1) { expect_filled(v, call); }
                    std::fill(v.begin(), v.end(), 0xdeadU);
                }
            });
        }
    }
}

TEST_CASE(
    "a root runs ahead of its readers, and readers of their root, over cells of all lengths") {
    for (int const size : {2, 3, 5}) {
        CAPTURE(size);
        coll::shm::run(size, [size](coll::communicator& comm) {
            // Beside the stamp, in a small cell and a large one, to the last element; where the
            // cell tells, over more than goes round there; in none.
            constexpr std::array<std::size_t, 13> counts{1,   12,  13,   1,    64,   65, 1,
                                                         512, 513, 1500, 2048, 2049, 0};
            for (int call = 0; call < 1800; ++call) {
                auto const n = counts[scramble(static_cast<std::uint64_t>(call)) % counts.size()];
                auto const root = call / 450 % size;
                std::vector<std::uint32_t> v(n), sum(n);
                fill(v, call);
                if (call % 97 == 7 * comm.rank()) { std::this_thread::sleep_for(2ms); }
                if (call % 5 == 4) {
                    comm.reduce(v, sum, coll::bit_xor{}, root);
                    if (comm.rank() == root && size % 2 == 1) { expect_filled(sum, call); }
                    continue;
                }
                if (comm.rank() != root) { std::fill(v.begin(), v.end(), 0xdeadU); }
                comm.broadcast(v, root);
                expect_filled(v, call);
            }
        });
    }
}

TEST_CASE("a root far ahead that goes on with longer vectors, on a new communicator") {
    coll::shm::run(2, [](coll::communicator& comm) {
        for (int const before : {5, 15, 18, 33, 70}) {
            auto row = comm.split(0);
            for (int call = 0; call < before + 20; ++call) {
                std::vector<std::uint32_t> v(call < before ? 528 : 2048);
                if (row.rank() == 0) { fill(v, call); }
                if (row.rank() == 1 && call >= before - 15) { std::this_thread::sleep_for(1ms); }
                row.broadcast(v, 0);
                expect_filled(v, call);
            }
        }
    });
}

TEST_CASE("a small gather of all in which some have nothing") {
    coll::shm::run(3, [](coll::communicator& comm) {
        std::vector<std::size_t> const counts{1000, 0, 700};
        for (int call = 0; call < 3; ++call) {
            std::vector<std::uint32_t> whole(1700);
            fill(whole, call);
            auto const first = comm.rank() == 2 ? whole.begin() + 1000 : whole.begin();
            auto const n = counts[static_cast<std::size_t>(comm.rank())];
            std::vector<std::uint32_t> const mine(first, first + static_cast<std::ptrdiff_t>(n));
            std::fill(whole.begin(), whole.end(), 0U);
            comm.all_gather(mine, whole, counts);
            expect_filled(whole, call);
        }
    });
}

TEST_CASE("broadcasts of two processes, staged or copied by the kernel, as the clock says") {
    coll::shm::run(2, [](coll::communicator& comm) {
        for (std::size_t const n :
             {std::size_t{8'001}, std::size_t{100'000}, std::size_t{600'000}}) {
            std::vector<std::uint32_t> v(n);
            for (int call = 0; call < 40; ++call) {
                auto const root = call % 2;
                if (comm.rank() == root) {
                    fill(v, call);
                } else {
                    std::fill(v.begin(), v.end(), 0U);
                }
                auto const segment = call % 8 < 4 ? coll::chosen_segment : std::size_t{0};
                comm.broadcast(v, root, {.segment = segment});
                expect_filled(v, call);
            }
        }
    });
}

TEST_CASE("a communicator may go while others still read what it staged") {
    coll::shm::run(3, [](coll::communicator& comm) {
        for (int turn = 0; turn < 20; ++turn) {
            std::vector<std::uint32_t> v(50'000);
            auto const start = coll::steady::now();
            {
                auto row = comm.split(0);
                if (row.rank() == 0) {
                    fill(v, turn);
                } else {
                    std::this_thread::sleep_for(std::chrono::milliseconds(5 * row.rank()));
                }
                row.broadcast(v, 0, {.algorithm = coll::star{}});
            }
            if (comm.rank() == 0) {
                expect(coll::steady::now() - start < 2s, "the root does not wait for its readers");
                // Memory that is asked for now must not be what the others read.
                auto& carrier = core_of(comm)->engine().carrier();
                auto other = carrier.memory()->allocate(1 << 20);
                std::fill_n(static_cast<char*>(other), 1 << 20, 'x');
                carrier.memory()->deallocate(other, 1 << 20);
            }
            expect_filled(v, turn);
        }
    });
}

TEST_CASE("what communicators staged does not pile up") {
    coll::shm::run(3, [](coll::communicator& comm) {
        std::size_t first = 0;
        for (int turn = 0; turn < 40; ++turn) {
            {
                auto row = comm.split(0);
                for (std::size_t const n : {std::size_t{1'000}, std::size_t{16'000}}) {
                    std::vector<std::uint32_t> in(n, 1), out(n);
                    row.all_reduce(in, out, coll::sum{});
                    expect(out.back() == 3, "a wrong sum");
                }
            }
            comm.barrier();
            if (turn == 4) { first = memory_of_files(); }
            comm.barrier();
        }
        expect(memory_of_files() <= first + first / 2,
               "from " + std::to_string(first) + " to " + std::to_string(memory_of_files()));
    });
}

TEST_CASE("what goes round is in every rank's page table from the first calls on") {
    for (std::size_t const n : {std::size_t{1'500}, std::size_t{4'000}, std::size_t{16'000}}) {
        CAPTURE(n);
        coll::shm::run(2, [n](coll::communicator& comm) {
            std::vector<std::uint32_t> in(n, 1), out(n);
            auto const faults = [] {
                struct rusage used {};
                ::getrusage(RUSAGE_SELF, &used);
                return used.ru_minflt;
            };
            auto const calls = [&](int k) {
                for (int i = 0; i < k; ++i) { comm.all_reduce(in, out, coll::sum{}); }
            };
            calls(12);  // lent memory has been tried, too
            if (coll::detail::best_ring_bytes(core_of(comm)->engine().carrier()) == 0) {
                return;
            }  // nothing goes round here
            auto const before = faults();
            calls(1'500);  // one for each 16 pages, if nobody had looked at them: 32 and more
            auto const taken = faults() - before;
            expect(taken <= 12, std::to_string(taken) + " page faults");
            expect(out.back() == 2, "a wrong sum");
        });
    }
}

TEST_CASE("large vectors in one piece do not pile up scratch") {
    coll::shm::run(2, [](coll::communicator& comm) {
        constexpr std::size_t bytes = 8 << 20;
        std::vector<std::uint32_t> in(bytes / 4, 1), out(in.size());
        comm.barrier();
        auto const before = memory_of_files();
        for (int call = 0; call < 20; ++call) {
            comm.all_reduce(in, out, coll::sum{}, {.segment = 0});
            expect(out.back() == 2, "a wrong sum");
        }
        comm.barrier();
        // A rank takes its staging ring once: pieces of its share of the caches, with roundings.
        auto const& carrier = core_of(comm)->engine().carrier();
        auto const piece = coll::detail::best_ring_bytes(carrier) / coll::channels_per_rank + 4096;
        auto const rings = 2 * coll::plans::ring_pieces * piece;
        auto const taken = memory_of_files() - before;
        auto const scratch = taken - std::min(taken, rings);
        expect(scratch <= 2 * bytes, "scratch of " + std::to_string(scratch) + " bytes is kept");
    });
}

TEST_CASE("many communicators share the memory of a few, and leave nothing") {
    coll::shm::run(2, [](coll::communicator& comm) {
        std::vector<std::uint32_t> some(1'500, 1), more(16'384, 1);
        auto const round = [&] {
            std::vector<coll::communicator> groups;
            auto const before = memory_of_files();
            for (int i = 0; i < 100; ++i) {
                auto& group = groups.emplace_back(comm.split(0));
                for (auto* const v : {&some, &more}) {
                    group.all_reduce(*v, coll::max{});
                    expect(v->back() == 1, "a wrong maximum");
                }
            }
            comm.barrier();
            return memory_of_files() - before;
        };
        constexpr std::size_t most = 2 * ((64 << 20) + 100 * 600 * 1024);
        auto const taken = round();
        expect(taken <= most, std::to_string(taken) + " bytes for 100 communicators");
        comm.barrier();
        auto const before = memory_of_files();
        for (int i = 0; i < 9; ++i) { round(); }
        auto const grown = memory_of_files() - std::min(before, memory_of_files());
        expect(grown <= most / 10, "1000 communicators have come and gone, and " +
                                       std::to_string(grown) + " bytes stay");
    });
}

TEST_CASE("private and reachable vectors meet") {
    for (int const size : with_sanitizers() ? std::vector{2, 3} : std::vector{2, 3, 4}) {
        CAPTURE(size);
        coll::shm::run(size, [](coll::communicator& comm) { large_vectors(comm); });
    }
}

TEST_CASE("what one rank asks does not change what all choose") {
    for (int const size : {3, 5, 6}) {
        CAPTURE(size);
        coll::shm::run(size, [size](coll::communicator& comm) {
            if (comm.rank() == 1) { comm.explain(1 << 16, coll::collective::broadcast); }
            for (std::size_t n = 1; n < 400'000; n = n * 3 / 2 + 1) {
                std::vector<std::uint32_t> v(n);
                auto const root = size - 1;
                if (comm.rank() == root) { fill(v, 7); }
                comm.broadcast(v, root, {.timeout = 10s});
                expect_filled(v, 7);
            }
        });
    }
}

}  // namespace conformance
