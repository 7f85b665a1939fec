// SPDX-License-Identifier: BSD-3-Clause
// Measures an MPI for coll_perf. Built once with each MPI's own compiler.
#include "driver.hpp"

#include <mpi.h>

#include <functional>

namespace {

using namespace peers;

template <class T>
MPI_Datatype type_of(T) {
    if constexpr (std::same_as<T, float>) { return MPI_FLOAT; }
    if constexpr (std::same_as<T, double>) { return MPI_DOUBLE; }
    if constexpr (std::same_as<T, std::int32_t>) { return MPI_INT32_T; }
    if constexpr (std::same_as<T, std::int64_t>) { return MPI_INT64_T; }
    if constexpr (std::same_as<T, std::int8_t>) { return MPI_INT8_T; }
    return MPI_UINT8_T;
}

MPI_Op op_of(std::string_view name) {
    if (name == "product") { return MPI_PROD; }
    if (name == "min") { return MPI_MIN; }
    return name == "max" ? MPI_MAX : MPI_SUM;
}

using peer_call = std::function<void(std::byte*, std::size_t, std::byte*, std::size_t)>;

peer_call find(measured_case const& c, int rank, int ranks) {
    MPI_Datatype type = MPI_FLOAT;
    visit_type(c.type, [&](auto zero) { type = type_of(zero); });
    auto const op = op_of(c.op);
    auto const world = MPI_COMM_WORLD;
    auto const n = [](std::size_t count) { return static_cast<int>(count); };
    auto const block = static_cast<int>(c.count / static_cast<std::size_t>(ranks));
    auto const root = c.root;
    bool const own = c.in_place;
    bool const root_own = c.in_place && rank == root;
    using enum coll::collective;
    switch (collective_of(c.collective)) {
        case all_reduce:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                MPI_Allreduce(own ? MPI_IN_PLACE : in, out, n(count), type, op, world);
            };
        case reduce:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                MPI_Reduce(root_own ? MPI_IN_PLACE : in, out, n(count), type, op, root, world);
            };
        case reduce_scatter:
            if (own) { return {}; }  // MPI then puts every rank's block at the beginning
            return [=](std::byte* in, std::size_t, std::byte* out, std::size_t count) {
                MPI_Reduce_scatter_block(in, out, n(count), type, op, world);
            };
        case all_gather:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                MPI_Allgather(own ? MPI_IN_PLACE : in, n(count), type, out, block, type, world);
            };
        case scan:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                MPI_Scan(own ? MPI_IN_PLACE : in, out, n(count), type, op, world);
            };
        case exscan:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                // Rank 0's in-place output would be its input.
                MPI_Exscan(own && rank != 0 ? MPI_IN_PLACE : in, out, n(count), type, op, world);
            };
        case gather:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                MPI_Gather(root_own ? MPI_IN_PLACE : in, n(count), type, out, block, type, root,
                           world);
            };
        case scatter:
            return [=](std::byte* in, std::size_t, std::byte* out, std::size_t count) {
                MPI_Scatter(in, block, type, root_own ? MPI_IN_PLACE : out, n(count), type, root,
                            world);
            };
        case broadcast:
            return [=](std::byte*, std::size_t, std::byte* out, std::size_t count) {
                MPI_Bcast(out, n(count), type, root, world);
            };
        case all_to_all:
            return [=](std::byte* in, std::size_t, std::byte* out, std::size_t) {
                MPI_Alltoall(own ? MPI_IN_PLACE : in, block, type, out, block, type, world);
            };
        case barrier:
            return [=](std::byte*, std::size_t, std::byte*, std::size_t) { MPI_Barrier(world); };
        default: return {};
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    try {
        auto const o = order::read(argc, argv);
        bind_rank(o.how.places, rank);  // where the launcher has put it, if it counts as hwloc does
        run(o, rank, ranks, [&](auto const& c) { return find(c, rank, ranks); });
    } catch (std::exception const& e) {
        std::cerr << e.what() << std::endl;
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
}
