// SPDX-License-Identifier: BSD-3-Clause
// Every collective, on whole numbers whose sums are known.
#pragma once

#include "checks.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gpu {

inline std::int64_t value(int rank, std::size_t i, std::size_t salt) {
    return static_cast<std::int64_t>((i * 7919 + salt * 104729) % 10007) * (rank + 1);
}
inline std::int64_t sum_of(int size, std::size_t i, std::size_t salt) {
    return value(0, i, salt) * size * (size + 1) / 2;
}

/// Most collectives on n elements, `odd` elements behind the start of an allocation.
template <class Comm>
void run_all(Comm& comm, cudaStream_t stream, std::size_t n, std::size_t odd, std::size_t salt) {
    auto const size = comm.size(), me = comm.rank();
    auto a = comm.template allocate<std::int64_t>(n + odd + 1);
    auto b = comm.template allocate<std::int64_t>(n + odd + 1);
    auto const in = std::span(a.data() + odd, n), out = std::span(b.data() + odd, n);
    auto const own = coll::block(n, size, me);
    auto const block = out.subspan(own.first, own.size);
    std::vector<std::int64_t> mine(n), got(n);
    for (std::size_t i = 0; i < n; ++i) { mine[i] = value(me, i, salt); }
    auto const put = [&] {
        check(::cudaMemcpyAsync(in.data(), mine.data(), n * 8, cudaMemcpyDefault, stream), "copy");
    };
    auto const expect = [&](auto from, std::size_t first, char const* what) {
        check(
            ::cudaMemcpyAsync(got.data(), from.data(), from.size() * 8, cudaMemcpyDefault, stream),
            "copy");
        check(::cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        for (std::size_t i = 0; i < from.size(); ++i) {
            require(got[i] == sum_of(size, first + i, salt), std::string(what) + ": element " +
                                                                 std::to_string(first + i) +
                                                                 " of " + std::to_string(n));
        }
    };
    for (coll::any_algorithm const algorithm :
         {coll::any_algorithm(coll::one_shot{}), coll::any_algorithm(coll::two_shot{})}) {
        coll::options const how{.algorithm = algorithm, .stream = stream};
        put();
        comm.all_reduce(in, out, coll::sum{}, how);
        expect(out, 0, "all_reduce");
        comm.all_reduce(in, coll::sum{}, how);
        expect(in, 0, "all_reduce in place");
        put();
        comm.reduce_scatter(in, block, coll::sum{}, how);
        expect(block, own.first, "reduce_scatter");
        comm.all_gather(block, out, how);
        expect(out, 0, "all_gather");
    }
    int const root = static_cast<int>(salt) % size;
    put();
    comm.reduce(in, out, coll::sum{}, root, {.stream = stream});
    if (me == root) { expect(out, 0, "reduce"); }
    comm.broadcast(out, root, {.stream = stream});
    expect(out, 0, "broadcast");
    comm.barrier();
}

}  // namespace gpu
