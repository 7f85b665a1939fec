// SPDX-License-Identifier: BSD-3-Clause
// Lets the ranks of an MPI job exchange bytes; every wait has a time limit.
#pragma once

#include <collectives/core/bootstrap.hpp>
#include <collectives/core/growing_nap.hpp>
#include <collectives/transport/mpi/calls.hpp>
#include <collectives/transport/mpi/header.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace collectives::inline v0::bootstraps {

/// The ranks of an MPI communicator, which it duplicates; models `bootstrap`. The constructor is
/// collective; it and the destructor must stand between MPI_Init and MPI_Finalize.
class over_mpi {
public:
    /// Throws usage_error where MPI is not there, or `ranks` is null or an intercommunicator;
    /// timeout_error where a rank does not come.
    over_mpi(MPI_Comm ranks, steady::time_point until) {
        mpi::detail::require_usable(ranks);
        comm_ = mpi::detail::duplicate(ranks, until);
        mpi::detail::require(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
        mpi::detail::require(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    }
    over_mpi(over_mpi const&) = delete;
    over_mpi& operator=(over_mpi const&) = delete;
    ~over_mpi() {
        // Posted messages cannot always be cancelled. Then their buffers stay for ever.
        if (under_way_.release() == nullptr) { MPI_Comm_free(&comm_); }
    }

    int rank() const { return rank_; }
    int size() const { return size_; }

    std::vector<bootstrap_bytes> all_gather(std::span<std::byte const> mine,
                                            steady::time_point until) {
        detail::require_bootstrap_bytes(rank_, mine.size());
        return unless_broken_(rank_, [&] {
            under_way_ = std::make_unique<exchange>(size_, mine);
            sizes(*under_way_, until);
            contents(*under_way_, until);
            auto const done = std::move(under_way_);
            return std::move(done->came);
        });
    }

private:
    static constexpr int size_tag = 1, content_tag = 2;

    struct exchange {
        exchange(int size, std::span<std::byte const> bytes)
            : mine(bytes.begin(), bytes.end()),
              my_size(bytes.size()),
              sizes(static_cast<std::size_t>(size)),
              came(static_cast<std::size_t>(size)),
              sent(static_cast<std::size_t>(size), MPI_REQUEST_NULL),
              awaited(static_cast<std::size_t>(size), MPI_REQUEST_NULL) {}
        bootstrap_bytes mine;
        std::uint64_t my_size;
        std::vector<std::uint64_t> sizes;
        std::vector<bootstrap_bytes> came;
        std::vector<MPI_Request> sent, awaited;
    };

    void sizes(exchange& e, steady::time_point until) {
        for (int r = 0; r < size_; ++r) {
            auto const i = static_cast<std::size_t>(r);
            post(e, i, std::as_writable_bytes(std::span(&e.sizes[i], 1)),
                 std::as_bytes(std::span(&e.my_size, 1)), size_tag);
        }
        finish(e, until);
    }
    void contents(exchange& e, steady::time_point until) {
        for (int r = 0; r < size_; ++r) {
            auto const i = static_cast<std::size_t>(r);
            detail::require_given_bytes(rank_, r, e.sizes[i]);
            e.came[i].resize(e.sizes[i]);
            post(e, i, e.came[i], e.mine, content_tag);
        }
        finish(e, until);
    }
    void post(exchange& e, std::size_t rank, std::span<std::byte> to,
              std::span<std::byte const> from, int tag) {
        auto const r = static_cast<rank_t>(rank);
        e.awaited[rank] = mpi::detail::post_receive(to.data(), to.size(), r, tag, comm_);
        e.sent[rank] = mpi::detail::post_send(from.data(), from.size(), r, tag, comm_);
    }
    void finish(exchange& e, steady::time_point until) {
        for (;;) {
            auto missing = unfinished(e.awaited);
            if (missing.empty()) { missing = unfinished(e.sent); }
            if (missing.empty()) { return; }
            if (steady::now() >= until) { throw detail::bootstrap_timeout(rank_, missing); }
            std::this_thread::sleep_for(detail::growing_nap::shortest);
        }
    }
    static std::vector<int> unfinished(std::vector<MPI_Request>& requests) {
        std::vector<int> ranks;
        for (std::size_t r = 0; r < requests.size(); ++r) {
            int done = 0;
            mpi::detail::require(MPI_Test(&requests[r], &done, MPI_STATUS_IGNORE), "MPI_Test");
            if (done == 0) { ranks.push_back(static_cast<int>(r)); }
        }
        return ranks;
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    std::unique_ptr<exchange> under_way_;
    detail::until_broken unless_broken_;
};

static_assert(bootstrap<over_mpi>);

}  // namespace collectives::bootstraps
