// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_calls.hpp"

#include "mpi_group.hpp"
#include "mpi_messages.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace launched {

/// It ends with the last call that uses it.
struct mpi_calls::group : mpi_group {
    using mpi_group::mpi_group;
};

namespace {

MPI_Datatype type_of(std::string_view name) {
    std::array const types{std::pair{"float", MPI_FLOAT},   std::pair{"double", MPI_DOUBLE},
                           std::pair{"int32", MPI_INT32_T}, std::pair{"int64", MPI_INT64_T},
                           std::pair{"int8", MPI_INT8_T},   std::pair{"uint8", MPI_UINT8_T}};
    for (auto const& [ours, theirs] : types) {
        if (name == ours) { return theirs; }
    }
    return MPI_DATATYPE_NULL;
}

MPI_Op op_of(std::string_view name) {
    std::array const operators{std::pair{"sum", MPI_SUM}, std::pair{"product", MPI_PROD},
                               std::pair{"min", MPI_MIN}, std::pair{"max", MPI_MAX}};
    for (auto const& [ours, theirs] : operators) {
        if (name == ours) { return theirs; }
    }
    return MPI_OP_NULL;
}

/// The blocks of a vector as MPI takes them: one per rank.
struct blocks {
    blocks(std::size_t count, int ranks) {
        for (int r = 0; r < ranks; ++r) {
            auto const b = collectives::block(count, ranks, r);
            counts.push_back(static_cast<int>(b.size));
            places.push_back(static_cast<int>(b.first));
        }
    }
    std::vector<int> counts, places;
};

/// The forms with counts. In place a rank's own block is where it belongs.
mpi_calls::function find_with_counts(std::shared_ptr<mpi_group const> all, MPI_Datatype type,
                                     MPI_Op op, mpi_call const& c) {
    blocks const of(c.count, all->ranks);
    auto const root = c.root, mine = of.counts[static_cast<std::size_t>(all->rank)];
    auto const own = c.in_place, root_own = own && all->rank == root;
    using bytes = std::byte*;
    using size = std::size_t;
    using enum collectives::collective;
    switch (c.what) {
        case reduce_scatter:
            if (own) { return {}; }  // as without counts
            return [=](bytes in, size, bytes out, size) {
                MPI_Reduce_scatter(in, out, of.counts.data(), type, op, all->comm);
            };
        case all_gather:
            return [=](bytes in, size, bytes out, size) {
                MPI_Allgatherv(own ? MPI_IN_PLACE : in, mine, type, out, of.counts.data(),
                               of.places.data(), type, all->comm);
            };
        case gather:
            return [=](bytes in, size, bytes out, size) {
                MPI_Gatherv(root_own ? MPI_IN_PLACE : in, mine, type, out, of.counts.data(),
                            of.places.data(), type, root, all->comm);
            };
        case scatter:
            return [=](bytes in, size, bytes out, size) {
                MPI_Scatterv(in, of.counts.data(), of.places.data(), type,
                             root_own ? MPI_IN_PLACE : out, mine, type, root, all->comm);
            };
        case all_to_all:
            return [=](bytes in, size, bytes out, size) {
                MPI_Alltoallv(own ? MPI_IN_PLACE : in, of.counts.data(), of.places.data(), type,
                              out, of.counts.data(), of.places.data(), type, all->comm);
            };
        default: return {};
    }
}

}  // namespace

mpi_calls::mpi_calls(int ranks) : group_(std::make_shared<group>(ranks)) {}

mpi_calls::function mpi_calls::find(mpi_call const& c) const {
    auto const type = type_of(c.type);
    auto const op = op_of(c.op);
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
    if (type == MPI_DATATYPE_NULL || op == MPI_OP_NULL || c.count > most) { return {}; }
    if (c.how == mpi_form::counts) { return find_with_counts(group_, type, op, c); }
    if (c.how != mpi_form::call) { return find_messages(group_, type, c); }
    auto const n = [](std::size_t count) { return static_cast<int>(count); };
    auto const block = n(c.count / static_cast<std::size_t>(group_->ranks));
    auto const root = c.root;
    bool const own = c.in_place;
    auto const rank = group_->rank;
    bool const root_own = own && rank == root;
    auto const all = group_;  // which each call keeps
    using enum collectives::collective;
    switch (c.what) {
        case all_reduce:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                MPI_Allreduce(own ? MPI_IN_PLACE : in, out, n(count), type, op, all->comm);
            };
        case reduce:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                MPI_Reduce(root_own ? MPI_IN_PLACE : in, out, n(count), type, op, root, all->comm);
            };
        case reduce_scatter:
            if (own) { return {}; }  // MPI then puts every rank's block at the beginning
            return [=](std::byte* in, std::size_t, std::byte* out, std::size_t count) {
                MPI_Reduce_scatter_block(in, out, n(count), type, op, all->comm);
            };
        case all_gather:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                MPI_Allgather(own ? MPI_IN_PLACE : in, n(count), type, out, block, type, all->comm);
            };
        case scan:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                MPI_Scan(own ? MPI_IN_PLACE : in, out, n(count), type, op, all->comm);
            };
        case exscan:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                // Rank 0's in-place output would be its input.
                MPI_Exscan(own && rank != 0 ? MPI_IN_PLACE : in, out, n(count), type, op,
                           all->comm);
            };
        case gather:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                MPI_Gather(root_own ? MPI_IN_PLACE : in, n(count), type, out, block, type, root,
                           all->comm);
            };
        case scatter:
            return [=](std::byte* in, std::size_t, std::byte* out, std::size_t count) {
                MPI_Scatter(in, block, type, root_own ? MPI_IN_PLACE : out, n(count), type, root,
                            all->comm);
            };
        case broadcast:
            return [=](std::byte*, std::size_t, std::byte* out, std::size_t count) {
                MPI_Bcast(out, n(count), type, root, all->comm);
            };
        case all_to_all:
            return [=](std::byte* in, std::size_t, std::byte* out, std::size_t) {
                MPI_Alltoall(own ? MPI_IN_PLACE : in, block, type, out, block, type, all->comm);
            };
        case barrier:
            return
                [=](std::byte*, std::size_t, std::byte*, std::size_t) { MPI_Barrier(all->comm); };
        default: return {};
    }
}

}  // namespace launched
