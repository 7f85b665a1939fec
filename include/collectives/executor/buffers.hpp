// SPDX-License-Identifier: BSD-3-Clause
// The three buffers of a run, and how a fold of a plan is carried out in them.
#pragma once

#include <collectives/executor/plan.hpp>
#include <collectives/executor/space.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace collectives {

/// What an executor works on. `input` is only read, except where it is the output.
struct run_buffers {
    std::byte const* input = nullptr;
    std::byte* output = nullptr;
    std::byte* scratch = nullptr;

    std::byte const* read(place p) const {
        return (p.where == base::input    ? input
                : p.where == base::output ? output
                                          : scratch) +
               p.offset;
    }
    std::byte* write(place p) const {
        return (p.where == base::output ? output : scratch) + p.offset;
    }
    void carry_out(any_space in, copy const& c, destination to = destination::read_soon) const {
        in.copy(write(c.to), read(c.from), c.bytes, to);
    }
};

/// How a fold is to be carried out.
struct fold_manner {
    int size = 0;      // ranks, for the operator's last touch
    bool raw = false;  // its sources still are to go through the operator's `prepare`
    destination to = destination::read_soon;
    void* queue = nullptr;            // of the space of all this
    std::span<void* const> others{};  // more places for the result, in a device's memory
};

/// Reduces `bytes` bytes from the `sources` of a fold to `to`.
inline void carry_out(fold const& f, reducer const& op, std::byte* to, void const* const* sources,
                      std::size_t bytes, fold_manner const& how) {
    if (bytes == 0) { return; }
    op.reduce(op.op,
              {to, sources, f.sources, bytes / op.elem_size, f.completes ? how.size : 0, how.raw,
               how.to, how.queue, how.others.data(), static_cast<int>(how.others.size())});
}

/// Reduces bytes [from, from + bytes) of a fold to `to`. `source(s)` is the address of the first of
/// them from a source that a peer sent.
template <class Source>
void carry_out(plan const& p, fold const& f, run_buffers const& at, reducer const& op,
               std::byte* to, std::size_t from, std::size_t bytes, fold_manner const& how,
               Source&& source) {
    constexpr int few = 16;
    std::array<void const*, few> small;
    std::vector<void const*> large;
    auto* addresses = small.data();
    if (f.sources > few) {
        large.resize(static_cast<std::size_t>(f.sources));
        addresses = large.data();
    }
    for (int k = 0; k < f.sources; ++k) {
        auto const& s = p.sources[static_cast<std::size_t>(f.first_source + k)];
        addresses[k] = s.transfer < 0 ? static_cast<void const*>(at.read(f.own) + from)
                                      : static_cast<void const*>(source(s));
    }
    carry_out(f, op, to, addresses, bytes, how);
}

}  // namespace collectives
