// SPDX-License-Identifier: BSD-3-Clause
// Every device-driven collective, for whatever ranks there are.
#pragma once

#include <cuda/worlds.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fake {

using conformance::expect_throw;
using conformance::scramble;
using conformance::sizes;

inline constexpr auto by_device = cuda::drive::device;

inline void expect_part(std::string const& text, std::string const& part) {
    expect(text.find(part) != std::string::npos, [&] { return "'" + part + "' in: " + text; });
}

inline std::int64_t value(int rank, std::size_t i, std::uint64_t salt) {
    return static_cast<std::int64_t>(
        scramble(salt << 40 | static_cast<std::uint64_t>(rank) << 32 | i) % 100000);
}
inline std::int64_t sum_of(int size, std::size_t i, std::uint64_t salt) {
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

}  // namespace fake
