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
    MPI_Request under_way = MPI_REQUEST_NULL;  // the started call
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

/// A collective of MPI, by its function or by the one that only starts it.
template <class Whole, class Start>
struct collective_call {
    Whole whole;
    Start start;
    MPI_Request* under_way;  // null: the whole call

    template <class... Arguments>
    void operator()(Arguments... of) const {
        if (under_way == nullptr) {
            whole(of...);
        } else {
            start(of..., under_way);
        }
    }
};

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

bool mpi_calls::test() const {
    int ended = 0;
    MPI_Test(&group_->under_way, &ended, MPI_STATUS_IGNORE);
    return ended != 0;
}
void mpi_calls::wait() const { MPI_Wait(&group_->under_way, MPI_STATUS_IGNORE); }

mpi_calls::function mpi_calls::find(mpi_call const& c) const {
    auto const type = type_of(c.type);
    auto const op = op_of(c.op);
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
    if (type == MPI_DATATYPE_NULL || op == MPI_OP_NULL || c.count > most) { return {}; }
    if (c.how == mpi_form::counts) { return find_with_counts(group_, type, op, c); }
    auto const starts = c.how == mpi_form::started;
    if (c.how != mpi_form::call && !starts) { return find_messages(group_, type, c); }
    auto const either = [under_way = starts ? &group_->under_way : nullptr](auto whole,
                                                                            auto start) {
        return collective_call<decltype(whole), decltype(start)>{whole, start, under_way};
    };
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
            return [=, call = either(MPI_Allreduce, MPI_Iallreduce)](
                       std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                call(own ? MPI_IN_PLACE : in, out, n(count), type, op, all->comm);
            };
        case reduce:
            return [=, call = either(MPI_Reduce, MPI_Ireduce)](std::byte* in, std::size_t count,
                                                               std::byte* out, std::size_t) {
                call(root_own ? MPI_IN_PLACE : in, out, n(count), type, op, root, all->comm);
            };
        case reduce_scatter:
            if (own) { return {}; }  // MPI then puts every rank's block at the beginning
            return [=, call = either(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block)](
                       std::byte* in, std::size_t, std::byte* out, std::size_t count) {
                call(in, out, n(count), type, op, all->comm);
            };
        case all_gather:
            return [=, call = either(MPI_Allgather, MPI_Iallgather)](
                       std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                call(own ? MPI_IN_PLACE : in, n(count), type, out, block, type, all->comm);
            };
        case scan:
            return [=, call = either(MPI_Scan, MPI_Iscan)](std::byte* in, std::size_t count,
                                                           std::byte* out, std::size_t) {
                call(own ? MPI_IN_PLACE : in, out, n(count), type, op, all->comm);
            };
        case exscan:
            return [=, call = either(MPI_Exscan, MPI_Iexscan)](std::byte* in, std::size_t count,
                                                               std::byte* out, std::size_t) {
                // Rank 0's in-place output would be its input.
                call(own && rank != 0 ? MPI_IN_PLACE : in, out, n(count), type, op, all->comm);
            };
        case gather:
            return [=, call = either(MPI_Gather, MPI_Igather)](std::byte* in, std::size_t count,
                                                               std::byte* out, std::size_t) {
                call(root_own ? MPI_IN_PLACE : in, n(count), type, out, block, type, root,
                     all->comm);
            };
        case scatter:
            return [=, call = either(MPI_Scatter, MPI_Iscatter)](
                       std::byte* in, std::size_t, std::byte* out, std::size_t count) {
                call(in, block, type, root_own ? MPI_IN_PLACE : out, n(count), type, root,
                     all->comm);
            };
        case broadcast:
            return [=, call = either(MPI_Bcast, MPI_Ibcast)](std::byte*, std::size_t,
                                                             std::byte* out, std::size_t count) {
                call(out, n(count), type, root, all->comm);
            };
        case all_to_all:
            return [=, call = either(MPI_Alltoall, MPI_Ialltoall)](std::byte* in, std::size_t,
                                                                   std::byte* out, std::size_t) {
                call(own ? MPI_IN_PLACE : in, block, type, out, block, type, all->comm);
            };
        case barrier:
            return [=, call = either(MPI_Barrier, MPI_Ibarrier)](
                       std::byte*, std::size_t, std::byte*, std::size_t) { call(all->comm); };
        default: return {};
    }
}

}  // namespace launched
