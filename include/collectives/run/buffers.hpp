// SPDX-License-Identifier: BSD-3-Clause
// The three buffers of a run, and how an instruction is carried out in them.
#pragma once

#include <collectives/core/list_view.hpp>
#include <collectives/plan/plan.hpp>
#include <collectives/run/space.hpp>

#include <cstddef>

namespace collectives::inline v0::detail {

/// The buffers of a run. The run only reads `input`, unless it is also the output.
struct run_buffers {
    std::byte const* input = nullptr;
    std::byte* output = nullptr;
    std::byte* scratch = nullptr;

    /// The address of a place in this rank's memory.
    std::byte const* read(plans::place const& p) const {
        return (p.where == plans::memory::input    ? input
                : p.where == plans::memory::output ? output
                                                   : scratch) +
               p.offset;
    }
    std::byte* write(plans::place const& p) const {
        return (p.where == plans::memory::output ? output : scratch) + p.offset;
    }
};

/// How to carry out a reduction.
struct reduce_manner {
    int size = 0;      // ranks, for the operator's `finish`
    bool raw = false;  // its sources have not gone through the operator's `prepare`
    destination to = destination::read_soon;
    void* queue = nullptr;            // of the device that holds the buffers
    list_view<void* const> others{};  // more places for the result, in a device's memory
};

/// Reduces `bytes` bytes from the `sources` of a reduction to `to`.
inline void carry_out(plans::instruction const& i, reducer const& op, std::byte* to,
                      void const* const* sources, std::size_t bytes, reduce_manner const& how) {
    auto const n = i.sources.size();
    // One source alone is a result over one rank: logical operators make a truth value of it.
    auto const size = n == 1 ? 1 : how.size;
    op.reduce(op.op, {to, sources, n, bytes / op.elem_size, i.completes ? size : 0, how.raw, how.to,
                      how.queue, how.others.data(), static_cast<int>(how.others.size())});
}

}  // namespace collectives::detail
