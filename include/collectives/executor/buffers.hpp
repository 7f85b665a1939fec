// SPDX-License-Identifier: BSD-3-Clause
// The three buffers of a run, and how a fold of a plan is carried out in them.
#pragma once

#include <collectives/executor/plan.hpp>
#include <collectives/space/host.hpp>

#include <array>
#include <cstddef>
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
    void carry_out(copy const& c) const { host::copy(write(c.to), read(c.from), c.bytes); }
};

/// What a fold adds up: `contributions` still are to go through the operator's `prepare`.
enum class sources_are { prepared, contributions };

/// Reduces bytes [from, from + bytes) of a fold. `source(s)` is the address of byte `from` of one
/// that a peer sent. `size` is the number of ranks, for the operator's last touch.
template <class Source>
void carry_out(plan const& p, fold const& f, run_buffers const& at, reducer const& op, int size,
               std::size_t from, std::size_t bytes, Source&& source,
               sources_are what = sources_are::prepared) {
    if (bytes == 0) { return; }
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
    auto const run = what == sources_are::contributions ? &reducer::raw : &reducer::run;
    (op.*run)(at.write(f.to) + from, addresses, f.sources, bytes / op.elem_size,
              f.completes ? size : 0);
}

}  // namespace collectives
