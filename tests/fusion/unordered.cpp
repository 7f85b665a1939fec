// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose tensors become ready in different orders, over processes that share memory.
#include <collectives/fusion/unordered.hpp>
#include <collectives/schedule/cost.hpp>

#include <conformance/world.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace coll = collectives;
using conformance::expect;
using conformance::expect_throw;

namespace {

struct named {
    std::string name;
    std::vector<float> values;
};

std::vector<named> model(std::size_t n) {
    std::vector<named> all;
    for (std::size_t i = 0; i < n; ++i) {
        all.push_back({"tensor " + std::to_string(i), std::vector<float>(i * 7 % 90)});
    }
    return all;
}

}  // namespace

TEST_CASE("each rank in an order of its own, another one in every step") {
    for (int const size : {1, 2, 4}) {
        coll::shm::run(size, [](coll::communicator& comm) {
            std::minstd_rand dice(static_cast<unsigned>(comm.rank() + 1));
            for (auto const threshold : {std::size_t{0}, std::size_t{500}, std::size_t{1} << 20}) {
                coll::unordered_fusion_buffer fusion(comm, {.threshold = threshold});
                auto tensors = model(70);
                std::vector<std::size_t> order(tensors.size());
                std::iota(order.begin(), order.end(), 0U);
                for (int step = 0; step < 5; ++step) {
                    std::shuffle(order.begin(), order.end(), dice);
                    for (auto const i : order) {
                        auto& t = tensors[i];
                        std::fill(t.values.begin(), t.values.end(),
                                  static_cast<float>(comm.rank() + step) + static_cast<float>(i));
                        fusion.add(t.values, t.name, static_cast<int>(i % 3));
                    }
                    fusion.flush();
                    auto const p = static_cast<float>(comm.size());
                    for (std::size_t i = 0; i < tensors.size(); ++i) {
                        auto const sum = p * static_cast<float>(step) + p * static_cast<float>(i) +
                                         p * (p - 1) / 2;
                        for (auto const x : tensors[i].values) { expect(x == sum, "a wrong sum"); }
                    }
                }
            }
        });
    }
}

TEST_CASE("once all names are known a step of one round sends a few bytes besides the tensors") {
    coll::shm::run(3, [](coll::communicator& comm) {
        coll::counted counts;
        auto counted = comm.with(counts);
        coll::unordered_fusion_buffer fusion(counted, {.algorithm = coll::ring{}});
        auto tensors = model(64);
        std::size_t bytes = 0;
        for (auto const& t : tensors) { bytes += t.values.size() * sizeof(float); }
        for (int step = 0; step < 3; ++step) {
            counts.reset();
            for (auto& t : tensors) { fusion.add(t.values, t.name); }
            fusion.flush();
            auto const data = coll::cost_of(coll::ring{}, 3, bytes)
                                  .ranks[static_cast<std::size_t>(comm.rank())]
                                  .sent;
            if (step == 0) { continue; }
            // A round is two words; every rank begins one when it has something new, at most.
            expect(counts.sent() < data + 66 * 4 * 16, "too many bytes");
        }
    });
}

TEST_CASE("many tensors: what a step takes grows as their number, not as its square") {
    coll::shm::run(2, [](coll::communicator& comm) {
        std::array<double, 2> seconds{};
        for (auto const few : {std::size_t{2000}, std::size_t{16'000}}) {
            auto tensors = model(few);
            for (auto& t : tensors) { t.values.assign(1, 1.0F); }
            coll::unordered_fusion_buffer fusion(comm);
            double least = 1e9;
            for (int step = 0; step < 3; ++step) {
                comm.barrier();
                auto const start = std::chrono::steady_clock::now();
                for (std::size_t i = 0; i < few; ++i) {
                    auto& t = tensors[comm.rank() == 0 ? i : few - 1 - i];
                    fusion.add(t.values, t.name);
                }
                fusion.flush();
                std::chrono::duration<double> const time = std::chrono::steady_clock::now() - start;
                least = std::min(least, time.count());
            }
            for (auto const& t : tensors) { expect(t.values[0] == 8, "a wrong sum"); }
            seconds[few == 2000 ? 0 : 1] = least;
        }
        // Eight times as many: in squares, 64 times as long.
        expect(seconds[1] < 32 * seconds[0], [&] {
            return std::to_string(seconds[0]) + " s, and " + std::to_string(seconds[1]) + " s";
        });
    });
}

TEST_CASE("what some rank does not add is an error on all, by name; so is another size") {
    for (bool const another_size : {false, true}) {
        coll::shm::run(3, [&](coll::communicator& comm) {
            std::vector<float> a(10), b(20), c(another_size && comm.rank() == 2 ? 9 : 30);
            coll::unordered_fusion_buffer fusion(comm);
            for (int step = 0; step < 2; ++step) {
                fusion.add(a, "a");
                fusion.add(b, "b");
                fusion.flush();
            }
            fusion.add(a, "a");
            if (another_size || comm.rank() != 2) { fusion.add(c, "c"); }
            auto const text =
                expect_throw<coll::mismatch_error>([&] { fusion.flush(); }, "a mismatch");
            expect(text.find("rank 0 has 'c' (30 x float), rank 2 has ") != text.npos, text);
            expect(text.find(another_size ? "'c' (9 x float)" : "has not") != text.npos, text);
            expect_throw<coll::mismatch_error>([&] { fusion.add(a, "d"); }, "broken");
            expect_throw<coll::mismatch_error>([&] { fusion.flush(); }, "broken");
            comm.barrier();  // is not
        });
    }
}

TEST_CASE("a name twice, and a thread, are mistakes") {
    coll::shm::run(2, [](coll::communicator& comm) {
        expect_throw<coll::usage_error>(
            [&] { coll::unordered_fusion_buffer(comm, {.progress_thread = true}); }, "a thread");
    });
    coll::shm::run(2, [](coll::communicator& comm) {
        coll::unordered_fusion_buffer fusion(comm);
        std::vector<float> a(10, 1.0F), b(3);
        fusion.add(a, "a");
        expect_throw<coll::usage_error>([&] { fusion.add(b, "a"); }, "twice");
        fusion.flush();
        expect(a[0] == 2, "still usable");

        coll::unordered_fusion_buffer bits(comm, {.op = coll::bit_or{}});
        std::vector<int> n{1 << comm.rank()};
        bits.add(n, "n");
        expect_throw<coll::usage_error>([&] { bits.add(a, "a"); }, "bit_or of floats");
        bits.flush();
        expect(n[0] == 3, "still usable");
    });
}

TEST_CASE("after a time-out nothing counts as agreed upon") {
    coll::shm::run(3, [](coll::communicator& comm) {
        std::vector<float> a(10, 1.0F);
        coll::unordered_fusion_buffer fusion(comm, {.timeout = std::chrono::milliseconds(200)});
        if (comm.rank() != 1) {
            expect_throw<coll::timeout_error>(
                [&] {
                    fusion.add(a, "a");
                    fusion.flush();
                },
                "rank 1 does not come");
            expect_throw<coll::timeout_error>([&] { fusion.add(a, "b"); }, "broken");
            expect_throw<coll::timeout_error>([&] { fusion.flush(); }, "broken");
            expect(a[0] == 1, "untouched");
        }
        comm.barrier();
        if (comm.rank() == 1) {
            expect_throw<coll::timeout_error>([&] { fusion.add(a, "a"); }, "the others have gone");
        }
    });
}
