// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_messages.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace launched {

namespace {

constexpr int first_tag = 0, last_tag = 1;

/// One window of messages, all into the same memory; a short message says that they have come.
class message_window {
public:
    message_window(std::shared_ptr<mpi_group const> all, MPI_Datatype type, int window,
                   bool both_ways)
        : all_(std::move(all)),
          type_(type),
          window_(window),
          sends_(all_->rank == 0 || (both_ways && all_->rank == 1)),
          receives_(all_->rank == 1 || (both_ways && all_->rank == 0)) {}

    void operator()(std::byte* in, std::size_t count, std::byte* out, std::size_t) {
        auto const n = static_cast<int>(count);
        auto const other = 1 - all_->rank;
        under_way_.clear();
        for (int i = 0; receives_ && i < window_; ++i) {
            MPI_Irecv(out, n, type_, other, first_tag, all_->comm, &next());
        }
        for (int i = 0; sends_ && i < window_; ++i) {
            MPI_Isend(in, n, type_, other, first_tag, all_->comm, &next());
        }
        MPI_Waitall(static_cast<int>(under_way_.size()), under_way_.data(), MPI_STATUSES_IGNORE);
        std::array<std::byte, 4> come{};
        if (receives_) { MPI_Send(come.data(), 4, MPI_BYTE, other, last_tag, all_->comm); }
        if (sends_) {
            MPI_Recv(come.data(), 4, MPI_BYTE, other, last_tag, all_->comm, MPI_STATUS_IGNORE);
        }
    }

private:
    MPI_Request& next() { return under_way_.emplace_back(MPI_REQUEST_NULL); }

    std::shared_ptr<mpi_group const> all_;
    MPI_Datatype type_;
    int window_;
    bool sends_, receives_;
    std::vector<MPI_Request> under_way_;
};

}  // namespace

mpi_calls::function find_messages(std::shared_ptr<mpi_group const> all, MPI_Datatype type,
                                  mpi_call const& c) {
    if (all->ranks < 2) { return {}; }
    auto const rank = all->rank, ranks = all->ranks;
    switch (c.how) {
        case mpi_form::exchange:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                auto const n = static_cast<int>(count);
                MPI_Sendrecv(in, n, type, (rank + 1) % ranks, first_tag, out, n, type,
                             (rank + ranks - 1) % ranks, first_tag, all->comm, MPI_STATUS_IGNORE);
            };
        case mpi_form::ping_pong:
            return [=](std::byte* in, std::size_t count, std::byte* out, std::size_t) {
                auto const n = static_cast<int>(count);
                if (rank == 0) { MPI_Send(in, n, type, 1, first_tag, all->comm); }
                if (rank < 2) {
                    MPI_Recv(out, n, type, 1 - rank, first_tag, all->comm, MPI_STATUS_IGNORE);
                }
                if (rank == 1) { MPI_Send(in, n, type, 0, first_tag, all->comm); }
            };
        case mpi_form::one_way: return message_window(std::move(all), type, c.window, false);
        case mpi_form::both_ways: return message_window(std::move(all), type, c.window, true);
        default: return {};
    }
}

}  // namespace launched
