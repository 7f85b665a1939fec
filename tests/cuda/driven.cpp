// SPDX-License-Identifier: BSD-3-Clause
// Device-driven calls without a GPU: kernels in which ranks meet, on threads and on processes; in
// graphs; and what becomes of those that meet nobody, or somebody else.
#include <cuda/suite_kernels.hpp>
#include <cuda/driven_faults_suite.hpp>
#include <cuda/worlds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace fake;
using conformance::expect_throw;
using conformance::scramble;
using conformance::sizes;

bool const more_kernels = cuda::provide_with<launcher, coll::premultiplied_sum<float>, float>() &&
                          cuda::provide_with<launcher, coll::average, coll::float16>() &&
                          cuda::provide_with<launcher, coll::logical_and, std::int32_t>();

std::int64_t value(int rank, std::size_t i, std::uint64_t salt) {
    return static_cast<std::int64_t>(
        scramble(salt << 40 | static_cast<std::uint64_t>(rank) << 32 | i) % 100000);
}
std::int64_t sum_of(int size, std::size_t i, std::uint64_t salt) {
    std::int64_t total = 0;
    for (int r = 0; r < size; ++r) { total += value(r, i, salt); }
    return total;
}

/// Every device-driven collective, n elements, in place or not, `odd` bytes off a pack.
template <class Comm>
void call_all(Comm& comm, machine& m, std::size_t n, std::size_t odd, std::uint64_t salt,
              void* stream) {
    auto const size = comm.size(), me = comm.rank();
    auto const root = static_cast<int>(salt % static_cast<std::uint64_t>(size));
    std::vector<std::int64_t> mine(n), got(n);
    for (std::size_t i = 0; i < n; ++i) { mine[i] = value(me, i, salt); }
    auto whole_in = comm.template allocate<std::int64_t>(n + 8);
    auto whole_out = comm.template allocate<std::int64_t>(n + 8);
    auto const in = std::span(whole_in.data() + odd, n), out = std::span(whole_out.data(), n);
    auto const own = coll::block(n, size, me);
    auto const put = [&](auto to) { m.copy(to.data(), mine.data(), n * 8, stream); };
    auto const expect_all = [&](auto from, std::size_t first, char const* what) {
        m.copy(got.data(), from.data(), from.size() * 8, stream);
        m.synchronize(stream);
        for (std::size_t i = 0; i < from.size(); ++i) {
            expect(got[i] == sum_of(size, first + i, salt), [&] {
                return std::string(what) + ", element " + std::to_string(first + i) + " of " +
                       std::to_string(n) + ", " + std::to_string(size) + " ranks";
            });
        }
    };
    using algorithms = std::vector<coll::any_algorithm>;
    for (auto const a : algorithms{coll::one_shot{}, coll::two_shot{}, coll::any_algorithm{}}) {
        coll::options const how{.algorithm = a, .stream = stream};
        put(in);
        comm.all_reduce(in, out, coll::sum{}, how);
        expect_all(out, 0, "all_reduce");
        comm.all_reduce(in, coll::sum{}, how);
        expect_all(in, 0, "all_reduce in place");
        put(in);
        auto pending = comm.start_reduce_scatter(
            in, std::span(whole_out.data() + own.first, own.size), coll::sum{}, how);
        pending.wait();
        auto const block = std::span(whole_out.data() + own.first, own.size);
        expect_all(block, own.first, "reduce_scatter");
        comm.all_gather(block, out, how);
        expect_all(out, 0, "all_gather in place");
    }
    coll::options const how{.stream = stream};
    put(in);
    comm.reduce(in, out, coll::sum{}, root, how);
    if (me == root) { expect_all(out, 0, "reduce"); }
    comm.broadcast(out, root, how);
    expect_all(out, 0, "broadcast");
    m.synchronize(stream);
}

}  // namespace

TEST_CASE("devices drive: threads, on one device and on two") {
    for (int const devices : {1, 2}) {
        for (int const size : sizes({1, 2, 3, 5})) {
            world w;
            w.devices = devices;
            w.laziness = 32;
            run_threads(
                w, size,
                [&](auto& comm, machine& m) {
                    m.use(comm.rank() % devices);
                    auto* const stream = m.make_stream();
                    std::uint64_t salt = 1;
                    for (std::size_t const n : {0UL, 1UL, 5UL, 37UL, 1'000UL, 6'001UL}) {
                        call_all(comm, m, n, salt % 3, salt, salt % 2 == 0 ? stream : nullptr);
                        ++salt;
                    }
                    m.destroy_stream(stream);
                },
                {}, by_device);
        }
    }
}

TEST_CASE("devices drive: processes, which go through the slots, also part by part") {
    for (int const size : sizes({2, 3})) {
        world w;
        w.devices = size;
        w.laziness = 32;
        run_processes(
            w, size,
            [&](auto& comm, machine& m) {
                auto* const stream = m.make_stream();
                call_all(comm, m, 1'001, 1, 1, stream);
                call_all(comm, m, 600'001, 0, 2, nullptr);  // more than a slot holds
                m.destroy_stream(stream);
            },
            {}, by_device);
    }
}

TEST_CASE("devices drive: private memory beside memory that peers reach") {
    world w;
    run_threads(
        w, 2,
        [&](auto& comm, machine& m) {
            m.use(comm.rank());
            std::size_t const n = 1'300'000;  // more than a slot holds
            auto* const own = static_cast<float*>(comm.rank() == 0 ? m.allocate_private(n * 4)
                                                                   : m.allocate(n * 4));
            std::vector<float> all(n);
            for (std::size_t i = 0; i < n; ++i) { all[i] = static_cast<float>(i % 1000); }
            m.copy(own, all.data(), n * 4, nullptr);
            comm.all_reduce(std::span(own, n), coll::sum{}, {.algorithm = coll::two_shot{}});
            m.copy(all.data(), own, n * 4, nullptr);
            m.synchronize(nullptr);
            bool fine = true;
            for (std::size_t i = 0; i < n; ++i) {
                fine = fine && all[i] == 2 * static_cast<float>(i % 1000);
            }
            expect(fine, "sums");
            m.free(own);
        },
        {}, by_device);
}

TEST_CASE("devices drive: operators that prepare, finish, or tell the truth") {
    for (int const size : sizes({1, 3})) {
        world w;
        run_threads(
            w, size,
            [&](auto& comm, machine& m) {
                m.use(comm.rank() % w.devices);
                auto const reduced = [&](auto first, auto const& op) {
                    using T = decltype(first);
                    auto buffer = comm.template allocate<T>(9);
                    std::vector<T> values(9, first);
                    m.copy(buffer.data(), values.data(), sizeof(T) * 9, nullptr);
                    comm.all_reduce(buffer, op);
                    m.copy(values.data(), buffer.data(), sizeof(T) * 9, nullptr);
                    m.synchronize(nullptr);
                    return values[8];
                };
                expect(
                    reduced(2.0F, coll::premultiplied_sum{0.5F}) == static_cast<float>(comm.size()),
                    "premultiplied_sum");
                expect(reduced(coll::float16(3.0F), coll::average{}) == coll::float16(3.0F),
                       "average");
                expect(reduced(std::int32_t{7}, coll::logical_and{}) == 1, "logical_and");
            },
            {}, by_device);
    }
}

TEST_CASE("a graph: captured once, replayed with other values, between other calls") {
    for (int const size : sizes({2, 4})) {
        world w;
        w.laziness = 64;
        run_threads(
            w, size,
            [&](auto& comm, machine& m) {
                m.use(comm.rank() % w.devices);
                auto* const stream = m.make_stream();
                std::size_t const n = 3'000;
                auto in = comm.template allocate<std::int64_t>(n);
                auto out = comm.template allocate<std::int64_t>(n);
                std::vector<std::int64_t> host(n);
                m.begin_capture(stream);
                for (coll::any_algorithm const a : {coll::any_algorithm(coll::one_shot{}),
                                                    coll::any_algorithm(coll::two_shot{})}) {
                    comm.all_reduce(in, out, coll::sum{}, {.algorithm = a, .stream = stream});
                }
                expect_part(expect_throw<coll::usage_error>(
                                [&] {
                                    comm.all_reduce(out, coll::sum{},
                                                    {.algorithm = coll::ring{}, .stream = stream});
                                },
                                "captured, and driven by the host"),
                            "the stream captures a graph, into which no host-driven call goes");
                auto const graph = m.end_capture(stream);
                for (std::uint64_t salt = 1; salt <= 10; ++salt) {
                    for (std::size_t i = 0; i < n; ++i) { host[i] = value(comm.rank(), i, salt); }
                    m.copy(in.data(), host.data(), n * 8, stream);
                    m.replay(graph, stream);
                    if (salt % 3 == 0) {
                        comm.all_reduce(in, out, coll::sum{}, {.stream = stream});
                    }
                    m.copy(host.data(), out.data(), n * 8, stream);
                    m.synchronize(stream);
                    for (std::size_t i = 0; i < n; ++i) {
                        expect(host[i] == sum_of(comm.size(), i, salt), "a replay");
                    }
                }
                m.destroy_stream(stream);
            },
            {}, by_device);
    }
}
