// SPDX-License-Identifier: BSD-3-Clause
// Ranks that exchange messages of shared memory, all in one thread.
#pragma once

#include <collectives/transport/shared/messages.hpp>
#include <collectives/transport/shared/private_memory.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <span>

namespace message_ranks {

namespace coll = collectives;
namespace shared = collectives::shared;

/// Memory that no peer reaches: long messages go through slots, unless the kernel copies them.
struct no_shared_memory {
    static constexpr bool always_reachable = false;
    using unreached = shared::private_memory;
    std::uint64_t reach(void const*, std::size_t) const { return 0; }
    std::byte* at(std::uint64_t, std::size_t) const { return nullptr; }
};
using messages = shared::messages<no_shared_memory>;

/// The ranks of a job, all in this thread.
struct job_ranks {
    explicit job_ranks(int size)
        : memory(static_cast<std::byte*>(
                     std::aligned_alloc(4096, (shared::state::bytes(size) + 4095) / 4096 * 4096)),
                 std::free) {
        std::fill_n(memory.get(), shared::state::bytes(size), std::byte{0});
        job = shared::state::create(memory.get(), size);
        for (coll::rank_t r = 0; r < size; ++r) {
            all.emplace_back(job, nowhere, own.emplace_back(job, r), r);
        }
    }
    messages& operator[](int r) { return all[static_cast<std::size_t>(r)]; }
    /// Whether the kernel copies from rank to rank, which are all in this process.
    bool opens_private_memory() {
        for (coll::rank_t r = 0; r < job.size(); ++r) { job.status(r).pid.store(::getpid()); }
        for (auto& one : own) { one.is_open(); }
        return own.front().is_open();
    }

    std::unique_ptr<std::byte, decltype(&std::free)> memory;
    shared::state job;
    no_shared_memory nowhere;
    std::deque<shared::private_memory> own;
    std::deque<messages> all;
};

inline coll::outgoing to(coll::rank_t peer, std::span<std::byte const> data) {
    coll::outgoing out{};
    out.to = peer;
    out.data = data.data();
    out.bytes = data.size();
    return out;
}
inline coll::incoming from(coll::rank_t peer, std::span<std::byte> data) {
    coll::incoming in{};
    in.from = peer;
    in.data = data.data();
    in.bytes = data.size();
    return in;
}

}  // namespace message_ranks
