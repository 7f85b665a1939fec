// SPDX-License-Identifier: BSD-3-Clause
// Buffers of processes in which their peers' kernels work: a process shows memory, its peers open
// it before their next kernels start, and from then on its kernels tell where in there they are at
// work. Nobody waits for that; until all have it open, it goes through the slots.
#pragma once

#include <collectives/core/types.hpp>
#include <collectives/space/cuda/fused.hpp>
#include <collectives/transport/cuda/calls.hpp>
#include <collectives/transport/cuda/exports.hpp>
#include <collectives/transport/cuda/space.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace collectives::cuda::detail {

/// One rank's: a table in its device's memory of what all ranks show, with the addresses here.
template <class Transport>
class windows {
public:
    windows(Transport& t, rank_t rank, int size) : owner_(t), rank_(rank), size_(size) {
        auto const bytes = static_cast<std::size_t>(size) * of_a_rank;
        table_.reset(static_cast<std::uint64_t*>(t.space().allocate(bytes)));
        t.space().zero(table_.get(), bytes);
    }

    std::uint64_t* table() const { return table_.get(); }

    /// Opens what peers have shown. `ranks`: those in the job; `side`: a stream on which nothing
    /// waits for kernels.
    void open(std::vector<rank_t> const& ranks, stream side) {
        owner_.open_windows(bit(rank_), [&](rank_t r, std::size_t line, std::byte* at) {
            auto const its = std::find(ranks.begin(), ranks.end(), r) - ranks.begin();
            auto const entry = static_cast<std::size_t>(its) * fused_place::windows + line;
            auto const address = std::uint64_t{reinterpret_cast<std::uintptr_t>(at)};
            auto& calls = owner_.space().calls();
            calls.copy(table() + entry, &address, sizeof address, side);
            calls.synchronize(side);
        });
    }
    /// What this rank's kernel tells of a buffer; 0 as long as a peer has not opened it, who will
    /// if this `may_ask`.
    std::uint64_t place_of(void const* p, std::size_t bytes, bool may_ask) {
        auto const all = bit(size_) - 1;
        auto const found = owner_.window(p, bytes, all & ~bit(rank_), may_ask);
        auto const its = location::of(found);
        return found == 0 ? 0 : fused_place::in_window(its.line, its.offset);
    }

private:
    static constexpr std::size_t of_a_rank = fused_place::windows * sizeof(std::uint64_t);
    static_assert(fused_place::windows == location::lines &&
                  fused_place::offset_bits == location::offset_bits &&
                  most_fused_ranks <= export_line::window_bits);

    static constexpr std::uint64_t bit(rank_t r) { return std::uint64_t{1} << r; }

    struct keeper {
        cuda::space* space;
        void operator()(std::uint64_t* p) const { space->deallocate(p, 0); }
    };

    Transport& owner_;
    rank_t rank_;
    int size_;
    std::unique_ptr<std::uint64_t, keeper> table_{nullptr, {&owner_.space()}};
};

}  // namespace collectives::cuda::detail
