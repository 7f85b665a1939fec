// SPDX-License-Identifier: BSD-3-Clause
// Memory that the ranks of a communicator share for a measurement.
#pragma once

#include "launch.hpp"
#include "order.hpp"

#include <collectives/communicator.hpp>

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>

namespace coll_perf {

/// Zeroed memory of rank 0's that all ranks map.
class shared_place {
public:
    /// Collective.
    shared_place(coll::communicator& comm, std::size_t bytes) : bytes_(bytes) {
        struct where {
            std::array<char, 64> path{};
            std::uint64_t word = 0;
        } its;
        if (comm.rank() == 0) {
            place_.emplace(bytes);
            place_->path().copy(its.path.data(), its.path.size() - 1);
            // A word that nobody guesses shows that it is rank 0's memory.
            its.word = std::random_device{}() | 1U;
            *static_cast<std::uint64_t*>(place_->memory()) = its.word;
        }
        std::array<where, 1> one{its};
        comm.broadcast(one, 0);
        memory_ = order::map_board(one[0].path.data(), bytes);
        bool const same =
            memory_ != nullptr && *static_cast<std::uint64_t*>(memory_) == one[0].word;
        std::array<std::uint64_t, 1> all{same ? 1U : 0U};
        comm.all_reduce(all, coll::min{});
        if (comm.rank() == 0) { *static_cast<std::uint64_t*>(place_->memory()) = 0; }
        comm.barrier();
        if (all[0] == 0) { unmap(); }
    }
    shared_place(shared_place const&) = delete;
    shared_place& operator=(shared_place const&) = delete;
    ~shared_place() { unmap(); }

    /// Null on all ranks if not all can map it.
    void* memory() const { return memory_; }

private:
    void unmap() {
        if (memory_ != nullptr) { ::munmap(memory_, bytes_); }
        memory_ = nullptr;
    }

    std::optional<meeting_place> place_;  // rank 0's
    std::size_t bytes_;
    void* memory_ = nullptr;
};

}  // namespace coll_perf
