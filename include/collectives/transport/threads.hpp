// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are threads of one process: the shared-memory transport on private memory.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/core/processors.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/transport/shared/heap_memory.hpp>
#include <collectives/transport/shared/transport.hpp>

#include <cstddef>
#include <cstdlib>

namespace collectives::inline v0::threads {

class transport : public shared::shared_transport<shared::heap_memory> {
public:
    using shared_transport::shared_transport;
    /// Models `renewing`.
    shared_pointer<transport> renew(board& broken, loss const& of);
};

/// The memory of a job of `size` ranks, alive as long as one of its transports is.
class job {
public:
    [[gnu::cold]] explicit job(int size) {
        auto const board_at = shared::rounded_up(shared::state::bytes(size));
        auto const bytes = board_at + shared::board::bytes(size);
        auto* const memory = static_cast<std::byte*>(shared::heap_memory{}.allocate(bytes));
        memory_ = {memory, memory, [](void* p) { std::free(p); }};
        state_ = shared::state::create(memory, size);
        state_.header().processors.store(usable_processors());
        board_ = memory + board_at;
        shared::board::create(board_, size);
    }

    shared::state const& state() const { return state_; }
    /// What rank r works with; another type of transport may be made of the same parts.
    template <class Transport = transport>
    [[gnu::cold]] shared_pointer<Transport> rank(rank_t r) const {
        return make_shared_object<Transport>(state_, shared::heap_memory{}, board_, r, memory_);
    }

private:
    shared_pointer<void> memory_;
    shared::state state_;
    std::byte* board_ = nullptr;
};

}  // namespace collectives::threads

#ifndef COLLECTIVES_COMPILED
#include <collectives/transport/threads.ipp>
#endif
