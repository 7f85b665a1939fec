// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are processes of one machine: the shared-memory transport on a mapped memory file.
#pragma once

#include <collectives/transport/shared/mapped_memory.hpp>
#include <collectives/transport/shared/transport.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace collectives::shm {

using transport = shared::shared_transport<shared::mapped_memory>;

/// The memory of a job of `size` ranks: one sparse file with the shared state, the first board, and
/// a part for each rank to allocate from. Made before the ranks are forked, so that all map it.
/// Takes 0.8 MiB per rank and 8 KiB per ordered pair; the parts cost nothing before they are used.
class job {
public:
    explicit job(int size)
        : size_(size),
          board_at_(rounded(shared::state::bytes(size))),
          parts_at_(board_at_ + rounded(shared::board::bytes(size))),
          part_(part_bytes(size)),
          file_(std::make_shared<shared::memory_file>(parts_at_ +
                                                      static_cast<std::size_t>(size) * part_)) {
        file_->take(0, parts_at_);
        state_ = shared::state::create(file_->base(), size);
        shared::board::create(file_->base() + board_at_, size);
    }

    shared::state const& state() const { return state_; }
    template <class Transport = transport>  // not before it is needed, for compile time
    std::shared_ptr<Transport> rank(rank_t r) const {
        shared::mapped_memory memory(*file_, parts_at_ + static_cast<std::size_t>(r) * part_,
                                     part_);
        return std::make_shared<Transport>(state_, std::move(memory), file_->base() + board_at_, r,
                                           file_);
    }

private:
    static std::size_t rounded(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }
    /// Address space for one rank: twice the machine's memory, less where there are very many.
    static std::size_t part_bytes(int size) {
        auto const memory = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        auto const most = (std::size_t{1} << 45) / static_cast<std::size_t>(size);
        return rounded(std::min(2 * memory, most));
    }

    int size_;
    std::size_t board_at_, parts_at_, part_;
    std::shared_ptr<shared::memory_file> file_;
    shared::state state_;
};

}  // namespace collectives::shm
